import type { Rule } from '../../core/mechanism/attempt.ts'
import {
  attemptColumns,
  attemptValues,
  emailRange,
  type LeadRow,
  leadColumns,
  leadOf,
  ruleIdAfter,
} from '../lead-row.ts'
import type { OldDecide, OldLeadWrite } from '../lead-write.ts'
import type { Campaign, Decision, FoundLead, Lead, LeadFilter } from '../model.ts'
import { type RefCipher, type RefParts, saltSource } from '../ref.ts'
import type { Arrivals } from './arrivals.ts'
import type { Connection } from './connection.ts'
import { filedRowOf, selectFiledLead } from './filed-row.ts'

const mostOpened = 50_000

type OpenedRow = [...LeadRow, campaignId: number, email: string]

export type LeadRows = {
  find(campaign: Campaign, email: string): Lead | undefined
  findByRef(ref: string): FoundLead | undefined
  /** Ascending email. */
  list(campaign: Campaign, filter: LeadFilter): Lead[]
  /**
   * Reads, decides and writes; the caller holds a write transaction. `isMissing` says that the lead is
   * certainly not there, which saves the reading.
   */
  write(campaign: Campaign, email: string, decide: OldDecide, isMissing: boolean): OldLeadWrite
  /** Gives the leads that were made since the last time their refs, which they are without until then. */
  nameNew(): void
}

/** The statements on leads, prepared once for this connection. */
export function leadRows(connection: Connection, arrivals: Arrivals, refs: RefCipher): LeadRows {
  const select = connection.prepareArrays(selectFiledLead)
  const selectArrival = connection.prepareArrays(
    `SELECT ${leadColumns} FROM leads WHERE id = ? AND campaign_id = ? AND email = ?`,
  )
  const selectById = connection.prepareArrays(
    `SELECT ${leadColumns}, campaign_id, email FROM leads WHERE id = ? AND account_id = ? AND salt = ?`,
  )
  const selectEmails = connection.prepareArrays(
    `SELECT email FROM lead_emails WHERE campaign_id = ? AND email >= ? AND email < ?
      ORDER BY email LIMIT ?`,
  )
  const insert = connection.prepare(
    `INSERT INTO leads (account_id, campaign_id, email, salt, registered_at, ${attemptColumns})
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = connection.prepare(
    `UPDATE leads SET (${attemptColumns}) = (?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?`,
  )
  const updateFiled = connection.prepare(
    'UPDATE lead_emails SET salt = NULL WHERE campaign_id = ? AND email = ?',
  )
  const selectRule = connection.prepareArrays('SELECT rule FROM rules WHERE id = ?')
  const newSalt = saltSource()
  let unnamed: (RefParts & { lead: Lead })[] = []
  /** What refs of leads were found to say: whoever opens a mail opens more, and deciphering costs as much as the row. */
  const opened = new Map<string, RefParts>()

  /** A rule that the campaign was given after it was read stands in the database alone. */
  function ruleOf(campaign: Campaign, ruleId: number | null): Rule | null {
    if (ruleId === null) return null
    const known = campaign.rules.get(ruleId)
    if (known !== undefined) return known
    const row = selectRule.get(ruleId) as unknown as [string] | undefined
    if (row === undefined) throw new Error(`lead without its rule: ${ruleId}`)
    return JSON.parse(row[0])
  }

  function toLead(campaign: Campaign, email: string, row: LeadRow): Lead {
    const ref = refs.write({ accountId: campaign.accountId, leadId: row[0], salt: row[1] })
    return leadOf(row, email, ref, ruleOf(campaign, row[3]))
  }

  function find(campaign: Campaign, email: string): Lead | undefined {
    const id = arrivals.find(campaign.id, email)
    const arrived = id === undefined ? undefined : selectArrival.get(id, campaign.id, email)
    const row = (arrived ?? select.get(campaign.id, email)) as unknown as LeadRow | undefined
    return row && toLead(campaign, email, row)
  }

  function create(campaign: Campaign, email: string, decision: Decision): Lead {
    const { attempt, registeredAt } = decision
    const { id: campaignId, accountId } = campaign
    const ruleId = ruleIdAfter(campaign, undefined, decision)
    const salt = newSalt()
    const values = attemptValues(ruleId, decision)
    const { lastInsertRowid } = insert.run(accountId, campaignId, email, salt, registeredAt, ...values)
    const id = Number(lastInsertRowid)
    arrivals.add(campaignId, email, filedRowOf(id, salt, registeredAt, ruleId, attempt))
    const lead = { id, ref: '', email, registeredAt, ruleId, attempt }
    unnamed.push({ accountId, leadId: id, salt, lead })
    return lead
  }

  function change(campaign: Campaign, lead: Lead, decision: Decision): Lead {
    const ruleId = ruleIdAfter(campaign, lead, decision)
    update.run(...attemptValues(ruleId, decision), lead.id)
    updateFiled.run(campaign.id, lead.email)
    arrivals.change(lead.id)
    return { ...lead, ruleId, attempt: decision.attempt }
  }

  return {
    find,
    findByRef(ref) {
      const known = opened.get(ref)
      const parts = known ?? refs.read(ref)
      if (parts === undefined) return undefined
      const row = selectById.get(parts.leadId, parts.accountId, parts.salt) as unknown as
        | OpenedRow
        | undefined
      if (row === undefined) return undefined
      if (known === undefined) {
        if (opened.size >= mostOpened) opened.clear()
        opened.set(ref, parts)
      }
      const ofLead = row as unknown as LeadRow
      return {
        campaignId: row[11],
        lead: async (campaign) => leadOf(ofLead, row[12], ref, ruleOf(campaign, row[3])),
      }
    },
    list(campaign, { limit, ...filter }) {
      const range = emailRange(filter)
      const rows = selectEmails.all(campaign.id, range.from, range.below, limit) as unknown as [string][]
      const emails = new Set(rows.map(([email]) => email))
      for (const email of arrivals.emailsIn(campaign.id, range, limit)) emails.add(email)
      const page = [...emails].sort().slice(0, limit)
      return page.map((email) => find(campaign, email)).filter((lead) => lead !== undefined)
    },
    write(campaign, email, decide, isMissing) {
      const lead = isMissing ? undefined : find(campaign, email)
      const decision = decide(lead)
      if (decision !== undefined) {
        if (lead === undefined) return { lead: create(campaign, email, decision), created: true }
        return { lead: change(campaign, lead, decision), created: false }
      }
      if (lead === undefined) throw new Error('a lead that is not there cannot stay as it is')
      return { lead, created: false }
    },
    nameNew() {
      const names = refs.writeAll(unnamed)
      for (const [index, { lead }] of unnamed.entries()) lead.ref = names[index] as string
      unnamed = []
    },
  }
}
