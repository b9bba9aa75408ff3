import type { Seconds } from '../instant.ts'
import { cycleAfter, cycleAt } from './cycle.ts'
import { addPeriod, periodOf } from './period.ts'
import type { Rule } from './rule.ts'
import type { Terms } from './terms.ts'
import { zoneOf } from './zone.ts'

/** One granted window of the offer, as it is stored. An event makes a new object, and never changes this one. */
export type Attempt = {
  /** From 1. */
  number: number
  /** How many resets this attempt has used. */
  resets: number
  /**
   * The rule that the attempt began with; null for `fixed` and `none`, which are read live. While pending, the rule
   * that the lead last started with; null if it never has.
   */
  rule: Rule | null
  /** What the deadline is counted from; null while pending. */
  anchorAt: Seconds | null
  /** The window of the first cycle as the rule gave it; null if there is no rule. */
  opensAt: Seconds | null
  /** Not capped by the campaign's end. */
  deadlineAt: Seconds | null
  /**
   * The deadline set by hand, and when. `cycle` is the one in which it was set; if it replaced another deadline set by
   * hand, the one in which that was set. Null if it was set before cycles were stored here.
   */
  byHand: { deadlineAt: Seconds; setAt: Seconds; cycle: number | null } | null
}

export const offerStates = ['pending', 'scheduled', 'open', 'expired'] as const

/** The offer of a lead at one instant. `opensAt` is null if there is no opening to wait for. */
export type Offer = {
  state: (typeof offerStates)[number]
  opensAt: Seconds | null
  deadline: Seconds | null
  attempt: number
  cycle: number
}

type Standing = Omit<Offer, 'attempt'>

const pending: Attempt = {
  number: 1,
  resets: 0,
  rule: null,
  anchorAt: null,
  opensAt: null,
  deadlineAt: null,
  byHand: null,
}

/** A registration: the first, or one that begins an attempt after `before`. */
export function begin(terms: Terms, now: Seconds, before?: Attempt): Attempt {
  const attempt = before === undefined ? pending : { ...pending, number: before.number + 1, rule: before.rule }
  return terms.mechanism.startsOn === 'visit' ? attempt : anchored(attempt, terms, now)
}

/** The first visit of somebody without a lead: it starts the attempt under either `startsOn`. */
export function beginByVisit(terms: Terms, now: Seconds): Attempt {
  return anchored(pending, terms, now)
}

/**
 * A registration of a lead that exists: the same object if nothing changes; otherwise the attempt after a reset, or the
 * next attempt.
 */
export function registerAgain(terms: Terms, attempt: Attempt, now: Seconds): Attempt {
  const { state, deadline } = offerAt(terms, attempt, now)
  if (state === 'expired') {
    const retries = deadline !== null && mayRetry(terms, attempt, deadline, now)
    return retries ? begin(terms, now, attempt) : attempt
  }
  if (state === 'pending' || attempt.byHand !== null || !mayReset(terms, attempt)) return attempt
  return { ...anchored(attempt, terms, now), resets: attempt.resets + 1 }
}

/** Starts a pending attempt, even if its deadline was set by hand; any other is returned unchanged. */
export function visit(terms: Terms, attempt: Attempt, now: Seconds): Attempt {
  return attempt.anchorAt === null ? anchored(attempt, terms, now) : attempt
}

/**
 * Sets a deadline that overrides the rule, or with null clears it: then the rule applies again. If one is in force
 * already, its cycle is kept: cycles have stood still since then, even if the campaign's end has changed.
 */
export function setByHand(terms: Terms, attempt: Attempt, deadlineAt: Seconds | null, now: Seconds): Attempt {
  const { byHand } = attempt
  if (deadlineAt === null) return byHand === null ? attempt : { ...attempt, byHand: null }
  if (byHand?.deadlineAt === deadlineAt) return attempt
  const cycle = byHand?.cycle ?? standingByRule(terms, attempt, byHand?.setAt ?? now).cycle
  return { ...attempt, byHand: { deadlineAt, setAt: now, cycle } }
}

/** The offer at one instant. It costs a bounded time, however long ago the attempt began. */
export function offerAt(terms: Terms, attempt: Attempt, now: Seconds): Offer {
  const { byHand, number } = attempt
  if (byHand === null) return { ...standingByRule(terms, attempt, now), attempt: number }
  const cycle = byHand.cycle ?? standingByRule(terms, attempt, byHand.setAt).cycle
  return { ...standing(null, byHand.deadlineAt, cycle, now), attempt: number }
}

/** When the next cycle begins by itself; null where none will. */
export function nextCycleAt(terms: Terms, attempt: Attempt, now: Seconds): Seconds | null {
  const { rule, anchorAt, opensAt, deadlineAt, byHand } = attempt
  if (!rule?.cycle || anchorAt === null || opensAt === null || deadlineAt === null || byHand) return null
  const { endsAt } = terms
  return cycleAfter(rule, cycleAt(rule, { anchorAt, opensAt, deadlineAt }, endsAt, now), endsAt)
}

function standingByRule(terms: Terms, attempt: Attempt, now: Seconds): Standing {
  const { rule, anchorAt, opensAt, deadlineAt } = attempt
  if (anchorAt === null) return { state: 'pending', opensAt: null, deadline: null, cycle: 1 }
  const { endsAt } = terms
  if (rule === null || opensAt === null || deadlineAt === null) {
    return standing(terms.opensAt, earlier(terms.deadlineAt, endsAt), 1, now)
  }
  // The clock may have been set back, or be behind that of the node that began the attempt: it has begun all the same.
  const at = Math.max(now, anchorAt)
  if (rule.cycle === null) return standing(opensAt, earlier(deadlineAt, endsAt), 1, at)
  const cycle = cycleAt(rule, { anchorAt, opensAt, deadlineAt }, endsAt, at)
  return standing(cycle.opensAt, earlier(cycle.deadlineAt, endsAt), cycle.number, at)
}

/** The deadline comes first: an offer that ends before it opens is expired. */
function standing(opensAt: Seconds | null, deadline: Seconds | null, cycle: number, now: Seconds): Standing {
  if (deadline !== null && now >= deadline) return { state: 'expired', opensAt, deadline, cycle }
  const state = opensAt !== null && now < opensAt ? 'scheduled' : 'open'
  return { state, opensAt, deadline, cycle }
}

/** Starts the attempt: now becomes the anchor, under the present rule. */
function anchored(attempt: Attempt, { personal }: Terms, now: Seconds): Attempt {
  if (personal === null) return { ...attempt, rule: null, anchorAt: now, opensAt: null, deadlineAt: null }
  return { ...attempt, rule: personal.rule, anchorAt: now, ...personal.windowFrom(now) }
}

function mayReset({ mechanism: { reset } }: Terms, { resets }: Attempt): boolean {
  return reset?.enabled === true && resets < (reset.max ?? Number.POSITIVE_INFINITY)
}

function mayRetry(terms: Terms, attempt: Attempt, deadline: Seconds, now: Seconds): boolean {
  const { mechanism, timeZone, endsAt } = terms
  const { retry } = mechanism
  if (!retry?.enabled || attempt.number > (retry.max ?? Number.POSITIVE_INFINITY)) return false
  const retryAt = addPeriod(zoneOf(timeZone), deadline, periodOf(retry.after))
  return now >= retryAt && (endsAt === null || now < endsAt)
}

function earlier(a: Seconds | null, b: Seconds | null): Seconds | null {
  if (a === null || b === null) return a ?? b
  return Math.min(a, b)
}
