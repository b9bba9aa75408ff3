import { insertNoticesSql, noticeValues } from '../events/queue.ts'
import { leadFinders, leadLists, statements } from '../lead-lists.ts'
import { changedBy, decisionValues, type LeadRow, leadOf, noticesFor, withoutWriting } from '../lead-row.ts'
import {
  deleteNamed,
  type FoundRow,
  findLead,
  findLeadByRef,
  findLeadsById,
  insertLeads,
  updateLead,
} from '../lead-sql.ts'
import type { Campaign, Decision, Lead } from '../model.ts'
import { newSalt, type RefCipher } from '../ref.ts'
import type { Runner } from '../sql.ts'
import type { LeadStore } from '../store.ts'
import { type Database, reading } from './database.ts'
import { eraseTraces } from './erase-traces.ts'
import { leadWriter } from './lead-writer.ts'

const insertLead = insertLeads(1)
const findOneById = findLeadsById(1)
/** Made once: a registration with an endpoint takes a sixth less CPU in the store than with `insertNotices`. */
const insertNotice = insertNoticesSql(1)

type LeadsOptions = {
  refs: RefCipher
  /** How long a registration waits for another process's lock. */
  lockWaitMs: number
}

export function leadsOn(database: Database, runner: Runner, { refs, lockWaitMs }: LeadsOptions): LeadStore {
  const { connection, sql } = database

  const toLead = (campaign: Campaign, row: LeadRow) => leadOf(sql.get, refs, campaign, row)

  /** The caller holds a transaction, as for `create` and `change`. */
  async function find(campaign: Campaign, email: string): Promise<Lead | undefined> {
    const [found] = connection.rows<LeadRow>(findLead, campaign.accountId, campaign.id, email)
    return found && toLead(campaign, found)
  }

  function create(campaign: Campaign, email: string, decision: Decision): Lead {
    const { id: campaignId, accountId } = campaign
    const salt = newSalt()
    const values = [accountId, campaignId, email, salt, ...decisionValues(decision)]
    const { lastInsertRowid: id } = connection.run(insertLead, ...values)
    if (decision.notices !== undefined) note(accountId, id, decision)
    return { id, ref: refs.write({ accountId, leadId: id, salt }), email, ...decision }
  }

  function change(campaign: Campaign, lead: Lead, decision: Decision): Lead {
    connection.run(updateLead, ...decisionValues(decision), campaign.accountId, campaign.id, lead.email)
    if (decision.notices !== undefined) note(campaign.accountId, lead.id, decision)
    return changedBy(lead, decision)
  }

  function note(accountId: number, leadId: number, decision: Decision): void {
    for (const notice of noticesFor(leadId, decision)) connection.run(insertNotice, ...noticeValues(accountId, notice))
  }

  const writeTogether = leadWriter(database, { find, create, change }, lockWaitMs)

  return {
    find: (campaign, email) => reading(database, () => find(campaign, email)),
    ...leadFinders(
      refs,
      (values) => reading(database, () => connection.rows(findLeadByRef, ...values)),
      (accountId, ids) =>
        reading(database, () => ids.flatMap((id) => connection.rows<FoundRow>(findOneById, accountId, id))),
      toLead,
    ),
    ...leadLists((name, values) => reading(database, () => connection.rows(statements[name], ...values)), toLead),
    async write(campaign, email, decide) {
      const lead = await reading(database, () => find(campaign, email))
      return withoutWriting(campaign, lead, decide) ?? writeTogether(campaign, email, decide)
    },
    async erase(leads, by) {
      const erased = await runner.write((sql) => deleteNamed(sql, leads, by))
      database.isLogToEmpty = true
      return erased
    },
    eraseTraces: (email) => eraseTraces(database, email),
  }
}
