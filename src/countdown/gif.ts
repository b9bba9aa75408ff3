// The bytes around the compressed pixels: https://www.w3.org/Graphics/GIF/spec-gif89a.txt
import type { Bits } from './lzw.ts'
import { PALETTE_COLOURS } from './palette.ts'
import type { Rectangle } from './picture.ts'

export const TRAILER = 0x3b
/** Compressed bytes come in blocks of at most so many, each with its length in front. */
export const SUB_BLOCK = 255
/** How long a frame is shown, in hundredths of a second; render.ts sets other delays. */
export const TICK = 100
/** How many bytes `imageHead` returns, and where the delay is among them. */
export const IMAGE_HEAD = 19
export const DELAY_AT = 4

/** What a file begins with. No block asks to repeat, so the animation plays once and stays at its last frame. */
export function fileHead(width: number, height: number, palette: Uint8Array): number[] {
  return [...screen(width, height, PALETTE_COLOURS), ...palette]
}

function screen(width: number, height: number, colours: number): number[] {
  const signature = [...'GIF89a'].map((character) => character.charCodeAt(0))
  const paletteOf = 0xf0 | (Math.log2(colours) - 1)
  return [...signature, ...short(width), ...short(height), paletteOf, 0, 0]
}

/**
 * What comes before the compressed pixels of a frame. It is shown for a second, and is not removed after it. Where its
 * pixels have `clearPlace`, the frame before it is still seen.
 */
export function imageHead({ left, top, width, height }: Rectangle, codeSize: number, clearPlace?: number): number[] {
  const flags = clearPlace === undefined ? 0x04 : 0x05
  const control = [0x21, 0xf9, 4, flags, ...short(TICK), clearPlace ?? 0, 0]
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

/**
 * A transparent picture of any size, for when there is nothing to show. Only one pixel is drawn, since what is not
 * drawn is transparent. The palette is white, for programs that fill in the background.
 */
export function transparentPicture(width: number, height: number): Uint8Array {
  const palette = [255, 255, 255, 255, 255, 255]
  const control = [0x21, 0xf9, 4, 0x01, ...short(0), 0, 0]
  const onePixel = [0x2c, ...short(0), ...short(0), ...short(1), ...short(1), 0, 2, 2, 0x44, 1, 0]
  return Uint8Array.from([...screen(width, height, 2), ...palette, ...control, ...onePixel, TRAILER])
}

function short(value: number): [number, number] {
  return [value & 255, value >> 8]
}
