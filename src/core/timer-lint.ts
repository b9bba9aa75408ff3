// Findings about a countdown image: what is allowed but hard to see.
import { areLabelsInside, type Colour, filledPresets, type TimerPreset, type TimerStyle } from './timer-style.ts'

export const timerLintCodes = [
  'TIMER_DIGITS_FAINT',
  'TIMER_LABELS_FAINT',
  'TIMER_BOXES_FAINT',
  'TIMER_DIGITS_SMALL',
  'TIMER_LABELS_SMALL',
  'TIMER_PILLARS',
] as const
type Found = [code: (typeof timerLintCodes)[number], name: keyof TimerStyle]

/** WCAG 2.2, 1.4.3 and 1.4.11: for large text and lines, and for all other text. */
const contrastOfLarge = 3
const contrastOfText = 4.5
/** Width in points on a phone, to which it shrinks wider pictures. */
const phoneWidth = 340
const smallestDigits = 14
const smallestLabel = 9
const tallestBox = 1.75
/** About as countdown/layout.ts has it: digits of the side of a box, labels of the picture, letters of their size. */
const digitShares: Partial<Record<TimerPreset, number>> = { flat: 0.7, rings: 0.3 }
const usualDigitShare = 0.45
const [usualLabelShare, mostLabelShare] = [1 / 8, 1 / 4]
const [letterWidth, capitalWidth] = [0.55, 0.7]
/** Letters of the longest word, where a unit has no text of its own. */
const usualLetters = 7

export function timerFindings(style: TimerStyle): Found[] {
  const { preset, digits, box, labels, showLabels, units, gap, width, height } = style
  // On a transparent background, digits and labels are both in the boxes.
  const background = style.background === 'transparent' ? box : style.background
  const isFilled = filledPresets.includes(preset)
  const behindDigits = isFilled ? box : background
  const behindLabels = areLabelsInside(style) ? box : background
  const isDrawn = isFilled || preset === 'flat'
  const onPhone = Math.min(1, phoneWidth / width)
  // Also about as countdown/layout.ts has it, with its margins and room for what is asked.
  const column = width / units.length
  const boxWidth = column - Math.min(gap ?? column * 0.08, column / 2)
  const label = labelPoints(style, areLabelsInside(style) ? boxWidth * 0.88 : column * 0.94)
  const boxHeight = height * 0.92 - (showLabels ? label.points * 1.25 : 0)
  const digit = digitPoints(style, boxWidth, boxHeight)
  const found: (Found | false)[] = [
    contrast(digits, behindDigits) < contrastOfLarge && ['TIMER_DIGITS_FAINT', 'digits'],
    showLabels && contrast(labels, behindLabels) < contrastOfText && ['TIMER_LABELS_FAINT', 'labels'],
    !isDrawn && contrast(box, background) < contrastOfLarge && ['TIMER_BOXES_FAINT', 'box'],
    digit.points * onPhone < smallestDigits && ['TIMER_DIGITS_SMALL', digit.because],
    showLabels && label.points * onPhone < smallestLabel && ['TIMER_LABELS_SMALL', label.because],
    preset !== 'rings' && boxHeight / boxWidth > tallestBox && ['TIMER_PILLARS', 'height'],
  ]
  return found.filter((one) => one !== false)
}

type Size = { points: number; because: keyof TimerStyle }

function digitPoints({ preset, digitSize }: TimerStyle, boxWidth: number, boxHeight: number): Size {
  const side = Math.min(boxWidth, boxHeight)
  const most = preset === 'rings' ? side * 0.4 : Math.min(boxHeight * 1.05, boxWidth * 0.48)
  const asked = digitSize ?? side * (digitShares[preset] ?? usualDigitShare)
  return { points: Math.min(asked, most), because: digitSize === null || most < digitSize ? 'height' : 'digitSize' }
}

function labelPoints({ labelSize, labelTexts, uppercase, units, height }: TimerStyle, roomWidth: number): Size {
  const letters = Math.max(...units.map((unit) => labelTexts[unit]?.length ?? usualLetters))
  const room = roomWidth / (letters * (uppercase ? capitalWidth : letterWidth))
  const asked = Math.min(labelSize ?? height * usualLabelShare, height * mostLabelShare)
  if (room < asked) return { points: room, because: 'labelTexts' }
  return { points: asked, because: labelSize === null ? 'height' : 'labelSize' }
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
