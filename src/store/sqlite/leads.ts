import type { Rule } from '../../core/mechanism/rule.ts'
import { attemptValues, emailRange, leadOf, ruleIdAfter } from '../lead-row.ts'
import { findLead, findLeadByRef, insertLeads, type LeadWithEmail, listLeads, updateLead } from '../lead-sql.ts'
import type { Campaign, Decision, FoundLead, Lead, LeadFilter } from '../model.ts'
import { newSalt, type RefCipher } from '../ref.ts'
import type { Connection } from './connection.ts'

const insertLead = insertLeads(1)

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

  function toLead(campaign: Campaign, [email, ...row]: LeadWithEmail): Lead {
    const ref = refs.write({ accountId: campaign.accountId, leadId: row[0], salt: row[1] })
    return leadOf(row, email, ref, ruleOf(campaign, row[3]))
  }

  return {
    find(campaign: Campaign, email: string): Lead | undefined {
      const [found] = connection.rows<LeadWithEmail>(findLead, campaign.accountId, campaign.id, email)
      return found && toLead(campaign, found)
    },
    findByRef(ref: string): FoundLead | undefined {
      const parts = refs.read(ref)
      if (parts === undefined) return undefined
      const values = [parts.accountId, parts.leadId, parts.salt]
      const [found] = connection.rows<[campaignId: number, ...LeadWithEmail]>(findLeadByRef, ...values)
      if (found === undefined) return undefined
      const [campaignId, ...row] = found
      return { campaignId, lead: async (campaign) => toLead(campaign, row) }
    },
    list(campaign: Campaign, { limit, ...filter }: LeadFilter): Lead[] {
      const { from, below } = emailRange(filter)
      const values = [campaign.accountId, campaign.id, from, below, limit]
      return connection.rows<LeadWithEmail>(listLeads, ...values).map((row) => toLead(campaign, row))
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
      connection.run(updateLead, ...attemptValues(ruleId, decision), campaign.accountId, campaign.id, lead.email)
      return { ...lead, ruleId, attempt: decision.attempt }
    },
  }
}
