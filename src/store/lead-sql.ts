// The statements on leads, which both engines read alike. Each names the account: a database that is divided by
// account finds its part by that. "Values" are what stands for the `?`.
import type { Seconds } from '../core/instant.ts'
import { beforeEmails } from '../core/visitor.ts'
import { type Actor, addLeadEntries, counted, type LeadEntry } from './audit.ts'
import { unlinkOrders } from './erased-orders.ts'
import { noteErased } from './events/notes.ts'
import { attemptColumns, type LeadRow, leadColumns } from './lead-row.ts'
import type {
  Campaign,
  DeadlineFilter,
  DeadlinePosition,
  DeletedCampaign,
  Lead,
  LeadName,
  SearchStep,
} from './model.ts'
import type { Sql, Value } from './sql.ts'

const listOf = (columns: string): string => columns.replaceAll(/[^,]+/g, ' ?').trim()

export type LeadWithEmail = [email: string, ...LeadRow]
/** A lead that was looked for in all campaigns of its account. */
export type FoundRow = [campaignId: number, ...LeadWithEmail]
const columns = `email, ${leadColumns}`

/** Values: account, campaign, email. */
export const findLead = `SELECT ${columns} FROM leads WHERE account_id = ? AND campaign_id = ? AND email = ?`

/**
 * Values: a list of emails, account, campaign; of PostgreSQL alone, which reads and locks in the order of the list.
 * `email = ANY (?)` would be shorter, but is planned by how many leads the account seems to have: as long as
 * PostgreSQL has not counted them, it reads them all. A short list is planned again each time, which costs more than
 * to read a lead: `findLead` is for one.
 */
export const findLeads = (lock: '' | 'FOR UPDATE') => `
  SELECT lead.* FROM unnest(CAST(? AS text[])) AS asked (address), LATERAL (
    SELECT ${columns} FROM leads
      WHERE account_id = ? AND campaign_id = ? AND email = address LIMIT 1 ${lock}) AS lead`

/** Values: account, id and salt, as a ref names them. The campaign stands before the row. */
export const findLeadByRef = `SELECT campaign_id, ${columns} FROM leads
  WHERE account_id = ? AND id = ? AND salt = ?`

/** Values: account, and as many ids. The campaign stands before the row. */
export function findLeadsById(count: number): string {
  return `SELECT campaign_id, ${columns} FROM leads
    WHERE account_id = ? AND id IN (${Array(count).fill('?').join(', ')})`
}

/** Values: account, campaign, the range of emails, limit. */
export const listLeads = `SELECT ${columns} FROM leads
  WHERE account_id = ? AND campaign_id = ? AND email >= ? AND email < ? ORDER BY email LIMIT ?`

/** Emails come behind this name, visitors without one before it; the indexes by deadline say the same. */
export const hasEmail = `email > '${beforeEmails}'`
/** Values: account, campaign. */
export const fromLeadsWithEmail = `FROM leads WHERE account_id = ? AND campaign_id = ? AND ${hasEmail}`

/** Of a deadline that was set by hand nobody asks when it opens. */
const opensByHand = 'CAST(0 AS bigint)'

/**
 * By deadline, opening and id, as the index has them: an import may give a million leads one deadline, and to sort
 * these for each page would stop SQLite for seconds.
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

export const listByDeadline = { ascending: leadsByDeadline(false), descending: leadsByDeadline(true) }

/** The values of these two. */
export function deadlineValues({ accountId, id }: Campaign, { after, isDescending, limit }: DeadlineFilter): Value[] {
  const end = (isDescending ? 1 : -1) * Number.MAX_SAFE_INTEGER
  const position = after === null ? [end, end, end] : [after.at, after.opensAt, after.id]
  const side = [accountId, id, ...position, limit]
  return [...side, ...side, limit]
}

/** Of a lead of such a list. */
export function deadlinePosition({ id, attempt: { byHand, deadlineAt, opensAt } }: Lead): DeadlinePosition {
  return byHand === null
    ? { at: deadlineAt as Seconds, opensAt: opensAt as Seconds, id }
    : { at: byHand.deadlineAt, opensAt: 0, id }
}

/** Values: account, campaign, the email before, limit. */
export const listWithoutDeadline = `SELECT ${columns} ${fromLeadsWithEmail}
  AND by_hand_deadline_at IS NULL AND deadline_at IS NULL AND email > ? ORDER BY email LIMIT ?`

/** Leads that one step of a search looks at: some ten milliseconds of either engine. */
export const searchSize = 20_000

/** How many emails a step has, and the last of them. Values: account, campaign, the range of emails, size. */
export const searchStep = `SELECT count(*) AS total, max(email) AS last FROM (SELECT email FROM leads
  WHERE account_id = ? AND campaign_id = ? AND email >= ? AND email < ? ORDER BY email LIMIT ?) AS step`

/** Values: account, campaign, the first and the last email, pattern, limit. */
export const searchLeads = `SELECT ${columns} FROM leads WHERE account_id = ? AND campaign_id = ?
  AND email >= ? AND email <= ? AND lower(email) LIKE ? ESCAPE '\\' ORDER BY email LIMIT ?`

export function patternOf(part: string): string {
  return `%${part.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
}

/** Where a step ended that looked at `total` emails up to `last`, and found these. */
export function searchedUpTo(found: readonly Lead[], limit: number, total: number, last: string): SearchStep {
  const isCut = found.length === limit
  const afterEmail = isCut ? (found.at(-1) as Lead).email : total < searchSize ? null : last
  return { leads: [...found], read: isCut ? found.length : total, afterEmail }
}

const insertColumns = `account_id, campaign_id, email, salt, registered_at, ${attemptColumns}`
const insertRow = `(${listOf(insertColumns)})`

/** Values of each row: account, campaign, email, salt, instant of registration, `attemptValues`; first the id, if given. */
export function insertLeads(rows: number, { withIds = false } = {}): string {
  const row = withIds ? insertRow.replace('(', '(?, ') : insertRow
  return `INSERT INTO leads (${withIds ? 'id, ' : ''}${insertColumns}) VALUES ${Array(rows).fill(row).join(', ')}`
}

/** Values: `attemptValues`, account, campaign, email. */
export const updateLead = `UPDATE leads SET (${attemptColumns}) = (${listOf(attemptColumns)})
  WHERE account_id = ? AND campaign_id = ? AND email = ?`

/**
 * Changes nothing, and keeps the row from others until the transaction ends: both engines know no other way that reads
 * alike. Values: account, campaign, email.
 */
export const lockLead = `UPDATE leads SET salt = salt
  WHERE account_id = ? AND campaign_id = ? AND email = ? RETURNING ${columns}`

const ofCampaign = 'WHERE account_id = ? AND campaign_id = ?'

export async function hasLeads(sql: Sql, accountId: number, campaignId: number): Promise<boolean> {
  const one = `SELECT 1 AS found FROM leads ${ofCampaign} LIMIT 1`
  return (await sql.get(one, accountId, campaignId)) !== undefined
}

/** Rows that one step removes: some ten milliseconds of either engine. */
const removedAtOnce = 100

/** Removes a part of what a deleted campaign has left, its leads and what was counted of it; true once nothing is left. */
export async function removeDeleted(sql: Sql, { accountId, id }: DeletedCampaign): Promise<boolean> {
  const of = [accountId, id]
  // In the order of an index: PostgreSQL might look for them by going through the leads of everybody.
  const some = async (table: string, order: string): Promise<number[]> => {
    const ids = `SELECT id FROM ${table} ${ofCampaign} ORDER BY ${order} LIMIT ${removedAtOnce}`
    return (await sql.all(ids, ...of)).map((row) => row.id)
  }
  // SQLite would go through all of the account's orders, or all of the campaign's leads, without the index that is meant.
  const remove = (table: string, where: string, values: number[], ids: number[]) =>
    sql.run(`DELETE FROM ${table} WHERE ${where} IN (${ids.map(() => '?')})`, ...values, ...ids)

  const leads = await some('leads', 'email')
  const orders = await some('conversions', 'id')
  if (leads.length > 0) {
    await remove('lead_counts', 'account_id = ? AND lead_id', [accountId], leads)
    await remove('clicked_leads', 'account_id = ? AND lead_id', [accountId], leads)
    await remove('leads', 'account_id = ? AND id', [accountId], leads)
  }
  if (orders.length > 0) await remove('conversions', 'account_id = ? AND campaign_id = ? AND id', of, orders)
  if (leads.length + orders.length > 0) return false
  await sql.run(`DELETE FROM daily_counts ${ofCampaign}`, ...of)
  await sql.run(`DELETE FROM signup_counts ${ofCampaign}`, ...of)
  await sql.run('DELETE FROM deleted_campaigns WHERE id = ?', id)
  return true
}

/** Resolves with how many of them there were. */
export async function deleteNamed(sql: Sql, leads: readonly LeadName[], by: Actor): Promise<number> {
  const lead = `${ofCampaign} AND email = ?`
  const ofLead = `WHERE account_id = ? AND lead_id IN (SELECT id FROM leads ${lead})`
  const entries: LeadEntry[] = []
  for (const { campaign, email } of leads) {
    const name = [campaign.accountId, campaign.id, email] as const
    await noteErased(sql, campaign, email, by.at)
    await sql.run(`DELETE FROM lead_counts ${ofLead}`, campaign.accountId, ...name)
    await sql.run(`DELETE FROM clicked_leads ${ofLead}`, campaign.accountId, ...name)
    const gone = await sql.get(`DELETE FROM leads ${lead} RETURNING id`, ...name)
    if (gone === undefined) continue
    await unlinkOrders(sql, campaign.accountId, campaign.id, gone.id)
    entries.push({ by, change: counted(campaign, 'leads.erased') })
  }
  await addLeadEntries(sql, entries)
  return entries.length
}
