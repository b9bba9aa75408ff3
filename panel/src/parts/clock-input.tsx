import { ActionIcon, Popover, Stack, TextInput, type TextInputProps } from '@mantine/core'
import { DatePicker, TimePicker } from '@mantine/dates'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useLanguage, useWords } from '../language.ts'
import { inWindow } from './dates.ts'
import { Icon } from './icons.tsx'
import { todayIn } from './local-time.ts'
import { words } from './words.ts'
import { type Clock, inWords, readClock } from './written-dates.ts'

type Props = Omit<TextInputProps, 'value' | 'onChange' | 'min' | 'max'> & {
  clock: Clock
  /** Whose days the calendar shows. */
  timeZone: string
  value: string
  /** In the form of the value, both allowed. */
  min?: string
  max?: string
  /** The time of a day for which none was given. */
  usualTime?: string
  /** Empty while what stands there is no time, or outside of the bounds. */
  onChange(next: string): void
}

/** A local time or a day, typed in the reader's language, or chosen. A browser's own field would follow the browser. */
export function ClockInput({
  clock,
  timeZone,
  value,
  min,
  max,
  usualTime = '23:59',
  error,
  onChange,
  onKeyDown,
  ...props
}: Props) {
  const text = useWords(words)
  const language = useLanguage()
  const [typed, setTyped] = useState(() => inWords(clock, value, language))
  const [isTyping, setTyping] = useState(false)
  const readWithin = (next: string) => {
    const read = readClock(clock, next, language, usualTime)
    return (min !== undefined && read < min) || (max !== undefined && read > max) ? '' : read
  }
  const [seen, setSeen] = useState(value + language)
  if (seen !== value + language) {
    setSeen(value + language)
    // Changed from elsewhere, as by "Discard changes".
    if (readWithin(typed) !== value) setTyped(inWords(clock, value, language))
  }
  const example = inWords(clock, clock === 'day' ? '2026-12-31' : '2026-12-31T23:59', language)
  // Where the error has no words, the form says below what is wrong.
  const isUnread = !isTyping && typed.trim() !== '' && value === '' && error !== true
  return (
    <TextInput
      placeholder={example}
      autoComplete="off"
      {...props}
      value={typed}
      error={isUnread ? text.clockUnread(example) : error}
      onFocus={() => setTyping(true)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') setTyping(false)
        onKeyDown?.(event)
      }}
      onBlur={() => {
        setTyping(false)
        if (value !== '') setTyped(inWords(clock, value, language))
      }}
      onChange={(event) => {
        setTyping(true)
        setTyped(event.currentTarget.value)
        onChange(readWithin(event.currentTarget.value))
      }}
      rightSection={
        <Chooser {...{ clock, timeZone, value, usualTime, onChange, ...(min && { min }), ...(max && { max }) }} />
      }
    />
  )
}

type ChooserProps = Pick<Props, 'clock' | 'timeZone' | 'value' | 'min' | 'max' | 'onChange'> & { usualTime: string }

/** The same by a calendar, and a clock beneath it. */
function Chooser({ clock, timeZone, value, min, max, usualTime, onChange }: ChooserProps) {
  const text = useWords(words)
  const language = useLanguage()
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const today = todayIn(timeZone)
  const [day = '', time = usualTime] = value === '' ? [] : value.slice(0, 16).split('T')
  const choose = (next: string | null) => {
    if (next === null) return
    onChange(clock === 'day' ? next : `${next}T${time}`)
    if (clock === 'day') close()
  }
  return (
    <Popover opened={isOpen} onDismiss={close} position="bottom-end" trapFocus returnFocus {...inWindow}>
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={text.calendar} onClick={toggle}>
          <Icon name="calendar" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={text.calendar}>
        <Stack align="center" gap="sm">
          <DatePicker
            locale={language}
            ariaLabels={text.calendarLabels}
            hideOutsideDates
            highlightToday
            // The library takes the browser's.
            getDayProps={(one) => (one === today ? { 'data-today': true } : { highlightToday: false })}
            value={day === '' ? null : day}
            {...(day !== '' && { defaultDate: day })}
            {...(min !== undefined && { minDate: min.slice(0, 10) })}
            {...(max !== undefined && { maxDate: max.slice(0, 10) })}
            onChange={choose}
          />
          {clock === 'moment' && day !== '' && (
            <TimeOfDay label={text.time} value={time} onChange={(next) => next !== '' && onChange(`${day}T${next}`)} />
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

type TimeProps = { label: string; value: string; onChange(next: string): void; error?: boolean }

/** `23:59`, in two fields of numbers; empty while one of them is. */
export function TimeOfDay({ label, value, onChange, error = false }: TimeProps) {
  const text = useWords(words)
  return (
    <TimePicker
      // An empty value would also clear the half that is there.
      {...(value !== '' && { value: value.slice(0, 5) })}
      onChange={onChange}
      error={error}
      hoursInputLabel={`${label}: ${text.hours}`}
      minutesInputLabel={`${label}: ${text.minutes}`}
    />
  )
}
