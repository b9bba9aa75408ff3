import type { Rule } from '../../core/mechanism/rule.ts'
import { attemptValues, emailRange, leadOf } from '../lead-row.ts'
import {
  deleteNamed,
  findLead,
  findLeadByRef,
  insertLeads,
  type LeadWithEmail,
  listLeads,
  updateLead,
} from '../lead-sql.ts'
import type { Campaign, Decision, Lead } from '../model.ts'
import { newSalt, type RefCipher } from '../ref.ts'
import type { Runner } from '../sql.ts'
import type { LeadStore } from '../store.ts'
import { type Database, reading } from './database.ts'
import { eraseTraces } from './erase.ts'
import { leadWriter } from './lead-writer.ts'

const insertLead = insertLeads(1)

export type LeadsOptions = {
  refs: RefCipher
  /** How long a registration waits for another process's lock. */
  lockWaitMs: number
  /** Told of each erasure: the write-ahead log still has what was deleted. */
  onErased(): void
}

export function leadsOn(database: Database, runner: Runner, { refs, lockWaitMs, onErased }: LeadsOptions): LeadStore {
  const { connection } = database

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

  /** The caller holds a transaction, as for `create` and `change`. */
  function find(campaign: Campaign, email: string): Lead | undefined {
    const [found] = connection.rows<LeadWithEmail>(findLead, campaign.accountId, campaign.id, email)
    return found && toLead(campaign, found)
  }

  function create(campaign: Campaign, email: string, decision: Decision): Lead {
    const { id: campaignId, accountId } = campaign
    const salt = newSalt()
    const values = [accountId, campaignId, email, salt, decision.registeredAt, ...attemptValues(decision)]
    const { lastInsertRowid: id } = connection.run(insertLead, ...values)
    return { id, ref: refs.write({ accountId, leadId: id, salt }), email, ...decision }
  }

  function change(campaign: Campaign, lead: Lead, decision: Decision): Lead {
    connection.run(updateLead, ...attemptValues(decision), campaign.accountId, campaign.id, lead.email)
    return { ...lead, ruleId: decision.ruleId, attempt: decision.attempt }
  }

  return {
    find: (campaign, email) => reading(database, () => find(campaign, email)),
    findByRef: (ref) =>
      reading(database, () => {
        const parts = refs.read(ref)
        if (parts === undefined) return undefined
        const values = [parts.accountId, parts.leadId, parts.salt]
        const [found] = connection.rows<[campaignId: number, ...LeadWithEmail]>(findLeadByRef, ...values)
        if (found === undefined) return undefined
        const [campaignId, ...row] = found
        return { campaignId, lead: async (campaign: Campaign) => toLead(campaign, row) }
      }),
    list: (campaign, { limit, ...filter }) =>
      reading(database, () => {
        const { from, below } = emailRange(filter)
        const values = [campaign.accountId, campaign.id, from, below, limit]
        return connection.rows<LeadWithEmail>(listLeads, ...values).map((row) => toLead(campaign, row))
      }),
    write: leadWriter(database, { find, create, change }, lockWaitMs),
    async erase(leads) {
      const erased = await runner.write((sql) => deleteNamed(sql, leads))
      onErased()
      return erased
    },
    eraseTraces: (email) => eraseTraces(database, email),
  }
}
