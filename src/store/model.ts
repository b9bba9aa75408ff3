// What is stored: accounts, keys, campaigns and leads, as the rest of Lastcall sees them.
import type { CampaignSettings } from '../core/campaign.ts'
import type { LeadNotice, Watcher } from '../core/events.ts'
import type { Seconds } from '../core/instant.ts'
import type { Attempt } from '../core/mechanism/attempt.ts'
import type { Rule } from '../core/mechanism/rule.ts'
import type { Terms } from '../core/mechanism/terms.ts'
import type { LeadEntry } from './audit.ts'

export type Account = {
  id: number
  name: string
  suspended: boolean
  countdownTools: boolean
  /** Requests a minute; null takes the service's own limit. */
  rateLimit: number | null
}

/** What a key may do besides the public API. */
export const scopes = ['events', 'conversions'] as const
export type Scope = (typeof scopes)[number]

export type Key = {
  id: string
  accountId: number
  name: string
  scopes: readonly Scope[]
  createdAt: Seconds
  /** The first use in the last minute of use; stored a few seconds later. */
  lastUsedAt: Seconds | null
  /** It stops working then: in the future for a key that was replaced with a time of grace. */
  revokedAt: Seconds | null
}

/** The properties of a new key. */
export type NewKey = Omit<Key, 'lastUsedAt' | 'revokedAt'> & { secretHash: Uint8Array }

export type KeyUse = { keyId: string; usedAt: Seconds }

/** A key that was not revoked, with what is needed to let a request in. */
export type LiveKey = {
  id: string
  secretHash: Uint8Array
  account: Account
  scopes: readonly Scope[]
  /** Past or to come; null if it was not replaced. */
  graceEndsAt: Seconds | null
}

export type Page = { id: number; pageUrl: string; proxyUrl: string | null; eligible: boolean }

export type Campaign = Omit<CampaignSettings, 'id' | 'timeZone' | 'mechanism' | 'pages'> & {
  id: number
  accountId: number
  timeZone: string
  /** Time zone and mechanism as the core takes them. */
  terms: Terms
  pages: Page[]
  /** The rule that an attempt beginning now freezes. */
  ruleId: number | null
  /** The version of the configuration when the campaign was read. */
  version: number
  /** Every rule with which an attempt of this campaign began. */
  rules: ReadonlyMap<number, Rule>
  /** Left out if it was not last changed in the panel. */
  changed?: CampaignChange
  /** The endpoints that listen to it. */
  watchers: readonly Watcher[]
}

/** A campaign of another account looks as if it did not exist. */
export type CampaignOf = { accountId: number; campaignId: number }

/** A campaign as a file that `campaign apply` takes. */
export type CampaignFile = ReturnType<typeof asFile>

export function asFile(campaign: Campaign) {
  const { id, name, isDraft, timeZone, language, terms, anonymous, conversion, onExpiry, pages, mailTimer } = campaign
  const { mechanism } = terms
  return { id, name, isDraft, timeZone, language, mechanism, anonymous, conversion, onExpiry, pages, mailTimer }
}

export type CampaignChange = { at: Seconds; userId: number }

/** Whether the stored campaign is the one that somebody means to replace. */
export type MayReplace = (standing: Campaign) => boolean

export type CampaignSummary = { id: number; name: string; typeId: number; isDraft: boolean; isArchived: boolean }

export type CampaignFilter = { limit: number; afterId: number; isDraft: boolean | null }

/** A campaign that is gone for everybody, with rows left to remove. */
export type DeletedCampaign = { accountId: number; id: number }
/** What one step of removing it leaves to the next: leads and orders behind these. */
export type Leftover = DeletedCampaign & { afterEmail?: string; afterOrder?: number }

export type Lead = {
  id: number
  /** 32 hexadecimal digits: the lead's name in links. */
  ref: string
  email: string
  registeredAt: Seconds
  ruleId: number | null
  attempt: Attempt
}

/** What identifies a lead to people. */
export type LeadName = { campaign: Campaign; email: string }

/** Leads whose email begins with `prefix` and comes after `afterEmail`; either may be empty. */
export type LeadFilter = { prefix: string; afterEmail: string; limit: number }

/** Where a lead stands in the order of deadlines. */
export type DeadlinePosition = { at: Seconds; opensAt: Seconds; id: number }

/** After this lead, or with null from the beginning. */
export type DeadlineFilter = { after: DeadlinePosition | null; isDescending: boolean; limit: number }

/** Leads with `part` anywhere in their email, in capital or small letters. */
export type PartFilter = { part: string; afterEmail: string; limit: number }

/** `read` were looked at; the next step begins after `afterEmail`, null if there is none. */
export type SearchStep = { leads: Lead[]; read: number; afterEmail: string | null }

/** What a ref names: a lead of this campaign, to be read with the campaign's rules. */
export type FoundLead = { id: number; campaignId: number; lead(campaign: Campaign): Promise<Lead> }

/** The write of a lead: a new one, or a changed attempt. */
export type Decision = Pick<Lead, 'registeredAt' | 'ruleId' | 'attempt'> & {
  notices?: readonly LeadNotice[]
  /** If somebody does it by hand. */
  entry?: LeadEntry
}

/** Why nothing is done. */
export type LeadRefusal = 'CAMPAIGN_NOT_FOUND' | 'CAMPAIGN_NOT_PUBLISHED' | 'LEAD_NOT_FOUND'

/** What a registration makes of the lead it finds; undefined leaves an existing lead unchanged. */
export type Decide = (campaign: Campaign, lead: Lead | undefined) => Decision | LeadRefusal | undefined

/** The lead before and after the decision; without a lead `before` it is a new one. */
export type LeadWrite = { campaign: Campaign; before: Lead | undefined; lead: Lead }
