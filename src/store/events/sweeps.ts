// Leads of a campaign are gone through where what is to be told of them has changed: a stretch at a time, by email.
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
 * that were there when the endpoint was paused.
 */
export const sweepCauses = ['looks', 'edit', 'backfill', 'resumed'] as const

export type SweepCause = (typeof sweepCauses)[number]

export type Sweep = {
  endpoint: Endpoint
  campaignId: number
  cause: SweepCause
  /** What has become true since is told too. */
  begunAt: Seconds
  /** What the campaign decided by before the edit; several where it was edited again while this was under way. */
  schedulesBefore: Schedule[]
  /** Of `resumed`: of who came in one of these the endpoint knows from its end on. */
  pauses: { from: Seconds; until: Seconds }[]
  afterEmail: string
  restarts: number
}

const mostSchedules = 20

/** In place of `begunAt`: the campaign is a draft, and its leads are compared once it is published again. */
export const heldBack = -1

export function sweepsOn({ writeUnflushed }: Runner, rowsAtOnce: number) {
  return {
    /** Writes what a stretch of leads gave; `next` is the email to go on from, null at the end. */
    sweepOn: (sweep: Sweep, notices: readonly Notice[], next: string | null) =>
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
        for (const part of inParts(notices, rowsAtOnce)) await insertNotices(sql, endpoint.accountId, part)
      }),
  }
}

/** Has the leads gone through for everyone who watches the campaign, where a save concerns leads that are there. */
export async function sweepAfterSave(
  sql: Sql,
  before: Campaign | undefined,
  after: Campaign,
  now: Seconds,
): Promise<void> {
  if (before === undefined || before.isDraft) {
    if (after.isDraft) return
    await releaseSweeps(sql, after, now)
    return startSweeps(sql, after, 'looks', now)
  }
  const instants = ({ terms: { opensAt, deadlineAt, endsAt } }: Campaign) =>
    JSON.stringify([opensAt, deadlineAt, endsAt])
  if (!after.isDraft && instants(before) === instants(after)) return
  const { timeZone, mechanism } = before.terms
  await startSweeps(sql, after, 'edit', after.isDraft ? heldBack : now, JSON.stringify({ timeZone, mechanism }))
}

/** Those that were held back. Who is paused hears of no edit. */
async function releaseSweeps(sql: Sql, { accountId, id, watchers }: Campaign, now: Seconds): Promise<void> {
  const held = `account_id = ? AND campaign_id = ? AND begun_at = ${heldBack}`
  for (const { endpointId } of watchers)
    await sql.run(`UPDATE sweeps SET begun_at = ? WHERE ${held} AND endpoint_id = ?`, now, accountId, id, endpointId)
  await sql.run(`DELETE FROM sweeps WHERE ${held}`, accountId, id)
}

async function startSweeps(
  sql: Sql,
  { accountId, id, watchers }: Campaign,
  cause: SweepCause,
  now: Seconds,
  before?: string,
): Promise<void> {
  for (const { endpointId } of watchers) await startSweep(sql, [accountId, endpointId, id], cause, now, before)
}

export async function sweepAll(
  sql: Sql,
  { accountId, id, settings }: Endpoint,
  cause: SweepCause,
  now: Seconds,
  before?: string,
): Promise<void> {
  const campaigns = await sql.all('SELECT id FROM campaigns WHERE account_id = ? ORDER BY id', accountId)
  for (const campaign of campaigns) {
    const isWatched = watcherOf(id, settings, campaign.id) !== undefined
    if (isWatched) await startSweep(sql, [accountId, id, campaign.id], cause, now, before)
  }
}

/**
 * One that is under way begins again, and still tells what has become true since it was started first. Some leads then
 * know of the first edit and some do not, so that all are compared with both schedules before. `before` is the schedule,
 * or the pause, as JSON.
 */
export async function startSweep(
  sql: Sql,
  of: [accountId: number, endpointId: number, campaignId: number],
  cause: SweepCause,
  now: Seconds,
  before?: string,
): Promise<void> {
  const name = [...of, sweepCauses.indexOf(cause)]
  const where = 'WHERE account_id = ? AND endpoint_id = ? AND campaign_id = ? AND cause = ?'
  const own = before === undefined ? [] : [before]
  // A stretch that was read before is written no more.
  const restart = `UPDATE sweeps SET restarts = restarts + 1 ${where} RETURNING begun_at, schedules_before`
  const row = await sql.get(restart, ...name)
  if (row === undefined) {
    await sql.run(
      `INSERT INTO sweeps (account_id, endpoint_id, campaign_id, cause, begun_at, schedules_before)
        VALUES (?, ?, ?, ?, ?, ?)`,
      ...[...name, now, JSON.stringify(own)],
    )
    return
  }
  const all = [...new Set([...JSON.parse(row.schedules_before), ...own])].slice(-mostSchedules)
  const begunAt = now === heldBack ? heldBack : row.begun_at
  await sql.run(
    `UPDATE sweeps SET after_email = '', begun_at = ?, schedules_before = ? ${where}`,
    ...[begunAt, JSON.stringify(all), ...name],
  )
}

/**
 * A sweep that stands at this email, or is about to, goes on from the lead before it, so that nothing of the address
 * stays behind once it is erased.
 */
export async function goBackBefore(
  sql: Sql,
  { accountId, id }: Pick<Campaign, 'accountId' | 'id'>,
  email: string,
): Promise<void> {
  const of = [accountId, id]
  await sql.run('UPDATE sweeps SET restarts = restarts + 1 WHERE account_id = ? AND campaign_id = ?', ...of)
  await sql.run(
    `UPDATE sweeps SET after_email = coalesce((SELECT max(email) FROM leads
        WHERE account_id = ? AND campaign_id = ? AND email > ? AND email < ?), '')
      WHERE account_id = ? AND campaign_id = ? AND after_email = ?`,
    ...[...of, beforeEmails, email, ...of, email],
  )
}

export function toSweep(row: Row): Sweep {
  const before = JSON.parse(row.schedules_before).map((written: string) => JSON.parse(written))
  const isResumed = sweepCauses[row.cause] === 'resumed'
  return {
    endpoint: toEndpoint(row),
    campaignId: row.campaign_id,
    cause: sweepCauses[row.cause] as SweepCause,
    begunAt: row.begun_at,
    schedulesBefore: isResumed ? [] : before,
    pauses: isResumed ? before : [],
    afterEmail: row.after_email,
    restarts: row.restarts,
  }
}
