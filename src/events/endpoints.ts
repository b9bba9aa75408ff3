// What the API for events, the panel and the command line do with endpoints.
import { randomInt } from 'node:crypto'
import { type BesideCode, messageOf } from '../core/errors.ts'
import {
  campaignIdOf,
  checkEndpoint,
  type EndpointSettings,
  eventIdPattern,
  mostEndpoints,
  wantedKinds,
  watcherOf,
} from '../core/events.ts'
import { type Fault, join } from '../core/fault.ts'
import { formatInstant, instantOrNull, parseInstant, type Seconds } from '../core/instant.ts'
import type { Site } from '../core/offer.ts'
import type { DeliveryCursor, DeliveryEntry, DeliveryFilter, DeliveryTable } from '../history/deliveries.ts'
import type { Actor } from '../store/audit.ts'
import { ChangedMeanwhile, Refused } from '../store/errors.ts'
import { failuresToStop } from '../store/events/changes.ts'
import type { Endpoint } from '../store/events/endpoint.ts'
import type { Campaign } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { testedEvent } from './compose.ts'
import { type Egress, urlFault } from './egress.ts'
import { afterOutage, entryOf, secondsNow } from './round.ts'
import type { Sender } from './sender.ts'

/** `waiting`: nothing is sent for a while, since its server fails or asked for time. */
export const endpointStates = ['on', 'waiting', 'paused', 'gone', 'failing'] as const
type EndpointState = (typeof endpointStates)[number]

type EndpointView = Awaited<ReturnType<typeof viewOf>>

const eventIdForm = new RegExp(eventIdPattern)

type EndpointParts = {
  store: Store
  deliveries: Pick<DeliveryTable, 'page'>
  sender: Sender
  onTry(entry: DeliveryEntry): void
  site: Site
  egress: Egress
  isOn: boolean
  /** Awaited between the steps of what writes much. */
  leaveTurns(): Promise<void>
  /** Wall clock, milliseconds. */
  now(): number
}

/** Why a request about an endpoint is refused; each surface answers in its own form. */
export class EndpointRefused extends Error {
  override name = 'EndpointRefused'
  readonly code: 'VALIDATION_ERROR' | 'CAMPAIGN_NOT_FOUND' | Exclude<BesideCode, 'FORBIDDEN' | 'CONVERSION_NOT_FOUND'>
  readonly faults: readonly Fault[]

  constructor(code: EndpointRefused['code'], faults: readonly Fault[] = []) {
    const [first] = faults
    super(first === undefined ? messageOf[code] : `${first.path} ${first.message}`)
    this.code = code
    this.faults = faults
  }
}

/** Each call throws EndpointRefused, or StoreUnavailable if the database does not answer. */
export type Endpoints = ReturnType<typeof buildEndpoints>

export function buildEndpoints(parts: EndpointParts) {
  return {
    isOn: parts.isOn,
    /** What `by` does with the endpoints of an account: another's look as if they did not exist. */
    of: (accountId: number, by: Actor) => ({
      needOn: () => needOn(parts),
      ...managing(parts, accountId, by),
      ...telling(parts, accountId, by),
    }),
  }
}

function managing(parts: EndpointParts, accountId: number, by: Actor) {
  const { events } = parts.store
  const one = (id: number) => needEndpoint(parts, accountId, id)
  const read = async (id: number) => viewOf(parts, await one(id))
  const withSecret = async (endpoint: Endpoint) => ({
    ...(await viewOf(parts, endpoint)),
    secret: events.secretsOf(endpoint, by.at)[0] as string,
  })
  async function change(id: number, changes: object): Promise<EndpointView> {
    const before = await one(id)
    const settings = await checked(parts, accountId, { ...before.settings, ...changes }, before.settings)
    try {
      const changed = there(await events.changeEndpoint(before, settings, by))
      // Also if the URL is the same: this may be a request that broke off half-way, and is sent again.
      if ('url' in changes) await untilDone(parts, () => events.resetTries(changed, by.at))
      return await viewOf(parts, changed)
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error
      // Two changes at once are made one after the other, the second to the result of the first.
      return change(id, changes)
    }
  }
  return {
    read,
    /** In ascending id, after `afterId`. */
    async list(afterId = 0, limit = mostEndpoints): Promise<EndpointView[]> {
      const all = (await events.listEndpoints(accountId)).filter(({ id }) => id > afterId)
      const views: EndpointView[] = []
      // One after the other: each may have much to count, and on SQLite what is asked at once is read without a pause.
      for (const endpoint of all.slice(0, limit)) views.push(await viewOf(parts, endpoint))
      return views
    },
    async create(wanted: object) {
      needOn(parts)
      const settings = await checked(parts, accountId, wanted)
      const endpoint = await events.createEndpoint(accountId, settings, by).catch((error) => {
        throw error instanceof Refused ? new EndpointRefused('TOO_MANY_ENDPOINTS') : error
      })
      return withSecret(endpoint)
    },
    change,
    async pause(id: number) {
      await events.pauseEndpoint(await one(id), 'user', by)
      return read(id)
    },
    async resume(id: number, from: 'stop' | 'now') {
      needOn(parts)
      await events.resumeEndpoint(await one(id), from === 'now' ? by.at : null, by)
      if (from === 'now') {
        // Also if it was on: this may be a request that broke off half-way, and is sent again.
        const endpoint = await one(id)
        const { fromAt } = endpoint
        await untilDone(parts, () => events.discardFailed(endpoint, fromAt, fromAt))
      }
      return read(id)
    },
    /** Its notices are removed afterwards. */
    remove: async (id: number) => events.pauseEndpoint(await one(id), 'deleted', by),
    /** A new secret; the old one also signs for so long. */
    async rotate(id: number, graceHours: number) {
      const oldUntil = graceHours === 0 ? null : by.at + graceHours * 3_600
      return withSecret(there(await events.rotateSecret(await one(id), oldUntil, by)))
    },
  }
}

function telling(parts: EndpointParts, accountId: number, by: Actor) {
  const { events, configuration, leads } = parts.store
  const one = (id: number) => needEndpoint(parts, accountId, id)
  return {
    /** Sends one event to it at once. */
    async test(id: number) {
      needOn(parts)
      return testOne(parts, await one(id), secondsNow(parts))
    },
    /** Sends `lead.registered` for every lead of a campaign. */
    async backfill(id: number, campaignId: number) {
      needOn(parts)
      const endpoint = await one(id)
      const campaign = await configuration.findCampaign(campaignId)
      if (campaign?.accountId !== accountId) throw new EndpointRefused('CAMPAIGN_NOT_FOUND')
      needTold(endpoint, campaign, 'campaignId')
      await events.startBackfill(endpoint, campaignId, by)
      return viewOf(parts, endpoint)
    },
    async discardBefore(id: number, before: Seconds): Promise<void> {
      const endpoint = await one(id)
      await events.discardBefore(endpoint, before, by)
      await untilDone(parts, () => events.discardFailed(endpoint, before))
      const now = secondsNow(parts)
      const { waiting } = await events.waiting(await one(id), now)
      if (waiting === 0) await endOutage(parts.store, endpoint, now)
    },
    /** Newest first, older than `before`: `next` of the previous page, or an instant. */
    async log(id: number, { before, limit, outcome }: LogAsked) {
      // Refused even before it is known whether there is such an endpoint.
      const cursor = before === undefined ? undefined : cursorOf(before)
      const { id: endpointId } = await one(id)
      const asked = { endpointId, outcome, before: cursor, limit: limit + 1 }
      const found = await parts.deliveries.page(accountId, asked)
      const entries = found.slice(0, limit)
      const last = found.length > limit ? entries.at(-1) : undefined
      return { entries, next: last === undefined ? null : positionOf(last) }
    },
    /** Sends an event of the log again. */
    async resend(id: number, eventId: string): Promise<void> {
      needOn(parts)
      const endpoint = await one(id)
      const isId = eventIdForm.test(eventId)
      const [entry] = isId ? await parts.deliveries.page(accountId, { endpointId: id, eventId, limit: 1 }) : []
      const kind = wantedKinds.find((known) => known === entry?.kind)
      if (entry === undefined || kind === undefined) throw new EndpointRefused('DELIVERY_NOT_FOUND')
      const { dueAt, leadId, detail } = entry
      // Of an erased lead only `lead.erased` can be sent.
      if (kind !== 'lead.erased') {
        const campaignId = campaignIdOf(entry) ?? (await leads.findByIds(accountId, [leadId]))[0]?.campaignId
        if (campaignId === undefined) throw new EndpointRefused('DELIVERY_NOT_FOUND')
        needTold(endpoint, await configuration.findCampaign(campaignId), 'eventId')
      }
      await events.resend(endpoint, { endpointId: id, dueAt, leadId, kind, detail }, by)
    },
    /** Sends again what was given up since then; resolves with how many. */
    async resendFailed(id: number, since: Seconds): Promise<number> {
      needOn(parts)
      const endpoint = await one(id)
      let resent = 0
      for (let after: number[] | null = []; after !== null; await parts.leaveTurns()) {
        const { count, next } = await events.resendFailed(endpoint, since, by, after)
        resent += count
        after = next
      }
      return resent
    },
  }
}

/** Step after step, until one finds nothing more. */
async function untilDone({ leaveTurns }: EndpointParts, step: () => Promise<number>): Promise<void> {
  while ((await step()) > 0) await leaveTurns()
}

/** @throws EndpointRefused if nothing of the campaign is sent to the endpoint: the request would be accepted in vain */
function needTold({ id, settings }: Endpoint, campaign: Campaign | undefined, path: string): void {
  if (campaign?.isDraft === false && watcherOf(id, settings, campaign.id) !== undefined) return
  const message = 'must belong to a published campaign that the endpoint listens to'
  throw new EndpointRefused('VALIDATION_ERROR', [{ path, message }])
}

async function viewOf(parts: EndpointParts, endpoint: Endpoint) {
  const { id, settings, createdAt, failingSince, nextTryAt } = endpoint
  const now = secondsNow(parts)
  const { waiting, oldestDueAt, givenUp } = await parts.store.events.waiting(endpoint, now)
  return {
    id,
    ...settings,
    state: stateOf(endpoint, now),
    createdAt: formatInstant(createdAt),
    failingSince: instantOrNull(failingSince),
    nextTryAt: instantOrNull((nextTryAt ?? 0) > now ? nextTryAt : null),
    /** Events that are due and not yet sent, counted to 10,001. */
    waiting,
    oldestDueAt: instantOrNull(oldestDueAt),
    /** Events that are not tried again by themselves, counted to 10,001. */
    givenUp,
  }
}

/**
 * The settings, filled in. What the endpoint had before may stay: campaigns that are gone, a URL that the operator no
 * longer allows, lead times.
 */
async function checked(parts: EndpointParts, accountId: number, wanted: object, before?: EndpointSettings) {
  const { egress, site, store } = parts
  const faultOf = (url: string) => (url === before?.url ? undefined : urlFault(url, egress, site.publicUrl))
  const result = checkEndpoint(wanted, faultOf, before?.leadTimes)
  if ('faults' in result) {
    const isTarget = result.faults[0]?.path === 'url'
    throw new EndpointRefused(isTarget ? 'TARGET_NOT_ALLOWED' : 'VALIDATION_ERROR', result.faults)
  }
  const ids = result.settings.campaignIds ?? []
  const own = await store.configuration.listCampaignsById(accountId, ids)
  const known = new Set([...own.map(({ id }) => id), ...(before?.campaignIds ?? [])])
  const unknown = ids.findIndex((id) => !known.has(id))
  if (unknown < 0) return result.settings
  const fault = { path: join('campaignIds', unknown), message: 'must be a campaign of the account' }
  throw new EndpointRefused('VALIDATION_ERROR', [fault])
}

function needOn({ isOn }: EndpointParts): void {
  if (!isOn) throw new EndpointRefused('WEBHOOKS_OFF')
}

async function needEndpoint({ store }: EndpointParts, accountId: number, id: number): Promise<Endpoint> {
  return there(await store.events.findEndpoint(accountId, id))
}

/** @throws EndpointRefused if there is no such endpoint, or it has gone meanwhile */
function there(endpoint: Endpoint | undefined): Endpoint {
  if (endpoint === undefined) throw new EndpointRefused('ENDPOINT_NOT_FOUND')
  return endpoint
}

type LogAsked = Pick<DeliveryFilter, 'outcome' | 'limit'> & { before?: string | undefined }

/** `2026-11-26T23:00:01.123Z,evt_5f0c…` */
const positionOf = ({ atMs, eventId }: DeliveryCursor) => `${new Date(atMs).toISOString()},${eventId}`

/** An instant alone is before all entries of its millisecond. */
function cursorOf(position: string): DeliveryCursor {
  const [instant = '', eventId = ''] = position.split(',')
  if (parseInstant(instant) !== undefined) return { atMs: Temporal.Instant.from(instant).epochMilliseconds, eventId }
  const message = 'must be the nextBefore of an earlier answer, or an instant'
  throw new EndpointRefused('VALIDATION_ERROR', [{ path: 'before', message }])
}

function stateOf({ pausedAt, pauseCause, failures, nextTryAt }: Endpoint, now: Seconds): EndpointState {
  if (pausedAt !== null) return pauseCause === 'gone' || pauseCause === 'failing' ? pauseCause : 'paused'
  return failures >= failuresToStop || (nextTryAt ?? 0) > now ? 'waiting' : 'on'
}

async function testOne({ store, sender, onTry, now }: EndpointParts, endpoint: Endpoint, at: Seconds) {
  // Two in one second must have different ids.
  const id = store.events.eventId(endpoint.accountId, 0, 'endpoint.tested', at, randomInt(2 ** 47))
  const body = testedEvent(endpoint, at)
  const { url } = endpoint.settings
  const secrets = store.events.secretsOf(endpoint, at)
  const atMs = now()
  const result = await sender.send({ id, url, body: JSON.stringify(body), at, secrets })
  onTry(entryOf(endpoint, { id, body, due: { leadId: 0, detail: 0, tries: 0 } }, result, atMs))
  const { status, cause, milliseconds } = result
  if (cause === null) await endOutage(store, endpoint, at)
  return { delivered: cause === null, status, cause, milliseconds }
}

/** Sending goes on. A wait that the server asked for with Retry-After still applies. */
async function endOutage({ events }: Store, { accountId, id, settings }: Endpoint, at: Seconds): Promise<void> {
  // As it is now: meanwhile a delivery may have been answered with Retry-After. But with the URL that was read: the
  // health of another one stays.
  const endpoint = await events.findEndpoint(accountId, id)
  if (endpoint === undefined || endpoint.pausedAt !== null) return
  await events.setHealth({ ...endpoint, settings }, afterOutage(endpoint), at)
}
