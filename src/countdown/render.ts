import { DELAY_AT, IMAGE_HEAD, SUB_BLOCK, TRAILER } from './gif.ts'
import { CODE_SIZE, PALETTE_COLOURS } from './palette.ts'
import {
  BOTTOM_BAND,
  FIRST_DAY,
  FIRST_HOUR,
  FIRST_MINUTE,
  FIRST_NUMBER,
  firstLabel,
  firstThird,
  MIDDLE_BAND,
  MOST_DAYS_READY,
  type Template,
  TOP_BAND,
} from './template.ts'
import { fields, type TimeLeft, timeLeft, valuesOf } from './time-left.ts'

const FRAMES = 60
/** Hundredths of a second. */
const TICK = 100
/** Programs show a frame of less than this, in hundredths of a second, for longer than it says. */
const SHORTEST = 10

/** Bits put together before they are cut into sub-blocks. One for all: rendering never waits within an image. */
let scratch = new Uint32Array(8_192)
let scratchBytes = new Uint8Array(scratch.buffer)

/**
 * Writes the GIF of a countdown into `into` and gives its length; `template.mostBytes` is room enough. It shows the
 * seconds left, begun ones counted whole, and counts down for 60 frames or to zero, where it stays. Nothing left
 * is one frame of zeros.
 */
export function render(template: Template, remainingMs: number, into: Uint8Array): number {
  const left = secondsLeft(remainingMs)
  const shown = timeLeft(left)
  refuseTooSmall(template, into)
  const second = writeFirst(template, shown, into)
  if (left === 0) return finish(into, second)

  let at = writeSeconds(template, shown.seconds - 1, 0, into, second)
  if (left >= FRAMES && shown.seconds < 59) {
    at = writeRollover(template, shown, timeLeft(left - shown.seconds - 1), into, at)
    at = writeSeconds(template, 58, shown.seconds + 1, into, at)
  }
  const toTick = Math.round(remainingMs / 10) - (left - 1) * TICK
  const first = Math.max(SHORTEST, toTick)
  setDelay(into, template.head.length - IMAGE_HEAD, first)
  setDelay(into, second, TICK + toTick - first)
  return finish(into, at)
}

/** The first frame alone: for where the others are not worth their bytes. */
export function renderStill(template: Template, remainingMs: number, into: Uint8Array): number {
  refuseTooSmall(template, into)
  return finish(into, writeFirst(template, timeLeft(secondsLeft(remainingMs)), into))
}

function secondsLeft(remainingMs: number): number {
  if (!(Math.abs(remainingMs) <= Number.MAX_SAFE_INTEGER)) throw new RangeError('time left is no number')
  return Math.max(0, Math.ceil(remainingMs / 1_000))
}

function refuseTooSmall({ mostBytes }: Template, into: Uint8Array): void {
  if (into.length < mostBytes) throw new RangeError(`an image may need ${mostBytes} bytes, not ${into.length}`)
}

function writeFirst(template: Template, shown: TimeLeft, into: Uint8Array): number {
  into.set(template.head)
  return writeSubBlocks(
    appendChanging(template, shown, append(template, TOP_BAND, start(template))),
    into,
    template.head.length,
  )
}

/** From second `from` to second `to`, a frame each: they lie side by side. */
function writeSeconds({ frames, frameStarts }: Template, from: number, to: number, into: Uint8Array, at: number) {
  const start = frameStarts[58 - from] as number
  const end = frameStarts[59 - to] as number
  into.set(frames.subarray(start, end), at)
  return at + end - start
}

/** The one frame in which more than the seconds change. */
function writeRollover(template: Template, before: TimeLeft, after: TimeLeft, into: Uint8Array, at: number) {
  const { frames, frameStarts } = template
  const isNewHour = before.minutes === 0
  const isNewDay = isNewHour && before.hours === 0
  if (isNewDay && after.days > MOST_DAYS_READY) return writeDay(template, after, into, at)
  let frame = FIRST_MINUTE + valuesOf.minutes - 2 - after.minutes
  if (isNewHour) frame = FIRST_HOUR + valuesOf.hours - 2 - after.hours
  if (isNewDay) frame = FIRST_DAY + MOST_DAYS_READY - after.days
  const start = frameStarts[frame] as number
  const end = frameStarts[frame + 1] as number
  into.set(frames.subarray(start, end), at)
  return at + end - start
}

/** Put together like the first frame, without what is above the digits: there are too many days to keep them all. */
function writeDay(template: Template, shown: TimeLeft, into: Uint8Array, at: number): number {
  into.set(template.dayHead, at)
  return writeSubBlocks(appendChanging(template, shown, start(template)), into, at + template.dayHead.length)
}

/** Bits from here on go to the start of the scratch, which has room for all. The first is the code CLEAR. */
function start({ pictureWords }: Template): number {
  if (scratch.length < pictureWords) {
    scratch = new Uint32Array(pictureWords)
    scratchBytes = new Uint8Array(scratch.buffer)
  }
  scratch[0] = PALETTE_COLOURS
  return CODE_SIZE + 1
}

/** The rows from the first digits on. */
function appendChanging(template: Template, shown: TimeLeft, start: number): number {
  let bits = appendDigits(template, shown, start)
  bits = append(template, MIDDLE_BAND, bits)
  bits = appendLabels(template, shown, bits)
  return append(template, BOTTOM_BAND, bits)
}

function appendDigits(template: Template, { days, hours, minutes, seconds }: TimeLeft, start: number): number {
  const { digitRows } = template
  const third = (place: number, digit: number) => firstThird(digitRows) + (place * 10 + digit) * digitRows
  const number = (value: number) => FIRST_NUMBER + value * digitRows
  const columns = [number(hours), number(minutes), number(seconds)]
  if (days < 100) columns.unshift(number(days))
  else columns.unshift(third(0, Math.floor(days / 100)), third(1, Math.floor(days / 10) % 10), third(2, days % 10))
  return appendRows(template, columns, digitRows, start)
}

function appendLabels(template: Template, shown: TimeLeft, start: number): number {
  const { digitRows, labelRows, labelOf } = template
  let firstValue = 0
  const columns = fields.map((field) => {
    const label = labelOf[firstValue + shown[field]] as number
    firstValue += valuesOf[field]
    return firstLabel(digitRows) + label * labelRows
  })
  return appendRows(template, columns, labelRows, start)
}

/** Row by row, one fragment of each column: the numbers are those of the first rows. */
function appendRows(template: Template, columns: number[], rows: number, start: number): number {
  let bits = start
  for (let row = 0; row < rows; row++) {
    for (const column of columns) bits = append(template, column + row, bits)
  }
  return bits
}

/** Adds a fragment after so many bits and gives how many there are then. What follows the last bit is zero. */
function append({ fragments, fragmentWords }: Template, fragment: number, bits: number): number {
  const first = fragments[fragment * 2] as number
  const length = fragments[fragment * 2 + 1] as number
  const end = first + ((length + 31) >>> 5)
  const shift = bits & 31
  let at = bits >>> 5
  let carried = scratch[at] as number
  for (let word = first; word < end; word++) {
    const next = fragmentWords[word] as number
    scratch[at++] = carried | (next << shift)
    carried = (next >>> 1) >>> (31 - shift)
  }
  scratch[at] = carried
  return bits + length
}

/** The bits from the scratch, in sub-blocks. */
function writeSubBlocks(bits: number, into: Uint8Array, start: number): number {
  const bytes = (bits + 7) >>> 3
  let at = start
  for (let from = 0; from < bytes; from += SUB_BLOCK) {
    const length = Math.min(SUB_BLOCK, bytes - from)
    into[at++] = length
    into.set(scratchBytes.subarray(from, from + length), at)
    at += length
  }
  into[at++] = 0
  return at
}

/** Of the frame that begins there. */
function setDelay(into: Uint8Array, frame: number, hundredths: number): void {
  into[frame + DELAY_AT] = hundredths & 255
  into[frame + DELAY_AT + 1] = hundredths >> 8
}

function finish(into: Uint8Array, at: number): number {
  into[at] = TRAILER
  return at + 1
}
