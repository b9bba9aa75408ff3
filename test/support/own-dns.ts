// Preloaded into a process of a test: names are looked up at a server of the test's own.
import dns from 'node:dns'
import { readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

/** A file with its address, read as resolv.conf is: once by each resolver. */
const { TEST_DNS: file = '', TEST_INTERFACES } = process.env

dns.promises.Resolver = class extends dns.promises.Resolver {
  constructor(options?: dns.ResolverOptions) {
    super(options)
    this.setServers([readFileSync(file, 'utf8')])
  }
}

/** The machine has an address of IPv4 beside others, or none, or a sandbox does not let it ask. */
const { networkInterfaces } = os
const address = { address: '192.0.2.1', netmask: '255.255.255.0', mac: '', internal: false, cidr: null }
os.networkInterfaces = () => {
  if (TEST_INTERFACES === 'hidden') throw new Error('uv_interface_addresses')
  return TEST_INTERFACES === 'IPv6' ? {} : { ...networkInterfaces(), own: [{ ...address, family: 'IPv4' }] }
}
syncBuiltinESMExports()
