// How a lane goes on: what answers do, pauses, slots, clocks and nodes. On SQLite, and in the long form on both engines.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDispatcher } from '../../src/events/dispatcher.ts'
import { openLease } from '../../src/events/lease.ts'
import { runRound } from '../../src/events/round.ts'
import type { Delivery } from '../../src/events/sender.ts'
import { openSlots } from '../../src/events/slots.ts'
import { PartlyUnavailable, StoreUnavailable } from '../../src/store/errors.ts'
import type { Endpoint } from '../../src/store/events/endpoint.ts'
import type { Campaign } from '../../src/store/model.ts'
import type { Store } from '../../src/store/store.ts'
import { tester, testerAt } from '../support/actor.ts'
import { longTest } from '../support/faults.ts'
import { beganAt, daySeconds, opened, registered } from '../support/lane.ts'

test('an event is given up after refusals alone: 5xx and no answer use up no try', async (t) => {
  const { endpoint, register, round, find, sent, answer, clock, store, parts, goOnFromNow, save } = await opened(t)
  /** How long each try that failed makes its event wait; null where that was the last. */
  const waits: (number | null)[] = []
  const settle: Store['events']['settle'] = (of, settled) => {
    waits.push(...settled.failed.map(({ nextAt, lastAt }) => nextAt && nextAt - lastAt))
    return store.events.settle(of, settled)
  }
  parts.store = { ...store, events: { ...store.events, settle } }
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
  // As docs/webhooks.md has them.
  const [minute, hour] = [60, 3_600]
  const unanswered = [5, 30, 2 * minute, 5 * minute, 15 * minute]
  assert.deepEqual(waits, [...unanswered, ...Array(sent.length - unanswered.length).fill(30 * minute)])
  waits.length = 0
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
    await store.events.setHealth(await find(id), { failingSince: null, failures: 0, nextTryAt: null }, clock.at)
    await store.events.resumeEndpoint(await find(id), null, tester)
  }
  assert.equal(sent.length - before, 10, 'refused nine times more, it is given up')
  assert.equal(waits.pop(), null)
  const refused = [5, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)]
  assert.equal(waits.length, refused.length)
  for (const [index, seconds] of refused.entries()) {
    const fifths = ((waits[index] as number) / seconds) * 5
    assert.ok(fifths >= 4 && fifths <= 6, `${waits[index]} instead of ${seconds}`)
  }

  answer.status = 204
  await goOnFromNow(id)
  assert.equal((await store.events.resendFailed(await find(id), beganAt, testerAt(clock.at))).count, 1)
  await save({ isDraft: true })
  await round(id)
  await save({ isDraft: false })
  clock.at += 3_600
  await round(id)
  assert.equal(sent.length - before, 11, 'who asks for it again gets it, also after a draft, from wherever it goes on')
})

test('a server that was down and had refused an event before has it again as soon as any other', async (t) => {
  const { endpoint, register, round, find, answer, clock, store, parts } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  answer.status = 400
  for (let times = 0; times < 3; times += 1) {
    await round(id)
    clock.at += daySeconds
  }
  const waits: (number | null)[] = []
  const settle: Store['events']['settle'] = (of, settled) => {
    waits.push(...settled.failed.map(({ nextAt, lastAt }) => nextAt && nextAt - lastAt))
    return store.events.settle(of, settled)
  }
  parts.store = { ...store, events: { ...store.events, settle } }
  answer.status = 500
  await store.events.resumeEndpoint(await find(id), null, tester)
  await round(id)
  assert.deepEqual(waits, [5])
})

test('what failed is kept while it is tried, however long the servers were off', async (t) => {
  const { endpoint, register, round, told, sent, answer, clock, store, accountId } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  answer.status = 500
  await round(id)
  sent.length = 0
  clock.at += 40 * daySeconds
  await store.events.purgeOld(accountId, clock.at)
  answer.status = 204
  await round(id)
  assert.deepEqual(told(), ['lead.registered ada 0'])
})

test('an endpoint that is resumed from now is told nothing of before, and one that goes on where it stopped is told it', async (t) => {
  const { endpoint, register, managed, clock, round, told, answer, store } = await opened(t)
  const brokenOff = { ...store.events, discardFailed: () => Promise.reject(new StoreUnavailable('gone')) }
  for (const from of ['now', 'stop'] as const) {
    const { id } = await endpoint(registered)
    clock.at += 60
    await register(`before-${from}@example.com`)
    clock.at += 60
    answer.status = 400
    await round(id)
    answer.status = 204
    await register(`later-${from}@example.com`)
    clock.at += 60
    await managed().pause(id)
    if (from === 'now') {
      const broken = managed({ ...store, events: brokenOff }).resume(id, from)
      await assert.rejects(broken, { name: 'StoreUnavailable' })
    }
    assert.equal((await managed().resume(id, from)).waiting, from === 'now' ? 0 : 2)
    told()
    clock.at += 60
    await register(`after-${from}@example.com`)
    await round(id)
    const emails = told().map((event) => event.split(' ')[1])
    assert.deepEqual(emails, from === 'now' ? ['after-now'] : ['before-stop', 'later-stop', 'after-stop'])

    // Sent once more after a lost answer, it drops neither what has failed since nor what is fresh.
    answer.status = 400
    await register(`refused-${from}@example.com`)
    await round(id)
    answer.status = 204
    await register(`fresh-${from}@example.com`)
    clock.at += 10
    assert.equal((await managed().resume(id, from)).waiting, 2)
    told()
    clock.at += 3_600
    await round(id)
    assert.deepEqual(
      told().map((event) => event.split(' ')[1]),
      [`refused-${from}`, `fresh-${from}`],
    )
    await managed().remove(id)
  }
})

test('an event that was in flight when the endpoint went on from now, or when it was discarded, is not told again', async (t) => {
  const { store, endpoint, register, find, clock, parts, sent, round, goOnFromNow } = await opened(t)
  const ways = [
    (of: Endpoint) => goOnFromNow(of.id),
    (of: Endpoint) => store.events.discardBefore(of, clock.at, tester),
  ]
  for (const [n, goOn] of ways.entries()) {
    const { id } = await endpoint(registered)
    await register(`lead-${n}@example.com`)
    const send = async () => {
      clock.at += 5
      await goOn(await find(id))
      return { status: 500, cause: 'status' as const, milliseconds: 1, retryAfterSeconds: null }
    }
    await runRound({ ...parts, sender: { ...parts.sender, send } }, await find(id), 1_000, () => {})
    const before = sent.length
    clock.at += 3_600
    await round(id)
    assert.equal(sent.length, before)
    assert.equal((await store.events.waiting(await find(id), clock.at)).waiting, 0)
    await store.events.pauseEndpoint(await find(id), 'deleted', tester)
  }
})

test('410 pauses the endpoint, whatever the server answers to other requests in flight', async (t) => {
  for (const late of [429, 503]) {
    const { endpoint, register, find, parts } = await opened(t)
    const { id } = await endpoint({ ...registered, inFlight: 2 })
    for (const name of ['ada', 'bob']) await register(`${name}@example.com`)
    const statuses = [410, late]
    const send = async () => {
      const status = statuses.shift() as number
      await sleep(status === 410 ? 50 : 150)
      return { status, cause: 'status' as const, milliseconds: 1, retryAfterSeconds: null }
    }
    await runRound({ ...parts, sender: { ...parts.sender, send } }, await find(id), 1_000, () => {})
    assert.deepEqual([statuses, (await find(id)).pauseCause], [[], 'gone'])
  }
})

test('of several answers that ask for time, the longest wait holds', async (t) => {
  const { endpoint, register, find, clock, parts } = await opened(t)
  const { id } = await endpoint({ ...registered, inFlight: 3 })
  for (const name of ['ada', 'bob', 'cyd']) await register(`${name}@example.com`)
  const given = [5, 600, 30]
  const send = async () => {
    const retryAfterSeconds = given.shift() as number
    await sleep(50)
    return { status: 429, cause: 'status' as const, milliseconds: 1, retryAfterSeconds }
  }
  await runRound({ ...parts, sender: { ...parts.sender, send } }, await find(id), 1_000, () => {})
  assert.deepEqual([given, (await find(id)).nextTryAt], [[], clock.at + 600])
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

test('a pause also stops an endpoint that waits for a slot, however long the requests of others take', async (t) => {
  const { endpoint, register, sent, answer, parts, find, clock, store } = await opened(t)
  const slow = await endpoint({ ...registered, url: 'https://slow.example/' })
  const paused = await endpoint({ ...registered, url: 'https://paused.example/' })
  await register('ada@example.com')
  answer.milliseconds = 2_000
  clock.at += 2
  const dispatcher = openDispatcher({ ...parts, slots: openSlots(1) })
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

test('what is asked for again while it is sent is sent once more, whatever becomes of that try', async (t) => {
  const { endpoint, register, find, clock, parts, sent, store, answer } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  clock.at += 2
  const due = async () => store.events.due(await find(id), clock.at, 10)
  for (const [status, whileSent] of [
    [400, false],
    [400, true],
    [204, true],
  ] as const) {
    const before = sent.length
    const [notice] = await due()
    assert.ok(notice)
    const send = async (delivery: Delivery) => {
      if (whileSent) await store.events.resend(await find(id), notice, testerAt(clock.at))
      answer.status = status
      return parts.sender.send(delivery)
    }
    await runRound({ ...parts, sender: { ...parts.sender, send } }, await find(id), 1_000, () => {})
    assert.equal(sent.length, before + 1)
    const [again] = await due()
    assert.equal(again?.isAskedFor, whileSent || undefined)
    clock.at += 2 * daySeconds
  }
  answer.status = 204
  await runRound(parts, await find(id), 1_000, () => {})
  assert.deepEqual(await due(), [])
})

test('the answer of a server pauses no endpoint that was moved, or let go on, since it was read', async (t) => {
  const { endpoint, find, store, clock, managed } = await opened(t)
  const { id } = await endpoint(registered)
  const failing = async (since: number) =>
    store.events.setHealth(await find(id), { failingSince: since, failures: 5, nextTryAt: null }, clock.at)
  const pause = async (read: Endpoint, cause: 'gone' | 'failing') => {
    await store.events.pauseFailing(read, cause, testerAt(clock.at))
    return (await find(id)).pauseCause
  }
  await failing(beganAt - 6 * daySeconds)
  const read = await find(id)
  await managed().change(id, { url: 'https://elsewhere.example/' })
  assert.equal(await pause(read, 'gone'), null)
  await failing(beganAt - daySeconds)
  const elsewhere = await find(id)
  assert.equal(await pause({ ...elsewhere, failingSince: read.failingSince }, 'failing'), null)
  assert.equal(await pause(elsewhere, 'failing'), 'failing')
  assert.equal(await pause(elsewhere, 'gone'), 'failing')
})

test('a backfill goes on although something else is due all the time', async (t) => {
  const { endpoint, register, managed, sent, clock, parts, campaignId } = await opened(t)
  const count = 600
  await Promise.all(Array.from({ length: count }, (_, n) => register(`${n}@example.com`)))
  const { id } = await endpoint(registered)
  await managed().backfill(id, campaignId)
  const isOfBackfill = ({ body }: Delivery) => JSON.parse(body).data.backfill === true
  const dispatcher = openDispatcher(parts)
  t.after(() => dispatcher.close())
  for (let n = 0; n < 100 && sent.filter(isOfBackfill).length < count; n += 1) {
    await register(`later-${n}@example.com`)
    clock.at += 1
    await sleep(100)
  }
  assert.ok(sent.filter(isOfBackfill).length >= count)
})

test('one event that a server cannot take holds up no other event, however often it fails', async (t) => {
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

test('after an outage with few failures what failed in it comes at once, but not where a server fails now and then', async (t) => {
  const { endpoint, register, find, sent, answer, clock, parts } = await opened(t)
  const { id } = await endpoint(registered)
  const round = async () => runRound(parts, await find(id), 1_000, () => {})
  const tell = async (email: string, status: number) => {
    await register(email)
    answer.status = status
    await round()
    clock.at += 1
  }
  for (const email of ['a@example.com', 'b@example.com']) await tell(email, 500)
  await tell('c@example.com', 204)
  sent.length = 0
  await round()
  assert.equal(sent.length, 0, 'each at its own time, after five seconds')
  answer.status = 500
  for (let times = 0; times < 20; times += 1) {
    clock.at += 300
    await round()
  }
  await tell('d@example.com', 500)
  await tell('e@example.com', 204)
  sent.length = 0
  await round()
  assert.equal(new Set(sent.map((one) => one.id)).size, 3)
})

test('an event that failed before an outage waits for the time of its own next try', async (t) => {
  const { endpoint, register, round, find, sent, answer, clock } = await opened(t)
  const { id } = await endpoint(registered)
  await register('never@example.com')
  answer.status = 500
  for (const seconds of [5, 30, 120, 300]) {
    await round(id)
    clock.at += seconds
  }
  for (const name of ['ada', 'bob']) {
    answer.status = 500
    await round(id)
    answer.status = 204
    await register(`${name}@example.com`)
    await round(id)
  }
  clock.at += 1
  answer.status = 500
  for (let n = 0; n < 5; n += 1) await register(`${n}@example.com`)
  await round(id)
  assert.ok((await find(id)).nextTryAt, 'it is down')
  answer.status = 204
  sent.length = 0
  for (let times = 0; times < 3; times += 1) await round(id)
  const emails = sent.map(({ body }) => JSON.parse(body).data.email[0])
  assert.deepEqual(emails.sort(), ['0', '1', '2', '3', '4'])
})

test('what failed while the clock was a year ahead is told soon after it is set back', async (t) => {
  const { endpoint, register, round, find, told, answer, clock, store, accountId } = await opened(t)
  const { id: refusing } = await endpoint(registered)
  const { id: busy } = await endpoint(registered)
  await register('ada@example.com')
  clock.at = beganAt + 365 * daySeconds
  answer.status = 400
  await round(refusing)
  answer.status = 429
  await round(busy)
  told()
  clock.at = beganAt + 3_600
  answer.status = 204
  assert.deepEqual(await store.events.purgeOld(accountId, clock.at), { dropped: 0, isMore: false })
  for (const id of [refusing, busy]) {
    assert.equal((await find(id)).failingSince, null)
    await round(id)
  }
  assert.deepEqual(told(), Array(2).fill('lead.registered ada 0'))
  assert.equal(clock.at, beganAt + 3_600, 'nothing was waited for')
})

test('an endpoint that went on from now while the clock was a year ahead is told again soon after it is set back', async (t) => {
  const { endpoint, register, round, find, told, clock, store, accountId, goOnFromNow } = await opened(t)
  const { id } = await endpoint(registered)
  clock.at += 365 * daySeconds
  await goOnFromNow(id)
  clock.at = beganAt
  await store.events.purgeOld(accountId, clock.at)
  await register('ada@example.com')
  await round(id)
  assert.deepEqual(told(), ['lead.registered ada 0'])

  // So it is where the clock was ahead by half an hour: no wait of ours counts from then.
  clock.at += 1_800
  await goOnFromNow(id)
  clock.at = beganAt
  const failing = { failingSince: clock.at + 1_800, failures: 5, nextTryAt: clock.at + 3_600 }
  await store.events.setHealth(await find(id), failing, clock.at)
  await store.events.purgeOld(accountId, clock.at)
  const { fromAt, nextTryAt } = await find(id)
  assert.deepEqual([fromAt, nextTryAt], [clock.at, null])
})

test('an endpoint that went on from a year ahead loses no later moment of a lead who is looked at meanwhile', async (t) => {
  const twoHours = { startsOn: 'registration', deadline: { kind: 'after', period: 'PT2H' } }
  const { endpoint, register, round, told, clock, store, accountId, goOnFromNow } = await opened(t, twoHours)
  const { id } = await endpoint({ kinds: ['lead.deadline_approaching', 'lead.expired'] })
  await register('ada@example.com')
  clock.at += 365 * daySeconds
  await goOnFromNow(id)
  clock.at = beganAt + 3_610
  await round(id)
  await store.events.purgeOld(accountId, clock.at)
  clock.at = beganAt + 7_210
  await round(id)
  assert.deepEqual(told(), ['lead.expired ada 120'])
})

test('the wait that a server asks for counts from its answer, however slow that was', async (t) => {
  const { endpoint, register, round, find, answer, clock, parts } = await opened(t)
  const { send } = parts.sender
  parts.sender.send = async (delivery) => {
    clock.at += 14.4
    return send(delivery)
  }
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  Object.assign(answer, { status: 429, after: 10 })
  await round(id)
  assert.equal((await find(id)).nextTryAt, beganAt + 25)
  clock.at = beganAt + 60
  Object.assign(answer, { status: 500, after: null })
  await round(id)
  const next = (await parts.store.events.due(await find(id), beganAt + 79, 10)).length
  assert.deepEqual([next, (await parts.store.events.due(await find(id), beganAt + 80, 10)).length], [0, 1])
})

test('two batches with the same first event and size, but other events, have different ids', async (t) => {
  const { endpoint, register, round, sent, answer, clock, store, campaignId } = await opened(t)
  const campaign = (await store.configuration.findCampaign(campaignId)) as Campaign
  const { id } = await endpoint({ ...registered, batch: 2 })
  for (const name of ['ada', 'bob', 'eve']) await register(`${name}@example.com`)
  answer.status = 503
  await round(id)
  clock.at += 61
  await round(id)
  assert.equal(sent[1]?.id, sent[0]?.id, 'the same events, the same id')
  await store.leads.erase([{ campaign, email: 'bob@example.com' }], tester)
  clock.at += 61
  await round(id)
  const first = ({ body }: { body: string }) => JSON.parse(body).data.events[0].id
  assert.equal(first(sent[2] as (typeof sent)[0]), first(sent[0] as (typeof sent)[0]))
  assert.notEqual(sent[2]?.id, sent[0]?.id)
})

test('after a change of the URL, what the old one refused comes at once', async (t) => {
  const { endpoint, register, round, find, sent, answer, clock, store, managed } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  answer.status = 404
  for (let times = 0; times < 3; times += 1) {
    await round(id)
    clock.at += 3_600
  }
  await round(id)
  answer.status = 204
  const before = sent.length
  clock.at += 60
  await managed().change(id, { batch: 2 })
  await round(id)
  assert.equal(sent.length, before, 'another change is no new start')
  await managed().change(id, { url: 'https://new.example/' })
  await round(id)
  assert.deepEqual([sent.length, sent.at(-1)?.url], [before + 1, 'https://new.example/'])
  assert.equal((await store.events.waiting(await find(id), clock.at)).waiting, 0)

  answer.status = 404
  await register('bob@example.com')
  await round(id)
  answer.status = 204
  clock.at += 1
  const brokenOff = { ...store.events, resetTries: () => Promise.reject(new StoreUnavailable('gone')) }
  const url = 'https://newest.example/'
  await assert.rejects(managed({ ...store, events: brokenOff }).change(id, { url }), { name: 'StoreUnavailable' })
  await managed().change(id, { url })
  await round(id)
  assert.deepEqual(
    [sent.length, sent.at(-1)?.url],
    [before + 3, url],
    'the same change, sent again, is done to the end',
  )
})

test('a try that fails while the URL is changed is not counted, and the event comes at once at the new one', async (t) => {
  const { endpoint, register, round, find, sent, answer, clock, parts, store, managed } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  answer.status = 404
  await round(id)
  clock.at += 60
  const send = async () => {
    await managed().change(id, { url: 'https://new.example/' })
    return { status: 404, cause: 'status' as const, milliseconds: 1, retryAfterSeconds: null }
  }
  await runRound({ ...parts, sender: { ...parts.sender, send } }, await find(id), 1_000, () => {})
  assert.equal((await find(id)).failingSince, null)
  answer.status = 204
  await round(id)
  assert.deepEqual([sent.length, sent.at(-1)?.url], [2, 'https://new.example/'])
  assert.equal((await store.events.waiting(await find(id), clock.at)).waiting, 0)
})

test('once all that failed is given up, a failure weeks later does not pause the endpoint', async (t) => {
  const { endpoint, register, round, find, answer, clock } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  answer.status = 400
  await round(id)
  assert.equal((await find(id)).failingSince, beganAt)
  while (clock.at < beganAt + 4.5 * daySeconds) {
    clock.at += 7_200
    await round(id)
  }
  assert.equal((await find(id)).failingSince, null)
  clock.at += 6 * daySeconds
  await register('bob@example.com')
  answer.status = 429
  await round(id)
  assert.equal((await find(id)).pausedAt, null)
})

test('a successful Test lets telling go on at once, but not before the end of a wait that the server has asked for', async (t) => {
  const { endpoint, register, round, find, sent, answer, clock, parts, store, managed } = await opened(t)
  const { id } = await endpoint({ ...registered, inFlight: 1 })
  const test = () => managed().test(id)
  for (let n = 0; n < 6; n += 1) await register(`${n}@example.com`)
  answer.status = 500
  while ((await find(id)).nextTryAt === null) await round(id)
  assert.equal((await test()).delivered, false)
  assert.equal((await find(id)).failures, 5)
  answer.status = 204
  await Promise.all([test(), test()])
  const { failingSince, failures, nextTryAt } = await find(id)
  assert.deepEqual({ failingSince, failures, nextTryAt }, { failingSince: null, failures: 0, nextTryAt: null })
  const tests = sent.filter(({ type }) => type === 'endpoint.tested')
  assert.deepEqual([tests.length, new Set(tests.map((one) => one.id)).size], [3, 3], 'each by an id of its own')
  sent.length = 0
  await runRound(parts, await find(id), 1_000, () => {})
  assert.equal(sent.length, 6)
  assert.equal((await store.events.waiting(await find(id), clock.at)).waiting, 0)

  await register('ada@example.com')
  answer.status = 429
  await round(id)
  answer.status = 204
  await test()
  assert.equal((await find(id)).nextTryAt, clock.at + 60)
  const shown = async () => (await managed().read(id)).nextTryAt
  assert.ok(await shown())
  clock.at += 60
  assert.equal(await shown(), null, 'what has passed is not shown as the next try')
})

test('a wait that the server asks for in an outage holds against a Test too', async (t) => {
  const { endpoint, register, round, find, answer, clock, managed } = await opened(t)
  const { id } = await endpoint({ ...registered, inFlight: 1 })
  for (let n = 0; n < 5; n += 1) await register(`${n}@example.com`)
  answer.status = 502
  while ((await find(id)).nextTryAt === null) await round(id)
  Object.assign(answer, { status: 503, after: 3_600 })
  await round(id)
  const until = clock.at + 3_600
  answer.status = 204
  assert.equal((await managed().test(id)).delivered, true)
  const { nextTryAt, failures } = await find(id)
  assert.deepEqual([nextTryAt, failures, (await managed().read(id)).state], [until, 0, 'waiting'])
})

test('an outage is over once what failed in it is discarded: a failure days later does not pause the endpoint', async (t) => {
  const { endpoint, register, round, find, answer, clock, managed } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  answer.status = 500
  await round(id)
  await register('eve@example.com')
  clock.at += 60
  await managed().discardBefore(id, clock.at)
  assert.equal((await managed().read(id)).failingSince, null)
  clock.at += 10 * daySeconds
  await register('bob@example.com')
  answer.status = 429
  await round(id)
  assert.equal((await find(id)).pausedAt, null)
})

test('an outage is over once the leads of all that failed in it are erased: the endpoint waits for no server', async (t) => {
  const { endpoint, register, round, find, answer, managed, store, campaignId } = await opened(t)
  const { id } = await endpoint({ ...registered, inFlight: 1 })
  const emails = Array.from({ length: 5 }, (_, n) => `${n}@example.com`)
  for (const email of emails) await register(email)
  answer.status = 500
  while ((await find(id)).nextTryAt === null) await round(id)
  const campaign = (await store.configuration.findCampaign(campaignId)) as Campaign
  await store.leads.erase(
    emails.map((email) => ({ campaign, email })),
    tester,
  )
  for (let times = 0; times < 5; times += 1) await round(id)
  const { failingSince, failures, nextTryAt } = await find(id)
  assert.deepEqual([failingSince, failures, nextTryAt, (await managed().read(id)).state], [null, 0, null, 'on'])
})

test('a Test that is answered late takes back nothing that the server has asked for meanwhile', async (t) => {
  const { endpoint, register, round, find, answer, clock, parts, managed } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  answer.status = 500
  await round(id)
  clock.at += 5
  const { send } = parts.sender
  parts.sender.send = async (delivery) => {
    if (JSON.parse(delivery.body).type !== 'endpoint.tested') return send(delivery)
    Object.assign(answer, { status: 429, after: 600 })
    await round(id)
    answer.status = 204
    return send(delivery)
  }
  assert.equal((await managed().test(id)).delivered, true)
  const { failingSince, nextTryAt } = await find(id)
  assert.deepEqual([failingSince, nextTryAt], [null, clock.at + 600])
})

const lettingGoOn: Record<string, (made: Awaited<ReturnType<typeof opened>>, id: number) => Promise<unknown>> = {
  'a Test': ({ managed }, id) => managed().test(id),
  'a person': async ({ managed }, id) => {
    await managed().pause(id)
    await managed().resume(id, 'stop')
  },
}

for (const [who, letGoOn] of Object.entries(lettingGoOn))
  test(`what ${who} lets go on is stopped by no request of before that fails after it`, async (t) => {
    const made = await opened(t)
    const { endpoint, register, round, find, answer, clock, parts } = made
    const { id } = await endpoint({ ...registered, inFlight: 1 })
    for (let n = 0; n < 6; n += 1) await register(`${n}@example.com`)
    answer.status = 500
    while ((await find(id)).nextTryAt === null) await round(id)
    clock.at += 6 * daySeconds
    const send = async () => {
      answer.status = 204
      await letGoOn(made, id)
      return { status: 500, cause: 'status' as const, milliseconds: 1, retryAfterSeconds: null }
    }
    await runRound({ ...parts, sender: { ...parts.sender, send } }, await find(id), 1_000, () => {})
    const { pauseCause, failingSince, failures, nextTryAt } = await find(id)
    assert.deepEqual([pauseCause, failingSince, failures, nextTryAt], [null, null, 0, null])
  })

test('the log has a Test at the time when it was sent, like every try', async (t) => {
  const { endpoint, register, round, sent, noted, answer, clock, managed } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  answer.milliseconds = 300
  for (const send of [() => managed().test(id), () => round(id)]) {
    const [before, sentAt] = [sent.length, clock.at]
    const sending = send()
    while (sent.length === before) await sleep(5)
    clock.at += 15
    await sending
    assert.equal(noted.at(-1)?.atMs, sentAt * 1_000)
  }
})

test('an event is given up after 30 days of tries without an answer, and after ten if its address is not allowed', async (t) => {
  const { endpoint, register, round, find, answer, clock, store } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  answer.status = null
  const waiting = async () => (await store.events.waiting(await find(id), clock.at)).waiting
  const goOn = async (seconds: number) => {
    clock.at += seconds
    await store.events.resumeEndpoint(await find(id), null, testerAt(clock.at))
    await round(id)
  }
  /** As after so many tries, one each half hour. */
  const tried = async (tries: number) => {
    const endpoint = await find(id)
    const done = await store.events.due(endpoint, clock.at, 9)
    const failed = done.map((due) => ({ ...due, tries, nextAt: clock.at, lastAt: clock.at }))
    await store.events.settle(endpoint, { done, failed, looks: [] })
  }
  await goOn(31 * daySeconds)
  assert.equal(await waiting(), 1, 'it was due long before its first try')
  const mostTries = 30 * 48
  clock.at += daySeconds
  await tried(mostTries)
  await goOn(1)
  assert.equal(await waiting(), 1)
  await goOn(daySeconds)
  assert.equal(await waiting(), 0)
  assert.equal((await store.events.resendFailed(await find(id), beganAt, testerAt(clock.at))).count, 1)
  await tried(mostTries)
  await goOn(1)
  assert.equal(await waiting(), 1, 'asked for again, it has as long once more')
  answer.status = 204
  await goOn(daySeconds)
  assert.equal(await waiting(), 0)
  answer.status = null

  await register('bob@example.com')
  answer.cause = 'blocked'
  for (let times = 0; times < 9; times += 1) await goOn(2 * daySeconds)
  assert.equal(await waiting(), 1)
  await goOn(2 * daySeconds)
  assert.equal(await waiting(), 0)
})

test('a server that is left alone gets one event at a time, and is left alone again if it answers 404', async (t) => {
  const { endpoint, register, round, find, sent, answer, clock, parts } = await opened(t)
  const { id } = await endpoint({ ...registered, inFlight: 4 })
  for (let n = 0; n < 30; n += 1) await register(`${n}@example.com`)
  answer.status = 500
  while ((await find(id)).nextTryAt === null) await round(id)
  answer.status = 404
  answer.milliseconds = 50
  sent.length = 0
  clock.at = (await find(id)).nextTryAt as number
  await runRound(parts, await find(id), 1_000, () => {})
  assert.equal(sent.length, 1)
  const { nextTryAt, failures } = await find(id)
  assert.ok((nextTryAt ?? 0) > clock.at)
  assert.equal(failures, 5, 'it answers again, if not as it should')
})

test('a server that is left alone gets one event at a time, if it takes batches too', async (t) => {
  const { endpoint, register, round, find, sent, clock, store } = await opened(t)
  const { id } = await endpoint({ ...registered, batch: 10 })
  for (let n = 0; n < 10; n += 1) await register(`${n}@example.com`)
  await store.events.setHealth(await find(id), { failingSince: clock.at, failures: 5, nextTryAt: clock.at }, clock.at)
  await round(id)
  assert.deepEqual(
    sent.map(({ type }) => type),
    ['lead.registered'],
  )
  await round(id)
  assert.equal(sent.at(-1)?.type, 'batch')
})

test('an endpoint that a user pauses stays paused by the user, whatever its server still answers', async (t) => {
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

test('an endpoint that is deleted while its server hangs leaves nothing behind', async (t) => {
  const { endpoint, register, round, find, answer, clock, store } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  answer.status = null
  answer.milliseconds = 300
  const running = round(id)
  await sleep(100)
  const deleted = await find(id)
  await store.events.pauseEndpoint(deleted, 'deleted', tester)
  while (!(await store.events.purge(deleted)));
  await running
  assert.equal((await store.events.waiting(deleted, clock.at)).waiting, 0)
})

test('an answer from the old URL does not pause an endpoint that has a new one', async (t) => {
  const { endpoint, register, round, find, answer, store } = await opened(t)
  const { id, settings } = await endpoint(registered)
  await register('ada@example.com')
  answer.status = 410
  answer.milliseconds = 300
  const running = round(id)
  await sleep(100)
  await store.events.changeEndpoint(await find(id), { ...settings, url: 'https://new.example/' }, tester)
  await running
  assert.equal((await find(id)).pauseCause, null)
})

test('a delivered event is not sent again, even if the database is away right after it', async (t) => {
  const { endpoint, register, sent, parts, find, store } = await opened(t)
  const { id } = await endpoint(registered)
  await register('ada@example.com')
  let tries = 0
  const settle: Store['events']['settle'] = async (...settled) => {
    tries += 1
    if (tries < 3) throw new StoreUnavailable('the database does not answer')
    return store.events.settle(...settled)
  }
  const away = { ...parts, store: { ...store, events: { ...store.events, settle } } }
  await runRound(away, await find(id), 1_000, () => {})
  await runRound(parts, await find(id), 1_000, () => {})
  assert.deepEqual([sent.length, tries], [1, 3])
})

test('a node that stops sends no further request, and counts those in flight neither as told nor as failed', async (t) => {
  const { endpoint, register, sent, parts, find, answer, store, clock } = await opened(t)
  const { id } = await endpoint({ ...registered, inFlight: 1 })
  for (let n = 0; n < 3; n += 1) await register(`${n}@example.com`)
  answer.status = null
  const tried: unknown[] = []
  const stopping = { ...parts, onTry: (entry: unknown) => void tried.push(entry), isStopping: () => sent.length > 0 }
  await runRound(stopping, await find(id), 1_000, () => {})
  assert.deepEqual([sent.length, tried.length], [1, 0])
  const due = await store.events.due(await find(id), clock.at, 9)
  assert.deepEqual(
    due.map(({ queue }) => queue),
    ['notices', 'notices', 'notices'],
  )
})

test('a batch has at most as many events as its endpoint allows, and no more bytes than a receiver takes', async (t) => {
  const { endpoint, register, round, sent, save, store, find } = await opened(t)
  const { id } = await endpoint({ ...registered, batch: 2 })
  for (let n = 0; n < 5; n += 1) await register(`${n}@example.com`)
  await round(id)
  const sizes = () => sent.splice(0).map(({ body }) => JSON.parse(body).data.events?.length ?? 1)
  assert.deepEqual(sizes().sort(), [1, 2, 2])
  const pages = Array.from({ length: 100 }, (_, n) => ({ pageUrl: `https://shop.example/${n}?${'x'.repeat(894)}` }))
  // As many bytes as characters would be too few.
  await save({ pages, name: '\u2126'.repeat(200) })
  const before = await find(id)
  await store.events.changeEndpoint(before, { ...before.settings, batch: 100 }, tester)
  for (let n = 0; n < 12; n += 1) await register(`${n > 0 ? 'x'.repeat(60) : ''}${n}@${'a.'.repeat(90)}com`)
  await round(id)
  const bytes = sent.map(({ body }) => Buffer.byteLength(body))
  assert.ok(bytes.length > 1 && bytes.every((one) => one <= 512_000), bytes.join())
  assert.equal(
    sizes().reduce((sum, size) => sum + size),
    12,
  )
})

test('an endpoint whose only event was given up is not paused days later without a request', async (t) => {
  const { endpoint, register, round, find, sent, answer, clock } = await opened(t)
  const { id } = await endpoint({ kinds: ['lead.registered', 'lead.expired'] })
  await register('ada@example.com')
  answer.status = 400
  while (clock.at < beganAt + 4.5 * daySeconds) {
    await round(id)
    clock.at += 7_200
  }
  const requests = sent.length
  clock.at = beganAt + 6 * daySeconds
  await round(id)
  assert.deepEqual([requests, sent.length, (await find(id)).pauseCause], [10, 10, null])
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
  await store.events.resumeEndpoint(paused, null, testerAt(clock.at))
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

test('perMinute holds for events that come due together of one lead', async (t) => {
  const fixed = { kind: 'fixed', opensAt: '2026-03-02T10:30', at: '2026-03-02T11:30' }
  const made = await opened(t, { startsOn: 'registration', deadline: fixed })
  const { endpoint, register, sent, clock, parts } = made
  await endpoint({ kinds: ['lead.opened', 'lead.deadline_approaching'], perMinute: 1 })
  await register('ada@example.com')
  clock.at += 1_801
  const dispatcher = openDispatcher(parts)
  t.after(() => dispatcher.close())
  for (const expected of [1, 2]) {
    for (let waited = 0; sent.length < expected && waited < 100; waited += 1) await sleep(50)
    await sleep(700)
    assert.equal(sent.length, expected)
    clock.at += 60
  }
})

test('a clock that jumps ahead tells nobody anything for ten minutes, and says so', async (t) => {
  const { endpoint, register, sent, clock, warned, parts } = await opened(t)
  await endpoint(registered)
  let nowMs = performance.now()
  t.mock.method(performance, 'now', () => nowMs)
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
  for (let waited = 0; warned.length < 1 && waited < 100; waited += 1) await sleep(50)
  assert.deepEqual(warned, ['the clock has jumped ahead: no webhooks are sent for ten minutes'])
  await register('eve@example.com')
  const pass = (seconds: number) => {
    clock.at += seconds
    nowMs += seconds * 1_000
  }
  pass(599)
  await sleep(1_200)
  assert.equal(sent.length, 2)
  pass(2)
  for (let waited = 0; sent.length < 3 && waited < 100; waited += 1) await sleep(50)
  assert.equal(sent.length, 3)
})

for (const [what, remove] of Object.entries({
  'another node has removed the last endpoint': async (
    { store }: Awaited<ReturnType<typeof opened>>,
    removed: () => void,
  ) => {
    removed()
    await store.configuration.createAccount('Neighbour', tester)
  },
  'the account is suspended': ({ store, accountId }: Awaited<ReturnType<typeof opened>>) =>
    store.configuration.updateAccount(accountId, { suspended: true }, tester),
}))
  test(`once ${what}, nothing is reported as waiting`, async (t) => {
    const made = await opened(t)
    const { endpoint, register, parts, store } = made
    await endpoint(registered)
    await register('ada@example.com')
    // Until it is answered the event is due, whenever that is measured.
    const { promise: hangs, resolve: answers } = Promise.withResolvers<void>()
    const sender: typeof parts.sender = {
      ...parts.sender,
      send: (delivery) => hangs.then(() => parts.sender.send(delivery)),
    }
    let waiting = -1
    let isRemoved = false
    const { accountsWithEndpoints } = store.events
    const events: Store['events'] = {
      ...store.events,
      accountsWithEndpoints: async () => (isRemoved ? [] : accountsWithEndpoints()),
    }
    const onWaiting = (count: number) => {
      waiting = count
    }
    const dispatcher = openDispatcher({ ...parts, sender, onWaiting, store: { ...store, events } })
    t.after(() => dispatcher.close())
    for (let waited = 0; waiting < 1 && waited < 100; waited += 1) await sleep(50)
    assert.equal(waiting, 1)
    await remove(made, () => {
      isRemoved = true
    })
    for (let waited = 0; waiting > 0 && waited < 100; waited += 1) await sleep(50)
    assert.equal(waiting, 0)
    answers()
    await dispatcher.close()
  })

test('what is removed beside holds up no event, however long the database takes for it', async (t) => {
  const { endpoint, register, sent, parts, store } = await opened(t)
  await endpoint(registered)
  const { promise: hangs, resolve: end } = Promise.withResolvers<void>()
  let isRemoving = false
  const purgeOld: Store['events']['purgeOld'] = async (...of) => {
    isRemoving = true
    await hangs
    return store.events.purgeOld(...of)
  }
  const dispatcher = openDispatcher({ ...parts, store: { ...store, events: { ...store.events, purgeOld } } })
  t.after(() => dispatcher.close())
  for (let waited = 0; !isRemoving && waited < 100; waited += 1) await sleep(50)
  await register('ada@example.com')
  for (let waited = 0; sent.length < 1 && waited < 40; waited += 1) await sleep(50)
  end()
  assert.equal(sent.length, 1)
})

test('where webhooks are off nothing is sent, and a deleted endpoint is removed with what waited for it, whatever stops another', async (t) => {
  const { endpoint, register, sent, parts, store, managed, campaignId } = await opened(t)
  const [stuck, deleted, kept] = [await endpoint(registered), await endpoint(registered), await endpoint(registered)]
  await register('ada@example.com')
  for (const one of [stuck, deleted]) await store.events.pauseEndpoint(one, 'deleted', tester)
  const purge: Store['events']['purge'] = async (one) => {
    if (one.id !== stuck.id) return store.events.purge(one)
    // Longer than such work may take at a time.
    await sleep(400)
    throw new PartlyUnavailable('somebody has locked one of its rows')
  }
  const dispatcher = openDispatcher({ ...parts, store: { ...store, events: { ...store.events, purge } }, isOn: false })
  t.after(() => dispatcher.close())
  const isThere = async () => (await store.events.deletedEndpoints()).length > 1
  for (let waited = 0; (await isThere()) && waited < 100; waited += 1) await sleep(50)
  assert.ok(!(await isThere()))
  await sleep(600)
  assert.equal(sent.length, 0)
  const waiting = async (of: typeof kept) => (await store.events.waiting(of, beganAt + 60)).waiting
  assert.deepEqual([await waiting(deleted), await waiting(kept)], [0, 1])
  const off = managed(store, false)
  const asked = [
    ...[off.create({}), off.resume(kept.id, 'now'), off.test(kept.id), off.backfill(kept.id, campaignId)],
    ...[off.resend(kept.id, `evt_${'0'.repeat(32)}`), off.resendFailed(kept.id, 0)],
  ]
  await Promise.all(asked.map((one, index) => assert.rejects(one, { code: 'WEBHOOKS_OFF' }, `${index}`)))
})

test('what is old is removed an account at a time, and one that cannot be cleaned holds up no other', async (t) => {
  const { endpoint, parts, store, accountId } = await opened(t)
  const { settings } = await endpoint(registered)
  const others = await Promise.all(['Second', 'Third'].map((name) => store.configuration.createAccount(name, tester)))
  for (const { id } of others) await store.events.createEndpoint(id, settings, tester)
  const asked: number[] = []
  const failing = others[0]?.id
  const purgeOld: Store['events']['purgeOld'] = async (id) => {
    asked.push(id)
    if (id === failing) throw new Error('cannot be read')
    return { dropped: 1, isMore: asked.filter((one) => one !== failing).length === 1 }
  }
  let dropped = 0
  const onDropped = (count: number) => {
    dropped += count
  }
  const dispatcher = openDispatcher({ ...parts, onDropped, store: { ...store, events: { ...store.events, purgeOld } } })
  t.after(() => dispatcher.close())
  for (let waited = 0; !asked.includes(failing ?? 0) && waited < 100; waited += 1) await sleep(50)
  // Otherwise it goes on when it next looks for endpoints, after five seconds.
  await store.configuration.createAccount('Neighbour', tester)
  for (let waited = 0; dropped < 3 && waited < 100; waited += 1) await sleep(50)
  assert.equal(dropped, 3, 'what has more is asked again')
  assert.deepEqual([...new Set(asked)].sort(), [accountId, ...others.map(({ id }) => id)].sort())
})

longTest('what waits is counted now and then, however long leads are gone through', async (t) => {
  const { endpoint, parts, store } = await opened(t)
  await endpoint(registered)
  await store.events.lease('node')
  // Never at its end.
  const [sweep] = await store.events.sweeps('node')
  const events: Store['events'] = { ...store.events, sweeps: async () => (sweep ? [sweep] : []) }
  let counted = 0
  const onWaiting = () => {
    counted += 1
  }
  const dispatcher = openDispatcher({ ...parts, onWaiting, store: { ...store, events } })
  t.after(() => dispatcher.close())
  await sleep(4_000)
  assert.equal(counted, 1)
})

test('a sweep or a removal that fails keeps no other account from its sweep, and neither the count nor what is old from its turn', async (t) => {
  const { endpoint, parts, store, settings, accountId } = await opened(t)
  const { settings: wanted } = await endpoint()
  const { id: otherId } = await store.configuration.createAccount('Neighbour', tester)
  await store.configuration.applyCampaign(otherId, settings, tester)
  await store.events.createEndpoint(otherId, wanted, testerAt(beganAt))
  // The one that fails comes first.
  const sweeps: Store['events']['sweeps'] = async (holder, id) =>
    (await store.events.sweeps(holder, id)).sort((a, b) => a.endpoint.accountId - b.endpoint.accountId)
  const swept: number[] = []
  const writeStretch: Store['events']['writeStretch'] = async (sweep, ...rest) => {
    swept.push(sweep.endpoint.accountId)
    if (sweep.endpoint.accountId === accountId) throw new StoreUnavailable('the database refused: lock timeout')
    await store.events.writeStretch(sweep, ...rest)
  }
  let counted = 0
  const onWaiting = () => {
    counted += 1
  }
  const deletedEndpoints = () => Promise.reject(new StoreUnavailable('the database refused: lock timeout'))
  const tidied: number[] = []
  const purgeOld: Store['events']['purgeOld'] = (id, now) => {
    tidied.push(id)
    return store.events.purgeOld(id, now)
  }
  const events: Store['events'] = { ...store.events, sweeps, writeStretch, deletedEndpoints, purgeOld }
  const dispatcher = openDispatcher({ ...parts, onWaiting, store: { ...store, events } })
  t.after(() => dispatcher.close())
  for (let waited = 0; tidied.length < 2 && waited < 60; waited += 1) await sleep(50)
  assert.deepEqual([swept, counted, tidied.length], [[accountId, otherId], 1, 2], 'and is tried again later')
})

test('a clock that is set back tells each event once, and goes on by the new time', async (t) => {
  const { endpoint, register, setDeadline, sent, clock, warned, parts } = await opened(t)
  await endpoint({ kinds: ['lead.registered', 'lead.expired'] })
  const dispatcher = openDispatcher(parts)
  t.after(() => dispatcher.close())
  const told = async (count: number) => {
    for (let waited = 0; sent.length < count && waited < 100; waited += 1) await sleep(50)
    assert.equal(sent.length, count)
  }
  await register('ada@example.com')
  await setDeadline('ada@example.com', clock.at + 60)
  await told(1)
  clock.at -= 600
  await register('bob@example.com')
  await told(2)
  await sleep(1_200)
  assert.equal(sent.length, 2, 'the end is eleven minutes away')
  for (let steps = 0; steps < 3; steps += 1) {
    clock.at += 240
    await sleep(550)
  }
  await told(3)
  assert.deepEqual([new Set(sent.map(({ id }) => id)).size, warned], [3, []])
  assert.match(sent[2]?.body ?? '', /lead\.expired.*ada@/)
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

test('what a node has is told while it cannot say that it goes on', async (t) => {
  const { endpoint, register, sent, parts, store } = await opened(t)
  await endpoint(registered)
  let leased = 0
  const lease: Store['events']['lease'] = (holder, accountId) => {
    leased += 1
    if (leased > 1) throw new StoreUnavailable('the database refused: canceling statement due to lock timeout')
    return store.events.lease(holder, accountId)
  }
  const dispatcher = openDispatcher({ ...parts, store: { ...store, events: { ...store.events, lease } } })
  t.after(() => dispatcher.close())
  for (let waited = 0; leased < 3 && waited < 200; waited += 1) await sleep(50)
  await register('ada@example.com')
  for (let waited = 0; sent.length < 1 && waited < 40; waited += 1) await sleep(50)
  assert.equal(sent.length, 1)
})

test('a node that could not keep an endpoint for 18 seconds has lost it, and no other of its account', async (t) => {
  const { endpoint, store } = await opened(t)
  const { id: locked } = await endpoint(registered)
  const { id: other } = await endpoint({ ...registered, url: 'https://other.example/' })
  let kept = [locked, other]
  const lease = openLease({ ...store, events: { ...store.events, lease: async () => kept } }, true)
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  await lease.renew()
  kept = [other]
  for (const seconds of [5, 10, 15, 17.9, 18]) {
    nowMs = seconds * 1_000
    await lease.renew()
    assert.deepEqual([lease.isHeld(locked), lease.isHeld(other)], [seconds < 18, true])
  }
})

test('however many rows of an account somebody has locked, connections are left for what others are told', async (t) => {
  const { endpoint, register, sent, parts, store, settings, leads, clock, accountId } = await opened(t)
  for (let n = 0; n < 6; n += 1) await endpoint({ ...registered, url: `https://${n}.example/` })
  const { id: otherId } = await store.configuration.createAccount('Neighbour', tester)
  const { id: campaignId } = await store.configuration.applyCampaign(otherId, settings, tester)
  const { settings: wanted } = await endpoint(registered)
  await store.events.createEndpoint(otherId, { ...wanted, url: 'https://other.example/' }, testerAt(beganAt))
  const { promise: free, resolve } = Promise.withResolvers<void>()
  let waiting = 0
  const settle: Store['events']['settle'] = async (of, settled) => {
    if (of.accountId === accountId) {
      waiting += 1
      await free
    }
    await store.events.settle(of, settled)
  }
  const dispatcher = openDispatcher({ ...parts, store: { ...store, events: { ...store.events, settle } } })
  t.after(() => dispatcher.close())
  t.after(() => resolve())
  await register('ada@example.com')
  for (let waited = 0; sent.length < 7 && waited < 100; waited += 1) await sleep(50)
  const toldOther = () => sent.filter(({ url }) => url === 'https://other.example/').length
  for (const [n, email] of ['bob@example.com', 'eve@example.com'].entries()) {
    await leads.register({ accountId: otherId, campaignId }, email, clock.at)
    for (let waited = 0; toldOther() < n + 1 && waited < 100; waited += 1) await sleep(50)
  }
  await sleep(300)
  assert.deepEqual([toldOther(), waiting], [2, 2])
  resolve()
  for (let waited = 0; waiting < 7 && waited < 100; waited += 1) await sleep(50)
  await sleep(700)
  assert.deepEqual([sent.length, new Set(sent.map(({ id, url }) => url + id)).size], [9, 9])
})

test('where rows of several accounts stay locked, what others are told is stored all the same', async (t) => {
  const { endpoint, register, parts, store, settings, leads, clock } = await opened(t)
  const { settings: wanted } = await endpoint(registered)
  await endpoint(registered)
  const neighbour = async () => {
    const { id: accountId } = await store.configuration.createAccount('Neighbour', tester)
    const { id: campaignId } = await store.configuration.applyCampaign(accountId, settings, tester)
    await store.events.createEndpoint(accountId, wanted, testerAt(beganAt))
    return { accountId, campaignId }
  }
  const [locked, free] = [await neighbour(), await neighbour()]
  const tried = { locked: 0, free: 0 }
  const settle: Store['events']['settle'] = async (of, settled) => {
    const which = of.accountId === free.accountId ? 'free' : 'locked'
    tried[which] += 1
    await sleep(100)
    if (which === 'locked') throw new StoreUnavailable('the database refused: lock timeout')
    await store.events.settle(of, settled)
  }
  const dispatcher = openDispatcher({ ...parts, store: { ...store, events: { ...store.events, settle } } })
  t.after(() => dispatcher.close())
  await register('ada@example.com')
  await leads.register(locked, 'ada@example.com', clock.at)
  for (let waited = 0; tried.locked < 3 && waited < 100; waited += 1) await sleep(20)
  await leads.register(free, 'bob@example.com', clock.at)
  for (let waited = 0; tried.free < 1 && waited < 100; waited += 1) await sleep(20)
  assert.equal(tried.free, 1)
})
