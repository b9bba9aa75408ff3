/** A step of an outline, in ems: x to the right, y downwards from the baseline. */
type Step =
  | { type: 'M' | 'L'; x: number; y: number }
  | { type: 'Q'; x1: number; y1: number; x: number; y: number }
  | { type: 'C'; x1: number; y1: number; x2: number; y2: number; x: number; y: number }
  | { type: 'Z' }

export type Outline = readonly Step[]

type Glyph = { advance: number; outline: Outline }

/** Gives the glyph of one character. */
export type Typeface = (character: string) => Glyph

/** The highest and the lowest point, control points included: perhaps further away than what is drawn, never nearer. */
export function boundsOf(outline: Outline): { top: number; bottom: number } {
  const heights = outline.flatMap((step) => {
    if (step.type === 'Z') return []
    if (step.type === 'Q') return [step.y1, step.y]
    return step.type === 'C' ? [step.y1, step.y2, step.y] : [step.y]
  })
  return { top: Math.min(...heights), bottom: Math.max(...heights) }
}

/** How far a word reaches, in ems. */
export function advanceOf(word: string, typeface: Typeface): number {
  return [...word].reduce((sum, character) => sum + typeface(character).advance, 0)
}

/** A rectangle with round corners, in the unit of its arguments. */
export function roundedBox(width: number, height: number, radius: number): Outline {
  const bend = radius * 0.5523 // a cubic curve that keeps within 0.03 % of a quarter circle
  const corner = (x: number, y: number, x1: number, y1: number, x2: number, y2: number): Step => {
    return { type: 'C', x1, y1, x2, y2, x, y }
  }
  const [right, bottom, far] = [width - radius, height - radius, radius - bend]
  return [
    { type: 'M', x: radius, y: 0 },
    { type: 'L', x: right, y: 0 },
    corner(width, radius, right + bend, 0, width, far),
    { type: 'L', x: width, y: bottom },
    corner(right, height, width, bottom + bend, right + bend, height),
    { type: 'L', x: radius, y: height },
    corner(0, bottom, far, height, 0, bottom + bend),
    { type: 'L', x: 0, y: radius },
    corner(radius, 0, 0, far, far, 0),
    { type: 'Z' },
  ]
}
