// Several requests on one connection without waiting: answered in order, each once, and nothing else.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { installation } from '../support/lastcall.ts'
import { openShop, sideBySide } from '../support/prepared.ts'
import {
  assertError,
  assertGood,
  assertProtocolRefusal,
  chunked,
  exchange,
  json,
  message,
  type WireAnswer,
  wire,
} from '../support/wire.ts'

test('pipelines', { concurrency: 8 }, async (t) => {
  const shop = await openShop(t)
  const { port, bearer, jsonType, campaigns, leads } = shop
  const { check, finish } = sideBySide(t, shop)
  const good = message('GET', campaigns, [bearer])
  let emails = 0
  const newEmail = () => `lead-${emails++}@example.com`
  const register = (email = newEmail()) =>
    message('POST', leads, [bearer, jsonType], JSON.stringify({ email }))
  const statusesOf = (answers: WireAnswer[]) => answers.map(({ status }) => status)

  type Asked = [bytes: string, hold: (answer: WireAnswer | undefined) => void]
  const withEmail = (email: string, bytes: string, status: number): Asked => [
    bytes,
    (answer) => {
      assertGood(answer, status)
      assert.equal(answer && json(answer).email, email)
    },
  ]
  const mixture = (): Asked[] =>
    Array.from({ length: 15 }, (): Asked[] => {
      const email = newEmail()
      const chunks = message(
        'POST',
        leads,
        [bearer, jsonType, 'Transfer-Encoding: chunked'],
        chunked(JSON.stringify({ email: `+${email}` }), 5),
      )
      return [
        withEmail(email, register(email), 201),
        withEmail(`+${email}`, chunks, 201),
        [
          message('GET', `${campaigns}?limit=0`, [bearer]),
          (answer) => assertError(answer, 422, 'VALIDATION_ERROR'),
        ],
        [message('GET', '/healthz'), (answer) => assert.equal(answer?.status, 200)],
        [message('GET', campaigns), (answer) => assertError(answer, 401, 'UNAUTHORIZED')],
      ]
    }).flat()

  for (const [how, split] of [
    ['in one piece', false],
    ['one by one', true],
  ] as const)
    check(`answers come in the order of the requests, sent ${how}`, async () => {
      const asked = mixture()
      const pieces = asked.map(([bytes]) => bytes)
      const line = await wire(port)
      await line.send(...(split ? pieces : [pieces.join('')]))
      const answers = await line.answers(asked.length)
      for (const [n, [, hold]] of asked.entries()) hold(answers[n])
      line.halfClose()
      assert.equal((await line.untilEnded()).answers.length, asked.length)
    })

  check('what a request writes is there for the one behind it', async () => {
    // RFC 9112, 9.3.2: only requests with safe methods may be handled side by side.
    const email = newEmail()
    const lookup = message('POST', `${leads}/lookup`, [bearer, jsonType], JSON.stringify({ email }))
    const { answers } = await exchange(port, [register(email) + lookup + register(email)], {
      halfClose: true,
    })
    assert.deepEqual(statusesOf(answers), [201, 200, 200])
  })

  const garbage: Record<string, string> = {
    'no request line': 'GARBAGE\r\n\r\n',
    TLS: '\x16\x03\x01\x02',
    'a request without Host': 'GET / HTTP/1.1\r\n\r\n',
    'a request with two Hosts': message('GET', campaigns, [bearer, 'Host: a', 'Host: b']),
    'a length in words': message('GET', '/', ['Content-Length: x']),
  }
  for (const [name, bytes] of Object.entries(garbage)) {
    check(`good requests and then ${name}: their answers, then one refusal`, async () => {
      for (const pieces of [
        [register() + good + register() + bytes + good],
        [register() + register(), bytes],
      ]) {
        const { answers, ending } = await exchange(port, pieces)
        assert.deepEqual(statusesOf(answers), pieces.length === 1 ? [201, 200, 201, 400] : [201, 201, 400])
        assertProtocolRefusal(answers.at(-1), 400)
        assert.notEqual(ending, 'open')
      }
    })
    check(`an answer, and then ${name}`, async () => {
      const line = await wire(port)
      await line.send(good)
      await line.answers(1)
      await line.send(bytes)
      const { answers, ending } = await line.untilEnded()
      assert.deepEqual(statusesOf(answers), [200, 400])
      assertProtocolRefusal(answers[1], 400)
      assert.notEqual(ending, 'open')
    })
  }
  check('an answer that says it is the last is, though what came behind was no request', async () => {
    for (const headers of [[], ['Expect: 100-continue']]) {
      const request = message('POST', leads, [bearer, jsonType, ...headers], `{"email":"${newEmail()}"}`)
      const line = await wire(port)
      await line.send(`${request}\0`)
      line.halfClose()
      const { answers, ending } = await line.untilEnded()
      assert.equal(answers[0]?.status, 201)
      const saysLast = answers[0].headers.get('connection')?.[0] === 'close'
      assert.equal(answers.length, saysLast ? 1 : 2)
      assert.notEqual(ending, 'open')
    }
  })
  check('a good request and then a header too large', async () => {
    const large = message('GET', campaigns, [`X-Large: ${'x'.repeat(40_000)}`])
    const { answers, ending } = await exchange(port, [register() + large])
    assert.deepEqual(statusesOf(answers), [201, 431])
    assertProtocolRefusal(answers[1], 431)
    assert.notEqual(ending, 'open')
  })
  check('good requests and then broken chunks: the answers, the last of them 400', async () => {
    const broken = message('POST', leads, [bearer, jsonType, 'Transfer-Encoding: chunked'], 'zz\r\n')
    const { answers, ending } = await exchange(port, [register() + register() + broken + good])
    assert.deepEqual(statusesOf(answers), [201, 201, 400])
    assertError(answers[2], 400, 'INVALID_JSON')
    assert.notEqual(ending, 'open')
  })
  check('Connection: close ends it, whatever stands behind', async () => {
    const last = message('GET', campaigns, [bearer, 'Connection: close'])
    for (const behind of [good, register(), 'GARBAGE\r\n\r\n', message('GET', '/', ['Host: a', 'Host: b'])]) {
      const { answers, ending } = await exchange(port, [register() + last + behind])
      assert.deepEqual(statusesOf(answers), [201, 200])
      assert.notEqual(ending, 'open')
    }
  })

  check('a body that nobody read never becomes a request', async () => {
    const hidden = message('GET', '/healthz')
    const refused = [
      message('POST', leads, [jsonType], hidden),
      message('GET', campaigns, [], hidden),
      message('POST', leads, ['Transfer-Encoding: chunked'], chunked(hidden)),
    ]
    for (const bytes of refused)
      for (const pieces of [
        [good + bytes + good],
        [good, bytes.slice(0, -20), 30, bytes.slice(-20) + good],
      ]) {
        const { answers } = await exchange(port, pieces, { halfClose: true })
        const statuses = statusesOf(answers).join()
        // After an early answer the connection may end, or serve on behind the body.
        assert.ok(['200,401', '200,401,200'].includes(statuses), statuses)
      }
  })

  const many = 10_000
  const patienceMs = 60_000
  const readBack = async (bytes: string, count: number) => {
    const line = await wire(port)
    await line.send(bytes)
    line.halfClose()
    const { answers } = await line.untilEnded([], patienceMs)
    assert.equal(answers.length, count)
    return answers
  }
  for (const count of [many, 50_000])
    check(`${count} requests in one write are all answered`, async () => {
      for (const answer of await readBack(good.repeat(count), count)) assertGood(answer, 200)
    })

  check(`${many} registrations in one write are all answered, each once and in order`, async () => {
    const emails = Array.from({ length: many }, newEmail)
    const answers = await readBack(emails.map(register).join(''), many)
    for (const [n, answer] of answers.entries()) {
      assertGood(answer, 201)
      assert.equal(json(answer).email, emails[n])
    }
  })

  check(`${many} requests of all kinds in one write, some of them wrong`, async () => {
    const lookup = (email: string) =>
      message('POST', `${leads}/lookup`, [bearer, jsonType], JSON.stringify({ email }))
    const asked = Array.from({ length: many / 5 }, (): Asked[] => {
      const email = newEmail()
      return [
        withEmail(email, register(email), 201),
        withEmail(email, lookup(email), 200),
        [lookup(newEmail()), (answer) => assertError(answer, 404, 'LEAD_NOT_FOUND')],
        [good, (answer) => assertGood(answer, 200)],
        [message('GET', campaigns), (answer) => assertError(answer, 401, 'UNAUTHORIZED')],
      ]
    }).flat()
    const answers = await readBack(asked.map(([bytes]) => bytes).join(''), many)
    for (const [n, [, hold]] of asked.entries()) hold(answers[n])
  })

  check('an answer that closes in a long pipeline is the last, and arrives at a slow reader', async () => {
    const large = message('GET', '/api/public/v1/openapi.json')
    const closing = message('POST', leads, [jsonType], '{}')
    const line = await wire(port)
    line.socket.pause()
    const sent = line.send(large.repeat(60) + closing + good.repeat(5_000))
    await sleep(2_000)
    line.socket.resume()
    const { answers, ending } = await line.untilEnded([], patienceMs)
    await sent
    assert.equal(answers.length, 61)
    assertError(answers[60], 401, 'UNAUTHORIZED')
    assert.equal(ending, 'closed')
  })

  check('a client that leaves in the middle takes nothing with it', async () => {
    for (let n = 0; n < 30; n++) {
      const line = await wire(port)
      await line.send(Array.from({ length: 20 }, () => register()).join(''))
      if (n % 3 === 0) line.socket.resetAndDestroy()
      else line.destroy()
    }
  })

  await finish()
})

test('a client that asks on and on and reads nothing', { timeout: 400_000 }, async (t) => {
  const shop = await openShop(t)
  const rssBytes = () => {
    const status = readFileSync(`/proc/${shop.server.process.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1_024
  }
  const healthMs = async () => {
    const startedAt = Date.now()
    const answer = await fetch(`${shop.server.origin}/healthz`)
    assert.equal(answer.status, 200)
    return Date.now() - startedAt
  }
  await healthMs()
  const before = rssBytes()
  const asked = 300_000
  const line = createConnection({ port: shop.port, host: '127.0.0.1' })
  line.pause()
  line.write(message('GET', shop.campaigns).repeat(asked))
  line.end()
  let worstMs = 0
  let grown = 0
  for (let n = 0; n < 60; n++) {
    await sleep(50)
    worstMs = Math.max(worstMs, await healthMs())
    grown = Math.max(grown, (rssBytes() - before) / 2 ** 20)
  }
  await t.test('is not listened to for ever', () =>
    assert.ok(grown < 200, `the process has grown by ${grown.toFixed()} MiB`),
  )
  await t.test('and others are served all the same', () => assert.ok(worstMs < 1_000, `${worstMs} ms`))
  await t.test('and gets its answers once it reads', async () => {
    let answered = 0
    let rest = ''
    for await (const chunk of line.setEncoding('latin1')) {
      const lines = (rest + chunk).split('\r\n')
      rest = lines.pop() as string
      // A body has no end of line of its own: the next answer follows it at once.
      answered += lines.filter((text) => text.endsWith('HTTP/1.1 401 Unauthorized')).length
    }
    assert.equal(answered, asked)
    assert.match(rest, /^\{.*"code":"UNAUTHORIZED".*\}$/)
  })
  await t.test('and others are served behind it', async () => assert.ok((await healthMs()) < 1_000))
})

/** A server whose steady clock goes ahead by the milliseconds that are given to `goTo`. */
async function serveOnClock(t: TestContext) {
  const place = installation(t)
  const clock = join(place.folder, 'clock')
  const goTo = (milliseconds: number) => writeFileSync(clock, String(milliseconds))
  goTo(0)
  const server = await place.serve([], {
    NODE_OPTIONS: `--import=${join(import.meta.dirname, '..', 'support', 'shifted-steady-clock.ts')}`,
    TEST_STEADY_CLOCK_FILE: clock,
  })
  return { server, goTo }
}

test('a client that takes none of its answers for five minutes is cut off, and no other', async (t) => {
  const { server, goTo } = await serveOnClock(t)
  const deaf = createConnection({ port: server.port, host: '127.0.0.1' })
  deaf.on('error', () => {})
  deaf.pause()
  deaf.write(message('GET', '/metrics').repeat(50_000))
  const open = async () =>
    Number(
      /^lastcall_open_connections (\d+)/m.exec(await (await fetch(`${server.origin}/metrics`)).text())?.[1],
    )
  await sleep(3_000)
  const all = await open()
  goTo(290_000)
  await sleep(1_500)
  assert.equal(await open(), all, 'cut off too early')
  const idle = await wire(server.port)
  await idle.send(message('GET', '/healthz'))
  await idle.answers(1)
  assert.equal(await open(), all + 1)
  goTo(310_000)
  await sleep(1_500)
  assert.equal(await open(), all)
  await idle.send(message('GET', '/healthz'))
  await idle.answers(2)
  idle.destroy()
  deaf.destroy()
})

test('a connection that has been idle for longer than its answers say is closed, and none before', async (t) => {
  const { server, goTo } = await serveOnClock(t)
  const idle = await wire(server.port)
  await idle.send(message('GET', '/healthz'))
  const [answer] = await idle.answers(1)
  assert.deepEqual(answer?.headers.get('keep-alive'), ['timeout=75'])
  goTo(75_000)
  await sleep(1_500)
  await idle.send(message('GET', '/healthz'))
  await idle.answers(2)
  goTo(75_000 + 80_000)
  assert.equal((await idle.untilEnded()).ending, 'closed')
})
