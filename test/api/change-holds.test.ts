// What is changed on the command line holds in the running server within one second.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Decide } from '../../src/store/model.ts'
import { tester } from '../support/actor.ts'
import { assertError, assertStatus, call, leads, lookups, newEmail, openShop, withinOneSecond } from '../support/api.ts'
import { decisionOf } from '../support/decision.ts'
import { someOf } from '../support/faults.ts'
import { campaignFile } from '../support/lastcall.ts'
import { json, message, type WireAnswer, wire } from '../support/wire.ts'

const shop = openShop()
const list = (key = shop.owner.key) => call(shop.server, 'GET', '/campaigns', { key })
const post = (path: string, email: string, key = shop.owner.key) =>
  call(shop.server, 'POST', path, { key, body: { email } })
const account = () => String(shop.owner.accountId)
/** On the command line, whose changes these are. */
const applyCampaign = async (_: typeof shop, changes: Record<string, unknown>) =>
  shop.place.json(['campaign', 'apply', '--account', account(), '-'], campaignFile(changes))
const set = (...flags: string[]) => shop.place.json(['account', 'set', account(), ...flags])

test('a key made, then revoked', async () => {
  const made = await shop.place.json(['key', 'create', '--account', account(), '--name', 'second'])
  await withinOneSecond(
    () => list(made.key),
    ({ status }) => status === 200,
  )
  await shop.place.json(['key', 'revoke', made.id])
  const refused = await withinOneSecond(
    () => list(made.key),
    ({ status }) => status !== 200,
  )
  assertError(refused, 401, 'UNAUTHORIZED')
})

test('a key revoked while a body is on its way', async () => {
  const made = await shop.place.json(['key', 'create', '--account', account(), '--name', 'slow'])
  await withinOneSecond(
    () => list(made.key),
    ({ status }) => status === 200,
  )
  const path = `/api/public/v1${leads(shop.owner.campaignId)}`
  const head = [`Authorization: Bearer ${made.key}`, 'Content-Type: application/json', 'Connection: close']
  const text = message('POST', path, head, JSON.stringify({ email: newEmail() }))
  const line = await wire(shop.server.port)
  await line.send(text.slice(0, -1))
  await shop.place.json(['key', 'revoke', made.id])
  await line.send(1_000, text.slice(-1))
  const { answers } = await line.untilEnded()
  assert.deepEqual([answers.length, answers[0]?.status], [1, 401])
})

test('countdown tools that are switched off while a body is on its way are off in its answer', async () => {
  const path = `/api/public/v1${leads(shop.owner.campaignId)}`
  const head = [`Authorization: Bearer ${shop.owner.key}`, 'Content-Type: application/json', 'Connection: close']
  const text = message('POST', path, head, JSON.stringify({ email: newEmail() }))
  const line = await wire(shop.server.port)
  await line.send(text.slice(0, -1))
  await set('--countdown-tools', 'false')
  await line.send(1_000, text.slice(-1))
  const { answers } = await line.untilEnded()
  await set('--countdown-tools', 'true')
  const { offerLinks, warnings } = json(answers[0] as WireAnswer)
  assert.deepEqual([answers[0]?.status, offerLinks], [201, []])
  assert.ok(warnings.includes('COUNTDOWN_TOOLS_UNAVAILABLE'))
})

test('a key renamed keeps working', async () => {
  await shop.place.json(['key', 'rename', shop.owner.keyId, '--name', 'renamed'])
  assertStatus(await list(), 200)
})

test('links outlive the key that fetched them', async () => {
  const made = await shop.place.json(['key', 'create', '--account', account(), '--name', 'third'])
  await withinOneSecond(
    () => list(made.key),
    ({ status }) => status === 200,
  )
  const email = newEmail()
  const registered = await post(leads(shop.owner.campaignId), email, made.key)
  await shop.place.json(['key', 'revoke', made.id])
  await withinOneSecond(
    () => list(made.key),
    ({ status }) => status === 401,
  )
  const { created, ...offer } = registered.body
  assert.ok(created)
  assert.deepEqual((await post(lookups(shop.owner.campaignId), email)).body, offer)
})

test('an account suspended, and let in again', async () => {
  await set('--suspended', 'true')
  const refused = await withinOneSecond(
    () => list(),
    ({ status }) => status !== 200,
  )
  assertError(refused, 403, 'ACCOUNT_SUSPENDED')
  const email = newEmail()
  for (const path of [leads(shop.owner.campaignId), lookups(shop.owner.campaignId), '/nowhere'])
    assertError(await post(path, email), 403, 'ACCOUNT_SUSPENDED')
  await set('--suspended', 'false')
  await withinOneSecond(
    () => list(),
    ({ status }) => status === 200,
  )
  assertError(await post(lookups(shop.owner.campaignId), email), 404, 'LEAD_NOT_FOUND')
})

test('a campaign published, renamed, edited, withdrawn and deleted', async () => {
  const { id } = await applyCampaign(shop, { isDraft: true, pages: [], mailTimer: null })
  const email = newEmail()
  const register = () => post(leads(id), email)
  const lookUp = () => post(lookups(id), email)
  const shown = async () => (await list()).body.items.find((one: { id: number }) => one.id === id)
  await withinOneSecond(register, ({ body }) => body.code === 'CAMPAIGN_NOT_PUBLISHED')
  assert.deepEqual(await shown(), {
    id,
    name: 'Autumn course',
    type: (await shown()).type,
    isDraft: true,
  })

  await applyCampaign(shop, { id, name: 'Spring course', pages: [], mailTimer: null })
  const bare = await withinOneSecond(register, ({ status }) => status === 201)
  assert.deepEqual(bare.body.warnings, ['NO_OFFER_PAGES', 'NO_MAIL_TIMER'])
  assert.deepEqual([(await shown()).name, (await shown()).isDraft], ['Spring course', false])

  const changed = await applyCampaign(shop, { id, timeZone: 'America/New_York' })
  const full = await withinOneSecond(lookUp, ({ body }) => body.warnings.length === 0)
  assert.equal(full.body.timeZone, 'America/New_York')
  assert.equal(full.body.deadline, bare.body.deadline)
  assert.equal(full.body.offerLinks.length, 1)

  const [page] = changed.pages
  assert.equal(full.body.offerLinks[0].pageId, page.id)
  await applyCampaign(shop, {
    id,
    pages: [{ id: page.id, pageUrl: 'https://example.com/new', eligible: true }],
  })
  const moved = await withinOneSecond(lookUp, ({ body }) => body.offerLinks[0].pageUrl === 'https://example.com/new')
  assert.equal(moved.body.offerLinks[0].url, full.body.offerLinks[0].url, 'a page keeps its links')

  await applyCampaign(shop, { id, isDraft: true })
  await withinOneSecond(register, ({ status }) => status === 409)
  const historic = await lookUp()
  assertStatus(historic, 200)
  assert.deepEqual(historic.body.warnings, ['CAMPAIGN_NOT_PUBLISHED'])

  await shop.place.json(['campaign', 'delete', String(id), '--yes'])
  await withinOneSecond(lookUp, ({ body }) => body.code === 'CAMPAIGN_NOT_FOUND')
  assert.equal(await shown(), undefined)
})

test('the campaign type follows its rule', async () => {
  const at = (deadline: object) => ({ mechanism: { startsOn: 'registration', deadline } })
  const rules: [number, string, Record<string, unknown>][] = [
    [1, 'Fixed date', at({ kind: 'fixed', at: '2099-01-01T00:00' })],
    [2, 'Evergreen', at({ kind: 'after', period: 'P1D' })],
    [3, 'Recurring', at({ kind: 'next', closes: { every: 'week', on: ['fri'], time: '09:00' } })],
    [2, 'Evergreen', at({ kind: 'daysAt', days: 1, time: '12:00' })],
    [2, 'Evergreen', at({ kind: 'none' })],
  ]
  for (const [id, name, rule] of someOf(rules, 3)) {
    const made = await applyCampaign(shop, rule)
    const seen = await withinOneSecond(list as () => ReturnType<typeof list>, ({ body }) =>
      body.items.some((one: { id: number }) => one.id === made.id),
    )
    assert.deepEqual(seen.body.items.find((one: { id: number }) => one.id === made.id).type, { id, name })
  }
})

test('a registration is decided on the settings as they are when it is stored, not as they were read', async () => {
  const { id } = await applyCampaign(shop, {})
  const email = newEmail()
  await shop.place.arrange(async (store) => {
    const read = await store.configuration.findCampaign(id)
    assert.ok(read)
    const now = Math.floor(Date.now() / 1000)
    const decide: Decide = (campaign) => (campaign.isDraft ? 'CAMPAIGN_NOT_PUBLISHED' : decisionOf(campaign, now))
    await applyCampaign(shop, { id, isDraft: true })
    assert.equal(await store.leads.write(read, email, decide, true), 'CAMPAIGN_NOT_PUBLISHED')
    assert.equal(await store.leads.find(read, email), undefined)

    const rule = {
      timeZone: 'UTC',
      mechanism: { ...read.terms.mechanism, deadline: { kind: 'after', period: 'PT1H' } },
    }
    await applyCampaign(shop, { id, isDraft: false, ...rule })
    const written = await store.leads.write(read, email, decide, true)
    assert.ok(typeof written === 'object')
    assert.equal(written.lead.attempt.deadlineAt, now + 3_600)
    assert.notEqual(written.campaign.version, read.version)

    await store.configuration.deleteCampaign(id, tester)
    assert.equal(await store.leads.write(read, newEmail(), decide, true), 'CAMPAIGN_NOT_FOUND')
  })
})
