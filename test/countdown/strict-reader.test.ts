// The reader that vouches for the images must itself refuse what it says it refuses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readStrictly } from '../support/strict-gif.ts'

/** Two by two pixels of two colours, with these codes of these widths. */
function gif(codes: [code: number, width: number][], { tail = [0x3b], spare = 0, flags = 0x80 } = {}): Uint8Array {
  const bits = codes.flatMap(([code, width]) => Array.from({ length: width }, (_, bit) => (code >> bit) & 1))
  while (bits.length % 8 > 0) bits.push(spare)
  const data = Array.from({ length: bits.length / 8 }, (_, at) => {
    return bits.slice(at * 8, at * 8 + 8).reduce((sum, bit, place) => sum | (bit << place), 0)
  })
  const head = [...Buffer.from('GIF89a'), 2, 0, 2, 0, flags, 0, 0, 0, 0, 0, 255, 255, 255]
  const image = [0x21, 0xf9, 4, 4, 100, 0, 0, 0, 0x2c, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, data.length, ...data, 0]
  return Uint8Array.from([...head, ...image, ...tail])
}

const [clear, end] = [4, 5]
// The fourth single pixel makes eight entries: from there on codes have four bits.
const right: [number, number][] = [
  [clear, 3],
  [0, 3],
  [1, 3],
  [1, 3],
  [0, 4],
  [end, 4],
]

test('a right stream is read', () => {
  assert.deepEqual([...(readStrictly(gif(right)).frames[0]?.pixels ?? [])], [0, 1, 1, 0])
})

const wrong: [what: string, gif: Uint8Array, message: RegExp][] = [
  ['no CLEAR first', gif(right.slice(1)), /CLEAR at the beginning/],
  ['two CLEARs', gif([[clear, 3], ...right]), /no CLEAR after a CLEAR/],
  [
    'two CLEARs in the middle',
    gif([
      [clear, 3],
      [0, 3],
      [clear, 3],
      [clear, 3],
      [1, 3],
    ]),
    /no CLEAR after a CLEAR/,
  ],
  ['CLEAR and END', gif([...right.slice(0, 5), [clear, 4], [end, 3]]), /no END after a CLEAR/],
  [
    'a code that is not known yet',
    gif([
      [clear, 3],
      [0, 3],
      [7, 3],
    ]),
    /a code that is known/,
  ],
  [
    'a long code after CLEAR',
    gif([
      [clear, 3],
      [6, 3],
    ]),
    /a single pixel after CLEAR/,
  ],
  [
    'a pixel too few',
    gif([
      [clear, 3],
      [0, 3],
      [1, 3],
      [1, 3],
      [end, 4],
    ]),
    /as many pixels/,
  ],
  ['a pixel too many', gif([...right.slice(0, 5), [0, 4], [end, 4]]), /no more pixels/],
  [
    'codes that do not widen',
    gif([
      [clear, 3],
      [0, 3],
      [1, 3],
      [1, 3],
      [0, 3],
      [end, 3],
    ]),
    /known|END|pixels/,
  ],
  ['no END', gif([...right.slice(0, 5)]), /END before/],
  ['a byte after END', gif([...right, [0, 8]]), /no bytes after END/],
  ['ones after END', gif(right, { spare: 1 }), /zeros after END/],
  [
    'a colour beyond the palette',
    gif([
      [clear, 3],
      [0, 3],
      [3, 3],
      [1, 3],
      [0, 4],
      [end, 4],
    ]),
    /colours of the palette/,
  ],
  ['something after the trailer', gif(right, { tail: [0x3b, 0] }), /nothing after the trailer/],
  ['no trailer', gif(right, { tail: [0x2c] }), /the trailer/],
  ['no palette', gif(right, { flags: 0 }), /palette/],
  ['a block that asks to repeat', gif(right, { tail: [0x21, 0xff, 11, 78] }), /control alone/],
]

for (const [what, bytes, message] of wrong) {
  test(`refused: ${what}`, () => assert.throws(() => readStrictly(bytes), message))
}
