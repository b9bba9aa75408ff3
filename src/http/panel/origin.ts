import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a page of another origin asks: a browser would send our cookie along. Browsers say so themselves
 * (Fetch Metadata), and older ones name the page's origin. A client that is no browser says neither, and has no
 * cookie that others could use.
 */
export function isForeign(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin, host } = headers
  if (origin === undefined) return false
  if (!URL.canParse(origin)) return true
  return origin !== new URL(publicUrl).origin && new URL(origin).host !== host
}
