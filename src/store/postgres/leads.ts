// Leads as they are read and erased; how they are written stands in lead-writer.ts. Every statement names one account.
import type { Rule } from '../../core/mechanism/rule.ts'
import { isVisitorName } from '../../core/visitor.ts'
import { emailRange, type LeadRow, leadOf } from '../lead-row.ts'
import {
  deadlineValues,
  deleteNamed,
  type FoundRow,
  findLead,
  findLeadByRef,
  findLeads,
  findLeadsById,
  type LeadWithEmail,
  listByDeadline,
  listLeads,
  listWithoutDeadline,
  patternOf,
  searchedUpTo,
  searchLeads,
  searchSize,
  searchStep,
} from '../lead-sql.ts'
import type { Campaign, FoundLead, Lead } from '../model.ts'
import type { RefCipher } from '../ref.ts'
import type { Runner, Value } from '../sql.ts'
import type { LeadLists, LeadStore } from '../store.ts'
import { batcher } from './batcher.ts'
import { prepared, unprepared } from './connection.ts'
import { leadWriter, type ToLead } from './lead-writer.ts'
import { type Pools, patiently } from './pools.ts'

/** Leads of one statement at most. */
const batchSize = 500

const findOne = prepared('find_lead', findLead)
const findAll = prepared('find_leads', findLeads(''))
const findByRef = prepared('find_by_ref', findLeadByRef)
const list = prepared('list_leads', listLeads)
const byDeadline = {
  ascending: prepared('list_by_deadline', listByDeadline.ascending),
  descending: prepared('list_by_deadline_down', listByDeadline.descending),
}
const withoutDeadline = prepared('list_without_deadline', listWithoutDeadline)
const stepOfSearch = prepared('search_step', searchStep)
const foundBySearch = prepared('search_leads', searchLeads)

export function leadsOn(pools: Pools, runner: Runner, refs: RefCipher): LeadStore {
  const { counting, admin, timeoutMs } = pools

  const toLead: ToLead = async (campaign, email, row) => {
    const ref = refs.write({ accountId: campaign.accountId, leadId: row[0], salt: row[1] })
    const ruleId = row[3]
    const rule = ruleId === null ? null : (campaign.rules.get(ruleId) ?? (await newerRule(ruleId)))
    return leadOf(row, email, ref, rule)
  }

  /** A rule that the campaign was given after it was read stands in the database alone. */
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
    ...lists(pools, toLead),
    erase: (leads, by) => runner.write((sql) => deleteNamed(sql, leads, by)),
    // Vacuum and the log's recycling see to it (docs/operating.md).
    eraseTraces: async () => {},
  }
}

/** Many leads, in an order. */
function lists(pools: Pools, toLead: ToLead): LeadLists {
  async function listed(campaign: Campaign, statement: typeof list, values: Value[]): Promise<Lead[]> {
    const rows = await patiently(pools, (connection) => connection.rows<LeadWithEmail>(statement, values))
    return Promise.all(rows.map(([email, ...row]) => toLead(campaign, email, row)))
  }

  return {
    list(campaign, { limit, ...filter }) {
      const { from, below } = emailRange(filter)
      const values = [campaign.accountId, campaign.id, from, below, limit]
      return listed(campaign, list, values)
    },
    listByDeadline: (campaign, filter) =>
      listed(
        campaign,
        filter.isDescending ? byDeadline.descending : byDeadline.ascending,
        deadlineValues(campaign, filter),
      ),
    listWithoutDeadline: (campaign, { afterEmail, limit }) =>
      listed(campaign, withoutDeadline, [campaign.accountId, campaign.id, afterEmail, limit]),
    async search(campaign, { part, afterEmail, limit }) {
      const of = [campaign.accountId, campaign.id]
      const { from, below } = emailRange({ prefix: '', afterEmail })
      const values = [...of, from, below, searchSize]
      const [step] = await patiently(pools, (connection) =>
        connection.rows<[number, string | null]>(stepOfSearch, values),
      )
      const [total, last] = step as [number, string | null]
      const found = await listed(campaign, foundBySearch, [...of, from, last, patternOf(part), limit])
      return searchedUpTo(found, limit, total, last ?? '')
    },
  }
}
