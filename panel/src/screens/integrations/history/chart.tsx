import { useElementSize } from '@mantine/hooks'
import { useWords } from '../../../language.ts'
import { Plot } from '../../../parts/day-lines/plot.tsx'
import { useMoments } from './moments.ts'
import { ticksOf } from './ticks.ts'
import type { Bar, Counts } from './use-history.ts'
import type { Span } from './wanted.ts'
import { words } from './words.ts'

export const sorts = ['succeeded', 'refused', 'failed'] as const
type Sort = (typeof sorts)[number]

/** Their colours and dashes. */
export const looks: Record<Sort, number> = { succeeded: 1, refused: 2, failed: 4 }

const labelWidth = 76

type ChartProps = Counts & { onZoom(span: Required<Span>): void }

/** Requests by class of status over time; dragging across it zooms in. The buttons beside it do so by keyboard. */
export function Chart({ fromMs, toMs, barSeconds, bars, onZoom }: ChartProps) {
  const text = useWords(words)
  const moments = useMoments()
  const { ref, width } = useElementSize()
  const barMs = barSeconds * 1_000
  const firstMs = Math.floor(fromMs / barMs) * barMs
  const count = Math.max(1, Math.ceil((toMs - firstMs) / barMs))
  const aheadAt = (at: number) => (moments.offsetAt(at / 1_000) ?? 0) * 1_000
  const found = new Map(bars.map((bar) => [bar.at * 1_000, bar]))
  const steps = Array.from({ length: count }, (_, index) => {
    const at = firstMs + index * barMs
    const { succeeded = 0, refused = 0, failed = 0 } = found.get(at) ?? {}
    return { date: new Date(at).toISOString(), succeeded, refused, failed }
  })
  const ticks = ticksOf(firstMs, firstMs + (count - 1) * barMs, width / labelWidth, aheadAt).map(({ at, unit }) => ({
    x: (at - firstMs) / barMs,
    label: moments[unit](at),
  }))
  const totals = sorts.map((sort) => {
    const sum = bars.reduce((total, bar) => total + bar[sort], 0)
    return `${text.sorts[sort]}: ${moments.number(sum)}.`
  })
  const long = (date: string) => [0, barMs].map((more) => moments.dayAndMinute(Date.parse(date) + more)).join(' – ')
  return (
    <div ref={ref}>
      <Plot
        label={text.summary(moments.dayAndMinute(fromMs), moments.dayAndMinute(toMs), totals.join(' '))}
        lines={sorts.map((name) => ({ name, label: text.sorts[name], look: looks[name] }))}
        days={steps}
        saying={{ ticks, long }}
        onZoom={(from, to) => onZoom({ from: Date.parse(from), to: Date.parse(to) + barMs })}
      />
      <div className="history-pointed" aria-hidden>
        {text.chartHint}
      </div>
    </div>
  )
}

export function totalOf({ succeeded, refused, failed }: Bar): number {
  return succeeded + refused + failed
}
