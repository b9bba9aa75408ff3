// Bodies: chunks of any size, the limit, what is broken or cut off, and answers that do not wait for a body.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyLimitBytes } from '../../src/core/errors.ts'
import { openSharedShop, sideBySide } from '../support/prepared.ts'
import { holdProcessScope } from '../support/process-scope.ts'
import {
  assertError,
  assertGood,
  assertProtocolRefusal,
  chunked,
  exchange,
  header,
  message,
  onlyAnswer,
  wire,
} from '../support/wire.ts'

// The server that a test asks for first stays for the others.
holdProcessScope()

const inChunks = 'Transfer-Encoding: chunked'

test('bodies', { concurrency: 8 }, async (t) => {
  const shop = await openSharedShop()
  const { place, server, port, bearer, jsonType, campaigns, leads, campaignId } = shop
  const { check, finish } = sideBySide(t, shop)
  const wanted = new Set<string>()
  const newInput = () => {
    const email = `lead-${wanted.size}@example.com`
    wanted.add(email)
    return JSON.stringify({ email })
  }
  const post = (headers: string[], body = '') => message('POST', leads, [bearer, jsonType, ...headers], body)
  const alone = (bytes: string) => onlyAnswer(port, [bytes], { halfClose: true })

  // Good bodies.

  for (const size of [1, 2, 7, 1_000])
    check(`chunks of ${size}, in one piece and in many`, async () => {
      assertGood(await alone(post([inChunks], chunked(newInput(), size))), 201)
      const line = await wire(port)
      for (const piece of post([inChunks], chunked(newInput(), size)).match(/.{1,9}/gs) ?? []) await line.send(piece)
      assertGood((await line.answers(1))[0], 201)
      line.destroy()
    })
  check('chunk extensions, trailers, and sizes with zeros before them', async () => {
    const [first, second] = [newInput(), newInput()]
    const size = first.length.toString(16)
    assertGood(await alone(post([inChunks], `${size};name=value\r\n${first}\r\n0\r\nX-Trailer: 1\r\n\r\n`)), 201)
    const long = second.length.toString(16).toUpperCase().padStart(8, '0')
    assertGood(await alone(post([inChunks], `${long}\r\n${second}\r\n000\r\n\r\n`)), 201)
  })
  for (const size of [1, 4_096, 20_000])
    check(`the limit, declared and in chunks of ${size}`, async () => {
      const framed = (body: string) => [post([], body), post([inChunks], chunked(body, size))]
      for (const bytes of framed(newInput().padEnd(bodyLimitBytes))) assert.ok((await alone(bytes)).status < 202)
      for (const bytes of framed('{"email":"refused@example.com"}'.padEnd(bodyLimitBytes + 1))) {
        const answer = await alone(bytes)
        assertError(answer, 413, 'PAYLOAD_TOO_LARGE')
        assert.equal(header(answer, 'connection')?.toLowerCase(), 'close')
      }
    })

  // What never becomes a whole request: closed, with 400 or no answer, and nothing is stored.

  const broken: Record<string, string> = {
    'no number': 'zz\r\n{}\r\n0\r\n\r\n',
    'a negative size': '-2\r\n{}\r\n0\r\n\r\n',
    'a size with 0x': '0x2\r\n{}\r\n0\r\n\r\n',
    'an empty size': '\r\n{}\r\n0\r\n\r\n',
    'an endless size': `${'f'.repeat(40)}\r\n{}\r\n0\r\n\r\n`,
    'more than the size': '1f\r\n{"email":"refused@example.com"}   \r\n0\r\n\r\n',
    'a whole body, and then garbage': `1f\r\n{"email":"refused@example.com"}\r\nGARBAGE\r\n`,
    'garbage in the trailer': '1f\r\n{"email":"refused@example.com"}\r\n0\r\nno trailer\r\n\r\n',
    'another request instead': message('GET', '/healthz'),
    'an overlong extension': `2;${'x'.repeat(40_000)}\r\n{}\r\n0\r\n\r\n`,
    'an overlong trailer': `1f\r\n{"email":"refused@example.com"}\r\n0\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
  }
  for (const [name, body] of Object.entries(broken))
    check(`broken chunks: ${name}`, async () => {
      const head = post([inChunks])
      for (const pieces of [[head + body], [head, 30, body.slice(0, 2), 30, body.slice(2)]]) {
        const { answers, ending } = await exchange(port, pieces)
        assert.notEqual(ending, 'open')
        assert.ok(answers.length <= 1)
        if (answers.length > 0) assertProtocolRefusal(answers[0], 400, 431, 413)
      }
    })
  check('a body that breaks off', async () => {
    for (const half of [
      post([inChunks], '5\r\n{"e'),
      post([inChunks], '1f\r\n{"email":"refused@example.com"}\r\n'),
      post(['Content-Length: 100'], '{"email":"refused@example.com"}'),
    ]) {
      const { answers, ending } = await exchange(port, [half], { halfClose: true })
      assert.notEqual(ending, 'open')
      if (answers.length > 0) assertProtocolRefusal(answers[0], 400)
      const left = await wire(port)
      await left.send(half, 20)
      left.destroy()
    }
  })

  // Answers that do not wait for a body, of which nothing is read as a request.

  const early: Record<string, [target: string, headers: string[], status: number, code: string]> = {
    'no key': [leads, [jsonType], 401, 'UNAUTHORIZED'],
    'a wrong key': [leads, [`${bearer}x`, jsonType], 401, 'UNAUTHORIZED'],
    'no such path': [`${campaigns}/1/x`, [bearer, jsonType], 404, 'NOT_FOUND'],
    'outside the API': ['/nowhere', [jsonType], 404, 'NOT_FOUND'],
    'no media type': [leads, [bearer], 415, 'UNSUPPORTED_MEDIA_TYPE'],
  }
  for (const [why, [target, headers, status, code]] of Object.entries(early))
    check(`an answer before the body: ${why}`, async () => {
      for (const framing of ['Content-Length: 900000', inChunks]) {
        const line = await wire(port)
        await line.send(message('POST', target, [...headers, framing]))
        assertError((await line.answers(1))[0], status, code)
        line.destroy()
      }
      const hidden = message('POST', target, headers, message('GET', '/healthz'))
      assertError(await alone(hidden), status, code)
    })
  check('too many bytes are declared: an answer before the body, which closes', async () => {
    assertError(await onlyAnswer(port, [post([`Content-Length: ${bodyLimitBytes + 1}`])]), 413, 'PAYLOAD_TOO_LARGE')
  })
  check('of clients that go on sending no more is read than necessary, and others are served', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    const sending = ['', bearer].flatMap((key) => {
      const headers = [key || 'X: y', jsonType]
      return [
        ['Content-Length: 10000000', 'x'.repeat(65_536)],
        [inChunks, chunk],
      ].map(async ([framing = '', piece = '']) => {
        const line = await wire(port)
        await line.send(message('POST', leads, [...headers, framing]))
        for (let n = 0; n < 150 && !line.ended(); n += 1) await line.send(piece)
        if (!line.ended()) await line.answers(1).then(([answer]) => assertError(answer, 401, 'UNAUTHORIZED'))
        line.destroy()
      })
    })
    for (let n = 0; n < 20; n += 1) {
      const startedAt = Date.now()
      assertGood(await alone(message('GET', campaigns, [bearer])), 200)
      assert.ok(Date.now() - startedAt < 2_000, `${Date.now() - startedAt} ms`)
    }
    await Promise.all(sending)
  })

  check('a body on GET and HEAD is ignored', async () => {
    const hidden = message('GET', '/nowhere')
    for (const [target, headers] of [
      [campaigns, [bearer]],
      ['/api/public/v1/openapi.json', []],
      ['/healthz', []],
    ] as const) {
      for (const body of ['x', hidden, 'x'.repeat(60_000)])
        for (const method of ['GET', 'HEAD']) {
          const options = { halfClose: true, methods: [method] }
          const framings = [
            message(method, target, [...headers], body),
            message(method, target, [...headers, inChunks], chunked(body)),
          ]
          for (const bytes of framings) assert.equal((await onlyAnswer(port, [bytes], options)).status, 200)
        }
    }
  })

  await finish()
  await t.test('only the valid requests were stored', async () => {
    const stored = await place.json<{ email: string }[]>(['lead', 'list', '--campaign', String(campaignId)])
    assert.deepEqual(stored.map(({ email }) => email).sort(), [...wanted].sort())
    assert.doesNotMatch(server.output(), /a request failed/)
  })
})
