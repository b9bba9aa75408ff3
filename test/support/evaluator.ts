// A second opinion on the deadline rules: the specification's mechanism.md, replayed as plainly as possible.
// It shares no code with src/core and takes no shortcut: dates are walked one by one, cycles one by one, and
// a lead is nothing but the list of what happened to it. It expects valid documents.
import {
  dateOf,
  dateText,
  daySeconds,
  instantOf,
  instantText,
  parseInstant,
  readingAt,
  readingOf,
} from './wall-clock.ts'

export type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun'
export type Recurrence =
  | { every: 'day'; time: string }
  | { every: 'week'; on: Weekday[]; time: string }
  | { every: 'month'; on: number[]; time: string }
export type Skips = { skipWeekdays?: Weekday[]; skipDates?: string[] }
export type DeadlineRule =
  | { kind: 'fixed'; at: string; opensAt?: string }
  | { kind: 'after'; period: string }
  | ({ kind: 'daysAt'; days: number; time: string } & Skips)
  | ({ kind: 'next'; closes: Recurrence; minLead?: string; opens?: Recurrence } & Skips)
  | { kind: 'none' }
export type Mechanism = {
  startsOn: 'registration' | 'visit'
  deadline: DeadlineRule
  endsAt?: string
  reset?: { enabled: boolean; max?: number }
  retry?: { enabled: boolean; after?: string; max?: number }
  cycle?: { enabled: boolean; pause?: string; max?: number }
}
export type Campaign = { timeZone: string; mechanism: Mechanism }
export type Happening = {
  do: 'register' | 'visit' | 'lookup' | 'extend'
  at: string
  to?: string
  expect?: unknown
}
export type SimulateDocument = { name?: string; campaign: Campaign; events: Happening[] }

export type Answer =
  | { found: false }
  | {
      registeredAt: string
      deadline: string | null
      state: 'pending' | 'scheduled' | 'open' | 'expired'
      attempt: number
      cycle: number
      created?: boolean
    }

/** What holds after each event. */
export function evaluate({ campaign, events }: SimulateDocument): Answer[] {
  const facts: Fact[] = []
  return events.map((event) => {
    const now = parseInstant(event.at)
    const isNew = facts.length === 0
    facts.push(...consequences(campaign, facts, event, now))
    const standing = standingAt(campaign, facts, now)
    if (!standing) return { found: false }
    return {
      registeredAt: instantText(standing.registeredAt),
      deadline: Number.isFinite(standing.deadline) ? instantText(standing.deadline) : null,
      state: standing.state,
      attempt: standing.attempt,
      cycle: standing.cycle,
      ...(event.do === 'register' ? { created: isNew } : {}),
    }
  })
}

// What happened to the lead ------------------------------------------------------------------------------

type Fact =
  | { is: 'attempt began'; at: number }
  | { is: 'anchored'; at: number }
  | { is: 'set by hand'; at: number; to: number }

function consequences(campaign: Campaign, facts: Fact[], event: Happening, now: number): Fact[] {
  if (event.do === 'register') return registration(campaign, facts, now)
  if (facts.length === 0) return []
  if (event.do === 'visit') return isAwaitingVisit(facts) ? [{ is: 'anchored', at: now }] : []
  if (event.do === 'extend') return [{ is: 'set by hand', at: now, to: parseInstant(event.to ?? '') }]
  return []
}

function registration(campaign: Campaign, facts: Fact[], now: number): Fact[] {
  const { startsOn, reset, retry } = campaign.mechanism
  const newAttempt: Fact[] = [{ is: 'attempt began', at: now }]
  if (startsOn === 'registration') newAttempt.push({ is: 'anchored', at: now })

  const standing = standingAt(campaign, facts, now)
  if (!standing) return newAttempt
  if (standing.state === 'pending') return []
  if (standing.state === 'expired') {
    const mayRetry =
      retry?.enabled &&
      standing.attempt - 1 < (retry.max ?? Infinity) &&
      now >= plusPeriod(campaign.timeZone, standing.deadline, retry.after ?? '') &&
      now < endOf(campaign)
    return mayRetry ? newAttempt : []
  }
  const mayReset = reset?.enabled && !standing.isByHand && standing.resetsUsed < (reset.max ?? Infinity)
  return mayReset ? [{ is: 'anchored', at: now }] : []
}

function factsOfLastAttempt(facts: Fact[]): Fact[] {
  return facts.slice(facts.findLastIndex((fact) => fact.is === 'attempt began'))
}

function isAwaitingVisit(facts: Fact[]): boolean {
  return !factsOfLastAttempt(facts).some((fact) => fact.is === 'anchored')
}

// Where the lead stands ----------------------------------------------------------------------------------

type Standing = {
  registeredAt: number
  /** Infinity where there is none. */
  deadline: number
  state: 'pending' | 'scheduled' | 'open' | 'expired'
  attempt: number
  cycle: number
  resetsUsed: number
  isByHand: boolean
}

function standingAt(campaign: Campaign, facts: Fact[], now: number): Standing | undefined {
  const first = facts[0]
  if (!first) return undefined
  const current = factsOfLastAttempt(facts)
  const anchors = current.filter((fact) => fact.is === 'anchored')
  const shared = {
    registeredAt: first.at,
    attempt: facts.filter((fact) => fact.is === 'attempt began').length,
    resetsUsed: Math.max(0, anchors.length - 1),
  }

  const byHand = current.findLast((fact) => fact.is === 'set by hand')
  if (byHand) {
    const before = standingAt(campaign, facts.slice(0, facts.indexOf(byHand)), byHand.at)
    return {
      ...shared,
      deadline: byHand.to,
      state: now < byHand.to ? 'open' : 'expired',
      cycle: before?.cycle ?? 1,
      isByHand: true,
    }
  }

  const anchor = anchors.at(-1)
  if (!anchor) return { ...shared, deadline: Infinity, state: 'pending', cycle: 1, isByHand: false }
  const cycle = cycleAt(campaign, anchor.at, now)
  const deadline = Math.min(cycle.closesAt, endOf(campaign))
  const state = now >= deadline ? 'expired' : now < cycle.opensAt ? 'scheduled' : 'open'
  return { ...shared, deadline, state, cycle: cycle.number, isByHand: false }
}

export function endOf({ timeZone, mechanism: { endsAt } }: Campaign): number {
  return endsAt === undefined ? Infinity : instantOf(timeZone, readingOf(endsAt))
}

// Cycles -------------------------------------------------------------------------------------------------

type Cycle = { number: number; anchor: number } & Window
const cyclesKnown = new WeakMap<Campaign, Map<number, Cycle[]>>()

function cycleAt(campaign: Campaign, anchor: number, now: number): Cycle {
  const byAnchor = cyclesKnown.get(campaign) ?? new Map<number, Cycle[]>()
  cyclesKnown.set(campaign, byAnchor)
  const known = byAnchor.get(anchor) ?? []
  byAnchor.set(anchor, known)

  let cycle = known[0] ?? { number: 1, anchor, ...windowFrom(campaign, anchor) }
  known[0] = cycle
  for (;;) {
    const next = known[cycle.number] ?? cycleAfter(campaign, cycle)
    if (!next) return cycle
    known[cycle.number] = next
    if (next.anchor > now) return cycle
    cycle = next
  }
}

function cycleAfter(campaign: Campaign, { number, closesAt }: Cycle): Cycle | undefined {
  const { cycle } = campaign.mechanism
  if (!cycle?.enabled || number > (cycle.max ?? Infinity)) return undefined
  const anchor = plusPeriod(campaign.timeZone, closesAt, cycle.pause ?? '')
  if (anchor >= endOf(campaign)) return undefined
  return { number: number + 1, anchor, ...windowFrom(campaign, anchor) }
}

// Deadline rules -----------------------------------------------------------------------------------------

/** Before the cap of `endsAt`. */
export type Window = { opensAt: number; closesAt: number }

export function windowFrom({ timeZone, mechanism: { deadline: rule } }: Campaign, anchor: number): Window {
  switch (rule.kind) {
    case 'fixed':
      return {
        opensAt: rule.opensAt === undefined ? -Infinity : instantOf(timeZone, readingOf(rule.opensAt)),
        closesAt: instantOf(timeZone, readingOf(rule.at)),
      }
    case 'none':
      return { opensAt: -Infinity, closesAt: Infinity }
    case 'after':
      return { opensAt: anchor, closesAt: plusPeriod(timeZone, anchor, rule.period) }
    case 'daysAt':
      return { opensAt: anchor, closesAt: daysLater(timeZone, anchor, rule) }
    case 'next': {
      const closesAt = nextClosing(timeZone, anchor, rule)
      const opensAt = rule.opens ? lastBefore(timeZone, closesAt, rule.opens) : anchor
      return { opensAt: Math.max(opensAt, anchor), closesAt }
    }
  }
}

export function plusPeriod(timeZone: string, instant: number, period: string): number {
  const days = /^P(\d+)D$/.exec(period)?.[1]
  if (days) return instantOf(timeZone, readingAt(timeZone, instant) + Number(days) * daySeconds)
  const exact = /^PT(?:(\d+)H)?(?:(\d+)M)?$/.exec(period)
  if (!exact) throw new Error(`not a period: ${period}`)
  return instant + Number(exact[1] ?? 0) * 3600 + Number(exact[2] ?? 0) * 60
}

function daysLater(timeZone: string, anchor: number, rule: DeadlineRule & { kind: 'daysAt' }): number {
  let date = dateOf(readingAt(timeZone, anchor))
  for (let counted = 0; counted < rule.days; ) {
    date += daySeconds
    if (!isSkipped(date, rule)) counted += 1
  }
  for (;;) {
    const instant = instantOf(timeZone, date + secondsOf(rule.time))
    if (!isSkipped(date, rule) && instant > anchor) return instant
    date += daySeconds
  }
}

function nextClosing(timeZone: string, anchor: number, rule: DeadlineRule & { kind: 'next' }): number {
  const notBefore = rule.minLead ? plusPeriod(timeZone, anchor, rule.minLead) : anchor
  const earliest = Math.max(anchor + 1, notBefore)
  // From the day before: a time that does not exist may move past midnight.
  for (let date = dateOf(readingAt(timeZone, earliest)) - daySeconds; ; date += daySeconds) {
    if (!isOn(date, rule.closes) || isSkipped(date, rule)) continue
    const instant = instantOf(timeZone, date + secondsOf(rule.closes.time))
    if (instant >= earliest) return instant
  }
}

function lastBefore(timeZone: string, instant: number, recurrence: Recurrence): number {
  // From the day after: when clocks go back past midnight, tomorrow has been there already.
  for (let date = dateOf(readingAt(timeZone, instant)) + daySeconds; ; date -= daySeconds) {
    if (!isOn(date, recurrence)) continue
    const opensAt = instantOf(timeZone, date + secondsOf(recurrence.time))
    if (opensAt < instant) return opensAt
  }
}

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

function weekdayOf(date: number): Weekday {
  return weekdays[new Date(date * 1000).getUTCDay()] as Weekday
}

function isSkipped(date: number, { skipWeekdays = [], skipDates = [] }: Skips): boolean {
  return skipWeekdays.includes(weekdayOf(date)) || (skipDates.length > 0 && skipDates.includes(dateText(date)))
}

function isOn(date: number, recurrence: Recurrence): boolean {
  if (recurrence.every === 'day') return true
  if (recurrence.every === 'week') return recurrence.on.includes(weekdayOf(date))
  const day = new Date(date * 1000).getUTCDate()
  const isLastOfMonth = new Date((date + daySeconds) * 1000).getUTCDate() === 1
  return recurrence.on.some((on) => on === day || (isLastOfMonth && on > day))
}

function secondsOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number)
  return (hours ?? 0) * 3600 + (minutes ?? 0) * 60
}
