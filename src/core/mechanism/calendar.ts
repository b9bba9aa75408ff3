/**
 * Local dates and times as plain integers, without a zone: what a wall calendar and a wall clock show.
 * Counting days this way costs nothing; only zone.ts knows how they meet the instants.
 */

/** Days since 1970-01-01. */
export type Day = number

/** Seconds since 1970-01-01T00:00 as wall clocks count them: 86,400 to every date. */
export type LocalSeconds = number

export type Weekday = (typeof WEEKDAYS)[number]

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

export const DAY_SECONDS = 86_400

/** The "ten years" of the rules: as many days as the longest period has. */
export const TEN_YEARS_DAYS = 3_660

const DAY_MILLISECONDS = DAY_SECONDS * 1000

export function dayOf(local: LocalSeconds): Day {
  return Math.floor(local / DAY_SECONDS)
}

export function weekdayOf(day: Day): Weekday {
  const sinceMonday = (((day + 3) % 7) + 7) % 7 // 1970-01-01 was a Thursday
  return WEEKDAYS[sinceMonday] as Weekday
}

/** The day of its month, from 1, and whether the month has no later one. */
export function dayOfMonth(day: Day): { number: number; isLast: boolean } {
  const number = new Date(day * DAY_MILLISECONDS).getUTCDate()
  const isLast = number > 27 && new Date((day + 1) * DAY_MILLISECONDS).getUTCDate() === 1
  return { number, isLast }
}

/** `2026-12-31`; undefined where there is no such date from the year 100 on. */
export function parseDate(text: string): Day | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  if (year === undefined) return undefined
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(date))
  const exists = new Date(midnight).toISOString().startsWith(text)
  return exists ? midnight / DAY_MILLISECONDS : undefined
}

/** Such a date again. */
export function dateOf(day: Day): string {
  return new Date(day * DAY_MILLISECONDS).toISOString().slice(0, '2026-12-31'.length)
}

/** `23:59`, as seconds after midnight; undefined where clocks do not show it. */
export function parseTime(text: string): number | undefined {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  return hour === undefined ? undefined : Number(hour) * 3600 + Number(minute) * 60
}

/** `2026-12-31T23:59`. */
export function parseDateTime(text: string): LocalSeconds | undefined {
  const [date = '', time = '', more] = text.split('T')
  const day = parseDate(date)
  const seconds = parseTime(time)
  if (day === undefined || seconds === undefined || more !== undefined) return undefined
  return day * DAY_SECONDS + seconds
}

/** A setting that was checked when it came in. Throws if it was not. */
export function checked<T>(value: T | undefined): T {
  if (value === undefined) throw new RangeError('A setting of the deadline rules was never checked')
  return value
}
