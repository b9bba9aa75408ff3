// The gate says what the rules decide, and for how long it stays true.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { gateAt } from '../../src/core/gate.ts'
import { type Attempt, begin, beginByVisit, nextCycleAt, offerAt, setByHand } from '../../src/core/mechanism/attempt.ts'
import { checkSchedule } from '../../src/core/mechanism/check-schedule.ts'
import type { Mechanism } from '../../src/core/mechanism/settings.ts'
import { type Terms, termsOf } from '../../src/core/mechanism/terms.ts'
import { amount } from '../support/faults.ts'
import { campaigns } from '../support/random-schedules.ts'

const start = Date.UTC(2026, 0, 1) / 1_000
const twoYears = 2 * 366 * 86_400

function after(period: string, more: Partial<Mechanism> = {}): Terms {
  const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period }, ...more }
  return termsOf({ timeZone: 'Europe/Warsaw', mechanism: mechanism as Mechanism })
}

/** State, whether it lets in, seconds left, seconds that the answer may be kept. */
function shown(terms: Terms, attempt: Attempt, graceSeconds: number, nowMs: number): unknown[] {
  const { state, isOpen, secondsLeft, maxAgeSeconds } = gateAt(terms, attempt, graceSeconds, nowMs)
  return [state, isOpen, secondsLeft, maxAgeSeconds]
}

test('open before the deadline, in grace for so many seconds after it, expired from then on', () => {
  const terms = after('PT1H')
  const attempt = begin(terms, start)
  const deadlineMs = (start + 3_600) * 1_000
  assert.deepEqual(shown(terms, attempt, 60, deadlineMs - 31_000), ['open', true, 31, 30])
  assert.deepEqual(shown(terms, attempt, 60, deadlineMs - 1_500), ['open', true, 2, 1])
  assert.deepEqual(shown(terms, attempt, 60, deadlineMs - 1), ['open', true, 1, 0])
  assert.deepEqual(shown(terms, attempt, 60, deadlineMs), ['grace', true, 0, 30])
  assert.deepEqual(shown(terms, attempt, 60, deadlineMs + 59_999), ['grace', true, 0, 0])
  assert.deepEqual(shown(terms, attempt, 60, deadlineMs + 60_000), ['expired', false, 0, 30])
  assert.deepEqual(shown(terms, attempt, 0, deadlineMs), ['expired', false, 0, 30])
})

test('an offer that follows is told, and the answer is kept until it begins', () => {
  const terms = after('PT1H', { cycle: { enabled: true, pause: 'PT1H' } })
  const nextAt = start + 2 * 3_600
  const gate = gateAt(terms, begin(terms, start), 0, (nextAt - 5) * 1_000)
  assert.deepEqual([gate.state, gate.nextAt, gate.maxAgeSeconds], ['expired', nextAt, 5])
})

test('the grace goes on when the next cycle has begun meanwhile and waits for its opening', () => {
  const opens = { every: 'week', on: ['mon'], time: '09:00' }
  const closes = { every: 'week', on: ['fri'], time: '18:00' }
  const deadline = { kind: 'next', opens, closes } as const
  const terms = after('', { deadline, cycle: { enabled: true, pause: 'PT1M' } } as Partial<Mechanism>)
  const attempt = begin(terms, Date.parse('2026-01-07T12:00Z') / 1_000)
  const at = (time: string) => shown(terms, attempt, 600, Date.parse(`2026-01-09T${time}+01:00`))
  assert.deepEqual(at('17:59:50'), ['open', true, 10, 10])
  assert.deepEqual(at('18:00:59'), ['grace', true, 0, 1])
  assert.deepEqual(at('18:01:00'), ['grace', true, 0, 30])
  assert.deepEqual(at('18:09:55'), ['grace', true, 0, 5])
  assert.deepEqual(at('18:10:00').slice(0, 2), ['scheduled', false])
})

test('pending lets in, and neither it nor an offer without a deadline has one', () => {
  const pending = after('PT1H', { startsOn: 'visit' })
  assert.deepEqual(shown(pending, begin(pending, start), 0, start * 1_000), ['pending', true, null, 30])
  const none = after('PT1H', { deadline: { kind: 'none' } })
  assert.deepEqual(shown(none, begin(none, start), 3_600, start * 1_000), ['open', true, null, 30])
})

test('for any campaign and moment the gate agrees with the offer, for as long as its answer may be cached', () => {
  const moment = fc.integer({ min: 0, max: twoYears * 1_000 })
  const byHand = fc.option(fc.integer({ min: 0, max: twoYears }))
  fc.assert(
    fc.property(
      campaigns,
      fc.boolean(),
      byHand,
      moment,
      fc.integer({ min: 0, max: 3_600 }),
      (campaign, visits, hand, ms, grace) => {
        const schedule = checkSchedule(campaign, [])
        assert.ok(schedule)
        const terms = termsOf(schedule)
        const begun = visits ? beginByVisit(terms, start) : begin(terms, start)
        const attempt = hand === null ? begun : setByHand(terms, begun, start + hand, start)
        const nowMs = start * 1_000 + ms
        const now = Math.floor(nowMs / 1_000)
        const gate = gateAt(terms, attempt, grace, nowMs)
        const offer = offerAt(terms, attempt, now)
        const minutes = Array.from({ length: Math.ceil(grace / 60) + 1 }, (_, n) => Math.max(now - grace, now - n * 60))
        const ends = minutes.map((at) => offerAt(terms, attempt, at).deadline)
        const ended = ends.find((at) => at !== null && at <= now && now - at < grace)
        const isInGrace = ended !== undefined && ['expired', 'scheduled'].includes(offer.state)
        assert.equal(gate.state, isInGrace ? 'grace' : offer.state)
        assert.equal(gate.isOpen, isInGrace || ['open', 'pending'].includes(offer.state))
        const deadline = isInGrace ? ended : offer.deadline
        assert.deepEqual([gate.deadline, gate.nextAt], [deadline, nextCycleAt(terms, attempt, now)])
        assert.ok(gate.maxAgeSeconds >= 0 && gate.maxAgeSeconds <= 30)
        const kept = gateAt(terms, attempt, grace, nowMs + gate.maxAgeSeconds * 1_000 - 1)
        if (gate.maxAgeSeconds > 0) assert.equal(kept.state, gate.state)
      },
    ),
    { numRuns: amount(200, 2_000) },
  )
})
