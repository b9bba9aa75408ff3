// What is told, for the description: a client that is generated from it has a type for each kind.
import Type from 'typebox'
import { changeCauses, type EventKind, eventIdPattern, eventKinds } from '../../core/events.ts'
import { offerStates } from '../../core/mechanism/attempt.ts'
import { languages, refPattern } from '../../core/offer.ts'
import { KeptConversion } from '../conversions/schemas.ts'
import { schema } from '../public/description.ts'
import { LeadOffer } from '../public/schemas.ts'
import { closed, id, instant, nullable } from '../schemas.ts'

const { campaignId, registeredAt, deadline, timeZone, offerLinks } = LeadOffer.properties
const uri = Type.String({ format: 'uri' })
const ifPersonal = { description: 'Left out if the endpoint has `personal` off.' }

const ref = Type.String({ pattern: refPattern, description: '`lc` of the offer links.' })
const asOf = Type.String({ format: 'date-time', description: 'When the rest of `data` was read.' })
const campaign = { campaignId, campaignName: Type.String() }
const lead = {
  ...campaign,
  ref,
  email: Type.Optional(Type.String({ format: 'email', ...ifPersonal })),
  registeredAt,
  deadline,
  timeZone,
  state: Type.Enum([...offerStates], { type: 'string' }),
  opensAt: nullable(instant, 'When the window opens or opened; null if it has no opening.'),
  attempt: Type.Integer({ minimum: 1 }),
  cycle: Type.Integer({ minimum: 1 }),
  convertedAt: Type.Optional(Type.String({ format: 'date-time', description: 'When the lead first bought.' })),
  offerLinks: Type.Optional(Type.Array(offerLinks.items, ifPersonal)),
  mailTimerUrls: Type.Optional(
    nullable(
      Type.Object(Object.fromEntries(languages.map((language) => [language, uri])), closed),
      `By language; null if the campaign has no mail timer. ${ifPersonal.description}`,
    ),
  ),
  asOf,
}

const dataOf: Record<EventKind, Type.TProperties> = {
  'lead.registered': {
    ...lead,
    backfill: Type.Optional(Type.Literal(true, { description: 'Sent by a backfill, long after it happened.' })),
  },
  'lead.started': lead,
  'lead.deadline_changed': { ...lead, cause: Type.Enum([...changeCauses], { type: 'string' }) },
  'lead.opened': lead,
  'lead.deadline_approaching': {
    ...lead,
    leadTime: Type.String({
      description: 'As set at the endpoint, such as `PT24H`; in seconds if it is no longer set there.',
    }),
  },
  'lead.expired': lead,
  'lead.converted': { ...lead, conversion: Type.Omit(KeptConversion, ['campaignId', 'email'], closed) },
  'lead.erased': { ref, asOf },
  'campaign.ended': { ...campaign, deadline: instant, timeZone, asOf },
  'endpoint.tested': { endpointId: id, endpointName: Type.String(), asOf },
}

const inBatch = 'Only in a batch; otherwise it is in the header `webhook-id`.'
const eventOf = (kind: EventKind) =>
  Type.Object(
    {
      id: Type.Optional(Type.String({ pattern: eventIdPattern, description: inBatch })),
      type: Type.Literal(kind),
      timestamp: Type.String({ format: 'date-time', description: 'When it happened.' }),
      data: Type.Object(dataOf[kind], closed),
    },
    closed,
  )

/** The schemas of what is told, by name: those of events are named like their kinds. */
export const told = {
  ...Object.fromEntries(eventKinds.map((kind) => [kind, eventOf(kind)])),
  Event: { oneOf: eventKinds.map(schema), discriminator: { propertyName: 'type' } },
  Batch: Type.Object(
    {
      type: Type.Literal('batch'),
      timestamp: instant,
      data: Type.Object({ events: Type.Array(Type.Unsafe(schema('Event')), { minItems: 2 }) }, closed),
    },
    { ...closed, description: 'What an endpoint with `batch` above 1 may get: deduplicate by the ids of the events.' },
  ),
}
