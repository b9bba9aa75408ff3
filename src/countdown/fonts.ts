import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Font, parse } from 'opentype.js/dist/opentype.mjs'
import type { MailLanguage } from '../core/mail-language.ts'
import { fontOfWords, type TimerFont } from '../core/timer-font.ts'
import type { Typefaces } from './layout.ts'
import type { Typeface } from './outline.ts'

const scripts = ['latin', 'latin-ext', 'cyrillic']

/** The fonts of the packages @fontsource/…: digits bold, labels regular. */
export function openTypefaces(font: TimerFont, language: MailLanguage): Typefaces {
  return { digits: openTypeface(font, 700), labels: openTypeface(fontOfWords(font, language), 400) }
}

/**
 * A font comes as one file for each script: letters that the first file lacks, such as the Polish ń, are in the second.
 */
function openTypeface(name: TimerFont, weight: 400 | 700): Typeface {
  const parts = scripts
    .map((script) => pathOf(name, `${name}-${script}-${weight}-normal`))
    .filter((path) => existsSync(path))
    .map(openFont)
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

function pathOf(name: TimerFont, file: string): string {
  return fileURLToPath(import.meta.resolve(`@fontsource/${name}/files/${file}.woff`))
}

function openFont(path: string): Font {
  const bytes = readFileSync(path)
  return parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}
