// The data about time zones: Node's own, or zone files in their place.
import type { Seconds } from '../instant.ts'

/** A stretch of time, `until` excluded, in which local time is UTC plus `offset` seconds. */
export type Span = { from: Seconds; until: Seconds; offset: number }

export type SpanAt = (at: Seconds) => Span

export type ZoneData = {
  /** Of the IANA database, such as `2026c`. */
  version: string
  source: 'node' | 'system' | 'TZDIR'
  /** The names to choose from, without aliases. */
  names: string[]
  /** The name in its proper case, an alias as it is; undefined if there is no such zone. */
  nameOf(text: string): string | undefined
  /** @throws RangeError if there is no such zone */
  spansOf(name: string): SpanAt
}

/** By a zone's present name the one that Unicode keeps for it, which Node and browsers list. */
export const formerNames: Record<string, string> = {
  'Africa/Asmara': 'Africa/Asmera',
  'America/Argentina/Buenos_Aires': 'America/Buenos_Aires',
  'America/Argentina/Catamarca': 'America/Catamarca',
  'America/Argentina/Cordoba': 'America/Cordoba',
  'America/Argentina/Jujuy': 'America/Jujuy',
  'America/Argentina/Mendoza': 'America/Mendoza',
  'America/Atikokan': 'America/Coral_Harbour',
  'America/Indiana/Indianapolis': 'America/Indianapolis',
  'America/Kentucky/Louisville': 'America/Louisville',
  'America/Nuuk': 'America/Godthab',
  'Asia/Ho_Chi_Minh': 'Asia/Saigon',
  'Asia/Kathmandu': 'Asia/Katmandu',
  'Asia/Kolkata': 'Asia/Calcutta',
  'Asia/Yangon': 'Asia/Rangoon',
  'Atlantic/Faroe': 'Atlantic/Faeroe',
  'Europe/Kyiv': 'Europe/Kiev',
  'Pacific/Chuuk': 'Pacific/Truk',
  'Pacific/Kanton': 'Pacific/Enderbury',
  'Pacific/Pohnpei': 'Pacific/Ponape',
}
const presentNames = new Map(Object.entries(formerNames).map(([present, former]) => [former, present]))

export function nodeZoneData(version: string): ZoneData {
  return {
    version,
    source: 'node',
    names: ['UTC', ...Intl.supportedValuesOf('timeZone').map((name) => presentNames.get(name) ?? name)],
    nameOf(text) {
      try {
        return new Temporal.ZonedDateTime(0n, text).timeZoneId
      } catch {
        return undefined
      }
    },
    spansOf: (name) => (at) => {
      const local = Temporal.Instant.fromEpochMilliseconds(at * 1000).toZonedDateTimeISO(name)
      // "previous" is strictly before the instant, and the span may begin exactly at it.
      const begins = local.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')
      const ends = local.getTimeZoneTransition('next')
      return {
        from: begins === null ? Number.NEGATIVE_INFINITY : begins.epochMilliseconds / 1000,
        until: ends === null ? Number.POSITIVE_INFINITY : ends.epochMilliseconds / 1000,
        offset: local.offsetNanoseconds / 1e9,
      }
    },
  }
}

/** Zones by name, from files. If the folder lacks one, as some lack old names, it is taken from `node`. */
export function filedZoneData(
  { version, source, files }: Pick<ZoneData, 'version' | 'source'> & { files: ReadonlyMap<string, SpanAt> },
  node: ZoneData,
): ZoneData {
  // For a clock whose zone nobody has set. Without the files nobody knows it, so no campaign shall have it.
  const zones = [...files.keys()].filter((name) => name !== 'Factory')
  const properNames = new Map(zones.map((name) => [name.toLowerCase(), name]))
  const ofOtherName = (name: string) => {
    const same = [...files.keys()].find((filed) => node.nameOf(filed) !== undefined && isSameZone(filed, name))
    return same === undefined ? undefined : files.get(same)
  }
  return {
    version,
    source,
    names: [...node.names, ...zones.filter((name) => node.nameOf(name) === undefined)],
    nameOf: (text) => node.nameOf(text) ?? properNames.get(text.toLowerCase()),
    spansOf: (name) =>
      files.get(name) ?? (node.nameOf(name) === undefined ? undefined : ofOtherName(name)) ?? node.spansOf(name),
  }
}

/** `Canada/Central` is another name of `America/Winnipeg`. Throws where Node does not know one of them. */
function isSameZone(a: string, b: string): boolean {
  return new Temporal.ZonedDateTime(0n, a).equals(new Temporal.ZonedDateTime(0n, b))
}
