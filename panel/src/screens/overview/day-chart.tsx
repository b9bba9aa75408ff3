import { useWords } from '../../language.ts'
import DayLines from '../../parts/day-lines/day-lines.tsx'
import { kindsShown, type Overview } from './overview.tsx'
import { words } from './words.ts'

export default function DayChart({ days }: Pick<Overview, 'days'>) {
  const text = useWords(words)
  return (
    <DayLines label={text.chart} lines={kindsShown.map((name) => ({ name, label: text.kinds[name] }))} days={days} />
  )
}
