// What the API for events, the panel and the command line do with endpoints.
import { checkEndpoint, type EndpointSettings, type EventKind, eventKinds, type NoticeKind } from '../core/events.ts'
import type { Fault } from '../core/fault.ts'
import { formatInstant, type Seconds } from '../core/instant.ts'
import type { Site } from '../core/offer.ts'
import type { DeliveryCursor, DeliveryEntry, DeliveryFilter, DeliveryTable } from '../history/deliveries.ts'
import type { Actor } from '../store/audit.ts'
import { type Endpoint, failuresToStop } from '../store/events.ts'
import type { Store } from '../store/store.ts'
import { testedEvent } from './compose.ts'
import { type Egress, urlFault } from './egress.ts'
import { entryOf } from './round.ts'
import type { Sender, Try } from './sender.ts'

/** `waiting`: it is left alone for a while, since its server fails or asked for it. */
export const endpointStates = ['on', 'waiting', 'paused', 'gone', 'failing'] as const

export type EndpointView = { id: number } & EndpointSettings & {
    state: (typeof endpointStates)[number]
    createdAt: string
    failingSince: string | null
    nextTryAt: string | null
    /** What is due and not told, counted to 10,001. */
    waiting: number
    oldestDueAt: string | null
  }

export type TestResult = Omit<Try, 'retryAfterSeconds'> & { delivered: boolean }

export type EndpointParts = {
  store: Store
  deliveries: Pick<DeliveryTable, 'page'>
  sender: Sender
  onTry(entry: DeliveryEntry): void
  site: Site
  egress: Egress
  /** Whether anything is told at all. */
  isOn: boolean
  /** Wall clock, milliseconds. */
  now(): number
}

/** Each call rejects with StoreUnavailable where the database does not answer. */
export type Endpoints = ReturnType<typeof buildEndpoints>

export function buildEndpoints(parts: EndpointParts) {
  const { store, deliveries, site, egress, isOn, now } = parts
  const { events } = store
  const seconds = () => Math.floor(now() / 1_000)

  async function view(endpoint: Endpoint): Promise<EndpointView> {
    const { id, settings, createdAt, failingSince, nextTryAt } = endpoint
    const { waiting, oldestDueAt } = await events.waiting(endpoint, seconds())
    const instant = (at: Seconds | null) => (at === null ? null : formatInstant(at))
    return {
      id,
      ...settings,
      state: stateOf(endpoint, seconds()),
      createdAt: formatInstant(createdAt),
      failingSince: instant(failingSince),
      nextTryAt: instant(nextTryAt),
      waiting,
      oldestDueAt: instant(oldestDueAt),
    }
  }

  return {
    isOn,
    view,
    /** What is wrong with the settings, or the settings with what was left out. */
    check: (value: unknown): { settings: EndpointSettings } | { faults: Fault[] } =>
      checkEndpoint(value, (url) => urlFault(url, egress, site.publicUrl)),
    /** @throws Refused where the account has as many as it may */
    create: events.createEndpoint,
    change: events.changeEndpoint,
    list: events.listEndpoints,
    find: events.findEndpoint,
    pause: (endpoint: Endpoint, by: Actor) => events.pauseEndpoint(endpoint, 'user', by),
    /** What it leaves is removed behind that. */
    remove: (endpoint: Endpoint, by: Actor) => events.pauseEndpoint(endpoint, 'deleted', by),
    resume: (endpoint: Endpoint, from: 'stop' | 'now', by: Actor) =>
      events.resumeEndpoint(endpoint, from === 'now' ? by.at : null, by),
    discardBefore: events.discardBefore,
    backfill: events.startBackfill,
    secret: (endpoint: Endpoint) => events.secretsOf(endpoint, seconds())[0] as string,
    /** A new secret; the one before signs too for so long. Undefined where the endpoint has gone. */
    async rotate(endpoint: Endpoint, graceHours: number, by: Actor): Promise<string | undefined> {
      const oldUntil = graceHours === 0 ? null : by.at + graceHours * 3_600
      const rotated = await events.rotateSecret(endpoint, oldUntil, by)
      return rotated && events.secretsOf(rotated, by.at)[0]
    },
    /** Sends one event to it at once. */
    test: (endpoint: Endpoint) => testOne(parts, endpoint, seconds()),
    /** Newest first, from behind `before`: `next` of the page before, or an instant. Undefined where that is neither. */
    log: (endpoint: Endpoint, asked: LogAsked) => pageOf(deliveries, endpoint, asked),
    /** Tells an event of the log again; false where the log has none with this id. */
    async resend(endpoint: Endpoint, eventId: string, by: Actor): Promise<boolean> {
      const { accountId, id: endpointId } = endpoint
      if (!/^evt_[0-9a-f]{32}$/.test(eventId)) return false
      const [entry] = await deliveries.page(accountId, { endpointId, eventId, limit: 1 })
      if (entry === undefined || !isKind(entry.kind) || entry.kind === 'endpoint.tested') return false
      const { dueAt, leadId, detail } = entry
      await events.resend(endpoint, { endpointId, dueAt, leadId, kind: entry.kind as NoticeKind, detail }, by)
      return true
    },
    /** What was given up since then; resolves with how many. */
    resendFailed: events.resendFailed,
  }
}

export type LogAsked = Pick<DeliveryFilter, 'outcome' | 'limit'> & { before?: string | undefined }

async function pageOf(
  deliveries: EndpointParts['deliveries'],
  { accountId, id: endpointId }: Endpoint,
  { before, limit, outcome }: LogAsked,
) {
  const cursor = before === undefined ? undefined : cursorOf(before)
  if (cursor === null) return undefined
  const found = await deliveries.page(accountId, { endpointId, outcome, before: cursor, limit: limit + 1 })
  const entries = found.slice(0, limit)
  const last = found.length > limit ? entries.at(-1) : undefined
  return { entries, next: last === undefined ? null : positionOf(last) }
}

/** `2026-11-26T23:00:01.123Z,evt_5f0c…` */
const positionOf = ({ atMs, eventId }: DeliveryCursor) => `${new Date(atMs).toISOString()},${eventId}`

/** An instant alone stands before all entries of its millisecond. */
function cursorOf(position: string): DeliveryCursor | null {
  const [instant = '', eventId = ''] = position.split(',')
  const atMs = Date.parse(instant)
  return Number.isNaN(atMs) ? null : { atMs, eventId }
}

const isKind = (kind: string): kind is EventKind => eventKinds.some((known) => known === kind)

function stateOf({ pausedAt, pauseCause, failures, nextTryAt }: Endpoint, now: Seconds): EndpointView['state'] {
  if (pausedAt !== null) return pauseCause === 'gone' || pauseCause === 'failing' ? pauseCause : 'paused'
  return failures >= failuresToStop || (nextTryAt ?? 0) > now ? 'waiting' : 'on'
}

async function testOne(
  { store, sender, onTry, now }: EndpointParts,
  endpoint: Endpoint,
  at: Seconds,
): Promise<TestResult> {
  const kind = 'endpoint.tested' as const
  const id = store.events.eventId(endpoint.accountId, 0, kind, at, endpoint.id)
  const body = testedEvent(endpoint, at)
  const { url } = endpoint.settings
  const secrets = store.events.secretsOf(endpoint, at)
  const result = await sender.send({ id, url, body: JSON.stringify(body), at, secrets })
  const due = { endpointId: endpoint.id, dueAt: at, leadId: 0, kind, detail: 0, tries: null, refused: 0 }
  onTry(entryOf(endpoint, { id, body, due }, result, now()))
  const { status, cause, milliseconds } = result
  return { delivered: cause === null, status, cause, milliseconds }
}
