import { DELAY_AT, IMAGE_HEAD, SUB_BLOCK, TICK, TRAILER } from './gif.ts'
import { CODE_SIZE, PALETTE_COLOURS } from './palette.ts'
import { BOTTOM_BAND, MIDDLE_BAND, MOST_READY, type Template, TOP_BAND } from './template.ts'
import { smallest, timeLeft, valuesOf } from './time-left.ts'

const FRAMES = 60
/** Hundredths of a second. Programs show a frame with a shorter delay for longer than it says. */
const SHORTEST = 10

/**
 * Bits are put together here before they are cut into sub-blocks. All images share it, since one is rendered at a time.
 */
let scratch = new Uint32Array(8_192)
let scratchBytes = new Uint8Array(scratch.buffer)

/**
 * Writes the GIF of a countdown into `into`, which has at least `template.mostBytes`, and returns its length. Its first
 * frame shows the seconds left, rounded up; it counts down for 60 frames, or to zero. With no time left it is one frame:
 * zeros, or what the style shows then. If the style has no seconds, there are at most two frames.
 */
export function render(template: Template, remainingMs: number, into: Uint8Array): number {
  const left = Math.max(0, Math.ceil(remainingMs / 1_000))
  if (left === 0) return writeOver(template, into)
  const { units } = template
  const shown = timeLeft(left, units)
  const second = writePicture(template, shown, into, 0)
  const toTick = Math.round(remainingMs / 10) - (left - 1) * TICK
  if (smallest(units) > 1) {
    const turnsIn = secondsToTurn(left, smallest(units))
    const next = timeLeft(left - turnsIn, units)
    if (turnsIn >= FRAMES || next.join() === shown.join()) return finish(into, second)
    setDelay(into, template.head.length - IMAGE_HEAD, Math.max(SHORTEST, toTick + (turnsIn - 1) * TICK))
    return finish(into, writeTurn(template, shown, next, into, second))
  }
  const seconds = shown.at(-1) as number
  const isLast = left < FRAMES
  const last = isLast && template.overFrame.length > 0 ? 1 : 0
  let at = writeSeconds(template, seconds - 1, last, into, second)
  if (last === 1) at = writeBlock(template.overFrame, into, at)
  if (!isLast && seconds < 59) {
    at = writeTurn(template, [...shown.slice(0, -1), 0], timeLeft(left - seconds - 1, units), into, at)
    at = writeSeconds(template, 58, seconds + 1, into, at)
  }
  const first = Math.max(SHORTEST, toTick)
  setDelay(into, template.head.length - IMAGE_HEAD, first)
  setDelay(into, second, TICK + toTick - first)
  return finish(into, at)
}

function writeOver(template: Template, into: Uint8Array): number {
  if (template.overImage.length > 0) return writeBlock(template.overImage, into, 0)
  return finish(into, writePicture(template, timeLeft(0, template.units), into, 0))
}

/** After how many seconds the smallest unit changes. Its last value, 1, stays until the deadline. */
function secondsToTurn(left: number, unitSeconds: number): number {
  return left < 2 * unitSeconds ? left : (left % unitSeconds) + 1
}

/** Writes a whole picture, put together from fragments: the first frame, or a later one that is not stored. */
function writePicture(template: Template, shown: number[], into: Uint8Array, at: number): number {
  const head = at === 0 ? template.head : template.head.subarray(-IMAGE_HEAD)
  into.set(head, at)
  let bits = append(template, TOP_BAND, start(template))
  bits = appendDigits(template, shown, bits)
  bits = append(template, MIDDLE_BAND, bits)
  bits = appendLabels(template, shown, bits)
  return writeSubBlocks(append(template, BOTTOM_BAND, bits), into, at + head.length)
}

function writeBlock(block: Uint8Array, into: Uint8Array, at: number): number {
  into.set(block, at)
  return at + block.length
}

/**
 * Writes the frames from second `from` down to second `to`, both included, which are stored side by side: the frame of
 * second n is number 58 − n. From −1 it writes nothing.
 */
function writeSeconds({ frames, frameStarts }: Template, from: number, to: number, into: Uint8Array, at: number) {
  return writeBlock(frames.subarray(frameStarts[58 - from], frameStarts[59 - to]), into, at)
}

/** Writes the frame in which a column changes and all columns after it, which are 0 in `before`, begin again. */
function writeTurn(template: Template, before: number[], after: number[], into: Uint8Array, at: number): number {
  const { frames, frameStarts, zeroFrames } = template
  const column = Math.max(
    0,
    before.findLastIndex((value) => value > 0),
  )
  const value = after[column] as number
  if (column === 0 && value > MOST_READY) return writePicture(template, after, into, at)
  const frame = (zeroFrames[column] as number) - value
  if (template.overFrame.length > 0 && after.every((each) => each === 0))
    return writeBlock(template.overFrame, into, at)
  return writeBlock(frames.subarray(frameStarts[frame], frameStarts[frame + 1]), into, at)
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

function appendDigits(template: Template, shown: number[], start: number): number {
  const { digitRows, firstNumbers, firstThird } = template
  const third = (place: number, digit: number) => firstThird + (place * 10 + digit) * digitRows
  const fragments = shown.flatMap((value, column) => {
    if (value < 100) return [(firstNumbers[column] as number) + value * digitRows]
    return [third(0, Math.floor(value / 100)), third(1, Math.floor(value / 10) % 10), third(2, value % 10)]
  })
  return appendRows(template, fragments, digitRows, start)
}

function appendLabels(template: Template, shown: number[], start: number): number {
  const { units, labelRows, labelOf, firstLabel } = template
  let firstValue = 0
  const fragments = shown.map((value, column) => {
    const label = labelOf[firstValue + value] as number
    firstValue += valuesOf(units, column)
    return firstLabel + label * labelRows
  })
  return appendRows(template, fragments, labelRows, start)
}

/** Adds one fragment of each column, row by row. `columns` has the number of each column's first fragment. */
function appendRows(template: Template, columns: number[], rows: number, start: number): number {
  let bits = start
  for (let row = 0; row < rows; row++) {
    // Most of the time of an image is spent in here: an iterator would take a quarter more.
    for (let column = 0; column < columns.length; column++) {
      bits = append(template, (columns[column] as number) + row, bits)
    }
  }
  return bits
}

/** Adds a fragment after so many bits, and returns how many there are then. The bits behind it are zero. */
function append({ fragments, fragmentWords }: Template, fragment: number, bits: number): number {
  const into = scratch
  const first = fragments[fragment * 2] as number
  const length = fragments[fragment * 2 + 1] as number
  const end = first + ((length + 31) >>> 5)
  const shift = bits & 31
  let at = bits >>> 5
  let carried = into[at] as number
  for (let word = first; word < end; word++) {
    const next = fragmentWords[word] as number
    into[at++] = carried | (next << shift)
    carried = (next >>> 1) >>> (31 - shift)
  }
  into[at] = carried
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

/** Sets the delay of the frame that begins at `frame`. */
function setDelay(into: Uint8Array, frame: number, hundredths: number): void {
  into[frame + DELAY_AT] = hundredths & 255
  into[frame + DELAY_AT + 1] = hundredths >> 8
}

function finish(into: Uint8Array, at: number): number {
  into[at] = TRAILER
  return at + 1
}
