// 16,384 bytes are a body, one more is too many, however the length is made known.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, assertStatus, call, leads, lookups, newEmail, openShop } from '../support/api.ts'

const shop = openShop()
const limit = 16_384

const post =
  (path: typeof leads) =>
  (body: string | Buffer, chunkBytes = 0) =>
    call(shop.server, 'POST', path(shop.owner.campaignId), { key: shop.owner.key, body, chunkBytes })
const register = post(leads)
const lookUp = post(lookups)

/** A client that goes on sending may see a reset instead of the answer (row 8 of the contract), but not each time. */
async function answered<Answer>(ask: () => Promise<Answer>, tries = 3): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (tries === 1 || !/EPIPE|ECONNRESET/.test(String((error as NodeJS.ErrnoException).code))) throw error
    return answered(ask, tries - 1)
  }
}

const padded = (bytes: number) => JSON.stringify({ email: newEmail() }).padEnd(bytes)
const lengths: [string, number][] = [
  ['declared', 0],
  ['in one chunk', 1_000_000],
  ['in chunks of 1,000', 1000],
  ['in chunks of 16,384', limit],
]
for (const [how, chunkBytes] of lengths) {
  test(`16,384 bytes, ${how}`, async () => {
    assertStatus(await register(padded(limit), chunkBytes), 201)
  })

  test(`16,385 bytes, ${how}`, async () => {
    const answer = await register(padded(limit + 1), chunkBytes)
    assertError(answer, 413, 'PAYLOAD_TOO_LARGE')
    assert.equal(answer.headers.connection, 'close')
  })

  test(`1 MiB, ${how}: refused, and nothing is written`, async () => {
    const email = JSON.stringify({ email: newEmail() })
    assertError(await answered(() => register(email.padEnd(1_048_576), chunkBytes)), 413, 'PAYLOAD_TOO_LARGE')
    assertError(await lookUp(email), 404, 'LEAD_NOT_FOUND')
  })
}

test('a lookup takes no more', async () => {
  assertError(await lookUp(padded(limit)), 404, 'LEAD_NOT_FOUND')
  assertError(await lookUp(padded(limit + 1)), 413, 'PAYLOAD_TOO_LARGE')
})

test('bytes are counted, not characters', async () => {
  const text = Buffer.from(`{"language":"${'\u{1F30D}'.repeat(4000)}"}`)
  const fits = Buffer.concat([text, Buffer.alloc(limit - text.length, ' ')])
  assertError(await register(fits), 422, 'VALIDATION_ERROR')
  const tooLong = Buffer.concat([fits, Buffer.from(' ')])
  assertError(await register(tooLong), 413, 'PAYLOAD_TOO_LARGE')
})

test('a body that is too large is not read as JSON, and nothing is written', async () => {
  const email = newEmail()
  assertError(await register(JSON.stringify({ email }).padEnd(limit + 1)), 413, 'PAYLOAD_TOO_LARGE')
  assertError(await register('x'.repeat(limit + 1)), 413, 'PAYLOAD_TOO_LARGE')
  assertError(await lookUp(JSON.stringify({ email }).padEnd(limit)), 404, 'LEAD_NOT_FOUND')
})
