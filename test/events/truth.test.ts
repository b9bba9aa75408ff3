// What is told, and what no longer: campaigns that are edited, leads that move on, endpoints that were paused or away. On
// both engines.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveCampaign } from '../../src/campaigns/campaigns.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import { formatInstant } from '../../src/core/instant.ts'
import { visitorName } from '../../src/core/visitor.ts'
import type { Templates } from '../../src/countdown/templates.ts'
import { runRound } from '../../src/events/round.ts'
import { convert, reverse } from '../../src/leads/conversions.ts'
import { purgedAtOnce } from '../../src/store/events/queue.ts'
import type { Campaign } from '../../src/store/model.ts'
import { tester, testerAt } from '../support/actor.ts'
import { beganAt, daySeconds, opened, registered } from '../support/lane.ts'

test('discarded events are not told, even if they were tried since; erasures are', async (t) => {
  const { endpoint, register, round, find, told, answer, clock, store, campaignId, managed } = await opened(t)
  const { id } = await endpoint({ kinds: ['lead.registered', 'lead.erased'] })
  const discard = (before: number) => managed().discardBefore(id, before)
  for (const name of ['ada', 'bob']) await register(`${name}@example.com`)
  const campaign = (await store.configuration.findCampaign(campaignId)) as Campaign
  await store.leads.erase([{ campaign, email: 'bob@example.com' }], testerAt(clock.at))
  answer.status = 400
  clock.at += 120
  await round(id)
  assert.deepEqual(told().sort(), ['lead.erased - 0', 'lead.registered ada 0'])
  await discard(beganAt + 60)
  answer.status = 204
  clock.at += 120
  await round(id)
  assert.deepEqual(told(), ['lead.erased - 0'])

  const notice = { endpointId: id, leadId: 1, kind: 'lead.registered' as const, detail: 0 }
  const failed = Array.from({ length: purgedAtOnce + 1 }, (_, second) => {
    const tried = { ...notice, tries: 1, refused: 1, isAskedFor: false }
    return { ...tried, dueAt: beganAt + 60 + second, nextAt: clock.at, lastAt: clock.at }
  })
  await store.events.settle(await find(id), { done: [], failed, looks: [] })
  await store.events.discardFailed(await find(id), clock.at + daySeconds)
  const left = async () => (await store.events.waiting(await find(id), clock.at)).waiting
  assert.equal(await left(), 1, 'many would stop everything else meanwhile')
  await discard(clock.at + daySeconds)
  assert.equal(await left(), 0)
  for (const name of ['cy', 'eve']) await register(`${name}@example.com`)
  await store.leads.erase([{ campaign, email: 'eve@example.com' }], testerAt(clock.at))
  assert.equal(await left(), 1, 'what is dropped does not wait, the erasure does')
})

test('an endpoint that went on from now is told nothing from before, even after a discard with an earlier instant', async (t) => {
  const { endpoint, register, round, find, told, clock, store, goOnFromNow } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  clock.at += 600
  await goOnFromNow(id)
  await store.events.discardBefore(await find(id), beganAt - 60, testerAt(clock.at))
  await round(id)
  assert.deepEqual(told(), [])
})

test('resending since an instant sends and counts only what may still be told; the rest stays given up', async (t) => {
  const { endpoint, register, find, round, save, told, clock, store, accountId, campaignId } = await opened(t)
  const { id } = await endpoint({ kinds: ['lead.registered', 'lead.erased', 'campaign.ended'] })
  for (const name of ['ada', 'bob']) await register(`${name}@example.com`)
  const campaign = (await store.configuration.findCampaign(campaignId)) as Campaign
  await store.leads.erase([{ campaign, email: 'bob@example.com' }], testerAt(clock.at))
  const due = await store.events.due(await find(id), clock.at, 9)
  const ended = { ...due[0], leadId: -campaignId, kind: 'campaign.ended' } as (typeof due)[number]
  const givenUp = { tries: 10, refused: 10, nextAt: null, lastAt: clock.at }
  const failed = [ended, ...due].map((one) => ({ ...one, ...givenUp }))
  await store.events.settle(await find(id), { done: due, failed, looks: [] })
  const ask = async (since = beganAt) =>
    (await store.events.resendFailed(await find(id), since, testerAt(clock.at))).count
  await save({ isDraft: true })
  assert.equal(await ask(), 1, 'of a draft an erasure')
  const { settings } = await find(id)
  await store.events.changeEndpoint(await find(id), { ...settings, campaignIds: [] }, testerAt(clock.at))
  await save({ isDraft: false })
  assert.equal(await ask(), 0, 'nothing that the endpoint no longer hears of')
  await store.events.changeEndpoint(await find(id), { ...(await find(id)).settings, campaignIds: [campaignId] }, tester)
  assert.equal(await ask(0), 2, 'not of who was erased')
  assert.equal((await store.events.waiting(await find(id), clock.at)).givenUp, 1)
  await round(id)
  assert.deepEqual(told().sort(), ['campaign.ended - 0', 'lead.erased - 0', 'lead.registered ada 0'])
  const { entries } = await store.audit.listEntries(accountId, { action: 'webhook.resent' }, Number.MAX_SAFE_INTEGER, 9)
  assert.deepEqual(
    entries.map(({ after }) => after),
    [{ count: 2 }, { count: 1, failedSince: formatInstant(beganAt) }],
  )
})

test('an event of a failed batch that is no longer true when it is sent by itself is not told', async (t) => {
  const made = await opened(t, { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' } })
  const { endpoint, register, round, find, sent, answer, clock, leads, store, accountId, campaignId } = made
  const { id } = await endpoint({ kinds: ['lead.expired'], batch: 10 })
  for (let n = 0; n < 10; n += 1) await register(`${n}@example.com`)
  clock.at += 3_601
  answer.status = 400
  await round(id)
  assert.equal(sent.length, 1)
  assert.equal((await store.events.waiting(await find(id), clock.at)).waiting, 10)
  for (let n = 0; n < 9; n += 1)
    await leads.setDeadline({ accountId, campaignId }, `${n}@example.com`, clock.at + 60, testerAt(clock.at))
  answer.status = 204
  await round(id)
  const told = sent.slice(1).map(({ body }) => JSON.parse(body).data.email)
  assert.deepEqual(told, ['9@example.com'])
})

test('kinds that an endpoint no longer wants are not told', async (t) => {
  const { endpoint, register, round, find, sent, answer, clock, store, campaignId } = await opened(t)
  const { id } = await endpoint({ kinds: ['lead.registered', 'lead.erased'] })
  await register('ada@example.com')
  const campaign = (await store.configuration.findCampaign(campaignId)) as Campaign
  await register('bob@example.com')
  await store.leads.erase([{ campaign, email: 'bob@example.com' }], testerAt(clock.at))
  answer.status = 400
  clock.at += 2
  await round(id)
  assert.deepEqual(sent.map(({ type }) => type).sort(), ['lead.erased', 'lead.registered'])
  const before = await find(id)
  await store.events.changeEndpoint(before, { ...before.settings, kinds: ['lead.expired'] }, testerAt(clock.at))
  answer.status = 204
  sent.length = 0
  clock.at += 3_600
  await round(id)
  assert.deepEqual(sent, [])
})

test('an event that somebody has sent again is told even if it is no longer true, or the lead had bought before', async (t) => {
  const made = await opened(t, { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' } })
  const { endpoint, register, round, find, sent, answer, clock, leads, accountId, campaignId, store, save } = made
  const { id } = await endpoint({ kinds: ['lead.expired'] })
  await save({ conversion: { closes: true } })
  const { lead } = (await register('ada@example.com')) as { lead: { id: number } }
  clock.at += 3_601
  await round(id)
  const of = { accountId, campaignId }
  await leads.setDeadline(of, 'ada@example.com', clock.at + daySeconds, testerAt(clock.at))
  const order = { orderId: '1', at: beganAt + 60, amount: null, currency: null }
  await convert(store, of, { buyer: { email: 'ada@example.com' }, order, source: 'api' }, clock.at, tester)
  const event = { endpointId: id, dueAt: beganAt + 3_600, leadId: lead.id, kind: 'lead.expired' as const, detail: 0 }
  await store.events.resend(await find(id), event, testerAt(clock.at))
  for (const status of [500, 400, 204]) {
    answer.status = status
    await round(id)
    clock.at += 1_800
  }
  assert.equal(sent.length, 4, 'until it is taken')
  assert.equal(new Set(sent.map((one) => one.id)).size, 1)
  await round(id)
  assert.equal(sent.length, 4)
})

test('an order that is reversed before its receiver took it is told only if somebody asks for it', async (t) => {
  const made = await opened(t, { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' } })
  const { endpoint, register, round, find, sent, answer, clock, accountId, campaignId, store } = made
  const { id } = await endpoint({ kinds: ['lead.converted'] })
  const { lead } = (await register('ada@example.com')) as { lead: { id: number } }
  const of = { accountId, campaignId }
  const order = { orderId: '1', at: clock.at, amount: null, currency: null }
  const done = await convert(store, of, { buyer: { email: 'ada@example.com' }, order, source: 'api' }, clock.at, tester)
  assert.ok(typeof done === 'object')
  answer.status = 400
  await round(id)
  assert.equal(sent.length, 1)
  await reverse(store, of, '1', false, clock.at, tester)
  answer.status = 204
  clock.at += 60
  await round(id)
  assert.equal(sent.length, 1)
  const event = { endpointId: id, dueAt: beganAt, leadId: lead.id, detail: done.conversion.id }
  await store.events.resend(await find(id), { ...event, kind: 'lead.converted' }, testerAt(clock.at))
  await round(id)
  assert.deepEqual([sent.length, new Set(sent.map((one) => one.id)).size], [2, 1])
})

test('an order of a draft is not told, not even once it is published', async (t) => {
  const { endpoint, register, round, told, clock, accountId, campaignId, store, save } = await opened(t)
  const { id } = await endpoint({ kinds: ['lead.converted'] })
  await register('ada@example.com')
  const buy = async (orderId: string) => {
    const order = { orderId, at: clock.at, amount: null, currency: null }
    const buyer = { email: 'ada@example.com' }
    const of = { accountId, campaignId }
    assert.ok(typeof (await convert(store, of, { buyer, order, source: 'api' }, clock.at, tester)) === 'object')
  }
  await save({ isDraft: true })
  await buy('1')
  await save({ isDraft: false })
  clock.at += 60
  await buy('2')
  clock.at += 60
  await round(id)
  assert.deepEqual(told(), ['lead.converted ada 1'])
})

test('an endpoint that goes on from now is told nothing from before, and everything from then on', async (t) => {
  const made = await opened(t, { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' } })
  const { endpoint, register, round, find, sent, clock, store } = made
  const { id } = await endpoint({ kinds: ['lead.registered', 'lead.expired'] })
  await register('ada@example.com')
  await store.events.pauseEndpoint(await find(id), 'user', testerAt(clock.at))
  clock.at += 7_200
  await store.events.resumeEndpoint(await find(id), clock.at, testerAt(clock.at))
  await round(id)
  assert.equal(sent.length, 0)
  await register('bob@example.com')
  await round(id)
  clock.at += 3_601
  await round(id)
  assert.deepEqual(
    sent.map(({ body, type }) => [type, JSON.parse(body).data.email]),
    [
      ['lead.registered', 'bob@example.com'],
      ['lead.expired', 'bob@example.com'],
    ],
  )
})

test('a moment is told only when its second is over, even by a late look', async (t) => {
  const made = await opened(t, { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' } })
  const { endpoint, register, round, told, clock, find, store } = made
  const { id } = await endpoint({ kinds: ['lead.deadline_approaching', 'lead.expired'], leadTimes: ['PT10M'] })
  await register('ada@example.com')
  await store.events.pauseEndpoint(await find(id), 'user', testerAt(clock.at))
  clock.at += 3_600
  await store.events.resumeEndpoint(await find(id), clock.at, testerAt(clock.at))
  await round(id)
  assert.deepEqual(told(), [])
  clock.at += 1
  await round(id)
  assert.deepEqual(told(), ['lead.expired ada 60'])
})

test('nothing is told of a draft; what happened before it became one is told once it is published again', async (t) => {
  const fixed = { startsOn: 'registration', deadline: { kind: 'fixed', at: '2026-03-02T11:00' } }
  const { endpoint, register, round, sweep, told, sent, clock, find, save, store } = await opened(t, fixed)
  const { id } = await endpoint()
  await sweep()
  await register('ada@example.com')
  await save({ isDraft: true })
  const waiting = async () => (await store.events.waiting(await find(id), clock.at)).waiting
  for (const seconds of [1, 3_601]) {
    clock.at = beganAt + seconds
    await round(id)
  }
  assert.deepEqual(sent, [])
  assert.equal(await waiting(), 0, 'its server is not what it waits for')
  await save({ isDraft: false })
  await sweep()
  clock.at += 360
  await round(id)
  assert.deepEqual(told(), ['lead.registered ada 0'], 'after a tenth of its age, and not what passed in the draft')

  for (const firstRound of [0, 20]) {
    await register(`after-${firstRound}@example.com`)
    await save({ isDraft: true })
    for (let days = 0; days < 32; days += 1) {
      if (days >= firstRound) await round(id)
      clock.at += daySeconds
    }
    await save({ isDraft: false })
    await round(id)
    assert.deepEqual(told(), [], 'nobody waits for it after 30 days')
  }
})

test('what is held of a draft, tried before or not, keeps no server failing that has nothing else to take', async (t) => {
  const { endpoint, register, round, find, answer, clock, save, store } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  answer.status = 400
  await round(id)
  assert.equal((await find(id)).failingSince, clock.at)
  await register('bob@example.com')
  await save({ isDraft: true })
  clock.at += 7_200
  await round(id)
  assert.deepEqual(await store.events.waiting(await find(id), clock.at), { waiting: 0, oldestDueAt: null, givenUp: 0 })
  clock.at += 6 * daySeconds
  await save({ isDraft: false })
  await register('eve@example.com')
  answer.status = 429
  await round(id)
  assert.equal((await find(id)).pauseCause, null)
  answer.status = 204
  await round(id)
})

test('a receiver that was away for long is told of the last seven days, or else of the last moment; each look that skips is counted', async (t) => {
  const cases = [
    { pause: 'PT23H', days: 30, daysAgo: [6, 5, 4, 3, 2, 1, 0], skips: 1 },
    { pause: 'PT215H', days: 26, daysAgo: [7], skips: 2 },
  ]
  for (const { pause, days, daysAgo, skips } of cases) {
    const cycle = { enabled: true, pause }
    const made = await opened(t, { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' }, cycle })
    const { endpoint, register, round, sent, clock, dropped, answer } = made
    const { id } = await endpoint({ kinds: ['lead.expired'] })
    await register('ada@example.com')
    clock.at += days * daySeconds
    answer.status = 429
    for (let times = 0; times < 3; times += 1) await round(id)
    sent.length = 0
    answer.status = 204
    for (let times = 0; times < 20; times += 1) await round(id)
    const told = sent.map(({ body }) => (clock.at - Date.parse(JSON.parse(body).timestamp) / 1_000) / daySeconds)
    assert.deepEqual(told.map(Math.floor), daysAgo)
    assert.equal(dropped.length, skips)
  }
})

test('the time left is written as in the settings of the endpoint', async (t) => {
  const made = await opened(t, { startsOn: 'registration', deadline: { kind: 'after', period: 'PT2H' } })
  const { endpoint, register, round, sent, clock } = made
  const { id } = await endpoint({ kinds: ['lead.deadline_approaching'], leadTimes: ['PT90M', 'PT60S'] })
  await register('ada@example.com')
  for (const seconds of [1_801, 5_340]) {
    clock.at += seconds
    await round(id)
    await round(id)
  }
  assert.deepEqual(
    sent.map(({ body }) => JSON.parse(body).data.leadTime),
    ['PT90M', 'PT60S'],
  )
})

const fixed = (at: string, opensAt?: string) => ({
  startsOn: 'registration',
  deadline: { kind: 'fixed', at, ...(opensAt && { opensAt }) },
})

test('campaign.ended: told once when the date passes, and not of a date that was moved', async (t) => {
  const { endpoint, register, round, sweep, save, told, clock } = await opened(t, fixed('2026-03-02T10:10'))
  const { id } = await endpoint({ kinds: ['campaign.ended'] })
  await sweep()
  for (let n = 0; n < 3; n += 1) await register(`${n}@example.com`)
  await save({ mechanism: fixed('2026-03-02T10:20') })
  await sweep()
  for (const seconds of [600, 601, 1_200]) {
    clock.at = beganAt + seconds
    await round(id)
  }
  assert.deepEqual(told(), [], 'not at the first date, and at the second a second late')
  clock.at = beganAt + 1_201
  for (let times = 0; times < 2; times += 1) await round(id)
  assert.deepEqual(told(), ['campaign.ended - 20'])
})

test('campaign.ended that the server has not taken comes again, even if the campaign was a draft meanwhile', async (t) => {
  const fixed = { startsOn: 'registration', deadline: { kind: 'fixed', at: '2026-03-02T11:00' } }
  const { endpoint, round, sweep, told, answer, clock, save } = await opened(t, fixed)
  const { id } = await endpoint({ kinds: ['campaign.ended'] })
  await sweep()
  clock.at += 3_601
  answer.status = 500
  await round(id)
  await save({ isDraft: true })
  answer.status = 204
  clock.at += 60
  await round(id)
  assert.deepEqual(told(), ['campaign.ended - 60'])
  await save({ isDraft: false })
  clock.at += 3_600
  await round(id)
  assert.deepEqual(told(), ['campaign.ended - 60'])
})

test('campaign.ended is not told of a date that had passed when the endpoint was made', async (t) => {
  const { endpoint, round, sweep, told } = await opened(t, fixed('2026-03-02T09:00'))
  const { id } = await endpoint({ kinds: ['campaign.ended'] })
  await sweep()
  await round(id)
  assert.deepEqual(told(), [])
})

test('an approaching deadline that is tried again after it has moved is told only if as much time is left', async (t) => {
  const { endpoint, register, round, save, told, answer, clock } = await opened(t, fixed('2026-03-02T12:01'))
  const { id } = await endpoint({ kinds: ['lead.deadline_approaching'], leadTimes: ['PT1H', 'PT2H'] })
  await register('ada@example.com')
  clock.at = beganAt + 3_661
  answer.status = 400
  for (let times = 0; times < 2; times += 1) await round(id)
  assert.deepEqual(told(), ['lead.deadline_approaching ada 1', 'lead.deadline_approaching ada 61'])
  await save({ mechanism: fixed('2026-03-02T13:01') })
  answer.status = 204
  clock.at += 6
  await round(id)
  assert.deepEqual(told(), [], 'at the minute 61 two hours were left, and not one')
})

test('dates that are edited while a campaign is a draft, or with its publishing, are told once it is published', async (t) => {
  const made = await opened(t, fixed('2026-03-03T10:00'))
  const { endpoint, register, round, sweep, save, told, clock, store, accountId, campaignId } = made
  const { id } = await endpoint({ kinds: ['lead.deadline_changed'] })
  await register('ada@example.com')
  const step = async (changes: object) => {
    clock.at += 60
    await save(changes)
    await sweep()
    await round(id)
    await round(id)
    return told()
  }
  const [one, two, three] = ['2026-03-04T10:00', '2026-03-05T10:00', '2026-03-06T10:00'].map((at) => ({
    mechanism: fixed(at),
  }))
  // Archived, it is a draft as well.
  clock.at += 60
  await store.configuration.archiveCampaign(accountId, campaignId, true, testerAt(clock.at))
  assert.deepEqual(await step({ isDraft: true, ...one }), [], 'of a draft nothing')
  assert.deepEqual(await step({ ...two }), ['lead.deadline_changed ada 3'])
  assert.deepEqual(await step({ isDraft: true, ...two }), [])
  assert.deepEqual(await step({ ...two }), [], 'it is as it was')
  assert.deepEqual(await step({ isDraft: true, ...three }), [])
  assert.deepEqual(await step({ ...three }), ['lead.deadline_changed ada 7'])
  assert.deepEqual(await step({ ...one }), ['lead.deadline_changed ada 8'])
  // Before a sweep has come to it.
  await save({ ...two })
  assert.deepEqual(await step({ isDraft: true, ...two }), [])
  assert.deepEqual(await step({ ...two }), ['lead.deadline_changed ada 8'], 'at the instant of the edit')
})

test('published while its only endpoint is paused: later drafts tell nothing that was not edited', async (t) => {
  const { endpoint, register, round, sweep, save, told, clock, find, store } = await opened(
    t,
    fixed('2026-03-03T10:00'),
  )
  const { id } = await endpoint({ kinds: ['lead.deadline_changed'] })
  await register('ada@example.com')
  const other = { mechanism: fixed('2026-03-04T10:00') }
  await save({ isDraft: true })
  await store.events.pauseEndpoint(await find(id), 'user', testerAt(clock.at))
  clock.at += 60
  await save(other)
  clock.at += 60
  await store.events.resumeEndpoint(await find(id), null, testerAt(clock.at))
  await register('bob@example.com')
  for (const isDraft of [true, false]) {
    clock.at += 60
    await save({ ...other, isDraft })
    await sweep()
    await round(id)
  }
  assert.deepEqual(told(), [])
})

test('a lead who registers after an edit, before its sweep has begun, is not told of as changed', async (t) => {
  const { endpoint, register, round, sweep, save, told, clock } = await opened(t, fixed('2026-03-03T10:00'))
  const { id } = await endpoint({ kinds: ['lead.deadline_changed'] })
  await register('ada@example.com')
  clock.at += 60
  await save({ mechanism: fixed('2026-03-04T10:00') })
  clock.at += 60
  await register('bob@example.com')
  await sweep()
  await round(id)
  assert.deepEqual(told(), ['lead.deadline_changed ada 1'], 'at the instant of the edit')
})

test('who registers while the countdown images of an edit are being drawn is told of as changed', async (t) => {
  const { endpoint, register, round, sweep, told, clock, store, accountId, campaignId, settings } = await opened(
    t,
    fixed('2026-03-03T10:00'),
  )
  const { id } = await endpoint({ kinds: ['lead.deadline_changed'] })
  const edited = checkCampaign({ ...settings, id: campaignId, mechanism: fixed('2026-03-04T10:00'), mailTimer: {} })
  assert.ok('campaign' in edited)
  // In English and in Polish.
  const names = ['ada', 'bob']
  const get = async () => {
    clock.at += 60
    await register(`${names.shift()}@example.com`)
  }
  const templates = { get } as unknown as Templates
  await saveCampaign({ store, templates }, accountId, edited.campaign, () => testerAt(clock.at))
  await sweep()
  await round(id)
  assert.deepEqual(told(), ['lead.deadline_changed ada 2', 'lead.deadline_changed bob 2'])
})

test('a lead who registers after an edit is not told of as changed, even if another edit or a pause comes before the sweep', async (t) => {
  const { endpoint, register, round, sweep, save, told, clock, find, store } = await opened(
    t,
    fixed('2026-03-03T10:00'),
  )
  const { id } = await endpoint({ kinds: ['lead.deadline_changed'] })
  await register('ada@example.com')
  const step = async (at: string) => {
    clock.at += 60
    await save({ mechanism: fixed(at) })
    clock.at += 60
  }
  const go = async () => {
    await sweep()
    await round(id)
    return told()
  }
  await step('2026-03-04T10:00')
  await register('bob@example.com')
  await step('2026-03-05T10:00')
  await register('cyd@example.com')
  assert.deepEqual(await go(), ['lead.deadline_changed ada 3', 'lead.deadline_changed bob 3'])
  await step('2026-03-06T10:00')
  await store.events.pauseEndpoint(await find(id), 'user', testerAt(clock.at))
  await register('dan@example.com')
  clock.at += 60
  await store.events.resumeEndpoint(await find(id), null, testerAt(clock.at))
  assert.deepEqual(
    await go(),
    ['ada', 'bob', 'cyd'].map((name) => `lead.deadline_changed ${name} 5`),
  )
})

const savedAgain: Record<string, object[]> = {
  'saved again': [{ mechanism: fixed('2026-03-04T10:00', '2026-03-01T10:00') }],
  'a draft for a while': [{ isDraft: true }, {}],
}

for (const [name, saves] of Object.entries(savedAgain))
  test(`a campaign that is ${name} before all its leads were gone through tells nobody the same change under two ids`, async (t) => {
    const { endpoint, register, round, sweep, save, sent, clock } = await opened(t, fixed('2026-03-03T10:00'))
    const { id } = await endpoint({ kinds: ['lead.deadline_changed'], inFlight: 32 })
    // One more than what is gone through at a time.
    await Promise.all(Array.from({ length: 501 }, (_, n) => register(`${n}@example.com`)))
    const moved = { mechanism: fixed('2026-03-04T10:00') }
    for (const changes of [{}, ...saves, undefined]) {
      clock.at += 60
      if (changes !== undefined) await save({ ...moved, ...changes })
      await sweep()
      for (let times = 0; times < 4; times += 1) await round(id)
    }
    assert.equal(new Set(sent.map((one) => one.id)).size, 501)
    assert.ok(sent.length > 501, 'some were told before it was saved again')
  })

test('a lead who was imported into a draft is not told of as changed when its dates were edited there', async (t) => {
  const made = await opened(t, fixed('2026-03-03T10:00'))
  const { endpoint, register, round, sweep, save, told, clock, leads, accountId, campaignId } = made
  const { id } = await endpoint({ kinds: ['lead.deadline_changed'] })
  await register('ada@example.com')
  clock.at += 60
  const march = { mechanism: fixed('2026-03-04T10:00') }
  await save({ isDraft: true, ...march })
  clock.at += 60
  await leads.importLead({ accountId, campaignId }, 'bob@example.com', clock.at, testerAt(clock.at))
  clock.at += 60
  await save(march)
  await sweep()
  await round(id)
  assert.deepEqual(told(), ['lead.deadline_changed ada 3'])
})

test('an edit tells nothing of offers that were over before and are over after', async (t) => {
  const { endpoint, register, round, sweep, save, told, clock } = await opened(t, fixed('2026-03-02T10:30'))
  const { id } = await endpoint({ kinds: ['lead.deadline_changed'] })
  await register('ada@example.com')
  clock.at += 3_600
  await save({ mechanism: fixed('2026-03-02T10:40') })
  await sweep()
  await round(id)
  assert.deepEqual(told(), [])
  await save({ mechanism: fixed('2026-03-02T12:00') })
  await sweep()
  await round(id)
  assert.deepEqual(told(), ['lead.deadline_changed ada 60'])
})

for (const cause of ['user', 'failing'] as const)
  test(`paused (${cause}), and on again from where it stopped: what has ended meanwhile is told, also where it was moved earlier`, async (t) => {
    const made = await opened(t, fixed('2026-03-10T10:00'))
    const { endpoint, register, round, sweep, save, setDeadline, told, clock, find, store, accountId } = made
    const { id } = await endpoint({ kinds: ['lead.registered', 'lead.expired', 'campaign.ended'] })
    for (const name of ['ada', 'bob']) await register(`${name}@example.com`)
    await sweep()
    await round(id)
    assert.equal(told().length, 2)
    clock.at += 60
    await store.events.pauseEndpoint(await find(id), cause, testerAt(clock.at))
    clock.at += 60
    await register('new@example.com')
    await setDeadline('bob@example.com', beganAt + 600)
    await save({ mechanism: fixed('2026-03-02T11:00') })
    clock.at += daySeconds
    await store.events.purgeOld(accountId, clock.at)
    await store.events.resumeEndpoint(await find(id), null, testerAt(clock.at))
    const due = async () => (await store.events.dueEndpoints('node', clock.at)).map((one) => one.id)
    await store.events.lease('node')
    assert.deepEqual(await due(), [], 'told before its leads are gone through, it would come again')
    await sweep()
    assert.deepEqual(await due(), [id])
    for (let times = 0; times < 3; times += 1) await round(id)
    const ended = ['campaign.ended - 60', 'lead.expired ada 60', 'lead.expired bob 10']
    // While its server fails all is noted for it.
    const meanwhile = cause === 'user' ? [] : ['lead.expired new 60', 'lead.registered new 2']
    assert.deepEqual(told().sort(), [...ended, ...meanwhile].sort())
    await sweep()
    await round(id)
    assert.deepEqual(told(), [], 'and once')
  })

test('a lead that moved on while its server was down is told each event once', async (t) => {
  const made = await opened(t, { startsOn: 'registration', deadline: { kind: 'after', period: 'PT10H' } })
  const { endpoint, register, round, setDeadline, told, clock, find, store } = made
  const { id } = await endpoint({
    kinds: ['lead.deadline_approaching', 'lead.expired'],
    leadTimes: ['PT1H', 'PT2H'],
  })
  await register('ada@example.com')
  await setDeadline('ada@example.com', beganAt + 9 * 3_600)
  clock.at += daySeconds
  while ((await store.events.waiting(await find(id), clock.at)).waiting > 0) await round(id)
  const [two, one] = [420, 480].map((minute) => `lead.deadline_approaching ada ${minute}`)
  assert.deepEqual(told(), [two, one, 'lead.expired ada 540'])
})

test('an endpoint that is paused twice goes on from where it stopped first', async (t) => {
  const { endpoint, register, round, sweep, setDeadline, told, clock, find, store } = await opened(t)
  const { id } = await endpoint({ kinds: ['lead.expired'] })
  // A sweep that is under way would tell the ends since it began.
  await sweep()
  await register('ada@example.com')
  const pause = async () => store.events.pauseEndpoint(await find(id), 'user', testerAt(clock.at))
  clock.at += 60
  await pause()
  clock.at += 60
  await setDeadline('ada@example.com', beganAt + 600)
  clock.at += 3_600
  await pause()
  clock.at += 60
  await store.events.resumeEndpoint(await find(id), null, testerAt(clock.at))
  await sweep()
  await round(id)
  assert.deepEqual(told(), ['lead.expired ada 10'])
})

test('an endpoint that is paused before its sweep of an edit is told the ends from between edit and pause', async (t) => {
  const made = await opened(t, fixed('2026-03-02T20:00'))
  const { endpoint, register, round, sweep, save, told, clock, find, store } = made
  const { id } = await endpoint({ kinds: ['lead.expired'] })
  await register('ada@example.com')
  await save({ mechanism: fixed('2026-03-02T10:02') })
  clock.at += 180
  await store.events.pauseEndpoint(await find(id), 'user', testerAt(clock.at))
  clock.at += 120
  await store.events.resumeEndpoint(await find(id), null, testerAt(clock.at))
  for (let times = 0; times < 2; times += 1) await sweep()
  while ((await store.events.waiting(await find(id), clock.at)).waiting > 0) await round(id)
  assert.deepEqual(told(), ['lead.expired ada 2'])
})

test('an endpoint that is paused again before its sweep is told the ends of leads who came in between, and of none earlier', async (t) => {
  const { endpoint, register, round, sweep, setDeadline, told, clock, find, store } = await opened(t)
  const { id } = await endpoint({ kinds: ['lead.registered', 'lead.expired'] })
  const come = async (name: string) => {
    await register(`${name}@example.com`)
    clock.at += 60
  }
  const pause = async () => store.events.pauseEndpoint(await find(id), 'user', testerAt(clock.at))
  const resume = async () => store.events.resumeEndpoint(await find(id), null, testerAt(clock.at))
  await come('ada')
  await pause()
  for (const name of ['bob', 'cyd']) await come(name)
  await setDeadline('cyd@example.com', clock.at - 10)
  await resume()
  await come('dan')
  await pause()
  await come('eve')
  for (const name of ['ada', 'bob', 'dan', 'eve']) await setDeadline(`${name}@example.com`, clock.at + 10)
  clock.at += 60
  await resume()
  await sweep()
  while ((await store.events.waiting(await find(id), clock.at)).waiting > 0) await round(id)
  const ended = ['ada', 'bob', 'dan'].map((name) => `lead.expired ${name} ${5 + 1 / 6}`)
  assert.deepEqual(told().sort(), [...ended, 'lead.registered ada 0', 'lead.registered dan 3'])
})

test('the end of a lead who came in a pause is told even if it falls on the second in which the pause ends', async (t) => {
  const { endpoint, register, round, sweep, setDeadline, told, clock, find, store } = await opened(t)
  const { id } = await endpoint({ kinds: ['lead.expired'] })
  await store.events.pauseEndpoint(await find(id), 'user', testerAt(clock.at))
  for (const [name, seconds] of Object.entries({ ada: 59, bob: 60, cyd: 61 })) {
    await register(`${name}@example.com`)
    await setDeadline(`${name}@example.com`, beganAt + seconds)
  }
  clock.at += 60
  await store.events.resumeEndpoint(await find(id), null, testerAt(clock.at))
  await sweep()
  clock.at += 60
  await round(id)
  assert.deepEqual(told().sort(), ['lead.expired bob 1', `lead.expired cyd ${61 / 60}`])
})

test('an erasure is told even if the endpoint goes on from now', async (t) => {
  const { endpoint, register, round, told, clock, find, store, campaignId } = await opened(t)
  const { id } = await endpoint({ kinds: ['lead.registered', 'lead.erased'] })
  await register('ada@example.com')
  await store.events.pauseEndpoint(await find(id), 'user', testerAt(clock.at))
  const campaign = (await store.configuration.findCampaign(campaignId)) as Campaign
  await store.leads.erase([{ campaign, email: 'ada@example.com' }], testerAt(clock.at + 60))
  clock.at += 120
  await store.events.resumeEndpoint(await find(id), clock.at, testerAt(clock.at))
  await round(id)
  assert.deepEqual(told(), ['lead.erased - 1'])
})

test('a backfill is told even if the endpoint goes on from now, or earlier events are discarded', async (t) => {
  const { endpoint, register, round, told, clock, campaignId, managed, sweep, answer, goOnFromNow } = await opened(t)
  await register('ada@example.com')
  const { id } = await endpoint(registered)
  await managed().backfill(id, campaignId)
  await sweep()
  clock.at += 60
  await goOnFromNow(id)
  answer.status = 400
  await round(id)
  clock.at += 60
  await managed().discardBefore(id, clock.at)
  answer.status = 204
  await round(id)
  assert.deepEqual(told(), ['lead.registered ada 0', 'lead.registered ada 0'])
})

for (const cause of ['failing', 'user'] as const) {
  test(`paused (${cause}), and on again from now: nothing is told of an edit of before, and its date is told`, async (t) => {
    const june = { startsOn: 'registration', deadline: { kind: 'fixed', at: '2026-06-01T00:00' } }
    const { endpoint, register, find, round, save, told, clock, store, sweep } = await opened(t, june)
    const { id } = await endpoint({ kinds: ['lead.deadline_changed', 'lead.expired'] })
    await register('ada@example.com')
    const pause = async () => store.events.pauseEndpoint(await find(id), cause, testerAt(clock.at))
    // Where its server fails what happens is still noted; else the edit has just not been gone through.
    if (cause === 'failing') await pause()
    clock.at += 600
    await save({ mechanism: { ...june, deadline: { kind: 'fixed', at: '2026-03-02T11:00' } } })
    if (cause === 'user') await pause()
    clock.at += 600
    await store.events.resumeEndpoint(await find(id), clock.at, testerAt(clock.at))
    await sweep()
    clock.at = beganAt + 3_601
    await round(id)
    assert.deepEqual(told(), ['lead.expired ada 60'])
  })
}

test('an edit in the second in which an endpoint goes on from now is told', async (t) => {
  const { endpoint, register, find, round, save, told, clock, store, sweep } = await opened(
    t,
    fixed('2026-03-03T10:00'),
  )
  const { id } = await endpoint({ kinds: ['lead.deadline_changed'] })
  await register('ada@example.com')
  await store.events.pauseEndpoint(await find(id), 'user', testerAt(clock.at))
  clock.at += 600
  await store.events.resumeEndpoint(await find(id), clock.at, testerAt(clock.at))
  await save({ mechanism: fixed('2026-03-04T10:00') })
  await sweep()
  await round(id)
  assert.deepEqual(told(), ['lead.deadline_changed ada 10'])
})

test('an edit that is discarded before its sweep is not told, and its new date is', async (t) => {
  const june = { startsOn: 'registration', deadline: { kind: 'fixed', at: '2026-06-01T00:00' } }
  const { endpoint, register, round, save, told, clock, sweep, managed } = await opened(t, june)
  const { id } = await endpoint({ kinds: ['lead.deadline_changed', 'lead.expired'] })
  await register('ada@example.com')
  clock.at += 600
  await save({ mechanism: { ...june, deadline: { kind: 'fixed', at: '2026-03-02T11:00' } } })
  clock.at += 600
  await managed().discardBefore(id, clock.at)
  await sweep()
  clock.at = beganAt + 3_601
  await round(id)
  assert.deepEqual(told(), ['lead.expired ada 60'])
})

test('an edit after the instant of a discard is told, even if an earlier edit has begun its sweep', async (t) => {
  const { endpoint, register, round, save, told, clock, sweep, managed } = await opened(t, fixed('2026-03-03T10:00'))
  const { id } = await endpoint({ kinds: ['lead.deadline_changed'] })
  await register('ada@example.com')
  for (const at of ['2026-03-04T10:00', '2026-03-05T10:00']) {
    clock.at += 120
    await save({ mechanism: fixed(at) })
  }
  await managed().discardBefore(id, beganAt + 180)
  await sweep()
  await round(id)
  assert.deepEqual(told(), ['lead.deadline_changed ada 4'])
})

test('a lead who registers in the moment of publishing is told of, whatever a cache still holds', async (t) => {
  const { endpoint, register, told, find, parts } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  const { configCache } = parts
  const stale = {
    ...configCache,
    campaign: async (of: number) => ({ ...(await configCache.campaign(of)), isDraft: true }),
  }
  await runRound({ ...parts, configCache: stale as typeof configCache }, await find(id), 1_000, () => {})
  assert.deepEqual(told(), ['lead.registered ada 0'])
})

test('with cycles of a minute, a receiver that is far behind is told nothing old', async (t) => {
  const cycle = { enabled: true, pause: 'PT1M' }
  const made = await opened(t, { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1M' }, cycle })
  const { endpoint, register, told, clock, find, parts, dropped } = made
  const { id } = await endpoint({ kinds: ['lead.expired'] })
  await register('ada@example.com')
  clock.at += 12 * daySeconds
  for (let times = 0; times < 10; times += 1) await runRound(parts, await find(id), 1, () => {})
  const minutes = told().map((line) => Number(line.split(' ').at(-1)))
  assert.ok(minutes.length > 0 && minutes.every((minute) => minute >= 5 * 24 * 60), minutes.join())
  assert.deepEqual(dropped, [1])
})

test('of an offer that has come again, a server that was away is told the end before, and not that it was near', async (t) => {
  const cycle = { enabled: true, pause: 'PT30M' }
  const made = await opened(t, { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' }, cycle })
  const { endpoint, register, round, sent, told, answer, clock } = made
  const { id } = await endpoint({ kinds: ['lead.deadline_approaching', 'lead.expired'], leadTimes: ['PT10M'] })
  await register('ada@example.com')
  clock.at += 60
  await register('bob@example.com')
  clock.at += 2_941
  answer.status = 400
  await round(id)
  assert.deepEqual(told(), ['lead.deadline_approaching ada 50'], 'hers is tried again, his is seen late')
  sent.length = 0
  answer.status = 204
  clock.at += 5_700
  for (let times = 0; times < 4; times += 1) await round(id)
  const twice = ['lead.deadline_approaching ada 140', 'lead.deadline_approaching bob 141']
  assert.deepEqual(told().sort(), [...twice, 'lead.expired ada 60', 'lead.expired bob 61'])
})

test('if the server takes one of the two events of a look, the other is sent again', async (t) => {
  const cycle = { enabled: true, pause: 'PT30M' }
  const made = await opened(t, { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' }, cycle })
  const { endpoint, register, round, told, answer, clock, parts } = made
  const { id } = await endpoint({ kinds: ['lead.opened', 'lead.deadline_approaching'] })
  await register('ada@example.com')
  clock.at += 5_401
  const { sender } = parts
  parts.sender = {
    ...sender,
    async send(delivery) {
      const result = await sender.send(delivery)
      answer.status = 503
      return result
    },
  }
  await round(id)
  assert.equal(told().length, 2)
  parts.sender = sender
  answer.status = 204
  await round(id)
  assert.deepEqual(told(), ['lead.deadline_approaching ada 90'])
})

test('of a visitor who gives an email before a sweep reaches them, nothing from before that is told', async (t) => {
  const made = await opened(t, { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' } })
  const { endpoint, round, sweep, told, clock, find, store, leads, accountId, campaignId } = made
  const of = { accountId, campaignId }
  const { id } = await endpoint({ kinds: ['lead.registered', 'lead.expired'] })
  await store.events.pauseEndpoint(await find(id), 'user', testerAt(clock.at))
  clock.at += 60
  const visitor = await leads.visitWithoutEmail(of, visitorName('a'.repeat(32)), clock.at)
  assert.ok(typeof visitor !== 'string')
  clock.at += 7_200
  await store.events.resumeEndpoint(await find(id), null, testerAt(clock.at))
  clock.at += 1
  await leads.registerVisitor(of, 'ada@example.com', visitor.lead, clock.at)
  await sweep()
  clock.at += 60
  for (let times = 0; times < 2; times += 1) await round(id)
  assert.deepEqual(
    told().map((one) => one.split(' ')[0]),
    ['lead.registered'],
  )
})
