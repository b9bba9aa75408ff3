// The preview tells what the rules decide: everything in it is held against `simulate`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatInstant, parseInstant } from '../../src/core/instant.ts'
import { checkSchedule } from '../../src/core/mechanism/check-schedule.ts'
import type { Mechanism, Schedule } from '../../src/core/mechanism/settings.ts'
import { type Preview, preview, type Story, type Supposed, type Who } from '../../src/core/preview.ts'
import { type Answer, simulate } from '../../src/core/simulate.ts'
import { amount } from '../support/faults.ts'
import { campaigns } from '../support/random-schedules.ts'

const at = (text: string) => parseInstant(text) as number
const now = at('2026-10-05T10:00:00+02:00') // a Monday

const supposed: Supposed = { now, own: null, visitAfter: 'PT1H', anonymous: false }

function scheduleOf(mechanism: Mechanism, timeZone = 'Europe/Warsaw'): Schedule {
  return checkSchedule({ timeZone, mechanism }, []) as Schedule
}

function storyOf(previews: Preview[], who: Who, when = 'now'): Story {
  return previews.find((one) => one.when === when)?.stories.find((one) => one.who === who) as Story
}

const eventOf = {
  ...{ registers: 'register', resets: 'register', retries: 'register', visits: 'visit' },
  ...{ opens: 'lookup', ends: 'lookup', comesAgain: 'lookup' },
} as const

/** What `simulate` says after each step, and a second before the next one. */
function assertSimulated(schedule: Schedule, { who, steps }: Story): void {
  const events = steps.flatMap((step, index) => {
    const next = steps[index + 1]
    const event = { do: eventOf[step.what], at: formatInstant(step.at) }
    const isRoom = next !== undefined && next.at - 1 > step.at
    return [event, { do: 'lookup', at: formatInstant(isRoom ? next.at - 1 : step.at) }]
  })
  if (who === 'visitor') {
    // A browser's attempt begins under either startsOn: as if the lead had registered and come at once.
    events.unshift({ do: 'register', at: (events[0] as { at: string }).at })
  }
  const simulated = simulate({ campaign: schedule, events })
  assert.ok('answers' in simulated, JSON.stringify(simulated))
  const answers = (who === 'visitor' ? simulated.answers.slice(1) : simulated.answers) as Answer[]
  const said = (answer: Answer) =>
    'found' in answer ? answer : [answer.state, answer.deadline, answer.attempt, answer.cycle]
  const told = steps.flatMap(({ offer: { state, deadline, attempt, cycle } }) => {
    const one = [state, deadline === null ? null : formatInstant(deadline), attempt, cycle]
    return [one, one]
  })
  assert.deepEqual(answers.map(said), told)
}

test('every step of every story is what simulate answers, and nothing changes in between', () => {
  fc.assert(
    fc.property(campaigns, fc.integer({ min: 0, max: 700 * 86_400 }), (campaign, later) => {
      const schedule = scheduleOf(campaign.mechanism as Mechanism, campaign.timeZone)
      const previews = preview(schedule, { ...supposed, now: now + later, anonymous: true })
      for (const { stories, at: startsAt } of previews) {
        for (const story of stories) {
          assert.ok(story.steps.length <= 30)
          assert.equal(story.steps[0]?.at, startsAt)
          for (const [index, step] of story.steps.entries()) assert.ok(step.at >= (story.steps[index - 1]?.at ?? 0))
          assertSimulated(schedule, story)
        }
      }
    }),
    { numRuns: amount(40, 300) },
  )
})

test('people come now, in the evening, on Friday, before the clocks change, and at a moment of choice', () => {
  const schedule = scheduleOf({ startsOn: 'registration', deadline: { kind: 'after', period: 'P1D' } })
  const own = Date.UTC(2026, 11, 24, 18) / 1000
  assert.deepEqual(
    preview(schedule, { ...supposed, own }).map((one) => [one.when, formatInstant(one.at)]),
    [
      ['now', '2026-10-05T08:00:00Z'],
      ['evening', '2026-10-05T19:00:00Z'],
      ['friday', '2026-10-09T10:00:00Z'],
      ['clockChange', '2026-10-24T10:00:00Z'],
      ['own', '2026-12-24T17:00:00Z'],
    ],
  )
  const late = preview(schedule, { ...supposed, now: at('2026-10-09T23:00:00+02:00') })
  assert.deepEqual(
    late.slice(1, 3).map((one) => formatInstant(one.at)),
    ['2026-10-10T19:00:00Z', '2026-10-16T10:00:00Z'],
  )
  const onTheEve = preview(schedule, { ...supposed, now: at('2026-10-24T20:00:00+02:00') })
  assert.equal(formatInstant(onTheEve[3]?.at ?? 0), '2026-10-24T18:00:00Z')
  // An hour before the change nobody signs up the day before any more.
  const tooLate = preview(schedule, { ...supposed, now: at('2026-10-25T01:00:00+02:00') })
  assert.ok(!tooLate.some(({ when }) => when === 'clockChange'))
  const tokyo = preview({ ...schedule, timeZone: 'Asia/Tokyo' }, supposed)
  assert.deepEqual(
    tokyo.map((one) => one.when),
    ['now', 'evening', 'friday'],
  )
})

test('a day over the change of the clocks has 25 hours', () => {
  const schedule = scheduleOf({ startsOn: 'registration', deadline: { kind: 'after', period: 'P1D' } })
  const { steps } = storyOf(preview(schedule, supposed), 'lead', 'clockChange')
  assert.deepEqual(
    steps.map((step) => [step.what, formatInstant(step.at)]),
    [
      ['registers', '2026-10-24T10:00:00Z'],
      ['ends', '2026-10-25T11:00:00Z'],
    ],
  )
})

test('resets, retries and cycles are told as often as they happen, and what goes on says so', () => {
  const deadline = { kind: 'after', period: 'PT48H' } as const
  const whats = (mechanism: Omit<Mechanism, 'deadline' | 'startsOn'>, who: Who) => {
    const story = storyOf(preview(scheduleOf({ startsOn: 'registration', deadline, ...mechanism }), supposed), who)
    return [...story.steps.map((step) => step.what), ...(story.goesOn ? ['…'] : [])].join(' ')
  }
  const reset = { enabled: true, max: 1 }
  const retry = { enabled: true, after: 'P30D', max: 1 } as const
  assert.equal(whats({ reset, retry }, 'lead'), 'registers ends')
  assert.equal(whats({ reset, retry }, 'eager'), 'registers resets ends retries resets ends')
  assert.equal(whats({ reset: { enabled: true } }, 'eager'), 'registers resets resets ends …')
  const endless = { enabled: true, after: 'P1D' } as const
  assert.equal(whats({ retry: endless }, 'eager'), 'registers ends retries ends retries ends …')
  const cycle = { enabled: true, pause: 'P4D', max: 2 } as const
  assert.equal(whats({ cycle }, 'lead'), 'registers ends comesAgain ends comesAgain ends')
  const times = 'registers ends comesAgain ends comesAgain ends …'
  assert.equal(whats({ cycle: { enabled: true, pause: 'P4D' } }, 'lead'), times)
})

test('under startsOn visit the first visit comes when it is supposed to', () => {
  const mechanism: Mechanism = { startsOn: 'visit', deadline: { kind: 'after', period: 'PT2H' } }
  const previews = preview(scheduleOf(mechanism), { ...supposed, visitAfter: 'P1D', anonymous: true })
  const told = (who: Who) => storyOf(previews, who).steps.map((step) => [step.what, step.offer.state])
  assert.deepEqual(told('lead'), [
    ['registers', 'pending'],
    ['visits', 'open'],
    ['ends', 'expired'],
  ])
  assert.deepEqual(told('visitor'), [
    ['visits', 'open'],
    ['ends', 'expired'],
  ])
  assert.equal((storyOf(previews, 'lead').steps[1]?.at as number) - now, 86_400)
})

test('an offer that opens first is scheduled until then', () => {
  const { steps } = storyOf(
    preview(
      scheduleOf({
        startsOn: 'registration',
        deadline: {
          kind: 'next',
          opens: { every: 'week', on: ['wed'], time: '09:00' },
          closes: { every: 'week', on: ['fri'], time: '18:00' },
        },
      }),
      supposed,
    ),
    'lead',
  )
  assert.deepEqual(
    steps.map((step) => [step.what, step.offer.state, formatInstant(step.at)]),
    [
      ['registers', 'scheduled', '2026-10-05T08:00:00Z'],
      ['opens', 'open', '2026-10-07T07:00:00Z'],
      ['ends', 'expired', '2026-10-09T16:00:00Z'],
    ],
  )
})
