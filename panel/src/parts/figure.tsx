import { Paper, Text } from '@mantine/core'
import { useLanguage, useWords } from '../language.ts'
import { changeText } from './percent.ts'
import { words } from './words.ts'

type Props = {
  name: string
  /** A number, or words such as “at least 5”. */
  value: number | string
  /** The same number of the time before: says how it has changed. */
  before?: number
  note?: string
}

/** For a `SimpleGrid` of figures: as many beside each other as have room, which are fewer in large text. */
export const besideEachOther = {
  minColWidth: 'min(100%, 8.5rem)',
  autoFlow: 'auto-fit',
  spacing: { base: 'xs', sm: 'md' },
} as const

/** One number with its name, in a `dl`. */
export function Figure({ name, value, before, note }: Props) {
  const language = useLanguage()
  const shown = typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : value
  return (
    <Paper withBorder p="md">
      <Text component="dt" size="sm">
        {name}
      </Text>
      <Text component="dd" m={0} fz={fontSize(shown)} fw={700} style={{ overflowWrap: 'anywhere' }}>
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

/** On a phone the largest sum stays in one line; several stand below each other. */
function fontSize(shown: string) {
  const longest = Math.max(...shown.split(/, | /).map((part) => part.length))
  if (longest > 9) return { base: longest > 12 ? 13 : 16, sm: 20 }
  return shown.length > 8 ? 20 : 28
}

/** How a number has changed since the time before. */
export function Trend({ now, before }: { now: number; before: number }) {
  const text = useWords(words)
  const language = useLanguage()
  const was = new Intl.NumberFormat(language).format(before)
  if (before === 0) return text.trendNone
  if (now === before) return text.trendSame(was)
  const arrow = now > before ? '▲' : '▼'
  return `${arrow} ${changeText(now, before, language)} ${text.trendBefore(was)}`
}
