/** Whole seconds since 1970-01-01T00:00:00Z. */
export type Seconds = number

/** The whole second of an instant in milliseconds. */
export const secondsOf = (ms: number): Seconds => Math.floor(ms / 1_000)

const FIRST: Seconds = -62_167_219_200 // 0000-01-01T00:00:00Z
const LAST: Seconds = 253_402_300_799 // 9999-12-31T23:59:59Z

/** An instant as every surface prints it: `2026-06-05T03:59:00Z`. */
export function formatInstant(at: Seconds): string {
  return `${new Date(at * 1000).toISOString().slice(0, -'.000Z'.length)}Z`
}

/** The same for an instant that may be null, such as the deadline of an offer that stays open. */
export const instantOrNull = (at: Seconds | null): string | null => (at === null ? null : formatInstant(at))

/** Whether it can be written as an instant: its year in UTC has four digits. */
export const isWritable = (at: Seconds): boolean => at >= FIRST && at <= LAST

/**
 * Reads what `Temporal.Instant` does, with `Z` or an offset: RFC 3339 to the nanosecond, and other forms, such as
 * `20260605T0359Z`. Fractions are cut, not rounded.
 * Undefined if it is not one, or if its year in UTC does not have four digits.
 */
export function parseInstant(text: string): Seconds | undefined {
  try {
    const at = secondsOf(Temporal.Instant.from(text).epochMilliseconds)
    return isWritable(at) ? at : undefined
  } catch {
    return undefined
  }
}

/** People are counted by the quarter of an hour in which they signed up: in every zone a day begins with one. */
export const quarterSeconds = 900
