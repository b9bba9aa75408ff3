// SIGTERM and SIGINT: what has arrived is answered, what comes later is not taken, and the end is near.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { whileLocked } from '../support/locked.ts'
import { eventually, prepared } from '../support/prepared.ts'
import { engine } from '../support/test-database.ts'
import {
  accepts,
  assertError,
  assertGood,
  assertProtocolRefusal,
  header,
  message,
  type Piece,
  type Wire,
  type WireAnswer,
  wire,
} from '../support/wire.ts'

test('draining', { concurrency: 4, timeout: 400_000 }, async (t) => {
  const origin = await prepared(t)
  const bearer = `Authorization: Bearer ${origin.key}`
  const campaigns = '/api/public/v1/campaigns'
  const leads = `${campaigns}/${origin.campaignId}/leads`
  const good = message('GET', campaigns, [bearer])
  const register = (email: string) =>
    message('POST', leads, [bearer, 'Content-Type: application/json'], JSON.stringify({ email }))

  async function start(t: TestContext) {
    const place = origin.copy(t)
    const server = await place.serve(['--rate-limit', '1000000'])
    const { process } = server
    let signalledAt = Number.NaN
    const exited = once(process, 'exit') as Promise<[number | null, string | null]>
    return {
      place,
      port: server.port,
      process,
      /** A connection on which these bytes have arrived. */
      async open(...pieces: Piece[]): Promise<Wire> {
        const line = await wire(server.port)
        await line.send(...pieces)
        return line
      },
      /** Until the server has read what was sent to it before. */
      async hasRead() {
        for (let n = 0; n < 2; n += 1) await (await fetch(`${server.origin}/healthz`)).text()
      },
      signal(name: 'SIGTERM' | 'SIGINT' = 'SIGTERM') {
        signalledAt = Date.now()
        process.kill(name)
      },
      /** Until the server has heard the signal. */
      async isDraining() {
        while (await accepts(server.port)) await sleep(10)
      },
      /** Fails unless it exits 0 in time after the signal; gives the milliseconds. */
      async exits(): Promise<number> {
        const [code, signal] = await Promise.race([
          exited,
          sleep(15_000, [undefined, 'still running'] as const, { ref: false }),
        ])
        assert.deepEqual([code, signal], [0, null], server.output().slice(-500))
        const tookMs = Date.now() - signalledAt
        // It gives itself nine seconds; the rest is what a busy machine takes.
        assert.ok(tookMs < 13_000, `it took ${tookMs} ms`)
        return tookMs
      },
      registered: async (email: string) =>
        (await place.run(['lead', 'show', '--campaign', String(origin.campaignId), '--email', email])).code === 0,
    }
  }
  type Running = Awaited<ReturnType<typeof start>>
  const tests: Promise<void>[] = []
  const check = (name: string, body: (running: Running) => Promise<void>) => {
    tests.push(t.test(name, async (t) => body(await start(t))))
  }
  const assertClosing = (answer: WireAnswer | undefined) =>
    assert.equal(answer && header(answer, 'connection')?.toLowerCase(), 'close')
  const assertLate = (answer: WireAnswer | undefined) => {
    assertError(answer, 503, 'SERVICE_UNAVAILABLE')
    assertClosing(answer)
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    check(`${signal} with nothing to do`, async ({ signal: send, exits, port }) => {
      await sleep(500)
      send(signal)
      assert.ok((await exits()) < 5_000)
      assert.equal(await accepts(port), false)
    })
    check(`${signal} as soon as it says that it listens`, async ({ signal: send, exits }) => {
      send(signal)
      await exits()
    })
  }

  check('no new connections, and the open ones end', async ({ open, hasRead, signal, isDraining, exits }) => {
    const idle = await open(good)
    assertGood((await idle.answers(1))[0], 200)
    const silent = await open()
    const half = await open(register('half@example.com').slice(0, -5))
    await hasRead()
    signal()
    await isDraining()
    half.destroy()
    await exits()
    assert.equal((await idle.untilEnded()).answers.length, 1)
    assert.ok((await silent.untilEnded()).answers.length <= 1)
  })

  check(
    'headers that are complete only later: 503, and the connection closes',
    async ({ open, signal, exits, hasRead, isDraining }) => {
      const halves = await Promise.all([open(good.slice(0, 30)), open(register('late@example.com').slice(0, 40))])
      await hasRead()
      signal()
      await isDraining()
      await halves[0].send(good.slice(30))
      await halves[1].send(register('late@example.com').slice(40))
      for (const half of halves) {
        const { answers, ending } = await half.untilEnded()
        assert.equal(answers.length, 1)
        assertLate(answers[0])
        assert.notEqual(ending, 'open')
      }
      await exits()
    },
  )

  check('headers that are never complete', async ({ open, signal, exits, hasRead }) => {
    const halves = await Promise.all(['G', good.slice(0, 30), good + good.slice(0, 30)].map((bytes) => open(bytes)))
    await hasRead()
    signal()
    await exits()
    for (const [n, half] of halves.entries()) {
      const { answers } = await half.untilEnded()
      assert.ok(answers.length <= (n === 2 ? 2 : 1))
      if (n < 2 && answers[0]) assertProtocolRefusal(answers[0], 408, 400, 503)
    }
  })

  check('a later request on a connection that had answers before', async ({ open, signal, exits, isDraining }) => {
    const lines = await Promise.all(Array.from({ length: 5 }, () => open(good)))
    for (const line of lines) await line.answers(1)
    signal()
    await isDraining()
    for (const line of lines) {
      const open = !line.ended()
      await line.send(register('later@example.com'))
      const { answers } = await line.untilEnded()
      // One that was closed by then owes nothing; the others owe a 503.
      assert.equal(answers.length, open ? 2 : 1)
      if (open) assertLate(answers[1])
    }
    await exits()
  })

  check('a body that comes within five seconds is answered as usual', async (running) => {
    const { open, signal, exits, registered, hasRead } = running
    const bytes = register('within@example.com')
    const line = await open(bytes.slice(0, -10))
    await hasRead()
    signal()
    await sleep(2_000)
    await line.send(bytes.slice(-10))
    const { answers } = await line.untilEnded()
    assert.equal(answers.length, 1)
    assertGood(answers[0], 201)
    assertClosing(answers[0])
    await exits()
    assert.ok(await registered('within@example.com'))
  })

  check('a body that does not come within five seconds: 503', async (running) => {
    const { open, signal, exits, registered, hasRead } = running
    const bytes = register('without@example.com')
    const chunked = message('POST', leads, [bearer, 'Content-Type: application/json', 'Transfer-Encoding: chunked'])
    const asked = message('POST', leads, [
      bearer,
      'Content-Type: application/json',
      'Content-Length: 40',
      'Expect: 100-continue',
    ])
    const lines = await Promise.all([bytes.slice(0, -10), chunked, asked].map((half) => open(half)))
    await hasRead()
    const before = Date.now()
    signal()
    for (const line of lines) {
      const { answers, ending } = await line.untilEnded()
      const tookMs = Date.now() - before
      assert.equal(answers.length, 1)
      assertLate(answers[0])
      assert.notEqual(ending, 'open')
      assert.ok(tookMs > 4_000 && tookMs < 8_000, `after ${tookMs} ms`)
    }
    await exits()
    assert.ok(!(await registered('without@example.com')))
  })

  check(
    'a pipeline: what has arrived is answered, what is behind it is late',
    async ({ open, signal, exits, isDraining }) => {
      const bytes = register('pipe@example.com')
      const line = await open(good + bytes.slice(0, -10))
      await line.answers(1)
      signal()
      await isDraining()
      await line.send(bytes.slice(-10) + good)
      const { answers } = await line.untilEnded()
      assertGood(answers[0], 200)
      assertGood(answers[1], 201)
      if (header(answers[1] as WireAnswer, 'connection')?.toLowerCase() !== 'close') assertLate(answers[2])
      await exits()
    },
  )

  check('a pipeline that stands in line at the signal is answered to its end', async (running) => {
    const { open, signal, exits, registered } = running
    const emails = Array.from({ length: 300 }, (_, n) => `line-${n}@example.com`)
    // On PostgreSQL each is a round trip, and stopping ends in time.
    const inLine = engine === 'sqlite' ? 3_000 : 200
    const few = await open()
    const many = await open()
    await Promise.all([few.send(emails.map(register).join('')), many.send(good.repeat(inLine))])
    while (few.bytes().length === 0 || many.bytes().length === 0) await sleep(1)
    signal()
    for (const [line, count, status] of [
      [few, emails.length, 201],
      [many, inLine, 200],
    ] as const) {
      const { answers, ending } = await line.untilEnded()
      assert.equal(answers.length, count)
      for (const answer of answers) assertGood(answer, status)
      assertClosing(answers.at(-1))
      assert.equal(ending, 'closed')
    }
    await exits()
    assert.ok(await registered(emails.at(-1) as string))
  })

  check('many registrations in flight: each answered one is kept', async (running) => {
    const { open, signal, exits, place } = running
    const emails = Array.from({ length: 60 }, (_, n) => `flight-${n}@example.com`)
    const lines = await Promise.all(emails.map(() => open(good)))
    for (const line of lines) await line.answers(1) // so that each is a connection that the server has taken
    for (const [n, line] of lines.entries()) void line.send(register(emails[n] as string))
    signal()
    const kept: string[] = []
    for (const [n, line] of lines.entries()) {
      const { answers } = await line.untilEnded()
      assert.equal(answers.length, 2, 'a request on an open connection was not answered')
      if (answers[1]?.status === 503) assertLate(answers[1])
      else {
        assertGood(answers[1], 201)
        kept.push(emails[n] as string)
      }
    }
    await exits()
    const args = ['lead', 'list', '--campaign', String(origin.campaignId)]
    const stored = (await place.json<{ email: string }[]>(args)).map(({ email }) => email)
    for (const email of kept) assert.ok(stored.includes(email), `${email} is lost`)
  })

  check('a registration that waits for the database', async ({ open, signal, exits, place }) => {
    let line: Wire | undefined
    await whileLocked(place, async () => {
      line = await open(register('waits@example.com'))
      await sleep(150)
      signal()
      await sleep(150)
    })
    const { answers } = await (line as Wire).untilEnded()
    assert.equal(answers.length, 1)
    if (answers[0]?.status !== 201) assertLate(answers[0])
    await exits()
  })

  check('further signals change nothing', async ({ open, signal, process, exits, registered, hasRead }) => {
    const bytes = register('stubborn@example.com')
    const line = await open(bytes.slice(0, -10))
    await hasRead()
    signal()
    for (const again of ['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGINT', 'SIGINT'] as const) {
      await sleep(300)
      process.kill(again)
    }
    await line.send(bytes.slice(-10))
    const { answers } = await line.untilEnded()
    assertGood(answers[0], 201)
    await exits()
    assert.ok(await registered('stubborn@example.com'))
  })

  check('readiness turns false', async ({ open, signal, exits, hasRead, isDraining }) => {
    const isReady = async () => {
      const before = await open(message('GET', '/readyz'))
      return (await before.answers(1))[0]?.status === 200
    }
    assert.ok(await eventually(5_000, isReady))
    const line = await open(message('GET', '/readyz').slice(0, -4))
    await hasRead()
    signal()
    await isDraining()
    await line.send('\r\n\r\n')
    const { answers } = await line.untilEnded()
    assert.equal(answers[0]?.status, 503)
    assertClosing(answers[0])
    await exits()
  })

  check('senders and readers that do nothing do not hold it', async ({ open, signal, exits }) => {
    const unread = await open(message('POST', leads, ['Content-Length: 900000']), 'x'.repeat(1_000))
    await unread.answers(1)
    const deaf = await open()
    deaf.socket.pause()
    await Promise.race([deaf.send(good.repeat(20_000)), sleep(1_000)])
    const dripping = await open(message('POST', leads, ['Content-Length: 900000']))
    const drops = setInterval(() => dripping.socket.writable && dripping.socket.write('x'), 200)
    signal()
    await exits()
    clearInterval(drops)
    for (const line of [unread, deaf, dripping]) line.destroy()
  })

  await Promise.all(tests)
})

test('a pipeline without an end does not hold it: whole answers, the last of which says so', async (t) => {
  const origin = await prepared(t)
  const server = await origin.place.serve(['--rate-limit', '100000000'])
  const good = message('GET', '/api/public/v1/campaigns', [`Authorization: Bearer ${origin.key}`])
  const line = createConnection({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
  line.on('error', () => {})
  let end = ''
  line.on('data', (bytes) => {
    end = (end + bytes.toString('latin1')).slice(-10_000)
  })
  const asking = setInterval(() => line.writable && line.write(good.repeat(400)), 20)
  t.after(() => {
    clearInterval(asking)
    line.destroy()
  })
  await sleep(500)
  const signalledAt = Date.now()
  assert.equal(await server.stop(), 0)
  const tookMs = Date.now() - signalledAt
  assert.ok(tookMs < 10_000, `it took ${tookMs} ms`)
  const last = end.slice(end.lastIndexOf('HTTP/1.1 '))
  assert.match(last, /^HTTP\/1\.1 (200|503) .*Connection: close\r\n.*\}$/is)
})
