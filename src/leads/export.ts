// A line for each lead, as mail services import it. The headings are the fields in the HTML for mails.
import { formatInstant, instantOrNull, type Seconds } from '../core/instant.ts'
import { deadlineInWords } from '../core/mail-html.ts'
import { fieldName, linkField, type MailService } from '../core/mail-services.ts'
import { begin, type Offer, offerAt } from '../core/mechanism/attempt.ts'
import { type LeadOffer, leadOffer, type OfferTools } from '../core/offer.ts'
import type { Campaign } from '../store/model.ts'
import type { LeadView } from './leads.ts'

export type ExportLine = Offer & { email: string; ref: string; registeredAt: Seconds; setByHand: boolean }

/** Null if there is no value. */
type Cell = string | number | null
type Column = [heading: string, cell: (line: ExportLine, offer: LeadOffer) => Cell]

/** The columns of every export, for any mail service. */
const exportFacts: Column[] = [
  ['state', ({ state }) => state],
  ['opensAt', ({ opensAt }) => instantOrNull(opensAt)],
  ['deadline', ({ deadline }) => instantOrNull(deadline)],
  ['setByHand', ({ setByHand }) => String(setByHand)],
  ['registeredAt', ({ registeredAt }) => formatInstant(registeredAt)],
  ['attempt', ({ attempt }) => attempt],
  ['cycle', ({ cycle }) => cycle],
  ['ref', ({ ref }) => ref],
]

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

/** What a mail shows; a mail service may spell the headings in its own way. */
function mailFields(campaign: Campaign): Column[] {
  const { timeZone, language } = campaign
  const pages = linkedPages(campaign)
  const links = Array.from({ length: Math.max(1, pages.length) }, (_, index): Column => {
    const id = pages[index]?.id
    return [linkField(index), (_, { offerLinks }) => offerLinks.find(({ pageId }) => pageId === id)?.url ?? null]
  })
  return [
    ...links,
    ['LC_TIMER', (_, { mailTimerUrl }) => mailTimerUrl],
    ['LC_END', ({ deadline }) => (deadline === null ? null : deadlineInWords(deadline, timeZone, language))],
  ]
}

export function exportColumns(campaign: Campaign, service: MailService): string[] {
  const fields = mailFields(campaign).map(([field]) => fieldName(service, field))
  return ['email', ...fields, ...exportFacts.map(([heading]) => heading)]
}

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

/** In the order of the columns. */
export function exportCells(campaign: Campaign, line: ExportLine, tools: OfferTools): Cell[] {
  const offer = leadOffer(campaign, { ...line, language: campaign.language }, tools)
  return [line.email, ...[...mailFields(campaign), ...exportFacts].map(([, cell]) => cell(line, offer))]
}
