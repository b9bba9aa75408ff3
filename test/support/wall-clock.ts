// Local time in the tests' own way: what Intl's clocks show, searched through. Not with Temporal, so that
// the tests notice where the implementation misuses it.
//
// Instants are whole seconds since 1970. A `reading` is what a clock on the wall shows, as the number of
// seconds that it would be were the wall in UTC: two readings compare, and a day is always 86,400 of them.

export const daySeconds = 86_400

/** Both by the beginning of a day of UTC, on which clocks change once at most. */
type Zone = { format: Intl.DateTimeFormat; offsets: Map<number, number>; changes: Map<number, number> }
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
    zone = { format, offsets: new Map(), changes: new Map() }
    zones.set(timeZone, zone)
  }
  return zone
}

/** What the clock shows at an instant. */
export function readingAt(timeZone: string, instant: number): number {
  const day = Math.floor(instant / daySeconds) * daySeconds
  const isChanged = instant >= changeWithin(timeZone, day)
  return instant + offsetAt(timeZone, isChanged ? day + daySeconds : day)
}

/** Intl takes long to say it: it is asked for the beginnings of days, and for what is between where they differ. */
function shownAt(timeZone: string, instant: number): number {
  const shown: Record<string, number> = {}
  for (const part of zoneOf(timeZone).format.formatToParts(instant * 1000)) shown[part.type] = Number(part.value)
  const { year, month, day, hour, minute, second } = shown as Record<string, number> & typeof shown
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second) / 1000
}

/** At the beginning of a day. */
function offsetAt(timeZone: string, day: number): number {
  const { offsets } = zoneOf(timeZone)
  let offset = offsets.get(day)
  if (offset === undefined) {
    offset = shownAt(timeZone, day) - day
    offsets.set(day, offset)
  }
  return offset
}

/** The first instant of the day with another offset than its beginning; Infinity where it has one offset. */
function changeWithin(timeZone: string, day: number): number {
  const offset = offsetAt(timeZone, day)
  if (offsetAt(timeZone, day + daySeconds) === offset) return Infinity
  const { changes } = zoneOf(timeZone)
  let change = changes.get(day)
  if (change === undefined) {
    change = 1 + lastWhere(day, day + daySeconds, (instant) => shownAt(timeZone, instant) - instant === offset)
    changes.set(day, change)
  }
  return change
}

/** Every offset in use within a day and a half; sampled at beginnings of days, so that samples are met again. */
function offsetsNear(timeZone: string, reading: number): Set<number> {
  const today = Math.floor(reading / daySeconds) * daySeconds
  const found = new Set<number>()
  for (let day = -2; day <= 3; day += 1) found.add(offsetAt(timeZone, today + day * daySeconds))
  return found
}

/** The instant at which the clock shows this: the first of two, or, where there is none, moved on by the gap. */
export function instantOf(timeZone: string, reading: number): number {
  const found: number[] = []
  for (const offset of offsetsNear(timeZone, reading)) {
    if (readingAt(timeZone, reading - offset) === reading) found.push(reading - offset)
  }
  if (found.length > 0) return Math.min(...found)

  const lastBefore = lastWhere(
    reading - 1.5 * daySeconds,
    reading + 1.5 * daySeconds,
    (instant) => readingAt(timeZone, instant) < reading,
  )
  const offsetBeforeGap = readingAt(timeZone, lastBefore) - lastBefore
  return reading - offsetBeforeGap
}

/** No zone of the tests keeps an offset for less. */
const sampledDays = 8 * daySeconds

/** The first instant after `from` with another offset than the second before it, within 400 days. */
export function nextChangeOfOffset(timeZone: string, from: number): number | undefined {
  const first = Math.floor(from / sampledDays) * sampledDays
  for (let start = first; start < from + 400 * daySeconds; start += sampledDays) {
    const end = start + sampledDays
    if (offsetAt(timeZone, start) === offsetAt(timeZone, end)) continue
    for (let day = start; day < end; day += daySeconds) {
      const change = changeWithin(timeZone, day)
      if (change > from && change !== Infinity) return change
    }
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
