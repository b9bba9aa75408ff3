// Endpoints, and what waits to be told to them. Both engines read these statements alike; each names the account.
import { createHmac, hkdfSync } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  type EndpointSettings,
  mostEndpoints,
  type Notice,
  type NoticeKind,
  noticeKinds,
  type Watcher,
  watcherOf,
} from '../core/events.ts'
import { formatInstant, type Seconds } from '../core/instant.ts'
import type { Schedule } from '../core/mechanism/settings.ts'
import { beforeEmails } from '../core/visitor.ts'
import { type ActOn, type Actor, addAuditEntry, addCount } from './audit.ts'
import { ChangedMeanwhile, Refused } from './errors.ts'
import type { Campaign } from './model.ts'
import { refCipher } from './ref.ts'
import { boundTo, type Row, type Runner, type Sql, type Value } from './sql.ts'

export type PauseCause = 'user' | 'gone' | 'failing' | 'deleted'

export type Endpoint = {
  id: number
  accountId: number
  settings: EndpointSettings
  /** Of its secret. */
  generation: number
  /** Secrets before it, the newest first: until then each signs too. */
  oldSecrets: { generation: number; until: Seconds }[]
  createdAt: Seconds
  /** What was due before is not told. */
  fromAt: Seconds
  pausedAt: Seconds | null
  pauseCause: PauseCause | null
} & Health

/** How the endpoint's server does: since when it has not answered with 2xx, and how many tries in a row failed. */
export type Health = { failingSince: Seconds | null; failures: number; nextTryAt: Seconds | null }

/** What waits, and what failed; of one endpoint both are in the order of `key`. */
const queues = ['notices', 'failed_deliveries'] as const
const key = 'due_at, lead_id, kind, detail'

/** What became of a delivery so far. */
type Tried = {
  /** How often it failed. */
  tries: number
  /** How often of that because the server refused it. */
  refused: number
  /** Somebody wants it again, also where it is no longer true. */
  isAskedFor: boolean
}

/** A notice whose turn it is, and where it stands. `lastAt` is null until it was tried or asked for. */
export type Due = Notice & Tried & { queue: (typeof queues)[number]; lastAt: Seconds | null }

/** A delivery that failed. Without a next time it is given up. */
export type Failed = Notice & Tried & { nextAt: Seconds | null; lastAt: Seconds }

export type Settled = { done: readonly Due[]; failed: readonly Failed[]; looks: readonly Notice[] }

/**
 * Why the leads of a campaign are gone through. Positions are stored: add new ones at the end. `resumed` are the leads
 * that were there when the endpoint was paused.
 */
const sweepCauses = ['looks', 'edit', 'backfill', 'resumed'] as const
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

/** How an engine goes about it. */
export type EventsOptions = {
  /** The installation's own. */
  key: Uint8Array
  /** Seconds by the database's clock, in SQL, where several nodes share it; null where one process serves it. */
  sharedClock: string | null
  /** Rows of one statement. */
  rowsAtOnce: number
}

/** Each call rejects with StoreUnavailable where the database does not answer. */
export type Events = ReturnType<typeof eventsOn>

/** After so many failed tries in a row the endpoint's server is left alone for a while. */
export const failuresToStop = 5
/** One that is tried less often was down where it took nothing for so long. */
const downSeconds = 60
const leaseSeconds = 30
export const keptSeconds = 30 * 86_400
/** What waits is counted up to here. */
const mostCounted = 10_001
export const purgedAtOnce = 1_000
export const resentAtOnce = 5_000
const mostSchedules = 20
/** In place of `begunAt`: the campaign is a draft, and its leads are compared once it is published again. */
const heldBack = -1
const mostOldSecrets = 10

export function eventsOn(runner: Runner, options: EventsOptions) {
  const { read, write, writeUnflushed } = runner
  return {
    ...boundTo(read, { listEndpoints, findEndpoint, waiting, accountsWithEndpoints, deletedEndpoints }),
    ...boundTo(write, { createEndpoint, changeEndpoint, pauseEndpoint, resumeEndpoint, rotateSecret, startBackfill }),
    ...boundTo(write, { resend, resendFailed, discardBefore, discardFailed }),
    ...boundTo(writeUnflushed, { purge, purgeOld, setHealth }),
    ...leasesOn(runner, options),
    ...queueOn(runner, options),
    ...namesBy(options.key),
  }
}

/** Endpoints are served by one node at a time. `holder` names a node. Without an account's id, those of all accounts. */
function leasesOn({ read, writeUnflushed }: Runner, { sharedClock }: EventsOptions) {
  const mine = sharedClock === null ? "CAST(? AS text) <> ''" : 'lease_holder = ?'
  const andOf = (accountId: number | undefined) => (accountId === undefined ? '' : 'AND e.account_id = ?')
  const only = (accountId: number | undefined) => (accountId === undefined ? [] : [accountId])
  return {
    /** Takes the endpoints that no living node has, and keeps those of `holder`, for 30 seconds. */
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
    /**
     * The endpoints of `holder` for which something is due, and whose servers may be tried until `triedUntil`. One that
     * goes on from where it stopped waits until its leads are gone through, or what it is told meanwhile came again.
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
    /** Sweeps for endpoints of `holder` that are on. */
    async sweeps(holder: string, accountId?: number): Promise<Sweep[]> {
      const sql = `SELECT e.*, campaign_id, cause, begun_at, schedules_before, after_email, restarts FROM sweeps AS s
        JOIN endpoints AS e ON e.account_id = s.account_id AND e.id = s.endpoint_id
        WHERE ${mine} AND paused_at IS NULL AND begun_at <> ${heldBack} ${andOf(accountId)}
        ORDER BY cause = ${sweepCauses.indexOf('backfill')}, cause, campaign_id LIMIT 100`
      return (await read(({ all }) => all(sql, holder, ...only(accountId)))).map(toSweep)
    },
  }
}

/** A look is a second late. By the earlier of two clocks, where there are two. Values: now, twice. */
function dueBy(sharedClock: string | null): string {
  return `due_at <= ? AND (kind > 0 OR due_at < ?) ${sharedClock === null ? '' : `AND due_at <= ${sharedClock}`}`
}

function queueOn({ read, writeUnflushed }: Runner, { sharedClock, rowsAtOnce }: EventsOptions) {
  return {
    /** In the order in which they are to be told: what failed before, which leaves half of the room to notices. */
    async due({ accountId, id }: Endpoint, now: Seconds, limit: number): Promise<Due[]> {
      const failed = `SELECT ${key}, tries, refused, last_at FROM failed_deliveries
        WHERE account_id = ? AND endpoint_id = ? AND next_at <= ? ORDER BY next_at LIMIT ?`
      const notices = `SELECT ${key}, 0 AS tries, 0 AS refused, NULL AS last_at FROM notices
        WHERE account_id = ? AND endpoint_id = ? AND ${dueBy(sharedClock)} ORDER BY ${key} LIMIT ?`
      const [again, first] = await read(async ({ all }) => [
        await all(failed, accountId, id, now, limit),
        await all(notices, accountId, id, now, now, limit),
      ])
      const mostAgain = Math.max(Math.ceil(limit / 2), limit - first.length)
      return [
        ...again.slice(0, mostAgain).map((row) => toDue(id, 'failed_deliveries', row)),
        ...first.map((row) => toDue(id, 'notices', row)),
      ].slice(0, limit)
    },
    /** Takes off what is done, puts back what failed, and writes what is to come, as one step. */
    settle: (endpoint: Endpoint, { done, failed, looks }: Settled) =>
      writeUnflushed(async (sql) => {
        const { accountId } = endpoint
        for (const table of queues) {
          const own = done.filter(({ queue }) => queue === table)
          for (const part of parts(own)) await takeOff(sql, endpoint, table, part.map(keyOf))
        }
        if (failed.length + looks.length === 0) return
        // Deleted while a request was under way, it leaves nothing behind.
        if ((await findEndpoint(sql, accountId, endpoint.id)) === undefined) return
        // It may have been due twice: by itself, and because somebody asked for it again.
        const once = [...new Map(failed.map((one) => [keyOf(one).join(), one])).values()]
        for (const part of parts(once)) await putFailed(sql, accountId, part)
        for (const part of parts(looks)) await insertNotices(sql, accountId, part)
      }),
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
        for (const part of parts(notices)) await insertNotices(sql, endpoint.accountId, part)
      }),
  }

  function parts<Item>(items: readonly Item[]): Item[][] {
    const count = Math.ceil(items.length / rowsAtOnce)
    return Array.from({ length: count }, (_, part) => items.slice(part * rowsAtOnce, (part + 1) * rowsAtOnce))
  }
}

/** What is made of the installation's key, and stored nowhere. */
function namesBy(key: Uint8Array) {
  const refs = refCipher(key)
  return {
    /** The secrets that sign now, the newest first, as the customer has them. */
    secretsOf({ accountId, id, generation, oldSecrets }: Endpoint, now: Seconds): string[] {
      const old = oldSecrets.filter(({ until }) => now < until).map((one) => one.generation)
      return [generation, ...old].map((one) => secretOf(key, `${accountId} ${id} ${one}`))
    },
    /** An erased lead's name in links. */
    refOf: (accountId: number, leadId: number, salt: number) => refs.write({ accountId, leadId, salt }),
    /** Whatever is told again has the same id. 32 hexadecimal digits behind `evt_`. */
    eventId(accountId: number, leadId: number, kind: string, at: Seconds, detail: number): string {
      const text = `event ${accountId} ${leadId} ${kind} ${at} ${detail}`
      return `evt_${createHmac('sha256', key).update(text).digest('hex').slice(0, 32)}`
    },
  }
}

/** Standard Webhooks: `whsec_` and base64. It is stored nowhere. */
function secretOf(key: Uint8Array, name: string): string {
  const secret = hkdfSync('sha256', key, '', `webhook ${name}`, 32)
  return `whsec_${Buffer.from(secret).toString('base64')}`
}

const notDeleted = "(pause_cause IS NULL OR pause_cause <> 'deleted')"

/** Endpoints that notices are written for: those that are on, or whose server fails. */
export async function watchersOf(
  sql: Sql,
  accountId: number,
  campaignId: number,
  which = "(paused_at IS NULL OR pause_cause = 'failing')",
): Promise<Watcher[]> {
  const rows = await sql.all(`SELECT id, settings FROM endpoints WHERE account_id = ? AND ${which}`, accountId)
  return rows
    .map((row) => watcherOf(row.id, JSON.parse(row.settings), campaignId))
    .filter((watcher) => watcher !== undefined)
}

const noticeColumns = '(account_id, endpoint_id, due_at, lead_id, kind, detail)'

/** What stands there already stays. Values of each row: `noticeValues`. */
export function insertNoticesSql(rows: number): string {
  return `INSERT INTO notices ${noticeColumns} VALUES ${Array(rows).fill('(?, ?, ?, ?, ?, ?)').join(', ')}
    ON CONFLICT DO NOTHING`
}

export function noticeValues(accountId: number, { endpointId, dueAt, leadId, kind, detail }: Notice): number[] {
  return [accountId, endpointId, dueAt, leadId, noticeKinds.indexOf(kind), detail]
}

export async function insertNotices(sql: Sql, accountId: number, notices: readonly Notice[]): Promise<void> {
  if (notices.length === 0) return
  await sql.run(insertNoticesSql(notices.length), ...notices.flatMap((notice) => noticeValues(accountId, notice)))
}

/** Tells that leads are erased, in the transaction that does it. Their refs can be made of id and salt alone. */
export async function noteErased(
  sql: Sql,
  { accountId, id: campaignId }: Pick<Campaign, 'accountId' | 'id'>,
  email: string,
  now: Seconds,
): Promise<void> {
  // A sweep that stands at this email, or is about to, goes on from the lead before it, so that nothing of the address
  // stays behind.
  const of = [accountId, campaignId]
  const name = [...of, email]
  await sql.run('UPDATE sweeps SET restarts = restarts + 1 WHERE account_id = ? AND campaign_id = ?', ...of)
  await sql.run(
    `UPDATE sweeps SET after_email = coalesce((SELECT max(email) FROM leads
        WHERE account_id = ? AND campaign_id = ? AND email > ? AND email < ?), '')
      WHERE account_id = ? AND campaign_id = ? AND after_email = ?`,
    ...[...of, beforeEmails, email, ...name],
  )
  // One that is paused hears of it too once it goes on: a backfill tells of nobody who is gone.
  const all = await watchersOf(sql, accountId, campaignId, notDeleted)
  const watchers = all.filter(({ kinds }) => kinds.includes('lead.erased'))
  if (watchers.length === 0) return
  const lead = 'SELECT id, salt FROM leads WHERE account_id = ? AND campaign_id = ? AND email = ?'
  const row = await sql.get(lead, ...name)
  if (row === undefined) return
  await noteTo(sql, accountId, watchers, { dueAt: now, leadId: row.id, kind: 'lead.erased', detail: row.salt })
}

/** Tells of an order, in the transaction that writes it. */
export async function noteConverted(sql: Sql, campaign: Campaign, leadId: number, conversionId: number, now: Seconds) {
  const kind = 'lead.converted'
  const watchers = campaign.isDraft ? [] : campaign.watchers.filter(({ kinds }) => kinds.includes(kind))
  await noteTo(sql, campaign.accountId, watchers, { dueAt: now, leadId, kind, detail: conversionId })
}

async function noteTo(sql: Sql, accountId: number, watchers: readonly Watcher[], notice: Omit<Notice, 'endpointId'>) {
  const notices = watchers.map(({ endpointId }) => ({ ...notice, endpointId }))
  await insertNotices(sql, accountId, notices)
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

/**
 * One that is under way begins again, and still tells what has become true since it was started first. Some leads then
 * know of the first edit and some do not, so that all are compared with both schedules before. `before` is the schedule,
 * or the pause, as JSON.
 */
async function startSweep(
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

/** Their ids. */
async function accountsWithEndpoints(sql: Sql): Promise<number[]> {
  return (await sql.all('SELECT DISTINCT account_id FROM endpoints')).map((row) => row.account_id)
}

/** Ascending id. */
async function listEndpoints(sql: Sql, accountId: number): Promise<Endpoint[]> {
  const rows = await sql.all(`SELECT * FROM endpoints WHERE account_id = ? AND ${notDeleted} ORDER BY id`, accountId)
  return rows.map(toEndpoint)
}

async function findEndpoint(sql: Sql, accountId: number, id: number): Promise<Endpoint | undefined> {
  const row = await sql.get(`SELECT * FROM endpoints WHERE account_id = ? AND id = ? AND ${notDeleted}`, accountId, id)
  return row && toEndpoint(row)
}

/** What is due and still to be told, counted to 10,001, and since when the oldest of those that were counted has been. */
async function waiting(
  sql: Sql,
  { accountId, id }: Endpoint,
  now: Seconds,
): Promise<{ waiting: number; oldestDueAt: Seconds | null }> {
  const counted = (table: string, isWaiting: string, at: string) =>
    `SELECT * FROM (SELECT due_at FROM ${table} WHERE account_id = ? AND endpoint_id = ? AND ${isWaiting}
      ORDER BY ${at} LIMIT ${mostCounted}) AS ${table}`
  // A server that refuses everything may leave a million of them: to count them all would stop all requests meanwhile.
  const row = await sql.get(
    `SELECT count(*) AS waiting, min(due_at) AS oldest FROM (${counted('notices', 'due_at <= ?', 'due_at')}
      UNION ALL ${counted('failed_deliveries', 'next_at IS NOT NULL', 'next_at')}) AS w`,
    ...[accountId, id, now, accountId, id],
  )
  return { waiting: Math.min(row?.waiting, mostCounted), oldestDueAt: row?.oldest }
}

/** @throws Refused where the account has as many as it may */
async function createEndpoint(sql: Sql, accountId: number, settings: EndpointSettings, by: Actor): Promise<Endpoint> {
  await sql.bumpVersion(accountId)
  if ((await listEndpoints(sql, accountId)).length >= mostEndpoints) {
    throw new Refused(`an account has at most ${mostEndpoints} endpoints; delete one first`)
  }
  const row = await sql.get(
    'INSERT INTO endpoints (account_id, settings, created_at) VALUES (?, ?, ?) RETURNING *',
    ...[accountId, JSON.stringify(settings), by.at],
  )
  const endpoint = toEndpoint(row as Row)
  await sweepAll(sql, endpoint, 'looks', by.at)
  await log(sql, by, endpoint, 'created', null, logged(settings))
  return endpoint
}

/** Whom an endpoint tells is not for the log: of its address it has the host alone, since the rest may be a secret. */
const logged = (settings: EndpointSettings) => ({ ...settings, url: new URL(settings.url).host })

async function log(
  sql: Sql,
  by: Actor,
  { accountId, id, settings: { name } }: Endpoint,
  done: ActOn<'webhook'>,
  before: object | null,
  after: object | null,
): Promise<void> {
  const subject = { kind: 'webhook', id, name } as const
  await addAuditEntry(sql, by, { accountId, action: `webhook.${done}`, subject, before, after })
}

/** Undefined where it has gone. @throws ChangedMeanwhile where its settings are not those that were read */
async function changeEndpoint(
  sql: Sql,
  { accountId, id, settings: read }: Endpoint,
  settings: EndpointSettings,
  by: Actor,
): Promise<Endpoint | undefined> {
  await sql.bumpVersion(accountId)
  const before = await findEndpoint(sql, accountId, id)
  if (before === undefined) return undefined
  if (!isDeepStrictEqual(before.settings, read)) throw new ChangedMeanwhile()
  // How the server of the address before did says nothing of this one.
  if (before.settings.url !== settings.url)
    await setHealth(sql, before, { failingSince: null, failures: 0, nextTryAt: null })
  const next = 'UPDATE endpoints SET settings = ? WHERE account_id = ? AND id = ?'
  await sql.run(next, JSON.stringify(settings), accountId, id)
  const endpoint = (await findEndpoint(sql, accountId, id)) as Endpoint
  const wanted = ({ kinds, campaignIds, leadTimes }: EndpointSettings) =>
    JSON.stringify([kinds, campaignIds, leadTimes])
  if (wanted(before.settings) !== wanted(settings)) await sweepAll(sql, endpoint, 'looks', by.at)
  if (!isDeepStrictEqual(before.settings, settings)) {
    const [old, next] = [logged(before.settings), logged(settings)]
    const isOtherPath = before.settings.url !== settings.url && old.url === next.url
    await log(sql, by, endpoint, 'changed', old, { ...next, ...(isOtherPath && { isOtherPath }) })
  }
  return endpoint
}

async function sweepAll(
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

/** Nothing is written for it from now on, but where its server fails. One that is deleted is removed bit by bit. */
async function pauseEndpoint(
  sql: Sql,
  { accountId, id }: Pick<Endpoint, 'accountId' | 'id'>,
  cause: PauseCause,
  by: Actor,
): Promise<void> {
  await sql.bumpVersion(accountId)
  const before = await findEndpoint(sql, accountId, id)
  if (before === undefined) return
  // Nothing has been written for it since the first pause: that is where it goes on from.
  await sql.run(
    `UPDATE endpoints SET paused_at = CASE WHEN pause_cause IN ('user', 'gone') THEN paused_at ELSE ? END,
      pause_cause = ? WHERE account_id = ? AND id = ?`,
    ...[by.at, cause, accountId, id],
  )
  if (cause === 'deleted') await log(sql, by, before, 'deleted', logged(before.settings), null)
  else if (before.pauseCause !== cause) await log(sql, by, before, 'paused', onOrWhy(before), { paused: cause })
}

const onOrWhy = ({ pauseCause }: Endpoint) => ({ paused: pauseCause ?? false })

/** Goes on where it stood, or from `fromAt`. */
async function resumeEndpoint(sql: Sql, { accountId, id }: Endpoint, fromAt: Seconds | null, by: Actor): Promise<void> {
  await sql.bumpVersion(accountId)
  const endpoint = await findEndpoint(sql, accountId, id)
  if (endpoint === undefined) return
  await sql.run(
    `UPDATE endpoints SET paused_at = NULL, pause_cause = NULL, failing_since = NULL, failures = 0, next_try_at = NULL,
      lease_ends_at = CASE WHEN paused_at IS NULL THEN lease_ends_at END, from_at = coalesce(?, from_at)
      WHERE account_id = ? AND id = ?`,
    ...[fromAt, accountId, id],
  )
  await hurry(sql, accountId, id)
  // Meanwhile nothing was written for it, of new leads either: these are a backfill away.
  const later = `UPDATE sweeps SET begun_at = ? WHERE account_id = ? AND endpoint_id = ? AND begun_at <> ${heldBack}
    AND cause <> ${sweepCauses.indexOf('resumed')}`
  if (endpoint.pausedAt !== null && endpoint.pauseCause !== 'failing') await sql.run(later, by.at, accountId, id)
  await sweepAll(sql, endpoint, 'looks', by.at)
  if (endpoint.pausedAt !== null && fromAt === null) {
    const pause = JSON.stringify({ from: endpoint.pausedAt, until: by.at })
    await sweepAll(sql, endpoint, 'resumed', endpoint.pausedAt, pause)
  }
  const goesOnFrom = fromAt === null ? 'where it stopped' : formatInstant(fromAt)
  await log(sql, by, endpoint, 'resumed', onOrWhy(endpoint), { paused: false, goesOnFrom })
}

/** What failed before that is removed by `discardFailed`. */
async function discardBefore(sql: Sql, endpoint: Endpoint, fromAt: Seconds, by: Actor): Promise<void> {
  const { accountId, id } = endpoint
  await sql.bumpVersion(accountId)
  // What it was to hear nothing of before stays untold.
  const later = 'UPDATE endpoints SET from_at = ? WHERE account_id = ? AND id = ? AND from_at < ?'
  await sql.run(later, fromAt, accountId, id, fromAt)
  await log(sql, by, endpoint, 'discarded', null, { dueBefore: formatInstant(fromAt) })
}

/**
 * Some of it at a time, until it resolves with 0. It may have been tried since, and would count as asked for again.
 * Erasures are told all the same.
 */
function discardFailed(sql: Sql, { accountId, id }: Endpoint, fromAt: Seconds): Promise<number> {
  // By the index of `next_at`: what was given up, which may be much more, is not gone over.
  const waiting = `next_at >= 0 AND kind <> ${noticeKinds.indexOf('lead.erased')} AND due_at < ? ORDER BY next_at`
  return removeSome(sql, 'failed_deliveries', accountId, id, waiting, fromAt)
}

/** The secret until now signs too until `oldUntil`, those before it until their own; with null none of them. */
async function rotateSecret(
  sql: Sql,
  { accountId, id }: Endpoint,
  oldUntil: Seconds | null,
  by: Actor,
): Promise<Endpoint | undefined> {
  await sql.bumpVersion(accountId)
  const before = await findEndpoint(sql, accountId, id)
  if (before === undefined) return undefined
  const { generation, oldSecrets } = before
  const old = oldUntil === null ? [] : [{ generation, until: oldUntil }, ...oldSecrets].slice(0, mostOldSecrets)
  const next = 'UPDATE endpoints SET generation = ?, old_secrets = ? WHERE account_id = ? AND id = ?'
  await sql.run(next, generation + 1, JSON.stringify(old), accountId, id)
  const oldWorksUntil = oldUntil === null ? null : formatInstant(oldUntil)
  await log(sql, by, before, 'secret_rotated', null, { oldWorksUntil })
  return findEndpoint(sql, accountId, id)
}

async function startBackfill(sql: Sql, endpoint: Endpoint, campaignId: number, by: Actor): Promise<void> {
  const { accountId, id } = endpoint
  await sql.bumpVersion(accountId)
  await startSweep(sql, [accountId, id, campaignId], 'backfill', by.at)
  await log(sql, by, endpoint, 'backfilled', null, { campaignId })
}

/** Of the address that the endpoint had when it was read. Where it takes something again, what it failed is due. */
async function setHealth(
  sql: Sql,
  { accountId, id, settings, failures, failingSince }: Endpoint,
  health: Health,
): Promise<void> {
  const changed = await sql.run(
    `UPDATE endpoints SET failing_since = ?, failures = ?, next_try_at = ?
      WHERE account_id = ? AND id = ? AND settings = ?`,
    ...[health.failingSince, health.failures, health.nextTryAt, accountId, id, JSON.stringify(settings)],
  )
  if (changed === 0 || health.failures > 0 || failures === 0) return
  // One that fails now and then is not asked for all of it each time, nor for what it could not take while it was well.
  await hurry(sql, accountId, id, (failingSince ?? 0) + (failures < failuresToStop ? downSeconds : 0))
}

/** What a server could not answer, since then too, is due; what it refused waits for its own time. */
async function hurry(sql: Sql, accountId: number, id: number, failedSince: Seconds = 0): Promise<void> {
  await sql.run(
    `UPDATE failed_deliveries SET next_at = last_at
      WHERE account_id = ? AND endpoint_id = ? AND next_at > last_at AND refused = 0 AND last_at >= ?`,
    ...[accountId, id, failedSince],
  )
}

/** Tells it again at once. */
async function resend(sql: Sql, endpoint: Endpoint, notice: Notice, by: Actor): Promise<void> {
  const askedFor = { ...notice, tries: 0, refused: 0, isAskedFor: true, nextAt: by.at, lastAt: by.at }
  await putFailed(sql, endpoint.accountId, [askedFor])
  await log(sql, by, endpoint, 'resent', null, { count: 1 })
}

/**
 * The same for what was given up since then, as far as it may still be told; at most `resentAtOnce`, since a million
 * would stop everything else meanwhile. Resolves with how many.
 */
async function resendFailed(sql: Sql, endpoint: Endpoint, since: Seconds, by: Actor): Promise<number> {
  const { accountId, id, settings } = endpoint
  const of = 'account_id = ? AND endpoint_id = ?'
  const own = [accountId, id]
  // 0, which none has: a list has one item at least.
  const heard = settings.campaignIds && [0, ...settings.campaignIds]
  const published = `SELECT id FROM campaigns WHERE account_id = ? AND is_draft = 0
    ${heard === null ? '' : `AND id IN (${heard.map(() => '?').join(', ')})`}`
  const campaign = `CASE WHEN lead_id < 0 THEN -lead_id ELSE
    (SELECT campaign_id FROM leads AS l WHERE l.account_id = ? AND l.id = f.lead_id) END`
  const count = await sql.run(
    `UPDATE failed_deliveries SET tries = ${storedTries(0, true)}, refused = 0, next_at = ?, last_at = ?
      WHERE ${of} AND (${key}) IN (SELECT ${key} FROM failed_deliveries AS f
        WHERE ${of} AND next_at IS NULL AND last_at >= ?
          AND (kind = ${noticeKinds.indexOf('lead.erased')} OR ${campaign} IN (${published})) LIMIT ${resentAtOnce})`,
    ...[by.at, by.at, ...own, ...own, since, accountId, accountId, ...(heard ?? [])],
  )
  const subject = { kind: 'webhook', id, name: settings.name } as const
  const after = { count, failedSince: formatInstant(since) }
  if (count > 0) await addCount(sql, by, { accountId, action: 'webhook.resent', subject, before: null, after })
  return count
}

/** Below 0 of what somebody has asked for: -1 is not tried yet, -2 once. */
const storedTries = (tries: number, isAskedFor: boolean): number => (isAskedFor ? -1 - tries : tries)

async function putFailed(sql: Sql, accountId: number, failed: readonly Failed[]): Promise<void> {
  const rows = failed.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')
  const values = failed.flatMap((one): Value[] => [
    ...[accountId, one.endpointId, ...keyOf(one)],
    ...[storedTries(one.tries, one.isAskedFor), one.refused, one.nextAt, one.lastAt],
  ])
  await sql.run(
    `INSERT INTO failed_deliveries
      (account_id, endpoint_id, ${key}, tries, refused, next_at, last_at) VALUES ${rows}
      ON CONFLICT (account_id, endpoint_id, ${key}) DO UPDATE SET
        tries = excluded.tries, refused = excluded.refused, next_at = excluded.next_at, last_at = excluded.last_at`,
    ...values,
  )
}

const keyOf = ({ dueAt, leadId, kind, detail }: Notice) => [dueAt, leadId, noticeKinds.indexOf(kind), detail]

async function takeOff(sql: Sql, { accountId, id }: Endpoint, table: Due['queue'], rows: readonly number[][]) {
  const row = '(?, ?, ?, ?)'
  // SQLite has no list of rows, and gets one at a time.
  const among = rows.length === 1 ? `= ${row}` : `IN (${rows.map(() => row).join(', ')})`
  const sqlText = `DELETE FROM ${table} WHERE account_id = ? AND endpoint_id = ? AND (${key}) ${among}`
  await sql.run(sqlText, accountId, id, ...rows.flat())
}

async function deletedEndpoints(sql: Sql): Promise<Endpoint[]> {
  return (await sql.all("SELECT * FROM endpoints WHERE pause_cause = 'deleted'")).map(toEndpoint)
}

/** Removes a part of what an endpoint leaves, and at last itself; true once nothing is left. */
async function purge(sql: Sql, { accountId, id }: Pick<Endpoint, 'accountId' | 'id'>): Promise<boolean> {
  for (const table of queues) if ((await removeSome(sql, table, accountId, id)) > 0) return false
  await sql.run('DELETE FROM sweeps WHERE account_id = ? AND endpoint_id = ?', accountId, id)
  await sql.run('DELETE FROM endpoints WHERE account_id = ? AND id = ?', accountId, id)
  return true
}

/** Resolves with how many. */
function removeSome(
  sql: Sql,
  table: Due['queue'],
  accountId: number,
  id: number,
  condition = '0 = ?',
  value: Seconds = 0,
): Promise<number> {
  const of = 'account_id = ? AND endpoint_id = ?'
  const some = `SELECT ${key} FROM ${table} WHERE ${of} AND ${condition} LIMIT ${purgedAtOnce}`
  const ids = [accountId, id]
  return sql.run(`DELETE FROM ${table} WHERE ${of} AND (${key}) IN (${some})`, ...ids, ...ids, value)
}

/**
 * What nobody waits for after 30 days, some of it at a time: deliveries that were given up, and all that an endpoint
 * which is paused was not told. Resolves with how many were never tried.
 */
async function purgeOld(sql: Sql, now: Seconds): Promise<number> {
  const before = now - keptSeconds
  let dropped = 0
  for (const { account_id, id, paused_at } of await sql.all('SELECT account_id, id, paused_at FROM endpoints')) {
    const isGivenUp = paused_at === null ? 'next_at IS NULL AND last_at < ?' : 'last_at < ?'
    await removeSome(sql, 'failed_deliveries', account_id, id, isGivenUp, before)
    if (paused_at !== null) dropped += await removeSome(sql, 'notices', account_id, id, 'due_at < ?', before)
  }
  return dropped
}

function toEndpoint(row: Row): Endpoint {
  return {
    id: row.id,
    accountId: row.account_id,
    settings: JSON.parse(row.settings),
    generation: row.generation,
    oldSecrets: JSON.parse(row.old_secrets),
    createdAt: row.created_at,
    fromAt: row.from_at,
    pausedAt: row.paused_at,
    pauseCause: row.pause_cause,
    failingSince: row.failing_since,
    failures: row.failures,
    nextTryAt: row.next_try_at,
  }
}

function toDue(endpointId: number, queue: Due['queue'], row: Row): Due {
  const isAskedFor = row.tries < 0
  return {
    endpointId,
    queue,
    dueAt: row.due_at,
    leadId: row.lead_id,
    kind: noticeKinds[row.kind] as NoticeKind,
    detail: row.detail,
    tries: isAskedFor ? -1 - row.tries : row.tries,
    refused: row.refused,
    isAskedFor,
    lastAt: row.last_at,
  }
}

function toSweep(row: Row): Sweep {
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
