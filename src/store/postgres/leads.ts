// Leads as they are read and erased; how they are written stands in lead-writer.ts. Every statement names one account.
import type { Rule } from '../../core/mechanism/attempt.ts'
import { emailRange, type LeadRow, leadColumns, leadOf } from '../lead-row.ts'
import type { Campaign } from '../model.ts'
import type { RefCipher } from '../ref.ts'
import type { Runner, Sql } from '../sql.ts'
import type { LeadStore } from '../store.ts'
import { batcher } from './batcher.ts'
import type { Prepared } from './connection.ts'
import { leadWriter, type ToLead } from './lead-writer.ts'
import { adminPatienceMs, type Pools } from './pools.ts'

/** Leads of one statement at most. */
const batchSize = 500

const columns = `email, ${leadColumns}`
type EmailAndLead = [email: string, ...LeadRow]

const findLead: Prepared = {
  name: 'find_lead',
  text: `SELECT ${columns} FROM leads WHERE account_id = $1 AND campaign_id = $2 AND email = $3`,
}

const findLeads: Prepared = {
  name: 'find_leads',
  text: `SELECT ${columns} FROM leads WHERE account_id = $1 AND campaign_id = $2 AND email = ANY ($3)`,
}

const findById: Prepared = {
  name: 'find_by_id',
  text: `SELECT campaign_id, ${columns} FROM leads WHERE account_id = $1 AND id = $2 AND salt = $3`,
}

const listLeads: Prepared = {
  name: 'list_leads',
  text: `SELECT ${columns} FROM leads
    WHERE account_id = $1 AND campaign_id = $2 AND email >= $3 AND email < $4 ORDER BY email LIMIT $5`,
}

export function leadsOn(pools: Pools, runner: Runner, refs: RefCipher): LeadStore {
  const { counting, admin, patienceMs } = pools

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

  type Asked = { accountId: number; email: string }
  const read = batcher<Asked, LeadRow | undefined>(batchSize, async (campaignId, asked, leftMs) => {
    const { accountId, email } = asked[0] as Asked
    const [statement, emails] =
      asked.length === 1 ? [findLead, email] : [findLeads, asked.map((one) => one.email)]
    const rows = await counting.use(leftMs, (connection) =>
      connection.rows<EmailAndLead>(statement, [accountId, campaignId, emails]),
    )
    const found = new Map(rows.map(([email, ...row]) => [email, row]))
    return asked.map((one) => found.get(one.email))
  })

  return {
    async find(campaign, email) {
      const { accountId, id } = campaign
      const row = await read(id, { accountId, email }, performance.now() + patienceMs)
      return row && toLead(campaign, email, row)
    },
    async findByRef(ref) {
      const parts = refs.read(ref)
      if (parts === undefined) return undefined
      const { accountId, leadId, salt } = parts
      const rows = await counting.use(patienceMs, (connection) =>
        connection.rows<[campaignId: number, ...EmailAndLead]>(findById, [accountId, leadId, salt]),
      )
      if (rows[0] === undefined) return undefined
      const [campaignId, email, ...row] = rows[0]
      return { campaignId, lead: (campaign) => toLead(campaign, email, row) }
    },
    write: leadWriter(pools, refs, toLead),
    async list(campaign, { limit, ...filter }) {
      const { from, below } = emailRange(filter)
      const values = [campaign.accountId, campaign.id, from, below, limit]
      const rows = await admin.use(adminPatienceMs, (connection) =>
        connection.rows<EmailAndLead>(listLeads, values),
      )
      return Promise.all(rows.map(([email, ...row]) => toLead(campaign, email, row)))
    },
    erase: (campaign, email) => runner.write((sql) => eraseLead(sql, campaign, email)),
  }
}

async function eraseLead(sql: Sql, { accountId, id }: Campaign, email: string): Promise<boolean> {
  const where = 'account_id = ? AND campaign_id = ? AND email = ?'
  const of = [accountId, id, email] as const
  const ids = `SELECT id FROM leads WHERE ${where}`
  await sql.run(`DELETE FROM lead_counts WHERE account_id = ? AND lead_id IN (${ids})`, accountId, ...of)
  return (await sql.run(`DELETE FROM leads WHERE ${where}`, ...of)) > 0
}
