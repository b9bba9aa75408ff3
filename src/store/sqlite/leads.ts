import type { Rule } from '../../core/mechanism/attempt.ts'
import { attemptValues, emailRange, type LeadRow, leadOf, ruleIdAfter } from '../lead-row.ts'
import { findLead, findLeadByRef, insertLeads, listLeads, updateLead } from '../lead-sql.ts'
import type { Campaign, Decision, FoundLead, Lead, LeadFilter } from '../model.ts'
import { type RefCipher, saltSource } from '../ref.ts'
import type { Connection } from './connection.ts'

const insertLead = insertLeads(1)
const newSalt = saltSource()

/** The caller holds a transaction, for what writes one that does. */
export type Leads = ReturnType<typeof leadsOn>

export function leadsOn(connection: Connection, refs: RefCipher) {
  /** A rule that the campaign was given after it was read stands in the database alone. */
  function ruleOf(campaign: Campaign, ruleId: number | null): Rule | null {
    if (ruleId === null) return null
    const known = campaign.rules.get(ruleId)
    if (known !== undefined) return known
    const row = connection.get('SELECT rule FROM rules WHERE id = ?', ruleId)
    if (row === undefined) throw new Error(`lead without its rule: ${ruleId}`)
    return JSON.parse(row.rule)
  }

  function toLead(campaign: Campaign, email: string, row: LeadRow): Lead {
    const ref = refs.write({ accountId: campaign.accountId, leadId: row[0], salt: row[1] })
    return leadOf(row, email, ref, ruleOf(campaign, row[3]))
  }

  return {
    find(campaign: Campaign, email: string): Lead | undefined {
      const [row] = connection.rows<LeadRow>(findLead, campaign.accountId, campaign.id, email)
      return row && toLead(campaign, email, row)
    },
    findByRef(ref: string): FoundLead | undefined {
      const parts = refs.read(ref)
      if (parts === undefined) return undefined
      const { accountId, leadId, salt } = parts
      const [row] = connection.rows<[...LeadRow, campaignId: number, email: string]>(
        findLeadByRef,
        accountId,
        leadId,
        salt,
      )
      if (row === undefined) return undefined
      const [campaignId, email] = row.slice(-2) as [number, string]
      const ofLead = row.slice(0, -2) as LeadRow
      return { campaignId, lead: async (campaign) => toLead(campaign, email, ofLead) }
    },
    list(campaign: Campaign, { limit, ...filter }: LeadFilter): Lead[] {
      const { from, below } = emailRange(filter)
      const values = [campaign.accountId, campaign.id, from, below, limit]
      const rows = connection.rows<[...LeadRow, email: string]>(listLeads, ...values)
      return rows.map((row) => toLead(campaign, row.at(-1) as string, row.slice(0, -1) as LeadRow))
    },
    create(campaign: Campaign, email: string, decision: Decision): Lead {
      const { id: campaignId, accountId } = campaign
      const { attempt, registeredAt } = decision
      const ruleId = ruleIdAfter(campaign, undefined, decision)
      const salt = newSalt()
      const values = [accountId, campaignId, email, salt, registeredAt, ...attemptValues(ruleId, decision)]
      const { lastInsertRowid: id } = connection.run(insertLead, ...values)
      return { id, ref: refs.write({ accountId, leadId: id, salt }), email, registeredAt, ruleId, attempt }
    },
    change(campaign: Campaign, lead: Lead, decision: Decision): Lead {
      const ruleId = ruleIdAfter(campaign, lead, decision)
      connection.run(updateLead, ...attemptValues(ruleId, decision), campaign.accountId, lead.id)
      return { ...lead, ruleId, attempt: decision.attempt }
    },
  }
}
