// What is used of opentype.js 2.0.0, which brings no types.
declare module 'opentype.js/dist/opentype.mjs' {
  type Command =
    | { type: 'M' | 'L'; x: number; y: number }
    | { type: 'Q'; x1: number; y1: number; x: number; y: number }
    | { type: 'C'; x1: number; y1: number; x2: number; y2: number; x: number; y: number }
    | { type: 'Z' }
  type Glyph = {
    index: number
    advanceWidth: number
    getPath(x: number, y: number, size: number): { commands: Command[] }
  }
  export type Font = { unitsPerEm: number; charToGlyph(character: string): Glyph }
  export function parse(font: ArrayBuffer): Font
}
