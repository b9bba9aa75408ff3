// What the editor makes of settings is what they were.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nextBlackFriday } from '../../panel/src/screens/campaigns/list/templates.ts'
import { draftOf, type Rules, settingsOf } from '../../panel/src/screens/campaigns/rules/draft.ts'
import { amount } from '../support/faults.ts'
import { campaigns } from '../support/random-schedules.ts'

/** An empty list of days left out says nothing. */
function plain(rules: Rules): Rules {
  const { deadline, ...mechanism } = rules.mechanism
  const said = Object.entries(deadline).filter(([, value]) => !Array.isArray(value) || value.length > 0)
  return { ...rules, mechanism: { ...mechanism, deadline: Object.fromEntries(said) as typeof deadline } }
}

const others = fc.record({
  anonymous: fc.boolean().map((enabled) => ({ enabled })),
  conversion: fc.boolean().map((closes) => ({ closes })),
  onExpiry: fc.constantFrom(
    ...([{ action: 'HIDE' }, { action: 'ZERO' }] as const),
    ...([{ action: 'REDIRECT', redirectUrl: 'https://example.com/' }] as const),
  ),
})

test('settings that are opened and not touched are saved as they were', () => {
  fc.assert(
    fc.property(campaigns, others, ({ timeZone, mechanism }, other) => {
      // Made by fast-check, some objects have no prototype.
      const rules: Rules = JSON.parse(JSON.stringify({ name: 'x', timeZone, language: 'cs', mechanism, ...other }))
      assert.deepEqual(settingsOf(draftOf(rules)), plain(rules))
      assert.deepEqual(settingsOf(draftOf(plain(rules))), plain(rules))
    }),
    { numRuns: amount(100, 500) },
  )
})

const personal = {
  ...{ name: 'x', timeZone: 'UTC', anonymous: { enabled: false }, onExpiry: { action: 'HIDE' } },
  conversion: { closes: true },
  mechanism: {
    startsOn: 'visit',
    deadline: { kind: 'daysAt', days: 3, time: '23:59', skipWeekdays: ['sat'] },
    reset: { enabled: true, max: 2 },
    retry: { enabled: true, after: 'P30D' },
  },
} as Rules

test('a date for everyone switches off what only a deadline of one’s own can have', () => {
  const draft = {
    ...draftOf(personal),
    kind: 'fixed' as const,
    fixed: { at: '2026-12-01T00:00', opensAt: null },
  }
  assert.deepEqual(settingsOf(draft).mechanism, {
    startsOn: 'registration',
    deadline: { kind: 'fixed', at: '2026-12-01T00:00' },
    reset: { enabled: false, max: 2 },
    retry: { enabled: false, after: 'P30D' },
  })
  assert.deepEqual(settingsOf({ ...draft, kind: 'daysAt' }), settingsOf(draftOf(personal)))
})

test('another chance and opening again are never both on', () => {
  const { retry, cycle } = settingsOf({ ...draftOf(personal), afterwards: 'cycle' }).mechanism
  assert.deepEqual(
    [retry, cycle],
    [
      { enabled: false, after: 'P30D' },
      { enabled: true, pause: 'P7D', max: 1 },
    ],
  )
})

test('an empty field stays empty', () => {
  const draft = draftOf(personal)
  const emptied = { ...draft, daysAt: { days: '' as const, time: '' }, endsAt: '' }
  const { deadline, endsAt } = settingsOf(emptied).mechanism
  assert.deepEqual([deadline, endsAt], [{ kind: 'daysAt', days: '', time: '', skipWeekdays: ['sat'] }, ''])
})

test('Black Friday is this one until it is over where the reader is', () => {
  const { TZ } = process.env
  const inZone = (zone: string, at: string) => {
    process.env.TZ = zone
    return nextBlackFriday(new Date(at))
  }
  assert.equal(inZone('America/Los_Angeles', '2026-11-28T07:30:00Z'), '2026-11-27')
  assert.equal(inZone('Europe/Warsaw', '2026-11-27T23:30:00Z'), '2027-11-26')
  if (TZ === undefined) delete process.env.TZ
  else process.env.TZ = TZ
})
