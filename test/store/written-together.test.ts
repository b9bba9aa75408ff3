// Leads whose writing is asked for in one turn of the event loop share a statement; nobody must notice.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { type CampaignSettings, checkCampaign } from '../../src/core/campaign.ts'
import { begin, setByHand } from '../../src/core/mechanism/attempt.ts'
import type { Campaign, Decide, Decision, Lead, LeadRefusal, LeadWrite } from '../../src/store/model.ts'
import { openStore } from '../../src/store/open.ts'
import { batcher } from '../../src/store/postgres/batcher.ts'
import type { Database } from '../../src/store/sqlite/database.ts'
import { leadWriter } from '../../src/store/sqlite/lead-writer.ts'
import type { Store } from '../../src/store/store.ts'
import { tester } from '../support/actor.ts'
import { decisionOf } from '../support/decision.ts'
import { emptyDatabases } from '../support/empty-databases.ts'
import { amount } from '../support/faults.ts'
import { twoNodes } from '../support/two-nodes.ts'

const options = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false }
const emails = [
  'ada@example.com',
  '"a\\"b, {c}"@example.com',
  "o'neil@example.com",
  'NULL',
  'Ada@example.com',
  '~@example.com',
]
const instants = [1_795_000_000, 1_795_000_001, 1_795_100_000]

const twoDays = { kind: 'after', period: 'P2D' }
const none = { kind: 'none' }

const page = { pageUrl: 'https://example.com/offer', proxyUrl: null, eligible: true }

function settings(deadline: object, id?: number): CampaignSettings {
  const mechanism = { startsOn: 'registration', deadline }
  const given = { name: '0', timeZone: 'Europe/Warsaw', isDraft: false, mechanism, ...(id && { id }) }
  const checked = checkCampaign(given)
  if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
  return checked.campaign
}

async function makeCampaign(store: Store, deadline: object = twoDays): Promise<Campaign> {
  const account = await store.configuration.createAccount('Owner', tester)
  return store.configuration.applyCampaign(account.id, settings(deadline), tester)
}

async function written(write: LeadWrite | LeadRefusal | Promise<LeadWrite | LeadRefusal>): Promise<LeadWrite> {
  const result = await write
  assert.ok(typeof result !== 'string', String(result))
  return result
}

/** Registers a lead that is new, and leaves any other as it is. */
const first =
  (at: number): Decide =>
  (campaign, lead) =>
    lead === undefined ? decisionOf(campaign, at) : undefined

const resets: Decide = (campaign, lead) => {
  const { attempt, registeredAt, ruleId } = lead as Lead
  return decisionOf(campaign, registeredAt, { ruleId, attempt: { ...attempt, resets: attempt.resets + 1 } })
}

/** Leads that differ in everything, and leads that have the same attempt but not the same registration. */
function decisionsOn(campaign: Campaign): (number: number) => Decision {
  const { terms } = campaign
  const same = begin(terms, instants[0] as number)
  return (number) => {
    // Those before and behind the border between two campaigns are alike.
    if (number % 2 === 0) return decisionOf(campaign, instants[number === 0 ? 1 : 0] as number, { attempt: same })
    const registeredAt = instants[number % instants.length] as number
    const decision = decisionOf(campaign, registeredAt)
    if (number % 3 !== 0) return decision
    return { ...decision, attempt: setByHand(terms, decision.attempt, number, registeredAt) }
  }
}

for (const [engine, place] of Object.entries(emptyDatabases)) {
  test(`leads written together are stored each as decided, under an id of its own: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const made = await Promise.all([twoDays, twoDays, none, none].map((deadline) => makeCampaign(store, deadline)))
    // On SQLite each of them has changed the version of the others.
    const campaigns = await Promise.all(made.map(({ id }) => store.configuration.findCampaign(id) as Promise<Campaign>))
    const [withRule, , without] = campaigns as [Campaign, Campaign, Campaign]
    const decisions = [decisionsOn(withRule), decisionsOn(without)]
    const asked = campaigns.flatMap((campaign, place) =>
      emails.map((email, number) => {
        const decisionOf = decisions[Math.floor(place / 2)] as (number: number) => Decision
        return { campaign, email, decision: decisionOf(number) }
      }),
    )
    const leads = await Promise.all(
      asked.map(async ({ campaign, email, decision }) => {
        const write = await written(store.leads.write(campaign, email, () => decision, true))
        assert.equal(write.before, undefined)
        return write.lead
      }),
    )
    assert.equal(new Set(leads.map(({ ref }) => ref)).size, asked.length)
    for (const [index, { campaign, email, decision }] of asked.entries()) {
      const found = (await store.leads.find(campaign, email)) as Lead
      assert.deepEqual(found, leads[index])
      assert.deepEqual([found.registeredAt, found.attempt], [decision.registeredAt, decision.attempt])
    }
  })

  test(`of those who write one email together the first makes the lead, all get it: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const campaign = await makeCampaign(store)
    const writes = await Promise.all(
      instants.map((at) => written(store.leads.write(campaign, 'ada@example.com', first(at), true))),
    )
    assert.deepEqual(
      writes.map(({ before }) => before === undefined),
      [true, false, false],
    )
    for (const { lead } of writes) assert.deepEqual(lead, { ...writes[0]?.lead, registeredAt: instants[0] })
  })

  test(`of two processes that write the same emails one makes each lead: ${engine}`, async (t) => {
    const at = await place(t)
    const stores = [await openStore(at, options), await openStore(at, options)]
    t.after(() => Promise.all(stores.map((store) => store.close())))
    const campaign = await makeCampaign(stores[0] as Store)
    const many = Array.from({ length: amount(100, 300) }, (_, n) => `${n}@example.com`)
    const writes = await Promise.all(
      many.map((email, n) =>
        Promise.all(
          [...stores, ...stores].map(async (store, who) => {
            // Not all in one turn, so that the transactions of the two take turns.
            for (let turns = (n + who) % 7; turns > 0; turns -= 1) await nextTurn()
            return written(store.leads.write(campaign, email, first(instants[who % 3] as number), true))
          }),
        ),
      ),
    )
    for (const ofEmail of writes) {
      assert.equal(ofEmail.filter(({ before }) => before === undefined).length, 1)
      for (const { lead } of ofEmail) assert.deepEqual(lead, ofEmail[0]?.lead)
    }
  })

  test(`if two processes change one lead, neither undoes the change of the other: ${engine}`, async (t) => {
    const at = await place(t)
    const stores = [await openStore(at, options), await openStore(at, options)] as const
    t.after(() => Promise.all(stores.map((store) => store.close())))
    const campaign = await makeCampaign(stores[0])
    const seen = (await written(stores[0].leads.write(campaign, 'ada@example.com', first(1), true))).lead
    const rounds = Array.from({ length: amount(8, 20) }, (_, n) => n)
    const work = async (store: Store) => {
      for (const _ of rounds) await written(store.leads.write(campaign, seen.email, resets, false))
    }
    await Promise.all(stores.map(work))
    assert.equal((await stores[1].leads.find(campaign, seen.email))?.attempt.resets, 2 * rounds.length)
  })

  test(`a lead that was erased is another one when it is registered again: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const campaign = await makeCampaign(store)
    const [email, kept] = ['gone@example.com', 'kept@example.com']
    const register = async (of: string, at: number) =>
      (await written(store.leads.write(campaign, of, first(at), true))).lead
    const [before, other] = [await register(email, instants[0] as number), await register(kept, 1)]
    assert.equal(await store.leads.erase([{ campaign, email }], tester), 1)
    assert.equal(await store.leads.erase([{ campaign, email }], tester), 0)
    assert.equal(await store.leads.find(campaign, email), undefined)
    assert.equal(await store.leads.findByRef(before.ref), undefined)
    const after = await register(email, instants[1] as number)
    assert.equal(after.registeredAt, instants[1])
    assert.notEqual(after.ref, before.ref)
    assert.deepEqual(await (await store.leads.findByRef(after.ref))?.lead(campaign), after)
    assert.equal(await store.leads.findByRef(before.ref), undefined)
    assert.deepEqual(await store.leads.find(campaign, kept), other)
  })

  test(`a decision is made on the campaign as it is inside the transaction: ${engine}`, async (t) => {
    const at = await place(t)
    const [store, elsewhere] = [await openStore(at, options), await openStore(at, options)]
    t.after(() => Promise.all([store.close(), elsewhere.close()]))
    const campaigns = await Promise.all([1, 2, 3].map(() => makeCampaign(store)))
    const [other, changed, deleted] = campaigns as [Campaign, Campaign, Campaign]
    await Promise.all([
      elsewhere.configuration.applyCampaign(changed.accountId, settings(none, changed.id), tester),
      elsewhere.configuration.deleteCampaign(deleted.id, tester),
    ])
    const decide: Decide = (campaign) => (campaign.isDraft ? 'CAMPAIGN_NOT_PUBLISHED' : decisionsOn(campaign)(0))
    const write = (campaign: Campaign) => store.leads.write(campaign, 'ada@example.com', decide, true)
    const [onOther, onChanged, onDeleted] = await Promise.all([write(other), write(changed), write(deleted)])
    assert.equal((await written(onOther)).before, undefined)
    const { campaign, lead } = await written(onChanged)
    assert.deepEqual(campaign.terms.mechanism.deadline, none)
    assert.equal(lead.attempt.deadlineAt, null)
    assert.equal(onDeleted, 'CAMPAIGN_NOT_FOUND')
    const draft = { ...settings(none, changed.id), isDraft: true }
    await elsewhere.configuration.applyCampaign(changed.accountId, draft, tester)
    for (const stale of [changed, campaign])
      assert.equal(await store.leads.write(stale, 'bob@example.com', decide, true), 'CAMPAIGN_NOT_PUBLISHED')
    assert.equal(await store.leads.find(campaign, 'bob@example.com'), undefined)
  })

  test(`a defect in one decision leaves those that were written with it alone: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const campaign = await makeCampaign(store)
    let asked = 0
    const failsInTransaction: Decide = (...known) => {
      asked += 1
      return asked === 1 ? first(1)(...known) : assert.fail('a defect')
    }
    const decisions = [first(1), () => assert.fail('a defect'), failsInTransaction, () => undefined, first(1)]
    const outcomes = await Promise.allSettled(
      decisions.map((decide, n) => store.leads.write(campaign, `${n}@example.com`, decide, false)),
    )
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled'],
    )
    const stored = await store.leads.list(campaign, { prefix: '', afterEmail: '', limit: 10 })
    assert.deepEqual(
      stored.map(({ email }) => email),
      ['0@example.com', '4@example.com'],
    )
  })

  test(`a campaign is read as it was at one moment, whatever is written meanwhile: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const campaign = await makeCampaign(store)
    let heard = 0
    store.onChange(() => {
      heard += 1
    })
    const pagesOf = (n: number) => Array.from({ length: n % 4 }, () => ({ ...page, pageUrl: `${page.pageUrl}${n}` }))
    let isOver = false
    const reading = async () => {
      for (let turns = 0; !isOver; turns = (turns + 1) % 3) {
        const { name, pages } = (await store.configuration.findCampaign(campaign.id)) as Campaign
        const number = Number(name)
        if (number > 0)
          assert.deepEqual(
            pages.map(({ pageUrl }) => pageUrl),
            pagesOf(number).map(({ pageUrl }) => pageUrl),
          )
        for (let turn = 0; turn < turns; turn += 1) await nextTurn()
      }
    }
    const readers = [reading(), reading(), reading()]
    for (let n = 1; n <= 40; n += 1) {
      const next = { ...settings(none, campaign.id), name: String(n), pages: pagesOf(n) }
      const counted = store.counts.add([])
      const before = heard
      await store.configuration.applyCampaign(campaign.accountId, next, tester)
      if (engine === 'sqlite') assert.ok(heard > before, 'a change of our own is not told of at once')
      await counted
    }
    isOver = true
    await Promise.all(readers)
  })
}

test('no more than 20,000 wait for a database that does not answer: one more is refused at once', async () => {
  const ask = batcher<number, never>(1_000, Number, () => new Promise(() => {}))
  const until = performance.now() + 300
  const write = leadWriter({} as Database, {} as never, 0)
  for (const asked of [() => ask(1, until), () => write({} as Campaign, 'ada@example.com', first(1))]) {
    const outcomes = await Promise.allSettled(Array.from({ length: 20_001 }, asked))
    const why = outcomes.flatMap((one) => (one.status === 'rejected' ? String(one.reason) : []))
    assert.equal(why.length, 20_001)
    assert.equal(why.filter((reason) => reason.includes('too many')).length, 1)
  }
})

/** On PostgreSQL, where somebody may do something to the table between a decision and its commit. */
async function onPostgres(t: TestContext) {
  const nodes = await twoNodes(t)
  return { ...nodes, campaign: await makeCampaign(nodes.store) }
}

test('settings do not change between a decision and its commit', async (t) => {
  const { store, elsewhere, client, campaign } = await onPostgres(t)
  const order: string[] = []
  let decided = () => {}
  const isDecided = new Promise<void>((resolve) => {
    decided = resolve
  })
  const decide: Decide = (...known) => {
    decided()
    return first(1)(...known)
  }
  // Who reads goes on; who writes waits, having decided.
  await client.query('BEGIN; LOCK TABLE leads IN SHARE MODE')
  const writing = store.leads.write(campaign, 'ada@example.com', decide, true).then(() => order.push('lead'))
  await isDecided
  const draft = { ...settings(twoDays, campaign.id), isDraft: true }
  const changing = elsewhere.configuration
    .applyCampaign(campaign.accountId, draft, tester)
    .then(() => order.push('draft'))
  await Promise.race([changing, sleep(300)])
  await client.query('COMMIT')
  await Promise.all([writing, changing])
  assert.deepEqual(order, ['lead', 'draft'])
})

test('a lead that another process is changing is decided on as that process leaves it', async (t) => {
  const { store, client, campaign } = await onPostgres(t)
  const { lead } = await written(store.leads.write(campaign, 'ada@example.com', first(1), true))
  await client.query('BEGIN; UPDATE leads SET registered_at = 2')
  const writing = written(store.leads.write(campaign, lead.email, resets, false))
  await sleep(300)
  await client.query('COMMIT')
  await writing
  const found = await store.leads.find(campaign, lead.email)
  assert.deepEqual([found?.registeredAt, found?.attempt.resets], [2, 1])
})

test('one email that is changed in two campaigns together is changed in each', async (t) => {
  const { store, client, campaign } = await onPostgres(t)
  const other = await store.configuration.applyCampaign(campaign.accountId, settings(none), tester)
  const write = (one: Campaign, decide: Decide) => written(store.leads.write(one, 'ada@example.com', decide, false))
  await Promise.all([write(campaign, first(1)), write(other, first(1))])
  // What is asked while one waits for somebody's lock is written together.
  await client.query('BEGIN; UPDATE leads SET registered_at = 2')
  const writing = []
  for (const one of [campaign, other, campaign]) {
    writing.push(write(one, resets))
    await sleep(200)
  }
  await client.query('COMMIT')
  await Promise.all(writing)
  const found = await Promise.all([campaign, other].map((one) => store.leads.find(one, 'ada@example.com')))
  assert.deepEqual(
    found.map((lead) => lead?.attempt.resets),
    [2, 1],
  )
})

test('what is not committed is not answered', async (t) => {
  const { store, client, campaign } = await onPostgres(t)
  await client.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
    CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON leads DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION refuse()`)
  const writing = store.leads.write(campaign, 'ada@example.com', first(1), true)
  await assert.rejects(writing, { name: 'StoreUnavailable' })
  assert.equal(await store.leads.find(campaign, 'ada@example.com'), undefined)
})
