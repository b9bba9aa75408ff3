import type { MailLanguage } from '../core/mail-language.ts'
import type { TimerStyle } from '../core/timer-style.ts'
import { advanceOf, boundsOf, type Typeface } from './outline.ts'
import { type Parts, partsOf } from './presets.ts'
import { areForms, wordsOf } from './words.ts'

export type Typefaces = { digits: Typeface; labels: Typeface }

/** Rows of the picture, `end` not included. */
export type Rows = { start: number; end: number }

export type Box = { left: number; top: number; width: number; height: number; radius: number }

/**
 * Where everything is, in pixels. The picture is columns of one width with a box in each; no row has both digits and
 * labels.
 */
export type Layout = {
  width: number
  height: number
  columnWidth: number
  box: Box
  /** The edge of a box that is not filled. */
  stroke: number
  /** One em of the digits, the row they stand on, and the width that each of them is given. */
  digits: { size: number; baseline: number; cell: number; rows: Rows }
  /** The rows that change with the digits: theirs, or those of the ring around them. */
  changing: Rows
  /** The line that cuts the boxes, with a notch at both of its ends; null where there is none. */
  split: { line: Rows; notch: Rows; notchWidth: number } | null
  /** Null where none are shown. Letters may reach beyond their width, such as the tail of a j, within `room`. */
  labels: { size: number; baseline: number; room: number; rows: Rows } | null
}

const DIGITS = [...'0123456789']

/** Their labels keep the size that they have in mails that were already sent, and no room beyond their width. */
const unchanged: readonly MailLanguage[] = ['en', 'pl']

export function layOut(style: TimerStyle, language: MailLanguage, typefaces: Typefaces): Layout {
  const parts = partsOf(style)
  const width = style.width * style.pixelsPerPoint
  const height = style.height * style.pixelsPerPoint
  const columnWidth = width / style.units.length
  const margin = Math.max(1, Math.round(Math.min(columnWidth * 0.04, height * 0.06)))
  const gap = style.gap === null ? margin : Math.round((style.gap * style.pixelsPerPoint) / 2)
  const side = Math.min(gap, Math.floor(columnWidth / 4))
  // Labels in the box keep away from its corners.
  const room = parts.areLabelsInside ? (columnWidth - 2 * side) * 0.88 : columnWidth * 0.94
  const end = parts.areLabelsInside ? height - margin - Math.round(height * 0.09) : height - margin
  const lowest = style.showLabels ? labelLayout(style, language, typefaces.labels, { room, end }) : null
  const above = lowest === null ? height - margin : lowest.rows.start - Math.round(lowest.size * 0.3)
  const box = boxOf(style, parts, {
    columnWidth,
    side,
    margin,
    bottom: parts.areLabelsInside ? height - margin : above,
  })
  // With labels in the box the digits move down a little, or they would be too close to its top.
  const top = parts.areLabelsInside && lowest !== null ? box.top + Math.round(box.height * 0.06) : box.top
  const around = parts.edge === 'ring' ? box : { ...box, top, height: above - top }
  const stroke = Math.max(1, parts.edge === 'ring' ? box.width * 0.07 : 2 * style.pixelsPerPoint)
  const digits = digitLayout(style, parts, around, stroke, typefaces.digits)
  const labels = lowest === null ? null : raised(lowest, spareAbove(parts, above, box, digits))
  return {
    ...{ width, height, columnWidth, box, stroke, digits, labels },
    changing: parts.edge === 'ring' ? { start: box.top, end: box.top + box.height } : digits.rows,
    split: parts.isSplit ? splitOf(box, digits, style.pixelsPerPoint) : null,
  }
}

type Room = { columnWidth: number; side: number; margin: number; bottom: number }

/** A ring is as wide as it is high. */
function boxOf(style: TimerStyle, parts: Parts, { columnWidth, side, margin, bottom }: Room): Box {
  const most = { width: columnWidth - 2 * side, height: bottom - margin }
  if (parts.edge !== 'ring') {
    // Rounder corners would cut into labels that stand in the box.
    const roundest = parts.areLabelsInside && style.showLabels ? most.height * 0.16 : most.height / 2
    const radius = Math.min(style.cornerRadius * style.pixelsPerPoint, most.width / 2, roundest)
    return { left: side, top: margin, ...most, radius }
  }
  const fits = Math.min(most.width, most.height)
  const size = fits - ((columnWidth - fits) % 2)
  const top = margin + Math.floor((most.height - size) / 2)
  return { left: (columnWidth - size) / 2, top, width: size, height: size, radius: size / 2 }
}

/** Three digits fit into a box. Their height is whole pixels, so that their flat ends are sharp. */
function digitLayout(style: TimerStyle, parts: Parts, box: Box, stroke: number, typeface: Typeface): Layout['digits'] {
  const glyphs = DIGITS.map(typeface)
  const advance = Math.max(...glyphs.map((glyph) => glyph.advance))
  const bounds = glyphs.map(({ outline }) => boundsOf(outline))
  const flat = -boundsOf(typeface('7').outline).top
  const isBare = !parts.isFilled && parts.edge === 'none'
  const isRing = parts.edge === 'ring'
  const tallest = (share: number, wide: number) =>
    Math.min(box.height * share, ((box.width * wide) / 3) * (flat / advance))
  const usual = isRing ? tallest(0.43, 0.7) : isBare ? tallest(0.66, 0.94) : tallest(0.43, 0.88)
  // What the style asks for, as far as it has room.
  const asked = (style.digitSize ?? 0) * style.pixelsPerPoint * flat
  const most = isRing ? tallest(0.5, 0.76) : tallest(0.8, 0.96)
  let rise = Math.floor(style.digitSize === null ? usual : Math.min(asked, most))
  const [highest, lowest] = [Math.min(...bounds.map(({ top }) => top)), Math.max(...bounds.map(({ bottom }) => bottom))]
  // Larger digits would be drawn over the edge of the box, which is smoothed over one pixel.
  const edge = parts.edge === 'line' ? stroke + 1 : 1
  const fits = (scale: number) => isWithin(box, edge, 3 * Math.round(advance * scale), (lowest - highest) * scale)
  if (!isRing && !isBare) while (rise > 1 && !fits(rise / flat)) rise -= 1
  const size = rise / flat
  const baseline = box.top + Math.round((box.height + rise) / 2)
  return {
    size,
    baseline,
    cell: Math.max(1, Math.round(advance * size)),
    rows: {
      start: baseline + Math.floor(highest * size),
      end: baseline + Math.ceil(lowest * size),
    },
  }
}

/** Whether a rectangle in the middle of a box with round corners keeps away from its edge. */
function isWithin(box: Box, edge: number, width: number, height: number): boolean {
  const radius = Math.max(0, box.radius - edge)
  const across = radius + edge - (box.width - width) / 2
  const down = radius + edge - (box.height - height) / 2
  return across <= radius && (across <= 0 || down <= 0 || Math.hypot(across, down) <= radius)
}

function labelLayout(
  style: TimerStyle,
  language: MailLanguage,
  typeface: Typeface,
  { room, end }: { room: number; end: number },
): NonNullable<Layout['labels']> {
  const forms = style.units.map((_, column) => [...new Set(wordsOf(style, language, column))])
  const words = new Set(forms.flat())
  const widest = Math.max(...forms.map((one) => reachOf(one, language, typeface)))
  const high = style.height * style.pixelsPerPoint
  const asked = style.labelSize === null ? high * 0.125 : Math.min(style.labelSize * style.pixelsPerPoint, high * 0.25)
  const size = Math.min(asked, room / widest)
  const bounds = [...new Set([...words].join(''))].map((letter) => boundsOf(typeface(letter).outline))
  const rise = Math.ceil(-Math.min(...bounds.map(({ top }) => top)) * size)
  const fall = Math.ceil(Math.max(...bounds.map(({ bottom }) => bottom)) * size)
  const kept = unchanged.includes(language) ? 0 : room
  return { size, baseline: end - fall, room: kept, rows: { start: end - fall - rise, end } }
}

/**
 * The width that the forms of a word need in the middle of a column, in ems. Forms that differ only in their endings
 * begin in the same place (atlas.ts), so the longest reaches further to the right.
 */
function reachOf(words: string[], language: MailLanguage, typeface: Typeface): number {
  const widths = words.map((word) => advanceOf(word, typeface))
  const [least, most] = [Math.min(...widths), Math.max(...widths)]
  return unchanged.includes(language) || !areForms(words) ? most : most + (most - least) / 2
}

/** How many rows the labels move up, to stay close to a ring or to bare digits that are not as high as their room. */
function spareAbove(parts: Parts, above: number, box: Box, { rows }: Layout['digits']): number {
  if (parts.edge === 'ring') return above - box.top - box.height
  if (parts.isFilled || parts.edge === 'line') return 0
  return Math.max(0, Math.floor(box.height / 2) - (rows.end - rows.start))
}

function raised({ baseline, rows, ...rest }: NonNullable<Layout['labels']>, by: number): Layout['labels'] {
  return { ...rest, baseline: baseline - by, rows: { start: rows.start - by, end: rows.end - by } }
}

/** Through the middle of the digits. */
function splitOf(box: Box, digits: Layout['digits'], pixelsPerPoint: number): Layout['split'] {
  const middle = Math.round((digits.rows.start + digits.rows.end) / 2)
  const around = (height: number) => {
    const start = middle - Math.floor(height / 2)
    return { start, end: start + height }
  }
  const thickness = Math.round(1.5 * pixelsPerPoint)
  const notch = around(thickness + 2 * Math.round(box.height * 0.04))
  return { line: around(thickness), notch, notchWidth: Math.round(box.width * 0.02) }
}
