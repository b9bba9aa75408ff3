import { isIPv6 } from 'node:net'

/**
 * Whom a rate is counted for, of the address that Fastify found behind our own proxies (`TRUST_PROXY`): of an IPv6
 * address only the network of 64 bits that one customer has.
 */
export function rateAddress(ip: string): string {
  const address = plain(ip)
  return isIPv6(address) ? network(address) : address
}

/** An IPv4 address may come in the form of IPv6; some proxies add a port, and interfaces of the machine a zone. */
function plain(written: string): string {
  const bare = /^\[(.*)\](?::\d+)?$/.exec(written)?.[1] ?? written.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')
  const address = bare.replace(/%.*$/, '').toLowerCase()
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}

function network(address: string): string {
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const rest = tail?.split(':').filter((group) => group !== '') ?? []
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length)
  return [...groups, ...Array(zeros).fill('0'), ...rest].slice(0, 4).join(':')
}
