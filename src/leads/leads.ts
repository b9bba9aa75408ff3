// The standard logic of every channel: the public API, the widget's form, the panel, the command line.
import { randomInt } from 'node:crypto'
import type { ConfigCache } from '../campaigns/config-cache.ts'
import { noticesOf } from '../core/events.ts'
import { formatInstant, instantOrNull, type Seconds } from '../core/instant.ts'
import {
  type Attempt,
  begin,
  beginByVisit,
  type Offer,
  offerAt,
  registerAgain,
  setByHand,
  visit,
} from '../core/mechanism/attempt.ts'
import { isVisitorName } from '../core/visitor.ts'
import { type Actor, type AuditAction, counted, type LeadEntry } from '../store/audit.ts'
import type { Campaign, CampaignOf, Decide, Decision, Lead, LeadRefusal } from '../store/model.ts'
import type { Store } from '../store/store.ts'

/** Every call rejects with StoreUnavailable if the database does not answer. */
export type Leads = ReturnType<typeof buildLeads>

export const idsOf = ({ accountId, id }: Campaign): CampaignOf => ({ accountId, campaignId: id })

type NextDeadline = (offer: Offer) => Seconds | null

export type LeadView = { campaign: Campaign; lead: Lead; offer: Offer }
export type Registration = LeadView & { created: boolean }
type Outcome = Registration | LeadRefusal

/** What an event makes of a lead. If the attempt is the same object, nothing is written. */
type Change = {
  check(campaign: Campaign, lead: Lead | undefined): LeadRefusal | undefined
  attempt(campaign: Campaign, lead: Lead | undefined, now: Seconds): Attempt
  /** Most who register are new. */
  expectsNew?: true
  /** The visitor whose attempt a new lead takes over, with its rule. */
  visitor?: Lead | undefined
  /** False for visitors without an email: endpoints are not told of them, nor are they counted as people. */
  isTold?: boolean
  /** The entry in the audit log, if somebody does it by hand. */
  entry?(campaign: Campaign, lead: Lead | undefined, next: Attempt): LeadEntry
}

const needPublished = (campaign: Campaign) => (campaign.isDraft ? 'CAMPAIGN_NOT_PUBLISHED' : undefined)
const needLead = (_: Campaign, lead: Lead | undefined) => (lead === undefined ? 'LEAD_NOT_FOUND' : undefined)

const registering: Change = {
  expectsNew: true,
  check: needPublished,
  attempt: ({ terms }, lead, now) => (lead === undefined ? begin(terms, now) : registerAgain(terms, lead.attempt, now)),
}

const visiting: Change = {
  check: (campaign, lead) => needPublished(campaign) ?? needLead(campaign, lead),
  attempt: ({ terms }, lead, now) => visit(terms, (lead as Lead).attempt, now),
}

const visitingWithoutEmail: Change = {
  check: needPublished,
  attempt: ({ terms }, lead, now) => lead?.attempt ?? beginByVisit(terms, now),
  isTold: false,
}

const adding = (by: Actor): Change => ({
  ...registering,
  entry(campaign, lead, next) {
    if (lead === undefined) return { by, change: counted(campaign, 'leads.added') }
    const { terms } = campaign
    const shown = (attempt: Attempt) => ({ deadline: instantOrNull(offerAt(terms, attempt, by.at).deadline) })
    return leadEntry(by, 'lead.added_again', campaign, lead, next, shown)
  },
})

const importing = (by: Actor): Change => ({
  check: () => undefined,
  attempt: ({ terms }, lead, now) => lead?.attempt ?? begin(terms, now),
  entry: (campaign) => ({ by, change: counted(campaign, 'leads.imported') }),
})

const settingDeadline = (deadlineAt: Seconds | null, by: Actor): Change => ({
  check: needLead,
  attempt: ({ terms }, lead, now) => setByHand(terms, (lead as Lead).attempt, deadlineAt, now),
  entry(campaign, lead, next) {
    const shown = ({ byHand }: Attempt) => ({ deadlineByHand: byHand && formatInstant(byHand.deadlineAt) })
    return leadEntry(by, 'lead.deadline_set', campaign, lead as Lead, next, shown)
  },
})

const movingDeadline = (next: NextDeadline, by: Actor): Change => ({
  ...settingDeadline(null, by),
  attempt: ({ terms }, lead, now) => {
    const { attempt } = lead as Lead
    const deadlineAt = next(offerAt(terms, attempt, now))
    return deadlineAt === null ? attempt : setByHand(terms, attempt, deadlineAt, now)
  },
})

/** With what is `shown` of the lead's attempt, before and after. */
function leadEntry(
  by: Actor,
  action: AuditAction,
  { accountId, id: campaignId, name }: Campaign,
  { id, attempt }: Lead,
  next: Attempt,
  shown: (attempt: Attempt) => object,
): LeadEntry {
  const subject = { kind: 'lead', id, name } as const
  const values = { before: { campaignId, ...shown(attempt) }, after: { campaignId, ...shown(next) } }
  return { by, change: { accountId, action, subject, ...values } }
}

/** A new lead takes over the attempt that the visitor began before. */
const registeringVisitor = (visitor: Lead): Change => ({
  check: needPublished,
  attempt: (campaign, lead, now) => (lead === undefined ? visitor.attempt : registering.attempt(campaign, lead, now)),
  visitor,
})

/** A lead that is new, has started for the first time, or both. */
export type LeadStep = { registeredAt: Seconds; isNew: boolean; hasStarted: boolean }

/** `onStep` gets every lead with an email that is new or has started, once that is on disk. */
export function buildLeads(
  store: Pick<Store, 'leads'>,
  configCache: ConfigCache,
  onStep: (campaign: Campaign, step: LeadStep) => void,
) {
  /** What is answered is on disk. */
  async function apply(of: CampaignOf, email: string, now: Seconds, change: Change): Promise<Outcome> {
    const known = await configCache.campaign(of.campaignId)
    if (known?.accountId !== of.accountId) return 'CAMPAIGN_NOT_FOUND'
    const written = await store.leads.write(known, email, decider(change, now), change.expectsNew ?? false)
    if (typeof written === 'string') return written
    const { campaign, before, lead } = written
    const isNew = before === undefined
    // A later attempt keeps the rule of the one before, and is not a first start.
    const hadStarted = before !== undefined && (before.attempt.anchorAt ?? before.attempt.rule) !== null
    const hasStarted = lead.attempt.anchorAt !== null && !hadStarted
    if ((isNew || hasStarted) && change.isTold !== false)
      onStep(campaign, { registeredAt: lead.registeredAt, isNew, hasStarted })
    return { ...view(campaign, lead, now), created: isNew }
  }

  return {
    /** Registers an email in a published campaign; resolves once that is on disk. The email must be valid. */
    register: (of: CampaignOf, email: string, now: Seconds) => apply(of, email, now, registering),
    /**
     * The same for the email of a visitor, who may have begun an attempt without it: a new lead takes that over
     * (mechanism.md, "Anonymous visitors").
     */
    registerVisitor: (of: CampaignOf, email: string, visitor: Lead | undefined, now: Seconds) =>
      apply(of, email, now, visitor === undefined ? registering : registeringVisitor(visitor)),
    /** The lead has seen the page. */
    visit: (of: CampaignOf, email: string, now: Seconds) => apply(of, email, now, visiting),
    /** A visitor without an email has seen the page; `name` is what they are kept under. */
    visitWithoutEmail: (of: CampaignOf, name: string, now: Seconds) => apply(of, name, now, visitingWithoutEmail),
    /** As `register`, for somebody who does it by hand: what changes has an entry in the audit log. */
    add: (of: CampaignOf, email: string, by: Actor) => apply(of, email, by.at, adding(by)),
    /** Registers the email unless it is registered already, also in a draft. All of an import have the same `by`. */
    importLead: (of: CampaignOf, email: string, now: Seconds, by: Actor) => apply(of, email, now, importing(by)),
    /** Sets the lead's deadline by hand, or with null clears it. */
    setDeadline: (of: CampaignOf, email: string, deadlineAt: Seconds | null, by: Actor) =>
      apply(of, email, by.at, settingDeadline(deadlineAt, by)),
    /** Sets it to what `next` makes of the offer as it then is; null changes nothing. */
    moveDeadline: (of: CampaignOf, email: string, next: NextDeadline, by: Actor) =>
      apply(of, email, by.at, movingDeadline(next, by)),
    /** Reads a lead's offer; writes nothing. */
    async lookUp({ accountId, campaignId }: CampaignOf, email: string, now: Seconds): Promise<LeadView | LeadRefusal> {
      const campaign = await configCache.campaign(campaignId)
      if (campaign?.accountId !== accountId) return 'CAMPAIGN_NOT_FOUND'
      const lead = await store.leads.find(campaign, email)
      return lead === undefined ? 'LEAD_NOT_FOUND' : view(await configCache.campaignFor(lead, campaign), lead, now)
    },
  }
}

/** Tells changes of one lead in the same second apart. Random, since leads do not count their changes. */
export const ownNumber = (): number => randomInt(2 ** 40)

/** May be called several times: without a lead where it is expected to be new, then with the present one. */
function decider({ check, attempt, visitor, isTold = true, entry }: Change, now: Seconds): Decide {
  return (campaign, lead) => {
    const refusal = check(campaign, lead)
    if (refusal !== undefined) return refusal
    const next = attempt(campaign, lead, now)
    if (next === lead?.attempt) return undefined
    const before = lead ?? visitor
    const ruleId = next.rule && (next.rule === before?.attempt.rule ? before.ruleId : campaign.ruleId)
    const decision: Decision = { registeredAt: lead?.registeredAt ?? now, ruleId, attempt: next }
    if (entry !== undefined) decision.entry = entry(campaign, lead, next)
    if (isTold && campaign.watchers.length > 0)
      decision.notices = noticesOf(campaign, lead?.attempt, next, now, ownNumber())
    return decision
  }
}

/** The lead of this campaign that a ref names; never a visitor without an email. @throws StoreUnavailable */
export async function leadByRef(
  { leads }: Pick<Store, 'leads'>,
  campaign: Campaign,
  ref: string | undefined,
): Promise<Lead | undefined> {
  const found = ref === undefined ? undefined : await leads.findByRef(ref)
  if (found?.campaignId !== campaign.id) return undefined
  const lead = await found.lead(campaign)
  return isVisitorName(lead.email) ? undefined : lead
}

export function view(campaign: Campaign, lead: Lead, now: Seconds): LeadView {
  return { campaign, lead, offer: offerAt(campaign.terms, lead.attempt, now) }
}
