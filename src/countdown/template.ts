import type { Units } from './time-left.ts'

/**
 * Raise it when a style gives other bytes, also because of a new font, or when templates are kept in another form: those
 * of another version are not used. A new setting of styles costs the same, since every template's key then changes.
 */
export const ENGINE_VERSION = 10

/**
 * All that the images of one style in one language share, compressed beforehand. A fragment is one row of one
 * column, or all rows of a band that never changes, as bits that end with CLEAR (see lzw.ts).
 */
export type Template = {
  /** No image of this template is longer. */
  mostBytes: number
  /** How many rows change with the digits, and how many the labels have. */
  digitRows: number
  labelRows: number
  /** One for each column. */
  units: Units
  /** What a file begins with, up to the compressed pixels of its first frame. */
  head: Uint8Array
  fragmentWords: Uint32Array
  /** Two for each fragment: its first word, and its length in bits. */
  fragments: Uint32Array
  /** For each column the first fragment of its numbers from 00 to 99, which have a fragment for each row. */
  firstNumbers: Uint32Array
  /** The same for thirds of a column with three digits: ten digits in the first place, in the second, in the third. */
  firstThird: number
  firstLabel: number
  /** For each value of each column, column by column, which label it has. */
  labelOf: Uint8Array
  /**
   * Whole frames, those of the last column first. In a frame of the last column it alone changes; they go from its
   * second highest value down to 0. In a frame of another column it changes, and all after it begin again. Those of the
   * first column go from 99 down to 0.
   */
  frames: Uint8Array
  /** Where each of them begins, and where the last one ends. */
  frameStarts: Uint32Array
  /** For each column the frame that shows its zero. */
  zeroFrames: Uint32Array
  /** No frame that is put together from fragments needs more words. */
  pictureWords: number
  /** See over.ts. */
  overFrame: Uint8Array
  overImage: Uint8Array
}

/**
 * Frames of the first column are stored up to this value. Those of higher values are put together when they are needed.
 */
export const MOST_READY = 99

/** Fragments begin with these, then come numbers, thirds and labels. */
export const TOP_BAND = 0
export const MIDDLE_BAND = 1
export const BOTTOM_BAND = 2
export const BANDS = 3
