// Slow, silent and hostile senders, all at once, and a good client beside them that must not notice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { amount } from '../support/faults.ts'
import { openShop, type Shop } from '../support/prepared.ts'
import { assertError, assertGood, assertProtocolRefusal, exchange, message, type Piece, wire } from '../support/wire.ts'

/** What `src/http/framework.ts` allows, the look every five seconds, and a second to close. */
const headsMs = { least: 14_000, most: 21_000 }
const bodiesMs = { least: 29_000, most: 36_000 }

type Slow = { pieces: Piece[]; least: number; most: number }

test('slow senders are cut off in time, and others served at once', { timeout: 60_000 }, async (t) => {
  const shop = await openShop(t)
  const { place, server, port, bearer, jsonType, campaigns, leads, campaignId } = shop
  const good = message('GET', campaigns, [bearer])
  const body = '{"email":"refused@example.com"}'
  const post = (headers: string[], sent: string) => message('POST', leads, [bearer, jsonType, ...headers], sent)
  const whole = post([], body)
  const letters = (text: string, everyMs: number) => [...text].flatMap((letter) => [everyMs, letter])

  const slow: Record<string, Slow> = {
    'a connection that says nothing': { pieces: [], ...headsMs },
    'a letter of a head': { pieces: ['G'], ...headsMs },
    'a head without its end': { pieces: [good.slice(0, -2)], ...headsMs },
    'a head letter by letter': { pieces: letters(good.slice(0, 40), 600), ...headsMs },
    'no body': { pieces: [post(['Content-Length: 10'], '')], ...bodiesMs },
    'half a body': { pieces: [whole.slice(0, -10)], ...bodiesMs },
    'chunks without an end': { pieces: [post(['Transfer-Encoding: chunked'], '2\r\n{}\r\n')], ...bodiesMs },
    'a body that was asked for': {
      pieces: [post(['Content-Length: 10', 'Expect: 100-continue'], '')],
      ...bodiesMs,
    },
    'a body letter by letter': {
      pieces: [whole.slice(0, -30), ...letters(' '.repeat(28), 1_200)],
      ...bodiesMs,
    },
  }
  const neighbour = goodNeighbour(shop)

  const cutOff = Object.entries(slow).map(async ([name, { pieces, least, most }]) => {
    const { answers, ending, endedAfterMs } = await exchange(port, pieces, { timeoutMs: most })
    assert.notEqual(ending, 'open', `${name}: left open`)
    assert.ok(endedAfterMs >= least, `${name}: cut off after ${endedAfterMs} ms`)
    assert.ok(answers.length <= 1, name)
    if (answers.length > 0) assertProtocolRefusal(answers[0], 408)
  })
  const secondHead = async () => {
    const { answers, ending, endedAfterMs } = await exchange(port, [good, 1_000, good.slice(0, 50)], {
      timeoutMs: headsMs.most + 1_000,
    })
    assert.notEqual(ending, 'open')
    assert.ok(endedAfterMs >= headsMs.least + 1_000)
    assertGood(answers[0], 200)
    if (answers.length > 1) assertProtocolRefusal(answers[1], 408)
  }
  const bodyAfterAnswer = async () => {
    const drops = letters('x'.repeat(40), 800)
    const unasked = message('POST', leads, [jsonType, 'Content-Length: 900'])
    const { answers, ending } = await exchange(port, [unasked, ...drops], { timeoutMs: bodiesMs.most })
    assert.notEqual(ending, 'open')
    assertError(answers[0], 401, 'UNAUTHORIZED')
  }
  const slowButInTime = async () => {
    const bytes = post([], '{"email":"slow@example.com"}')
    const line = await wire(port)
    await line.send(bytes.slice(0, 40), 9_000, bytes.slice(40, -5), 9_000, bytes.slice(-5))
    assertGood((await line.answers(1))[0], 201)
    line.destroy()
  }
  const resting = async () => {
    const line = await wire(port)
    for (const waitMs of [3_000, 22_000, 0]) {
      const before = line.bytes().length
      await line.send(good, waitMs)
      assert.ok(waitMs === 0 || line.bytes().length > before)
    }
    await line.answers(3)
    line.destroy()
  }
  const manyHalves = async () => {
    const halves = Array.from({ length: amount(150, 400) }, (_, n) =>
      n % 2 ? good.slice(0, 30 + (n % 40)) : whole.slice(0, -5),
    )
    const lines = halves.map((half) => exchange(port, [half], { timeoutMs: bodiesMs.most }))
    for (const { answers, ending } of await Promise.all(lines)) {
      assert.notEqual(ending, 'open')
      if (answers.length > 0) assertProtocolRefusal(answers[0], 408)
    }
  }
  try {
    await Promise.all([...cutOff, secondHead(), bodyAfterAnswer(), slowButInTime(), resting(), manyHalves()])
  } finally {
    await neighbour.stop()
  }
  assert.deepEqual(neighbour.wrong, [])
  assert.ok(neighbour.served > amount(60, 100), `the good client was served ${neighbour.served} times only`)
  const stored = await place.json<{ email: string }[]>(['lead', 'list', '--campaign', String(campaignId)])
  const others = stored.map(({ email }) => email).filter((email) => !email.startsWith('good-'))
  assert.deepEqual(others, ['slow@example.com'])
  assert.equal(server.process.exitCode, null)
  assert.doesNotMatch(server.output(), /a request failed|the process broke/)
})

/** Registers, looks up and lists all the time, and keeps what was not as it should be. */
function goodNeighbour({ server, key, campaignId }: Shop) {
  const state = { served: 0, wrong: [] as string[] }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const slowMs = 2_000
  let stopping = false
  async function ask(path: string, expected: number, body?: string): Promise<void> {
    const startedAt = Date.now()
    const init = body === undefined ? { headers } : { method: 'POST', headers, body }
    const answer = await fetch(server.base + path, { ...init, signal: AbortSignal.timeout(10_000) })
    const text = await answer.text()
    const tookMs = Date.now() - startedAt
    if (answer.status === expected && tookMs < slowMs) state.served += 1
    else state.wrong.push(`${path}: ${answer.status} after ${tookMs} ms: ${text.slice(0, 200)}`)
  }
  const leads = `/campaigns/${campaignId}/leads`
  const running = (async () => {
    for (let n = 0; !stopping; n++) {
      const body = JSON.stringify({ email: `good-${n}@example.com` })
      await ask(leads, 201, body)
      await ask(`${leads}/lookup`, 200, body)
      await ask('/campaigns', 200)
      await sleep(amount(400, 100))
    }
  })().catch((error) => void state.wrong.push(String(error)))
  return Object.assign(state, {
    async stop() {
      stopping = true
      await running
    },
  })
}
