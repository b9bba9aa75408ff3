import type { Seconds } from '../instant.ts'
import { DAY_SECONDS, type LocalSeconds } from './calendar.ts'

/** Instants and the local times of one IANA time zone. */
export type Zone = {
  toLocal(at: Seconds): LocalSeconds
  /** A local time that is skipped moves forward by the gap; one that occurs twice is its first occurrence. */
  toInstant(local: LocalSeconds): Seconds
}

/** A stretch of time, `until` excluded, in which local time is UTC plus `offset` seconds. */
type Span = { from: Seconds; until: Seconds; offset: number }

/** Decades of spans. Only strange input needs more; then all are dropped. */
const SPANS_KEPT = 128

/** More than there are names in the IANA database. */
const ZONES_KEPT = 1_000

const zones = new Map<string, Zone>()

/** The name in its proper case, an alias as it is; undefined for an offset or an unknown name. */
export function zoneName(text: string): string | undefined {
  if (/^[+\u2212-]/.test(text)) return undefined
  try {
    return new Temporal.ZonedDateTime(0n, text).timeZoneId
  } catch {
    return undefined
  }
}

/** When the clocks of a zone change next, strictly after `at`; null where that is not foreseen. */
export function nextClockChange(name: string, at: Seconds): Seconds | null {
  const local = Temporal.Instant.fromEpochMilliseconds(at * 1000).toZonedDateTimeISO(name)
  const change = local.getTimeZoneTransition('next')
  return change && change.epochMilliseconds / 1000
}

/** Throws a RangeError where the name is no time zone's. */
export function zoneOf(name: string): Zone {
  const known = zones.get(name)
  if (known !== undefined) return known
  if (zones.size >= ZONES_KEPT) zones.clear()
  const zone = readZone(name)
  zones.set(name, zone)
  return zone
}

/**
 * Temporal is asked for each span once and integers do the rest: a campaign that cycles daily asks for
 * some 15,000 local times in ten years, at 0.02 µs each here, at 1 µs each from Temporal.
 */
function readZone(name: string): Zone {
  let spans: Span[] = []
  let latest = readSpan(name, 0)

  function offsetAt(at: Seconds): number {
    if (!covers(latest, at)) latest = spans.find((span) => covers(span, at)) ?? keep(readSpan(name, at))
    return latest.offset
  }

  function keep(span: Span): Span {
    spans = spans.length < SPANS_KEPT ? [...spans, span] : [span]
    return span
  }

  return {
    toLocal: (at) => at + offsetAt(at),
    toInstant(local) {
      // Read as if it were UTC, a local time is less than a day off: these are the offsets around it.
      const offsetBefore = offsetAt(local - DAY_SECONDS)
      const first = local - offsetBefore
      if (offsetAt(first) === offsetBefore) return first
      const offsetAfter = offsetAt(local + DAY_SECONDS)
      const second = local - offsetAfter
      return offsetAt(second) === offsetAfter ? second : first // in a gap, neither: forward by it
    },
  }
}

function covers(span: Span, at: Seconds): boolean {
  return at >= span.from && at < span.until
}

function readSpan(name: string, at: Seconds): Span {
  const local = Temporal.Instant.fromEpochMilliseconds(at * 1000).toZonedDateTimeISO(name)
  // "previous" is strictly before, and the span may begin at this very instant.
  const begins = local.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')
  const ends = local.getTimeZoneTransition('next')
  return {
    from: begins === null ? Number.NEGATIVE_INFINITY : begins.epochMilliseconds / 1000,
    until: ends === null ? Number.POSITIVE_INFINITY : ends.epochMilliseconds / 1000,
    offset: local.offsetNanoseconds / 1e9,
  }
}
