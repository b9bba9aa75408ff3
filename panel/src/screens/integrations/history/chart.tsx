import { useElementSize } from '@mantine/hooks'
import { type PointerEvent, useState } from 'react'
import { useWords } from '../../../language.ts'
import { useMoments } from './moments.ts'
import { ticksOf } from './ticks.ts'
import type { Bar, Counts } from './use-history.ts'
import type { Span } from './wanted.ts'
import { words } from './words.ts'

export const sorts = ['succeeded', 'refused', 'failed'] as const
export type Sort = (typeof sorts)[number]

export const colours: Record<Sort, string> = {
  succeeded: 'var(--history-succeeded)',
  refused: 'var(--history-refused)',
  failed: 'var(--history-failed)',
}

const height = 200
const left = 44
const bottom = 24
const top = 8
const labelWidth = 68
const plotHeight = height - bottom - top
/** A shorter way of the pointer is a click. */
const leastDrag = 6

export type ChartProps = Counts & { onZoom(span: Required<Span>): void }

/** Requests by class of status over time; dragging across it zooms in. The buttons beside it do so by keyboard. */
export function Chart({ fromMs, toMs, barSeconds, bars, onZoom }: ChartProps) {
  const text = useWords(words)
  const moments = useMoments()
  const { ref, width } = useElementSize()
  const [drag, setDrag] = useState<{ start: number; end: number }>()
  const [pointed, setPointed] = useState<number>()
  const barMs = barSeconds * 1_000
  const firstMs = Math.floor(fromMs / barMs) * barMs
  const count = Math.max(1, Math.ceil((toMs - firstMs) / barMs))
  const plotWidth = Math.max(0, width - left)
  const step = plotWidth / count
  const aheadMs = (moments.offsetAt(firstMs / 1_000) ?? 0) * 1_000
  const most = niceCeiling(Math.max(1, ...bars.map(totalOf)))
  const indexAt = (x: number) => Math.min(count - 1, Math.max(0, Math.floor((x - left) / step)))
  const xOf = (event: PointerEvent<SVGSVGElement>) => event.clientX - event.currentTarget.getBoundingClientRect().left

  const begin = (event: PointerEvent<SVGSVGElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    setDrag({ start: xOf(event), end: xOf(event) })
  }
  const move = (event: PointerEvent<SVGSVGElement>) => {
    const x = xOf(event)
    setPointed(indexAt(x))
    if (drag !== undefined) setDrag({ ...drag, end: x })
  }
  const end = () => {
    if (drag !== undefined && Math.abs(drag.end - drag.start) >= leastDrag) {
      const [a, b] = [indexAt(Math.min(drag.start, drag.end)), indexAt(Math.max(drag.start, drag.end))]
      onZoom({ from: firstMs + a * barMs, to: firstMs + (b + 1) * barMs })
    }
    setDrag(undefined)
  }
  const totals = sorts.map((sort) => {
    const sum = bars.reduce((total, bar) => total + bar[sort], 0)
    return `${text.sorts[sort]}: ${moments.number(sum)}.`
  })
  const label = text.summary(moments.dayAndMinute(fromMs), moments.dayAndMinute(toMs), totals.join(' '))
  const pointedBar = bars.find(({ at }) => pointed !== undefined && at * 1_000 === firstMs + pointed * barMs)
  // A label in the middle of its tick would be cut off at either end.
  const anchorAt = (at: number) => {
    const x = ((at - firstMs) / barMs) * step
    if (x < labelWidth / 2) return 'start'
    return plotWidth - x < labelWidth / 2 ? 'end' : 'middle'
  }
  const yOf = (value: number) => top + plotHeight * (1 - value / most)
  return (
    <div ref={ref} style={{ position: 'relative' }}>
      <svg
        role="img"
        aria-label={label}
        className="history-chart"
        width={width}
        height={height}
        onPointerDown={begin}
        onPointerMove={move}
        onPointerUp={end}
        onPointerCancel={() => setDrag(undefined)}
        onPointerLeave={() => setPointed(undefined)}
      >
        {[0, most / 2, most].filter(Number.isInteger).map((value) => (
          <g key={value}>
            <line x1={left} x2={width} y1={yOf(value)} y2={yOf(value)} className="grid" />
            <text x={left - 8} y={yOf(value) + 4} textAnchor="end">
              {moments.number(value)}
            </text>
          </g>
        ))}
        {ticksOf(firstMs, firstMs + count * barMs, plotWidth / labelWidth, aheadMs).map(({ at, unit }) => (
          <text key={at} x={left + ((at - firstMs) / barMs) * step} y={height - 6} textAnchor={anchorAt(at)}>
            {moments[unit](at)}
          </text>
        ))}
        {bars.map((bar) => (
          <Column key={bar.at} of={bar} x={left + ((bar.at * 1_000 - firstMs) / barMs) * step} width={step} yOf={yOf} />
        ))}
        {drag !== undefined && (
          <rect
            className="drag"
            x={Math.max(left, Math.min(drag.start, drag.end))}
            y={top}
            width={Math.abs(drag.end - drag.start)}
            height={plotHeight}
          />
        )}
      </svg>
      <div className="history-pointed" aria-hidden>
        {pointed === undefined
          ? text.chartHint
          : `${moments.dayAndMinute(firstMs + pointed * barMs)} – ${moments.dayAndMinute(firstMs + (pointed + 1) * barMs)}: ${sorts
              .map((sort) => `${text.sorts[sort]} ${moments.number(pointedBar?.[sort] ?? 0)}`)
              .join(' · ')}`}
      </div>
    </div>
  )
}

type ColumnProps = { of: Bar; x: number; width: number; yOf(value: number): number }

function Column({ of, x, width, yOf }: ColumnProps) {
  let below = 0
  return sorts.map((sort) => {
    if (of[sort] === 0) return null
    const from = below
    below += of[sort]
    // A single refusal among thousands is still to be seen.
    const tall = Math.max(1.5, yOf(from) - yOf(below))
    return (
      <rect
        key={sort}
        className="bar"
        x={x + width * 0.08}
        y={yOf(from) - tall}
        width={Math.max(1, width * 0.84)}
        height={tall}
        fill={colours[sort]}
      />
    )
  })
}

export function totalOf({ succeeded, refused, failed }: Bar): number {
  return succeeded + refused + failed
}

/** A round number that is not less. */
function niceCeiling(most: number): number {
  if (most <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(most))
  return ([1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10].find((times) => times * power >= most) as number) * power
}
