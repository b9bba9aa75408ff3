// The line at the end of a zone file, which says how clocks go on after its data: a TZ string of POSIX, as RFC 9636
// (3.3.1) extends it.
import type { Seconds } from '../instant.ts'
import { DAY_SECONDS, type Day } from './calendar.ts'

/** From `at` on local time is UTC plus `offset` seconds. */
export type ClockChange = { at: Seconds; offset: number }

/** What the clocks do for ever: one offset, or two changes in every year. */
export type ClockRule = { offset: number; changesOf(year: number): ClockChange[] }

const NAME = '(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)'
const TIME = '[+-]?\\d{1,3}(?::\\d{1,2}){0,2}'
const DATE = '(?:J?\\d{1,3}|M\\d{1,2}\\.[1-5]\\.[0-6])'
const TZ_STRING = new RegExp(
  `^${NAME}(${TIME})(?:${NAME}(${TIME})?,(${DATE})(?:/(${TIME}))?,(${DATE})(?:/(${TIME}))?)?$`,
)

const HOUR = 3_600
const USUAL_TIME = '2'

/** `CET-1CEST,M3.5.0,M10.5.0/3`. @throws RangeError */
export function parseTzString(text: string): ClockRule {
  const [, west, westInSummer, start, startTime = USUAL_TIME, end, endTime = USUAL_TIME] = TZ_STRING.exec(text) ?? []
  if (west === undefined) throw new RangeError(`ends in ${JSON.stringify(text)}, which is no TZ string`)
  // POSIX counts to the west. `0 -` keeps zero from becoming minus zero.
  const offset = 0 - secondsOf(west)
  if (start === undefined || end === undefined) return { offset, changesOf: () => [] }
  const offsetInSummer = westInSummer === undefined ? offset + HOUR : 0 - secondsOf(westInSummer)
  return {
    offset,
    changesOf: (year) => [
      { at: dayIn(year, end) * DAY_SECONDS + secondsOf(endTime) - offsetInSummer, offset },
      { at: dayIn(year, start) * DAY_SECONDS + secondsOf(startTime) - offset, offset: offsetInSummer },
    ],
  }
}

/** `-2:30` is minus two and a half hours. */
function secondsOf(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.replace(/^[+-]/, '').split(':').map(Number)
  const size = hours * HOUR + minutes * 60 + seconds
  return time.startsWith('-') ? 0 - size : size
}

/** `M10.5.0`: the last Sunday of October; `J60`: the first of March; `59`: the sixtieth day. */
function dayIn(year: number, date: string): Day {
  if (date.startsWith('M')) {
    const [month = 1, week = 1, weekday = 0] = date.slice(1).split('.').map(Number)
    return weekdayIn(firstOf(year, month), firstOf(year, month + 1), week, weekday)
  }
  const first = firstOf(year, 1)
  if (!date.startsWith('J')) return first + Number(date)
  // February 29 is not counted.
  const number = Number(date.slice(1))
  const isAfterLeapDay = number > 59 && firstOf(year, 3) - first === 60
  return first + number - 1 + (isAfterLeapDay ? 1 : 0)
}

/** The fifth is the last, where there are only four. Sunday is 0. */
function weekdayIn(firstOfMonth: Day, firstOfNext: Day, week: number, weekday: number): Day {
  const weekdayOfFirst = (((firstOfMonth + 4) % 7) + 7) % 7 // 1970-01-01 was a Thursday
  const day = firstOfMonth + ((weekday - weekdayOfFirst + 7) % 7) + 7 * (week - 1)
  return day < firstOfNext ? day : day - 7
}

function firstOf(year: number, month: number): Day {
  return Date.UTC(year, month - 1, 1) / 1000 / DAY_SECONDS
}
