// The public API: the three operations behind key, account and rate. Contract, "One order of checks".
import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { ConfigCache } from '../../campaigns/config-cache.ts'
import { prefix } from '../../core/api-key.ts'
import type { Site } from '../../core/offer.ts'
import type { Operation } from '../../core/operations.ts'
import type { RateVerdict } from '../../core/rate-window.ts'
import type { History } from '../../history/history.ts'
import type { Counting } from '../../leads/counting.ts'
import type { Leads } from '../../leads/leads.ts'
import type { Log } from '../../log.ts'
import type { LiveKey } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import { errorCodeOf, logFailure, Refusal, sendError } from '../errors.ts'
import { parseId, valuesOf } from '../framework.ts'
import { useJson } from '../json.ts'
import type { Metrics } from '../metrics.ts'
import { shedLoad } from '../overload.ts'
import { addCampaignRoutes } from './campaigns.ts'
import { description } from './description.ts'
import { validationMessage } from './input.ts'
import { addLeadRoutes } from './leads.ts'
import { basePath } from './schemas.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The key of a request that has passed rows 1 and 2 of the contract. */
    key: LiveKey | null
    /** How long it has waited for the database so far, in milliseconds. */
    waitedMs: number
  }
  interface FastifyContextConfig {
    operation?: Operation
  }
}

type PublicApiParts = {
  store: Store
  configCache: ConfigCache
  leads: Leads
  history: History
  counting: Counting
  metrics: Metrics
  log: Log
  /** Wall clock, milliseconds. */
  now(): number
  site: Site
  /** For an account without a limit of its own. */
  rateLimitPerMinute: number
}

/** To be registered under `basePath`. */
export function publicApi(parts: PublicApiParts): FastifyPluginAsync {
  return async (scope) => {
    useContract(scope, parts, description(basePath))
    afterEach(scope, (request, reply) => noteRequest(parts, request, reply))
    scope.register(async (guarded) => {
      // Every key may call it: scopes only add to it.
      await guard(guarded, parts, null)
      addCampaignRoutes(guarded, parts.store)
      addLeadRoutes(guarded, parts)
    })
  }
}

/** Bodies, errors and the description, as the contract has them. */
export function useContract(
  scope: FastifyInstance,
  { log, site }: Pick<PublicApiParts, 'log' | 'site'>,
  description: object,
): void {
  scope.decorateRequest('key', null)
  scope.decorateRequest('waitedMs', 0)
  useJson(scope)
  scope.setSchemaErrorFormatter(([fault], place) => new Refusal('VALIDATION_ERROR', validationMessage(fault, place)))
  scope.setErrorHandler((error, request, reply) => {
    // A body without a media type is refused (contract, row 7); Fastify would go on without it.
    const hasNoType = request.headers['content-type'] === undefined && request.body === undefined
    const isMissing = hasNoType && (error as FastifyError).validationContext === 'body'
    const code = isMissing ? 'UNSUPPORTED_MEDIA_TYPE' : errorCodeOf(error)
    logFailure(log, code, error, request)
    return sendError(reply, code, !isMissing && error instanceof Refusal ? error.message : undefined)
  })
  // Behind a proxy the service may be below a path, which a client that reads the description must put in front too.
  const servers = [{ url: new URL(`${site.publicUrl}${scope.prefix}`).pathname }]
  const described = JSON.stringify({ ...description, servers })
  scope.get('/openapi.json', async (_, reply) => reply.type('application/json').send(described))
}

/** Calls behind each answer, also where the connection broke before it: then Fastify has no `onResponse`. */
export function afterEach(scope: FastifyInstance, act: (request: FastifyRequest, reply: FastifyReply) => void): void {
  // Without such a hook Fastify would measure no time either.
  scope.addHook('onResponse', (request, reply, done) => {
    act(request, reply)
    done()
  })
  scope.addHook('onSend', (request, reply, _payload, done) => {
    // Otherwise a caller would send the next request on a connection that is about to close.
    if (scope.isStopping) reply.header('Connection', 'close')
    if (reply.raw.destroyed) act(request, reply)
    else reply.raw.once('close', () => reply.raw.writableFinished || act(request, reply))
    done()
  })
}

/** A change, such as a revoked key, takes effect within this time (contract, "Points of detail"). */
const changeHoldsMs = 1_000

/** Rows 1 to 4 of the contract come before anything else in this scope, also for unknown paths. */
export async function guard(scope: FastifyInstance, parts: AuthorizeParts, admission: Admission | null): Promise<void> {
  await shedLoad(scope)
  scope.addHook('onRequest', authorize(parts, admission))
  // A body may take half a minute to arrive; a key that is revoked meanwhile must not make an endpoint.
  scope.addHook('preHandler', async (request, reply) => {
    if (reply.elapsedTime < changeHoldsMs) return
    const beganAt = performance.now()
    const key = await findKey(parts.configCache, request.headers.authorization ?? '', parts.now())
    request.waitedMs += performance.now() - beganAt
    if (key === undefined) return unauthorized(reply, ', error="invalid_token"')
    if (key.account.suspended) return sendError(reply, 'ACCOUNT_SUSPENDED')
    request.key = key
  })
  // The hook of rows 1 to 4 answers 404; without this handler Fastify would not call it.
  scope.setNotFoundHandler((_, reply) => sendError(reply, 'NOT_FOUND'))
}

export type AuthorizeParts = Pick<PublicApiParts, 'configCache' | 'store' | 'now' | 'rateLimitPerMinute'>

/** What a surface has of its own between rows 1 and 4. */
export type Admission = {
  /** Whether the key has the scope that the request needs, if it needs one. */
  admits(key: LiveKey, request: FastifyRequest): boolean
  /** In place of the public API's window for an account's requests. */
  count?(accountId: number, limit: number, nowMs: number, waitedMs: number): Promise<RateVerdict>
}

/** Rows 1 to 4 of the contract. */
function authorize({ configCache, store, now, rateLimitPerMinute }: AuthorizeParts, admission: Admission | null) {
  const count = admission?.count ?? store.rates.count
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const beganAt = performance.now()
    const given = valuesOf(request.raw.rawHeaders, 'authorization')
    if (given.length === 0) return unauthorized(reply, '')
    const key = given.length === 1 ? await findKey(configCache, given[0] as string, now()) : undefined
    if (key === undefined) return unauthorized(reply, ', error="invalid_token"')
    const { account } = key
    if (account.suspended) return sendError(reply, 'ACCOUNT_SUSPENDED')
    request.key = key
    const limit = account.rateLimit ?? rateLimitPerMinute
    const rate = await count(account.id, limit, now(), performance.now() - beganAt)
    reply.headers({
      'RateLimit-Limit': limit,
      'RateLimit-Remaining': rate.remaining,
      'RateLimit-Reset': rate.resetSeconds,
    })
    if (!rate.allowed) return sendError(reply.header('Retry-After', rate.resetSeconds), 'RATE_LIMITED')
    // Counted like any other: a client that asks again and again without the scope gets 429 too.
    if (admission?.admits(key, request) === false) return sendError(reply, 'FORBIDDEN')
    request.waitedMs = performance.now() - beganAt
    // The connection broke meanwhile: Fastify would wait for the body for ever.
    if (reply.raw.destroyed && request.method !== 'GET') return sendError(reply, 'INVALID_JSON')
    // Checked before the body, which could be wrong too.
    if (request.is404) return sendError(reply, 'NOT_FOUND')
  }
}

const uuidLength = 36
const secretLength = 43
const dotAt = prefix.length + uuidLength
const keyLength = dotAt + 1 + secretLength

/** Compared with the secret if there is no such key, so that the answer takes the same time. */
const noHash = new Uint8Array(32)

/**
 * The key in the value of an `Authorization` header (RFC 6750, section 2.1): known, with the right secret, and not
 * revoked at `nowMs` (wall clock). One that was replaced works until its time of grace ends.
 */
export async function findKey(
  configCache: ConfigCache,
  authorization: string,
  nowMs: number,
): Promise<LiveKey | undefined> {
  const token = authorization.replace(/^bearer +/i, '')
  // Wrong characters in uuid or secret need no check: no such key is found.
  const isKey = token.length === keyLength && token.startsWith(prefix) && token[dotAt] === '.'
  if (!isKey || token === authorization) return undefined
  const key = await configCache.liveKey(token.slice(prefix.length, dotAt))
  const isRight = timingSafeEqual(hash('sha256', token.slice(dotAt + 1), 'buffer'), key?.secretHash ?? noHash)
  if (key === undefined || !isRight) return undefined
  return key.graceEndsAt === null || nowMs < key.graceEndsAt * 1_000 ? key : undefined
}

function unauthorized(reply: FastifyReply, detail: string): FastifyReply {
  return sendError(reply.header('WWW-Authenticate', `Bearer realm="lastcall"${detail}`), 'UNAUTHORIZED')
}

/** After the answer: metrics and the request history. */
function noteRequest(
  { metrics, history, counting, now }: PublicApiParts,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const operation = request.routeOptions.config?.operation ?? null
  const { key } = request
  const milliseconds = reply.elapsedTime
  metrics.requests.inc({ operation: operation ?? 'none', status: reply.statusCode })
  metrics.durations.observe({ operation: operation ?? 'none' }, milliseconds / 1_000)
  if (key === null) return
  const atMs = Math.round(now() - milliseconds)
  counting.keyUsed(key.id, atMs)
  history.record({
    atMs,
    requestId: request.id,
    accountId: key.account.id,
    keyId: key.id,
    operation,
    campaignId: parseId((request.params as { campaignId?: string }).campaignId),
    status: reply.statusCode,
    errorCode: reply.errorCode,
    milliseconds,
  })
}
