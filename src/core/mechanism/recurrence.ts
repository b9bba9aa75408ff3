import { checked, type Day, dayOfMonth, parseTime, type Weekday, weekdayOf } from './calendar.ts'

/** A local time that comes again: each day, on some weekdays, or on some days of each month. */
export type Recurrence =
  | { every: 'day'; time: string }
  | { every: 'week'; on: Weekday[]; time: string }
  | { every: 'month'; on: number[]; time: string }

/** Whether a date belongs to the recurrence. If a month lacks a day, its last day stands for it. */
export function datesOf(recurrence: Recurrence): (day: Day) => boolean {
  switch (recurrence.every) {
    case 'day':
      return () => true
    case 'week':
      return (day) => recurrence.on.includes(weekdayOf(day))
    case 'month':
      return (day) => {
        const { number, isLast } = dayOfMonth(day)
        return recurrence.on.some((on) => on === number || (isLast && on > number))
      }
  }
}

/** Seconds after midnight. */
export function timeOf(setting: { time: string }): number {
  return checked(parseTime(setting.time))
}
