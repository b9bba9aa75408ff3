// A lead as a row of either engine, and what a decision makes of it.
import type { Notice } from '../core/events.ts'
import type { Rule } from '../core/mechanism/rule.ts'
import type { Campaign, Decide, Decision, Lead, LeadRefusal, LeadWrite } from './model.ts'
import type { RefCipher } from './ref.ts'
import type { Sql, Value } from './sql.ts'

/** The columns that a decision writes, in the order of `decisionValues`. */
export const decisionColumns = `registered_at, rule_id, attempt, resets, anchor_at, opens_at, deadline_at,
  by_hand_deadline_at, by_hand_set_at, by_hand_cycle`
/**
 * The columns of `leads` that make a lead, in the order of `LeadRow`. What is written once, as `salt`, stands here; what
 * an attempt changes stands in `decisionColumns`.
 */
export const columns = `email, id, salt, ${decisionColumns}`

export type LeadRow = [
  email: string,
  id: number,
  salt: number,
  registeredAt: number,
  ruleId: number | null,
  number: number,
  resets: number,
  anchorAt: number | null,
  opensAt: number | null,
  deadlineAt: number | null,
  byHandDeadlineAt: number | null,
  byHandSetAt: number | null,
  byHandCycle: number | null,
]

/** `get` finds a rule that the campaign got after it was read. */
export async function leadOf(get: Sql['get'], refs: RefCipher, campaign: Campaign, row: LeadRow): Promise<Lead> {
  const [email, id, salt, registeredAt, ruleId, number, resets, anchorAt, opensAt, deadlineAt, setTo, setAt, cycle] =
    row
  const ref = refs.write({ accountId: campaign.accountId, leadId: id, salt })
  const rule = ruleId === null ? null : (campaign.rules.get(ruleId) ?? (await newerRule(get, ruleId)))
  const byHand = setTo === null ? null : { deadlineAt: setTo, setAt: setAt as number, cycle }
  const attempt = { number, resets, rule, anchorAt, opensAt, deadlineAt, byHand }
  return { id, ref, email, registeredAt, ruleId, attempt }
}

async function newerRule(get: Sql['get'], ruleId: number): Promise<Rule> {
  const row = await get('SELECT rule FROM rules WHERE id = ?', ruleId)
  if (row === undefined) throw new Error(`lead without its rule: ${ruleId}`)
  return JSON.parse(row.rule)
}

export function decisionValues({ registeredAt, ruleId, attempt }: Decision): Value[] {
  const { number, resets, anchorAt, opensAt, deadlineAt, byHand } = attempt
  const set = byHand ?? { deadlineAt: null, setAt: null, cycle: null }
  return [registeredAt, ruleId, number, resets, anchorAt, opensAt, deadlineAt, set.deadlineAt, set.setAt, set.cycle]
}

export const noticesFor = (leadId: number, { notices = [] }: Decision): Notice[] =>
  notices.map((notice) => ({ ...notice, leadId }))

/** Without the notices and the entry: a decision that copies the lead would write them again. */
export function changedBy(lead: Lead, { notices: _, entry: __, ...changed }: Decision): Lead {
  return { ...lead, ...changed }
}

/**
 * The answer to a write for which the lead was only read: a refusal, or the lead if it stays as it is. Undefined if a
 * transaction is needed; one also reads the campaign again for a lead that is newer.
 */
export function withoutWriting(
  campaign: Campaign,
  lead: Lead | undefined,
  decide: Decide,
): LeadWrite | LeadRefusal | undefined {
  if (lead !== undefined && isNewer(lead, campaign)) return undefined
  const decision = decide(campaign, lead)
  if (typeof decision === 'string') return decision
  return lead !== undefined && decision === undefined ? { campaign, before: lead, lead } : undefined
}

/** Whether the lead was decided on by settings that this campaign does not have yet. */
export function isNewer({ ruleId, attempt }: Lead, { rules, terms }: Campaign): boolean {
  if (ruleId !== null) return !rules.has(ruleId)
  // It has started without a rule, and by these settings each start has one.
  return attempt.anchorAt !== null && terms.personal !== null
}
