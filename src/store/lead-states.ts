// How many leads of a campaign are in which state, by what is stored.
import type { Seconds } from '../core/instant.ts'
import { type Offer, offerAt } from '../core/mechanism/attempt.ts'
import { beforeEmails } from '../core/visitor.ts'
import { fromLeadsWithEmail } from './lead-sql.ts'
import type { Campaign } from './model.ts'
import type { Sql, Statement } from './sql.ts'

/** `cycle`: the offer comes again by itself, so stored values do not give its present state. */
export type StateCounts = Record<Offer['state'] | 'cycle', number>

export type StateStep = { counts: StateCounts; afterEmail: string | null }

/** Leads of one statement: some ten milliseconds of either engine. */
const stepSize = 20_000

/** Of one step of leads after an email, in the order of their emails; `afterEmail` is where the next begins, if any. */
export async function countStates(sql: Sql, campaign: Campaign, afterEmail: string, now: Seconds): Promise<StateStep> {
  const [state, ...values] = stateOf(campaign, now)
  const rows = await sql.all(
    `SELECT state, count(*) AS total, max(email) AS last FROM (SELECT email, ${state} AS state
      FROM leads WHERE account_id = ? AND campaign_id = ? AND email > ? ORDER BY email LIMIT ?) AS step GROUP BY state`,
    ...[...values, campaign.accountId, campaign.id, afterEmail || beforeEmails, stepSize],
  )
  const counts: StateCounts = { pending: 0, scheduled: 0, open: 0, expired: 0, cycle: 0 }
  for (const { state, total } of rows) counts[state as keyof StateCounts] = total
  const read = rows.reduce((sum, { total }) => sum + total, 0)
  const last = rows
    .map((row): string => row.last)
    .sort()
    .at(-1)
  return { counts, afterEmail: read < stepSize ? null : (last ?? null) }
}

/** Leads with an email, at most `most`. */
export async function countLeads(sql: Sql, { accountId, id }: Campaign, most: number): Promise<number> {
  const row = await sql.get(
    `SELECT count(*) AS total FROM (SELECT 1 ${fromLeadsWithEmail} LIMIT ?) AS found`,
    ...[accountId, id, most],
  )
  return row?.total
}

/** As `offerAt` has it, but for cycles. The instant is a value: SQLite keeps each text, and every second had its own. */
function stateOf({ terms, rules }: Campaign, now: Seconds): Statement {
  const shared = { number: 1, resets: 0, rule: null, anchorAt: now, opensAt: null, deadlineAt: null, byHand: null }
  const isOver = terms.endsAt !== null && terms.endsAt <= now
  const cycling = [...rules].filter(([, { cycle }]) => cycle !== null).map(([id]) => id)
  const state = `CASE WHEN by_hand_deadline_at <= ? THEN 'expired'
    WHEN by_hand_deadline_at IS NOT NULL THEN 'open'
    WHEN anchor_at IS NULL THEN 'pending'
    WHEN rule_id IS NULL THEN '${offerAt(terms, shared, now).state}'
    ${isOver ? "WHEN TRUE THEN 'expired'" : ''}
    ${cycling.length === 0 ? '' : `WHEN rule_id IN (${cycling.map(() => '?').join(', ')}) THEN 'cycle'`}
    WHEN deadline_at <= ? THEN 'expired'
    WHEN opens_at > ? AND opens_at > anchor_at THEN 'scheduled'
    ELSE 'open' END`
  return [state, now, ...cycling, now, now]
}
