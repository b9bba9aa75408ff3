// The APIs beside the public one, for events and for conversions: the same keys, order of checks, headers and error
// body. Each is a table of operations.
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { bodyLimitBytes } from '../../core/errors.ts'
import type { Site } from '../../core/offer.ts'
import type { Counting } from '../../leads/counting.ts'
import type { Log } from '../../log.ts'
import { type Admission, type AuthorizeParts, afterEach, guard, useContract } from '../public/api.ts'
import { ErrorBody, idPattern, NoQuery } from '../public/schemas.ts'
import { namesIn, type Operation } from './operation.ts'

export type BesideParts = AuthorizeParts & { counting: Counting; log: Log; site: Site }

type BesideRoute = {
  Params: { campaignId?: string; endpointId?: string; eventId?: string }
  Querystring: Record<string, string>
}
type BesideRequest = FastifyRequest<BesideRoute>

type Beside<Of extends Operation> = {
  operations: readonly Of[]
  description: object
  admission: Admission
  perform(operation: Of, request: BesideRequest): Promise<unknown>
}

/** To be registered under the path of the API. */
export function apiBeside<Of extends Operation>(parts: BesideParts, api: Beside<Of>): FastifyPluginAsync {
  return async (scope) => {
    useContract(scope, parts, api.description)
    afterEach(scope, ({ key }) => {
      if (key !== null) parts.counting.keyUsed(key.id, parts.now())
    })
    scope.register(async (guarded) => {
      await guard(guarded, parts, api.admission)
      for (const operation of api.operations.filter(({ body }) => body !== undefined)) addRoute(guarded, operation, api)
      guarded.register(async (bodiless) => {
        bodiless.removeAllContentTypeParsers()
        // Whatever body comes, of whatever type, it stays unread.
        bodiless.addHook('onRequest', async ({ headers }) => void delete headers['content-type'])
        bodiless.addContentTypeParser('*', (_request, _payload, done) => done(null))
        for (const operation of api.operations.filter(({ body }) => body === undefined))
          addRoute(bodiless, operation, api)
      })
    })
  }
}

function addRoute<Of extends Operation>(scope: FastifyInstance, operation: Of, { perform }: Beside<Of>): void {
  const { method, path, query = NoQuery, body, status, isRepeatable } = operation
  scope.route<BesideRoute>({
    method,
    // As in the public API (`leadsPath`): with an empty id the path is unknown, and `1%2F2` is a wrong id.
    url: path.replace(/\{(\w+)\}/g, ':$1(^[^]+$)'),
    bodyLimit: bodyLimitBytes,
    schema: {
      params: idsIn(path),
      querystring: query,
      response: { '4xx': ErrorOfAny, '5xx': ErrorOfAny },
      ...(body && { body }),
    },
    handler: async (request, reply) => {
      const answer = await perform(operation, request)
      const isRepeat = isRepeatable && !(answer as { created: boolean }).created
      return reply.code(isRepeat ? 200 : status).send(status === 204 ? undefined : answer)
    },
  })
}

/** What a path names by an integer: all but events. */
function idsIn(path: string): object {
  const names = namesIn(path).filter((name) => name !== 'eventId')
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, idText])) }
}

const idText = { type: 'string', pattern: idPattern }

/** As the public API's, with further codes. */
const ErrorOfAny = { ...ErrorBody, properties: { ...ErrorBody.properties, code: { type: 'string' } } }
