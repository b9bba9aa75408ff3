// Users of the panel, their sessions and invitations. Both engines run these statements.
import type { Seconds } from '../core/instant.ts'
import type { Role } from '../core/role.ts'
import { insertAccount, toAccount } from './accounts.ts'
import { type Actor, type AuditAction, addAuditEntry, addUserEntry } from './audit.ts'
import { Refused } from './errors.ts'
import { endOtherSessions, factorsOn } from './factors.ts'
import type { Account } from './model.ts'
import { sealBy } from './seal.ts'
import { boundTo, type Row, type Runner, type Sql } from './sql.ts'
import { triesOn } from './tries.ts'

export type User = { id: number; accountId: number; email: string; role: Role; createdAt: Seconds }

/** `passwordHash` is a PHC string; with a factor the password alone is not enough. */
export type Credentials = { user: User; passwordHash: string; hasFactor: boolean }

/** `hasPassword`: false for who came by single sign-on, until they set one. */
export type Session = { user: User; hasPassword: boolean; account: Account; createdAt: Seconds; seenAt: Seconds }

/** No password has this hash. */
export const noPassword = ''

/** A session as its user sees it; `id` is the hash of its token. */
type SessionRow = Client & { id: string; createdAt: Seconds; seenAt: Seconds }

/** Where a session was begun: the browser in plain words, and the address as `shortAddress` gives it. */
export type Client = { device: string; address: string }

/** A link that makes a user. Without an account it makes one too, and only while there is no user. */
type Invitation = { accountId: number | null; role: Role; endsAt: Seconds }

/** Whose invitation it is: it ends when they are removed, get a new password or are no longer an owner. */
export type Inviter = Pick<User, 'id' | 'accountId'>

/** `email` is where the link is mailed to; null if somebody passes it on. */
type Invited = { tokenHash: Uint8Array; role: Role; email: string | null; endsAt: Seconds }

/** `id` is the hash of the link's token, in hex; the token itself is kept nowhere. */
type OpenInvitation = {
  id: string
  role: Role
  email: string | null
  invitedBy: string
  createdAt: Seconds
  endsAt: Seconds
}

type NewUser = { email: string; passwordHash: string; role: Role }

/** How many sessions of a user are listed. */
const mostSessions = 200
/** How many open invitations an account may have. */
const mostInvitations = 100

/** Each call rejects with StoreUnavailable where the database does not answer. */
export type Access = ReturnType<typeof accessOn>

/** `key` is the installation's own. */
export function accessOn(runner: Runner, key: Uint8Array) {
  const { read, write, writeUnflushed } = runner
  const seal = sealBy(key)
  return {
    ...triesOn(runner, key),
    seal,
    ...factorsOn(runner, seal),
    ...boundTo(read, { hasUsers, findCredentials, listUsers }),
    ...boundTo(read, { findInvitation, listInvitations, findSession, listSessions }),
    ...boundTo(write, { createUser, removeUser, setRole, setPassword, changePassword }),
    ...boundTo(write, { createInvitation, withdrawInvitation, acceptInvitation }),
    ...boundTo(write, { createSession, endSession, endSessionOf, endOtherSessions }),
    ...boundTo(writeUnflushed, { touchSession, removeEnded }),
  }
}

async function hasUsers(sql: Sql): Promise<boolean> {
  return (await sql.get('SELECT 1 AS found FROM users LIMIT 1')) !== undefined
}

/** @throws Refused where the email has a user already, or there is no such account */
async function createUser(sql: Sql, accountId: number, user: NewUser, by: Actor): Promise<User> {
  if ((await sql.get('SELECT 1 AS found FROM accounts WHERE id = ?', accountId)) === undefined) {
    throw new Refused(`there is no account ${accountId}`)
  }
  const row = await sql.get(
    `INSERT INTO users (account_id, email, password_hash, role, created_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (email) DO NOTHING RETURNING *`,
    ...[accountId, user.email, user.passwordHash, user.role, by.at],
  )
  if (row === undefined) throw new Refused('this email has a user already')
  await endInvitationsTo(sql, accountId, user.email)
  const created = toUser(row)
  await addUserEntry(sql, by, 'user.created', created, null, { role: created.role })
  return created
}

/** Of somebody who joins or is removed: another one would let them back in later. */
async function endInvitationsTo(sql: Sql, accountId: number, email: string): Promise<void> {
  await sql.run('DELETE FROM invitations WHERE account_id = ? AND email = ?', accountId, email)
}

async function findCredentials(sql: Sql, email: string): Promise<Credentials | undefined> {
  const row = await sql.get('SELECT * FROM users WHERE email = ?', email)
  return row && toCredentials(row)
}

/** Ascending id. */
async function listUsers(sql: Sql, accountId: number): Promise<User[]> {
  return (await sql.all('SELECT * FROM users WHERE account_id = ? ORDER BY id', accountId)).map(toUser)
}

/** Ends the user's invitations and sessions. */
export async function setPassword(
  sql: Sql,
  userId: number,
  passwordHash: string,
  by: Actor,
  action: AuditAction = 'user.password_changed',
): Promise<void> {
  const row = await sql.get('UPDATE users SET password_hash = ? WHERE id = ? RETURNING *', passwordHash, userId)
  if (row === undefined) return
  await endAccess(sql, userId)
  await addUserEntry(sql, by, action, toUser(row), null, null)
}

/** The same, except the session with the hash `keeps`; false if the password is no longer `current`'s. */
async function changePassword(
  sql: Sql,
  current: Credentials,
  passwordHash: string,
  keeps: Uint8Array,
  by: Actor,
): Promise<boolean> {
  const { user } = current
  const change = 'UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?'
  if ((await sql.run(change, passwordHash, user.id, current.passwordHash)) === 0) return false
  await endAccess(sql, user.id, keeps)
  await addUserEntry(sql, by, 'user.password_changed', user, null, null)
  return true
}

/** Ends the user's sessions, invitations and links for a new password, except the session with the hash `keeps`. */
async function endAccess(sql: Sql, userId: number, keeps: Uint8Array = new Uint8Array()): Promise<void> {
  await endOtherSessions(sql, userId, keeps)
  await sql.run('DELETE FROM invitations WHERE invited_by = ?', userId)
  await sql.run('DELETE FROM password_resets WHERE user_id = ?', userId)
}

/** Their sessions and invitations end; false where the account has no such user. @throws Refused for the last owner */
async function removeUser(sql: Sql, accountId: number, userId: number, by: Actor): Promise<boolean> {
  const { user, isLastOwner } = await holdUser(sql, accountId, userId)
  if (user === undefined) return false
  if (isLastOwner) throw new Refused('the last owner of an account cannot be removed: make another user an owner first')
  await endAccess(sql, userId)
  // An owner may have invited them while they joined.
  await endInvitationsTo(sql, accountId, user.email)
  await sql.run('DELETE FROM users WHERE id = ?', userId)
  await addUserEntry(sql, by, 'user.removed', user, { role: user.role }, null)
  return true
}

/**
 * Invitations of somebody who is no owner any more end. Undefined where the account has no such user.
 * @throws Refused for the last owner
 */
async function setRole(sql: Sql, accountId: number, userId: number, role: Role, by: Actor): Promise<User | undefined> {
  const { user: before, isLastOwner } = await holdUser(sql, accountId, userId)
  if (before === undefined || before.role === role) return before
  if (isLastOwner) throw new Refused('the last owner of an account must stay one: make another user an owner first')
  const row = await sql.get('UPDATE users SET role = ? WHERE id = ? RETURNING *', role, userId)
  if (role !== 'owner') await sql.run('DELETE FROM invitations WHERE invited_by = ?', userId)
  const user = toUser(row as Row)
  await addUserEntry(sql, by, 'user.role_changed', user, { role: before.role }, { role })
  return user
}

async function holdUser(sql: Sql, accountId: number, userId: number) {
  // On PostgreSQL this waits for somebody who is changing another user of the account, and then sees who is left.
  await sql.run('UPDATE accounts SET name = name WHERE id = ?', accountId)
  const users = await listUsers(sql, accountId)
  const user = users.find(({ id }) => id === userId)
  return { user, isLastOwner: user?.role === 'owner' && users.filter(({ role }) => role === 'owner').length === 1 }
}

/**
 * With null as inviter: the set-up link, for an account and its first user. False where the account has as many open
 * ones as it may. @throws Refused if not by an owner
 */
async function createInvitation(sql: Sql, inviter: Inviter | null, invited: Invited, by: Actor): Promise<boolean> {
  if (inviter !== null) {
    await needOwner(sql, inviter)
    const open = 'SELECT count(*) AS total FROM invitations WHERE account_id = ? AND ends_at > ?'
    if ((await sql.get(open, inviter.accountId, by.at))?.total >= mostInvitations) return false
  }
  const { tokenHash, role, email, endsAt } = invited
  await sql.run(
    `INSERT INTO invitations (token_hash, account_id, invited_by, role, email, created_at, ends_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ...[tokenHash, inviter?.accountId ?? null, inviter?.id ?? null, role, email, by.at, endsAt],
  )
  if (inviter !== null) await auditInvitation(sql, by, 'created', inviter.accountId, { tokenHash, role, email })
  return true
}

async function needOwner(sql: Sql, { id, accountId }: Inviter): Promise<void> {
  // Changes nothing: on PostgreSQL this waits for another owner who is inviting, and for somebody who is changing the
  // inviter's role or removing them, and then looks again.
  const hold = "UPDATE users SET role = role WHERE account_id = ? AND role = 'owner' RETURNING id"
  const owners = await sql.all(hold, accountId)
  if (!owners.some((owner) => owner.id === id)) throw new Refused('only owners of an account can invite')
}

/** False where the account has none with this hash (any more). */
async function withdrawInvitation(sql: Sql, accountId: number, tokenHash: Uint8Array, by: Actor): Promise<boolean> {
  const row = await sql.get(
    'DELETE FROM invitations WHERE token_hash = ? AND account_id = ? RETURNING role, email',
    ...[tokenHash, accountId],
  )
  if (row === undefined) return false
  await auditInvitation(sql, by, 'withdrawn', accountId, { tokenHash, role: row.role, email: row.email })
  return true
}

/** An invitation without an email is named by the beginning of its id. */
function auditInvitation(
  sql: Sql,
  by: Actor,
  done: 'created' | 'withdrawn',
  accountId: number,
  { tokenHash, role, email }: Omit<Invited, 'endsAt'>,
): Promise<void> {
  const id = idOf(tokenHash)
  const subject = { kind: 'invitation' as const, id, name: email ?? id.slice(0, 8) }
  const [before, after] = done === 'created' ? [null, { role }] : [{ role }, null]
  return addAuditEntry(sql, by, { accountId, action: `invitation.${done}`, subject, before, after })
}

const idOf = (tokenHash: Uint8Array) => Buffer.from(tokenHash).toString('hex')

/** An account's invitations that still work, oldest first. */
async function listInvitations(sql: Sql, accountId: number, now: Seconds): Promise<OpenInvitation[]> {
  const rows = await sql.all(
    `SELECT invitations.*, users.email AS invited_by_email FROM invitations JOIN users ON users.id = invited_by
      WHERE invitations.account_id = ? AND ends_at > ? ORDER BY invitations.created_at, token_hash`,
    ...[accountId, now],
  )
  return rows.map((row) => ({
    id: idOf(row.token_hash),
    role: row.role,
    email: row.email,
    invitedBy: row.invited_by_email,
    createdAt: row.created_at,
    endsAt: row.ends_at,
  }))
}

/** Of an invitation: while its account is suspended, it does not work. */
export const invites = 'NOT EXISTS (SELECT 1 FROM accounts WHERE id = account_id AND suspended = 1)'

async function findInvitation(sql: Sql, tokenHash: Uint8Array): Promise<Invitation | undefined> {
  const row = await sql.get(`SELECT * FROM invitations WHERE token_hash = ? AND ${invites}`, tokenHash)
  if (row === undefined || (row.account_id === null && (await hasUsers(sql)))) return undefined
  return { accountId: row.account_id, role: row.role, endsAt: row.ends_at }
}

/**
 * Makes the user that a link is for, with an account of that name where it is the first, and uses the link up.
 * Undefined where the link is not there (any more). @throws Refused where the email has a user already
 */
export async function acceptInvitation(
  sql: Sql,
  tokenHash: Uint8Array,
  user: Omit<NewUser, 'role'>,
  accountName: string,
  by: Actor,
): Promise<User | undefined> {
  const invitation = await findInvitation(sql, tokenHash)
  if (invitation === undefined || invitation.endsAt <= by.at) return undefined
  if (invitation.accountId === null) {
    // If two set-up links are used at once, on PostgreSQL the later one waits here, and then finds a user.
    await sql.beginChange(0)
    if (await hasUsers(sql)) return undefined
  }
  // If two use one link at once, only one of them removes the row.
  const removed = await sql.run('DELETE FROM invitations WHERE token_hash = ?', tokenHash)
  if (removed === 0) return undefined
  const accountId = invitation.accountId ?? (await insertAccount(sql, accountName, by)).id
  return createUser(sql, accountId, { ...user, role: invitation.role }, by)
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

/** Sessions that have not ended, the last used first. */
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
    id: idOf(token_hash),
    device,
    address,
    createdAt: created_at,
    seenAt: seen_at,
  }))
}

/** False where the user has none with this hash. */
async function endSessionOf(sql: Sql, userId: number, tokenHash: Uint8Array): Promise<boolean> {
  return (await sql.run('DELETE FROM sessions WHERE user_id = ? AND token_hash = ?', userId, tokenHash)) > 0
}

type Ended = { unseenSince: Seconds; madeBefore: Seconds; now: Seconds }

/** Removes sessions that have ended: not seen since `unseenSince`, or made before `madeBefore`. */
async function removeEnded(sql: Sql, { unseenSince, madeBefore, now }: Ended): Promise<void> {
  await sql.run('DELETE FROM sessions WHERE seen_at < ? OR created_at < ?', unseenSince, madeBefore)
  await sql.run('DELETE FROM invitations WHERE ends_at < ?', now)
  await sql.run('DELETE FROM password_resets WHERE ends_at < ?', now)
}

async function findSession(sql: Sql, tokenHash: Uint8Array): Promise<Session | undefined> {
  const row = await sql.get(
    `SELECT sessions.created_at AS session_at, seen_at, users.id AS user_id, users.email, users.role,
        users.password_hash, users.created_at AS user_at, accounts.*
      FROM sessions JOIN users ON users.id = user_id JOIN accounts ON accounts.id = users.account_id
      WHERE token_hash = ?`,
    tokenHash,
  )
  if (row === undefined) return undefined
  return {
    user: { id: row.user_id, accountId: row.id, email: row.email, role: row.role, createdAt: row.user_at },
    hasPassword: row.password_hash !== noPassword,
    account: toAccount(row),
    createdAt: row.session_at,
    seenAt: row.seen_at,
  }
}

export function toCredentials(row: Row): Credentials {
  return { user: toUser(row), passwordHash: row.password_hash, hasFactor: row.factor_secret !== null }
}

export function toUser(row: Row): User {
  return { id: row.id, accountId: row.account_id, email: row.email, role: row.role, createdAt: row.created_at }
}
