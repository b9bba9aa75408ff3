import { countRequest, newRateWindow, type RateVerdict } from './rate-window.ts'

/** Visitors counted in one minute; any further one is refused until the next. */
const mostVisitors = 100_000

/** Counts for one visitor, by their address, at `nowMs` (milliseconds) against `limit` in the UTC minute. */
export type VisitorRate = (address: string, limit: number, nowMs: number) => RateVerdict

export function visitorRate(most = mostVisitors): VisitorRate {
  const window = newRateWindow<string>()
  return (address, limit, nowMs) => {
    const isFull = window.counts.size >= most && Math.floor(nowMs / 60_000) <= window.minute
    if (isFull && !window.counts.has(address)) {
      return { allowed: false, remaining: 0, resetSeconds: 60 - (Math.floor(nowMs / 1_000) % 60) }
    }
    return countRequest(window, address, limit, nowMs)
  }
}
