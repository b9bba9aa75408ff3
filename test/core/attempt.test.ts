import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatInstant, parseInstant } from '../../src/core/instant.ts'
import {
  type Attempt,
  begin,
  beginByVisit,
  offerAt,
  registerAgain,
  setByHand,
  visit,
} from '../../src/core/mechanism/attempt.ts'
import type { Deadline, Mechanism } from '../../src/core/mechanism/settings.ts'
import { type Terms, termsOf } from '../../src/core/mechanism/terms.ts'

function at(text: string): number {
  const instant = parseInstant(text)
  assert.ok(instant !== undefined, text)
  return instant
}

function scheduleOf(deadline: Deadline, more: Partial<Mechanism> = {}, timeZone = 'Europe/Warsaw'): Terms {
  return termsOf({ timeZone, mechanism: { startsOn: 'registration', deadline, ...more } })
}

/** `open 2026-05-05T10:00:00Z 1/1`: state, deadline, attempt and cycle. */
function shown(schedule: Terms, attempt: Attempt, now: string): string {
  const { state, deadline, attempt: number, cycle } = offerAt(schedule, attempt, at(now))
  return `${state} ${deadline === null ? null : formatInstant(deadline)} ${number}/${cycle}`
}

const oneDay: Deadline = { kind: 'after', period: 'PT24H' }
const monday = at('2026-05-04T10:00:00Z')
const tuesday = at('2026-05-05T10:00:00Z')

test('an attempt keeps the rule it began with; the campaign’s end is read live', () => {
  const attempt = begin(scheduleOf(oneDay), monday)
  const edited = scheduleOf({ kind: 'after', period: 'PT1H' }, {}, 'Asia/Tokyo')
  assert.equal(shown(edited, attempt, '2026-05-04T12:00:00Z'), 'open 2026-05-05T10:00:00Z 1/1')
  const ending = scheduleOf(oneDay, { endsAt: '2026-05-04T13:00' })
  assert.equal(shown(ending, attempt, '2026-05-04T11:00:00Z'), 'expired 2026-05-04T11:00:00Z 1/1')
})

test('a cycle goes on under the frozen rule and zone, after an edit too', () => {
  const cycle = { enabled: true, pause: 'P1D' } as const
  const attempt = begin(scheduleOf({ kind: 'daysAt', days: 1, time: '20:00' }, { cycle }), monday)
  const edited = scheduleOf({ kind: 'after', period: 'PT1H' }, {}, 'Asia/Tokyo')
  assert.equal(shown(edited, attempt, '2026-05-06T19:00:00Z'), 'open 2026-05-07T18:00:00Z 1/2')
})

test('a reset takes the present rule and counts cycles from one', () => {
  const cycle = { enabled: true, pause: 'PT1H' } as const
  const schedule = scheduleOf(oneDay, { cycle, reset: { enabled: true, max: 1 } })
  const attempt = begin(schedule, monday)
  assert.equal(shown(schedule, attempt, '2026-05-05T12:00:00Z'), 'open 2026-05-06T11:00:00Z 1/2')
  const edited = scheduleOf({ kind: 'after', period: 'PT2H' }, { reset: { enabled: true, max: 1 } })
  const reset = registerAgain(edited, attempt, at('2026-05-05T12:00:00Z'))
  assert.equal(shown(edited, reset, '2026-05-05T12:00:00Z'), 'open 2026-05-05T14:00:00Z 1/1')
  assert.equal(reset.resets, 1)
  assert.equal(registerAgain(edited, reset, at('2026-05-05T13:00:00Z')), reset)
})

test('reset limits are read live', () => {
  const attempt = begin(scheduleOf(oneDay), monday)
  const now = at('2026-05-04T11:00:00Z')
  assert.equal(registerAgain(scheduleOf(oneDay, { reset: { enabled: false, max: 9 } }), attempt, now), attempt)
  assert.equal(registerAgain(scheduleOf(oneDay, { reset: { enabled: true } }), attempt, now).anchorAt, now)
})

test('an offer that opens as it begins is open to a clock that is behind; one that opens later is scheduled', () => {
  const early = '2026-05-04T09:59:58Z'
  assert.equal(shown(scheduleOf(oneDay), begin(scheduleOf(oneDay), monday), early), 'open 2026-05-05T10:00:00Z 1/1')
  const daily = (time: string) => ({ every: 'day', time }) as const
  const later = scheduleOf({ kind: 'next', closes: daily('18:00'), opens: daily('14:00') })
  assert.equal(shown(later, begin(later, monday), early), 'scheduled 2026-05-04T16:00:00Z 1/1')
})

test('a scheduled offer can be reset', () => {
  const closes = { every: 'week', on: ['sun' as const], time: '23:59' } as const
  const deadline: Deadline = {
    kind: 'next',
    closes: { ...closes, on: [...closes.on] },
    opens: { every: 'week', on: ['fri'], time: '09:00' },
  }
  const schedule = scheduleOf(deadline, { reset: { enabled: true } })
  const attempt = begin(schedule, monday)
  assert.equal(shown(schedule, attempt, '2026-05-04T10:00:00Z'), 'scheduled 2026-05-10T21:59:00Z 1/1')
  assert.equal(registerAgain(schedule, attempt, tuesday).resets, 1)
})

test('a retry under visit is pending again, its resets count from zero', () => {
  const more = {
    startsOn: 'visit',
    reset: { enabled: true },
    retry: { enabled: true, after: 'PT1H', max: 1 },
  } as const
  const schedule = scheduleOf(oneDay, more)
  const started = visit(schedule, begin(schedule, monday), monday)
  const reset = registerAgain(schedule, started, monday + 60)
  assert.equal(reset.resets, 1)
  const early = at('2026-05-05T11:00:59Z')
  assert.equal(registerAgain(schedule, reset, early), reset)
  const again = registerAgain(schedule, reset, early + 1)
  assert.equal(shown(schedule, again, '2026-05-06T00:00:00Z'), 'pending null 2/1')
  assert.equal(again.resets, 0)
  const second = visit(schedule, again, at('2026-05-07T00:00:00Z'))
  assert.equal(shown(schedule, second, '2026-06-01T00:00:00Z'), 'expired 2026-05-08T00:00:00Z 2/1')
  assert.equal(registerAgain(schedule, second, at('2026-06-01T00:00:00Z')), second)
})

test('no retry begins at or after the campaign’s end', () => {
  const retry = { enabled: true, after: 'PT1H' } as const
  const schedule = scheduleOf(oneDay, { retry, endsAt: '2026-05-07T12:00' })
  const attempt = begin(schedule, monday)
  assert.equal(registerAgain(schedule, attempt, at('2026-05-07T09:59:59Z')).number, 2)
  assert.equal(registerAgain(schedule, attempt, at('2026-05-07T10:00:00Z')), attempt)
})

test('a retry counts from the deadline that was shown, capped or set by hand', () => {
  const retry = { enabled: true, after: 'PT1H' } as const
  const schedule = scheduleOf(oneDay, { retry })
  const byHand = setByHand(schedule, begin(schedule, monday), at('2026-05-08T00:00:00Z'), tuesday)
  assert.equal(registerAgain(schedule, byHand, at('2026-05-07T00:00:00Z')), byHand)
  assert.equal(registerAgain(schedule, byHand, at('2026-05-08T00:59:59Z')), byHand)
  const next = registerAgain(schedule, byHand, at('2026-05-08T01:00:00Z'))
  assert.equal(next.byHand, null)
  assert.equal(shown(schedule, next, '2026-05-08T01:00:00Z'), 'open 2026-05-09T01:00:00Z 2/1')
})

test('no reset and no end while a deadline set by hand is in force', () => {
  const schedule = scheduleOf(oneDay, { reset: { enabled: true }, endsAt: '2026-05-04T18:00' })
  const byHand = setByHand(schedule, begin(schedule, monday), at('2026-05-08T00:00:00Z'), monday)
  assert.equal(registerAgain(schedule, byHand, monday + 60), byHand)
  assert.equal(shown(schedule, byHand, '2026-05-07T23:59:59Z'), 'open 2026-05-08T00:00:00Z 1/1')
})

test('set by hand, the cycle’s number stands still, through a second time as well; cleared, it has gone on', () => {
  const cycle = { enabled: true, pause: 'PT24H' } as const
  const schedule = scheduleOf(oneDay, { cycle })
  const attempt = begin(schedule, monday)
  const first = setByHand(schedule, attempt, at('2026-05-07T00:00:00Z'), at('2026-05-06T12:00:00Z'))
  assert.equal(shown(schedule, first, '2026-05-09T00:00:00Z'), 'expired 2026-05-07T00:00:00Z 1/2')
  const second = setByHand(schedule, first, at('2026-05-20T00:00:00Z'), at('2026-05-10T12:00:00Z'))
  assert.equal(shown(schedule, second, '2026-05-10T12:00:00Z'), 'open 2026-05-20T00:00:00Z 1/2')
  const cleared = setByHand(schedule, second, null, at('2026-05-11T00:00:00Z'))
  assert.deepEqual(cleared, attempt)
  assert.equal(shown(schedule, cleared, '2026-05-10T12:00:00Z'), 'open 2026-05-11T10:00:00Z 1/4')
  assert.equal(setByHand(schedule, cleared, null, monday), cleared)
})

test('set by hand, the cycle’s number stands still though the campaign’s end is moved before or behind it', () => {
  const cycle = { enabled: true, pause: 'PT24H' } as const
  const [open, ended] = [scheduleOf(oneDay, { cycle }), scheduleOf(oneDay, { cycle, endsAt: '2026-05-05T00:00' })]
  const now = at('2026-05-06T12:00:00Z')
  const [inSecond, inFirst] = [open, ended].map((then) => setByHand(then, begin(open, monday), now + 60, now))
  assert.equal(shown(ended, inSecond as Attempt, '2026-05-06T12:00:00Z'), 'open 2026-05-06T12:01:00Z 1/2')
  assert.equal(shown(open, inFirst as Attempt, '2026-05-06T12:00:00Z'), 'open 2026-05-06T12:01:00Z 1/1')
})

test('a visit anchors underneath a deadline set by hand', () => {
  const schedule = scheduleOf(oneDay, { startsOn: 'visit' })
  const byHand = setByHand(schedule, begin(schedule, monday), at('2026-05-08T00:00:00Z'), monday)
  assert.equal(shown(schedule, byHand, '2026-05-04T10:00:00Z'), 'open 2026-05-08T00:00:00Z 1/1')
  const visited = visit(schedule, byHand, tuesday)
  assert.equal(shown(schedule, visited, '2026-05-07T00:00:00Z'), 'open 2026-05-08T00:00:00Z 1/1')
  assert.equal(
    shown(schedule, setByHand(schedule, visited, null, tuesday), '2026-05-05T10:00:00Z'),
    'open 2026-05-06T10:00:00Z 1/1',
  )
})

test('who waits for a visit goes on waiting when the campaign starts with the registration from now on', () => {
  const pending = begin(scheduleOf(oneDay, { startsOn: 'visit' }), monday)
  const edited = scheduleOf(oneDay)
  assert.equal(registerAgain(edited, pending, tuesday), pending)
  assert.equal(shown(edited, pending, '2026-05-05T10:00:00Z'), 'pending null 1/1')
  const visited = visit(edited, pending, tuesday)
  assert.equal(shown(edited, visited, '2026-05-05T10:00:00Z'), 'open 2026-05-06T10:00:00Z 1/1')
})

test('a first visit after the end starts an attempt that has expired', () => {
  const schedule = scheduleOf(oneDay, { startsOn: 'visit', endsAt: '2026-05-05T00:00' })
  const pending = begin(schedule, monday)
  assert.equal(shown(schedule, pending, '2026-05-06T00:00:00Z'), 'pending null 1/1')
  const visited = visit(schedule, pending, at('2026-05-06T00:00:00Z'))
  assert.equal(shown(schedule, visited, '2026-05-06T00:00:00Z'), 'expired 2026-05-04T22:00:00Z 1/1')
})

test('an anonymous visit starts the attempt under either startsOn', () => {
  for (const startsOn of ['registration', 'visit'] as const) {
    const schedule = scheduleOf(oneDay, { startsOn })
    assert.equal(
      shown(schedule, beginByVisit(schedule, monday), '2026-05-04T10:00:00Z'),
      'open 2026-05-05T10:00:00Z 1/1',
    )
  }
})

test('an edit of a fixed date moves everyone, and the end caps it', () => {
  const attempt = begin(scheduleOf({ kind: 'fixed', at: '2026-06-01T00:00' }), monday)
  assert.equal(attempt.rule, null)
  const later = scheduleOf({ kind: 'fixed', at: '2026-07-01T00:00' })
  assert.equal(shown(later, attempt, '2026-06-02T00:00:00Z'), 'open 2026-06-30T22:00:00Z 1/1')
  const capped = scheduleOf(
    { kind: 'fixed', at: '2026-07-01T00:00', opensAt: '2026-06-20T00:00' },
    { endsAt: '2026-06-10T00:00' },
  )
  assert.equal(shown(capped, attempt, '2026-06-09T22:00:00Z'), 'expired 2026-06-09T22:00:00Z 1/1')
})

test('cycles stop at their limit and before the campaign’s end', () => {
  for (const pause of ['PT24H', 'P1D']) {
    const limited = scheduleOf(oneDay, { cycle: { enabled: true, pause, max: 2 } })
    assert.equal(shown(limited, begin(limited, monday), '2036-01-01T00:00:00Z'), 'expired 2026-05-09T10:00:00Z 1/3')
    // The third cycle would begin on 8 May at 12:00 in Warsaw.
    const ending = scheduleOf(oneDay, { cycle: { enabled: true, pause }, endsAt: '2026-05-08T12:00' })
    assert.equal(shown(ending, begin(ending, monday), '2036-01-01T00:00:00Z'), 'expired 2026-05-07T10:00:00Z 1/2')
    const later = scheduleOf(oneDay, { cycle: { enabled: true, pause }, endsAt: '2026-05-08T12:01' })
    assert.equal(shown(later, begin(later, monday), '2036-01-01T00:00:00Z'), 'expired 2026-05-08T10:01:00Z 1/3')
  }
})

test('a later cycle is scheduled until it opens', () => {
  const deadline: Deadline = {
    kind: 'next',
    closes: { every: 'month', on: [31], time: '23:59' },
    opens: { every: 'month', on: [20], time: '09:00' },
  }
  const schedule = scheduleOf(deadline, { cycle: { enabled: true, pause: 'PT1M' } })
  const attempt = begin(schedule, at('2026-01-25T00:00:00Z'))
  assert.equal(shown(schedule, attempt, '2026-01-25T00:00:00Z'), 'open 2026-01-31T22:59:00Z 1/1')
  assert.equal(shown(schedule, attempt, '2026-01-31T23:00:00Z'), 'scheduled 2026-02-28T22:59:00Z 1/2')
  assert.equal(shown(schedule, attempt, '2026-02-20T08:00:00Z'), 'open 2026-02-28T22:59:00Z 1/2')
})

const trickyWindows: [what: string, timeZone: string, deadline: Deadline, anchor: string, deadlineAt: string][] = [
  [
    'a closing time that the gap moves past midnight',
    'America/Nuuk',
    { kind: 'next', closes: { every: 'day', time: '23:30' } },
    '2026-03-29T01:10:00Z',
    '2026-03-29T01:30:00Z',
  ],
  [
    'a date that a country left out',
    'Pacific/Apia',
    { kind: 'after', period: 'P1D' },
    '2011-12-29T20:00:00Z',
    '2011-12-30T20:00:00Z',
  ],
  [
    'day 0 is skipped',
    'Europe/Warsaw',
    { kind: 'daysAt', days: 0, time: '20:00', skipWeekdays: ['sat', 'sun'] },
    '2026-06-06T10:00:00Z',
    '2026-06-08T18:00:00Z',
  ],
  [
    'day 0 is over and the next are skipped',
    'Europe/Warsaw',
    { kind: 'daysAt', days: 0, time: '20:00', skipWeekdays: ['sat', 'sun'], skipDates: ['2026-06-08'] },
    '2026-06-05T18:00:00Z',
    '2026-06-09T18:00:00Z',
  ],
  [
    'a closing at the very end of minLead',
    'Europe/Warsaw',
    { kind: 'next', closes: { every: 'day', time: '12:00' }, minLead: 'P1D' },
    '2026-03-28T11:00:00Z',
    '2026-03-29T10:00:00Z',
  ],
  [
    'one second too late for it',
    'Europe/Warsaw',
    { kind: 'next', closes: { every: 'day', time: '12:00' }, minLead: 'P1D' },
    '2026-03-28T11:00:01Z',
    '2026-03-30T10:00:00Z',
  ],
  [
    'a closing now is the next one',
    'Europe/Warsaw',
    { kind: 'next', closes: { every: 'day', time: '12:00' } },
    '2026-06-01T10:00:00Z',
    '2026-06-02T10:00:00Z',
  ],
  [
    'a day that February lacks',
    'Europe/Warsaw',
    { kind: 'next', closes: { every: 'month', on: [29], time: '12:00' } },
    '2027-02-01T00:00:00Z',
    '2027-02-28T11:00:00Z',
  ],
  [
    'a closing on a skipped date',
    'Europe/Warsaw',
    { kind: 'next', closes: { every: 'month', on: [30, 31], time: '12:00' }, skipDates: ['2027-02-28'] },
    '2027-02-01T00:00:00Z',
    '2027-03-30T10:00:00Z',
  ],
]

for (const [what, timeZone, deadline, anchor, deadlineAt] of trickyWindows) {
  test(`the window: ${what}`, () => {
    const attempt = begin(scheduleOf(deadline, {}, timeZone), at(anchor))
    assert.equal(formatInstant(attempt.deadlineAt ?? 0), deadlineAt)
  })
}
