// The API for events: who may, what it refuses, and every operation; and the command line beside it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey } from '../../src/access/keys.ts'
import { readConfig } from '../../src/config.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import { checkEndpoint, eventKinds, wantedKinds } from '../../src/core/events.ts'
import { openHistoryTable } from '../../src/history/open.ts'
import { description } from '../../src/http/events/description.ts'
import { tester } from '../support/actor.ts'
import { applyCampaign, eventually, leads, newEmail, openShop, send } from '../support/api.ts'
import { findingsIn, holdShape, holdTold } from '../support/description.ts'
import { campaignFile } from '../support/lastcall.ts'
import { panelSession } from '../support/panel-session.ts'
import { sharedCommand } from '../support/prepared.ts'
import { openReceiver } from '../support/receiver.ts'

const shop = openShop({ env: { EGRESS_ALLOW: '127.0.0.1' }, args: ['--rate-limit', '400'] })
const receiver = await openReceiver({ after }, description)
const base = '/api/events/v1'
let key = ''

async function ask(method: string, path: string, body?: unknown, by = key) {
  const answer = await send(shop.server, method, base + path, {
    key: by,
    outside: true,
    ...(body !== undefined && { body }),
  })
  assert.match(answer.headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/)
  assert.equal(answer.headers['cache-control'], 'no-store')
  if (answer.status >= 400) assert.deepEqual(Object.keys(answer.body), ['status', 'code', 'message', 'requestId'])
  // Every answer fits the description: status, headers and body.
  holdShape(answer, path.split('?')[0] as string, description, `${method} ${path}`)
  return answer
}
const codeOf = async (...asked: Parameters<typeof ask>) => {
  const { status, body } = await ask(...asked)
  return `${status} ${body?.code}`
}

const input = (path: string, changes: object = {}) => ({
  name: 'shop',
  url: receiver.origin + path,
  kinds: ['lead.registered'],
  ...changes,
})

test('a key needs the scope and an account that is not suspended, and has a rate window of its own', async () => {
  await shop.opened
  const { accountId } = shop.owner
  key = (await shop.place.arrange((store) => createKey(store, accountId, 'events', tester, ['events']))).key
  assert.equal(await codeOf('GET', '/endpoints', undefined, shop.owner.key), '403 FORBIDDEN')
  assert.equal(await codeOf('GET', '/endpoints', undefined, `${key.slice(0, -1)}_`), '401 UNAUTHORIZED')
  assert.equal(await codeOf('GET', '/nothing'), '404 NOT_FOUND')
  const { headers } = await ask('GET', '/endpoints')
  const publicOne = await send(shop.server, 'GET', '/campaigns', { key })
  assert.equal(publicOne.status, 200, 'the public API too')
  assert.equal(Number(publicOne.headers['ratelimit-remaining']), 399)
  assert.equal(headers['ratelimit-limit'], '400')
  const other = await shop.place.arrange(async (store) => {
    const { id } = await store.configuration.createAccount('No scope', tester)
    await store.configuration.updateAccount(id, { rateLimit: 1 }, tester)
    return (await createKey(store, id, 'other', tester)).key
  })
  const codes = new Set<string>()
  // Between two of them a minute may begin.
  for (let asked = 0; asked < 3; asked += 1) {
    const { status, headers } = await ask('GET', '/endpoints', undefined, other)
    assert.deepEqual([headers['ratelimit-limit'], headers['ratelimit-remaining']], ['1', '0'])
    codes.add(`${status}`)
  }
  assert.deepEqual([...codes].sort(), ['403', '429'], 'a request without the scope counts')
})

test('endpoints: made, read, changed, deleted; the secret is shown once; another account sees nothing', async () => {
  const made = await ask('POST', '/endpoints', input('/a'))
  assert.equal(made.status, 201)
  const { secret, ...endpoint } = made.body
  assert.match(secret, /^whsec_/)
  const { waiting, givenUp, state, campaignIds, leadTimes, personal, batch, inFlight, perMinute } = endpoint
  assert.deepEqual(
    { waiting, givenUp, state, campaignIds, leadTimes, personal, batch, inFlight, perMinute },
    {
      ...{
        waiting: 0,
        givenUp: 0,
        state: 'on',
        campaignIds: null,
        leadTimes: [],
        personal: true,
        batch: 1,
        inFlight: 4,
        perMinute: null,
      },
    },
  )
  assert.deepEqual((await ask('GET', `/endpoints/${endpoint.id}`)).body, endpoint)
  assert.deepEqual((await ask('GET', '/endpoints')).body, { items: [endpoint], nextAfterId: null })
  const other = '\u{1f514}'.repeat(200)
  const changed = await ask('PATCH', `/endpoints/${endpoint.id}`, { batch: 10, name: other })
  assert.deepEqual([changed.body.batch, changed.body.name, changed.body.url], [10, other, endpoint.url])
  const twice = { leadTimes: ['PT60M', 'PT86400S', 'PT1H'] }
  const once = (await ask('PATCH', `/endpoints/${endpoint.id}`, twice)).body.leadTimes
  assert.deepEqual(once, ['PT60M', 'PT86400S'], 'two spellings of one period are one lead time')
  const stranger = await shop.place.arrange(async (store) => {
    const { id } = await store.configuration.createAccount('Stranger', tester)
    return (await createKey(store, id, 'events', tester, ['events'])).key
  })
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/test'],
    ['POST', '/pause'],
    ['GET', '/deliveries'],
  ] as const) {
    const body = method === 'PATCH' ? { batch: 1 } : undefined
    assert.equal(await codeOf(method, `/endpoints/${endpoint.id}${path}`, body, stranger), '404 ENDPOINT_NOT_FOUND')
  }
  assert.equal((await ask('DELETE', `/endpoints/${endpoint.id}`)).status, 204)
  assert.equal(await codeOf('GET', `/endpoints/${endpoint.id}`), '404 ENDPOINT_NOT_FOUND')
})

test('endpoints are listed in pages: none is left out or comes twice, and the last one says so', async () => {
  const ids: number[] = []
  for (const path of ['/p', '/q', '/r']) ids.push((await ask('POST', '/endpoints', input(path))).body.id)
  const before = `afterId=${(ids[0] as number) - 1}`
  const page = async (query: string) => {
    const { items, nextAfterId } = (await ask('GET', `/endpoints?${query}`)).body
    return [items.map(({ id }: { id: number }) => id), nextAfterId]
  }
  assert.deepEqual(await page(`${before}&limit=2`), [ids.slice(0, 2), ids[1]])
  assert.deepEqual(await page(`afterId=${ids[1]}&limit=2`), [ids.slice(2), null])
  assert.deepEqual(await page(`${before}&limit=3`), [ids, null])
  for (const id of ids) assert.equal((await ask('DELETE', `/endpoints/${id}`)).status, 204)
})

test('refused: what is wrong is named, and where requests must not go', async () => {
  const refused = async (changes: object) => {
    const { status, body } = await ask('POST', '/endpoints', input('/b', changes))
    return `${status} ${body.code}: ${body.message}`
  }
  assert.match(
    await refused({ url: 'https://10.0.0.1/' }),
    /^422 TARGET_NOT_ALLOWED: url must not lead into a private network/,
  )
  assert.match(await refused({ url: 'http://example.com/' }), /^422 TARGET_NOT_ALLOWED: url must begin with https/)
  const inWords = {
    [`kinds must be a list of 1 to ${wantedKinds.length} items`]: { kinds: [] },
    'campaignIds must be a list of 1 to 1000 items, or null': { campaignIds: [] },
    'campaignIds[1] must be a whole number of 1 or more': { campaignIds: [1, 0] },
    'leadTimes[0] must be a text of at most 12 characters': { leadTimes: [24] },
    'perMinute must be a whole number from 1 to 100000, or null': { perMinute: 100_001 },
    'batch must be a whole number from 1 to 100': { batch: 0 },
    'name must be a text of 1 to 200 characters': { name: '' },
    'url must be a text of at most 2048 characters': { url: 'https://x.example/'.padEnd(2_049, 'x') },
    'personal must be true or false': { personal: 1 },
  }
  for (const [message, changes] of Object.entries(inWords)) {
    assert.equal(await refused(changes), `422 VALIDATION_ERROR: ${message}`)
  }
  assert.match(
    await refused({ kinds: ['lead.deadline_approaching'] }),
    /^422 VALIDATION_ERROR: leadTimes must have at least one/,
  )
  for (const wrong of ['PT30S', 'PT720H1M', 'PT2592001S']) {
    const said = await refused({ leadTimes: [wrong] })
    assert.match(said, /^422 VALIDATION_ERROR: leadTimes\[0\] must be an exact period/, wrong)
  }
  assert.match(await refused({ leadTimes: ['PT1H', 'PT2H', 'PT3H', 'PT4H'] }), /^422 VALIDATION_ERROR: leadTimes /)
  assert.match(await refused({ inFlight: 33 }), /^422 VALIDATION_ERROR: inFlight /)
  assert.match(await refused({ secret: 'x' }), /^422 VALIDATION_ERROR: unknown property "secret"/)
  assert.equal(await codeOf('POST', '/endpoints', '{'), '400 INVALID_JSON')
  assert.equal(await codeOf('GET', '/endpoints?a=1'), '422 VALIDATION_ERROR')
  for (const id of ['abc', '0', '-1', '01', '1.0', '1%20', '1%2F2'])
    assert.equal(await codeOf('GET', `/endpoints/${id}`), '422 VALIDATION_ERROR', id)
  for (const id of ['999999', '9007199254740991', '9'.repeat(30)])
    assert.equal(await codeOf('GET', `/endpoints/${id}`), '404 ENDPOINT_NOT_FOUND', id)
  for (const id of ['abc', '0', '', '01', '9007199254740992'])
    assert.equal(await codeOf('GET', `/endpoints?afterId=${id}`), '400 INVALID_CURSOR', id)
  assert.deepEqual((await ask('GET', '/endpoints?afterId=9007199254740991')).body, { items: [], nextAfterId: null })
  assert.equal(await codeOf('GET', '/endpoints/999999/deliveries?before=yesterday'), '422 VALIDATION_ERROR')
})

test('an operation without a body ignores a body of any type', async () => {
  const { id } = (await ask('POST', '/endpoints', input('/unread'))).body
  for (const type of ['', ';;;', 'text/plain', 'application/json'])
    for (const body of [undefined, '{']) {
      const call = { key, outside: true, headers: { 'content-type': type }, ...(body !== undefined && { body }) }
      const { status } = await send(shop.server, 'POST', `${base}/endpoints/${id}/pause`, call)
      assert.equal(status, 200, `${type} ${body}`)
    }
  assert.equal((await ask('DELETE', `/endpoints/${id}`)).status, 204)
})

test('two changes at once both hold', async () => {
  const { body } = await ask('POST', '/endpoints', input('/both'))
  const at = `/endpoints/${body.id}`
  for (let batch = 2; batch < 6; batch += 1) {
    const name = `shop ${batch}`
    const answers = await Promise.all([ask('PATCH', at, { batch }), ask('PATCH', at, { name })])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    const now = (await ask('GET', at)).body
    assert.deepEqual([now.batch, now.name], [batch, name])
  }
  assert.equal((await ask('DELETE', at)).status, 204)
})

test("the demo's endpoint, whose lead times are short, can be changed and keeps them", async () => {
  const { id } = await shop.place.arrange(async (store) => {
    const given = input('/demo', { leadTimes: ['PT20S'] })
    const checked = checkEndpoint(given, () => undefined, ['PT20S'])
    assert.ok('settings' in checked)
    return store.events.createEndpoint(shop.owner.accountId, checked.settings, tester)
  })
  const at = `/endpoints/${id}`
  assert.deepEqual((await ask('PATCH', at, { batch: 2 })).body.leadTimes, ['PT20S'])
  assert.equal(await codeOf('PATCH', at, { leadTimes: ['PT20S', 'PT30S'] }), '422 VALIDATION_ERROR')
  assert.equal((await ask('DELETE', at)).status, 204)
})

test('test, log, resend, backfill, pause, resume, rotation', async () => {
  const { body } = await ask('POST', '/endpoints', input('/c', { kinds: ['lead.registered', 'lead.expired'] }))
  receiver.secrets.set('/c', body.secret)
  const at = `/endpoints/${body.id}`
  const tested = await ask('POST', `${at}/test`)
  const { milliseconds, ...result } = tested.body
  assert.deepEqual(result, { delivered: true, status: 204, cause: null })
  const test = receiver.all.at(-1)
  assert.equal(test?.type, 'endpoint.tested')
  const { campaignId, key: own } = shop.owner
  const email = newEmail()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  await send(shop.server, 'POST', leads(campaignId), { key: own, body: { email } })
  const [, told] = await receiver.wait('/c', 2)
  assert.ok(told?.isVerified)
  const log = await eventually(
    5,
    async () => (await ask('GET', `${at}/deliveries`)).body,
    ({ items }) => items.length === 2,
  )
  assert.deepEqual(
    log.items.map(({ eventId, type, status }: any) => [eventId === told?.id, type, status]),
    [
      [true, 'lead.registered', 204],
      [false, 'endpoint.tested', 204],
    ],
  )
  assert.ok(!JSON.stringify(log).includes(email))
  assert.deepEqual((await ask('GET', `${at}/deliveries?outcome=failed`)).body.items, [])
  for (const before of ['yesterday', '1', '2026', '2026-11-24', '2026-11-24T00:00', '2026-02-30T00:00:00Z'])
    assert.equal(await codeOf('GET', `${at}/deliveries?before=${before}`), '422 VALIDATION_ERROR', before)
  assert.equal(await codeOf('POST', `${at}/deliveries/%00/resend`), '404 DELIVERY_NOT_FOUND')
  assert.equal(await codeOf('POST', `${at}/deliveries/evt_${'0'.repeat(32)}/resend`), '404 DELIVERY_NOT_FOUND')
  assert.equal((await ask('POST', `${at}/deliveries/${told?.id}/resend`)).status, 202)
  const again = (await receiver.wait('/c', 3))[2]
  assert.equal(again?.id, told?.id)
  const gone = newEmail()
  await send(shop.server, 'POST', leads(campaignId), { key: own, body: { email: gone } })
  const last = (await receiver.wait('/c', 4))[3]
  assert.equal(last?.data.email, gone)
  const isLogged = (page: any) => page.items.some(({ eventId }: any) => eventId === last?.id)
  await eventually(5, async () => (await ask('GET', `${at}/deliveries`)).body, isLogged)
  await shop.place.json(['lead', 'erase', '--campaign', String(campaignId), '--email', gone])
  assert.equal(await codeOf('POST', `${at}/deliveries/${last?.id}/resend`), '404 DELIVERY_NOT_FOUND', 'an erased lead')
  const ofTest = await ask('POST', `${at}/deliveries/${test?.id}/resend`)
  assert.deepEqual([ofTest.status, ofTest.body.code], [404, 'DELIVERY_NOT_FOUND'])
  assert.match(ofTest.body.message, /it was a test/, 'the log has it')
  for (const none of [999, 2 ** 53, 1e300])
    assert.equal(await codeOf('POST', `${at}/backfill`, { campaignId: none }), '404 CAMPAIGN_NOT_FOUND', `${none}`)
  const foreign = await shop.place.arrange(async (store) => {
    const { id } = await store.configuration.createAccount('Other', tester)
    const checked = checkCampaign(JSON.parse(campaignFile()))
    assert.ok('campaign' in checked)
    return (await store.configuration.applyCampaign(id, checked.campaign, tester)).id
  })
  assert.equal(await codeOf('POST', `${at}/backfill`, { campaignId: foreign }), '404 CAMPAIGN_NOT_FOUND')
  const draft = await applyCampaign(shop, { name: 'Draft', isDraft: true })
  assert.equal(await codeOf('POST', `${at}/backfill`, { campaignId: draft.id }), '422 VALIDATION_ERROR')
  const narrow = await ask('PATCH', at, { campaignIds: [draft.id] })
  assert.equal(narrow.status, 200)
  assert.equal(await codeOf('POST', `${at}/backfill`, { campaignId }), '422 VALIDATION_ERROR')
  const resent = `${at}/deliveries/${told?.id}/resend`
  assert.equal(await codeOf('POST', resent), '422 VALIDATION_ERROR', 'it would be taken, and nothing told')
  await shop.place.json(['campaign', 'delete', String(draft.id), '--yes'])
  assert.deepEqual((await ask('PATCH', at, { batch: 1 })).body.campaignIds, [draft.id], 'one that is gone may stay')
  assert.equal((await ask('PATCH', at, { campaignIds: null })).status, 200)
  await applyCampaign(shop, { id: campaignId, isDraft: true })
  assert.equal(await codeOf('POST', resent), '422 VALIDATION_ERROR', 'of a draft')
  await applyCampaign(shop, { id: campaignId })
  assert.equal((await ask('POST', `${at}/backfill`, { campaignId })).status, 202)
  const filled = (await receiver.wait('/c', 5))[4]
  assert.deepEqual([filled?.id, filled?.data.backfill, filled?.data.email], [told?.id, true, email])
  assert.equal((await ask('POST', `${at}/pause`)).body.state, 'paused')
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  assert.equal((await ask('POST', `${at}/resume`, { from: 'now' })).body.state, 'on')
  assert.equal((await ask('POST', `${at}/deliveries/${told?.id}/resend`)).status, 202)
  assert.equal((await receiver.wait('/c', 6))[5]?.id, told?.id, 'what was asked for again')
  const { secret } = (await ask('POST', `${at}/secret`, { graceHours: 24 })).body
  assert.match(secret, /^whsec_/)
  assert.notEqual(secret, body.secret)
  assert.deepEqual((await ask('POST', `${at}/deliveries/resend`, { failedSince: '2026-01-01T00:00:00Z' })).body, {
    resent: 0,
  })
  assert.equal((await ask('GET', '/samples?kind=lead.expired')).body.items[0].type, 'lead.expired')
  const { items } = (await ask('GET', '/samples')).body
  assert.equal(items.length, eventKinds.length)
  for (const one of items) holdTold(one, description)
  const ofKind = (kind: string) => items.find(({ type }: any) => type === kind)
  const { timestamp, data: bought } = ofKind('lead.converted')
  assert.equal(ofKind('lead.registered').data.registeredAt, timestamp)
  for (const kind of ['lead.registered', 'lead.started', 'lead.opened', 'lead.deadline_changed'])
    assert.equal(ofKind(kind).data.opensAt, timestamp, kind)
  // An order that has closed the offer: the deadline is set by hand to when it was told, before the one it found.
  assert.deepEqual([bought.opensAt, bought.deadline, bought.conversion.closed], [null, timestamp, true])
  assert.ok(bought.conversion.deadline > timestamp)
  const { at: boughtAt, deadline: found, secondsLeft } = bought.conversion
  assert.equal(Date.parse(found) - Date.parse(boughtAt), secondsLeft * 1_000)
  const { message } = (await ask('GET', '/samples?kind=lead.foo')).body
  assert.match(message, /^kind must be one of lead\.registered, lead\.started, /)
  const wrongPage = await ask('GET', `${at}/deliveries?before=,`)
  assert.equal(wrongPage.body.message, 'before must be the nextBefore of an earlier answer, or an instant')
})

test('log: pages lose no try of the same millisecond', async () => {
  const { body } = await ask('POST', '/endpoints', input('/pages'))
  const { accountId } = shop.owner
  const ids = Array.from({ length: 51 }, (_, n) => `evt_${String(n).padStart(32, '0')}`)
  const table = await openHistoryTable(readConfig({ 'database-url': shop.place.databaseUrl }).database)
  const of = { accountId, endpointId: body.id, kind: 'lead.registered', leadId: 1, dueAt: 1, detail: 0 } as const
  const tried = { atMs: Date.now(), status: 204, cause: null, milliseconds: 1, tryNumber: 1 }
  await table.deliveries.append(ids.map((eventId) => ({ ...of, ...tried, eventId })))
  await table.close()
  const read: string[] = []
  for (let before: string | null = ''; before !== null; ) {
    const query = `limit=20${before && `&before=${encodeURIComponent(before)}`}`
    const page: any = (await ask('GET', `/endpoints/${body.id}/deliveries?${query}`)).body
    read.push(...page.items.map(({ eventId }: any) => eventId))
    before = page.nextBefore
  }
  assert.deepEqual(read, ids.toReversed())

  const viewer = await panelSession(shop.place, shop.server, accountId, 'viewer')
  const shown = (await viewer('GET', `/webhooks/${body.id}/deliveries?limit=100`)).body
  assert.equal(shown.entries.length, 50, 'a viewer gets no more people at a time here than elsewhere')
})

test('its description is OpenAPI 3.1 with webhooks, clean under the recommended rules; answers are held to it by each call', async () => {
  const { body } = await send(shop.server, 'GET', `${base}/openapi.json`, { outside: true })
  assert.match(body.openapi, /^3\.1/)
  assert.deepEqual(Object.keys(body.webhooks), eventKinds)
  assert.doesNotMatch(JSON.stringify(body), /request history/, 'which has no requests of this API')
  // Neither is what another 4xx or 5xx is.
  for (const status of [429, 503])
    assert.match(body.webhooks['lead.expired'].post.responses[status].description, /Retry-After/)
  const findings = await findingsIn(body, 'recommended-strict')
  assert.deepEqual(
    findings.map(({ ruleId, pointer }) => [ruleId, pointer]),
    [],
  )
})

test('command line: webhook create, list, set, test, secret, log, backfill, discard, delete; key create --scope', async () => {
  const account = ['--account', String(shop.owner.accountId)]
  const env = ['webhook']
  const wrong = await shop.place.runShared([
    ...env,
    'create',
    ...account,
    '--name',
    'a',
    '--url',
    'http://10.0.0.1/',
    '--kinds',
    'lead.expired',
  ])
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /url: must begin with https:.* by EGRESS_ALLOW, set for this command too$/m)
  const off = await sharedCommand(
    ['webhook', 'create', ...account, '--name', 'a', '--url', 'https://example.com/', '--kinds', 'lead.expired'],
    { env: { DATABASE_URL: shop.place.databaseUrl, WEBHOOKS: 'off' } },
  )
  assert.deepEqual([off.code, /WEBHOOKS: is off/.test(off.stderr)], [2, true])
  const allowed = { DATABASE_URL: shop.place.databaseUrl, EGRESS_ALLOW: '127.0.0.1' }
  const own = (args: string[], env = {}) =>
    sharedCommand(['webhook', ...args, ...account], { env: { ...allowed, ...env } })
  const tried = String((await ask('POST', '/endpoints', input('/tried'))).body.id)
  assert.equal(JSON.parse((await own(['test', tried])).stdout).delivered, true)
  const [logged] = JSON.parse((await own(['log', tried])).stdout)
  assert.deepEqual([logged.status, logged.kind], [204, 'endpoint.tested'])
  const turnedOn = ['set', tried, '--name', 'renamed', '--on', 'true', '--from', 'now']
  assert.deepEqual((await own(turnedOn, { WEBHOOKS: 'off' })).code, 2)
  assert.equal((await ask('GET', `/endpoints/${tried}`)).body.name, 'shop', 'what is refused changes nothing')
  const made = await shop.place.json([
    'webhook',
    'create',
    ...account,
    '--name',
    'a',
    '--url',
    'https://example.com/hook',
    '--kinds',
    'lead.expired,lead.deadline_approaching',
    '--lead-times',
    'PT24H',
  ])
  assert.match(made.secret, /^whsec_/)
  const id = String(made.id)
  const changed = await shop.place.json(['webhook', 'set', id, ...account, '--batch', '5', '--on', 'false'])
  assert.deepEqual([changed.batch, changed.state], [5, 'paused'])
  const withoutLeadTimes = ['--kinds', 'lead.expired', '--lead-times', 'none']
  assert.deepEqual((await shop.place.json(['webhook', 'set', id, ...account, ...withoutLeadTimes])).leadTimes, [])
  const local = String((await ask('POST', '/endpoints', input('/local'))).body.id)
  const renamed = await shop.place.json(['webhook', 'set', local, ...account, '--name', 'b'])
  assert.equal(renamed.name, 'b', 'where EGRESS_ALLOW does not allow its address here, or no longer')
  const moved = await shop.place.runShared(['webhook', 'set', local, ...account, '--url', `${receiver.origin}/moved`])
  assert.deepEqual([moved.code, /url: must begin with https:/.test(moved.stderr)], [2, true], moved.stderr)
  await shop.place.json(['webhook', 'delete', local, ...account, '--yes'])
  const event = `evt_${'0'.repeat(32)}`
  const elsewhere = (await shop.place.json(['account', 'create', '--name', 'Elsewhere'])).id
  const foreign = (await shop.place.json(['campaign', 'apply', '--account', String(elsewhere), '-'], campaignFile())).id
  const draft = (await shop.place.json(['campaign', 'apply', ...account, '-'], campaignFile({ isDraft: true }))).id
  for (const [args, said] of [
    [
      ['set', id, '--campaigns', `${shop.owner.campaignId},999999`],
      /--campaigns\[1\]: must be a campaign of the account/,
    ],
    [['set', id, '--campaigns', String(foreign)], /--campaigns\[0\]: must be a campaign of the account/],
    [['set', id, '--batch', '101'], /batch: must be a whole number from 1 to 100/],
    [['set', id, '--batch', 'many'], /batch: must be a whole number from 1 to 100/],
    [['secret', id, '--grace-hours', '169'], /--grace-hours: must be an integer from 0 to 168/],
    [['set', id, '--batch', '-1'], /--batch: write --batch=VALUE where the value begins with a dash/],
    [['set', id, '--batch', '7', '--on', 'true'], /--from is missing/],
    [['test', '999999'], /ID: the account has no endpoint with this id/],
    [['backfill', id, '--campaign', '999999'], /--campaign: the account has no campaign with this id/],
    [['backfill', id, '--campaign', String(draft)], /--campaign: must belong to a published campaign/],
    [['resend', id, '--event', event], /--event: the log has no such event/],
    [['discard', id, '--before', '2099-01-01T00:00:00Z'], /--before: must not be in the future/],
    [['set', id, '--from', 'now'], /--from: goes with --on true/],
  ] as const) {
    const { code, stderr } = await shop.place.runShared(['webhook', ...args, ...account])
    assert.deepEqual([code, said.test(stderr)], [2, true], stderr)
  }
  const kept = (await shop.place.json(['webhook', 'list', ...account])).find((one: any) => one.id === made.id)
  assert.deepEqual([kept.batch, kept.state], [5, 'paused'])
  assert.ok((await shop.place.json(['webhook', 'list', ...account])).some((one: any) => one.id === made.id))
  assert.match((await shop.place.json(['webhook', 'secret', id, ...account])).secret, /^whsec_/)
  const [rotated] = await shop.place.json(['audit', 'list', ...account, '--action', 'webhook.secret_rotated'])
  assert.equal(
    Date.parse(rotated.after.oldWorksUntil) - Date.parse(rotated.at),
    24 * 3_600_000,
    'unless hours are given',
  )
  assert.deepEqual(await shop.place.json(['webhook', 'log', id, ...account]), [])
  assert.deepEqual(await shop.place.json(['webhook', 'discard', id, ...account, '--before', '2026-01-01T00:00:00Z']), {
    before: '2026-01-01T00:00:00Z',
  })
  assert.deepEqual(
    await shop.place.json(['webhook', 'backfill', id, ...account, '--campaign', String(shop.owner.campaignId)]),
    { campaignId: shop.owner.campaignId },
  )
  assert.deepEqual(await shop.place.json(['webhook', 'delete', id, ...account, '--yes']), { deleted: made.id })
  const { key: scoped } = await shop.place.json(['key', 'create', ...account, '--name', 'n8n', '--scope', 'events'])
  assert.equal((await ask('GET', '/endpoints', undefined, scoped)).status, 200)
})

test('docs/webhooks.md: the receiver in Node takes what the server sends, each event once, and nothing by another secret', async (t) => {
  const document = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'webhooks.md'), 'utf8')
  const [, verifying = ''] = /^## Verify\n(.*?)^## /ms.exec(document) ?? []
  const examples = [...verifying.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code)
  assert.equal(examples.length, 2)
  const file = join(shop.place.folder, 'receiver.mjs')
  writeFileSync(file, examples.join(''))
  const probe = createServer()
  await once(probe.listen(0, '127.0.0.1'), 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  const url = `http://127.0.0.1:${port}/hooks`
  const { id, secret } = (await ask('POST', '/endpoints', input('', { url }))).body
  const program = spawn(process.execPath, [file], {
    env: { PORT: String(port), LASTCALL_WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => program.kill())
  let printed = ''
  program.stdout.on('data', (chunk) => {
    printed += chunk
  })
  const lines = (count: number) =>
    eventually(
      10,
      async () => printed.trim().split('\n'),
      (all) => all.length >= count,
    )
  const tried = async () => (await ask('POST', `/endpoints/${id}/test`)).body
  await eventually(10, tried, ({ delivered }) => delivered)
  // A client that breaks off a request does not end it.
  const client = connect(port, '127.0.0.1')
  client.end('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{', () => client.destroy())
  const email = newEmail()
  const { campaignId, key: own } = shop.owner
  await sleep(1_000)
  await send(shop.server, 'POST', leads(campaignId), { key: own, body: { email } })
  assert.deepEqual(await lines(2), ['endpoint.tested ', `lead.registered ${email}`])
  const log = async () => (await ask('GET', `/endpoints/${id}/deliveries`)).body.items
  const registrations = (items: any[]) => items.filter(({ type }) => type === 'lead.registered')
  const items = await eventually(5, log, (found) => registrations(found).length === 1)
  await ask('POST', `/endpoints/${id}/deliveries/${registrations(items)[0].eventId}/resend`)
  await eventually(5, log, (found) => registrations(found).length === 2)
  assert.equal((await lines(2)).length, 2, 'what is told again is known')
  await ask('POST', `/endpoints/${id}/secret`, { graceHours: 24 })
  assert.equal((await tried()).status, 204, 'within the grace')
  await ask('POST', `/endpoints/${id}/secret`, { graceHours: 0 })
  assert.equal((await tried()).status, 401)
})
