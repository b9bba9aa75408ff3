// What an account sees first, at instants of our own choice, on both engines.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createKey, replaceKey } from '../../src/access/keys.ts'
import { openConfigCache } from '../../src/campaigns/config-cache.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import { checkEndpoint } from '../../src/core/events.ts'
import { formatInstant, parseInstant } from '../../src/core/instant.ts'
import { campaignRoutes } from '../../src/http/panel/campaigns.ts'
import { overviewRoutes } from '../../src/http/panel/overview.ts'
import { openCounting } from '../../src/leads/counting.ts'
import { buildLeads } from '../../src/leads/leads.ts'
import type { Campaign, Key } from '../../src/store/model.ts'
import type { Store } from '../../src/store/store.ts'
import { tester, testerAt } from '../support/actor.ts'
import { campaignFile, installation } from '../support/lastcall.ts'

type Overview = Awaited<ReturnType<(typeof overviewRoutes)['GET /overview']['run']>>
type Given = {
  store: Store
  make(changes: Record<string, unknown>): Promise<Campaign>
  /** One more lead of the campaign. */
  register(campaign: Campaign, at: string): Promise<void>
  overview(at: string, tools?: { countdownTools: boolean }): Promise<Overview>
}

const seconds = (text: string) => parseInstant(text) as number

async function withAccount(t: TestContext, work: (given: Given) => Promise<void>): Promise<void> {
  await installation(t).arrange(async (store) => {
    const account = await store.configuration.createAccount('Owner', tester)
    await work({
      store,
      async make(changes) {
        const checked = checkCampaign(JSON.parse(campaignFile(changes)))
        assert.ok('campaign' in checked, JSON.stringify(checked))
        return store.configuration.applyCampaign(account.id, checked.campaign, tester)
      },
      async register(campaign, at) {
        const counting = openCounting(store, (lost) => assert.fail(`lost ${lost}`))
        counting.stepped(campaign, { registeredAt: seconds(at), isNew: true, hasStarted: true })
        await counting.close()
      },
      overview: async (at, tools) =>
        overviewRoutes['GET /overview'].run({
          ...{
            session: { account: { ...account, ...tools } },
            parts: { store, configCache: openConfigCache(store) },
            now: seconds(at),
          },
        } as never),
    })
  })
}

const lastDays = ({ days }: Overview) => days.slice(-2).map(({ date, registration }) => `${date}: ${registration}`)

test('a registration after midnight in Warsaw counts for today, and one in the evening in New York too', async (t) => {
  await withAccount(t, async ({ make, register, overview }) => {
    const warsaw = await make({ timeZone: 'Europe/Warsaw' })
    const early = '2026-01-15T23:30:00Z'
    await register(warsaw, early)
    assert.deepEqual(lastDays(await overview(early)), ['2026-01-15: 0', '2026-01-16: 1'])
    assert.equal((await overview(early)).days.length, 30)
  })
  await withAccount(t, async ({ make, register, overview }) => {
    const newYork = await make({ timeZone: 'America/New_York' })
    const late = '2026-01-16T02:00:00Z'
    await register(newYork, late)
    assert.deepEqual(lastDays(await overview(late)), ['2026-01-14: 0', '2026-01-15: 1'])
  })
})

test('the last day is the latest one of all campaigns, those too that are not looked at', async (t) => {
  await withAccount(t, async ({ make, register, overview }) => {
    const at = '2026-01-15T23:30:00Z'
    const kiritimati = await make({ timeZone: 'Pacific/Kiritimati' })
    await make({ timeZone: 'America/Los_Angeles' })
    assert.deepEqual(lastDays(await overview(at)), ['2026-01-15: 0', '2026-01-16: 0'])
    for (let more = 0; more < 50; more += 1) await make({ timeZone: 'America/Los_Angeles' })
    assert.deepEqual(lastDays(await overview(at)), ['2026-01-14: 0', '2026-01-15: 0'])
    await register(kiritimati, at)
    assert.deepEqual(lastDays(await overview(at)), ['2026-01-15: 0', '2026-01-16: 1'])
  })
})

test('published campaigns are counted, the newest of them are looked at, and the answer has both numbers', async (t) => {
  await withAccount(t, async ({ make, overview }) => {
    const at = '2026-01-15T12:00:00Z'
    const over = { deadline: { kind: 'fixed', at: '2026-01-01T00:00' }, startsOn: 'registration' }
    for (const name of ['oldest', 'older', 'newer']) await make({ name, mechanism: over })
    const before = await overview(at)
    assert.deepEqual(before.campaigns, { published: 3, looked: 3 })
    assert.equal(before.open.isAll, true)
    for (let more = 0; more < 48; more += 1) await make({ name: 'young' })
    for (let more = 0; more < 3; more += 1) await make({ name: 'draft', isDraft: true })
    const { campaigns, open, attention } = await overview(at)
    assert.deepEqual(campaigns, { published: 51, looked: 50 })
    assert.deepEqual(open, { count: 0, isAll: true })
    const told = attention.filter(({ what }) => what === 'OVER').map(({ name }) => name)
    assert.deepEqual(told, ['newer', 'older'])
  })
})

test('a campaign is over by its date or its end, whatever its deadline; an end is a deadline', async (t) => {
  await withAccount(t, async ({ make, overview }) => {
    const [past, future] = ['2026-01-01T00:00', '2026-12-31T00:00']
    const kinds = {
      fixed: { kind: 'fixed', at: future },
      after: { kind: 'after', period: 'PT48H' },
      weekly: { kind: 'next', closes: { every: 'week', on: ['fri'], time: '20:00' } },
      none: { kind: 'none' },
    }
    const startsOn = 'registration'
    for (const [name, deadline] of Object.entries(kinds)) {
      await make({ name: `${name}, goes on`, mechanism: { startsOn, deadline } })
      await make({ name: `${name}, ends`, mechanism: { startsOn, deadline, endsAt: future } })
      await make({ name: `${name}, ended`, mechanism: { startsOn, deadline, endsAt: past } })
    }
    await make({ name: 'fixed, was', mechanism: { startsOn, deadline: { kind: 'fixed', at: past } } })
    const { attention } = await overview('2026-01-15T12:00:00Z')
    const named = (code: string) => attention.filter(({ what }) => what === code).map(({ name }) => name)
    assert.deepEqual(named('OVER').toSorted(), [
      ...['after, ended', 'fixed, ended', 'fixed, was', 'none, ended', 'weekly, ended'],
    ])
    assert.deepEqual(named('NO_DEADLINE'), ['none, goes on'])
  })
})

test('a published campaign is named until its widget is seen on a page', async (t) => {
  await withAccount(t, async ({ store, make, overview }) => {
    const campaign = await make({ name: 'unseen' })
    const about = async () =>
      (await overview('2026-01-15T12:00:00Z')).attention.filter(({ what }) => what === 'WIDGET_NEVER_SEEN')
    assert.deepEqual(
      (await about()).map(({ name }) => name),
      ['unseen'],
    )
    const { attention } = await overview('2026-01-15T12:00:00Z', { countdownTools: false })
    assert.deepEqual(
      attention.map(({ what }) => what),
      ['TOOLS_OFF', 'NO_KEY'],
    )
    const counting = openCounting(store, (lost) => assert.fail(`lost ${lost}`))
    const pageId = campaign.pages[0]?.id ?? null
    counting.count({ campaign, pageId, leadId: null, kind: 'visit', fetcher: 'person' }, Date.now())
    await counting.close()
    assert.deepEqual(await about(), [])
  })
})

test('a replaced key that still works is named with its end, and no key is said to be missing', async (t) => {
  await withAccount(t, async ({ store, overview }) => {
    const at = '2026-01-15T12:00:00Z'
    const about = async (when: string) =>
      (await overview(when)).attention.filter(({ what }) => what === 'NO_KEY' || what === 'KEY_ENDS')
    assert.deepEqual(
      (await about(at)).map(({ what }) => what),
      ['NO_KEY'],
    )
    const [account] = await store.configuration.listAccounts()
    const old = await createKey(store, account?.id as number, 'Shop', testerAt(seconds(at)))
    const key = async () => (await store.configuration.findKey(old.id)) as Key
    const next = await replaceKey(store, await key(), 'Shop', 86_400, testerAt(seconds(at)))
    assert.deepEqual(await about(at), [])
    await store.configuration.revokeKey(next?.id as string, testerAt(seconds(at)))
    const until = seconds('2026-01-16T12:00:00Z')
    assert.deepEqual(await about(at), [{ what: 'KEY_ENDS', id: null, name: 'Shop', until }])
    assert.deepEqual(
      (await about('2026-01-16T12:00:00Z')).map(({ what }) => what),
      ['NO_KEY'],
    )
  })
})

test('a server that has accepted nothing for an hour is told of, whatever it answers, unless a user paused it', async (t) => {
  await withAccount(t, async ({ store, overview }) => {
    const at = '2026-01-15T12:00:00Z'
    const [account] = await store.configuration.listAccounts()
    const asked = { url: 'https://example.com/', kinds: ['lead.registered'] }
    const endpoint = async (name: string, failures: number, minutes: number) => {
      const checked = checkEndpoint({ ...asked, name }, () => undefined)
      assert.ok('settings' in checked)
      const made = await store.events.createEndpoint(account?.id as number, checked.settings, tester)
      const failingSince = seconds(at) - minutes * 60
      await store.events.setHealth(made, { failingSince, failures, nextTryAt: null }, seconds(at))
      return made
    }
    await endpoint('refuses, a while', 0, 59)
    await endpoint('refuses', 0, 61)
    await endpoint('fails', 5, 1)
    await store.events.pauseEndpoint(await endpoint('fails, paused by hand', 5, 61), 'user', tester)
    await store.events.pauseEndpoint(await endpoint('gone', 0, 1), 'gone', tester)
    const { attention } = await overview(at)
    assert.deepEqual(
      attention.filter(({ what }) => what.startsWith('WEBHOOK')).map(({ what, name }) => `${what}: ${name}`),
      ['WEBHOOK_FAILS: refuses', 'WEBHOOK_FAILS: fails', 'WEBHOOK_PAUSED: gone'],
    )
  })
})

test('open offers are counted in every published campaign, however many are newer', async (t) => {
  await withAccount(t, async ({ store, make, overview }) => {
    const at = '2026-01-15T12:00:00Z'
    const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'PT48H' } }
    const oldest = await make({ name: 'oldest', mechanism })
    const leads = buildLeads(store, openConfigCache(store), () => {})
    const of = { accountId: oldest.accountId, campaignId: oldest.id }
    for (let n = 0; n < 20; n += 1) await leads.register(of, `lead-${n}@example.com`, seconds(at) - n * 10_000)
    for (let more = 0; more < 60; more += 1) await make({ name: 'newer', mechanism })
    // Eighteen of them signed up less than 48 hours ago.
    assert.deepEqual((await overview(at)).open, { count: 18, isAll: true })
  })
})

test('a campaign whose offer comes again has one number of open offers: in the list, in its header and here', async (t) => {
  await withAccount(t, async ({ store, make, overview }) => {
    const cycle = { enabled: true, pause: 'P1D' }
    const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'PT48H' }, cycle }
    const campaign = await make({ mechanism })
    const leads = buildLeads(store, openConfigCache(store), () => {})
    const signedUpAt = '2026-01-15T12:00:00Z'
    await leads.register(
      { accountId: campaign.accountId, campaignId: campaign.id },
      'a@example.com',
      seconds(signedUpAt),
    )
    // In the second cycle.
    const at = '2026-01-18T13:00:00Z'
    const session = { account: { id: campaign.accountId } }
    const asked = { session, parts: { store }, campaign, query: { ids: String(campaign.id) }, now: seconds(at) }
    const open = { count: 1, isAll: true }
    const { figures } = await campaignRoutes['GET /campaign-figures'].run(asked as never)
    assert.deepEqual(figures[0]?.open, open)
    assert.deepEqual((await campaignRoutes['GET /campaigns/:campaignId'].run(asked as never)).open, open)
    assert.deepEqual((await overview(at)).open, open)
  })
})

test('the last thirty days are shown, with the sums of the thirty before', async (t) => {
  await withAccount(t, async ({ make, register, overview }) => {
    const campaign = await make({ timeZone: 'UTC' })
    const days = ['2026-01-15', '2026-01-15', '2025-12-17', '2025-12-16', '2025-11-17', '2025-11-16']
    for (const day of days) await register(campaign, `${day}T12:00:00Z`)
    const { days: shown, totals, before } = await overview('2026-01-15T13:00:00Z')
    assert.deepEqual([shown.length, shown[0]?.date], [30, '2025-12-17'])
    assert.deepEqual([totals.registration, before.registration], [3, 2])
  })
})

test('the list counts the thirty days of each campaign’s own zone', async (t) => {
  await withAccount(t, async ({ store, make, register }) => {
    const zones = { 'Pacific/Kiritimati': '2026-06-30T12:30:00Z', 'America/Los_Angeles': '2026-06-30T05:00:00Z' }
    for (const [timeZone, at] of Object.entries(zones)) {
      const campaign = await make({ timeZone, isDraft: false })
      for (let day = 0; day < 40; day += 1) await register(campaign, formatInstant(seconds(at) - day * 86_400))
      const { campaigns } = await campaignRoutes['GET /campaigns'].run({
        ...{ session: { account: { id: campaign.accountId } }, parts: { store }, query: {}, now: seconds(at) },
      } as never)
      const { signUps } = campaigns.find(({ id }) => id === campaign.id) as { signUps: number[] }
      assert.deepEqual(signUps, Array(30).fill(1), timeZone)
    }
  })
})
