import type { Seconds } from './instant.ts'
import { formatInstant } from './instant.ts'

export const languages = ['en', 'pl'] as const
export type Language = (typeof languages)[number]

/** Allowed warnings (specification, 2.7). */
export const warnings = [
  'CAMPAIGN_NOT_PUBLISHED',
  'COUNTDOWN_TOOLS_UNAVAILABLE',
  'NO_OFFER_PAGES',
  'NO_MAIL_TIMER',
  'NO_DEADLINE',
] as const
export type Warning = (typeof warnings)[number]

export type OfferPage = { id: number; pageUrl: string; eligible: boolean }

/** What a campaign and its account say about links and timer. */
export type OfferSource = {
  id: number
  isDraft: boolean
  timeZone: string
  /** Ascending `id`. */
  pages: readonly OfferPage[]
  mailTimer: object | null
}

export type OfferLink = { pageId: number; pageUrl: string; url: string }

/** The lead offer of the specification, 2.5. */
export type LeadOffer = {
  campaignId: number
  email: string
  registeredAt: string
  deadline: string | null
  timeZone: string
  offerLinks: OfferLink[]
  mailTimerUrl: string | null
  warnings: Warning[]
}

export type LeadOfferFacts = {
  email: string
  ref: string
  registeredAt: Seconds
  deadline: Seconds | null
  language: Language
  countdownTools: boolean
  publicUrl: string
}

/** Composes the offer data of one lead (specification, 2.4 to 2.7; contract, "Links" and "Warnings"). */
export function leadOffer(campaign: OfferSource, facts: LeadOfferFacts): LeadOffer {
  const { ref, publicUrl } = facts
  const live = !campaign.isDraft && facts.countdownTools
  const offerLinks: OfferLink[] = []
  if (live) {
    for (const page of campaign.pages) {
      if (!page.eligible) continue
      offerLinks.push({ pageId: page.id, pageUrl: page.pageUrl, url: `${publicUrl}/go/${page.id}/${ref}` })
    }
  }
  const hasTimer = live && campaign.mailTimer !== null
  return {
    campaignId: campaign.id,
    email: facts.email,
    registeredAt: formatInstant(facts.registeredAt),
    deadline: facts.deadline === null ? null : formatInstant(facts.deadline),
    timeZone: campaign.timeZone,
    offerLinks,
    mailTimerUrl: hasTimer ? `${publicUrl}/timer/${facts.language}/${ref}.gif` : null,
    warnings: warningsOf(campaign, facts, offerLinks.length > 0, hasTimer),
  }
}

function warningsOf(
  campaign: OfferSource,
  facts: LeadOfferFacts,
  hasLinks: boolean,
  hasTimer: boolean,
): Warning[] {
  const found: Warning[] = []
  if (campaign.isDraft) found.push('CAMPAIGN_NOT_PUBLISHED')
  else if (!facts.countdownTools) found.push('COUNTDOWN_TOOLS_UNAVAILABLE')
  else {
    if (!hasLinks) found.push('NO_OFFER_PAGES')
    if (!hasTimer) found.push('NO_MAIL_TIMER')
  }
  if (facts.deadline === null) found.push('NO_DEADLINE')
  return found
}
