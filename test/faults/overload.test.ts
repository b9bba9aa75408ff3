// More than a process can take: the API sheds with 503, probes and what recipients open answer as ever, and it lives.
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { amount, isFull } from '../support/faults.ts'
import type { Installation, Server } from '../support/lastcall.ts'
import { newLedger, type Told } from '../support/ledger.ts'
import { comesTrue, prepared } from '../support/prepared.ts'
import { assertError, assertGood, message, onlyAnswer } from '../support/wire.ts'

/** What Linux makes of it where Node reads the process's memory and there is no free file descriptor. */
const withoutDescriptor = `process.memoryUsage = () => {
  throw Object.assign(new Error('too many open files'), { code: 'EMFILE' })
}`
const preloads = [
  import.meta.resolve('../support/late-loop.ts'),
  `data:text/javascript,${encodeURIComponent(withoutDescriptor)}`,
]

test('overload', { timeout: 300_000 }, async (t) => {
  const origin = await prepared(t)
  const bearer = `Authorization: Bearer ${origin.key}`
  const json = 'Content-Type: application/json'
  const campaigns = '/api/public/v1/campaigns'
  const leads = `${campaigns}/${origin.campaignId}/leads`
  const list = message('GET', campaigns, [bearer])

  type Running = { place: Installation; server: Server; late: string }
  async function begun(t: TestContext): Promise<Running> {
    const place = origin.copy(t)
    const late = join(place.folder, 'late')
    const server = await place.serve(['--rate-limit', '1000000000'], {
      NODE_OPTIONS: preloads.map((preload) => `--import=${preload}`).join(' '),
      TEST_LATE_LOOP_FILE: late,
    })
    return { place, server, late }
  }
  let ours: Promise<Running> | undefined
  /** In the short form one server meets all, one after the other: most of a test is the start of a server. */
  function start(own: TestContext): Promise<Running> {
    if (isFull) return begun(own)
    ours ??= begun(t)
    return ours
  }
  async function stop(server: Server): Promise<void> {
    if (isFull) assert.equal(await server.stop(), 0)
  }

  const isShed = ({ status, body }: Told) => status === 503 && body.code === 'SERVICE_UNAVAILABLE'

  await t.test('after one stall everybody who waited is answered, and a second later all is as before', async (t) => {
    const { place, server } = await start(t)
    const ledger = newLedger(place, origin)
    await ledger.register(server, 'before@example.com')
    server.process.kill('SIGSTOP')
    const waiting = Array.from({ length: 200 }, (_, n) =>
      n % 2
        ? ledger.post(server, 'leads/lookup', 'before@example.com')
        : ledger.register(server, `waits-${n}@example.com`, isShed),
    )
    const all = Promise.all(waiting)
    all.catch(() => {}) // looked at below
    await sleep(2_500)
    server.process.kill('SIGCONT')
    for (const { status } of await all) assert.ok([200, 201, 503].includes(status), String(status))
    // A stall that falls on the begin of a sample looks like overload until the next one.
    await sleep(1_500)
    await ledger.register(server, 'after@example.com')
    await ledger.assertKept(server)
    await ledger.assertBook()
    await stop(server)
  })

  await t.test('an event loop that is late all the time: 503 of the API, and nothing else changes', async (t) => {
    const { server, late } = await start(t)
    const ask = (target: string, headers: string[] = []) =>
      onlyAnswer(server.port, [message('GET', target, [...headers, 'Connection: close'])], {
        timeoutMs: 30_000,
      })
    const statusOf = async (target: string) => (await fetch(server.origin + target)).status
    const others = ['/healthz', '/metrics', '/api/public/v1/openapi.json', '/go/1/x', '/timer/en/x.gif']
    const before = await Promise.all(others.map(statusOf))
    assertGood(await ask(campaigns, [bearer]), 200)
    writeFileSync(late, '')
    await sleep(5_000)
    const [refused, unknown, ...statuses] = await Promise.all([
      ask(campaigns, [bearer]),
      ask(`${campaigns}/nowhere`),
      ...others.map(statusOf),
    ])
    assertError(refused, 503, 'SERVICE_UNAVAILABLE')
    assertError(unknown, 503, 'SERVICE_UNAVAILABLE')
    assert.deepEqual(statuses, before)
    rmSync(late)
    const recovers = async () => (await ask(campaigns, [bearer])).status === 200
    assert.ok(await comesTrue(15_000, recovers), 'it does not recover')
    await stop(server)
  })

  await t.test('without a free file descriptor the server lives, and serves those who are connected', async (t) => {
    const { server } = await start(t)
    await sleep(2_500)
    assertGood(await onlyAnswer(server.port, [message('GET', campaigns, [bearer, 'Connection: close'])]), 200)
    await stop(server)
  })

  const body = (n: number) => JSON.stringify({ email: `hostile-${n}@example.com` })
  const many = Array.from({ length: 1_000 }, (_, n) => `a${n}:${n}`).join('\r\n')
  const registrations = amount(500, 1_500)
  /** What a hostile connection sends, and how many of them there are. */
  const hostile: Record<string, [connections: number, bytes: (n: number) => string]> = {
    'requests in long pipelines': [8, () => list.repeat(amount(1_000, 3_000))],
    'tiny requests in long pipelines': [8, () => 'GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(amount(10_000, 30_000))],
    'registrations in long pipelines': [
      8,
      (n) =>
        Array.from({ length: registrations }, (_, m) =>
          message('POST', leads, [bearer, json], body(n * registrations + m)),
        ).join(''),
    ],
    'heads of 8 kB without an end': [amount(200, 2_000), () => `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(8_000)}`],
    'a thousand headers, and half a body': [
      amount(200, 2_000),
      () => message('POST', leads, [bearer, json, 'Content-Length: 9000', many]) + 'x'.repeat(500),
    ],
    'silent connections': [amount(500, 2_000), () => ''],
  }
  await t.test('hostile connections of every kind: it lives, and recovers', async (t) => {
    const { place, server } = await start(t)
    const ledger = newLedger(place, origin)
    for (const [name, [connections, bytes]] of Object.entries(hostile)) {
      let isOver = false
      const honest = ledger.load({
        servers: [server],
        clients: amount(2, 4),
        isOver: () => isOver,
        tolerates: isShed,
        mayBreak: () => true,
        mayHang: true,
      })
      honest.catch(() => {}) // looked at below
      const sockets = await attack(server.port, connections, bytes)
      await sleep(amount(250, 8_000))
      for (const socket of sockets) socket.destroy()
      const email = `after-${name.replaceAll(/\W+/g, '-')}@example.com`
      const isServed = async () => {
        const told = await ledger.register(server, email, isShed).catch(() => undefined)
        return told !== undefined && told.status < 300
      }
      const recovers = await comesTrue(60_000, isServed)
      isOver = true
      assert.ok(recovers, `${name}: it does not recover`)
      await honest
      const { exitCode, signalCode } = server.process
      assert.deepEqual([exitCode, signalCode], [null, null], `${name}: ${server.output().slice(-500)}`)
    }
    await ledger.assertKept(server, ledger.answered())
    assert.equal(await server.stop(), 0)
  })

  async function attack(port: number, connections: number, bytes: (n: number) => string): Promise<Socket[]> {
    const sockets: Socket[] = []
    for (let n = 0; n < connections; n += 1) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.pause()
      socket.write(bytes(n))
      sockets.push(socket)
      if (n % 250 === 249) await sleep(20)
    }
    return sockets
  }
})
