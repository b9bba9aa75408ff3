// Leads are decided on and written in one transaction, which holds the settings of their account.
import { addLeadEntries } from '../audit.ts'
import { findCampaign } from '../campaigns.ts'
import { StoreUnavailable } from '../errors.ts'
import { insertNotices } from '../events/queue.ts'
import { changedBy, decisionValues, type LeadRow, leadOf, noticesFor, withoutWriting } from '../lead-row.ts'
import { findLeads, inOrder, insertLeads, updateLead } from '../lead-sql.ts'
import type { Campaign, Decide, Decision, Lead, LeadRefusal, LeadWrite } from '../model.ts'
import { newSalt, type RefCipher } from '../ref.ts'
import type { Value } from '../sql.ts'
import type { LeadStore } from '../store.ts'
import { batcher } from './batcher.ts'
import { type Connection, type Prepared, prepared, unprepared } from './connection.ts'
import type { Pools } from './pools.ts'
import { sqlOn } from './sql-on.ts'

/** Leads of one statement at most. */
const batchSize = 200
/** An insert of up to so many leads is prepared once for each connection; a larger one is parsed each time. */
const mostPrepared = 16
/**
 * Another process may register or erase an email between two looks, so a write is repeated; not more often than this.
 */
const maxRounds = 5

type Write = { campaign: Campaign; email: string; decide: Decide }
const accountIdOf = ({ campaign }: Write) => campaign.accountId
const idOfCampaign = ({ campaign }: Write) => campaign.id

type Written = LeadWrite | LeadRefusal

/** By id, without deleted ones. */
type Campaigns = Map<number, Campaign>
/** By email. */
type Leads = Map<string, Lead>
/** What `updateLead` gets, by email. */
type Changes = Map<string, Value[]>

/** A lead that is to be inserted. */
type NewLead = { campaign: Campaign; email: string; salt: number; decision: Decision }

export function leadWriter(
  { durable, timeoutMs }: Pools,
  refs: RefCipher,
  find: LeadStore['find'],
): LeadStore['write'] {
  const insert = batcher<Write, Written | 'exists'>(batchSize, accountIdOf, (accountId, writes, leftMs) =>
    durable.inTwoTrips(
      leftMs,
      async (connection) => {
        const campaigns = await campaignsNow(connection, accountId, writes)
        const made = writes.map((write) => newLead(write, campaigns))
        const leads = made.filter(isNewLead).sort(inOrder)
        // Only what was inserted is told and logged, which takes a third round trip.
        const isToTell = leads.some(({ decision: { notices, entry } }) => notices !== undefined || entry !== undefined)
        const ids = isToTell ? await insertNew(connection, accountId, leads) : undefined
        const told = leads.flatMap(({ salt, decision }): Told[] => {
          const id = ids?.get(salt)
          return id === undefined ? [] : [{ id, decision }]
        })
        await addLeadEntries(sqlOn(connection), entriesOf(told))
        return { made, leads, ids, told }
      },
      async (connection, { made, leads, ids: known, told }) => {
        const inserted = known ?? insertNew(connection, accountId, leads)
        const [ids] = await Promise.all([inserted, insertNotices(sqlOn(connection), accountId, noticesOf(told))])
        return made.map((one) => (isNewLead(one) ? createdLead(one, ids.get(one.salt), refs) : one))
      },
    ),
  )

  const change = batcher<Write, Written | 'missing'>(batchSize, idOfCampaign, (campaignId, writes, leftMs) =>
    durable.inTwoTrips(
      leftMs,
      async (connection) => {
        const { accountId } = (writes[0] as Write).campaign
        const campaigns = await campaignsNow(connection, accountId, writes)
        const leads = await lockLeads(connection, campaigns.get(campaignId), writes, refs)
        const changes: Changes = new Map()
        const told: Told[] = []
        const written = writes.map((write) => changedLead(write, campaigns, leads, changes, told))
        await addLeadEntries(sqlOn(connection), entriesOf(told))
        return { accountId, changes, told, written }
      },
      async (connection, { accountId, changes, told, written }) => {
        await Promise.all([
          ...[...changes.values()].map((values) => connection.rows(update, values)),
          insertNotices(sqlOn(connection), accountId, noticesOf(told)),
        ])
        return written
      },
    ),
  )

  return async (campaign, email, decide, expectsNew) => {
    const until = performance.now() + timeoutMs
    const write = { campaign, email, decide }
    let written: Written | 'exists' | 'missing' = expectsNew ? await insert(write, until) : 'exists'
    if (written === 'exists') {
      const lead = await find(campaign, email)
      written = withoutWriting(campaign, lead, decide) ?? (lead === undefined ? 'missing' : 'exists')
    }
    for (let round = 0; written === 'exists' || written === 'missing'; round += 1) {
      if (round === maxRounds) throw new StoreUnavailable('the lead kept changing')
      written = written === 'exists' ? await change(write, until) : await insert(write, until)
    }
    return written
  }
}

/** The campaigns as they are now. They do not change until the transaction ends. */
async function campaignsNow(connection: Connection, accountId: number, writes: Write[]): Promise<Campaigns> {
  const sql = sqlOn(connection)
  // Sent together. The second runs once the lock is granted, so it sees all that was committed by then.
  const [, version] = await Promise.all([sql.holdSettings(accountId), sql.versionOf(accountId)])
  const campaigns: Campaigns = new Map()
  for (const { campaign } of writes) {
    if (campaigns.has(campaign.id)) continue
    const isCurrent = campaign.version === version
    const now = isCurrent ? campaign : await findCampaign(sql, campaign.id)
    if (now !== undefined) campaigns.set(campaign.id, now)
  }
  return campaigns
}

/** A lead of which endpoints may be told. */
type Told = { id: number; decision: Decision }

type Decided = { campaign: Campaign; decision: Decision | undefined }

/** Decides on a lead. An exception fails only that lead's write. */
function decideNow(
  { campaign: { id }, decide }: Write,
  campaigns: Campaigns,
  lead: Lead | undefined,
): Decided | LeadRefusal | Error {
  const campaign = campaigns.get(id)
  if (campaign === undefined) return 'CAMPAIGN_NOT_FOUND'
  try {
    const decision = decide(campaign, lead)
    return typeof decision === 'string' ? decision : { campaign, decision }
  } catch (error) {
    return error as Error
  }
}

function newLead(write: Write, campaigns: Campaigns): NewLead | LeadRefusal | Error {
  const decided = decideNow(write, campaigns, undefined)
  if (isRefused(decided)) return decided
  const { campaign, decision } = decided
  if (decision === undefined) return new Error('a lead that is not there cannot stay as it is')
  return { campaign, email: write.email, salt: newSalt(), decision }
}

/** No id means that somebody else has registered the email first. */
function createdLead(made: NewLead, id: number | undefined, refs: RefCipher): LeadWrite | 'exists' {
  if (id === undefined) return 'exists'
  const { campaign, email, salt, decision } = made
  const ref = refs.write({ accountId: campaign.accountId, leadId: id, salt })
  return { campaign, before: undefined, lead: { id, ref, email, ...decision } }
}

/** The next write of the same email finds what this one leaves in `leads`. */
function changedLead(
  write: Write,
  campaigns: Campaigns,
  leads: Leads,
  changes: Changes,
  told: Told[],
): Written | 'missing' | Error {
  const lead = leads.get(write.email)
  const decided = decideNow(write, campaigns, lead)
  if (isRefused(decided)) return decided
  if (lead === undefined) return 'missing'
  const { campaign, decision } = decided
  if (decision === undefined) return { campaign, before: lead, lead }
  const next = changedBy(lead, decision)
  leads.set(write.email, next)
  changes.set(lead.email, [...decisionValues(decision), campaign.accountId, campaign.id, lead.email])
  told.push({ id: lead.id, decision })
  return { campaign, before: lead, lead: next }
}

const isRefused = (one: Decided | LeadRefusal | Error): one is LeadRefusal | Error =>
  typeof one === 'string' || one instanceof Error
const isNewLead = (one: NewLead | LeadRefusal | Error): one is NewLead =>
  typeof one === 'object' && !(one instanceof Error)

async function lockLeads(
  connection: Connection,
  campaign: Campaign | undefined,
  writes: Write[],
  refs: RefCipher,
): Promise<Leads> {
  const leads: Leads = new Map()
  if (campaign === undefined) return leads
  // In one order on every node, so that two of them never wait for each other in a circle.
  const emails = [...new Set(writes.map(({ email }) => email))].sort()
  const values = [emails, campaign.accountId, campaign.id]
  const { get } = sqlOn(connection)
  for (const row of await connection.rows<LeadRow>(lock, values)) {
    leads.set(row[0], await leadOf(get, refs, campaign, row))
  }
  return leads
}

/** Inserts leads, and returns their ids by salt. Emails that are there already are left out. */
async function insertNew(connection: Connection, accountId: number, leads: NewLead[]): Promise<Map<number, number>> {
  if (leads.length === 0) return new Map()
  const values = leads.flatMap(({ campaign, email, salt, decision }) => [
    ...[accountId, campaign.id, email, salt],
    ...decisionValues(decision),
  ])
  return new Map(await connection.rows<[salt: number, id: number]>(insertion(leads.length), values))
}

const entriesOf = (told: readonly Told[]) => told.flatMap(({ decision }) => decision.entry ?? [])
const noticesOf = (told: readonly Told[]) => told.flatMap(({ id, decision }) => noticesFor(id, decision))

const insertions = new Map<number, Prepared>()

function insertion(count: number): Prepared {
  return insertions.getOrInsertComputed(count, () => {
    const sql = `${insertLeads(count)} ON CONFLICT DO NOTHING RETURNING salt, id`
    return count > mostPrepared ? unprepared(sql) : prepared(`insert_${count}_leads`, sql)
  })
}

const lock = prepared('lock_leads', findLeads('FOR UPDATE'))
const update = prepared('update_lead', updateLead)
