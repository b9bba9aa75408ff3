// The standard logic of every channel: the public API, the widget's form, the panel, the command line.
import type { Seconds } from './core/instant.ts'
import {
  type Attempt,
  begin,
  type Offer,
  offerAt,
  registerAgain,
  setByHand,
} from './core/mechanism/attempt.ts'
import type { Directory } from './directory.ts'
import type { Campaign, Decide, Lead, LeadWrite, MaybePromise, Store } from './store/store.ts'
import { StoreUnavailable } from './store/store.ts'

export type Leads = {
  /**
   * Registers an email in a published campaign; resolves once that is on disk. The email is taken as it is
   * and must be valid. @throws StoreUnavailable
   */
  register(of: CampaignOf, email: string, now: Seconds): Promise<Registration | LeadFailure>
  /** Reads a lead's offer; writes nothing. @throws StoreUnavailable */
  lookUp(of: CampaignOf, email: string, now: Seconds): MaybePromise<LeadView | LeadFailure>
  /** Sets the lead's deadline by hand, or with null clears that. @throws StoreUnavailable */
  setDeadline(
    of: CampaignOf,
    email: string,
    deadlineAt: Seconds | null,
    now: Seconds,
  ): Promise<LeadView | LeadFailure>
  /** Registers the email unless it is registered already, also in a draft. @throws StoreUnavailable */
  importLead(of: CampaignOf, email: string, now: Seconds): Promise<Registration | LeadFailure>
}

/** A campaign of another account looks as if it did not exist. */
export type CampaignOf = { accountId: number; campaignId: number }

export type LeadView = { campaign: Campaign; lead: Lead; offer: Offer }
export type Registration = LeadView & { created: boolean }
export type LeadFailure = 'CAMPAIGN_NOT_FOUND' | 'CAMPAIGN_NOT_PUBLISHED' | 'LEAD_NOT_FOUND'

/** Looking again at a campaign that changes under every attempt to write has to end somewhere. */
const maxStaleReads = 20

export function buildLeads(store: Store, directory: Directory): Leads {
  function lookUp(
    campaign: Campaign | undefined,
    { accountId }: CampaignOf,
    email: string,
    now: Seconds,
  ): MaybePromise<LeadView | LeadFailure> {
    if (campaign?.accountId !== accountId) return 'CAMPAIGN_NOT_FOUND'
    const lead = store.findLead(campaign, email)
    const seen = (found: Lead | undefined) =>
      found === undefined ? 'LEAD_NOT_FOUND' : view(campaign, found, now)
    return lead instanceof Promise ? lead.then(seen) : seen(lead)
  }

  /** Decides on the lead as it is, and again on the new settings where the campaign changed meanwhile. */
  async function write(
    of: CampaignOf,
    email: string,
    check: (campaign: Campaign, lead: Lead | undefined) => LeadFailure | undefined,
    change: (campaign: Campaign, lead: Lead | undefined) => Attempt,
    now: Seconds,
  ): Promise<{ campaign: Campaign; written: LeadWrite } | LeadFailure> {
    for (let reads = 0; reads < maxStaleReads; reads += 1) {
      const read = directory.campaign(of.campaignId)
      const campaign = read instanceof Promise ? await read : read
      if (campaign?.accountId !== of.accountId) return 'CAMPAIGN_NOT_FOUND'
      const found = store.findLead(campaign, email)
      const lead = found instanceof Promise ? await found : found
      const failure = check(campaign, lead)
      if (failure !== undefined) return failure
      const decide: Decide = (current) => {
        const attempt = change(campaign, current)
        if (attempt === current?.attempt) return undefined
        return { registeredAt: current?.registeredAt ?? now, attempt }
      }
      // What changes nothing needs no transaction: what was read is on disk.
      if (lead !== undefined && decide(lead) === undefined) {
        return { campaign, written: { lead, created: false } }
      }
      const written = await store.writeLead(campaign, email, decide, lead === undefined)
      if (written !== 'stale') return { campaign, written }
      directory.forget()
    }
    throw new StoreUnavailable('the campaign kept changing')
  }

  async function registration(
    of: CampaignOf,
    email: string,
    check: (campaign: Campaign) => LeadFailure | undefined,
    again: (campaign: Campaign, attempt: Attempt) => Attempt,
    now: Seconds,
  ): Promise<Registration | LeadFailure> {
    const change = (campaign: Campaign, lead: Lead | undefined) =>
      lead === undefined ? begin(campaign.schedule, now) : again(campaign, lead.attempt)
    const result = await write(of, email, check, change, now)
    if (typeof result === 'string') return result
    const { campaign, written } = result
    return { ...view(campaign, written.lead, now), created: written.created }
  }

  return {
    register: (of, email, now) =>
      registration(
        of,
        email,
        (campaign) => (campaign.isDraft ? 'CAMPAIGN_NOT_PUBLISHED' : undefined),
        (campaign, attempt) => registerAgain(campaign.schedule, attempt, now),
        now,
      ),

    importLead: (of, email, now) =>
      registration(
        of,
        email,
        () => undefined,
        (_campaign, attempt) => attempt,
        now,
      ),

    lookUp(of, email, now) {
      const campaign = directory.campaign(of.campaignId)
      return campaign instanceof Promise
        ? campaign.then((read) => lookUp(read, of, email, now))
        : lookUp(campaign, of, email, now)
    },

    async setDeadline(of, email, deadlineAt, now) {
      const result = await write(
        of,
        email,
        (_campaign, lead) => (lead === undefined ? 'LEAD_NOT_FOUND' : undefined),
        (_campaign, lead) => {
          if (lead === undefined) throw new Error('the lead was erased meanwhile')
          return setByHand(lead.attempt, deadlineAt, now)
        },
        now,
      )
      return typeof result === 'string' ? result : view(result.campaign, result.written.lead, now)
    },
  }
}

export function view(campaign: Campaign, lead: Lead, now: Seconds): LeadView {
  return { campaign, lead, offer: offerAt(campaign.schedule, lead.attempt, now) }
}
