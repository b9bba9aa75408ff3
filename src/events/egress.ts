// Where requests may go. What an address says is judged when it is saved; where a name leads, at each connection.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { endpointLimits } from '../core/events.ts'

/** What the operator allows besides the public internet, also by `http:`: CIDRs, and names. The demo's own has its port. */
export type Egress = { ranges: readonly string[]; names: readonly string[] }

/**
 * What `ipaddr.js` takes for plain unicast. Of IPv6 the public internet has 2000::/3 alone (IANA); beside it are IPv4
 * written as IPv6, NAT64 of one's own network, and overlay networks such as Yggdrasil's. The last is for documentation.
 */
export const neverRanges = ['::/3', '4000::/2', '8000::/1', '3fff::/20']

const leastPort = 1_024

/** The host as it is connected to, without the brackets of IPv6 and the dot that may end a name. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase()

/** Whether the operator has allowed this very host: a name, or an address in one of the ranges. */
export function isAllowed({ ranges, names }: Egress, url: URL): boolean {
  const host = hostOf(url)
  if (names.includes(host) || names.includes(url.host)) return true
  if (isIP(host) === 0) return false
  return isIn(host, ranges)
}

function isIn(host: string, ranges: readonly string[]): boolean {
  const address = ipaddr.process(host)
  return ranges.some((range) => {
    const [base, bits] = ipaddr.parseCIDR(range)
    return base.kind() === address.kind() && address.match(base, bits)
  })
}

/** What is wrong with an endpoint's address, in words, or nothing. */
export function urlFault(written: string, egress: Egress, publicUrl: string): string | undefined {
  // A URL is parsed without the blanks and control characters that stand in it, and would be shown with them; and
  // without slashes too many before its host, behind which a password would not be seen.
  const isPlain =
    written.length <= endpointLimits.urlCharacters && /^https?:\/\/(?!\/)[^\s\p{Cc}\p{Cs}\\]+$/iu.test(written)
  const url = isPlain ? URL.parse(written) : null
  if (url === null) {
    return `must be an absolute https: URL of at most ${endpointLimits.urlCharacters} characters`
  }
  if (/^\w+:\/\/[^/?#]*@/.test(written) || written.includes('#')) return 'must have no user name, password or fragment'
  const [host, own] = [hostOf(url), new URL(publicUrl)]
  const isOwn = host === hostOf(own) && url.protocol === own.protocol && url.port === own.port
  if (isOwn) return 'must not be an address of Lastcall itself'
  if (isAllowed(egress, url)) return undefined
  if (url.protocol !== 'https:')
    return 'must begin with https:; the operator can allow http: for a host by EGRESS_ALLOW'
  const port = Number(url.port || 443)
  if (port !== 443 && port < leastPort) return `must have port 443, or a port from ${leastPort} on`
  const isPrivate = isIP(host) !== 0 && (ipaddr.process(host).range() !== 'unicast' || isIn(host, neverRanges))
  if (isPrivate || host === 'localhost' || host.endsWith('.localhost')) {
    return 'must not lead into a private network; the operator can allow that by EGRESS_ALLOW'
  }
  return undefined
}
