import type { Seconds } from './instant.ts'
import {
  type Attempt,
  begin,
  beginByVisit,
  nextCycleAt,
  type Offer,
  offerAt,
  registerAgain,
  visit,
} from './mechanism/attempt.ts'
import { DAY_SECONDS, dayOf, type LocalSeconds, weekdayOf } from './mechanism/calendar.ts'
import { addPeriod, periodOf } from './mechanism/period.ts'
import type { Schedule } from './mechanism/settings.ts'
import { type Terms, termsOf } from './mechanism/terms.ts'
import { nextClockChange, zoneOf } from './mechanism/zone.ts'

/** What somebody does, or what happens by itself, with the offer until the next step. */
type Step = { at: Seconds; what: What; offer: Offer }
type What = 'registers' | 'visits' | 'resets' | 'retries' | 'opens' | 'ends' | 'comesAgain'

/** `lead` registers once; `eager` does so again whenever that gives more; `visitor` never gives an email. */
export type Who = 'lead' | 'eager' | 'visitor'

/** `goesOn`: there would be more repetitions than are listed. */
export type Story = { who: Who; steps: Step[]; goesOn: boolean }

type When = 'now' | 'evening' | 'friday' | 'clockChange' | 'own'

/** What people would get who come at one moment. */
export type Preview = { when: When; at: Seconds; stories: Story[] }

export type Supposed = {
  now: Seconds
  /** A moment of the reader's choosing, in the campaign's time zone. */
  own: LocalSeconds | null
  /** A period: how long after they register people first visit the page, where that is awaited. */
  visitAfter: string
  /** Whether visitors without an email get an attempt of their own. */
  anonymous: boolean
}

/** How many repetitions are listed. */
const TOLD = { resets: 2, retries: 2, cycles: 2 }

const EVENING = 21 * 3600
const NOON = 12 * 3600

/** What people would get who come now, and at other moments worth seeing. */
export function preview(schedule: Schedule, supposed: Supposed): Preview[] {
  const terms = termsOf(schedule)
  const { reset, retry } = schedule.mechanism
  const eager: Who[] = reset?.enabled || retry?.enabled ? ['eager'] : []
  const who: Who[] = ['lead', ...eager, ...(supposed.anonymous ? (['visitor'] as const) : [])]
  return momentsOf(schedule.timeZone, supposed).map(({ when, at }) => ({
    when,
    at,
    stories: who.map((one) => tell(terms, one, at, supposed.visitAfter)),
  }))
}

type Moment = { when: When; at: Seconds }

/** Now; the next evening at 21:00; the next Friday at noon; noon before the clocks change; one's own. */
function momentsOf(timeZone: string, { now, own }: Supposed): Moment[] {
  const { toLocal, toInstant } = zoneOf(timeZone)
  const today = dayOf(toLocal(now))
  const next = (time: number, fits: (day: number) => boolean): Seconds => {
    let day = today
    while (!fits(day) || toInstant(day * DAY_SECONDS + time) <= now) day += 1
    return toInstant(day * DAY_SECONDS + time)
  }
  const moments: Moment[] = [
    { when: 'now', at: now },
    { when: 'evening', at: next(EVENING, () => true) },
    { when: 'friday', at: next(NOON, (day) => weekdayOf(day) === 'fri') },
  ]
  const change = nextClockChange(timeZone, now)
  if (change !== null) {
    const dayBefore = dayOf(toLocal(change - 1)) - 1
    const at = Math.max(now, toInstant(dayBefore * DAY_SECONDS + NOON))
    if (today <= dayBefore) moments.push({ when: 'clockChange', at })
  }
  return own === null ? moments : [...moments, { when: 'own', at: toInstant(own) }]
}

/** How far a story has come, and how many repetitions it may still list. */
type Standing = { attempt: Attempt; latest: Step; left: typeof TOLD; goesOn: boolean }
type Next = { at: Seconds; what: What; attempt: Attempt } | undefined

/** It always ends: each attempt, reset and cycle has at most four steps, and few of them are listed. */
function tell(terms: Terms, who: Who, at: Seconds, visitAfter: string): Story {
  const attempt = who === 'visitor' ? beginByVisit(terms, at) : begin(terms, at)
  const what = who === 'visitor' ? 'visits' : 'registers'
  const first: Step = { at, what, offer: offerAt(terms, attempt, at) }
  const standing: Standing = { attempt, latest: first, goesOn: false, left: { ...TOLD } }
  const steps = [first]
  for (;;) {
    const next = nextOf(terms, standing, who === 'eager', visitAfter)
    if (next === undefined) return { who, steps, goesOn: standing.goesOn }
    standing.attempt = next.attempt
    standing.latest = { at: next.at, what: next.what, offer: offerAt(terms, next.attempt, next.at) }
    steps.push(standing.latest)
  }
}

function nextOf(terms: Terms, standing: Standing, isEager: boolean, visitAfter: string): Next {
  const { attempt, latest } = standing
  const { state, opensAt, deadline } = latest.offer
  switch (state) {
    case 'pending': {
      const at = addPeriod(zoneOf(terms.timeZone), latest.at, periodOf(visitAfter))
      return { at, what: 'visits', attempt: visit(terms, attempt, at) }
    }
    case 'scheduled':
      if (deadline !== null && (opensAt === null || deadline <= opensAt)) return { at: deadline, what: 'ends', attempt }
      return opensAt === null ? undefined : { at: opensAt, what: 'opens', attempt }
    case 'open':
      if (deadline === null) return undefined
      return (isEager && resetOf(terms, standing, deadline)) || { at: deadline, what: 'ends', attempt }
    case 'expired':
      if (deadline === null) return undefined
      return cycleOf(terms, standing, deadline) ?? (isEager ? retryOf(terms, standing, deadline) : undefined)
  }
}

/** Somebody registers again when half of the time left has passed. */
function resetOf(terms: Terms, standing: Standing, deadline: Seconds): Next {
  const { attempt, latest } = standing
  const at = latest.at + Math.floor((deadline - latest.at) / 2)
  const again = registerAgain(terms, attempt, at)
  return again === attempt ? undefined : tellMore(standing, 'resets', { at, what: 'resets', attempt: again })
}

function retryOf(terms: Terms, standing: Standing, deadline: Seconds): Next {
  const { retry } = terms.mechanism
  if (!retry?.enabled) return undefined
  const at = addPeriod(zoneOf(terms.timeZone), deadline, periodOf(retry.after))
  const another = registerAgain(terms, standing.attempt, at)
  if (another === standing.attempt) return undefined
  return tellMore(standing, 'retries', { at, what: 'retries', attempt: another })
}

function cycleOf(terms: Terms, standing: Standing, deadline: Seconds): Next {
  const { attempt } = standing
  const at = nextCycleAt(terms, attempt, deadline)
  return at === null ? undefined : tellMore(standing, 'cycles', { at, what: 'comesAgain', attempt })
}

function tellMore(standing: Standing, what: keyof typeof TOLD, next: Next): Next {
  if (standing.left[what] === 0) {
    standing.goesOn = true
    return undefined
  }
  standing.left[what] -= 1
  return next
}
