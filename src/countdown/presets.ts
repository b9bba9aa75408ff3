import { areLabelsInside, type TimerPreset, type TimerStyle } from '../core/timer-style.ts'

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

const presets: Record<TimerPreset, Omit<Parts, 'areLabelsInside'>> = {
  boxes: { isFilled: true, edge: 'none', isSplit: false },
  card: { isFilled: true, edge: 'none', isSplit: false },
  flip: { isFilled: true, edge: 'none', isSplit: true },
  flat: { isFilled: false, edge: 'none', isSplit: false },
  outline: { isFilled: false, edge: 'line', isSplit: false },
  rings: { isFilled: false, edge: 'ring', isSplit: false },
}

export function partsOf(style: TimerStyle): Parts {
  return { ...presets[style.preset], areLabelsInside: areLabelsInside(style) }
}
