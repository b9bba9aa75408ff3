// Recording orders, for every channel: the API, the panel, the command line.
import { noticesOf } from '../core/events.ts'
import type { Seconds } from '../core/instant.ts'
import { setByHand } from '../core/mechanism/attempt.ts'
import { purchaseIn } from '../core/order.ts'
import type { Actor } from '../store/audit.ts'
import type { Judge, Reopen, Told } from '../store/conversions.ts'
import type { CampaignOf } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { ownNumber } from './leads.ts'

type Orders = Pick<Store, 'conversions'>

/**
 * Records an order, once; it ends the lead's offer if the campaign says so. `by` is null for the API, whose requests
 * are not in the audit log. @throws StoreUnavailable
 */
export function convert({ conversions }: Orders, of: CampaignOf, told: Told, now: Seconds, by: Actor | null) {
  const judge: Judge = ({ terms, conversion }, { attempt }, found) =>
    purchaseIn(terms, { found, attempt }, conversion.closes, told.order.at, now)
  return conversions.convert(of, told, judge, now, by)
}

/** From now on the order does not count; `reopen` also reopens the offer that it ended. @throws StoreUnavailable */
export function reverse(
  { conversions }: Orders,
  of: CampaignOf,
  orderId: string,
  reopen: boolean,
  now: Seconds,
  by: Actor | null,
) {
  return conversions.reverse(of, orderId, reopen ? reopening(now) : null, now, by)
}

/** Only if nobody has set another deadline since, and no other attempt has begun. */
const reopening =
  (now: Seconds): Reopen =>
  (campaign, lead, { closedAt, replacedDeadlineAt }) => {
    if (closedAt === null || lead.attempt.byHand?.deadlineAt !== closedAt) return undefined
    const next = setByHand(campaign.terms, lead.attempt, replacedDeadlineAt, now)
    return { ...lead, attempt: next, notices: noticesOf(campaign, lead.attempt, next, now, ownNumber()) }
  }
