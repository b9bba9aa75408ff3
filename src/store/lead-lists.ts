// Leads of a campaign in order, and leads by what names them in all campaigns, for both engines. "Values" are those for
// the `?`.
import type { Seconds } from '../core/instant.ts'
import { beforeEmails } from '../core/visitor.ts'
import { columns, type LeadRow } from './lead-row.ts'
import { type FoundRow, fromLeadsWithEmail } from './lead-sql.ts'
import type { Campaign, DeadlineFilter, DeadlinePosition, FoundLead, Lead, LeadFilter } from './model.ts'
import type { RefCipher } from './ref.ts'
import type { Value } from './sql.ts'
import type { LeadStore } from './store.ts'

/** An offer whose deadline was set by hand has no opening. */
const opensByHand = 'CAST(0 AS bigint)'

/**
 * By deadline, opening and id, as the index has them: an import may give a million leads one deadline, and to sort
 * these for each page would stop SQLite for seconds. Values: `deadlineValues`.
 */
function leadsByDeadline(isDescending: boolean): string {
  const [after, direction] = isDescending ? ['<', 'DESC'] : ['>', 'ASC']
  const order = ['ends_at', 'begins_at', 'id'].map((column) => `${column} ${direction}`).join(', ')
  const side = (endsAt: string, beginsAt: string, byHand: string) =>
    `SELECT * FROM (SELECT ${columns}, ${endsAt} AS ends_at, ${beginsAt} AS begins_at ${fromLeadsWithEmail}
      AND by_hand_deadline_at IS ${byHand} AND (${endsAt}, ${beginsAt}, id) ${after} (?, ?, ?)
      ORDER BY ${order} LIMIT ?) AS by_${endsAt}`
  const [byRule, set] = [side('deadline_at', 'opens_at', 'NULL'), side('by_hand_deadline_at', opensByHand, 'NOT NULL')]
  return `SELECT ${columns} FROM (${byRule} UNION ALL ${set}) AS found ORDER BY ${order} LIMIT ?`
}

export const statements = {
  /** Values: account, campaign, the range of emails, limit. */
  list: `SELECT ${columns} FROM leads
    WHERE account_id = ? AND campaign_id = ? AND email >= ? AND email < ? ORDER BY email LIMIT ?`,
  byDeadline: leadsByDeadline(false),
  byDeadlineDown: leadsByDeadline(true),
  /** Values: account, campaign, the email before, limit. */
  withoutDeadline: `SELECT ${columns} ${fromLeadsWithEmail}
    AND by_hand_deadline_at IS NULL AND deadline_at IS NULL AND email > ? ORDER BY email LIMIT ?`,
  /** How many emails a step has, and the last of them. Values: account, campaign, the range of emails, size. */
  searchStep: `SELECT count(*) AS total, max(email) AS last FROM (SELECT email FROM leads
    WHERE account_id = ? AND campaign_id = ? AND email >= ? AND email < ? ORDER BY email LIMIT ?) AS step`,
  /**
   * Values: account, campaign, the first and the last email, part in small letters, limit. Not by LIKE: SQLite goes on
   * letter by letter, and leads that nearly have a long part, a hundred times "a", would stop the process for seconds.
   */
  search: `SELECT ${columns} FROM leads WHERE account_id = ? AND campaign_id = ?
    AND email >= ? AND email <= ? AND replace(lower(email), ?, '') <> lower(email) ORDER BY email LIMIT ?`,
}
type Name = keyof typeof statements

/** Leads that one step of a search looks at: some ten milliseconds of either engine. */
const searchSize = 20_000

type ToLead = (campaign: Campaign, row: LeadRow) => Promise<Lead>

/** `read` gives the rows of a statement, and `toLead` makes a lead of one. */
export function leadLists(
  read: <Found extends unknown[]>(name: Name, values: Value[]) => Promise<Found[]>,
  toLead: ToLead,
): Pick<LeadStore, 'list' | 'listByDeadline' | 'listWithoutDeadline' | 'search'> {
  async function listed(campaign: Campaign, name: Name, values: Value[]): Promise<Lead[]> {
    const rows = await read<LeadRow>(name, values)
    return Promise.all(rows.map((row) => toLead(campaign, row)))
  }

  return {
    list: (campaign, { limit, ...filter }) =>
      listed(campaign, 'list', [campaign.accountId, campaign.id, ...emailRange(filter), limit]),
    listByDeadline: (campaign, filter) =>
      listed(campaign, filter.isDescending ? 'byDeadlineDown' : 'byDeadline', deadlineValues(campaign, filter)),
    listWithoutDeadline: (campaign, { afterEmail, limit }) =>
      listed(campaign, 'withoutDeadline', [campaign.accountId, campaign.id, afterEmail, limit]),
    async search(campaign, { part, afterEmail, limit }) {
      const of = [campaign.accountId, campaign.id]
      const [from, below] = emailRange({ prefix: '', afterEmail })
      const [step] = await read<[total: number, last: string | null]>('searchStep', [...of, from, below, searchSize])
      const [total, last] = step as [number, string | null]
      const leads = await listed(campaign, 'search', [...of, from, last, part.toLowerCase(), limit])
      if (leads.length === limit) return { leads, read: limit, afterEmail: (leads.at(-1) as Lead).email }
      return { leads, read: total, afterEmail: total < searchSize ? null : last }
    },
  }
}

/** `byRef` gives the rows of `findLeadByRef`, `byIds` those of `findLeadsById`. */
export function leadFinders(
  refs: RefCipher,
  byRef: (values: number[]) => Promise<FoundRow[]>,
  byIds: (accountId: number, ids: readonly number[]) => Promise<FoundRow[]>,
  toLead: ToLead,
): Pick<LeadStore, 'findByRef' | 'findByIds'> {
  const found = ([campaignId, ...row]: FoundRow): FoundLead => {
    return { id: row[1], campaignId, lead: (campaign) => toLead(campaign, row) }
  }
  return {
    async findByRef(ref) {
      const parts = refs.read(ref)
      if (parts === undefined) return undefined
      const [row] = await byRef([parts.accountId, parts.leadId, parts.salt])
      return row && found(row)
    },
    findByIds: async (accountId, ids) => (await byIds(accountId, ids)).map(found),
  }
}

/**
 * From the first email, included, to the second, excluded, in the order of bytes: one stretch of the index, however many
 * leads there are. Emails are printable ASCII: the character before stands directly behind an email, and the one after
 * behind all that begin alike.
 */
function emailRange({ prefix, afterEmail }: Omit<LeadFilter, 'limit'>): [from: string, below: string] {
  const next = `${afterEmail || beforeEmails}\x01`
  return [next > prefix ? next : prefix, `${prefix}\x7f`]
}

function deadlineValues({ accountId, id }: Campaign, { after, isDescending, limit }: DeadlineFilter): Value[] {
  const end = (isDescending ? 1 : -1) * Number.MAX_SAFE_INTEGER
  const position = after === null ? [end, end, end] : [after.at, after.opensAt, after.id]
  const side = [accountId, id, ...position, limit]
  return [...side, ...side, limit]
}

/** Where a lead stands in the order of deadlines; null for one without, which stands behind them all. */
export function deadlinePosition({ id, attempt: { byHand, deadlineAt, opensAt } }: Lead): DeadlinePosition | null {
  if (byHand !== null) return { at: byHand.deadlineAt, opensAt: 0, id }
  return deadlineAt === null ? null : { at: deadlineAt, opensAt: opensAt as Seconds, id }
}
