// A user of the panel without a browser: calls of its API behind a session.
import assert from 'node:assert/strict'
import type { Role } from '../../src/core/role.ts'
import { type Installation, installation, type Server } from './lastcall.ts'
import { processScope } from './process-scope.ts'
import { createUser } from './users.ts'
import { shelveUsualTemplates } from './usual-templates.ts'

export type PanelAnswer = { status: number; body: any }
export type PanelSession = (name: string, path: string, body?: unknown) => Promise<PanelAnswer>

const json = { 'content-type': 'application/json' }

export const emailOf = (accountId: number, role: Role) =>
  `${role === 'owner' ? 'user' : role}-of-${accountId}@example.com`

type Serving = { place: Installation; server: Server }
let plain: Promise<Serving> | undefined
let inHttps: Promise<Serving> | undefined

/**
 * A server without any setting but that it is behind a proxy, for all files of the process: for tests whose accounts
 * and emails are their own.
 */
export async function plainServer(): Promise<Serving> {
  plain ??= startShared({})
  return await plain
}

/** The same below https://example.com/lastcall. */
export async function httpsServer(): Promise<Serving> {
  inHttps ??= startShared({ PUBLIC_URL: 'https://example.com/lastcall' })
  return await inHttps
}

/** Behind a proxy, and with the templates of the usual style. */
export async function startShared(settings: Record<string, string>): Promise<Serving> {
  const place = installation(processScope)
  await place.arrange(shelveUsualTemplates)
  return { place, server: await place.serve([], { TRUST_PROXY: '127.0.0.1', ...settings }) }
}

/** Makes a user of the account and signs in; `await ask('POST', '/keys', { name: 'shop' })`. */
export async function panelSession(
  place: Pick<Installation, 'arrange'>,
  server: Server,
  accountId: number,
  role: Role = 'owner',
): Promise<PanelSession> {
  const user = { email: emailOf(accountId, role), password: 'long enough for a test' }
  await place.arrange((store) => createUser(store, accountId, { ...user, role }))
  return sessionOf(server, { ...user, accountId })
}

/** Signs in a user who is there: another session of theirs. */
export async function sessionOf(
  server: Server,
  { email, password, accountId }: { email: string; password: string; accountId: number },
): Promise<PanelSession> {
  const api = `${server.origin}/panel/api`
  // An address may sign in thirty times a minute: where there is a proxy, each account has one of its own.
  const from = `198.18.${(accountId >> 8) & 255}.${accountId & 255}`
  const signedIn = await fetch(`${api}/session`, {
    method: 'POST',
    headers: { ...json, 'x-forwarded-for': from },
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
