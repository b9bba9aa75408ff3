import { begin } from '../../src/core/mechanism/attempt.ts'
import type { Campaign, Decision } from '../../src/store/model.ts'

/** The write of a lead who registers at this instant, for tests of the store; a new column of leads gets its value here. */
export const decisionOf = (
  { terms, ruleId }: Pick<Campaign, 'terms' | 'ruleId'>,
  at: number,
  changes: Partial<Decision> = {},
): Decision => ({ registeredAt: at, ruleId, attempt: begin(terms, at), ...changes })
