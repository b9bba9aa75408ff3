// What the rest of Lastcall asks of a database. Each engine answers it in a folder of its own.
import type { CampaignSettings } from '../core/campaign.ts'
import type { Seconds } from '../core/instant.ts'
import type { Attempt, Rule } from '../core/mechanism/attempt.ts'
import type { Schedule } from '../core/mechanism/settings.ts'
import type { RateVerdict } from '../core/rate-window.ts'
import type { AccountCount, CampaignCount, Count, LeadCount } from './counts.ts'
import type { People } from './people.ts'

export type Account = {
  id: number
  name: string
  suspended: boolean
  countdownTools: boolean
  /** Requests a minute; null takes the service's own limit. */
  rateLimit: number | null
}

export type Key = {
  id: string
  accountId: number
  name: string
  createdAt: Seconds
  /** Of the first use in its minute; stored a few seconds after it. */
  lastUsedAt: Seconds | null
  /** From then on it does not work; an instant to come where it was replaced with a time of grace. */
  revokedAt: Seconds | null
}

/** What a key is made of; the rest comes with time. */
export type NewKey = Omit<Key, 'lastUsedAt' | 'revokedAt'> & { secretHash: Uint8Array }

export type KeyUse = { keyId: string; usedAt: Seconds }

/** A key that was not revoked, with what is needed to let a request in. */
export type LiveKey = {
  id: string
  secretHash: Uint8Array
  account: Account
  /** The end of its time of grace, past or to come; null where it was not replaced. */
  revokedAt: Seconds | null
}

export type Page = { id: number; pageUrl: string; proxyUrl: string | null; eligible: boolean }

export type Campaign = Omit<CampaignSettings, 'id' | 'timeZone' | 'mechanism' | 'pages'> & {
  id: number
  accountId: number
  timeZone: string
  /** Time zone and mechanism as the core takes them; one object for as long as the campaign is unchanged. */
  schedule: Schedule
  pages: Page[]
  /** The rule that an attempt beginning now freezes. */
  ruleId: number | null
  /** Of the configuration, when the campaign was read. */
  version: number
  /** Every rule that an attempt of this campaign was begun with. */
  rules: ReadonlyMap<number, Rule>
}

/** Whether the campaign that stands there is the one that somebody means to replace. */
export type MayReplace = (standing: Campaign) => boolean

export type CampaignSummary = { id: number; name: string; typeId: number; isDraft: boolean }

export type CampaignFilter = { limit: number; afterId: number; isDraft: boolean | null }

export type CampaignTotals = { published: number; drafts: number }

export type Lead = {
  id: number
  /** 32 hexadecimal digits: the lead's name in links. */
  ref: string
  email: string
  registeredAt: Seconds
  ruleId: number | null
  attempt: Attempt
}

/** Leads whose email begins with `prefix` and comes after `afterEmail`; either may be empty. */
export type LeadFilter = { prefix: string; afterEmail: string; limit: number }

/** What a ref names: a lead of this campaign, which its rules make whole. */
export type FoundLead = { campaignId: number; lead(campaign: Campaign): MaybePromise<Lead> }

/** What a registration makes of the lead it finds: a new one, a changed one, or (undefined) the same. */
export type Decision = {
  registeredAt: Seconds
  attempt: Attempt
  /** Of the attempt's rule, where it is taken over from somebody else and not the campaign's present one. */
  ruleId?: number | null
}
export type Decide = (lead: Lead | undefined) => Decision | undefined

export type LeadWrite = { lead: Lead; created: boolean }

/** The database does not answer, is locked by somebody else, or was taken away. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** A database that this program must not touch; the message is one line for the operator. */
export class UnusableDatabase extends Error {
  override name = 'UnusableDatabase'
}

/** A change that the stored data does not allow; the message says which, and what to do. */
export class Refused extends Error {
  override name = 'Refused'
}

/** What was to be replaced is no longer what somebody saw. */
export class ChangedMeanwhile extends Error {
  override name = 'ChangedMeanwhile'
}

/** Hot reads answer without a promise where the engine can: at thousands a second each promise shows. */
export type MaybePromise<T> = T | Promise<T>

/**
 * Since when (of `performance.now`) an asker has waited for the database, who waits no longer for the answer than if
 * it had been asked for then; by default since now.
 */
export type Since = number | undefined

type Counting<Verdict> = (accountId: number, limit: number, nowMs: number, since?: Since) => Verdict

/**
 * Counts one request of the account against `limit` requests in the fixed UTC minute (contract, "Rate"). In this
 * process it counts at `nowMs` (milliseconds) and answers at once; elsewhere it counts by the clock that all
 * nodes share, together with whatever else is asked in the same turn of the event loop.
 */
export type Rates =
  | { inProcess: true; count: Counting<RateVerdict> }
  | { inProcess: false; count: Counting<Promise<RateVerdict>>; countVisitor: VisitorCounting }

/**
 * Counts one request of a visitor, who is named by an address, in the same way. The address is kept nowhere: what
 * stands in the database for some minutes is made of it with a key.
 */
type VisitorCounting = (address: string, limit: number) => Promise<RateVerdict>

export type Store = {
  createAccount(name: string): Promise<Account>
  listAccounts(): Promise<Account[]>
  findAccount(accountId: number, since?: Since): Promise<Account | undefined>
  updateAccount(accountId: number, changes: Partial<Omit<Account, 'id'>>): Promise<Account | undefined>

  createKey(key: NewKey): Promise<void>
  listKeys(accountId: number): Promise<Key[]>
  findKey(keyId: string): Promise<Key | undefined>
  renameKey(keyId: string, name: string): Promise<Key | undefined>
  /** At once, also within a time of grace. Revoking again keeps the first instant. */
  revokeKey(keyId: string, revokedAt: Seconds): Promise<Key | undefined>
  /** Adds `next`, and lets the key work until `graceEndsAt`; false where it was revoked or replaced before. */
  replaceKey(keyId: string, graceEndsAt: Seconds, next: NewKey): Promise<boolean>
  /** Not a change that others have to hear of. One write for a key and minute, whoever reports it. */
  noteKeyUses(uses: readonly KeyUse[]): Promise<void>
  findLiveKey(keyId: string, since?: Since): Promise<LiveKey | undefined>

  /**
   * Makes the campaign, or with an id replaces that one whole, as one step with `mayReplace`.
   * @throws Refused, and ChangedMeanwhile where that says no
   */
  applyCampaign(accountId: number, settings: CampaignSettings, mayReplace?: MayReplace): Promise<Campaign>
  findCampaign(campaignId: number, since?: Since): Promise<Campaign | undefined>
  /** Ascending id, at most `limit`. */
  listCampaigns(accountId: number, filter: CampaignFilter, since?: Since): Promise<CampaignSummary[]>
  countCampaigns(accountId: number): Promise<CampaignTotals>
  /** Ids, the newest first, at most `limit`; drafts are not among them. */
  newestPublished(accountId: number, limit: number): Promise<number[]>
  deleteCampaign(campaignId: number): Promise<boolean>

  findLead(campaign: Campaign, email: string, since?: Since): MaybePromise<Lead | undefined>
  /** `ref` may be anything that somebody put into an address. */
  findLeadByRef(ref: string, since?: Since): MaybePromise<FoundLead | undefined>
  /**
   * Reads the lead, lets `decide` make of it what it will, and stores that, as one step that no other write
   * comes between. Resolves once the result is on disk; `stale` when the campaign has been changed since it
   * was read. `expectNew` says that the lead was just seen missing, which saves a read.
   */
  writeLead(
    campaign: Campaign,
    email: string,
    decide: Decide,
    expectNew?: boolean,
    since?: Since,
  ): Promise<LeadWrite | 'stale'>
  /** Ascending email, at most `limit`; visitors without an email are not among them. */
  listLeads(campaign: Campaign, filter: LeadFilter): Promise<Lead[]>
  /** Adds to the counts by day of what recipients did. */
  addCounts(counts: readonly Count[]): Promise<void>
  /** Ascending day, from `fromDay` (days since 1970-01-01) on. */
  readCounts(campaign: Campaign, fromDay: number): Promise<CampaignCount[]>
  /** What people did in all campaigns of the account, by day and kind, from `fromDay` on. */
  readAccountCounts(accountId: number, fromDay: number): Promise<AccountCount[]>
  readLeadCounts(campaign: Campaign, leadId: number): Promise<LeadCount[]>
  /** When the widget was last seen on each of its pages where it was. */
  readSightings(campaign: Campaign): Promise<Map<number, Seconds>>
  readTemplate(id: string): Promise<Uint8Array | undefined>
  writeTemplate(id: string, template: Uint8Array, madeAt: Seconds): Promise<void>
  /** Removes the lead and every trace of its address that the engine can reach. */
  eraseLead(campaign: Campaign, email: string): Promise<boolean>

  rates: Rates
  people: People

  /**
   * Sees to it that what others have changed is known, where the engine can tell at once; costs next to nothing
   * when called again in the same turn of the event loop. @throws StoreUnavailable
   */
  startTurn(): void
  /** Calls back after accounts, keys or campaigns were changed, by this process or another, within 0.5 s. */
  onChange(listener: () => void): void
  /** True while reads and writes reach the database that was opened. */
  isReady(): boolean
  /** A consistent copy in a new file. @throws Refused where the engine has no such thing */
  backup(file: string): Promise<void>
  close(): Promise<void>
}
