import type { RequestHead } from '../exchange.ts'

const longestSeconds = 90 * 86_400

/** With `__Host-` a browser takes it from an encrypted connection only, for this host only (RFC 6265bis, 4.1.3). */
function nameOf(isSecure: boolean): string {
  return isSecure ? '__Host-lastcall' : 'lastcall'
}

/** The token in the request's cookies; empty where there is none. */
export function readSessionCookie({ headers }: RequestHead, isSecure: boolean): string {
  const start = `${nameOf(isSecure)}=`
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length) ?? ''
}

/** `Set-Cookie` that keeps the token, or with null forgets it. */
export function sessionCookie(token: string | null, isSecure: boolean): string {
  const age = token === null ? 0 : longestSeconds
  const secure = isSecure ? '; Secure' : ''
  return `${nameOf(isSecure)}=${token ?? ''}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}${secure}`
}
