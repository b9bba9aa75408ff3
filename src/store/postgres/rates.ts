// Requests are counted by the clock of the database, which all nodes share.
import { createHmac } from 'node:crypto'
import type { RateVerdict } from '../../core/rate-window.ts'
import type { Rates } from '../store.ts'
import { batcher } from './batcher.ts'
import type { Prepared } from './connection.ts'
import { onAdminPool, type Pools } from './pools.ts'

/** Requests of one statement at most. */
const batchSize = 1_000
/** How often the counts of visitors whose minute is over are removed. */
const forgetEveryMs = 60_000

/** Whole seconds of the database's clock, as they were when the transaction began: Citus writes with no other. */
export const clock = 'CAST(floor(extract(epoch FROM now())) AS bigint)'
/** As in core/rate-window.ts: a clock that steps back by up to a minute keeps the later minute, and its count. */
const minute = `CASE WHEN excluded.minute > r.minute OR excluded.minute < r.minute - 1
  THEN excluded.minute ELSE r.minute END`
const usedBefore = 'CASE WHEN excluded.minute > r.minute THEN 0 ELSE r.used END'
const granted = `greatest(0, least($2, $3 - ${usedBefore}))`

/** Counts $2 requests of account $1, of which $3 a minute pass. */
const countRequests: Prepared = {
  name: 'count_requests',
  text: `
    INSERT INTO request_rates AS r (account_id, minute, used, granted, counted_at)
      VALUES ($1, ${clock} / 60, least($2::bigint, $3::bigint), least($2, $3), ${clock})
      ON CONFLICT (account_id) DO UPDATE SET
        minute = ${minute},
        used = ${usedBefore} + ${granted},
        granted = ${granted},
        counted_at = excluded.counted_at
      RETURNING used, granted, greatest(1, (minute + 1) * 60 - counted_at)`,
}

const forgetVisitors = `DELETE FROM request_rates WHERE account_id < 0 AND minute < ${clock} / 60 - 2`

/** A request of an account, or of what `numberOf` names. */
type Asked = { who: number; limit: number }
const whoOf = ({ who }: Asked) => who

export function ratesOn(pools: Pools, refKey: Uint8Array): Rates {
  const { quick, timeoutMs } = pools
  let forgottenAt = Number.NEGATIVE_INFINITY

  /**
   * Removes old counts of visitors, after any request: if only requests of visitors did it, the last one's count would
   * stay until another came. No request waits for it.
   */
  function forget(): void {
    if (performance.now() - forgottenAt < forgetEveryMs) return
    forgottenAt = performance.now()
    onAdminPool(pools, (connection) => connection.query(forgetVisitors, [])).catch(() => {})
  }

  const ask = batcher<Asked, RateVerdict>(batchSize, whoOf, async (who, asked, leftMs) => {
    const limits = asked.map(({ limit }) => limit)
    // If the limit has just changed, the newest one holds for all of them.
    const values = [who, limits.length, limits.at(-1) as number]
    const [row] = await quick.use(leftMs, (connection) =>
      connection.rows<[used: number, granted: number, resetSeconds: number]>(countRequests, values),
    )
    return verdicts(limits, row as [number, number, number])
  })
  const count = (who: number, limit: number, waitedMs = 0) => {
    forget()
    return ask({ who, limit }, performance.now() + timeoutMs - waitedMs)
  }

  return {
    count: (accountId, limit, _nowMs, waitedMs) => count(accountId, limit, waitedMs),
    countEvents: (accountId, limit, _nowMs, waitedMs) =>
      count(numberOf(refKey, `events of ${accountId}`), limit, waitedMs),
    countVisitor: (address, limit) => count(numberOf(refKey, address), limit),
  }
}

/** Of the requests that were counted together, the first ones pass, as many as were granted. */
function verdicts(limits: number[], [used, granted, resetSeconds]: [number, number, number]): RateVerdict[] {
  return limits.map((limit, index) => {
    const allowed = index < granted
    const usedByThen = allowed ? used - granted + index + 1 : used
    return { allowed, remaining: Math.max(0, limit - usedByThen), resetSeconds }
  })
}

/** Below zero, where no account's id is. It is next to impossible that two names share one of 2^52 numbers. */
function numberOf(key: Uint8Array, name: string): number {
  const digest = createHmac('sha256', key).update(name).digest()
  return -1 - (digest.readUIntBE(0, 6) * 16 + (digest.readUInt8(6) >> 4))
}
