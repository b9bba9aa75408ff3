// The leads of a campaign: searching them, showing one, and changing them by hand. Addresses are only in bodies; paths
// name a lead by its ref.
import { setImmediate as nextTurn } from 'node:timers/promises'
import Type from 'typebox'
import { ctaAddress } from '../../core/cta-link.ts'
import { type EmailFault, emailFault } from '../../core/email.ts'
import { isWritable, type Seconds } from '../../core/instant.ts'
import { begin, type Offer, offerAt, visit } from '../../core/mechanism/attempt.ts'
import { dateOf, parseDateTime } from '../../core/mechanism/calendar.ts'
import { addPeriod, periodOf } from '../../core/mechanism/period.ts'
import type { Terms } from '../../core/mechanism/terms.ts'
import { zoneOf } from '../../core/mechanism/zone.ts'
import { type LeadOffer, languages, leadOffer, type OfferTools } from '../../core/offer.ts'
import { conversionDocument } from '../../core/order.ts'
import { mayAs } from '../../core/role.ts'
import { type ExportLine, exportCells, exportLine, lacksDeadline } from '../../leads/export.ts'
import { idsOf, type LeadView, leadByRef, type Registration, view } from '../../leads/leads.ts'
import type { LeadCount } from '../../store/counts.ts'
import type { StateCounts, StateStep } from '../../store/lead-states.ts'
import { type Account, asFile, type Campaign, type Lead, type LeadRefusal } from '../../store/model.ts'
import { importBodyLimitBytes } from '../body-limits.ts'
import { closed } from '../schemas.ts'
import { revisionOf } from './campaigns.ts'
import { invalid, PanelRefusal } from './errors.ts'
import { findLeads, leadsOf, Refs, SearchBody } from './lead-search.ts'
import { forMember, forViewer, type PanelParts } from './route.ts'
import { Email } from './schemas.ts'

/** Leads that a viewer may read at once: a page of the list, and one more that shows whether there is another. */
const viewersPageMaxSize = 51
const importMaxSize = 500
/** Orders that the panel shows of a lead. */
const mostOrders = 1_000
/** Leads whose states the panel asks for at once. */
const mostCounted = 100_000
const Emails = Type.Object({ emails: Type.Array(Type.String(), { maxItems: importMaxSize }) }, closed)

/** What an import did with an email: `created`, `existing`, or why it was refused. */
export type ImportOutcome = 'created' | 'existing' | EmailFault

export const leadRoutes = {
  /**
   * Leads in the order of their addresses or deadlines: those that begin with `prefix`, or have `part` anywhere in
   * them, or those of `refs`. `read` says how many were looked at, `afterEmail` and `afterDeadline` where to go on.
   */
  ...forViewer('POST /campaigns/:campaignId/leads/search', {
    readsMuch: true,
    body: SearchBody,
    async run({ campaign, session, parts, body, now }) {
      const isMore = body.limit > viewersPageMaxSize
      if (isMore && !mayAs('member', session.user.role)) throw new PanelRefusal('NOT_ALLOWED')
      return findLeads(parts.store, campaign, body, now)
    },
  }),
  /**
   * The same leads, each with its columns of the export. With another `revision` than that of the headings, the columns
   * may be others.
   */
  ...forMember('POST /campaigns/:campaignId/leads/export', {
    reads: true,
    readsMuch: true,
    body: SearchBody,
    async run({ campaign, session, parts, body, now }) {
      const { leads, ...rest } = await findLeads(parts.store, campaign, body, now)
      const tools = toolsOf(session.account, parts)
      return {
        leads: leads.map((line) => ({
          email: line.email,
          cells: exportCells(campaign, line, tools),
          lacksDeadline: lacksDeadline(campaign, line, now),
          isOver: line.state === 'expired',
        })),
        revision: revisionOf(asFile(campaign)),
        ...rest,
      }
    },
  }),
  /** Leads with an email, up to 100,000; `isAll` if there are no more. */
  ...forViewer('GET /campaigns/:campaignId/leads/states', {
    readsMuch: true,
    async run({ campaign, parts, now }) {
      const states: StateCounts = { pending: 0, scheduled: 0, open: 0, expired: 0, cycle: 0 }
      let total = 0
      let afterEmail: string | null = ''
      while (afterEmail !== null && total < mostCounted) {
        const step: StateStep = await parts.store.counts.countStates(campaign, afterEmail, now)
        for (const [state, count] of Object.entries(step.counts)) {
          states[state as keyof StateCounts] += count
          total += count
        }
        afterEmail = step.afterEmail
        await nextTurn()
      }
      return { total, isAll: afterEmail === null, states }
    },
  }),
  /** In one step; resolves with how many were erased. */
  ...forMember('POST /campaigns/:campaignId/leads/erasure', {
    body: Type.Object({ refs: Refs }, closed),
    async run({ campaign, parts, body, by }) {
      parts.limits.countErasure(campaign.accountId, by.at)
      const leads = await leadsOf(parts.store, campaign, body.refs)
      const names = leads.map(({ email }) => ({ campaign, email }))
      return { erased: names.length === 0 ? 0 : await parts.store.leads.erase(names, by) }
    },
  }),
  /**
   * Deadlines by hand. `to` is a local time of the campaign's zone, `2026-12-31T23:59`; `rule`, which clears what was
   * set; or `dayLater`, a day later than each has, counted from now if that has passed: a lead without a deadline keeps
   * none. Resolves with those that were set.
   */
  ...forMember('PUT /campaigns/:campaignId/leads/deadlines', {
    body: Type.Object({ refs: Refs, to: Type.String({ maxLength: 16 }) }, closed),
    async run({ campaign, parts, body: { refs, to }, now, by }) {
      parts.limits.countDeadlines(campaign.accountId, now)
      const at = to === 'rule' || to === 'dayLater' ? null : needInstant(campaign, to)
      const leads = await leadsOf(parts.store, campaign, refs)
      const [of, later] = [idsOf(campaign), (offer: Offer) => dayLater(campaign, offer.deadline, now)]
      const changed = leads.flatMap((lead) => {
        if (to !== 'dayLater') return [parts.leads.setDeadline(of, lead.email, at, by)]
        if (later(view(campaign, lead, now).offer) === null) return []
        // Looked at again when it is written: somebody else may give a day more at the same time.
        return [parts.leads.moveDeadline(of, lead.email, later, by)]
      })
      // One that was erased meanwhile is no failure of the others, whose deadlines are set.
      const done = (await Promise.all(changed)).filter((one) => one !== 'LEAD_NOT_FOUND')
      return { leads: done.map((one) => exportLine(needDone(one))) }
    },
  }),
  /** Registers as the API does: an existing lead may be reset, or begin another attempt. */
  ...forMember('POST /campaigns/:campaignId/leads', {
    body: Type.Object({ email: Email }, closed),
    async run({ campaign, parts, body, by }) {
      const { created, lead } = needDone(await parts.leads.add(idsOf(campaign), body.email, by))
      return { created, ref: lead.ref }
    },
  }),
  /** New emails only, as `lead import`: an outcome for each, in their order. */
  ...forMember('POST /campaigns/:campaignId/leads/import', {
    readsMuch: true,
    body: Emails,
    bodyLimit: importBodyLimitBytes,
    async run({ campaign, parts, body, now, by }) {
      const outcome = async (email: string): Promise<ImportOutcome> => {
        const fault = emailFault(email)
        if (fault !== undefined) return fault
        const { created } = needDone(await parts.leads.importLead(idsOf(campaign), email, now, by))
        return created ? 'created' : 'existing'
      }
      return { outcomes: await Promise.all(body.emails.map(outcome)) }
    },
  }),
  /** What the import would do, and what a new lead would get; nothing is written. */
  ...forMember('POST /campaigns/:campaignId/leads/import/trial', {
    reads: true,
    readsMuch: true,
    body: Emails,
    bodyLimit: importBodyLimitBytes,
    async run({ campaign, parts, body, now }) {
      const outcome = async (email: string): Promise<ImportOutcome> =>
        emailFault(email) ?? ((await parts.store.leads.find(campaign, email)) === undefined ? 'created' : 'existing')
      return { outcomes: await Promise.all(body.emails.map(outcome)), offer: offerForeseen(campaign.terms, now) }
    },
  }),
  ...forViewer('GET /campaigns/:campaignId/leads/:ref', {
    async run({ campaign, session, parts, params, now }) {
      const lead = await needLead(parts, campaign, params.ref)
      const counts = await parts.store.counts.ofLead(campaign, lead.id)
      const orders = await parts.store.conversions.ofLead(campaign, lead.id, mostOrders)
      const { anchorAt, resets, byHand } = lead.attempt
      const line = exportLine(view(campaign, lead, now))
      return {
        ...line,
        anchorAt,
        resets,
        setByHandAt: byHand?.setAt ?? null,
        offer: offerOf(campaign, line, toolsOf(session.account, parts)),
        days: daysOf(counts),
        orders: orders.map(conversionDocument),
      }
    },
  }),
}

/** What a new lead would get. A campaign that has ended gives nothing to somebody who would begin by a visit. */
function offerForeseen(terms: Terms, now: Seconds): Offer {
  const attempt = begin(terms, now)
  const visited = offerAt(terms, visit(terms, attempt, now), now)
  return visited.state === 'expired' ? visited : offerAt(terms, attempt, now)
}

/** Null, which changes nothing, also if the day later could not be written as an instant. */
function dayLater({ timeZone }: Campaign, deadline: Seconds | null, now: Seconds): Seconds | null {
  if (deadline === null) return null
  const later = addPeriod(zoneOf(timeZone), Math.max(deadline, now), periodOf('P1D'))
  return isWritable(later) ? later : null
}

/** A lead of this campaign, not a visitor without an email. @throws PanelRefusal */
export async function needLead({ store }: PanelParts, campaign: Campaign, ref: string): Promise<Lead> {
  const lead = await leadByRef(store, campaign, ref)
  if (lead === undefined) throw new PanelRefusal('NOT_FOUND')
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

/** A local time of the campaign's zone, read as the rules do. @throws PanelRefusal */
function needInstant({ timeZone }: Campaign, text: string): Seconds {
  const local = parseDateTime(text)
  if (local === undefined) throw invalid('to', 'must be an existing date and time such as "2026-12-31T23:59"')
  const at = zoneOf(timeZone).toInstant(local)
  if (!isWritable(at)) throw invalid('to', 'must be in the years 0000 to 9999 in UTC')
  return at
}

export const toolsOf = ({ countdownTools }: Account, { site }: PanelParts) => ({ ...site, countdownTools })

/** Links and timers of a lead, as the API hands them out; `target` is where a link leads. */
function offerOf(campaign: Campaign, lead: ExportLine, tools: OfferTools) {
  const offers = [...new Set([...languages, campaign.language])].map((language) => ({
    language,
    ...leadOffer(campaign, { ...lead, language }, tools),
  }))
  const { offerLinks, warnings } = offers[0] as LeadOffer
  const targetOf = (pageId: number) => {
    const page = campaign.pages.find(({ id }) => id === pageId)
    return ctaAddress(page?.proxyUrl ?? page?.pageUrl ?? '', lead.ref)
  }
  return {
    links: offerLinks.map((link) => ({ ...link, target: targetOf(link.pageId) })),
    timers: offers.flatMap(({ language, mailTimerUrl: url }) => (url === null ? [] : [{ language, url }])),
    warnings,
  }
}

/** What the lead did, by ascending day of the campaign's time zone. */
function daysOf(counts: readonly LeadCount[]) {
  const days = new Map<number, Record<LeadCount['kind'], Record<LeadCount['fetcher'], number>>>()
  for (const { day, kind, fetcher, total } of counts) {
    const none = () => ({ person: 0, proxy: 0, scanner: 0 })
    const done = days.getOrInsertComputed(day, () => ({ click: none(), open: none(), visit: none() }))
    done[kind][fetcher] += total
  }
  return [...days].map(([day, done]) => ({
    date: dateOf(day),
    ...done,
  }))
}
