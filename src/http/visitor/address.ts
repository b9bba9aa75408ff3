import { type BlockList, isIP, isIPv6 } from 'node:net'
import type { RequestHead } from '../exchange.ts'

/** Reverse proxies whose `X-Forwarded-For` is believed. */
export type Proxies = BlockList

/**
 * Whom a rate is counted for: the address of the first hop that is no proxy of ours, read from the end of
 * `X-Forwarded-For`, whose beginning anybody can make up. Of an IPv6 address only the network of 64 bits that
 * one customer has. It is counted in memory for a minute and kept nowhere.
 */
export function addressOf(req: RequestHead, proxies: Proxies): string {
  const forwarded = String(req.headers['x-forwarded-for'] ?? '').split(',')
  let address = plain(req.socket.remoteAddress ?? '')
  while (forwarded.length > 0 && isProxy(address, proxies)) {
    const hop = plain((forwarded.pop() as string).trim())
    if (isIP(hop) === 0) break
    address = hop
  }
  return isIPv6(address) ? network(address) : address
}

function isProxy(address: string, proxies: Proxies): boolean {
  if (isIP(address) === 0) return false
  return proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
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
