// Reads a GIF and refuses all that some reader of mail programs might stumble over, allowed or not.
import assert from 'node:assert/strict'

export type StrictFrame = {
  left: number
  top: number
  width: number
  height: number
  /** Hundredths of a second. */
  delay: number
  pixels: Uint8Array
}
export type StrictGif = { width: number; height: number; palette: number[][]; frames: StrictFrame[] }

type Cursor = { bytes: Uint8Array; at: number }

export function readStrictly(bytes: Uint8Array): StrictGif {
  const cursor = { bytes, at: 0 }
  assert.equal(String.fromCharCode(...take(cursor, 6)), 'GIF89a')
  const [width, height] = [short(cursor), short(cursor)]
  const flags = byte(cursor)
  assert.equal(flags & 0x88, 0x80, 'a global palette, not sorted')
  assert.deepEqual([...take(cursor, 2)], [0, 0], 'no background index, no aspect ratio')
  const palette = Array.from({ length: 2 << (flags & 7) }, () => [...take(cursor, 3)])
  const frames: StrictFrame[] = []
  while (bytes[cursor.at] === 0x21) frames.push(readFrame(cursor, width, height, palette.length))
  assert.equal(byte(cursor), 0x3b, 'the trailer')
  assert.equal(cursor.at, bytes.length, 'nothing after the trailer')
  assert.ok(frames.length > 0, 'a frame')
  return { width, height, palette, frames }
}

function readFrame(cursor: Cursor, width: number, height: number, colours: number): StrictFrame {
  assert.deepEqual([...take(cursor, 3)], [0x21, 0xf9, 4], 'control alone')
  const flags = byte(cursor)
  assert.equal(flags & ~1, 0x04, 'kept, no input waited for')
  const delay = short(cursor)
  const clear = byte(cursor)
  assert.ok((flags & 1) === 1 || clear === 0, 'a transparent colour only where one is said')
  assert.deepEqual([...take(cursor, 2)], [0, 0x2c], 'and then the image')
  const [left, top, across, down] = [short(cursor), short(cursor), short(cursor), short(cursor)]
  assert.ok(across > 0 && down > 0 && left + across <= width && top + down <= height, 'within the picture')
  assert.equal(byte(cursor), 0, 'no palette of its own, not interlaced')
  const codeSize = byte(cursor)
  assert.ok(codeSize >= 2 && codeSize <= 8, 'a code size of 2 to 8')
  const pixels = decompress(takeSubBlocks(cursor), codeSize, across * down)
  assert.ok(
    pixels.every((place) => place < colours),
    'colours of the palette',
  )
  return { left, top, width: across, height: down, delay, pixels }
}

function takeSubBlocks(cursor: Cursor): Uint8Array {
  const parts: Uint8Array[] = []
  for (let length = byte(cursor); length > 0; length = byte(cursor)) {
    assert.ok(parts.length === 0 || parts.at(-1)?.length === 255, 'only the last sub-block is not full')
    parts.push(take(cursor, length))
  }
  return Buffer.concat(parts)
}

function decompress(bytes: Uint8Array, codeSize: number, count: number): Uint8Array {
  const [clear, end] = [1 << codeSize, (1 << codeSize) + 1]
  const pixels = new Uint8Array(count)
  const bits = { bytes, at: 0 }
  let [written, width, previous] = [0, codeSize + 1, -1]
  // For each entry beyond the single pixels where in `pixels` it stands, and how long it is.
  let entries: [start: number, length: number][] = []
  let last: [start: number, length: number] = [0, 0]

  assert.equal(takeBits(bits, width), clear, 'CLEAR at the beginning')
  for (let code = takeBits(bits, width); code !== end; code = takeBits(bits, width)) {
    if (code === clear) {
      assert.notEqual(previous, -1, 'no CLEAR after a CLEAR')
      ;[entries, width, previous] = [[], codeSize + 1, -1]
      continue
    }
    assert.ok(previous !== -1 || code < clear, 'a single pixel after CLEAR')
    if (previous !== -1) entries.push([last[0], last[1] + 1])
    assert.ok(code < clear || code - end - 1 < entries.length, 'a code that is known')
    assert.ok(end + 1 + entries.length <= 4_095, 'a dictionary that is not full')
    const [start, length] = code < clear ? [-1, 1] : (entries[code - end - 1] as [number, number])
    assert.ok(written + length <= count, 'no more pixels than the image has')
    // The last pixel of a new entry is the first of this very run, which is copied by then.
    if (start === -1) pixels[written] = code
    else for (let offset = 0; offset < length; offset++) pixels[written + offset] = pixels[start + offset] as number
    last = [written, length]
    written += length
    previous = code
    if (end + 1 + entries.length === 1 << width && width < 12) width++
  }
  assert.notEqual(previous, -1, 'no END after a CLEAR')
  assert.equal(written, count, 'as many pixels as the image has')
  assert.ok(bytes.length * 8 - bits.at < 8, 'no bytes after END')
  assert.equal((bytes.at(-1) as number) >> (bits.at % 8 || 8), 0, 'zeros after END')
  return pixels
}

function takeBits(bits: Cursor, width: number): number {
  let value = 0
  for (let bit = 0; bit < width; bit++, bits.at++) {
    const from = bits.bytes[bits.at >> 3]
    assert.ok(from !== undefined, 'END before the last byte is over')
    value |= ((from >> (bits.at & 7)) & 1) << bit
  }
  return value
}

function take(cursor: Cursor, length: number): Uint8Array {
  assert.ok(cursor.at + length <= cursor.bytes.length, 'a file that is not cut short')
  cursor.at += length
  return cursor.bytes.subarray(cursor.at - length, cursor.at)
}

function byte(cursor: Cursor): number {
  return take(cursor, 1)[0] as number
}

function short(cursor: Cursor): number {
  return byte(cursor) | (byte(cursor) << 8)
}
