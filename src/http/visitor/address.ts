import { isIPv6 } from 'node:net'

/**
 * The visitor that a rate is counted for, by the address that Fastify found behind our proxies (`TRUST_PROXY`). For
 * IPv6 it is the network of 64 bits that one customer has. After the end of a connection there is no address.
 */
export function rateAddress(ip = ''): string {
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
