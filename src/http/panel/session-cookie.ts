// The cookies of the panel: the session, and what signing in by the provider has begun.
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** How long somebody may take to sign in at the provider. */
export const flowSeconds = 600

/** The token of the session. */
export const sessionCookie = cookie('lastcall', 90 * 86_400)
/** What was sealed when signing in by the provider began. */
export const flowCookie = cookie('lastcall-flow', flowSeconds)

function cookie(name: string, seconds: number) {
  const isSecure = (publicUrl: string) => publicUrl.startsWith('https:')
  /**
   * With `__Host-` a browser takes it from an encrypted connection only, for this host only (RFC 6265bis, 4.1.3). Each
   * installation of a host has its own: cookies know no ports, and this path is that of all.
   */
  const nameAt = (publicUrl: string) =>
    `${isSecure(publicUrl) ? '__Host-' : ''}${name}-${hash('sha256', publicUrl).slice(0, 8)}`
  return {
    /** Empty where there is none. */
    read: ({ cookies }: FastifyRequest, publicUrl: string) => cookies[nameAt(publicUrl)] ?? '',
    /** With null it ends in this browser. */
    write(reply: FastifyReply, value: string | null, publicUrl: string): void {
      const maxAge = value === null ? 0 : seconds
      const secure = isSecure(publicUrl)
      // Lax: it comes along when somebody returns from the provider, by a link or a redirect, and with no form or script.
      reply.setCookie(nameAt(publicUrl), value ?? '', { path: '/', httpOnly: true, sameSite: 'lax', maxAge, secure })
    },
  }
}
