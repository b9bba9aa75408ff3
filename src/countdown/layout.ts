import type { MailLanguage } from '../core/mail-language.ts'
import type { TimerStyle } from '../core/timer-style.ts'
import { advanceOf, boundsOf, type Typeface } from './outline.ts'
import { fields } from './time-left.ts'
import { wordsOf } from './words.ts'

export type Typefaces = { digits: Typeface; labels: Typeface }

/** Rows of the picture, `end` not included. */
export type Rows = { start: number; end: number }

/**
 * Where everything lies, in pixels. The picture is four columns of one width with a box in each; rows with
 * digits and rows with labels never meet.
 */
export type Layout = {
  width: number
  height: number
  columnWidth: number
  box: { left: number; top: number; width: number; height: number; radius: number }
  /** One em of the digits, the row they stand on, and the width that each of them is given. */
  digits: { size: number; baseline: number; cell: number; rows: Rows }
  /** Null where none are shown. */
  labels: { size: number; baseline: number; rows: Rows } | null
}

const DIGITS = [...'0123456789']

export function layOut(style: TimerStyle, language: MailLanguage, typefaces: Typefaces): Layout {
  const width = style.width * style.pixelsPerPoint
  const height = style.height * style.pixelsPerPoint
  const columnWidth = width / 4
  const margin = Math.max(1, Math.round(Math.min(columnWidth * 0.04, height * 0.06)))
  const labels = style.showLabels ? labelLayout(columnWidth, height, margin, language, typefaces.labels) : null
  const bottom = labels === null ? height - margin : labels.rows.start - Math.round(labels.size * 0.3)
  const box = {
    left: margin,
    top: margin,
    width: columnWidth - 2 * margin,
    height: bottom - margin,
    radius: 0,
  }
  box.radius = Math.min(style.cornerRadius * style.pixelsPerPoint, box.width / 2, box.height / 2)
  return { width, height, columnWidth, box, digits: digitLayout(box, typefaces.digits), labels }
}

/** Three digits fit into a box. Their height is whole pixels, so that their flat ends are sharp. */
function digitLayout(box: Layout['box'], typeface: Typeface): Layout['digits'] {
  const glyphs = DIGITS.map(typeface)
  const advance = Math.max(...glyphs.map((glyph) => glyph.advance))
  const bounds = glyphs.map(({ outline }) => boundsOf(outline))
  const flat = -boundsOf(typeface('7').outline).top
  const tallest = Math.min(box.height * 0.43, ((box.width * 0.88) / 3) * (flat / advance))
  const rise = Math.floor(tallest)
  const size = rise / flat
  const baseline = box.top + Math.round((box.height + rise) / 2)
  return {
    size,
    baseline,
    cell: Math.max(1, Math.round(advance * size)),
    rows: {
      start: baseline + Math.floor(Math.min(...bounds.map(({ top }) => top)) * size),
      end: baseline + Math.ceil(Math.max(...bounds.map(({ bottom }) => bottom)) * size),
    },
  }
}

function labelLayout(
  columnWidth: number,
  height: number,
  margin: number,
  language: MailLanguage,
  typeface: Typeface,
): NonNullable<Layout['labels']> {
  const words = new Set(fields.flatMap((field) => wordsOf(language, field)))
  const widest = Math.max(...[...words].map((word) => advanceOf(word, typeface)))
  const size = Math.min(height * 0.125, (columnWidth * 0.94) / widest)
  const bounds = [...new Set([...words].join(''))].map((letter) => boundsOf(typeface(letter).outline))
  const rise = Math.ceil(-Math.min(...bounds.map(({ top }) => top)) * size)
  const fall = Math.ceil(Math.max(...bounds.map(({ bottom }) => bottom)) * size)
  const end = height - margin
  return { size, baseline: end - fall, rows: { start: end - fall - rise, end } }
}
