// What an image shows from the deadline on, in place of zeros.
import { inFontLetters } from '../core/timer-font.ts'
import type { TimerStyle } from '../core/timer-style.ts'
import { addText, drawBox, toBitmap } from './atlas.ts'
import { fileHead, imageHead, subBlocks, TRAILER, transparentPicture } from './gif.ts'
import type { Layout } from './layout.ts'
import { compress } from './lzw.ts'
import { advanceOf, type Typeface } from './outline.ts'
import { aroundPlace, CODE_SIZE, clearPlaceOf, groundPlace, paintOf, paletteBytes } from './palette.ts'
import { partsOf } from './presets.ts'
import { blankCanvas } from './rasterise.ts'

/**
 * The last frame of an animation that plays at the deadline, and the whole image for later requests. Both are empty if
 * the style shows zeros then.
 */
type Over = { overFrame: Uint8Array; overImage: Uint8Array }

export function drawOver(style: TimerStyle, layout: Layout, typeface: Typeface): Over {
  const { width, height } = layout
  const { isFilled } = partsOf(style)
  if (style.whenOver.show === 'text') {
    const frame = wholeFrame(style, layout, drawText(style, layout, style.whenOver.text, typeface))
    const file = fileHead(width, height, paletteBytes(style))
    return { overFrame: frame, overImage: Uint8Array.from([...file, ...frame, TRAILER]) }
  }
  if (style.whenOver.show === 'zeros') return { overFrame: new Uint8Array(), overImage: new Uint8Array() }
  const blank = new Uint8Array(width * height).fill(isFilled ? aroundPlace : groundPlace)
  // What is drawn cannot become transparent again: an animation on a transparent background stays at zeros.
  const overFrame = style.background === 'transparent' ? new Uint8Array() : wholeFrame(style, layout, blank)
  return { overFrame, overImage: transparentPicture(width, height) }
}

function wholeFrame(style: TimerStyle, { width, height }: Layout, places: Uint8Array): Uint8Array {
  const head = imageHead({ left: 0, top: 0, width, height }, CODE_SIZE, clearPlaceOf(style))
  return Uint8Array.from([...head, ...subBlocks(compress(places, CODE_SIZE, 'whole'))])
}

/** Draws the text in one box, from the left side of the first box to the right side of the last. */
function drawText(style: TimerStyle, layout: Layout, text: string, typeface: Typeface): Uint8Array {
  const { width, height, stroke } = layout
  const { left, top } = layout.box
  const paint = paintOf(style)
  const box = { ...layout.box, left: Math.min(left, top), top, height: height - 2 * top }
  box.width = width - 2 * box.left
  const radius = Math.min(style.cornerRadius * style.pixelsPerPoint, box.height / 2)
  // An open mail lays this picture over the last one: what is transparent here would show its corners.
  box.radius = style.background === 'transparent' ? Math.min(radius, layout.box.radius) : radius
  const { places } = drawBox({ width, height }, box, stroke, partsOf(style), paint)
  const { lines, size } = linesOf(text, box.width * 0.92, box.height, typeface)
  const canvas = blankCanvas(width, height)
  // About the height of capitals in all of the fonts.
  const rise = size * 0.72
  const step = size * 1.25
  const first = height / 2 + rise / 2 - ((lines.length - 1) * step) / 2
  for (const [index, line] of lines.entries()) {
    const x = (width - advanceOf(line, typeface) * size) / 2
    addText(canvas, line, typeface, { x, y: Math.round(first + index * step), scale: size })
  }
  const letters = toBitmap(canvas, paint.digit).places
  return places.map((place, at) => (letters[at] === groundPlace ? place : (letters[at] as number)))
}

/**
 * One line or two, whichever gives the larger letters; of several ways, the one whose lines are most alike in width.
 */
function linesOf(text: string, width: number, height: number, typeface: Typeface): { lines: string[]; size: number } {
  // At a no-break space no line ends.
  const words = inFontLetters(text).trim().split(/ +/)
  const choices = [words.length, ...words.keys()]
    .filter((at) => at > 0)
    .map((at) => {
      const lines = [words.slice(0, at), words.slice(at)].map((part) => part.join(' ')).filter((line) => line !== '')
      const widest = Math.max(...lines.map((line) => advanceOf(line, typeface)))
      return { lines, widest, size: Math.min(width / widest, (height * 0.34) / (lines.length === 1 ? 1 : 1.2)) }
    })
    .sort((one, other) => other.size - one.size || one.widest - other.widest)
  return choices[0] as (typeof choices)[0]
}
