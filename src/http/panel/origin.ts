import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a page of another origin asks, with which a browser may send our cookie. Browsers say so themselves
 * (Fetch Metadata). Older ones, and all of them over plain http: in a local network, name the page's origin, which
 * must be that of `publicUrl`: `Host` is whatever the client was led to. A client that is no browser says neither, and has no
 * cookie that others could use.
 */
export function isForeign(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin } = headers
  return origin !== undefined && origin !== new URL(publicUrl).origin
}
