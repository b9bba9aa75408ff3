import type { AnswerOf } from '../../api.ts'
import { dateIn } from '../../parts/written-dates.ts'

export type AuditEntry = AnswerOf<'GET /audit'>['entries'][number]
/** `days` are dates such as `2026-12-31`, both included. */
export type Filters = { like: string; action: string; days: [string | null, string | null] }

const forms = { like: /^[1-9]\d{0,14}$/, action: /^[a-z]+\.[a-z_]{1,40}$/ }

/** What stands in the page's address; what cannot be meant is left out. */
export function filtersIn(search: URLSearchParams): Filters {
  const one = (name: string, form: RegExp) => {
    const value = search.get(name) ?? ''
    return form.test(value) ? value : ''
  }
  const [from, to] = [dateIn(search, 'from') ?? null, dateIn(search, 'to') ?? null]
  const isRange = from === null || to === null || from <= to
  return {
    like: one('like', forms.like),
    action: one('action', forms.action),
    days: isRange ? [from, to] : [null, null],
  }
}

/** Days of the reader's own zone. */
export function queryOf({ like, action, days: [first, last] }: Filters) {
  const midnight = (day: string, later: number) => {
    const [year, month, date] = day.split('-').map(Number) as [number, number, number]
    return String(Math.floor(new Date(year, month - 1, date + later).getTime() / 1_000))
  }
  return {
    ...(like !== '' && { like }),
    ...(action !== '' && { action }),
    ...(first !== null && last !== null && { from: midnight(first, 0), to: midnight(last, 1) }),
  }
}
export type AuditQuery = ReturnType<typeof queryOf>
