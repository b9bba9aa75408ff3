import { areLabelsInside, filledPresets, type TimerPreset, type TimerStyle } from '../core/timer-style.ts'

/** Of which parts a picture is put together. */
export type Parts = {
  /** The box is filled: digits stand on its colour. Otherwise they stand on the background. */
  isFilled: boolean
  /** What is drawn around the digits in the colour of the boxes, where those are not filled. */
  edge: 'none' | 'line' | 'ring'
  /** The box is cut in two, across the digits. */
  isSplit: boolean
  areLabelsInside: boolean
}

const presets: Record<TimerPreset, Pick<Parts, 'edge' | 'isSplit'>> = {
  boxes: { edge: 'none', isSplit: false },
  card: { edge: 'none', isSplit: false },
  flip: { edge: 'none', isSplit: true },
  flat: { edge: 'none', isSplit: false },
  outline: { edge: 'line', isSplit: false },
  rings: { edge: 'ring', isSplit: false },
}

export function partsOf(style: TimerStyle): Parts {
  const isFilled = filledPresets.includes(style.preset)
  return { ...presets[style.preset], isFilled, areLabelsInside: areLabelsInside(style) }
}
