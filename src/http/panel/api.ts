// The panel's API: every route of the table, behind the checks that hold for all of them.
import { constants } from 'node:zlib'
import compress, { type FastifyCompressOptions } from '@fastify/compress'
import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { ProviderFailed } from '../../access/provider.ts'
import { AccessRefused } from '../../access/refused.ts'
import { type Fault, join } from '../../core/fault.ts'
import { type Seconds, secondsOf } from '../../core/instant.ts'
import { mayAs } from '../../core/role.ts'
import { TemplateUnavailable } from '../../countdown/templates.ts'
import { EndpointRefused } from '../../events/endpoints.ts'
import type { Log } from '../../log.ts'
import { MailNotSent } from '../../mail/mailer.ts'
import type { Session } from '../../store/access.ts'
import type { Actor } from '../../store/audit.ts'
import { rateAddress, shortAddress } from '../address.ts'
import { panelBodyLimitBytes } from '../body-limits.ts'
import { errorCodeOf, logFailure, sendError } from '../errors.ts'
import { useJson } from '../json.ts'
import { shedLoad } from '../overload.ts'
import { clientOf } from './device.ts'
import { isPanelErrorCode, type PanelErrorBody, PanelRefusal, panelErrorStatus } from './errors.ts'
import { sealed } from './flow.ts'
import { isForeign } from './origin.ts'
import { isNumberName, type PanelParts, type Route } from './route.ts'
import { routes } from './routes.ts'
import { idDigits } from './schemas.ts'
import { flowCookie, sessionCookie } from './session-cookie.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of the user who asks the panel's API, if there is one. */
    session: Session | undefined
  }
  interface FastifyContextConfig {
    panelRoute?: Route
  }
}

export type PanelSurface = PanelParts & {
  log: Log
  /** Wall clock, milliseconds. */
  now(): number
}

/** Uncompressed, a list of 300 campaigns is 60 kB: a third of a second on a slow network. */
const compression: FastifyCompressOptions = {
  threshold: 2_048,
  encodings: ['br', 'gzip'],
  // Only answers: no form sends a small body that unpacks into a large one.
  globalDecompression: false,
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
}

export function panelApi(parts: PanelSurface): FastifyPluginAsync {
  return async (scope) => {
    scope.decorateRequest('session', undefined)
    scope.setErrorHandler((error, request, reply) => {
      const { code, faults, retryAfterSeconds } = refusalOf(error)
      // No cause: too many images wait to be built, or the server stops.
      const isBroken = error instanceof TemplateUnavailable && error.cause !== undefined
      logFailure(parts.log, isBroken ? errorCodeOf(error) : code, error, request)
      if (retryAfterSeconds !== null) reply.header('Retry-After', retryAfterSeconds)
      const body: PanelErrorBody = { code, requestId: request.id, faults, retryAfterSeconds }
      return reply.code(panelErrorStatus[code]).send(body)
    })
    scope.setSchemaErrorFormatter(([fault]) => new PanelRefusal('INVALID', fault && [faultOf(fault)]))
    useJson(scope)
    await shedLoad(scope)
    await scope.register(cookie)
    await scope.register(compress, compression)
    scope.addHook('onRequest', admit(parts))
    // The hook above answers 404; without this handler Fastify would not call it.
    scope.setNotFoundHandler((_, reply) => sendError(reply, 'NOT_FOUND'))
    const all: Route[] = Object.values(routes)
    for (const route of all) if (route.body !== undefined) addRoute(scope, route, parts)
    scope.register(async (bodiless) => {
      bodiless.removeAllContentTypeParsers()
      // The body stays unread. It must be called JSON, which no form of another page can do.
      bodiless.addContentTypeParser('application/json', (_request, _payload, done) => done(null))
      for (const route of all) if (route.body === undefined) addRoute(bodiless, route, parts)
    })
  }
}

/** Before the body is read: is there such a route, does our own page ask, and may its user? */
function admit(parts: PanelSurface) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { publicUrl } = parts.site
    const { panelRoute } = request.routeOptions.config
    // As every address that there is not (contract, "Paths outside it").
    if (panelRoute === undefined) return sendError(reply, 'NOT_FOUND')
    if (isForeign(request.headers, publicUrl)) throw foreignOrigin(publicUrl)
    const session = await sessionFor(parts, panelRoute, request)
    request.session = session
    const { bodyLimit, reads, readsMuch } = panelRoute
    if (session === undefined || bodyLimit <= panelBodyLimitBytes) return
    const isLarge = Number(request.headers['content-length'] ?? Infinity) > panelBodyLimitBytes
    if (isLarge) await parts.limits.turnToSend(session, 'large', reply)
    // What reads much has a queue of its own.
    else if (!readsMuch) await parts.limits.turnToSend(session, reads ? 'preview' : 'save', reply)
  }
}

/** The session of somebody who may call the route now. @throws PanelRefusal */
async function sessionFor(
  { users, site, now }: PanelSurface,
  { access, reads }: Route,
  request: FastifyRequest,
  isAgain = false,
) {
  const token = sessionCookie.read(request, site.publicUrl)
  const session = token === '' ? undefined : await users.session(token, secondsOf(now()), isAgain)
  if (access === 'anybody') return session
  if (session === undefined) throw new PanelRefusal('SIGNED_OUT')
  // A tab says who it asks for: another tab may have signed in somebody of another account.
  const { 'lastcall-user': userId = String(session.user.id) } = request.headers
  if (userId !== String(session.user.id)) throw new PanelRefusal('SIGNED_OUT')
  if (!mayAs(access, session.user.role)) throw new PanelRefusal('NOT_ALLOWED')
  if (session.account.suspended && !reads) throw new PanelRefusal('ACCOUNT_SUSPENDED')
  return session
}

/** Tells an operator what to change if it is our own page that is refused. */
function foreignOrigin(publicUrl: string): PanelRefusal {
  const message = `is ${publicUrl}, and the panel answers pages of that origin only. Start the server with PUBLIC_URL or --public-url set to the address at which browsers open the panel`
  return new PanelRefusal('FOREIGN_ORIGIN', [{ path: 'PUBLIC_URL', message }])
}

/** Refs, and ids of keys, invitations and sessions: texts without a NUL, which PostgreSQL refuses. */
const namePattern = '(^[\\da-f-]{1,64}$)'

function addRoute(scope: FastifyInstance, route: Route, parts: PanelSurface): void {
  const [method = '', path = ''] = route.path.split(' ')
  scope.route<{ Params: Record<string, string> }>({
    method,
    url: path.replace(/:(\w+)/g, (param, name) => `${param}${isNumberName(name) ? `(^${idDigits}$)` : namePattern}`),
    config: { panelRoute: route },
    bodyLimit: route.bodyLimit,
    schema: { ...(route.query && { querystring: route.query }), ...(route.body && { body: route.body }) },
    handler: async (request, reply) => {
      const { session } = request
      const answer = () => answerTo(request, reply, route, parts)
      return route.readsMuch && session ? parts.limits.readingMuch(session.user.id, answer) : answer()
    },
  })
}

type Asking = FastifyRequest<{ Params: Record<string, string> }>

/** Runs the route. @throws PanelRefusal */
async function answerTo(request: Asking, reply: FastifyReply, route: Route, parts: PanelSurface) {
  // Its body, and others of the user that read much, may take half a minute. Meanwhile the session may have ended, or its
  // user have another role.
  const mayHaveChanged = (route.body !== undefined || route.readsMuch) && route.access !== 'anybody'
  const session = mayHaveChanged ? await sessionFor(parts, route, request, true) : request.session
  const { params, query, body, ip } = request
  const now = secondsOf(parts.now())
  return route.run({
    parts,
    query,
    body,
    session,
    token: sessionCookie.read(request, parts.site.publicUrl),
    by: actorOf(session, ip, now),
    actor: () => actorOf(session, ip, secondsOf(parts.now())),
    params: Object.fromEntries(
      Object.entries(params).map(([name, text]) => [name, isNumberName(name) ? Number(text) : text]),
    ),
    campaign: await campaignOf(parts, session, params.campaignId),
    address: rateAddress(ip),
    client: () => clientOf(request),
    now,
    setSession: (next) => sessionCookie.write(reply, next, parts.site.publicUrl),
    keepFlow: async (flow) =>
      flowCookie.write(reply, await sealed(parts.store.access, flow, now), parts.site.publicUrl),
    note: (error) => logFailure(parts.log, refusalOf(error).code, error, request),
  })
}

/** If nobody is signed in, the route itself finds out who it is. */
function actorOf(session: Session | undefined, ip: string, at: Seconds): Actor {
  return { kind: 'user', name: session?.user.email ?? '', address: shortAddress(ip), at }
}

/** The campaign that the path names; another account's looks as if it did not exist. @throws PanelRefusal */
async function campaignOf({ store }: PanelParts, session: Session | undefined, id: string | undefined) {
  if (id === undefined) return undefined
  const campaign = await store.configuration.findCampaign(Number(id))
  if (session === undefined || campaign?.accountId !== session.account.id) throw new PanelRefusal('NOT_FOUND')
  return campaign
}

function faultOf({ instancePath, message, params }: FastifySchemaValidationError): Fault {
  const place = instancePath.slice(1).replaceAll('/', '.')
  const { missingProperty, additionalProperty } = params
  // A name that the client made up may be long.
  const unknown = additionalProperty === undefined ? place : join('', String(additionalProperty))
  const path = missingProperty === undefined ? unknown : String(missingProperty)
  return { path, message: message ?? 'is not valid' }
}

const codeOfEndpoint = {
  CAMPAIGN_NOT_FOUND: 'NOT_FOUND',
  DELIVERY_NOT_FOUND: 'NOT_FOUND',
  ENDPOINT_NOT_FOUND: 'NOT_FOUND',
  TARGET_NOT_ALLOWED: 'INVALID',
  TOO_MANY_ENDPOINTS: 'TOO_MANY_WEBHOOKS',
  VALIDATION_ERROR: 'INVALID',
  WEBHOOKS_OFF: 'WEBHOOKS_OFF',
} as const

function refusalOf(error: unknown): PanelRefusal {
  if (error instanceof PanelRefusal) return error
  if (error instanceof ProviderFailed) return new PanelRefusal('PROVIDER_DOWN')
  if (error instanceof MailNotSent) return new PanelRefusal('MAIL_NOT_SENT')
  if (error instanceof EndpointRefused) return new PanelRefusal(codeOfEndpoint[error.code], [...error.faults])
  if (error instanceof AccessRefused) return new PanelRefusal(error.code, [], error.retryAfterSeconds)
  const code = error instanceof TemplateUnavailable ? 'SERVICE_UNAVAILABLE' : errorCodeOf(error)
  return new PanelRefusal(isPanelErrorCode(code) ? code : 'INTERNAL_ERROR')
}
