// An email and a key's secret appear in no log, no metric, no history and no error, whatever happens.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Answer,
  applyCampaign,
  assertStatus,
  type Call,
  call,
  hangUp,
  leads,
  lookups,
  openShop,
  send,
  withinOneSecond,
} from '../support/api.ts'
import { type Owner, owner } from '../support/lastcall.ts'
import { whileLocked } from '../support/locked.ts'
import { storedTexts } from '../support/rows.ts'
import { wire } from '../support/wire.ts'

const shop = openShop({ isAlone: true })
const planted = 'planted-sunflower'
const email = `${planted}@example.com`
let suspended: Owner
let spent: Owner
let revoked: string
const errors: Answer[] = []
const statuses = new Set<number>()

async function ask(method: string, path: string, options: Call = {}): Promise<Answer> {
  const answer = await call(shop.server, method, path, { key: shop.owner.key, ...options })
  statuses.add(answer.status)
  if (answer.status >= 400) errors.push(answer)
  return answer
}
const post = (path: string, body: unknown, options: Call = {}) => ask('POST', path, { body, ...options })

const secretsOf = () =>
  [shop.owner.key, revoked, suspended.key, spent.key].map((key) => key.slice(key.indexOf('.') + 1))

before(async () => {
  await shop.opened
  suspended = await owner(shop.place)
  spent = await owner(shop.place)
  const account = String(shop.owner.accountId)
  const made = await shop.place.json(['key', 'create', '--account', account, '--name', 'revoked'])
  await shop.place.json(['key', 'revoke', made.id])
  revoked = made.key
  await shop.place.json(['account', 'set', String(suspended.accountId), '--suspended', 'true'])
  await shop.place.json(['account', 'set', String(spent.accountId), '--rate-limit', '1'])
  await sleep(1000)
})

test('successes and every class of failure', async () => {
  const { campaignId, key } = shop.owner
  const secret = key.slice(key.indexOf('.') + 1)
  assertStatus(await post(leads(campaignId), { email }), 201)
  assertStatus(await post(leads(campaignId), { email, language: 'pl' }), 200)
  assertStatus(await post(lookups(campaignId), { email }), 200)

  const bodies = [
    `{"email":"${email}"`,
    `{"email":"${email}",}`,
    `${email}`,
    `[${email}]`,
    `{"email":"${email}"}${email}`,
    Buffer.from(`{"email":"${email}\xff"}`, 'latin1'),
    { email: `${email} ` },
    { email: `<${email}>` },
    { email: [email] },
    { email, language: email },
    { email, clientId: email },
    { email, deadline: key },
    { email: secret },
    `{"email":"${email}"}`.padEnd(20_000),
  ]
  for (const body of bodies) for (const path of [leads(campaignId), lookups(campaignId)]) await post(path, body)

  for (const type of ['text/plain', `text/${planted}`, `application/json; charset=${planted}`])
    await post(leads(campaignId), { email }, { headers: { 'Content-Type': type } })
  await post(leads(campaignId), { email }, { headers: { 'Content-Encoding': planted } })
  await post(leads(999_999), { email })
  await post(lookups(campaignId), { email: `${planted}@nowhere.example.com` })
  for (const query of [`email=${email}`, `limit=${email}`, `afterId=${email}`, `isDraft=${email}`, `key=${key}`])
    await ask('GET', '/campaigns', { query })
  await post(leads(campaignId), { email }, { query: `email=${encodeURIComponent(email)}` })
  for (const path of [`/campaigns/${email}/leads`, `/leads/${email}`, `/${key}`, `/campaigns/${secret}/leads`])
    await post(path, { email })
  await ask('GET', '/campaigns', {
    headers: { 'X-Request-Id': email, Referer: `https://example.com/?e=${email}`, From: email, Cookie: key },
  })

  for (const authorization of [
    `Basic ${key}`,
    `Bearer ${key}x`,
    `Bearer lastcall_${email}.${secret}`,
    `Bearer ${email}`,
    `${key}`,
    `Bearer ${revoked}`,
  ])
    await post(leads(campaignId), { email }, { headers: { Authorization: authorization } })
  await post(leads(campaignId), { email }, { key: revoked })
  await post(leads(suspended.campaignId), { email }, { key: suspended.key })
  await withinOneSecond(
    () => post(leads(spent.campaignId), { email: `${planted}-2@example.com` }, { key: spent.key }),
    ({ status }) => status === 429,
  )
  for (const path of [`/${email}`, `/go/1/${planted}`, `/${key}`])
    await send(shop.server, 'GET', path, { outside: true, query: `e=${email}&k=${key}` })
})

test('a draft, and a database that does not answer', async () => {
  const draft = await applyCampaign(shop, { isDraft: true })
  await withinOneSecond(
    () => post(leads(draft.id), { email }),
    ({ body }) => body.code === 'CAMPAIGN_NOT_PUBLISHED',
  )
  await whileLocked(shop.place, async () => {
    const answer = await post(leads(shop.owner.campaignId), { email: `${planted}-3@example.com` })
    assertStatus(answer, 503)
  })
})

test('requests that break the protocol', async () => {
  const { key } = shop.owner
  const broken = [
    `GET /${email} HTTP/1.1\r\n\r\n`,
    `GET /api/public/v1/campaigns?e=${email} HTTP/1.1\r\nHost: x\r\nAuthorization Bearer ${key}\r\n\r\n`,
    `POST /api/public/v1/campaigns/1/leads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${email}\r\n`,
    `${email} / HTTP/1.1\r\n\r\n`,
  ]
  const sendBroken = async (bytes: string) => {
    const line = await wire(shop.server.port)
    await line.send(bytes)
    await line.untilEnded()
    assert.ok(!line.bytes().toString().includes(planted))
  }
  await Promise.all(broken.map(sendBroken))
})

test('every class of failure was among them', () => {
  const expected = [200, 201, 400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
  assert.deepEqual([...statuses].sort(), expected)
})

function assertNothingOf(text: string, where: string): void {
  for (const secret of [planted, encodeURIComponent(email), ...secretsOf()]) {
    const at = text.indexOf(secret)
    assert.equal(at, -1, `${where}: ${text.slice(Math.max(0, at - 200), at + 200)}`)
  }
}

test('not in an error body or header', () => {
  assert.ok(errors.length > 50)
  for (const { raw, headers } of errors) assertNothingOf(String(raw) + JSON.stringify(headers), 'an answer')
})

test('not in the metrics', async () => {
  const metrics = await send(shop.server, 'GET', '/metrics', { outside: true })
  assertStatus(metrics, 200)
  assertNothingOf(String(metrics.raw), '/metrics')
})

test('not in the history, nor where it is kept', async () => {
  await sleep(1500)
  for (const { accountId } of [shop.owner, suspended, spent]) {
    const { code, stdout, stderr } = await shop.place.runShared(['history', 'list', '--account', String(accountId)])
    assert.equal(code, 0, stderr)
    assertNothingOf(stdout + stderr, 'history list')
  }
  const kept = (await storedTexts(shop.place)).filter(([name]) => /-history\.db|^request_history$/.test(name))
  assert.ok(kept.length > 0)
  for (const [name, text] of kept) assertNothingOf(text, name)
})

test('no secret of a key anywhere in the database', async () => {
  for (const [name, text] of await storedTexts(shop.place)) {
    for (const secret of secretsOf()) assert.ok(!text.includes(secret), name)
  }
})

test('not in the list of keys', async () => {
  const keys = await shop.place.json(['key', 'list', '--account', String(shop.owner.accountId)])
  assertNothingOf(JSON.stringify(keys), 'key list')
})

test('not in the output of the server, while it served and when it stopped', async () => {
  assertNothingOf(shop.server.output(), 'the log')
  hangUp()
  assert.equal(await shop.server.stop(), 0)
  assertNothingOf(shop.server.output(), 'the log')
})
