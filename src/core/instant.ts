/** Whole seconds since 1970-01-01T00:00:00Z. */
export type Seconds = number

const DAY: Seconds = 86_400
const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))
const MOST_DATES = 5_000
const dateTexts = new Map<number, string>()

const FIRST: Seconds = -62_167_219_200 // 0000-01-01T00:00:00Z
const LAST: Seconds = 253_402_300_799 // 9999-12-31T23:59:59Z

/** An instant as every surface prints it: `2026-06-05T03:59:00Z`. */
export function formatInstant(at: Seconds): string {
  const day = Math.floor(at / DAY)
  const second = at - day * DAY
  const hours = two(Math.floor(second / 3600))
  const minutes = two(Math.floor(second / 60) % 60)
  return `${dateText(day)}T${hours}:${minutes}:${two(second % 60)}Z`
}

const two = (n: number): string => TWO_DIGITS[n] as string

/** Every answer prints two instants, and most of them are of a few days. */
function dateText(day: number): string {
  let text = dateTexts.get(day)
  if (text === undefined) {
    text = Temporal.Instant.fromEpochMilliseconds(day * DAY * 1000)
      .toString()
      .slice(0, -'T00:00:00Z'.length)
    if (dateTexts.size >= MOST_DATES) dateTexts.clear()
    dateTexts.set(day, text)
  }
  return text
}

/**
 * Reads an RFC 3339 instant, `Z` or an offset included; fractions are cut, not rounded.
 * Undefined where the text is none, or where its year in UTC has no four digits.
 */
export function parseInstant(text: string): Seconds | undefined {
  try {
    const at = Math.floor(Temporal.Instant.from(text).epochMilliseconds / 1000)
    return at >= FIRST && at <= LAST ? at : undefined
  } catch {
    return undefined
  }
}
