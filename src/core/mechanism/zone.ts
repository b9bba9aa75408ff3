import type { Seconds } from '../instant.ts'
import { DAY_SECONDS, type LocalSeconds } from './calendar.ts'
import type { ClockChange } from './tz-string.ts'
import { nodeZoneData, type Span, type ZoneData } from './zone-data.ts'

/** Instants and the local times of one IANA time zone. */
export type Zone = {
  toLocal(at: Seconds): LocalSeconds
  /** A local time that is skipped moves forward by the gap; one that occurs twice is its first occurrence. */
  toInstant(local: LocalSeconds): Seconds
}

/** Spans of many decades. Only unusual input needs more; then all are dropped. */
const SPANS_KEPT = 128

/** By name: names come from the zone data, so there are only so many. */
const zones = new Map<string, Zone>()

let inUse = nodeZoneData('of Node')

/** Must be called before the first local time is computed, since terms and rules keep what they have computed. */
export function setZoneData(data: ZoneData): void {
  inUse = data
  zones.clear()
}

export function zoneData(): ZoneData {
  return inUse
}

/** The name in its proper case, an alias as it is; undefined for an offset or an unknown name. */
export function zoneName(text: string): string | undefined {
  if (/^[+\u2212-]/.test(text)) return undefined
  return inUse.nameOf(text)
}

/** When the clocks of a zone change next, strictly after `at`; null if no change is known. */
export function nextClockChange(name: string, at: Seconds): Seconds | null {
  const { until } = inUse.spansOf(name)(at)
  return Number.isFinite(until) ? until : null
}

/**
 * By how much clocks are ahead of UTC: at `from`, and after each change before `until`. Throws a RangeError if there is
 * no such zone.
 */
export function clockChanges(name: string, from: Seconds, until: Seconds): ClockChange[] {
  const spanAt = inUse.spansOf(name)
  const changes: ClockChange[] = []
  for (let at = from; at < until; ) {
    const span = spanAt(at)
    changes.push({ at, offset: span.offset })
    at = span.until
  }
  return changes
}

/** Throws a RangeError if there is no such zone. */
export function zoneOf(name: string): Zone {
  return zones.getOrInsertComputed(name, readZone)
}

/**
 * Asks the zone data for each span once, and adds integers after that: a campaign that cycles daily asks for some
 * 15,000 local times in ten years, which take 0.02 µs each this way and 1 µs each from Temporal.
 */
function readZone(name: string): Zone {
  const spanAt = inUse.spansOf(name)
  let spans: Span[] = []
  let latest = spanAt(0)

  function offsetAt(at: Seconds): number {
    if (!covers(latest, at)) latest = spans.find((span) => covers(span, at)) ?? keep(spanAt(at))
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
