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

export type LeadOfferFacts = {
  /** ASCII, as every email here. */
  email: string
  ref: string
  registeredAt: Seconds
  deadline: Seconds | null
  language: Language
  /** Whether the lead was made by this request; a look-up does not say. */
  created: boolean | undefined
}

/** Where links point to, and whether the account has links and timers at all. */
export type OfferTools = { publicUrl: string; countdownTools: boolean }

/** Composes the offer data of a campaign's leads, as JSON text in ASCII (specification, 2.4 to 2.7; contract, "Links"). */
export type OfferWriter = (facts: LeadOfferFacts) => string

/**
 * Most of an offer is the same for every lead of the campaign: that part is written once, with gaps for the
 * lead's name. JSON.stringify of the whole, for each answer, was the dearest step after reading the lead.
 */
export function offerWriter(campaign: OfferSource, { publicUrl, countdownTools }: OfferTools): OfferWriter {
  const live = !campaign.isDraft && countdownTools
  const pages = live ? campaign.pages.filter((page) => page.eligible) : []
  const hasTimer = live && campaign.mailTimer !== null
  const known: Warning[] = []
  if (campaign.isDraft) known.push('CAMPAIGN_NOT_PUBLISHED')
  else if (!countdownTools) known.push('COUNTDOWN_TOOLS_UNAVAILABLE')
  else {
    if (pages.length === 0) known.push('NO_OFFER_PAGES')
    if (!hasTimer) known.push('NO_MAIL_TIMER')
  }

  const head = `{"campaignId":${campaign.id},"email":`
  const zone = `,"timeZone":${asciiJson(campaign.timeZone)},"offerLinks":[`
  const links = pages.map(({ id, pageUrl }, index) => {
    const url = asciiJson(`${publicUrl}/go/${id}/`).slice(0, -1)
    return `${index === 0 ? '' : ','}{"pageId":${id},"pageUrl":${asciiJson(pageUrl)},"url":${url}`
  })
  const timer = asciiJson(`${publicUrl}/timer/`).slice(0, -1)
  const warnings = `,"warnings":${JSON.stringify(known)}`
  const warningsWithoutDeadline = `,"warnings":${JSON.stringify([...known, 'NO_DEADLINE'])}`

  return ({ email, ref, registeredAt, deadline, language, created }) => {
    let text = `${head}${JSON.stringify(email)},"registeredAt":"${formatInstant(registeredAt)}"`
    text += deadline === null ? ',"deadline":null' : `,"deadline":"${formatInstant(deadline)}"`
    text += zone
    for (const link of links) text += `${link}${ref}"}`
    text += hasTimer ? `],"mailTimerUrl":${timer}${language}/${ref}.gif"` : '],"mailTimerUrl":null'
    text += deadline === null ? warningsWithoutDeadline : warnings
    return created === undefined ? `${text}}` : `${text},"created":${created}}`
  }
}

/** Of a text in ASCII the length in bytes is known, and no answer has to be measured. */
function asciiJson(text: string): string {
  return JSON.stringify(text).replace(/[^\0-\x7f]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
