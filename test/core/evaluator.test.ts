// Two readings of the deadline rules, made apart from each other, must agree.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { simulate } from '../../src/core/simulate.ts'
import { type Campaign, type DeadlineRule, evaluate, type SimulateDocument } from '../support/evaluator.ts'
import { amount } from '../support/faults.ts'
import { documents, documentsOfManyCycles } from '../support/random-schedules.ts'

const cases: SimulateDocument[] = JSON.parse(readFileSync(join(import.meta.dirname, 'mechanism-cases.json'), 'utf8'))

/** More of them, or those of a failed run again: `EVALUATOR_RUNS=20000 EVALUATOR_SEED=42 node --test …` */
const numRuns = Number(process.env.EVALUATOR_RUNS ?? amount(100, 3_000))
const seed = process.env.EVALUATOR_SEED

/** Too rare to wait for them at random. */
const corners: { name: string; timeZone: string; deadline: DeadlineRule; registered: string[] }[] = [
  {
    name: 'a closing time moved past midnight by the gap',
    timeZone: 'America/Nuuk',
    deadline: { kind: 'next', closes: { every: 'day', time: '23:30' } },
    registered: ['2026-03-29T00:59:59Z', '2026-03-29T01:29:59Z', '2026-03-29T01:30:00Z'],
  },
  {
    name: 'tomorrow has been there before today is over',
    timeZone: 'America/St_Johns',
    deadline: { kind: 'daysAt', days: 1, time: '00:00' },
    registered: ['2010-11-07T02:29:30Z', '2010-11-07T02:30:30Z', '2010-11-07T02:45:00Z'],
  },
  {
    name: 'a day that a country left out',
    timeZone: 'Pacific/Apia',
    deadline: { kind: 'daysAt', days: 1, time: '12:00', skipDates: ['2011-12-31'] },
    registered: ['2011-12-29T20:00:00Z', '2011-12-30T09:59:59Z', '2011-12-30T10:00:00Z'],
  },
  {
    name: 'the last two days of a month, weekends left out',
    timeZone: 'Europe/Warsaw',
    deadline: {
      kind: 'next',
      closes: { every: 'month', on: [31, 30], time: '02:30' },
      skipWeekdays: ['sat', 'sun'],
    },
    registered: ['2027-01-29T12:00:00Z', '2028-02-29T01:29:59Z', '2028-02-29T01:30:00Z'],
  },
]

for (const document of cases) {
  test(`the evaluator agrees with the worked case: ${document.name}`, () => {
    assert.deepEqual(
      evaluate(document),
      document.events.map((event) => event.expect),
    )
  })
}

test('simulate and the evaluator agree on random campaigns and events', () => {
  assertAgreement(documents, numRuns)
})

test('simulate and the evaluator agree after many cycles', () => {
  assertAgreement(documentsOfManyCycles, Math.ceil(numRuns / 20))
})

function assertAgreement(on: fc.Arbitrary<SimulateDocument>, runs: number): void {
  fc.assert(
    fc.property(on, (document) => {
      assert.deepEqual(answersOf(document), evaluate(document))
    }),
    { numRuns: runs, ...(seed === undefined ? {} : { seed: Number(seed) }) },
  )
}

for (const { name, timeZone, deadline, registered } of corners) {
  test(`simulate and the evaluator agree on ${name}`, () => {
    for (const at of registered) {
      const campaign: Campaign = { timeZone, mechanism: { startsOn: 'registration', deadline } }
      const document: SimulateDocument = { campaign, events: [{ do: 'register', at }] }
      assert.deepEqual(answersOf(document), evaluate(document), at)
    }
  })
}

test('simulate answers an array of documents with an array of answers', () => {
  assert.deepEqual(
    answersOf(cases),
    cases.map((document) => evaluate(document)),
  )
})

/** As printed: what is undefined is left out. */
function answersOf(document: unknown): unknown {
  const result = simulate(document)
  if ('faults' in result) assert.fail(`refused: ${JSON.stringify(result.faults)}`)
  return JSON.parse(JSON.stringify(result.answers))
}
