// How a countdown image can be read: what is allowed and yet hard to see.
import { areLabelsInside, type Colour, filledPresets, type TimerStyle } from './timer-style.ts'

export const timerLintCodes = [
  'TIMER_DIGITS_FAINT',
  'TIMER_LABELS_FAINT',
  'TIMER_LABELS_SMALL',
  'TIMER_PILLARS',
] as const
type Found = [code: (typeof timerLintCodes)[number], name: keyof TimerStyle]

/** WCAG 2.2, 1.4.3: for large text, and for all other. */
const contrastOfLarge = 3
const contrastOfText = 4.5
/** Points. Labels are at most an eighth as high as the picture (countdown/layout.ts). */
const smallestLabel = 9
const labelShare = 0.125
/** What labels leave of the height to the boxes, which stand side by side. */
const boxShare = 0.8
const tallestBox = 1.75

export function timerFindings(style: TimerStyle): Found[] {
  const { preset, digits, box, labels, showLabels, units, width, height } = style
  // Where it is transparent, digits and labels both stand in the boxes.
  const background = style.background === 'transparent' ? box : style.background
  const behindDigits = filledPresets.includes(preset) ? box : background
  const behindLabels = areLabelsInside(style) ? box : background
  const boxHeight = height * (showLabels ? boxShare : 1)
  const found: (Found | false)[] = [
    contrast(digits, behindDigits) < contrastOfLarge && ['TIMER_DIGITS_FAINT', 'digits'],
    showLabels && contrast(labels, behindLabels) < contrastOfText && ['TIMER_LABELS_FAINT', 'labels'],
    showLabels && height * labelShare < smallestLabel && ['TIMER_LABELS_SMALL', 'height'],
    boxHeight / (width / units.length) > tallestBox && ['TIMER_PILLARS', 'height'],
  ]
  return found.filter((one) => one !== false)
}

/** From 1 to 21, as WCAG 2.2 defines it. */
function contrast(one: Colour, other: Colour): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
