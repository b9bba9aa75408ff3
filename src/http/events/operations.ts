// Every operation of the API for events: one table makes the routes and their description.
import { type EventKind, eventKinds } from '../../core/events.ts'
import { formatInstant, parseInstant, secondsOf } from '../../core/instant.ts'
import type { Endpoints } from '../../events/endpoints.ts'
import { sampleOf } from '../../events/samples.ts'
import type { Operation } from '../beside/operation.ts'
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
  query: Record<string, string | undefined>
  body: any
}

const one = '/endpoints/{endpointId}'
const notFound = ['ENDPOINT_NOT_FOUND'] as const
const notFoundOrOff = [...notFound, 'WEBHOOKS_OFF'] as const

export const operations: readonly Operation<Asked>[] = [
  {
    ...{ id: 'listEndpoints', method: 'GET', path: '/endpoints', summary: 'List endpoints' },
    ...{ query: PageQuery, answer: 'EndpointList', status: 200 },
    errors: ['INVALID_CURSOR'],
    async run({ endpoints, query }) {
      const limit = Number(query.limit ?? pageSize)
      // One more says whether another page follows.
      return pageOf(await endpoints.list(cursor(query.afterId), limit + 1), limit)
    },
  },
  {
    ...{ id: 'createEndpoint', method: 'POST', path: '/endpoints', summary: 'Make an endpoint' },
    ...{ body: shape.EndpointInput, answer: 'NewEndpoint', status: 201 },
    errors: ['TOO_MANY_ENDPOINTS', 'TARGET_NOT_ALLOWED', 'WEBHOOKS_OFF'],
    run: ({ endpoints, body }) => endpoints.create(body),
  },
  {
    ...{ id: 'getEndpoint', method: 'GET', path: one, summary: 'Read an endpoint' },
    ...{ answer: 'Endpoint', status: 200, errors: notFound },
    run: ({ endpoints, id }) => endpoints.read(id),
  },
  {
    ...{ id: 'changeEndpoint', method: 'PATCH', path: one, summary: 'Change an endpoint' },
    ...{ body: shape.EndpointChange, answer: 'Endpoint', status: 200, errors: [...notFound, 'TARGET_NOT_ALLOWED'] },
    run: ({ endpoints, id, body }) => endpoints.change(id, body),
  },
  {
    ...{ id: 'deleteEndpoint', method: 'DELETE', path: one, summary: 'Delete an endpoint' },
    ...{ answer: null, status: 204, errors: notFound },
    run: ({ endpoints, id }) => endpoints.remove(id),
  },
  {
    ...{ id: 'rotateSecret', method: 'POST', path: `${one}/secret`, summary: 'Make a new secret' },
    ...{ body: shape.SecretInput, answer: 'Secret', status: 200, errors: notFound },
    async run({ endpoints, id, body }) {
      const { secret } = await endpoints.rotate(id, body.graceHours)
      return { secret }
    },
  },
  {
    ...{ id: 'testEndpoint', method: 'POST', path: `${one}/test`, summary: 'Send a test event at once' },
    ...{ answer: 'TestResult', status: 200, errors: notFoundOrOff },
    run: ({ endpoints, id }) => endpoints.test(id),
  },
  {
    ...{
      id: 'backfill',
      method: 'POST',
      path: `${one}/backfill`,
      summary: 'Send `lead.registered` for every lead of a campaign',
    },
    ...{ body: shape.BackfillInput, answer: 'Endpoint', status: 202 },
    errors: [...notFoundOrOff, 'CAMPAIGN_NOT_FOUND'],
    run: ({ endpoints, id, body }) => endpoints.backfill(id, body.campaignId),
  },
  {
    ...{ id: 'pauseEndpoint', method: 'POST', path: `${one}/pause`, summary: 'Send nothing more' },
    ...{ answer: 'Endpoint', status: 200, errors: notFound },
    run: ({ endpoints, id }) => endpoints.pause(id),
  },
  {
    ...{ id: 'resumeEndpoint', method: 'POST', path: `${one}/resume` },
    summary: 'Go on where it stopped, or from now on',
    ...{ body: shape.ResumeInput, answer: 'Endpoint', status: 202, errors: notFoundOrOff },
    run: ({ endpoints, id, body }) => endpoints.resume(id, body.from),
  },
  {
    ...{ id: 'listDeliveries', method: 'GET', path: `${one}/deliveries`, summary: 'Read the log, newest first' },
    ...{ query: shape.LogQuery, answer: 'DeliveryList', status: 200, errors: notFound },
    async run({ endpoints, id, query }) {
      const { before, outcome, limit = pageSize } = query as { before?: string; outcome?: 'failed'; limit?: string }
      const { entries, next } = await endpoints.log(id, { outcome, before, limit: Number(limit) })
      const items = entries.map(({ eventId, kind, dueAt, atMs, tryNumber, status, cause, milliseconds }) => ({
        ...{ eventId, type: kind, happenedAt: formatInstant(dueAt), triedAt: formatInstant(secondsOf(atMs)) },
        ...{ try: tryNumber, status, cause, milliseconds },
      }))
      return { items, nextBefore: next }
    },
  },
  {
    ...{ id: 'resendDelivery', method: 'POST', path: `${one}/deliveries/{eventId}/resend` },
    summary: 'Send an event again, with the same id',
    ...{ answer: 'Resent', status: 202, errors: [...notFoundOrOff, 'DELIVERY_NOT_FOUND'] },
    async run({ endpoints, id, eventId }) {
      await endpoints.resend(id, eventId)
      return { resent: 1 }
    },
  },
  {
    ...{ id: 'resendFailed', method: 'POST', path: `${one}/deliveries/resend` },
    summary: 'Send again what was given up since then',
    ...{ body: shape.ResendInput, answer: 'Resent', status: 202, errors: notFoundOrOff },
    async run({ endpoints, id, body }) {
      const since = parseInstant(body.failedSince)
      if (since === undefined)
        throw new Refusal('VALIDATION_ERROR', 'failedSince must be an instant such as 2026-06-05T03:59:00Z')
      return { resent: await endpoints.resendFailed(id, since) }
    },
  },
  {
    ...{ id: 'getSamples', method: 'GET', path: '/samples', summary: 'Read an event of each kind as it would be sent' },
    ...{ query: shape.SampleQuery, answer: 'SampleList', status: 200, errors: [] },
    async run({ query }) {
      const kinds = query.kind === undefined ? eventKinds : [query.kind as EventKind]
      return { items: kinds.map(sampleOf) }
    },
  },
]
