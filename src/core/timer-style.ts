import {
  type Check,
  choice,
  type Fault,
  flag,
  join,
  list,
  nullOr,
  optional,
  record,
  refuse,
  text,
  variant,
  wholeNumber,
} from './fault.ts'
import { inFontLetters, missingLetter, type TimerFont, timerFonts } from './timer-font.ts'

/** src/countdown/presets.ts says which parts each is put together from. */
export const timerPresets = ['boxes', 'flat', 'outline', 'rings', 'flip', 'card'] as const
export type TimerPreset = (typeof timerPresets)[number]

/** What a picture can show, in this order. */
export const timerUnits = ['days', 'hours', 'minutes', 'seconds'] as const
export type TimerUnit = (typeof timerUnits)[number]

/** `#rrggbb`, in either case. */
export type Colour = `#${string}`

type WhenOver = { show: 'zeros' } | { show: 'nothing' } | { show: 'text'; text: string }

/** How a countdown image looks. Lengths are in points; `pixelsPerPoint` says how fine each is drawn. */
export type TimerStyle = {
  preset: TimerPreset
  font: TimerFont
  background: Colour | 'transparent'
  box: Colour
  digits: Colour
  labels: Colour
  showLabels: boolean
  /** Neighbours, in their order. The first one shown takes what larger ones would have had. */
  units: readonly TimerUnit[]
  /** In place of the language's words. */
  labelTexts: { [K in TimerUnit]?: string | undefined }
  uppercase: boolean
  /** Null: as large, or as wide, as suits the picture. */
  digitSize: number | null
  labelSize: number | null
  gap: number | null
  width: number
  height: number
  cornerRadius: number
  pixelsPerPoint: 1 | 2
  whenOver: WhenOver
}

/** As a campaign file gives it: what is left out is taken from the default style when the image is drawn. */
export type GivenTimerStyle = { [K in keyof TimerStyle]?: TimerStyle[K] | undefined }

export const defaultTimerStyle: TimerStyle = Object.freeze<TimerStyle>({
  preset: 'boxes',
  font: 'inter',
  background: '#ffffff',
  box: '#111827',
  digits: '#ffffff',
  labels: '#4b5563',
  showLabels: true,
  units: timerUnits,
  labelTexts: {},
  uppercase: false,
  digitSize: null,
  labelSize: null,
  gap: null,
  width: 600,
  height: 140,
  cornerRadius: 10,
  pixelsPerPoint: 2,
  whenOver: { show: 'zeros' },
})

/** Colours that differ from the default style because digits or labels are on another ground. */
const onBackground = { digits: '#111827' } as const
const inBox = { labels: '#d1d5db' } as const
const presetColours: Record<TimerPreset, Partial<TimerStyle>> = {
  boxes: {},
  flip: {},
  card: inBox,
  flat: onBackground,
  outline: onBackground,
  rings: { ...onBackground, box: '#2563eb' },
}

/**
 * Presets whose digits are on the colour of their box; in the others they are on the background. Smooth letters need a
 * colour behind them, so only these may have a transparent background.
 */
export const filledPresets: readonly TimerPreset[] = ['boxes', 'flip', 'card']

/** Whether the labels are in the boxes, below the digits. */
export function areLabelsInside({ preset, background }: GivenTimerStyle): boolean {
  return preset === 'card' || background === 'transparent'
}

/**
 * Pixels of one frame: the default size at two pixels per point. Mail programs may hold all 60 frames decoded, at four
 * bytes a pixel: 80 MB.
 */
export const MOST_FRAME_PIXELS = 336_000

const isColour = (value: string) => /^#[\da-f]{6}$/i.test(value)
const colour = text('a colour such as "#1f2937"', isColour) as Check<Colour>
const colourOrNone = text(
  'a colour such as "#1f2937", or "transparent"',
  (value) => value === 'transparent' || isColour(value),
) as Check<Colour | 'transparent'>

const eachKey = record<GivenTimerStyle>({
  preset: optional(choice(timerPresets)),
  font: optional(choice(timerFonts)),
  background: optional(colourOrNone),
  box: optional(colour),
  digits: optional(colour),
  labels: optional(colour),
  showLabels: optional(flag),
  units: optional(neighbours),
  labelTexts: optional(
    record<TimerStyle['labelTexts']>({
      days: optional(words(20)),
      hours: optional(words(20)),
      minutes: optional(words(20)),
      seconds: optional(words(20)),
    }),
  ),
  uppercase: optional(flag),
  digitSize: optional(nullOr(wholeNumber(10, 160))),
  labelSize: optional(nullOr(wholeNumber(6, 40))),
  gap: optional(nullOr(wholeNumber(0, 40))),
  width: optional(multipleOf4(200, 600)),
  height: optional(wholeNumber(50, 200)),
  cornerRadius: optional(wholeNumber(0, 40)),
  pixelsPerPoint: optional(wholeNumber(1, 2) as Check<1 | 2>),
  whenOver: optional(variant<WhenOver, 'show'>('show', { zeros: {}, nothing: {}, text: { text: words(60) } })),
})

/** Each key by itself, and then the picture that they make together. */
export const checkTimerStyle: Check<GivenTimerStyle> = (value, path, faults) => {
  const given = eachKey(value, path, faults)
  if (given === undefined) return undefined
  const style = fullTimerStyle(given)
  const faultsBefore = faults.length
  checkLetters(style, path, faults)
  if (style.background === 'transparent' && !filledPresets.includes(style.preset)) {
    const wanted = `must be a colour with the preset ${style.preset}, whose digits stand on it`
    refuse(faults, join(path, 'background'), `${wanted}; "transparent" takes ${filledPresets.join(', ')}`)
  }
  if (style.width % style.units.length !== 0) {
    const nearest = Math.max(204, style.width - (style.width % 12))
    refuse(faults, join(path, 'width'), `must be a multiple of 12 with three units, such as ${nearest}`)
  }
  const pixels = framePixels(style)
  if (pixels > MOST_FRAME_PIXELS) {
    const wanted = `must make a picture of at most ${MOST_FRAME_PIXELS} pixels`
    refuse(faults, path, `${wanted}: width × height × pixelsPerPoint² is ${pixels}`)
  }
  return faults.length === faultsBefore ? given : undefined
}

/** The style with everything that was left out filled in: two pixels per point, unless that is too large. */
export function fullTimerStyle(given: GivenTimerStyle): TimerStyle {
  const said = Object.entries(given).filter(([, value]) => value !== undefined)
  const colours = areLabelsInside(given) ? inBox : presetColours[given.preset ?? 'boxes']
  const full = { ...defaultTimerStyle, ...colours, ...(Object.fromEntries(said) as Partial<TimerStyle>) }
  const isTooFine = given.pixelsPerPoint === undefined && framePixels(full) > MOST_FRAME_PIXELS
  return isTooFine ? { ...full, pixelsPerPoint: 1 } : full
}

/** Every preset as it looks by itself. */
export const presetStyles: readonly TimerStyle[] = timerPresets.map((preset) => fullTimerStyle({ preset }))

function checkLetters({ font, labelTexts, whenOver }: TimerStyle, path: string, faults: Fault[]): void {
  const texts = Object.entries(labelTexts).map(([unit, label]) => [join(join(path, 'labelTexts'), unit), label])
  if (whenOver.show === 'text') texts.push([join(join(path, 'whenOver'), 'text'), whenOver.text])
  for (const [where = '', words = ''] of texts) {
    const missing = missingLetter(font, inFontLetters(words))
    if (missing === undefined) continue
    // By itself a mark, a space or a control character cannot be seen.
    const code = missing.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
    const letter = /[\p{C}\p{M}\p{Z}]/u.test(missing) ? `U+${code}` : missing
    refuse(faults, where, `has ${JSON.stringify(letter)}, which the font ${font} lacks: choose another font or letter`)
  }
}

function framePixels({ width, height, pixelsPerPoint }: TimerStyle): number {
  return width * height * pixelsPerPoint ** 2
}

/** The columns of the picture are equally wide, so that they can share their digits. */
function multipleOf4(least: number, most: number): Check<number> {
  const between = wholeNumber(least, most)
  return (value, path, faults) => {
    const kept = between(value, path, faults)
    if (kept === undefined || kept % 4 === 0) return kept
    return refuse(faults, path, `must be a multiple of 4, such as ${kept - (kept % 4)}`)
  }
}

/** Seconds alone would run on beyond 60: each second would need another picture. */
function neighbours(value: unknown, path: string, faults: Fault[]): TimerUnit[] | undefined {
  const units = list(choice(timerUnits), timerUnits.length)(value, path, faults)
  if (units === undefined) return undefined
  const all = timerUnits.join()
  const areNeighbours = units.length > 0 && all.includes(units.join()) && units.join() !== 'seconds'
  if (areNeighbours) return units
  return refuse(
    faults,
    path,
    `must be neighbours among ${all.replaceAll(',', ', ')}, in this order, and not only seconds`,
  )
}

function words(most: number): Check<string> {
  const fits = (value: string) => value.trim() !== '' && [...value].length <= most
  return text(`a text of 1 to ${most} characters, not blank`, fits)
}
