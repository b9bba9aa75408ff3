import type { TimerStyle } from '../core/timer-style.ts'
import type { Box, Layout, Rows, Typefaces } from './layout.ts'
import { advanceOf, roundedBox, type Typeface } from './outline.ts'
import { aroundPlace, linePlace, type Paint, paintOf } from './palette.ts'
import { type Parts, partsOf } from './presets.ts'
import { addOutline, blankCanvas, type Canvas, coverage } from './rasterise.ts'
import { ringIn } from './ring.ts'
import { areForms } from './words.ts'

/** A picture in palette places, row by row. */
export type Bitmap = { width: number; height: number; places: Uint8Array }

/** The parts of which every picture is put together. */
export type Atlas = {
  /** One column of the picture without digits and label; `share` of its ring is still to pass. */
  columnOf(share: number): Bitmap
  /** `0` to `9`, each as wide as a cell and as high as the rows of the digits. */
  digits: Bitmap[]
  /** Each is as high as the rows of the labels; `left` is how far it is from the left side of its column. */
  words: Map<string, Bitmap & { left: number }>
}

/** `forms` are the words of each column. */
export function drawAtlas(style: TimerStyle, layout: Layout, forms: string[][], typefaces: Typefaces): Atlas {
  const paint = paintOf(style)
  const { columnWidth, labels } = layout
  return {
    columnOf: columns(layout, partsOf(style), paint),
    digits: [...'0123456789'].map((digit) => drawDigit(digit, layout.digits, typefaces.digits, paint)),
    words: new Map(
      labels === null ? [] : forms.flatMap((words) => drawForms(words, columnWidth, labels, typefaces.labels, paint)),
    ),
  }
}

function columns(layout: Layout, parts: Parts, paint: Paint): Atlas['columnOf'] {
  const { box, stroke, columnWidth, height } = layout
  const empty = emptyColumn(layout, parts, paint)
  if (parts.edge !== 'ring') return () => empty
  const drawRing = ringIn(box, stroke, columnWidth)
  const drawn = new Map<number, Bitmap>()
  return (share) =>
    drawn.getOrInsertComputed(share, () => {
      const places = new Uint8Array(columnWidth * height)
      drawRing(share, (at, strength) => {
        places[at] = paint.ring(strength)
      })
      return { width: columnWidth, height, places }
    })
}

function emptyColumn({ columnWidth, height, box, stroke, split }: Layout, parts: Parts, paint: Paint): Bitmap {
  const column = drawBox({ width: columnWidth, height }, box, stroke, parts, paint)
  if (split === null) return column
  const fill = (place: number, { start, end }: Rows, left: number, width: number) => {
    for (let row = start; row < end; row++)
      column.places.fill(place, row * columnWidth + left, row * columnWidth + left + width)
  }
  fill(linePlace, split.line, box.left, box.width)
  fill(aroundPlace, split.notch, box.left, split.notchWidth)
  fill(aroundPlace, split.notch, box.left + box.width - split.notchWidth, split.notchWidth)
  return column
}

type Size = { width: number; height: number }

/** Draws a box filled, as a line, or not at all. A ring is drawn by ring.ts. */
export function drawBox({ width, height }: Size, box: Box, stroke: number, parts: Parts, paint: Paint): Bitmap {
  const whole = blankCanvas(width, height)
  if (parts.isFilled) {
    addBox(whole, box, 0)
    return toBitmap(whole, paint.edge)
  }
  switch (parts.edge) {
    case 'none':
    case 'ring':
      return toBitmap(whole, paint.edge)
    case 'line': {
      const inside = blankCanvas(width, height)
      addBox(whole, box, 0)
      addBox(inside, box, stroke)
      const hollow = coverage(inside)
      const places = coverage(whole).map((share, at) => paint.edge(share - (hollow[at] as number)))
      return { width, height, places: Uint8Array.from(places) }
    }
  }
}

function addBox(canvas: Canvas, box: Box, inset: number): void {
  const [width, height] = [box.width - 2 * inset, box.height - 2 * inset]
  const outline = roundedBox(width, height, Math.max(0, box.radius - inset))
  addOutline(canvas, outline, { x: box.left + inset, y: box.top + inset, scale: 1 })
}

/** Draws a digit in the middle of its cell, since in some fonts the digits are not equally wide. */
function drawDigit(digit: string, digits: Layout['digits'], typeface: Typeface, paint: Paint): Bitmap {
  const { size, baseline, cell, rows } = digits
  const { advance, outline } = typeface(digit)
  const canvas = blankCanvas(cell, rows.end - rows.start)
  addOutline(canvas, outline, { x: (cell - advance * size) / 2, y: baseline - rows.start, scale: size })
  return toBitmap(canvas, paint.digit)
}

type Labels = NonNullable<Layout['labels']>
type Word = Bitmap & { left: number }

/**
 * Draws each word in the middle of its column. Words that differ only in their endings start in the same place, so that
 * they do not move when the number above them changes.
 */
function drawForms(
  words: string[],
  columnWidth: number,
  labels: Labels,
  typeface: Typeface,
  paint: Paint,
): [string, Word][] {
  const { size, room } = labels
  const widths = words.map((word) => Math.ceil(advanceOf(word, typeface) * size))
  const [least, most] = [Math.min(...widths), Math.max(...widths)]
  // In the middle a large "DAYS" would end beyond its column: its end would be drawn at the left edge.
  const together = Math.min(Math.round((columnWidth - (least + most) / 2) / 2), columnWidth - most)
  // Further out a word's ground could cover the corner of a box.
  const side = Math.ceil((columnWidth - room) / 2)
  const margin = Math.ceil(size * 0.1)
  return words.map((word, index) => {
    const width = widths[index] as number
    const start = areForms(words) ? together : Math.round((columnWidth - width) / 2)
    const left = Math.min(start, Math.max(side, start - margin))
    const wide = Math.max(start + width, Math.min(columnWidth - side, start + width + margin)) - left
    return [word, { ...drawWord(word, labels, { x: start - left, wide }, typeface, paint), left }]
  })
}

type Across = { x: number; wide: number }

function drawWord(word: string, labels: Labels, { x, wide }: Across, typeface: Typeface, paint: Paint): Bitmap {
  const { size, baseline, rows } = labels
  const canvas = blankCanvas(wide, rows.end - rows.start)
  addText(canvas, word, typeface, { x, y: baseline - rows.start, scale: size })
  return toBitmap(canvas, paint.label)
}

/** `scale` is how many pixels one em has. */
export function addText(
  canvas: Canvas,
  text: string,
  typeface: Typeface,
  at: { x: number; y: number; scale: number },
): void {
  let { x } = at
  for (const letter of text) {
    const { advance, outline } = typeface(letter)
    addOutline(canvas, outline, { ...at, x })
    x += advance * at.scale
  }
}

export function toBitmap(canvas: Canvas, placeOf: (share: number) => number): Bitmap {
  const { width, height } = canvas
  return { width, height, places: Uint8Array.from(coverage(canvas), placeOf) }
}
