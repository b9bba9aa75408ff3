import type { Rule } from '../../core/mechanism/attempt.ts'
import type { Campaign, Decide, Decision, Lead, LeadWrite } from '../store.ts'
import { type Connection, SQLITE_CONSTRAINT, sqliteCode, type Value } from './connection.ts'

const columns = `id, lower(hex(ref)), registered_at, rule_id, attempt, resets, anchor_at, opens_at,
  deadline_at, by_hand_deadline_at, by_hand_set_at`

/** Rows of `leads` in the order of `columns`. */
type LeadRow = [
  id: number,
  ref: string,
  registeredAt: number,
  ruleId: number | null,
  number: number,
  resets: number,
  anchorAt: number | null,
  opensAt: number | null,
  deadlineAt: number | null,
  byHandDeadlineAt: number | null,
  byHandSetAt: number | null,
]

export type LeadRows = {
  find(campaign: Campaign, email: string): Lead | undefined
  list(campaign: Campaign, afterEmail: string, limit: number): Lead[]
  /** Reads, decides and writes; the caller holds a write transaction. */
  write(campaign: Campaign, email: string, decide: Decide, expectNew: boolean): LeadWrite
}

/** The statements on leads, prepared once for this connection. `newRef` gives 16 random bytes. */
export function leadRows(connection: Connection, newRef: () => Uint8Array): LeadRows {
  const select = connection.prepareArrays(`SELECT ${columns} FROM leads WHERE campaign_id = ? AND email = ?`)
  const selectPage = connection.prepareArrays(
    `SELECT ${columns}, email FROM leads WHERE campaign_id = ? AND email > ? ORDER BY email LIMIT ?`,
  )
  const insert = connection.prepare(
    `INSERT INTO leads (campaign_id, email, ref, registered_at, rule_id, attempt, resets, anchor_at, opens_at,
       deadline_at, by_hand_deadline_at, by_hand_set_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = connection.prepare(
    `UPDATE leads SET rule_id = ?, attempt = ?, resets = ?, anchor_at = ?, opens_at = ?, deadline_at = ?,
       by_hand_deadline_at = ?, by_hand_set_at = ? WHERE id = ?`,
  )
  const selectRule = connection.prepareArrays('SELECT rule FROM rules WHERE id = ?')

  /** A rule that the campaign was given after it was read stands in the database alone. */
  function ruleOf(campaign: Campaign, ruleId: number): Rule {
    const known = campaign.rules.get(ruleId)
    if (known !== undefined) return known
    const row = selectRule.get(ruleId) as unknown as [string] | undefined
    if (row === undefined) throw new Error(`lead without its rule: ${ruleId}`)
    return JSON.parse(row[0])
  }

  function toLead(campaign: Campaign, email: string, row: LeadRow): Lead {
    const [id, ref, registeredAt, ruleId, number, resets, anchorAt, opensAt, deadlineAt] = row
    const rule = ruleId === null ? null : ruleOf(campaign, ruleId)
    const byHand = row[9] === null ? null : { deadlineAt: row[9], setAt: row[10] as number }
    return {
      id,
      ref,
      email,
      registeredAt,
      ruleId,
      attempt: { number, resets, rule, anchorAt, opensAt, deadlineAt, byHand },
    }
  }

  function find(campaign: Campaign, email: string): Lead | undefined {
    const row = select.get(campaign.id, email) as unknown as LeadRow | undefined
    return row && toLead(campaign, email, row)
  }

  function create(campaign: Campaign, email: string, decision: Decision): Lead {
    const { attempt, registeredAt } = decision
    const ruleId = attempt.rule === null ? null : campaign.ruleId
    const ref = newRef()
    const values = attemptValues(ruleId, decision)
    const { lastInsertRowid } = insert.run(campaign.id, email, ref, registeredAt, ...values)
    return { id: Number(lastInsertRowid), ref: hex(ref), email, registeredAt, ruleId, attempt }
  }

  function change(campaign: Campaign, lead: Lead, decision: Decision): Lead {
    const { attempt } = decision
    const ruleId =
      attempt.rule === lead.attempt.rule ? lead.ruleId : attempt.rule === null ? null : campaign.ruleId
    update.run(...attemptValues(ruleId, decision), lead.id)
    return { ...lead, ruleId, attempt }
  }

  return {
    find,
    list: (campaign, afterEmail, limit) =>
      (selectPage.all(campaign.id, afterEmail, limit) as unknown as [...LeadRow, string][]).map((row) =>
        toLead(campaign, row.at(-1) as string, row as unknown as LeadRow),
      ),
    write(campaign, email, decide, expectNew) {
      if (expectNew) {
        const decision = decide(undefined)
        if (decision === undefined) throw new Error('a lead that is not there cannot stay as it is')
        try {
          return { lead: create(campaign, email, decision), created: true }
        } catch (error) {
          // Registered by somebody else since it was seen missing: then it is a repeated registration.
          if (sqliteCode(error) !== SQLITE_CONSTRAINT) throw error
        }
      }
      const lead = find(campaign, email)
      const decision = decide(lead)
      if (lead === undefined && decision === undefined) {
        throw new Error('a lead that is not there cannot stay as it is')
      }
      if (decision === undefined) return { lead: lead as Lead, created: false }
      if (lead === undefined) return { lead: create(campaign, email, decision), created: true }
      return { lead: change(campaign, lead, decision), created: false }
    },
  }
}

function attemptValues(ruleId: number | null, { attempt }: Decision): Value[] {
  const { number, resets, anchorAt, opensAt, deadlineAt, byHand } = attempt
  return [
    ruleId,
    number,
    resets,
    anchorAt,
    opensAt,
    deadlineAt,
    byHand === null ? null : byHand.deadlineAt,
    byHand === null ? null : byHand.setAt,
  ]
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
