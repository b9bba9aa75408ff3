// An order as it is reported, and what it does to the offer of the lead who bought.
import { emailFault, emailWanted } from './email.ts'
import { type Fault, firstFaults, optional, record, refuse, text } from './fault.ts'
import { formatInstant, instantOrNull, parseInstant, type Seconds } from './instant.ts'
import { type Attempt, offerAt, setByHand } from './mechanism/attempt.ts'
import type { Terms } from './mechanism/terms.ts'
import { formatAmount, parseAmount, placesOf } from './money.ts'
import { refPattern } from './offer.ts'

/** Who bought: a lead is named by either. */
export type Buyer = { email: string } | { ref: string }

export type Order = {
  orderId: string
  /** When it was bought. */
  at: Seconds
  /** In the currency's smallest unit. */
  amount: number | null
  currency: string | null
}

export const orderIdPattern = '^[^\\p{C}\\p{Z}]{1,100}$'
const orderIdForm = new RegExp(orderIdPattern, 'u')
export const isOrderId = (orderId: string) => orderIdForm.test(orderId)
export const orderIdWanted = 'a text of 1 to 100 visible characters, without spaces'

const refForm = new RegExp(refPattern)

const oldestSeconds = 30 * 86_400
/** How far a shop's clock may be ahead. Otherwise an order of this moment would be refused, and never sent again. */
const mostAheadSeconds = 30

type Given = { orderId: string; email?: string; ref?: string; amount?: string; currency?: string; at?: string }

const anyText = text('a text')
const checkShape = record<Given>({
  orderId: text(orderIdWanted, isOrderId),
  email: optional(text(emailWanted, (email) => emailFault(email) === undefined)),
  ref: optional(text('the 32 hexadecimal digits of a ref', (ref) => refForm.test(ref))),
  amount: optional(anyText),
  currency: optional(anyText),
  at: optional(anyText),
})

/** Checks an order from any channel. Without `at` it was bought now. */
export function checkOrder(
  value: unknown,
  now: Seconds,
): { buyer: Buyer; order: Order; faults?: undefined } | { faults: Fault[] } {
  const faults: Fault[] = []
  const given = checkShape(value, '', faults)
  if (given === undefined) return { faults: firstFaults(faults) }
  const { orderId, email, ref } = given
  if ((email === undefined) === (ref === undefined)) refuse(faults, 'email', 'or ref must be given, and not both')
  const money = moneyOf(given, faults)
  const at = given.at === undefined ? now : parseInstant(given.at)
  if (at === undefined) refuse(faults, 'at', 'must be an instant such as 2026-06-05T03:59:00Z')
  else if (at > now + mostAheadSeconds || at < now - oldestSeconds)
    refuse(faults, 'at', 'must be in the past, by at most 30 days')
  const buyer = email === undefined ? { ref: ref as string } : { email }
  if (faults.length > 0 || at === undefined) return { faults }
  return { buyer, order: { orderId, at: Math.min(at, now), ...money } }
}

/** A currency without an amount is ignored, whatever it is: shops send theirs with free orders too, such as points. */
function moneyOf({ amount, currency }: Given, faults: Fault[]): Pick<Order, 'amount' | 'currency'> {
  const none = { amount: null, currency: null }
  if (amount === undefined) return none
  const places = currency === undefined ? undefined : placesOf(currency)
  if (currency === undefined || places === undefined) {
    const wanted = currency === undefined ? 'given with an amount' : 'a currency of ISO 4217, such as "EUR"'
    refuse(faults, 'currency', `must be ${wanted}`)
    return none
  }
  const wanted = `a decimal with at most ${places} places and 15 digits, such as "${(49).toFixed(places)}"`
  return { amount: parseAmount(amount, places) ?? refuse(faults, 'amount', `must be ${wanted}`) ?? null, currency }
}

/** The offer at the purchase; `closing` is the attempt as the order leaves it, if it ends the offer. */
export type Purchase = { deadline: Seconds | null; attempt: number; cycle: number; closing: Attempt | null }

/**
 * The figures are those at `at`, of the attempt `found` at the purchase. An offer that is over at `now` stays as it is:
 * a late payment must not move a deadline.
 */
export function purchaseIn(
  terms: Terms,
  { found, attempt }: { found: Attempt; attempt: Attempt },
  closes: boolean,
  at: Seconds,
  now: Seconds,
): Purchase {
  const { deadline, attempt: number, cycle } = offerAt(terms, found, at)
  const isOver = offerAt(terms, attempt, now).state === 'expired'
  return { deadline, attempt: number, cycle, closing: closes && !isOver ? setByHand(terms, attempt, now, now) : null }
}

/** An order as it is kept. */
export type Conversion = Order & {
  id: number
  campaignId: number
  /** Once the lead is erased, a number below zero, the same for all of its orders. */
  leadId: number
  email: string | null
  /** When the lead had registered. */
  registeredAt: Seconds
  /** Of the lead at the purchase, as is the cycle. */
  attempt: number
  cycle: number
  /** The channel that told of it. */
  source: string
  /** The deadline as it was at the purchase. */
  deadlineAt: Seconds | null
  /** When the order ended the lead's offer; null where it did not. */
  closedAt: Seconds | null
  /** The deadline set by hand that it replaced. */
  replacedDeadlineAt: Seconds | null
  /** When that was set; null if there was none, and for orders from before version 16 of the database. */
  replacedSetAt: Seconds | null
  reversedAt: Seconds | null
}

export const isOfErased = ({ leadId }: Pick<Conversion, 'leadId'>) => leadId < 0

/** As the API has it, such as `49.00`. */
export const amountOf = ({ amount, currency }: Pick<Order, 'amount' | 'currency'>) =>
  amount === null || currency === null ? null : formatAmount(amount, currency)

/** An order as JSON, as in the API. `secondsLeft` is below zero after the deadline. */
export function conversionDocument(conversion: Conversion) {
  const { id, campaignId, email, orderId, at, deadlineAt, currency, closedAt, reversedAt } = conversion
  return {
    id,
    campaignId,
    email,
    // An erased lead's order has a hash there.
    orderId: isOfErased(conversion) && orderId.startsWith(' ') ? null : orderId,
    at: formatInstant(at),
    deadline: instantOrNull(deadlineAt),
    secondsLeft: deadlineAt === null ? null : deadlineAt - at,
    amount: amountOf(conversion),
    currency,
    closed: closedAt !== null,
    reversedAt: instantOrNull(reversedAt),
  }
}
