import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Fault } from '../../src/core/fault.ts'
import {
  type Attempt,
  begin,
  nextCycleAt,
  offerAt,
  registerAgain,
  setByHand,
  visit,
} from '../../src/core/mechanism/attempt.ts'
import { checkSchedule } from '../../src/core/mechanism/check-schedule.ts'
import { addPeriod, periodOf } from '../../src/core/mechanism/period.ts'
import { ruleOf } from '../../src/core/mechanism/rule.ts'
import type { Mechanism, Schedule } from '../../src/core/mechanism/settings.ts'
import { type Terms, termsOf } from '../../src/core/mechanism/terms.ts'
import { type Window, windowsOf } from '../../src/core/mechanism/window.ts'
import { zoneOf } from '../../src/core/mechanism/zone.ts'
import { amount } from '../support/faults.ts'
import { deadlineRules } from '../support/random-schedules.ts'

const TEN_YEARS = 3_660 * 86_400

const two = (number: number) => String(number).padStart(2, '0')
const time = fc.tuple(fc.nat(23), fc.nat(59)).map(([hour, minute]) => `${two(hour)}:${two(minute)}`)
const date = fc
  .tuple(fc.integer({ min: 2024, max: 2038 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([year, month, day]) => `${year}-${two(month)}-${two(day)}`)
const days = fc.integer({ min: 1, max: 40 }).map((number) => `P${number}D`)
const exact = fc.integer({ min: 1, max: 60_000 }).map((minutes) => `PT${Math.floor(minutes / 60)}H${minutes % 60}M`)
const shortExact = fc.integer({ min: 60, max: 20_000 }).map((minutes) => `PT${minutes}M`)
const period = fc.oneof(days, exact)
const personal = deadlineRules(Date.UTC(2027, 0) / 1000).filter(({ kind }) => kind !== 'fixed' && kind !== 'none')
const extraOnes = { enabled: fc.constant(true), max: fc.integer({ min: 1, max: 3 }) }
const endsAt = fc.tuple(date, time).map((parts) => parts.join('T'))
const mechanism = fc
  .record(
    {
      startsOn: fc.constantFrom('registration', 'visit'),
      deadline: personal,
      endsAt,
      reset: fc.record(extraOnes, { requiredKeys: ['enabled'] }),
      retry: fc.record({ ...extraOnes, after: period }, { requiredKeys: ['enabled', 'after'] }),
      cycle: fc.record({ ...extraOnes, pause: period }, { requiredKeys: ['enabled', 'pause'] }),
    },
    { requiredKeys: ['startsOn', 'deadline'] },
  )
  .map((made) => (made.retry === undefined ? made : { ...made, cycle: { enabled: false } }))
const timeZone = fc.constantFrom(
  'Europe/Warsaw',
  'America/New_York',
  'America/Nuuk',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Asia/Beirut',
  'America/Havana',
  'Pacific/Chatham',
  'UTC',
)
const settings: fc.Arbitrary<Schedule> = fc
  .record({ timeZone, mechanism })
  .map((made) => checkSchedule(made, []))
  .filter((checked) => checked !== undefined)
const schedule = settings.map(termsOf)

const instant = fc.integer({ min: Date.UTC(2025, 0) / 1000, max: Date.UTC(2030, 0) / 1000 })
const later = fc.integer({ min: 0, max: TEN_YEARS })
const events = fc.array(
  fc.record({
    after: fc.nat(40 * 86_400),
    do: fc.constantFrom('register', 'visit', 'extend', 'clear', 'look'),
  }),
  { maxLength: 8 },
)

type Happening = { after: number; do: string }

function apply(schedule: Terms, attempt: Attempt, event: string, now: number): Attempt {
  if (event === 'register') return registerAgain(schedule, attempt, now)
  if (event === 'visit') return visit(schedule, attempt, now)
  if (event === 'extend') return setByHand(schedule, attempt, now + 5 * 86_400, now)
  if (event === 'clear') return setByHand(schedule, attempt, null, now)
  offerAt(schedule, attempt, now)
  return attempt
}

function live(schedule: Terms, start: number, happenings: Happening[]): { attempt: Attempt; now: number } {
  let attempt = begin(schedule, start)
  let now = start
  for (const event of happenings) {
    now += event.after
    attempt = apply(schedule, attempt, event.do, now)
  }
  return { attempt, now }
}

test('settings that pass the check pass it again unchanged, through JSON too', () => {
  fc.assert(
    fc.property(settings, (kept) => {
      const faults: Fault[] = []
      const again = JSON.parse(JSON.stringify(kept))
      assert.deepEqual(checkSchedule(again, faults), kept)
      assert.deepEqual(faults, [])
    }),
  )
})

test('a deadline is after its anchor, and opens neither before the anchor nor at the deadline', () => {
  fc.assert(
    fc.property(schedule, instant, (schedule, anchorAt) => {
      const rule = ruleOf(schedule)
      assert.ok(rule !== null)
      const { opensAt, deadlineAt } = windowsOf(rule)(anchorAt)
      assert.ok(anchorAt <= opensAt && opensAt < deadlineAt)
      assert.ok(deadlineAt < anchorAt + 2 * TEN_YEARS)
    }),
    { numRuns: amount(200, 2_000) },
  )
})

test('no deadline of the rule is later than the campaign’s end', () => {
  fc.assert(
    fc.property(schedule, endsAt, instant, events, later, (made, endsAt, start, happenings, wait) => {
      const schedule = termsOf({ ...made, mechanism: { ...made.mechanism, endsAt } })
      const { attempt, now } = live(
        schedule,
        start,
        happenings.filter((event) => event.do !== 'extend'),
      )
      const end = Temporal.PlainDateTime.from(endsAt).toZonedDateTime(made.timeZone).epochMilliseconds / 1000
      const { deadline, state } = offerAt(schedule, attempt, now + wait)
      assert.ok(deadline === null || deadline <= end)
      assert.ok(state === 'pending' || state === 'expired' || now + wait < end)
    }),
    { numRuns: amount(150, 1_000) },
  )
})

test('the state follows from the window and now', () => {
  fc.assert(
    fc.property(schedule, instant, events, later, (schedule, start, happenings, wait) => {
      const { attempt, now } = live(schedule, start, happenings)
      const { state, opensAt, deadline } = offerAt(schedule, attempt, now + wait)
      if (state === 'pending') return assert.equal(deadline, null)
      assert.ok(deadline !== null)
      const expected = now + wait >= deadline ? 'expired' : now + wait < (opensAt ?? 0) ? 'scheduled' : 'open'
      assert.equal(state, expected)
    }),
    { numRuns: amount(150, 1_000) },
  )
})

test('the local time of a deadline is the one that was set, but in a gap', () => {
  fc.assert(
    fc.property(schedule, instant, (schedule, anchorAt) => {
      const rule = ruleOf(schedule)
      if (rule === null || rule.deadline.kind === 'after') return
      const set = rule.deadline.kind === 'daysAt' ? rule.deadline.time : rule.deadline.closes.time
      const { deadlineAt } = windowsOf(rule)(anchorAt)
      const local = Temporal.Instant.fromEpochMilliseconds(deadlineAt * 1000).toZonedDateTimeISO(schedule.timeZone)
      if (local.toPlainTime().equals(set)) return
      const before = local.subtract({ hours: 4 })
      assert.ok(local.offsetNanoseconds > before.offsetNanoseconds, `${local} is in no gap`)
    }),
    { numRuns: amount(200, 2_000) },
  )
})

test('how often anyone looks makes no difference, and an attempt survives JSON', () => {
  fc.assert(
    fc.property(schedule, instant, events, later, (schedule, start, happenings, wait) => {
      const busy = live(
        schedule,
        start,
        happenings.flatMap((event) => [
          { ...event, do: 'look' },
          { ...event, after: 0 },
        ]),
      )
      const { timeZone, mechanism } = schedule
      const calm = live(termsOf(structuredClone({ timeZone, mechanism })), start, happenings)
      assert.deepEqual(busy, calm)
      const stored = JSON.parse(JSON.stringify(busy.attempt))
      const now = busy.now + wait
      assert.deepEqual(offerAt(schedule, stored, now), offerAt(schedule, busy.attempt, now))
    }),
    { numRuns: amount(150, 500) },
  )
})

test('an event that changes nothing gives the very same attempt', () => {
  fc.assert(
    fc.property(schedule, instant, events, (schedule, start, happenings) => {
      const { attempt, now } = live(schedule, start, happenings)
      for (const event of ['register', 'visit', 'clear']) {
        const after = apply(schedule, attempt, event, now)
        if (after !== attempt) assert.notDeepEqual(after, attempt)
      }
    }),
    { numRuns: amount(150, 1_000) },
  )
})

test('attempts never go back, and cycles do not while time passes', () => {
  fc.assert(
    fc.property(schedule, instant, events, later, later, (schedule, start, happenings, a, b) => {
      const { attempt, now } = live(schedule, start, happenings)
      const [first, second] = [
        offerAt(schedule, attempt, now + Math.min(a, b)),
        offerAt(schedule, attempt, now + Math.max(a, b)),
      ]
      assert.ok(first.cycle <= second.cycle)
      assert.ok((first.deadline ?? 0) <= (second.deadline ?? 0))
      assert.equal(first.attempt, attempt.number)
    }),
    { numRuns: amount(150, 500) },
  )
})

test('the latest cycle, jumped to or walked to, is the one that single steps lead to', () => {
  const exactMechanism = fc.record({ kind: fc.constant('after' as const), period: shortExact })
  const cycling = fc.record({
    period: fc.oneof(shortExact, days),
    max: fc.option(fc.integer({ min: 1, max: 300 })),
  })
  fc.assert(
    fc.property(
      fc.oneof(exactMechanism, personal),
      cycling,
      fc.option(endsAt),
      timeZone,
      instant,
      later,
      (deadline, { period: pause, max }, endsAt, timeZone, start, wait) => {
        const cycle = max === null ? { enabled: true, pause } : { enabled: true, pause, max }
        const mechanism = {
          startsOn: 'registration',
          deadline,
          cycle,
          ...(endsAt === null ? {} : { endsAt }),
        }
        const checked = checkSchedule({ timeZone, mechanism }, [])
        fc.pre(checked !== undefined)
        const schedule = termsOf(checked)
        const { cycle: number, opensAt } = offerAt(schedule, begin(schedule, start), start + wait)
        const stepped = steps(schedule, schedule.mechanism, start, start + wait, max ?? Number.POSITIVE_INFINITY)
        assert.deepEqual({ number, opensAt }, { number: stepped.number, opensAt: stepped.window.opensAt })
      },
    ),
    { numRuns: amount(150, 500) },
  )
})

function steps(
  schedule: Schedule,
  mechanism: Mechanism,
  start: number,
  now: number,
  max: number,
): { number: number; window: Window } {
  const rule = ruleOf(schedule)
  assert.ok(rule !== null && mechanism.cycle?.enabled)
  const end =
    mechanism.endsAt === undefined
      ? Number.POSITIVE_INFINITY
      : Temporal.PlainDateTime.from(mechanism.endsAt).toZonedDateTime(schedule.timeZone).epochMilliseconds / 1000
  let window = windowsOf(rule)(start)
  for (let number = 1; ; number += 1) {
    const next = addPeriod(zoneOf(schedule.timeZone), window.deadlineAt, periodOf(mechanism.cycle.pause))
    if (next > now || next >= end || number > max) return { number, window }
    window = windowsOf(rule)(next)
  }
}

test('the next cycle begins at the instant that was said before, and none begins where none was said', () => {
  const soon = fc.nat(90 * 86_400)
  const cycling = schedule.filter(({ mechanism }) => mechanism.cycle?.enabled === true)
  let announced = 0
  fc.assert(
    fc.property(cycling, instant, events, soon, (schedule, start, happenings, wait) => {
      const { attempt, now } = live(schedule, start, happenings)
      const at = now + wait
      const { cycle } = offerAt(schedule, attempt, at)
      const nextAt = nextCycleAt(schedule, attempt, at)
      if (nextAt === null) return assert.equal(offerAt(schedule, attempt, at + TEN_YEARS).cycle, cycle)
      announced += 1
      assert.ok(nextAt > at)
      assert.equal(offerAt(schedule, attempt, nextAt - 1).cycle, cycle)
      assert.equal(offerAt(schedule, attempt, nextAt).cycle, cycle + 1)
    }),
    { numRuns: amount(150, 1_000) },
  )
  assert.ok(announced > amount(6, 50), `${announced}`)
})
