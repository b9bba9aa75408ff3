// Zone files (TZif, RFC 9636) of a test's own making, without a look at the reader.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type ZoneFile = {
  /** Seconds ahead of UTC before the first change. */
  before: number
  changes?: { at: number; offset: number }[]
  /** A TZ string of POSIX, or '' where nobody knows how the clocks go on. */
  footer?: string
  /** Of the format: 1 has no second block and no footer. */
  version?: 1 | 2 | 3 | 4
  leapSeconds?: number
}

/** The first block is empty, as modern compilers leave it; no abbreviation is told apart from another. */
export function zoneFile({ before, changes = [], footer = '', version = 2, leapSeconds = 0 }: ZoneFile): Buffer {
  const letter = version === 1 ? 0 : String(version).charCodeAt(0)
  const empty = Buffer.concat([header(letter, 0, 1, 1, 0), typeOf(0), Buffer.from('\0')])
  if (version === 1) return empty
  const offsets = [...new Set([before, ...changes.map(({ offset }) => offset)])]
  const times = Buffer.concat(changes.map(({ at }) => int64(at)))
  const indexes = Buffer.from(changes.map(({ offset }) => offsets.indexOf(offset)))
  const leaps = Buffer.alloc(12 * leapSeconds)
  return Buffer.concat([
    ...[empty, header(letter, changes.length, offsets.length, 1, leapSeconds)],
    ...[times, indexes, ...offsets.map(typeOf), Buffer.from('\0'), leaps],
    Buffer.from(`\n${footer}\n`),
  ])
}

/** A folder of such files, by the names of their zones. `version` is what its `tzdata.zi` says. */
export function writeZones(folder: string, zones: Record<string, ZoneFile>, version?: string): string {
  for (const [name, zone] of Object.entries(zones)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), zoneFile(zone))
  }
  if (version !== undefined) writeFileSync(join(folder, 'tzdata.zi'), `# version ${version}\n# more\n`)
  return folder
}

/** Manitoba stays on summer time from November 2026 on: at noon it is 17:00 in UTC. */
export const winnipegOf2027: ZoneFile = {
  before: -21_600,
  changes: [{ at: Date.UTC(2026, 2, 8, 8) / 1_000, offset: -18_000 }],
  footer: 'CST5',
}

function header(version: number, times: number, types: number, characters: number, leaps: number): Buffer {
  const bytes = Buffer.alloc(44)
  bytes.write('TZif')
  bytes.writeUInt8(version, 4)
  for (const [index, count] of [0, 0, leaps, times, types, characters].entries()) {
    bytes.writeUInt32BE(count, 20 + 4 * index)
  }
  return bytes
}

function typeOf(offset: number): Buffer {
  const bytes = Buffer.alloc(6)
  bytes.writeInt32BE(offset)
  return bytes
}

function int64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(value))
  return bytes
}
