// Local time in the tests' own way: what Intl's clocks show, searched through. Not with Temporal, so that
// the tests notice where the implementation misuses it.
//
// Instants are whole seconds since 1970. A `reading` is what a clock on the wall shows, as the number of
// seconds that it would be were the wall in UTC: two readings compare, and a day is always 86,400 of them.

export const daySeconds = 86_400

type Zone = { format: Intl.DateTimeFormat; offsets: Map<number, number> }
const zones = new Map<string, Zone>()

function zoneOf(timeZone: string): Zone {
  let zone = zones.get(timeZone)
  if (!zone) {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    zone = { format, offsets: new Map() }
    zones.set(timeZone, zone)
  }
  return zone
}

/** What the clock shows at an instant. */
export function readingAt(timeZone: string, instant: number): number {
  const shown: Record<string, number> = {}
  for (const part of zoneOf(timeZone).format.formatToParts(instant * 1000)) shown[part.type] = Number(part.value)
  const { year, month, day, hour, minute, second } = shown as Record<string, number> & typeof shown
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second) / 1000
}

function offsetAt(timeZone: string, instant: number): number {
  const { offsets } = zoneOf(timeZone)
  let offset = offsets.get(instant)
  if (offset === undefined) {
    offset = readingAt(timeZone, instant) - instant
    offsets.set(instant, offset)
  }
  return offset
}

/** Every offset in use within a day and a half; sampled at round instants, so that samples are met again. */
function offsetsNear(timeZone: string, reading: number): Set<number> {
  const step = 6 * 3600
  const middle = Math.floor(reading / step) * step
  const found = new Set<number>()
  for (let n = -6; n <= 7; n += 1) found.add(offsetAt(timeZone, middle + n * step))
  return found
}

/** The instant at which the clock shows this: the first of two, or, where there is none, moved on by the gap. */
export function instantOf(timeZone: string, reading: number): number {
  const shownAt: number[] = []
  for (const offset of offsetsNear(timeZone, reading)) {
    if (readingAt(timeZone, reading - offset) === reading) shownAt.push(reading - offset)
  }
  if (shownAt.length > 0) return Math.min(...shownAt)

  const lastBefore = lastWhere(
    reading - 1.5 * daySeconds,
    reading + 1.5 * daySeconds,
    (instant) => readingAt(timeZone, instant) < reading,
  )
  const offsetBeforeGap = readingAt(timeZone, lastBefore) - lastBefore
  return reading - offsetBeforeGap
}

/** The first instant after `from` with another offset than the second before it, within 400 days. */
export function nextChangeOfOffset(timeZone: string, from: number): number | undefined {
  for (let day = Math.floor(from / daySeconds); day < from / daySeconds + 400; day += 1) {
    const start = Math.max(day * daySeconds, from)
    const end = (day + 1) * daySeconds
    const offset = offsetAt(timeZone, start)
    if (offsetAt(timeZone, end) === offset) continue
    return 1 + lastWhere(start, end, (instant) => readingAt(timeZone, instant) - instant === offset)
  }
  return undefined
}

/** The last instant for which `holds` is true, where it holds at `from` and no longer at `to`. */
function lastWhere(from: number, to: number, holds: (instant: number) => boolean): number {
  let yes = from
  let no = to
  while (no - yes > 1) {
    const middle = Math.floor((yes + no) / 2)
    if (holds(middle)) yes = middle
    else no = middle
  }
  return yes
}

/** `2026-06-05T23:59` or `2026-06-05` as a reading. */
export function readingOf(local: string): number {
  return Date.parse(local.length === 10 ? `${local}T00:00Z` : `${local}Z`) / 1000
}

/** Midnight of the reading's date, as a reading. */
export function dateOf(reading: number): number {
  return Math.floor(reading / daySeconds) * daySeconds
}

/** `2026-06-05` */
export function dateText(reading: number): string {
  return new Date(reading * 1000).toISOString().slice(0, 10)
}

export function parseInstant(text: string): number {
  return Math.floor(Date.parse(text) / 1000)
}

/** `2026-06-05T03:59:00Z` */
export function instantText(instant: number): string {
  return new Date(instant * 1000).toISOString().replace('.000Z', 'Z')
}
