// What becomes of what is due, at instants of our own choice: the dispatcher and its rounds on a real store, with a
// sender that answers as it is told to. On both engines.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openConfigCache } from '../../src/campaigns/config-cache.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import { checkEndpoint, type EndpointSettings, wantedKinds } from '../../src/core/events.ts'
import { openDispatcher } from '../../src/events/dispatcher.ts'
import { runRound } from '../../src/events/round.ts'
import type { Delivery, Sender, Try } from '../../src/events/sender.ts'
import { openSlots } from '../../src/events/slots.ts'
import { sweepOn } from '../../src/events/sweep.ts'
import { buildLeads } from '../../src/leads/leads.ts'
import { PartlyUnavailable } from '../../src/store/errors.ts'
import type { Endpoint } from '../../src/store/events.ts'
import type { Campaign } from '../../src/store/model.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { tester, testerAt } from '../support/actor.ts'
import { emptyDatabases } from '../support/empty-databases.ts'
import { engine } from '../support/test-database.ts'

const options = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false }
const daySeconds = 86_400
const beganAt = Math.floor(Date.parse('2026-03-02T10:00:00Z') / 1_000)
const after = { startsOn: 'registration', deadline: { kind: 'after', period: 'P90D' } }

/** Everything that a lane works with, on a database of its own; `clock.at` is what it takes for now. */
async function opened(t: TestContext, mechanism: object = after) {
  const place = emptyDatabases[engine]
  assert.ok(place)
  const store = await openStore(await place(t), options)
  t.after(() => store.close())
  const { id: accountId } = await store.configuration.createAccount('Owner', tester)
  const checked = checkCampaign({ name: 'c', isDraft: false, timeZone: 'UTC', mechanism })
  assert.ok('campaign' in checked)
  const { campaign: settings } = checked
  const { id: campaignId } = await store.configuration.applyCampaign(accountId, settings, tester)
  const configCache = openConfigCache(store)
  const leads = buildLeads(store, configCache, () => {})
  const clock = { at: beganAt }
  const sent: (Delivery & { type: string })[] = []
  const answer = { status: 204 as number | null, after: null as number | null, milliseconds: 0 }
  const sender: Sender = {
    async send(delivery): Promise<Try> {
      sent.push({ ...delivery, type: JSON.parse(delivery.body).type })
      const { status, milliseconds } = answer
      if (milliseconds > 0) await sleep(milliseconds)
      const cause = status === null ? 'timeout' : status < 300 ? null : 'status'
      return { status, cause, milliseconds: 1, retryAfterSeconds: answer.after }
    },
    close: async () => {},
  }
  const warned: string[] = []
  const parts = {
    ...{ store, configCache, sender, slots: openSlots(64, 32), site: { publicUrl: 'https://offers.example' } },
    ...{ now: () => clock.at * 1_000, onTry() {}, onDropped() {}, onWaiting() {}, isStopping: () => false },
    log: { info() {}, warn: (text: string) => void warned.push(text), error() {} },
  }
  const find = async (id: number) => (await store.events.findEndpoint(accountId, id)) as Endpoint
  return {
    ...{ store, clock, sent, answer, warned, parts, find, accountId, campaignId, settings, leads },
    register: (email: string) => leads.register({ accountId, campaignId }, email, clock.at),
    endpoint(changes: Partial<EndpointSettings> = {}) {
      const given = { name: 'shop', url: 'https://example.com/', kinds: wantedKinds, leadTimes: ['PT1H'], ...changes }
      const valid = checkEndpoint(given, () => undefined)
      assert.ok('settings' in valid)
      return store.events.createEndpoint(accountId, valid.settings, testerAt(beganAt))
    },
    /** As the dispatcher does, once the endpoint may be tried. */
    async round(id: number) {
      const endpoint = await find(id)
      clock.at = Math.max(clock.at, endpoint.nextTryAt ?? 0)
      await runRound(parts, endpoint, 1_000, () => {})
    },
    async sweep() {
      await store.events.lease('node')
      for (const one of await store.events.sweeps('node')) await sweepOn(store, one, clock.at)
    },
  }
}

const registered: Partial<EndpointSettings> = { kinds: ['lead.registered'] }

test('5xx and no answer use up no try: an event is given up by refusals alone', async (t) => {
  const { endpoint, register, round, find, sent, answer, clock, store } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  for (const status of [500, null, 599]) {
    answer.status = status
    for (let times = 0; times < 20; times += 1) {
      await round(id)
      clock.at += 1_800
    }
  }
  assert.ok(sent.length > 50, 'a server that fails is asked again and again')
  assert.equal((await store.events.waiting(await find(id), clock.at)).waiting, 1)
  answer.status = 204
  await round(id)
  assert.equal(new Set(sent.map((one) => one.id)).size, 1)
  assert.equal((await store.events.waiting(await find(id), clock.at)).waiting, 0)

  answer.status = 400
  await register('bob@example.com')
  const before = sent.length
  for (let times = 0; times < 20; times += 1) {
    await round(id)
    clock.at += 2 * daySeconds
    await store.events.setHealth(await find(id), { failingSince: null, failures: 0, nextTryAt: null })
    await store.events.resumeEndpoint(await find(id), null, tester)
  }
  assert.equal(sent.length - before, 10, 'refused nine times more, it is given up')

  answer.status = 204
  await store.events.resumeEndpoint(await find(id), clock.at, testerAt(clock.at))
  assert.equal(await store.events.resendFailed(await find(id), beganAt, testerAt(clock.at)), 1)
  await round(id)
  assert.equal(sent.length - before, 11, 'who asks for it again gets it, wherever the endpoint goes on from')
})

test('what is discarded is told no more, also where it was tried since', async (t) => {
  const { endpoint, register, round, find, sent, answer, clock, store } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  answer.status = 400
  clock.at += 100
  await round(id)
  await store.events.discardBefore(await find(id), beganAt + 50, testerAt(clock.at))
  answer.status = 204
  clock.at += 100
  await round(id)
  assert.equal(sent.length, 1)
})

const changes: Record<string, (made: Awaited<ReturnType<typeof opened>>, of: Endpoint) => Promise<unknown>> = {
  'a pause': ({ store }, of) => store.events.pauseEndpoint(of, 'user', tester),
  'another address': ({ store }, of) =>
    store.events.changeEndpoint(of, { ...of.settings, url: 'https://other.example/' }, tester),
  'a secret that ends the one before': ({ store }, of) => store.events.rotateSecret(of, null, tester),
  'a suspended account': ({ store, accountId }) =>
    store.configuration.updateAccount(accountId, { suspended: true }, tester),
  'the erasure of leads': async ({ store, campaignId }) => {
    const campaign = (await store.configuration.findCampaign(campaignId)) as Campaign
    const all = Array.from({ length: 30 }, (_, n) => ({ campaign, email: `lead-${n}@example.com` }))
    await store.leads.erase(all, tester)
  },
}
for (const [name, change] of Object.entries(changes))
  test(`${name} holds within a second, however slow the server is`, async (t) => {
    const made = await opened(t)
    const { endpoint, register, sent, answer, parts, find, clock } = made
    const { id, settings } = await endpoint({ ...registered, inFlight: 1 })
    for (let n = 0; n < 30; n += 1) await register(`lead-${n}@example.com`)
    answer.milliseconds = 100
    clock.at += 2
    const dispatcher = openDispatcher(parts)
    t.after(() => dispatcher.close())
    while (sent.length < 2) await sleep(20)
    const before = sent[0] as Delivery
    await change(made, await find(id))
    await sleep(1_000)
    const since = sent.length
    assert.ok(since < 20, String(since))
    await sleep(1_000)
    const asBefore = (one: Delivery) => one.url === settings.url && String(one.secrets) === String(before.secrets)
    assert.deepEqual(sent.slice(since).filter(asBefore), [])
  })

test('a pause holds for who waits for a slot too, however long the requests of others take', async (t) => {
  const { endpoint, register, sent, answer, parts, find, clock, store } = await opened(t)
  const slow = await endpoint({ ...registered, url: 'https://slow.example/' })
  const paused = await endpoint({ ...registered, url: 'https://paused.example/' })
  await register('ada@example.com')
  answer.milliseconds = 2_000
  clock.at += 2
  const dispatcher = openDispatcher({ ...parts, slots: openSlots(1, 1) })
  t.after(() => dispatcher.close())
  while (sent.length < 1) await sleep(20)
  const other = (await find(slow.id)).settings.url === sent[0]?.url ? paused : slow
  await store.events.pauseEndpoint(await find(other.id), 'user', tester)
  await sleep(3_500)
  assert.deepEqual(
    sent.slice(1).map(({ url }) => url),
    [],
  )
})

test('one event that a server cannot take holds up nobody else, however often it fails', async (t) => {
  const { endpoint, register, round, find, answer, clock, parts } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  answer.status = 500
  for (let times = 0; times < 12; times += 1) {
    await runRound(parts, await find(id), 1_000, () => {})
    clock.at += 1_800
  }
  const { failures, nextTryAt } = await find(id)
  assert.deepEqual({ failures, nextTryAt }, { failures: 1, nextTryAt: null })
  await round(id)
})

test('what a server could not take while it was down comes at once when it is back', async (t) => {
  const { endpoint, register, round, find, sent, answer, clock, store } = await opened(t)
  const { id } = await endpoint({ ...registered, inFlight: 1 })
  for (let n = 0; n < 8; n += 1) await register(`${n}@example.com`)
  answer.status = 503
  answer.after = 7
  await round(id)
  assert.equal((await find(id)).nextTryAt, clock.at + 7, 'busy is not broken: it waits as it is asked to')
  answer.status = 500
  for (let times = 0; times < 12; times += 1) await round(id)
  answer.status = 204
  sent.length = 0
  for (let times = 0; times < 3; times += 1) await round(id)
  assert.equal(new Set(sent.map((one) => one.id)).size, 8)
  assert.equal((await store.events.waiting(await find(id), clock.at)).waiting, 0)
})

test('what a batch could not bring, and is no longer true when each is sent by itself, is told to nobody', async (t) => {
  const made = await opened(t, { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' } })
  const { endpoint, register, round, sent, answer, clock, leads, accountId, campaignId } = made
  const { id } = await endpoint({ kinds: ['lead.expired'], batch: 10 })
  for (let n = 0; n < 10; n += 1) await register(`${n}@example.com`)
  clock.at += 3_601
  answer.status = 400
  await round(id)
  assert.equal(sent.length, 1)
  for (let n = 0; n < 9; n += 1)
    await leads.setDeadline({ accountId, campaignId }, `${n}@example.com`, clock.at + 60, testerAt(clock.at))
  answer.status = 204
  await round(id)
  const told = sent.slice(1).map(({ body }) => JSON.parse(body).data.email)
  assert.deepEqual(told, ['9@example.com'])
})

test('kinds taken off an endpoint are told no more', async (t) => {
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

test('a server that is left alone, and answers 404 when it is tried, is left alone again', async (t) => {
  const { endpoint, register, round, find, sent, answer, clock, parts } = await opened(t)
  const { id } = await endpoint({ ...registered, inFlight: 1 })
  for (let n = 0; n < 30; n += 1) await register(`${n}@example.com`)
  answer.status = 500
  while ((await find(id)).nextTryAt === null) await round(id)
  answer.status = 404
  sent.length = 0
  clock.at = (await find(id)).nextTryAt as number
  await runRound(parts, await find(id), 1_000, () => {})
  assert.equal(sent.length, 1)
  assert.ok(((await find(id)).nextTryAt ?? 0) > clock.at)
})

test('who pauses an endpoint finds it paused by them, whatever its server still answers', async (t) => {
  const { endpoint, register, round, find, answer, store } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  answer.status = 410
  answer.milliseconds = 300
  const running = round(id)
  await sleep(100)
  await store.events.pauseEndpoint(await find(id), 'user', tester)
  await running
  assert.equal((await find(id)).pauseCause, 'user')
})

test('the time that was left is named as the endpoint has it', async (t) => {
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

test('five days without one delivery pause an endpoint, and what happens then is still noted', async (t) => {
  const { endpoint, register, round, find, answer, clock, store } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  answer.status = 500
  while (clock.at <= beganAt + 5 * daySeconds) {
    assert.equal((await find(id)).pauseCause, null)
    await round(id)
    clock.at += 7_200
  }
  await round(id)
  const paused = await find(id)
  assert.deepEqual([paused.pauseCause, paused.failingSince], ['failing', beganAt])
  await register('bob@example.com')
  assert.equal((await store.events.waiting(paused, clock.at)).waiting, 2)
  await store.events.resumeEndpoint(paused, null, tester)
  answer.status = 204
  for (let times = 0; times < 3; times += 1) await round(id)
  assert.equal((await store.events.waiting(paused, clock.at)).waiting, 0)
})

test('one delivery within five days ends the count', async (t) => {
  const { endpoint, register, round, find, answer, clock } = await opened(t)
  const { id } = await endpoint(registered)
  answer.status = 500
  await register('ada@example.com')
  await round(id)
  clock.at += 4 * daySeconds
  answer.status = 204
  for (let times = 0; times < 2; times += 1) await round(id)
  clock.at += 2 * daySeconds
  answer.status = 500
  await register('bob@example.com')
  await round(id)
  assert.equal((await find(id)).pauseCause, null)
})

test('campaign.ended: told once when the date passes, and not of a date that was moved', async (t) => {
  const fixed = (at: string) => ({ startsOn: 'registration', deadline: { kind: 'fixed', at } })
  const { endpoint, register, round, sweep, sent, clock, store, accountId, campaignId, settings } = await opened(
    t,
    fixed('2026-03-02T10:10'),
  )
  const { id } = await endpoint({ kinds: ['campaign.ended'] })
  await sweep()
  for (let n = 0; n < 3; n += 1) await register(`${n}@example.com`)
  const moved = checkCampaign({ ...settings, id: campaignId, mechanism: fixed('2026-03-02T10:20') })
  assert.ok('campaign' in moved)
  await store.configuration.applyCampaign(accountId, { ...settings, ...moved.campaign, id: campaignId }, tester)
  await sweep()
  await sleep(700)
  for (const seconds of [600, 601, 1_200]) {
    clock.at = beganAt + seconds
    await round(id)
  }
  assert.equal(sent.length, 0, 'not at the first date, and at the second a second late')
  clock.at = beganAt + 1_201
  for (let times = 0; times < 2; times += 1) await round(id)
  assert.deepEqual(
    sent.map(({ body }) => JSON.parse(body).data.campaignId),
    [campaignId],
  )
  const { type, timestamp } = JSON.parse(sent[0]?.body as string)
  assert.deepEqual([type, timestamp], ['campaign.ended', '2026-03-02T10:20:00Z'])
})

test('perMinute: so many events in each minute, and the rest in the next', async (t) => {
  const { endpoint, register, sent, clock, parts } = await opened(t)
  await endpoint({ ...registered, perMinute: 3 })
  for (let n = 0; n < 8; n += 1) await register(`${n}@example.com`)
  const dispatcher = openDispatcher(parts)
  t.after(() => dispatcher.close())
  for (const expected of [3, 6, 8]) {
    for (let waited = 0; sent.length < expected && waited < 100; waited += 1) await sleep(50)
    await sleep(700)
    assert.equal(sent.length, expected)
    clock.at += 60
  }
})

test('a clock that jumps ahead tells nobody anything for ten minutes, and says so', async (t) => {
  const { endpoint, register, sent, clock, warned, parts } = await opened(t)
  await endpoint(registered)
  const dispatcher = openDispatcher(parts)
  t.after(() => dispatcher.close())
  await register('ada@example.com')
  for (let waited = 0; sent.length < 1 && waited < 100; waited += 1) await sleep(50)
  assert.equal(sent.length, 1)
  clock.at += 290
  await register('bob@example.com')
  for (let waited = 0; sent.length < 2 && waited < 100; waited += 1) await sleep(50)
  assert.deepEqual([sent.length, warned.length], [2, 0], 'five minutes are none')
  clock.at += 320
  await sleep(600)
  await register('eve@example.com')
  await sleep(1_500)
  assert.equal(sent.length, 2)
  assert.deepEqual(warned, ['the clock has jumped ahead: endpoints are told nothing for ten minutes'])
})

test('while a server behind the database is away, endpoints elsewhere are told, and the others once it is back', async (t) => {
  const { endpoint, register, sent, parts, store, settings, leads, clock, accountId } = await opened(t)
  const { id: otherId } = await store.configuration.createAccount('Neighbour', tester)
  const { id: campaignId } = await store.configuration.applyCampaign(otherId, settings, tester)
  const ownEndpoint = await endpoint(registered)
  await store.events.createEndpoint(otherId, ownEndpoint.settings, testerAt(beganAt))
  let isAway = true
  const unlessAway = async <T>(askedId: number | undefined, ask: () => Promise<T>): Promise<T> => {
    if (isAway && askedId !== otherId) throw new PartlyUnavailable('the database does not answer')
    return ask()
  }
  const { lease, dueEndpoints, sweeps, accountsWithEndpoints } = store.events
  const events: Store['events'] = {
    ...store.events,
    accountsWithEndpoints: () => unlessAway(undefined, accountsWithEndpoints),
    lease: (holder, id) => unlessAway(id, () => lease(holder, id)),
    dueEndpoints: (holder, now, id, until) => unlessAway(id, () => dueEndpoints(holder, now, id, until)),
    sweeps: (holder, id) => unlessAway(id, () => sweeps(holder, id)),
  }
  await register('ada@example.com')
  await leads.register({ accountId: otherId, campaignId }, 'bob@example.com', clock.at)
  const dispatcher = openDispatcher({ ...parts, store: { ...store, events } })
  t.after(() => dispatcher.close())
  const told = () => sent.map(({ body }) => JSON.parse(body).data.email)
  for (let waited = 0; sent.length < 1 && waited < 100; waited += 1) await sleep(50)
  assert.deepEqual(told(), ['bob@example.com'], `not what account ${accountId} waits for`)
  isAway = false
  for (let waited = 0; sent.length < 2 && waited < 60; waited += 1) await sleep(50)
  assert.deepEqual(told(), ['bob@example.com', 'ada@example.com'])
})

// One process serves a file.
if (engine === 'postgres') {
  test('of several nodes one tells, and when it stops another goes on', async (t) => {
    const { endpoint, register, sent, answer, parts, clock } = await opened(t)
    await endpoint({ ...registered, inFlight: 2 })
    answer.milliseconds = 20
    clock.at = Math.floor(Date.now() / 1_000)
    const nodes = [1, 2].map(() => openDispatcher(parts))
    t.after(() => Promise.all(nodes.map((node) => node.close())))
    let count = 0
    const told = async (more: number) => {
      for (let n = 0; n < more; n += 1) {
        await register(`${count + n}@example.com`)
        await sleep(20)
      }
      count += more
      for (let waited = 0; sent.length < count && waited < 300; waited += 1) await sleep(50)
      await sleep(700)
      assert.equal(sent.length, count)
      assert.equal(new Set(sent.map(({ id }) => id)).size, count)
    }
    await told(60)
    // It asked first.
    await nodes[0]?.close()
    await told(5)
  })
}
