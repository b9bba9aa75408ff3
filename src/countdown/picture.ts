import type { Atlas, Bitmap } from './atlas.ts'
import type { Layout, Rows } from './layout.ts'

/** What a column shows. */
type Shown = { digits: string; word: string; ringShare: number }

/** Part of a picture. */
export type Rectangle = { left: number; top: number; width: number; height: number }

/** One column of the picture. */
export function drawColumn(layout: Layout, atlas: Atlas, { digits, word, ringShare }: Shown): Bitmap {
  const empty = atlas.columnOf(ringShare)
  const column = { ...empty, places: empty.places.slice() }
  for (const [index, digit] of [...digits].entries()) {
    const x = cellLeft(layout, digits.length, index)
    paste(column, atlas.digits[Number(digit)] as Bitmap, x, layout.digits.rows.start)
  }
  if (layout.split !== null) {
    const { start, end } = layout.split.line
    const line = { left: 0, top: start, width: column.width, height: end - start }
    paste(column, { ...line, places: cut(empty, line) }, 0, start)
  }
  const label = atlas.words.get(word)
  if (layout.labels === null || label === undefined) return column
  paste(column, label, label.left, layout.labels.rows.start)
  return column
}

/** Where the `index`th of so many digits begins in its column. */
export function cellLeft({ box, digits }: Layout, count: number, index: number): number {
  return box.left + Math.round((box.width - count * digits.cell) / 2) + index * digits.cell
}

/** Columns side by side: the whole picture, or the last few columns of it. */
export function joinColumns(columns: readonly Bitmap[]): Bitmap {
  const { width, height } = columns[0] as Bitmap
  const count = columns.length
  const whole = { width: width * count, height, places: new Uint8Array(width * count * height) }
  for (const [index, column] of columns.entries()) paste(whole, column, index * width, 0)
  return whole
}

export function cut({ width, places }: Bitmap, part: Rectangle): Uint8Array {
  const kept = new Uint8Array(part.width * part.height)
  for (let row = 0; row < part.height; row++) {
    const from = (part.top + row) * width + part.left
    kept.set(places.subarray(from, from + part.width), row * part.width)
  }
  return kept
}

export function cutRows(bitmap: Bitmap, { start, end }: Rows): Uint8Array {
  return cut(bitmap, { left: 0, top: start, width: bitmap.width, height: end - start })
}

/** The smallest rectangle outside of which both are the same; they must differ somewhere. */
export function difference(before: Bitmap, after: Bitmap): Rectangle {
  const { width, height } = before
  let [left, top, right, bottom] = [width, height, -1, -1]
  for (let y = 0; y < height; y++) {
    const old = before.places.subarray(y * width, (y + 1) * width)
    const row = after.places.subarray(y * width, (y + 1) * width)
    if (Buffer.compare(old, row) === 0) continue
    top = Math.min(top, y)
    bottom = y
    let [first, last] = [0, width - 1]
    while (old[first] === row[first]) first++
    while (old[last] === row[last]) last--
    left = Math.min(left, first)
    right = Math.max(right, last)
  }
  return { left, top, width: right - left + 1, height: bottom - top + 1 }
}

function paste(onto: Bitmap, { width, height, places }: Bitmap, left: number, top: number): void {
  for (let row = 0; row < height; row++) {
    onto.places.set(places.subarray(row * width, (row + 1) * width), (top + row) * onto.width + left)
  }
}
