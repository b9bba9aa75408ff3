// What recipients did, added up by day. Nobody is named here but the lead, by its id.
import type { Row, Sql, Statement } from './sql.ts'

/** Positions are stored: add new ones at the end. */
export const kinds = ['click', 'open', 'visit'] as const
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
}

export type CampaignCount = Omit<Count, 'accountId' | 'campaignId' | 'leadId'>
export type LeadCount = Omit<Count, 'accountId' | 'campaignId' | 'leadId' | 'pageId'>

/**
 * Adds to what is there, so many rows with a statement. In one order, so that two nodes never wait for each other
 * in a circle.
 */
export function countStatements(counts: readonly Count[], rowsAtOnce: number): Statement[] {
  const daily = new Map<string, number[]>()
  const ofLeads = new Map<string, number[]>()
  for (const { accountId, campaignId, day, pageId, leadId, kind, fetcher, total } of counts) {
    const [what, who] = [kinds.indexOf(kind), fetchers.indexOf(fetcher)]
    add(daily, [accountId, campaignId, day, pageId ?? 0, what, who], total)
    if (leadId !== null) add(ofLeads, [accountId, leadId, day, what, who], total)
  }
  return [
    ...additions('daily_counts', 'account_id, campaign_id, day, page_id, kind, fetcher', daily, rowsAtOnce),
    ...additions('lead_counts', 'account_id, lead_id, day, kind, fetcher', ofLeads, rowsAtOnce),
  ]
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

/** Ascending day, from `fromDay` on. */
export async function readCounts(
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

/** Ascending day. */
export async function readLeadCounts(sql: Sql, accountId: number, leadId: number): Promise<LeadCount[]> {
  const rows = await sql.all(
    `SELECT day, kind, fetcher, total FROM lead_counts
      WHERE account_id = ? AND lead_id = ? ORDER BY day, kind, fetcher`,
    accountId,
    leadId,
  )
  return rows.map(namesOf)
}

function namesOf({ day, kind, fetcher, total }: Row): LeadCount {
  return { day, kind: kinds[kind] as Kind, fetcher: fetchers[fetcher] as Fetcher, total }
}

export async function readTemplate(sql: Sql, id: string): Promise<Uint8Array | undefined> {
  return (await sql.get('SELECT template FROM timer_templates WHERE id = ?', id))?.template
}

/** Keeps the newest 10,000. */
export function templateStatements(id: string, template: Uint8Array, madeAt: number): Statement[] {
  return [
    [
      'INSERT INTO timer_templates (id, template, made_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      id,
      template,
      madeAt,
    ],
    [
      `DELETE FROM timer_templates WHERE made_at <
        (SELECT made_at FROM timer_templates ORDER BY made_at DESC LIMIT 1 OFFSET 9999)`,
    ],
  ]
}
