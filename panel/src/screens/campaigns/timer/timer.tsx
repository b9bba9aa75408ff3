import type { PartProps } from '../campaign.tsx'

export default function TimerPart({ read }: PartProps) {
  return <p>{read.settings.name}</p>
}
