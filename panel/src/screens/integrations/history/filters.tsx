import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useWords } from '../../../language.ts'
import type { Choices, Filters, Span, WantedState } from './wanted.ts'
import { words } from './words.ts'

/** `onWrong` is told whether what is typed can be no request id. */
type FiltersProps = { choices: Choices; wanted: WantedState; onWrong(isWrong: boolean): void }

export function FilterBar({ choices, wanted, onWrong }: FiltersProps) {
  const text = useWords(words)
  const { filters, span, setFilter } = wanted
  const all = { value: '', label: text.any }
  const select = (name: keyof Filters) => ({
    value: filters[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) => setFilter(name, event.currentTarget.value),
  })
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
      <PeriodSelect choices={choices} span={span} setSpan={wanted.setSpan} />
      <NativeSelect
        label={text.key}
        data={[all, ...choices.keys.map(({ id, name, hint }) => ({ value: id, label: `${name} (${hint})` }))]}
        {...select('key')}
      />
      <NativeSelect
        label={text.operation}
        data={[all, ...choices.operations.map((name) => ({ value: name, label: text.operations[name] }))]}
        {...select('operation')}
      />
      <NativeSelect
        label={text.status}
        data={[all, ...Object.entries(text.classes).map(([value, label]) => ({ value, label }))]}
        {...select('statusClass')}
      />
      <NativeSelect
        label={text.code}
        data={[all, ...choices.codes.map((code) => ({ value: code, label: code }))]}
        {...select('code')}
      />
      <RequestIdInput
        value={filters.requestId ?? ''}
        onChange={(next) => setFilter('requestId', next)}
        onWrong={onWrong}
      />
    </SimpleGrid>
  )
}

const hourMs = 3_600_000

type PeriodProps = { choices: Choices; span: Span; setSpan(span: Span): void }

function PeriodSelect({ choices: { days, aheadMs }, span, setSpan }: PeriodProps) {
  const text = useWords(words)
  const isAll = span.from === undefined && span.to === undefined
  const choose = (period: string) => {
    const now = Math.floor((Date.now() - aheadMs) / 1_000) * 1_000
    const from = now - (period === 'hour' ? hourMs : 24 * hourMs)
    setSpan(period === 'all' ? {} : { from })
  }
  return (
    <NativeSelect
      label={text.period}
      data={[
        { value: 'all', label: text.periods.all(days) },
        { value: 'hour', label: text.periods.hour },
        { value: 'day', label: text.periods.day },
        ...(isAll ? [] : [{ value: 'chosen', label: text.periods.chosen }]),
      ]}
      value={isAll ? 'all' : 'chosen'}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  )
}

const typingMs = 300

type RequestIdProps = { value: string; onChange(next: string): void; onWrong(isWrong: boolean): void }

/** What is typed goes into the address once it may be the beginning of an id, and the typing pauses. */
function RequestIdInput({ value, onChange, onWrong }: RequestIdProps) {
  const text = useWords(words)
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  if (known !== value) {
    setKnown(value)
    if (cleaned(typed) !== value) setTyped(value)
  }
  const isWrong = !/^[0-9a-f-]{0,36}$/.test(cleaned(typed))
  useEffect(() => onWrong(isWrong), [isWrong, onWrong])
  useEffect(() => {
    const next = cleaned(typed)
    if (isWrong || next === value) return
    const timer = setTimeout(onChange, typingMs, next)
    return () => clearTimeout(timer)
  }, [typed, isWrong, value, onChange])
  return (
    <TextInput
      label={text.requestId}
      placeholder={text.requestIdHint}
      value={typed}
      error={isWrong ? text.requestIdFault : undefined}
      onChange={(event) => setTyped(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
    />
  )
}

function cleaned(typed: string): string {
  return typed.trim().toLowerCase()
}
