import { Box, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useWords } from '../../../language.ts'
import { Swatch } from '../../../parts/day-lines/day-lines.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Rows } from '../../../parts/rows.tsx'
import { Chart, looks, sorts, totalOf } from './chart.tsx'
import { useMoments } from './moments.ts'
import { type Bar, type Counts, useCounts } from './use-history.ts'
import { type Choices, dayMs, type Span, type Wanted } from './wanted.ts'
import { words } from './words.ts'

type OverviewProps = { wanted: Wanted; choices: Choices; setSpan(span: Span): void }

/** The chart, what its colours mean and how many there are, and the ways to zoom. */
export function Overview({ wanted, choices, setSpan }: OverviewProps) {
  const text = useWords(words)
  const query = useCounts(wanted)
  const [isTable, setTable] = useState(false)
  const counts = query.data
  if (query.isError) return <Failure of={query} />
  /** Up to now goes on with what comes. */
  const zoom = ({ from, to = Infinity }: Span) =>
    setSpan({ ...(from !== undefined && { from }), ...(to < Date.now() - choices.aheadMs && { to }) })
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Legend bars={counts?.bars ?? []} />
        <Box mih={280}>{counts !== undefined && <Chart {...counts} onZoom={zoom} />}</Box>
        {/* As many lines as the buttons take: where they come, nothing moves. */}
        {counts === undefined && <Box className="zooming" />}
        {counts !== undefined && (
          <Group gap="xs" className="zooming">
            <Zooming shown={counts} choices={choices} span={wanted.span} setSpan={setSpan} />
            <Button size="compact-sm" variant="default" aria-expanded={isTable} onClick={() => setTable(!isTable)}>
              {isTable ? text.hideTable : text.asTable}
            </Button>
          </Group>
        )}
        {isTable && counts !== undefined && <BarTable shown={counts} setSpan={zoom} />}
      </Stack>
    </Paper>
  )
}

function Legend({ bars }: { bars: readonly Bar[] }) {
  const text = useWords(words)
  const { number } = useMoments()
  return (
    <Group gap="md" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {sorts.map((sort) => (
        <Group key={sort} gap={6} component="li">
          <Swatch look={looks[sort]} />
          <Text size="sm">
            {text.sorts[sort]} <b>{number(bars.reduce((sum, bar) => sum + bar[sort], 0))}</b>
          </Text>
        </Group>
      ))}
    </Group>
  )
}

type ZoomingProps = { shown: Counts; choices: Choices; span: Span; setSpan(span: Span): void }

/** What dragging does, by buttons. */
function Zooming({ shown, choices: { days, aheadMs }, span, setSpan }: ZoomingProps) {
  const { fromMs, toMs } = shown
  const text = useWords(words)
  const isWhole = span.from === undefined && span.to === undefined
  const go = (from: number, to: number) => {
    const now = Date.now() - aheadMs
    const isAll = from <= now - days * dayMs && to >= now
    setSpan(isAll ? {} : { from: wholeSecond(from), ...(to < now && { to: wholeSecond(to) }) })
  }
  const half = (toMs - fromMs) / 2
  const closer = busiestHalf(shown)
  const button = { size: 'compact-sm', variant: 'default' } as const
  return (
    <>
      <Button {...button} onClick={() => go(fromMs - half, toMs - half)}>
        ← {text.earlier}
      </Button>
      <Button {...button} onClick={() => go(fromMs + half, toMs + half)} disabled={span.to === undefined}>
        {text.later} →
      </Button>
      <Button {...button} onClick={() => go(closer.from, closer.to)} disabled={half < 5_000}>
        {text.zoomIn}
      </Button>
      <Button {...button} onClick={() => go(fromMs - half, toMs + half)} disabled={isWhole}>
        {text.zoomOut}
      </Button>
      <Button {...button} onClick={() => setSpan({})} disabled={isWhole}>
        {text.wholeTime}
      </Button>
    </>
  )
}

/** The half of the time with the most requests, and they in its middle; where there are none, the middle. */
function busiestHalf({ fromMs, toMs, barSeconds, bars }: Counts): Required<Span> {
  const half = (toMs - fromMs) / 2
  const lastFrom = (first: Bar) => first.at + Math.max(0, half / 1_000 - barSeconds)
  const groups = bars.map((first) => bars.filter(({ at }) => at >= first.at && at <= lastFrom(first)))
  const sizeOf = (group: Bar[]) => group.reduce((sum, bar) => sum + totalOf(bar), 0)
  const best = groups.reduce((most, group) => (sizeOf(group) > sizeOf(most) ? group : most), [])
  const first = best.at(0)?.at ?? fromMs / 1_000
  const last = best.at(-1)?.at ?? toMs / 1_000 - barSeconds
  const middle = ((first + last + barSeconds) / 2) * 1_000
  const from = Math.min(toMs - half, Math.max(fromMs, middle - half / 2))
  return { from, to: from + half }
}

function wholeSecond(milliseconds: number): number {
  return Math.round(milliseconds / 1_000) * 1_000
}

type BarTableProps = { shown: Counts; setSpan(span: Span): void }

/** The bars that are not empty, to be read out and zoomed to by keyboard. */
function BarTable({ shown: { barSeconds, bars }, setSpan }: BarTableProps) {
  const text = useWords(words)
  const moments = useMoments()
  if (bars.length === 0) return <Empty text={text.emptyBars} />
  const numbers = sorts.map((sort) => text.sorts[sort])
  return (
    <Rows label={text.tableOf} columns={[text.time(moments.zone), ...numbers, text.zoom]} numbers={numbers}>
      {bars.toReversed().map((bar) => {
        const when = moments.dayAndSecond(bar.at * 1_000)
        const span = { from: bar.at * 1_000, to: (bar.at + barSeconds) * 1_000 }
        return (
          <tr key={bar.at}>
            <td data-label={text.time(moments.zone)}>{when}</td>
            {sorts.map((sort) => (
              <td key={sort} className="number" data-label={text.sorts[sort]}>
                {moments.number(bar[sort])}
              </td>
            ))}
            <td>
              <Button size="compact-sm" variant="default" aria-label={text.zoomTo(when)} onClick={() => setSpan(span)}>
                {text.zoom}
              </Button>
            </td>
          </tr>
        )
      })}
    </Rows>
  )
}
