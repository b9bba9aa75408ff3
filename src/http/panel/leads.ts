// The leads of a campaign: found by the beginning of their address or by state, one of them whole, and what is done
// to them by hand. Addresses travel in bodies only; in paths a lead is called by its ref.
import Type from 'typebox'
import { ctaAddress } from '../../core/cta-link.ts'
import { type EmailFault, emailFault, emailMaxLength } from '../../core/email.ts'
import type { Seconds } from '../../core/instant.ts'
import { deadlineInWords } from '../../core/mail-html.ts'
import { begin, offerAt } from '../../core/mechanism/attempt.ts'
import { parseDateTime } from '../../core/mechanism/calendar.ts'
import { zoneOf } from '../../core/mechanism/zone.ts'
import { type LeadOffer, languages, leadOffer } from '../../core/offer.ts'
import { conversionDocument } from '../../core/order.ts'
import { dateOf } from '../../leads/counting.ts'
import { type ExportLine, exportCells, exportLine } from '../../leads/export.ts'
import { type LeadView, type Registration, view } from '../../leads/leads.ts'
import type { LeadCount } from '../../store/counts.ts'
import type { Account, Campaign, Lead, LeadRefusal } from '../../store/model.ts'
import { invalid, PanelRefusal } from './errors.ts'
import { countErasure } from './limits.ts'
import { forReader, forUser, type PanelParts } from './route.ts'
import { closed, Email } from './schemas.ts'

const pageMaxSize = 1_000
/** Leads that one request reads at most: a state is not stored, so a search may read many to find one. */
const stepSize = 1_000
const importMaxSize = 500
const Emails = Type.Object({ emails: Type.Array(Type.String(), { maxItems: importMaxSize }) }, closed)
const importBodyLimit = 1_048_576
const State = Type.Enum(['pending', 'scheduled', 'open', 'expired'])

/** What an import did with an email: `created`, `existing`, or why it was refused. */
export type ImportOutcome = 'created' | 'existing' | EmailFault

export const leadRoutes = {
  /** Leads in the order of their addresses. `read` says how many were looked at, `afterEmail` where to go on. */
  ...forReader('POST /campaigns/:campaignId/leads/search', {
    body: Type.Object(
      {
        prefix: Type.String({ maxLength: emailMaxLength, pattern: '^[^\\x00-\\x1f]*$' }),
        state: Type.Union([Type.Null(), State]),
        afterEmail: Type.String({ maxLength: emailMaxLength, pattern: '^[ -~]*$' }),
        limit: Type.Integer({ minimum: 1, maximum: pageMaxSize }),
        withLinks: Type.Boolean(),
      },
      closed,
    ),
    async run({ campaign, session, parts, body, now }) {
      const { prefix, state, afterEmail, limit, withLinks } = body
      const asked = state === null ? limit : stepSize
      const leads = await parts.store.leads.list(campaign, { prefix, afterEmail, limit: asked })
      const rows = leads.map((lead) => exportLine(view(campaign, lead, now)))
      const found = rows.filter((one) => state === null || one.state === state)
      const shown = found.slice(0, limit)
      const isCut = found.length > limit
      const read = isCut ? rows.indexOf(shown.at(-1) as ExportLine) + 1 : rows.length
      const isEnd = !isCut && leads.length < asked
      const offer = offerOf(campaign, session.account, parts)
      const tools = toolsOf(session.account, parts)
      return {
        leads: shown.map((one) => ({
          ...one,
          offer: withLinks ? offer(one) : null,
          /** What the export says of the lead, in the order of its columns. */
          cells: withLinks ? exportCells(campaign, one, tools) : null,
        })),
        read,
        afterEmail: isEnd ? null : (rows[read - 1]?.email as string),
      }
    },
  }),
  /** Registers, as the API does: a lead that is there may be reset by it, or begin another attempt. */
  ...forUser('POST /campaigns/:campaignId/leads', {
    body: Type.Object({ email: Email }, closed),
    async run({ campaign, parts, body, now }) {
      const { created, lead } = needDone(await parts.leads.register(named(campaign), body.email, now))
      return { created, ref: lead.ref }
    },
  }),
  /** New emails only, as `lead import`: an outcome for each, in their order. */
  ...forUser('POST /campaigns/:campaignId/leads/import', {
    body: Emails,
    bodyLimit: importBodyLimit,
    async run({ campaign, parts, body, now }) {
      const outcome = async (email: string): Promise<ImportOutcome> => {
        const fault = emailFault(email)
        if (fault !== undefined) return fault
        const { created } = needDone(await parts.leads.importLead(named(campaign), email, now))
        return created ? 'created' : 'existing'
      }
      return { outcomes: await Promise.all(body.emails.map(outcome)) }
    },
  }),
  /** What that import would do, and what a new lead would get; nothing is written. */
  ...forReader('POST /campaigns/:campaignId/leads/import/trial', {
    body: Emails,
    bodyLimit: importBodyLimit,
    async run({ campaign, parts, body, now }) {
      const outcome = async (email: string): Promise<ImportOutcome> =>
        emailFault(email) ?? ((await parts.store.leads.find(campaign, email)) === undefined ? 'created' : 'existing')
      const { terms } = campaign
      return {
        outcomes: await Promise.all(body.emails.map(outcome)),
        offer: offerAt(terms, begin(terms, now), now),
      }
    },
  }),
  ...forReader('GET /campaigns/:campaignId/leads/:ref', {
    async run({ campaign, session, parts, params, now }) {
      const lead = await needLead(parts, campaign, params.ref)
      const counts = await parts.store.counts.ofLead(campaign, lead.id)
      const orders = await parts.store.conversions.ofLead(campaign, lead.id)
      const { anchorAt, resets, byHand } = lead.attempt
      const line = exportLine(view(campaign, lead, now))
      return {
        ...line,
        ...{ anchorAt, resets, setByHandAt: byHand?.setAt ?? null },
        offer: offerOf(campaign, session.account, parts)(line),
        days: daysOf(counts),
        orders: orders.map(conversionDocument),
      }
    },
  }),
  /** `at` is a local time of the campaign's zone, `2026-12-31T23:59`; null clears what was set. */
  ...forUser('PUT /campaigns/:campaignId/leads/:ref/deadline', {
    body: Type.Object({ at: Type.Union([Type.Null(), Type.String({ maxLength: 16 })]) }, closed),
    async run({ campaign, parts, params, body, now }) {
      const lead = await needLead(parts, campaign, params.ref)
      const at = body.at === null ? null : needInstant(campaign, body.at)
      return exportLine(needDone(await parts.leads.setDeadline(named(campaign), lead.email, at, now)))
    },
  }),
  ...forUser('DELETE /campaigns/:campaignId/leads/:ref', {
    async run({ campaign, session, parts, params, now }) {
      const { email } = await needLead(parts, campaign, params.ref)
      countErasure(session, now)
      if ((await parts.store.leads.erase([{ campaign, email }], now)) === 0) throw new PanelRefusal('NOT_FOUND')
      return {}
    },
  }),
}

const named = ({ accountId, id: campaignId }: Campaign) => ({ accountId, campaignId })

/** Of this campaign; a visitor without an email is none. @throws PanelRefusal */
export async function needLead({ store }: PanelParts, campaign: Campaign, ref: string): Promise<Lead> {
  const found = await store.leads.findByRef(ref)
  if (found?.campaignId !== campaign.id) throw new PanelRefusal('NOT_FOUND')
  const lead = await found.lead(campaign)
  if (lead.email.startsWith(' ')) throw new PanelRefusal('NOT_FOUND')
  return lead
}

const refusals = {
  CAMPAIGN_NOT_FOUND: 'NOT_FOUND',
  LEAD_NOT_FOUND: 'NOT_FOUND',
  CAMPAIGN_NOT_PUBLISHED: 'CAMPAIGN_IS_DRAFT',
} as const satisfies Record<LeadRefusal, string>

/** @throws PanelRefusal */
function needDone<Done extends LeadView | Registration>(done: Done | LeadRefusal): Done {
  if (typeof done === 'string') throw new PanelRefusal(refusals[done])
  return done
}

/** What clocks of the campaign's zone show, as the rules read it. @throws PanelRefusal */
function needInstant({ timeZone }: Campaign, text: string): Seconds {
  const local = parseDateTime(text)
  if (local !== undefined) return zoneOf(timeZone).toInstant(local)
  throw invalid('at', 'must be a local time such as 2026-12-31T23:59')
}

export const toolsOf = ({ countdownTools }: Account, { site }: PanelParts) => ({ ...site, countdownTools })

/** Links and timers of leads, as the API hands them out; `target` is where a link leads. */
function offerOf(campaign: Campaign, account: Account, parts: PanelParts) {
  const tools = toolsOf(account, parts)
  const { timeZone, language: own } = campaign
  const addressOf = new Map(campaign.pages.map((page) => [page.id, page.proxyUrl ?? page.pageUrl]))
  return (lead: ExportLine) => {
    const offers = [...new Set([...languages, own])].map((language) => ({
      ...{ language, ...leadOffer(campaign, { ...lead, language }, tools) },
    }))
    const { offerLinks, warnings } = offers[0] as LeadOffer
    return {
      links: offerLinks.map((link) => ({ ...link, target: ctaAddress(addressOf.get(link.pageId) ?? '', lead.ref) })),
      timers: offers.flatMap(({ language, mailTimerUrl: url }) => (url === null ? [] : [{ language, url }])),
      warnings,
      inWords: lead.deadline === null ? null : deadlineInWords(lead.deadline, timeZone, own),
    }
  }
}

/** What the lead did, a line for each day of the campaign's zone, ascending. */
function daysOf(counts: readonly LeadCount[]) {
  const days = new Map<number, Record<LeadCount['kind'], Record<LeadCount['fetcher'], number>>>()
  for (const { day, kind, fetcher, total } of counts) {
    const none = () => ({ person: 0, proxy: 0, scanner: 0 })
    const known = days.get(day) ?? { click: none(), open: none(), visit: none() }
    known[kind][fetcher] += total
    days.set(day, known)
  }
  return [...days].map(([day, done]) => ({
    date: dateOf(day),
    ...done,
  }))
}
