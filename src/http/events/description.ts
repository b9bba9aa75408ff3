// The description of the API for events; `webhooks` is what is sent.
import { type EventKind, eventKinds } from '../../core/events.ts'
import { sampleOf } from '../../events/samples.ts'
import { describe, listOf } from '../beside/description.ts'
import { schema } from '../public/description.ts'
import { operations } from './operations.ts'
import * as shape from './schemas.ts'
import { told } from './told.ts'

const header = (name: string, description: string, pattern: string) => ({
  ...{ name, in: 'header', required: true, description },
  schema: { type: 'string', pattern },
})

const asksForTime = { description: 'Nothing more is sent for `Retry-After`, else a minute, an hour at most.' }

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
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: { anyOf: [schema(kind), schema('Batch')] }, example: sampleOf(kind) },
        },
      },
      responses: {
        '2XX': { description: 'Taken.' },
        410: { description: 'Nothing is to be sent here any more: the endpoint is paused.' },
        '3XX': { description: 'Not followed, and not taken.' },
        429: asksForTime,
        503: asksForTime,
        '4XX': { description: 'Not taken: it comes again, after longer and longer, for three days.' },
        '5XX': { description: 'Not taken. After five events in a row the server is left alone for a while.' },
      },
    },
  }
}

const { Endpoint, NewEndpoint, EndpointList, EndpointInput, EndpointChange, Secret, SecretInput, BackfillInput } = shape
const { ResumeInput, ResendInput, Resent, TestResult, Delivery, DeliveryList, SampleList } = shape

export const description = describe({
  title: 'Lastcall API for events',
  description: 'Manages endpoints, which are told of leads by signed requests (Standard Webhooks 1.0.0).',
  path: shape.eventsPath,
  tags: [
    { name: 'Endpoints', description: 'Who is told, and of what.' },
    { name: 'Events', description: 'What is told.' },
  ],
  operations,
  schemas: {
    ...{ Endpoint, NewEndpoint, EndpointInput, EndpointChange, Secret, SecretInput, BackfillInput },
    ...{ ResumeInput, ResendInput, Resent, TestResult, Delivery },
    ...told,
    EndpointList: listOf(EndpointList, 'Endpoint'),
    DeliveryList: listOf(DeliveryList, 'Delivery'),
    SampleList: listOf(SampleList, 'Event'),
  },
  scope: 'events',
  webhooks: Object.fromEntries(eventKinds.map((kind) => [kind, webhook(kind)])),
})
