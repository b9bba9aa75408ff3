// The fonts of countdown images and the letters they have; a test compares this with their files.
import type { MailLanguage } from './mail-language.ts'

/** src/countdown/fonts.ts finds them; each is under the SIL Open Font License. */
export const timerFonts = ['inter', 'lato', 'montserrat', 'oswald', 'roboto', 'roboto-mono'] as const
export type TimerFont = (typeof timerFonts)[number]

const letters = /^[ -~\u00a0-¬®-ňŊ-žȘ-țЀ-џҐґ–—‘’“”„•…€]$/
/** Of the Latin letters beyond western Europe it has the Polish ones and few more. */
const lettersOfLato = /^[ -~\u00a0-¬®-ÿĄ-ćĘęıŁ-ńŒœŚśŠšŸ-ž–—‘’“”„•…€]$/
const beyondLato: readonly MailLanguage[] = ['cs', 'uk']

/** The fonts that have all letters of a language. */
export function fontsFor(language: MailLanguage): TimerFont[] {
  return timerFonts.filter((font) => font !== 'lato' || !beyondLato.includes(language))
}

/** The font of a language's words: the chosen one, unless it lacks letters. */
export function fontOfWords(font: TimerFont, language: MailLanguage): TimerFont {
  return fontsFor(language).includes(font) ? font : 'inter'
}

/** A text in the letters that fonts have: each in one piece, and no narrow no-break spaces. */
export const inFontLetters = (text: string): string => text.normalize('NFC').replaceAll('\u202f', '\u00a0')

/** The first character of a text that the font lacks, in this form or as a capital. */
export function missingLetter(font: TimerFont, text: string): string | undefined {
  const known = font === 'lato' ? lettersOfLato : letters
  return [...text].find((character) => ![character, ...character.toUpperCase()].every((one) => known.test(one)))
}
