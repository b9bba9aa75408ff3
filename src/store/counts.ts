// What recipients did, added up by day. A row names only the lead, by its id.
import type { Seconds } from '../core/instant.ts'
import { isVisitorName } from '../core/visitor.ts'
import { countLeads, countStates } from './lead-states.ts'
import type { Campaign } from './model.ts'
import {
  addSignups,
  addTo,
  type CountedLead,
  noteClicks,
  openByDeadline,
  type SignupCount,
  signups,
  startsSince,
} from './results.ts'
import { boundTo, inParts, type Row, type Runner, type Sql, type Value } from './sql.ts'

/** Positions are stored: add new ones at the end. */
export const kinds = ['click', 'open', 'visit', 'registration', 'conversion'] as const
export type Kind = (typeof kinds)[number]

/** Who fetched: a person, as far as one can tell; a proxy for mail programs; a link scanner. */
export const fetchers = ['person', 'proxy', 'scanner'] as const
export type Fetcher = (typeof fetchers)[number]

export type Count = {
  accountId: number
  campaignId: number
  /** The day in the campaign's time zone, in days since 1970-01-01. */
  day: number
  /** Null if it is not about a page. */
  pageId: number | null
  /** Null for visitors without an email. */
  leadId: number | null
  kind: Kind
  fetcher: Fetcher
  total: number
  /** When the newest of them was counted. */
  lastAt: Seconds
}

/** Not registrations and orders: other rows say when they were. */
type Happened = { kind: Exclude<Kind, 'registration' | 'conversion'> }
export type CampaignCount = Omit<Count, 'accountId' | 'campaignId' | 'leadId' | 'lastAt' | 'kind'> & Happened
export type LeadCount = Omit<CampaignCount, 'pageId'>

/** Each call rejects with StoreUnavailable where the database does not answer. */
export type Counts = ReturnType<typeof countsOn>

export function countsOn({ read, writeUnflushed }: Runner) {
  return {
    ...boundTo(read, { countStates, countLeads, byCampaign }),
    ...boundTo(read, { ofCampaign, ofAccount, ofLead, sightings, signups, startsSince, openByDeadline }),
    /** Adds to the counts by day of what recipients did; the counts are those of one account. */
    add: (counts: readonly Count[]) => writeUnflushed(async (sql) => addCounts(sql, await ofCampaigns(sql, counts))),
    /** Adds to the counts of people by when they signed up; the counts are those of one account. */
    addSignups: (counts: readonly SignupCount[]) =>
      writeUnflushed(async (sql) => addSignups(sql, await ofCampaigns(sql, counts))),
  }
}

/**
 * The counts whose campaign is still there. They have waited for a second, and those of a campaign that is gone would
 * stay for good. Until the commit nobody deletes a campaign of the account or erases a lead.
 */
async function ofCampaigns<One extends Pick<Count, 'accountId' | 'campaignId'>>(
  sql: Sql,
  counts: readonly One[],
): Promise<One[]> {
  const ids = counts.map(({ campaignId }) => campaignId)
  // Sent together: the second runs once nobody takes one away.
  const [, rows] = await Promise.all([
    sql.holdCounted(counts[0]?.accountId ?? 0),
    withIds(sql, ids, 'SELECT id FROM campaigns WHERE id'),
  ])
  const there = new Set(rows.map(({ id }) => id))
  return counts.filter(({ campaignId }) => there.has(campaignId))
}

/** Of a lead that is no longer there only the totals of the day remain. */
async function addCounts(sql: Sql, counts: readonly Count[]): Promise<void> {
  const accountId = counts[0]?.accountId ?? 0
  const ids = counts.map(({ leadId }) => leadId).filter((id) => id !== null)
  const select = 'SELECT id, campaign_id, registered_at, email FROM leads WHERE account_id = ? AND id'
  const leads = (await withIds(sql, ids, select, accountId)) as CountedLead[]
  await addByDay(sql, counts, new Set(leads.map(({ id }) => id)))
  const clicks = counts.filter(({ kind, fetcher }) => kind === 'click' && fetcher === 'person')
  const clickedIds = new Set(clicks.map(({ leadId }) => leadId))
  const clicked = leads.filter(({ id, email }) => clickedIds.has(id) && !isVisitorName(email))
  await noteClicks(sql, accountId, clicked)
}

/** The rows that there are of these ids, in their order; `select` ends before them. */
async function withIds(sql: Sql, ids: readonly number[], select: string, ...values: Value[]): Promise<Row[]> {
  const sorted = [...new Set(ids)].sort((a, b) => a - b)
  const parts = inParts(sorted, sql.countsAtOnce).map((part) =>
    sql.all(`${select} IN (${part.map(() => '?').join(', ')}) ORDER BY id`, ...values, ...part),
  )
  return (await Promise.all(parts)).flat()
}

async function addByDay(sql: Sql, counts: readonly Count[], leadIds: ReadonlySet<number>): Promise<void> {
  const daily = new Map<string, number[]>()
  const ofLeads = new Map<string, number[]>()
  const seen = new Map<number, Seconds>()
  for (const { accountId, campaignId, day, pageId, leadId, kind, fetcher, total, lastAt } of counts) {
    if (kind === 'visit' && pageId !== null) {
      seen.set(pageId, Math.max(lastAt, seen.get(pageId) ?? 0))
    }
    const [what, who] = [kinds.indexOf(kind), fetchers.indexOf(fetcher)]
    add(daily, [accountId, campaignId, day, pageId ?? 0, what, who], total)
    if (leadId !== null && leadIds.has(leadId)) add(ofLeads, [accountId, leadId, day, what, who], total)
  }
  const dailyKey = ['account_id', 'campaign_id', 'day', 'page_id', 'kind', 'fetcher']
  await addTo(sql, { table: 'daily_counts', key: dailyKey, sums: ['total'] }, [...daily.values()])
  const leadKey = ['account_id', 'lead_id', 'day', 'kind', 'fetcher']
  await addTo(sql, { table: 'lead_counts', key: leadKey, sums: ['total'] }, [...ofLeads.values()])
  // In one order, as `addTo` does.
  for (const one of [...seen].sort(([a], [b]) => a - b)) await addSighting(sql, one)
}

/** When the widget was last seen on a page, unless that was removed meanwhile. */
async function addSighting(sql: Sql, [pageId, seenAt]: [number, Seconds]): Promise<void> {
  await sql.run(
    `INSERT INTO page_sightings (page_id, seen_at) SELECT id, CAST(? AS bigint) FROM offer_pages WHERE id = ?
      ON CONFLICT (page_id)
      DO UPDATE SET seen_at = excluded.seen_at WHERE page_sightings.seen_at < excluded.seen_at`,
    ...[seenAt, pageId],
  )
}

export type AccountCount = { day: number; kind: Kind; total: number }

/** What people did in all campaigns of the account, by day and kind, from `fromDay` (days since 1970-01-01) on. */
async function ofAccount(sql: Sql, accountId: number, fromDay: number): Promise<AccountCount[]> {
  const rows = await sumsOfPeople(sql, 'day, kind', accountId, fromDay)
  return rows.map(({ day, kind, total }) => ({ day, kind: kinds[kind] as Kind, total }))
}

type DailyCount = AccountCount & { campaignId: number }

/** What is counted of each campaign in a list: a thousand of them have 120,000 rows a month of all kinds. */
const listed: readonly Kind[] = ['click', 'registration']

/** Clicks and registrations of people in each campaign of the account, by day, from `fromDay` (since 1970-01-01) on. */
async function byCampaign(sql: Sql, accountId: number, fromDay: number): Promise<DailyCount[]> {
  const rows = await sumsOfPeople(sql, 'campaign_id, day, kind', accountId, fromDay, listed)
  return rows.map(({ campaign_id: campaignId, day, kind, total }) => {
    return { campaignId, day, kind: kinds[kind] as Kind, total }
  })
}

/** A row for each combination of the columns `by`. Campaigns that were deleted are not counted. */
function sumsOfPeople(
  sql: Sql,
  by: string,
  accountId: number,
  fromDay: number,
  of: readonly Kind[] = kinds,
): Promise<Row[]> {
  return sql.all(
    `SELECT ${by}, CAST(sum(total) AS bigint) AS total FROM daily_counts
      WHERE account_id = ? AND campaign_id IN (SELECT id FROM campaigns WHERE account_id = ?)
        AND day >= ? AND fetcher = ? AND kind IN (${of.map((kind) => kinds.indexOf(kind))})
      GROUP BY ${by} ORDER BY ${by}`,
    ...[accountId, accountId, fromDay, fetchers.indexOf('person')],
  )
}

/** When the widget was last seen on each page of the campaign where it was. */
async function sightings(sql: Sql, { id }: Campaign): Promise<Map<number, Seconds>> {
  const rows = await sql.all(
    `SELECT page_id, seen_at FROM page_sightings JOIN offer_pages ON offer_pages.id = page_id
      WHERE campaign_id = ?`,
    id,
  )
  return new Map(rows.map((row) => [row.page_id, row.seen_at]))
}

/** Ascending day, from `fromDay` (days since 1970-01-01) on, and before `untilDay` where it is given. */
async function ofCampaign(
  sql: Sql,
  { accountId, id }: Campaign,
  fromDay: number,
  untilDay = Number.MAX_SAFE_INTEGER,
): Promise<CampaignCount[]> {
  const rows = await sql.all(
    `SELECT day, page_id, kind, fetcher, total FROM daily_counts
      WHERE account_id = ? AND campaign_id = ? AND day >= ? AND day < ? AND kind < ?
      ORDER BY day, page_id, kind, fetcher`,
    ...[accountId, id, fromDay, untilDay, kinds.indexOf('registration')],
  )
  return rows.map((row) => ({ ...namesOf(row), pageId: row.page_id === 0 ? null : row.page_id }))
}

/** Ascending day. */
async function ofLead(sql: Sql, { accountId }: Campaign, leadId: number): Promise<LeadCount[]> {
  const rows = await sql.all(
    `SELECT day, kind, fetcher, total FROM lead_counts
      WHERE account_id = ? AND lead_id = ? ORDER BY day, kind, fetcher`,
    ...[accountId, leadId],
  )
  return rows.map(namesOf)
}

function namesOf({ day, kind, fetcher, total }: Row): LeadCount {
  return { day, kind: kinds[kind] as LeadCount['kind'], fetcher: fetchers[fetcher] as Fetcher, total }
}

function add(rows: Map<string, number[]>, key: number[], total: number): void {
  const name = key.join(' ')
  const known = rows.get(name)
  if (known === undefined) rows.set(name, [...key, total])
  else known[key.length] = (known[key.length] as number) + total
}
