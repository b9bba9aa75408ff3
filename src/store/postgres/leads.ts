// Leads as they are read and erased; how they are written stands in lead-writer.ts. Every statement names one account.
import type { Rule } from '../../core/mechanism/rule.ts'
import { isVisitorName } from '../../core/visitor.ts'
import { leadLists, statements } from '../lead-lists.ts'
import { type LeadRow, leadOf } from '../lead-row.ts'
import {
  deleteNamed,
  type FoundRow,
  findLead,
  findLeadByRef,
  findLeads,
  findLeadsById,
  type LeadWithEmail,
} from '../lead-sql.ts'
import type { FoundLead } from '../model.ts'
import type { RefCipher } from '../ref.ts'
import type { Runner } from '../sql.ts'
import type { LeadStore } from '../store.ts'
import { batcher } from './batcher.ts'
import { prepared, unprepared } from './connection.ts'
import { leadWriter, type ToLead } from './lead-writer.ts'
import { onAdminPool, type Pools } from './pools.ts'

/** Leads of one statement at most. */
const batchSize = 500

const findOne = prepared('find_lead', findLead)
const findAll = prepared('find_leads', findLeads(''))
const findByRef = prepared('find_by_ref', findLeadByRef)

export function leadsOn(pools: Pools, runner: Runner, refs: RefCipher): LeadStore {
  const { counting, admin, timeoutMs } = pools

  const toLead: ToLead = async (campaign, email, row) => {
    const ref = refs.write({ accountId: campaign.accountId, leadId: row[0], salt: row[1] })
    const ruleId = row[3]
    const rule = ruleId === null ? null : (campaign.rules.get(ruleId) ?? (await newerRule(ruleId)))
    return leadOf(row, email, ref, rule)
  }

  /** A rule that the campaign got after it was read is only in the database. */
  async function newerRule(ruleId: number): Promise<Rule> {
    const row = await runner.read((sql) => sql.get('SELECT rule FROM rules WHERE id = ?', ruleId))
    if (row === undefined) throw new Error(`lead without its rule: ${ruleId}`)
    return JSON.parse(row.rule)
  }

  const foundLead = ([campaignId, email, ...row]: FoundRow): FoundLead => ({
    id: row[0],
    campaignId,
    lead: (campaign) => toLead(campaign, email, row),
  })

  type Asked = { accountId: number; email: string }
  const read = batcher<Asked, LeadRow | undefined>(batchSize, async (campaignId, asked, leftMs) => {
    const [{ accountId, email }, second] = asked as [Asked, Asked?]
    const rows = await counting.use(leftMs, (connection) =>
      second === undefined
        ? connection.rows<LeadWithEmail>(findOne, [accountId, campaignId, email])
        : connection.rows<LeadWithEmail>(findAll, [asked.map((one) => one.email), accountId, campaignId]),
    )
    const found = new Map(rows.map(([email, ...row]) => [email, row]))
    return asked.map((one) => found.get(one.email))
  })

  return {
    async find(campaign, email) {
      const { accountId, id } = campaign
      const row = await read(id, { accountId, email }, performance.now() + timeoutMs)
      return row && toLead(campaign, email, row)
    },
    async findByRef(ref) {
      const parts = refs.read(ref)
      if (parts === undefined) return undefined
      const { accountId, leadId, salt } = parts
      const rows = await counting.use(timeoutMs, (connection) =>
        connection.rows<FoundRow>(findByRef, [accountId, leadId, salt]),
      )
      return rows[0] && foundLead(rows[0])
    },
    async findByIds(accountId, ids) {
      const statement = unprepared(findLeadsById(ids.length))
      const rows = await admin.use(timeoutMs, (connection) => connection.rows<FoundRow>(statement, [accountId, ...ids]))
      return rows.filter(([, email]) => !isVisitorName(email)).map(foundLead)
    },
    ...leadWriter(pools, refs, toLead),
    ...leadLists(
      (name, values) => onAdminPool(pools, ({ rows }) => rows(prepared(`leads_${name}`, statements[name]), values)),
      (campaign, [email, ...row]) => toLead(campaign, email, row),
    ),
    erase: (leads, by) => runner.write((sql) => deleteNamed(sql, leads, by)),
    // Only writing whole tables again would, while nobody can use them: the operator chooses when (docs/operating.md).
    eraseTraces: async () => {},
  }
}
