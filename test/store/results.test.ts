// The figures of a campaign against a second evaluator's, which keeps every event and counts again. On both engines.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type ConfigCache, openConfigCache } from '../../src/campaigns/config-cache.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import { formatInstant, parseInstant, type Seconds } from '../../src/core/instant.ts'
import { begin } from '../../src/core/mechanism/attempt.ts'
import { termsOf } from '../../src/core/mechanism/terms.ts'
import { visitorName } from '../../src/core/visitor.ts'
import { type ResultsTotals, resultsRoutes } from '../../src/http/panel/results.ts'
import { openCounting } from '../../src/leads/counting.ts'
import { buildLeads, type LeadView } from '../../src/leads/leads.ts'
import { mostOpen, openOffersOf, openOffersOfAccount } from '../../src/leads/open-offers.ts'
import { fetchers } from '../../src/store/counts.ts'
import type { Campaign } from '../../src/store/model.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { tester, testerAt } from '../support/actor.ts'
import { emptyDatabases, runIn } from '../support/empty-databases.ts'
import { evaluate, type Happening, type Mechanism, type Recurrence } from '../support/evaluator.ts'
import { amount, between, chance, printSeed } from '../support/faults.ts'
import { readingAt } from '../support/wall-clock.ts'

const options = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false }
const firstStarts = join(import.meta.dirname, '../../src/store/migrations/0015-first-starts.sql')
const seconds = (text: string) => parseInstant(text) as Seconds

/** Clocks go back in Europe on 25 October, in New York on 1 November; on Lord Howe forward on 4 October, by half an hour. */
const [first, last] = [seconds('2026-10-01T00:00:00Z'), seconds('2026-11-04T00:00:00Z')]
const friday: Recurrence = { every: 'week', on: ['fri'], time: '20:00' }
const monday: Recurrence = { every: 'week', on: ['mon'], time: '08:00' }
const kinds: { timeZone: string; mechanism: Mechanism }[] = [
  {
    timeZone: 'Europe/Warsaw',
    mechanism: {
      ...{ startsOn: 'registration', deadline: { kind: 'after', period: 'P2D' } },
      reset: { enabled: true, max: 2 },
      retry: { enabled: true, after: 'P1D' },
    },
  },
  {
    timeZone: 'America/New_York',
    mechanism: {
      ...{ startsOn: 'visit', deadline: { kind: 'daysAt', days: 1, time: '23:59' } },
      retry: { enabled: true, after: 'PT6H' },
    },
  },
  {
    timeZone: 'Australia/Lord_Howe',
    mechanism: { startsOn: 'registration', deadline: { kind: 'next', closes: friday, opens: monday } },
  },
  {
    timeZone: 'Asia/Kathmandu',
    mechanism: { startsOn: 'registration', deadline: { kind: 'fixed', at: '2026-11-04T08:00' } },
  },
  {
    timeZone: 'Atlantic/Azores',
    mechanism: {
      ...{ startsOn: 'registration', deadline: { kind: 'after', period: 'PT20H' } },
      cycle: { enabled: true, pause: 'P1D' },
    },
  },
]

const always = { startsOn: 'registration', deadline: { kind: 'none' } } as const

async function makeCampaign(store: Store, accountId: number, changes: object): Promise<Campaign> {
  const pages = [{ pageUrl: 'https://example.com/1' }, { pageUrl: 'https://example.com/2' }]
  const checked = checkCampaign({ name: 'c', isDraft: false, pages, anonymous: { enabled: true }, ...changes })
  assert.ok('campaign' in checked, JSON.stringify(checked))
  return store.configuration.applyCampaign(accountId, checked.campaign, tester)
}

/** What the second evaluator knows of a lead: all that happened to it. */
type Person = {
  id: number
  email: string
  signedUpAt: Seconds
  hasStarted: boolean
  hasClicked: boolean
  happened: Happening[]
  isErased: boolean
  tookOver: boolean
}
type Fact = { at: Seconds; kind: 'click' | 'visit' | 'open'; pageUrl: string | null }
type Played = { campaign: Campaign; kind: (typeof kinds)[number]; people: Person[]; facts: Fact[] }

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(chance() * items.length)] as Item

/** One random event of a campaign, done and noted. */
async function play(
  { campaign, kind, people, facts }: Played,
  {
    leads,
    counting,
    store,
  }: { leads: ReturnType<typeof buildLeads>; counting: ReturnType<typeof openCounting>; store: Store },
  now: Seconds,
): Promise<void> {
  const of = { accountId: campaign.accountId, campaignId: campaign.id }
  const at = formatInstant(now)
  const living = people.filter(({ isErased }) => !isErased)
  const dice = chance()
  if (dice < 0.25 || living.length === 0) {
    const email = `lead-${people.length}@example.com`
    const client = visitorName(people.length.toString(16).padStart(32, '0'))
    const isVisitor = chance() < 0.2
    if (isVisitor) await leads.visitWithoutEmail(of, client, now - 60)
    const visitor = isVisitor ? ((await leads.lookUp(of, client, now)) as LeadView).lead : undefined
    const made = (await leads.registerVisitor(of, email, visitor, now)) as LeadView
    const hasStarted = isVisitor || kind.mechanism.startsOn === 'registration'
    const happened: Happening[] = [{ do: 'register', at }]
    people.push({
      ...{ id: made.lead.id, email, signedUpAt: now, hasStarted, hasClicked: false, happened },
      ...{ isErased: false, tookOver: isVisitor },
    })
    return
  }
  const person = pick(living)
  const { email, id: leadId } = person
  if (dice < 0.4) {
    await leads.register(of, email, now)
    person.happened.push({ do: 'register', at })
  } else if (dice < 0.6) {
    person.hasStarted = true
    // In two tabs at once, which start an attempt once.
    await Promise.all([leads.visit(of, email, now), leads.visit(of, email, now)])
    person.happened.push({ do: 'visit', at })
  } else if (dice < 0.63) {
    const to = now + Math.floor(between(600, 200_000))
    await leads.setDeadline(of, email, to, testerAt(now))
    person.happened.push({ do: 'extend', at, to: formatInstant(to) })
  } else if (dice < 0.65) {
    // What still waits to be stored knows the lead no more when it is gone.
    await counting.close()
    await store.leads.erase([{ campaign, email }], testerAt(now))
    person.isErased = true
  } else {
    const counted = pick(['click', 'visit', 'open'] as const)
    const fetcher = chance() < 0.7 ? 'person' : pick(fetchers)
    const page = counted === 'open' || chance() < 0.2 ? undefined : pick(campaign.pages)
    const isKnown = counted !== 'visit' || chance() < 0.5
    counting.count(
      { campaign, pageId: page?.id ?? null, leadId: isKnown ? leadId : null, kind: counted, fetcher },
      now * 1_000,
    )
    if (fetcher === 'person') {
      facts.push({ at: now, kind: counted, pageUrl: page?.pageUrl ?? null })
      if (counted === 'click') person.hasClicked = true
    }
  }
}

const zero: ResultsTotals = { signedUp: 0, started: 0, clicked: 0, click: 0, visit: 0, open: 0 }

/** By the campaign's date, as the second evaluator counts. */
function daysOf({ kind: { timeZone }, people, facts }: Played): Map<string, ResultsTotals> {
  const days = new Map<string, ResultsTotals>()
  const dayOf = (at: Seconds): ResultsTotals => {
    const reading = readingAt(timeZone, at)
    const date = new Date(reading * 1_000).toISOString().slice(0, 10)
    const day = days.get(date) ?? { ...zero }
    days.set(date, day)
    return day
  }
  for (const { signedUpAt, hasStarted, hasClicked } of people) {
    const day = dayOf(signedUpAt)
    day.signedUp += 1
    day.started += Number(hasStarted)
    day.clicked += Number(hasClicked)
  }
  for (const { at, kind } of facts) dayOf(at)[kind] += 1
  return days
}

async function openNow({ campaign, kind, people }: Played, leads: ReturnType<typeof buildLeads>, now: Seconds) {
  const of = { accountId: campaign.accountId, campaignId: campaign.id }
  let open = 0
  for (const { email, happened, isErased, tookOver } of people) {
    if (isErased) continue
    const [answer] = evaluate({
      campaign: kind,
      events: [...happened, { do: 'lookup', at: formatInstant(now) }],
    }).slice(-1)
    // What was taken over from a visitor began before the registration.
    const state = tookOver ? ((await leads.lookUp(of, email, now)) as LeadView).offer.state : (answer as any).state
    open += Number(state === 'open')
  }
  return open
}

function sumOf(days: readonly ResultsTotals[]): ResultsTotals {
  const sum = { ...zero }
  for (const day of days) for (const name of Object.keys(zero) as (keyof ResultsTotals)[]) sum[name] += day[name]
  return sum
}

const ranges = [
  ['2026-10-01', '2026-11-04'],
  ['2026-10-25', '2026-10-25'],
  ['2026-10-26', '2026-11-01'],
  ['2026-10-04', '2026-10-24'],
] as const
const dayMs = 86_400_000
const dateAfter = (date: string, days: number) => new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10)
const datesFrom = (from: string, length: number) => Array.from({ length }, (_, index) => dateAfter(from, index))

for (const [engine, place] of Object.entries(emptyDatabases)) {
  test(`the figures of campaigns are a second evaluator's, over random events: ${engine}`, async (t) => {
    printSeed(t)
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { id: accountId } = await store.configuration.createAccount('Owner', tester)
    const counting = openCounting(store, (lost) => assert.fail(`lost ${lost}`))
    const configCache = openConfigCache(store)
    const leads = buildLeads(store, configCache, counting.stepped)
    const all: Played[] = []
    for (const kind of kinds) {
      all.push({ campaign: await makeCampaign(store, accountId, kind), kind, people: [], facts: [] })
    }
    const count = amount(150, 100_000)
    for (let n = 0; n < count; n += 1) {
      await play(pick(all), { leads, counting, store }, first + Math.floor(((last - first) * n) / count))
    }
    await counting.close()

    let openInAll = 0
    for (const played of all) {
      const known = daysOf(played)
      const dayAt = (date: string) => ({ date, ...(known.get(date) ?? zero) })
      for (const [from, to] of ranges) {
        const asked = { campaign: played.campaign, query: { from, to }, parts: { store }, now: last }
        const results = await resultsRoutes['GET /campaigns/:campaignId/results'].run(asked as never)
        const length = (Date.parse(to) - Date.parse(from)) / dayMs + 1
        assert.deepEqual(results.days, datesFrom(from, length).map(dayAt), `${played.kind.timeZone} ${from}`)
        assert.deepEqual(results.totals, sumOf(results.days))
        const before = datesFrom(dateAfter(from, -length), length).map((date) => known.get(date) ?? zero)
        assert.deepEqual(results.before, sumOf(before))
        const sum = (name: 'click' | 'visit') => results.pages.reduce((total, page) => total + page[name], 0)
        assert.deepEqual([sum('click'), sum('visit')], [results.totals.click, results.totals.visit])
      }
      const drafted = await openOffersOf(store, { ...played.campaign, isDraft: true }, last)
      assert.deepEqual(drafted, { count: 0, isAll: true }, 'a draft has no open offers')
      const open = await openOffersOf(store, played.campaign, last)
      const expected = await openNow(played, leads, last)
      if (open.isAll) assert.equal(open.count, expected, played.kind.timeZone)
      else assert.ok(played.kind.mechanism.cycle?.enabled && open.count <= expected)
      openInAll += open.count
    }
    const account = await openOffersOfAccount(store, configCache, accountId, last)
    assert.equal(account.count, openInAll)
    assert.ok(mostOpen >= openInAll && openInAll > 0)
  })

  test(`a lead is counted as started once, in the attempt in which it first starts, also after a migration: ${engine}`, async (t) => {
    const at = await place(t)
    const older = await openStore(at, options)
    const { id: accountId } = await older.configuration.createAccount('Owner', tester)
    const campaign = await makeCampaign(older, accountId, kinds[1] as object)
    const [of, day] = [{ accountId, campaignId: campaign.id }, 86_400]
    let started = 0
    const leadsIn = (store: Store) =>
      buildLeads(store, openConfigCache(store), (_, { hasStarted }) => {
        started += Number(hasStarted)
      })
    const before = leadsIn(older)
    for (const email of ['late@example.com', 'twice@example.com']) await before.register(of, email, first)
    await before.visit(of, 'twice@example.com', first)
    await before.setDeadline(of, 'late@example.com', first + 60, testerAt(first))
    assert.equal(started, 1)
    await before.register(of, 'twice@example.com', first + 3 * day)
    await older.close()
    await runIn(at, 'UPDATE leads SET rule_id = NULL WHERE anchor_at IS NULL')
    await runIn(at, readFileSync(firstStarts, 'utf8'))
    const store = await openStore(at, options)
    t.after(() => store.close())
    const leads = leadsIn(store)
    await leads.register(of, 'late@example.com', first + 3 * day)
    for (const email of ['late@example.com', 'twice@example.com']) {
      const { offer } = (await leads.lookUp(of, email, first + 3 * day)) as LeadView
      assert.deepEqual([offer.state, offer.attempt], ['pending', 2])
    }
    await leads.visit(of, 'twice@example.com', first + 3 * day)
    assert.equal(started, 1)
    await leads.visit(of, 'late@example.com', first + 3 * day)
    assert.equal(started, 2)
    await leads.register(of, 'late@example.com', first + 9 * day)
    await leads.visit(of, 'late@example.com', first + 9 * day)
    assert.equal(started, 2)
  })

  test(`open offers are exact up to a bound and “at least” beyond it, wherever the others stand: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { id: accountId } = await store.configuration.createAccount('Owner', tester)
    const leads = buildLeads(store, openConfigCache(store), () => {})
    const now = seconds('2026-10-14T12:00:00Z')
    const signUp = async (campaign: Campaign, from: number, count: number, at: Seconds) => {
      const of = { accountId, campaignId: campaign.id }
      const emails = Array.from({ length: count }, (_, n) => `lead-${from + n}@example.com`)
      await Promise.all(emails.map((email) => leads.importLead(of, email, at, tester)))
    }
    const openOf = async ({ id }: Campaign, most: number, at = now) => {
      const { count, isAll } = await openOffersOf(
        store,
        (await store.configuration.findCampaign(id)) as Campaign,
        at,
        most,
      )
      return `${isAll ? '' : 'at least '}${count}`
    }
    const after = await makeCampaign(store, accountId, { ...kinds[0], name: 'after' })
    await signUp(after, 0, 12, now - 60)
    await leads.visitWithoutEmail({ accountId, campaignId: after.id }, visitorName('f'.repeat(32)), now)
    assert.deepEqual([await openOf(after, 12), await openOf(after, 11)], ['12', 'at least 11'])
    await leads.setDeadline({ accountId, campaignId: after.id }, 'lead-0@example.com', now, testerAt(now))
    await leads.setDeadline({ accountId, campaignId: after.id }, 'lead-1@example.com', now + 1, testerAt(now))
    assert.deepEqual([await openOf(after, 11), await openOf(after, 10)], ['11', 'at least 10'])

    const fixed = await makeCampaign(store, accountId, { ...kinds[3], name: 'fixed' })
    await signUp(fixed, 0, 12, now)
    assert.deepEqual([await openOf(fixed, 12), await openOf(fixed, 11)], ['12', 'at least 11'])
    const endsAt = seconds('2026-11-04T02:15:00Z')
    assert.deepEqual([await openOf(fixed, 12, endsAt - 1), await openOf(fixed, 12, endsAt)], ['12', '0'])

    // On Wednesday those of last week are in their window, and thirty wait for Monday.
    const weekly = await makeCampaign(store, accountId, { ...kinds[2], name: 'weekly' })
    await signUp(weekly, 0, 3, seconds('2026-10-10T12:00:00Z'))
    const settings = {
      ...kinds[2]?.mechanism,
      deadline: { kind: 'next', closes: friday, opens: monday, minLead: 'P7D' },
    }
    const { name, timeZone, pages } = weekly
    const edited = await makeCampaign(store, accountId, { id: weekly.id, name, timeZone, pages, mechanism: settings })
    await signUp(edited, 3, 30, now)
    assert.deepEqual([await openOf(weekly, 10), await openOf(weekly, 2)], ['3', 'at least 2'])
    const opensAt = seconds('2026-10-11T21:00:00Z')
    assert.deepEqual([await openOf(weekly, 40, opensAt - 1), await openOf(weekly, 40, opensAt)], ['0', '3'])

    // The widget was seen on a page when it was last seen there, in whatever order that is stored.
    const seen = (at: Seconds, leadId: number) => ({
      ...{ accountId, campaignId: after.id, day: 0, pageId: after.pages[0]?.id as number, leadId },
      ...{ kind: 'visit' as const, fetcher: 'person' as const, total: 1, lastAt: at },
    })
    await store.counts.add([seen(200, 1), seen(100, 2)])
    await store.counts.add([seen(150, 1)])
    assert.deepEqual([...(await store.counts.sightings(after)).values()], [200])
  })
}

test('the open offers of an account are counted up to 100,000, over its campaigns together', async () => {
  /** A campaign for each: how many are open, or so many leads, all open, whose offer comes again by cycles. */
  const countOf = async (campaigns: { open?: number; cycling?: number }[]) => {
    const attempt = begin(termsOf({ timeZone: 'UTC', mechanism: always }), 0)
    const store = {
      configuration: { newestPublished: async () => campaigns.map((_, id) => id) },
      counts: {
        openByDeadline: async ({ id }: Campaign, _: Seconds, most: number) => {
          const { open = 0 } = campaigns[id] ?? {}
          return { open: Math.min(open, most), isAll: open <= most }
        },
      },
      leads: {
        list: async ({ id }: Campaign, { limit }: { limit: number }) =>
          Array(Math.min(limit, campaigns[id]?.cycling ?? 0)).fill({ attempt }),
      },
    } as unknown as Store
    const campaign = async (id: number) => {
      const rules = new Map(campaigns[id]?.cycling === undefined ? [] : [[1, { cycle: { pause: 'P1D' } }]])
      return { id, rules, terms: termsOf({ timeZone: 'UTC', mechanism: always }) }
    }
    const { count, isAll } = await openOffersOfAccount(store, { campaign } as unknown as ConfigCache, 1, 0)
    return `${isAll ? '' : 'at least '}${count}`
  }
  assert.equal(await countOf([{ open: 60_000 }, { open: 40_000 }]), '100000')
  assert.equal(await countOf([{ open: 60_000 }, { open: 60_000 }]), 'at least 100000')
  assert.equal(await countOf([{ open: 60_000 }, { open: 40_000 }, { open: 1 }]), 'at least 100000')
  assert.equal(await countOf([{ open: 99_999 }, { cycling: 2 }]), 'at least 100000')
  let turns = 0
  const turn = () => {
    turns += 1
    counting = setImmediate(turn)
  }
  let counting = setImmediate(turn)
  assert.equal(await countOf([{ cycling: 999 }, { open: 1 }]), '1000')
  clearImmediate(counting)
  assert.ok(turns >= 40, `others are answered in ${turns} turns`)
  assert.equal(await countOf([{ cycling: 1_000 }, { open: 1 }]), 'at least 1001')
})
