import { attemptColumns, attemptValues, type LeadRow, leadColumns, ruleIdAfter } from '../lead-row.ts'
import { type RefCipher, saltSource } from '../ref.ts'
import type { Value } from '../sql.ts'
import type { Campaign, Decide, Decision, Lead, LeadWrite } from '../store.ts'
import { StoreUnavailable } from '../store.ts'
import type { Connection, Pool, Prepared } from './connection.ts'
import { turns } from './turns.ts'

type Write = { accountId: number; campaign: Campaign; email: string; decide: Decide }
type Written = LeadWrite | 'stale'

type NewLead = { row: Value[]; stored(id: number): Lead }

export type LeadWriter = {
  /** `expectNew` says that the lead was just seen missing. */
  write(write: Write, expectNew: boolean, waitingSinceMs: number): Promise<Written>
}

/** Turns a row of `leads` into the lead of a campaign. */
export type ToLead = (campaign: Campaign, email: string, row: LeadRow) => Promise<Lead>

const newColumns = `account_id, campaign_id, email, salt, registered_at, ${attemptColumns}`
const attemptCount = attemptColumns.split(',').length
const columnTypes = ['bigint', 'bigint', 'text', ...Array(2 + attemptCount).fill('bigint')]
const columnArrays = columnTypes.map((type, index) => `$${index + 1}::${type}[]`).join(', ')

/**
 * All new leads of a turn in one statement, which is a transaction of its own. Leads come in one order on
 * every node, so that two of them never wait for each other in a circle. A lead whose settings were replaced
 * since they were read is not stored.
 */
const insertLeads: Prepared = {
  name: 'insert_leads',
  text: `
    WITH asked AS MATERIALIZED (
      SELECT asked.*, accounts.version IS NOT DISTINCT FROM expected AS is_fresh
        FROM unnest(${columnArrays}, $${columnTypes.length + 1}::bigint[]) WITH ORDINALITY
          AS asked (${newColumns}, expected, position)
        LEFT JOIN accounts ON accounts.id = asked.account_id
    ), stored AS (
      INSERT INTO leads (${newColumns})
        SELECT ${newColumns} FROM asked WHERE is_fresh ORDER BY account_id, campaign_id, email, position
        ON CONFLICT DO NOTHING RETURNING id, salt
    )
    SELECT position, is_fresh, stored.id FROM asked LEFT JOIN stored USING (salt)`,
}

const lockLeads: Prepared = {
  name: 'lock_leads',
  text: `
    SELECT position, ${leadColumns}
      FROM unnest($1::bigint[], $2::bigint[], $3::text[]) WITH ORDINALITY
        AS asked (account, campaign, address, position)
      JOIN leads ON account_id = account AND campaign_id = campaign AND email = address
      ORDER BY account, campaign, address FOR UPDATE OF leads`,
}

const attemptTypes = Array(attemptCount).fill('bigint')
const updateLeads: Prepared = {
  name: 'update_leads',
  text: `
    UPDATE leads SET (${attemptColumns}) = (${attemptColumns
      .split(',')
      .map((column) => `changed.${column.trim()}`)
      .join(', ')})
      FROM unnest($1::bigint[], $2::bigint[], ${attemptTypes.map((type, index) => `$${index + 3}::${type}[]`).join(', ')})
        AS changed (account_id, id, ${attemptColumns})
      WHERE leads.account_id = changed.account_id AND leads.id = changed.id`,
}

const versions: Prepared = {
  name: 'versions',
  text: 'SELECT id, version FROM accounts WHERE id = ANY ($1::bigint[])',
}

/** Somebody else may register an email, or erase it, between two looks; not for ever. */
const maxRounds = 5

export type LeadWriterParts = {
  find(write: Write): Promise<Lead | undefined>
  toLead: ToLead
  patienceMs: number
}

export function leadWriter(
  pool: Pool,
  refs: RefCipher,
  { find, toLead, patienceMs }: LeadWriterParts,
): LeadWriter {
  const newSalt = saltSource()
  const additions = turns<Write, Written | 'exists'>({ concurrency: 2, size: 1_000, patienceMs }, insert)
  const changes = turns<Write, Written | 'missing'>({ concurrency: 2, size: 500, patienceMs }, change)

  async function insert(writes: Write[], leftMs: number): Promise<(Written | 'exists' | Error)[]> {
    const made = writes.map(({ campaign, email, decide }) => {
      try {
        return newLead(campaign, email, decide(undefined))
      } catch (error) {
        return error as Error
      }
    })
    const asked = made.filter((lead): lead is NewLead => !(lead instanceof Error))
    const rows = byColumn(
      asked.map(({ row }) => row),
      columnTypes.length + 1,
    )
    const outcomes = await pool.use(leftMs, (connection) =>
      connection.rows<[position: number, isFresh: boolean, id: number | null]>(insertLeads, rows),
    )
    const results = new Map<unknown, Written | 'exists'>()
    for (const [position, isFresh, id] of outcomes) {
      const lead = asked[position - 1] as NewLead
      if (!isFresh) results.set(lead, 'stale')
      else results.set(lead, id === null ? 'exists' : { lead: lead.stored(id), created: true })
    }
    return made.map((lead) => (lead instanceof Error ? lead : (results.get(lead) as Written | 'exists')))
  }

  function newLead(campaign: Campaign, email: string, decision: Decision | undefined): NewLead {
    if (decision === undefined) throw new Error('a lead that is not there cannot stay as it is')
    const { id: campaignId, accountId, version } = campaign
    const { registeredAt, attempt } = decision
    const ruleId = ruleIdAfter(campaign, undefined, decision)
    const salt = newSalt()
    const row: Value[] = [
      accountId,
      campaignId,
      email,
      salt,
      registeredAt,
      ...attemptValues(ruleId, decision),
      version,
    ]
    const stored = (id: number): Lead => {
      const ref = refs.write({ accountId, leadId: id, salt })
      return { id, ref, email, registeredAt, ruleId, attempt }
    }
    return { row, stored }
  }

  /** Leads that exist: read under a lock, decided, and written, in one transaction for all of the turn. */
  function change(writes: Write[], leftMs: number): Promise<(Written | 'missing' | Error)[]> {
    return pool.transaction(leftMs, '', async (connection) => {
      const accountIds = [...new Set(writes.map(({ campaign }) => campaign.accountId))]
      const fresh = new Map(await connection.rows<[number, number]>(versions, [accountIds]))
      const leads = await lock(connection, writes)
      const changed = new Map<number, Value[]>()
      const results = writes.map(({ campaign, email, decide }): Written | 'missing' | Error => {
        if (fresh.get(campaign.accountId) !== campaign.version) return 'stale'
        const key = `${campaign.id} ${email}`
        const lead = leads.get(key)
        if (lead === undefined) return 'missing'
        try {
          const decision = decide(lead)
          if (decision === undefined) return { lead, created: false }
          const ruleId = ruleIdAfter(campaign, lead, decision)
          const next = { ...lead, ruleId, attempt: decision.attempt }
          leads.set(key, next)
          changed.set(lead.id, [campaign.accountId, lead.id, ...attemptValues(ruleId, decision)])
          return { lead: next, created: false }
        } catch (error) {
          return error as Error
        }
      })
      if (changed.size > 0) {
        await connection.rows(updateLeads, byColumn([...changed.values()], 2 + attemptCount))
      }
      return results
    })
  }

  async function lock(connection: Connection, writes: Write[]): Promise<Map<string, Lead>> {
    const rows = await connection.rows<[number, ...LeadRow]>(lockLeads, [
      writes.map(({ campaign }) => campaign.accountId),
      writes.map(({ campaign }) => campaign.id),
      writes.map(({ email }) => email),
    ])
    const leads = new Map<string, Lead>()
    for (const [position, ...row] of rows) {
      const { campaign, email } = writes[position - 1] as Write
      leads.set(`${campaign.id} ${email}`, await toLead(campaign, email, row))
    }
    return leads
  }

  return {
    async write(write, expectNew, since) {
      let isNew = expectNew
      for (let rounds = 0; rounds < maxRounds; rounds += 1) {
        const written = isNew ? await additions.ask(write, since) : await changes.ask(write, since)
        if (written !== 'exists' && written !== 'missing') return written
        isNew = written === 'missing'
        if (isNew) continue
        // Somebody else was first. Where that changes nothing, no lock is needed either.
        const lead = await find(write)
        if (lead !== undefined && write.decide(lead) === undefined) return { lead, created: false }
        isNew = lead === undefined
      }
      throw new StoreUnavailable('the lead kept changing')
    },
  }
}

/** Rows as one list for each column, which is how `unnest` takes them. */
function byColumn(rows: Value[][], width: number): Value[][] {
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column] as Value))
}
