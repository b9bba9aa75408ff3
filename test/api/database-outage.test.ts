// A database that does not answer is a 503 within about a second, and never a hang.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fastify from 'fastify'
import { type AuthorizeParts, afterEach, guard } from '../../src/http/public/api.ts'
import { assertError, assertStatus, call, leads, lookups, newEmail, openShop } from '../support/api.ts'
import { whileLocked } from '../support/locked.ts'

const shop = openShop()
const post = (path: string, email: string) => call(shop.server, 'POST', path, { key: shop.owner.key, body: { email } })
const register = (email: string) => post(leads(shop.owner.campaignId), email)

test('registrations while another process holds the write lock: 503 in time, and registered afterwards', async () => {
  const emails = Array.from({ length: 20 }, newEmail)
  await whileLocked(shop.place, async () => {
    const answers = await Promise.all(emails.map(register))
    for (const answer of answers) {
      assertError(answer, 503, 'SERVICE_UNAVAILABLE')
      const tookMs = answer.receivedAt - answer.sentAt
      assert.ok(tookMs < 1500, `503 after ${tookMs} ms`)
    }
  })
  const later = await Promise.all(emails.map(register))
  // What was given up may still have been carried out when the lock went.
  for (const { status } of later) assert.ok(status === 201 || status === 200, String(status))
})

test('reading goes on meanwhile, in time', async () => {
  const email = newEmail()
  assertStatus(await register(email), 201)
  await whileLocked(shop.place, async () => {
    const asked = [
      post(lookups(shop.owner.campaignId), email),
      call(shop.server, 'GET', '/campaigns', { key: shop.owner.key }),
      register(newEmail()),
    ]
    // The registration is refused.
    for (const answer of (await Promise.all(asked)).slice(0, 2)) {
      assertStatus(answer, 200)
      assert.ok(answer.receivedAt - answer.sentAt < 1500)
    }
  })
})

test('refusals need no database', async () => {
  await whileLocked(shop.place, async () => {
    const { key, campaignId } = shop.owner
    const options = { key, body: { email: newEmail() } }
    assertError(await call(shop.server, 'GET', '/campaigns'), 401, 'UNAUTHORIZED')
    const text = { ...options, headers: { 'Content-Type': 'text/plain' } }
    assertError(await call(shop.server, 'POST', leads(campaignId), text), 415, 'UNSUPPORTED_MEDIA_TYPE')
    assertStatus(await call(shop.server, 'GET', '/openapi.json'), 200)
  })
})

test('a lock for half a second is waited for', async () => {
  let answer: ReturnType<typeof register> | undefined
  await whileLocked(shop.place, async () => {
    answer = register(newEmail())
    await new Promise((resolve) => setTimeout(resolve, 400))
  })
  assertStatus((await answer) as Awaited<ReturnType<typeof register>>, 201)
})

test('the second look at the key, behind a slow body, is part of the second that a request waits', async () => {
  const { key } = shop.owner
  const secretHash = hash('sha256', key.split('.')[1] as string, 'buffer')
  const looksMs = [1_100, 300]
  const liveKey = async () => {
    await sleep(looksMs.shift())
    return { secretHash, account: { id: 1, suspended: false, rateLimit: null }, graceEndsAt: null }
  }
  const rates = { count: async () => ({ allowed: true, remaining: 1, resetSeconds: 1 }) }
  const parts = { configCache: { liveKey }, store: { rates }, now: Date.now, rateLimitPerMinute: 1 }
  const app = fastify().decorateRequest('key', null).decorateRequest('waitedMs', 0)
  // Without it Fastify measures no time.
  afterEach(app, () => {})
  await guard(app, parts as unknown as AuthorizeParts, null)
  app.post('/', async ({ waitedMs }) => ({ waitedMs }))
  const answer = await app.inject({ method: 'POST', url: '/', headers: { authorization: `Bearer ${key}` } })
  await app.close()
  assert.ok(answer.json().waitedMs >= 1_290, answer.body)
})

test('erasing a lead holds no registration up', async () => {
  const { place, owner } = shop
  const gone = newEmail()
  assertStatus(await register(gone), 201)
  let isErased = false
  const erasing = place
    .runShared(['lead', 'erase', '--campaign', String(owner.campaignId), '--email', gone])
    .finally(() => {
      isErased = true
    })
  do assertStatus(await register(newEmail()), 201)
  while (!isErased)
  const { code, stderr } = await erasing
  assert.equal(code, 0, stderr)
})
