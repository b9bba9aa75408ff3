import type { Seconds } from '../instant.ts'
import { addPeriod, type Period, periodOf } from './period.ts'
import type { CyclingRule, Rule } from './rule.ts'
import { type Window, windowsOf } from './window.ts'
import { zoneOf } from './zone.ts'

/** One round of an attempt, numbered from 1. */
type Cycle = Window & { number: number }

/** The first window of an attempt, and what it was counted from. */
type FirstWindow = Window & { anchorAt: Seconds }

/**
 * The latest cycle that has begun by now. With exact periods it is computed in one step. Otherwise cycles are walked
 * one by one: there is at most one on a date, since after each deadline the same local time has to come again.
 */
export function cycleAt(rule: CyclingRule, first: FirstWindow, endsAt: Seconds | null, now: Seconds): Cycle {
  const pause = periodOf(rule.cycle.pause)
  return 'seconds' in pause && isExact(rule)
    ? jumpToCycle(rule, first, pause.seconds, endsAt, now)
    : walkToCycle(rule, first, pause, endsAt, now)
}

/** The anchor of the cycle after this one; null if there is none. */
export function cycleAfter(rule: CyclingRule, { number, deadlineAt }: Cycle, endsAt: Seconds | null): Seconds | null {
  if (number > mostLaterCycles(rule)) return null
  const anchorAt = addPeriod(zoneOf(rule.timeZone), deadlineAt, periodOf(rule.cycle.pause))
  return endsAt === null || anchorAt < endsAt ? anchorAt : null
}

/** All rounds are as long as the first, so only that is measured. */
function jumpToCycle(
  rule: CyclingRule,
  { anchorAt, opensAt, deadlineAt }: FirstWindow,
  pauseSeconds: number,
  endsAt: Seconds | null,
  now: Seconds,
): Cycle {
  const roundSeconds = deadlineAt - anchorAt + pauseSeconds
  const begunByNow = Math.floor((now - anchorAt) / roundSeconds)
  const begunBeforeEnd = endsAt === null ? Number.POSITIVE_INFINITY : Math.ceil((endsAt - anchorAt) / roundSeconds) - 1
  const rounds = Math.max(0, Math.min(begunByNow, begunBeforeEnd, mostLaterCycles(rule)))
  const shift = rounds * roundSeconds
  return { number: 1 + rounds, opensAt: opensAt + shift, deadlineAt: deadlineAt + shift }
}

function walkToCycle(
  rule: CyclingRule,
  first: FirstWindow,
  pause: Period,
  endsAt: Seconds | null,
  now: Seconds,
): Cycle {
  const zone = zoneOf(rule.timeZone)
  const windowFrom = windowsOf(rule)
  const last = 1 + mostLaterCycles(rule)
  let window: Window = first
  let number = 1
  while (number < last) {
    const anchorAt = addPeriod(zone, window.deadlineAt, pause)
    if (anchorAt > now || (endsAt !== null && anchorAt >= endsAt)) break
    window = windowFrom(anchorAt)
    number += 1
  }
  return { number, opensAt: window.opensAt, deadlineAt: window.deadlineAt }
}

/** Whether the rule counts exact elapsed time, so that all of its windows are equally long. */
export function isExact({ deadline }: Rule): boolean {
  return deadline.kind === 'after' && 'seconds' in periodOf(deadline.period)
}

function mostLaterCycles({ cycle }: CyclingRule): number {
  return cycle.max ?? Number.POSITIVE_INFINITY
}
