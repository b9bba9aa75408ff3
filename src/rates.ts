import { countRequest, newRateWindow, type RateVerdict } from './core/rate-window.ts'

type Count<Verdict> = (accountId: number, limit: number, nowMs: number) => Verdict

/**
 * Counts one request of the account at `nowMs` (milliseconds) against `limit` requests a minute. Where the
 * count is kept in this process the verdict is there at once; elsewhere it comes with a promise.
 */
export type Rates =
  | { inProcess: true; count: Count<RateVerdict> }
  | { inProcess: false; count: Count<Promise<RateVerdict>> }

/** For one server on its database; counting begins anew when the process restarts. */
export function ratesInProcess(): Rates {
  const window = newRateWindow()
  return {
    inProcess: true,
    count: (accountId, limit, nowMs) => countRequest(window, accountId, limit, nowMs),
  }
}
