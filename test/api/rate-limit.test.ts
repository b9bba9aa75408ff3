// Exactly 120 authorized requests in a UTC minute for each account, with any of its keys and for any operation.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Answer,
  assertError,
  assertStatus,
  type Call,
  call,
  leads,
  newEmail,
  openShop,
  withinOneSecond,
} from '../support/api.ts'
import { amount, longTest } from '../support/faults.ts'
import { installation, type Owner, owner, type Server } from '../support/lastcall.ts'

const shop = openShop({ args: [] })
let second: string
let stranger: Owner
let suspended: Owner
let capped: Owner

before(async () => {
  await shop.opened
  const account = String(shop.owner.accountId)
  second = (await shop.place.json(['key', 'create', '--account', account, '--name', 'second'])).key
  stranger = await owner(shop.place)
  suspended = await owner(shop.place)
  capped = await owner(shop.place)
  await shop.place.json(['account', 'set', String(capped.accountId), '--rate-limit', '7'])
  await sleep(1000)
})

const minute = (at: number) => Math.floor(at / 60_000)
const leftMs = (at: number) => 60_000 - (at % 60_000)

/** Waits for the next minute when this one is about to end. */
async function roomInTheMinute(seconds = 10): Promise<void> {
  const left = leftMs(Date.now())
  if (left < seconds * 1000) await sleep(left + 50)
}

const list = (key: string, server: Server = shop.server) => call(server, 'GET', '/campaigns', { key })
const remaining = (answer: Answer) => Number(answer.headers['ratelimit-remaining'])

function assertRefused(answer: Answer, limit: number): void {
  assertError(answer, 429, 'RATE_LIMITED')
  assert.equal(answer.headers['ratelimit-limit'], String(limit))
  assert.equal(answer.headers['ratelimit-remaining'], '0')
  const retryAfter = Number(answer.headers['retry-after'])
  assert.ok(retryAfter >= Math.floor(leftMs(answer.receivedAt) / 1000), `${retryAfter} is too early`)
  assert.ok(retryAfter <= Math.ceil(leftMs(answer.sentAt) / 1000), `${retryAfter} is too late`)
  assert.equal(answer.headers['ratelimit-reset'], String(retryAfter))
}

const kinds: (() => [method: string, path: string, options: Call])[] = [
  () => ['GET', '/campaigns', {}],
  () => ['HEAD', '/campaigns', {}],
  () => ['GET', '/nowhere', {}],
  () => ['GET', '/campaigns', { query: 'limit=0' }],
  () => ['GET', '/campaigns', { query: 'afterId=0' }],
  () => ['POST', leads('x'), { body: { email: newEmail() } }],
  () => ['POST', leads(shop.owner.campaignId), { body: 'x', headers: { 'Content-Type': 'text/plain' } }],
  () => ['POST', leads(shop.owner.campaignId), { body: 'x' }],
  () => ['POST', leads(shop.owner.campaignId), { body: {} }],
  () => ['POST', leads(999_999), { body: { email: newEmail() } }],
  () => ['POST', `${leads(shop.owner.campaignId)}/lookup`, { body: { email: newEmail() } }],
  () => ['POST', leads(shop.owner.campaignId), { body: { email: newEmail() } }],
]

const many = amount(240, 600)

test(`of ${many} requests at once with two keys exactly 120 pass, whatever their answers are`, async () => {
  await roomInTheMinute()
  const startedAt = Date.now()
  const answers = await Promise.all(
    Array.from({ length: many }, (_, n) => {
      const [method, path, options] = (kinds[n % kinds.length] as () => [string, string, Call])()
      return call(shop.server, method, path, { ...options, key: n % 2 ? second : shop.owner.key })
    }),
  )
  assert.equal(minute(startedAt), minute(Date.now()), 'the test took more than a minute')
  const passed = answers.filter(({ status }) => status !== 429)
  assert.equal(passed.length, 120)
  const counts = passed.map(remaining).sort((a, b) => a - b)
  assert.deepEqual(
    counts,
    Array.from({ length: 120 }, (_, n) => n),
  )
  for (const answer of passed) assert.equal(answer.headers['ratelimit-limit'], '120')
  const refused = answers.filter(({ status }) => status === 429)
  for (const answer of refused) assertRefused(answer, 120)
  // The database may have counted all of those by one statement.
  assertRefused(await list(second), 120)
  assertStatus(await list(stranger.key), 200)
})

test('requests that are not authorized do not count', async () => {
  await roomInTheMinute()
  const first = remaining(await list(stranger.key))
  const wrong = `${stranger.key.slice(0, -10)}AAAAAAAAAA`
  for (let n = 0; n < 20; n += 1) assertError(await list(wrong), 401, 'UNAUTHORIZED')
  for (let n = 0; n < 5; n += 1) await call(shop.server, 'GET', '/openapi.json', { key: stranger.key })
  assert.equal(remaining(await list(stranger.key)), first - 1)
})

test('requests of a suspended account do not count', async () => {
  const set = (value: string) => shop.place.json(['account', 'set', String(suspended.accountId), '--suspended', value])
  const ask = () => list(suspended.key)
  await roomInTheMinute()
  const first = remaining(await ask())
  await set('true')
  let asked = 0
  const counted = async () => {
    const answer = await ask()
    if (answer.status === 200) asked += 1
    return answer
  }
  await withinOneSecond(counted, ({ status }) => status === 403)
  for (let n = 0; n < 30; n += 1) assertError(await ask(), 403, 'ACCOUNT_SUSPENDED')
  await set('false')
  const again = await withinOneSecond(ask, ({ status }) => status === 200)
  assert.equal(remaining(again), first - asked - 1)
})

test('an account has its own limit, and the service its default', async () => {
  await roomInTheMinute()
  const answers = await Promise.all(Array.from({ length: 30 }, () => list(capped.key)))
  assert.equal(answers.filter(({ status }) => status === 200).length, 7)
  for (const answer of answers.filter(({ status }) => status === 429)) assertRefused(answer, 7)
  const set = (limit: string) => shop.place.json(['account', 'set', String(capped.accountId), '--rate-limit', limit])
  await set('10')
  const raised = await withinOneSecond(
    () => list(capped.key),
    ({ status }) => status === 200,
  )
  assert.deepEqual([raised.headers['ratelimit-limit'], remaining(raised)], ['10', 2])
  assert.equal((await set('default')).rateLimit, null)
  await withinOneSecond(
    () => list(capped.key),
    ({ headers }) => headers['ratelimit-limit'] === '120',
  )
})

// In the short form an account of test/api/history.test.ts has it.
longTest('a limit of one', async (t) => {
  const place = installation(t)
  const me = await owner(place)
  const server = await place.serve(['--rate-limit', '1'])
  await roomInTheMinute(5)
  const answers = await Promise.all([list(me.key, server), list(me.key, server)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 429])
})
