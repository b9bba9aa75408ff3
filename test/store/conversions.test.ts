// Orders on both engines: one row each, with all that an order does, as one step.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openConfigCache } from '../../src/campaigns/config-cache.ts'
import { removeWhole } from '../../src/campaigns/deleted.ts'
import { type CampaignSettings, checkCampaign } from '../../src/core/campaign.ts'
import { causeOf, checkEndpoint, eventKinds } from '../../src/core/events.ts'
import { offerAt } from '../../src/core/mechanism/attempt.ts'
import type { Buyer, Order } from '../../src/core/order.ts'
import { convert, reverse } from '../../src/leads/conversions.ts'
import { buildLeads } from '../../src/leads/leads.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { tester, testerAt } from '../support/actor.ts'
import { emptyDatabases } from '../support/empty-databases.ts'
import { amount } from '../support/faults.ts'

const options = { lockWaitMs: 5_000, timeoutMs: 20_000, poolSize: 2, isServer: false }
const late = 4_000_000_000
const hour = 3_600
const ada = { email: 'ada@example.com' }

function settings(changes: object = {}): CampaignSettings {
  const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' } }
  const file = { name: 'c', isDraft: false, timeZone: 'Europe/Warsaw', mechanism, conversion: { closes: true } }
  const checked = checkCampaign({ ...file, ...changes })
  assert.ok('campaign' in checked)
  return checked.campaign
}

const order = (orderId: string, at: number, changes: Partial<Order> = {}) => ({
  ...{ orderId, at, amount: 4_900, currency: 'EUR' },
  ...changes,
})

async function opened(store: Store, changes: object = {}) {
  const { id: accountId } = await store.configuration.createAccount('Owner', tester)
  const campaign = await store.configuration.applyCampaign(accountId, settings(changes), tester)
  const of = { accountId, campaignId: campaign.id }
  const leads = buildLeads(store, openConfigCache(store), () => {})
  const buy = async (buyer: Buyer, orderId: string, now: number, more: Partial<Order> = {}) => {
    const told = { buyer, order: order(orderId, now, more), source: 'api' as const }
    const converted = await convert(store, of, told, now, tester)
    assert.ok(typeof converted !== 'string', String(converted))
    return converted
  }
  const offer = async (now: number) => {
    const lead = await store.leads.find(campaign, ada.email)
    assert.ok(lead)
    return offerAt(campaign.terms, lead.attempt, now)
  }
  const counted = async () =>
    (await store.conversions.ordersByQuarter(campaign)).map(({ fromAt, total }) => [fromAt, total])
  return { of, campaign, leads, buy, offer, counted }
}

for (const [engine, place] of Object.entries(emptyDatabases)) {
  test(`a purchase ends the offer at once, and is kept with the deadline as it was: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, campaign, buy, offer, counted } = await opened(store)
    const registered = await leads.register(of, ada.email, 100)
    assert.ok(typeof registered !== 'string')
    const { conversion, created } = await buy({ ref: registered.lead.ref }, '1001', 100 + hour - 41)
    assert.ok(created)
    assert.equal((conversion.deadlineAt as number) - conversion.at, 41)
    assert.deepEqual([conversion.email, conversion.registeredAt, conversion.attempt], [ada.email, 100, 1])
    assert.deepEqual(await offer(100 + hour - 41), {
      ...{ state: 'expired', opensAt: null, deadline: 100 + hour - 41, attempt: 1, cycle: 1 },
    })
    const again = await buy(ada, '1001', 100 + hour + 5, { amount: 1 })
    assert.deepEqual(again, { conversion, created: false })
    const late = await buy(ada, '1002', 100 + hour + 1)
    assert.equal(late.conversion.closedAt, null)
    assert.equal((await offer(late.conversion.at)).deadline, 100 + hour - 41, 'a late payment moves no deadline')
    assert.deepEqual(await counted(), [[3_600, 2]])
    assert.deepEqual(await store.conversions.list(campaign, 0, 1), [conversion])
    assert.deepEqual(await store.conversions.list(campaign, conversion.id, 9), [late.conversion])
    const { id: campaignId } = await store.configuration.applyCampaign(of.accountId, settings(), tester)
    await leads.register({ ...of, campaignId }, ada.email, 100)
    const elsewhere = { buyer: { ref: registered.lead.ref }, order: order('1', 200), source: 'api' as const }
    assert.equal(await convert(store, { ...of, campaignId }, elsewhere, 200, tester), 'LEAD_NOT_FOUND')
  })

  test(`an order that is told after another one has ended the offer has the deadline of when it was bought: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, buy, offer } = await opened(store)
    await leads.register(of, ada.email, 100)
    await buy(ada, '1', 1_000)
    const left = async (orderId: string, at: number) => {
      const { conversion } = await buy(ada, orderId, 2_000, { at })
      return [(conversion.deadlineAt as number) - at, conversion.closedAt]
    }
    assert.deepEqual(await left('2', 900), [100 + hour - 900, null])
    assert.deepEqual(await left('3', 1_000), [0, null])
    assert.deepEqual(await left('4', 1_500), [-500, null])
    assert.equal((await offer(2_000)).deadline, 1_000)
    await leads.setDeadline(of, ada.email, 3_000, testerAt(2_100))
    await buy(ada, '5', 2_200, { at: 2_180 })
    assert.equal((await offer(2_200)).deadline, 2_200, 'it ends when that is told')
    const { conversion } = await buy(ada, '6', 2_300, { at: 2_150 })
    assert.equal(conversion.deadlineAt, 3_000)
    assert.equal((await buy(ada, '7', 2_400, { at: 900 })).conversion.deadlineAt, 100 + hour, 'before any hand')
  })

  test(`an order bought before a deadline was set by hand has the rule's, also after another order ended the offer: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, buy } = await opened(store)
    await leads.register(of, ada.email, 100)
    await leads.setDeadline(of, ada.email, 3_000, testerAt(1_000))
    await buy(ada, '1', 1_100)
    const found = async (at: number) => (await buy(ada, String(at), 1_200, { at })).conversion.deadlineAt
    assert.deepEqual([await found(999), await found(1_000)], [100 + hour, 3_000])
  })

  test(`an order that is told after a deadline was set by hand has the deadline of when it was bought: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, buy } = await opened(store, { conversion: undefined })
    await leads.register(of, ada.email, 100)
    for (const deadlineAt of [9_000, 120]) {
      await leads.setDeadline(of, ada.email, null, testerAt(150))
      await leads.setDeadline(of, ada.email, deadlineAt, testerAt(200))
      const found = async (at: number) => (await buy(ada, `${deadlineAt} ${at}`, 300, { at })).conversion.deadlineAt
      assert.deepEqual([await found(199), await found(200)], [100 + hour, deadlineAt])
    }
    await leads.setDeadline(of, ada.email, 5_000, testerAt(250))
    const { conversion } = await buy(ada, '1', 300, { at: 249 })
    assert.equal(conversion.deadlineAt, 100 + hour, 'a deadline by hand that another hand has replaced is not kept')
  })

  test(`an order that is told after the lead's first visit, and was bought before it, had no deadline: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const mechanism = { startsOn: 'visit', deadline: { kind: 'after', period: 'PT1H' }, reset: { enabled: true } }
    const { of, leads, buy } = await opened(store, { mechanism, conversion: undefined })
    const found = async (at: number) => (await buy(ada, String(at), 900, { at })).conversion.deadlineAt
    await leads.register(of, ada.email, 100)
    await leads.visit(of, ada.email, 500)
    assert.deepEqual([await found(499), await found(500)], [null, 500 + hour])
    await leads.setDeadline(of, ada.email, 9_000, testerAt(600))
    assert.deepEqual([await found(498), await found(599), await found(600)], [null, 500 + hour, 9_000])
    await leads.setDeadline(of, ada.email, null, testerAt(700))
    await leads.register(of, ada.email, 800)
    assert.equal(await found(497), 800 + hour, 'a reset counts as it stands')
  })

  test(`an order after the deadline changes nothing of the offer, nor one of a campaign that stays open: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const closing = await opened(store)
    await closing.leads.register(closing.of, ada.email, 100)
    const before = await closing.offer(100 + hour)
    assert.equal((await closing.buy(ada, '1', 100 + hour)).conversion.closedAt, null)
    assert.deepEqual(await closing.offer(100 + hour), before)
    const open = await opened(store, { conversion: undefined })
    await open.leads.register(open.of, ada.email, 100)
    assert.equal((await open.buy(ada, '1', 200)).conversion.closedAt, null)
    assert.equal((await open.offer(200)).state, 'open')
    const { conversion } = await closing.buy(ada, '2', 100 + hour + 9, { at: 100 + hour - 1 })
    assert.equal(conversion.deadlineAt, 100 + hour, 'what was told later counts for when it was bought')
    assert.equal(conversion.closedAt, null)
  })

  test(`one order told often at once, also of two leads, is one row and one closing: ${engine}`, async (t) => {
    const at = await place(t)
    const nodes = [await openStore(at, options)]
    if (engine === 'postgres') nodes.push(await openStore(at, options))
    t.after(() => Promise.all(nodes.map((node) => node.close())))
    const [store] = nodes as [Store]
    const { of, leads, campaign, counted } = await opened(store)
    const emails = ['a@example.com', 'b@example.com']
    for (const email of emails) await leads.register(of, email, 100)
    const times = amount(60, 1_000)
    const told = await Promise.all(
      Array.from({ length: times }, (_, index) => {
        const node = nodes[index % nodes.length] as Store
        const buyer = { email: emails[index % 3 === 0 ? 1 : 0] as string }
        return convert(node, of, { buyer, order: order('1', 200), source: 'api' }, 200, tester)
      }),
    )
    assert.equal(told.filter((one) => typeof one !== 'string' && one.created).length, 1)
    const found = await store.conversions.list(campaign, 0, 10)
    assert.equal(found.length, 1)
    const states = await Promise.all(emails.map((email) => leads.lookUp(of, email, 200)))
    const closed = states.filter((one) => typeof one !== 'string' && one.offer.state === 'expired')
    assert.equal(closed.length, 1)
    assert.deepEqual(await counted(), [[0, 1]])
    const elsewhere = await opened(store)
    await elsewhere.leads.register(elsewhere.of, ada.email, 100)
    assert.ok((await elsewhere.buy(ada, '1', 200)).created, 'another account has an order of that name of its own')
  })

  test(`a refund no longer counts, and gives the offer back only where it is asked to: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, campaign, leads, buy, offer, counted } = await opened(store)
    await leads.register(of, ada.email, 100)
    const before = await offer(150)
    await buy(ada, '1', 200)
    const reversed = await reverse(store, of, '1', false, 300, tester)
    assert.ok(typeof reversed === 'object' && reversed.reversedAt === 300)
    assert.equal((await offer(300)).state, 'expired')
    assert.deepEqual(await reverse(store, of, '1', true, 400, tester), reversed, 'it was reversed before')
    assert.deepEqual(await offer(400), before)
    assert.deepEqual(await counted(), [])
    assert.equal(await reverse(store, of, '9', true, 400, tester), 'CONVERSION_NOT_FOUND')
    await leads.setDeadline(of, ada.email, 5_000, testerAt(500))
    await buy(ada, '2', 500)
    await reverse(store, of, '2', true, 500, tester)
    assert.equal((await offer(500)).deadline, 5_000, 'the deadline by hand stands again')
    await buy(ada, '3', 600)
    await leads.setDeadline(of, ada.email, 7_000, testerAt(600))
    await reverse(store, of, '3', true, 600, tester)
    assert.equal((await offer(600)).deadline, 7_000, 'a later hand has set another')
    const { entries } = await store.audit.listEntries(of.accountId, { action: 'lead.order_reversed' }, late, 9)
    const reopens = entries.map(({ after }) => (after as { reopensOffer: boolean }).reopensOffer)
    assert.deepEqual(reopens, [false, true, true, false], 'reopening later is an entry, too')
    await leads.setDeadline(of, ada.email, null, testerAt(650))
    await buy(ada, '6', 660)
    await reverse(store, of, '6', true, 660, tester)
    assert.ok((await buy(ada, '7', 660)).conversion.closedAt, 'another one ends it in the same second')
    for (const isSeventhReversed of [false, true]) {
      if (isSeventhReversed) await reverse(store, of, '7', false, 660, tester)
      await reverse(store, of, '6', true, 661, tester)
      assert.equal((await offer(661)).deadline, 660, 'a repeat for the first leaves what the other one has ended')
    }
    const converted = async () => (await store.conversions.peopleBetween(campaign, 0, 900)).converted
    for (const orderId of ['4', '5']) await buy(ada, orderId, 700)
    await reverse(store, of, '4', false, 700, tester)
    assert.equal(await converted(), 1, 'one of two orders')
    await reverse(store, of, '5', false, 700, tester)
    assert.equal(await converted(), 0)
  })

  test(`an erased lead leaves sums and a hash of its orders, by which a repeat is known: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, campaign, buy, counted } = await opened(store)
    await leads.register(of, ada.email, 100)
    await buy(ada, `for-${ada.email}`, 200)
    await buy(ada, '2', 300)
    await store.leads.erase([{ campaign, email: ada.email }], testerAt(400))
    const left = await store.conversions.list(campaign, 0, 10)
    assert.doesNotMatch(JSON.stringify(left), /ada|"2"/)
    assert.deepEqual(
      left.map(({ email, leadId, amount }) => [email, leadId, amount]),
      [1, 2].map(() => [null, -(left[0]?.id as number), 4_900]),
    )
    assert.deepEqual(await counted(), [[0, 2]])
    const again = await buy(ada, '2', 500)
    assert.deepEqual([again.created, again.conversion.id], [false, left[1]?.id])
    await reverse(store, of, '2', false, 500, tester)
    const { entries } = await store.audit.listEntries(of.accountId, { action: 'lead.order_reversed' }, late, 9)
    assert.deepEqual(
      entries.map(({ subject }) => subject.id),
      ['erased'],
    )
    assert.equal(
      await convert(store, of, { buyer: ada, order: order('3', 500), source: 'api' }, 500, tester),
      'LEAD_NOT_FOUND',
    )
    const { accountId } = of
    assert.equal(
      await convert(
        store,
        { ...of, accountId: accountId + 1 },
        { buyer: ada, order: order('2', 500), source: 'api' },
        1,
        tester,
      ),
      'CAMPAIGN_NOT_FOUND',
    )
    const deleted = await store.configuration.deleteCampaign(campaign.id, tester)
    assert.ok(deleted)
    await removeWhole(store.configuration, deleted, async () => {})
    assert.deepEqual(await store.conversions.list(campaign, 0, 10), [])
  })

  test(`people who bought are counted exactly while orders are reversed at once, and while the lead is erased: ${engine}`, async (t) => {
    const store = await openStore(await place(t), { ...options, poolSize: 6 })
    t.after(() => store.close())
    const { of, leads, campaign, buy } = await opened(store)
    const converted = async () => (await store.conversions.peopleBetween(campaign, 0, 900)).converted
    const erase = () => store.leads.erase([{ campaign, email: ada.email }], testerAt(300))
    const undo = (orderId: string) => reverse(store, of, orderId, false, 300, tester)
    for (let round = 0; round < amount(3, 100); round += 1) {
      await leads.register(of, ada.email, 100)
      const orderIds = Array.from({ length: 6 }, (_, index) => `${round}-${index}`)
      for (const orderId of orderIds) await buy(ada, orderId, 200)
      const [first, ...others] = orderIds
      await Promise.all([undo(first as string), erase()])
      assert.equal(await converted(), 1, 'others stand')
      await Promise.all(others.map(undo))
      assert.equal(await converted(), 0)
    }
  })

  test(`each order is told of as lead.converted, and not as a change of the deadline: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { of, leads, buy } = await opened(store)
    const checked = checkEndpoint(
      { name: 'shop', url: 'https://example.com/', kinds: eventKinds.filter((kind) => /^lead.[cde].*ed$/.test(kind)) },
      () => undefined,
    )
    assert.ok('settings' in checked)
    const endpoint = await store.events.createEndpoint(of.accountId, checked.settings, testerAt(50))
    await leads.register(of, ada.email, 100)
    for (const orderId of ['1', '2']) await buy(ada, orderId, 200)
    await reverse(store, of, '1', true, 300, tester)
    const due = await store.events.due(endpoint, late, 100)
    assert.deepEqual(
      due.map(({ dueAt, kind }) => `${dueAt} ${kind}`),
      ['200 lead.converted', '200 lead.converted', '300 lead.deadline_changed', `${100 + hour} look`],
    )
    assert.notEqual(due[0]?.detail, due[1]?.detail)
    await leads.setDeadline(of, ada.email, 5_000, testerAt(400))
    await buy(ada, '3', 500)
    await reverse(store, of, '3', true, 600, tester)
    const changes = (await store.events.due(endpoint, late, 100)).filter(({ kind }) => kind === 'lead.deadline_changed')
    const causes = changes.map(({ dueAt, detail }) => `${dueAt} ${causeOf(detail)}`)
    assert.deepEqual(causes, ['300 cleared', '400 set', '600 set'], 'a reversal says which deadline it gives back')
  })
}
