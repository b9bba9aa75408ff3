// From notices to events: reads the leads, and says which events each notice leads to.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ConfigCache } from '../campaigns/config-cache.ts'
import { campaignIdOf, endOf, type Notice, type NoticeKind, type Watcher, watcherOf } from '../core/events.ts'
import type { Seconds } from '../core/instant.ts'
import { offerAt } from '../core/mechanism/attempt.ts'
import { type Moment, momentsAt, nextMoment } from '../core/moments.ts'
import type { Site } from '../core/offer.ts'
import type { Endpoint } from '../store/events/endpoint.ts'
import { type Due, keptSeconds } from '../store/events/queue.ts'
import type { Campaign } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { type EventBody, endedEvent, erasedEvent, type Happened, type LeadTold, leadEvent } from './compose.ts'

/** One event to send; `due` is what is kept of it if that fails. */
export type Event = { id: string; campaignId: number; body: EventBody; due: Due }

/**
 * What becomes of one notice. Without events it is done at once, unless it `isHeld` until its campaign is published.
 * `isSkipped`: a look that was too late.
 */
export type Planned = { due: Due; events: Event[]; look?: Notice; isHeld?: boolean; isSkipped?: boolean }

export type PlanParts = {
  store: Pick<Store, 'leads' | 'events' | 'conversions' | 'configuration'>
  configCache: ConfigCache
  site: Site
}

/** A look that is later than this skips ahead to a newer moment, if there is one. */
const oldSeconds = 7 * 86_400
/** Events that are read and made in one turn of the event loop, so that requests get their turns in between. */
const madeAtOnce = 20

/** Kinds that a look at a lead finds. */
const momentKinds: Record<Moment['kind'], true> = {
  'lead.opened': true,
  'lead.deadline_approaching': true,
  'lead.expired': true,
}

/** The notices of one round, of one endpoint. */
type Planning = PlanParts & { endpoint: Endpoint; now: Seconds }

type Found = Omit<LeadTold, 'conversion' | 'settings' | 'now'> & { watcher: Watcher }

export async function plan(parts: PlanParts, endpoint: Endpoint, due: readonly Due[], now: Seconds) {
  const planning: Planning = { ...parts, endpoint, now }
  const planned: Planned[] = []
  const looks = due.filter((one) => one.kind === 'look' && campaignIdOf(one) === null)
  /** A late look also covers the instants of the lead's other looks, which would send the same again. */
  const later = new Set([...Map.groupBy(looks, ({ leadId }) => leadId).values()].flatMap(([, ...others]) => others))
  for (let from = 0; from < due.length; from += madeAtOnce) {
    await nextTurn()
    const some = due.slice(from, from + madeAtOnce)
    const found = await readLeads(planning, some)
    const made = some.map((one) => planOf(planning, one, later.has(one) ? undefined : found.get(one.leadId)))
    planned.push(...(await Promise.all(made)))
  }
  return planned
}

async function planOf(planning: Planning, due: Due, of: Found | undefined): Promise<Planned> {
  const { kind } = due
  if (kind === 'lead.erased') return erased(planning, due)
  const campaignId = campaignIdOf(due)
  if (campaignId !== null) return ended(planning, due, campaignId)
  // Erased, of a deleted campaign, no longer wanted, or covered by another look.
  if (of === undefined) return { due, events: [] }
  return kind === 'look' ? looked(planning, of, due) : named(planning, of, { ...due, kind })
}

/** What was tried or asked for lately may be old; that it was held is no try. */
const isToBeHeld = ({ kind, dueAt, lastAt }: Due, now: Seconds) =>
  kind !== 'look' && now - Math.max(dueAt, lastAt ?? 0) <= keptSeconds

/** If a purchase ends the offer, a lead who bought has not missed it. */
function isBoughtBefore({ campaign, convertedAt }: Found, { kind, at }: Happened): boolean {
  return kind === 'lead.expired' && campaign.conversion.closes && convertedAt !== null && convertedAt <= at
}

async function readLeads(planning: Planning, due: readonly Due[]) {
  const { store, configCache, site, endpoint } = planning
  const { accountId, id, settings } = endpoint
  const ofLeads = due.filter((one) => campaignIdOf(one) === null)
  const ids = [...new Set(ofLeads.map(({ leadId }) => leadId))]
  const found = new Map<number, Found>()
  if (ids.length === 0) return found
  const account = await configCache.account(accountId)
  if (account === undefined) return found
  const tools = { ...site, countdownTools: account.countdownTools }
  const converted = await store.conversions.firstOf(accountId, ids)
  const leads = await store.leads.findByIds(accountId, ids)
  const campaigns = new Map<number, Campaign | undefined>()
  for (const campaignId of new Set(leads.map((one) => one.campaignId)))
    campaigns.set(campaignId, await campaignOf(planning, campaignId))
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

/**
 * What a look finds, as of its instant, however late it is seen, and when to look next. A moment in the present second
 * waits for its own look, a second later. In a draft looks go on, and nothing is sent.
 */
function looked(planning: Planning, of: Found, due: Due): Planned {
  const { endpoint, now } = planning
  const { campaign, lead, watcher } = of
  const { dueAt } = due
  const next = (after: Seconds) => nextMoment(campaign.terms, lead.attempt, after, watcher.wanted)
  const lookAt = (at: Seconds | null) => at !== null && { look: { ...due, dueAt: at } }
  // Not beyond now: a `fromAt` that lies ahead was set by a wrong clock, and will be set back.
  if (dueAt < endpoint.fromAt) return { due, events: [], ...lookAt(next(Math.min(endpoint.fromAt, now) - 1)) }
  const following = next(dueAt)
  const oldest = now - oldSeconds
  if (dueAt < oldest && following !== null && following < now) {
    // Too late, and there is a newer moment: the first that is not too late, or else the following one.
    const recent = next(oldest - 1)
    const newer = recent !== null && recent < now ? recent : following
    return { due, events: [], ...lookAt(newer), isSkipped: !campaign.isDraft }
  }
  const happened = campaign.isDraft ? [] : stillTrue(of, dueAt, now).map((moment) => ({ ...moment, at: dueAt }))
  const told = happened.filter((what) => !isBoughtBefore(of, what))
  return { due, events: told.map((what) => eventOf(planning, of, due, what)), ...lookAt(following) }
}

/**
 * The moments of that instant. If the offer has come again since, not that its end was near: the event would bear the next
 * deadline.
 */
function stillTrue({ campaign: { terms }, lead: { attempt }, watcher: { wanted } }: Found, at: Seconds, now: Seconds) {
  const deadlineAt = (instant: Seconds) => offerAt(terms, attempt, instant).deadline
  return momentsAt(terms, attempt, at, wanted).filter(
    ({ kind }) => kind !== 'lead.deadline_approaching' || deadlineAt(at) === deadlineAt(now),
  )
}

type Named = Due & { kind: Exclude<NoticeKind, 'look'> }

/** The event that a notice names. In a draft it is from before it was made one: a draft makes looks alone. */
async function named(planning: Planning, of: Found, due: Named): Promise<Planned> {
  const { endpoint, store, now } = planning
  const { kind, dueAt, detail, isAskedFor } = due
  const backfilled = { kind: 'lead.registered', at: of.lead.registeredAt, detail: 0, isBackfill: true } as const
  const happened = kind === 'registered before' ? backfilled : { kind, at: dueAt, detail }
  const isTold = isAskedFor || (isTrue(of, due, now) && !isBoughtBefore(of, happened))
  if (isPast(endpoint, due) || !isTold) return { due, events: [] }
  if (of.campaign.isDraft) return { due, events: [], isHeld: isToBeHeld(due, now) }
  const conversion = kind === 'lead.converted' ? await store.conversions.find(endpoint.accountId, detail) : undefined
  // The order no longer counts.
  if (typeof conversion?.reversedAt === 'number' && !isAskedFor) return { due, events: [] }
  return { due, events: [eventOf(planning, { ...of, conversion }, due, happened)] }
}

/** An event that is no longer true or wanted is not tried again. A backfill sends all registrations. */
function isTrue(of: Found, { kind, dueAt, detail }: Named, now: Seconds): boolean {
  if (kind === 'registered before') return true
  if (!of.watcher.kinds.includes(kind)) return false
  return !(kind in momentKinds) || stillTrue(of, dueAt, now).some((one) => one.kind === kind && one.detail === detail)
}

/** Due before the point from which the endpoint goes on, not of a backfill, and not asked for again since. */
const isPast = ({ fromAt }: Endpoint, { dueAt, kind, lastAt, isAskedFor }: Due) =>
  dueAt < fromAt && kind !== 'registered before' && !(isAskedFor && lastAt !== null && lastAt >= fromAt)

function eventOf(
  { store, endpoint, now }: Planning,
  of: Found & Pick<LeadTold, 'conversion'>,
  due: Due,
  what: Happened,
): Event {
  const { accountId, settings } = endpoint
  const { kind, at, detail } = what
  return {
    id: store.events.eventId(accountId, of.lead.id, kind, at, detail),
    campaignId: of.campaign.id,
    body: leadEvent(what, { ...of, settings, now }),
    // A backfill that fails is tried again as one.
    due: what.isBackfill ? due : { ...due, kind, dueAt: at, detail },
  }
}

function erased({ store, endpoint, now }: Planning, due: Due): Planned {
  const { dueAt, leadId, detail, isAskedFor } = due
  const { accountId, settings } = endpoint
  // Even if the endpoint goes on from a later point: somebody wants to be forgotten there too.
  if (!isAskedFor && !settings.kinds.includes('lead.erased')) return { due, events: [] }
  const id = store.events.eventId(accountId, leadId, 'lead.erased', dueAt, 0)
  const body = erasedEvent(store.events.refOf(accountId, leadId, detail), dueAt, now)
  return { due, events: [{ id, campaignId: 0, body, due }] }
}

/** Only if the campaign's date has not moved since. */
async function ended(planning: Planning, due: Due, campaignId: number): Promise<Planned> {
  const { store, endpoint, now } = planning
  const { dueAt, leadId, isAskedFor } = due
  const campaign = await campaignOf(planning, campaignId)
  if (campaign === undefined) return { due, events: [] }
  const kind = 'campaign.ended'
  const isWanted = watcherOf(endpoint.id, endpoint.settings, campaign.id)?.kinds.includes(kind)
  const isDue = isWanted && endOf(campaign.terms) === dueAt && !isPast(endpoint, due)
  if (!isDue && !isAskedFor) return { due, events: [] }
  if (campaign.isDraft) return { due, events: [], isHeld: isToBeHeld(due, now) }
  const id = store.events.eventId(endpoint.accountId, leadId, kind, dueAt, 0)
  const body = endedEvent(campaign, dueAt, now)
  return { due, events: [{ id, campaignId: campaign.id, body, due: { ...due, kind } }] }
}
