import type { RateVerdict } from '../../core/rate-window.ts'
import { type LeadRow, leadColumns } from '../lead-row.ts'
import { type Turns, turns } from './batcher.ts'
import type { Pool, Prepared } from './connection.ts'

/** A request to count, or a lead to read; those of one turn share a statement. */
type Question =
  | { count: true; accountId: number; limit: number }
  | { count: false; accountId: number; campaignId: number; email: string }
type Answer = RateVerdict | LeadRow | undefined

export type LeadReader = {
  count(accountId: number, limit: number, since?: number): Promise<RateVerdict>
  find(accountId: number, campaignId: number, email: string, since?: number): Promise<LeadRow | undefined>
}

const columns = leadColumns.replaceAll(/\s+/g, ' ')

/**
 * Counts by the clock of the database, which all nodes share, and reads. The rules are those of
 * core/rate-window.ts: a clock that steps back by up to a minute refills nothing. Accounts come in ascending
 * order, so that two nodes never wait for each other in a circle.
 */
const countAndFind: Prepared = {
  name: 'count_and_find',
  text: `
    WITH clock AS MATERIALIZED (
      SELECT floor(extract(epoch FROM clock_timestamp()))::bigint AS seconds
    ), counted AS (
      INSERT INTO request_rates AS r (account_id, minute, used, granted)
      SELECT account, seconds / 60, least(count, most), least(count, most)
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS asked (account, count, most), clock
        ORDER BY account
      ON CONFLICT (account_id) DO UPDATE SET (minute, used, granted) = (
        SELECT minute, used + granted, granted FROM (
          SELECT minute, used, greatest(0, least(wanted, most - used)) AS granted FROM (
            SELECT
              CASE WHEN excluded.minute > r.minute OR excluded.minute < r.minute - 1
                THEN excluded.minute ELSE r.minute END AS minute,
              CASE WHEN excluded.minute > r.minute THEN 0 ELSE r.used END AS used,
              asked.count AS wanted, asked.most
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS asked (account, count, most)
            WHERE asked.account = r.account_id
          ) AS now
        ) AS next
      )
      RETURNING account_id, minute, used, granted
    )
    SELECT 0, account_id, used, granted, greatest(1, (minute + 1) * 60 - seconds),
      NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint
      FROM counted, clock
    UNION ALL
    SELECT ordinality, ${columns}
      FROM unnest($4::bigint[], $5::bigint[], $6::text[]) WITH ORDINALITY AS asked (account, campaign, address)
      JOIN leads ON account_id = account AND campaign_id = campaign AND email = address`,
}

const find: Prepared = {
  name: 'find',
  text: `
    SELECT ordinality, ${columns}
      FROM unnest($1::bigint[], $2::bigint[], $3::text[]) WITH ORDINALITY AS asked (account, campaign, address)
      JOIN leads ON account_id = account AND campaign_id = campaign AND email = address`,
}

export function leadReader(pool: Pool, patienceMs: number): LeadReader {
  const asked: Turns<Question, Answer> = turns(
    { concurrency: 4, size: 1_000, patienceMs },
    async (questions, leftMs) => {
      const counts = countsOf(questions)
      const leads = questions.filter((question) => !question.count)
      const values = [
        leads.map(({ accountId }) => accountId),
        leads.map(({ campaignId }) => campaignId),
        leads.map(({ email }) => email),
      ]
      const rows = await pool.use(leftMs, (connection) =>
        counts.length === 0
          ? connection.rows<number[]>(find, values)
          : connection.rows<number[]>(countAndFind, [
              counts.map(({ accountId }) => accountId),
              counts.map(({ count }) => count),
              counts.map(({ limit }) => limit),
              ...values,
            ]),
      )
      return answersTo(questions, rows)
    },
  )
  return {
    count: (accountId, limit, since) =>
      asked.ask({ count: true, accountId, limit }, since) as Promise<RateVerdict>,
    find: (accountId, campaignId, email, since) =>
      asked.ask({ count: false, accountId, campaignId, email }, since) as Promise<LeadRow | undefined>,
  }
}

type Count = { accountId: number; limit: number; count: number }

function countsOf(questions: Question[]): Count[] {
  const counts = new Map<number, Count>()
  for (const question of questions) {
    if (!question.count) continue
    const { accountId, limit } = question
    const known = counts.get(accountId)
    if (known === undefined) counts.set(accountId, { accountId, limit, count: 1 })
    else {
      known.count += 1
      // Seen just before and just after the limit was changed: the newer one is asked for later.
      known.limit = limit
    }
  }
  return [...counts.values()].sort((a, b) => a.accountId - b.accountId)
}

type Counted = { left: number; used: number; resetSeconds: number }

function answersTo(questions: Question[], rows: number[][]): Answer[] {
  const counted = new Map<number, Counted>()
  const found = new Map<number, LeadRow>()
  for (const [position, ...columns] of rows) {
    if (position === 0) {
      const [accountId, used, granted, resetSeconds] = columns as [number, number, number, number]
      counted.set(accountId, { left: granted, used: used - granted, resetSeconds })
    } else found.set(position as number, columns as unknown as LeadRow)
  }
  let position = 0
  return questions.map((question) => {
    if (question.count) return verdict(counted.get(question.accountId) as Counted, question.limit)
    position += 1
    return found.get(position)
  })
}

/** The requests that were counted together pass one after another, as long as some are left. */
function verdict(counted: Counted, limit: number): RateVerdict {
  const allowed = counted.left > 0
  if (allowed) {
    counted.left -= 1
    counted.used += 1
  }
  return { allowed, remaining: Math.max(0, limit - counted.used), resetSeconds: counted.resetSeconds }
}
