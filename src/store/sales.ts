// Sums of orders, for the report. Both engines read the statement alike; it names the account.
import { quarterSeconds, type Seconds } from '../core/instant.ts'
import type { Campaign } from './model.ts'
import type { Sql } from './sql.ts'

type CampaignName = Pick<Campaign, 'accountId' | 'id'>

/** What was left of an offer at a purchase; `late` is in the grace or later. In the order of the report. */
export const timesLeft = ['over7d', 'to7d', 'to3d', 'to24h', 'to12h', 'to6h', 'to1h', 'late', 'none'] as const

/** Orders that stand, of one group and currency. */
export type Sales = {
  /** The place in `timesLeft`, or whole days from the registration, below zero before it. */
  group: number
  currency: string | null
  orders: number
  /** Orders that ended the offer. */
  closed: number
  /** In the currency's smallest unit. */
  amount: bigint
}

const left = `CASE WHEN deadline_at > at + 604800 THEN 0 WHEN deadline_at >= at + 259200 THEN 1
  WHEN deadline_at >= at + 86400 THEN 2 WHEN deadline_at >= at + 43200 THEN 3 WHEN deadline_at >= at + 21600 THEN 4
  WHEN deadline_at >= at + 3600 THEN 5 WHEN deadline_at > at THEN 6 WHEN deadline_at IS NULL THEN 8 ELSE 7 END`
/** Rounded down: both engines divide towards zero, where the day before the registration would be the day of it. */
const age = `CASE WHEN at < registered_at THEN (at - registered_at + 1) / 86400 - 1
  ELSE (at - registered_at) / 86400 END`
const groups = { left, age }

/** A sum of amounts may be larger than a whole number is exact: their upper bits are added up apart. */
const lowerBits = 24

const orders = 'FROM conversions WHERE account_id = ? AND campaign_id = ? AND at >= ? AND at < ?'
const sums = `count(*) AS orders, count(closed_at) AS closed, CAST(sum(amount >> ${lowerBits}) AS bigint) AS upper,
  CAST(sum(amount & ${2 ** lowerBits - 1}) AS bigint) AS lower ${orders} AND reversed_at IS NULL`

/**
 * Of orders from `fromAt` on and before `untilAt`; reads the index alone, as the next one does. To group by both at once
 * gives many times the rows.
 */
export async function salesBetween(
  sql: Sql,
  { accountId, id }: CampaignName,
  by: keyof typeof groups,
  fromAt: Seconds,
  untilAt: Seconds,
): Promise<Sales[]> {
  const statement = `SELECT ${groups[by]} AS "group", currency, ${sums} GROUP BY 1, 2`
  const rows = await sql.all(statement, accountId, id, fromAt, untilAt)
  return rows.map(({ group, currency, orders, closed, upper, lower }) => {
    const amount = (BigInt(upper ?? 0) << BigInt(lowerBits)) + BigInt(lower ?? 0)
    return { group, currency, orders, closed, amount }
  })
}

/** How many of these orders were reversed. */
export async function reversedBetween(
  sql: Sql,
  { accountId, id }: CampaignName,
  fromAt: Seconds,
  untilAt: Seconds,
): Promise<number> {
  const row = await sql.get(`SELECT count(reversed_at) AS count ${orders}`, accountId, id, fromAt, untilAt)
  return row?.count ?? 0
}

/** How many orders stand of those that were bought within a quarter of an hour, which begins at `fromAt`. */
export async function ordersByQuarter(sql: Sql, { accountId, id }: CampaignName) {
  const rows = await sql.all(
    `SELECT at - at % ${quarterSeconds} AS "fromAt", count(*) AS total FROM conversions
      WHERE account_id = ? AND campaign_id = ? AND reversed_at IS NULL GROUP BY 1`,
    ...[accountId, id],
  )
  return rows.map(({ fromAt, total }): { fromAt: Seconds; total: number } => ({ fromAt, total }))
}

type People = { registered: number; started: number; clicked: number; converted: number }

/** Those who signed up from `fromAt` on and before `untilAt`, and what became of them. */
export async function peopleBetween(
  sql: Sql,
  { accountId, id }: CampaignName,
  fromAt: Seconds,
  untilAt: Seconds,
): Promise<People> {
  const sum = (column: string) => `CAST(coalesce(sum(${column}), 0) AS bigint)`
  const row = await sql.get(
    `SELECT ${sum('signed_up')} AS registered, ${sum('started')} AS started, ${sum('clicked')} AS clicked,
        ${sum('converted')} AS converted
      FROM signup_counts WHERE account_id = ? AND campaign_id = ? AND from_at >= ? AND from_at < ?`,
    ...[accountId, id, fromAt, untilAt],
  )
  return { ...(row as People) }
}
