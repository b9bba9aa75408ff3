// What the deadlines of a campaign are worth: who bought, for how much, and how long before the end.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { DAY_SECONDS, type Day } from '../core/mechanism/calendar.ts'
import { zoneOf } from '../core/mechanism/zone.ts'
import { formatAmount } from '../core/money.ts'
import type { Campaign } from '../store/model.ts'
import { type Sale, type SaleByAge, type TimeLeft, timesLeft } from '../store/sales.ts'
import type { Store } from '../store/store.ts'
import { dateOf } from './counting.ts'

/** Days of a report at most. */
export const mostReportDays = 366

export type SalesSum = { orders: number; revenue: Record<string, string> }
export type Report = Awaited<ReturnType<typeof reportOf>>

/**
 * Days of the campaign's time zone, both included. Each is two statements, and others get their turn between them.
 * Orders that were reversed are counted as such and nowhere else. @throws StoreUnavailable
 */
export async function reportOf({ conversions }: Pick<Store, 'conversions'>, campaign: Campaign, from: Day, to: Day) {
  const zone = zoneOf(campaign.timeZone)
  const startOf = (day: Day) => zone.toInstant(day * DAY_SECONDS)
  const all: Sale[] = []
  const byAge: SaleByAge[] = []
  const days: ({ date: string } & SalesSum)[] = []
  for (let day = from; day <= to; day += 1) {
    const sales = await conversions.salesBetween(campaign, startOf(day), startOf(day + 1))
    const sum = sumOf(sales.filter(({ isReversed }) => !isReversed))
    if (sum.orders > 0) days.push({ date: dateOf(day), ...sum })
    all.push(...sales)
    if (sum.orders > 0) byAge.push(...(await conversions.salesByAge(campaign, startOf(day), startOf(day + 1))))
    await nextTurn()
  }
  const people = await conversions.peopleBetween(campaign, startOf(from), startOf(to + 1))
  const standing = all.filter(({ isReversed }) => !isReversed)
  const sinceRegistration = [...Map.groupBy(byAge, (sale) => sale.days)].sort(([a], [b]) => a - b)
  return {
    ...{ campaignId: campaign.id, timeZone: campaign.timeZone, from: dateOf(from), to: dateOf(to) },
    /** Of those who signed up in these days; `share` is that of the converted. */
    funnel: { ...people, share: people.registered === 0 ? null : people.converted / people.registered },
    orders: {
      ...sumOf(standing),
      reversed: all.reduce((sum, { isReversed, orders }) => sum + (isReversed ? orders : 0), 0),
      closed: standing.reduce((sum, { closed }) => sum + closed, 0),
    },
    timeLeft: timesLeft.map((left): { left: TimeLeft } & SalesSum => {
      return { left, ...sumOf(standing.filter((sale) => sale.left === left)) }
    }),
    sinceRegistration: sinceRegistration.map(([day, sales]) => ({ days: day, ...sumOf(sales) })),
    days,
  }
}

function sumOf(sales: readonly Pick<Sale, 'currency' | 'orders' | 'amount'>[]): SalesSum {
  const amounts = new Map<string, bigint>()
  for (const { currency, amount } of sales) {
    if (currency !== null) amounts.set(currency, (amounts.get(currency) ?? 0n) + amount)
  }
  const revenue = [...amounts].sort().map(([currency, amount]) => [currency, formatAmount(amount, currency)])
  return { orders: sales.reduce((sum, { orders }) => sum + orders, 0), revenue: Object.fromEntries(revenue) }
}
