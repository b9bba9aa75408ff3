// Draws every preset at the ends of its settings, in light and dark, to be looked at: node bench/image-sheets.ts FOLDER
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import type { MailLanguage } from '../src/core/mail-language.ts'
import { checkTimerStyle, fullTimerStyle, type GivenTimerStyle, timerPresets } from '../src/core/timer-style.ts'
import { buildTemplate } from '../src/countdown/build.ts'
import { openTypefaces } from '../src/countdown/fonts.ts'
import { openTemplate } from '../src/countdown/packed.ts'
import { render } from '../src/countdown/render.ts'

const folder = process.argv[2]
if (folder === undefined) throw new Error('name a folder for the pictures')

const running = 2 * 86_400 + 13 * 3_600 + 7 * 60 + 42
const [far, near] = [128 * 86_400 + 59, 21]
const dark = { background: '#0f172a', box: '#334155', digits: '#f8fafc', labels: '#cbd5e1' } as const
const own = { days: 'Tage', hours: 'Std.', minutes: 'Min.', seconds: 'Sek.' }
type Row = [language: MailLanguage, style: GivenTimerStyle, secondsLeft?: number]
const rows: Row[] = [
  ['en', {}],
  ['pl', { uppercase: true }, far],
  ['uk', { font: 'montserrat' }, near],
  ['de', { font: 'oswald', width: 200, height: 200 }, far],
  ['pl', { font: 'roboto-mono', width: 200, height: 50 }, near],
  ['en', { font: 'lato', height: 50, showLabels: false }],
  ['uk', { font: 'roboto', height: 50 }, far],
  ['en', { digitSize: 160, labelSize: 40, gap: 0, cornerRadius: 40 }],
  ['pl', { digitSize: 10, labelSize: 6, gap: 40, cornerRadius: 0 }],
  ['de', { labelTexts: own, units: ['hours', 'minutes'], width: 300, height: 120, pixelsPerPoint: 1 }],
  ['uk', { units: ['days'], width: 200, height: 140, pixelsPerPoint: 1 }, far],
  ['en', { whenOver: { show: 'text', text: 'The offer is over. See what comes next' } }, 0],
  ['uk', { width: 240, height: 60, whenOver: { show: 'text', text: 'Пропозиція закінчилася' } }, 0],
  ['pl', { background: 'transparent', cornerRadius: 20 }],
  ['en', { background: 'transparent', width: 240, height: 60, pixelsPerPoint: 1 }],
]

async function draw(given: GivenTimerStyle, language: MailLanguage, secondsLeft: number): Promise<Buffer> {
  const style = fullTimerStyle(given)
  const template = openTemplate(buildTemplate(style, language, openTypefaces(style.font, language)))
  if (template === undefined) throw new Error('the template does not open')
  const gif = Buffer.alloc(template.mostBytes)
  const length = render(template, secondsLeft * 1_000, gif)
  // At the pixels of a sharp screen.
  return sharp(gif.subarray(0, length))
    .resize({ width: style.width * 2, kernel: 'nearest' })
    .png()
    .toBuffer()
}

const isAllowed = (style: GivenTimerStyle) => checkTimerStyle(style, '', []) !== undefined

mkdirSync(folder, { recursive: true })
for (const preset of timerPresets) {
  for (const [scheme, page, colours] of [
    ['light', '#ffffff', {}],
    ['dark', '#1f1f1f', dark],
  ] as const) {
    const shown = rows
      .map(([language, style, left = running]) => ({ language, left, style: { ...colours, preset, ...style } }))
      .filter(({ style }) => isAllowed(style))
    const pictures = await Promise.all(shown.map(({ style, language, left }) => draw(style, language, left)))
    let top = 10
    const placed = pictures.map((input, index) => {
      const { height, width } = fullTimerStyle(shown[index]?.style ?? {})
      const small = width <= 300
      const left = small && index % 2 === 1 ? 660 : 10
      const place = { input, left, top }
      top += height * 2 + 20
      return place
    })
    await sharp({ create: { width: 1_220, height: top, channels: 3, background: page } })
      .composite(placed)
      .png()
      .toFile(join(folder, `${preset}-${scheme}.png`))
  }
}
