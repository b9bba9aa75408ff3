// What stands of a lead with its email in lead_emails. Decision 25: in a large database the whole of a lead to which
// nothing has happened, for a look-up there waits for memory in each table that it reads.
import type { Attempt } from '../../core/mechanism/attempt.ts'

/** A row of `lead_emails` after the campaign and the email. */
export type FiledRow = [
  id: number,
  /** Null where the rest does not stand here, or does not hold any more: then the lead is read from `leads`. */
  salt: number | null,
  registeredAt: number | null,
  ruleId: number | null,
  deadlineAt: number | null,
]

/** The row of a first attempt that opened with the registration; of any other lead, one that says where it is read. */
export function filedRowOf(
  id: number,
  salt: number,
  registeredAt: number,
  ruleId: number | null,
  { number, resets, anchorAt, opensAt, deadlineAt, byHand }: Attempt,
): FiledRow {
  const isWhole =
    number === 1 &&
    resets === 0 &&
    anchorAt === registeredAt &&
    opensAt === (ruleId === null ? null : registeredAt) &&
    byHand === null
  return [id, isWhole ? salt : null, registeredAt, ruleId, deadlineAt]
}

/** The same of a row of `leads`. */
export const filedColumns = `id,
  iif(attempt = 1 AND resets = 0 AND anchor_at = registered_at AND by_hand_deadline_at IS NULL
    AND opens_at IS iif(rule_id IS NULL, NULL, registered_at), salt, NULL),
  registered_at, rule_id, deadline_at`

/** The `leadColumns` of one email of a campaign; a lead that stands whole with its email is not looked for in `leads`. */
export const selectFiledLead = `
  SELECT filed.id,
    coalesce(filed.salt, leads.salt),
    iif(filed.salt IS NULL, leads.registered_at, filed.registered_at),
    iif(filed.salt IS NULL, leads.rule_id, filed.rule_id),
    coalesce(attempt, 1),
    coalesce(resets, 0),
    iif(filed.salt IS NULL, anchor_at, filed.registered_at),
    iif(filed.salt IS NULL, opens_at, iif(filed.rule_id IS NULL, NULL, filed.registered_at)),
    iif(filed.salt IS NULL, leads.deadline_at, filed.deadline_at),
    by_hand_deadline_at,
    by_hand_set_at
  FROM lead_emails AS filed LEFT JOIN leads ON leads.id = iif(filed.salt IS NULL, filed.id, NULL)
  WHERE filed.campaign_id = ? AND filed.email = ?`
