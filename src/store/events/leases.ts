// One node at a time serves an endpoint: which node has which endpoints, and what there is to do for them.
import type { Seconds } from '../../core/instant.ts'
import type { Row, Runner, Statement } from '../sql.ts'
import { type Endpoint, toEndpoint } from './endpoint.ts'
import { dueBy } from './queue.ts'
import { heldBack, type Sweep, sweepCauses, toSweep } from './sweeps.ts'

/** With the time until another node looks, it replaces a node that has died within 30 seconds. */
const leaseSeconds = 22

/** How long a change to the endpoints of all accounts waits for a row that somebody has locked. */
const lockMs = 500

/** `holder` names a node. Without an account id, calls are about the endpoints of all accounts. */
export function leasesOn({ read, writeUnflushed }: Runner, sharedClock: string | null) {
  // SQLite has one server, which serves all: `holder` is bound only so that the values are as many.
  const mine = sharedClock === null ? '? IS NOT NULL' : 'lease_holder = ?'
  const andOf = (accountId: number | undefined) => (accountId === undefined ? '' : 'AND e.account_id = ?')
  const only = (accountId: number | undefined) => (accountId === undefined ? [] : [accountId])
  const idsOf = (rows: Row[]): number[] => rows.map((row) => row.id)

  /**
   * Changes endpoints, and resolves with their ids. Of one account, those whose rows somebody has locked are left out.
   * Citus refuses that for all accounts: there such a row soon ends the call with PartlyUnavailable.
   */
  const change = ([set, ...changed]: Statement, [which, ...values]: Statement, accountId?: number): Promise<number[]> =>
    writeUnflushed(async ({ all, run }) => {
      const update = `UPDATE endpoints SET ${set} WHERE`
      if (accountId === undefined) {
        await run(`SET LOCAL lock_timeout = ${lockMs}`)
        return idsOf(await all(`${update} ${which} RETURNING id`, ...changed, ...values))
      }
      const some = `SELECT id FROM endpoints WHERE account_id = ? AND ${which} FOR UPDATE SKIP LOCKED`
      const own = `${update} account_id = ? AND id IN (${some}) RETURNING id`
      return idsOf(await all(own, ...changed, accountId, accountId, ...values))
    })

  return {
    /**
     * Takes the endpoints that no living node has, and keeps those of `holder`, for 22 seconds. Resolves with the ids of
     * those that it has now.
     */
    async lease(holder: string, accountId?: number): Promise<number[]> {
      if (sharedClock === null) return idsOf(await read(({ all }) => all('SELECT id FROM endpoints')))
      const set: Statement = [`lease_holder = ?, lease_ends_at = ${sharedClock} + ${leaseSeconds}`, holder]
      const isFree = `lease_ends_at IS NULL OR lease_ends_at < ${sharedClock}`
      return change(set, [`paused_at IS NULL AND (lease_holder = ? OR ${isFree})`, holder], accountId)
    },
    /** Lets other nodes have them at once. */
    async release(holder: string, accountId?: number): Promise<void> {
      if (sharedClock !== null) await change(['lease_ends_at = NULL'], ['lease_holder = ?', holder], accountId)
    },
    /** The endpoint as it is now, perhaps paused or deleted; undefined if another node has it, or its row is removed. */
    async findLeased(holder: string, accountId: number, id: number): Promise<Endpoint | undefined> {
      const sql = `SELECT * FROM endpoints WHERE ${mine} AND account_id = ? AND id = ?`
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
