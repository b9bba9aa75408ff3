// What clocks show, by the server's data about time zones: a browser's own may be older.
import { useQueries } from '@tanstack/react-query'
import { type AnswerOf, call, keyOf, useAsk } from '../api.ts'

/** Seconds since 1970. */
export type Moment = { timeZone: string; at: number }

/** The reader's zone when the page was loaded: asking takes longer than all the rest of a time. */
export const ownZone = zoneOfBrowser()

/** UTC, by which the browser counts, if the computer names no zone that it knows. */
function zoneOfBrowser(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return timeZone === 'Etc/Unknown' ? 'UTC' : timeZone
}

/**
 * By how many seconds clocks are ahead of UTC at these moments, in their order. Undefined until the server has said so;
 * 0, which is named as such, where it does not know the zone.
 */
export function useOffsets(moments: Moment[]): (number | undefined)[] {
  const asked = moments.map(queryOf)
  const keys = asked.map((query) => JSON.stringify(query))
  const firsts = asked.filter((_, index) => keys.indexOf(keys[index] as string) === index)
  const found = useQueries({
    queries: firsts.map((query) => ({
      queryKey: keyOf('GET /clock-changes', { query }),
      queryFn: ({ signal }: { signal: AbortSignal }) => call('GET /clock-changes', { query }, signal),
      staleTime: 'static' as const,
    })),
  })
  return moments.map(({ at }, index) => {
    const first = firsts.findIndex((query) => JSON.stringify(query) === keys[index])
    const { data, isError } = found[first] ?? {}
    return isError ? 0 : data && offsetIn(data, at)
  })
}

/** The same of the reader's own zone, by its name, at any moment of the last ten years and the next few. */
export function useOwnClock(): { zone: string; offsetAt(at: number): number | undefined } {
  const query = queryOf({ timeZone: ownZone, at: Date.now() / 1_000 })
  const { data, isError } = useAsk('GET /clock-changes', { query }, { staleMs: 'static' })
  return { zone: isError ? 'GMT' : ownZone, offsetAt: (at) => (isError ? 0 : data && offsetIn(data, at)) }
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

function queryOf({ timeZone, at }: Moment): { timeZone: string; decade: string } {
  return { timeZone, decade: String(Math.floor(new Date(at * 1_000).getUTCFullYear() / 10) * 10) }
}

function offsetIn({ changes }: AnswerOf<'GET /clock-changes'>, at: number): number {
  return changes.findLast((change) => change.at <= at)?.offset ?? changes[0]?.offset ?? 0
}
