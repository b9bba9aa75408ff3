// The API for events, beside the public one: the same key, order of checks, headers and error body, with a scope and a
// rate window of its own.
import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from 'fastify'
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { keyHint } from '../../core/api-key.ts'
import { bodyLimitBytes, type ErrorCode, errorMessage, errorStatus } from '../../core/errors.ts'
import type { Endpoints } from '../../events/endpoints.ts'
import type { Counting } from '../../leads/counting.ts'
import type { Log } from '../../log.ts'
import type { Actor } from '../../store/audit.ts'
import type { Endpoint } from '../../store/events.ts'
import type { LiveKey } from '../../store/model.ts'
import { shortAddress } from '../address.ts'
import { errorCodeOf, logFailure } from '../errors.ts'
import { useJson } from '../json.ts'
import { shedLoad } from '../overload.ts'
import { type AuthorizeParts, authorize } from '../public/api.ts'
import { parseId } from '../public/leads.ts'
import { ErrorBody, NoQuery } from '../public/schemas.ts'
import { description } from './description.ts'
import { EventRefusal, type Operation, operations } from './operations.ts'
import { type EventErrorCode, eventErrorMessage, eventErrorStatus, eventsPath } from './schemas.ts'

export type EventsApiParts = AuthorizeParts & { endpoints: Endpoints; counting: Counting; log: Log }

type Code = ErrorCode | EventErrorCode

const statusOf: Record<Code, number> = { ...errorStatus, ...eventErrorStatus }
const messageOf: Record<Code, string> = { ...errorMessage, ...eventErrorMessage }

/** To be registered under `eventsPath`. */
export function eventsApi(parts: EventsApiParts): FastifyPluginAsync {
  const { store } = parts
  return async (scope) => {
    scope.decorateRequest('key', null)
    scope.decorateRequest('waitedMs', 0)
    useJson(scope)
    scope.setSchemaErrorFormatter(([fault], place) => new EventRefusal('VALIDATION_ERROR', faultText(fault, place)))
    scope.setErrorHandler((error, request, reply) => {
      const code = error instanceof EventRefusal ? error.code : errorCodeOf(error)
      logFailure(parts.log, code, error, request)
      return send(reply, code, error instanceof EventRefusal && error.message !== '' ? error.message : undefined)
    })
    scope.addHook('onResponse', async ({ key }) => {
      if (key !== null) parts.counting.keyUsed(key.id, parts.now())
    })
    const described = JSON.stringify(description(eventsPath))
    scope.get('/openapi.json', async (_, reply) => reply.type('application/json').send(described))
    scope.register(async (guarded) => {
      await shedLoad(guarded)
      const check = authorize(parts, {
        refuse: ({ scopes }, reply) => (scopes.includes('events') ? undefined : send(reply, 'FORBIDDEN')),
        count: (accountId, limit, nowMs) => store.rates.countVisitor(`events of ${accountId}`, limit, nowMs),
      })
      guarded.addHook('onRequest', check)
      // The hook above answers 404; without this handler Fastify would not call it.
      guarded.setNotFoundHandler((_, reply) => send(reply, 'NOT_FOUND'))
      for (const operation of operations.filter(({ body }) => body !== undefined)) addRoute(guarded, operation, parts)
      guarded.register(async (bodiless) => {
        bodiless.removeAllContentTypeParsers()
        // Whatever body comes, it stays unread.
        bodiless.addContentTypeParser('*', (_request, _payload, done) => done(null))
        for (const operation of operations.filter(({ body }) => body === undefined))
          addRoute(bodiless, operation, parts)
      })
    })
  }
}

function addRoute(scope: FastifyInstance, operation: Operation, { endpoints, store, now }: EventsApiParts): void {
  const { method, path, query = NoQuery, body, status, run, needsOn } = operation
  scope.route<{ Params: { endpointId?: string; eventId?: string }; Querystring: Record<string, string> }>({
    method,
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: bodyLimitBytes,
    schema: { querystring: query, ...(body && { body }), response: { '4xx': ErrorOfAny, '5xx': ErrorOfAny } },
    handler: async ({ key, params, query: asked, body: given, ip }, reply) => {
      if (needsOn && !endpoints.isOn) throw new EventRefusal('WEBHOOKS_OFF')
      const { id: keyId, account } = key as LiveKey
      const accountId = account.id
      const at = Math.floor(now() / 1_000)
      const by: Actor = { kind: 'key', name: keyHint(keyId), address: shortAddress(ip), at }
      const endpoint = path.includes('{endpointId}')
        ? await needEndpoint(endpoints, accountId, params.endpointId)
        : noEndpoint
      const { eventId = '' } = params
      const answer = await run({ endpoints, store, accountId, by, endpoint, eventId, query: asked, body: given })
      return reply.code(status).send(status === 204 ? undefined : answer)
    },
  })
}

/** What an operation without an endpoint in its path never looks at. */
const noEndpoint = {} as Endpoint

async function needEndpoint(endpoints: Endpoints, accountId: number, text: string | undefined): Promise<Endpoint> {
  const id = parseId(text)
  const found = id === null ? undefined : await endpoints.find(accountId, id)
  if (found === undefined) throw new EventRefusal('ENDPOINT_NOT_FOUND')
  return found
}

/** As the public API's, with the codes of both. */
const ErrorOfAny = { ...ErrorBody, properties: { ...ErrorBody.properties, code: { type: 'string' } } }

function send(reply: FastifyReply, code: Code, message = messageOf[code]): FastifyReply {
  const body = { status: 'error', code, message, requestId: reply.request.id }
  return reply.code(statusOf[code]).type('application/json').send(body)
}

/** What is wrong, by the name of the property and never by its value. */
function faultText(fault: FastifySchemaValidationError | undefined, place: string): string {
  const { keyword, instancePath = '', message = 'is not valid', params = {} } = fault ?? {}
  const thing = place === 'querystring' ? 'query parameter' : 'property'
  const path = instancePath.slice(1).replaceAll('/', '.')
  if (keyword === 'additionalProperties')
    return `unknown ${thing} ${JSON.stringify(String(params.additionalProperty).slice(0, 60))}`
  if (keyword === 'required') return `${thing} ${String(params.missingProperty)} is missing`
  return path === '' ? 'the body must be a JSON object' : `${path} ${message}`
}
