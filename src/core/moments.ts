// Moments: instants at which the rules alone change something for a lead.
import type { Seconds } from './instant.ts'
import { type Attempt, nextCycleAt, type Offer, offerAt } from './mechanism/attempt.ts'
import { periodOf } from './mechanism/period.ts'
import type { Terms } from './mechanism/terms.ts'

export type Moment = {
  kind: 'lead.opened' | 'lead.deadline_approaching' | 'lead.expired'
  /** Of the lead time before the deadline; 0 for the others. */
  detail: Seconds
}

/** Which moments somebody wants to hear of. */
export type Wanted = { opened: boolean; expired: boolean; leadSeconds: readonly Seconds[] }

/** In how many windows a moment is looked for at a time: behind one that is empty comes one at most, at the end. */
const mostWindows = 3

/**
 * What becomes true at exactly this instant, under the present settings and as the attempt is now. What an attempt
 * begins with, by registration, visit or hand, is no moment: the event of that write tells it.
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
 * The first instant after `after` at which there is a moment, or from which to look on; null where none is to come, as
 * things stand.
 */
export function nextMoment(terms: Terms, attempt: Attempt, after: Seconds, wanted: Wanted): Seconds | null {
  let from: Seconds | null = after
  for (let window = 0; window < mostWindows && from !== null; window += 1) {
    const { state, opensAt, deadline } = offerAt(terms, attempt, from)
    if (state === 'pending') return null
    const before = deadline === null ? [] : wanted.leadSeconds.map((seconds) => deadline - seconds)
    // Where a cycle begins its window may open at once.
    const candidates = [from, opensAt, deadline, ...before].filter((at) => at !== null && at > after) as Seconds[]
    const found = candidates.sort((a, b) => a - b).find((at) => momentsAt(terms, attempt, at, wanted).length > 0)
    if (found !== undefined) return found
    from = nextCycleAt(terms, attempt, from)
  }
  // There may be a longer window, in which a lead time has room.
  return wanted.leadSeconds.length > 0 && hasVaryingWindows(attempt) ? from : null
}

const hasVaryingWindows = ({ rule }: Attempt): boolean =>
  rule !== null && !(rule.deadline.kind === 'after' && 'seconds' in periodOf(rule.deadline.period))

/** Everything is behind this: what comes later is to be told. */
function begunAt({ anchorAt, byHand }: Attempt): Seconds {
  return byHand?.setAt ?? anchorAt ?? Number.POSITIVE_INFINITY
}

function isEmpty({ opensAt, deadline }: Offer): boolean {
  return opensAt !== null && deadline !== null && opensAt >= deadline
}
