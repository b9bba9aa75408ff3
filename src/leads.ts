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
import type { Campaign, Decide, Lead, LeadWrite, Store } from './store/store.ts'

export type Leads = {
  /**
   * Registers an email in a published campaign; resolves once that is on disk. The email is taken as it is
   * and must be valid. @throws StoreUnavailable
   */
  register(of: CampaignOf, email: string, now: Seconds): Promise<Registration | LeadFailure>
  /** Reads a lead's offer; writes nothing. @throws StoreUnavailable */
  lookUp(of: CampaignOf, email: string, now: Seconds): Promise<LeadView | LeadFailure>
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

export type CampaignOf = { accountId: number; campaignId: number }

export type LeadView = { campaign: Campaign; lead: Lead; offer: Offer }
export type Registration = LeadView & { created: boolean }
export type LeadFailure = 'CAMPAIGN_NOT_FOUND' | 'CAMPAIGN_NOT_PUBLISHED' | 'LEAD_NOT_FOUND'

/** Looking again at a campaign that changes under every attempt to write has to end somewhere. */
const maxStaleReads = 20

export function buildLeads(store: Store, directory: Directory): Leads {
  /** A campaign of another account looks as if it did not exist. */
  async function campaignOf({ accountId, campaignId }: CampaignOf): Promise<Campaign | undefined> {
    const found = directory.campaign(campaignId)
    const campaign = found instanceof Promise ? await found : found
    return campaign?.accountId === accountId ? campaign : undefined
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
      const campaign = await campaignOf(of)
      if (campaign === undefined) return 'CAMPAIGN_NOT_FOUND'
      const lead = await store.findLead(campaign, email)
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
    throw new Error('the campaign kept changing')
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

    async lookUp(of, email, now) {
      const campaign = await campaignOf(of)
      if (campaign === undefined) return 'CAMPAIGN_NOT_FOUND'
      const lead = await store.findLead(campaign, email)
      return lead === undefined ? 'LEAD_NOT_FOUND' : view(campaign, lead, now)
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
