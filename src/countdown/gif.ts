// The bytes around the compressed pixels: https://www.w3.org/Graphics/GIF/spec-gif89a.txt
import type { Bits } from './lzw.ts'
import { PALETTE_COLOURS } from './palette.ts'
import type { Rectangle } from './picture.ts'

export const TRAILER = 0x3b
/** Most that a run of compressed bytes may have before the length of the next one stands. */
export const SUB_BLOCK = 255
/** How long what `imageHead` gives is, and where in it the delay stands. */
export const IMAGE_HEAD = 19
export const DELAY_AT = 4

/** What a file begins with. There is no block that asks to repeat: the animation plays once and holds. */
export function fileHead(width: number, height: number, palette: Uint8Array): number[] {
  const signature = [...'GIF89a'].map((character) => character.charCodeAt(0))
  const paletteOf = 0xf0 | (Math.log2(PALETTE_COLOURS) - 1)
  return [...signature, ...short(width), ...short(height), paletteOf, 0, 0, ...palette]
}

/** What stands before the compressed pixels of a picture that stays, opaque, for so many hundredths of a second. */
export function imageHead({ left, top, width, height }: Rectangle, delay: number, codeSize: number): number[] {
  const control = [0x21, 0xf9, 4, 0x04, ...short(delay), 0, 0]
  return [...control, 0x2c, ...short(left), ...short(top), ...short(width), ...short(height), 0, codeSize]
}

/** Compressed pixels, in sub-blocks, with the empty one that ends them. */
export function subBlocks({ words, length }: Bits): number[] {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, Math.ceil(length / 8))
  const blocks: number[] = []
  for (let at = 0; at < bytes.length; at += SUB_BLOCK) {
    const block = bytes.subarray(at, at + SUB_BLOCK)
    blocks.push(block.length, ...block)
  }
  return [...blocks, 0]
}

/** A picture of one transparent pixel, for where there is nothing to show. */
export function transparentPixel(): Uint8Array {
  const head = '474946383961 01000100 800000 000000ffffff'
  const image = '21f9040100000000 2c000000000100010000 02 02 4401 00 3b'
  return Uint8Array.from((head + image).match(/[\da-f]{2}/g) ?? [], (byte) => Number.parseInt(byte, 16))
}

function short(value: number): [number, number] {
  return [value & 255, value >> 8]
}
