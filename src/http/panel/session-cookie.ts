// The cookies of the panel: the session, and what signing in by the provider has begun.
import type { FastifyReply, FastifyRequest } from 'fastify'

const sessionSeconds = 90 * 86_400
/** How long somebody may take to sign in at the provider. */
export const flowSeconds = 600

const isSecure = (publicUrl: string) => publicUrl.startsWith('https:')

/** With `__Host-` a browser takes it from an encrypted connection only, for this host only (RFC 6265bis, 4.1.3). */
const nameOf = (name: string, publicUrl: string) => (isSecure(publicUrl) ? `__Host-${name}` : name)

/** The token of the session; empty where there is none. */
export const sessionOf = ({ cookies }: FastifyRequest, publicUrl: string) =>
  cookies[nameOf('lastcall', publicUrl)] ?? ''

/** With null it ends in this browser. */
export function setSession(reply: FastifyReply, token: string | null, publicUrl: string): void {
  set(reply, nameOf('lastcall', publicUrl), token, sessionSeconds, isSecure(publicUrl))
}

/** What was sealed when signing in by the provider began; empty where nothing was. */
export const flowOf = ({ cookies }: FastifyRequest, publicUrl: string) =>
  cookies[nameOf('lastcall-flow', publicUrl)] ?? ''

export function setFlow(reply: FastifyReply, sealed: string | null, publicUrl: string): void {
  set(reply, nameOf('lastcall-flow', publicUrl), sealed, flowSeconds, isSecure(publicUrl))
}

function set(reply: FastifyReply, name: string, value: string | null, seconds: number, secure: boolean): void {
  const maxAge = value === null ? 0 : seconds
  // Lax: it comes along when somebody returns from the provider, by a link or a redirect, and with no form or script.
  reply.setCookie(name, value ?? '', { path: '/', httpOnly: true, sameSite: 'lax', maxAge, secure })
}
