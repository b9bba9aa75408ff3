import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatInstant, parseInstant } from '../../src/core/instant.ts'

test('an instant is read with its offset and printed in UTC', () => {
  const at = parseInstant('2026-06-04T23:59:00-04:00')
  assert.ok(at !== undefined)
  assert.equal(formatInstant(at), '2026-06-05T03:59:00Z')
})

test('fractions are cut, not rounded, before 1970 too', () => {
  assert.equal(parseInstant('2026-01-01T00:00:00.999999Z'), parseInstant('2026-01-01T00:00:00Z'))
  assert.equal(parseInstant('1969-12-31T23:59:58.7Z'), -2)
})

for (const text of [
  '',
  '2026-06-05',
  '2026-06-05T03:59:00',
  '2026-02-30T00:00:00Z',
  '+012026-01-01T00:00:00Z',
  '0000-01-01T00:00:00+01:00',
]) {
  test(`"${text}" is no instant`, () => assert.equal(parseInstant(text), undefined))
}
