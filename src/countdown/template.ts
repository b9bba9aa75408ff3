import { timerUnits } from '../core/timer-style.ts'
import type { Units } from './time-left.ts'

/** Raise it when a style gives other bytes, also because of a new font: templates of another version are not used. */
export const ENGINE_VERSION = 7

/**
 * All that the images of one style in one language share, compressed beforehand. A fragment is one row of one
 * column, or all rows of a band that never changes, as bits that end with CLEAR (see lzw.ts).
 */
export type Template = {
  width: number
  height: number
  /** No image of this template is longer. */
  mostBytes: number
  /** How many rows change with the digits, and how many the labels have. */
  digitRows: number
  labelRows: number
  /** Height of a digit and of a capital of the labels, in pixels; 0 where none are shown. */
  digitHeight: number
  labelHeight: number
  /** For each column its unit, as a place in `timerUnits`. */
  columns: Uint8Array
  /** What a file begins with, up to the compressed pixels of its first frame. */
  head: Uint8Array
  /** The same for a frame from the first row of the digits down. */
  dayHead: Uint8Array
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

/** Which units its columns show. */
export function unitsOf({ columns }: Template): Units {
  return timerUnits.slice(columns[0], (columns.at(-1) as number) + 1)
}

const MAGIC = 0x5447434c // "LCGT"
const NUMBERS = [
  ...(['width', 'height', 'mostBytes', 'digitRows', 'labelRows', 'digitHeight', 'labelHeight'] as const),
  ...(['firstThird', 'firstLabel', 'pictureWords'] as const),
] as const
const BYTES = ['columns', 'head', 'dayHead', 'labelOf', 'frames', 'overFrame', 'overImage'] as const
const WORDS = ['fragmentWords', 'fragments', 'firstNumbers', 'frameStarts', 'zeroFrames'] as const
/** Magic, version, checksum, the numbers, and the length of each list. */
const HEAD_WORDS = 3 + NUMBERS.length + BYTES.length + WORDS.length

/** The template as bytes to keep or to hand to another thread. */
export function packTemplate(template: Template): Uint8Array<ArrayBuffer> {
  const lists = [...BYTES.map((name) => template[name]), ...WORDS.map((name) => template[name])]
  const wordsOf = (list: Uint8Array | Uint32Array) => Math.ceil(list.byteLength / 4)
  const total = lists.reduce((sum, list) => sum + wordsOf(list), HEAD_WORDS)
  const packed = new Uint32Array(total)
  const bytes = new Uint8Array(packed.buffer)
  const numbers = NUMBERS.map((name) => template[name])
  packed.set([MAGIC, ENGINE_VERSION, 0, ...numbers, ...lists.map((list) => list.length)])
  let at = HEAD_WORDS
  for (const list of lists) {
    if (list instanceof Uint8Array) bytes.set(list, at * 4)
    else packed.set(list, at)
    at += wordsOf(list)
  }
  packed[2] = checksum(packed)
  return bytes
}

/** Undefined if these are not, or no longer, the bytes of a template of this engine. */
export function openTemplate(bytes: Uint8Array): Template | undefined {
  if (bytes.length % 4 !== 0 || bytes.length < HEAD_WORDS * 4) return undefined
  // Not by slice(), which copies nothing where it is a Buffer.
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
  const packed = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4)
  if (packed[0] !== MAGIC || packed[1] !== ENGINE_VERSION || packed[2] !== checksum(packed)) return undefined

  let [header, at] = [3, HEAD_WORDS]
  const number = () => packed[header++] as number
  const part = () => {
    const [start, length] = [at, number()]
    return { start, length }
  }
  const byteList = () => {
    const { start, length } = part()
    at += Math.ceil(length / 4)
    return aligned.subarray(start * 4, start * 4 + length)
  }
  const wordList = () => {
    const { start, length } = part()
    at += length
    return packed.subarray(start, start + length)
  }
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, number()]))
  const byteLists = Object.fromEntries(BYTES.map((name) => [name, byteList()]))
  const wordLists = Object.fromEntries(WORDS.map((name) => [name, wordList()]))
  return { ...numbers, ...byteLists, ...wordLists } as Template
}

/** FNV-1a by words, over everything except the checksum itself. */
function checksum(packed: Uint32Array): number {
  let sum = 0x811c9dc5
  for (let at = 0; at < packed.length; at++) {
    if (at !== 2) sum = Math.imul(sum ^ (packed[at] as number), 0x01000193)
  }
  return sum >>> 0
}
