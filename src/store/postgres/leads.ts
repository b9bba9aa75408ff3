// Leads as they are read and erased; how they are written stands in lead-writer.ts. Every statement names one account.
import { leadFinders, leadLists, statements } from '../lead-lists.ts'
import { type LeadRow, leadOf } from '../lead-row.ts'
import { deleteNamed, type FoundRow, findLead, findLeadByRef, findLeads, findLeadsById } from '../lead-sql.ts'
import type { Campaign, Lead } from '../model.ts'
import type { RefCipher } from '../ref.ts'
import type { Runner, Sql } from '../sql.ts'
import type { LeadStore } from '../store.ts'
import { batcher } from './batcher.ts'
import { prepared, unprepared } from './connection.ts'
import { leadWriter } from './lead-writer.ts'
import { onAdminPool, type Pools } from './pools.ts'

/** Leads of one statement at most. */
const batchSize = 500

type Asked = { campaign: Campaign; email: string }
const idOfCampaign = ({ campaign }: Asked) => campaign.id

const findOne = prepared('find_lead', findLead)
const findAll = prepared('find_leads', findLeads(''))
const findByRef = prepared('find_by_ref', findLeadByRef)

export function leadsOn(pools: Pools, runner: Runner, refs: RefCipher): LeadStore {
  const { quick, admin, timeoutMs } = pools

  const get: Sql['get'] = (...statement) => runner.read((sql) => sql.get(...statement))
  const toLead = (campaign: Campaign, row: LeadRow) => leadOf(get, refs, campaign, row)

  const read = batcher<Asked, LeadRow | undefined>(batchSize, idOfCampaign, async (campaignId, asked, leftMs) => {
    const { accountId } = (asked[0] as Asked).campaign
    const emails = asked.map(({ email }) => email)
    const rows = await quick.use(leftMs, (connection) =>
      emails.length === 1
        ? connection.rows<LeadRow>(findOne, [accountId, campaignId, ...emails])
        : connection.rows<LeadRow>(findAll, [emails, accountId, campaignId]),
    )
    const found = new Map(rows.map((row) => [row[0], row]))
    return emails.map((email) => found.get(email))
  })

  async function find(campaign: Campaign, email: string): Promise<Lead | undefined> {
    const row = await read({ campaign, email }, performance.now() + timeoutMs)
    return row && toLead(campaign, row)
  }

  return {
    find,
    ...leadFinders(
      refs,
      (values) => quick.use(timeoutMs, ({ rows }) => rows<FoundRow>(findByRef, values)),
      (accountId, ids) =>
        admin.use(timeoutMs, ({ rows }) => rows<FoundRow>(unprepared(findLeadsById(ids.length)), [accountId, ...ids])),
      toLead,
    ),
    write: leadWriter(pools, refs, find),
    ...leadLists(
      (name, values) => onAdminPool(pools, ({ rows }) => rows(prepared(`leads_${name}`, statements[name]), values)),
      toLead,
    ),
    erase: (leads, by) => runner.write((sql) => deleteNamed(sql, leads, by)),
    // Only writing whole tables again would, while nobody can use them: the operator chooses when (docs/operating.md).
    eraseTraces: async () => {},
  }
}
