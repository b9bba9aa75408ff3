// Every operation of the API for events: one table makes the routes and their description.
import { eventKinds } from '../../core/events.ts'
import { formatInstant, parseInstant, secondsOf } from '../../core/instant.ts'
import type { Endpoints } from '../../events/endpoints.ts'
import { sampleOf } from '../../events/samples.ts'
import { type Operation, operation } from '../beside/operation.ts'
import { Refusal } from '../errors.ts'
import { cursor, pageOf } from '../public/paging.ts'
import { PageQuery, pageSize } from '../public/schemas.ts'
import * as shape from './schemas.ts'

type Asked = {
  /** Those of the key's account. */
  endpoints: ReturnType<Endpoints['of']>
  /** The endpoint that the path names; 0, which none has, where it names none. */
  id: number
  eventId: string
}

const one = '/endpoints/{endpointId}'
const notFound = ['ENDPOINT_NOT_FOUND'] as const
const notFoundOrOff = [...notFound, 'WEBHOOKS_OFF'] as const

export const eventOperations: readonly Operation<Asked>[] = [
  operation('GET /endpoints', 'listEndpoints', 'List endpoints', shape.EndpointList, {
    query: PageQuery,
    errors: ['INVALID_CURSOR'],
    async run({ endpoints, query }) {
      const limit = Number(query.limit ?? pageSize)
      // One more says whether another page follows.
      return pageOf(await endpoints.list(cursor(query.afterId), limit + 1), limit)
    },
  }),
  operation('POST /endpoints', 'createEndpoint', 'Make an endpoint', shape.NewEndpoint, {
    body: shape.EndpointInput,
    status: 201,
    errors: ['TOO_MANY_ENDPOINTS', 'TARGET_NOT_ALLOWED', 'WEBHOOKS_OFF'],
    run: ({ endpoints, body }) => endpoints.create(body),
  }),
  operation(`GET ${one}`, 'getEndpoint', 'Read an endpoint', shape.Endpoint, {
    errors: notFound,
    run: ({ endpoints, id }) => endpoints.read(id),
  }),
  operation(`PATCH ${one}`, 'changeEndpoint', 'Change an endpoint', shape.Endpoint, {
    body: shape.EndpointChange,
    errors: [...notFound, 'TARGET_NOT_ALLOWED'],
    run: ({ endpoints, id, body }) => endpoints.change(id, body),
  }),
  operation(`DELETE ${one}`, 'deleteEndpoint', 'Delete an endpoint', null, {
    status: 204,
    errors: notFound,
    run: ({ endpoints, id }) => endpoints.remove(id),
  }),
  operation(`POST ${one}/secret`, 'rotateSecret', 'Make a new secret', shape.Secret, {
    body: shape.SecretInput,
    errors: notFound,
    async run({ endpoints, id, body }) {
      const { secret } = await endpoints.rotate(id, body.graceHours)
      return { secret }
    },
  }),
  operation(`POST ${one}/test`, 'testEndpoint', 'Send a test event at once', shape.TestResult, {
    errors: notFoundOrOff,
    run: ({ endpoints, id }) => endpoints.test(id),
  }),
  operation(`POST ${one}/backfill`, 'backfill', 'Send `lead.registered` for every lead of a campaign', shape.Endpoint, {
    body: shape.BackfillInput,
    status: 202,
    errors: [...notFoundOrOff, 'CAMPAIGN_NOT_FOUND'],
    run: ({ endpoints, id, body }) => endpoints.backfill(id, body.campaignId),
  }),
  operation(`POST ${one}/pause`, 'pauseEndpoint', 'Send nothing more', shape.Endpoint, {
    errors: notFound,
    run: ({ endpoints, id }) => endpoints.pause(id),
  }),
  operation(`POST ${one}/resume`, 'resumeEndpoint', 'Go on where it stopped, or from now on', shape.Endpoint, {
    body: shape.ResumeInput,
    status: 202,
    errors: notFoundOrOff,
    run: ({ endpoints, id, body }) => endpoints.resume(id, body.from),
  }),
  operation(`GET ${one}/deliveries`, 'listDeliveries', 'Read the log, newest first', shape.DeliveryList, {
    query: shape.LogQuery,
    errors: notFound,
    async run({ endpoints, id, query }) {
      const { before, outcome, limit = pageSize } = query
      const { entries, next } = await endpoints.log(id, { outcome, before, limit: Number(limit) })
      const items = entries.map(({ eventId, kind, dueAt, atMs, tryNumber, status, cause, milliseconds }) => ({
        ...{ eventId, type: kind, happenedAt: formatInstant(dueAt), triedAt: formatInstant(secondsOf(atMs)) },
        ...{ try: tryNumber, status, cause, milliseconds },
      }))
      return { items, nextBefore: next }
    },
  }),
  operation(
    `POST ${one}/deliveries/{eventId}/resend`,
    'resendDelivery',
    'Send an event again, with the same id',
    shape.Resent,
    {
      status: 202,
      errors: [...notFoundOrOff, 'DELIVERY_NOT_FOUND'],
      async run({ endpoints, id, eventId }) {
        await endpoints.resend(id, eventId)
        return { resent: 1 }
      },
    },
  ),
  operation(`POST ${one}/deliveries/resend`, 'resendFailed', 'Send again what was given up since then', shape.Resent, {
    body: shape.ResendInput,
    status: 202,
    errors: notFoundOrOff,
    async run({ endpoints, id, body }) {
      const since = parseInstant(body.failedSince)
      if (since === undefined)
        throw new Refusal('VALIDATION_ERROR', 'failedSince must be an instant such as 2026-06-05T03:59:00Z')
      return { resent: await endpoints.resendFailed(id, since) }
    },
  }),
  operation('GET /samples', 'getSamples', 'Read an event of each kind as it would be sent', shape.SampleList, {
    query: shape.SampleQuery,
    async run({ query }) {
      const kinds = query.kind === undefined ? eventKinds : [query.kind]
      return { items: kinds.map(sampleOf) }
    },
  }),
]
