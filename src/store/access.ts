// Users of the panel, their sessions and invitations. Both engines read these statements alike.
import type { Seconds } from '../core/instant.ts'
import type { Role } from '../core/role.ts'
import { Refused } from './errors.ts'
import { factorsOn } from './factors.ts'
import type { Account } from './model.ts'
import { boundTo, type Row, type Runner, type Sql } from './sql.ts'
import { triesOn } from './tries.ts'

export type User = { id: number; accountId: number; email: string; role: Role; createdAt: Seconds }

/** `passwordHash` is a PHC string; with a factor the password alone is not enough. */
export type Credentials = { user: User; passwordHash: string; hasFactor: boolean }

export type Session = { user: User; account: Account; createdAt: Seconds; seenAt: Seconds }

/** A session as its user sees it; `id` is the hash of its token. */
export type SessionRow = Client & { id: string; createdAt: Seconds; seenAt: Seconds }

/** Where a session was begun: the browser in plain words, and the address as `shortAddress` gives it. */
export type Client = { device: string; address: string }

/** Of a link that makes a user; without an account it makes that too, and there must be no user yet. */
export type Invitation = { accountId: number | null; endsAt: Seconds }

/** Whose invitation it is: it ends with them, and with their password. */
export type Inviter = Pick<User, 'id' | 'accountId'>

export type NewUser = { email: string; passwordHash: string; createdAt: Seconds }

/** Of a user, in a list. */
const mostSessions = 200

/** Each call rejects with StoreUnavailable where the database does not answer. */
export type Access = ReturnType<typeof accessOn>

/** `key` is the installation's own. */
export function accessOn(runner: Runner, key: Uint8Array) {
  const { read, write, writeUnflushed } = runner
  return {
    ...triesOn(runner, key),
    ...factorsOn(runner, key),
    ...boundTo(read, { hasUsers, findCredentials, listUsers, findInvitation, findSession, listSessions }),
    ...boundTo(write, { createUser, removeUser, setPassword, changePassword }),
    ...boundTo(write, { createInvitation, acceptInvitation }),
    ...boundTo(write, { createSession, touchSession, endSession, endSessionOf, endOtherSessions }),
    ...boundTo(writeUnflushed, { removeEnded }),
  }
}

async function hasUsers(sql: Sql): Promise<boolean> {
  return (await sql.get('SELECT 1 AS found FROM users LIMIT 1')) !== undefined
}

/** @throws Refused where the email has a user already, or there is no such account */
async function createUser(sql: Sql, accountId: number, user: NewUser): Promise<User> {
  if ((await sql.get('SELECT 1 AS found FROM accounts WHERE id = ?', accountId)) === undefined) {
    throw new Refused(`there is no account ${accountId}`)
  }
  const row = await sql.get(
    `INSERT INTO users (account_id, email, password_hash, created_at) VALUES (?, ?, ?, ?)
      ON CONFLICT (email) DO NOTHING RETURNING *`,
    ...[accountId, user.email, user.passwordHash, user.createdAt],
  )
  if (row === undefined) throw new Refused('this email has a user already')
  return toUser(row)
}

async function findCredentials(sql: Sql, email: string): Promise<Credentials | undefined> {
  const row = await sql.get('SELECT * FROM users WHERE email = ?', email)
  return row && { user: toUser(row), passwordHash: row.password_hash, hasFactor: row.factor_secret !== null }
}

/** Ascending id. */
async function listUsers(sql: Sql, accountId: number): Promise<User[]> {
  return (await sql.all('SELECT * FROM users WHERE account_id = ? ORDER BY id', accountId)).map(toUser)
}

/** Ends the user's invitations and sessions. */
async function setPassword(sql: Sql, userId: number, passwordHash: string): Promise<void> {
  await sql.run('UPDATE users SET password_hash = ? WHERE id = ?', passwordHash, userId)
  await endAccess(sql, userId)
}

/** The same, but for the session with the hash `keeps`; false where the password is no longer `current`'s. */
async function changePassword(
  sql: Sql,
  current: Credentials,
  passwordHash: string,
  keeps: Uint8Array,
): Promise<boolean> {
  const isChanged = await replacePassword(sql, current, passwordHash)
  if (isChanged) await endAccess(sql, current.user.id, keeps)
  return isChanged
}

/** False where the password is another one by now. */
async function replacePassword(
  sql: Sql,
  { user, passwordHash }: Omit<Credentials, 'hasFactor'>,
  next: string,
): Promise<boolean> {
  const change = 'UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?'
  return (await sql.run(change, next, user.id, passwordHash)) > 0
}

/** The user's sessions and invitations, but for the session with the hash `keeps`. */
async function endAccess(sql: Sql, userId: number, keeps: Uint8Array = new Uint8Array()): Promise<void> {
  await sql.run('DELETE FROM sessions WHERE user_id = ? AND token_hash <> ?', userId, keeps)
  await sql.run('DELETE FROM invitations WHERE invited_by = ?', userId)
}

/** Their sessions and invitations end. The account's last user stays. @throws Refused */
async function removeUser(sql: Sql, accountId: number, userId: number): Promise<boolean> {
  // On PostgreSQL this waits for somebody who is removing another user of the account, and then sees who is left.
  await sql.run('UPDATE accounts SET name = name WHERE id = ?', accountId)
  const users = await sql.all('SELECT id FROM users WHERE account_id = ?', accountId)
  if (!users.some(({ id }) => id === userId)) return false
  if (users.length === 1) throw new Refused('the last user of an account cannot be removed')
  await endAccess(sql, userId)
  return (await sql.run('DELETE FROM users WHERE id = ? AND account_id = ?', userId, accountId)) > 0
}

/** With null the one that makes the first account and user. */
async function createInvitation(sql: Sql, tokenHash: Uint8Array, by: Inviter | null, endsAt: Seconds): Promise<void> {
  await sql.run(
    'INSERT INTO invitations (token_hash, account_id, invited_by, ends_at) VALUES (?, ?, ?, ?)',
    ...[tokenHash, by?.accountId ?? null, by?.id ?? null, endsAt],
  )
}

async function findInvitation(sql: Sql, tokenHash: Uint8Array): Promise<Invitation | undefined> {
  const row = await sql.get('SELECT * FROM invitations WHERE token_hash = ?', tokenHash)
  if (row === undefined || (row.account_id === null && (await hasUsers(sql)))) return undefined
  return { accountId: row.account_id, endsAt: row.ends_at }
}

/**
 * Makes the user that a link is for, with an account of that name where it is the first, and uses the link up.
 * Undefined where the link is not there (any more). @throws Refused where the email has a user already
 */
async function acceptInvitation(
  sql: Sql,
  tokenHash: Uint8Array,
  user: NewUser,
  accountName: string,
  now: Seconds,
): Promise<User | undefined> {
  const invitation = await findInvitation(sql, tokenHash)
  if (invitation === undefined || invitation.endsAt <= now) return undefined
  // Of two who use one link at once, one removes the row.
  const removed = await sql.run('DELETE FROM invitations WHERE token_hash = ?', tokenHash)
  if (removed === 0) return undefined
  const { accountId } = invitation
  if (accountId !== null) return createUser(sql, accountId, user)
  const account = await sql.get('INSERT INTO accounts (name) VALUES (?) RETURNING id', accountName)
  return createUser(sql, account?.id, user)
}

/** False where the user was removed since `by` was read, or the password or having a factor has changed. */
async function createSession(
  sql: Sql,
  tokenHash: Uint8Array,
  by: Credentials,
  { device, address }: Client,
  now: Seconds,
): Promise<boolean> {
  // Changes nothing: on PostgreSQL this waits for somebody who is changing it, and then looks again.
  const isAsRead = await sql.run(
    `UPDATE users SET password_hash = password_hash
      WHERE id = ? AND password_hash = ? AND factor_secret IS ${by.hasFactor ? 'NOT NULL' : 'NULL'}`,
    ...[by.user.id, by.passwordHash],
  )
  if (isAsRead === 0) return false
  await sql.run(
    'INSERT INTO sessions (token_hash, user_id, created_at, seen_at, device, address) VALUES (?, ?, ?, ?, ?, ?)',
    ...[tokenHash, by.user.id, now, now, device, address],
  )
  return true
}

async function touchSession(sql: Sql, tokenHash: Uint8Array, now: Seconds): Promise<void> {
  await sql.run('UPDATE sessions SET seen_at = ? WHERE token_hash = ?', now, tokenHash)
}

async function endSession(sql: Sql, tokenHash: Uint8Array): Promise<void> {
  await sql.run('DELETE FROM sessions WHERE token_hash = ?', tokenHash)
}

/** Those that have not ended, the one that was used last first. */
async function listSessions(
  sql: Sql,
  userId: number,
  { unseenSince, madeBefore }: Omit<Ended, 'now'>,
): Promise<SessionRow[]> {
  const rows = await sql.all(
    `SELECT * FROM sessions WHERE user_id = ? AND seen_at > ? AND created_at > ?
      ORDER BY seen_at DESC, created_at DESC, token_hash LIMIT ${mostSessions}`,
    ...[userId, unseenSince, madeBefore],
  )
  return rows.map(({ token_hash, device, address, created_at, seen_at }) => ({
    ...{ id: Buffer.from(token_hash).toString('hex'), device, address },
    ...{ createdAt: created_at, seenAt: seen_at },
  }))
}

/** False where the user has none with this hash. */
async function endSessionOf(sql: Sql, userId: number, tokenHash: Uint8Array): Promise<boolean> {
  return (await sql.run('DELETE FROM sessions WHERE user_id = ? AND token_hash = ?', userId, tokenHash)) > 0
}

/** All of the user's but the one with the hash `keeps`. */
async function endOtherSessions(sql: Sql, userId: number, keeps: Uint8Array): Promise<void> {
  await sql.run('DELETE FROM sessions WHERE user_id = ? AND token_hash <> ?', userId, keeps)
}

type Ended = { unseenSince: Seconds; madeBefore: Seconds; now: Seconds }

/** Removes what ended before: sessions not seen since `unseenSince`, or made before `madeBefore`. */
async function removeEnded(sql: Sql, { unseenSince, madeBefore, now }: Ended): Promise<void> {
  await sql.run('DELETE FROM sessions WHERE seen_at < ? OR created_at < ?', unseenSince, madeBefore)
  await sql.run('DELETE FROM invitations WHERE ends_at < ?', now)
}

async function findSession(sql: Sql, tokenHash: Uint8Array): Promise<Session | undefined> {
  const row = await sql.get(
    `SELECT sessions.created_at AS session_at, seen_at, users.id AS user_id, users.email, users.role,
        users.created_at AS user_at, accounts.*
      FROM sessions JOIN users ON users.id = user_id JOIN accounts ON accounts.id = users.account_id
      WHERE token_hash = ?`,
    tokenHash,
  )
  if (row === undefined) return undefined
  return {
    user: { id: row.user_id, accountId: row.id, email: row.email, role: row.role, createdAt: row.user_at },
    account: toAccount(row),
    createdAt: row.session_at,
    seenAt: row.seen_at,
  }
}

function toUser(row: Row): User {
  return { id: row.id, accountId: row.account_id, email: row.email, role: row.role, createdAt: row.created_at }
}

export function toAccount(row: Row): Account {
  return {
    id: row.id,
    name: row.name,
    suspended: row.suspended === 1,
    countdownTools: row.countdown_tools === 1,
    rateLimit: row.rate_limit,
  }
}
