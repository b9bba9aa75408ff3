// Sums of orders, for the report. Both engines read the statement alike; it names the account.
import type { Seconds } from '../core/instant.ts'
import type { Campaign } from './model.ts'
import type { Row, Sql } from './sql.ts'

/** What was left of an offer at a purchase; `late` is in the grace or later. In the order of the report. */
export const timesLeft = ['over7d', 'to7d', 'to3d', 'to24h', 'to12h', 'to6h', 'to1h', 'late', 'none'] as const
export type TimeLeft = (typeof timesLeft)[number]

/** Orders that agree in what the report tells apart. */
export type Sale = {
  left: TimeLeft
  /** Whole days from the registration. */
  days: number
  currency: string | null
  isReversed: boolean
  orders: number
  /** Orders that ended the offer. */
  closed: number
  /** In the currency's smallest unit. */
  amount: bigint
}

const left = `CASE WHEN deadline_at IS NULL THEN 8 WHEN deadline_at <= at THEN 7 WHEN deadline_at - at < 3600 THEN 6
  WHEN deadline_at - at < 21600 THEN 5 WHEN deadline_at - at < 43200 THEN 4 WHEN deadline_at - at < 86400 THEN 3
  WHEN deadline_at - at < 259200 THEN 2 WHEN deadline_at - at <= 604800 THEN 1 ELSE 0 END`

/** A sum of amounts may be larger than a whole number is exact. */
const part = 1_000_000

/** Of orders from `fromAt` on and before `untilAt`; reads the index alone. */
export async function salesBetween(
  sql: Sql,
  { accountId, id }: Pick<Campaign, 'accountId' | 'id'>,
  fromAt: Seconds,
  untilAt: Seconds,
): Promise<Sale[]> {
  const rows = await sql.all(
    `SELECT ${left} AS "leftAt", (at - registered_at) / 86400 AS days, currency,
        CASE WHEN reversed_at IS NULL THEN 0 ELSE 1 END AS reversed, count(*) AS orders, count(closed_at) AS closed,
        CAST(sum(amount / ${part}) AS bigint) AS upper, CAST(sum(amount % ${part}) AS bigint) AS lower
      FROM conversions WHERE account_id = ? AND campaign_id = ? AND at >= ? AND at < ? GROUP BY 1, 2, 3, 4`,
    ...[accountId, id, fromAt, untilAt],
  )
  return rows.map(toSale)
}

function toSale({ leftAt, reversed, upper, lower, ...of }: Row): Sale {
  const amount = BigInt(upper ?? 0) * BigInt(part) + BigInt(lower ?? 0)
  return { ...(of as Sale), left: timesLeft[leftAt] as TimeLeft, isReversed: reversed === 1, amount }
}

export type People = { registered: number; started: number; clicked: number; converted: number }

/** Those who signed up from `fromAt` on and before `untilAt`, and what became of them. */
export async function peopleBetween(
  sql: Sql,
  { accountId, id }: Pick<Campaign, 'accountId' | 'id'>,
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
