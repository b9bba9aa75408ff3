import type { LeadNotice } from '../../core/events.ts'
import type { Rule } from '../../core/mechanism/rule.ts'
import { isVisitorName } from '../../core/visitor.ts'
import { insertNoticesSql, noticeValues } from '../events/queue.ts'
import { leadLists, statements } from '../lead-lists.ts'
import { changedBy, decisionValues, leadOf } from '../lead-row.ts'
import {
  deleteNamed,
  type FoundRow,
  findLead,
  findLeadByRef,
  findLeadsById,
  insertLeads,
  type LeadWithEmail,
  updateLead,
} from '../lead-sql.ts'
import type { Campaign, Decision, FoundLead, Lead } from '../model.ts'
import { newSalt, type RefCipher } from '../ref.ts'
import type { Runner } from '../sql.ts'
import type { LeadStore } from '../store.ts'
import type { Connection } from './connection.ts'
import { type Database, reading } from './database.ts'
import { eraseTraces } from './erase.ts'
import { leadWriter } from './lead-writer.ts'

const insertLead = insertLeads(1)
const findOneById = findLeadsById(1)
const insertNotice = insertNoticesSql(1)

type LeadsOptions = {
  refs: RefCipher
  /** How long a registration waits for another process's lock. */
  lockWaitMs: number
}

export function leadsOn(database: Database, runner: Runner, { refs, lockWaitMs }: LeadsOptions): LeadStore {
  const { connection } = database

  function toLead(campaign: Campaign, [email, ...row]: LeadWithEmail, ref?: string): Lead {
    const named = ref ?? refs.write({ accountId: campaign.accountId, leadId: row[0], salt: row[1] })
    return leadOf(row, email, named, ruleOf(connection, campaign, row[3]))
  }

  /** The caller holds a transaction, as for `create` and `change`. */
  function find(campaign: Campaign, email: string): Lead | undefined {
    const [found] = connection.rows<LeadWithEmail>(findLead, campaign.accountId, campaign.id, email)
    return found && toLead(campaign, found)
  }

  function create(campaign: Campaign, email: string, decision: Decision): Lead {
    const { id: campaignId, accountId } = campaign
    const salt = newSalt()
    const values = [accountId, campaignId, email, salt, ...decisionValues(decision)]
    const { lastInsertRowid: id } = connection.run(insertLead, ...values)
    if (decision.notices !== undefined) note(connection, accountId, id, decision.notices)
    return { id, ref: refs.write({ accountId, leadId: id, salt }), email, ...decision }
  }

  function change(campaign: Campaign, lead: Lead, decision: Decision): Lead {
    connection.run(updateLead, ...decisionValues(decision), campaign.accountId, campaign.id, lead.email)
    if (decision.notices !== undefined) note(connection, campaign.accountId, lead.id, decision.notices)
    return changedBy(lead, decision)
  }

  const foundLead = ([campaignId, ...row]: FoundRow, ref?: string): FoundLead => ({
    id: row[1],
    campaignId,
    lead: async (campaign) => toLead(campaign, row, ref),
  })

  return {
    find: (campaign, email) => reading(database, () => find(campaign, email)),
    findByRef: (ref) =>
      reading(database, () => {
        const parts = refs.read(ref)
        if (parts === undefined) return undefined
        const values = [parts.accountId, parts.leadId, parts.salt]
        const [found] = connection.rows<FoundRow>(findLeadByRef, ...values)
        return found && foundLead(found, ref)
      }),
    findByIds: (accountId, ids) =>
      reading(database, () => {
        const rows = ids.flatMap((id) => connection.rows<FoundRow>(findOneById, accountId, id))
        return rows.filter(([, email]) => !isVisitorName(email)).map((row) => foundLead(row))
      }),
    ...leadLists((name, values) => reading(database, () => connection.rows(statements[name], ...values)), toLead),
    write: leadWriter(database, { find, create, change }, lockWaitMs),
    async erase(leads, by) {
      const erased = await runner.write((sql) => deleteNamed(sql, leads, by))
      database.isLogToEmpty = true
      return erased
    },
    eraseTraces: (email) => eraseTraces(database, email),
  }
}

function note(connection: Connection, accountId: number, leadId: number, notices: readonly LeadNotice[]): void {
  for (const notice of notices) connection.run(insertNotice, ...noticeValues(accountId, { ...notice, leadId }))
}

/** A rule that the campaign got after it was read is only in the database. */
function ruleOf(connection: Connection, campaign: Campaign, ruleId: number | null): Rule | null {
  if (ruleId === null) return null
  const known = campaign.rules.get(ruleId)
  if (known !== undefined) return known
  const row = connection.get('SELECT rule FROM rules WHERE id = ?', ruleId)
  if (row === undefined) throw new Error(`lead without its rule: ${ruleId}`)
  return JSON.parse(row.rule)
}
