// What is a request and what is none: targets, methods, versions, pipelines, and what is malformed.
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { newFastify } from '../../src/http/framework.ts'
import { amount, longTest } from '../support/faults.ts'
import { openSharedShop, sideBySide } from '../support/prepared.ts'
import { holdProcessScope } from '../support/process-scope.ts'
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

// The server that a test asks for first stays for the others.
holdProcessScope()

const fuzzRuns = Number(process.env.FUZZ ?? amount(60, 300))
const expect100 = 'Expect: 100-continue'

test('requests', { concurrency: 8 }, async (t) => {
  const shop = await openSharedShop()
  const { port, bearer, jsonType, campaigns, leads } = shop
  const { check, finish } = sideBySide(t, shop)
  const good = message('GET', campaigns, [bearer])
  const alone = (bytes: string | Buffer, method = 'GET') =>
    onlyAnswer(port, [bytes], { halfClose: true, methods: [method] })
  let emails = 0
  const newEmail = () => `lead-${emails++}@example.com`
  const input = () => JSON.stringify({ email: newEmail() })
  const register = (headers: string[] = [], body = input()) =>
    message('POST', leads, [bearer, jsonType, ...headers], body)

  check('a client that has closed its side gets its answer', async () => {
    assertGood(await alone(good), 200)
    assertGood(await alone(register()), 201)
    const { answers } = await exchange(port, [good + register() + good], { halfClose: true })
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 201, 200],
    )
  })

  check('a client is told that an idle connection is kept for 72 seconds', async () => {
    const line = await wire(port)
    await line.send(good)
    const [answer] = await line.answers(1)
    assert.equal(answer && header(answer, 'keep-alive'), 'timeout=72')
    line.destroy()
  })

  check('a request byte by byte, behind empty lines', async () => {
    const line = await wire(port)
    for (const byte of `\r\n\r\n${register()}`) await line.send(byte)
    assertGood((await line.answers(1))[0], 201)
    line.destroy()
  })

  check('the answers of a pipeline come in its order, and the connection serves on', async () => {
    type Asked = [bytes: string, hold: (answer: WireAnswer | undefined) => void]
    const registers = (email: string, bytes: string): Asked => [
      bytes,
      (answer) => {
        assertGood(answer, 201)
        assert.equal(answer && json(answer).email, email)
      },
    ]
    for (const isInOnePiece of [true, false]) {
      const asked = Array.from({ length: 15 }, (): Asked[] => {
        const email = newEmail()
        const text = (changed: string) => JSON.stringify({ email: changed })
        const inChunks = chunked(text(`+${email}`), 5)
        return [
          registers(email, register([], text(email))),
          registers(`+${email}`, register(['Transfer-Encoding: chunked'], inChunks)),
          [message('GET', campaigns), (answer) => assertError(answer, 401, 'UNAUTHORIZED')],
          [register([], '{"email":1}'), (answer) => assertError(answer, 422, 'VALIDATION_ERROR')],
          [good, (answer) => assertGood(answer, 200)],
        ]
      }).flat()
      const bytes = asked.map(([bytes]) => bytes)
      const line = await wire(port)
      await line.send(...(isInOnePiece ? [bytes.join('')] : bytes))
      const answers = await line.answers(asked.length, [], 20_000)
      for (const [n, [, hold]] of asked.entries()) hold(answers[n])
      await line.send(good)
      await line.answers(asked.length + 1)
      line.destroy()
    }
  })

  check('a pipeline that is too long: a hundred answers, the last of which closes the connection', async () => {
    const tooMany = Array.from({ length: 400 }, (_, n) => message('GET', n % 2 ? campaigns : '/nowhere', ['X-A: b']))
    const { answers, ending } = await exchange(port, [tooMany.join('')])
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array.from({ length: 100 }, (_, n) => (n % 2 ? 401 : 404)),
    )
    const closing = answers.map((answer) => header(answer, 'connection') === 'close')
    assert.deepEqual([closing.indexOf(true), ending], [99, 'closed'])
  })

  check('a connection takes any number of requests, some of them together', async () => {
    const line = await wire(port)
    for (let asked = 10; asked <= amount(120, 300); asked += 10) {
      await line.send(message('GET', '/nowhere').repeat(10))
      for (const { status } of await line.answers(asked)) assert.equal(status, 404)
    }
    line.destroy()
  })

  check('two hundred headers, the key behind the others', async () => {
    const others = Array.from({ length: 198 }, (_, n) => `X-${n}:`)
    assertGood(await alone(message('GET', campaigns, [...others, bearer])), 200)
  })

  check('Connection: close is honoured', async () => {
    const answer = await onlyAnswer(port, [message('GET', campaigns, [bearer, 'Connection: close'])])
    assertGood(answer, 200)
    assert.equal(header(answer, 'connection')?.toLowerCase(), 'close')
  })

  check('HTTP/1.0 is answered and closed, with a Host and without', async () => {
    for (const host of ['Host: a\r\n', '']) {
      assertGood(await onlyAnswer(port, [`GET ${campaigns} HTTP/1.0\r\n${host}${bearer}\r\n\r\n`]), 200)
    }
    const old = register(['Connection: keep-alive']).replace('HTTP/1.1', 'HTTP/1.0')
    assertGood(await alone(old), 201)
  })

  check('an absolute target is the same resource', async () => {
    const absolute = `http://lastcall.example${campaigns}`
    assertGood(await alone(message('GET', absolute, [bearer])), 200)
    assertError(await alone(message('GET', absolute)), 401, 'UNAUTHORIZED')
    assert.equal((await alone(message('GET', 'HTTPS://lastcall.example/healthz'))).status, 200)
    for (const target of ['http://a.example/nowhere', 'http://a.example', 'http://a.example?x'])
      assertError(await alone(message('GET', target)), 404, 'NOT_FOUND')
  })

  const nowhere = ['/%00', '//', '/..%2f', '/\\', '/?', '/#x', 'http://[', 'ftp://x/', '*', '/%zz', '/%']
  const below = ['/%zz', '/campaigns/%E0%A4%A/leads', '//', '/CAMPAIGNS', `/${'x'.repeat(12_000)}`]
  const malformedTargets = ['x', '?', 'foo:bar', '', '/\xff', '/api/public/v1/\xe9']
  check('odd targets: 404, or no request at all', async () => {
    for (const target of [...nowhere, '//api/public/v1/campaigns', '/%2e%2e/api/public/v1'])
      assertError(await alone(message('GET', target)), 404, 'NOT_FOUND')
    for (const target of below)
      assertError(await alone(message('GET', `/api/public/v1${target}`, [bearer])), 404, 'NOT_FOUND')
    for (const target of malformedTargets)
      assertProtocolRefusal(await alone(Buffer.from(message('GET', target), 'latin1')), 400)
  })

  const methods = ['OPTIONS', 'TRACE', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'PURGE', 'QUERY', 'POST']
  for (const method of methods)
    check(`${method} is no operation on the list, with whatever body`, async () => {
      assertError(await alone(message(method, campaigns, [bearer])), 404, 'NOT_FOUND')
      assertError(await alone(message(method, campaigns)), 401, 'UNAUTHORIZED')
      for (const type of ['X: y', 'Content-Type: ;', 'Content-Type: text/xml', jsonType])
        assertError(await alone(message(method, '/nowhere', [type], '{')), 404, 'NOT_FOUND')
    })
  check('a method that Node does not know', async () => {
    for (const method of ['FOO', 'get', 'CREATE-LEAD'])
      assertProtocolRefusal(await alone(message(method, campaigns, [bearer])), 400)
  })
  check('CONNECT opens no tunnel', async () => {
    for (const behind of ['', '\x16\x03\x01', good]) {
      const tunnel = message('CONNECT', 'example.com:443', [bearer]) + behind
      const { answers, ending } = await exchange(port, [tunnel])
      assert.deepEqual([answers.length, ending === 'open'], [0, false], 'a tunnel')
    }
  })

  check('HEAD is GET without a body', async () => {
    const got = await alone(good)
    const bare = await alone(message('HEAD', campaigns, [bearer]), 'HEAD')
    assertGood(bare, 200)
    for (const name of ['content-type', 'content-length']) assert.equal(header(bare, name), header(got, name))
    const refused = await alone(message('HEAD', campaigns), 'HEAD')
    assert.equal(refused.status, 401)
    assert.match(header(refused, 'www-authenticate') ?? '', /^Bearer/)
  })

  check('an upgrade is not taken, and the connection serves on', async () => {
    const line = await wire(port)
    await line.send(register(['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAAA']))
    assertGood((await line.answers(1))[0], 201)
    await line.send(message('GET', campaigns, ['Connection: Upgrade', 'Upgrade: websocket']))
    assertError((await line.answers(2))[1], 401, 'UNAUTHORIZED')
    line.destroy()
  })

  check('a body that waits to be asked for is asked for', async () => {
    const body = input()
    const framings = [
      [`Content-Length: ${body.length}`, body],
      ['Transfer-Encoding: chunked', chunked(input())],
    ] as const
    for (const [framing, bytes] of framings) {
      const line = await wire(port)
      await line.send(register([expect100, framing], ''), 300)
      assert.match(line.bytes().toString('latin1'), /^HTTP\/1\.1 100 [^\r]*\r\n\r\n$/)
      await line.send(bytes)
      assertGood((await line.answers(1))[0], 201)
      line.destroy()
    }
    assertGood(await alone(register([expect100])), 201)
    const refused = message('POST', leads, [jsonType, 'Content-Length: 20', expect100])
    const line = await wire(port)
    await line.send(refused)
    assertError((await line.answers(1))[0], 401, 'UNAUTHORIZED')
    line.destroy()
  })
  check('any other expectation fails', async () => {
    for (const expectation of ['200-ok', 'x', '']) {
      const answer = await alone(register([`Expect: ${expectation}`], '{"email":"refused-417@example.com"}'))
      assert.deepEqual([answer.status, answer.body.length], [417, 0])
    }
  })

  check('Authorization twice is no key', async () => {
    const wrong = 'Authorization: Bearer x'
    for (const headers of [
      [bearer, bearer],
      [bearer, wrong],
      [wrong, bearer],
      [bearer, 'authorization:'],
    ]) {
      const answer = await alone(message('GET', campaigns, headers))
      assertError(answer, 401, 'UNAUTHORIZED')
      assert.match(header(answer, 'www-authenticate') ?? '', /error="invalid_token"/)
    }
  })

  await finish()
})

test('what is malformed is refused once, and nothing is written', { concurrency: 8 }, async (t) => {
  const shop = await openSharedShop()
  const { port, place, bearer, jsonType, campaigns, leads, campaignId } = shop
  const { check, finish } = sideBySide(t, shop)
  const good = message('GET', campaigns, [bearer])
  const raw = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
  const get = `GET ${campaigns} HTTP/1.1`
  const lead = '{"email":"refused@example.com"}'
  const post = (headers: string[], body = lead) => message('POST', leads, [bearer, jsonType, ...headers], body)

  const malformed: Record<string, string | Buffer> = {
    'no request line': raw('GARBAGE'),
    'no target': raw('GET  HTTP/1.1', 'Host: a'),
    'a word too many': raw(`${get} more`, 'Host: a'),
    'a version that does not exist': raw(`GET ${campaigns} HTTP/9.9`, 'Host: a'),
    'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'TLS to the plain port': Buffer.from('16030100a5010000a10303', 'hex'),
    zeros: Buffer.alloc(64),
    'a header without a colon': raw(get, 'Host: a', 'nonsense'),
    'a header name with a space': raw(get, 'Host: a', 'bad name: x'),
    'a header without a name': raw(get, 'Host: a', ': x'),
    'a space before the colon': post(['Content-Length : 5']),
    'a zero byte in a header': post(['X-A: a\0b']),
    'a bare carriage return in a header': post(['X-A: a\rb']),
    'a length in words': post(['Content-Length: ten']),
    'a negative length': post(['Content-Length: -1']),
    'a length with a sign': post([`Content-Length: +${lead.length}`]),
    'a list of lengths': post([`Content-Length: ${lead.length}, ${lead.length}`]),
    'an endless length': post([`Content-Length: ${'9'.repeat(30)}`]),
    'two different lengths': post(['Content-Length: 2', 'Content-Length: 3']),
    'the same length twice': post([`Content-Length: ${lead.length}`, `Content-Length: ${lead.length}`]),
    'a length and chunks': post(['Content-Length: 2', 'Transfer-Encoding: chunked'], chunked(lead)),
    'chunks and a length': post(['Transfer-Encoding: chunked', 'Content-Length: 2'], chunked(lead)),
    'a body in gzip, whose end nobody can tell': post(['Transfer-Encoding: gzip']),
    'no Host': raw(get, bearer),
    'no Host, with a body': post([]).replace('Host: localhost\r\n', ''),
  }
  for (const [name, bytes] of Object.entries(malformed))
    check(`malformed: ${name}`, async () => {
      const all = Buffer.from(bytes)
      const half = Math.floor(all.length / 2)
      assertProtocolRefusal(await onlyAnswer(port, [all]), 400)
      assertProtocolRefusal(await onlyAnswer(port, [all.subarray(0, half), 20, all.subarray(half), 20, good]), 400)
      const line = await wire(port)
      await line.send(good)
      await line.answers(1)
      await line.send(all)
      const { answers, ending } = await line.untilEnded()
      assert.equal(answers.length, 2)
      assertProtocolRefusal(answers[1], 400)
      assert.notEqual(ending, 'open')
    })
  check('half of a head, and the end', async () => {
    for (const bytes of ['GET /api', good.slice(0, -2)])
      assertProtocolRefusal(await onlyAnswer(port, [bytes], { halfClose: true }), 400)
  })

  const hosts = ['a b', 'http://a', 'a/b', 'a:b', 'u@a', 'u:p@a', 'a, b', 'a,b', '"a"', 'a%zz', '[::1', '\xe9']
  for (const lines of [...hosts.map((host) => [`Host: ${host}`]), ['Host: a', 'Host: b'], ['Host: a', 'HOST: a']])
    check(`${lines.join(', ')}: refused before anything else is looked at`, async () => {
      for (const bytes of [
        message('GET', campaigns, [bearer, ...lines]),
        message('GET', '/healthz', lines),
        message('GET', '/nowhere', lines),
        message('GET', '/%zz', lines),
        post(lines),
        post([...lines, 'Transfer-Encoding: chunked'], chunked(lead)),
      ]) {
        const answer = await onlyAnswer(port, [Buffer.from(bytes, 'latin1')])
        assertProtocolRefusal(answer, 400)
        assert.equal(header(answer, 'connection')?.toLowerCase(), 'close')
        assert.match(header(answer, 'x-request-id') ?? '', /^[\da-f-]{36}$/)
        assert.equal(header(answer, 'cache-control'), 'no-store')
      }
    })
  check('every form of a valid Host is accepted', async () => {
    for (const host of ['a', 'a.example:8080', '127.0.0.1', '[::1]:80', 'a_b', 'xn--a'])
      assertGood(
        await onlyAnswer(port, [message('GET', campaigns, [bearer, `Host: ${host}`])], { halfClose: true }),
        200,
      )
  })

  const large: Record<string, string> = {
    'a header too large': post([`X-Large: ${'x'.repeat(80_000)}`]),
    'too many headers': post(Array.from({ length: 8_000 }, (_, n) => `X-${n}: some value`)),
    'two hundred and one headers': post(Array.from({ length: 197 }, (_, n) => `X-${n}:`)),
    'a target too large': message('GET', `${campaigns}?${'x'.repeat(80_000)}`, [bearer]),
    'a header that never ends': `${get}\r\nHost: a\r\nX-Large: ${'x'.repeat(1_000_000)}`,
  }
  for (const [name, bytes] of Object.entries(large))
    check(name, async () => {
      const { answers, ending } = await exchange(port, [bytes])
      assert.notEqual(ending, 'open')
      // A client that goes on sending may see a reset in place of its answer.
      if (answers.length > 0 || ending === 'closed') assertProtocolRefusal(answers[0], 431)
    })

  await finish()
  await t.test('nothing was written', async () => {
    assert.deepEqual(await place.json(['lead', 'list', '--campaign', String(campaignId)]), [])
  })
})

test('nothing is written into an answer that has begun, whatever comes behind its request', {
  timeout: 5_000,
}, async (t) => {
  const log = { info() {}, warn() {}, error() {} }
  const app = newFastify({ isHttps: false, trustProxy: [], log, sendUndecodable: (reply) => reply.send() })
  t.after(() => app.close())
  app.get('/', (_, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'Content-Length': 10 }).write('begun')
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const line = await wire(port)
  await line.send(message('GET', '/'))
  while (!line.bytes().toString().endsWith('begun')) await sleep(5)
  await line.send('GARBAGE\r\n\r\n')
  while (!line.ended()) await sleep(5)
  assert.match(line.bytes().toString(), /begun$/)
})

longTest('a header value with 7,900 spaces in its middle costs about what a short one costs', async () => {
  const { server, key, campaignId, campaigns } = await openSharedShop()
  const input = JSON.stringify({ email: 'spaces@example.com' })
  const asked: [method: string, path: string, body: string][] = [
    ['GET', campaigns, ''],
    ['POST', `${campaigns}/${campaignId}/leads`, input],
    ['GET', '/panel/api/session', ''],
    ['GET', '/go/1/unknown', ''],
    ['GET', '/widget/v1.js', ''],
    ['POST', '/visitor/v1/offer', '{}'],
  ]
  const readHeaders: Record<string, string> = {
    ...{ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Cookie: 'lastcall=', Accept: 'text/html' },
    ...{ 'Accept-Language': 'pl', 'Accept-Encoding': 'gzip', 'If-None-Match': 'W/"', 'User-Agent': 'Mozilla/5.0' },
    ...{ 'X-Forwarded-For': '10.0.0.1', Origin: 'http://a', Host: 'a', 'X-Any': 'a' },
  }
  const cpuSeconds = async () => {
    const text = await (await fetch(`${server.origin}/metrics`)).text()
    return Number(/^lastcall_process_cpu_seconds_total (\S+)$/m.exec(text)?.[1])
  }
  async function cost(name: string, length: number): Promise<number> {
    const before = await cpuSeconds()
    for (const [method, path, body] of asked) {
      for (const fill of [' ', ', ']) {
        const value = `${readHeaders[name]}${fill.repeat(length / fill.length)}x`
        const others = [`Authorization: Bearer ${key}`, 'Content-Type: application/json'].filter(
          (one) => !one.startsWith(name),
        )
        const request = message(method, path, [...others, 'Connection: close', `${name}: ${value}`], body)
        for (let times = 0; times < 6; times++) await onlyAnswer(server.port, [request])
      }
    }
    return (await cpuSeconds()) - before
  }
  for (const name of Object.keys(readHeaders)) {
    const [short, long] = [await cost(name, 100), await cost(name, 7_900)]
    // What is quadratic would cost thousands of times as much.
    assert.ok(long < 3 * short + 0.05, `${name}: ${long.toFixed(3)} s against ${short.toFixed(3)} s`)
  }
})

type Cut = { at: number; drop: number; insert: number[]; repeat: boolean }

const interesting = ['\r\n', '\r\n\r\n', '\n', '\0', ' ', ':', 'Host: b\r\n', 'Content-Length: 5\r\n']
  .concat(['Transfer-Encoding: chunked\r\n', `${expect100}\r\n`, 'Connection: close\r\n', '0\r\n\r\n'])
  .concat(['Connection: Upgrade\r\nUpgrade: h2c\r\n', 'ffffffff\r\n', '%', 'é', '{"email":', '__proto__'])
  .concat(['HTTP/1.0', 'CONNECT '])
  .map((text) => [...Buffer.from(text)])

function mutilated(bytes: Buffer, { at, drop, insert, repeat }: Cut): Buffer {
  const from = Math.floor(at * bytes.length)
  const to = Math.min(bytes.length, from + drop)
  const middle = repeat ? bytes.subarray(from, to) : Buffer.alloc(0)
  return Buffer.concat([bytes.subarray(0, from), middle, middle, Buffer.from(insert), bytes.subarray(to)])
}

/** An answer of the contract, or an empty refusal of the protocol. */
function assertSound(answer: WireAnswer): void {
  assert.ok(answer.status < 500, `${answer.status}: ${answer.body}`)
  if (answer.status < 300) return
  if (answer.body.length > 0) assertError(answer, answer.status, json(answer).code)
  else assert.ok([400, 408, 413, 417, 431].includes(answer.status), `an empty ${answer.status}`)
}

test(`${fuzzRuns} mutilated conversations: sound answers, an end, and a server that lives`, async () => {
  const shop = await openSharedShop()
  const { port, server, bearer, jsonType, campaigns, leads } = shop
  const body = (n: number) => `{"email":"fuzz-${n}@example.com","language":"pl"}`
  const originals = [
    message('GET', campaigns, [bearer]),
    message('GET', `${campaigns}?limit=3&afterId=1&isDraft=true`, [bearer]),
    message('GET', '/healthz'),
    message('GET', campaigns, [], 'a body'),
    message('POST', leads, [bearer, jsonType], body(1)),
    message('POST', leads, [bearer, jsonType, 'Transfer-Encoding: chunked'], chunked(body(2), 7)),
    message('POST', `${leads}/lookup`, [bearer, jsonType, expect100], body(1)),
    message('POST', `${leads}/lookup`, [jsonType, 'Connection: close'], body(1)),
    message('OPTIONS', '*', ['Connection: Upgrade', 'Upgrade: websocket']),
  ].map((text) => Buffer.from(text))
  const ratio = fc.double({ min: 0, max: 1, noNaN: true })
  const bytesOfAnyKind = fc.oneof(
    fc.constantFrom<number[]>([], ...interesting),
    fc.array(fc.nat(255), { maxLength: 4 }),
  )
  const cut: fc.Arbitrary<Cut> = fc.record({
    at: ratio,
    drop: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(60)),
    insert: bytesOfAnyKind,
    repeat: fc.boolean(),
  })
  const conversation = fc.tuple(
    fc.array(fc.nat(originals.length - 1), { minLength: 1, maxLength: 4 }),
    fc.array(cut, { maxLength: 4 }),
    ratio,
    fc.integer({ min: 0, max: 9 }),
  )
  const holds = fc.asyncProperty(conversation, async ([requests, cuts, split, chance]) => {
    const bytes = cuts.reduce(mutilated, Buffer.concat(requests.map((n) => originals[n] as Buffer)))
    const middle = Math.floor(split * bytes.length)
    const line = await wire(port)
    await line.send(bytes.subarray(0, middle), 1)
    if (chance === 0) return line.destroy()
    await line.send(bytes.subarray(middle))
    line.halfClose()
    const { answers, ending } = await line.untilEnded()
    assert.notEqual(ending, 'open', 'hangs')
    for (const answer of answers) assertSound(answer)
  })
  await fc.assert(holds, { numRuns: fuzzRuns, endOnFailure: true })
  assert.equal((await fetch(`${server.origin}/readyz`)).status, 200)
  assert.equal(server.process.exitCode, null)
  assert.doesNotMatch(server.output(), /a request failed|the process broke/)
})
