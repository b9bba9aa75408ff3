import type { Attempt } from '../../core/mechanism/attempt.ts'
import { StoreUnavailable } from '../errors.ts'
import { attemptColumns, attemptValues, type LeadRow, leadColumns, ruleIdAfter } from '../lead-row.ts'
import type { OldDecide, OldLeadWrite } from '../lead-write.ts'
import type { Campaign, Decision, Lead } from '../model.ts'
import { type RefCipher, type RefParts, saltSource } from '../ref.ts'
import type { Value } from '../sql.ts'
import { turns } from './batcher.ts'
import type { Connection, Pool, Prepared } from './connection.ts'

type Write = { accountId: number; campaign: Campaign; email: string; decide: OldDecide }
type Written = OldLeadWrite | 'stale'

type NewLead = { campaign: Campaign; email: string; salt: number; ruleId: number | null; decision: Decision }

export type LeadWriter = {
  /** `expectNew` says that the lead was just seen missing. */
  write(write: Write, expectNew: boolean, waitingSinceMs: number): Promise<Written>
}

/** Turns a row of `leads` into the lead of a campaign. */
export type ToLead = (campaign: Campaign, email: string, row: LeadRow) => Lead | Promise<Lead>

const attemptCount = attemptColumns.split(',').length
/** What leads of a campaign that are registered in the same second have in common, a list of each. */
const sharedColumns = ['account_id', 'campaign_id', 'registered_at', ...attemptColumns.split(/,\s*/)]
const shared = sharedColumns.map((_, index) => `$${index + 1}::bigint[]`)
const [version, which, email, salt] = [1, 2, 3, 4].map((n) => `$${shared.length + n}`)

/**
 * All new leads of a turn in one statement, which is a transaction of its own. They come in one order on
 * every node, so that two of them never wait for each other in a circle. A lead whose settings were replaced
 * since they were read is not stored. Joins would be nested loops here: what is shared is taken by its position.
 */
const insertLeads: Prepared = {
  name: 'insert_leads',
  text: `
    WITH fresh AS MATERIALIZED (
      SELECT array_agg(version IS NOT DISTINCT FROM expected ORDER BY position) AS is_fresh
        FROM unnest(${shared[0]}, ${version}::bigint[]) WITH ORDINALITY AS asked (account, expected, position)
        LEFT JOIN accounts ON id = account
    ), stored AS (
      INSERT INTO leads (${sharedColumns.join(', ')}, email, salt)
        SELECT ${shared.map((list) => `(${list})[which]`).join(', ')}, email, salt
        FROM unnest(${which}::int[], ${email}::text[], ${salt}::bigint[]) AS asked (which, email, salt)
        WHERE (SELECT is_fresh FROM fresh)[which]
        ON CONFLICT DO NOTHING RETURNING id, salt
    )
    SELECT (SELECT is_fresh FROM fresh), array_agg(id), array_agg(salt) FROM stored`,
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
    const asked = made.filter((lead): lead is NewLead => !(lead instanceof Error)).sort(inOrder)
    const { terms, positions } = termsOf(asked)
    const [outcome] = await pool.use(leftMs, (connection) =>
      connection.rows<[isFresh: boolean[] | null, ids: number[] | null, salts: number[] | null]>(
        insertLeads,
        [
          ...byColumn(terms, sharedColumns.length + 1),
          positions,
          asked.map(({ email }) => email),
          asked.map(({ salt }) => salt),
        ],
      ),
    )
    const [areFresh, ids, salts] = outcome ?? []
    const idOf = new Map(salts?.map((salt, index) => [salt, ids?.[index] as number]))
    const results = new Map<unknown, Written | 'exists'>()
    const created: (RefParts & { lead: NewLead })[] = []
    for (const [index, lead] of asked.entries()) {
      const leadId = idOf.get(lead.salt)
      if (!areFresh?.[(positions[index] as number) - 1]) results.set(lead, 'stale')
      else if (leadId === undefined) results.set(lead, 'exists')
      else created.push({ accountId: lead.campaign.accountId, leadId, salt: lead.salt, lead })
    }
    const names = refs.writeAll(created)
    for (const [index, { leadId, lead }] of created.entries()) {
      results.set(lead, { lead: stored(lead, leadId, names[index] as string), created: true })
    }
    return made.map((lead) => (lead instanceof Error ? lead : (results.get(lead) as Written | 'exists')))
  }

  function newLead(campaign: Campaign, email: string, decision: Decision | undefined): NewLead {
    if (decision === undefined) throw new Error('a lead that is not there cannot stay as it is')
    return { campaign, email, salt: newSalt(), ruleId: ruleIdAfter(campaign, undefined, decision), decision }
  }

  function stored({ email, ruleId, decision }: NewLead, id: number, ref: string): Lead {
    return { id, ref, email, registeredAt: decision.registeredAt, ruleId, attempt: decision.attempt }
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

/** What leads have in common, each with the version that it was read under, and of each lead where that stands. */
function termsOf(leads: NewLead[]): { terms: Value[][]; positions: number[] } {
  const terms: Value[][] = []
  const known = new Map<Attempt, { lead: NewLead; position: number }>()
  const positions = leads.map((lead) => {
    const { campaign, ruleId, decision } = lead
    const same = known.get(decision.attempt)
    if (same !== undefined && haveSameTerms(same.lead, lead)) return same.position
    const { id, accountId, version } = campaign
    const position = terms.push([
      accountId,
      id,
      decision.registeredAt,
      ...attemptValues(ruleId, decision),
      version,
    ])
    known.set(decision.attempt, { lead, position })
    return position
  })
  return { terms, positions }
}

function haveSameTerms(one: NewLead, other: NewLead): boolean {
  return (
    one.campaign === other.campaign &&
    one.ruleId === other.ruleId &&
    one.decision.registeredAt === other.decision.registeredAt
  )
}

function inOrder(a: NewLead, b: NewLead): number {
  if (a.campaign.id !== b.campaign.id) {
    return a.campaign.accountId - b.campaign.accountId || a.campaign.id - b.campaign.id
  }
  if (a.email === b.email) return 0
  return a.email < b.email ? -1 : 1
}

/** Rows as one list for each column, which is how `unnest` takes them. */
function byColumn(rows: Value[][], width: number): Value[][] {
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column] as Value))
}
