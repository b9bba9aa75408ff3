// When an order may say that it was bought.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatInstant } from '../../src/core/instant.ts'
import { checkOrder } from '../../src/core/order.ts'

const now = Date.UTC(2026, 5, 5, 12) / 1_000

/** When it counts as bought, in seconds from now; null if it is refused. */
function boughtAfter(seconds: number): number | null {
  const checked = checkOrder({ email: 'ada@example.com', orderId: '1', at: formatInstant(now + seconds) }, now)
  return checked.faults === undefined ? checked.order.at - now : null
}

test('an order of a clock that is up to thirty seconds ahead was bought now, and one of the last thirty days then', () => {
  const month = 30 * 86_400
  assert.deepEqual([31, 30, 1, 0, -1, -month, -month - 1].map(boughtAfter), [null, 0, 0, 0, -1, -month, null])
})
