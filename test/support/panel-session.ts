// A user of the panel without a browser: calls of its API behind a session.
import assert from 'node:assert/strict'
import type { Role } from '../../src/core/role.ts'
import { type Installation, installation, type Server } from './lastcall.ts'
import { processScope } from './process-scope.ts'
import { createUser } from './users.ts'

export type PanelAnswer = { status: number; body: any }
export type PanelSession = (name: string, path: string, body?: unknown) => Promise<PanelAnswer>

const json = { 'content-type': 'application/json' }

export const emailOf = (accountId: number, role: Role) =>
  `${role === 'owner' ? 'user' : role}-of-${accountId}@example.com`

let plain: Promise<{ place: Installation; server: Server }> | undefined

/** A server without any setting, for all files of the process: for tests whose accounts are their own. */
export async function plainServer() {
  plain ??= startPlain()
  return await plain
}

async function startPlain() {
  const place = installation(processScope)
  return { place, server: await place.serve() }
}

/** Makes a user of the account and signs in; `await ask('POST', '/keys', { name: 'shop' })`. */
export async function panelSession(
  place: Pick<Installation, 'arrange'>,
  server: Server,
  accountId: number,
  role: Role = 'owner',
): Promise<PanelSession> {
  const email = emailOf(accountId, role)
  const password = 'long enough for a test'
  await place.arrange((store) => createUser(store, accountId, { email, password, role }))
  const api = `${server.origin}/panel/api`
  const signedIn = await fetch(`${api}/session`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ email, password }),
  })
  assert.equal(signedIn.status, 200)
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] as string
  return async (method, path, body) => {
    const answer = await fetch(`${api}${path}`, {
      method,
      headers: { cookie, ...(body !== undefined && json) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  }
}
