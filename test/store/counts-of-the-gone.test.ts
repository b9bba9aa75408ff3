// Counts wait for a second. What is stored by then of a lead that was erased, or a campaign that was deleted, would stay
// for good.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeWhole } from '../../src/campaigns/deleted.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import type { Count } from '../../src/store/counts.ts'
import type { Campaign, Decide } from '../../src/store/model.ts'
import { type DatabaseLocation, openStore } from '../../src/store/open.ts'
import { nobody } from '../../src/store/results.ts'
import type { Store } from '../../src/store/store.ts'
import { tester } from '../support/actor.ts'
import { decisionOf } from '../support/decision.ts'
import { emptyDatabases } from '../support/empty-databases.ts'
import { ask } from '../support/postgres-databases.ts'
import { comesTrue } from '../support/prepared.ts'
import { twoNodes } from '../support/two-nodes.ts'

const options = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false }
const quarter = 1_795_000_500
const register: Decide = (campaign) => decisionOf(campaign, quarter)

async function newCampaign(store: Store, accountId: number): Promise<Campaign> {
  const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'P2D' } }
  const pages = [{ pageUrl: 'https://example.com/' }]
  const checked = checkCampaign({ name: 'Autumn course', isDraft: false, timeZone: 'Europe/Warsaw', mechanism, pages })
  assert.ok('campaign' in checked)
  return store.configuration.applyCampaign(accountId, checked.campaign, tester)
}

/** What is counted of a new lead: a click, and a visit to the page. */
async function countsOf(store: Store, campaign: Campaign, email: string): Promise<[Count, Count]> {
  const written = await store.leads.write(campaign, email, register, true)
  assert.ok(typeof written === 'object')
  const of = { accountId: campaign.accountId, campaignId: campaign.id, leadId: written.lead.id, day: 20_000 }
  const once = { ...of, fetcher: 'person', total: 1, lastAt: quarter } as const
  return [
    { ...once, kind: 'click', pageId: null },
    { ...once, kind: 'visit', pageId: campaign.pages[0]?.id as number },
  ]
}

async function rowsIn(at: DatabaseLocation, sql: string): Promise<unknown[]> {
  if (at.engine === 'postgres') return (await ask(at.url, sql)).map((row) => Object.values(row).map(Number))
  const database = new DatabaseSync(at.path, { readOnly: true })
  const rows = database.prepare(sql).all()
  database.close()
  return rows.map((row) => Object.values(row))
}

async function removeAll({ configuration }: Store): Promise<void> {
  for (const deleted of await configuration.deletedCampaigns())
    await removeWhole(configuration, deleted, async () => {})
}

for (const [engine, place] of Object.entries(emptyDatabases)) {
  test(`what waits for an erased lead is in the day's totals alone, for a deleted campaign nowhere: ${engine}`, async (t) => {
    const at = await place(t)
    const store = await openStore(at, options)
    t.after(() => store.close())
    const { id: accountId } = await store.configuration.createAccount('Owner', tester)
    const [kept, gone] = [await newCampaign(store, accountId), await newCampaign(store, accountId)]
    const ada = await countsOf(store, kept, 'ada@example.com')
    const bob = await countsOf(store, kept, 'bob@example.com')
    const eve = await countsOf(store, gone, 'eve@example.com')
    const signups = [kept, gone].map(({ id: campaignId }) => ({
      ...{ accountId, campaignId, fromAt: quarter },
      ...{ ...nobody, signedUp: 2 },
    }))
    await store.leads.erase([{ campaign: kept, email: 'ada@example.com' }], tester)
    await store.configuration.deleteCampaign(gone.id, tester)
    await removeAll(store)
    await store.counts.add([...eve, ...ada, ...bob])
    await store.counts.addSignups(signups)
    // Where nothing is left to store, nothing fails.
    await store.counts.add(eve)
    await store.counts.addSignups(signups.slice(1))

    const left = (sql: string) => rowsIn(at, sql)
    const bobId = bob[0].leadId
    assert.deepEqual(await left('SELECT lead_id, kind, total FROM lead_counts ORDER BY kind'), [
      [bobId, 0, 1],
      [bobId, 2, 1],
    ])
    assert.deepEqual(await left('SELECT lead_id FROM clicked_leads'), [[bobId]])
    assert.deepEqual(await left('SELECT campaign_id, kind, total FROM daily_counts ORDER BY kind'), [
      [kept.id, 0, 2],
      [kept.id, 2, 2],
    ])
    assert.deepEqual(await left('SELECT campaign_id, signed_up, clicked FROM signup_counts'), [[kept.id, 2, 1]])
    assert.deepEqual(await left('SELECT page_id FROM page_sightings'), [[kept.pages[0]?.id]])
    const { id, name, terms } = kept
    const { timeZone, mechanism } = terms
    const other = checkCampaign({ id, name, isDraft: false, timeZone, mechanism, pages: [] })
    assert.ok('campaign' in other)
    await store.configuration.applyCampaign(accountId, other.campaign, tester)
    await store.counts.add(bob)
    assert.deepEqual(await left('SELECT page_id FROM page_sightings'), [], 'of a page that was removed')
  })
}

/** Two nodes, and somebody who holds up the counts that one of them stores, having looked what is there. */
async function heldUp(t: TestContext, meanwhile: (elsewhere: Store, campaign: Campaign) => Promise<unknown>) {
  const { at, store, elsewhere, client } = await twoNodes(t)
  const { id: accountId } = await store.configuration.createAccount('Owner', tester)
  const campaign = await newCampaign(store, accountId)
  const counts = await countsOf(store, campaign, 'ada@example.com')
  const { leadId: _, ...rest } = counts[0]
  await store.counts.add([{ ...rest, leadId: null }])
  await client.query('BEGIN')
  await client.query('SELECT * FROM daily_counts WHERE account_id = $1 FOR UPDATE', [accountId])
  const adding = store.counts.add(counts)
  // On a divided database the lock is awaited on a worker.
  const waits = "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'INSERT INTO daily_counts%'"
  assert.ok(await comesTrue(5_000, async () => (await ask(at.url, waits)).length > 0))
  const removing = meanwhile(elsewhere, campaign)
  await Promise.race([removing, sleep(300)])
  // Who registers does not wait for that.
  const startedAt = performance.now()
  await countsOf(store, await newCampaign(store, accountId), 'bob@example.com')
  assert.ok(performance.now() - startedAt < 2_000)
  await client.query('ROLLBACK')
  await Promise.all([adding, removing])
  await removeAll(elsewhere)
  return (table: string) => rowsIn(at, `SELECT count(*) FROM ${table}`)
}

test('an erasure leaves no count of the lead that was being stored', async (t) => {
  const left = await heldUp(t, ({ leads }, campaign) => leads.erase([{ campaign, email: 'ada@example.com' }], tester))
  assert.deepEqual([...(await left('lead_counts')), ...(await left('clicked_leads'))], [[0], [0]])
  // The click that was counted before, with this one, and the visit.
  assert.deepEqual(await left('daily_counts'), [[2]])
})

test('the deletion of a campaign leaves no count that was being stored', async (t) => {
  const left = await heldUp(t, ({ configuration }, { id }) => configuration.deleteCampaign(id, tester))
  for (const table of ['lead_counts', 'clicked_leads', 'daily_counts', 'signup_counts', 'page_sightings']) {
    assert.deepEqual(await left(table), [[0]], table)
  }
})
