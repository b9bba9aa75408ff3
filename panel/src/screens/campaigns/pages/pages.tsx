import type { PartProps } from '../campaign.tsx'

export default function PagesPart({ read }: PartProps) {
  return <p>{read.settings.name}</p>
}
