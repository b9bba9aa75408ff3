// What is asked for by many at once, after a start or a change, is read once; and never kept past a change.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openConfigCache } from '../../src/campaigns/config-cache.ts'
import { type CampaignSettings, checkCampaign } from '../../src/core/campaign.ts'
import { offerAt } from '../../src/core/mechanism/attempt.ts'
import { buildLeads } from '../../src/leads/leads.ts'
import { buildVisitors } from '../../src/leads/visitors.ts'
import type { Campaign, LiveKey } from '../../src/store/model.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { tester } from '../support/actor.ts'
import { emptyDatabases } from '../support/empty-databases.ts'

const timeouts = { lockWaitMs: 1_000, timeoutMs: 5_000 }
const at = Date.UTC(2030, 0, 1, 12) / 1_000

/** A store whose reads end when they are let. */
function slowStore() {
  const reads: { id: string; end(key: LiveKey | undefined): void; fail(error: Error): void }[] = []
  let changed = () => {}
  const configuration = {
    findLiveKey: (id: string) =>
      new Promise<LiveKey | undefined>((end, fail) => {
        reads.push({ id, end, fail })
      }),
  }
  const store = {
    configuration,
    onChange(listener: () => void) {
      changed = listener
    },
  } as unknown as Store
  return { known: openConfigCache(store), reads, changed: () => changed() }
}
const key = (id: string) => ({ id }) as LiveKey

test('a thousand who ask at once share one read, and the next ones need none', async () => {
  const { known, reads } = slowStore()
  const asked = Array.from({ length: 1_000 }, () => known.liveKey('a'))
  known.liveKey('b')
  assert.deepEqual(
    reads.map(({ id }) => id),
    ['a', 'b'],
  )
  reads[0]?.end(key('a'))
  for (const answer of await Promise.all(asked)) assert.deepEqual(answer, key('a'))
  assert.deepEqual(await known.liveKey('a'), key('a'))
  assert.equal(reads.length, 2)
})

test('a question after a change gets what was read after it, and that is remembered', async () => {
  const { known, reads, changed } = slowStore()
  const before = known.liveKey('a')
  changed()
  const after = known.liveKey('a')
  assert.equal(reads.length, 2)
  reads[1]?.end(undefined)
  reads[0]?.end(key('a'))
  assert.deepEqual(await before, key('a'))
  assert.equal(await after, undefined)
  known.liveKey('a')
  assert.equal(reads.length, 3)
})

test('a read that fails fails those who share it, and no one after them', async () => {
  const { known, reads } = slowStore()
  const asked = [known.liveKey('a'), known.liveKey('a')].map((one) => Promise.resolve(one))
  reads[0]?.fail(new Error('the database does not answer'))
  for (const one of await Promise.allSettled(asked)) assert.equal(one.status, 'rejected')
  const again = known.liveKey('a')
  reads[1]?.end(key('a'))
  assert.deepEqual(await again, key('a'))
})

test('10,000 entries are kept, and no more', () => {
  const { known, reads } = slowStore()
  const ask = (id: number) => void known.liveKey(String(id))
  for (let id = 1; id <= 10_000; id += 1) ask(id)
  ask(1)
  assert.equal(reads.length, 10_000)
  ask(10_001)
  ask(1)
  assert.equal(reads.length, 10_002)
})

const after = (period: string) => ({ kind: 'after', period })
const fixed = { kind: 'fixed', at: '2030-01-31T12:00' }
const changes = {
  'from a date for all to one for each': [{ deadline: fixed }, { deadline: after('PT48H') }],
  'from a date for each to one for all': [{ deadline: after('PT48H') }, { deadline: fixed }],
  'with the end of the campaign': [
    { deadline: after('PT48H'), endsAt: '2030-01-03T12:00' },
    { deadline: after('PT96H'), endsAt: '2030-01-06T12:00' },
  ],
} as const

for (const [engine, place] of Object.entries(emptyDatabases))
  for (const [name, mechanisms] of Object.entries(changes))
    test(`a lead that another server has just registered under new settings has one deadline, ${name}: ${engine}`, async (t) => {
      const store = await openStore(await place(t), { ...timeouts, poolSize: 2, isServer: false })
      t.after(() => store.close())
      const { id: accountId } = await store.configuration.createAccount('Owner', tester)
      const [older, newer] = mechanisms.map((rules) => {
        const mechanism = { startsOn: 'registration', ...rules }
        const checked = checkCampaign({ name: 'c', isDraft: false, timeZone: 'UTC', mechanism })
        assert.ok('campaign' in checked)
        return checked.campaign
      }) as [CampaignSettings, CampaignSettings]
      const { id: campaignId } = await store.configuration.applyCampaign(accountId, older, tester)
      const of = { accountId, campaignId }
      // It has not heard of the change yet.
      const cache = openConfigCache({ configuration: store.configuration, onChange: () => {} })
      const late = buildLeads(store, cache, () => {})
      await late.lookUp(of, 'ada@example.com', at)
      await store.configuration.applyCampaign(accountId, { ...newer, id: campaignId }, tester)
      const registered = await buildLeads(store, openConfigCache(store), () => {}).register(of, 'ada@example.com', at)
      assert.ok(typeof registered === 'object' && registered.offer.deadline !== null)
      for (const found of [
        await late.lookUp(of, 'ada@example.com', at),
        await late.register(of, 'ada@example.com', at),
        await buildVisitors(store, cache, late).leadIn(
          (await cache.campaign(campaignId)) as Campaign,
          registered.lead.ref,
        ),
      ]) {
        assert.ok(typeof found === 'object')
        assert.equal(offerAt(found.campaign.terms, found.lead.attempt, at).deadline, registered.offer.deadline)
      }
    })
