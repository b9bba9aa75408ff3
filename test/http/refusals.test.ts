// What never becomes a request: the protocol's status, an empty body and a closed connection, once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop, sideBySide } from '../support/prepared.ts'
import { assertError, assertProtocolRefusal, chunked, message, onlyAnswer, wire } from '../support/wire.ts'

test('refusals of the protocol', { concurrency: 16 }, async (t) => {
  const shop = await openShop(t)
  const { port, bearer, jsonType, campaigns, leads } = shop
  const { check, finish } = sideBySide(t, shop)
  const good = message('GET', campaigns, [bearer])
  const raw = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
  const get = `GET ${campaigns} HTTP/1.1`
  const post = (headers: string[], body: string) =>
    message('POST', leads, [bearer, jsonType, ...headers], body)

  const malformed: Record<string, string | Buffer> = {
    'no request line': raw('GARBAGE'),
    'a method alone': raw('GET'),
    'no target': raw('GET  HTTP/1.1', 'Host: a'),
    'a word too many': raw(`${get} more`, 'Host: a'),
    'a version that does not exist': raw(`GET ${campaigns} HTTP/9.9`, 'Host: a'),
    'another protocol': raw(`GET ${campaigns} SMTP/1.1`, 'Host: a'),
    'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'TLS to the plain port': Buffer.from('16030100a5010000a10303', 'hex'),
    zeros: Buffer.alloc(64),
    'a header without a colon': raw(get, 'Host: a', 'nonsense'),
    'a header name with a space': raw(get, 'Host: a', 'bad name: x'),
    'a header without a name': raw(get, 'Host: a', ': x'),
    'a space before the colon': `${raw(get, 'Host: a', 'Content-Length : 5')}hello`,
    'a zero byte in a header': raw(get, 'Host: a', 'X-A: a\0b'),
    'a bare carriage return in a header': raw(get, 'Host: a', 'X-A: a\rb'),
    'a length in words': post(['Content-Length: ten'], '{}'),
    'a negative length': post(['Content-Length: -1'], '{}'),
    'a length with a sign': post(['Content-Length: +2'], '{}'),
    'a list of lengths': post(['Content-Length: 2, 3'], '{}'),
    'an endless length': post([`Content-Length: ${'9'.repeat(30)}`], '{}'),
    'two different lengths': post(['Content-Length: 2', 'Content-Length: 3'], '{}'),
    'the same length twice': post(['Content-Length: 2', 'Content-Length: 2'], '{}'),
    'a length and chunks': post(['Content-Length: 2', 'Transfer-Encoding: chunked'], chunked('{}')),
    'chunks and a length': post(['Transfer-Encoding: chunked', 'Content-Length: 2'], chunked('{}')),
    'a second host behind thousands of headers': raw(get, 'Host: a', ...Array(3_500).fill('a:'), 'Host: b'),
    'half of a request line': 'GET /api',
  }
  for (const [name, bytes] of Object.entries(malformed)) {
    const halfClose = name.startsWith('half')
    check(`malformed: ${name}`, async () => {
      assertProtocolRefusal(await onlyAnswer(port, [bytes], { halfClose }), 400)
    })
    if (!halfClose)
      check(`malformed in pieces: ${name}`, async () => {
        const all = Buffer.from(bytes)
        const pieces = [0.3, 0.6, 1].map((part, n, parts) =>
          all.subarray(Math.floor((parts[n - 1] ?? 0) * all.length), Math.floor(part * all.length)),
        )
        const spread = pieces.flatMap((piece) => [piece, 20])
        assertProtocolRefusal(await onlyAnswer(port, [...spread, good]), 400)
      })
  }

  for (const encoding of ['gzip', 'chunked, gzip', 'identity'])
    check(`malformed: a body in ${encoding}, whose end nobody can tell`, async () => {
      // Node's parser sees it only behind the headers, so it may be a request whose body is malformed.
      const answer = await onlyAnswer(port, [post([`Transfer-Encoding: ${encoding}`], '{}')])
      if (answer.body.length > 0) assertError(answer, 400, 'INVALID_JSON')
      else assertProtocolRefusal(answer, 400)
    })

  const length = 'Content-Length: 2'
  const hosts: Record<string, string> = {
    'no Host': raw(get, bearer),
    'no Host and no key': raw(get),
    'no Host outside the API': raw('GET /healthz HTTP/1.1'),
    'no Host, with a body': `${raw(`POST ${leads} HTTP/1.1`, bearer, jsonType, length)}{}`,
    'no Host, with chunks': `${raw(`POST ${leads} HTTP/1.1`, bearer, jsonType, 'Transfer-Encoding: chunked')}${chunked('{}')}`,
    'no Host, with broken chunks': `${raw(`POST ${leads} HTTP/1.1`, bearer, jsonType, 'Transfer-Encoding: chunked')}zz\r\n`,
    'no Host, expecting to be asked': raw(`POST ${leads} HTTP/1.1`, jsonType, length, 'Expect: 100-continue'),
    'no Host, expecting something else': raw(`POST ${leads} HTTP/1.1`, jsonType, length, 'Expect: much'),
    'no Host, and an upgrade': raw(get, bearer, 'Connection: Upgrade', 'Upgrade: websocket'),
    'CONNECT without Host': raw('CONNECT example.com:443 HTTP/1.1'),
    'two Hosts': message('GET', campaigns, [bearer, 'Host: a', 'Host: b']),
    'the same Host twice': message('GET', campaigns, [bearer, 'Host: a', 'Host: a']),
    'two Hosts, differently written': message('GET', campaigns, [bearer, 'Host: a', 'HOST: a']),
    'two Hosts on HTTP/1.0': raw(`GET ${campaigns} HTTP/1.0`, 'Host: a', 'Host: b', bearer),
    'two Hosts, with a body': post(['Host: a', 'Host: b'], '{}'),
    'two Hosts, with chunks': post(['Host: a', 'Host: b', 'Transfer-Encoding: chunked'], chunked('{}')),
    'two Hosts, with broken chunks': post(['Host: a', 'Host: b', 'Transfer-Encoding: chunked'], 'zz\r\n'),
    'two Hosts, expecting to be asked': post(['Host: a', 'Host: b', length, 'Expect: 100-continue'], ''),
    'CONNECT with two Hosts': message('CONNECT', 'example.com:443', ['Host: a', 'Host: b']),
  }
  for (const [name, bytes] of Object.entries(hosts)) {
    check(name, async () => {
      const answer = await onlyAnswer(port, [bytes])
      assertProtocolRefusal(answer, 400)
      assert.deepEqual(answer.interim, [])
    })
    check(`${name}, and a good request behind it`, async () => {
      assertProtocolRefusal(await onlyAnswer(port, [bytes + good]), 400)
      assertProtocolRefusal(await onlyAnswer(port, [bytes, 30, good]), 400)
    })
  }

  const large: Record<string, string> = {
    'a header too large': message('GET', campaigns, [bearer, `X-Large: ${'x'.repeat(80_000)}`]),
    'too many headers': message(
      'GET',
      campaigns,
      Array.from({ length: 8_000 }, (_, n) => `X-${n}: some value`),
    ),
    'a header name too large': message('GET', campaigns, [`${'x'.repeat(80_000)}: 1`]),
    'a target too large': message('GET', `${campaigns}?${'x'.repeat(80_000)}`, [bearer]),
  }
  for (const [name, bytes] of Object.entries(large))
    check(name, async () => {
      assertProtocolRefusal(await onlyAnswer(port, [bytes]), 431)
    })
  check('a header that never ends', async () => {
    const line = await wire(port)
    await line.send(`${get}\r\nHost: a\r\nX-Large: `)
    const flooding = (async () => {
      for (let n = 0; n < 400 && line.socket.writable && !line.ended(); n++)
        await line.send('x'.repeat(65_536), 1)
    })()
    const { answers, ending } = await line.untilEnded()
    await flooding
    assert.equal(answers.length, 1)
    assertProtocolRefusal(answers[0], 431)
    assert.notEqual(ending, 'open')
  })

  await finish()
})
