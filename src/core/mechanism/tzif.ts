// Zone files as systems have them: TZif (RFC 9636). Version 1, which ends in 2038, is refused.
import type { Seconds } from '../instant.ts'
import { DAY_SECONDS } from './calendar.ts'
import { type ClockChange, type ClockRule, parseTzString } from './tz-string.ts'
import type { SpanAt } from './zone-data.ts'

const MAGIC = 0x545a6966 // "TZif"
const VERSION_2 = 0x32 // "2"
const HEADER_BYTES = 44
const FOOTER_MAX_BYTES = 1_024

/** A header, and where the block of data behind it ends. */
type Header = { version: number; leaps: number; times: number; types: number; end: number }

type Clocks = {
  /** Ascending, the first one at minus infinity. */
  changes: ClockChange[]
  /** How the clocks go on from `ruleFrom`; undefined if the file does not say. */
  rule: ClockRule | undefined
  ruleFrom: Seconds
}

/**
 * The spans of one zone. @throws RangeError whose message says what is wrong with the file, to be put after its name
 */
export function readTzif(bytes: Uint8Array): SpanAt {
  const { changes, rule, ruleFrom } = readClocks(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  return (at) => {
    const year = new Date(Math.max(at, ruleFrom) * 1000).getUTCFullYear()
    const ahead = rule === undefined ? [] : changesAround(rule, year).filter((change) => change.at > ruleFrom)
    const all = withoutIdle([...changes, ...ahead])
    const index = all.findLastIndex((change) => change.at <= at)
    const { at: from, offset } = all[index] as ClockChange
    return { from, until: all[index + 1]?.at ?? Number.POSITIVE_INFINITY, offset }
  }
}

/**
 * The changes of two years on either side too: a change of one year may fall into the next, and the change before it is
 * needed.
 */
function changesAround(rule: ClockRule, year: number): ClockChange[] {
  const changes = [-2, -1, 0, 1, 2].flatMap((later) => rule.changesOf(year + later))
  changes.sort((a, b) => a.at - b.at)
  // With summer time all year, each end falls on the same instant as the next beginning, and is left out. The last
  // change is always left out, since a change at the same instant would not be in the list.
  return changes.slice(0, -1).filter(({ at }, index) => at !== changes[index + 1]?.at)
}

/** Leaves out changes that change only the zone's abbreviation, which files have too. */
function withoutIdle(changes: ClockChange[]): ClockChange[] {
  return changes.filter(({ offset }, index) => offset !== changes[index - 1]?.offset)
}

function readClocks(view: DataView): Clocks {
  const first = readHeader(view, 0, 4)
  if (first.version < VERSION_2) throw new RangeError('is a TZif file of version 1; version 2 or later is needed')
  const { times, types, leaps, end } = readHeader(view, first.end, 8)
  if (leaps > 0) throw new RangeError('counts leap seconds, as files below "right" do')
  const atTimes = first.end + HEADER_BYTES
  const atIndexes = atTimes + 8 * times
  const atTypes = atIndexes + times
  const offsetOf = (type: number) => {
    const offset = type < types ? view.getInt32(atTypes + 6 * type) : Number.NaN
    if (Math.abs(offset) < DAY_SECONDS) return offset
    throw new RangeError('has an offset of a day or more, or none')
  }
  const changes = Array.from({ length: times }, (_, index) => ({
    at: Number(view.getBigInt64(atTimes + 8 * index)),
    offset: offsetOf(view.getUint8(atIndexes + index)),
  }))
  const footer = readFooter(view, end)
  const rule = footer === '' ? undefined : parseTzString(footer)
  // If the file has no changes, its rule holds from the beginning (RFC 9636, 3.3).
  const before = times === 0 && rule !== undefined ? rule.offset : offsetOf(0)
  return {
    changes: [{ at: Number.NEGATIVE_INFINITY, offset: before }, ...changes],
    rule,
    ruleFrom: changes.at(-1)?.at ?? Number.NEGATIVE_INFINITY,
  }
}

/** `timeBytes` is the size of an instant in the block behind it. */
function readHeader(view: DataView, start: number, timeBytes: 4 | 8): Header {
  if (view.byteLength < start + HEADER_BYTES) throw new RangeError('ends too early')
  if (view.getUint32(start) !== MAGIC) throw new RangeError('is no TZif file')
  const count = (index: number) => view.getUint32(start + 20 + 4 * index)
  const [isUts, isStds, leaps, times, types, characters] = [count(0), count(1), count(2), count(3), count(4), count(5)]
  const blockBytes = times * (timeBytes + 1) + types * 6 + characters + leaps * (timeBytes + 4) + isStds + isUts
  const end = start + HEADER_BYTES + blockBytes
  if (view.byteLength < end) throw new RangeError('ends too early')
  return { version: view.getUint8(start + 4), leaps, times, types, end }
}

/** The text between two line feeds; empty if the file does not say how the clocks go on. */
function readFooter(view: DataView, start: number): string {
  const length = view.byteLength - start
  const isWhole = length >= 2 && length <= FOOTER_MAX_BYTES
  const text = isWhole ? new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + start, length)) : ''
  if (text.startsWith('\n') && text.endsWith('\n')) return text.slice(1, -1)
  throw new RangeError('has no footer: it is broken off, or of version 1')
}
