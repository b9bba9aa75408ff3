/** Bits in the order of GIF: the first is the lowest of the first word, and zeros fill the last. */
export type Bits = { words: Uint32Array; length: number }

const MOST_CODES = 4_096
const MOST_COLOURS = 16

/**
 * For each code and the pixel after it: the code of both together, or 0. All calls share it, since most compress only a
 * few dozen pixels; each call wipes only what it has used.
 */
const longer = new Uint16Array(MOST_CODES * MOST_COLOURS)

/** A whole GIF stream; a fragment, which needs a CLEAR before it and more after it; or the end of a stream. */
export type Part = 'whole' | 'fragment' | 'end'

/** Compresses at least one pixel, all below 2 to the power of `codeSize`, from an empty dictionary on. */
export function compress(pixels: Uint8Array, codeSize: number, part: Part): Bits {
  const clear = 2 ** codeSize
  const written = startBits()
  if (part === 'whole') appendCode(written, clear, codeSize + 1)
  let width = codeSize + 1
  let next = clear + 2
  let sinceClear = 0
  let code = pixels[0] as number

  // A reader learns its nth entry with code n + 1, and widens its codes when it has learnt the last that fits.
  const write = (value: number) => {
    appendCode(written, value, width)
    sinceClear++
    if (clear + 1 + sinceClear === 2 ** width && width < 12) width++
  }
  const forget = () => {
    longer.fill(0, 0, next * MOST_COLOURS)
    next = clear + 2
  }

  for (let at = 1; at < pixels.length; at++) {
    const pixel = pixels[at] as number
    const both = longer[code * MOST_COLOURS + pixel] as number
    if (both !== 0) {
      code = both
      continue
    }
    write(code)
    longer[code * MOST_COLOURS + pixel] = next++
    code = pixel
    if (next < MOST_CODES) continue
    // The dictionary is full: some readers fail if it stays in use.
    forget()
    appendCode(written, clear, width)
    width = codeSize + 1
    sinceClear = 0
  }
  write(code)
  forget()
  appendCode(written, part === 'fragment' ? clear : clear + 1, width)
  return { words: written.words.slice(0, Math.ceil(written.length / 32)), length: written.length }
}

function startBits(): Bits {
  return { words: new Uint32Array(64), length: 0 }
}

function appendCode(bits: Bits, code: number, width: number): void {
  const word = bits.length >>> 5
  const shift = bits.length & 31
  if (word + 2 > bits.words.length) {
    const grown = new Uint32Array(bits.words.length * 2)
    grown.set(bits.words)
    bits.words = grown
  }
  bits.words[word] = (bits.words[word] as number) | (code << shift)
  if (shift + width > 32) bits.words[word + 1] = code >>> (32 - shift)
  bits.length += width
}
