import type { Colour, TimerStyle } from '../core/timer-style.ts'
import { type Parts, partsOf } from './presets.ts'

/** A run of palette places that blends one colour into another; `first` is the pure one. */
type Ramp = { first: number; steps: number }

/** First in the palette, so that a picture of digits alone needs only three bits a pixel. */
export const digitRamp: Ramp = { first: 0, steps: 8 }
const labelRamp: Ramp = { first: 8, steps: 5 }
/** From the background to the box, for pixels that the box covers in part. */
const edgeRamp: Ramp = { first: 13, steps: 3 }

export const PALETTE_COLOURS = 16
/** Bits of a pixel, in a picture of all colours and in one of digits alone. */
export const CODE_SIZE = 4
export const DIGITS_CODE_SIZE = 3
/** What digits stand on: the box, or the background where boxes are not filled. */
export const groundPlace = digitRamp.first
/**
 * The background around filled boxes, which may be transparent. If boxes are not filled, no pixel has this place, so
 * the frames of a ring use it for pixels that do not change.
 */
export const aroundPlace = labelRamp.first

/** The place that a frame leaves transparent; undefined on a background of a colour. */
export function clearPlaceOf({ background }: TimerStyle): number | undefined {
  return background === 'transparent' ? aroundPlace : undefined
}

/** The line that cuts a filled box in two: the colour of the box with a little of the background. */
export const linePlace = edgeRamp.first + edgeRamp.steps - 1

/**
 * How strong a pixel of the ring is: outside of it, passed, half passed, or still to pass. The ring uses the places of
 * the edge.
 */
const ringShares = [0, 0.2, 0.6, 1]
const lineShares = [1 / 3, 2 / 3, 1]

/** The palette place of a pixel of which `share`, 0 to 1, is covered. */
export type Paint = Record<'digit' | 'label' | 'edge' | 'ring', (share: number) => number>

export function paintOf(style: TimerStyle): Paint {
  const parts = partsOf(style)
  const labelGround = parts.isFilled && !parts.areLabelsInside ? aroundPlace : groundPlace
  return {
    digit: (share) => digitRamp.first + Math.round(share * (digitRamp.steps - 1)),
    label: (share) => {
      const step = Math.round(share * (labelRamp.steps - 1))
      return step === 0 ? labelGround : labelRamp.first + step
    },
    edge: parts.isFilled
      ? style.background === 'transparent'
        ? hardEdge
        : softEdge
      : (share) => edgeStep(Math.round(share * edgeRamp.steps)),
    ring: (share) => {
      const nearest = ringShares.reduce(
        (best, one, at) => (Math.abs(one - share) < Math.abs((ringShares[best] as number) - share) ? at : best),
        0,
      )
      return edgeStep(nearest)
    },
  }
}

/** The place of a line or a ring that is so many steps strong; at 0 it is not there. */
function edgeStep(step: number): number {
  return step === 0 ? groundPlace : edgeRamp.first + step - 1
}

function softEdge(share: number): number {
  const shade = Math.round(share * (edgeRamp.steps + 1))
  if (shade === 0) return aroundPlace
  return shade > edgeRamp.steps ? groundPlace : edgeRamp.first + shade - 1
}

/** A GIF has no half-transparent pixels. */
function hardEdge(share: number): number {
  return share < 0.5 ? aroundPlace : groundPlace
}

/** Red, green and blue of the 16 places. */
export function paletteBytes(style: TimerStyle): Uint8Array {
  const parts = partsOf(style)
  const { box, digits, labels } = style
  // Programs that cannot show transparency show this.
  const background = style.background === 'transparent' ? '#ffffff' : style.background
  const ground = parts.isFilled ? box : background
  const labelGround = parts.areLabelsInside ? box : background
  const colours = [
    ...blend(ground, digits, [0, 1, 2, 3, 4, 5, 6, 7], 7),
    ...blend(background, labels, [0], 4),
    ...blend(labelGround, labels, [1, 2, 3, 4], 4),
    ...blend(background, box, edgeShares(parts), 1),
  ]
  return Uint8Array.from(colours.flat())
}

function edgeShares({ isFilled, edge }: Parts): number[] {
  if (isFilled) return [1 / 4, 2 / 4, 3 / 4]
  return edge === 'ring' ? ringShares.slice(1) : lineShares
}

function blend(from: Colour, to: Colour, shares: number[], whole: number): number[][] {
  const [start, end] = [channels(from), channels(to)]
  return shares.map((share) =>
    start.map((value, channel) => Math.round(value + (((end[channel] as number) - value) * share) / whole)),
  )
}

function channels(colour: Colour): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
}
