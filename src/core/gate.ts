// Whether a lead may pass to what the offer gives, at this instant. For the customer's own server.
import type { Seconds } from './instant.ts'
import { type Attempt, nextCycleAt, type Offer, offerAt } from './mechanism/attempt.ts'
import type { Terms } from './mechanism/terms.ts'

/** A setting by hand reaches an edge that keeps the answer this late. */
const mostAgeSeconds = 30

export type Gate = {
  /** `grace`: over, and still let in for a while. */
  state: Offer['state'] | 'grace'
  isOpen: boolean
  deadline: Seconds | null
  /** Whole seconds, rounded up; null without a deadline. */
  secondsLeft: number | null
  /** When the next cycle begins by itself. */
  nextAt: Seconds | null
  /** How long the answer may be kept: it stays true for so many seconds, unless somebody sets another deadline. */
  maxAgeSeconds: number
}

/** `graceSeconds` after the deadline are still let in. Reads, and changes nothing. */
export function gateAt(terms: Terms, attempt: Attempt, graceSeconds: number, nowMs: number): Gate {
  const now = Math.floor(nowMs / 1_000)
  const offer = offerAt(terms, attempt, now)
  const { deadline, opensAt } = offer
  const nextAt = nextCycleAt(terms, attempt, now)
  const graceEndsAt = deadline === null ? null : deadline + graceSeconds
  const isInGrace = offer.state === 'expired' && graceEndsAt !== null && now < graceEndsAt
  const state = isInGrace ? 'grace' : offer.state
  const changes = [opensAt, deadline, graceEndsAt, nextAt].filter((at) => at !== null && at > now) as Seconds[]
  const leftMs = Math.min(...changes.map((at) => at * 1_000 - nowMs))
  return {
    state,
    isOpen: state === 'open' || state === 'pending' || state === 'grace',
    deadline,
    secondsLeft: deadline === null ? null : Math.max(0, deadline - now),
    nextAt,
    maxAgeSeconds: Math.min(mostAgeSeconds, Math.floor(leftMs / 1_000)),
  }
}
