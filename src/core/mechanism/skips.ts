import { checked, type Day, parseDate, type Weekday, weekdayOf } from './calendar.ts'
import { remembered } from './remembered.ts'

/** Dates on which no deadline falls. */
export type Skips = { skipWeekdays?: Weekday[]; skipDates?: string[] }

/** Whether a date is skipped. */
export const skippedBy: (skips: Skips) => (day: Day) => boolean = remembered((skips: Skips) => {
  const { skipWeekdays = [] } = skips
  const dates = new Set(skippedDates(skips))
  return (day: Day) => skipWeekdays.includes(weekdayOf(day)) || dates.has(day)
})

export function skippedDates({ skipDates = [] }: Skips): Day[] {
  return skipDates.map((date) => checked(parseDate(date)))
}
