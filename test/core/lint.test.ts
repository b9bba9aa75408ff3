import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkCampaign } from '../../src/core/campaign.ts'
import { formatInstant, parseInstant } from '../../src/core/instant.ts'
import { lint, lintCodes } from '../../src/core/lint.ts'
import { begin, offerAt, registerAgain } from '../../src/core/mechanism/attempt.ts'
import type { Schedule } from '../../src/core/mechanism/settings.ts'
import { termsOf } from '../../src/core/mechanism/terms.ts'
import { timerFindings } from '../../src/core/timer-lint.ts'
import { fullTimerStyle, presetStyles } from '../../src/core/timer-style.ts'
import { amount } from '../support/faults.ts'
import { campaigns } from '../support/random-schedules.ts'

const now = parseInstant('2026-10-05T10:00:00+02:00') as number
const after = { kind: 'after', period: 'P3D' }
const page = { pageUrl: 'https://example.com/offer' }

/** Calm as it stands. */
const calm = {
  name: 'Autumn course',
  isDraft: false,
  timeZone: 'Europe/Warsaw',
  mechanism: { startsOn: 'registration', deadline: after } as object,
  pages: [page] as object[],
  mailTimer: {} as object | null,
}

function findings(changes: object): [code: string, path: string, isUnfair: boolean, at: string | null][] {
  const result = checkCampaign({ ...calm, ...changes })
  assert.ok('campaign' in result, JSON.stringify(result))
  return lint(result.campaign, now).map(({ code, path, isUnfair, at }) => [
    ...([code, path, isUnfair, at === null ? null : formatInstant(at)] as const),
  ])
}

const rules = (deadline: object, more: object = {}) => ({
  mechanism: { startsOn: 'registration', deadline, ...more },
})
const daysAt = { kind: 'daysAt', days: 2, time: '23:59' }
const friday = { every: 'week', on: ['fri'], time: '18:00' }
const next = { kind: 'next', closes: friday, minLead: 'P1D' }
const reset = (max?: number) => ({ reset: { enabled: true, ...(max && { max }) } })
const cycle = (pause: string, max?: number) => ({ cycle: { enabled: true, pause, ...(max && { max }) } })
const retry = (wait: string) => ({ retry: { enabled: true, after: wait, max: 1 } })
const redirect = (redirectUrl: string) => ({ onExpiry: { action: 'REDIRECT', redirectUrl } })

test('ordinary settings have no findings', () => {
  for (const settings of [
    {},
    rules(daysAt),
    rules(next),
    rules({ kind: 'fixed', at: '2026-11-28T00:00' }),
    rules({ kind: 'none' }, { endsAt: '2026-12-01T00:00' }),
    rules(after, reset(3)),
    rules(next, reset(1)),
    rules({ ...next, opens: { ...friday, time: '09:00' } }, cycle('PT1H', 3)),
    rules(after, retry('P30D')),
    rules(after, cycle('P4D', 3)),
    rules(after, { ...cycle('P4D'), endsAt: '2027-12-01T00:00' }),
    rules(after, { endsAt: '2026-10-08T10:00' }),
    rules({ ...daysAt, skipDates: ['2026-01-01', '2026-10-05'] }),
    // The clocks jump over these times on 28 March 2027, a Sunday.
    rules({ ...daysAt, time: '02:30', skipWeekdays: ['sun'] }),
    rules({ ...next, closes: { ...friday, time: '02:30' } }),
    rules({ ...next, closes: { every: 'day', time: '02:30' }, skipDates: ['2027-03-28'] }),
    rules({ ...next, opens: { every: 'month', on: [27], time: '02:30' } }),
    { ...rules(after), ...redirect('https://example.com/closed') },
    { ...rules(after), ...redirect('https://example.com/offer#/closed') },
    { mailTimer: null },
    // Just enough.
    rules({ kind: 'after', period: 'PT1H' }),
    rules({ kind: 'fixed', at: '2026-10-05T10:01' }),
    rules({ ...daysAt, skipWeekdays: ['mon', 'tue', 'wed', 'thu'] }),
    rules({ ...daysAt, skipDates: ['2026-10-05'] }),
    rules(after, retry('PT24H')),
    rules({ kind: 'after', period: 'PT24H' }, cycle('PT23H', 3)),
  ]) {
    assert.deepEqual(findings(settings), [], JSON.stringify(settings))
  }
})

const told: [what: string, settings: object, code: string, path: string, at?: string][] = [
  ['a draft', { isDraft: true }, 'DRAFT', 'isDraft'],
  [
    'a fixed date that is over',
    rules({ kind: 'fixed', at: '2026-10-05T10:00' }),
    'FIXED_DATE_OVER',
    'mechanism.deadline.at',
  ],
  ['an end that is over', rules(after, { endsAt: '2026-10-05T10:00' }), 'END_OVER', 'mechanism.endsAt'],
  [
    'an end before the opening',
    rules({ ...next, opens: { ...friday, time: '09:00' } }, { endsAt: '2026-10-09T09:00' }),
    'END_BEFORE_OPENING',
    'mechanism.endsAt',
    '2026-10-09T07:00:00Z',
  ],
  [
    'an end before the first deadline',
    rules(after, { endsAt: '2026-10-08T09:59' }),
    'END_CUTS_FIRST',
    'mechanism.endsAt',
    '2026-10-08T08:00:00Z',
  ],
  [
    'an end before the date that is everybody’s',
    rules({ kind: 'fixed', at: '2026-11-28T00:00' }, { endsAt: '2026-11-27T00:00' }),
    'END_CUTS_FIRST',
    'mechanism.endsAt',
    '2026-11-27T23:00:00Z',
  ],
  [
    'less time than an email may take',
    rules({ kind: 'after', period: 'PT59M' }),
    'SHORT_FOR_AN_EMAIL',
    'mechanism.deadline.period',
  ],
  ['the same day', rules({ ...daysAt, days: 0 }), 'MAY_BE_SHORT', 'mechanism.deadline.days'],
  [
    'the next closing, however near',
    rules({ kind: 'next', closes: friday }),
    'MAY_BE_SHORT',
    'mechanism.deadline.minLead',
  ],
  [
    'few weekdays left',
    rules({ ...daysAt, skipWeekdays: ['mon', 'tue', 'wed', 'thu', 'fri'] }),
    'SKIPS_LEAVE_FEW',
    'mechanism.deadline.skipWeekdays',
  ],
  [
    'skipped dates of last year',
    rules({ ...daysAt, skipDates: ['2025-12-24', '2026-10-04'] }),
    'SKIPPED_DATES_OVER',
    'mechanism.deadline.skipDates',
  ],
  [
    'a time that the clocks jump over',
    rules({ ...daysAt, time: '02:30' }),
    'TIME_SKIPPED',
    'mechanism.deadline.time',
    '2027-03-28T01:30:00Z',
  ],
  [
    'a closing time that the clocks jump over',
    rules({ ...next, closes: { every: 'day', time: '02:00' } }),
    'TIME_SKIPPED',
    'mechanism.deadline.closes.time',
    '2027-03-28T01:00:00Z',
  ],
  [
    'an opening time that the clocks jump over',
    rules({ ...next, opens: { every: 'month', on: [28], time: '02:30' } }),
    'TIME_SKIPPED',
    'mechanism.deadline.opens.time',
    '2027-03-28T01:30:00Z',
  ],
  [
    'a date and time that the clocks jump over',
    rules({ kind: 'fixed', at: '2027-03-28T02:15' }),
    'TIME_SKIPPED',
    'mechanism.deadline.at',
    '2027-03-28T01:15:00Z',
  ],
  ['resets without end', rules(after, reset()), 'RESET_SLIDES', 'mechanism.reset'],
  ['many resets', rules(daysAt, reset(4)), 'RESET_SLIDES', 'mechanism.reset'],
  ['resets that lead to ever later dates', rules(next, reset()), 'RESET_SLIDES', 'mechanism.reset'],
  [
    'a reset that may lead from an open window to the next one',
    rules({ ...next, opens: { ...friday, on: ['mon'] } }, reset(1)),
    'RESET_MAY_CLOSE',
    'mechanism.reset',
  ],
  ['another chance at once', rules(after, retry('PT23H')), 'RETRY_AT_ONCE', 'mechanism.retry'],
  [
    'another chance after the end',
    rules(after, { ...retry('P30D'), endsAt: '2026-11-07T10:00' }),
    'RETRY_NEVER',
    'mechanism.retry',
    '2026-11-07T09:00:00Z',
  ],
  ['a pause of an hour', rules(after, cycle('PT1H', 3)), 'CYCLE_HARDLY_PAUSES', 'mechanism.cycle'],
  [
    'a day of pause after a fortnight',
    rules({ ...after, period: 'P14D' }, cycle('P1D', 3)),
    'CYCLE_HARDLY_PAUSES',
    'mechanism.cycle',
  ],
  ['cycles for ever', rules(after, cycle('P4D')), 'CYCLE_FOREVER', 'mechanism.cycle'],
  [
    'a cycle after the end',
    rules(after, { ...cycle('P30D', 1), endsAt: '2026-11-07T10:00' }),
    'CYCLE_NEVER',
    'mechanism.cycle',
    '2026-11-07T09:00:00Z',
  ],
  [
    'a redirect to the offer',
    redirect('http://www.example.com/offer/?from=late#top'),
    'REDIRECT_TO_OFFER',
    'onExpiry.redirectUrl',
  ],
  [
    'a redirect to where the link leads',
    { ...redirect('https://shop.example/x'), pages: [{ ...page, proxyUrl: 'https://shop.example/x' }] },
    'REDIRECT_TO_OFFER',
    'onExpiry.redirectUrl',
  ],
  ['no page at all', { pages: [], mailTimer: null }, 'NO_PAGE', 'pages'],
  ['faint digits', { mailTimer: { digits: '#ffffff', box: '#f5f5f5' } }, 'TIMER_DIGITS_FAINT', 'mailTimer.digits'],
  ['faint labels', { mailTimer: { labels: '#aaaaaa' } }, 'TIMER_LABELS_FAINT', 'mailTimer.labels'],
  ['a faint ring', { mailTimer: { preset: 'rings', box: '#eeeeee' } }, 'TIMER_BOXES_FAINT', 'mailTimer.box'],
  ['digits too small', { mailTimer: { height: 50, showLabels: false } }, 'TIMER_DIGITS_SMALL', 'mailTimer.height'],
  ['digits made too small', { mailTimer: { digitSize: 20 } }, 'TIMER_DIGITS_SMALL', 'mailTimer.digitSize'],
  [
    'digits larger than there is room for',
    { mailTimer: { preset: 'rings', height: 50, showLabels: false, digitSize: 100 } },
    'TIMER_DIGITS_SMALL',
    'mailTimer.height',
  ],
  ['labels too small', { mailTimer: { height: 100 } }, 'TIMER_LABELS_SMALL', 'mailTimer.height'],
  ['labels made too small', { mailTimer: { labelSize: 12 } }, 'TIMER_LABELS_SMALL', 'mailTimer.labelSize'],
  [
    'labels too long',
    { mailTimer: { labelTexts: { days: 'w'.repeat(20) } } },
    'TIMER_LABELS_SMALL',
    'mailTimer.labelTexts',
  ],
  ['boxes like pillars', { mailTimer: { width: 200, height: 200 } }, 'TIMER_PILLARS', 'mailTimer.height'],
  ['a timer and no eligible page', { pages: [{ ...page, eligible: false }] }, 'TIMER_WITHOUT_PAGE', 'mailTimer'],
]

for (const [what, settings, code, path, at = null] of told) {
  test(`said: ${what}`, () => {
    const isUnfair = ['RESET_SLIDES', 'RETRY_AT_ONCE', 'CYCLE_HARDLY_PAUSES'].includes(code)
    assert.deepEqual(findings(settings), [[code, path, isUnfair, at]])
  })
}

test('said: no deadline, and a timer that has nothing to count', () => {
  assert.deepEqual(
    findings(rules({ kind: 'none' })).map(([code]) => code),
    ['NO_DEADLINE', 'TIMER_WITHOUT_DEADLINE'],
  )
})

test('said: a reset that leads to the same date', () => {
  for (const deadline of [
    { kind: 'next', closes: friday },
    { ...daysAt, days: 0 },
  ]) {
    assert.deepEqual(
      findings(rules(deadline, reset())).map(([code]) => code),
      ['MAY_BE_SHORT', 'RESET_CHANGES_NOTHING'],
    )
  }
})

test('a reset shuts an open offer where the opening of the next window is still to come, and nowhere else', () => {
  const week = (day: string) => ({ every: 'week', on: [day], time: '09:00' })
  const daily = { every: 'day', time: '09:00' }
  const monthly = { every: 'month', on: [2], time: '09:00' }
  const series = [week('mon'), week('fri'), daily, monthly]
  const choices = series.flatMap((closes) =>
    [undefined, ...series].flatMap((opens) =>
      [undefined, 'PT1H', 'P9D'].map((minLead) => ({
        ...{ kind: 'next', closes },
        ...(opens && { opens }),
        ...(minLead && { minLead }),
      })),
    ),
  )
  for (const deadline of choices) {
    const settings = rules(deadline, reset(1))
    const terms = termsOf({ timeZone: calm.timeZone, ...settings } as unknown as Schedule)
    const shuts = Array.from({ length: 70 * 4 }, (_, n) => now + n * 21_600).some((at) => {
      const attempt = begin(terms, at)
      const { opensAt, deadline: endsAt } = offerAt(terms, attempt, at)
      const [from, until] = [opensAt ?? at, endsAt as number]
      return [from, Math.floor((from + until) / 2), until - 60].some(
        (later) =>
          offerAt(terms, attempt, later).state === 'open' &&
          offerAt(terms, registerAgain(terms, attempt, later), later).state !== 'open',
      )
    })
    const isSaid = findings(settings).some(([code]) => code === 'RESET_MAY_CLOSE')
    assert.equal(isSaid, shuts, JSON.stringify(deadline))
  }
})

test('a reset that gives further cycles, where they are bounded, is not said to change nothing', () => {
  const cycle = (max?: number) => ({ cycle: { enabled: true, pause: 'P2D', ...(max && { max }) } })
  const codes = (max?: number) =>
    findings(rules({ kind: 'next', closes: friday }, { ...reset(), ...cycle(max) })).map(([code]) => code)
  assert.ok(codes().includes('RESET_CHANGES_NOTHING'))
  assert.ok(!codes(1).includes('RESET_CHANGES_NOTHING') && codes(1).includes('RESET_SLIDES'))
})

test('said: a first visit is awaited, and no link leads to a page', () => {
  const settings = { mechanism: { startsOn: 'visit', deadline: after }, pages: [], mailTimer: null }
  assert.deepEqual(
    findings(settings).map(([code]) => code),
    ['VISIT_WITHOUT_PAGE', 'NO_PAGE'],
  )
})

test('every code is found by one of these', () => {
  const here = told.map(([, , code]) => code)
  const also = ['RESET_CHANGES_NOTHING', 'NO_DEADLINE', 'TIMER_WITHOUT_DEADLINE', 'VISIT_WITHOUT_PAGE']
  assert.deepEqual([...new Set([...here, ...also])].sort(), [...lintCodes].sort())
})

test('any valid rules can be checked', () => {
  fc.assert(
    fc.property(campaigns, ({ timeZone, mechanism }) => {
      for (const [code, path] of findings({ timeZone, mechanism })) assert.ok(code && path)
    }),
    { numRuns: amount(50, 300) },
  )
})

test('a timer as each preset looks by itself can be read, and so can a transparent one', () => {
  const styles = [...presetStyles, fullTimerStyle({ background: 'transparent' })]
  for (const style of styles) assert.deepEqual(timerFindings(style), [], style.preset)
  const faint = fullTimerStyle({ background: 'transparent', labels: '#1f2937' })
  assert.deepEqual(timerFindings(faint), [['TIMER_LABELS_FAINT', 'labels']])
  const narrow = presetStyles.map((style) => ({ ...style, width: 320, height: 80, pixelsPerPoint: 2 as const }))
  for (const style of narrow) assert.deepEqual(timerFindings(style), [], style.preset)
  const flat = fullTimerStyle({ preset: 'flat', digits: '#eeeeee' })
  assert.deepEqual(timerFindings(flat), [['TIMER_DIGITS_FAINT', 'digits']])
})
