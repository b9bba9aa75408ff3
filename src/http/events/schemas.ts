// The shapes of the API for events: what validates a request, and what the description says.
import Type, { type Static, type TSchema } from 'typebox'
import {
  type EndpointSettings,
  endpointLimits,
  eventIdPattern,
  eventKinds,
  logPlacePattern,
  mostCounted,
  mostGraceHours,
  tryCauses,
  usualSettings,
  wantedKinds,
} from '../../core/events.ts'
import { endpointStates } from '../../events/endpoints.ts'
import { schema } from '../public/description.ts'
import { PageQuery } from '../public/schemas.ts'
import { closed, id, instant, nullable } from '../schemas.ts'

export const eventsPath = '/api/events/v1'

const choice = <const T extends readonly string[]>(names: T) => Type.Enum([...names] as T[number][], { type: 'string' })

const settings = {
  name: Type.String({ minLength: 1, maxLength: endpointLimits.nameCharacters, description: 'For people.' }),
  url: Type.String({ maxLength: endpointLimits.urlCharacters, description: '`https:`, port 443 or from 1,024 on.' }),
  kinds: Type.Array(choice(wantedKinds), {
    minItems: 1,
    maxItems: wantedKinds.length,
    description: 'The events to send.',
  }),
  campaignIds: nullable(
    Type.Array(id, {
      minItems: 1,
      maxItems: endpointLimits.campaigns,
      description: 'Campaigns of the account; null: all.',
    }),
  ),
  leadTimes: Type.Array(Type.String({ maxLength: 12 }), {
    maxItems: endpointLimits.leadTimes,
    description: 'How long before the deadline `lead.deadline_approaching` is sent, such as `PT24H`.',
  }),
  personal: Type.Boolean({ description: 'Whether emails, links and countdown images are sent.' }),
  batch: Type.Integer({ minimum: 1, maximum: endpointLimits.batch, description: 'Events in one request, at most.' }),
  inFlight: Type.Integer({ minimum: 1, maximum: endpointLimits.inFlight, description: 'Requests at a time.' }),
  perMinute: nullable(
    Type.Integer({ minimum: 1, maximum: endpointLimits.perMinute }),
    'Events a minute, at most; null: no limit.',
  ),
} satisfies Record<keyof EndpointSettings, TSchema>

const { name, url, kinds, ...optional } = settings
export const EndpointInput = Type.Object(
  { name, url, kinds, ...Type.Partial(Type.Object(optional)).properties },
  {
    ...closed,
    description: `If left out: all campaigns, no lead time, with personal data, one event in a request, ${usualSettings.inFlight} requests at a time.`,
  },
)
export const EndpointChange = Type.Partial(Type.Object(settings), { ...closed, minProperties: 1 })

const counted = `counted up to ${mostCounted.toLocaleString('en')}`
export const Endpoint = Type.Object(
  {
    id,
    ...settings,
    state: choice(endpointStates),
    createdAt: instant,
    failingSince: nullable(instant, 'Since when its server has accepted nothing; null: it accepts events.'),
    nextTryAt: nullable(instant, 'Nothing is sent until then: its server failed, or asked to wait.'),
    waiting: Type.Integer({
      minimum: 0,
      maximum: mostCounted,
      description: `Events that are due and not yet sent, ${counted}.`,
    }),
    oldestDueAt: nullable(instant, 'Since when the oldest of them waits.'),
    givenUp: Type.Integer({
      minimum: 0,
      maximum: mostCounted,
      description: `Events that were given up and are still kept, for a resend, ${counted}.`,
    }),
  },
  closed,
)
const secretText = Type.String({ pattern: '^whsec_', description: 'Shown in this answer and nowhere else.' })
export const NewEndpoint = Type.Object({ ...Endpoint.properties, secret: secretText }, closed)
/** Lists name their items by reference: a generated client then has a type for one of them. */
export const EndpointList = Type.Object(
  { items: Type.Array(Type.Unsafe<Static<typeof Endpoint>>(schema('Endpoint'))), nextAfterId: nullable(id) },
  closed,
)
export const Secret = Type.Object({ secret: secretText }, closed)
export const SecretInput = Type.Object({ graceHours: Type.Integer({ minimum: 0, maximum: mostGraceHours }) }, closed)
export const BackfillInput = Type.Object({ campaignId: id }, closed)
export const ResumeInput = Type.Object({ from: choice(['stop', 'now']) }, closed)
export const ResendInput = Type.Object(
  { failedSince: Type.String({ maxLength: 40, description: 'An instant such as `2026-06-05T03:59:00Z`.' }) },
  closed,
)
export const Resent = Type.Object({ resent: Type.Integer({ minimum: 0 }) }, closed)

const outcome = {
  status: nullable(Type.Integer({ description: 'Status of the answer; null if none came.' })),
  cause: nullable(choice(tryCauses), 'Why the try failed; null: it was delivered.'),
  milliseconds: Type.Integer({ minimum: 0 }),
}
export const TestResult = Type.Object({ delivered: Type.Boolean(), ...outcome }, closed)
export const Delivery = Type.Object(
  {
    eventId: Type.String({ pattern: eventIdPattern }),
    type: choice(eventKinds),
    happenedAt: instant,
    triedAt: instant,
    try: Type.Integer({
      minimum: 1,
      description: 'Number of the try. After 410, 429, 503 and a failed batch the next one has the same.',
    }),
    ...outcome,
  },
  closed,
)
export const DeliveryList = Type.Object(
  {
    items: Type.Array(Type.Unsafe<Static<typeof Delivery>>(schema('Delivery'))),
    nextBefore: nullable(Type.String({ description: 'Pass as `before` for the next page.' })),
  },
  closed,
)
export const SampleList = Type.Object({ items: Type.Array(Type.Unsafe(schema('Event'))) }, closed)

export const LogQuery = Type.Object(
  {
    limit: PageQuery.properties.limit,
    outcome: Type.Optional(choice(['delivered', 'failed'])),
    before: Type.Optional(
      Type.String({
        pattern: logPlacePattern,
        description: '`nextBefore` of the previous page, or an instant such as `2026-06-05T03:59:00Z`.',
      }),
    ),
  },
  closed,
)
export const SampleQuery = Type.Object({ kind: Type.Optional(choice(eventKinds)) }, closed)
