import type { Colour, TimerStyle } from '../core/timer-style.ts'

/** A run of palette places that blends one colour into another; `first` is the pure one. */
export type Ramp = { first: number; steps: number }

/** First in the palette, so that a picture of digits alone does with three bits a pixel. */
export const digitRamp: Ramp = { first: 0, steps: 8 }
export const labelRamp: Ramp = { first: 8, steps: 5 }
/** From the background to the box: the edge of a round corner. It ends in the box's own place. */
const cornerRamp: Ramp = { first: 13, steps: 3 }

export const PALETTE_COLOURS = 16
/** Bits of a pixel, in a picture of all colours and in one of digits alone. */
export const CODE_SIZE = 4
export const DIGITS_CODE_SIZE = 3
export const boxPlace = digitRamp.first
export const backgroundPlace = labelRamp.first

/** The place that shows so much of a ramp's other colour, 0 to 1. */
export function placeOn({ first, steps }: Ramp, share: number): number {
  return first + Math.round(share * (steps - 1))
}

/** The place of a pixel that the box covers so far, 0 to 1. */
export function cornerPlace(share: number): number {
  const { first, steps } = cornerRamp
  const shade = Math.round(share * (steps + 1))
  if (shade === 0) return backgroundPlace
  return shade > steps ? boxPlace : first + shade - 1
}

/** Red, green and blue of the 16 places. */
export function paletteBytes({ background, box, digits, labels }: TimerStyle): Uint8Array {
  const colours = [
    ...blend(box, digits, [0, 1, 2, 3, 4, 5, 6, 7], 7),
    ...blend(background, labels, [0, 1, 2, 3, 4], 4),
    ...blend(background, box, [1, 2, 3], 4),
  ]
  return Uint8Array.from(colours.flat())
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
