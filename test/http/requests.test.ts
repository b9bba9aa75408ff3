// What is a request, however it comes: targets, methods, versions, upgrades and expectations.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop, sideBySide } from '../support/prepared.ts'
import {
  assertError,
  assertGood,
  assertProtocolRefusal,
  chunked,
  exchange,
  header,
  message,
  onlyAnswer,
  type WireAnswer,
  wire,
} from '../support/wire.ts'

test('requests', { concurrency: 16 }, async (t) => {
  const shop = await openShop(t)
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

  check('a client that has nothing more to say gets its answer', async () => {
    assertGood(await alone(good), 200)
    assertGood(await alone(register()), 201)
  })

  check('a request byte by byte', async () => {
    const line = await wire(port)
    for (const byte of register()) await line.send(byte)
    assertGood((await line.answers(1))[0], 201)
    line.destroy()
  })

  check('a connection serves again after every answer whose body was read', async () => {
    const line = await wire(port)
    const body = input()
    const row: [string, (answer: WireAnswer | undefined) => void][] = [
      [good, (answer) => assertGood(answer, 200)],
      [message('GET', campaigns), (answer) => assertError(answer, 401, 'UNAUTHORIZED')],
      [message('GET', '/nowhere'), (answer) => assertError(answer, 404, 'NOT_FOUND')],
      [register([], body), (answer) => assertGood(answer, 201)],
      [register([], body), (answer) => assertGood(answer, 200)],
      [register([], '{"email":1}'), (answer) => assertError(answer, 422, 'VALIDATION_ERROR')],
      [register([], '{'), (answer) => assertError(answer, 400, 'INVALID_JSON')],
      [register(['Transfer-Encoding: chunked'], chunked(input(), 3)), (answer) => assertGood(answer, 201)],
      [
        message('GET', `${campaigns}?limit=0`, [bearer]),
        (answer) => assertError(answer, 422, 'VALIDATION_ERROR'),
      ],
      [good, (answer) => assertGood(answer, 200)],
    ]
    for (const [index, [bytes, hold]] of row.entries()) {
      await line.send(bytes)
      hold((await line.answers(index + 1))[index])
    }
    line.destroy()
  })

  check('Connection: close is honoured', async () => {
    const answer = await onlyAnswer(port, [message('GET', campaigns, [bearer, 'Connection: close']) + good])
    assertGood(answer, 200)
    assert.equal(header(answer, 'connection')?.toLowerCase(), 'close')
  })

  check('empty lines before a request are skipped', async () => {
    assertGood(await alone(`\r\n\r\n${good}`), 200)
  })

  check('HTTP/1.0 is answered and closed', async () => {
    for (const host of ['Host: a\r\n', '']) {
      const answer = await onlyAnswer(port, [`GET ${campaigns} HTTP/1.0\r\n${host}${bearer}\r\n\r\n`])
      assertGood(answer, 200)
      assert.ok(!answer.headers.has('transfer-encoding'), 'HTTP/1.0 knows no chunks')
    }
  })

  check('HTTP/1.0 with keep-alive and a body', async () => {
    const answer = await alone(register(['Connection: keep-alive']).replace('HTTP/1.1', 'HTTP/1.0'))
    assertGood(answer, 201)
    assert.ok(!answer.headers.has('transfer-encoding'), 'HTTP/1.0 knows no chunks')
  })

  check('an absolute target is the same resource', async () => {
    const absolute = `http://lastcall.example${campaigns}`
    assertGood(await alone(message('GET', absolute, [bearer])), 200)
    assertError(await alone(message('GET', absolute)), 401, 'UNAUTHORIZED')
    assertError(await alone(message('GET', 'http://lastcall.example/nowhere')), 404, 'NOT_FOUND')
    assertError(await alone(message('GET', 'http://lastcall.example')), 404, 'NOT_FOUND')
  })

  const odd = [
    '/%00',
    '//',
    '/..%2f',
    '/\\',
    '/?',
    '/#x',
    'http://[',
    'http://',
    'foo:bar',
    'x',
    '*',
    '?',
    '',
  ]
  const oddBelow = ['/api/public/v1/%zz', '/api/public/v1//', '/api/public/v1/\xe9', '/api/public/v1/?\xff']
  for (const target of [...odd, ...oddBelow, '/%2e%2e/api/public/v1', '//api/public/v1/campaigns', '/\xff'])
    check(`an odd target, ${JSON.stringify(target)}`, async () => {
      const answer = await alone(Buffer.from(message('GET', target), 'latin1'))
      if (answer.body.length === 0) assertProtocolRefusal(answer, 400)
      else if (target.startsWith('/api')) assertError(answer, 401, 'UNAUTHORIZED')
      else assertError(answer, 404, 'NOT_FOUND')
    })

  for (const method of ['OPTIONS', 'TRACE', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'PURGE', 'QUERY', 'POST'])
    check(`${method} is no operation on the list`, async () => {
      assertError(await alone(message(method, campaigns, [bearer])), 404, 'NOT_FOUND')
      assertError(await alone(message(method, campaigns)), 401, 'UNAUTHORIZED')
      assertError(await alone(message(method, '/nowhere')), 404, 'NOT_FOUND')
    })
  for (const method of ['FOO', 'get', 'GETT', 'CREATE-LEAD'])
    check(`${method} is no method that the parser knows`, async () => {
      const answer = await alone(message(method, campaigns, [bearer]))
      if (answer.body.length === 0) assertProtocolRefusal(answer, 400)
      else assertError(answer, 404, 'NOT_FOUND')
    })
  check('OPTIONS *', async () => {
    assertError(await alone(message('OPTIONS', '*', [bearer])), 404, 'NOT_FOUND')
  })
  check('CONNECT is answered, and opens no tunnel', async () => {
    const tunnel = message('CONNECT', 'example.com:443', ['Host: example.com:443', bearer])
    assertError(await alone(tunnel), 404, 'NOT_FOUND')
    for (const behind of ['\x16\x03\x01', good])
      assertError(await onlyAnswer(port, [tunnel + behind], { halfClose: true }), 404, 'NOT_FOUND')
    const { answers } = await exchange(port, [good + register() + tunnel], { halfClose: true })
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 201, 404],
    )
  })
  check('HEAD is GET without a body', async () => {
    const got = await alone(good)
    const bare = await alone(message('HEAD', campaigns, [bearer]), 'HEAD')
    assertGood(bare, 200)
    assert.equal(header(bare, 'content-type'), header(got, 'content-type'))
    assert.equal(header(bare, 'content-length'), header(got, 'content-length'))
    const refused = await alone(message('HEAD', campaigns), 'HEAD')
    assert.equal(refused.status, 401)
    assert.match(header(refused, 'www-authenticate') ?? '', /^Bearer/)
    const open = message('HEAD', '/api/public/v1/openapi.json?whatever=1')
    assert.equal((await alone(open, 'HEAD')).status, 200)
  })

  for (const upgrade of ['websocket', 'h2c', 'TLS/1.0', 'foo'])
    check(`an upgrade to ${upgrade} is not taken`, async () => {
      const headers = [
        'Connection: Upgrade',
        `Upgrade: ${upgrade}`,
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ]
      assertGood(await alone(message('GET', campaigns, [bearer, ...headers])), 200)
      assertError(await alone(message('GET', campaigns, headers)), 401, 'UNAUTHORIZED')
      // A request right behind it is answered too, or the connection says that it ends: no silence.
      const line = await wire(port)
      await line.send(register(headers) + good)
      const [first] = await line.answers(1)
      assertGood(first, 201)
      if (first && header(first, 'connection')?.toLowerCase() === 'close')
        assert.notEqual((await line.untilEnded()).ending, 'open')
      else assertGood((await line.answers(2))[1], 200)
      line.destroy()
    })

  check('a body that is wanted is asked for', async () => {
    for (const expectation of ['100-continue', '100-Continue']) {
      const body = input()
      const line = await wire(port)
      await line.send(register([`Expect: ${expectation}`, `Content-Length: ${body.length}`], ''), 200)
      assert.match(line.bytes().toString('latin1'), /^HTTP\/1\.1 100 [^\r]*\r\n\r\n$/)
      await line.send(body)
      const [answer] = await line.answers(1)
      assertGood(answer, 201)
      assert.deepEqual(answer?.interim, [100])
      line.destroy()
    }
  })
  check('chunks that are wanted are asked for', async () => {
    const line = await wire(port)
    await line.send(register(['Expect: 100-continue', 'Transfer-Encoding: chunked'], ''), 200)
    assert.match(line.bytes().toString('latin1'), /^HTTP\/1\.1 100 [^\r]*\r\n\r\n$/)
    await line.send(chunked(input()))
    assertGood((await line.answers(1))[0], 201)
    line.destroy()
  })
  check('a body sent unasked is read all the same', async () => {
    assertGood(await alone(register(['Expect: 100-continue'])), 201)
  })
  check('the question comes behind the answers before it', async () => {
    const body = input()
    const line = await wire(port)
    await line.send(
      register() + register(['Expect: 100-continue', `Content-Length: ${body.length}`], ''),
      300,
    )
    await line.send(body)
    const answers = await line.answers(2)
    assert.deepEqual(
      answers.map(({ status, interim }) => [interim, status]),
      [
        [[], 201],
        [[100], 201],
      ],
    )
    line.destroy()
  })

  const expecting = (target: string, headers: string[]) =>
    message('POST', target, [...headers, 'Expect: 100-continue'])
  const twenty = 'Content-Length: 20'
  const unwanted: [string, string, number, string][] = [
    ['without a key', expecting(leads, [jsonType, twenty]), 401, 'UNAUTHORIZED'],
    ['to a wrong path', expecting(`${campaigns}/1/x`, [bearer, jsonType, twenty]), 404, 'NOT_FOUND'],
    ['outside the API', expecting('/x', [bearer, jsonType, twenty]), 404, 'NOT_FOUND'],
    ['with a wrong query', expecting(`${leads}?a=1`, [bearer, jsonType, twenty]), 422, 'VALIDATION_ERROR'],
    ['for no id', expecting(`${campaigns}/x/leads`, [bearer, jsonType, twenty]), 422, 'VALIDATION_ERROR'],
    ['of a wrong type', expecting(leads, [bearer, twenty]), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['too large', expecting(leads, [bearer, jsonType, 'Content-Length: 16385']), 413, 'PAYLOAD_TOO_LARGE'],
  ]
  for (const [name, bytes, status, code] of unwanted)
    check(`a body ${name} is not asked for`, async () => {
      const line = await wire(port)
      await line.send(bytes)
      const [answer] = await line.answers(1, [], 2_000)
      assertError(answer, status, code)
      assert.deepEqual(answer?.interim, [])
      line.halfClose()
      assert.equal((await line.untilEnded()).answers.length, 1)
    })
  check('GET wants no body, so it is not asked for one', async () => {
    const line = await wire(port)
    await line.send(message('GET', campaigns, [bearer, twenty, 'Expect: 100-continue']))
    const [answer] = await line.answers(1, [], 2_000)
    assertGood(answer, 200)
    assert.deepEqual(answer?.interim, [])
    line.destroy()
  })
  check('HTTP/1.0 knows no interim answer', async () => {
    const body = input()
    const head = register(['Expect: 100-continue', `Content-Length: ${body.length}`], '')
    const answer = await onlyAnswer(port, [head.replace('HTTP/1.1', 'HTTP/1.0'), 100, body])
    assertGood(answer, 201)
    assert.deepEqual(answer.interim, [])
  })
  for (const expectation of ['200-ok', '100-continue, something', 'x', '100-continued', ''])
    check(`Expect: ${expectation} is ignored`, async () => {
      const expect = `Expect: ${expectation}`
      assertGood(await alone(register([expect])), 201)
      assertGood(await alone(message('GET', campaigns, [bearer, expect])), 200)
      assertError(await alone(message('GET', campaigns, [expect])), 401, 'UNAUTHORIZED')
      assertError(await alone(message('GET', '/nowhere', [expect])), 404, 'NOT_FOUND')
    })

  await finish()
})
