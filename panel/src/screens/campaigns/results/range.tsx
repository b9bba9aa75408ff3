import { Group, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { useWords } from '../../../language.ts'
import { useAddress } from '../../../parts/address.ts'
import { DaysInput } from '../../../parts/days-input.tsx'
import { todayIn } from '../../../parts/local-time.ts'
import { dateIn } from '../../../parts/written-dates.ts'
import { words } from './words.ts'

const spans = [7, 30, 90, 365] as const
const dayMs = 86_400_000

/** Dates such as `2026-12-31`, both included; up to today where `to` is left out. */
export type Range = { from: string; to?: string }

/** The range stands in the page's address; what somebody else may have put there is left aside. */
export function useRange(timeZone: string): [Range, (range: Range) => void] {
  const [address, put] = useAddress()
  const to = dateIn(address, 'to')
  const from = dateIn(address, 'from') ?? daysBefore(to ?? todayIn(timeZone), 29)
  const isRange = daysBetween(from, to ?? todayIn(timeZone)) >= 1 && daysBetween(from, to ?? todayIn(timeZone)) <= 366
  return [
    isRange ? { from, ...(to !== undefined && { to }) } : { from: daysBefore(todayIn(timeZone), 29) },
    (range) => put({ to: '', ...range }),
  ]
}

type Props = { timeZone: string; range: Range; onChange(range: Range): void }

export function RangeBar({ timeZone, range, onChange }: Props) {
  const text = useWords(words)
  const today = todayIn(timeZone)
  const { from, to = today } = range
  /** The first of two days, as long as the second is not chosen. */
  const [half, setHalf] = useState<string | null>(null)
  const span = to === today ? spans.find((days) => days === daysBetween(from, to)) : undefined
  return (
    // It takes the room that there is: by its content alone it would be narrower than its two parts beside each other.
    <Group gap="sm" align="end" flex="1 1 auto">
      <SegmentedControl
        aria-label={text.range}
        size="xs"
        value={String(span ?? '')}
        data={spans.map((days) => ({ value: String(days), label: text.spans[days] }))}
        onChange={(days) => onChange({ from: daysBefore(today, Number(days) - 1) })}
      />
      <DaysInput
        size="xs"
        miw="min(100%, 13.125rem)"
        maxDate={today}
        {...(half !== null && { minDate: daysBefore(half, 365) })}
        value={half === null ? [from, to] : [half, null]}
        onChange={([first, last]) => {
          setHalf(last === null ? first : null)
          if (first !== null && last !== null) onChange({ from: first, ...(last !== today && { to: last }) })
        }}
        onDropdownClose={() => setHalf(null)}
      />
    </Group>
  )
}

function daysBefore(date: string, days: number): string {
  return new Date(Date.parse(date) - days * dayMs).toISOString().slice(0, 10)
}

/** Both included. */
function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / dayMs + 1
}
