// Preloaded into a process of a test: names are looked up at a server of the test's own.
import dns from 'node:dns'
import { readFileSync } from 'node:fs'

/** A file with its address, read as resolv.conf is: once by each resolver. */
const { TEST_DNS: file = '' } = process.env

dns.Resolver = class extends dns.Resolver {
  constructor(options?: dns.ResolverOptions) {
    super(options)
    this.setServers([readFileSync(file, 'utf8')])
  }
}
