import { type Check, choice, flag, optional, record, refuse, text, wholeNumber } from './fault.ts'

/** src/countdown/fonts.ts finds them; each is under the SIL Open Font License. */
export const timerFonts = ['inter', 'lato', 'montserrat', 'oswald', 'roboto', 'roboto-mono'] as const
export type TimerFont = (typeof timerFonts)[number]

/** `#rrggbb`, in either case. */
export type Colour = `#${string}`

/** How a countdown image looks. Lengths are in points; `pixelsPerPoint` says how fine each is drawn. */
export type TimerStyle = {
  font: TimerFont
  background: Colour
  box: Colour
  digits: Colour
  labels: Colour
  showLabels: boolean
  width: number
  height: number
  cornerRadius: number
  pixelsPerPoint: 1 | 2
}

/** As a campaign file gives it: what is left out is taken from the default style when the image is drawn. */
export type GivenTimerStyle = { [K in keyof TimerStyle]?: TimerStyle[K] | undefined }

export const defaultTimerStyle: TimerStyle = Object.freeze({
  font: 'inter',
  background: '#ffffff',
  box: '#111827',
  digits: '#ffffff',
  labels: '#4b5563',
  showLabels: true,
  width: 600,
  height: 140,
  cornerRadius: 10,
  pixelsPerPoint: 1,
})

/**
 * Of one frame. Mail programs may hold all 60 frames decoded, four bytes a pixel: 80 MB. It is the default
 * size at two pixels per point.
 */
export const MOST_FRAME_PIXELS = 336_000

const colour = text('a colour such as "#1f2937"', (value) => /^#[\da-f]{6}$/i.test(value)) as Check<Colour>

const eachKey = record<GivenTimerStyle>({
  font: optional(choice(timerFonts)),
  background: optional(colour),
  box: optional(colour),
  digits: optional(colour),
  labels: optional(colour),
  showLabels: optional(flag),
  width: optional(fourths(200, 600)),
  height: optional(wholeNumber(50, 200)),
  cornerRadius: optional(wholeNumber(0, 40)),
  pixelsPerPoint: optional(wholeNumber(1, 2) as Check<1 | 2>),
})

/** Each key by itself, and then the size of the picture that they make together. */
export const checkTimerStyle: Check<GivenTimerStyle> = (value, path, faults) => {
  const style = eachKey(value, path, faults)
  if (style === undefined) return undefined
  const pixels = framePixels(fullTimerStyle(style))
  if (pixels <= MOST_FRAME_PIXELS) return style
  const wanted = `must make a picture of at most ${MOST_FRAME_PIXELS} pixels`
  return refuse(faults, path, `${wanted}: width × height × pixelsPerPoint² is ${pixels}`)
}

/** The style with everything that was left out filled in. */
export function fullTimerStyle(given: GivenTimerStyle): TimerStyle {
  const said = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...defaultTimerStyle, ...(Object.fromEntries(said) as Partial<TimerStyle>) }
}

function framePixels({ width, height, pixelsPerPoint }: TimerStyle): number {
  return width * height * pixelsPerPoint ** 2
}

/** The four columns of the picture are equally wide, so that they can share their digits. */
function fourths(least: number, most: number): Check<number> {
  const between = wholeNumber(least, most)
  return (value, path, faults) => {
    const kept = between(value, path, faults)
    if (kept === undefined || kept % 4 === 0) return kept
    return refuse(faults, path, `must be a multiple of 4, such as ${kept - (kept % 4)}`)
  }
}
