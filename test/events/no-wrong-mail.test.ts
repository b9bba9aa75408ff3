// Nobody who bought is told that they missed it: random stories of leads whose orders end their offers, each walked
// through to its end, with what is told at each instant.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openConfigCache } from '../../src/campaigns/config-cache.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import { checkEndpoint, wantedKinds } from '../../src/core/events.ts'
import { plan } from '../../src/events/plan.ts'
import { convert, reverse } from '../../src/leads/conversions.ts'
import { buildLeads } from '../../src/leads/leads.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { tester, testerAt } from '../support/actor.ts'
import { emptyDatabases } from '../support/empty-databases.ts'
import { amount, chance, printSeed } from '../support/faults.ts'

const options = { lockWaitMs: 5_000, timeoutMs: 20_000, poolSize: 2, isServer: false }
const stories = amount(30, 5_000)
const begin = 1_790_000_000
const span = 120
const pick = (below: number) => Math.floor(chance() * below)

const mechanisms = [
  { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1M' } },
  { startsOn: 'visit', deadline: { kind: 'after', period: 'PT1M' } },
  { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1M' }, reset: { enabled: true } },
  { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1M' }, retry: { enabled: true, after: 'PT1M' } },
  { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1M' }, cycle: { enabled: true, pause: 'PT1M' } },
]

type Happening = { at: number; work(): Promise<unknown> }

async function place(store: Store) {
  const { id: accountId } = await store.configuration.createAccount('Owner', tester)
  const checked = checkEndpoint(
    { name: 'shop', url: 'https://example.com/', kinds: wantedKinds, leadTimes: ['PT1M'] },
    () => undefined,
  )
  assert.ok('settings' in checked)
  const endpoint = await store.events.createEndpoint(accountId, checked.settings, tester)
  const campaigns = await Promise.all(
    mechanisms.map(async (mechanism) => {
      const file = { name: 'c', isDraft: false, timeZone: 'UTC', mechanism, conversion: { closes: true } }
      const campaign = checkCampaign(file)
      assert.ok('campaign' in campaign)
      return (await store.configuration.applyCampaign(accountId, campaign.campaign, tester)).id
    }),
  )
  return { accountId, endpoint, campaigns }
}

for (const [engine, newPlace] of Object.entries(emptyDatabases)) {
  test(`lead.expired is told of nobody who converted before it, in ${stories} stories: ${engine}`, async (t) => {
    printSeed(t)
    const store = await openStore(await newPlace(t), options)
    t.after(() => store.close())
    const { accountId, endpoint, campaigns } = await place(store)
    const configCache = openConfigCache(store)
    const leads = buildLeads(store, configCache, () => {})
    const happenings: Happening[] = []
    for (let story = 0; story < stories; story += 1) {
      const email = `${story}@example.com`
      const of = { accountId, campaignId: campaigns[pick(campaigns.length)] as number }
      const from = begin + pick(30)
      happenings.push({ at: from, work: () => leads.register(of, email, from) })
      for (let step = pick(5); step > 0; step -= 1) {
        const at = from + pick(span)
        const orderId = `${story}-${step}`
        const told = { buyer: { email }, order: { orderId, at, amount: null, currency: null }, source: 'api' as const }
        const works = [
          () => leads.register(of, email, at),
          () => leads.visit(of, email, at),
          () => leads.setDeadline(of, email, pick(5) === 0 ? null : at + pick(90) - 10, testerAt(at)),
          () => convert(store, of, told, at, tester),
          () => convert(store, of, told, at, tester),
          async () => {
            await convert(store, of, told, at, tester)
            await reverse(store, of, orderId, pick(2) === 0, at, tester)
          },
        ]
        happenings.push({ at, work: works[pick(works.length)] as () => Promise<unknown> })
      }
    }
    happenings.sort((a, b) => a.at - b.at)
    const told: { kind: string; email: string; campaignId: number; at: number; toldAt: number }[] = []
    const parts = { store, configCache, site: { publicUrl: 'https://offers.example.com' } }
    for (let now = begin; now <= begin + 4 * span; now += 1) {
      while (happenings[0] && happenings[0].at <= now) await happenings.shift()?.work()
      for (;;) {
        const due = await store.events.due(endpoint, now, 200)
        if (due.length === 0) break
        const planned = await plan(parts, endpoint, due, now)
        for (const { body, campaignId } of planned.flatMap(({ events }) => events)) {
          told.push({
            kind: body.type,
            email: String(body.data.email),
            campaignId,
            at: Date.parse(body.timestamp) / 1_000,
            toldAt: now,
          })
        }
        await store.events.settle(endpoint, { done: due, failed: [], looks: planned.flatMap(({ look }) => look ?? []) })
      }
    }
    const kinds = (kind: string) => told.filter((one) => one.kind === kind)
    assert.ok(kinds('lead.expired').length > stories / 10, 'some have missed it')
    assert.ok(kinds('lead.converted').length > stories / 10, 'some have bought')
    const bought = new Map<string, { at: number; reversedAt: number | null }[]>()
    for (const campaignId of campaigns) {
      const campaign = await store.configuration.findCampaign(campaignId)
      assert.ok(campaign)
      for (const { email, at, reversedAt } of await store.conversions.list(campaign, 0, 100_000)) {
        const own = bought.get(`${email}`) ?? []
        bought.set(`${email}`, [...own, { at, reversedAt }])
      }
    }
    const wrong = kinds('lead.expired').filter(({ email, at, toldAt }) =>
      bought.get(email)?.some((one) => one.at <= at && (one.reversedAt === null || one.reversedAt > toldAt)),
    )
    assert.deepEqual(wrong, [])
  })
}
