// Whether a lead may see the offer at this instant. For the customer's own server.
import { type Seconds, secondsOf } from './instant.ts'
import { type Attempt, nextCycleAt, offerAt } from './mechanism/attempt.ts'
import type { Terms } from './mechanism/terms.ts'

/** How long a proxy may keep an answer, and so how late it learns of a deadline set by hand. */
const mostAgeSeconds = 30

export type Gate = ReturnType<typeof gateAt>

/** For `graceSeconds` after the deadline the state is `grace`, and still lets in. Reads, and changes nothing. */
export function gateAt(terms: Terms, attempt: Attempt, graceSeconds: number, nowMs: number) {
  const now = secondsOf(nowMs)
  const offer = offerAt(terms, attempt, now)
  // The next cycle may already wait for its opening while the one before it is still in grace.
  const isNextDue = offer.state === 'scheduled' && offer.cycle > 1
  const ending = isNextDue ? offerAt(terms, attempt, now - graceSeconds) : offer
  const graceEndsAt = ending.deadline === null ? null : ending.deadline + graceSeconds
  const isInGrace = ending.deadline !== null && ending.deadline <= now && now < ending.deadline + graceSeconds
  const state = isInGrace ? 'grace' : offer.state
  const { deadline } = isInGrace ? ending : offer
  const nextAt = nextCycleAt(terms, attempt, now)
  const changes = [offer.opensAt, offer.deadline, graceEndsAt, nextAt].filter(
    (at) => at !== null && at > now,
  ) as Seconds[]
  const leftMs = Math.min(...changes.map((at) => at * 1_000 - nowMs))
  return {
    state,
    isOpen: state === 'open' || state === 'pending' || state === 'grace',
    deadline,
    /** Whole seconds, rounded up; null without a deadline. */
    secondsLeft: deadline === null ? null : Math.max(0, deadline - now),
    /** When the next cycle begins by itself. */
    nextAt,
    /** How long the answer may be kept: it stays true for so many seconds, unless somebody sets another deadline. */
    maxAgeSeconds: Math.min(mostAgeSeconds, Math.floor(leftMs / 1_000)),
  }
}
