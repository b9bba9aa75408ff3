// The statements on leads, for both engines. Each names the account: a database that is divided by
// account finds its part by that. "Values" are what stands for the `?`.
import { beforeEmails } from '../core/visitor.ts'
import { type Actor, addLeadEntries, counted, type LeadEntry } from './audit.ts'
import { unlinkOrders } from './erased-orders.ts'
import { type ErasedLead, noteErased } from './events/notes.ts'
import { goBackBefore } from './events/sweeps.ts'
import { columns, decisionColumns, type LeadRow } from './lead-row.ts'
import type { LeadName, Leftover } from './model.ts'
import type { Row, Sql, Value } from './sql.ts'

const listOf = (columns: string): string => columns.replaceAll(/[^,]+/g, ' ?').trim()

/** A lead that was looked for in all campaigns of its account. */
export type FoundRow = [campaignId: number, ...LeadRow]

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

/** Emails come behind this name, visitors without one before it; the indexes by deadline say the same. */
export const hasEmail = `email > '${beforeEmails}'`

/** Values: account, and as many ids. The campaign stands before the row. */
export function findLeadsById(count: number): string {
  return `SELECT campaign_id, ${columns} FROM leads
    WHERE account_id = ? AND id IN (${Array(count).fill('?').join(', ')}) AND ${hasEmail}`
}

/** Values: account, campaign. */
export const fromLeadsWithEmail = `FROM leads WHERE account_id = ? AND campaign_id = ? AND ${hasEmail}`

const insertColumns = `account_id, campaign_id, email, salt, ${decisionColumns}`
const insertRow = `(${listOf(insertColumns)})`

/** Values of each row: account, campaign, email, salt, `decisionValues`. */
export function insertLeads(rows: number): string {
  return `INSERT INTO leads (${insertColumns}) VALUES ${Array(rows).fill(insertRow).join(', ')}`
}

/** Values: `decisionValues`, account, campaign, email. */
export const updateLead = `UPDATE leads SET (${decisionColumns}) = (${listOf(decisionColumns)})
  WHERE account_id = ? AND campaign_id = ? AND email = ?`

/**
 * Changes nothing, and keeps the row from others until the transaction ends: both engines know no other way that reads
 * alike. Values: account, campaign, email.
 */
export const lockLead = `UPDATE leads SET salt = salt
  WHERE account_id = ? AND campaign_id = ? AND email = ? RETURNING ${columns}`

const ofCampaign = 'WHERE account_id = ? AND campaign_id = ?'

/** Visitors without an email count too: their deadlines follow the campaign as those of leads do. */
export async function hasLeadsOrVisitors(sql: Sql, accountId: number, campaignId: number): Promise<boolean> {
  // In the order of the index: PostgreSQL might go through the leads of everybody otherwise.
  const one = `SELECT 1 AS found FROM leads ${ofCampaign} ORDER BY email LIMIT 1`
  return (await sql.get(one, accountId, campaignId)) !== undefined
}

/** Rows that one step removes: some ten milliseconds of either engine. */
const removedAtOnce = 100

/**
 * Removes a part of what a deleted campaign has left, its leads and what was counted of it; null once nothing is left.
 * The next step gets the result: PostgreSQL keeps removed rows in an index for a while, and would go through all of them
 * in each step.
 */
export async function removeDeleted(sql: Sql, left: Leftover): Promise<Leftover | null> {
  const { accountId, id, afterEmail = '', afterOrder = 0 } = left
  const of = [accountId, id]
  // In the order of an index: PostgreSQL might look for them by going through the leads of everybody.
  const some = (table: string, order: string, after: Value) =>
    sql.all(
      `SELECT id, ${order} AS place FROM ${table} ${ofCampaign} AND ${order} > ? ORDER BY ${order} LIMIT ${removedAtOnce}`,
      ...[...of, after],
    )
  // SQLite would go through all of the account's orders, or all of the campaign's leads, without the index that is meant.
  const remove = (table: string, where: string, values: number[], rows: Row[]) =>
    sql.run(`DELETE FROM ${table} WHERE ${where} IN (${rows.map(() => '?')})`, ...values, ...rows.map((row) => row.id))

  const leads = await some('leads', 'email', afterEmail)
  const orders = await some('conversions', 'id', afterOrder)
  if (leads.length > 0) {
    await remove('lead_counts', 'account_id = ? AND lead_id', [accountId], leads)
    await remove('clicked_leads', 'account_id = ? AND lead_id', [accountId], leads)
    await remove('leads', 'account_id = ? AND id', [accountId], leads)
  }
  if (orders.length > 0) await remove('conversions', 'account_id = ? AND campaign_id = ? AND id', of, orders)
  if (leads.length + orders.length > 0) {
    return { ...left, afterEmail: leads.at(-1)?.place ?? afterEmail, afterOrder: orders.at(-1)?.place ?? afterOrder }
  }
  // Once more from the beginning: what was not on the disk when the database broke down, or another took over, is back.
  if (afterEmail !== '' || afterOrder > 0) return { accountId, id }
  await sql.run(`DELETE FROM daily_counts ${ofCampaign}`, ...of)
  await sql.run(`DELETE FROM signup_counts ${ofCampaign}`, ...of)
  await sql.run('DELETE FROM deleted_campaigns WHERE id = ?', id)
  return null
}

/** Resolves with how many there were. */
export async function deleteNamed(sql: Sql, names: readonly LeadName[], by: Actor): Promise<number> {
  // In the order in which registrations lock leads, or the two would wait for each other in a circle.
  const leads = names.toSorted(inOrder)
  const lead = `${ofCampaign} AND email = ?`
  const ofLead = `WHERE account_id = ? AND lead_id IN (SELECT id FROM leads ${lead})`
  const entries: LeadEntry[] = []
  for (const accountId of new Set(leads.map(({ campaign }) => campaign.accountId))) await sql.stopCounts(accountId)
  for (const { campaign, email } of leads) {
    const name = [campaign.accountId, campaign.id, email] as const
    await goBackBefore(sql, campaign, email)
    await sql.run(`DELETE FROM lead_counts ${ofLead}`, campaign.accountId, ...name)
    await sql.run(`DELETE FROM clicked_leads ${ofLead}`, campaign.accountId, ...name)
    const gone = await sql.get(`DELETE FROM leads ${lead} RETURNING id, salt`, ...name)
    // Another erasure was first, and has noted it.
    if (gone === undefined) continue
    await noteErased(sql, campaign, gone as ErasedLead, by.at)
    await unlinkOrders(sql, campaign.accountId, campaign.id, gone.id)
    entries.push({ by, change: counted(campaign, 'leads.erased') })
  }
  await addLeadEntries(sql, entries)
  return entries.length
}

/** The same order in every transaction, so that two of them never wait for each other in a circle. */
export function inOrder(a: LeadName, b: LeadName): number {
  const [of, other] = [a.campaign, b.campaign]
  if (of.accountId !== other.accountId) return of.accountId - other.accountId
  if (of.id !== other.id) return of.id - other.id
  if (a.email === b.email) return 0
  return a.email < b.email ? -1 : 1
}
