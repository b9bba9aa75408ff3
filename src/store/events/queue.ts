// What waits to be told to endpoints, and what failed. Both engines run the same statements.
import { mostCounted, type Notice, type NoticeKind, noticeKinds } from '../../core/events.ts'
import type { Seconds } from '../../core/instant.ts'
import { inParts, type Row, type Runner, type Sql, type Statement, type Value } from '../sql.ts'
import { type Endpoint, type EndpointOf, findEndpoint, setsWell, toEndpoint, updateEndpoint } from './endpoint.ts'

/** The tables of what waits and of what failed. In both, the rows of an endpoint are in the order of `key`. */
export const queues = ['notices', 'failed_deliveries'] as const

export const key = 'due_at, lead_id, kind, detail'

/** What became of a delivery so far. */
type Tried = {
  /** How often it failed. */
  tries: number
  /** How often of that because the server refused it. */
  refused: number
  /** Somebody asked for it again, even if it is no longer true. */
  isAskedFor: boolean
}

/** A notice whose turn it is, and how it went so far. `lastAt` is null until it was tried or asked for. */
export type Due = Notice & Tried & { queue: (typeof queues)[number]; lastAt: Seconds | null }

/**
 * A row of `failed_deliveries`: it failed `tries` times, and is due again at `nextAt`. Without tries it was not sent by
 * itself yet: held until its campaign is published if `nextAt` is later than `lastAt`; else due at once, since its batch
 * failed or somebody asked for it again. Given up has no `nextAt`.
 */
export type Failed = Notice & Tried & { nextAt: Seconds | null; lastAt: Seconds }

type Settled = { done: readonly Due[]; failed: readonly Failed[]; looks: readonly Notice[] }

export const keptSeconds = 30 * 86_400

/** The longest wait after a try that the server failed to answer. */
export const longestRestSeconds = 1_800

/**
 * In seconds. A row that waits for longer was written before the clock was set back, and would wait until the clock is
 * there again.
 */
const mostWait = {
  /** No instant lies ahead of now, but clocks of nodes differ. */
  ahead: 300,
  /** A server may ask for an hour. */
  endpoint: 3_900,
  /** One that was refused waits for a day. Others wait less, but to find them among a million takes too long. */
  delivery: 2 * 86_400,
}

export const purgedAtOnce = 1_000

/** What is told even if it was due before the point from which its endpoint goes on. */
const alwaysTold = (['registered before', 'lead.erased'] as const).map((kind) => noticeKinds.indexOf(kind)).join(', ')

/**
 * Whether a notice is due. A look (kind 0) waits until its second is over. If nodes share a clock, that one must agree.
 * Values: now, twice.
 */
export function dueBy(sharedClock: string | null): string {
  return `due_at <= ? AND (kind > 0 OR due_at < ?) ${sharedClock === null ? '' : `AND due_at <= ${sharedClock}`}`
}

export function queueOn({ read, writeUnflushed }: Runner, sharedClock: string | null) {
  return {
    /**
     * In the order in which they are to be told: first what failed before, which leaves half of the room to notices.
     */
    async due({ accountId, id }: Endpoint, now: Seconds, limit: number): Promise<Due[]> {
      const failed = `SELECT ${key}, tries, refused, is_asked_for, last_at FROM failed_deliveries
        WHERE account_id = ? AND endpoint_id = ? AND next_at <= ? ORDER BY next_at LIMIT ?`
      const notices = `SELECT ${key}, 0 AS tries, 0 AS refused, 0 AS is_asked_for, NULL AS last_at FROM notices
        WHERE account_id = ? AND endpoint_id = ? AND ${dueBy(sharedClock)} ORDER BY ${key} LIMIT ?`
      const [again, first] = await read(async ({ all }) => [
        await all(failed, accountId, id, now, limit),
        await all(notices, accountId, id, now, now, limit),
      ])
      // If there is room for only one, since the server is slow or has a limit, chance decides.
      const half = Math.floor(limit / 2 + Math.random())
      const mostAgain = Math.max(half, limit - first.length)
      return [
        ...again.slice(0, mostAgain).map((row) => toDue(id, 'failed_deliveries', row)),
        ...first.map((row) => toDue(id, 'notices', row)),
      ].slice(0, limit)
    },
    /** Removes what is done, puts back what failed, and writes what is to come, in one transaction. */
    settle: (endpoint: Endpoint, { done, failed, looks }: Settled) =>
      writeUnflushed(async (sql) => {
        const { accountId } = endpoint
        for (const table of queues) {
          const own = done.filter(({ queue }) => queue === table)
          // What somebody has asked for again since it was read stays, and is sent once more.
          const [columns, valuesOf] = table === 'notices' ? [key, keyOf] : [`${key}, last_at`, asRead]
          await changeRows(sql, endpoint, columns, own.map(valuesOf), [`DELETE FROM ${table}`])
        }
        if (failed.length + looks.length === 0) return
        // If the endpoint was deleted while a request was under way, nothing is put back.
        const current = await findEndpoint(sql, accountId, endpoint.id)
        if (current === undefined) return
        // If it has got another URL, what the server at the old one answered no longer counts.
        const isElsewhere = current.settings.url !== endpoint.settings.url
        const fromStart = (one: Failed) => ({ ...one, tries: 0, refused: 0, nextAt: one.lastAt })
        // It may have been due twice: by itself, and because somebody asked for it again.
        const once = [...new Map(failed.map((one) => [keyOf(one).join(), one])).values()]
        // A row that is there has been asked for meanwhile.
        await putFailed(sql, accountId, isElsewhere ? once.map(fromStart) : once, 'NOTHING')
        await insertNotices(sql, accountId, looks)
      }),
  }
}

/** Rows that are there already stay. Values of each row: `noticeValues`. */
export function insertNoticesSql(rows: number): string {
  return `INSERT INTO notices (account_id, endpoint_id, ${key}) VALUES ${Array(rows).fill('(?, ?, ?, ?, ?, ?)').join(', ')}
    ON CONFLICT DO NOTHING`
}

/** Asks for all before it waits, so that a COMMIT may be sent with it. */
export async function insertNotices(sql: Sql, accountId: number, notices: readonly Notice[]): Promise<void> {
  const insert = (part: Notice[]) =>
    sql.run(insertNoticesSql(part.length), ...part.flatMap((notice) => noticeValues(accountId, notice)))
  await Promise.all(inParts(notices, sql.rowsAtOnce).map(insert))
}

export const noticeValues = (accountId: number, one: Notice): number[] => [accountId, one.endpointId, ...keyOf(one)]

/**
 * What is due and still to be told, and since when the oldest of what was counted has been; and what was given up. Both
 * are counted to 10,001. Not waiting is what is held, and what is from before the endpoint goes on, which is dropped when
 * it is its turn.
 */
export async function waiting(
  sql: Sql,
  { accountId, id, fromAt }: Endpoint,
  now: Seconds,
): Promise<{ waiting: number; oldestDueAt: Seconds | null; givenUp: number }> {
  // A server that refuses everything may leave a million: counting all of them would stop all requests meanwhile.
  const first = (columns: string, table: Due['queue'], condition: string, order: string) =>
    `SELECT ${columns} FROM ${table} WHERE ${ofEndpoint} AND ${condition} ORDER BY ${order} LIMIT ${mostCounted}`
  const of = [accountId, id]
  const row = await sql.get(
    `WITH due AS (${first('due_at', 'notices', 'due_at BETWEEN ? AND ?', 'due_at')}),
      past AS (${first('due_at, kind', 'notices', 'due_at < ?', 'due_at')}),
      failed AS (${first('due_at, tries, next_at, last_at', 'failed_deliveries', 'next_at IS NOT NULL', 'next_at')}),
      given_up AS (${first('next_at', 'failed_deliveries', 'next_at IS NULL', 'next_at')}),
      waiting AS (SELECT due_at FROM due
        UNION ALL SELECT due_at FROM past WHERE kind IN (${alwaysTold})
        UNION ALL SELECT due_at FROM failed WHERE NOT (${isHeld}))
    SELECT count(*) AS waiting, min(due_at) AS oldest, (SELECT count(*) FROM given_up) AS given_up FROM waiting`,
    ...[...of, fromAt, now, ...of, fromAt, ...of, ...of],
  )
  return { waiting: Math.min(row?.waiting, mostCounted), oldestDueAt: row?.oldest, givenUp: row?.given_up }
}

/** For a row that is there already. */
const overwrite = `UPDATE SET tries = excluded.tries, refused = excluded.refused,
  is_asked_for = excluded.is_asked_for, next_at = excluded.next_at, last_at = excluded.last_at`

export async function putFailed(
  sql: Sql,
  accountId: number,
  failed: readonly Failed[],
  onConflict = overwrite,
): Promise<void> {
  const valuesOf = (one: Failed): Value[] => [
    ...noticeValues(accountId, one),
    ...[one.tries, one.refused, Number(one.isAskedFor), one.nextAt, one.lastAt],
  ]
  for (const part of inParts(failed, sql.rowsAtOnce))
    await sql.run(
      `INSERT INTO failed_deliveries (account_id, endpoint_id, ${key}, tries, refused, is_asked_for, next_at, last_at)
        VALUES ${part.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}
        ON CONFLICT (account_id, endpoint_id, ${key}) DO ${onConflict}`,
      ...part.flatMap(valuesOf),
    )
}

/** Of a failed delivery: held until its campaign is published. */
const isHeld = 'tries = 0 AND next_at > last_at'

const keyOf = ({ dueAt, leadId, kind, detail }: Notice) => [dueAt, leadId, noticeKinds.indexOf(kind), detail]

/** The same of a row that was read. */
export const keyIn = ({ due_at, lead_id, kind, detail }: Row): number[] => [due_at, lead_id, kind, detail]

const asRead = (due: Due) => [...keyOf(due), due.lastAt]

const ofEndpoint = 'account_id = ? AND endpoint_id = ?'

/** Runs `change` on the rows of an endpoint that have these values in these columns. */
export async function changeRows(
  sql: Sql,
  of: EndpointOf,
  columns: string,
  values: Value[][],
  [change, ...changed]: Statement,
) {
  for (const part of inParts(values, sql.rowsAtOnce)) {
    const rows = part.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ')
    // SQLite cannot compare with a list of rows, so it gets one row at a time.
    const among = `(${columns}) ${part.length === 1 ? `= ${rows}` : `IN (${rows})`}`
    await sql.run(`${change} WHERE ${ofEndpoint} AND ${among}`, ...changed, of.accountId, of.id, ...part.flat())
  }
}

type Some = { table: Due['queue']; condition: Statement }

/**
 * Runs `change` on some rows of an endpoint: on all for which `condition` holds, up to 1,000. Resolves with how many it
 * has found; another node may have removed them meanwhile.
 *
 * Their keys are read first. With a subquery in place of these PostgreSQL, where it knows of few rows of the endpoint,
 * goes through all of them for each one: for 50,000 more than a minute, in which its node did nothing else.
 */
export async function changeSome(
  sql: Sql,
  of: EndpointOf,
  { table, condition: [condition, ...values] }: Some,
  change: Statement,
): Promise<number> {
  const some = `SELECT ${key} FROM ${table} WHERE ${ofEndpoint} ${condition} LIMIT ${purgedAtOnce}`
  const rows = await sql.all(some, of.accountId, of.id, ...values)
  await changeRows(sql, of, key, rows.map(keyIn), change)
  return rows.length
}

/** Of an endpoint, those for which `condition` holds; without one any. Resolves with how many. */
export const removeSome = (sql: Sql, of: EndpointOf, table: Due['queue'], condition: Statement = ['']) =>
  changeSome(sql, of, { table, condition }, [`DELETE FROM ${table}`])

/**
 * What the server failed to answer at `failedSince` or later is due at once; what it refused waits for its time, and
 * what has no tries, for its campaign to be published. Resolves with how many.
 */
export function retryAtOnce(sql: Sql, of: EndpointOf, now: Seconds, failedSince: Seconds = 0): Promise<number> {
  // By the index of `next_at`: there may be a million refused ones, and on SQLite nobody is answered meanwhile.
  return sql.run(
    `UPDATE failed_deliveries SET next_at = last_at WHERE ${ofEndpoint}
      AND next_at > ? AND next_at <= ? AND refused = 0 AND tries > 0 AND last_at >= ?`,
    ...[of.accountId, of.id, now, now + longestRestSeconds, failedSince],
  )
}

/**
 * For another URL: what waits for a later try is due at once, as if it had not been tried. Does some of it at a time,
 * until it resolves with 0.
 */
export function resetTries(sql: Sql, endpoint: Endpoint, now: Seconds): Promise<number> {
  const change = 'UPDATE failed_deliveries SET next_at = last_at, tries = 0, refused = 0'
  const condition: Statement = ['AND next_at > ? AND next_at > last_at AND tries > 0', now]
  return changeSome(sql, endpoint, { table: 'failed_deliveries', condition }, [change])
}

/**
 * Removes what failed and was due before `fromAt`, some of it at a time, until it resolves with 0. Erasures, backfills
 * and what was asked for again since `askedFrom` stay.
 */
export function discardFailed(
  sql: Sql,
  endpoint: Endpoint,
  fromAt: Seconds,
  askedFrom = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  // By the index of `next_at`, so that what was given up, which may be much more, is not read.
  const waiting = `AND next_at >= 0 AND kind NOT IN (${alwaysTold}) AND due_at < ?
    AND NOT (is_asked_for = 1 AND last_at >= ?) ORDER BY next_at`
  return removeSome(sql, endpoint, 'failed_deliveries', [waiting, fromAt, askedFrom])
}

/** Makes due what waits for longer than any failure makes it wait, some of it at a time. Resolves with how many. */
async function endLongWaits(sql: Sql, endpoint: Endpoint, now: Seconds): Promise<number> {
  const { failingSince, nextTryAt, fromAt } = endpoint
  const isLong = (failingSince ?? 0) > now + mostWait.ahead || (nextTryAt ?? 0) > now + mostWait.endpoint
  if (isLong) await updateEndpoint(sql, endpoint, [setsWell])
  if (fromAt > now + mostWait.ahead) await updateEndpoint(sql, endpoint, ['from_at = ?', now])
  const change = 'UPDATE failed_deliveries SET next_at = ?, last_at = ?'
  const condition: Statement = ['AND next_at > ?', now + mostWait.delivery]
  const some = { table: 'failed_deliveries', condition } as const
  return changeSome(sql, endpoint, some, [change, now, now])
}

/**
 * Removes what is older than 30 days, some of it at a time: deliveries that were given up, and all that a paused
 * endpoint was not told. `dropped` is how many were never tried.
 */
export async function purgeOld(sql: Sql, accountId: number, now: Seconds) {
  const before = now - keptSeconds
  let [dropped, isMore] = [0, false]
  const rows = await sql.all('SELECT * FROM endpoints WHERE account_id = ?', accountId)
  for (const endpoint of rows.map(toEndpoint)) {
    const isPaused = endpoint.pausedAt !== null
    const ended = await endLongWaits(sql, endpoint, now)
    // Found by the instant when it was due, which is the order of the table. Without the `+` the engines would use the
    // index of the next try, and read all that was given up.
    const isOld = `AND due_at < ? AND last_at < ? ${isPaused ? '' : 'AND +next_at IS NULL'}`
    const removed = await removeSome(sql, endpoint, 'failed_deliveries', [isOld, before, before])
    const untold = isPaused ? await removeSome(sql, endpoint, 'notices', ['AND due_at < ?', before]) : 0
    dropped += untold
    isMore ||= Math.max(ended, removed, untold) === purgedAtOnce
  }
  return { dropped, isMore }
}

function toDue(endpointId: number, queue: Due['queue'], row: Row): Due {
  return {
    endpointId,
    queue,
    dueAt: row.due_at,
    leadId: row.lead_id,
    kind: noticeKinds[row.kind] as NoticeKind,
    detail: row.detail,
    tries: row.tries,
    refused: row.refused,
    isAskedFor: row.is_asked_for === 1,
    lastAt: row.last_at,
  }
}
