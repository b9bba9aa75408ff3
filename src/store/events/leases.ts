// One node at a time serves an endpoint: which node has which endpoints, and what there is to do for them.
import type { Seconds } from '../../core/instant.ts'
import type { Runner } from '../sql.ts'
import { type Endpoint, notDeleted, toEndpoint } from './endpoint.ts'
import { dueBy } from './queue.ts'
import { heldBack, type Sweep, sweepCauses, toSweep } from './sweeps.ts'

/** Together with the time until another node looks, a node that has died is replaced within 30 seconds. */
const leaseSeconds = 22

/** `holder` names a node. Without an account id, calls are about the endpoints of all accounts. */
export function leasesOn({ read, writeUnflushed }: Runner, sharedClock: string | null) {
  // On SQLite all endpoints are this process's: there `holder` is a value like any other, and says nothing.
  const mine = sharedClock === null ? "CAST(? AS text) <> ''" : 'lease_holder = ?'
  const andOf = (accountId: number | undefined) => (accountId === undefined ? '' : 'AND e.account_id = ?')
  const only = (accountId: number | undefined) => (accountId === undefined ? [] : [accountId])
  return {
    /** Takes the endpoints that no living node has, and keeps those of `holder`, for 22 seconds. */
    async lease(holder: string, accountId?: number): Promise<void> {
      if (sharedClock === null) return
      await writeUnflushed((sql) =>
        sql.run(
          `UPDATE endpoints AS e SET lease_holder = ?, lease_ends_at = ${sharedClock} + ${leaseSeconds}
            WHERE paused_at IS NULL AND (lease_holder = ? OR lease_ends_at IS NULL OR lease_ends_at < ${sharedClock})
              ${andOf(accountId)}`,
          ...[holder, holder, ...only(accountId)],
        ),
      )
    },
    /** Lets other nodes have them at once. */
    async release(holder: string, accountId?: number): Promise<void> {
      const ended = `UPDATE endpoints AS e SET lease_ends_at = NULL WHERE lease_holder = ? ${andOf(accountId)}`
      if (sharedClock !== null) await writeUnflushed((sql) => sql.run(ended, holder, ...only(accountId)))
    },
    /** The endpoint as it is now; undefined where it has gone, or another node has it. */
    async findLeased(holder: string, accountId: number, id: number): Promise<Endpoint | undefined> {
      const sql = `SELECT * FROM endpoints WHERE ${mine} AND account_id = ? AND id = ? AND ${notDeleted}`
      const row = await read(({ get }) => get(sql, holder, accountId, id))
      return row && toEndpoint(row)
    },
    /**
     * The endpoints of `holder` for which something is due, and whose servers may be tried until `triedUntil`. An
     * endpoint that goes on from where it stopped waits until its leads are gone through: otherwise it would be told
     * some things twice.
     */
    async dueEndpoints(holder: string, now: Seconds, accountId?: number, triedUntil = now): Promise<Endpoint[]> {
      const id = accountId === undefined ? 'e.account_id' : '?'
      const of = (table: string) => `SELECT 1 FROM ${table} AS n WHERE n.account_id = ${id} AND endpoint_id = e.id`
      const sql = `SELECT * FROM endpoints AS e WHERE ${mine} AND paused_at IS NULL AND coalesce(next_try_at, 0) <= ?
        AND (EXISTS (${of('notices')} AND ${dueBy(sharedClock)})
          OR EXISTS (${of('failed_deliveries')} AND next_at <= ?))
        AND NOT EXISTS (${of('sweeps')} AND cause = ${sweepCauses.indexOf('resumed')}) ${andOf(accountId)}`
      const own = only(accountId)
      const values = [holder, triedUntil, ...own, now, now, ...own, now, ...own, ...own]
      return (await read(({ all }) => all(sql, ...values))).map(toEndpoint)
    },
    /**
     * Sweeps for endpoints of `holder` that are on. Endpoints take turns, so that one with many sweeps holds up no
     * other.
     */
    async sweeps(holder: string, accountId?: number): Promise<Sweep[]> {
      const isBackfill = `cause = ${sweepCauses.indexOf('backfill')}`
      const place = `row_number() OVER (PARTITION BY e.account_id, e.id ORDER BY ${isBackfill}, cause, campaign_id)`
      const sql = `SELECT e.*, campaign_id, cause, begun_at, schedules_before, after_email, restarts FROM sweeps AS s
        JOIN endpoints AS e ON e.account_id = s.account_id AND e.id = s.endpoint_id
        WHERE ${mine} AND paused_at IS NULL AND begun_at <> ${heldBack} ${andOf(accountId)}
        ORDER BY ${isBackfill}, ${place}, random() LIMIT 100`
      return (await read(({ all }) => all(sql, holder, ...only(accountId)))).map(toSweep)
    },
  }
}
