// The history holds one entry for each authorized request, with eight facts and nothing else.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Answer,
  assertStatus,
  type Call,
  call,
  commandPauseMs,
  eventually,
  leads,
  lookups,
  newEmail,
  openShop,
} from '../support/api.ts'
import { type Entry, historyOf } from '../support/history.ts'
import { type Owner, owner } from '../support/lastcall.ts'

const shop = openShop()
let spent: Owner
let suspended: Owner
let stranger: Owner

before(async () => {
  await shop.opened
  spent = await owner(shop.place)
  suspended = await owner(shop.place)
  stranger = await owner(shop.place)
  await shop.place.json(['account', 'set', String(spent.accountId), '--rate-limit', '1'])
  await shop.place.json(['account', 'set', String(suspended.accountId), '--suspended', 'true'])
  await sleep(1000)
})

const ask = (method: string, path: string, options: Call = {}) =>
  call(shop.server, method, path, { key: shop.owner.key, ...options })
const post = (path: string, body: unknown, options: Call = {}) => ask('POST', path, { body, ...options })

const entriesOf = (accountId = shop.owner.accountId) => historyOf(shop.place, accountId)
const idOf = (answer: Answer) => answer.headers['x-request-id']

async function entryOf(answer: Answer, accountId?: number): Promise<Entry> {
  const entries = await eventually(
    5,
    () => entriesOf(accountId),
    (all) => all.some(({ requestId }) => requestId === idOf(answer)),
    commandPauseMs,
  )
  return entries.find(({ requestId }) => requestId === idOf(answer)) as Entry
}

test('each kind of request has its entry', async () => {
  const id = shop.owner.campaignId
  const email = newEmail()
  const cases: [Promise<Answer>, number, string | null, number | null][] = []
  const asked = async (answer: Promise<Answer>, status: number, code: string | null, campaign: number | null) => {
    assertStatus(await answer, status)
    cases.push([answer, status, code, campaign])
  }
  await asked(ask('GET', '/campaigns'), 200, null, null)
  await asked(ask('HEAD', '/campaigns'), 200, null, null)
  await asked(post(leads(id), { email }), 201, null, id)
  await asked(post(leads(id), { email }), 200, null, id)
  await asked(post(lookups(id), { email }), 200, null, id)
  await asked(post(lookups(id), { email: newEmail() }), 404, 'LEAD_NOT_FOUND', id)
  await asked(post(leads(999_999), { email }), 404, 'CAMPAIGN_NOT_FOUND', 999_999)
  await asked(post(leads('9007199254740993'), { email }), 404, 'CAMPAIGN_NOT_FOUND', null)
  await asked(ask('GET', '/nowhere'), 404, 'NOT_FOUND', null)
  await asked(ask('GET', '/campaigns', { query: 'limit=0' }), 422, 'VALIDATION_ERROR', null)
  await asked(ask('GET', '/campaigns', { query: 'afterId=0' }), 400, 'INVALID_CURSOR', null)
  await asked(post(leads('x'), { email }), 422, 'VALIDATION_ERROR', null)
  await asked(post(leads(id), '{'), 400, 'INVALID_JSON', id)
  await asked(post(leads(id), {}), 422, 'VALIDATION_ERROR', id)
  await asked(post(leads(id), 'x'.repeat(20_000)), 413, 'PAYLOAD_TOO_LARGE', id)
  const text = { headers: { 'Content-Type': 'text/plain' } }
  await asked(post(leads(id), { email }, text), 415, 'UNSUPPORTED_MEDIA_TYPE', id)

  const last = await ask('GET', '/campaigns')
  await entryOf(last)
  const entries = await entriesOf()
  const operations = new Map<string, Set<string>>()
  for (const [promise, status, code, campaign] of cases) {
    const answer = await promise
    const entry = entries.find(({ requestId }) => requestId === idOf(answer))
    assert.ok(entry, `no entry of ${answer.method} ${answer.target} ${answer.status}`)
    const where = `${answer.method} ${answer.target}: ${JSON.stringify(entry)}`
    assert.equal(entry.status, status, where)
    assert.equal(entry.errorCode, code, where)
    // of a request refused before its path was read, the campaign need not be known
    if (status < 300 || campaign === null) assert.equal(entry.campaignId, campaign, where)
    else assert.ok([campaign, null].includes(entry.campaignId), where)
    assert.ok(entry.milliseconds >= 0 && entry.milliseconds <= 5000, where)
    const at = Date.parse(entry.time)
    assert.ok(at >= answer.sentAt - 1000 && at <= answer.receivedAt + 1000, where)
    const path = answer.target.split('?')[0]?.replace(/\/\d+\//, '/{campaignId}/') ?? ''
    if (status < 300) operations.set(path, (operations.get(path) ?? new Set()).add(String(entry.operation)))
  }
  assert.equal(operations.size, 3)
  for (const names of operations.values()) assert.equal(names.size, 1)
  assert.equal(new Set([...operations.values()].flatMap((names) => [...names])).size, 3)
})

test('requests refused by the rate have an entry too', async () => {
  const answers = []
  for (let n = 0; n < 5; n += 1) answers.push(await ask('GET', '/campaigns', { key: spent.key }))
  const refused = answers.filter(({ status }) => status === 429)
  assert.ok(refused.length >= 3)
  await entryOf(answers.at(-1) as Answer, spent.accountId)
  const entries = await entriesOf(spent.accountId)
  assert.equal(entries.length, 5)
  for (const answer of refused) {
    const entry = entries.find(({ requestId }) => requestId === idOf(answer))
    assert.deepEqual([entry?.status, entry?.errorCode], [429, 'RATE_LIMITED'])
  }
})

test('requests that are not authorized have none', async () => {
  for (let n = 0; n < 3; n += 1) {
    assertStatus(await ask('GET', '/campaigns', { key: suspended.key }), 403)
    assertStatus(await ask('GET', '/campaigns', { key: `${stranger.key}x` }), 401)
    assertStatus(await call(shop.server, 'GET', '/openapi.json', { key: stranger.key }), 200)
  }
  const last = await ask('GET', '/campaigns', { key: stranger.key })
  await entryOf(last, stranger.accountId)
  assert.equal((await entriesOf(stranger.accountId)).length, 1)
  assert.deepEqual(await entriesOf(suspended.accountId), [])
})

test('a request has its entry where its body or its connection breaks, and so has the lead that it registered', async () => {
  const account = await owner(shop.place)
  await sleep(1000)
  const head = [`Authorization: Bearer ${account.key}`, 'Content-Type: application/json']
  const post = (body: string, length: number) => [
    ...[`POST /api/public/v1/campaigns/${account.campaignId}/leads HTTP/1.1`, 'Host: localhost', ...head],
    ...[`Content-Length: ${length}`, '', body],
  ]
  const body = JSON.stringify({ email: newEmail() })
  for (const length of [body.length, 500]) {
    const socket = connect(shop.server.port)
    await once(socket, 'connect')
    await new Promise((sent) => socket.write(post(body, length).join('\r\n'), sent))
    // A body that breaks off later counts until then.
    if (length > body.length) await sleep(300)
    socket.resetAndDestroy()
  }
  const entries = await eventually(
    5,
    () => entriesOf(account.accountId),
    (all) => all.length >= 2,
    commandPauseMs,
  )
  assert.ok(entries.every(({ operation }) => operation === 'registerLead'))
  const longest = Math.max(...entries.map(({ milliseconds }) => milliseconds))
  // A busy server reads the head some time after it was sent.
  assert.ok(longest >= 150 && longest < 5_000, `${longest} ms`)
  // With the rate in a database, a connection may break before the body is read.
  const stored = await shop.place.json<object[]>(['lead', 'list', '--campaign', String(account.campaignId)])
  assert.deepEqual(entries.map(({ status }) => status).sort(), stored.length === 1 ? [201, 400] : [400, 400])
})

test('each key is told apart', async () => {
  const account = String(shop.owner.accountId)
  const made = await shop.place.json(['key', 'create', '--account', account, '--name', 'second'])
  await sleep(1000)
  const [first, second] = [await ask('GET', '/campaigns'), await ask('GET', '/campaigns', { key: made.key })]
  const keys = [(await entryOf(first)).key, (await entryOf(second)).key]
  assert.ok(JSON.stringify(keys[0]).includes(shop.owner.keyId.slice(0, 8)), JSON.stringify(keys))
  assert.ok(JSON.stringify(keys[1]).includes(made.id.slice(0, 8)), JSON.stringify(keys))
})

test('none is lost or doubled when many are asked at once', async () => {
  const account = await owner(shop.place)
  await sleep(1000)
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask('GET', '/campaigns', { key: account.key })))
  const entries = await eventually(
    5,
    () => entriesOf(account.accountId),
    (all) => all.length >= 50,
    commandPauseMs,
  )
  assert.deepEqual(entries.map(({ requestId }) => requestId).sort(), answers.map(idOf).sort())
})
