// Statements on API keys, for both engines.
import { instantOrNull } from '../core/instant.ts'
import { toAccount } from './accounts.ts'
import { type Actor, type AuditAction, addIfChanged } from './audit.ts'
import { Refused } from './errors.ts'
import type { Key, KeyUse, LiveKey, NewKey, Scope } from './model.ts'
import type { Row, Sql, Value } from './sql.ts'

/** Keys of an account that work at the same time. */
const mostKeys = 100
/** How many that no longer work are shown. */
const mostEnded = 100
/** Whether a key works at the instant that is given as value. */
const works = 'revoked_at IS NULL AND (grace_ends_at IS NULL OR grace_ends_at > ?)'

/** @throws Refused where the account has as many keys as it may */
export async function createKey(sql: Sql, key: NewKey, by: Actor): Promise<void> {
  await sql.beginChange(key.accountId)
  await insertKey(sql, key, by)
}

async function insertKey(sql: Sql, key: NewKey, by: Actor): Promise<void> {
  const working = `SELECT count(*) AS total FROM api_keys WHERE account_id = ? AND ${works}`
  const found = await sql.get(working, key.accountId, by.at)
  if (found?.total >= mostKeys) throw new Refused(`an account has at most ${mostKeys} keys that work: revoke one first`)
  const row = await sql.get(
    'INSERT INTO api_keys (id, account_id, name, secret_hash, created_at, scopes) VALUES (?, ?, ?, ?, ?, ?) RETURNING *',
    ...[key.id, key.accountId, key.name, key.secretHash, key.createdAt, key.scopes.join(' ') || null],
  )
  await logKey(sql, by, 'key.created', undefined, row as Row)
}

async function logKey(sql: Sql, by: Actor, action: AuditAction, before: Row | undefined, after: Row): Promise<void> {
  const { id, accountId, name } = toKey(after)
  const settings = (row: Row) => {
    const { name, scopes, revokedAt } = toKey(row)
    return { name, scopes, worksUntil: instantOrNull(revokedAt) }
  }
  await addIfChanged(sql, by, {
    accountId,
    action,
    subject: { kind: 'key', id, name },
    before: before ? settings(before) : null,
    after: settings(after),
  })
}

export async function listKeys(sql: Sql, accountId: number): Promise<Key[]> {
  const rows = await sql.all('SELECT * FROM api_keys WHERE account_id = ? ORDER BY created_at, id', accountId)
  return rows.map(toKey)
}

/** Those that work, and the newest of those that no longer do: an account may have made and revoked very many. */
export async function listRecentKeys(
  sql: Sql,
  accountId: number,
  now: number,
): Promise<{ working: Key[]; ended: Key[] }> {
  const select = (condition: string, order: string) =>
    sql.all(`SELECT * FROM api_keys WHERE account_id = ? AND ${condition} ORDER BY ${order}`, accountId, now)
  const working = await select(works, 'created_at, id')
  const ended = await select(`NOT (${works})`, `coalesce(revoked_at, grace_ends_at) DESC, id LIMIT ${mostEnded}`)
  return { working: working.map(toKey), ended: ended.map(toKey) }
}

export async function findKey(sql: Sql, keyId: string): Promise<Key | undefined> {
  const row = await sql.get('SELECT * FROM api_keys WHERE id = ?', keyId)
  return row && toKey(row)
}

export async function renameKey(sql: Sql, keyId: string, name: string, by: Actor): Promise<Key | undefined> {
  return changeKey(sql, keyId, by, 'key.renamed', 'UPDATE api_keys SET name = ? WHERE id = ? RETURNING *', name)
}

/** At once, also within a time of grace. Revoking again keeps the first instant. */
export async function revokeKey(sql: Sql, keyId: string, by: Actor): Promise<Key | undefined> {
  return changeKey(
    sql,
    keyId,
    by,
    'key.revoked',
    `UPDATE api_keys SET revoked_at = coalesce(revoked_at, CASE WHEN grace_ends_at < ? THEN grace_ends_at ELSE ? END)
      WHERE id = ? RETURNING *`,
    ...[by.at, by.at],
  )
}

async function changeKey(
  sql: Sql,
  keyId: string,
  by: Actor,
  action: AuditAction,
  change: string,
  ...values: Value[]
): Promise<Key | undefined> {
  const key = await findKey(sql, keyId)
  if (key === undefined) return undefined
  await sql.beginChange(key.accountId)
  const before = await sql.get('SELECT * FROM api_keys WHERE id = ?', keyId)
  const after = (await sql.get(change, ...values, keyId)) as Row
  await logKey(sql, by, action, before, after)
  return toKey(after)
}

/**
 * Adds `next`, and lets the old key work until `graceEndsAt`; false if it was revoked or replaced before. The end of
 * the grace is compared with the clock; revoked_at is not, so that no clock brings a key back.
 * @throws Refused where the account has as many keys as it may
 */
export async function replaceKey(
  sql: Sql,
  keyId: string,
  graceEndsAt: number,
  next: NewKey,
  by: Actor,
): Promise<boolean> {
  await sql.beginChange(next.accountId)
  const before = await sql.get('SELECT * FROM api_keys WHERE id = ?', keyId)
  const replaced = await sql.get(
    `UPDATE api_keys SET grace_ends_at = ?
      WHERE id = ? AND account_id = ? AND revoked_at IS NULL AND grace_ends_at IS NULL RETURNING *`,
    graceEndsAt,
    keyId,
    next.accountId,
  )
  if (replaced === undefined) return false
  await logKey(sql, by, 'key.replaced', before, replaced)
  await insertKey(sql, next, by)
  return true
}

/**
 * Not a change that other nodes need to know. One write for a key and minute, whichever node reports it; always in the
 * same order, so that two nodes cannot deadlock.
 */
export async function noteKeyUses(sql: Sql, uses: readonly KeyUse[]): Promise<void> {
  const unnoted = 'last_used_at IS NULL OR last_used_at < ?'
  for (const { keyId, usedAt } of uses.toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))) {
    const minuteAt = usedAt - (usedAt % 60)
    await sql.run(`UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (${unnoted})`, usedAt, keyId, minuteAt)
  }
}

export async function findLiveKey(sql: Sql, keyId: string): Promise<LiveKey | undefined> {
  const row = await sql.get(
    `SELECT secret_hash, grace_ends_at, scopes, accounts.* FROM api_keys JOIN accounts ON accounts.id = account_id
      WHERE api_keys.id = ? AND revoked_at IS NULL`,
    keyId,
  )
  if (row === undefined) return undefined
  return {
    id: keyId,
    secretHash: row.secret_hash,
    account: toAccount(row),
    scopes: toScopes(row),
    graceEndsAt: row.grace_ends_at,
  }
}

function toKey(row: Row): Key {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    scopes: toScopes(row),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at ?? row.grace_ends_at,
  }
}

function toScopes({ scopes }: Row): Scope[] {
  return scopes === null ? [] : scopes.split(' ')
}
