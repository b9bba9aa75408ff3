import { Text } from '@mantine/core'
import type { CallFailed } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { ClockInput } from '../../../parts/clock-input.tsx'
import { useClock, wallClock } from '../../../parts/local-time.ts'
import { words } from './words.ts'

type Props = { timeZone: string; at: string; error: CallFailed | null; isFirst?: boolean; onChange(at: string): void }

/** A deadline by hand, as clocks of the campaign's zone show it. */
export function DeadlineInput({ timeZone, at, error, isFirst = false, onChange }: Props) {
  const text = useWords(words)
  const now = Math.floor(Date.now() / 1_000)
  const offset = useClock(timeZone).offsetAt(now)
  // In the form of the field.
  const isPast = at !== '' && offset !== undefined && at <= wallClock(now, offset).toISOString().slice(0, 16)
  return (
    <div>
      <ClockInput
        clock="moment"
        timeZone={timeZone}
        label={text.deadlineInput(timeZone)}
        description={text.deadlineText}
        required
        {...(isFirst && { 'data-autofocus': true })}
        max="9999-12-30T23:59"
        value={at}
        error={error?.code === 'INVALID' ? text.deadlineWrong : undefined}
        onChange={onChange}
      />
      <Text size="sm" role="status" mt={isPast ? 'sm' : 0}>
        {isPast && text.deadlinePast}
      </Text>
    </div>
  )
}
