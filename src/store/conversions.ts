// Orders of leads: one row each. Both engines run these statements; each names the account.
import { formatInstant, quarterSeconds, type Seconds } from '../core/instant.ts'
import { type Attempt, setByHand } from '../core/mechanism/attempt.ts'
import { amountOf, type Buyer, type Conversion, isOfErased, type Order, type Purchase } from '../core/order.ts'
import { type Actor, type AuditAction, addAuditEntry, addLeadEntries, type Change, counted } from './audit.ts'
import { findCampaign } from './campaigns.ts'
import { markOf } from './erased-orders.ts'
import { noteConverted } from './events/notes.ts'
import { insertNotices } from './events/queue.ts'
import { decisionValues, type LeadRow, leadOf, noticesFor } from './lead-row.ts'
import { findLead, findLeadByRef, lockLead, updateLead } from './lead-sql.ts'
import type { Campaign, CampaignOf, Decision, Lead } from './model.ts'
import type { RefCipher } from './ref.ts'
import { addSignups, nobody } from './results.ts'
import { ordersByQuarter, peopleBetween, reversedBetween, salesBetween } from './sales.ts'
import { boundTo, type Runner, type Sql, type Value } from './sql.ts'

/** Where an order came from. Positions are stored: add new ones at the end. */
export const sources = ['api', 'panel', 'command line', 'import'] as const
export type Source = (typeof sources)[number]

/** An order as a channel gives it. */
export type Told = { order: Order; buyer: Buyer; source: Source }
/** What an order does to the offer. `found` is the attempt at the purchase. */
export type Judge = (campaign: Campaign, lead: Lead, found: Attempt) => Purchase
/** Back to the rules, or to the deadline set by hand before. */
export type Reopen = (campaign: Campaign, lead: Lead, conversion: Conversion) => Decision | undefined

export function conversionsOn({ read, writeInTime }: Runner, refs: RefCipher) {
  /** In one step: no other write of the lead and no change of the account's settings comes in between. */
  const inCampaign = <Done>(of: CampaignOf, now: Seconds, by: Actor | null, work: (on: Work) => Promise<Done>) =>
    writeInTime(async (sql) => {
      await sql.holdSettings(of.accountId)
      const campaign = await findCampaign(sql, of.campaignId)
      if (campaign?.accountId !== of.accountId) return 'CAMPAIGN_NOT_FOUND' as const
      return work({ sql, refs, campaign, now, by })
    })
  return {
    ...boundTo(read, { list, newest, ofLead, find, firstOf }),
    ...boundTo(read, { ordersByQuarter, salesBetween, reversedBetween, peopleBetween }),
    /** Writes the order and what it does. A known one is returned unchanged. Resolves once it is on disk. */
    convert: (of: CampaignOf, told: Told, judge: Judge, now: Seconds, by: Actor | null) =>
      inCampaign(of, now, by, (on) => convert(on, told, judge)),
    /** Counts the order out. `reopen` decides about the lead if its offer is still ended by the order. */
    reverse: (of: CampaignOf, orderId: string, reopen: Reopen | null, now: Seconds, by: Actor | null) =>
      inCampaign(of, now, by, (on) => reverse(on, orderId, reopen)),
  }
}

/** `by` is null for requests of the API, which are not in the audit log. */
type Work = { sql: Sql; refs: RefCipher; campaign: Campaign; now: Seconds; by: Actor | null }

async function convert(work: Work, told: Told, judge: Judge) {
  const { sql, campaign, now } = work
  const known = await findOrder(work, told.order.orderId)
  const email = await emailOf(work, told.buyer)
  if (known !== undefined && (email !== undefined || isOfErased(known))) return { conversion: known, created: false }
  const lead = email && (await lock(work, email))
  if (!lead) return 'LEAD_NOT_FOUND' as const
  const purchase = judge(campaign, lead, await foundAt(work, lead, told.order.at))
  const isFirst = !(await hasBought(sql, campaign, lead.id))
  const id = await insert(work, lead, told, purchase)
  const conversion = (await findOrder(work, told.order.orderId)) as Conversion
  // The order was recorded meanwhile, for this lead or another one.
  if (id === undefined) return { conversion, created: false }
  // Without notices: `lead.converted` tells of it.
  if (purchase.closing !== null) await change(work, lead, { ...lead, attempt: purchase.closing })
  if (isFirst) await count(work, conversion, 1)
  await noteConverted(sql, campaign, lead.id, id, now)
  await logConverted(work, lead.id, told, purchase.closing !== null)
  return { conversion, created: true }
}

/**
 * The attempt at `at`, when the buyer bought. What came later is undone: a first visit, a deadline set by hand, or an
 * order that ended the offer. The first of those orders has kept the deadline that it replaced.
 */
async function foundAt({ sql, campaign }: Work, lead: Lead, at: Seconds): Promise<Attempt> {
  const { number, resets, anchorAt, byHand } = lead.attempt
  const byVisit = number === 1 && resets === 0 && anchorAt !== null && anchorAt > lead.registeredAt
  const attempt = byVisit && at < anchorAt ? { ...lead.attempt, anchorAt: null } : lead.attempt
  if (byHand === null) return attempt
  const later = 'c.lead_id = ? AND closed_at > ? ORDER BY closed_at LIMIT 1'
  const [closing] = await select(sql, campaign.accountId, later, lead.id, at)
  if (closing === undefined) return at < byHand.setAt ? setByHand(campaign.terms, attempt, null, at) : attempt
  const { replacedDeadlineAt, replacedSetAt } = closing
  const wasSet = replacedSetAt === null || at >= replacedSetAt
  return setByHand(campaign.terms, attempt, wasSet ? replacedDeadlineAt : null, at)
}

/** Without the order's id, which may tell who bought. */
async function logConverted({ sql, campaign, by }: Work, leadId: number, told: Told, endsOffer: boolean) {
  if (by === null) return
  if (told.source === 'import') return addLeadEntries(sql, [{ by, change: counted(campaign, 'leads.orders_imported') }])
  const { at, currency } = told.order
  const after = { at: formatInstant(at), amount: amountOf(told.order), currency, endsOffer }
  await addAuditEntry(sql, by, entryOf(campaign, leadId, 'lead.order_told', after))
}

function entryOf(
  { accountId, id: campaignId, name }: Campaign,
  leadId: number,
  action: AuditAction,
  after: object,
): Change {
  const subject = { kind: 'lead', id: isOfErased({ leadId }) ? 'erased' : leadId, name } as const
  return { accountId, action, subject, before: null, after: { campaignId, ...after } }
}

async function reverse(work: Work, orderId: string, reopen: Reopen | null) {
  const { sql, campaign, now, by } = work
  const conversion = await findOrder(work, orderId)
  if (conversion === undefined) return 'CONVERSION_NOT_FOUND' as const
  const { id, email, leadId } = conversion
  const lead = email === null ? undefined : await lock(work, email)
  const mayReopen = lead && reopen && conversion.closedAt !== null && !(await endedAgain(work, conversion))
  const decision = mayReopen ? reopen(campaign, lead, conversion) : undefined
  if (lead && decision) await change(work, lead, decision)
  const reversed = await sql.get(
    'UPDATE conversions SET reversed_at = ? WHERE account_id = ? AND id = ? AND reversed_at IS NULL RETURNING lead_id',
    ...[now, campaign.accountId, id],
  )
  // By the lead's present name: it may have been erased meanwhile.
  if (reversed !== undefined) await countOut(work, conversion, reversed.lead_id)
  if (by !== null && (reversed !== undefined || decision)) {
    const after = { isReversed: true, reopensOffer: decision !== undefined }
    await addAuditEntry(sql, by, entryOf(campaign, leadId, 'lead.order_reversed', after))
  }
  return (await find(sql, campaign.accountId, id)) as Conversion
}

/** Whether a later order of the lead ended the offer in the same second, after it had been opened again. */
async function endedAgain({ sql, campaign }: Work, { id, leadId, closedAt }: Conversion): Promise<boolean> {
  const later = 'c.lead_id = ? AND c.id > ? AND closed_at = ? LIMIT 1'
  return (await select(sql, campaign.accountId, later, leadId, id, closedAt)).length > 0
}

/** Locks the campaign's lead, so that nobody erases it meanwhile. */
async function lock({ sql, refs, campaign }: Work, email: string): Promise<Lead | undefined> {
  const row = await sql.get(lockLead, campaign.accountId, campaign.id, email)
  return row && leadOf(sql.get, refs, campaign, Object.values(row) as LeadRow)
}

/** The email of the campaign's lead that the buyer names. */
async function emailOf({ sql, refs, campaign }: Work, buyer: Buyer): Promise<string | undefined> {
  if ('email' in buyer) return (await sql.get(findLead, campaign.accountId, campaign.id, buyer.email))?.email
  const parts = refs.read(buyer.ref)
  if (parts?.accountId !== campaign.accountId) return undefined
  const row = await sql.get(findLeadByRef, parts.accountId, parts.leadId, parts.salt)
  return row?.campaign_id === campaign.id ? row.email : undefined
}

async function change({ sql, campaign }: Work, lead: Lead, decision: Decision): Promise<void> {
  await sql.run(updateLead, ...decisionValues(decision), campaign.accountId, campaign.id, lead.email)
  await insertNotices(sql, campaign.accountId, noticesFor(lead.id, decision))
}

/** The id; undefined if the order exists already. */
async function insert({ sql, campaign, now }: Work, lead: Lead, { order, source }: Told, purchase: Purchase) {
  const { deadline, attempt, cycle, closing } = purchase
  const { byHand } = lead.attempt
  const closed = closing === null ? [null, null, null] : [now, byHand?.deadlineAt ?? null, byHand?.setAt ?? null]
  const row = await sql.get(
    `INSERT INTO conversions (account_id, campaign_id, lead_id, order_id, at, deadline_at, registered_at, attempt,
      cycle, amount, currency, source, closed_at, replaced_deadline_at, replaced_set_at)
      VALUES (${'?, '.repeat(14)}?)
      ON CONFLICT DO NOTHING RETURNING id`,
    ...[campaign.accountId, campaign.id, lead.id, order.orderId, order.at, deadline, lead.registeredAt, attempt],
    ...[cycle, order.amount, order.currency, sources.indexOf(source), ...closed],
  )
  return row?.id as number | undefined
}

async function hasBought(sql: Sql, { accountId }: Campaign, leadId: number): Promise<boolean> {
  return (await firstOf(sql, accountId, [leadId])).size > 0
}

/** Counts a lead that now has its first order, or no order any more, among the people who signed up when it did. */
async function count({ sql, campaign }: Work, { registeredAt }: Conversion, converted: 1 | 0 | -1) {
  const of = { accountId: campaign.accountId, campaignId: campaign.id }
  const fromAt = registeredAt - (registeredAt % quarterSeconds)
  await addSignups(sql, [{ ...of, fromAt, ...nobody, converted }])
}

/** Takes the lead off the buyers if none of its orders counts any more. */
async function countOut(work: Work, conversion: Conversion, leadId: number): Promise<void> {
  // An erased lead has no row to lock: reversing another of its orders waits for this one.
  await count(work, conversion, 0)
  if (!(await hasBought(work.sql, work.campaign, leadId))) await count(work, conversion, -1)
}

const kept = `SELECT c.id, c.campaign_id AS "campaignId", lead_id AS "leadId", email, order_id AS "orderId", at,
    c.deadline_at AS "deadlineAt", c.registered_at AS "registeredAt", c.attempt, c.cycle, amount, currency, c.source,
    closed_at AS "closedAt", replaced_deadline_at AS "replacedDeadlineAt", replaced_set_at AS "replacedSetAt",
    reversed_at AS "reversedAt"
  FROM conversions AS c
  LEFT JOIN leads ON leads.account_id = c.account_id AND leads.id = c.lead_id WHERE c.account_id = ?`

/** The orders of an account for which `condition` holds. */
async function select(sql: Sql, accountId: number, condition: string, ...values: Value[]): Promise<Conversion[]> {
  const rows = await sql.all(`${kept} AND ${condition}`, accountId, ...values)
  return rows.map((row) => ({ ...(row as Conversion), source: sources[row.source] as Source }))
}

async function findOrder({ sql, campaign: { accountId, id } }: Work, orderId: string): Promise<Conversion | undefined> {
  const ids = [orderId, markOf(id, orderId)]
  const [found] = await select(sql, accountId, 'c.campaign_id = ? AND order_id IN (?, ?)', id, ...ids)
  return found && { ...found, orderId }
}

const find = async (sql: Sql, accountId: number, id: number): Promise<Conversion | undefined> =>
  (await select(sql, accountId, 'c.id = ?', id))[0]

/** Ascending id, those after `afterId`, at most `limit`. */
const list = (sql: Sql, { accountId, id }: Campaign, afterId: number, limit: number) =>
  select(sql, accountId, 'c.campaign_id = ? AND c.id > ? ORDER BY c.id LIMIT ?', id, afterId, limit)

/** The newest first. */
const newest = (sql: Sql, { accountId, id }: Campaign, limit: number) =>
  select(sql, accountId, 'c.campaign_id = ? ORDER BY c.id DESC LIMIT ?', id, limit)

/** Ascending id. */
const ofLead = (
  sql: Sql,
  { accountId }: Pick<Campaign, 'accountId'>,
  leadId: number,
  limit = Number.MAX_SAFE_INTEGER,
) => select(sql, accountId, 'c.lead_id = ? ORDER BY c.id LIMIT ?', leadId, limit)

/** When each of the leads first bought something that still counts; those who did not are missing. */
async function firstOf(sql: Sql, accountId: number, leadIds: readonly number[]): Promise<Map<number, Seconds>> {
  const rows = await sql.all(
    `SELECT lead_id, min(at) AS at FROM conversions WHERE account_id = ? AND reversed_at IS NULL
      AND lead_id IN (${leadIds.map(() => '?').join(', ')}) GROUP BY lead_id`,
    ...[accountId, ...leadIds],
  )
  return new Map(rows.map(({ lead_id, at }) => [lead_id, at]))
}
