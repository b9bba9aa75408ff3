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

export type Tick = { at: number; unit: 'day' | 'minute' | 'second' }

/** At most so many round times between two instants, where clocks are `aheadMs` ahead of UTC. All in milliseconds. */
export function ticksOf(fromMs: number, toMs: number, atMost: number, aheadMs: number): Tick[] {
  const step = steps.find((each) => (toMs - fromMs) / each <= Math.max(1, atMost)) ?? (steps.at(-1) as number)
  const first = Math.ceil((fromMs + aheadMs) / step) * step - aheadMs
  const ticks: Tick[] = []
  for (let at = first; at < toMs; at += step) {
    const isMidnight = (at + aheadMs) % dayMs === 0
    ticks.push({ at, unit: isMidnight || step >= dayMs ? 'day' : step < minuteMs ? 'second' : 'minute' })
  }
  return ticks
}
