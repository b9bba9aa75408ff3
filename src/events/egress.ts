// Where requests may go. A URL is checked when it is saved; the addresses of its name, at each connection.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { endpointLimits } from '../core/events.ts'
import { unseenIn } from '../core/web-address.ts'

/** What the operator allows besides the public internet, also by `http:`: CIDRs, and names. The demo's own has its port. */
export type Egress = { ranges: readonly string[]; names: readonly string[] }

/**
 * Ranges that `ipaddr.js` calls plain unicast but that are not public. Public IPv6 is only 2000::/3 (IANA); outside it
 * are IPv4 written as IPv6, local NAT64, and overlay networks such as Yggdrasil. The last one is for documentation.
 */
export const neverRanges = ['::/3', '4000::/2', '8000::/1', '3fff::/20']

const leastPort = 1_024

/** The host as it is connected to, without the brackets of IPv6 and the dot that may end a name. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase()

/** Whether the operator has allowed this host: by its name, or by a range that has its address. */
export function isAllowed({ ranges, names }: Egress, url: URL): boolean {
  const host = hostOf(url)
  return names.includes(host) || names.includes(url.host) || isIn(host, ranges)
}

function isIn(host: string, ranges: readonly string[]): boolean {
  if (isIP(host) === 0) return false
  const inside = ranges.map((range) => ipaddr.parseCIDR(range))
  return ipaddr.subnetMatch(ipaddr.process(host), { inside }, 'outside') === 'inside'
}

/** What is wrong with an endpoint's address, in words, or nothing. */
export function urlFault(written: string, egress: Egress, publicUrl: string): string | undefined {
  // The URL parser drops blanks and control characters, which would be shown; and extra slashes before the host, which
  // would hide a password from the check below.
  const isShort = written.length <= endpointLimits.urlCharacters
  const unseen = isShort ? unseenIn(written) : undefined
  if (unseen !== undefined) return `must be without the invisible character U+${unseen}`
  const url = isShort && /^https?:\/\/(?!\/)[^ \\]+$/i.test(written) ? URL.parse(written) : null
  if (url === null) {
    return `must be an absolute https: URL of at most ${endpointLimits.urlCharacters} characters`
  }
  if (/^\w+:\/\/[^/?#]*@/.test(written) || written.includes('#')) return 'must have no user name, password or fragment'
  const [host, own] = [hostOf(url), new URL(publicUrl)]
  const isOwnHost = host === hostOf(own) && url.protocol === own.protocol && url.port === own.port
  // If Lastcall is below a path, the rest of the host may be somebody else's.
  const isOwn = isOwnHost && `${url.pathname}/`.startsWith(`${own.pathname}/`.replace(/\/\/$/, '/'))
  if (isOwn) return 'must not be an address of Lastcall itself'
  if (isAllowed(egress, url)) return undefined
  if (url.protocol !== 'https:')
    return 'must begin with https:; the operator can allow http: for a host by EGRESS_ALLOW'
  const port = Number(url.port || 443)
  if (port !== 443 && port < leastPort) return `must have port 443, or a port from ${leastPort} on`
  if (/^::ffff:/i.test(host)) return 'must have its IPv4 address written as IPv4'
  const isPrivate = isIP(host) !== 0 && (ipaddr.process(host).range() !== 'unicast' || isIn(host, neverRanges))
  if (isPrivate || host === 'localhost' || host.endsWith('.localhost')) {
    return 'must not lead into a private network; the operator can allow that by EGRESS_ALLOW'
  }
  return undefined
}
