// Endpoints as rows of the database, and which of them watch a campaign.
import { type EndpointSettings, usualSettings, type Watcher, watcherOf } from '../../core/events.ts'
import type { Seconds } from '../../core/instant.ts'
import type { Row, Sql, Statement } from '../sql.ts'

export type PauseCause = 'user' | 'gone' | 'failing' | 'deleted'

export type Endpoint = {
  id: number
  accountId: number
  settings: EndpointSettings
  /** The number of its secret: when it was made, or one more than the one before. */
  generation: number
  /** Earlier secrets, newest first, each of which also signs until its instant. */
  oldSecrets: { generation: number; until: Seconds }[]
  createdAt: Seconds
  /** What was due before this instant is not told. */
  fromAt: Seconds
  pausedAt: Seconds | null
  pauseCause: PauseCause | null
} & Health

/** What names an endpoint. */
export type EndpointOf = Pick<Endpoint, 'accountId' | 'id'>

/**
 * How the endpoint's server does: since when it has not answered with 2xx, and how many first tries in a row it did not
 * answer, or with 5xx; while it rests, of all tries. Both are as of a server that answers once nothing waits.
 */
export type Health = { failingSince: Seconds | null; failures: number; nextTryAt: Seconds | null }

/** For UPDATE: the `Health` of a server that answers. */
export const setsWell = 'failing_since = NULL, failures = 0, next_try_at = NULL'

export const notDeleted = "(pause_cause IS NULL OR pause_cause <> 'deleted')"

/** Ascending id. */
export async function listEndpoints(sql: Sql, accountId: number): Promise<Endpoint[]> {
  const rows = await sql.all(`SELECT * FROM endpoints WHERE account_id = ? AND ${notDeleted} ORDER BY id`, accountId)
  return rows.map(toEndpoint)
}

export async function findEndpoint(sql: Sql, accountId: number, id: number): Promise<Endpoint | undefined> {
  const row = await sql.get(`SELECT * FROM endpoints WHERE account_id = ? AND id = ? AND ${notDeleted}`, accountId, id)
  return row && toEndpoint(row)
}

export async function accountsWithEndpoints(sql: Sql): Promise<number[]> {
  return (await sql.all('SELECT DISTINCT account_id FROM endpoints')).map((row) => row.account_id)
}

/** Sets columns of an endpoint; undefined if it is gone. */
export async function updateEndpoint(sql: Sql, { accountId, id }: EndpointOf, [columns, ...values]: Statement) {
  const update = `UPDATE endpoints SET ${columns} WHERE account_id = ? AND id = ? RETURNING *`
  const row = await sql.get(update, ...values, accountId, id)
  return row && toEndpoint(row)
}

export async function deletedEndpoints(sql: Sql): Promise<Endpoint[]> {
  return (await sql.all("SELECT * FROM endpoints WHERE pause_cause = 'deleted'")).map(toEndpoint)
}

/** Endpoints that notices are written for: those that are on, or whose server fails. */
export async function watchersOf(
  sql: Sql,
  accountId: number,
  campaignId: number,
  which = "(paused_at IS NULL OR pause_cause = 'failing')",
): Promise<Watcher[]> {
  const rows = await sql.all(`SELECT id, settings FROM endpoints WHERE account_id = ? AND ${which}`, accountId)
  return rows
    .map((row) => watcherOf(row.id, settingsOf(row.settings), campaignId))
    .filter((watcher) => watcher !== undefined)
}

/** What was stored before there was a setting has the usual one. They keep their order, which answers show. */
export function settingsOf(stored: string): EndpointSettings {
  const { name, url, kinds, ...others } = JSON.parse(stored)
  return { name, url, kinds, ...usualSettings, ...others }
}

export function toEndpoint(row: Row): Endpoint {
  return {
    id: row.id,
    accountId: row.account_id,
    settings: settingsOf(row.settings),
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
