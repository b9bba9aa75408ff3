// PostgreSQL goes on, but is slow: bounded waits. A file of its own, since it wants the machine for itself: `npm test`
// leaves it out.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { amount, isFull, someOf } from '../../support/faults.ts'
import { installation, type Server } from '../../support/lastcall.ts'
import { isReady, type OwnerOnPostgres, ownerOn, post } from '../../support/owner-on-postgres.ts'
import { comesTrue } from '../../support/prepared.ts'
import { sharedCluster } from '../../support/shared-postgres.ts'

async function list(server: Server, { key }: OwnerOnPostgres) {
  const startedAt = performance.now()
  const answer = await fetch(`${server.base}/campaigns`, { headers: { authorization: `Bearer ${key}` } })
  await answer.arrayBuffer()
  return { status: answer.status, milliseconds: performance.now() - startedAt }
}

/** The way to this database on which each answer takes `delayMs` longer, once it is `slow`. */
async function slowWay(t: TestContext, url: string, delayMs: number) {
  const { port, hostname } = new URL(url)
  const way = { url: '', slow: false }
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    client.on('error', () => server.destroy()).on('close', () => server.destroy())
    server.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.pipe(server)
    server.on('data', (bytes) => setTimeout(() => client.write(bytes), way.slow ? delayMs : 0))
  })
    .listen(0, '127.0.0.1')
    .unref()
  await once(proxy, 'listening')
  t.after(async () => void proxy.close())
  const slow = new URL(url)
  slow.port = String((proxy.address() as AddressInfo).port)
  slow.hostname = '127.0.0.1'
  way.url = slow.href
  return way
}

// Asked for once: all tests copy the owner that the first of them has made on it.
const cluster = sharedCluster()

// With 275 ms a request gets to what it is about, with 400 to its rate, with 500 hardly further than its key.
// Each waits most of the time, so that two of them run side by side.
describe('slow', { concurrency: !isFull }, () => {
  for (const delayMs of someOf([275, 400, 500], 1))
    test(`slow by ${delayMs} ms for each answer: every request that waits gets 503 within a second, whatever was asked before it`, {
      timeout: 60_000,
    }, async (t) => {
      const me = await ownerOn(await cluster)
      const way = await slowWay(t, me.url, delayMs)
      /** Milliseconds of the longest of three rounds at a server of its own. */
      const longest = async (name: string) => {
        const server = await installation(t).serve(['--rate-limit', '1000000'], { DATABASE_URL: way.url })
        assert.equal((await post(server, me, 'leads', `before-${name}@example.com`)).status, 201)
        way.slow = true
        await sleep(1_500)
        const times: number[] = []
        for (let round = 0; round < 3; round += 1) {
          const asked = Array.from({ length: amount(10, 20) }, (_, n) =>
            post(server, me, n % 2 === 0 ? 'leads' : 'leads/lookup', `slow-${name}-${round}-${n}@example.com`),
          )
          for (const { status, milliseconds } of await Promise.all([...asked, list(server, me)])) {
            assert.ok([200, 201, 404, 503].includes(status), String(status))
            times.push(milliseconds)
          }
        }
        way.slow = false
        assert.ok(await comesTrue(10_000, () => isReady(server)))
        assert.equal((await post(server, me, 'leads', `after-${name}@example.com`)).status, 201)
        await server.stop()
        return Math.max(...times)
      }
      // A second of waiting, and what a busy machine takes to say so.
      const isSoon = (milliseconds: number) => milliseconds < 1_300
      const first = await longest('first')
      // Other tests may have had the processors. A server that has been slow for long gives up sooner: once more with a new one.
      const last = isSoon(first) ? first : await longest('second')
      assert.ok(isSoon(last), `${first} and ${last} ms`)
    })
})
