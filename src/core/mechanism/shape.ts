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
import type { CycleSetting, Deadline, Mechanism, Reset, Retry } from './settings.ts'

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
  retry: optional(switched<Retry>('after')),
  cycle: optional(switched<CycleSetting>('pause')),
})

/** A block with a period, which it may lack while it is off. */
function switched<T>(name: 'after' | 'pause'): Check<T> {
  const on = record<object>({ enabled: flag, [name]: period, max: optional(extraOnes) })
  const off = record<object>({ enabled: flag, [name]: optional(period), max: optional(extraOnes) })
  return (value, path, faults) => (valid(value, 'enabled', flag) ? on : off)(value, path, faults) as T | undefined
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
