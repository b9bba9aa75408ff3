// The standard logic of every channel: the public API, the widget's form, the panel, the command line.
import type { Seconds } from './core/instant.ts'
import {
  type Attempt,
  begin,
  beginByVisit,
  type Offer,
  offerAt,
  registerAgain,
  setByHand,
  visit,
} from './core/mechanism/attempt.ts'
import type { Schedule } from './core/mechanism/settings.ts'
import { isVisitorName } from './core/visitor.ts'
import type { Directory } from './directory.ts'
import type { Campaign, Decide, Lead, MaybePromise, Since, Store } from './store/store.ts'
import { StoreUnavailable } from './store/store.ts'

export type Leads = {
  /**
   * Registers an email in a published campaign; answered once that is on disk. The email is taken as it is
   * and must be valid. Where `mayWrite` comes to false, nothing is written. @throws StoreUnavailable
   */
  register(
    of: CampaignOf,
    email: string,
    now: Seconds,
    mayWrite?: Promise<boolean>,
  ): MaybePromise<Registration | LeadFailure>
  /**
   * The same for an email that a visitor gave, who may have begun an attempt without one: a lead that is new takes
   * that over (mechanism.md, "Anonymous visitors").
   */
  registerVisitor(
    of: CampaignOf,
    email: string,
    visitor: Lead | undefined,
    now: Seconds,
  ): MaybePromise<Registration | LeadFailure>
  /** The lead has seen the page. @throws StoreUnavailable */
  visit(of: CampaignOf, email: string, now: Seconds): MaybePromise<LeadView | LeadFailure>
  /** Somebody without an email has; `name` is what they are kept under. @throws StoreUnavailable */
  visitWithoutEmail(of: CampaignOf, name: string, now: Seconds): MaybePromise<LeadView | LeadFailure>
  /** Reads a lead's offer; writes nothing. @throws StoreUnavailable */
  lookUp(of: CampaignOf, email: string, now: Seconds): MaybePromise<LeadView | LeadFailure>
  /** Sets the lead's deadline by hand, or with null clears that. @throws StoreUnavailable */
  setDeadline(
    of: CampaignOf,
    email: string,
    deadlineAt: Seconds | null,
    now: Seconds,
  ): MaybePromise<LeadView | LeadFailure>
  /** Registers the email unless it is registered already, also in a draft. @throws StoreUnavailable */
  importLead(of: CampaignOf, email: string, now: Seconds): MaybePromise<Registration | LeadFailure>
}

/** A campaign of another account looks as if it did not exist. `since`: when its asker began to wait. */
export type CampaignOf = { accountId: number; campaignId: number; since?: Since | undefined }

export type LeadView = { campaign: Campaign; lead: Lead; offer: Offer }
export type Registration = LeadView & { created: boolean }
export type LeadFailure = 'CAMPAIGN_NOT_FOUND' | 'CAMPAIGN_NOT_PUBLISHED' | 'LEAD_NOT_FOUND' | 'RATE_LIMITED'

type Written = MaybePromise<Registration | LeadFailure>

/** What an event makes of a lead. The same attempt again means that nothing is to be written. */
type Change = {
  check(campaign: Campaign, lead: Lead | undefined): LeadFailure | undefined
  attempt(campaign: Campaign, lead: Lead | undefined, now: Seconds): Attempt
  mayWrite?: Promise<boolean> | undefined
  /** Whose attempt a new lead takes over, with its rule. */
  visitor?: Lead | undefined
}

const registering: Change = {
  check: (campaign) => (campaign.isDraft ? 'CAMPAIGN_NOT_PUBLISHED' : undefined),
  attempt: ({ schedule }, lead, now) =>
    lead === undefined ? beginAlike(schedule, now) : registerAgain(schedule, lead.attempt, now),
}

const visiting: Change = {
  check: (campaign, lead) => {
    if (campaign.isDraft) return 'CAMPAIGN_NOT_PUBLISHED'
    return lead === undefined ? 'LEAD_NOT_FOUND' : undefined
  },
  attempt({ schedule }, lead, now) {
    if (lead === undefined) throw new Error('the lead was erased meanwhile')
    return visit(schedule, lead.attempt, now)
  },
}

const visitingWithoutEmail: Change = {
  check: registering.check,
  attempt: ({ schedule }, lead, now) => lead?.attempt ?? beginByVisit(schedule, now),
}

const importing: Change = {
  check: () => undefined,
  attempt: ({ schedule }, lead, now) => lead?.attempt ?? beginAlike(schedule, now),
}

const lastBegun = new WeakMap<Schedule, { at: Seconds; attempt: Attempt }>()

/** The very same attempt for all that begin in one second: an attempt never changes. */
function beginAlike(schedule: Schedule, now: Seconds): Attempt {
  const last = lastBegun.get(schedule)
  if (last?.at === now) return last.attempt
  const attempt = begin(schedule, now)
  lastBegun.set(schedule, { at: now, attempt })
  return attempt
}

/** Looking again at a campaign that changes under every attempt to write has to end somewhere. */
const maxStaleReads = 20

/** `onNew` is told of every lead that was not there before, once it is on disk. */
export function buildLeads(
  store: Store,
  directory: Directory,
  onNew: (campaign: Campaign, now: Seconds) => void,
): Leads {
  function lookUp(
    campaign: Campaign | undefined,
    { accountId, since }: CampaignOf,
    email: string,
    now: Seconds,
  ): MaybePromise<LeadView | LeadFailure> {
    if (campaign?.accountId !== accountId) return 'CAMPAIGN_NOT_FOUND'
    const lead = store.findLead(campaign, email, since)
    const seen = (found: Lead | undefined) =>
      found === undefined ? 'LEAD_NOT_FOUND' : view(campaign, found, now)
    return lead instanceof Promise ? lead.then(seen) : seen(lead)
  }

  /** Decides on the lead as it is, and again on the new settings where the campaign changed meanwhile. */
  function write(of: CampaignOf, email: string, now: Seconds, change: Change, reads = 0): Written {
    const campaign = directory.campaign(of.campaignId, of.since)
    return campaign instanceof Promise
      ? campaign.then((read) => writeIn(read, of, email, now, change, reads))
      : writeIn(campaign, of, email, now, change, reads)
  }

  function writeIn(
    campaign: Campaign | undefined,
    of: CampaignOf,
    email: string,
    now: Seconds,
    change: Change,
    reads: number,
  ): Written {
    if (campaign?.accountId !== of.accountId) return 'CAMPAIGN_NOT_FOUND'
    const decide: Decide = (current) => {
      const attempt = change.attempt(campaign, current, now)
      if (attempt === current?.attempt) return undefined
      const { visitor } = change
      const takesOver = current === undefined && visitor !== undefined
      return {
        registeredAt: current?.registeredAt ?? now,
        attempt,
        ...(takesOver && { ruleId: visitor.ruleId }),
      }
    }
    const decided = (lead: Lead | undefined): Written => {
      const failure = change.check(campaign, lead)
      if (failure !== undefined) return failure
      // What changes nothing needs no transaction: what was read is on disk.
      if (lead !== undefined && decide(lead) === undefined) {
        return { ...view(campaign, lead, now), created: false }
      }
      const isNew = lead === undefined
      const { mayWrite } = change
      const writing =
        mayWrite === undefined
          ? store.writeLead(campaign, email, decide, isNew, since)
          : mayWrite.then((may) => (may ? store.writeLead(campaign, email, decide, isNew, since) : undefined))
      return writing.then((written) => {
        if (written === undefined) return 'RATE_LIMITED'
        if (written !== 'stale') {
          if (written.created && !isVisitorName(email)) onNew(campaign, now)
          return { ...view(campaign, written.lead, now), created: written.created }
        }
        directory.forget()
        if (reads + 1 >= maxStaleReads) throw new StoreUnavailable('the campaign kept changing')
        return write(of, email, now, change, reads + 1)
      })
    }
    const since = of.since ?? performance.now()
    const lead = store.findLead(campaign, email, since)
    return lead instanceof Promise ? lead.then(decided) : decided(lead)
  }

  return {
    register: (of, email, now, mayWrite) =>
      write(of, email, now, mayWrite === undefined ? registering : { ...registering, mayWrite }),
    registerVisitor: (of, email, visitor, now) =>
      write(of, email, now, {
        ...registering,
        visitor,
        attempt: (campaign, lead, at) =>
          lead === undefined && visitor !== undefined
            ? visitor.attempt
            : registering.attempt(campaign, lead, at),
      }),
    visit: (of, email, now) => write(of, email, now, visiting),
    visitWithoutEmail: (of, name, now) => write(of, name, now, visitingWithoutEmail),
    importLead: (of, email, now) => write(of, email, now, importing),
    setDeadline: (of, email, deadlineAt, now) =>
      write(of, email, now, {
        check: (_campaign, lead) => (lead === undefined ? 'LEAD_NOT_FOUND' : undefined),
        attempt(_campaign, lead) {
          if (lead === undefined) throw new Error('the lead was erased meanwhile')
          return setByHand(lead.attempt, deadlineAt, now)
        },
      }),

    lookUp(of, email, now) {
      const campaign = directory.campaign(of.campaignId, of.since)
      return campaign instanceof Promise
        ? campaign.then((read) => lookUp(read, of, email, now))
        : lookUp(campaign, of, email, now)
    },
  }
}

export function view(campaign: Campaign, lead: Lead, now: Seconds): LeadView {
  return { campaign, lead, offer: offerAt(campaign.schedule, lead.attempt, now) }
}
