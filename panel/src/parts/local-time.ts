// What clocks show, by the server's data about time zones: a browser's own may be older.
import { type AnswerOf, useAsk } from '../api.ts'

/** The reader's zone when the page was loaded: asking takes longer than all the rest of a time. */
export const ownZone = zoneOfBrowser()

/** UTC, by which the browser counts, if the computer names no zone that it knows. */
function zoneOfBrowser(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return timeZone === 'Etc/Unknown' ? 'UTC' : timeZone
}

/**
 * By how many seconds the clocks of a zone are ahead of UTC, from ten years before the decade of `around` until its end.
 * Undefined until the server has said so; 0, which is named as such, where it does not know the zone.
 */
export function useClock(timeZone: string, around = Date.now() / 1_000) {
  const decade = String(Math.floor(new Date(around * 1_000).getUTCFullYear() / 10) * 10)
  const query = { timeZone, decade }
  const { data, isError } = useAsk('GET /clock-changes', { query }, { staleMs: 'static' })
  const offsetAt = (at: number): number | undefined => (isError ? 0 : data && offsetIn(data, at))
  return { zone: isError ? 'GMT' : timeZone, offsetAt }
}

/** What clocks show, as if they stood in UTC: to be formatted there. */
export function wallClock(at: number, offset: number): Date {
  return new Date((at + offset) * 1_000)
}

/** `2026-12-31` */
export function todayIn(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('sv', { timeZone }).format(new Date())
  } catch {
    // A zone that the server's newer data have and the browser's have not: the reader's day is near enough.
    return new Intl.DateTimeFormat('sv').format(new Date())
  }
}

/** `GMT+5:30` */
export function offsetText(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / 60)
  if (minutes === 0) return 'GMT'
  const rest = minutes % 60 === 0 ? '' : `:${String(minutes % 60).padStart(2, '0')}`
  return `GMT${offset < 0 ? '-' : '+'}${Math.floor(minutes / 60)}${rest}`
}

function offsetIn({ changes }: AnswerOf<'GET /clock-changes'>, at: number): number {
  return changes.findLast((change) => change.at <= at)?.offset ?? changes[0]?.offset ?? 0
}
