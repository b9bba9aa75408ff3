import type { Layout, Typefaces } from './layout.ts'
import { advanceOf, roundedBox, type Typeface } from './outline.ts'
import { cornerPlace, digitRamp, labelRamp, placeOn } from './palette.ts'
import { addOutline, blankCanvas, type Canvas, coverage } from './rasterise.ts'

/** A picture in palette places, row by row. */
export type Bitmap = { width: number; height: number; places: Uint8Array }

/** The parts of which every picture is put together. */
export type Atlas = {
  /** One column of the picture with its empty box. */
  column: Bitmap
  /** `0` to `9`, each as wide as a cell and as high as the rows of the digits. */
  digits: Bitmap[]
  /** Each as wide as it is, as high as the rows of the labels, and so far from the left side of its column. */
  words: Map<string, Bitmap & { left: number }>
}

/** `forms` are the words of each column; no word is in two of them. */
export function drawAtlas(layout: Layout, forms: string[][], typefaces: Typefaces): Atlas {
  return {
    column: emptyColumn(layout),
    digits: [...'0123456789'].map((digit) => drawDigit(digit, layout.digits, typefaces.digits)),
    words: new Map(forms.flatMap((words) => drawForms(words, layout, typefaces.labels))),
  }
}

function emptyColumn({ columnWidth, height, box }: Layout): Bitmap {
  const canvas = blankCanvas(columnWidth, height)
  addOutline(canvas, roundedBox(box.width, box.height, box.radius), { x: box.left, y: box.top, scale: 1 })
  return toBitmap(canvas, cornerPlace)
}

/** In the middle of its cell, since in some fonts the digits are not equally wide. */
function drawDigit(digit: string, { size, baseline, cell, rows }: Layout['digits'], typeface: Typeface): Bitmap {
  const { advance, outline } = typeface(digit)
  const canvas = blankCanvas(cell, rows.end - rows.start)
  addOutline(canvas, outline, { x: (cell - advance * size) / 2, y: baseline - rows.start, scale: size })
  return toBitmap(canvas, (share) => placeOn(digitRamp, share))
}

/**
 * Each in the middle of its column. Words that differ only in their endings start in the same place, so
 * that they do not move when the number above them changes.
 */
function drawForms(words: string[], layout: Layout, typeface: Typeface): [string, Bitmap & { left: number }][] {
  const drawn = words.map((word) => drawWord(word, layout.labels, typeface))
  const stem = words.reduce((least, word) => (word.length < least.length ? word : least))
  const widths = drawn.map(({ width }) => width)
  const average = (Math.min(...widths) + Math.max(...widths)) / 2
  const areAlike = words.every((word) => word.startsWith(stem))
  return drawn.map((bitmap, index) => {
    const left = Math.round((layout.columnWidth - (areAlike ? average : bitmap.width)) / 2)
    return [words[index] as string, { ...bitmap, left }]
  })
}

function drawWord(word: string, labels: Layout['labels'], typeface: Typeface): Bitmap {
  if (labels === null) return { width: 0, height: 0, places: new Uint8Array() }
  const { size, baseline, rows } = labels
  const canvas = blankCanvas(Math.ceil(advanceOf(word, typeface) * size), rows.end - rows.start)
  let x = 0
  for (const letter of word) {
    const { advance, outline } = typeface(letter)
    addOutline(canvas, outline, { x, y: baseline - rows.start, scale: size })
    x += advance * size
  }
  return toBitmap(canvas, (share) => placeOn(labelRamp, share))
}

function toBitmap(canvas: Canvas, placeOf: (share: number) => number): Bitmap {
  const { width, height } = canvas
  return { width, height, places: Uint8Array.from(coverage(canvas), placeOf) }
}
