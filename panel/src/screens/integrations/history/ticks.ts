// Where the hours and days stand below a chart.
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const steps = [
  ...[1_000, 2_000, 5_000, 10_000, 30_000],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 3, 4, 7, 14, 30, 91, 182, 365].map((days) => days * dayMs),
]

type Tick = { at: number; unit: 'day' | 'minute' | 'second' }

/**
 * At most so many round times between two instants. `aheadAt` is by how much clocks are ahead of UTC at an instant; all
 * in milliseconds.
 */
export function ticksOf(fromMs: number, toMs: number, atMost: number, aheadAt: (at: number) => number): Tick[] {
  const step = steps.find((each) => (toMs - fromMs) / each <= Math.max(1, atMost)) ?? (steps.at(-1) as number)
  const ticks: Tick[] = []
  for (let shown = Math.ceil((fromMs + aheadAt(fromMs)) / step) * step; ; shown += step) {
    const at = instantOf(shown, aheadAt)
    if (at >= toMs) return ticks
    const isMidnight = shown % dayMs === 0
    const unit = isMidnight || step >= dayMs ? 'day' : step < minuteMs ? 'second' : 'minute'
    // What is skipped where clocks go forward is the same instant as what comes after it.
    if (at >= fromMs && at !== ticks.at(-1)?.at) ticks.push({ at, unit })
  }
}

/** When clocks show this, as the rules of campaigns read a local time that is skipped, or occurs twice. */
function instantOf(shown: number, aheadAt: (at: number) => number): number {
  const [before, after] = [aheadAt(shown - dayMs), aheadAt(shown + dayMs)]
  const isAfter = aheadAt(shown - before) !== before && aheadAt(shown - after) === after
  return shown - (isAfter ? after : before)
}
