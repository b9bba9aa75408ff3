import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nextSpelling } from '../../src/core/spelling.ts'

/** All spellings in the order of bytes, the plain way. */
function spellings(email: string): string[] {
  const all = [...email].reduce<string[]>(
    (begun, character) => begun.flatMap((text) => [text + character.toUpperCase(), text + character.toLowerCase()]),
    [''],
  )
  return [...new Set(all)].sort((a, b) => (a < b ? -1 : 1))
}

const email = fc.string({ unit: fc.constantFrom('a', 'B', 'z', '@', '.', '_', '9'), minLength: 1, maxLength: 7 })
const atLeast = fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'B', 'z', '@', '_', '~', '0'), maxLength: 9 })

test('the next spelling is the first of all that is not before the text', () => {
  fc.assert(
    fc.property(email, atLeast, (written, text) => {
      const wanted = spellings(written).find((one) => one >= text)
      assert.equal(nextSpelling(written, text), wanted)
    }),
    { numRuns: 2_000 },
  )
})

test('a walk from each spelling to the next one meets all of them', () => {
  const met: string[] = []
  for (let next = nextSpelling('Ab.c@X', ''); next !== undefined; next = nextSpelling('Ab.c@X', `${next}!`))
    met.push(next)
  assert.deepEqual(met, spellings('Ab.c@X'))
})
