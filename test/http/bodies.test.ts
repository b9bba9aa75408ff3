// Bodies: malformed chunks, early answers that a client which is still writing gets to see, bodies on GET.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { campaignFile, owner } from '../support/lastcall.ts'
import { openShop, sideBySide } from '../support/prepared.ts'
import {
  assertError,
  assertGood,
  chunked,
  exchange,
  header,
  message,
  onlyAnswer,
  type Received,
  type WireAnswer,
  wire,
} from '../support/wire.ts'

const pieceBytes = 65_536

test('bodies', { concurrency: 48 }, async (t) => {
  const shop = await openShop(t)
  const { place, port, bearer, jsonType, campaigns, leads, accountId } = shop
  const { check, finish } = sideBySide(t, shop)

  const suspended = await owner(place)
  await place.json(['account', 'set', String(suspended.accountId), '--suspended', 'true'])
  const hasty = await owner(place)
  await place.json(['account', 'set', String(hasty.accountId), '--rate-limit', '1'])
  const draft = await place.json(
    ['campaign', 'apply', '--account', String(accountId), '-'],
    campaignFile({ isDraft: true }),
  )
  await new Promise((resolve) => setTimeout(resolve, 1_000)) // until it holds in the running server

  /** Uses up the minute of the hasty account. */
  const spend = async () => {
    const spending = message('GET', campaigns, [`Authorization: Bearer ${hasty.key}`])
    for (let n = 0; n < 2; n++) await exchange(port, [spending], { halfClose: true })
  }

  type Early = { target?: string; headers: string[]; status: number; code: string; before?(): Promise<void> }
  const early: Record<string, Early> = {
    'no key': { headers: [jsonType], status: 401, code: 'UNAUTHORIZED' },
    'a wrong key': { headers: [`${bearer}x`, jsonType], status: 401, code: 'UNAUTHORIZED' },
    'a suspended account': {
      headers: [`Authorization: Bearer ${suspended.key}`, jsonType],
      status: 403,
      code: 'ACCOUNT_SUSPENDED',
    },
    'too many requests': {
      headers: [`Authorization: Bearer ${hasty.key}`, jsonType],
      status: 429,
      code: 'RATE_LIMITED',
      before: spend,
    },
    'no such path': {
      target: `${campaigns}/1/x`,
      headers: [bearer, jsonType],
      status: 404,
      code: 'NOT_FOUND',
    },
    'outside the API': { target: '/nowhere', headers: [], status: 404, code: 'NOT_FOUND' },
    'a parameter': {
      target: `${leads}?a=1`,
      headers: [bearer, jsonType],
      status: 422,
      code: 'VALIDATION_ERROR',
    },
    'no id': {
      target: `${campaigns}/0/leads`,
      headers: [bearer, jsonType],
      status: 422,
      code: 'VALIDATION_ERROR',
    },
    'a wrong type': {
      headers: [bearer, 'Content-Type: text/plain'],
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    },
  }
  const tooLarge: Early = { headers: [bearer, jsonType], status: 413, code: 'PAYLOAD_TOO_LARGE' }

  async function answered({ before, status }: Early, ask: () => Promise<WireAnswer>): Promise<WireAnswer> {
    await before?.()
    const answer = await ask()
    if (status !== 429 || answer.status === 429) return answer
    await before?.() // the minute turned in between
    return ask()
  }

  // Malformed chunks: the contract's answer, once, and an earlier check wins.

  const broken: Record<string, string> = {
    'no number': 'zz\r\n{}\r\n0\r\n\r\n',
    'a negative size': '-2\r\n{}\r\n0\r\n\r\n',
    'a size with 0x': '0x2\r\n{}\r\n0\r\n\r\n',
    'more than the size': '1\r\n{}\r\n0\r\n\r\n',
    'an empty size': '\r\n{}\r\n0\r\n\r\n',
    'a good chunk and then garbage': `5\r\n{"ema\r\nGARBAGE\r\n`,
    'a body and then garbage in the trailer': '2\r\n{}\r\n0\r\nno trailer\r\n\r\n',
    'an endless size': `${'f'.repeat(40)}\r\n{}\r\n0\r\n\r\n`,
    'another request instead': message('GET', '/healthz'),
  }
  const asChunks = ({ target = leads, headers }: Early, body: string) =>
    message('POST', target, [...headers, 'Transfer-Encoding: chunked'], body)
  const good = message('GET', campaigns, [bearer])
  for (const [name, body] of Object.entries(broken)) {
    check(`broken chunks: ${name}`, async () => {
      const bytes = asChunks(tooLarge, body)
      assertError(await onlyAnswer(port, [bytes]), 400, 'INVALID_JSON')
      assertError(await onlyAnswer(port, [bytes + good, 20, good]), 400, 'INVALID_JSON')
      const head = bytes.length - body.length
      const pieces = [bytes.slice(0, head), 30, body.slice(0, 2), 30, body.slice(2), 30, good]
      assertError(await onlyAnswer(port, pieces), 400, 'INVALID_JSON')
      const expecting = asChunks({ ...tooLarge, headers: [bearer, jsonType, 'Expect: 100-continue'] }, body)
      const answer = await onlyAnswer(port, [expecting])
      assertError(answer, 400, 'INVALID_JSON')
    })
  }
  for (const name of ['no number', 'a good chunk and then garbage', 'another request instead'])
    for (const [why, refused] of Object.entries(early))
      check(`broken chunks (${name}) behind an earlier failure: ${why}`, async () => {
        const body = broken[name] ?? ''
        const bytes = asChunks(refused, body)
        const head = bytes.length - body.length
        for (const pieces of [[bytes], [bytes.slice(0, head), 50, body]]) {
          const answer = await answered(refused, () => onlyAnswer(port, pieces))
          assertError(answer, refused.status, refused.code)
        }
      })
  check('broken chunks as the very first that a key sends', async () => {
    const keys = Array.from({ length: 4 }, (_, n) => [
      'key',
      'create',
      '--account',
      String(accountId),
      '--name',
      `${n}`,
    ])
    for (const args of keys) {
      const { key } = await place.json(args)
      const first = { ...tooLarge, headers: [`Authorization: Bearer ${key}`, jsonType] }
      assertError(await onlyAnswer(port, [asChunks(first, 'zz\r\n')]), 400, 'INVALID_JSON')
    }
  })
  check('broken chunks come before the campaign that is not there and the draft', async () => {
    for (const id of [999_999, draft.id]) {
      const bytes = asChunks({ ...tooLarge, target: `${campaigns}/${id}/leads` }, 'zz\r\n')
      assertError(await onlyAnswer(port, [bytes]), 400, 'INVALID_JSON')
    }
  })
  check('broken chunks behind too many bytes', async () => {
    const bytes = asChunks(tooLarge, `${chunked('x'.repeat(20_000), 5_000).slice(0, -5)}zz\r\n`)
    assertError(await onlyAnswer(port, [bytes]), 413, 'PAYLOAD_TOO_LARGE')
  })
  check('an overlong chunk extension or trailer', async () => {
    for (const body of [
      `2;${'x'.repeat(40_000)}\r\n{}\r\n0\r\n\r\n`,
      `2\r\n{}\r\n0\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
    ]) {
      const answer = await onlyAnswer(port, [asChunks(tooLarge, body)])
      if (answer.status === 413) assertError(answer, 413, 'PAYLOAD_TOO_LARGE')
      else assertError(answer, 400, 'INVALID_JSON')
    }
  })
  check('chunk extensions and trailers of a usual size are fine', async () => {
    const input = '{"email":"extension@example.com"}'
    const body = `${input.length.toString(16)};name=value\r\n${input}\r\n0\r\nX-Trailer: 1\r\n\r\n`
    assertGood(await onlyAnswer(port, [asChunks(tooLarge, body)], { halfClose: true }), 201)
  })
  for (const half of [
    asChunks(tooLarge, '5\r\n{"e'),
    asChunks(tooLarge, ''),
    message('POST', leads, [bearer, jsonType, 'Content-Length: 100'], '{"email":"a@example.com"}'),
  ])
    check(`a body that breaks off, ${JSON.stringify(half.slice(-30))}`, async () => {
      assertError(await onlyAnswer(port, [half], { halfClose: true }), 400, 'INVALID_JSON')
    })

  // The limit, counted.

  const filled = (bytes: number) => {
    const input = `{"email":"limit-${Math.random()}@example.com"}`
    return input + ' '.repeat(bytes - input.length)
  }
  for (const size of [1, 4_096, 20_000])
    check(`the limit in chunks of ${size}`, async () => {
      const ask = (bytes: number) =>
        exchange(port, [asChunks(tooLarge, chunked(filled(bytes), size))], { halfClose: true })
      assertGood((await ask(16_384)).answers[0], 201)
      const over = await ask(16_385)
      assert.equal(over.answers.length, 1)
      assertError(over.answers[0], 413, 'PAYLOAD_TOO_LARGE')
      assert.equal(over.answers[0] && header(over.answers[0], 'connection')?.toLowerCase(), 'close')
    })

  // A client that goes on writing.

  /** Writes up to `bytes` of a body, whatever comes back, until the server ends the connection. */
  async function writing(head: string, bytes: number, piece: string): Promise<Received & { sent: number }> {
    const line = await wire(port)
    let sent = 0
    const sending = (async () => {
      await line.send(head)
      while (sent < bytes && line.socket.writable && !line.ended()) {
        await line.send(piece.slice(0, bytes - sent), 0)
        sent += Math.min(piece.length, bytes - sent)
      }
    })()
    const received = await line.untilEnded([], 20_000)
    await sending
    return { ...received, sent }
  }
  const plain = 'x'.repeat(pieceBytes)
  const asChunk = `${pieceBytes.toString(16)}\r\n${plain}\r\n`

  for (const [why, refused] of Object.entries({ ...early, 'too many bytes': tooLarge })) {
    const { target = leads, headers, status, code } = refused
    const closed = async (ask: () => Promise<Received & { sent: number }>) => {
      const sent: number[] = []
      const answer = await answered(refused, async () => {
        const received = await ask()
        sent.push(received.sent)
        assert.equal(received.answers.length, 1, `${received.answers.length} answers, ${received.ending}`)
        assert.notEqual(received.ending, 'open', 'the connection was left open')
        return received.answers[0] as WireAnswer
      })
      assertError(answer, status, code)
      if (status === 413) assert.equal(header(answer, 'connection')?.toLowerCase(), 'close')
      return sent.at(-1) ?? 0
    }
    check(`900 KB, ${why}: all is taken, and the answer seen`, async () => {
      const head = message('POST', target, [...headers, 'Content-Length: 900000'])
      assert.equal(await closed(() => writing(head, 900_000, plain)), 900_000)
    })
    check(`900 KB in chunks, ${why}`, async () => {
      const head = message('POST', target, [...headers, 'Transfer-Encoding: chunked'])
      await closed(() => writing(head, asChunk.length * 13, asChunk))
    })
    check(`10 MB, ${why}: the answer is seen, and no more taken than there must`, async () => {
      const head = message('POST', target, [...headers, 'Content-Length: 10000000'])
      const sent = await closed(() => writing(head, 10_000_000, plain))
      assert.ok(sent < 9_000_000, `${sent} bytes were taken`)
    })
    check(`endless chunks, ${why}`, async () => {
      const head = message('POST', target, [...headers, 'Transfer-Encoding: chunked'])
      const sent = await closed(() => writing(head, 100_000_000, asChunk))
      assert.ok(sent < 20_000_000, `${sent} bytes were taken`)
    })
  }

  // Bodies on GET and HEAD are ignored.

  for (const size of [1, 20_000, 900_000, 10_000_000])
    for (const [target, headers] of [
      [campaigns, [bearer]],
      ['/api/public/v1/openapi.json', []],
      ['/healthz', []],
    ] as const)
      check(`GET ${target} with a body of ${size} bytes`, async () => {
        const declared = message('GET', target, [...headers, `Content-Length: ${size}`])
        const lengthless = message('GET', target, [...headers, 'Transfer-Encoding: chunked'])
        for (const received of [
          await writing(declared + (size < 100 ? 'x'.repeat(size) : ''), size < 100 ? 0 : size, plain),
          await writing(lengthless, Math.ceil(size / pieceBytes) * asChunk.length, asChunk),
        ]) {
          assert.equal(received.answers.length, 1)
          assert.equal(received.answers[0]?.status, 200)
        }
      })
  check('a body on GET that looks like a request is none', async () => {
    const hidden = message('GET', '/nowhere')
    for (const bytes of [
      message('GET', campaigns, [bearer], hidden),
      message('GET', campaigns, [bearer, 'Transfer-Encoding: chunked'], chunked(hidden)),
    ]) {
      const { answers } = await exchange(port, [bytes], { halfClose: true })
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200],
      )
    }
  })
  check('broken chunks on GET change nothing', async () => {
    const bytes = message('GET', campaigns, [bearer, 'Transfer-Encoding: chunked'], 'zz\r\n')
    assertGood(await onlyAnswer(port, [bytes]), 200)
    assertError(await onlyAnswer(port, [bytes.replace(bearer, 'X: y')]), 401, 'UNAUTHORIZED')
    const headed = await onlyAnswer(port, [bytes.replace('GET', 'HEAD')], { methods: ['HEAD'] })
    assertGood(headed, 200)
  })

  await finish()
})
