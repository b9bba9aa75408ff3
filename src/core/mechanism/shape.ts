import {
  type Check,
  choice,
  flag,
  list,
  optional,
  record,
  refuse,
  text,
  valid,
  variant,
  wholeNumber,
} from '../fault.ts'
import { parseDate, parseDateTime, parseTime, TEN_YEARS_DAYS, WEEKDAYS, type Weekday } from './calendar.ts'
import { parsePeriod } from './period.ts'
import type { Recurrence } from './recurrence.ts'
import type { CycleOn, CycleSetting, Deadline, Mechanism, Reset, Retry, RetryOn } from './settings.ts'

const MOST_SKIPPED_DATES = 366

const localTime = text('a time such as "23:59"', (given) => parseTime(given) !== undefined)
const localDate = text('an existing date such as "2026-12-31"', (given) => parseDate(given) !== undefined)
export const localDateTime = text(
  'an existing date and time such as "2026-12-31T23:59"',
  (given) => parseDateTime(given) !== undefined,
)
const period = text(
  'a period such as "P3D", "PT48H" or "PT1H30M", from one minute to 3660 days or 87840 hours',
  (given) => parsePeriod(given) !== undefined,
)

const extraOnes = wholeNumber(1)
export const days = wholeNumber(0, TEN_YEARS_DAYS)
const on: Check<true> = (value, path, faults) => (value === true ? true : refuse(faults, path, 'must be true'))
const off: Check<false> = (value, path, faults) =>
  value === false ? false : refuse(faults, path, 'must be true or false')

export const checkRecurrence = variant<Recurrence, 'every'>('every', {
  day: { time: localTime },
  week: { on: eachOnce(choice(WEEKDAYS), 7), time: localTime },
  month: { on: eachOnce(wholeNumber(1, 31), 31), time: localTime },
})

export const skipWeekdays = notAllSeven(list(choice(WEEKDAYS), 7))
export const skipDates = list(localDate, MOST_SKIPPED_DATES)
const skips = { skipWeekdays: optional(skipWeekdays), skipDates: optional(skipDates) }

const checkDeadline = variant<Deadline, 'kind'>('kind', {
  fixed: { at: localDateTime, opensAt: optional(localDateTime) },
  after: { period },
  daysAt: { days, time: localTime, ...skips },
  next: { closes: checkRecurrence, minLead: optional(period), opens: optional(checkRecurrence), ...skips },
  none: {},
})

export const startsOn = choice(['registration', 'visit'])

/** Checks each setting by itself; conflicts.ts checks them together. */
export const checkMechanism = record<Mechanism>({
  startsOn,
  deadline: checkDeadline,
  endsAt: optional(localDateTime),
  reset: optional(record<Reset>({ enabled: flag, max: optional(extraOnes) })),
  retry: optional(
    switched<Retry>(
      record<RetryOn>({ enabled: on, after: period, max: optional(extraOnes) }),
      record<Exclude<Retry, RetryOn>>({ enabled: off, after: optional(period), max: optional(extraOnes) }),
    ),
  ),
  cycle: optional(
    switched<CycleSetting>(
      record<CycleOn>({ enabled: on, pause: period, max: optional(extraOnes) }),
      record<Exclude<CycleSetting, CycleOn>>({
        enabled: off,
        pause: optional(period),
        max: optional(extraOnes),
      }),
    ),
  ),
})

/** A block that is switched on needs more than one that is off. */
function switched<T>(on: Check<T>, off: Check<T>): Check<T> {
  return (value, path, faults) => (valid(value, 'enabled', flag) ? on : off)(value, path, faults)
}

function eachOnce<T>(item: Check<T>, most: number): Check<T[]> {
  const items = list(item, most)
  return (value, path, faults) => {
    const kept = items(value, path, faults)
    if (kept?.length === 0) return refuse(faults, path, 'must name at least one day')
    if (new Set(kept).size < (kept?.length ?? 0)) return refuse(faults, path, 'must name each day once')
    return kept
  }
}

function notAllSeven(weekdays: Check<Weekday[]>): Check<Weekday[]> {
  return (value, path, faults) => {
    const kept = weekdays(value, path, faults)
    const leavesOne = new Set(kept).size < WEEKDAYS.length
    return leavesOne ? kept : refuse(faults, path, 'must leave at least one weekday')
  }
}
