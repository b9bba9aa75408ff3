// Slow, silent and mutilated senders, all at once, and a good client beside them that must not notice.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { openShop, type Shop, several, sideBySide } from '../support/prepared.ts'
import {
  assertError,
  assertGood,
  assertProtocolRefusal,
  chunked,
  exchange,
  header,
  json,
  message,
  onlyAnswer,
  type WireAnswer,
  wire,
} from '../support/wire.ts'

const fuzzRuns = Number(process.env.FUZZ ?? 600)

test('patience', { concurrency: 64, timeout: 400_000 }, async (t) => {
  const shop = await openShop(t)
  const { port, bearer, jsonType, campaigns, leads } = shop
  const { check, finish } = sideBySide(t, shop)
  const good = message('GET', campaigns, [bearer])
  let emails = 0
  const newEmail = () => `patient-${emails++}@example.com`
  const register = (email = newEmail(), headers: string[] = []) =>
    message('POST', leads, [bearer, jsonType, ...headers], JSON.stringify({ email }))
  /** From the headers' timeout on, with the time that it takes to notice. */
  const assertAbout = (milliseconds: number | undefined, from: number, to: number) =>
    assert.ok(
      milliseconds !== undefined && milliseconds >= from && milliseconds <= to,
      `after ${milliseconds} ms, not between ${from} and ${to}`,
    )

  const neighbour = goodNeighbour(shop)

  // Headers: 15 seconds.

  for (const start of ['G', `GET ${campaigns} HTTP/1.1\r\n`, good.slice(0, -2), register().slice(0, 90)])
    check(`headers that never end: ${JSON.stringify(start.slice(-12))}`, async () => {
      const answer = await onlyAnswer(port, [start], { timeoutMs: 25_000 })
      assertProtocolRefusal(answer, 408)
      assertAbout(answer.arrivedAfterMs, 14_000, 18_500)
    })
  check('headers that come letter by letter', async () => {
    const drops = [...good].slice(0, 40).flatMap((letter) => [letter, 600])
    const answer = await onlyAnswer(port, drops, { timeoutMs: 30_000 })
    assertProtocolRefusal(answer, 408)
    assertAbout(answer.arrivedAfterMs, 14_000, 18_500)
  })
  check('headers of a second request that never end', async () => {
    const { answers, endedAfterMs } = await exchange(port, [good, 1_000, good.slice(0, 50)], {
      timeoutMs: 30_000,
    })
    assert.equal(answers.length, 2)
    assertGood(answers[0], 200)
    assertProtocolRefusal(answers[1], 408)
    assertAbout(endedAfterMs, 15_000, 20_000)
  })
  check('headers that take twelve seconds', async () => {
    const line = await wire(port)
    await line.send(good.slice(0, 40), 12_000, good.slice(40))
    assertGood((await line.answers(1))[0], 200)
    line.destroy()
  })
  check('a connection that says nothing', async () => {
    const { answers, ending } = await exchange(port, [], { timeoutMs: 40_000 })
    assert.ok(answers.length <= 1)
    if (answers[0]) assertProtocolRefusal(answers[0], 408)
    assert.notEqual(ending, 'open')
  })
  check('a connection that rests after its answer hears nothing more, and serves again', async () => {
    const line = await wire(port)
    await line.send(good)
    await line.answers(1)
    await sleep(3_000)
    await line.send(good)
    await line.answers(2)
    await sleep(20_000)
    assert.equal((await line.answers(2)).length, 2)
    line.destroy()
  })

  // Bodies: 30 seconds.

  const slowBodies: Record<string, (string | number)[]> = {
    'declared, none of it comes': [message('POST', leads, [bearer, jsonType, 'Content-Length: 10'])],
    'declared, half of it comes': [register().slice(0, -10)],
    'chunks without an end': [
      message('POST', leads, [bearer, jsonType, 'Transfer-Encoding: chunked'], '2\r\n{}\r\n'),
    ],
    'asked for, and never sent': [
      message('POST', leads, [bearer, jsonType, 'Content-Length: 10', 'Expect: 100-continue']),
    ],
    'letter by letter': [
      register().slice(0, -30),
      ...[...' '.repeat(40)].flatMap((letter): (string | number)[] => [800, letter]).slice(0, 56),
    ],
  }
  for (const [name, pieces] of Object.entries(slowBodies))
    check(`a body that does not come: ${name}`, async () => {
      const { answers, ending } = await exchange(port, pieces, { timeoutMs: 42_000 })
      assert.equal(answers.length, 1)
      assertError(answers[0], 400, 'INVALID_JSON')
      assertAbout(answers[0]?.arrivedAfterMs, 29_000, 34_000)
      assert.notEqual(ending, 'open')
    })
  check('a second body that does not come', async () => {
    const bytes = register() + register().slice(0, -10)
    const { answers } = await exchange(port, [bytes], { timeoutMs: 42_000 })
    assert.equal(answers.length, 2)
    assertGood(answers[0], 201)
    assertError(answers[1], 400, 'INVALID_JSON')
    assertAbout(answers[1]?.arrivedAfterMs, 29_000, 34_000)
  })
  check('a body that takes 25 seconds', async () => {
    const bytes = register()
    const line = await wire(port)
    await line.send(bytes.slice(0, -20), 12_000, bytes.slice(-20, -5), 13_000, bytes.slice(-5))
    assertGood((await line.answers(1))[0], 201)
    line.destroy()
  })
  const early: Record<string, [bytes: string, status: number, code: string]> = {
    'no key': [message('POST', leads, [jsonType, 'Content-Length: 900']), 401, 'UNAUTHORIZED'],
    'no such path': [message('POST', '/x', [jsonType, 'Transfer-Encoding: chunked']), 404, 'NOT_FOUND'],
    'a wrong type': [message('POST', leads, [bearer, 'Content-Length: 9']), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    'too many bytes': [
      message('POST', leads, [bearer, jsonType, 'Content-Length: 16385']),
      413,
      'PAYLOAD_TOO_LARGE',
    ],
  }
  for (const [why, [bytes, status, code]] of Object.entries(early))
    check(`an early answer does not wait for the body: ${why}`, async () => {
      const { answers, ending } = await exchange(port, [bytes, 3_000, 'x'], { timeoutMs: 40_000 })
      assert.equal(answers.length, 1)
      assertError(answers[0], status, code)
      assertAbout(answers[0]?.arrivedAfterMs, 0, 1_500)
      assert.notEqual(ending, 'open')
    })
  for (const [why, bytes] of [
    ['an early answer', message('POST', leads, [jsonType, 'Content-Length: 900000'])],
    ['an answer to GET', message('GET', campaigns, [bearer, 'Content-Length: 900000'])],
  ] as const)
    check(`${why}, and a body that drips in: not for ever`, async () => {
      const drops = Array.from({ length: 55 }, () => [700, 'x']).flat()
      const { answers, ending, endedAfterMs } = await exchange(port, [bytes, ...drops], { timeoutMs: 38_000 })
      assert.equal(answers.length, 1)
      assertAbout(answers[0]?.arrivedAfterMs, 0, 1_500)
      assert.notEqual(ending, 'open', `still open after ${endedAfterMs} ms`)
    })
  check('GET does not wait for its body', async () => {
    const bytes = message('GET', campaigns, [bearer, 'Content-Length: 10'])
    const { answers, ending } = await exchange(port, [bytes], { timeoutMs: 40_000 })
    assert.equal(answers.length, 1)
    assertGood(answers[0], 200)
    assertAbout(answers[0]?.arrivedAfterMs, 0, 1_500)
    assert.notEqual(ending, 'open')
  })
  check('four hundred half-sent requests at once', async () => {
    const halves = Array.from({ length: 400 }, (_, n) =>
      n % 2 ? good.slice(0, 30 + (n % 40)) : register().slice(0, -5),
    )
    const received = await several(400, halves, (half) => exchange(port, [half], { timeoutMs: 42_000 }))
    for (const [n, { answers }] of received.entries()) {
      assert.equal(answers.length, 1)
      if (n % 2) assertProtocolRefusal(answers[0], 408)
      else assertError(answers[0], 400, 'INVALID_JSON')
    }
  })
  check('clients that read nothing of what they ask for', async () => {
    const lines = await Promise.all(Array.from({ length: 5 }, () => wire(port)))
    for (const line of lines) {
      line.socket.pause()
      await Promise.race([line.send(...Array.from({ length: 40 }, () => good.repeat(500))), sleep(8_000)])
    }
    for (const line of lines) line.destroy()
  })

  // Anything at all.

  check(`${fuzzRuns} mutilated conversations`, () => fuzz(shop, fuzzRuns))

  await finishAfter(finish, neighbour)
})

async function finishAfter(finish: () => Promise<void>, neighbour: Neighbour): Promise<void> {
  try {
    await finish()
  } finally {
    await neighbour.stop()
  }
  assert.deepEqual(neighbour.wrong, [])
  assert.ok(neighbour.served > 100, `the good client was served ${neighbour.served} times only`)
}

// The good client.

type Neighbour = { served: number; wrong: string[]; stop(): Promise<void> }

/** Registers, looks up and lists all the time, and keeps what was not as it should be. */
function goodNeighbour({ server, key, campaignId }: Shop): Neighbour {
  const state = { served: 0, wrong: [] as string[] }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const slowMs = 2_000
  let stopping = false
  async function ask(path: string, expected: number, body?: string): Promise<void> {
    const startedAt = Date.now()
    try {
      const init = body === undefined ? { headers } : { method: 'POST', headers, body }
      const answer = await fetch(server.base + path, { ...init, signal: AbortSignal.timeout(10_000) })
      const text = await answer.text()
      const tookMs = Date.now() - startedAt
      if (answer.status !== expected || tookMs > slowMs)
        state.wrong.push(`${path}: ${answer.status} after ${tookMs} ms: ${text.slice(0, 200)}`)
      else state.served += 1
    } catch (error) {
      state.wrong.push(`${path}: ${error}`)
    }
  }
  const leads = `/campaigns/${campaignId}/leads`
  const running = (async () => {
    for (let n = 0; !stopping; n++) {
      const body = JSON.stringify({ email: `good-${n}@example.com` })
      await ask(leads, 201, body)
      await ask(`${leads}/lookup`, 200, body)
      await ask('/campaigns', 200)
      await sleep(100)
    }
  })()
  return Object.assign(state, {
    stop: async () => {
      stopping = true
      await running
    },
  })
}

// The fuzz.

type Cut = { at: number; drop: number; insert: number[]; repeat: boolean }

const interesting = [
  '\r\n',
  '\r\n\r\n',
  '\n',
  '\0',
  ' ',
  ':',
  'Host: b\r\n',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Expect: 100-continue\r\n',
  'Connection: close\r\n',
  'Connection: Upgrade\r\nUpgrade: h2c\r\n',
  '0\r\n\r\n',
  'ffffffff\r\n',
  '%',
  'é',
  '{"email":',
  '__proto__',
  'HTTP/1.0',
  'HEAD ',
  'CONNECT ',
].map((text) => [...Buffer.from(text)])

async function fuzz(shop: Shop, runs: number): Promise<void> {
  const reference = await openReference()
  const { port, bearer, jsonType, campaigns, leads } = shop
  const body = (n: number) => `{"email":"fuzz-${n}@example.com","language":"pl"}`
  const originals = [
    message('GET', campaigns, [bearer]),
    message('GET', `${campaigns}?limit=3&afterId=1&isDraft=true`, [bearer]),
    message('GET', '/healthz'),
    message('HEAD', campaigns, [bearer]),
    message('GET', campaigns, [], 'a body'),
    message('POST', leads, [bearer, jsonType], body(1)),
    message('POST', leads, [bearer, jsonType, 'Transfer-Encoding: chunked'], chunked(body(2), 7)),
    message('POST', `${leads}/lookup`, [bearer, jsonType, 'Expect: 100-continue'], body(1)),
    message('POST', `${leads}/lookup`, [jsonType, 'Connection: close'], body(1)),
    message('CONNECT', 'example.com:443', [bearer]),
    message('OPTIONS', '*', ['Connection: Upgrade', 'Upgrade: websocket']),
  ].map((text) => Buffer.from(text))

  const cut = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    drop: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(60)),
    insert: fc.oneof(
      fc.constant<number[]>([]),
      fc.constantFrom(...interesting),
      fc.array(fc.nat(255), { maxLength: 4 }),
    ),
    repeat: fc.boolean(),
  })
  const conversation = fc.record({
    requests: fc.array(fc.nat(originals.length - 1), { minLength: 1, maxLength: 4 }),
    cuts: fc.array(cut, { maxLength: 4 }),
    noise: fc.oneof(
      { weight: 9, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.nat(255)) },
    ),
    splits: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
    leaves: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  })

  try {
    await fc.assert(
      fc.asyncProperty(conversation, async ({ requests, cuts, noise, splits, leaves }) => {
        const whole = Buffer.concat(requests.map((n) => originals[n] as Buffer))
        const bytes = Buffer.concat([cuts.reduce(mutilated, whole), Buffer.from(noise)])
        const pieces = splitAt(bytes, splits)
        const line = await wire(port)
        if (leaves) {
          await line.send(...pieces.slice(0, 1))
          line.socket.resetAndDestroy()
          return
        }
        await line.send(...pieces)
        line.halfClose()
        const { methods, hosts, most } = await reference.count(bytes)
        const { answers, ending } = await line.untilEnded(methods, 45_000)
        assert.notEqual(ending, 'open', 'hangs')
        assert.ok(answers.length <= most, `${answers.length} answers to ${most} requests`)
        for (const [n, answer] of answers.entries()) {
          if (assertSound(answer, methods[n]) === 'refusal')
            assert.ok(n === methods.length || (hosts[n] ?? 0) > 1, `request ${n} was refused unread`)
        }
        const last = answers.at(-1)
        if (!last || header(last, 'connection')?.toLowerCase() !== 'close')
          assert.equal(answers.length, most, 'requests without an answer')
      }),
      {
        numRuns: runs,
        examples: [],
        endOnFailure: false,
        interruptAfterTimeLimit: 60_000,
        markInterruptAsFailure: true,
      },
    )
  } finally {
    await reference.close()
  }
}

function mutilated(bytes: Buffer, { at, drop, insert, repeat }: Cut): Buffer {
  const from = Math.floor(at * bytes.length)
  const to = Math.min(bytes.length, from + drop)
  const middle = repeat ? bytes.subarray(from, to) : Buffer.alloc(0)
  return Buffer.concat([bytes.subarray(0, from), middle, middle, Buffer.from(insert), bytes.subarray(to)])
}

function splitAt(bytes: Buffer, splits: number[]): (Buffer | number)[] {
  const cuts = [...splits.map((split) => Math.floor(split * bytes.length)), bytes.length].sort(
    (a, b) => a - b,
  )
  let from = 0
  return cuts.flatMap((to) => {
    const piece = bytes.subarray(from, to)
    from = to
    return [piece, 1]
  })
}

/** No 5xx, and either an answer of the contract or an empty refusal of the protocol. */
function assertSound(answer: WireAnswer, method: string | undefined): 'answer' | 'refusal' {
  assert.ok(answer.status < 500, `${answer.status}: ${answer.body}`)
  if (answer.status < 300 || method === 'HEAD') return 'answer'
  if (answer.body.length === 0) assertProtocolRefusal(answer, 400, 408, 431)
  else assertError(answer, answer.status, json(answer).code)
  return answer.body.length === 0 ? 'refusal' : 'answer'
}

type Counted = { methods: string[]; hosts: number[]; last: IncomingMessage | undefined; refusals: number }

/** A bare server of Node's that says how many answers the bytes can ask for, at most, and by which methods. */
async function openReference() {
  const server = createServer({ requestTimeout: 0, headersTimeout: 0 })
  const counts = new Map<number, Counted>()
  const of = (port: number | undefined) => counts.get(port ?? 0) as Counted
  server.on('connection', ({ remotePort }) =>
    counts.set(remotePort ?? 0, { methods: [], hosts: [], last: undefined, refusals: 0 }),
  )
  const seen = (req: IncomingMessage) => {
    const counted = of(req.socket.remotePort)
    counted.methods.push(req.method ?? '')
    counted.hosts.push(
      req.rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === 'host').length,
    )
    counted.last = req
    req.resume()
  }
  for (const event of ['request', 'checkContinue', 'checkExpectation'] as const)
    server.on(event, (req: IncomingMessage, res: ServerResponse) => {
      seen(req)
      // An answer without it closes the connection, and what is broken behind it would not be seen.
      if (event === 'checkContinue') res.writeContinue()
      res.end()
    })
  server.on('connect', (req, socket) => {
    seen(req)
    socket.end()
  })
  server.on('clientError', (_, socket) => {
    const counted = of((socket as Socket).remotePort)
    // What breaks off within a body belongs to the request before it.
    if (counted && (counted.last === undefined || counted.last.complete)) counted.refusals = 1
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    async count(bytes: Buffer) {
      const line = await wire(port)
      const local = line.socket.localPort
      await line.send(bytes)
      line.halfClose()
      if (!line.socket.closed) await once(line.socket, 'close', { signal: AbortSignal.timeout(5_000) })
      const { methods, hosts, refusals } = of(local)
      counts.delete(local ?? 0)
      // Node answers a request without Host by itself, without an event.
      const hostless = line.bytes().includes('HTTP/1.1 400') ? 1 : 0
      return { methods, hosts, most: methods.length + Math.max(refusals, hostless) }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
