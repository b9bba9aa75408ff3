import type { MailLanguage } from '../core/mail-language.ts'
import type { TimerStyle, TimerUnit } from '../core/timer-style.ts'
import { type Atlas, type Bitmap, drawAtlas } from './atlas.ts'
import { fileHead, IMAGE_HEAD, imageHead, SUB_BLOCK, subBlocks } from './gif.ts'
import { type Layout, layOut, type Rows, type Typefaces } from './layout.ts'
import { type Bits, compress, type Part } from './lzw.ts'
import { drawOver } from './over.ts'
import { packTemplate } from './packed.ts'
import { CODE_SIZE, clearPlaceOf, DIGITS_CODE_SIZE, digitRamp, PALETTE_COLOURS, paletteBytes } from './palette.ts'
import { cellLeft, cut, cutRows, difference, drawColumn, joinColumns, type Rectangle } from './picture.ts'
import { partsOf } from './presets.ts'
import { BANDS, MOST_READY, type Template } from './template.ts'
import { digitsOf, ringShare, valuesOf } from './time-left.ts'
import { wordsOf } from './words.ts'

/**
 * All that a template is drawn from: one style in one language. `labels` are the words of each value of each column.
 */
type Drawing = { style: TimerStyle; layout: Layout; atlas: Atlas; labels: string[][]; words: string[] }

/** Draws and compresses what all images of this style share. It takes a good part of a second. */
export function buildTemplate(
  style: TimerStyle,
  language: MailLanguage,
  typefaces: Typefaces,
): Uint8Array<ArrayBuffer> {
  const layout = layOut(style, language, typefaces)
  const labels = style.units.map((_, column) => wordsOf(style, language, column))
  const forms = labels.map((words) => [...new Set(words)])
  const words = [...new Set(forms.flat())]
  const drawing = { style, layout, atlas: drawAtlas(style, layout, forms, typefaces), labels, words }
  const { width, height, changing } = layout
  const whole = { left: 0, top: 0, width, height }
  const file = fileHead(width, height, paletteBytes(style))
  const template = {
    digitRows: rowCount(changing),
    labelRows: layout.labels === null ? 0 : rowCount(layout.labels.rows),
    units: style.units,
    head: Uint8Array.from([...file, ...imageHead(whole, CODE_SIZE, clearPlaceOf(style))]),
    labelOf: Uint8Array.from(labels.flat(), (word) => words.indexOf(word)),
    ...fragmentLists(drawing),
    ...frameLists(drawing),
    ...drawOver(style, layout, typefaces.digits),
  }
  return packTemplate({ ...template, mostBytes: mostBytes(template) })
}

/** The bytes of the longest image: all frames of its last column, and the largest of the other frames. */
function mostBytes(template: Omit<Template, 'mostBytes'>): number {
  const { head, frameStarts, zeroFrames, pictureWords, overFrame, overImage } = template
  const pictureBytes = pictureWords * 4
  const picture = pictureBytes + Math.ceil(pictureBytes / SUB_BLOCK) + 1
  const lengths = Array.from(frameStarts.subarray(1), (end, frame) => end - (frameStarts[frame] as number))
  const ofLast = (zeroFrames.at(-1) as number) + 1
  const largest = Math.max(IMAGE_HEAD + picture, ...lengths)
  const all = head.length + picture + (frameStarts[ofLast] as number) + largest + overFrame.length + 1
  return Math.max(all, overImage.length)
}

type FragmentLists = Pick<
  Template,
  'fragmentWords' | 'fragments' | 'firstNumbers' | 'firstThird' | 'firstLabel' | 'pictureWords'
>

/** All fragments, in the order that template.ts names. */
function fragmentLists(drawing: Drawing): FragmentLists {
  const bands = bandFragments(drawing)
  const { numbers, firstNumbers } = numberFragments(drawing)
  const thirds = thirdFragments(drawing)
  const labels = labelFragments(drawing)
  const all = [...bands, ...numbers, ...thirds, ...labels]
  const fragments = new Uint32Array(all.length * 2)
  const fragmentWords = new Uint32Array(all.reduce((sum, { words }) => sum + words.length, 0))
  let start = 0
  for (const [index, { words, length }] of all.entries()) {
    fragments[index * 2] = start
    fragments[index * 2 + 1] = length
    fragmentWords.set(words, start)
    start += words.length
  }
  const { changing, labels: shown } = drawing.layout
  const columns = drawing.style.units.length
  const rowOfDigits = (columns - 1) * longest(numbers) + Math.max(longest(numbers), 3 * longest(thirds))
  const bits =
    bands.reduce((sum, { length }) => sum + length, 0) +
    rowCount(changing) * rowOfDigits +
    (shown === null ? 0 : rowCount(shown.rows) * columns * longest(labels))
  const firstThird = BANDS + numbers.length
  return {
    fragmentWords,
    fragments,
    firstNumbers,
    firstThird,
    firstLabel: firstThird + thirds.length,
    pictureWords: Math.ceil((bits + CODE_SIZE + 1) / 32) + 1,
  }
}

/** The rows that are the same in every picture: above the digits, between digits and labels, below. */
function bandFragments({ style, layout, atlas }: Drawing): Bits[] {
  const { height, changing, labels } = layout
  const empty = joinColumns(style.units.map(() => atlas.columnOf(0)))
  const band = (start: number, end: number, part: Part) => compress(cutRows(empty, { start, end }), CODE_SIZE, part)
  const top = band(0, changing.start, 'fragment')
  if (labels === null) return [top, nothing, band(changing.end, height, 'end')]
  return [top, band(changing.end, labels.rows.start, 'fragment'), band(labels.rows.end, height, 'end')]
}

const nothing: Bits = { words: new Uint32Array(), length: 0 }

/**
 * The rows of a column with each number from 00 to 99. All columns share them; with rings, only those columns do whose
 * rings empty in the same steps.
 */
function numberFragments({ style, layout, atlas }: Drawing): { numbers: Bits[]; firstNumbers: Uint32Array } {
  const numbers: Bits[] = []
  const firstOf = new Map<string, number>()
  const hasRings = partsOf(style).edge === 'ring'
  const firstNumbers = style.units.map((unit, column) => {
    const key = hasRings ? `${ringShare(unit, 1)} ${column === 0}` : ''
    return firstOf.getOrInsertComputed(key, () => {
      const first = BANDS + numbers.length
      const count = hasRings ? Math.min(100, valuesOf(style.units, column)) : 100
      for (let value = 0; value < count; value++) {
        const shown = { digits: digitsOf(value), word: '', ringShare: ringShare(unit, value) }
        const drawn = drawColumn(layout, atlas, shown)
        numbers.push(...rowFragments(drawn, layout.changing, 0, layout.columnWidth))
      }
      return first
    })
  })
  return { numbers, firstNumbers: Uint32Array.from(firstNumbers) }
}

/** A column of three digits is cut before the second and before the third digit: 30 thirds do for 900 numbers. */
function thirdFragments({ layout, atlas }: Drawing): Bits[] {
  const edges = [0, cellLeft(layout, 3, 1), cellLeft(layout, 3, 2), layout.columnWidth]
  return [0, 1, 2].flatMap((place) =>
    Array.from({ length: 10 }, (_, digit) => {
      const column = drawColumn(layout, atlas, { digits: String(digit).repeat(3), word: '', ringShare: 1 })
      return rowFragments(column, layout.changing, edges[place] as number, edges[place + 1] as number)
    }).flat(),
  )
}

function labelFragments({ layout, atlas, words }: Drawing): Bits[] {
  const { labels, columnWidth } = layout
  if (labels === null) return []
  return words.flatMap((word) =>
    rowFragments(drawColumn(layout, atlas, { digits: '', word, ringShare: 0 }), labels.rows, 0, columnWidth),
  )
}

function rowFragments(column: Bitmap, { start, end }: Rows, left: number, right: number): Bits[] {
  return Array.from({ length: end - start }, (_, row) => {
    const pixels = cut(column, { left, top: start + row, width: right - left, height: 1 })
    return compress(pixels, CODE_SIZE, 'fragment')
  })
}

/** The frames that come after the first one, as whole blocks. */
function frameLists(drawing: Drawing): Pick<Template, 'frames' | 'frameStarts' | 'zeroFrames'> {
  const { units } = drawing.style
  const blocks: number[][] = []
  const zeroFrames = new Uint32Array(units.length)
  for (let column = units.length - 1; column >= 0; column--) {
    const most = column === 0 ? MOST_READY : valuesOf(units, column) - 2
    for (let value = most; value >= 0; value--) blocks.push(turnOf(drawing, column, value))
    zeroFrames[column] = blocks.length - 1
  }
  const starts = [0]
  for (const block of blocks) starts.push((starts.at(-1) as number) + block.length)
  const frames = new Uint8Array(starts.at(-1) as number)
  for (const [index, block] of blocks.entries()) frames.set(block, starts[index] as number)
  return { frames, frameStarts: Uint32Array.from(starts), zeroFrames }
}

/**
 * The frame in which a column changes to this value and all columns after it go back to their highest one. The columns
 * before it do not change.
 */
function turnOf(drawing: Drawing, column: number, value: number): number[] {
  const { units } = drawing.style
  const later = units.slice(column + 1).map((_, index) => valuesOf(units, column + 1 + index) - 1)
  const before = columnsFrom(drawing, column, [value + 1, ...later.map(() => 0)])
  return frame(drawing, before, columnsFrom(drawing, column, [value, ...later]))
}

/**
 * The rectangle in which two pictures of the last columns differ: with all of its pixels, or without those that do not
 * change around a ring or below the digits, whichever is shorter.
 */
function frame({ style, layout }: Drawing, before: Bitmap, after: Bitmap): number[] {
  const changed = difference(before, after)
  const at = { ...changed, left: layout.width - after.width + changed.left }
  const [pixels, old] = [cut(after, changed), cut(before, changed)]
  const all = frameOf(at, pixels, clearPlaceOf(style))
  const firstRow = partsOf(style).edge === 'ring' ? changed.top : layout.digits.rows.end
  const first = Math.max(0, firstRow - changed.top) * changed.width
  const clearPlace = clearPlaceOf(style) ?? unusedPlace(pixels, old, first)
  if (clearPlace === undefined) return all
  const kept = pixels.slice()
  for (let index = first; index < kept.length; index++) {
    if (kept[index] === old[index]) kept[index] = clearPlace
  }
  const part = frameOf(at, kept, clearPlace)
  return part.length < all.length ? part : all
}

/** A palette place that no pixel of the frame needs, other than pixels from `first` on that do not change. */
function unusedPlace(pixels: Uint8Array, old: Uint8Array, first: number): number | undefined {
  const isUsed = new Uint8Array(PALETTE_COLOURS)
  for (let index = 0; index < pixels.length; index++) {
    if (index < first || pixels[index] !== old[index]) isUsed[pixels[index] as number] = 1
  }
  const place = isUsed.indexOf(0)
  return place === -1 ? undefined : place
}

function frameOf(at: Rectangle, pixels: Uint8Array, clearPlace: number | undefined): number[] {
  const isClear = clearPlace !== undefined && pixels.includes(clearPlace)
  const codeSize = pixels.every((place) => place < digitRamp.steps) ? DIGITS_CODE_SIZE : CODE_SIZE
  const head = imageHead(at, codeSize, isClear ? clearPlace : undefined)
  return [...head, ...subBlocks(compress(pixels, codeSize, 'whole'))]
}

/** Draws the columns from `column` on, with these values. */
function columnsFrom({ style, layout, atlas, labels }: Drawing, column: number, values: number[]): Bitmap {
  const drawn = values.map((value, index) => {
    const unit = style.units[column + index] as TimerUnit
    const word = labels[column + index]?.[value] as string
    return drawColumn(layout, atlas, { digits: digitsOf(value), word, ringShare: ringShare(unit, value) })
  })
  return joinColumns(drawn)
}

function rowCount({ start, end }: Rows): number {
  return end - start
}

function longest(fragments: Bits[]): number {
  return fragments.reduce((most, { length }) => Math.max(most, length), 0)
}
