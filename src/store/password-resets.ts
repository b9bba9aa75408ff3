// Links by which users set a new password. Both engines read these statements alike.
import type { Seconds } from '../core/instant.ts'
import { setPassword, toUser, type User } from './access.ts'
import type { Actor } from './audit.ts'
import { boundTo, type Runner, type Sql } from './sql.ts'

export function passwordResetsOn({ read, write }: Runner) {
  return { ...boundTo(read, { find }), ...boundTo(write, { create, use }) }
}

/** Ends the user's earlier links. False if no user has the email. */
async function create(sql: Sql, email: string, tokenHash: Uint8Array, endsAt: Seconds): Promise<boolean> {
  // Changes nothing: on PostgreSQL this waits for another link that is being made, so that the delete finds it.
  const hold = 'UPDATE users SET password_hash = password_hash WHERE email = ? RETURNING id'
  const user = await sql.get(hold, email)
  if (user === undefined) return false
  await sql.run('DELETE FROM password_resets WHERE user_id = ?', user.id)
  const insert = 'INSERT INTO password_resets (token_hash, user_id, ends_at) VALUES (?, ?, ?)'
  await sql.run(insert, tokenHash, user.id, endsAt)
  return true
}

/** Whose link it is, while it works. */
async function find(sql: Sql, tokenHash: Uint8Array, now: Seconds): Promise<User | undefined> {
  const row = await sql.get(
    `SELECT users.* FROM password_resets JOIN users ON users.id = user_id WHERE token_hash = ? AND ends_at > ?`,
    ...[tokenHash, now],
  )
  return row && toUser(row)
}

/** Uses up the link, and ends the user's sessions and invitations. False if it does not work (any more). */
async function use(sql: Sql, tokenHash: Uint8Array, passwordHash: string, by: Omit<Actor, 'name'>): Promise<boolean> {
  const user = await find(sql, tokenHash, by.at)
  // If two use one link at once, only one of them removes the row.
  const removed = await sql.run('DELETE FROM password_resets WHERE token_hash = ?', tokenHash)
  if (user === undefined || removed === 0) return false
  await setPassword(sql, user.id, passwordHash, { ...by, name: user.email }, 'user.password_reset')
  return true
}
