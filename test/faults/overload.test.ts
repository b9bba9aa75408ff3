// More than a process can take: it sheds with 503 where an answer can be sent, serves those who waited, and lives.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { amount } from '../support/faults.ts'
import { newLedger, type Told } from '../support/ledger.ts'
import { eventually, prepared } from '../support/prepared.ts'
import { engine } from '../support/test-database.ts'
import { assertError, assertGood, header, message, type Wire, wire } from '../support/wire.ts'

test('overload', { timeout: 300_000 }, async (t) => {
  const origin = await prepared(t)
  const bearer = `Authorization: Bearer ${origin.key}`
  const json = 'Content-Type: application/json'
  const campaigns = '/api/public/v1/campaigns'
  const leads = `${campaigns}/${origin.campaignId}/leads`
  const list = message('GET', campaigns, [bearer])
  const unlimited = ['--rate-limit', '1000000000']

  await t.test('the event loop stalls: everyone who waited is served', async (t) => {
    const place = origin.copy(t)
    const server = await place.serve(unlimited)
    const ledger = newLedger(place, origin)
    await ledger.register(server, 'before@example.com')
    server.process.kill('SIGSTOP')
    const waiting = Array.from({ length: 200 }, (_, n) =>
      n % 2
        ? ledger.post(server, 'leads/lookup', 'before@example.com')
        : ledger.register(server, `waits-${n}@example.com`),
    )
    const all = Promise.all(waiting)
    all.catch(() => {}) // looked at below
    await sleep(2_500)
    server.process.kill('SIGCONT')
    for (const { status } of await all) assert.ok(status === 200 || status === 201, String(status))
    await ledger.register(server, 'after@example.com')
    await ledger.assertKept(server)
    await ledger.assertBook()
    assert.ok(await eventually(2_000, async () => (await fetch(`${server.origin}/readyz`)).status === 200))
  })

  await t.test('the file descriptors are used up: new ones get 503, the others are served', async (t) => {
    const place = origin.copy(t)
    const server = await place.serve(unlimited, {}, { openFiles: 192 })
    const lines: Wire[] = []
    const statuses = new Map<number, number>()
    const count = (status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1)
    for (let n = 0; n < 400; n += 1) {
      const line = await wire(server.port)
      lines.push(line)
      await line.send(list)
      const [answer] = await line.answers(1, ['GET'], 5_000).catch(() => [])
      if (answer === undefined) {
        count(0)
        continue
      }
      count(answer.status)
      if (answer.status === 503) {
        assertError(answer, 503, 'SERVICE_UNAVAILABLE')
        assert.equal(header(answer, 'connection')?.toLowerCase(), 'close')
      } else assertGood(answer, 200)
    }
    const told = JSON.stringify([...statuses])
    assert.ok((statuses.get(200) ?? 0) >= 100, `${told}: too few were served`)
    assert.ok((statuses.get(503) ?? 0) >= 100, `${told}: too few were told`)
    const first = lines[0] as Wire
    await first.send(message('POST', leads, [bearer, json], '{"email":"waits@example.com"}'))
    assertGood((await first.answers(2, ['GET', 'POST']))[1], 201)
    for (const line of lines) line.destroy()
    assert.ok(await eventually(3_000, async () => (await fetch(`${server.origin}/readyz`)).status === 200))
    assert.equal((await newLedger(place, origin).register(server, 'after@example.com')).status, 201)
    assert.equal(await server.stop(), 0)
  })

  const body = (n: number) => JSON.stringify({ email: `hostile-${n}@example.com` })
  const manyNames = Array.from({ length: 1_500 }, (_, n) => `a${n.toString(36)}:${n.toString(36)}`).join('\r\n')
  /** What a hostile connection sends, and how many of them there are. */
  const hostile: Record<string, [connections: number, bytes: (n: number) => string]> = {
    'requests in long pipelines': [300, () => list.repeat(3_000)],
    'tiny requests in long pipelines': [300, () => 'GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(30_000)],
    'registrations in long pipelines': [
      200,
      (n) =>
        Array.from({ length: 1_500 }, (_, m) => message('POST', leads, [bearer, json], body(n * 1_500 + m))).join(''),
    ],
    'headers that do not end': [1_500, () => `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(16_000)}`],
    'thousands of headers, and half a body': [
      1_500,
      () =>
        `${message('POST', leads, [bearer, json, 'Content-Length: 9000', manyNames]).slice(0, -2)}\r\n${'x'.repeat(500)}`,
    ],
    'half bodies': [3_000, () => message('POST', leads, [bearer, json, 'Content-Length: 16000']) + 'x'.repeat(15_000)],
    'silent connections': [6_000, () => ''],
  }
  const isShed = ({ status, body }: Told) => status === 503 && body.code === 'SERVICE_UNAVAILABLE'
  const few = engine === 'sqlite' ? [0, 1, 3, 5] : [0, 5]
  const chosen = Object.entries(hostile).filter((_, index) => amount(0, 1) === 1 || few.includes(index))
  for (const [name, [connections, bytes]] of chosen)
    await t.test(`with 128 MB of heap, ${connections} times ${name}: it lives, and recovers`, async (t) => {
      const place = origin.copy(t)
      const server = await place.serve(unlimited, { NODE_OPTIONS: '--max-old-space-size=128' })
      const ledger = newLedger(place, origin)
      let isOver = false
      const honest = ledger.load({
        servers: [server],
        clients: 4,
        isOver: () => isOver,
        tolerates: isShed,
        mayBreak: () => true,
        mayHang: true,
      })
      honest.catch(() => {}) // looked at below
      const sockets = await attack(server.port, connections, bytes)
      await sleep(amount(2_500, 8_000))
      for (const socket of sockets) socket.destroy()
      let recovered = 0
      const recovers = async () => {
        const told = await ledger.register(server, `recovered-${recovered}@example.com`, isShed).catch(() => {})
        if (told?.status === 201) recovered += 1
        return recovered === 20
      }
      const isRecovered = await eventually(60_000, recovers)
      isOver = true
      assert.ok(isRecovered, 'it does not recover')
      await honest
      assert.deepEqual([server.process.exitCode, server.process.signalCode], [null, null], server.output().slice(-500))
      assert.equal((await ledger.register(server, 'after@example.com')).status, 201)
      await ledger.assertKept(server, ledger.answered())
      assert.equal(await server.stop(), 0)
    })

  async function attack(port: number, connections: number, bytes: (n: number) => string): Promise<Socket[]> {
    const sockets: Socket[] = []
    for (let n = 0; n < connections; n += 1) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.resume()
      socket.write(bytes(n))
      sockets.push(socket)
      if (n % 250 === 249) await sleep(20)
    }
    return sockets
  }
})
