// Every operation of the API for events: one table makes the routes and their description.
import { type EventKind, eventKinds } from '../../core/events.ts'
import type { Fault } from '../../core/fault.ts'
import { formatInstant, parseInstant } from '../../core/instant.ts'
import type { Endpoints } from '../../events/endpoints.ts'
import { sampleOf } from '../../events/samples.ts'
import type { Actor } from '../../store/audit.ts'
import { Refused } from '../../store/errors.ts'
import type { Endpoint } from '../../store/events.ts'
import type { Store } from '../../store/store.ts'
import type { Operation } from '../beside/operation.ts'
import { Refusal } from '../errors.ts'
import { pageOf } from '../public/paging.ts'
import { pageSize } from '../public/schemas.ts'
import * as shape from './schemas.ts'

export type Asked = {
  endpoints: Endpoints
  store: Store
  accountId: number
  by: Actor
  /** The one that the path names; of an operation without one it is never looked at. */
  endpoint: Endpoint
  eventId: string
  query: Record<string, string | undefined>
  body: any
}

const one = '/endpoints/{endpointId}'
const notFound = ['ENDPOINT_NOT_FOUND'] as const

export const operations: readonly Operation<Asked>[] = [
  {
    ...{ id: 'listEndpoints', method: 'GET', path: '/endpoints', summary: 'List endpoints' },
    ...{ query: shape.ListQuery, answer: 'EndpointList', status: 200, errors: [] },
    async run({ endpoints, accountId, query }) {
      const all = (await endpoints.list(accountId)).filter(({ id }) => id > Number(query.afterId ?? 0))
      const { items, nextAfterId } = pageOf(all, Number(query.limit ?? pageSize))
      return { items: await Promise.all(items.map(endpoints.view)), nextAfterId }
    },
  },
  {
    ...{ id: 'createEndpoint', method: 'POST', path: '/endpoints', summary: 'Make an endpoint', needsOn: true },
    ...{ body: shape.EndpointInput, answer: 'NewEndpoint', status: 201 },
    errors: ['TOO_MANY_ENDPOINTS', 'TARGET_NOT_ALLOWED'],
    async run({ endpoints, accountId, by, body }) {
      const settings = settingsOf(endpoints, body)
      const endpoint = await endpoints.create(accountId, settings, by).catch((error) => {
        throw error instanceof Refused ? new Refusal('TOO_MANY_ENDPOINTS') : error
      })
      return { ...(await endpoints.view(endpoint)), secret: endpoints.secret(endpoint) }
    },
  },
  {
    ...{ id: 'getEndpoint', method: 'GET', path: one, summary: 'Read an endpoint' },
    ...{ answer: 'Endpoint', status: 200, errors: notFound },
    run: ({ endpoints, endpoint }) => endpoints.view(endpoint),
  },
  {
    ...{ id: 'changeEndpoint', method: 'PATCH', path: one, summary: 'Change an endpoint' },
    ...{ body: shape.EndpointChange, answer: 'Endpoint', status: 200, errors: [...notFound, 'TARGET_NOT_ALLOWED'] },
    async run({ endpoints, endpoint, by, body }) {
      const changed = await endpoints.change(endpoint, settingsOf(endpoints, { ...endpoint.settings, ...body }), by)
      if (changed === undefined) throw new Refusal('ENDPOINT_NOT_FOUND')
      return endpoints.view(changed)
    },
  },
  {
    ...{ id: 'deleteEndpoint', method: 'DELETE', path: one, summary: 'Delete an endpoint' },
    ...{ answer: null, status: 204, errors: notFound },
    run: ({ endpoints, endpoint, by }) => endpoints.remove(endpoint, by),
  },
  {
    ...{ id: 'rotateSecret', method: 'POST', path: `${one}/secret`, summary: 'Make a new secret' },
    ...{ body: shape.SecretInput, answer: 'Secret', status: 200, errors: notFound },
    async run({ endpoints, endpoint, by, body }) {
      const secret = await endpoints.rotate(endpoint, body.graceHours, by)
      if (secret === undefined) throw new Refusal('ENDPOINT_NOT_FOUND')
      return { secret }
    },
  },
  {
    ...{ id: 'testEndpoint', method: 'POST', path: `${one}/test`, summary: 'Send a test event at once', needsOn: true },
    ...{ answer: 'TestResult', status: 200, errors: notFound },
    run: ({ endpoints, endpoint }) => endpoints.test(endpoint),
  },
  {
    ...{ id: 'backfill', method: 'POST', path: `${one}/backfill`, needsOn: true },
    summary: 'Tell of every lead that a campaign has',
    ...{ body: shape.BackfillInput, answer: 'Endpoint', status: 202, errors: [...notFound, 'CAMPAIGN_NOT_FOUND'] },
    async run({ endpoints, store, accountId, endpoint, by, body }) {
      const campaign = await store.configuration.findCampaign(body.campaignId)
      if (campaign?.accountId !== accountId) throw new Refusal('CAMPAIGN_NOT_FOUND')
      await endpoints.backfill(endpoint, body.campaignId, by)
      return endpoints.view(endpoint)
    },
  },
  {
    ...{ id: 'pauseEndpoint', method: 'POST', path: `${one}/pause`, summary: 'Tell it nothing more' },
    ...{ answer: 'Endpoint', status: 200, errors: notFound },
    async run({ endpoints, accountId, endpoint, by }) {
      await endpoints.pause(endpoint, by)
      return viewAgain(endpoints, accountId, endpoint)
    },
  },
  {
    ...{ id: 'resumeEndpoint', method: 'POST', path: `${one}/resume`, needsOn: true },
    summary: 'Go on where it stopped, or from now on',
    ...{ body: shape.ResumeInput, answer: 'Endpoint', status: 202, errors: notFound },
    async run({ endpoints, accountId, endpoint, by, body }) {
      await endpoints.resume(endpoint, body.from, by)
      return viewAgain(endpoints, accountId, endpoint)
    },
  },
  {
    ...{ id: 'listDeliveries', method: 'GET', path: `${one}/deliveries`, summary: 'Read the log, newest first' },
    ...{ query: shape.LogQuery, answer: 'DeliveryList', status: 200, errors: notFound },
    async run({ endpoints, endpoint, query }) {
      const { before, outcome, limit = pageSize } = query as { before?: string; outcome?: 'failed'; limit?: string }
      const page = await endpoints.log(endpoint, { outcome, before, limit: Number(limit) })
      if (page === undefined) {
        throw new Refusal('VALIDATION_ERROR', 'before must be nextBefore of an answer, or an instant')
      }
      const items = page.entries.map(({ eventId, kind, dueAt, atMs, tryNumber, status, cause, milliseconds }) => ({
        ...{ eventId, type: kind, happenedAt: formatInstant(dueAt), triedAt: formatInstant(Math.floor(atMs / 1_000)) },
        ...{ try: tryNumber, status, cause, milliseconds },
      }))
      return { items, nextBefore: page.next }
    },
  },
  {
    ...{ id: 'resendDelivery', method: 'POST', path: `${one}/deliveries/{eventId}/resend`, needsOn: true },
    summary: 'Tell an event again, with the same id',
    ...{ answer: 'Resent', status: 202, errors: [...notFound, 'DELIVERY_NOT_FOUND'] },
    async run({ endpoints, endpoint, by, eventId }) {
      if (!(await endpoints.resend(endpoint, eventId, by))) throw new Refusal('DELIVERY_NOT_FOUND')
      return { resent: 1 }
    },
  },
  {
    ...{ id: 'resendFailed', method: 'POST', path: `${one}/deliveries/resend`, needsOn: true },
    summary: 'Tell again what was given up since then',
    ...{ body: shape.ResendInput, answer: 'Resent', status: 202, errors: notFound },
    async run({ endpoints, endpoint, by, body }) {
      const since = parseInstant(body.failedSince)
      if (since === undefined) throw new Refusal('VALIDATION_ERROR', 'failedSince must be an instant')
      return { resent: await endpoints.resendFailed(endpoint, since, by) }
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

async function viewAgain(endpoints: Endpoints, accountId: number, { id }: Endpoint) {
  const endpoint = await endpoints.find(accountId, id)
  if (endpoint === undefined) throw new Refusal('ENDPOINT_NOT_FOUND')
  return endpoints.view(endpoint)
}

/** @throws Refusal */
function settingsOf(endpoints: Endpoints, value: unknown) {
  const checked = endpoints.check(value)
  if ('settings' in checked) return checked.settings
  const [{ path, message }] = checked.faults as [Fault]
  throw new Refusal(path === 'url' ? 'TARGET_NOT_ALLOWED' : 'VALIDATION_ERROR', `${path} ${message}`)
}
