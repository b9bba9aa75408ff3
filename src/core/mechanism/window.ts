import type { Seconds } from '../instant.ts'
import {
  checked,
  DAY_SECONDS,
  type Day,
  dayOf,
  parseDate,
  TEN_YEARS_DAYS,
  type Weekday,
  weekdayOf,
} from './calendar.ts'
import { addPeriod, periodOf } from './period.ts'
import { datesOf, type Recurrence, timeOf } from './recurrence.ts'
import type { Rule } from './rule.ts'
import type { AfterDeadline, DaysAtDeadline, NextDeadline } from './settings.ts'
import { type Zone, zoneOf } from './zone.ts'

/** From `opensAt`, included, to `deadlineAt`, excluded and not capped by the campaign's end. */
export type Window = { opensAt: Seconds; deadlineAt: Seconds }

export type WindowFrom = (anchorAt: Seconds) => Window

/** Dates on which no deadline falls. */
export type Skips = { skipWeekdays?: Weekday[]; skipDates?: string[] }

const skipsRead = new WeakMap<Skips, (day: Day) => boolean>()

/** Whether a date is skipped. The dates are read once for each object, which must never change. */
export function skippedBy(skips: Skips): (day: Day) => boolean {
  return skipsRead.getOrInsertComputed(skips, () => {
    const { skipWeekdays = [] } = skips
    const dates = new Set(skippedDates(skips))
    return (day) => skipWeekdays.includes(weekdayOf(day)) || dates.has(day)
  })
}

export function skippedDates({ skipDates = [] }: Skips): Day[] {
  return skipDates.map((date) => checked(parseDate(date)))
}

/**
 * The longest walk over dates: ten years of counted days, and as many again for 366 skipped dates if only one weekday
 * in seven counts. Checked settings never reach it.
 */
const MOST_DAYS_WALKED = 2 * TEN_YEARS_DAYS

/** Reads the rule once, for any number of anchors. */
export function windowsOf({ timeZone, deadline }: Rule): WindowFrom {
  const zone = zoneOf(timeZone)
  switch (deadline.kind) {
    case 'after':
      return windowsAfter(zone, deadline)
    case 'daysAt':
      return windowsDaysAt(zone, deadline)
    case 'next':
      return windowsUntilNext(zone, deadline)
  }
}

function windowsAfter(zone: Zone, deadline: AfterDeadline): WindowFrom {
  const period = periodOf(deadline.period)
  return (anchorAt) => ({ opensAt: anchorAt, deadlineAt: addPeriod(zone, anchorAt, period) })
}

function windowsDaysAt(zone: Zone, deadline: DaysAtDeadline): WindowFrom {
  const time = timeOf(deadline)
  const isSkipped = skippedBy(deadline)
  return (anchorAt) => {
    let day = dayOf(zone.toLocal(anchorAt))
    for (let left = deadline.days; left > 0; left -= 1) {
      day = firstDay(day + 1, (later) => !isSkipped(later))
    }
    day = firstDay(day, (later) => !isSkipped(later) && instantOn(zone, later, time) > anchorAt)
    return { opensAt: anchorAt, deadlineAt: instantOn(zone, day, time) }
  }
}

function windowsUntilNext(zone: Zone, deadline: NextDeadline): WindowFrom {
  const { closes, opens } = deadline
  const time = timeOf(closes)
  const isClosing = datesOf(closes)
  const isSkipped = skippedBy(deadline)
  const minLead = deadline.minLead === undefined ? undefined : periodOf(deadline.minLead)
  const openingBetween = opens === undefined ? undefined : openings(zone, opens)
  return (anchorAt) => {
    const earliestAt = minLead === undefined ? anchorAt + 1 : addPeriod(zone, anchorAt, minLead)
    const dayBefore = dayOf(zone.toLocal(earliestAt)) - 1 // its time may fall in a gap over midnight
    const day = firstDay(
      dayBefore,
      (later) => isClosing(later) && !isSkipped(later) && instantOn(zone, later, time) >= earliestAt,
    )
    const deadlineAt = instantOn(zone, day, time)
    const opensAt = openingBetween === undefined ? anchorAt : openingBetween(anchorAt, deadlineAt)
    return { opensAt, deadlineAt }
  }
}

/** The recurrence's last instant strictly before the deadline, or the anchor if that is later. */
function openings(zone: Zone, recurrence: Recurrence): (anchorAt: Seconds, deadlineAt: Seconds) => Seconds {
  const time = timeOf(recurrence)
  const isDate = datesOf(recurrence)
  return (anchorAt, deadlineAt) => {
    const earliestDay = dayOf(zone.toLocal(anchorAt)) - 1 // its time may fall in a gap over midnight
    for (let day = dayOf(zone.toLocal(deadlineAt)); day >= earliestDay; day -= 1) {
      const opensAt = isDate(day) ? instantOn(zone, day, time) : deadlineAt
      if (opensAt < deadlineAt) return Math.max(anchorAt, opensAt)
    }
    return anchorAt
  }
}

function firstDay(from: Day, fits: (day: Day) => boolean): Day {
  const last = from + MOST_DAYS_WALKED
  for (let day = from; day <= last; day += 1) if (fits(day)) return day
  throw new RangeError('A deadline rule has no date within twenty years: it was never checked')
}

function instantOn(zone: Zone, day: Day, time: number): Seconds {
  return zone.toInstant(day * DAY_SECONDS + time)
}
