import { formatInstant, instantOrNull, type Seconds } from './instant.ts'
import type { MailLanguage } from './mail-language.ts'

export const languages = ['en', 'pl'] as const
export type Language = (typeof languages)[number]

/** Of a ref, the public name of a lead: 128 bits in hexadecimal. */
export const refPattern = '^[0-9a-f]{32}$'

/** Allowed warnings (specification, 2.7). */
export const warnings = [
  'CAMPAIGN_NOT_PUBLISHED',
  'COUNTDOWN_TOOLS_UNAVAILABLE',
  'NO_OFFER_PAGES',
  'NO_MAIL_TIMER',
  'NO_DEADLINE',
] as const
export type Warning = (typeof warnings)[number]

type OfferPage = { id: number; pageUrl: string; eligible: boolean }

/** The settings of a campaign and its account for links and timer. */
type OfferSource = {
  id: number
  isDraft: boolean
  timeZone: string
  /** Ascending `id`. */
  pages: readonly OfferPage[]
  mailTimer: object | null
}

type LeadOfferFacts = {
  email: string
  ref: string
  registeredAt: Seconds
  deadline: Seconds | null
  language: MailLanguage
}

/** Where links point to, without a slash at the end. */
export type Site = { publicUrl: string }

/** `countdownTools`: whether the account has links and timers at all. */
export type OfferTools = Site & { countdownTools: boolean }

export type LeadOffer = ReturnType<typeof leadOffer>

/** A lead's offer as the API gives it (specification, 2.4 to 2.7; contract, "Links"). */
export function leadOffer(campaign: OfferSource, facts: LeadOfferFacts, tools: OfferTools) {
  const { email, ref, registeredAt, deadline, language } = facts
  const { publicUrl } = tools
  const isLive = !campaign.isDraft && tools.countdownTools
  const pages = isLive ? campaign.pages.filter((page) => page.eligible) : []
  const hasTimer = isLive && campaign.mailTimer !== null
  return {
    campaignId: campaign.id,
    email,
    registeredAt: formatInstant(registeredAt),
    deadline: instantOrNull(deadline),
    timeZone: campaign.timeZone,
    offerLinks: pages.map(({ id, pageUrl }) => ({
      pageId: id,
      pageUrl,
      url: `${publicUrl}/go/${id}/${ref}`,
    })),
    mailTimerUrl: hasTimer ? `${publicUrl}/timer/${language}/${ref}.gif` : null,
    warnings: warningsOf(campaign, tools, pages.length > 0, hasTimer, deadline),
  }
}

/** In the order of the specification, 2.7. */
function warningsOf(
  { isDraft }: OfferSource,
  { countdownTools }: OfferTools,
  hasPages: boolean,
  hasTimer: boolean,
  deadline: Seconds | null,
): Warning[] {
  const found: Warning[] = []
  if (isDraft) found.push('CAMPAIGN_NOT_PUBLISHED')
  else if (!countdownTools) found.push('COUNTDOWN_TOOLS_UNAVAILABLE')
  else {
    if (!hasPages) found.push('NO_OFFER_PAGES')
    if (!hasTimer) found.push('NO_MAIL_TIMER')
  }
  if (deadline === null) found.push('NO_DEADLINE')
  return found
}
