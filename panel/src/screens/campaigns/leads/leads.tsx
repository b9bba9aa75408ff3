import type { PartProps } from '../campaign.tsx'

export default function LeadsPart({ read }: PartProps) {
  return <p>{read.settings.name}</p>
}
