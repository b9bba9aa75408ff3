// Preloaded into a process of a test: names are looked up at a server of the test's own.
import dns from 'node:dns'

const { TEST_DNS: server = '' } = process.env

dns.Resolver = class extends dns.Resolver {
  constructor(options?: dns.ResolverOptions) {
    super(options)
    this.setServers([server])
  }
}
