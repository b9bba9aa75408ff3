// A line for each lead, as mail services import it. The headings are the fields in the HTML for mails.
import { formatInstant, instantOrNull, type Seconds } from '../core/instant.ts'
import { deadlineInWords } from '../core/mail-html.ts'
import { fieldName, linkField, type MailService } from '../core/mail-services.ts'
import { begin, type Offer, offerAt } from '../core/mechanism/attempt.ts'
import { leadOffer, type OfferTools } from '../core/offer.ts'
import type { Campaign } from '../store/model.ts'
import type { LeadView } from './leads.ts'

/** The columns of every export, for any mail service. */
const exportFacts = ['state', 'opensAt', 'deadline', 'setByHand', 'registeredAt', 'attempt', 'cycle', 'ref']

/**
 * A file that has all columns of one of these is ours, an export or the rows that the panel's import refused, also where
 * other columns were deleted. The panel has the same list (read-emails.ts).
 */
export const ownFacts = [
  ['setByHand', 'registeredAt', 'ref'],
  ['reason', 'line'],
]

/** The pages that mails link to, in the order of their fields; there is a field even if there is no page. */
export const linkedPages = ({ pages }: Pick<Campaign, 'pages'>) => pages.filter(({ eligible }) => eligible)

export function exportColumns(campaign: Campaign, service: MailService): string[] {
  const links = Array.from({ length: Math.max(1, linkedPages(campaign).length) }, (_, index) => linkField(index))
  return ['email', ...[...links, 'LC_TIMER', 'LC_END'].map((field) => fieldName(service, field)), ...exportFacts]
}

export type ExportLine = Offer & { email: string; ref: string; registeredAt: Seconds; setByHand: boolean }

export function exportLine({ lead: { email, ref, registeredAt, attempt }, offer }: LeadView): ExportLine {
  return { email, ref, registeredAt, ...offer, setByHand: attempt.byHand !== null }
}

/** Whether the HTML for mails says when the offer ends: before a first visit nobody knows it. */
export const namesDeadline = ({ terms }: Pick<Campaign, 'terms'>, now: Seconds): boolean =>
  offerAt(terms, begin(terms, now), now).deadline !== null

/**
 * Whether that HTML would say “The offer ends on .” to the lead. Leads from when the campaign still began with a visit
 * may have no deadline, though new ones have.
 */
export const lacksDeadline = (campaign: Pick<Campaign, 'terms'>, { deadline }: ExportLine, now: Seconds): boolean =>
  deadline === null && namesDeadline(campaign, now)

/** In the order of the columns; null if there is no value. */
export function exportCells(campaign: Campaign, line: ExportLine, tools: OfferTools): (string | number | null)[] {
  const { timeZone, language } = campaign
  const { email, ref, registeredAt, setByHand, deadline, state, opensAt, attempt, cycle } = line
  const { offerLinks, mailTimerUrl } = leadOffer(campaign, { ...line, language }, tools)
  const linkOf = (pageId: number) => offerLinks.find((link) => link.pageId === pageId)?.url ?? null
  const pages = linkedPages(campaign)
  return [
    email,
    ...(pages.length === 0 ? [null] : pages.map(({ id }) => linkOf(id))),
    mailTimerUrl,
    deadline === null ? null : deadlineInWords(deadline, timeZone, language),
    state,
    instantOrNull(opensAt),
    instantOrNull(deadline),
    String(setByHand),
    formatInstant(registeredAt),
    attempt,
    cycle,
    ref,
  ]
}
