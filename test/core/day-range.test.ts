import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayRange } from '../../src/core/day-range.ts'
import { parseDate } from '../../src/core/mechanism/calendar.ts'

const day = (text: string) => parseDate(text) as number
const today = day('2026-11-23')

test('days are asked for by the first and the last; what is left out is the usual number up to today', () => {
  assert.deepEqual(dayRange({}, today, 30), { from: day('2026-10-25'), to: today })
  assert.deepEqual(dayRange({}, today), { from: day('2025-11-23'), to: today })
  assert.deepEqual(dayRange({ from: '2026-11-23' }, today, 30), { from: today, to: today })
  const year = { from: '2025-11-23', to: '2026-11-23' }
  assert.deepEqual(dayRange(year, today), { from: day(year.from), to: day(year.to) })
})

test('a range of days that cannot be is refused, and says by which of its two', () => {
  for (const [asked, path, message] of [
    [{ to: '2026-02-30' }, 'to', 'must be a date such as 2026-12-31'],
    [{ from: 'monday' }, 'from', 'must be a date such as 2026-12-31'],
    [{ from: '2026-11-24' }, 'from', 'must not be after to'],
    [{ from: '2025-11-22', to: '2026-11-23' }, 'from', 'must be at most 365 days before to'],
  ] as const) {
    assert.deepEqual(dayRange(asked, today), { path, message })
  }
})
