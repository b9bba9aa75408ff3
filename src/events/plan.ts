// From notices to events: reads the leads, and says which events each notice leads to.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ConfigCache } from '../campaigns/config-cache.ts'
import { endOf, type Notice, type NoticeKind, type Watcher, watcherOf } from '../core/events.ts'
import type { Seconds } from '../core/instant.ts'
import type { Attempt } from '../core/mechanism/attempt.ts'
import type { Terms } from '../core/mechanism/terms.ts'
import { momentsAt, nextMoment } from '../core/moments.ts'
import type { OfferTools, Site } from '../core/offer.ts'
import type { Endpoint } from '../store/events/endpoint.ts'
import { type Due, keptSeconds } from '../store/events/queue.ts'
import type { Campaign, Lead } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { type EventBody, endedEvent, erasedEvent, type Happened, type LeadTold, leadEvent } from './compose.ts'

/** One event to send; `due` is what is kept of it if that fails. */
export type Event = { id: string; campaignId: number; body: EventBody; due: Due }

/** What becomes of one notice. Without events it is done at once, unless it `isHeld` until its campaign is published. */
export type Planned = { due: Due; events: Event[]; look: Notice | null; isHeld?: boolean }

export type PlanParts = {
  store: Pick<Store, 'leads' | 'events' | 'conversions' | 'configuration'>
  configCache: ConfigCache
  site: Site
  /** Called with how many moments were too old to be sent. */
  onDropped(count: number): void
}

/** A look that is later than this skips ahead to a newer moment, if there is one. */
const oldSeconds = 7 * 86_400
/** Events that are read and made in one turn of the event loop, so that requests get their turns in between. */
const madeAtOnce = 20
/** The most moments that one look skips; the next look goes on from there. */
const mostSkipped = 1_000

const oneTimeKinds: readonly NoticeKind[] = ['lead.opened', 'lead.deadline_approaching', 'lead.expired']

type Found = {
  campaign: Campaign
  lead: Lead
  convertedAt: Seconds | null
  tools: OfferTools
  watcher: Watcher
}

export async function plan(
  parts: PlanParts,
  endpoint: Endpoint,
  due: readonly Due[],
  now: Seconds,
): Promise<Planned[]> {
  const planned: Planned[] = []
  const looks = due.filter(({ kind, leadId }) => kind === 'look' && leadId > 0)
  /** A late look also covers the instants of the lead's other looks, which would send the same again. */
  const later = new Set([...Map.groupBy(looks, ({ leadId }) => leadId).values()].flatMap(([, ...others]) => others))
  for (let from = 0; from < due.length; from += madeAtOnce) {
    await nextTurn()
    const some = due.slice(from, from + madeAtOnce)
    const found = await readLeads(parts, endpoint, some)
    const planning = some.map((one) => {
      const of = later.has(one) ? undefined : found.get(one.leadId)
      return planOf(parts, endpoint, one, of, now)
    })
    planned.push(...(await Promise.all(planning)))
  }
  return planned
}

async function planOf(
  parts: PlanParts,
  endpoint: Endpoint,
  due: Due,
  of: Found | undefined,
  now: Seconds,
): Promise<Planned> {
  if (due.kind === 'lead.erased') return { due, events: erased(parts, endpoint, due, now), look: null }
  if (due.leadId < 0) return { due, ...(await ended(parts, endpoint, due, now)), look: null }
  // Erased, of a deleted campaign, no longer wanted, or covered by another look.
  if (of === undefined) return { due, events: [], look: null }
  const { kind } = due
  const { happened, lookAt } =
    kind === 'look'
      ? seenBy(parts, of, endpoint, due, now)
      : { happened: isPast(endpoint, due) ? [] : toldBy(of, { ...due, kind }), lookAt: null }
  const conversion =
    due.kind === 'lead.converted' ? await parts.store.conversions.find(endpoint.accountId, due.detail) : undefined
  const told = happened.filter((what) => !isBoughtBefore(of, what))
  const look = lookAt === null ? null : ({ ...due, dueAt: lookAt, kind: 'look', detail: 0 } as const)
  // In a draft a look sends nothing. An event that a notice names is from before: a draft makes no notices.
  if (of.campaign.isDraft) return { due, events: [], look, isHeld: told.length > 0 && isToBeHeld(due, now) }
  const events = told.map((what) => eventOf(parts, endpoint, { ...of, conversion }, due, what, now))
  return { due, events, look }
}

const isToBeHeld = ({ kind, dueAt }: Due, now: Seconds) => kind !== 'look' && now - dueAt <= keptSeconds

/** If a purchase ends the offer, a lead who bought has not missed it. */
function isBoughtBefore({ campaign, convertedAt }: Found, { kind, at }: Happened): boolean {
  return kind === 'lead.expired' && campaign.conversion.closes && convertedAt !== null && convertedAt <= at
}

async function readLeads(parts: PlanParts, endpoint: Endpoint, due: readonly Due[]) {
  const { store, configCache, site } = parts
  const { accountId, id, settings } = endpoint
  const ids = [...new Set(due.map(({ leadId }) => leadId).filter((leadId) => leadId > 0))]
  const found = new Map<number, Found>()
  if (ids.length === 0) return found
  const account = await configCache.account(accountId)
  if (account === undefined) return found
  const tools = { ...site, countdownTools: account.countdownTools }
  const converted = await store.conversions.firstOf(accountId, ids)
  const leads = await store.leads.findByIds(accountId, ids)
  const campaigns = new Map<number, Campaign | undefined>()
  for (const campaignId of new Set(leads.map((one) => one.campaignId)))
    campaigns.set(campaignId, await campaignOf(parts, campaignId))
  for (const { id: leadId, campaignId, lead } of leads) {
    const watcher = watcherOf(id, settings, campaignId)
    const campaign = campaigns.get(campaignId)
    if (watcher === undefined || campaign === undefined) continue
    const convertedAt = converted.get(leadId) ?? null
    const ofLead = await lead(campaign)
    const fitting = await configCache.campaignFor(ofLead, campaign)
    found.set(leadId, { campaign: fitting, lead: ofLead, convertedAt, tools, watcher })
  }
  return found
}

/** A draft in the cache may have been published a moment ago. */
async function campaignOf({ store, configCache }: PlanParts, id: number): Promise<Campaign | undefined> {
  const campaign = await configCache.campaign(id)
  return campaign?.isDraft ? store.configuration.findCampaign(id) : campaign
}

/** What a look finds, as of its instant, however late it is seen, and when to look next. */
function seenBy(
  { onDropped }: PlanParts,
  { campaign: { terms }, lead: { attempt }, watcher }: Found,
  { fromAt }: Endpoint,
  { dueAt }: Due,
  now: Seconds,
): { happened: Happened[]; lookAt: Seconds | null } {
  const from = Math.max(fromAt, now - oldSeconds)
  const { at, lookAt, skipped } = skip(terms, attempt, dueAt, watcher, from, now)
  if (skipped > 0) onDropped(skipped)
  if (at === null || at < fromAt) return { happened: [], lookAt }
  const moments = momentsAt(terms, attempt, at, watcher.wanted)
  return { happened: moments.map((moment) => ({ ...moment, at })), lookAt }
}

/** The event that the notice names. */
function toldBy(
  { campaign: { terms }, lead: { attempt, registeredAt }, watcher }: Found,
  { kind, dueAt, detail, isAskedFor }: Due & { kind: Exclude<NoticeKind, 'look'> },
): Happened[] {
  if (kind === 'registered before') return [{ kind: 'lead.registered', at: registeredAt, detail: 0, isBackfill: true }]
  // An event that is no longer true is not tried again, unless somebody asked for it.
  const isTrue =
    !oneTimeKinds.includes(kind) ||
    momentsAt(terms, attempt, dueAt, watcher.wanted).some((one) => one.kind === kind && one.detail === detail)
  const isTold = isAskedFor || (isTrue && watcher.kinds.includes(kind))
  return isTold ? [{ kind, at: dueAt, detail }] : []
}

/** Due before the point from which the endpoint goes on, not of a backfill, and not asked for again since. */
const isPast = ({ fromAt }: Endpoint, { dueAt, kind, lastAt, isAskedFor }: Due) =>
  dueAt < fromAt && kind !== 'registered before' && !(isAskedFor && lastAt !== null && lastAt >= fromAt)

/**
 * The moment that a look sends: its own or, if that is too old, the first that is not, or else the last. `at` is null
 * if that takes more than one look. A moment in the present second waits for its own look, a second later.
 */
function skip(terms: Terms, attempt: Attempt, dueAt: Seconds, { wanted }: Watcher, from: Seconds, now: Seconds) {
  let at = dueAt
  let lookAt = nextMoment(terms, attempt, at, wanted)
  let skipped = 0
  for (let looks = 0; at < from && lookAt !== null && lookAt < now; looks += 1) {
    if (looks === mostSkipped) return { at: null, lookAt, skipped: skipped + 1 }
    // Not every look has a moment.
    if (momentsAt(terms, attempt, lookAt, wanted).length > 0) {
      skipped += 1
      at = lookAt
    }
    lookAt = nextMoment(terms, attempt, lookAt, wanted)
  }
  return { at, lookAt, skipped }
}

function eventOf(
  { store }: PlanParts,
  { accountId, settings }: Endpoint,
  of: Found & Pick<LeadTold, 'conversion'>,
  due: Due,
  what: Happened,
  now: Seconds,
): Event {
  const { kind, at, detail } = what
  return {
    id: store.events.eventId(accountId, of.lead.id, kind, at, detail),
    campaignId: of.campaign.id,
    body: leadEvent(what, { ...of, settings, now }),
    // A backfill that fails is tried again as one.
    due: what.isBackfill ? due : { ...due, kind, dueAt: at, detail },
  }
}

function erased({ store }: PlanParts, endpoint: Endpoint, due: Due, now: Seconds): Event[] {
  const { dueAt, leadId, detail, isAskedFor } = due
  // Even if the endpoint goes on from a later point: somebody wants to be forgotten there too.
  if (!isAskedFor && !endpoint.settings.kinds.includes('lead.erased')) return []
  const { eventId, refOf } = store.events
  const body = erasedEvent(refOf(endpoint.accountId, leadId, detail), dueAt, now)
  return [{ id: eventId(endpoint.accountId, leadId, 'lead.erased', dueAt, 0), campaignId: 0, body, due }]
}

/** Only if the campaign's date has not moved since. */
async function ended(
  parts: PlanParts,
  endpoint: Endpoint,
  due: Due,
  now: Seconds,
): Promise<Pick<Planned, 'events' | 'isHeld'>> {
  const { dueAt, leadId, isAskedFor } = due
  const campaign = await campaignOf(parts, -leadId)
  if (campaign === undefined) return { events: [] }
  const isWanted = watcherOf(endpoint.id, endpoint.settings, -leadId)?.kinds.includes('campaign.ended')
  const isDue = isWanted && endOf(campaign.terms) === dueAt && !isPast(endpoint, due)
  if (!isDue && !isAskedFor) return { events: [] }
  if (campaign.isDraft) return { events: [], isHeld: isToBeHeld(due, now) }
  const id = parts.store.events.eventId(endpoint.accountId, leadId, 'campaign.ended', dueAt, 0)
  const kind = 'campaign.ended' as const
  const body = endedEvent(campaign, dueAt, now)
  return { events: [{ id, campaignId: campaign.id, body, due: { ...due, kind } }] }
}
