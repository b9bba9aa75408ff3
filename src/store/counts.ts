// What recipients did, added up by day. Nobody is named here but the lead, by its id.
import type { Seconds } from '../core/instant.ts'
import type { Campaign } from './model.ts'
import type { Row, Runner, Sql, Statement } from './sql.ts'

/** Positions are stored: add new ones at the end. */
export const kinds = ['click', 'open', 'visit', 'registration'] as const
export type Kind = (typeof kinds)[number]

/** Who fetched: a person as far as one can tell, a proxy that fetches for mail programs, a scanner of links. */
export const fetchers = ['person', 'proxy', 'scanner'] as const
export type Fetcher = (typeof fetchers)[number]

export type Count = {
  accountId: number
  campaignId: number
  /** Of the campaign's zone, in days since 1970-01-01. */
  day: number
  /** Null where no page is concerned. */
  pageId: number | null
  /** Null for visitors without an email. */
  leadId: number | null
  kind: Kind
  fetcher: Fetcher
  total: number
  /** Of the newest of them. */
  lastAt: Seconds
}

export type CampaignCount = Omit<Count, 'accountId' | 'campaignId' | 'leadId' | 'lastAt'>
/** Registrations are counted for campaigns alone: a lead has one, and says when. */
export type LeadCount = Omit<CampaignCount, 'pageId' | 'kind'> & { kind: Exclude<Kind, 'registration'> }

/** Each call rejects with StoreUnavailable where the database does not answer. */
export type Counts = {
  /** Adds to the counts by day of what recipients did. */
  add(counts: readonly Count[]): Promise<void>
  /** Ascending day, from `fromDay` (days since 1970-01-01) on. */
  ofCampaign(campaign: Campaign, fromDay: number): Promise<CampaignCount[]>
  /** What people did in all campaigns of the account, by day and kind, from `fromDay` on. */
  ofAccount(accountId: number, fromDay: number): Promise<AccountCount[]>
  /** Ascending day. */
  ofLead(campaign: Campaign, leadId: number): Promise<LeadCount[]>
  /** When the widget was last seen on each page of the campaign where it was. */
  sightings(campaign: Campaign): Promise<Map<number, Seconds>>
}

/** `rowsAtOnce`: rows of one statement. */
export function countsOn({ read, writeAll }: Runner, rowsAtOnce: number): Counts {
  return {
    add: (counts) => writeAll(countStatements(counts, rowsAtOnce)),
    ofCampaign: ({ accountId, id }, fromDay) => read((sql) => readCounts(sql, accountId, id, fromDay)),
    ofAccount: (accountId, fromDay) => read((sql) => readAccountCounts(sql, accountId, fromDay)),
    ofLead: ({ accountId }, leadId) => read((sql) => readLeadCounts(sql, accountId, leadId)),
    sightings: ({ id }) => read((sql) => readSightings(sql, id)),
  }
}

/**
 * Adds to what is there, so many rows with a statement. In one order, so that two nodes never wait for each other
 * in a circle.
 */
function countStatements(counts: readonly Count[], rowsAtOnce: number): Statement[] {
  const daily = new Map<string, number[]>()
  const ofLeads = new Map<string, number[]>()
  const sightings = new Map<number, Seconds>()
  for (const { accountId, campaignId, day, pageId, leadId, kind, fetcher, total, lastAt } of counts) {
    if (kind === 'visit' && pageId !== null) {
      sightings.set(pageId, Math.max(lastAt, sightings.get(pageId) ?? 0))
    }
    const [what, who] = [kinds.indexOf(kind), fetchers.indexOf(fetcher)]
    add(daily, [accountId, campaignId, day, pageId ?? 0, what, who], total)
    if (leadId !== null) add(ofLeads, [accountId, leadId, day, what, who], total)
  }
  return [
    ...additions('daily_counts', 'account_id, campaign_id, day, page_id, kind, fetcher', daily, rowsAtOnce),
    ...additions('lead_counts', 'account_id, lead_id, day, kind, fetcher', ofLeads, rowsAtOnce),
    ...[...sightings].sort(([a], [b]) => a - b).map(sighting),
  ]
}

/** When the widget was last seen on a page. */
function sighting([pageId, seenAt]: [number, Seconds]): Statement {
  return [
    `INSERT INTO page_sightings (page_id, seen_at) VALUES (?, ?) ON CONFLICT (page_id)
      DO UPDATE SET seen_at = excluded.seen_at WHERE page_sightings.seen_at < excluded.seen_at`,
    pageId,
    seenAt,
  ]
}

export type AccountCount = { day: number; kind: Kind; total: number }

async function readAccountCounts(sql: Sql, accountId: number, fromDay: number): Promise<AccountCount[]> {
  const rows = await sql.all(
    `SELECT day, kind, CAST(sum(total) AS bigint) AS total FROM daily_counts
      WHERE account_id = ? AND campaign_id IN (SELECT id FROM campaigns WHERE account_id = ?)
        AND day >= ? AND fetcher = ?
      GROUP BY day, kind ORDER BY day, kind`,
    accountId,
    accountId,
    fromDay,
    fetchers.indexOf('person'),
  )
  return rows.map(({ day, kind, total }) => ({ day, kind: kinds[kind] as Kind, total }))
}

async function readSightings(sql: Sql, campaignId: number): Promise<Map<number, Seconds>> {
  const rows = await sql.all(
    `SELECT page_id, seen_at FROM page_sightings JOIN offer_pages ON offer_pages.id = page_id
      WHERE campaign_id = ?`,
    campaignId,
  )
  return new Map(rows.map((row) => [row.page_id, row.seen_at]))
}

function add(rows: Map<string, number[]>, key: number[], total: number): void {
  const name = key.join(' ')
  const known = rows.get(name)
  if (known === undefined) rows.set(name, [...key, total])
  else known[key.length] = (known[key.length] as number) + total
}

function* additions(
  table: string,
  key: string,
  rows: Map<string, number[]>,
  rowsAtOnce: number,
): Generator<Statement> {
  const sorted = [...rows.values()].sort(byValues)
  // The same text for most of them: the engine finds what it has prepared by it.
  let text = ''
  let rowsOfText = 0
  for (let from = 0; from < sorted.length; from += rowsAtOnce) {
    const part = sorted.slice(from, from + rowsAtOnce)
    if (part.length !== rowsOfText) {
      rowsOfText = part.length
      text = additionOf(table, key, rowsOfText)
    }
    yield [text, ...part.flat()]
  }
}

function additionOf(table: string, key: string, rows: number): string {
  const row = `(${'?, '.repeat(key.split(',').length)}?)`
  return `INSERT INTO ${table} (${key}, total) VALUES ${Array(rows).fill(row).join(', ')}
    ON CONFLICT (${key}) DO UPDATE SET total = ${table}.total + excluded.total`
}

function byValues(a: number[], b: number[]): number {
  for (let index = 0; index < a.length; index++) {
    const difference = (a[index] as number) - (b[index] as number)
    if (difference !== 0) return difference
  }
  return 0
}

async function readCounts(
  sql: Sql,
  accountId: number,
  campaignId: number,
  fromDay: number,
): Promise<CampaignCount[]> {
  const rows = await sql.all(
    `SELECT day, page_id, kind, fetcher, total FROM daily_counts
      WHERE account_id = ? AND campaign_id = ? AND day >= ? ORDER BY day, page_id, kind, fetcher`,
    accountId,
    campaignId,
    fromDay,
  )
  return rows.map((row) => ({ ...namesOf(row), pageId: row.page_id === 0 ? null : row.page_id }))
}

async function readLeadCounts(sql: Sql, accountId: number, leadId: number): Promise<LeadCount[]> {
  const rows = await sql.all(
    `SELECT day, kind, fetcher, total FROM lead_counts
      WHERE account_id = ? AND lead_id = ? ORDER BY day, kind, fetcher`,
    accountId,
    leadId,
  )
  return rows.map((row) => namesOf(row) as LeadCount)
}

function namesOf({ day, kind, fetcher, total }: Row): Omit<CampaignCount, 'pageId'> {
  return { day, kind: kinds[kind] as Kind, fetcher: fetchers[fetcher] as Fetcher, total }
}
