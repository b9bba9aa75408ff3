import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulate } from '../../src/core/simulate.ts'

const campaign = {
  timeZone: 'Europe/Warsaw',
  mechanism: { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' } },
}
const register = { do: 'register', at: '2026-05-04T10:00:00Z' }
const of = (...events: unknown[]) => ({ campaign, events })

const refusals: [what: string, document: unknown, paths: string[]][] = [
  ['no object', 'register', ['']],
  ['an empty object', {}, ['campaign', 'events']],
  ['an unknown property', { ...of(register), lead: 1 }, ['lead']],
  ['a campaign with more', { campaign: { ...campaign, pages: [] }, events: [] }, ['campaign.pages']],
  ['a campaign that is null', { campaign: null, events: [] }, ['campaign']],
  ['a wrong campaign', { campaign: {}, events: [] }, ['campaign.timeZone', 'campaign.mechanism']],
  ['events that are no list', { campaign, events: {} }, ['events']],
  ['an event that is none', of(register, 'visit'), ['events[1]']],
  ['an unknown event', of({ ...register, do: 'erase' }), ['events[0].do']],
  ['an instant without offset', of({ do: 'visit', at: '2026-05-04T10:00:00' }), ['events[0].at']],
  ['extend without to', of({ ...register, do: 'extend' }), ['events[0].to']],
  ['a visit with to', of({ ...register, do: 'visit', to: register.at }), ['events[0].to']],
  ['an event with more', of({ ...register, email: 'a@example.com' }), ['events[0].email']],
  ['time that goes back', of(register, { do: 'lookup', at: '2026-05-04T11:59:59+02:00' }), ['events[1].at']],
  [
    'faults in an array',
    [of(register), { ...of({ do: 'visit' }), campaign: {} }, 1],
    ['[1].campaign.timeZone', '[1].campaign.mechanism', '[1].events[0].at', '[2]'],
  ],
]

for (const [what, document, paths] of refusals) {
  test(`refused: ${what}`, () => {
    const result = simulate(document)
    assert.ok('faults' in result)
    assert.deepEqual(
      result.faults.map((fault) => fault.path),
      paths,
    )
  })
}

test('name and expect are ignored', () => {
  const named = { name: 1, expect: 2, ...of({ ...register, name: 'first', expect: {} }) }
  assert.deepEqual(simulate(named), simulate(of(register)))
})

test('no events, no answers', () => {
  assert.deepEqual(simulate(of()), { answers: [] })
  assert.deepEqual(simulate([]), { answers: [] })
})

test('nobody can extend a lead that does not exist', () => {
  const extend = { do: 'extend', at: register.at, to: '2026-06-01T00:00:00Z' }
  assert.deepEqual(simulate(of(extend, { ...register, do: 'lookup' })), {
    answers: [{ found: false }, { found: false }],
  })
})

test('two events may share an instant, and fractions of one second too', () => {
  const result = simulate(
    of({ ...register, at: '2026-05-04T10:00:00.9Z' }, { do: 'lookup', at: '2026-05-04T10:00:00.1Z' }),
  )
  assert.ok('answers' in result)
})
