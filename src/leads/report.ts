// What the deadlines of a campaign are worth: who bought, for how much, and how long before the end.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { DAY_SECONDS, type Day, dateOf } from '../core/mechanism/calendar.ts'
import { zoneOf } from '../core/mechanism/zone.ts'
import { formatAmount } from '../core/money.ts'
import type { Campaign } from '../store/model.ts'
import { type Sales, timesLeft } from '../store/sales.ts'
import type { Store } from '../store/store.ts'

type SalesSum = { orders: number; revenue: Record<string, string> }

/**
 * From the first to the last day, both included, in the campaign's time zone. Others get their turn after the statements
 * of each day. Reversed orders are counted only as reversed. @throws StoreUnavailable
 */
export async function reportOf({ conversions }: Pick<Store, 'conversions'>, campaign: Campaign, from: Day, to: Day) {
  const zone = zoneOf(campaign.timeZone)
  const startOf = (day: Day) => zone.toInstant(day * DAY_SECONDS)
  const all: Sales[] = []
  const byAge: Sales[] = []
  let reversed = 0
  const days: ({ date: string } & SalesSum)[] = []
  for (let day = from; day <= to; day += 1) {
    const [startsAt, endsAt] = [startOf(day), startOf(day + 1)]
    const [sales, ages, reversedThen] = await Promise.all([
      conversions.salesBetween(campaign, 'left', startsAt, endsAt),
      conversions.salesBetween(campaign, 'age', startsAt, endsAt),
      conversions.reversedBetween(campaign, startsAt, endsAt),
    ])
    if (sales.length > 0) days.push({ date: dateOf(day), ...sumOf(sales) })
    all.push(...sales)
    byAge.push(...ages)
    reversed += reversedThen
    await nextTurn()
  }
  const people = await conversions.peopleBetween(campaign, startOf(from), startOf(to + 1))
  const sinceRegistration = [...Map.groupBy(byAge, ({ group }) => group)].sort(([a], [b]) => a - b)
  return {
    campaignId: campaign.id,
    timeZone: campaign.timeZone,
    from: dateOf(from),
    to: dateOf(to),
    /** Of those who signed up in these days; `share` is how many of them bought. */
    funnel: { ...people, share: people.registered === 0 ? null : people.converted / people.registered },
    orders: { ...sumOf(all), reversed, closed: all.reduce((sum, { closed }) => sum + closed, 0) },
    timeLeft: timesLeft.map((left, at) => ({ left, ...sumOf(all.filter(({ group }) => group === at)) })),
    sinceRegistration: sinceRegistration.map(([day, sales]) => ({ days: day, ...sumOf(sales) })),
    days,
  }
}

function sumOf(sales: readonly Sales[]): SalesSum {
  const amounts = new Map<string, bigint>()
  for (const { currency, amount } of sales) {
    if (currency !== null) amounts.set(currency, (amounts.get(currency) ?? 0n) + amount)
  }
  const revenue = [...amounts].sort().map(([currency, amount]) => [currency, formatAmount(amount, currency)])
  return { orders: sales.reduce((sum, { orders }) => sum + orders, 0), revenue: Object.fromEntries(revenue) }
}
