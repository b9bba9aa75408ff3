// Results of a campaign: its people by when they signed up, and how many offers are open.
import { quarterSeconds, type Seconds } from '../core/instant.ts'
import { fromLeadsWithEmail } from './lead-sql.ts'
import type { Campaign } from './model.ts'
import { inParts, type Sql } from './sql.ts'

/** The people who signed up within a quarter of an hour. */
export type SignupCount = {
  accountId: number
  campaignId: number
  /** When the quarter begins. */
  fromAt: Seconds
  signedUp: number
  started: number
  clicked: number
  converted: number
}
type CampaignSignups = Omit<SignupCount, 'accountId' | 'campaignId' | 'converted'>

/** A lead of whom something is counted. */
export type CountedLead = { id: number; campaign_id: number; registered_at: Seconds; email: string }

/** Counts of nobody. */
export const nobody = { signedUp: 0, started: 0, clicked: 0, converted: 0 }

/** Ascending instant, from `fromAt` on and before `untilAt`. */
export async function signups(
  sql: Sql,
  { accountId, id }: Campaign,
  fromAt: Seconds,
  untilAt: Seconds,
): Promise<CampaignSignups[]> {
  const rows = await sql.all(
    `SELECT from_at, signed_up, started, clicked FROM signup_counts
      WHERE account_id = ? AND campaign_id = ? AND from_at >= ? AND from_at < ? ORDER BY from_at`,
    ...[accountId, id, fromAt, untilAt],
  )
  return rows.map((row) => {
    return { fromAt: row.from_at, signedUp: row.signed_up, started: row.started, clicked: row.clicked }
  })
}

/** Since when starts are counted: of people who signed up earlier, some are missing. */
export async function startsSince(sql: Sql): Promise<Seconds> {
  return (await sql.get('SELECT starts_since FROM installation'))?.starts_since
}

type Sums = { table: string; key: string[]; sums: string[] }

/**
 * Adds rows, of which each has the values of the key and then those of the sums, to a table of sums. In one order, so
 * that two nodes never wait for each other in a circle.
 */
export async function addTo(sql: Sql, { table, key, sums }: Sums, rows: readonly number[][]): Promise<void> {
  const columns = [...key, ...sums]
  for (const part of inParts(rows.toSorted(byValues), sql.countsAtOnce)) {
    await sql.run(
      `INSERT INTO ${table} AS known (${columns}) VALUES ${part.map(() => `(${columns.map(() => '?')})`)}
        ON CONFLICT (${key}) DO UPDATE SET ${sums.map((sum) => `${sum} = known.${sum} + excluded.${sum}`)}`,
      ...part.flat(),
    )
  }
}

function byValues(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index])
  return at === -1 ? 0 : (a[at] as number) - (b[at] as number)
}

/** The counts are those of one account. */
export async function addSignups(sql: Sql, counts: readonly SignupCount[]): Promise<void> {
  const rows = counts.map(({ accountId, campaignId, fromAt, signedUp, started, clicked, converted }) => {
    return [accountId, campaignId, fromAt, signedUp, started, clicked, converted]
  })
  const sums = ['signed_up', 'started', 'clicked', 'converted']
  await addTo(sql, { table: 'signup_counts', key: ['account_id', 'campaign_id', 'from_at'], sums }, rows)
}

/** Counts those of the leads who click for the first time, among the people who signed up when they did. */
export async function noteClicks(sql: Sql, accountId: number, clicked: readonly CountedLead[]): Promise<void> {
  const found = new Map<string, SignupCount>()
  for (const part of inParts(clicked, sql.countsAtOnce)) {
    const leads = await firstClicks(sql, accountId, part)
    for (const { campaign_id: campaignId, registered_at } of leads) {
      const fromAt = registered_at - (registered_at % quarterSeconds)
      const count = { ...nobody, accountId, campaignId, fromAt }
      found.getOrInsert(`${campaignId} ${fromAt}`, count).clicked += 1
    }
  }
  await addSignups(sql, [...found.values()])
}

/** Notes that leads have clicked, and gives those that were not noted yet; each is noted once, by the first node. */
async function firstClicks(sql: Sql, accountId: number, leads: readonly CountedLead[]): Promise<CountedLead[]> {
  const first = await sql.all(
    `INSERT INTO clicked_leads (account_id, lead_id) VALUES ${leads.map(() => '(?, ?)').join(', ')}
      ON CONFLICT DO NOTHING RETURNING lead_id`,
    ...leads.flatMap(({ id }) => [accountId, id]),
  )
  const noted = new Set(first.map((row) => row.lead_id))
  return leads.filter(({ id }) => noted.has(id))
}

/** Those of a campaign whose deadline is the rule's; the index of them has neither the others nor visitors. */
const byRule = `${fromLeadsWithEmail} AND by_hand_deadline_at IS NULL`
const byHand = `${fromLeadsWithEmail} AND by_hand_deadline_at IS NOT NULL`

/** `isAll`: there are no more. */
type OpenCount = { open: number; isAll: boolean }

/**
 * How many leads have an open offer by the deadlines that are stored: of those whose offer comes again by cycles, only
 * the ones in their first. Looks at no more than `most` leads that fit.
 */
export async function openByDeadline(sql: Sql, campaign: Campaign, now: Seconds, most: number): Promise<OpenCount> {
  const of = [campaign.accountId, campaign.id]
  const set = await sql.get(
    `SELECT count(*) AS total FROM (SELECT 1 ${byHand} AND by_hand_deadline_at > ? LIMIT ?) AS found`,
    ...[...of, now, most + 1],
  )
  const ruled = await openByRule(sql, campaign, now, most)
  const open = set?.total + ruled.open
  return { open: Math.min(open, most), isAll: ruled.isAll && open <= most }
}

async function openByRule(sql: Sql, campaign: Campaign, now: Seconds, most: number): Promise<OpenCount> {
  const { accountId, id, terms } = campaign
  const { personal, opensAt, deadlineAt, endsAt } = terms
  const isPast = (at: Seconds | null) => at !== null && at <= now
  if (isPast(endsAt) || isPast(deadlineAt) || (opensAt !== null && opensAt > now)) return { open: 0, isAll: true }
  if (personal === null) {
    const row = await sql.get(
      `SELECT count(*) AS total FROM (SELECT 1 ${byRule} AND deadline_at IS NULL LIMIT ?) AS found`,
      ...[accountId, id, most + 1],
    )
    return { open: row?.total, isAll: row?.total <= most }
  }
  const row = await sql.get(
    `SELECT count(*) AS looked, coalesce(sum(CASE WHEN opens_at <= ? THEN 1 ELSE 0 END), 0) AS total
      FROM (SELECT opens_at ${byRule} AND deadline_at > ? ORDER BY deadline_at LIMIT ?) AS found`,
    ...[now, accountId, id, now, most + 1],
  )
  if (row?.looked <= most) return { open: row?.total, isAll: true }
  const isScheduled = [...campaign.rules.values()].some(({ deadline }) => deadline.kind === 'next' && deadline.opens)
  return isScheduled ? openByWindow(sql, campaign, now, most) : { open: row?.total, isAll: false }
}

/** More windows than leads of one campaign are in at a time, but for those that end within minutes of each other. */
const mostWindows = 400

/**
 * Where many wait for their window to open: leads that share a deadline lie together, those in front whose window has
 * opened.
 */
async function openByWindow(sql: Sql, { accountId, id }: Campaign, now: Seconds, most: number): Promise<OpenCount> {
  let open = 0
  let endsAt = now
  for (let window = 0; window < mostWindows; window += 1) {
    const next = await sql.get(
      `SELECT min(deadline_at) AS at ${byRule} AND deadline_at > ?`,
      ...[accountId, id, endsAt],
    )
    if (next?.at == null) return { open, isAll: true }
    endsAt = next.at
    const within = await sql.get(
      `SELECT count(*) AS total FROM (SELECT 1 ${byRule} AND deadline_at = ? AND opens_at <= ? LIMIT ?) AS found`,
      ...[accountId, id, endsAt, now, most + 1 - open],
    )
    open += within?.total
    if (open > most) break
  }
  return { open, isAll: false }
}
