// Sweeps: the leads of a campaign are gone through when what is to be told of them has changed, a stretch at a time, in
// the order of emails.
import { type Notice, watcherOf } from '../../core/events.ts'
import type { Seconds } from '../../core/instant.ts'
import type { Schedule } from '../../core/mechanism/settings.ts'
import { beforeEmails } from '../../core/visitor.ts'
import type { Campaign } from '../model.ts'
import { inParts, type Row, type Runner, type Sql } from '../sql.ts'
import { type Endpoint, toEndpoint } from './endpoint.ts'
import { insertNotices } from './queue.ts'

/**
 * Why the leads of a campaign are gone through. Positions are stored: add new ones at the end. `resumed` are the leads
 * of an endpoint that goes on after a pause.
 */
export const sweepCauses = ['looks', 'edit', 'backfill', 'resumed'] as const

type SweepCause = (typeof sweepCauses)[number]

/** The settings by which a campaign decided until an edit, or until it became a draft: that `isHeld`. */
export type Before = Schedule & { until: Seconds; isHeld?: true }

/** Seconds of the epoch. */
type Pause = { from: Seconds; until: Seconds }

export type Sweep = {
  endpoint: Endpoint
  campaignId: number
  cause: SweepCause
  /** What has become true since then is told too. */
  begunAt: Seconds
  /** What the campaign decided by before the edit; several if it was edited again while this was under way. */
  schedulesBefore: Before[]
  /** For `resumed`: of a lead that came in one of these pauses, the endpoint is told only what happened after it. */
  pauses: Pause[]
  afterEmail: string
  restarts: number
}

const mostSchedules = 20
/** Of one statement. */
const sweepsAtOnce = 100

/** In place of `begunAt`: the campaign is a draft, and its leads are compared once it is published again. */
export const heldBack = -1

export function sweepsOn({ writeUnflushed }: Runner) {
  return {
    /** Writes the notices of a stretch of leads. `next` is the email to go on from, null at the end. */
    writeStretch: (sweep: Sweep, notices: readonly Notice[], next: string | null) =>
      writeUnflushed(async (sql) => {
        const { endpoint, campaignId, cause, afterEmail } = sweep
        // It may have been started again meanwhile, or one of its leads may have been erased: it is read again then.
        const where = `WHERE account_id = ? AND endpoint_id = ? AND campaign_id = ? AND cause = ? AND after_email = ?
          AND restarts = ?`
        const of = [endpoint.accountId, endpoint.id, campaignId, sweepCauses.indexOf(cause), afterEmail, sweep.restarts]
        const written =
          next === null
            ? await sql.run(`DELETE FROM sweeps ${where}`, ...of)
            : await sql.run(`UPDATE sweeps SET after_email = ? ${where}`, next, ...of)
        if (written === 0) return
        await insertNotices(sql, endpoint.accountId, notices)
      }),
  }
}

/** Starts a sweep for every endpoint that watches the campaign, if a save concerns leads that are there. */
export async function startSweepsAfterSave(sql: Sql, before: Campaign | undefined, after: Campaign, now: Seconds) {
  const those = after.watchers.map(({ endpointId }) => ({ endpointId, campaignId: after.id }))
  if (before === undefined || before.isDraft) {
    if (after.isDraft) return
    await releaseSweeps(sql, after, now)
    return startSweeps(sql, after.accountId, those, 'looks', now)
  }
  const instants = ({ terms: { opensAt, deadlineAt, endsAt } }: Campaign) =>
    JSON.stringify([opensAt, deadlineAt, endsAt])
  if (!after.isDraft && instants(before) === instants(after)) return
  const { timeZone, mechanism } = before.terms
  const known: Before = { timeZone, mechanism, until: now, ...(after.isDraft && { isHeld: true }) }
  await startSweeps(sql, after.accountId, those, 'edit', after.isDraft ? heldBack : now, known)
}

/** Starts the sweeps that were held back. A paused endpoint is not told of the edit, so its sweep is dropped. */
async function releaseSweeps(sql: Sql, { accountId, id, watchers }: Campaign, now: Seconds): Promise<void> {
  const held = `account_id = ? AND campaign_id = ? AND begun_at = ${heldBack}`
  for (const { endpointId } of watchers)
    await sql.run(`UPDATE sweeps SET begun_at = ? WHERE ${held} AND endpoint_id = ?`, now, accountId, id, endpointId)
  await sql.run(`DELETE FROM sweeps WHERE ${held}`, accountId, id)
}

/** Starts a sweep of each campaign that the endpoint watches. */
export async function startSweepOfEach(sql: Sql, endpoint: Endpoint, cause: SweepCause, now: Seconds, pause?: Pause) {
  const { accountId, id, settings } = endpoint
  const campaigns = await sql.all('SELECT id FROM campaigns WHERE account_id = ? ORDER BY id', accountId)
  const watched = campaigns.filter((campaign) => watcherOf(id, settings, campaign.id) !== undefined)
  const those = watched.map((campaign) => ({ endpointId: id, campaignId: campaign.id }))
  await startSweeps(sql, accountId, those, cause, now, pause)
}

/**
 * A sweep that is under way begins again, and still tells what has become true since its first start. By then the
 * endpoint has been told of the first edit for some leads and not for others, so each lead is compared with all
 * schedules that it may know. One statement starts many: nobody can register meanwhile, and an account may have a
 * thousand campaigns. `before`: for `edit` the schedule until then, for `resumed` the pause.
 */
export async function startSweeps(
  sql: Sql,
  accountId: number,
  those: readonly { endpointId: number; campaignId: number }[],
  cause: SweepCause,
  now: Seconds,
  before?: Before | Pause,
): Promise<void> {
  const added = before === undefined ? [] : [before]
  const start = [sweepCauses.indexOf(cause), now, JSON.stringify(added)]
  for (const part of inParts(those, sweepsAtOnce)) {
    // `restarts` keeps a stretch that was read before from being written.
    const rows = await sql.all(
      `INSERT INTO sweeps (account_id, endpoint_id, campaign_id, cause, begun_at, schedules_before)
        VALUES ${part.map(() => '(?, ?, ?, ?, ?, ?)').join(', ')}
        ON CONFLICT (account_id, endpoint_id, campaign_id, cause)
          DO UPDATE SET restarts = sweeps.restarts + 1, after_email = '',
            begun_at = CASE WHEN excluded.begun_at = ${heldBack} THEN ${heldBack} ELSE sweeps.begun_at END
        RETURNING endpoint_id, campaign_id, cause, schedules_before`,
      ...part.flatMap(({ endpointId, campaignId }) => [accountId, endpointId, campaignId, ...start]),
    )
    const changes = rows.map(async ({ endpoint_id, campaign_id, cause, schedules_before: known }) => {
      const all = [...JSON.parse(known), ...added].map((one) => JSON.stringify(one))
      const kept = `[${[...new Set(all)].slice(-mostSchedules)}]`
      const change = `UPDATE sweeps SET schedules_before = ?
        WHERE account_id = ? AND endpoint_id = ? AND campaign_id = ? AND cause = ?`
      if (kept !== known) await sql.run(change, kept, accountId, endpoint_id, campaign_id, cause)
    })
    await Promise.all(changes)
  }
}

/**
 * A sweep that has reached this email, or is about to, goes on from the lead before it, so that nothing of the address
 * is left once it is erased.
 */
export async function goBackBefore(sql: Sql, campaign: Campaign, email: string): Promise<void> {
  const of = [campaign.accountId, campaign.id]
  await sql.run(
    `UPDATE sweeps SET restarts = restarts + 1, after_email = CASE WHEN after_email <> ? THEN after_email ELSE
        coalesce((SELECT max(email) FROM leads
          WHERE account_id = ? AND campaign_id = ? AND email > ? AND email < ?), '') END
      WHERE account_id = ? AND campaign_id = ?`,
    ...[email, ...of, beforeEmails, email, ...of],
  )
}

export function toSweep(row: Row): Sweep {
  const cause = sweepCauses[row.cause] as SweepCause
  // One column has the schedules of an edit, or the pauses of an endpoint that goes on.
  const before = JSON.parse(row.schedules_before)
  return {
    endpoint: toEndpoint(row),
    campaignId: row.campaign_id,
    cause,
    begunAt: row.begun_at,
    schedulesBefore: cause === 'resumed' ? [] : before,
    pauses: cause === 'resumed' ? before : [],
    afterEmail: row.after_email,
    restarts: row.restarts,
  }
}
