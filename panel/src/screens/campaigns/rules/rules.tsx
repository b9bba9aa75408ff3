import type { PartProps } from '../campaign.tsx'

export default function RulesPart({ read }: PartProps) {
  return <p>{read.settings.name}</p>
}
