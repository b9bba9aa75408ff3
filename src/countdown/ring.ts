import type { Box } from './layout.ts'

/** Points in each direction in which a pixel is asked. */
const POINTS = 4
/** How strong the part of the ring is that has passed. */
const PASSED = 0.2

/** Draws a ring into pixels of a column, so much of it still to pass: from the top on, clockwise. */
type DrawRing = (share: number, put: (at: number, strength: number) => void) => void

/** Where the ring lies is the same for all shares, so that is found once. */
export function ringIn(box: Box, stroke: number, columnWidth: number): DrawRing {
  const pixels = pixelsOf(box, stroke, columnWidth)
  return (share, put) => {
    for (const { at, turns } of pixels) {
      const left = turns.filter((turn) => turn < share).length
      put(at, (left + PASSED * (turns.length - left)) / POINTS ** 2)
    }
  }
}

/** The pixels that it touches, and for each point of them that it covers which part of a turn leads there. */
function pixelsOf(box: Box, stroke: number, columnWidth: number): { at: number; turns: number[] }[] {
  const centre = { x: box.left + box.radius, y: box.top + box.radius }
  const offsets = Array.from({ length: POINTS ** 2 }, (_, point) => {
    return { x: ((point % POINTS) + 0.5) / POINTS, y: (Math.floor(point / POINTS) + 0.5) / POINTS }
  })
  const pixels = Array.from({ length: box.height * box.width }, (_, index) => {
    const [column, row] = [box.left + (index % box.width), box.top + Math.floor(index / box.width)]
    const turns = offsets.flatMap((offset) => {
      const [x, y] = [column + offset.x - centre.x, row + offset.y - centre.y]
      const distance = Math.hypot(x, y)
      const isCovered = distance <= box.radius && distance >= box.radius - stroke
      return isCovered ? [(Math.atan2(x, -y) / (2 * Math.PI) + 1) % 1] : []
    })
    return { at: row * columnWidth + column, turns }
  })
  return pixels.filter(({ turns }) => turns.length > 0)
}
