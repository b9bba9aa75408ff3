// Moments: instants at which the rules change something for a lead without any event.
import type { Seconds } from './instant.ts'
import { type Attempt, nextCycleAt, type Offer, offerAt } from './mechanism/attempt.ts'
import { isExact } from './mechanism/cycle.ts'
import type { Terms } from './mechanism/terms.ts'

export type Moment = {
  kind: 'lead.opened' | 'lead.deadline_approaching' | 'lead.expired'
  /** The lead time in seconds; 0 for the other kinds. */
  detail: Seconds
}

/** The moments that an endpoint wants. */
export type Wanted = { opened: boolean; expired: boolean; leadSeconds: readonly Seconds[] }

/** Windows in which a moment is searched at a time: after an empty one at most one follows, at the end. */
const mostWindows = 3

/**
 * What becomes true at exactly this instant, by the present settings and the present attempt. The start of an attempt,
 * by registration, visit or hand, is not a moment: the event of that write tells of it.
 */
export function momentsAt(terms: Terms, attempt: Attempt, at: Seconds, wanted: Wanted): Moment[] {
  if (at <= begunAt(attempt)) return []
  const offer = offerAt(terms, attempt, at)
  const { state, deadline } = offer
  const found: Moment[] = []
  if (state === 'open' && wanted.opened && offerAt(terms, attempt, at - 1).state !== 'open') {
    found.push({ kind: 'lead.opened', detail: 0 })
  }
  if (state === 'open' && deadline !== null && wanted.leadSeconds.includes(deadline - at)) {
    found.push({ kind: 'lead.deadline_approaching', detail: deadline - at })
  }
  if (state === 'expired' && deadline === at && wanted.expired && !isEmpty(offer)) {
    found.push({ kind: 'lead.expired', detail: 0 })
  }
  return found
}

/**
 * The first instant after `after` at which there is a moment, or from which to search on; null if none will come by the
 * present settings.
 */
export function nextMoment(terms: Terms, attempt: Attempt, after: Seconds, wanted: Wanted): Seconds | null {
  let from: Seconds | null = after
  for (let window = 0; window < mostWindows && from !== null; window += 1) {
    const { state, opensAt, deadline } = offerAt(terms, attempt, from)
    if (state === 'pending') return null
    const before = deadline === null ? [] : wanted.leadSeconds.map((seconds) => deadline - seconds)
    // A window may open at the very start of its cycle.
    const candidates = [from, opensAt, deadline, ...before].filter((at) => at !== null && at > after) as Seconds[]
    const found = candidates.sort((a, b) => a - b).find((at) => momentsAt(terms, attempt, at, wanted).length > 0)
    if (found !== undefined) return found
    from = nextCycleAt(terms, attempt, from)
  }
  // A later window may be longer, and leave room for a lead time.
  return wanted.leadSeconds.length > 0 && hasVaryingWindows(attempt) ? from : null
}

const hasVaryingWindows = ({ rule }: Attempt): boolean => rule !== null && !isExact(rule)

/** When the attempt began: all its moments are later. */
function begunAt({ anchorAt, byHand }: Attempt): Seconds {
  return byHand?.setAt ?? anchorAt ?? Number.POSITIVE_INFINITY
}

function isEmpty({ opensAt, deadline }: Offer): boolean {
  return opensAt !== null && deadline !== null && opensAt >= deadline
}
