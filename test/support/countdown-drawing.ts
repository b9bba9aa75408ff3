// What a countdown image has to show, drawn pixel by pixel, without what the image is compressed from.
import type { MailLanguage } from '../../src/core/mail-language.ts'
import { fontOfWords, type TimerFont } from '../../src/core/timer-font.ts'
import {
  fullTimerStyle,
  type GivenTimerStyle,
  type TimerStyle,
  type TimerUnit,
  timerUnits,
} from '../../src/core/timer-style.ts'
import { type Atlas, type Bitmap, drawAtlas } from '../../src/countdown/atlas.ts'
import { buildTemplate } from '../../src/countdown/build.ts'
import { openTypefaces } from '../../src/countdown/fonts.ts'
import { type Layout, layOut, type Typefaces } from '../../src/countdown/layout.ts'
import { openTemplate } from '../../src/countdown/packed.ts'
import { aroundPlace, paletteBytes } from '../../src/countdown/palette.ts'
import type { Template } from '../../src/countdown/template.ts'
import { wordsOf } from '../../src/countdown/words.ts'

export type Scene = {
  style: TimerStyle
  language: MailLanguage
  layout: Layout
  template: Template
  /** Red, green, blue and opacity of each pixel of the picture with so many whole seconds left. */
  picture: (secondsLeft: number) => Uint8Array
}

/** As people say it in each language: written here once more, and chosen by rules of its own for English and Polish. */
const words: Partial<Record<MailLanguage, string[][]>> = {
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

const inSeconds = { days: 86_400, hours: 3_600, minutes: 60, seconds: 1 }

/** 1; 2 to 4 but not 12 to 14; all others. Of the other languages the words have a test of their own. */
function wordFor({ style, language }: Scene, column: number, value: number): string {
  const forms = words[language]?.[timerUnits.indexOf(style.units[column] as TimerUnit)]
  if (forms === undefined || style.uppercase || Object.keys(style.labelTexts).length > 0)
    return wordsOf(style, language, column)[value] as string
  const isFew = value % 10 >= 2 && value % 10 <= 4 && !(value % 100 >= 12 && value % 100 <= 14)
  const form = value === 1 ? 0 : isFew ? 1 : 2
  return forms[form] as string
}

const opened = new Map<string, Typefaces>()

/** Opened once: to read their files takes long. */
export function typefacesOf(font: TimerFont, language: MailLanguage): Typefaces {
  const key = `${font} ${fontOfWords(font, language)}`
  const typefaces = opened.get(key) ?? openTypefaces(font, language)
  opened.set(key, typefaces)
  return typefaces
}

export function makeScene(given: GivenTimerStyle, language: MailLanguage): Scene {
  const style = fullTimerStyle(given)
  const typefaces = typefacesOf(style.font, language)
  const layout = layOut(style, language, typefaces)
  const forms = style.units.map((_, column) => [...new Set(wordsOf(style, language, column))])
  const atlas = drawAtlas(style, layout, forms, typefaces)
  const template = openTemplate(buildTemplate(style, language, typefaces))
  if (template === undefined) throw new Error('the template does not open')
  const scene: Scene = { style, language, layout, template, picture: () => new Uint8Array() }
  scene.picture = pictures(scene, atlas)
  return scene
}

function pictures(scene: Scene, atlas: Atlas) {
  const { style, layout } = scene
  const colours = coloursOf(style)
  const columns = new Map<string, Uint32Array>()
  const column = (place: number, value: number) => {
    const key = `${place} ${value}`
    const drawn = columns.get(key) ?? drawColumn(scene, atlas, place, value, colours)
    columns.set(key, drawn)
    return drawn
  }
  return (secondsLeft: number) => {
    const whole = new Uint32Array(layout.width * layout.height)
    for (const [place, value] of shownValues(style, secondsLeft).entries()) {
      const drawn = column(place, value)
      for (let y = 0; y < layout.height; y++) {
        const row = drawn.subarray(y * layout.columnWidth, (y + 1) * layout.columnWidth)
        whole.set(row, y * layout.width + place * layout.columnWidth)
      }
    }
    return new Uint8Array(whole.buffer)
  }
}

/** Each unit takes from what the larger ones shown have left; while there is time, at least one of the smallest. */
export function shownValues({ units }: TimerStyle, secondsLeft: number): number[] {
  const least = inSeconds[units.at(-1) as TimerUnit]
  const counted = secondsLeft > 0 && secondsLeft < least ? least : secondsLeft
  return units.map((unit, column) => {
    const larger = units[column - 1]
    const within = larger === undefined ? counted : counted % inSeconds[larger]
    return Math.min(999, Math.floor(within / inSeconds[unit]))
  })
}

const fullRing = { days: 30, hours: 24, minutes: 60, seconds: 60 }

/** Asks for each pixel what lies there: the line that cuts, a digit, a letter, or the box. */
function drawColumn(scene: Scene, atlas: Atlas, place: number, value: number, colours: Uint32Array): Uint32Array {
  const { columnWidth, height, box, digits, labels, split } = scene.layout
  const shown = value < 10 ? `0${value}` : `${value}`
  const firstCell = box.left + Math.round((box.width - shown.length * digits.cell) / 2)
  const label = atlas.words.get(wordFor(scene, place, value))
  const empty = atlas.columnOf(Math.min(1, value / fullRing[scene.style.units[place] as TimerUnit]))
  const placeAt = (x: number, y: number) => {
    if (split !== null && y >= split.line.start && y < split.line.end) return empty.places[y * columnWidth + x]
    const digit = shown[Math.floor((x - firstCell) / digits.cell)]
    if (digit !== undefined && y >= digits.rows.start && y < digits.rows.end) {
      const bitmap = atlas.digits[Number(digit)] as Bitmap
      return bitmap.places[(y - digits.rows.start) * digits.cell + ((x - firstCell) % digits.cell)]
    }
    const inWord = label !== undefined && x >= label.left && x < label.left + label.width
    if (labels !== null && inWord && y >= labels.rows.start && y < labels.rows.end) {
      return label.places[(y - labels.rows.start) * label.width + x - label.left]
    }
    return empty.places[y * columnWidth + x]
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
  // Where nothing is drawn.
  if (style.background === 'transparent') bytes.fill(0, aroundPlace * 4, aroundPlace * 4 + 4)
  return new Uint32Array(bytes.buffer)
}
