// A request is read in one of two ways: whole and plain by us, everything else by Node. Nobody may be able to tell.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openShop } from '../support/prepared.ts'
import { chunked, exchange, header, message, type Piece, type WireAnswer, wire } from '../support/wire.ts'

test('plain requests', async (t) => {
  const shop = await openShop(t)
  const { port, bearer, jsonType, campaigns, leads } = shop
  const lookup = `${leads}/lookup`
  const ours = { good: message('POST', leads, [bearer, jsonType], '{"email":"ours@example.com"}') }

  /** The same bytes on two connections: in one piece, and in two of which the first is no whole head. */
  async function bothWays(bytes: string): Promise<[unknown[], unknown[]]> {
    const raw = Buffer.from(bytes, 'latin1')
    const methods = [bytes.slice(0, bytes.indexOf(' '))]
    const read = async (...pieces: Piece[]) => {
      const { answers, ending } = await exchange(port, pieces, { methods, halfClose: true })
      return [ending === 'open' ? 'open' : 'ended', ...answers.map(comparable)]
    }
    return Promise.all([read(raw), read(raw.subarray(0, 9), 15, raw.subarray(9))])
  }

  /** What must be the same: all but what differs from one request to the next. */
  function comparable(answer: WireAnswer) {
    const moving = [
      'x-request-id',
      'date',
      'ratelimit-remaining',
      'ratelimit-reset',
      'connection',
      'keep-alive',
    ]
    const { status, headers, body, interim } = answer
    const id = header(answer, 'x-request-id') ?? 'none'
    const kept = [...headers].filter(([name]) => !moving.includes(name)).sort()
    return { status, interim, headers: kept, body: body.toString('latin1').replace(id, 'ID') }
  }

  const authorization = fc.constantFrom(
    bearer,
    bearer,
    bearer,
    bearer.toUpperCase(),
    'Authorization: Bearer x',
    '',
  )
  const type = fc.constantFrom(
    jsonType,
    jsonType,
    'content-type:application/json',
    'Content-Type: text/plain',
    '',
  )
  const odd = fc.constantFrom(
    'Accept: */*',
    'X-Trace: \t a b \t',
    'x-empty:',
    'Connection: keep-alive',
    'Connection: Keep-Alive, TE',
    'Connection: close',
    'Proxy-Connection: close',
    'Transfer-Encoding: identity',
    'Transfer-Encoding : chunked',
    'Expect: 100-continue',
    'Upgrade: h2c',
    'Trailer: X-Later',
    'Host: other.example',
    'Content-Length: 3',
    'Content-Length: +3',
    'Content-Length: 3, 3',
    'Content-Length: 99999',
    'Content-Type: text/html',
    'Authorization: Bearer y',
    ' folded: line',
    'no colon',
    ': no name',
    'b@d: name',
    'X-Latin: \xe9\xff',
    'X-Null: a\0b',
    'X-Return: a\rb',
    '__proto__: x',
    'constructor: x',
    `X-Long: ${'x'.repeat(9_000)}`,
    Array.from({ length: 300 }, (_, n) => `a${n}: ${n}`).join('\r\n'),
  )
  const target = fc.constantFrom(
    leads,
    lookup,
    campaigns,
    `${campaigns}?limit=1`,
    `${campaigns}?limit=0`,
    `${leads}?x`,
    `${leads}#x`,
    `${leads}"`,
    `http://localhost${leads}`,
    '*',
    '/healthz',
    '/readyz',
    '/go/1/nothing',
    '/timer/en/nothing.gif',
    '/w/v1.js',
    '/nothing',
    '/nothing\x7f',
    `/${'x'.repeat(7_000)}`,
  )
  const method = fc.constantFrom(
    'POST',
    'POST',
    'POST',
    'GET',
    'HEAD',
    'OPTIONS',
    'PUT',
    'DELETE',
    'post',
    'BREW',
  )
  const version = fc.constantFrom(
    ...Array(12).fill('HTTP/1.1'),
    'HTTP/1.0',
    'HTTP/1.2',
    'http/1.1',
    'HTTP/2.0',
  )
  const body = fc.oneof(
    fc.constantFrom(
      '',
      '{"email":"ours@example.com"}',
      '{"email":"ours@example.com","language":"pl"}',
      '{}',
      '{',
    ),
    fc.constantFrom(
      '{"email":"ours@example.com","reset":1}',
      '{"email":"\xe9@example.com"}',
      '\xff\xfe',
      'x'.repeat(16_384),
    ),
    fc.constantFrom('x'.repeat(16_385), chunked('{"email":"ours@example.com"}')),
  )
  const length = fc.constantFrom('right', 'right', 'right', 'right', 'right', 'none', 'zeros', 'more')

  await t.test('whatever is sent, in one piece or in two: the same answer, or none', async () => {
    const request = fc
      .tuple(method, target, version, authorization, type, fc.array(odd, { maxLength: 1 }), length, body)
      .map(([method, target, version, authorization, type, more, length, body]) => {
        const stated = { right: body.length, zeros: `000${body.length}`, more: body.length + 5, none: '' }[
          length
        ]
        const lines = ['Host: localhost', authorization, type, ...more]
        if (stated !== '' && (method !== 'GET' || body !== '')) lines.push(`Content-Length: ${stated}`)
        return [`${method} ${target} ${version}`, ...lines.filter((line) => line !== ''), '', body].join(
          '\r\n',
        )
      })
    await bothWays(message('POST', leads, [bearer, jsonType], '{"email":"ours@example.com"}'))
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 100, maxLength: 100 }), async (requests) => {
        for (const [whole, split] of await Promise.all(requests.map(bothWays))) assert.deepEqual(whole, split)
      }),
      { numRuns: 5, endOnFailure: true },
    )
  })

  await t.test('one connection may say many things in turn, and each is read for itself', async () => {
    const line = await wire(port)
    const asked = [
      ours.good,
      message('POST', lookup, [bearer, jsonType], '{"email":"ours@example.com"}'),
      message('POST', lookup, [bearer, jsonType], '{"email":"else@example.com"}'),
      message('POST', lookup, [bearer.replace(/.$/, ''), jsonType], '{"email":"ours@example.com"}'),
      message('POST', lookup, [jsonType], '{"email":"ours@example.com"}'),
      message('POST', lookup, [bearer, jsonType], '{"email":"ours@example.com","x":1}'),
      message('GET', '/healthz'),
      ours.good,
    ]
    for (const [index, request] of asked.entries()) {
      await line.send(request)
      await line.answers(index + 1)
    }
    const statuses = (await line.answers(asked.length)).map(({ status }) => status)
    assert.deepEqual(statuses, [200, 200, 404, 401, 401, 422, 200, 200])
    line.destroy()
  })

  await t.test('a client that closes its side behind its request gets the answer, and the end', async () => {
    for (const request of [
      ours.good,
      message('POST', leads, [bearer, jsonType], '{"email":"half@example.com"}'),
    ]) {
      const line = await wire(port)
      await line.send(request)
      line.halfClose()
      const { answers, ending } = await line.untilEnded()
      assert.equal(ending, 'closed')
      assert.equal(answers.length, 1)
      assert.ok((answers[0]?.status ?? 500) < 300)
    }
  })

  await t.test('what is said twice, or asks for more, is seen behind hundreds of headers too', async () => {
    const body = '{"email":"ours@example.com"}'
    const many = Array.from({ length: 300 }, (_, n) => `a${n}: ${n}`)
    const first = [bearer, jsonType, `Content-Length: ${body.length}`, ...many]
    const line = await wire(port)
    await line.send(message('POST', lookup, first, body))
    await line.send(message('POST', lookup, [...first, jsonType], body))
    const statuses = (await line.answers(2)).map(({ status }) => status)
    assert.deepEqual(statuses, [200, 415])
    line.destroy()
    const closing = message('POST', lookup, [...first, 'Connection: close'], body)
    assert.equal((await exchange(port, [closing], { timeoutMs: 3_000 })).ending, 'closed')
  })

  await t.test('a client that asks for the end behind its answer gets it', async () => {
    const asked = message('GET', '/healthz', ['Connection: close'])
    const { answers, ending } = await exchange(port, [asked], { timeoutMs: 3_000 })
    assert.equal(ending, 'closed')
    assert.equal(answers[0]?.status, 200)
  })
})
