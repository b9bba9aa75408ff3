import {
  anything,
  type Check,
  type Fault,
  firstFaults,
  isObject,
  join,
  optional,
  record,
  refuse,
  valid,
  variant,
} from './fault.ts'
import { formatInstant, instantOrNull, parseInstant, type Seconds } from './instant.ts'
import { type Attempt, begin, type Offer, offerAt, registerAgain, setByHand, visit } from './mechanism/attempt.ts'
import { checkSchedule } from './mechanism/check-schedule.ts'
import type { Schedule } from './mechanism/settings.ts'
import { type Terms, termsOf } from './mechanism/terms.ts'

/** The lead after one event. */
export type Answer =
  | { found: false }
  | {
      registeredAt: string
      deadline: string | null
      state: Offer['state']
      attempt: number
      cycle: number
      /** Answered to a registration only. */
      created?: boolean
    }

/** One document gives one list of answers, an array of documents a list of such lists. */
type Simulated = { answers: Answer[] | Answer[][] } | { faults: Fault[] }

type LeadEvent = { do: 'register' | 'visit' | 'lookup'; at: Seconds } | { do: 'extend'; at: Seconds; to: Seconds }
type Story = { campaign: Schedule; events: LeadEvent[] }
type Lead = { registeredAt: Seconds; attempt: Attempt }

/** What the deadline rules do to one lead. Refuses everything if any part is wrong. */
export function simulate(document: unknown): Simulated {
  const faults: Fault[] = []
  if (!Array.isArray(document)) {
    const story = checkStory(document, '', faults)
    return story === undefined ? { faults: firstFaults(faults) } : { answers: answersTo(story) }
  }
  const stories = document.map((each, index) => checkStory(each, join('', index), faults))
  if (faults.length > 0) return { faults: firstFaults(faults) }
  return { answers: stories.filter((story) => story !== undefined).map(answersTo) }
}

function answersTo({ campaign, events }: Story): Answer[] {
  const terms = termsOf(campaign)
  let lead: Lead | undefined
  return events.map((event) => {
    const isNew = lead === undefined
    lead = leadAfter(terms, lead, event)
    if (lead === undefined) return { found: false }
    const answer = answerFor(terms, lead, event.at)
    return event.do === 'register' ? { ...answer, created: isNew } : answer
  })
}

function leadAfter(terms: Terms, lead: Lead | undefined, event: LeadEvent): Lead | undefined {
  if (lead === undefined) {
    return event.do === 'register' ? { registeredAt: event.at, attempt: begin(terms, event.at) } : undefined
  }
  return { ...lead, attempt: attemptAfter(terms, lead.attempt, event) }
}

function attemptAfter(terms: Terms, attempt: Attempt, event: LeadEvent): Attempt {
  switch (event.do) {
    case 'register':
      return registerAgain(terms, attempt, event.at)
    case 'visit':
      return visit(terms, attempt, event.at)
    case 'extend':
      return setByHand(terms, attempt, event.to, event.at)
    case 'lookup':
      return attempt
  }
}

function answerFor(terms: Terms, { registeredAt, attempt }: Lead, now: Seconds): Answer {
  const offer = offerAt(terms, attempt, now)
  return {
    registeredAt: formatInstant(registeredAt),
    deadline: instantOrNull(offer.deadline),
    state: offer.state,
    attempt: offer.attempt,
    cycle: offer.cycle,
  }
}

type Ignored = { name?: unknown; expect?: unknown }

const ignored = { name: optional(anything), expect: optional(anything) }
const instant: Check<Seconds> = (value, path, faults) =>
  (typeof value === 'string' ? parseInstant(value) : undefined) ??
  refuse(faults, path, 'must be an instant such as "2026-06-01T11:00:00-04:00"')

const checkCampaignShape = record<{ [K in keyof Schedule]?: unknown }>({
  timeZone: optional(anything),
  mechanism: optional(anything),
})

/** From here on a deadline, decades later, could be in the year 10000, which no surface can write. */
const TOO_LATE = Date.UTC(9_900, 0) / 1_000

const plain = { at: instant, ...ignored }
const checkEvent = variant<LeadEvent & Ignored, 'do'>('do', {
  register: plain,
  visit: plain,
  lookup: plain,
  extend: { at: instant, to: instant, ...ignored },
})

const checkStory = record<Story & Ignored>({
  campaign: checkCampaign,
  events: checkEvents,
  ...ignored,
})

function checkCampaign(campaign: unknown, path: string, faults: Fault[]): Schedule | undefined {
  const shape = checkCampaignShape(campaign, path, faults)
  if (!isObject(campaign)) return undefined
  const schedule = checkSchedule(campaign, faults, path)
  return shape === undefined ? undefined : schedule
}

function checkEvents(events: unknown, path: string, faults: Fault[]): LeadEvent[] | undefined {
  if (!Array.isArray(events)) return refuse(faults, path, 'must be a list')
  const faultsBefore = faults.length
  const kept: LeadEvent[] = []
  let latestAt = Number.NEGATIVE_INFINITY
  for (const [index, written] of events.entries()) {
    const eventPath = join(path, index)
    const event = checkEvent(written, eventPath, faults)
    const at = valid(written, 'at', instant) ?? latestAt
    if (at < latestAt) refuse(faults, join(eventPath, 'at'), 'must not be before the event above it')
    if (at >= TOO_LATE) refuse(faults, join(eventPath, 'at'), 'must be before the year 9900')
    latestAt = Math.max(latestAt, at)
    if (event !== undefined) kept.push(event)
  }
  return faults.length === faultsBefore ? kept : undefined
}
