// What waits to be told, on both engines: written with the lead, kept in the order of its instants, and taken off.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { openConfigCache } from '../../src/campaigns/config-cache.ts'
import { type CampaignSettings, checkCampaign } from '../../src/core/campaign.ts'
import { causeOf, checkEndpoint, type EndpointSettings, eventKinds, noticeKinds } from '../../src/core/events.ts'
import { openLease } from '../../src/events/lease.ts'
import { sweepOn } from '../../src/events/sweep.ts'
import { buildLeads } from '../../src/leads/leads.ts'
import type { Endpoint } from '../../src/store/events/endpoint.ts'
import { type Due, retryAtOnce } from '../../src/store/events/queue.ts'
import { type Sweep, startSweepOfEach } from '../../src/store/events/sweeps.ts'
import { openStore } from '../../src/store/open.ts'
import type { Sql, Value } from '../../src/store/sql.ts'
import type { Store } from '../../src/store/store.ts'
import { tester, testerAt } from '../support/actor.ts'
import { emptyDatabases, runIn } from '../support/empty-databases.ts'
import { ask } from '../support/postgres-databases.ts'

const options = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false }
const wantedKinds = eventKinds.filter((kind) => kind !== 'endpoint.tested' && kind !== 'lead.deadline_approaching')
const late = 4_000_000_000

function settings(changes: Partial<EndpointSettings> = {}): EndpointSettings {
  const checked = checkEndpoint(
    { name: 'shop', url: 'https://example.com/', kinds: wantedKinds, ...changes },
    () => undefined,
  )
  assert.ok('settings' in checked)
  return checked.settings
}

function campaignSettings(changes: object = {}): CampaignSettings {
  const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' } }
  const checked = checkCampaign({ name: 'c', isDraft: false, timeZone: 'UTC', mechanism, ...changes })
  assert.ok('campaign' in checked)
  return checked.campaign
}

async function opened(store: Store) {
  const { id: accountId } = await store.configuration.createAccount('Owner', tester)
  const { id: campaignId } = await store.configuration.applyCampaign(accountId, campaignSettings(), tester)
  const leads = buildLeads(store, openConfigCache(store), () => {})
  return { of: { accountId, campaignId }, leads, accountId }
}

const shown = (due: Due[]) =>
  due.map((one) => `${one.dueAt} ${one.kind} ${one.detail} ${one.queue === 'notices' ? null : one.tries}`)

for (const [engine, place] of Object.entries(emptyDatabases)) {
  test(`a lead and what is to be told of it are written as one step, old and new ones alike: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, accountId } = await opened(store)
    await leads.register(of, 'before@example.com', 500)
    const endpoint = await store.events.createEndpoint(accountId, settings(), testerAt(500))
    const other = await store.events.createEndpoint(
      accountId,
      settings({ campaignIds: [of.campaignId + 1] }),
      testerAt(500),
    )
    // A campaign that was read before the endpoint was made is read again.
    const emails = ['b@example.com', 'a@example.com', 'c@example.com']
    const made = await Promise.all(emails.map((email) => leads.register(of, email, 1_000)))
    await leads.register(of, 'before@example.com', 1_000)
    await leads.setDeadline(of, 'a@example.com', 1_500, testerAt(1_100))
    await leads.setDeadline(of, 'b@example.com', 9_000, testerAt(1_000))
    for (const at of [null, 9_000]) await leads.setDeadline(of, 'b@example.com', at, testerAt(1_000))
    const due = await store.events.due(endpoint, late, 100)
    const idOf = (index: number) => (made[index] as { lead: { id: number } }).lead.id
    assert.equal(new Set(due.map(({ leadId }) => leadId)).size, 3)
    assert.ok(due.every(({ leadId }) => [0, 1, 2].map(idOf).includes(leadId)))
    const registered = '1000 lead.registered 0 null'
    const look = '4600 look 0 null'
    const changed = (at: number, cause: string) => `${at} lead.deadline_changed ${cause} null`
    const expected = [
      ...[registered, registered, registered, changed(1_000, 'set'), changed(1_000, 'set'), changed(1_000, 'cleared')],
      ...[changed(1_100, 'set'), '1500 look 0 null', look, look, look, '9000 look 0 null'],
    ].sort()
    const isChange = ({ kind }: Due) => kind === 'lead.deadline_changed'
    const causes = shown(due).map((line, index) => {
      const one = due[index] as Due
      return isChange(one) ? line.replace(String(one.detail), causeOf(one.detail)) : line
    })
    assert.deepEqual(causes.sort(), expected, 'of three changes in one second each')
    assert.deepEqual(await store.events.due(other, late, 100), [])
    const isLook = ({ kind }: Due) => kind === 'look'
    assert.ok(!(await store.events.due(endpoint, 1_500, 100)).some(isLook), 'a look is a second late')
    assert.ok((await store.events.due(endpoint, 1_501, 100)).some(isLook))
    await leads.visitWithoutEmail(of, ` ${'0'.repeat(32)}`, 1_200)
    assert.equal(
      (await store.events.due(endpoint, late, 100)).length,
      12,
      'of visitors without an email nobody is told',
    )
  })

  test(`what is told is removed, and what failed comes again: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, accountId } = await opened(store)
    const endpoint = await store.events.createEndpoint(accountId, settings(), testerAt(500))
    for (const [index, email] of ['a@example.com', 'b@example.com', 'c@example.com'].entries())
      await leads.register(of, email, 1_000 + index)
    const [first, second, third] = (await store.events.due(endpoint, 1_002, 9)) as [Due, Due, Due]
    const failed = { ...second, tries: 1, refused: 1, nextAt: 2_000, lastAt: 1_100 }
    await store.events.settle(endpoint, {
      done: [first, second],
      failed: [failed],
      looks: [{ ...first, kind: 'look', dueAt: 3_000 }],
    })
    assert.deepEqual(shown(await store.events.due(endpoint, 1_999, 9)), shown([third]))
    assert.deepEqual(shown(await store.events.due(endpoint, 2_000, 9)), [
      `${second.dueAt} lead.registered 0 1`,
      ...shown([third]),
    ])
    const again = (await store.events.due(endpoint, 2_000, 2))[0] as Due
    await store.events.settle(endpoint, {
      done: [again],
      failed: [{ ...again, tries: 9, nextAt: null, lastAt: 2_100 }],
      looks: [],
    })
    assert.deepEqual(shown(await store.events.due(endpoint, 2_900, 9)), shown([third]), 'given up')
    assert.equal((await store.events.resendFailed(endpoint, 2_000, testerAt(2_500))).count, 1)
    const asked = await store.events.due(endpoint, 2_500, 9)
    await store.events.settle(endpoint, { done: [again, third], failed: [], looks: [] })
    const left = (await store.events.due(endpoint, 2_500, 9)).map(({ isAskedFor }) => isAskedFor)
    assert.deepEqual(left, [true], 'what was asked for since it was read stays')
    await store.events.settle(endpoint, { done: asked, failed: [], looks: [] })
    assert.deepEqual(shown(await store.events.due(endpoint, 3_500, 9)), ['3000 look 0 null'])
    const { waiting, oldestDueAt } = await store.events.waiting(endpoint, 3_500)
    assert.deepEqual({ waiting, oldestDueAt }, { waiting: 1, oldestDueAt: 3_000 })
    const many = (count: number, from: number) =>
      Array.from({ length: count }, (_, n) => ({ ...first, kind: 'look' as const, dueAt: from + n }))
    const again9 = many(9, 4_000).map((one) => ({ ...one, tries: 1, refused: 1, nextAt: 4_000, lastAt: 4_000 }))
    await store.events.settle(endpoint, { done: [], failed: again9, looks: many(9, 3_000) })
    const tried = (await store.events.due(endpoint, 9_000, 6)).map(({ tries }) => tries)
    assert.deepEqual(tried, [1, 1, 1, 0, 0, 0], 'what failed leaves room to what is new')
    const ones = []
    for (let n = 0; n < 40; n += 1) ones.push(...(await store.events.due(endpoint, 9_000, 1)))
    const triesOfOne = new Set(ones.map(({ tries }) => tries))
    assert.deepEqual([ones.length, triesOfOne], [40, new Set([0, 1])], 'also where there is room for one')
    const twice = [1, 2].map((tries) => ({ ...second, tries, refused: 1, nextAt: 5_000, lastAt: 4_000 }))
    await store.events.settle(endpoint, { done: [second], failed: twice, looks: [] })
    const kept = (await store.events.due(endpoint, 9_000, 99)).filter(({ kind }) => kind === 'lead.registered')
    assert.deepEqual(shown(kept), [`${second.dueAt} lead.registered 0 2`], 'what failed twice in a round is kept once')
  })

  test(`what waits and what was given up is counted up to 10,001, with the instant of the oldest that waits: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { accountId } = await opened(store)
    const endpoint = await store.events.createEndpoint(accountId, settings(), testerAt(500))
    const own = { endpointId: endpoint.id, leadId: 1, detail: 0, tries: 1, refused: 1, isAskedFor: false, lastAt: 900 }
    let at = 600
    const isCounted = async (more: number, count: number) => {
      const one = () => ({ ...own, kind: 'look' as const, dueAt: at++, nextAt: 20_000 })
      const failed = Array.from({ length: more }, one)
      const givenUp = failed.map((given) => ({ ...given, leadId: 2, nextAt: null }))
      await store.events.settle(endpoint, { done: [], failed: [...failed, ...givenUp], looks: [] })
      const counted = await store.events.waiting(endpoint, 1_000)
      assert.deepEqual(counted, { waiting: count, oldestDueAt: 600, givenUp: count })
    }
    await isCounted(10_000, 10_000)
    await isCounted(1, 10_001)
    await isCounted(1, 10_001)
  })

  test(`no lead gets the id of an erased one, or the notices that waited for it: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, accountId } = await opened(store)
    const endpoint = await store.events.createEndpoint(
      accountId,
      settings({ kinds: ['lead.registered'] }),
      testerAt(500),
    )
    const campaign = await store.configuration.findCampaign(of.campaignId)
    assert.ok(campaign)
    const register = async (email: string, at: number) =>
      (await leads.register(of, email, at)) as { lead: { id: number } }
    const { lead: gone } = await register('gone@example.com', 1_000)
    await store.leads.erase([{ campaign, email: 'gone@example.com' }], testerAt(1_001))
    const { lead: next } = await register('next@example.com', 1_002)
    assert.ok(next.id > gone.id)
    const due = await store.events.due(endpoint, 1_002, 9)
    assert.deepEqual(
      due.map(({ leadId }) => leadId),
      [gone.id, next.id],
    )
  })

  test(`what waits is counted while its server is left alone, too: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, accountId } = await opened(store)
    const endpoint = await store.events.createEndpoint(accountId, settings(), testerAt(500))
    await leads.register(of, 'a@example.com', 1_000)
    await store.events.lease('node')
    await store.events.setHealth(endpoint, { failingSince: 900, failures: 5, nextTryAt: 9_000 }, 1_000)
    const ids = async (...until: number[]) =>
      (await store.events.dueEndpoints('node', 1_100, undefined, ...until)).map(({ id }) => id)
    assert.deepEqual([await ids(), await ids(8_999), await ids(9_000)], [[], [], [endpoint.id]])
  })

  test(`another URL is a new start, and what the server could not answer is due once it answers: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, accountId } = await opened(store)
    const made = await store.events.createEndpoint(accountId, settings(), testerAt(500))
    for (const email of ['a@example.com', 'b@example.com']) await leads.register(of, email, 1_000)
    const [one, two] = (await store.events.due(made, 1_000, 9)) as [Due, Due]
    const failed = [
      { ...one, tries: 3, refused: 0, nextAt: 2_500, lastAt: 1_000 },
      { ...two, tries: 3, refused: 3, nextAt: 2_500, lastAt: 1_000 },
    ]
    const sick = { failingSince: 900, failures: 5, nextTryAt: 9_000 }
    const find = async () => (await store.events.findEndpoint(accountId, made.id)) as Endpoint
    const health = ({ failingSince, failures, nextTryAt }: Endpoint) => ({ failingSince, failures, nextTryAt })
    const well = { failingSince: null, failures: 0, nextTryAt: null }
    const other = settings({ url: 'https://other.example/' })
    const elsewhere = async () => {
      await store.events.changeEndpoint(made, other, testerAt(1_100))
      assert.equal(await store.events.resetTries(made, 1_100), 2)
      assert.equal(await store.events.resetTries(made, 1_100), 0)
    }
    for (const [heal, isDue] of [
      // What it refused waits for its own time.
      [async () => store.events.setHealth(await find(), well, 1_100), ['1000 lead.registered 0 3']],
      [elsewhere, ['1000 lead.registered 0 0', '1000 lead.registered 0 0']],
    ] as const) {
      await store.events.setHealth(made, sick, 1_100)
      await store.events.settle(made, { done: await store.events.due(made, 3_000, 9), failed, looks: [] })
      assert.deepEqual(await store.events.due(made, 1_100, 9), [])
      await heal()
      assert.deepEqual(health(await find()), well)
      const due = await store.events.due(made, 1_100, 9)
      assert.deepEqual(shown(due).sort(), isDue)
      assert.ok(due.every(({ refused }) => refused === 0))
    }
    await store.events.setHealth(made, sick, 1_100)
    assert.deepEqual(health(await find()), well, 'what the server before did counts no more')
    const here = await find()
    await store.events.changeEndpoint(here, { ...other, batch: 2 }, tester)
    await store.events.setHealth(here, sick, 1_100)
    assert.deepEqual(health(await find()), sick, 'what this one did counts, whatever else was changed meanwhile')
  })

  test(`an endpoint that was stored without a setting has the usual one, and how its server does is noted: ${engine}`, async (t) => {
    const at = await place(t)
    const store = await openStore(at, options)
    t.after(() => store.close())
    const { of, accountId } = await opened(store)
    const { id } = await store.events.createEndpoint(accountId, settings(), testerAt(500))
    const stored = '{"name": "shop", "url": "https://example.com/", "kinds": ["lead.expired"], "batch": 2}'
    await runIn(at, `UPDATE endpoints SET settings = '${stored}'`)
    const find = async () => (await store.events.findEndpoint(accountId, id)) as Endpoint
    const endpoint = await find()
    assert.deepEqual(endpoint.settings, settings({ kinds: ['lead.expired'], batch: 2 }))
    const campaign = await store.configuration.findCampaign(of.campaignId)
    assert.deepEqual(campaign?.watchers[0]?.kinds, ['lead.expired'])
    await store.events.setHealth(endpoint, { failingSince: 900, failures: 5, nextTryAt: 9_000 }, 1_000)
    assert.equal((await find()).failures, 5)
  })

  test(`for a paused endpoint an erasure is noted, and what it was not told is kept for 30 days: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, accountId } = await opened(store)
    const campaign = await store.configuration.findCampaign(of.campaignId)
    assert.ok(campaign)
    for (const cause of ['user', 'gone', 'failing'] as const) {
      const endpoint = await store.events.createEndpoint(accountId, settings(), testerAt(500))
      const email = `${cause}@example.com`
      await leads.register(of, email, 1_000)
      const [notice] = (await store.events.due(endpoint, 1_000, 9)) as [Due]
      const failed = { ...notice, tries: 1, refused: 1, nextAt: 2_000, lastAt: 1_000 }
      await store.events.settle(endpoint, { done: [notice], failed: [failed], looks: [] })
      await store.events.pauseEndpoint(endpoint, cause, testerAt(1_100))
      await store.leads.erase([{ campaign, email }], testerAt(1_200))
      const kinds = async () => (await store.events.due(endpoint, late, 9)).map(({ kind }) => kind)
      assert.deepEqual(await kinds(), ['lead.registered', 'lead.erased', 'look'])
      const keptSeconds = 30 * 86_400
      assert.equal((await store.events.purgeOld(accountId, 999 + keptSeconds)).dropped, 0)
      assert.equal((await kinds()).length, 3)
      assert.equal((await store.events.purgeOld(accountId, 1_201 + keptSeconds)).dropped, 1)
      assert.deepEqual(await kinds(), ['look'])
      await store.events.pauseEndpoint(endpoint, 'deleted', testerAt(1_300))
    }
  })

  test(`notices of an endpoint that is on stay, however old they are: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, accountId } = await opened(store)
    const endpoint = await store.events.createEndpoint(accountId, settings(), testerAt(500))
    await leads.register(of, 'a@example.com', 1_000)
    assert.deepEqual(await store.events.purgeOld(accountId, 10_000 + 30 * 86_400), { dropped: 0, isMore: false })
    assert.equal((await store.events.due(endpoint, late, 9)).length, 2)
  })

  test(`an endpoint that is on is resumed without going through its leads again, and logged only where that changes something: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { accountId } = await opened(store)
    const endpoint = await store.events.createEndpoint(accountId, settings(), testerAt(500))
    await store.events.lease('node')
    for (const one of await store.events.sweeps('node')) await sweepOn(store, one, 500)
    await store.events.resumeEndpoint(endpoint, null, testerAt(600))
    assert.deepEqual(await store.events.sweeps('node'), [])

    // What changes nothing leaves no entry.
    const logged = async () =>
      (await store.audit.listEntries(accountId, {}, Number.MAX_SAFE_INTEGER, 20)).entries.map(({ action }) => action)
    const created = ['webhook.created', 'campaign.created', 'account.created']
    assert.deepEqual(await logged(), created)
    for (const at of [700, 700, 650]) await store.events.discardBefore(endpoint, at, testerAt(700))
    assert.deepEqual(await logged(), ['webhook.discarded', ...created])
    const failed = { kind: 'lead.registered', detail: 0, endpointId: endpoint.id, leadId: 1, dueAt: 600 } as const
    await store.events.resend(endpoint, failed, testerAt(800))
    await store.events.discardBefore(endpoint, 650, testerAt(800))
    const fromAt = async () => (await store.events.findEndpoint(accountId, endpoint.id))?.fromAt
    for (const at of [900, 910]) {
      await store.events.pauseEndpoint(endpoint, 'user', testerAt(at))
      // The second is a repeat after a lost answer: what was due meanwhile is still to be told.
      for (const then of [at, at + 5]) await store.events.resumeEndpoint(endpoint, then, testerAt(then))
      assert.equal(await fromAt(), at)
    }
    await store.events.setHealth(endpoint, { failingSince: 950, failures: 1, nextTryAt: 960 }, 950)
    await store.events.resumeEndpoint(endpoint, null, testerAt(951))
    // What waits until its campaign is published does not go on for that.
    const held = { ...failed, dueAt: 700, tries: 0, refused: 0, isAskedFor: false, nextAt: 1_000, lastAt: 951 }
    await store.events.settle(endpoint, { done: [], failed: [held], looks: [] })
    await store.events.resumeEndpoint(endpoint, null, testerAt(952))
    assert.deepEqual(await logged(), [
      ...['webhook.resumed', 'webhook.resumed', 'webhook.paused', 'webhook.resumed', 'webhook.paused'],
      ...['webhook.discarded', 'webhook.resent', 'webhook.discarded', ...created],
    ])
  })

  test(`an endpoint that was deleted meanwhile is neither backfilled nor told again, and nothing of that stays: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { accountId, of } = await opened(store)
    const endpoint = await store.events.createEndpoint(accountId, settings(), testerAt(500))
    await store.events.pauseEndpoint(endpoint, 'deleted', testerAt(600))
    while (!(await store.events.purge(endpoint)));
    const notice = { endpointId: endpoint.id, leadId: 1, kind: 'lead.registered', detail: 0, dueAt: 500 } as const
    await store.events.startBackfill(endpoint, of.campaignId, testerAt(700))
    await store.events.resend(endpoint, notice, testerAt(700))
    await store.events.discardBefore(endpoint, 700, testerAt(700))
    assert.deepEqual(await store.events.due(endpoint, late, 9), [])
    const { entries } = await store.audit.listEntries(accountId, {}, Number.MAX_SAFE_INTEGER, 9)
    const done = entries.map(({ action }) => action).filter((action) => action.startsWith('webhook.'))
    assert.deepEqual(done, ['webhook.deleted', 'webhook.created'])
  })

  test(`deliveries that were given up long ago are removed a thousand at a time, until none is left, and later ones sent again, two thousand at a time: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { accountId } = await opened(store)
    const endpoint = await store.events.createEndpoint(accountId, settings(), testerAt(500))
    const givenUp = (leadId: number, lastAt: number) => {
      const tried = { tries: 9, refused: 9, isAskedFor: false, nextAt: null, lastAt }
      return { endpointId: endpoint.id, leadId, kind: 'lead.erased' as const, detail: 0, dueAt: 900, ...tried }
    }
    const failed = [...Array.from({ length: 1_001 }, (_, n) => givenUp(n + 1, 1_000)), givenUp(2_000, 1_001)]
    await store.events.settle(endpoint, { done: [], failed, looks: [] })
    const at = 1_001 + 30 * 86_400
    assert.deepEqual(await store.events.purgeOld(accountId, at), { dropped: 0, isMore: true })
    assert.deepEqual(await store.events.purgeOld(accountId, at), { dropped: 0, isMore: false })
    assert.deepEqual(await store.events.resendFailed(endpoint, 0, testerAt(2_000)), { count: 1, next: null })
    // Of no lead: nothing is told any more.
    const kind = 'lead.registered' as const
    const ofNobody = Array.from({ length: 1_999 }, (_, n) => ({ ...givenUp(n + 1, 3_000), kind }))
    await store.events.settle(endpoint, { done: [], failed: [...ofNobody, givenUp(3_000, 3_000)], looks: [] })
    const first = await store.events.resendFailed(endpoint, 0, testerAt(3_000))
    assert.deepEqual(first, { count: 0, next: [900, 2_000, noticeKinds.indexOf('lead.erased'), 0] })
    const second = await store.events.resendFailed(endpoint, 0, testerAt(3_000), first.next ?? [])
    assert.deepEqual(second, { count: 1, next: null })
  })

  test(`an edit during the sweep of another one: each lead is compared with all schedules that it may know: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, accountId } = await opened(store)
    const ends = (endsAt: string | undefined) => ({
      mechanism: { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' }, ...(endsAt && { endsAt }) },
    })
    const save = (endsAt?: string, at = now) =>
      store.configuration.applyCampaign(
        accountId,
        { ...campaignSettings(ends(endsAt)), id: of.campaignId },
        testerAt(at),
      )
    const now = Math.floor(Date.parse('2020-01-01T00:00:00Z') / 1_000)
    for (let n = 0; n < 3; n += 1) await leads.register(of, `${n}@example.com`, now)
    const endpoint = await store.events.createEndpoint(
      accountId,
      settings({ kinds: ['lead.deadline_changed'] }),
      testerAt(500),
    )
    await store.events.lease('node')
    const sweeps = async () => (await store.events.sweeps('node')).filter(({ cause }) => cause === 'edit')
    const told = async () => (await store.events.due(endpoint, late, 99)).filter(({ dueAt }) => dueAt === now + 2)
    await save('2020-01-01T00:30')
    const [first] = await sweeps()
    await sweepOn(store, first as Sweep, now + 1)
    await save(undefined, now + 2)
    const [back] = await sweeps()
    await sweepOn(store, back as Sweep, now + 3)
    assert.equal((await told()).length, 3, 'told of the first edit, they hear that it was taken back')
    await save('2020-01-01T00:40')
    const [begun] = (await sweeps()) as [Sweep]
    await store.events.writeStretch(begun, [], '1@example.com')
    await save()
    await store.events.writeStretch({ ...begun, afterEmail: '1@example.com' }, [], null)
    const [again] = (await sweeps()) as [Sweep]
    assert.equal(again.afterEmail, '', 'a step that began before the edit does not end it')
    assert.deepEqual(
      again.schedulesBefore.map(({ mechanism }) => mechanism.endsAt),
      [undefined, '2020-01-01T00:40'],
    )
    await save('2020-01-01T00:50')
    await store.events.writeStretch(again, [], null)
    assert.equal((await sweeps()).length, 1, 'nor one that had only just begun')
    await sweepOn(store, (await sweeps())[0] as Sweep, now + 5)
    await store.events.settle(endpoint, { done: await told(), failed: [], looks: [] })
    assert.deepEqual(await sweeps(), [])
  })

  test(`two edits before one sweep: a lead who registered in between is told of as changed by the second: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, accountId } = await opened(store)
    const now = Math.floor(Date.parse('2020-01-01T00:00:00Z') / 1_000)
    const endpoint = await store.events.createEndpoint(
      accountId,
      settings({ kinds: ['lead.deadline_changed'] }),
      testerAt(500),
    )
    const edit = (at: number, endsAt?: string) => {
      const mechanism = {
        startsOn: 'registration',
        deadline: { kind: 'after', period: 'PT1H' },
        ...(endsAt && { endsAt }),
      }
      return store.configuration.applyCampaign(
        accountId,
        { ...campaignSettings({ mechanism }), id: of.campaignId },
        testerAt(at),
      )
    }
    await edit(now, '2020-01-01T00:30')
    await leads.register(of, 'between@example.com', now + 1)
    await edit(now + 1)
    await store.events.lease('node')
    for (const one of await store.events.sweeps('node')) await sweepOn(store, one, now + 2)
    const kinds = (await store.events.due(endpoint, now + 2, 9)).map(({ kind }) => kind)
    assert.deepEqual(kinds, ['lead.deadline_changed'])
  })

  test(`what passes during a sweep is told of leads that the sweep reaches later: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, accountId } = await opened(store)
    await leads.register(of, 'a@example.com', 1_000)
    const endpoint = await store.events.createEndpoint(accountId, settings({ kinds: ['lead.expired'] }), testerAt(500))
    await store.events.lease('node')
    const [sweep] = (await store.events.sweeps('node')) as [Sweep]
    await sweepOn(store, { ...sweep, begunAt: 4_500 }, 4_700)
    assert.deepEqual(shown(await store.events.due(endpoint, 4_700, 9)), ['4600 look 0 null'])
  })

  test(`leads are read once when an endpoint goes on, and not at all where it hears of nothing that comes later: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, accountId } = await opened(store)
    await leads.register(of, 'a@example.com', 1_000)
    let lists = 0
    const list: typeof store.leads.list = (...asked) => {
      lists += 1
      return store.leads.list(...asked)
    }
    const counting = { ...store, leads: { ...store.leads, list } }
    const sweepAll = async (at: number) => {
      lists = 0
      await store.events.lease('node')
      for (const one of await store.events.sweeps('node')) await sweepOn(counting, one, at)
      assert.deepEqual(await store.events.sweeps('node'), [])
      return lists
    }
    for (const [kinds, times] of [
      [['lead.registered', 'lead.deadline_changed', 'campaign.ended'], 0],
      [['lead.expired'], 1],
      [['lead.opened'], 1],
      [['lead.deadline_approaching'], 1],
    ] as const) {
      const wanted = settings({ kinds: [...kinds], leadTimes: ['PT1H'] })
      const endpoint = await store.events.createEndpoint(accountId, wanted, testerAt(1_100))
      assert.equal(await sweepAll(1_200), times, kinds.join())
      for (const from of [null, 1_400]) {
        await store.events.pauseEndpoint(endpoint, 'user', testerAt(1_300))
        await store.events.resumeEndpoint(endpoint, from, testerAt(1_400))
        assert.equal(await sweepAll(1_500), times, kinds.join())
      }
      const backfilled = await store.events.findEndpoint(accountId, endpoint.id)
      await store.events.startBackfill(backfilled as Endpoint, of.campaignId, testerAt(1_500))
      assert.equal(await sweepAll(1_600), 1, 'a backfill tells of each lead')
      await store.events.pauseEndpoint(endpoint, 'deleted', testerAt(1_600))
    }
  })

  test(`a sweep that begins again still tells what has passed since it was started first: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { accountId } = await opened(store)
    const endpoint = await store.events.createEndpoint(accountId, settings({ kinds: ['lead.expired'] }), testerAt(500))
    await store.events.lease('node')
    const begun = async () =>
      (await store.events.sweeps('node')).filter(({ cause }) => cause === 'looks').map(({ begunAt }) => begunAt)
    const resume = async (at: number) =>
      store.events.resumeEndpoint(
        (await store.events.findEndpoint(accountId, endpoint.id)) as Endpoint,
        null,
        testerAt(at),
      )
    await store.events.changeEndpoint(endpoint, settings(), testerAt(2_000))
    assert.deepEqual(await begun(), [500])
    await store.events.pauseEndpoint(endpoint, 'failing', testerAt(2_100))
    await resume(3_000)
    assert.deepEqual(await begun(), [500], 'what has happened meanwhile was kept for it')
    await store.events.pauseEndpoint(endpoint, 'user', testerAt(3_100))
    await resume(4_000)
    assert.deepEqual(await begun(), [4_000], 'somebody paused it: nothing was kept')
    const [sweep] = (await store.events.sweeps('node')) as [Sweep]
    await sweepOn(store, sweep, 4_100)
    await store.events.changeEndpoint(await found(), settings({ kinds: ['lead.expired'] }), testerAt(5_000))
    assert.deepEqual(await begun(), [5_000])
    async function found() {
      return (await store.events.findEndpoint(accountId, endpoint.id)) as Endpoint
    }
  })

  test(`each endpoint has its turn, however many campaigns another has gone through: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { accountId } = await opened(store)
    for (let n = 0; n < 100; n += 1)
      await store.configuration.applyCampaign(accountId, campaignSettings({ name: `c${n}` }), tester)
    const { accountId: otherId } = await opened(store)
    for (const id of [accountId, otherId]) await store.events.createEndpoint(id, settings(), testerAt(500))
    await store.events.lease('node')
    const those = (await store.events.sweeps('node')).map(({ endpoint }) => endpoint.accountId)
    assert.deepEqual([those.length, those.filter((id) => id === otherId).length], [100, 1])
  })

  test(`a stretch that was read before a lead in it was erased is read again: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, accountId } = await opened(store)
    for (const email of ['ada@example.com', 'bob@example.com']) await leads.register(of, email, 500)
    const endpoint = await store.events.createEndpoint(accountId, settings({ kinds: ['lead.expired'] }), testerAt(600))
    const campaign = await store.configuration.findCampaign(of.campaignId)
    assert.ok(campaign)
    await store.events.lease('node')
    const [read] = (await store.events.sweeps('node')) as [Sweep]
    await store.leads.erase([{ campaign, email: 'ada@example.com' }], testerAt(700))
    const look = { endpointId: endpoint.id, leadId: 1, dueAt: 4_100, kind: 'look' as const, detail: 0 }
    await store.events.writeStretch(read, [look], 'ada@example.com')
    assert.deepEqual(await store.events.due(endpoint, late, 9), [])
    const [again] = (await store.events.sweeps('node')) as [Sweep]
    assert.equal(again.afterEmail, '')
    await sweepOn(store, again, 800)
    assert.deepEqual(shown(await store.events.due(endpoint, late, 9)), ['4100 look 0 null'])
  })

  test(`a save that concerns existing leads starts a sweep; an erased lead is told by its ref alone: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, accountId } = await opened(store)
    for (const email of ['ada@example.com', 'ab@example.com']) await leads.register(of, email, 500)
    const endpoint = await store.events.createEndpoint(accountId, settings(), testerAt(500))
    const sweeps = async () => (await store.events.sweeps('node')).map(({ cause, afterEmail }) => [cause, afterEmail])
    await store.events.lease('node')
    assert.deepEqual(await sweeps(), [['looks', '']])
    const [sweep] = await store.events.sweeps('node')
    assert.ok(sweep)
    await store.events.writeStretch(sweep, [], 'ada@example.com')
    assert.deepEqual(await sweeps(), [['looks', 'ada@example.com']])
    const campaign = await store.configuration.findCampaign(of.campaignId)
    assert.ok(campaign)
    await store.leads.erase([{ campaign, email: 'ada@example.com' }], testerAt(700))
    assert.deepEqual(await sweeps(), [['looks', 'ab@example.com']], 'nothing of the address stays behind')
    const [erased] = await store.events.due(endpoint, late, 9)
    assert.deepEqual([erased?.kind, erased?.dueAt], ['lead.erased', 700])
    assert.ok(erased && erased.detail > 0)
    await store.leads.erase([{ campaign, email: 'ab@example.com' }], testerAt(701))
    assert.deepEqual(await sweeps(), [['looks', '']])
    await store.events.writeStretch(sweep, [], null)
    assert.equal((await sweeps()).length, 1, 'a step that began before the erasure is done again')
    const [next] = await store.events.sweeps('node')
    await store.events.writeStretch(next as typeof sweep, [], null)
    const change = async (changes: object) => {
      await store.configuration.applyCampaign(accountId, { ...campaignSettings(changes), id: of.campaignId }, tester)
      return sweeps()
    }
    assert.deepEqual(await change({ name: 'other' }), [])
    const mechanism = { ...campaign.terms.mechanism, endsAt: '2030-01-01T00:00' }
    assert.deepEqual(await change({ mechanism }), [['edit', '']])
    assert.equal((await store.events.sweeps('node'))[0]?.schedulesBefore[0]?.mechanism.endsAt, undefined)
    await change({ mechanism, isDraft: true })
    assert.deepEqual(
      (await change({ mechanism })).map(([cause]) => cause),
      ['looks', 'edit'],
    )
  })

  test(`an account has at most 20 endpoints; for a paused one nothing is noted, and a deleted one leaves nothing: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, accountId } = await opened(store)
    const made: Endpoint[] = []
    for (let n = 0; n < 20; n += 1) made.push(await store.events.createEndpoint(accountId, settings(), testerAt(500)))
    await assert.rejects(store.events.createEndpoint(accountId, settings(), testerAt(500)), /at most 20/)
    const [first, second] = made as [Endpoint, Endpoint]
    await store.events.pauseEndpoint(first, 'user', testerAt(600))
    await leads.register(of, 'a@example.com', 1_000)
    assert.equal((await store.events.due(first, late, 9)).length, 0)
    assert.equal((await store.events.due(second, late, 9)).length, 2)
    await store.events.pauseEndpoint(second, 'deleted', testerAt(600))
    // Somebody had it open meanwhile.
    await store.events.resumeEndpoint(second, null, testerAt(600))
    assert.equal((await store.events.listEndpoints(accountId)).length, 19)
    assert.equal(await store.events.findEndpoint(accountId, second.id), undefined)
    for (let isDone = false; !isDone; ) isDone = await store.events.purge(second)
    assert.equal((await store.events.due(second, late, 9)).length, 0)
    assert.deepEqual(await store.events.deletedEndpoints(), [])
    assert.equal(await store.events.findEndpoint(accountId + 1, first.id), undefined, 'of another account')
  })

  test(`secrets differ, the one before signs until its grace is over, and ids stay: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { accountId } = await opened(store)
    const endpoint = await store.events.createEndpoint(accountId, settings(), testerAt(500))
    const [secret] = store.events.secretsOf(endpoint, 500)
    assert.match(String(secret), /^whsec_[A-Za-z0-9+/]{43}=$/)
    const rotated = (await store.events.rotateSecret(endpoint, 900, tester)) as Endpoint
    assert.deepEqual(store.events.secretsOf(rotated, 899).slice(1), [secret])
    assert.equal(store.events.secretsOf(rotated, 900).length, 1)
    assert.notEqual(store.events.secretsOf(rotated, 900)[0], secret)
    const twice = (await store.events.rotateSecret(rotated, 800, tester)) as Endpoint
    const [, second, first] = store.events.secretsOf(twice, 799)
    assert.deepEqual(
      [second, first],
      [store.events.secretsOf(rotated, 900)[0], secret],
      'a second rotation ends no grace',
    )
    assert.deepEqual(store.events.secretsOf(twice, 899).slice(1), [secret])
    const leaked = (await store.events.rotateSecret(twice, null, tester)) as Endpoint
    assert.equal(store.events.secretsOf(leaked, 600).length, 1)
    let last = (await store.events.rotateSecret(leaked, 5_000, testerAt(600))) as Endpoint
    for (let at = 700; at < 900; at += 20)
      last = (await store.events.rotateSecret(last, at + 10, testerAt(at))) as Endpoint
    assert.equal(store.events.secretsOf(last, 2_000).length, 2, 'ended ones take no place of those that still sign')
    for (let at = 900; at < 911; at += 1)
      last = (await store.events.rotateSecret(last, 90_000, testerAt(at))) as Endpoint
    assert.equal(store.events.secretsOf(last, 1_000).length, 11, 'ten old ones at most')
    // A restored backup has the endpoint as it was: the next secret must not be one that somebody got since.
    const afterRestore = (await store.events.rotateSecret(last, null, testerAt(9_000))) as Endpoint
    assert.deepEqual([endpoint.generation, rotated.generation, afterRestore.generation], [500, 501, 9_000])
    const id = () => store.events.eventId(1, 2, 'lead.expired', 3, 0)
    assert.match(id(), /^evt_[0-9a-f]{32}$/)
    assert.equal(id(), id())
    assert.notEqual(id(), store.events.eventId(1, 3, 'lead.expired', 3, 0))
  })
}

test('a node keeps an endpoint until it gives it back, or has not renewed its lease for 30 seconds', async (t) => {
  const at = await (emptyDatabases.postgres as (typeof emptyDatabases)[string])(t)
  assert.ok(at.engine === 'postgres')
  const store = await openStore(at, options)
  t.after(() => store.close())
  const { of, leads, accountId } = await opened(store)
  const endpoint = await store.events.createEndpoint(accountId, settings(), testerAt(500))
  await store.events.lease('one')
  const now = 'extract(epoch FROM now())::bigint'
  const [{ left }] = (await ask(at.url, `SELECT (lease_ends_at - ${now})::int AS left FROM endpoints`)) as [any]
  // Longer than the 18 seconds after which this node takes it for lost.
  assert.ok(left >= 20 && left <= 22, `${left}`)
  const soon = Math.floor(Date.now() / 1_000) + 3_600
  const look = { endpointId: endpoint.id, dueAt: soon, leadId: 1, kind: 'look' as const, detail: 0 }
  await store.events.settle(endpoint, { done: [], failed: [], looks: [look] })
  const dueAhead = [await store.events.due(endpoint, soon + 10, 9), await store.events.dueEndpoints('one', soon + 10)]
  assert.deepEqual(dueAhead, [[], []], 'whose clock is an hour ahead tells nothing before its time')
  await leads.register(of, 'a@example.com', 1_000)
  const holders = async () => {
    const found: string[] = []
    for (const node of ['one', 'two']) {
      await store.events.lease(node)
      const [due, sweeps] = [await store.events.dueEndpoints(node, 1_100), await store.events.sweeps(node)]
      assert.equal(due.length > 0, sweeps.length > 0)
      if (due.length > 0) found.push(node)
    }
    return found
  }
  assert.deepEqual(await holders(), ['one'])
  assert.deepEqual(await holders(), ['one'], 'who has it keeps it')
  const endsIn = async (seconds: number) =>
    ask(at.url, `UPDATE endpoints SET lease_ends_at = extract(epoch FROM now())::bigint + ${seconds}`)
  await endsIn(20)
  await store.events.lease('two')
  assert.deepEqual(await store.events.dueEndpoints('two', 1_100), [])
  await endsIn(-5)
  await store.events.lease('two')
  assert.deepEqual(await holders(), ['two'], 'the other has not said for long that it lives')
  await store.events.release('one')
  assert.deepEqual(await holders(), ['two'], 'only who has it gives it back')
  await store.events.release('two')
  assert.deepEqual(await holders(), ['one'])
  await store.events.pauseEndpoint(endpoint, 'user', testerAt(1_200))
  await store.events.resumeEndpoint(
    (await store.events.findEndpoint(accountId, endpoint.id)) as Endpoint,
    1_000,
    tester,
  )
  await store.events.lease('two')
  assert.deepEqual(await holders(), ['two'], 'what goes on again is whose node takes it first')
  await store.events.resumeEndpoint((await store.events.findEndpoint(accountId, endpoint.id)) as Endpoint, null, tester)
  assert.deepEqual(await holders(), ['two'], 'what was on stays where it is')
})

test('a row that somebody has locked costs a node no other endpoint, neither to keep nor to give back', async (t) => {
  const at = await (emptyDatabases.postgres as (typeof emptyDatabases)[string])(t)
  assert.ok(at.engine === 'postgres')
  const store = await openStore(at, options)
  t.after(() => store.close())
  const ids: number[] = []
  const accounts: number[] = []
  // Two endpoints of each account.
  for (const _ of [1, 2]) {
    const { of, leads, accountId } = await opened(store)
    accounts.push(accountId)
    for (const name of ['shop', 'crm'])
      ids.push((await store.events.createEndpoint(accountId, settings({ name }), testerAt(500))).id)
    await leads.register(of, 'a@example.com', 1_000)
  }
  const [locked, ...others] = ids as [number, ...number[]]
  const [one, two] = [openLease(store, true), openLease(store, true)]
  const held = (node: typeof one) => ids.filter((id) => node.isHeld(id))
  const due = async (node: typeof one) => (await node.due(1_100)).map(({ id }) => id).sort((a, b) => a - b)
  const client = new Client({ connectionString: at.url })
  // The database is removed before it is closed.
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  const lock = async () => {
    await client.query('BEGIN')
    await client.query('SELECT FROM endpoints WHERE account_id = $1 AND id = $2 FOR UPDATE', [accounts[0], locked])
  }
  await lock()
  await one.renew()
  assert.deepEqual([held(one), await due(one)], [others, others])
  await client.query('ROLLBACK')
  await one.renew()
  assert.deepEqual([held(one), await due(one)], [ids, ids])
  await lock()
  await one.release()
  await client.query('ROLLBACK')
  await two.renew()
  assert.deepEqual([held(two), await due(two)], [others, others], 'no two nodes have one')
})

test('what a deleted endpoint leaves is removed to the last row where two nodes do it, soon after it was written too', async (t) => {
  const at = await (emptyDatabases.postgres as (typeof emptyDatabases)[string])(t)
  const nodes = await Promise.all([openStore(at, options), openStore(at, options)])
  t.after(() => Promise.all(nodes.map((node) => node.close())))
  const [{ events }] = nodes
  const { accountId } = await opened(nodes[0])
  const endpoint = await events.createEndpoint(accountId, settings(), testerAt(500))
  // Of so new rows the database has no statistics yet.
  const looks = Array.from({ length: 6_000 }, (_, index) => {
    return { endpointId: endpoint.id, dueAt: 900, leadId: index + 1, kind: 'look' as const, detail: 0 }
  })
  await events.settle(endpoint, { done: [], failed: [], looks })
  await events.pauseEndpoint(endpoint, 'deleted', testerAt(600))
  const begunAt = performance.now()
  const remove = async (node: Store) => {
    while ((await node.events.deletedEndpoints()).length > 0) await node.events.purge(endpoint)
  }
  await Promise.all(nodes.map(remove))
  assert.equal((await events.waiting(endpoint, late)).waiting, 0)
  const seconds = (performance.now() - begunAt) / 1_000
  assert.ok(seconds < 8, `${seconds}`)
})

test('what a node is still writing for an endpoint that was deleted is removed too', async (t) => {
  const at = await (emptyDatabases.postgres as (typeof emptyDatabases)[string])(t)
  assert.ok(at.engine === 'postgres')
  const store = await openStore(at, options)
  t.after(() => store.close())
  const { events } = store
  const { accountId, of } = await opened(store)
  const endpoint = await events.createEndpoint(accountId, settings(), testerAt(500))
  const client = new Client({ connectionString: at.url })
  // The database is removed before it is closed.
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  // As `writeStretch` does on the other node.
  await client.query('BEGIN')
  const done = 'DELETE FROM sweeps WHERE account_id = $1 AND endpoint_id = $2 AND campaign_id = $3'
  assert.equal((await client.query(done, [accountId, endpoint.id, of.campaignId])).rowCount, 1)
  const notice = `INSERT INTO notices (account_id, endpoint_id, due_at, lead_id, kind, detail) VALUES ($1, $2, 900, 1, 0, 0)`
  await client.query(notice, [accountId, endpoint.id])
  await events.pauseEndpoint(endpoint, 'deleted', testerAt(600))
  const removing = (async () => {
    while (!(await events.purge(endpoint)));
  })()
  await sleep(200)
  await client.query('COMMIT')
  await removing
  assert.equal((await ask(at.url, 'SELECT count(*)::int AS left FROM notices'))[0]?.left, 0)
})

test('sweeps of a thousand campaigns are started by few statements, since nobody can register meanwhile', async () => {
  let statements = 0
  const started = new Set<Value | undefined>()
  const ids = Array.from({ length: 1_000 }, (_, index) => ({ id: index + 1 }))
  const count = (text: string, values: Value[]) => {
    statements += 1
    if (!text.startsWith('INSERT')) return
    for (const [at, value] of values.entries()) if (at % 6 === 2) started.add(value)
  }
  const sql: Pick<Sql, 'all' | 'get' | 'run'> = {
    async all(text, ...values) {
      count(text, values)
      return text.startsWith('SELECT id FROM campaigns') ? ids : []
    },
    async get(text, ...values) {
      count(text, values)
      return { begun_at: 0, schedules_before: '[]' }
    },
    async run(text, ...values) {
      count(text, values)
      return 1
    },
  }
  const endpoint = { accountId: 1, id: 1, settings: settings() } as Endpoint
  await startSweepOfEach(sql as Sql, endpoint, 'looks', 500)
  assert.equal(started.size, 1_000)
  assert.ok(statements < 20, `${statements} statements`)
})

test('when a server is well again, what it has refused is not read', async (t) => {
  const at = await (emptyDatabases.sqlite as (typeof emptyDatabases)[string])(t)
  await (await openStore(at, options)).close()
  const database = new DatabaseSync('path' in at ? at.path : '')
  t.after(() => database.close())
  const steps: unknown[] = []
  const run = async (text: string) => steps.push(...database.prepare(`EXPLAIN QUERY PLAN ${text}`).all())
  await retryAtOnce({ run } as unknown as Sql, { accountId: 1, id: 1 }, 1_000)
  assert.match(JSON.stringify(steps), /failed_deliveries_by_next \(account_id=\? AND endpoint_id=\? AND next_at>\? AND/)
})
