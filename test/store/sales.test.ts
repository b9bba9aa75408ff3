// The report's sums, beside those of a second evaluator that goes through the orders one by one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openConfigCache } from '../../src/campaigns/config-cache.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import { parseDate } from '../../src/core/mechanism/calendar.ts'
import { convert, reverse } from '../../src/leads/conversions.ts'
import { buildLeads } from '../../src/leads/leads.ts'
import { reportOf } from '../../src/leads/report.ts'
import { openStore } from '../../src/store/open.ts'
import { tester, testerAt } from '../support/actor.ts'
import { emptyDatabases, runIn } from '../support/empty-databases.ts'
import { amount, chance, printSeed } from '../support/faults.ts'

const options = { lockWaitMs: 5_000, timeoutMs: 20_000, poolSize: 2, isServer: false }
const zone = 'Europe/Warsaw'
const day = 86_400
/** In these days clocks go back, at 2026-10-25T01:00:00Z. */
const [first, last] = [Date.UTC(2026, 9, 23) / 1_000, Date.UTC(2026, 9, 28) / 1_000]
const places: Record<string, number> = { EUR: 2, JPY: 0, KWD: 3 }
const pick = (below: number) => Math.floor(chance() * below)
const oneOf = <Item>(...items: Item[]) => items[pick(items.length)] as Item

type Told = { at: number; left: number | null; since: number; currency: string; amount: bigint; isReversed: boolean }

const decimal = (sum: bigint, currency: string) => {
  const digits = String(sum).padStart((places[currency] as number) + 1, '0')
  const whole = digits.slice(0, digits.length - (places[currency] as number))
  return places[currency] === 0 ? digits : `${whole}.${digits.slice(whole.length)}`
}

function sums(told: Told[]) {
  const revenue: Record<string, string> = {}
  for (const currency of Object.keys(places)) {
    const own = told.filter((one) => one.currency === currency)
    if (own.length > 0)
      revenue[currency] = decimal(
        own.reduce((sum, one) => sum + one.amount, 0n),
        currency,
      )
  }
  return { orders: told.length, revenue }
}

const bounds: [name: string, has: (left: number | null) => boolean][] = [
  ['over7d', (left) => left !== null && left > 7 * day],
  ['to7d', (left) => left !== null && left >= 3 * day && left <= 7 * day],
  ['to3d', (left) => left !== null && left >= day && left < 3 * day],
  ['to24h', (left) => left !== null && left >= day / 2 && left < day],
  ['to12h', (left) => left !== null && left >= day / 4 && left < day / 2],
  ['to6h', (left) => left !== null && left >= 3_600 && left < day / 4],
  ['to1h', (left) => left !== null && left > 0 && left < 3_600],
  ['late', (left) => left !== null && left <= 0],
  ['none', (left) => left === null],
]

/** The time left at which one group ends and the next begins. Each comes at least once. */
const edges = [0, 3_600, day / 4, day / 2, day, 3 * day, 7 * day]

const dateIn = (at: number) => new Intl.DateTimeFormat('sv', { timeZone: zone }).format(new Date(at * 1_000))

for (const [engine, newPlace] of Object.entries(emptyDatabases)) {
  test(`the report is equal to a second evaluator, in three currencies and across a clock change: ${engine}`, async (t) => {
    printSeed(t)
    const place = await newPlace(t)
    const store = await openStore(place, options)
    t.after(() => store.close())
    const { id: accountId } = await store.configuration.createAccount('Owner', tester)
    const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'P3D' } }
    const checked = checkCampaign({ name: 'c', isDraft: false, timeZone: zone, mechanism })
    assert.ok('campaign' in checked)
    const campaign = await store.configuration.applyCampaign(accountId, checked.campaign, tester)
    const of = { accountId, campaignId: campaign.id }
    const leads = buildLeads(store, openConfigCache(store), () => {})
    const told: Told[] = []
    for (let order = 0; order < amount(50, 50_000); order += 1) {
      // Where the tests run it counts no rows by itself, and would read all orders to find one.
      if (order === 1_000 && place.engine === 'postgres') await runIn(place, 'ANALYZE')
      const email = `${order}@example.com`
      const at = first + pick(last - first)
      const registeredAt = at - oneOf(pick(60), pick(day), pick(9 * day), pick(9) * day, -1 - pick(2 * day), -day)
      await leads.register(of, email, registeredAt)
      const left = edges[order] ?? oneOf(null, pick(3) - 1, pick(3_600), pick(day), oneOf(...edges), pick(12 * day))
      const deadline = left === null ? null : at + left
      if (deadline !== null) await leads.setDeadline(of, email, deadline, testerAt(Math.min(registeredAt, at)))
      const currency = Object.keys(places)[pick(3)] as string
      const isReversed = order >= edges.length && pick(10) === 0
      const sum = pick(5) === 0 ? 999_999_999_999_999 : pick(1_000_000)
      const bought = { orderId: `o${order}`, at, amount: sum, currency }
      const done = await convert(store, of, { buyer: { email }, order: bought, source: 'import' }, at, tester)
      assert.ok(typeof done === 'object')
      if (isReversed) await reverse(store, of, bought.orderId, false, at, tester)
      const { deadlineAt } = done.conversion
      const own = deadlineAt === null ? null : deadlineAt - at
      if (left !== null) assert.equal(own, left)
      told.push({
        at,
        left: own,
        since: Math.floor((at - registeredAt) / day),
        currency,
        amount: BigInt(sum),
        isReversed,
      })
    }
    const report = await reportOf(store, campaign, parseDate('2026-10-20') as number, parseDate('2026-10-30') as number)
    const standing = told.filter(({ isReversed }) => !isReversed)
    assert.deepEqual(report.orders, { ...sums(standing), reversed: told.length - standing.length, closed: 0 })
    assert.deepEqual(
      report.timeLeft,
      bounds.map(([left, has]) => ({ left, ...sums(standing.filter((one) => has(one.left))) })),
    )
    const grouped = (key: (one: Told) => string | number) =>
      [...Map.groupBy(standing, key)].sort(([a], [b]) => (a < b ? -1 : 1))
    assert.deepEqual(
      report.sinceRegistration,
      grouped(({ since }) => since).map(([days, own]) => ({ days, ...sums(own) })),
    )
    assert.deepEqual(
      report.days,
      grouped(({ at }) => dateIn(at)).map(([date, own]) => ({ date, ...sums(own) })),
    )
    assert.equal(
      report.funnel.converted,
      (await store.conversions.list(campaign, 0, 100_000)).filter(
        ({ registeredAt, reversedAt }) => reversedAt === null && dateIn(registeredAt) >= '2026-10-20',
      ).length,
    )
    const email = (await store.conversions.newest(campaign, 1))[0]?.email as string
    await store.leads.erase([{ campaign, email }], testerAt(last))
    assert.deepEqual(
      await reportOf(store, campaign, parseDate('2026-10-20') as number, parseDate('2026-10-30') as number),
      report,
    )
  })
}
