// Fields that stand in the midst of a sentence. Each is named for those who hear it alone.
import { Button, Chip, CloseButton, Group, MultiSelect, NativeSelect, NumberInput, Text } from '@mantine/core'
import { use, useRef, useState } from 'react'
import { locales, useLanguage, useWords } from '../../../language.ts'
import { ClockInput, TimeOfDay } from '../../../parts/clock-input.tsx'
import { type RecurrenceDraft, type Typed, type Weekday, weekdays } from './draft.ts'
import { FindingsContext, useIsWrong } from './lint.tsx'
import { words } from './words.ts'

type Unit = 'M' | 'H' | 'D'
const mostOf: Record<Unit, number> = { M: 5_270_400, H: 87_840, D: 3_660 }

type Field<T> = { label: string; path: string; value: T; onChange(next: T): void }

export function NumberField({ label, path, value, onChange, least = 1, most }: Field<Typed> & Bounds) {
  const isWrong = useIsWrong()
  return (
    <NumberInput
      aria-label={label}
      className="number"
      min={least}
      max={most ?? Number.MAX_SAFE_INTEGER}
      allowDecimal={false}
      allowNegative={false}
      value={value}
      onChange={(next) => onChange(typeof next === 'number' ? next : '')}
      error={isWrong(path)}
    />
  )
}

type Bounds = { least?: number; most?: number }

/** A number and a unit. `PT1H30M` shows as 90 minutes, and stays as it is until it is changed. */
export function PeriodField({ label, path, value, onChange }: Field<string>) {
  const text = useWords(words)
  const { count, unit } = read(value)
  const write = (nextCount: Typed, nextUnit: Unit) =>
    onChange(`${nextUnit === 'D' ? 'P' : 'PT'}${nextCount}${nextUnit}`)
  const units = (['M', 'H', 'D'] as const).map((one) => ({
    value: one,
    label: text.units[one](count === '' ? 2 : count),
  }))
  return (
    <>
      <NumberField
        label={`${label}: ${text.number}`}
        path={path}
        value={count}
        most={mostOf[unit]}
        onChange={(next) => write(next, unit)}
      />
      <NativeSelect
        aria-label={`${label}: ${text.unit}`}
        data={units}
        value={unit}
        onChange={(event) => write(count, event.currentTarget.value as Unit)}
      />
    </>
  )
}

function read(period: string): { count: Typed; unit: Unit } {
  const [, days, hours, minutes] = /^P(?:(\d*)D|T(?:(\d*)H)?(?:(\d*)M)?)$/.exec(period) ?? []
  if (days !== undefined) return { count: typed(days), unit: 'D' }
  if (minutes === undefined) return { count: typed(hours ?? ''), unit: 'H' }
  const count = hours === undefined ? typed(minutes) : Number(hours) * 60 + Number(minutes)
  return { count, unit: 'M' }
}

const typed = (digits: string): Typed => (digits === '' ? '' : Number(digits))

/** `2026-12-31T23:59` */
export function MomentField({ label, path, value, onChange, usualTime }: Field<string> & { usualTime?: string }) {
  const isWrong = useIsWrong()
  const { timeZone } = use(FindingsContext)
  return (
    <ClockInput
      clock="moment"
      timeZone={timeZone}
      aria-label={label}
      className="moment"
      max="9999-12-31T23:59"
      {...(usualTime !== undefined && { usualTime })}
      value={value}
      onChange={onChange}
      error={isWrong(path)}
    />
  )
}

/** `23:59` */
export function TimeField({ label, path, value, onChange }: Field<string>) {
  const isWrong = useIsWrong()
  return <TimeOfDay {...{ label, value, onChange }} error={isWrong(path)} />
}

export function WeekdaysField({ label, value, onChange }: Omit<Field<Weekday[]>, 'path'>) {
  const text = useWords(words)
  return (
    // biome-ignore lint/a11y/useSemanticElements: it stands within a sentence
    <div role="group" aria-label={label} className="chips">
      <Chip.Group multiple value={value} onChange={(next) => onChange(weekdays.filter((day) => next.includes(day)))}>
        {weekdays.map((day) => (
          <Chip key={day} value={day} size="sm" variant="outline">
            {text.weekdays[day]}
          </Chip>
        ))}
      </Chip.Group>
    </div>
  )
}

const daysOfMonth = Array.from({ length: 31 }, (_, index) => String(index + 1))

/** Each day, on weekdays, or on days of the month, at a time. */
export function RecurrenceField({ label, path, value, onChange }: Field<RecurrenceDraft>) {
  const text = useWords(words)
  const isWrong = useIsWrong()
  const put = (changes: Partial<RecurrenceDraft>) => onChange({ ...value, ...changes })
  const every = (['day', 'week', 'month'] as const).map((one) => ({ value: one, label: text.every[one] }))
  return (
    <>
      <NativeSelect
        aria-label={label}
        data={every}
        value={value.every}
        onChange={(event) => put({ every: event.currentTarget.value as RecurrenceDraft['every'] })}
      />
      {value.every === 'week' && (
        <>
          <span>{text.on}</span>
          <WeekdaysField label={`${label}: ${text.noDays}`} value={value.week} onChange={(week) => put({ week })} />
        </>
      )}
      {value.every === 'month' && (
        <>
          <span>{text.onDays}</span>
          <MultiSelect
            aria-label={`${label}: ${text.daysOfMonth}`}
            className="month-days"
            data={daysOfMonth}
            value={value.month.map(String)}
            onChange={(next) => put({ month: next.map(Number).sort((a, b) => a - b) })}
            searchable
            selectFirstOptionOnChange
            error={isWrong(`${path}.on`)}
          />
        </>
      )}
      <span>{text.at}</span>
      <TimeField
        label={`${label}: ${text.time}`}
        path={`${path}.time`}
        value={value.time}
        onChange={(time) => put({ time })}
      />
    </>
  )
}

/** How often something may happen again. */
export function LimitField({ label, path, value, onChange }: Field<Typed | null>) {
  const text = useWords(words)
  const isLimited = value !== null
  return (
    <>
      <NativeSelect
        aria-label={label}
        data={[
          { value: 'atMost', label: text.atMost },
          { value: 'unlimited', label: text.unlimited },
        ]}
        value={isLimited ? 'atMost' : 'unlimited'}
        onChange={(event) => onChange(event.currentTarget.value === 'atMost' ? 1 : null)}
      />
      {isLimited && (
        <>
          <NumberField label={`${label}: ${text.number}`} path={path} value={value} onChange={onChange} />
          <span>{text.times(value === '' ? 2 : value)}</span>
        </>
      )}
    </>
  )
}

/** Dates in their order, each with its button; another is added below. */
export function DatesField({ label, path, value, onChange }: Field<string[]>) {
  const text = useWords(words)
  const language = useLanguage()
  const isWrong = useIsWrong()
  const { timeZone } = use(FindingsContext)
  const [date, setDate] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const format = new Intl.DateTimeFormat(locales[language], { dateStyle: 'medium', timeZone: 'UTC' })
  const add = () => {
    if (date === '') return
    onChange([...new Set([...value, date])].sort())
    setDate('')
  }
  return (
    <>
      {value.map((one) => {
        const shown = Number.isNaN(Date.parse(one)) ? one : format.format(new Date(one))
        return (
          <Group key={one} component="span" gap={2} className="date" wrap="nowrap">
            <Text span size="sm">
              {shown}
            </Text>
            <CloseButton
              size="sm"
              aria-label={text.removeDate(shown)}
              onClick={() => {
                onChange(value.filter((other) => other !== one))
                input.current?.focus()
              }}
            />
          </Group>
        )
      })}
      {/* Who leaves a date there and saves means it. */}
      <Group component="span" gap={8} onBlur={(event) => event.currentTarget.contains(event.relatedTarget) || add()}>
        <ClockInput
          clock="day"
          timeZone={timeZone}
          ref={input}
          aria-label={label}
          max="9999-12-31"
          value={date}
          onChange={setDate}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            // It would save the whole form as well.
            event.preventDefault()
            add()
          }}
          error={isWrong(path)}
        />
        <Button
          variant="default"
          disabled={date === ''}
          onClick={() => {
            add()
            input.current?.focus()
          }}
        >
          {text.addDate}
        </Button>
      </Group>
    </>
  )
}
