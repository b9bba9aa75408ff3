// Who users are at the provider of OpenID Connect. Both engines read these statements alike.
import type { Seconds } from '../core/instant.ts'
import { acceptInvitation, type Credentials, invites, noPassword, toCredentials, toUser } from './access.ts'
import { type Actor, addUserEntry } from './audit.ts'
import { boundTo, type Runner, type Sql } from './sql.ts'

type IdentityName = { issuer: string; subject: string }

export function identitiesOn({ read, write }: Runner) {
  return { ...boundTo(read, { find, findInvitationTo }), ...boundTo(write, { link, join }) }
}

async function find(sql: Sql, { issuer, subject }: IdentityName): Promise<Credentials | undefined> {
  const row = await sql.get('SELECT * FROM users WHERE issuer = ? AND subject = ?', issuer, subject)
  return row && toCredentials(row)
}

/**
 * Gives a user this identity, for good, if they have none yet, or one of a provider that was there before: an
 * installation has one provider. False where there is no such user, or somebody was faster.
 */
async function link(sql: Sql, userId: number, name: IdentityName, by: Actor): Promise<boolean> {
  const { issuer, subject } = name
  const before = await sql.get('SELECT issuer FROM users WHERE id = ?', userId)
  const change = `UPDATE users SET issuer = ?, subject = ?
    WHERE id = ? AND (issuer IS NULL OR issuer <> ?) RETURNING *`
  const row = await sql.get(change, issuer, subject, userId, issuer)
  if (row === undefined) return false
  await addUserEntry(sql, by, 'user.linked', toUser(row), before?.issuer ? { issuer: before.issuer } : null, { issuer })
  return true
}

/**
 * The newest open one that was made out to this email: the hash of its token. None if several accounts have invited it:
 * the newest may be a stranger's.
 */
async function findInvitationTo(sql: Sql, email: string, now: Seconds): Promise<Uint8Array | undefined> {
  const select = `SELECT account_id, token_hash FROM invitations WHERE email = ? AND ends_at > ? AND ${invites}
    ORDER BY created_at DESC, token_hash`
  const open = await sql.all(select, email, now)
  return new Set(open.map((row) => row.account_id)).size === 1 ? open[0]?.token_hash : undefined
}

/** As `acceptInvitation`, by somebody who comes from the provider. @throws Refused where the email has a user */
async function join(
  sql: Sql,
  tokenHash: Uint8Array,
  email: string,
  accountName: string,
  { issuer, subject }: IdentityName,
  by: Actor,
): Promise<Credentials | undefined> {
  const passwordHash = noPassword
  const made = await acceptInvitation(sql, tokenHash, { email, passwordHash }, accountName, by)
  if (made === undefined) return undefined
  await sql.run('UPDATE users SET issuer = ?, subject = ? WHERE id = ?', issuer, subject, made.id)
  await addUserEntry(sql, by, 'user.linked', made, null, { issuer })
  return { user: made, passwordHash, hasFactor: false }
}
