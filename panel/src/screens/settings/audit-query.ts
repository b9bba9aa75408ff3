import type { AnswerOf } from '../../api.ts'

export type AuditPage = AnswerOf<'GET /audit'>
export type AuditEntry = AuditPage['entries'][number]
/** `days` are dates such as `2026-12-31`, both included. */
export type Filters = { like: string; action: string; days: [string | null, string | null] }

export const none: Filters = { like: '', action: '', days: [null, null] }

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
