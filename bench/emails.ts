/** What comes before this index is in the database, what comes from it on is registered during a run. */
export const firstNewIndex = 1_000_000_000

/**
 * The email with this number, from 0 to 2^32-1: 24 characters, all different, and in no order, so that an
 * index on emails meets what it meets in life.
 */
export function emailAt(index: number): string {
  return `lead${scrambled(index).toString(16).padStart(8, '0')}@example.com`
}

/** A bijection of the 32-bit integers: every step can be undone. */
function scrambled(index: number): number {
  let bits = index ^ (index >>> 16)
  bits = Math.imul(bits, 0x7feb352d)
  bits ^= bits >>> 15
  bits = Math.imul(bits, 0x846ca68b)
  return (bits ^ (bits >>> 16)) >>> 0
}
