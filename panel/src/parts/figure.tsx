import { Paper, Text } from '@mantine/core'
import { useLanguage, useWords } from '../language.ts'
import { words } from './words.ts'

type Props = {
  name: string
  /** A number, or words such as “at least 5”. */
  value: number | string
  /** The same number of the time before: says how it has changed. */
  before?: number
  note?: string
}

/** One number with its name, in a `dl`. */
export function Figure({ name, value, before, note }: Props) {
  const language = useLanguage()
  const shown = typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : value
  return (
    <Paper withBorder p="md">
      <Text component="dt" size="sm">
        {name}
      </Text>
      <Text component="dd" m={0} fz={shown.length > 8 ? 20 : 28} fw={700} style={{ overflowWrap: 'anywhere' }}>
        {shown}
      </Text>
      {typeof value === 'number' && before !== undefined && (
        <Text component="dd" m={0} size="xs" c="dimmed">
          <Trend now={value} before={before} />
        </Text>
      )}
      {note !== undefined && (
        <Text component="dd" m={0} size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Paper>
  )
}

/** How a number has changed since the time before. */
export function Trend({ now, before }: { now: number; before: number }) {
  const text = useWords(words)
  const language = useLanguage()
  const was = new Intl.NumberFormat(language).format(before)
  if (before === 0) return text.trendNone
  if (now === before) return text.trendSame(was)
  const arrow = now > before ? '▲' : '▼'
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'always' })
  return `${arrow} ${percent.format(now / before - 1)} ${text.trendBefore(was)}`
}
