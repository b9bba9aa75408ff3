// For recipients: which offer a link, an image or the widget shows, and what a visit does.
import type { ConfigCache } from '../campaigns/config-cache.ts'
import type { Seconds } from '../core/instant.ts'
import { visit as afterVisit, nextCycleAt, type Offer, offerAt } from '../core/mechanism/attempt.ts'
import { visitorName } from '../core/visitor.ts'
import type { Account, Campaign, Lead } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { idsOf, type Leads, type LeadView, leadByRef, view } from './leads.ts'

/** The visitor as the widget knows them: the ref of a lead, and the browser's own id. */
type Visitor = { lc?: string | undefined; client?: string | undefined }

/** A lead with its campaign and account; the campaign may be a draft, the account suspended. */
export type Found = { campaign: Campaign; account: Account; lead: Lead }

export type Shown = {
  campaign: Campaign
  /** Undefined if there is nothing to show or to hide. */
  offer: Offer | undefined
  /** When the offer comes again by itself, if that is known. */
  nextAt: Seconds | null
  leadId: number | null
  /** Whether `lc` is a lead of the campaign. */
  isKnown: boolean
}

/** A visit to the page. `mayBegin` is asked before a visitor without an email begins an attempt. */
type Visit = { mayBegin(): boolean }

/** Every call rejects with StoreUnavailable if the database does not answer. */
export type Visitors = ReturnType<typeof buildVisitors>

/** `lc` only if this call made the lead: knowing an email must not show somebody else's offer. */
type FormAnswer = { shown: Shown; lc: string | null } | 'CAMPAIGN_NOT_PUBLISHED'

type Parts = { store: Pick<Store, 'leads'>; configCache: ConfigCache; leads: Leads }

export function buildVisitors(store: Pick<Store, 'leads'>, configCache: ConfigCache, leads: Leads) {
  const parts = { store, configCache, leads }
  return {
    /** The lead that a ref names. */
    async find(ref: string): Promise<Found | undefined> {
      const found = await store.leads.findByRef(ref)
      if (found === undefined) return undefined
      const campaign = await configCache.campaign(found.campaignId)
      if (campaign === undefined) return undefined
      const account = await configCache.account(campaign.accountId)
      if (account === undefined) return undefined
      const lead = await found.lead(campaign)
      return { account, lead, campaign: await configCache.campaignFor(lead, campaign) }
    },
    campaign: (campaignId: number) => openCampaign(parts, campaignId),
    /** The lead that the ref names, if it has an email and belongs to the campaign. */
    async leadIn(campaign: Campaign, ref: string | undefined) {
      const lead = await leadByRef(store, campaign, ref)
      return lead && { lead, campaign: await configCache.campaignFor(lead, campaign) }
    },
    /** The visitor's offer; without a visit it is only read. */
    async offer(campaignId: number, visitor: Visitor, visit: Visit | null, now: Seconds) {
      const campaign = await openCampaign(parts, campaignId)
      return campaign && offerIn(parts, campaign, visitor, visit, now)
    },
    /** Registers an email that a visitor gave, who may have an attempt already. */
    async register(campaignId: number, visitor: Visitor, email: string, now: Seconds): Promise<FormAnswer> {
      const campaign = await openCampaign(parts, campaignId)
      if (campaign === undefined) return 'CAMPAIGN_NOT_PUBLISHED'
      const own = await anonymous(parts, campaign, visitor.client, null, now)
      const registered = await leads.registerVisitor(idsOf(campaign), email, own?.lead, now)
      if (typeof registered === 'string') return 'CAMPAIGN_NOT_PUBLISHED'
      // If the email is a lead already, the sender sees only what they would see without giving it.
      if (!registered.created) return { shown: await offerIn(parts, campaign, visitor, null, now), lc: null }
      return { shown: shownTo(registered, now), lc: registered.lead.ref }
    },
  }
}

/** The campaign, if recipients may see anything of it. */
async function openCampaign({ configCache }: Parts, campaignId: number): Promise<Campaign | undefined> {
  const campaign = await configCache.campaign(campaignId)
  const account = campaign && (await configCache.account(campaign.accountId))
  const isOpen = account !== undefined && !account.suspended && account.countdownTools
  return isOpen && !campaign?.isDraft ? campaign : undefined
}

async function offerIn(
  parts: Parts,
  campaign: Campaign,
  { lc, client }: Visitor,
  visit: Visit | null,
  now: Seconds,
): Promise<Shown> {
  const lead = await leadByRef(parts.store, campaign, lc)
  if (lead !== undefined) {
    const visited = visit ? await parts.leads.visit(idsOf(campaign), lead.email, now) : undefined
    const fitting = await parts.configCache.campaignFor(lead, campaign)
    return shownTo(typeof visited === 'object' ? visited : view(fitting, lead, now), now)
  }
  const own = await anonymous(parts, campaign, client, visit, now)
  // A visitor who has not been here would begin now: the page may show that.
  const mayBegin = client !== undefined && campaign.anonymous.enabled
  const offer = own?.offer ?? (mayBegin ? pendingOffer : undefined)
  const nextAt = own === undefined ? null : nextCycleAt(campaign.terms, own.lead.attempt, now)
  return { campaign, offer, nextAt, leadId: null, isKnown: false }
}

/** What a lead with an email is shown. */
function shownTo({ campaign, lead, offer }: LeadView, now: Seconds): Shown {
  const nextAt = nextCycleAt(campaign.terms, lead.attempt, now)
  return { campaign, offer, nextAt, leadId: lead.id, isKnown: true }
}

/** The attempt of a browser without an email. */
async function anonymous(
  { leads }: Parts,
  campaign: Campaign,
  client: string | undefined,
  visit: Visit | null,
  now: Seconds,
): Promise<LeadView | undefined> {
  if (client === undefined || !campaign.anonymous.enabled) return undefined
  const name = visitorName(client)
  let view = await leads.lookUp(idsOf(campaign), name, now)
  if (view === 'LEAD_NOT_FOUND' && visit?.mayBegin()) {
    view = await leads.visitWithoutEmail(idsOf(campaign), name, now)
  }
  return typeof view === 'string' ? undefined : view
}

const pendingOffer: Offer = { state: 'pending', opensAt: null, deadline: null, attempt: 1, cycle: 1 }

/** The offer after a visit at `now`, if it waits for one. */
export function offerIfVisited({ terms }: Campaign, { attempt }: Lead, offer: Offer, now: Seconds): Offer {
  return offer.state === 'pending' ? offerAt(terms, afterVisit(terms, attempt, now), now) : offer
}
