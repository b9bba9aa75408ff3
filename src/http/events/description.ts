// The description of the API for events; `webhooks` is what is sent.
import { type EventKind, eventIdPattern, eventKinds } from '../../core/events.ts'
import { sampleOf } from '../../events/samples.ts'
import { describe } from '../beside/description.ts'
import { schema } from '../public/description.ts'
import { eventOperations } from './operations.ts'
import * as shape from './schemas.ts'
import { told } from './told.ts'

const header = (name: string, description: string, pattern: string) => ({
  ...{ name, in: 'header', required: true, description },
  schema: { type: 'string', pattern },
})

const asksForTime = {
  description: 'Nothing more is sent for `Retry-After`, at most an hour, or for a minute without one.',
}
const notAccepted = {
  description: 'Not accepted: the event is tried again, with longer and longer pauses. A redirect is not followed.',
}

function webhook(kind: EventKind) {
  return {
    post: {
      operationId: `told.${kind}`,
      summary: kind,
      tags: ['Events'],
      security: [],
      parameters: [
        header('webhook-id', 'The same however often this event is sent: deduplicate by it.', eventIdPattern),
        header('webhook-timestamp', 'When it was sent, in seconds.', '^[0-9]+$'),
        header('webhook-signature', 'As in Standard Webhooks, one for each valid secret.', '^v1,'),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: { anyOf: [schema(kind), schema('Batch')] }, example: sampleOf(kind) },
        },
      },
      responses: {
        '2XX': { description: 'Accepted.' },
        410: { description: 'Send nothing more: the endpoint is paused.' },
        429: asksForTime,
        503: asksForTime,
        '3XX': notAccepted,
        '4XX': notAccepted,
        '5XX': notAccepted,
      },
    },
  }
}

/** Queries are described as parameters. */
const { eventsPath, LogQuery, SampleQuery, ...schemas } = shape

export const description = describe({
  title: 'Lastcall API for events',
  description: 'Manages endpoints, which get events about leads in signed requests (Standard Webhooks 1.0.0).',
  path: eventsPath,
  tags: [
    { name: 'Endpoints', description: 'Where events are sent, and which.' },
    { name: 'Events', description: 'The events that are sent.' },
  ],
  operations: eventOperations,
  schemas: { ...schemas, ...told },
  scope: 'events',
  webhooks: Object.fromEntries(eventKinds.map((kind) => [kind, webhook(kind)])),
})
