// Days as people ask for them: the first and the last, both included.
import type { Fault } from './fault.ts'
import { type Day, parseDate } from './mechanism/calendar.ts'

/** Of a range at most. */
const mostDays = 366

type Asked = { from?: string | undefined; to?: string | undefined }

/** The range, or what is wrong with it. If left out, it is the `usual` number of days up to today. */
export function dayRange(asked: Asked, today: Day, usual = mostDays): { from: Day; to: Day } | Fault {
  const to = asked.to === undefined ? today : parseDate(asked.to)
  if (to === undefined) return { path: 'to', message: 'must be a date such as 2026-12-31' }
  const from = asked.from === undefined ? to - usual + 1 : parseDate(asked.from)
  if (from === undefined) return { path: 'from', message: 'must be a date such as 2026-12-31' }
  if (from > to) return { path: 'from', message: 'must not be after to' }
  if (to - from >= mostDays) return { path: 'from', message: `must be at most ${mostDays - 1} days before to` }
  return { from, to }
}
