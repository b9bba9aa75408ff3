import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { simulate } from '../../src/core/simulate.ts'

type Case = { name: string; events: { expect: unknown }[] }

const cases: Case[] = JSON.parse(readFileSync(new URL('mechanism-cases.json', import.meta.url), 'utf8'))

for (const each of cases) {
  test(each.name, () => {
    assert.deepEqual(simulate(each), { answers: each.events.map((event) => event.expect) })
  })
}

test('an array of documents gives an array of answers', () => {
  assert.deepEqual(simulate(cases), {
    answers: cases.map((each) => each.events.map((event) => event.expect)),
  })
})
