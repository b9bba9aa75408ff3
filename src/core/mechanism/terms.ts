import type { Seconds } from '../instant.ts'
import { checked, parseDateTime } from './calendar.ts'
import { type Rule, ruleOf } from './rule.ts'
import type { Schedule } from './settings.ts'
import { type WindowFrom, windowsOf } from './window.ts'
import { zoneOf } from './zone.ts'

/** A schedule with all that follows from it for every lead, worked out once. */
export type Terms = Schedule & {
  /** The rule that an attempt beginning now keeps, and its windows; null for `fixed` and `none`, which are read live. */
  personal: { rule: Rule; windowFrom: WindowFrom } | null
  /** The instants that hold for every lead, in the present time zone. */
  endsAt: Seconds | null
  opensAt: Seconds | null
  deadlineAt: Seconds | null
}

/** Throws a RangeError if the schedule was not checked. */
export function termsOf({ timeZone, mechanism }: Schedule): Terms {
  const instant = (local: string | undefined): Seconds | null =>
    local === undefined ? null : zoneOf(timeZone).toInstant(checked(parseDateTime(local)))
  const rule = ruleOf({ timeZone, mechanism })
  const { at, opensAt } = mechanism.deadline.kind === 'fixed' ? mechanism.deadline : {}
  return {
    timeZone,
    mechanism,
    personal: rule && { rule, windowFrom: windowsOf(rule) },
    endsAt: instant(mechanism.endsAt),
    opensAt: instant(opensAt),
    deadlineAt: instant(at),
  }
}
