import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fault } from '../../src/core/fault.ts'
import { checkSchedule } from '../../src/core/mechanism/check-schedule.ts'

const after = { kind: 'after', period: 'PT48H' }
const daysAt = { kind: 'daysAt', days: 3, time: '23:59' }
const fixed = { kind: 'fixed', at: '2026-11-28T00:00' }
const daily = { every: 'day', time: '23:59' }
const next = { kind: 'next', closes: daily }
const sixWeekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const allWeekdays = [...sixWeekdays, 'sun']

const started = (deadline: unknown, more: object = {}) => ({ startsOn: 'registration', deadline, ...more })

/** The first of each month for so many years from 2026 on. */
const firstsOfMonths = (years: number) =>
  Array.from(
    { length: years * 12 },
    (_, month) => `${2026 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`,
  )

function faultsOf(mechanism: unknown, timeZone: unknown = 'Europe/Warsaw'): Fault[] {
  const faults: Fault[] = []
  const schedule = checkSchedule({ timeZone, mechanism }, faults)
  assert.equal(schedule === undefined, faults.length > 0)
  for (const { message } of faults) assert.match(message, /^[^\n\r\u2028]{3,200}$/)
  return faults
}

const refusals: [what: string, mechanism: unknown, path: string][] = [
  ['no mechanism', undefined, 'mechanism'],
  ['a mechanism that is a list', [], 'mechanism'],
  ['no startsOn', { deadline: after }, 'mechanism.startsOn'],
  ['an unknown startsOn', { startsOn: 'click', deadline: after }, 'mechanism.startsOn'],
  ['no deadline', { startsOn: 'visit' }, 'mechanism.deadline'],
  ['a deadline of null', started(null), 'mechanism.deadline'],
  ['an unknown kind', started({ kind: 'soon' }), 'mechanism.deadline.kind'],
  ['a kind that objects inherit', started({ kind: 'constructor' }), 'mechanism.deadline.kind'],
  ['an unknown property', started(after, { limit: 1 }), 'mechanism.limit'],
  ['an unknown property of the deadline', started({ ...after, days: 1 }), 'mechanism.deadline.days'],
  ['a property with odd characters', started(after, { 'a.b\n': 1 }), 'mechanism["…"]'],
  [
    '__proto__',
    JSON.parse('{"__proto__":{},"startsOn":"visit","deadline":{"kind":"after","period":"P1D"}}'),
    'mechanism.__proto__',
  ],
  [
    '__proto__ inside',
    started(JSON.parse('{"kind":"after","period":"P1D","__proto__":null}')),
    'mechanism.deadline.__proto__',
  ],
  ['a missing period', started({ kind: 'after' }), 'mechanism.deadline.period'],
  ...[
    'P0D',
    'P3661D',
    'P1W',
    'P1DT1H',
    'PT0M',
    'PT30S',
    'PT87841H',
    'PT',
    'P',
    'p1d',
    'PT1M1H',
    '-P1D',
    'P1.5D',
    48,
  ].map((period): [string, unknown, string] => [
    `the period ${period}`,
    started({ kind: 'after', period }),
    'mechanism.deadline.period',
  ]),
  ...[-1, 1.5, '3', 3661, null, Number.NaN].map((days): [string, unknown, string] => [
    `${days} days`,
    started({ ...daysAt, days }),
    'mechanism.deadline.days',
  ]),
  ...['24:00', '9:00', '23:59:00', '23:60', 2359, ''].map((time): [string, unknown, string] => [
    `the time ${time}`,
    started({ ...daysAt, time }),
    'mechanism.deadline.time',
  ]),
  [
    'ten years of Sundays and one',
    started({ ...daysAt, days: 523, skipWeekdays: sixWeekdays }),
    'mechanism.deadline.days',
  ],
  ['all weekdays skipped', started({ ...daysAt, skipWeekdays: allWeekdays }), 'mechanism.deadline.skipWeekdays'],
  ['all weekdays skipped by next', started({ ...next, skipWeekdays: allWeekdays }), 'mechanism.deadline.skipWeekdays'],
  ['an unknown weekday', started({ ...daysAt, skipWeekdays: ['sat', 'Sun'] }), 'mechanism.deadline.skipWeekdays[1]'],
  ['a date that does not exist', started({ ...daysAt, skipDates: ['2026-02-29'] }), 'mechanism.deadline.skipDates[0]'],
  ['367 dates', started({ ...daysAt, skipDates: Array(367).fill('2026-01-01') }), 'mechanism.deadline.skipDates'],
  ['no closes', started({ kind: 'next' }), 'mechanism.deadline.closes'],
  [
    'an unknown every',
    started({ kind: 'next', closes: { every: 'year', time: '09:00' } }),
    'mechanism.deadline.closes.every',
  ],
  ['an on that a day has not', started({ ...next, closes: { ...daily, on: ['mon'] } }), 'mechanism.deadline.closes.on'],
  [
    'an empty on',
    started({ ...next, closes: { every: 'week', on: [], time: '09:00' } }),
    'mechanism.deadline.closes.on',
  ],
  [
    'an on that repeats',
    started({ ...next, closes: { every: 'month', on: [1, 31, 1], time: '09:00' } }),
    'mechanism.deadline.closes.on',
  ],
  [
    'day 0',
    started({ ...next, closes: { every: 'month', on: [0], time: '09:00' } }),
    'mechanism.deadline.closes.on[0]',
  ],
  [
    'day 32',
    started({ ...next, opens: { every: 'month', on: [3, 32], time: '09:00' } }),
    'mechanism.deadline.opens.on[1]',
  ],
  [
    'a weekday in a month',
    started({ ...next, closes: { every: 'month', on: ['mon'], time: '09:00' } }),
    'mechanism.deadline.closes.on[0]',
  ],
  ['a minLead of nothing', started({ ...next, minLead: 'PT0H' }), 'mechanism.deadline.minLead'],
  [
    'closes on skipped days only',
    started({
      ...next,
      closes: { every: 'week', on: ['sat', 'sun'], time: '09:00' },
      skipWeekdays: ['sun', 'sat'],
    }),
    'mechanism.deadline.closes.on',
  ],
  [
    'closes on skipped dates only',
    started({ ...next, closes: { every: 'month', on: [1], time: '09:00' }, skipDates: firstsOfMonths(11) }),
    'mechanism.deadline.skipDates',
  ],
  ['fixed without at', started({ kind: 'fixed' }), 'mechanism.deadline.at'],
  ['fixed with seconds', started({ kind: 'fixed', at: '2026-11-28T00:00:00' }), 'mechanism.deadline.at'],
  ['fixed with an offset', started({ kind: 'fixed', at: '2026-11-28T00:00Z' }), 'mechanism.deadline.at'],
  ['opensAt at the deadline', started({ ...fixed, opensAt: fixed.at }), 'mechanism.deadline.opensAt'],
  ['opensAt after the deadline', started({ ...fixed, opensAt: '2026-11-29T00:00' }), 'mechanism.deadline.opensAt'],
  [
    'opensAt that the gap moves past the deadline',
    started({ kind: 'fixed', opensAt: '2026-03-29T02:30', at: '2026-03-29T03:10' }),
    'mechanism.deadline.opensAt',
  ],
  ['fixed before the year 100', started({ kind: 'fixed', at: '0000-01-01T00:59' }), 'mechanism.deadline.at'],
  ['an end before the year 100', started(after, { endsAt: '0000-01-01T00:59' }), 'mechanism.endsAt'],
  ['none with a setting', started({ kind: 'none', at: fixed.at }), 'mechanism.deadline.at'],
  ['an end that does not exist', started(after, { endsAt: '2026-13-01T00:00' }), 'mechanism.endsAt'],
  ['an end of null', started(after, { endsAt: null }), 'mechanism.endsAt'],
  ['a visit that starts fixed', { startsOn: 'visit', deadline: fixed }, 'mechanism.startsOn'],
  ['a visit that starts none', { startsOn: 'visit', deadline: { kind: 'none' } }, 'mechanism.startsOn'],
  ['fixed with reset', started(fixed, { reset: { enabled: true } }), 'mechanism.reset.enabled'],
  ['fixed with retry', started(fixed, { retry: { enabled: true, after: 'P1D' } }), 'mechanism.retry.enabled'],
  ['none with cycle', started({ kind: 'none' }, { cycle: { enabled: true, pause: 'P1D' } }), 'mechanism.cycle.enabled'],
  ['a reset without enabled', started(after, { reset: { max: 1 } }), 'mechanism.reset.enabled'],
  ['a retry without enabled', started(after, { retry: { after: 'P1D' } }), 'mechanism.retry.enabled'],
  ['a reset that is "true"', started(after, { reset: { enabled: 'true' } }), 'mechanism.reset.enabled'],
  ['a cycle that is 1', started(after, { cycle: { enabled: 1, pause: 'P1D' } }), 'mechanism.cycle.enabled'],
  ['a reset of null', started(after, { reset: null }), 'mechanism.reset'],
  ['a retry of null', started(after, { retry: null }), 'mechanism.retry'],
  ['max 0', started(after, { reset: { enabled: true, max: 0 } }), 'mechanism.reset.max'],
  ['max 1.5 though off', started(after, { reset: { enabled: false, max: 1.5 } }), 'mechanism.reset.max'],
  ['retry without after', started(after, { retry: { enabled: true } }), 'mechanism.retry.after'],
  [
    'retry with a wrong after though off',
    started(after, { retry: { enabled: false, after: '1 day' } }),
    'mechanism.retry.after',
  ],
  ['cycle without pause', started(after, { cycle: { enabled: true } }), 'mechanism.cycle.pause'],
  [
    'an unknown property of a cycle',
    started(after, { cycle: { enabled: true, pause: 'P1D', after: 'P1D' } }),
    'mechanism.cycle.after',
  ],
  [
    'retry and cycle at once',
    started(after, { retry: { enabled: true, after: 'P1D' }, cycle: { enabled: true, pause: 'P1D' } }),
    'mechanism.cycle.enabled',
  ],
]

for (const [what, mechanism, path] of refusals) {
  test(`refused: ${what}`, () => {
    assert.deepEqual(
      faultsOf(mechanism).map((fault) => fault.path),
      [path],
    )
  })
}

for (const timeZone of [
  undefined,
  null,
  1,
  '',
  'Mars/Olympus',
  '+01:00',
  '-0300',
  'Europe/Warsaw ',
  '2026-01-01T00:00Z[Europe/Warsaw]',
]) {
  test(`refused: the time zone ${JSON.stringify(timeZone)}`, () => {
    assert.deepEqual(
      faultsOf(started(after), timeZone ?? null).map((fault) => fault.path),
      ['timeZone'],
    )
  })
}

test('every fault is reported, between settings too', () => {
  const paths = faultsOf(
    started(
      { ...daysAt, days: 600, time: 'noon', skipWeekdays: sixWeekdays, skipDates: ['x', '2026-01-01', 'y'] },
      { extra: 1, retry: { enabled: true, after: 'P1D' }, cycle: { enabled: true, pause: 'P1D' } },
    ),
    'Nowhere',
  ).map((fault) => fault.path)
  assert.deepEqual(paths.sort(), [
    'mechanism.cycle.enabled',
    'mechanism.deadline.days',
    'mechanism.deadline.skipDates[0]',
    'mechanism.deadline.skipDates[2]',
    'mechanism.deadline.time',
    'mechanism.extra',
    'timeZone',
  ])
})

test('paths begin where the schedule stands', () => {
  const faults: Fault[] = []
  checkSchedule({ timeZone: 'Nowhere', mechanism: {} }, faults, '[1].campaign')
  assert.deepEqual(
    faults.map((fault) => fault.path),
    ['[1].campaign.timeZone', '[1].campaign.mechanism.startsOn', '[1].campaign.mechanism.deadline'],
  )
})

test('an inherited property is not a setting', () => {
  const inherited = Object.create(started(after))
  assert.deepEqual(
    faultsOf(inherited).map((fault) => fault.path),
    ['mechanism.startsOn', 'mechanism.deadline'],
  )
})

const accepted: [what: string, mechanism: object][] = [
  [
    'blocks that are off and keep their settings',
    started(after, {
      reset: { enabled: false, max: 2 },
      retry: { enabled: false, after: 'P1D' },
      cycle: { enabled: false, pause: 'PT1M', max: 1 },
    }),
  ],
  [
    'fixed with all blocks off',
    started(
      { ...fixed, opensAt: '2026-11-27T23:59' },
      { reset: { enabled: false }, retry: { enabled: false }, cycle: { enabled: false } },
    ),
  ],
  [
    'the longest and shortest periods',
    started({ kind: 'after', period: 'P3660D' }, { cycle: { enabled: true, pause: 'PT1M' } }),
  ],
  ['87,840 hours', started({ kind: 'after', period: 'PT87840H' })],
  ['ten years of Sundays', started({ ...daysAt, days: 522, skipWeekdays: sixWeekdays })],
  ['366 dates', started({ ...daysAt, skipDates: Array(366).fill('2028-02-29') })],
  [
    'nine years of skipped months',
    started({ ...next, closes: { every: 'month', on: [1], time: '09:00' }, skipDates: firstsOfMonths(9) }),
  ],
  [
    'one weekday that is not skipped',
    started({ ...next, closes: { every: 'week', on: ['sat', 'fri'], time: '09:00' }, skipWeekdays: ['sat'] }),
  ],
]

for (const [what, mechanism] of accepted) {
  test(`taken as it is written: ${what}`, () => {
    const faults: Fault[] = []
    assert.deepEqual(checkSchedule({ timeZone: 'Europe/Warsaw', mechanism }, faults), {
      timeZone: 'Europe/Warsaw',
      mechanism,
    })
    assert.deepEqual(faults, [])
  })
}

for (const [written, kept] of [
  ['europe/warsaw', 'Europe/Warsaw'],
  ['ASIA/CALCUTTA', 'Asia/Calcutta'],
  ['utc', 'UTC'],
]) {
  test(`the time zone ${written} is kept as ${kept}`, () => {
    assert.equal(checkSchedule({ timeZone: written, mechanism: started(after) }, [])?.timeZone, kept)
  })
}

test('a time in the year 10000 of UTC is refused, and the last minute before it is not', () => {
  const at = (local: string) =>
    faultsOf(started({ kind: 'fixed', at: local }), 'America/New_York').map(({ path }) => path)
  assert.deepEqual(at('9999-12-31T18:59'), [])
  assert.deepEqual(at('9999-12-31T19:00'), ['mechanism.deadline.at'])
  const ending = started(after, { endsAt: '9999-12-31T19:00' })
  assert.deepEqual(
    faultsOf(ending, 'America/New_York').map(({ path }) => path),
    ['mechanism.endsAt'],
  )
  assert.deepEqual(faultsOf(started({ kind: 'fixed', at: '9999-12-31T23:59' }), 'UTC'), [])
})
