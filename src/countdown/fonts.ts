import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Font, parse } from 'opentype.js/dist/opentype.mjs'
import type { TimerFont } from '../core/timer-style.ts'
import type { Typefaces } from './layout.ts'
import type { Typeface } from './outline.ts'

/** The fonts of the packages @fontsource/…: digits bold, labels regular. */
export function openTypefaces(font: TimerFont): Typefaces {
  return { digits: openTypeface(font, 700), labels: openTypeface(font, 400) }
}

/** A font is cut into files by script; what the first lacks, the Polish ń for one, the second has. */
function openTypeface(name: TimerFont, weight: 400 | 700): Typeface {
  const parts = ['latin', 'latin-ext'].map((script) => openFont(name, `${name}-${script}-${weight}-normal`))
  return (character) => {
    for (const font of parts) {
      const glyph = font.charToGlyph(character)
      if (glyph.index === 0) continue // the sign for a missing character
      const advance = glyph.advanceWidth / font.unitsPerEm
      return { advance, outline: glyph.getPath(0, 0, 1).commands }
    }
    throw new Error(`the font ${name} has no ${character}`)
  }
}

function openFont(name: TimerFont, file: string): Font {
  const bytes = readFileSync(fileURLToPath(import.meta.resolve(`@fontsource/${name}/files/${file}.woff`)))
  return parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}
