// Random campaigns, and what happens to one lead in them, for fast-check. Events are drawn close to the
// instants at which rules go wrong: changes of the clocks, the deadline, the next cycle, the retry, the end.
import fc from 'fast-check'
import type { Deadline } from '../../src/core/mechanism/settings.ts'
import {
  type Campaign,
  type DeadlineRule,
  endOf,
  evaluate,
  type Happening,
  type Mechanism,
  plusPeriod,
  type Recurrence,
  type SimulateDocument,
  type Skips,
  type Weekday,
  windowFrom,
} from './evaluator.ts'
import { dateOf, dateText, daySeconds, instantText, nextChangeOfOffset, parseInstant, readingAt } from './wall-clock.ts'

const timeZones = [
  'Europe/Warsaw',
  'America/New_York',
  'UTC',
  'Australia/Lord_Howe', // moves by half an hour
  'Antarctica/Troll', // moves by two
  'America/Havana', // no midnight on one day a year
  'Asia/Beirut', // goes back over midnight
  'Africa/Cairo',
  'America/Nuuk', // forward from 23:00 to the next day
  'Atlantic/Azores',
  'America/St_Johns', // until 2011 back from 00:01 to yesterday
  'Pacific/Apia', // had no 30 December 2011
  'Pacific/Chatham',
  'Africa/Casablanca', // changes around Ramadan
  'America/Santiago',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Pacific/Kiritimati',
  'Etc/GMT+12',
]

const weekdays: Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const minuteSeconds = 60
const hourSeconds = 3600
/** An evaluator that walks every cycle is not asked to walk more than these between two events. */
const cyclesPerStep = 400

// Settings -----------------------------------------------------------------------------------------------

const oddTimes = ['00:00', '00:30', '01:30', '02:00', '02:15', '02:30', '02:59', '03:00', '23:30', '23:59']
const times = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddTimes) },
  { weight: 1, arbitrary: fc.nat(24 * 60 - 1).map(timeText) },
)

function timeText(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
}

const days = (max: number) => fc.integer({ min: 1, max }).map((n) => `P${n}D`)
const hours = (max: number) => fc.integer({ min: 1, max }).map((n) => `PT${n}H`)
const shortPeriods = fc.oneof(
  days(10),
  hours(80),
  fc.integer({ min: 1, max: 3000 }).map((n) => `PT${n}M`),
  fc.tuple(hours(50), fc.integer({ min: 1, max: 59 })).map(([period, minutes]) => `${period}${minutes}M`),
  fc.constantFrom('PT1M', 'P1D', 'PT24H', 'PT48H', 'P7D'),
)
const periods = fc.oneof(
  { weight: 12, arbitrary: shortPeriods },
  { weight: 3, arbitrary: fc.oneof(days(400), hours(9600)) },
  { weight: 1, arbitrary: fc.oneof(days(3660), hours(87_840)) },
)

const recurrences: fc.Arbitrary<Recurrence> = fc.oneof(
  fc.record({ every: fc.constant('day' as const), time: times }),
  fc.record({
    every: fc.constant('week' as const),
    on: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1, maxLength: 7 }),
    time: times,
  }),
  fc.record({
    every: fc.constant('month' as const),
    on: fc.uniqueArray(fc.oneof(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 28, max: 31 })), {
      minLength: 1,
      maxLength: 4,
    }),
    time: times,
  }),
)

const skips = (from: number): fc.Arbitrary<Skips> =>
  fc
    .record(
      {
        skipWeekdays: fc.oneof(
          fc.constant<Weekday[]>(['sat', 'sun']),
          fc.uniqueArray(fc.constantFrom(...weekdays), { maxLength: 6 }),
        ),
        skipDates: fc.oneof(
          { weight: 5, arbitrary: fc.uniqueArray(fc.integer({ min: -2, max: 40 }), { maxLength: 15 }) },
          { weight: 1, arbitrary: fc.nat(366).map((length) => Array.from({ length }, (_, day) => day)) },
        ),
      },
      { requiredKeys: [] },
    )
    .map(({ skipDates, ...rest }) => ({
      ...rest,
      ...(skipDates ? { skipDates: skipDates.map((day) => dateText(from + day * daySeconds)) } : {}),
    }))

/** `YYYY-MM-DDTHH:MM`, up to so many days from a reading. */
const localTimes = (from: number, maxDays: number) =>
  fc
    .tuple(fc.integer({ min: -2, max: maxDays }), times)
    .map(([day, time]) => `${dateText(from + day * daySeconds)}T${time}`)

/** One for each kind, or it does not compile. */
const deadlinesOf = (from: number): { [K in Deadline['kind']]: fc.WeightedArbitrary<DeadlineRule & { kind: K }> } => ({
  after: { weight: 3, arbitrary: fc.record({ kind: fc.constant('after'), period: periods }) },
  daysAt: {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.record({
          kind: fc.constant('daysAt'),
          days: fc.oneof({ weight: 6, arbitrary: fc.nat(8) }, { weight: 1, arbitrary: fc.nat(400) }),
          time: times,
        }),
        skips(from),
      )
      .map(([rule, skipped]) => ({ ...rule, ...skipped })),
  },
  next: {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.record(
          {
            kind: fc.constant('next'),
            closes: recurrences,
            minLead: fc.oneof({ weight: 5, arbitrary: shortPeriods }, { weight: 1, arbitrary: days(1000) }),
            opens: recurrences,
          },
          { requiredKeys: ['kind', 'closes'] },
        ),
        skips(from),
      )
      .map(([rule, skipped]) => ({ ...rule, ...leavingADay(rule.closes, skipped) })),
  },
  fixed: {
    weight: 1,
    arbitrary: fc
      .tuple(localTimes(from, 20), fc.option(fc.integer({ min: 25, max: 200 }), { nil: undefined }))
      .map(([at, hoursOpen]) => ({ kind: 'fixed', at, ...opening(at, hoursOpen) })),
  },
  none: { weight: 1, arbitrary: fc.constant({ kind: 'none' }) },
})

/** `from` is a date, near which dates are left out. */
export const deadlineRules = (from: number): fc.Arbitrary<DeadlineRule> =>
  fc.oneof(...Object.values<fc.WeightedArbitrary<DeadlineRule>>(deadlinesOf(from)))

function leavingADay(closes: Recurrence, skipped: Skips): Skips {
  if (closes.every !== 'week' || !closes.on.every((day) => skipped.skipWeekdays?.includes(day))) return skipped
  return { ...skipped, skipWeekdays: [] }
}

function opening(at: string, hoursOpen: number | undefined): { opensAt?: string } {
  if (hoursOpen === undefined) return {}
  return {
    opensAt: new Date(Date.parse(`${at}Z`) - hoursOpen * hourSeconds * 1000).toISOString().slice(0, 16),
  }
}

const limits = fc.record({ max: fc.integer({ min: 1, max: 3 }) }, { requiredKeys: [] })

type Switch<T> = (T & { enabled: boolean }) | { enabled: boolean } | undefined

/** Absent, off (with settings or without) or on. */
function switchable<T extends object>(settings: fc.Arbitrary<T>, onWeight: number): fc.Arbitrary<Switch<T>> {
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(undefined, { enabled: false }) },
    { weight: 1, arbitrary: settings.map((kept) => ({ ...kept, enabled: false })) },
    { weight: onWeight, arbitrary: settings.map((set) => ({ ...set, enabled: true })) },
  )
}

const mechanisms = (from: number): fc.Arbitrary<Mechanism> => {
  const retries = fc.tuple(limits, periods).map(([limit, after]) => ({ ...limit, after }))
  const cycles = fc.tuple(limits, periods).map(([limit, pause]) => ({ ...limit, pause }))
  return fc
    .record({
      deadline: deadlineRules(from),
      startsOn: fc.constantFrom('registration' as const, 'visit' as const),
      endsAt: fc.option(localTimes(from, 60), { nil: undefined, freq: 2 }),
      reset: switchable(limits, 4),
      repeats: fc.oneof(
        fc.record({ retry: switchable(retries, 6), cycle: switchable(cycles, 0) }),
        fc.record({ retry: switchable(retries, 0), cycle: switchable(cycles, 6) }),
      ),
    })
    .map(({ deadline, startsOn, endsAt, reset, repeats }) =>
      deadline.kind === 'fixed' || deadline.kind === 'none'
        ? present({ startsOn: 'registration', deadline, endsAt })
        : present({ startsOn, deadline, endsAt, reset, ...repeats }),
    )
}

function present(settings: { [K in keyof Mechanism]: Mechanism[K] | undefined }): Mechanism {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Mechanism
}

/** An instant around which a campaign's life plays, most often close to a change of its clocks. */
const zonesAndStarts: fc.Arbitrary<{ timeZone: string; start: number }> = fc
  .tuple(
    fc.constantFrom(...timeZones),
    fc.oneof(
      { weight: 8, arbitrary: secondsBetween('2026-01-01T00:00:00Z', '2028-12-31T00:00:00Z') },
      { weight: 1, arbitrary: secondsBetween('2009-01-01T00:00:00Z', '2012-12-31T00:00:00Z') },
      { weight: 1, arbitrary: secondsBetween('2036-01-01T00:00:00Z', '2060-12-31T00:00:00Z') },
    ),
    fc.option(
      fc.oneof(
        fc.integer({ min: -5 * daySeconds, max: daySeconds }),
        fc.integer({ min: -2 * hourSeconds, max: 2 * hourSeconds }),
      ),
      { freq: 4 },
    ),
  )
  .map(([timeZone, instant, fromChange]) => {
    const change = fromChange === null ? undefined : nextChangeOfOffset(timeZone, instant)
    return { timeZone, start: change === undefined ? instant : change + (fromChange ?? 0) }
  })

const campaignsAndStarts: fc.Arbitrary<{ campaign: Campaign; start: number }> = zonesAndStarts.chain(
  ({ timeZone, start }) =>
    fc
      .tuple(
        mechanisms(dateOf(readingAt(timeZone, start))),
        fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(1) }),
      )
      .map(([mechanism, ending]) =>
        ending === null
          ? { campaign: { timeZone, mechanism }, start }
          : endingOnTheDot(timeZone, mechanism, start, ending),
      ),
)

/** Ends at the very minute of the first deadline or of what would begin after it. */
function endingOnTheDot(timeZone: string, { endsAt: _, ...mechanism }: Mechanism, anchor: number, which: number) {
  const start = anchor - (anchor % minuteSeconds)
  const { closesAt } = windowFrom({ timeZone, mechanism }, start)
  const pause = mechanism.cycle?.pause ?? mechanism.retry?.after
  const end = which === 1 && pause ? plusPeriod(timeZone, closesAt, pause) : closesAt
  if (!Number.isFinite(end)) return { campaign: { timeZone, mechanism }, start }
  const endsAt = new Date(readingAt(timeZone, end) * 1000).toISOString().slice(0, 16)
  return { campaign: { timeZone, mechanism: { ...mechanism, endsAt } }, start }
}

function secondsBetween(from: string, to: string): fc.Arbitrary<number> {
  return fc.integer({ min: parseInstant(from), max: parseInstant(to) })
}

/** A valid campaign. */
export const campaigns: fc.Arbitrary<Campaign> = campaignsAndStarts.map(({ campaign }) => campaign)

// Events -------------------------------------------------------------------------------------------------

/** Where to put the next instant: close to one of those that matter (counted round), or simply later. */
type Choice = { nearest: number | null; nudge: number; later: number }

const choices: fc.Arbitrary<Choice> = fc.record({
  nearest: fc.option(fc.nat(30), { freq: 4 }),
  nudge: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(0, -1, 1) },
    { weight: 1, arbitrary: fc.integer({ min: -7200, max: 7200 }) },
  ),
  later: fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(0, 1) },
    { weight: 3, arbitrary: fc.nat(3 * hourSeconds) },
    { weight: 6, arbitrary: fc.nat(10 * daySeconds) },
    { weight: 2, arbitrary: fc.nat(100 * daySeconds) },
    { weight: 1, arbitrary: fc.nat(3660 * daySeconds) },
  ),
})

type Step = { do: Happening['do']; at: Choice; to: Choice; hoursEast: number; isFraction: boolean }

const steps: fc.Arbitrary<Step> = fc.record({
  do: fc.oneof(
    { weight: 6, arbitrary: fc.constant('register' as const) },
    { weight: 3, arbitrary: fc.constant('visit' as const) },
    { weight: 4, arbitrary: fc.constant('lookup' as const) },
    { weight: 1, arbitrary: fc.constant('extend' as const) },
  ),
  at: choices,
  to: choices,
  hoursEast: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -11, max: 13 }) },
  ),
  isFraction: fc.nat(9).map((n) => n === 9),
})

const atOnce: Choice = { nearest: null, nudge: 0, later: 0 }
const registration: Step = { do: 'register', at: atOnce, to: atOnce, hoursEast: 0, isFraction: false }

/** A whole document of `lastcall simulate`. */
export const documents: fc.Arbitrary<SimulateDocument> = fc
  .tuple(
    campaignsAndStarts,
    fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    fc.array(steps, { minLength: 1, maxLength: 11, size: 'max' }),
  )
  .map(([{ campaign, start }, startsRegistered, chosen]) => {
    const document: SimulateDocument = { campaign, events: [] }
    let now = start
    for (const step of startsRegistered ? [registration, ...chosen] : chosen) {
      const moments = momentsThatMatter(document, now)
      if (document.events.length > 0) {
        const ahead = moments.filter((moment) => moment >= now - 1)
        const latest = now + longestStep(campaign, now)
        now = Math.min(latest, Math.max(now, pick(step.at, ahead, now)))
      }
      const event: Happening = { do: step.do, at: written(now, step) }
      if (step.do === 'extend') event.to = written(pick(step.to, moments, now), step)
      document.events.push(event)
    }
    return document
  })

function pick({ nearest, nudge, later }: Choice, moments: number[], now: number): number {
  const moment = nearest === null ? undefined : moments[nearest % moments.length]
  return moment === undefined ? now + later : moment + nudge
}

function momentsThatMatter(document: SimulateDocument, now: number): number[] {
  const { campaign } = document
  const { timeZone, mechanism } = campaign
  const { retry, cycle } = mechanism
  const moments = [endOf(campaign), nextChangeOfOffset(timeZone, now), windowFrom(campaign, now).opensAt]
  for (const { at } of document.events.slice(-3)) {
    const { opensAt, closesAt } = windowFrom(campaign, parseInstant(at))
    moments.push(opensAt, closesAt)
  }
  const last = evaluate(document).at(-1)
  if (last && 'deadline' in last && last.deadline !== null) {
    const deadline = parseInstant(last.deadline)
    moments.push(deadline, deadline)
    // Twice, since these are the rules with the most to get wrong.
    if (retry?.after) moments.push(...Array(2).fill(plusPeriod(timeZone, deadline, retry.after)))
    if (cycle?.pause) {
      const next = plusPeriod(timeZone, deadline, cycle.pause)
      moments.push(next, next, windowFrom(campaign, next).opensAt, windowFrom(campaign, next).closesAt)
    }
  }
  return moments.filter((moment): moment is number => Number.isFinite(moment))
}

function longestStep(campaign: Campaign, now: number): number {
  const { cycle } = campaign.mechanism
  if (!cycle?.enabled || !cycle.pause) return Infinity
  const { closesAt } = windowFrom(campaign, now)
  return cyclesPerStep * (plusPeriod(campaign.timeZone, closesAt, cycle.pause) - now)
}

/** The same instant in one of the ways that a document may write it. */
function written(instant: number, { hoursEast, isFraction }: Step): string {
  const fraction = isFraction ? '.999' : ''
  if (hoursEast === 0) return instantText(instant).replace('Z', `${fraction}Z`)
  const sign = hoursEast < 0 ? '-' : '+'
  const offset = `${sign}${timeText(Math.abs(hoursEast) * minuteSeconds)}`
  return instantText(instant + hoursEast * hourSeconds).replace('Z', fraction + offset)
}

// Many cycles --------------------------------------------------------------------------------------------

const manyCycles = 1500

/** Skipped dates anywhere in ten years, seldom and in runs, among rules that repeat every few days. */
const scatteredSkips = (from: number): fc.Arbitrary<string[]> =>
  fc
    .array(fc.tuple(fc.nat(3660), fc.integer({ min: 1, max: 12 })), { maxLength: 12 })
    .map((runs) => [
      ...new Set(
        runs.flatMap(([first, length]) =>
          Array.from({ length }, (_, day) => dateText(from + (first + day) * daySeconds)),
        ),
      ),
    ])

const cyclingMechanisms = (from: number): fc.Arbitrary<Mechanism> =>
  fc
    .record({
      deadline: deadlineRules(from),
      skipDates: fc.option(scatteredSkips(from), { nil: undefined }),
      endsAt: fc.oneof(
        { weight: 3, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: localTimes(from, 3660) },
      ),
      pause: shortPeriods,
      max: fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: manyCycles })),
    })
    .map(({ deadline, skipDates, endsAt, pause, max }) => {
      const rule = cycling(deadline, skipDates)
      const cycle = { enabled: true, pause, ...(max === undefined ? {} : { max }) }
      return present({ startsOn: 'registration', deadline: rule, endsAt, cycle })
    })

function cycling(rule: DeadlineRule, skipDates: string[] | undefined): DeadlineRule {
  if (rule.kind === 'fixed' || rule.kind === 'none') return { kind: 'after', period: 'P1D' }
  return skipDates && rule.kind !== 'after' ? { ...rule, skipDates } : rule
}

/** One registration, and lookups years later, close to where a cycle ends or begins. */
export const documentsOfManyCycles: fc.Arbitrary<SimulateDocument> = zonesAndStarts
  .chain(({ timeZone, start }) =>
    fc.record({
      timeZone: fc.constant(timeZone),
      start: fc.constant(start),
      mechanism: cyclingMechanisms(dateOf(readingAt(timeZone, start))),
      lookups: fc.array(
        fc.record({
          permille: fc.nat(1000),
          near: fc.constantFrom('nothing' as const, 'the deadline' as const, 'the next cycle' as const),
          nudge: fc.integer({ min: -1, max: 1 }),
        }),
        { minLength: 1, maxLength: 6, size: 'max' },
      ),
    }),
  )
  .map(({ timeZone, start, mechanism, lookups }) => {
    const campaign: Campaign = { timeZone, mechanism }
    const register: Happening = { do: 'register', at: instantText(start) }
    const lookup = (at: number): Happening => ({ do: 'lookup', at: instantText(at) })
    const plusPause = (instant: number) => plusPeriod(timeZone, instant, mechanism.cycle?.pause ?? '')
    const firstLength = plusPause(windowFrom(campaign, start).closesAt) - start
    const furthest = Math.min(3660 * daySeconds, manyCycles * firstLength)

    const instants = lookups.map(({ permille, near, nudge }) => {
      const at = start + Math.floor((permille * furthest) / 1000)
      const seen = evaluate({ campaign, events: [register, lookup(at)] })[1]
      if (near === 'nothing' || !seen || !('deadline' in seen) || !seen.deadline) return at
      const deadline = parseInstant(seen.deadline)
      return Math.max(start, nudge + (near === 'the deadline' ? deadline : plusPause(deadline)))
    })
    return { campaign, events: [register, ...instants.sort((a, b) => a - b).map(lookup)] }
  })
