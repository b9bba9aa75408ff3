import type { Outline } from './outline.ts'

/** Where the origin of an outline lies on the canvas, and how many pixels its unit has. */
type Placement = { x: number; y: number; scale: number }

/**
 * How much of each pixel is covered, as differences from one pixel to the next in its row: each edge adds the area to
 * its right in every row that it crosses. Two columns more than the canvas has take what is beyond its right side.
 */
export type Canvas = { width: number; height: number; differences: Float64Array }

/** Straight pieces for each curve: at the largest sizes none is off by more than a hundredth of a pixel. */
const PIECES = 24

export function blankCanvas(width: number, height: number): Canvas {
  return { width, height, differences: new Float64Array((width + 2) * height) }
}

export function addOutline(canvas: Canvas, outline: Outline, { x: left, y: top, scale }: Placement): void {
  let [startX, startY, atX, atY] = [0, 0, 0, 0]
  const lineTo = (x: number, y: number) => {
    addEdge(canvas, left + atX * scale, top + atY * scale, left + x * scale, top + y * scale)
    atX = x
    atY = y
  }
  for (const step of outline) {
    const [fromX, fromY] = [atX, atY]
    const curve = (pointAt: (t: number) => [number, number]) => {
      for (let piece = 1; piece <= PIECES; piece++) lineTo(...pointAt(piece / PIECES))
    }
    if (step.type === 'L') lineTo(step.x, step.y)
    else if (step.type === 'Q') curve((t) => quadratic(fromX, fromY, step, t))
    else if (step.type === 'C') curve((t) => cubic(fromX, fromY, step, t))
    else lineTo(startX, startY)
    if (step.type !== 'M') continue
    startX = atX = step.x
    startY = atY = step.y
  }
  lineTo(startX, startY)
}

/** How much of each pixel is covered, 0 to 1. Contours that overlap in one direction, as in fonts, count once. */
export function coverage({ width, height, differences }: Canvas): Float64Array {
  const covered = new Float64Array(width * height)
  for (let y = 0; y < height; y++) {
    let sum = 0
    for (let x = 0; x < width; x++) {
      sum += differences[y * (width + 2) + x] as number
      covered[y * width + x] = Math.min(1, Math.abs(sum))
    }
  }
  return covered
}

type Quadratic = { x1: number; y1: number; x: number; y: number }
type Cubic = Quadratic & { x2: number; y2: number }

function quadratic(fromX: number, fromY: number, { x1, y1, x, y }: Quadratic, t: number): [number, number] {
  const [a, b, c] = [(1 - t) ** 2, 2 * t * (1 - t), t ** 2]
  return [a * fromX + b * x1 + c * x, a * fromY + b * y1 + c * y]
}

function cubic(fromX: number, fromY: number, { x1, y1, x2, y2, x, y }: Cubic, t: number): [number, number] {
  const [a, b, c, d] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t ** 2 * (1 - t), t ** 3]
  return [a * fromX + b * x1 + c * x2 + d * x, a * fromY + b * y1 + c * y2 + d * y]
}

function addEdge(canvas: Canvas, x0: number, y0: number, x1: number, y1: number): void {
  if (y0 === y1) return
  const direction = y0 < y1 ? 1 : -1
  const [topX, top, bottomX, bottom] = y0 < y1 ? [x0, y0, x1, y1] : [x1, y1, x0, y0]
  const slope = (bottomX - topX) / (bottom - top)
  const last = Math.min(canvas.height, Math.ceil(bottom))
  for (let row = Math.max(0, Math.floor(top)); row < last; row++) {
    const from = Math.max(row, top)
    const to = Math.min(row + 1, bottom)
    const xFrom = within(topX + (from - top) * slope, canvas.width)
    const xTo = within(topX + (to - top) * slope, canvas.width)
    addToRow(canvas, row, Math.min(xFrom, xTo), Math.max(xFrom, xTo), (to - from) * direction)
  }
}

/**
 * An edge through one row from `left` to `right` covers `amount` of all pixels to its right, and a part of those that
 * it crosses.
 */
function addToRow({ width, differences }: Canvas, row: number, left: number, right: number, amount: number) {
  const start = row * (width + 2)
  let covered = 0
  for (let x = Math.floor(left); x <= Math.floor(right); x++) {
    const total = amount * shareRightOf(left, right, x)
    differences[start + x] = (differences[start + x] as number) + total - covered
    covered = total
  }
  const beyond = start + Math.floor(right) + 1
  differences[beyond] = (differences[beyond] as number) + amount - covered
}

/** The part of pixel `x` that lies right of an edge going evenly from `left` to `right`. */
function shareRightOf(left: number, right: number, x: number): number {
  if (right - left < 1e-9) return within(x + 1 - left, 1)
  const passed = (at: number) => {
    const inside = within(at - left, right - left)
    return (inside * inside) / 2 / (right - left) + Math.max(0, at - right)
  }
  return passed(x + 1) - passed(x)
}

function within(value: number, most: number): number {
  return Math.min(most, Math.max(0, value))
}
