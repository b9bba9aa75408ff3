// The description of the API for events, OpenAPI 3.1, made of its table of operations; `webhooks` is what is sent.
import { bodyLimitBytes, type ErrorCode, errorMessage, errorStatus } from '../../core/errors.ts'
import { type EventKind, eventKinds } from '../../core/events.ts'
import { sampleOf } from '../../events/samples.ts'
import { components, everyAnswer, failuresOf, rate } from '../public/description.ts'
import { ErrorBody } from '../public/schemas.ts'
import { type Operation, operations } from './operations.ts'
import * as shape from './schemas.ts'

const version = '1.0.0'

const codesOf = {
  status: { ...errorStatus, ...shape.eventErrorStatus },
  message: { ...errorMessage, ...shape.eventErrorMessage },
}
type Code = keyof typeof codesOf.status

const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (name: string, more: object = {}) => ({ 'application/json': { schema: schema(name), ...more } })

const always: readonly Code[] = ['UNAUTHORIZED', 'ACCOUNT_SUSPENDED', 'FORBIDDEN', 'RATE_LIMITED', 'VALIDATION_ERROR']
const ofBodies: readonly Code[] = ['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
const anyTime: readonly ErrorCode[] = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']

function failures({ body, errors, needsOn }: Operation) {
  const off = needsOn ? (['WEBHOOKS_OFF'] as const) : []
  return failuresOf([...always, ...(body ? ofBodies : []), ...errors, ...off, ...anyTime], codesOf)
}

const parameter = (name: string, place: 'path' | 'query', of: object) => ({
  name,
  in: place,
  required: place === 'path',
  schema: of,
})
const inPath = {
  endpointId: parameter('endpointId', 'path', { type: 'integer', minimum: 1 }),
  eventId: parameter('eventId', 'path', shape.Delivery.properties.eventId),
}

function described(operation: Operation) {
  const { id, path, summary, query, body, answer, status } = operation
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => inPath[name as keyof typeof inPath])
  const asked = Object.entries((query as { properties?: Record<string, object> })?.properties ?? {})
  const bodyName = Object.entries(shape).find(([, known]) => known === body)?.[0]
  const parameters = [...names, ...asked.map(([name, of]) => parameter(name, 'query', of))]
  const headers = { ...everyAnswer, ...rate }
  const success = { description: summary, headers, ...(answer && { content: json(answer) }) }
  return {
    ...{ operationId: id, summary, tags: ['Endpoints'] },
    ...(parameters.length > 0 && { parameters }),
    ...(bodyName && {
      requestBody: { required: true, description: `At most ${bodyLimitBytes} bytes.`, content: json(bodyName) },
    }),
    responses: { [status]: success, ...failures(operation) },
  }
}

const header = (name: string, description: string, pattern: string) => ({
  ...{ name, in: 'header', required: true, description },
  schema: { type: 'string', pattern },
})

function webhook(kind: EventKind) {
  return {
    post: {
      operationId: `told.${kind}`,
      summary: kind,
      tags: ['Events'],
      security: [],
      parameters: [
        header('webhook-id', 'The same however often this event is told: deduplicate by it.', '^evt_[0-9a-f]{32}$'),
        header('webhook-timestamp', 'When it was sent, in seconds.', '^[0-9]+$'),
        header('webhook-signature', 'Standard Webhooks, one for each secret that holds.', '^v1,'),
      ],
      requestBody: { required: true, content: json('Event', { example: sampleOf(kind) }) },
      responses: {
        '2XX': { description: 'Taken.' },
        410: { description: 'Nothing is to be sent here any more: the endpoint is paused.' },
        '4XX': { description: 'Not taken: it comes again, after longer and longer, for three days.' },
        '5XX': { description: 'Not taken. After five in a row the server is left alone for a while.' },
      },
    },
  }
}

const { Endpoint, NewEndpoint, EndpointList, EndpointInput, EndpointChange, Secret, SecretInput, BackfillInput } = shape
const { ResumeInput, ResendInput, Resent, TestResult, Delivery, DeliveryList, Event, SampleList } = shape
/** By reference, so that generated clients have a type for one item. */
const listOf = (list: { properties: object }, item: string) => ({
  ...list,
  properties: { ...list.properties, items: { type: 'array', items: schema(item) } },
})
const lists = {
  EndpointList: listOf(EndpointList, 'Endpoint'),
  DeliveryList: listOf(DeliveryList, 'Delivery'),
  SampleList: listOf(SampleList, 'Event'),
}
const codes = Object.keys(codesOf.status)
const error = { ...ErrorBody, properties: { ...ErrorBody.properties, code: { type: 'string', enum: codes } } }

/** The description, with the whole base address of the API, relative or absolute, as its server. */
export function description(server: string) {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: described(operation) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lastcall API for events',
      version,
      description: 'Manages endpoints, which are told of leads by signed requests (Standard Webhooks 1.0.0).',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Endpoints', description: 'Who is told, and of what.' },
      { name: 'Events', description: 'What is told.' },
    ],
    paths,
    webhooks: Object.fromEntries(eventKinds.map((kind) => [kind, webhook(kind)])),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'A key with the scope `events`.' },
      },
      headers: components.headers,
      schemas: {
        ...{ Endpoint, NewEndpoint, EndpointInput, EndpointChange, Secret, SecretInput, BackfillInput },
        ...{ ResumeInput, ResendInput, Resent, TestResult, Delivery, Event, Error: error },
        ...lists,
      },
    },
  }
}
