// What a countdown image has to show, drawn pixel by pixel, without what the image is compressed from.
import type { Language } from '../../src/core/offer.ts'
import { fullTimerStyle, type GivenTimerStyle, type TimerStyle } from '../../src/core/timer-style.ts'
import { type Atlas, type Bitmap, drawAtlas } from '../../src/countdown/atlas.ts'
import { buildTemplate } from '../../src/countdown/build.ts'
import { openTypefaces } from '../../src/countdown/fonts.ts'
import { type Layout, layOut } from '../../src/countdown/layout.ts'
import { paletteBytes } from '../../src/countdown/palette.ts'
import { openTemplate, type Template } from '../../src/countdown/template.ts'

export type Scene = {
  style: TimerStyle
  language: Language
  layout: Layout
  template: Template
  /** Red, green, blue and opacity of each pixel of the picture with so many whole seconds left. */
  picture: (secondsLeft: number) => Uint8Array
}

const words: Record<Language, string[][]> = {
  en: [
    ['day', 'days', 'days'],
    ['hour', 'hours', 'hours'],
    ['minute', 'minutes', 'minutes'],
    ['second', 'seconds', 'seconds'],
  ],
  pl: [
    ['dzień', 'dni', 'dni'],
    ['godzina', 'godziny', 'godzin'],
    ['minuta', 'minuty', 'minut'],
    ['sekunda', 'sekundy', 'sekund'],
  ],
}

/** 1; 2 to 4 but not 12 to 14; all others. */
export function wordFor(language: Language, column: number, value: number): string {
  const isFew = value % 10 >= 2 && value % 10 <= 4 && !(value % 100 >= 12 && value % 100 <= 14)
  const form = value === 1 ? 0 : isFew ? 1 : 2
  return (words[language][column] as string[])[form] as string
}

export function makeScene(given: GivenTimerStyle, language: Language): Scene {
  const style = fullTimerStyle(given)
  const typefaces = openTypefaces(style.font, language)
  const layout = layOut(style, language, typefaces)
  const forms = words[language].map((column) => [...new Set(column)])
  const atlas = drawAtlas(layout, forms, typefaces)
  const template = openTemplate(buildTemplate(style, language, typefaces))
  if (template === undefined) throw new Error('the template does not open')
  return { style, language, layout, template, picture: pictures(style, language, layout, atlas) }
}

function pictures(style: TimerStyle, language: Language, layout: Layout, atlas: Atlas) {
  const colours = coloursOf(style)
  const columns = new Map<string, Uint32Array>()
  const column = (place: number, value: number) => {
    const key = `${place} ${value}`
    const drawn = columns.get(key) ?? drawColumn(layout, atlas, value, wordFor(language, place, value), colours)
    columns.set(key, drawn)
    return drawn
  }
  return (secondsLeft: number) => {
    const days = Math.min(999, Math.floor(secondsLeft / 86_400))
    const [hours, minutes] = [Math.floor(secondsLeft / 3_600) % 24, Math.floor(secondsLeft / 60) % 60]
    const whole = new Uint32Array(layout.width * layout.height)
    for (const [place, value] of [days, hours, minutes, secondsLeft % 60].entries()) {
      const drawn = column(place, value)
      for (let y = 0; y < layout.height; y++) {
        const row = drawn.subarray(y * layout.columnWidth, (y + 1) * layout.columnWidth)
        whole.set(row, y * layout.width + place * layout.columnWidth)
      }
    }
    return new Uint8Array(whole.buffer)
  }
}

/** Asks for each pixel what lies there: a digit, a letter, or the box. */
function drawColumn(layout: Layout, atlas: Atlas, value: number, word: string, colours: Uint32Array): Uint32Array {
  const { columnWidth, height, box, digits, labels } = layout
  const shown = value < 10 ? `0${value}` : `${value}`
  const firstCell = box.left + Math.round((box.width - shown.length * digits.cell) / 2)
  const label = atlas.words.get(word) as Bitmap & { left: number }
  const placeAt = (x: number, y: number) => {
    const digit = shown[Math.floor((x - firstCell) / digits.cell)]
    if (digit !== undefined && y >= digits.rows.start && y < digits.rows.end) {
      const bitmap = atlas.digits[Number(digit)] as Bitmap
      return bitmap.places[(y - digits.rows.start) * digits.cell + ((x - firstCell) % digits.cell)]
    }
    const inWord = x >= label.left && x < label.left + label.width
    if (labels !== null && inWord && y >= labels.rows.start && y < labels.rows.end) {
      return label.places[(y - labels.rows.start) * label.width + x - label.left]
    }
    return atlas.column.places[y * columnWidth + x]
  }
  return Uint32Array.from({ length: columnWidth * height }, (_, at) => {
    return colours[placeAt(at % columnWidth, Math.floor(at / columnWidth)) as number] as number
  })
}

/** The bytes red, green, blue and 255, as one number in the order of this machine. */
function coloursOf(style: TimerStyle): Uint32Array {
  const palette = paletteBytes(style)
  const bytes = new Uint8Array((palette.length / 3) * 4).fill(255)
  for (let place = 0; place * 3 < palette.length; place++)
    bytes.set(palette.subarray(place * 3, place * 3 + 3), place * 4)
  return new Uint32Array(bytes.buffer)
}
