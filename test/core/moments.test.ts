// What is told of a lead, on random campaigns and stories: the chain of looks against a walk over every second.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { causeOf, endOf, noticesOf } from '../../src/core/events.ts'
import { type Attempt, begin, offerAt, registerAgain, setByHand, visit } from '../../src/core/mechanism/attempt.ts'
import type { Mechanism } from '../../src/core/mechanism/settings.ts'
import { type Terms, termsOf } from '../../src/core/mechanism/terms.ts'
import { momentsAt, nextMoment, type Wanted } from '../../src/core/moments.ts'
import { evaluate, plusPeriod, type SimulateDocument } from '../support/evaluator.ts'
import { amount, someOf } from '../support/faults.ts'
import { documents } from '../support/random-schedules.ts'
import { instantText, parseInstant } from '../support/wall-clock.ts'

const wanted: Wanted = { opened: true, expired: true, leadSeconds: [60, 3_600, 86_400] }

/** What the chain of looks tells between two instants, both excluded but the second. */
function told(terms: Terms, attempt: Attempt, from: number, to: number): string[] {
  const found: string[] = []
  let at = nextMoment(terms, attempt, from, wanted)
  while (at !== null && at <= to) {
    const moment = at
    found.push(...momentsAt(terms, attempt, moment, wanted).map(({ kind, detail }) => `${moment} ${kind} ${detail}`))
    at = nextMoment(terms, attempt, moment, wanted)
  }
  return found
}

/** The same by the words of the documentation, second by second. */
function walked(terms: Terms, attempt: Attempt, from: number, to: number): string[] {
  const found: string[] = []
  let before = offerAt(terms, attempt, from)
  for (let at = from + 1; at <= to; at += 1) {
    const { state, deadline } = offerAt(terms, attempt, at)
    if (state === 'open' && before.state !== 'open') found.push(`${at} lead.opened 0`)
    for (const seconds of wanted.leadSeconds) {
      if (state === 'open' && deadline === at + seconds) found.push(`${at} lead.deadline_approaching ${seconds}`)
    }
    if (state === 'expired' && before.state === 'open') found.push(`${at} lead.expired 0`)
    before = { state, deadline } as typeof before
  }
  return found
}

const minutes = fc.integer({ min: 1, max: 90 }).map((n) => `PT${n}M`)
const start = parseInstant('2026-03-28T22:00:00Z')
const zones = [
  ...['Europe/Warsaw', 'America/New_York', 'UTC', 'Australia/Lord_Howe', 'Antarctica/Troll', 'America/Havana'],
  ...['Asia/Beirut', 'Africa/Cairo', 'America/Nuuk', 'Atlantic/Azores', 'Pacific/Apia', 'Pacific/Chatham'],
  ...['Africa/Casablanca', 'America/Santiago', 'Asia/Kathmandu', 'Asia/Kolkata', 'Pacific/Kiritimati', 'Asia/Tehran'],
  ...['America/St_Johns', 'Europe/London'],
]
const time = fc
  .integer({ min: 0, max: 1_439 })
  .map((n) => `${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`)
const daily = time.map((at) => ({ every: 'day' as const, time: at }))
const local = fc.integer({ min: 0, max: 600 }).map((n) => new Date((start + n * 60) * 1_000).toISOString().slice(0, 16))
const deadline = fc.oneof(
  minutes.map((period) => ({ kind: 'after' as const, period })),
  daily.map((closes) => ({ kind: 'next' as const, closes })),
  fc.tuple(daily, daily).map(([closes, opens]) => ({ kind: 'next' as const, closes, opens })),
  time.map((at) => ({ kind: 'daysAt' as const, days: 0, time: at })),
  local.map((at) => ({ kind: 'fixed' as const, at })),
)
const cycle = fc.option(
  minutes.map((pause) => ({ enabled: true as const, pause })),
  { nil: undefined },
)
const endsAt = fc.option(local, { nil: undefined })
const cases = fc.record({
  zone: fc.constantFrom(...zones),
  deadline,
  cycle,
  endsAt,
  byHand: fc.option(fc.integer({ min: -900, max: 9_000 })),
})

test('moments: the chain of looks tells what a walk over every second finds, around changes of the clocks', () => {
  fc.assert(
    fc.property(cases, ({ zone, deadline: rule, cycle: again, endsAt: end, byHand }) => {
      const cycles = again !== undefined && rule.kind !== 'fixed'
      const mechanism = {
        startsOn: 'registration',
        deadline: rule,
        ...(end && { endsAt: end }),
        ...(cycles && { cycle: again }),
      }
      const terms = termsOf({ timeZone: zone, mechanism: mechanism as Mechanism })
      const begun = begin(terms, start)
      const attempt = byHand === null ? begun : setByHand(terms, begun, start + byHand, start)
      assert.deepEqual(told(terms, attempt, start, start + 8 * 3_600), walked(terms, attempt, start, start + 8 * 3_600))
    }),
    { numRuns: amount(15, 600) },
  )
})

/** The first of them by the other reading of the rules, from each instant at which it may change to the next. */
function expected(story: SimulateDocument, from: number, to: number, most: number): string[] {
  const { timeZone, mechanism } = story.campaign
  const found: string[] = []
  const look = (at: number) => {
    const events = [...story.events, { do: 'lookup' as const, at: instantText(at) }]
    const answer = evaluate({ ...story, events }).at(-1)
    assert.ok(answer && 'state' in answer)
    return { state: answer.state, deadline: answer.deadline === null ? null : parseInstant(answer.deadline) }
  }
  for (let start = from + 1; start <= to && found.length < most; ) {
    const { state, deadline } = look(start)
    if (deadline === null) break
    const opensAt = state === 'scheduled' ? firstWhere(start, deadline, (at) => look(at).state !== 'scheduled') : start
    const instants = new Set([opensAt, deadline, ...wanted.leadSeconds.map((seconds) => deadline - seconds)])
    for (const at of [...instants].filter((one) => one >= start && one <= to).sort((a, b) => a - b)) {
      const [before, then] = [look(at - 1), look(at)]
      if (then.state === 'open' && before.state !== 'open') found.push(`${at} lead.opened 0`)
      const seconds = then.deadline === null ? 0 : then.deadline - at
      if (then.state === 'open' && wanted.leadSeconds.includes(seconds))
        found.push(`${at} lead.deadline_approaching ${seconds}`)
      if (then.state === 'expired' && before.state === 'open') found.push(`${at} lead.expired 0`)
    }
    const pause = mechanism.cycle?.enabled ? mechanism.cycle.pause : undefined
    const next = pause === undefined ? start : plusPeriod(timeZone, deadline, pause)
    // Else there is no other cycle.
    if (next <= start || look(next).deadline === deadline) break
    start = next
  }
  return found.slice(0, most)
}

/** The first instant between two, the first excluded, from which on it is so. */
function firstWhere(from: number, to: number, isSo: (at: number) => boolean): number {
  let [before, at] = [from, to]
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2)
    if (isSo(middle)) at = middle
    else before = middle
  }
  return at
}

test('truth: what is told of random stories is what the other reading of the rules finds, and none is missing', () => {
  let count = 0
  fc.assert(
    fc.property(documents, (story) => {
      const terms = termsOf(story.campaign as never)
      let attempt: Attempt | undefined
      for (const [index, event] of story.events.entries()) {
        const at = parseInstant(event.at)
        attempt = after(terms, attempt, event, at)
        const next = story.events[index + 1]
        const until = Math.min(next === undefined ? at + 40 * 86_400 : parseInstant(next.at) - 1, at + 400 * 86_400)
        if (attempt === undefined) continue
        const found = told(terms, attempt, at, until).slice(0, 20)
        assert.deepEqual(found, expected({ ...story, events: story.events.slice(0, index + 1) }, at, until, 20))
        count += found.length
      }
    }),
    { numRuns: amount(150, 10_000) },
  )
  assert.ok(count > 300, `only ${count} events`)
})

function after(
  terms: Terms,
  attempt: Attempt | undefined,
  event: { do: string; to?: string },
  at: number,
): Attempt | undefined {
  if (event.do === 'register') return attempt === undefined ? begin(terms, at) : registerAgain(terms, attempt, at)
  if (attempt === undefined || event.do === 'lookup') return attempt
  return event.do === 'visit'
    ? visit(terms, attempt, at)
    : setByHand(terms, attempt, parseInstant(event.to as string), at)
}

test('a write tells what it changed and why, and when to look again; of a draft only the latter', () => {
  const kinds = ['lead.registered', 'lead.started', 'lead.deadline_changed', 'lead.expired'] as const
  const watchers = [{ endpointId: 7, kinds, wanted: { opened: false, expired: true, leadSeconds: [] } }]
  const reset = { enabled: true, max: 1 }
  const retry = { enabled: true, after: 'PT1M' }
  const mechanism = { startsOn: 'visit', deadline: { kind: 'after', period: 'PT1H' }, reset, retry } as Mechanism
  const terms = termsOf({ timeZone: 'UTC', mechanism })
  const campaign = { terms, isDraft: false, watchers }
  const texts = (before: Attempt | undefined, next: Attempt, now: number, isDraft = false) =>
    noticesOf({ ...campaign, isDraft }, before, next, now, 0).map(
      ({ kind, dueAt, detail }) => `${kind} ${dueAt} ${kind === 'lead.deadline_changed' ? causeOf(detail) : detail}`,
    )
  const pending = begin(terms, 100)
  assert.deepEqual(texts(undefined, pending, 100), ['lead.registered 100 0'])
  const started = visit(terms, pending, 200)
  assert.deepEqual(texts(pending, started, 200), ['lead.started 200 0', 'look 3800 0'])
  const again = registerAgain(terms, started, 300)
  assert.deepEqual(texts(started, again, 300), ['lead.deadline_changed 300 reset', 'look 3900 0'])
  assert.deepEqual(texts(again, setByHand(terms, again, 500, 400), 400), [
    'lead.deadline_changed 400 set',
    'look 500 0',
  ])
  assert.deepEqual(texts(setByHand(terms, again, 500, 400), again, 450), [
    'lead.deadline_changed 450 cleared',
    'look 3900 0',
  ])
  assert.deepEqual(texts(again, registerAgain(terms, again, 9_000), 9_000), ['lead.deadline_changed 9000 retry'])
  const old = setByHand(terms, again, -5, 400)
  assert.deepEqual(texts(again, old, 400), ['lead.deadline_changed 400 set'], 'a deadline before 1970')
  const ended = setByHand(terms, pending, 150, 120)
  const atOnce = termsOf({ timeZone: 'UTC', mechanism: { ...mechanism, startsOn: 'registration' } })
  const retried = ['lead.deadline_changed 300 retry', 'look 3900 0']
  assert.deepEqual(texts(ended, registerAgain(atOnce, ended, 300), 300), retried, 'no visit was made')
  assert.deepEqual(texts(pending, started, 200, true), ['look 3800 0'])
  assert.deepEqual(
    texts(again, setByHand(terms, again, 3_900, 400), 400),
    ['look 3900 0'],
    'the same deadline is no change',
  )
  const opensAt = { every: 'week', on: ['sun'], time: '08:00' }
  const closes = { every: 'week', on: ['sun'], time: '09:00' }
  const deadline = { kind: 'next', closes, opens: opensAt }
  const later = termsOf({ timeZone: 'UTC', mechanism: { startsOn: 'registration', deadline } as unknown as Mechanism })
  const scheduled = begin(later, start)
  const offer = offerAt(later, scheduled, start)
  assert.equal(offer.state, 'scheduled')
  const opened = noticesOf(
    { ...campaign, terms: later },
    scheduled,
    setByHand(later, scheduled, offer.deadline, start),
    start,
    0,
  )
  assert.equal(opened[0]?.kind, 'lead.deadline_changed', 'the offer opens')
})

test('the beginning of an attempt is no moment: an older look that falls on that second tells nothing', () => {
  const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' } } as Mechanism
  const terms = termsOf({ timeZone: 'UTC', mechanism })
  assert.deepEqual(momentsAt(terms, begin(terms, start), start, wanted), [])
})

test('a lead time as long as the window is told when that opens, but not when a registration begins it', () => {
  const deadline = { kind: 'after', period: 'PT1H' } as const
  const cycle = { enabled: true, pause: 'PT1H', max: 1 } as const
  const terms = termsOf({ timeZone: 'UTC', mechanism: { startsOn: 'registration', deadline, cycle } as Mechanism })
  const [first, second] = [start + 3_600, start + 10_800]
  assert.deepEqual(told(terms, begin(terms, start), start - 1, second), [
    ...[`${first - 60} lead.deadline_approaching 60`, `${first} lead.expired 0`],
    ...[`${second - 3_600} lead.opened 0`, `${second - 3_600} lead.deadline_approaching 3600`],
    ...[`${second - 60} lead.deadline_approaching 60`, `${second} lead.expired 0`],
  ])
})

test('the chain goes on through cycles in which a lead time has no room, and finds those in which it has', () => {
  const weekdays = { kind: 'daysAt', days: 1, time: '12:00', skipWeekdays: ['sat', 'sun'] } as const
  const endings = ['sat', 'sun', 'mon', 'tue', 'wed', 'thu'] as const
  const once = { every: 'month', on: [13], time: '12:00' } as const
  for (const rule of [weekdays, { ...weekdays, skipWeekdays: endings }, { kind: 'next', closes: once }]) {
    const cycle = { enabled: true, pause: 'PT1H' } as const
    const terms = termsOf({
      timeZone: 'UTC',
      mechanism: { startsOn: 'registration', deadline: rule, cycle } as Mechanism,
    })
    const attempt = begin(terms, start)
    for (const hours of someOf([36, 48, 24 * 27.5, 24 * 29, 24 * 29.5, 10_000], 3)) {
      const asked = { opened: false, expired: false, leadSeconds: [hours * 3_600] }
      const until = start + amount(100, 200) * 86_400
      const expected: number[] = []
      for (let at = start + 1_800; at <= until; at += 1_800) {
        if (momentsAt(terms, attempt, at, asked).length > 0) expected.push(at)
      }
      const found: number[] = []
      let looks = 0
      for (let at = nextMoment(terms, attempt, start, asked); at !== null && at <= until; looks += 1) {
        if (momentsAt(terms, attempt, at, asked).length > 0) found.push(at)
        at = nextMoment(terms, attempt, at, asked)
      }
      assert.deepEqual(found, expected)
      assert.ok(looks <= 200, `${looks} looks`)
    }
  }
})

test('the chain reaches a window that is longer than all others of the year', () => {
  const closes = { every: 'day', time: '12:00' } as const
  const cycle = { enabled: true, pause: 'PT1H' } as const
  const mechanism = { startsOn: 'registration', deadline: { kind: 'next', closes }, cycle } as Mechanism
  const terms = termsOf({ timeZone: 'Europe/Warsaw', mechanism })
  const attempt = begin(terms, start)
  // From one o'clock to noon: 24 hours where the clocks are set back, else 23.
  const asked = { opened: false, expired: false, leadSeconds: [86_400 - 60] }
  let [at, looks] = [nextMoment(terms, attempt, start, asked), 1]
  for (; at !== null && momentsAt(terms, attempt, at, asked).length === 0; looks += 1)
    at = nextMoment(terms, attempt, at, asked)
  assert.deepEqual([at && instantText(at), looks < 100], ['2026-10-24T11:01:00Z', true])
})

test('no looks without end: none where nothing is wanted, or where no window is longer than another', () => {
  const cycle = { enabled: true, pause: 'PT1M' } as const
  const next = (deadline: object, leadSeconds: number[]) => {
    const terms = termsOf({ timeZone: 'UTC', mechanism: { startsOn: 'registration', deadline, cycle } as Mechanism })
    return nextMoment(terms, begin(terms, start), start, { opened: false, expired: false, leadSeconds })
  }
  assert.equal(next({ kind: 'after', period: 'PT1H' }, []), null)
  assert.equal(next({ kind: 'after', period: 'PT1H' }, [3_601]), null)
  assert.equal(next({ kind: 'daysAt', days: 1, time: '12:00' }, []), null)
  assert.ok(next({ kind: 'daysAt', days: 1, time: '12:00' }, [30 * 86_400]) !== null)
})

test('a date for everybody ends with the campaign, where that comes first', () => {
  const end = (mechanism: object) => endOf(termsOf({ timeZone: 'UTC', mechanism: mechanism as Mechanism }))
  const fixed = { startsOn: 'registration', deadline: { kind: 'fixed', at: '2026-03-28T22:00' } }
  assert.equal(end(fixed), start)
  assert.equal(end({ ...fixed, endsAt: '2026-03-28T21:00' }), start - 3_600)
  assert.equal(end({ ...fixed, endsAt: '2026-03-28T23:00' }), start)
  assert.equal(end({ ...fixed, deadline: { kind: 'after', period: 'PT1H' }, endsAt: '2026-03-28T21:00' }), null)
})

test('a deadline set by hand has no moment before it was set, however far back it lies', () => {
  const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'P30D' } } as Mechanism
  const terms = termsOf({ timeZone: 'UTC', mechanism })
  const setAt = start + 7_200
  const hand = (deadline: number) => setByHand(terms, begin(terms, start), deadline, setAt)
  assert.equal(nextMoment(terms, hand(start + 3_600), start, wanted), null, 'it was over when it was set')
  assert.equal(nextMoment(terms, hand(start + 9_000), start, wanted), start + 8_940, 'not an hour before it')
  const again = setByHand(terms, hand(start + 9_000), start + 12_000, start + 10_000)
  assert.equal(nextMoment(terms, again, start, wanted), start + 11_940, 'nor before it was set to another')
  const same = setByHand(terms, hand(start + 9_000), start + 9_000, start + 8_950)
  assert.equal(nextMoment(terms, same, start, wanted), start + 8_940, 'the same again is no other')
})
