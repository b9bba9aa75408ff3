// Events: their kinds, the settings of an endpoint, and the notices that a write of a lead makes.
import {
  type Check,
  choice,
  type Fault,
  firstFaults,
  flag,
  join,
  list,
  nameOf,
  nullOr,
  optional,
  record,
  refuse,
  text,
  wholeNumber,
} from './fault.ts'
import type { Seconds } from './instant.ts'
import { type Attempt, offerAt } from './mechanism/attempt.ts'
import type { Terms } from './mechanism/terms.ts'
import { nextMoment, type Wanted } from './moments.ts'

/** Positions are stored (`noticeKinds`): add new ones at the end. */
export const eventKinds = [
  'lead.registered',
  'lead.started',
  'lead.deadline_changed',
  'lead.opened',
  'lead.deadline_approaching',
  'lead.expired',
  'lead.erased',
  'campaign.ended',
  'endpoint.tested',
  'lead.converted',
] as const
export type EventKind = (typeof eventKinds)[number]

/** What an endpoint may subscribe to. A test goes to every endpoint. */
export const wantedKinds = eventKinds.filter((kind) => kind !== 'endpoint.tested')

/**
 * What a notice asks for: `look`, to see what is true at its instant, or one event. `registered before` is a
 * registration that a backfill sends long afterwards. Positions are stored.
 */
export const noticeKinds = ['look', 'registered before', ...eventKinds] as const
export type NoticeKind = (typeof noticeKinds)[number]

/** Why a try failed, from a fixed list: the server's answer is neither shown nor kept. */
export const tryCauses = ['status', 'timeout', 'refused', 'reset', 'dns', 'tls', 'blocked'] as const
export type TryCause = (typeof tryCauses)[number]

/** Why a deadline changed. Positions are stored: add new ones at the end. */
export const changeCauses = ['reset', 'retry', 'set', 'cleared', 'settings'] as const
type ChangeCause = (typeof changeCauses)[number]
const mostCauses = 8

/** Two changes in one second are two events with different ids: `own` differs between them. */
export const changeDetail = (cause: ChangeCause, own: number): number => changeCauses.indexOf(cause) + mostCauses * own
export const causeOf = (detail: number): ChangeCause => changeCauses[detail % mostCauses] as ChangeCause

/**
 * `leadId`: below zero it is a campaign's id, of a notice about the campaign.
 * `detail`: seconds of a lead time, what `changeDetail` makes, the salt of an erased lead's ref, or a conversion's id.
 */
export type Notice = { endpointId: number; dueAt: Seconds; leadId: number; kind: NoticeKind; detail: number }

/** Null: the notice is about a lead. */
export const campaignIdOf = ({ leadId }: Pick<Notice, 'leadId'>) => (leadId < 0 ? -leadId : null)

/** Written with the lead, whose id only the store knows. */
export type LeadNotice = Omit<Notice, 'leadId'>

export type EndpointSettings = {
  name: string
  url: string
  kinds: (typeof wantedKinds)[number][]
  /** Null: all, future ones too. */
  campaignIds: number[] | null
  /** Exact periods, such as `PT24H`. */
  leadTimes: string[]
  /** Whether emails and links are sent. */
  personal: boolean
  /** Events in one request, at most. */
  batch: number
  /** Requests at a time. */
  inFlight: number
  perMinute: number | null
}

/** What an endpoint has where nothing else is said, and one that was stored before there was the setting. */
export const usualSettings: Omit<EndpointSettings, 'name' | 'url' | 'kinds'> = {
  campaignIds: null,
  leadTimes: [],
  personal: true,
  batch: 1,
  inFlight: 4,
  perMinute: null,
}

/** What an endpoint wants of one campaign. */
export type Watcher = { endpointId: number; kinds: readonly EventKind[]; wanted: Wanted }

const eventId = 'evt_[0-9a-f]{32}'
export const eventIdPattern = `^${eventId}$`
/** Of a place in the log of an endpoint: an instant, or an instant and the id of an event. */
export const logPlacePattern = `^[^,]{1,40}(?:,${eventId})?$`

export const mostEndpoints = 20
/** What waits for an endpoint, and what was given up, is counted up to here. */
export const mostCounted = 10_001
/** How long an old secret may sign beside the new one. */
export const mostGraceHours = 168
/** The limits of an endpoint's settings. */
export const endpointLimits = {
  nameCharacters: 200,
  urlCharacters: 2_048,
  campaigns: 1_000,
  leadTimes: 3,
  batch: 100,
  inFlight: 32,
  perMinute: 100_000,
}
const leastLeadSeconds = 60
const mostLeadSeconds = 30 * 86_400

/** `PT24H`, `PT90M` or `PT1H30M` in seconds; 0 for anything else. */
function secondsIn(leadTime: string): Seconds {
  const [, hours = 0, minutes = 0, seconds = 0] =
    /^PT(?=\d)(?:(\d{1,3})H)?(?:(\d{1,5})M)?(?:(\d{1,7})S)?$/.exec(leadTime) ?? []
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
}

function isLeadTime(written: string): boolean {
  const seconds = secondsIn(written)
  return seconds >= leastLeadSeconds && seconds <= mostLeadSeconds
}

/** The lead time in `written` that is so many seconds; the seconds, if the endpoint no longer has it. */
export function leadTimeOf(seconds: Seconds, written: readonly string[]): string {
  return written.find((one) => secondsIn(one) === seconds) ?? `PT${seconds}S`
}

const leadTime = text('a period such as "PT24H"')

const checkShape = record<EndpointSettings>({
  name: nameOf(endpointLimits.nameCharacters),
  url: text('a URL'),
  kinds: some(list(choice(wantedKinds), wantedKinds.length)),
  campaignIds: optional(nullOr(some(list(wholeNumber(1), endpointLimits.campaigns))), usualSettings.campaignIds),
  leadTimes: optional(list(leadTime, endpointLimits.leadTimes), usualSettings.leadTimes),
  personal: optional(flag, usualSettings.personal),
  batch: optional(wholeNumber(1, endpointLimits.batch), usualSettings.batch),
  inFlight: optional(wholeNumber(1, endpointLimits.inFlight), usualSettings.inFlight),
  perMinute: optional(nullOr(wholeNumber(1, endpointLimits.perMinute)), usualSettings.perMinute),
})

/**
 * `urlFault` says what is wrong with an address, or nothing. `known` are lead times that may be shorter than a minute:
 * those of the demo.
 */
export function checkEndpoint(
  value: unknown,
  urlFault: (url: string) => string | undefined,
  known: readonly string[] = [],
): { settings: EndpointSettings } | { faults: Fault[] } {
  const faults: Fault[] = []
  const settings = checkShape(value, '', faults)
  if (settings === undefined) return { faults: firstFaults(faults) }
  const wrong = urlFault(settings.url)
  if (wrong !== undefined) refuse(faults, 'url', wrong)
  for (const [index, written] of settings.leadTimes.entries()) {
    if (known.includes(written) || isLeadTime(written)) continue
    refuse(faults, join('leadTimes', index), 'must be an exact period from one minute to 30 days, such as "PT24H"')
  }
  if (settings.kinds.includes('lead.deadline_approaching') && settings.leadTimes.length === 0) {
    refuse(faults, 'leadTimes', 'must have at least one if kinds has lead.deadline_approaching')
  }
  if (faults.length > 0) return { faults }
  const { kinds, campaignIds } = settings
  // PT60M and PT1H are one lead time, of which one event comes: the first spelling is kept.
  const leadTimes = unique(settings.leadTimes.map((written) => leadTimeOf(secondsIn(written), settings.leadTimes)))
  const once = { kinds: unique(kinds), campaignIds: campaignIds && unique(campaignIds), leadTimes }
  return { settings: { ...settings, ...once } }
}

const unique = <T>(items: readonly T[]): T[] => [...new Set(items)]

function some<T>(check: Check<T[]>): Check<T[]> {
  return (value, path, faults) => {
    const kept = check(value, path, faults)
    return kept?.length === 0 ? refuse(faults, path, 'must have at least one item') : kept
  }
}

/** When the date of a `fixed` campaign passes for everybody; null for any other. */
export function endOf({ mechanism, deadlineAt, endsAt }: Terms): Seconds | null {
  if (mechanism.deadline.kind !== 'fixed' || deadlineAt === null) return null
  return Math.min(deadlineAt, endsAt ?? deadlineAt)
}

/** Undefined if the endpoint does not listen to this campaign. */
export function watcherOf(endpointId: number, settings: EndpointSettings, campaignId: number): Watcher | undefined {
  const { kinds, campaignIds, leadTimes } = settings
  if (campaignIds !== null && !campaignIds.includes(campaignId)) return undefined
  const approaching = kinds.includes('lead.deadline_approaching')
  const wanted = {
    opened: kinds.includes('lead.opened'),
    expired: kinds.includes('lead.expired'),
    leadSeconds: approaching ? leadTimes.map(secondsIn) : [],
  }
  return { endpointId, kinds, wanted }
}

type Watched = { terms: Terms; isDraft: boolean; watchers: readonly Watcher[] }

/**
 * The notices that a write of a lead makes: what it changed, and when to look at the lead again. In a draft the
 * latter alone. `own` is a number that no other write of this second has.
 */
export function noticesOf(
  { terms, isDraft, watchers }: Watched,
  before: Attempt | undefined,
  after: Attempt,
  now: Seconds,
  own: number,
): LeadNotice[] {
  const told = isDraft ? undefined : changeBetween(terms, before, after, now, own)
  return watchers.flatMap(({ endpointId, kinds, wanted }) => {
    const lookAt = nextMoment(terms, after, now, wanted)
    const notices: LeadNotice[] = []
    if (told !== undefined && kinds.includes(told.kind)) notices.push({ endpointId, dueAt: now, ...told })
    if (lookAt !== null) notices.push({ endpointId, dueAt: lookAt, kind: 'look', detail: 0 })
    return notices
  })
}

function changeBetween(
  terms: Terms,
  before: Attempt | undefined,
  after: Attempt,
  now: Seconds,
  own: number,
): { kind: EventKind; detail: number } | undefined {
  if (before === undefined) return { kind: 'lead.registered', detail: 0 }
  // A retry starts at once too, if an edit has changed `startsOn` from a visit to the registration.
  const isVisit = before.anchorAt === null && after.anchorAt !== null && before.number === after.number
  if (isVisit) return { kind: 'lead.started', detail: 0 }
  const [old, next] = [offerAt(terms, before, now), offerAt(terms, after, now)]
  // A window to come opens at once when its deadline is set by hand, also to the one that it has.
  const isSame = old.deadline === next.deadline && old.attempt === next.attempt && old.state === next.state
  if (isSame) return undefined
  return { kind: 'lead.deadline_changed', detail: changeDetail(causeBetween(before, after), own) }
}

function causeBetween(before: Attempt, after: Attempt): ChangeCause {
  if (after.number !== before.number) return 'retry'
  if (after.byHand !== null) return 'set'
  return before.byHand === null ? 'reset' : 'cleared'
}
