// The JSON of events. Names are those of the public API.
import { causeOf, type EndpointSettings, type EventKind, leadTimeOf } from '../core/events.ts'
import { formatInstant, instantOrNull, type Seconds } from '../core/instant.ts'
import { offerAt } from '../core/mechanism/attempt.ts'
import { languages, leadOffer, type OfferTools } from '../core/offer.ts'
import { type Conversion, conversionDocument } from '../core/order.ts'
import type { Campaign, Lead } from '../store/model.ts'

export type EventBody = { type: EventKind; timestamp: string; data: Record<string, unknown> }

/** `detail` as in a notice. */
export type Happened = { kind: EventKind; at: Seconds; detail: number; isBackfill?: boolean }

export type LeadTold = {
  campaign: Campaign
  lead: Lead
  /** When the lead first bought. */
  convertedAt: Seconds | null
  /** The order, for `lead.converted`. */
  conversion?: Conversion | undefined
  tools: OfferTools
  settings: Pick<EndpointSettings, 'leadTimes' | 'personal'>
  now: Seconds
}

/**
 * The lead as it is now; `asOf` says when that was. What is told is listed here: a new property of the API's answer is
 * not told by itself.
 */
export function leadEvent({ kind, at, detail, isBackfill }: Happened, told: LeadTold): EventBody {
  const { campaign, lead, tools, settings, convertedAt, conversion, now } = told
  const { state, opensAt, deadline, attempt, cycle } = offerAt(campaign.terms, lead.attempt, now)
  const facts = { email: lead.email, ref: lead.ref, registeredAt: lead.registeredAt, deadline }
  const offers = languages.map((language) => ({ language, ...leadOffer(campaign, { ...facts, language }, tools) }))
  const [{ offerLinks, mailTimerUrl }] = offers as [(typeof offers)[number]]
  return {
    type: kind,
    timestamp: formatInstant(at),
    data: {
      campaignId: campaign.id,
      campaignName: campaign.name,
      ref: lead.ref,
      ...(settings.personal && { email: lead.email }),
      registeredAt: formatInstant(lead.registeredAt),
      deadline: instantOrNull(deadline),
      timeZone: campaign.timeZone,
      state,
      opensAt: instantOrNull(opensAt),
      attempt,
      cycle,
      ...(convertedAt !== null && { convertedAt: formatInstant(convertedAt) }),
      ...(kind === 'lead.deadline_approaching' && { leadTime: leadTimeOf(detail, settings.leadTimes) }),
      ...(kind === 'lead.deadline_changed' && { cause: causeOf(detail) }),
      ...(conversion && { conversion: orderTold(conversion) }),
      ...(isBackfill && { backfill: true }),
      ...(settings.personal && {
        offerLinks,
        mailTimerUrls: mailTimerUrl && Object.fromEntries(offers.map((one) => [one.language, one.mailTimerUrl])),
      }),
      asOf: formatInstant(now),
    },
  }
}

/** The order without what the lead's own fields say. */
function orderTold(conversion: Conversion) {
  const { campaignId: _, email: __, ...told } = conversionDocument(conversion)
  return told
}

/** Names the lead only by its ref. */
export function erasedEvent(ref: string, at: Seconds, now: Seconds): EventBody {
  return { type: 'lead.erased', timestamp: formatInstant(at), data: { ref, asOf: formatInstant(now) } }
}

export function endedEvent({ id, name, timeZone }: Campaign, at: Seconds, now: Seconds): EventBody {
  const data = { campaignId: id, campaignName: name, deadline: formatInstant(at), timeZone, asOf: formatInstant(now) }
  return { type: 'campaign.ended', timestamp: formatInstant(at), data }
}

export function testedEvent(endpoint: { id: number; settings: { name: string } }, now: Seconds): EventBody {
  const { id, settings } = endpoint
  const data = { endpointId: id, endpointName: settings.name, asOf: formatInstant(now) }
  return { type: 'endpoint.tested', timestamp: formatInstant(now), data }
}
