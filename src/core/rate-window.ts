/**
 * Requests counted per account in the fixed UTC minute (specification, part 8), or per visitor. All share one
 * minute, so the whole state is that minute and a count for each account seen in it.
 */
type RateWindow<Who = number> = { minute: number; counts: Map<Who, number> }

export type RateVerdict = {
  allowed: boolean
  /** Requests left in this minute. */
  remaining: number
  /** Seconds until the minute ends, 1 or more. */
  resetSeconds: number
}

export function newRateWindow<Who = number>(): RateWindow<Who> {
  return { minute: 0, counts: new Map() }
}

/** Counts one request of `who` at `nowMs` (milliseconds) against `limit` requests a minute. */
export function countRequest<Who>(window: RateWindow<Who>, who: Who, limit: number, nowMs: number): RateVerdict {
  const minute = Math.floor(nowMs / 60_000)
  if (minute > window.minute) {
    window.minute = minute
    window.counts = new Map()
  } else if (minute < window.minute - 1) {
    // The clock was set back by more than a minute. Moving the window along with its counts gives nobody a
    // refill and locks nobody out for longer than the minute that now runs. A smaller step keeps the later
    // minute until the clock has caught up with it.
    window.minute = minute
  }
  const used = window.counts.get(who) ?? 0
  const allowed = used < limit
  if (allowed) window.counts.set(who, used + 1)
  return {
    allowed,
    remaining: allowed ? limit - used - 1 : 0,
    resetSeconds: Math.max(1, (window.minute + 1) * 60 - Math.floor(nowMs / 1000)),
  }
}

/** Visitors counted in one minute; any further one is refused until the next. */
const mostVisitors = 100_000

/** Counts for one visitor, by their address, at `nowMs` (milliseconds) against `limit` in the UTC minute. */
type VisitorRate = (address: string, limit: number, nowMs: number) => RateVerdict

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

/** Rates of accounts and of visitors, for a database that one process serves. */
export function ratesInProcess() {
  const window = newRateWindow()
  const events = newRateWindow()
  const visitors = visitorRate()
  return {
    count: async (accountId: number, limit: number, nowMs: number) => countRequest(window, accountId, limit, nowMs),
    countEvents: async (accountId: number, limit: number, nowMs: number) =>
      countRequest(events, accountId, limit, nowMs),
    countVisitor: async (address: string, limit: number, nowMs: number) => visitors(address, limit, nowMs),
  }
}
