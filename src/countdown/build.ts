import type { MailLanguage } from '../core/mail-language.ts'
import type { TimerStyle } from '../core/timer-style.ts'
import { type Atlas, type Bitmap, drawAtlas } from './atlas.ts'
import { fileHead, imageHead, SUB_BLOCK, subBlocks } from './gif.ts'
import { type Layout, layOut, type Rows, type Typefaces } from './layout.ts'
import { type Bits, compress, type Part } from './lzw.ts'
import { CODE_SIZE, DIGITS_CODE_SIZE, digitRamp, paletteBytes } from './palette.ts'
import { cellLeft, cut, cutRows, difference, drawColumn, joinColumns } from './picture.ts'
import { FIRST_MINUTE, MOST_DAYS_READY, packTemplate, type Template } from './template.ts'
import { digitsOf, fields, type TimeLeft, valuesOf } from './time-left.ts'
import { wordsOf } from './words.ts'

/** Hundredths of a second. */
const TICK = 100

/** What is drawn from: one style in one language. */
type Drawing = { layout: Layout; atlas: Atlas; language: MailLanguage; words: string[] }

/** Draws and compresses what all images of this style share. It takes a good part of a second. */
export function buildTemplate(
  style: TimerStyle,
  language: MailLanguage,
  typefaces: Typefaces,
): Uint8Array<ArrayBuffer> {
  const layout = layOut(style, language, typefaces)
  const forms = fields.map((field) => [...new Set(wordsOf(language, field))])
  const words = forms.flat()
  const drawing: Drawing = { layout, atlas: drawAtlas(layout, forms, typefaces), language, words }
  const { width, height, digits, labels } = layout
  const whole = { left: 0, top: 0, width, height }
  const top = digits.rows.start
  const file = fileHead(width, height, paletteBytes(style))
  const template = {
    width,
    height,
    digitRows: rowCount(digits.rows),
    labelRows: labels === null ? 0 : rowCount(labels.rows),
    head: Uint8Array.from([...file, ...imageHead(whole, TICK, CODE_SIZE)]),
    dayHead: Uint8Array.from(imageHead({ ...whole, top, height: height - top }, TICK, CODE_SIZE)),
    labelOf: Uint8Array.from(fields.flatMap((field) => wordsOf(language, field).map((word) => words.indexOf(word)))),
    ...fragmentLists(drawing),
    ...frameLists(drawing),
  }
  return packTemplate({ ...template, mostBytes: mostBytes(template) })
}

/** Of an image with the largest of all frames that are not a second's. */
function mostBytes({ head, dayHead, frameStarts, pictureWords }: Omit<Template, 'mostBytes'>): number {
  const pictureBytes = pictureWords * 4
  const picture = pictureBytes + Math.ceil(pictureBytes / SUB_BLOCK) + 1
  const lengths = Array.from(frameStarts.subarray(1), (end, frame) => end - (frameStarts[frame] as number))
  const largest = Math.max(dayHead.length + picture, ...lengths.slice(FIRST_MINUTE))
  return head.length + picture + (frameStarts[FIRST_MINUTE] as number) + largest + 1
}

type FragmentLists = Pick<Template, 'fragmentWords' | 'fragments' | 'pictureWords'>

/** In the order that template.ts names. */
function fragmentLists(drawing: Drawing): FragmentLists {
  const bands = bandFragments(drawing)
  const numbers = numberFragments(drawing)
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
  const { digits, labels: shown } = drawing.layout
  const rowOfDigits = 3 * longest(numbers) + Math.max(longest(numbers), 3 * longest(thirds))
  const bits =
    bands.reduce((sum, { length }) => sum + length, 0) +
    rowCount(digits.rows) * rowOfDigits +
    (shown === null ? 0 : rowCount(shown.rows) * 4 * longest(labels))
  return { fragmentWords, fragments, pictureWords: Math.ceil((bits + CODE_SIZE + 1) / 32) + 1 }
}

/** The rows that are the same in every picture: above the digits, between digits and labels, below. */
function bandFragments({ layout, atlas }: Drawing): Bits[] {
  const { height, digits, labels } = layout
  const empty = joinColumns(fields.map(() => atlas.column))
  const band = (start: number, end: number, part: Part) => compress(cutRows(empty, { start, end }), CODE_SIZE, part)
  const top = band(0, digits.rows.start, 'fragment')
  if (labels === null) return [top, nothing, band(digits.rows.end, height, 'end')]
  return [top, band(digits.rows.end, labels.rows.start, 'fragment'), band(labels.rows.end, height, 'end')]
}

const nothing: Bits = { words: new Uint32Array(), length: 0 }

/** 00 to 99, each as a column's rows. */
function numberFragments({ layout, atlas }: Drawing): Bits[] {
  return Array.from({ length: 100 }, (_, value) => {
    const column = drawColumn(layout, atlas, { digits: digitsOf(value), word: '' })
    return rowFragments(column, layout.digits.rows, 0, layout.columnWidth)
  }).flat()
}

/** A column of three digits is cut before the second and before the third: 30 thirds in the place of 900 numbers. */
function thirdFragments({ layout, atlas }: Drawing): Bits[] {
  const edges = [0, cellLeft(layout, 3, 1), cellLeft(layout, 3, 2), layout.columnWidth]
  return [0, 1, 2].flatMap((place) =>
    Array.from({ length: 10 }, (_, digit) => {
      const column = drawColumn(layout, atlas, { digits: String(digit).repeat(3), word: '' })
      return rowFragments(column, layout.digits.rows, edges[place] as number, edges[place + 1] as number)
    }).flat(),
  )
}

function labelFragments({ layout, atlas, words }: Drawing): Bits[] {
  const { labels, columnWidth } = layout
  if (labels === null) return []
  return words.flatMap((word) =>
    rowFragments(drawColumn(layout, atlas, { digits: '', word }), labels.rows, 0, columnWidth),
  )
}

function rowFragments(column: Bitmap, { start, end }: Rows, left: number, right: number): Bits[] {
  return Array.from({ length: end - start }, (_, row) => {
    const pixels = cut(column, { left, top: start + row, width: right - left, height: 1 })
    return compress(pixels, CODE_SIZE, 'fragment')
  })
}

/** The frames that follow the first one, as whole blocks. */
function frameLists(drawing: Drawing): Pick<Template, 'frames' | 'frameStarts'> {
  const second = (seconds: number) => frame(drawing, { seconds: seconds + 1 }, { seconds })
  const minute = (minutes: number) => frame(drawing, { minutes: minutes + 1, seconds: 0 }, { minutes, seconds: 59 })
  const hour = (hours: number) =>
    frame(drawing, { hours: hours + 1, minutes: 0, seconds: 0 }, { hours, minutes: 59, seconds: 59 })
  const day = (days: number) =>
    frame(drawing, { days: days + 1, hours: 0, minutes: 0, seconds: 0 }, { days, hours: 23, minutes: 59, seconds: 59 })
  const all = [
    ...downFrom(valuesOf.seconds - 2, second),
    ...downFrom(valuesOf.minutes - 2, minute),
    ...downFrom(valuesOf.hours - 2, hour),
    ...downFrom(MOST_DAYS_READY, day),
  ]
  const starts = [0]
  for (const block of all) starts.push((starts.at(-1) as number) + block.length)
  return { frames: Uint8Array.from(all.flat()), frameStarts: Uint32Array.from(starts) }
}

function downFrom(first: number, make: (value: number) => number[]): number[][] {
  return Array.from({ length: first + 1 }, (_, index) => make(first - index))
}

/** The rectangle that changes from one picture to the next; columns that are not named stay as they are. */
function frame(drawing: Drawing, before: Partial<TimeLeft>, after: Partial<TimeLeft>): number[] {
  const drawnAfter = someColumns(drawing, after)
  const changed = difference(someColumns(drawing, before), drawnAfter)
  const pixels = cut(drawnAfter, changed)
  const codeSize = pixels.every((place) => place < digitRamp.steps) ? DIGITS_CODE_SIZE : CODE_SIZE
  const left = drawing.layout.width - drawnAfter.width + changed.left
  const head = imageHead({ ...changed, left }, TICK, codeSize)
  return [...head, ...subBlocks(compress(pixels, codeSize, 'whole'))]
}

/** The named columns, which are the last ones. */
function someColumns({ layout, atlas, language }: Drawing, shown: Partial<TimeLeft>): Bitmap {
  const columns = fields.flatMap((field) => {
    const value = shown[field]
    if (value === undefined) return []
    const word = wordsOf(language, field)[value] as string
    return [drawColumn(layout, atlas, { digits: digitsOf(value), word })]
  })
  return joinColumns(columns)
}

function rowCount({ start, end }: Rows): number {
  return end - start
}

function longest(fragments: Bits[]): number {
  return Math.max(0, ...fragments.map(({ length }) => length))
}
