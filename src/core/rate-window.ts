export type RateVerdict = {
  allowed: boolean
  /** Requests left in this minute. */
  remaining: number
  /** Seconds until the minute ends, 1 or more. */
  resetSeconds: number
}

/** Counts one request of `who` at `nowMs` (milliseconds) against `limit` requests a minute. */
type CountRequest<Who> = (who: Who, limit: number, nowMs: number) => RateVerdict

/**
 * Requests counted per account in the fixed UTC minute (specification, part 8), or per visitor. All share one minute,
 * so the whole state is that minute and a count for each account seen in it. At most `mostCounted` are counted; any
 * further one is refused until the next minute.
 */
export function rateWindow<Who = number>(mostCounted = Number.POSITIVE_INFINITY): CountRequest<Who> {
  let windowMinute = 0
  let counts = new Map<Who, number>()
  return (who, limit, nowMs) => {
    const minute = Math.floor(nowMs / 60_000)
    if (minute > windowMinute) {
      windowMinute = minute
      counts = new Map()
    } else if (minute < windowMinute - 1) {
      // The clock was set back by more than a minute. Moving the window along with its counts gives nobody a
      // refill and locks nobody out for longer than the minute that now runs. A smaller step keeps the later
      // minute until the clock has caught up with it.
      windowMinute = minute
    }
    const used = counts.get(who) ?? 0
    const allowed = used < limit && (used > 0 || counts.size < mostCounted)
    if (allowed) counts.set(who, used + 1)
    return {
      allowed,
      remaining: allowed ? limit - used - 1 : 0,
      resetSeconds: Math.max(1, (windowMinute + 1) * 60 - Math.floor(nowMs / 1000)),
    }
  }
}

/** Visitors, by their address. */
export const visitorRate = (most = 100_000): CountRequest<string> => rateWindow(most)

/** Rates of accounts and of visitors, for a database that one process serves. */
export function ratesInProcess() {
  const [account, events, visitors] = [rateWindow(), rateWindow(), visitorRate()]
  return {
    count: async (accountId: number, limit: number, nowMs: number) => account(accountId, limit, nowMs),
    countEvents: async (accountId: number, limit: number, nowMs: number) => events(accountId, limit, nowMs),
    countVisitor: async (address: string, limit: number, nowMs: number) => visitors(address, limit, nowMs),
  }
}
