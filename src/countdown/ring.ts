import type { Box } from './layout.ts'

/** A pixel is tested at so many points in each direction. */
const POINTS = 4
/** How strong the part of the ring is that has passed. */
const PASSED = 0.2

/**
 * Draws a ring into the pixels of a column. `share` of it is still to pass: that part begins at the top and goes
 * clockwise.
 */
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

/**
 * The pixels that the ring touches. `turns` has, for each point of a pixel that the ring covers, how far around it is:
 * 0 at the top, 0.25 at the right.
 */
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
