// Visitors' addresses: as rates count them, and as they are kept.
import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The visitor that a rate is counted for, by the address that Fastify found behind our proxies (`TRUST_PROXY`). For
 * IPv6 it is the network of 64 bits that one customer has. After the end of a connection there is no address.
 */
export function rateAddress(ip = ''): string {
  const address = plain(ip)
  return isIPv6(address) ? network(address, 4) : address
}

/**
 * What a visitor's try is counted for, each with its limit. One customer may have a whole /48 of 65,536 networks, so that
 * is counted too. But the phones of one carrier may share it: what a phone's own network refuses does not count for it.
 */
export function visitorLimits(limit: number, ip = ''): [who: string, limit: number][] {
  const address = plain(ip)
  const own: [string, number] = [rateAddress(ip), limit]
  return isIPv6(address) ? [own, [network(address, 3), 16 * limit]] : [own]
}

/**
 * The part of an address that is kept so that people recognise it: the /24 of IPv4, the /48 of IPv6. If a proxy passes
 * on something else, nothing is kept: it may be as long as a header, with any text.
 */
export function shortAddress(ip = ''): string {
  const address = plain(ip)
  if (isIPv6(address)) return `${network(address, 3)}::/48`
  return isIPv4(address) ? address.replace(/\.\d+$/, '.0/24') : ''
}

/** Whether it is an address of this machine or of a network that is not the internet. */
export function isInternal(ip = ''): boolean {
  const address = plain(ip)
  return (
    ipaddr.isValid(address) &&
    /^(?:loopback|private|carrierGradeNat|uniqueLocal|linkLocal)$/.test(ipaddr.parse(address).range())
  )
}

/** An IPv4 address may be written as IPv6; some proxies add a port, and a local interface adds a zone. */
function plain(written: string): string {
  const bare = /^\[(.*)\](?::\d+)?$/.exec(written)?.[1] ?? written.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')
  const address = bare.replace(/%.*$/, '').toLowerCase()
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}

/** The first groups of 16 bits, the same for every spelling of an address. */
function network(address: string, groupCount: number): string {
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, groupCount)
  return groups.map((group) => group.toString(16)).join(':')
}
