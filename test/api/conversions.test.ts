// Orders told by the API and by the command line: what is kept, what is refused, and who may list them.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey } from '../../src/access/keys.ts'
import { bodyLimitBytes } from '../../src/core/errors.ts'
import { formatAmount } from '../../src/core/money.ts'
import { tester } from '../support/actor.ts'
import {
  applyCampaign,
  type Call,
  commandPauseMs,
  eventually,
  leads,
  newEmail,
  openShop,
  send,
} from '../support/api.ts'
import { findingsIn, operationOf } from '../support/description.ts'
import { amount } from '../support/faults.ts'
import { installation, owner } from '../support/lastcall.ts'
import { rowsIn } from '../support/rows.ts'

const shop = openShop()
const base = '/api/conversions/v1'
const conversion = { closes: true }
const instant = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`

let described: ReturnType<typeof send> | undefined

async function ask(method: string, path: string, body?: unknown, more: Call = {}) {
  const options = { key: shop.owner.key, outside: true, ...(body !== undefined && { body }), ...more }
  const answer = await send(shop.server, method, base + path, options)
  assert.match(answer.headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/)
  assert.equal(answer.headers['cache-control'], 'no-store')
  if (answer.status >= 400) assert.deepEqual(Object.keys(answer.body), ['status', 'code', 'message', 'requestId'])
  described ??= send(shop.server, 'GET', `${base}/openapi.json`, { outside: true })
  const operation = operationOf((await described).body, method, path.split('?')[0] as string)
  if (operation) assert.ok(operation.responses[answer.status], `${method} ${path}: ${answer.status} is not described`)
  return answer
}
const codeOf = async (...asked: Parameters<typeof ask>) => {
  const { status, body } = await ask(...asked)
  return `${status} ${body?.code}`
}
const orders = (campaignId: number) => `/campaigns/${campaignId}/conversions`

async function registered(campaignId: number): Promise<string> {
  const email = newEmail()
  const { status } = await send(shop.server, 'POST', leads(campaignId), { key: shop.owner.key, body: { email } })
  assert.equal(status, 201)
  return email
}

const lookedUp = async (campaignId: number, email: string) =>
  (await send(shop.server, 'POST', `${leads(campaignId)}/lookup`, { key: shop.owner.key, body: { email } })).body

test('an order is told once: the row, the end of the offer, and the same answer to a repeat', async () => {
  await shop.opened
  const { id } = await applyCampaign(shop, { conversion })
  const email = await registered(id)
  const before = await lookedUp(id, email)
  const body = { email, orderId: '№1001', amount: '49.5', currency: 'EUR' }
  const made = await ask('POST', orders(id), body)
  assert.equal(made.status, 201)
  const { at, id: orderId, secondsLeft, ...rest } = made.body
  assert.equal(Date.parse(before.deadline) - Date.parse(at), secondsLeft * 1_000)
  assert.deepEqual(rest, {
    ...{ campaignId: id, email, orderId: '№1001', deadline: before.deadline },
    ...{ amount: '49.50', currency: 'EUR', closed: true, created: true },
  })
  assert.equal((await lookedUp(id, email)).deadline, at, 'the deadline is what ended it')
  assert.ok(Number(made.headers['ratelimit-remaining']) > 0)
  const again = await ask('POST', orders(id), { ...body, amount: '1' })
  assert.deepEqual([again.status, again.body], [200, { ...made.body, created: false }])
  const gate = `/visitor/v1/campaigns/${id}/gate?lc=${before.offerLinks[0]?.url.split('/').at(-1)}`
  const { status, headers } = await send(shop.server, 'GET', gate, { outside: true })
  assert.deepEqual([status, headers['lastcall-state']], [403, 'expired'])
  const reversed = await ask('POST', `${orders(id)}/reversal`, { orderId: '№1001', reopen: true })
  assert.equal(reversed.status, 200)
  assert.deepEqual([reversed.body.id, typeof reversed.body.reversedAt], [orderId, 'string'])
  assert.equal((await lookedUp(id, email)).deadline, before.deadline)
  assert.equal(await codeOf('POST', `${orders(id)}/reversal`, { orderId: '2' }), '404 CONVERSION_NOT_FOUND')
})

test('by ref, into a draft, with the money of any currency and an instant that has passed', async () => {
  const { id } = await applyCampaign(shop, {})
  const email = await registered(id)
  const ref = (await lookedUp(id, email)).offerLinks[0].url.split('/').at(-1)
  await applyCampaign(shop, { id, isDraft: true })
  const at = instant(Date.now() - 86_400_000)
  const money = [
    ['0', 'JPY', '0'],
    ['4990.00', 'HUF', '4990.00'],
    ['1.5', 'IQD', '1.500'],
    ['19900.5', 'COP', '19900.50'],
    ['999999999999999', 'JPY', '999999999999999'],
    ['0.1', 'KWD', '0.100'],
    ['1.0001', 'CLF', '1.0001'],
    ['7', 'UYI', '7'],
    ['7', 'CHE', '7.00'],
    ['9999999999999.99', 'EUR', '9999999999999.99'],
  ]
  for (const [given, currency, kept] of money) {
    const { status, body } = await ask('POST', orders(id), {
      ref,
      orderId: `${currency} ${given}`.replace(' ', '-'),
      amount: given,
      currency,
      at,
    })
    assert.deepEqual([status, body.amount, body.at, body.closed, body.email], [201, kept, at, false, email])
  }
  for (const currency of ['EUR', 'eur', 'points', '']) {
    const { body: alone } = await ask('POST', orders(id), { ref, orderId: `alone-${currency}`, currency, at })
    assert.deepEqual([alone.amount, alone.currency], [null, null], 'a currency alone says nothing')
  }
  assert.equal(formatAmount(4_900, 'DEM'), '49.00', 'of a currency that Intl has left out since')
})

test('an order of a shop whose clock is some seconds ahead counts as bought now', async () => {
  const { id } = await applyCampaign(shop, {})
  const order = { email: await registered(id), orderId: 'ahead', at: instant(Date.now() + 20_000) }
  const { status, body } = await ask('POST', orders(id), order)
  assert.equal(status, 201)
  assert.ok(Date.parse(body.at) <= Date.now())
})

test('refused: each fault by its name, and never by its value', async () => {
  const { id } = await applyCampaign(shop, {})
  const email = await registered(id)
  const least = { email, orderId: 'x1' }
  const day = 86_400_000
  const noOrderIds = ['', 'a b', 'a\n', 'a\0', 'x'.repeat(101), ' ', '\u200b', 1001]
  const orderIdWrong = /^orderId must be a text of 1 to 100 visible characters, without spaces$/
  const wrong: [body: object, message: RegExp][] = [
    [{ ...least, surprise: 1 }, /^unknown property "surprise"$/],
    [{ orderId: 'x1' }, /^email or ref must be given, and not both$/],
    [{ ...least, ref: '0'.repeat(32) }, /^email or ref must be given, and not both$/],
    [{ email }, /^property orderId is missing$/],
    [{ ...least, email: ` ${email}` }, /^email must be an email address in ASCII .*, without blanks around it$/],
    ...noOrderIds.map((orderId): [object, RegExp] => [{ ...least, orderId }, orderIdWrong]),
    ...['1.234', '-1', '1e3', '1,5', '.5', '5.', '', ' 1', '٣', '12345678901234.56', '01'].map(
      (amount): [object, RegExp] => [
        { ...least, amount, currency: 'EUR' },
        /^amount must be a decimal with at most 2 places and 15 digits/,
      ],
    ),
    [{ ...least, amount: 49.5, currency: 'EUR' }, /^amount must be a text/],
    [{ ...least, amount: '1.0', currency: 'JPY' }, /^amount must be a decimal with at most 0 places/],
    [{ ...least, amount: '1' }, /^currency must be given with an amount$/],
    ...['eur', 'EURO', 'XQQ', ''].map((currency): [object, RegExp] => [
      { ...least, amount: '1', currency },
      /^currency must be a currency of ISO 4217/,
    ]),
    [{ ...least, currency: 978 }, /^currency must be a text$/],
    [{ ...least, at: instant(Date.now() + 60_000) }, /^at must be in the past, by at most 30 days$/],
    [{ ...least, at: instant(Date.now() - 30 * day - 60_000) }, /^at must be in the past/],
    [{ ...least, at: 'yesterday' }, /^at must be an instant/],
    [{ ...least, email: 'nobody' }, /^email must be an email address/],
    [{ orderId: 'x1', ref: 'abc' }, /^ref must be the 32/],
    [[], /^the body must be an object$/],
  ]
  for (const [body, message] of wrong) {
    const answer = await ask('POST', orders(id), body)
    assert.deepEqual([answer.status, answer.body.code], [422, 'VALIDATION_ERROR'], JSON.stringify(body))
    assert.match(answer.body.message, message)
  }
  for (const orderId of noOrderIds) {
    const { status, body } = await ask('POST', `${orders(id)}/reversal`, { orderId })
    assert.equal(status, 422, JSON.stringify(orderId))
    assert.match(body.message, orderIdWrong)
  }
  const told = { email: newEmail(), orderId: 'x1' }
  assert.equal(await codeOf('POST', orders(id), told), '404 LEAD_NOT_FOUND')
  const byRef = await ask('POST', orders(id), { orderId: 'x1', ref: '0'.repeat(32) })
  const { code, message } = byRef.body
  assert.deepEqual([byRef.status, code, message], [404, 'LEAD_NOT_FOUND', 'This ref is of no lead in the campaign.'])
  for (const none of [99_999, 2 ** 53, 10 ** 20])
    assert.equal(await codeOf('POST', orders(none), least), '404 CAMPAIGN_NOT_FOUND', `${none}`)
  assert.equal(await codeOf('POST', orders(id), '{'), '400 INVALID_JSON')
  assert.equal(
    await codeOf('POST', orders(id), least, { headers: { 'Content-Type': null } }),
    '415 UNSUPPORTED_MEDIA_TYPE',
  )
  assert.equal(await codeOf('POST', orders(id), 'x'.repeat(bodyLimitBytes + 1)), '413 PAYLOAD_TOO_LARGE')
  assert.equal(await codeOf('POST', `${orders(id)}?a=1`, least), '422 VALIDATION_ERROR')
  for (const wrongId of ['0', '1%2F2'])
    assert.equal(await codeOf('POST', `/campaigns/${wrongId}/conversions`, least), '422 VALIDATION_ERROR')
  assert.equal(await codeOf('DELETE', orders(id)), '404 NOT_FOUND')
  assert.equal(await codeOf('POST', orders(id), least, { key: undefined }), '401 UNAUTHORIZED')
  const stranger = await shop.place.arrange(async (store) => {
    const { id: accountId } = await store.configuration.createAccount('Stranger', tester)
    return (await createKey(store, accountId, 'other', tester)).key
  })
  assert.equal(await codeOf('POST', orders(id), least, { key: stranger }), '404 CAMPAIGN_NOT_FOUND')
  assert.equal(await codeOf('POST', `${orders(id)}/reversal`, { orderId: 'a', reopen: 1 }), '422 VALIDATION_ERROR')
})

test('listing hands out emails: a key needs the scope; pages go on behind the last id; an erased lead has no trace', async () => {
  const { id } = await applyCampaign(shop, {})
  const emails = [await registered(id), await registered(id)]
  for (const [index, email] of emails.entries()) await ask('POST', orders(id), { email, orderId: `o${index}` })
  const refused = await ask('GET', orders(id))
  assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])
  assert.ok(refused.headers['ratelimit-remaining'], 'it is counted')
  assert.equal(await codeOf('GET', '/nothing'), '404 NOT_FOUND')
  const made = ['key', 'create', '--account', String(shop.owner.accountId), '--name', 'n', '--scope', 'conversions']
  const { key } = await shop.place.json(made)
  const page = async (query: string) => (await ask('GET', orders(id) + query, undefined, { key })).body
  const first = await page('?limit=1')
  assert.deepEqual([first.items.length, first.items[0].email, first.nextAfterId], [1, emails[0], first.items[0].id])
  const second = await page(`?afterId=${first.nextAfterId}`)
  assert.deepEqual([second.items.length, second.items[0].orderId, second.nextAfterId], [1, 'o1', null])
  assert.equal(await codeOf('GET', `${orders(id)}?limit=101`, undefined, { key }), '422 VALIDATION_ERROR')
  assert.equal(await codeOf('GET', `${orders(id)}?afterId=x`, undefined, { key }), '400 INVALID_CURSOR')
  assert.equal(await codeOf('GET', orders(99_999), undefined, { key }), '404 CAMPAIGN_NOT_FOUND')
  const campaign = ['--campaign', String(id)]
  await shop.place.json(['lead', 'erase', ...campaign, '--email', emails[0] as string])
  const [erased] = (await page('')).items
  assert.deepEqual([erased.email, erased.orderId, erased.at], [null, null, first.items[0].at])
  const again = await ask('POST', orders(id), { email: emails[0], orderId: 'o0' })
  assert.deepEqual([again.status, again.body.id, again.body.created], [200, erased.id, false])
})

test('its description is OpenAPI 3.1, clean under the recommended rules', async () => {
  const { body } = await send(shop.server, 'GET', `${base}/openapi.json`, { outside: true })
  assert.doesNotMatch(JSON.stringify(body), /request history/, 'which has no requests of this API')
  const findings = await findingsIn(body, 'recommended-strict')
  assert.deepEqual(
    findings.map(({ ruleId, pointer }) => [ruleId, pointer]),
    [],
  )
  assert.doesNotMatch(
    JSON.stringify(body),
    /\\\\p\{/i,
    "a pattern with Unicode's properties, which Python's re does not know",
  )
  const { parameters } = body.paths['/campaigns/{campaignId}/conversions'].get
  const types = parameters.map(({ name, schema }: any) => [name, schema.type])
  // So that a generated client takes `nextAfterId` as it is.
  assert.deepEqual(
    types,
    ['campaignId', 'limit', 'afterId'].map((name) => [name, 'integer']),
  )
})

/** `lead find` prints all of these, a lead's id and salt as its ref: a new one belongs in src/leads/person.ts. */
const columns = {
  leads: [
    ...['account_id', 'anchor_at', 'attempt', 'by_hand_cycle', 'by_hand_deadline_at', 'by_hand_set_at', 'campaign_id'],
    ...['deadline_at', 'email', 'id', 'opens_at', 'registered_at', 'resets', 'rule_id', 'salt'],
  ],
  conversions: [
    ...['account_id', 'amount', 'at', 'attempt', 'campaign_id', 'closed_at', 'currency', 'cycle', 'deadline_at', 'id'],
    ...['lead_id', 'order_id', 'registered_at', 'replaced_deadline_at', 'replaced_set_at', 'reversed_at', 'source'],
  ],
}

test('command line: lead convert and show, conversion list, reverse and import with a report by line', async () => {
  const { id } = await applyCampaign(shop, { conversion })
  const [email, other] = [await registered(id), await registered(id)]
  const campaign = ['--campaign', String(id)]
  const one = ['lead', 'convert', ...campaign, '--email', email, '--order', '1001']
  const made = await shop.place.json([...one, '--amount', '49.00', '--currency', 'EUR'])
  assert.deepEqual([made.amount, made.closed, made.created], ['49.00', true, true])
  assert.equal((await shop.place.json(one)).created, false)
  const { created: _, ...kept } = made
  assert.deepEqual((await shop.place.json(['lead', 'show', ...campaign, '--email', email])).conversions, [kept])
  const person = await shop.place.json(['lead', 'find', '--account', String(shop.owner.accountId), '--email', email])
  const [{ closedAt, ...whole }] = person.leads[0].conversions
  const more = { attempt: 1, cycle: 1, source: 'command line', replacedDeadline: null, replacedSetAt: null }
  assert.deepEqual(whole, { ...kept, ...more })
  assert.equal(closedAt, person.leads[0].deadline)
  for (const [table, names] of Object.entries(columns)) {
    const [row] = await rowsIn(shop.place, table)
    assert.deepEqual(Object.keys(JSON.parse(row as string)).sort(), names, table)
  }
  const refused = await shop.place.runShared([...one, '--amount', '49'])
  assert.deepEqual([refused.code, /^lastcall: --currency: must be given/.test(refused.stderr)], [2, true])
  const csv = `Note;OrderID;Email;Amount;currency
x;1001;${email};1;EUR
x;1002;${other};10.5;USD
x;1003;nobody@example.com;;
x;1004;${other};1.234;EUR
x;1005;${other};;points
x;Ü6;${other};;
`
  // Of a spreadsheet's file in another encoding the orders Ü6 and Ä6 would be one.
  writeFileSync(join(shop.place.folder, 'orders.csv'), csv, 'latin1')
  const report = await shop.place.json(['conversion', 'import', ...campaign, 'orders.csv'])
  assert.deepEqual(report, {
    ...{ created: 2, existing: 1 },
    refused: [
      { line: 4, reason: 'this lead is not registered in the campaign' },
      { line: 5, reason: 'amount must be a decimal with at most 2 places and 15 digits, such as "49.00"' },
      { line: 7, reason: 'not in UTF-8' },
    ],
  })
  const reversed = await shop.place.json(['conversion', 'reverse', ...campaign, '--order', '1002', '--reopen', 'true'])
  assert.ok(reversed.reversedAt)
  const listed = await shop.place.json(['conversion', 'list', ...campaign])
  assert.deepEqual(
    listed.map(({ orderId, closed, reversedAt }: any) => [orderId, closed, reversedAt !== null]),
    [
      ['1001', true, false],
      ['1002', true, true],
      ['1005', false, false],
    ],
  )
})

test('stats and report agree on days, also after an order is reversed in another time zone: none is less than nothing', async () => {
  const east = { timeZone: 'Pacific/Kiritimati' }
  const { id } = await applyCampaign(shop, east)
  const email = await registered(id)
  for (const orderId of ['1', '2']) await ask('POST', orders(id), { email, orderId })
  const stats = ({ days }: any, kind: string) =>
    days.filter((one: any) => one.kind === kind).map(({ day, total }: any) => [day, total])
  const told = async () => shop.place.json(['campaign', 'stats', String(id)])
  const before = await eventually(5, told, ({ totals }) => totals.registration.person === 1, commandPauseMs)
  const [[day]] = stats(before, 'registration')
  // It is a day earlier there, at every hour.
  await applyCampaign(shop, { id, timeZone: 'Pacific/Pago_Pago' })
  await ask('POST', `${orders(id)}/reversal`, { orderId: '1' })
  const after = await told()
  const [[dayNow]] = stats(after, 'registration')
  assert.ok(dayNow < day)
  assert.deepEqual([stats(before, 'conversion'), stats(after, 'conversion')], [[[day, 2]], [[dayNow, 1]]])
  assert.equal(after.totals.conversion.person, 1)
  const report = await shop.place.json(['campaign', 'report', String(id), '--from', dayNow, '--to', dayNow])
  assert.deepEqual([report.funnel.registered, report.funnel.converted], [1, 1])
  assert.deepEqual(report.days, [{ date: dayNow, orders: 1, revenue: {} }])
})

test('every conversion that was answered is there after kill -9', async (t) => {
  const place = installation(t)
  const me = await owner(place)
  const answered = new Set<string>()
  let number = 0
  for (let kill = 0; kill < amount(1, 200); kill += 1) {
    const server = await place.serve(['--rate-limit', '1000000'])
    const email = `kill-${kill}@example.com`
    await send(server, 'POST', leads(me.campaignId), { key: me.key, body: { email } })
    let killed = false
    const telling = Array.from({ length: 8 }, async () => {
      while (!killed) {
        const orderId = String(++number)
        const told = { key: me.key, outside: true, body: { email, orderId } }
        const { status } = await send(server, 'POST', base + orders(me.campaignId), told).catch(() => ({ status: 0 }))
        if (status === 201) answered.add(orderId)
      }
    })
    // On a busy machine the first answers take longer than all of this.
    await eventually(
      10,
      async () => answered.size,
      (size) => size > 10 * (kill + 1),
    )
    await sleep(Math.random() * 200)
    killed = true
    server.process.kill('SIGKILL')
    await Promise.all(telling)
  }
  const kept = await place.json(['conversion', 'list', '--campaign', String(me.campaignId)])
  const ids = kept.map(({ orderId }: any) => orderId)
  assert.ok(answered.size > 10, `only ${answered.size} were answered`)
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(
    [...answered].filter((orderId) => !ids.includes(orderId)),
    [],
  )
})
