// Fastify as every surface gets it: time-outs, request ids, and what holds for each request.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type ParsedUrlQuery, parse } from 'node:querystring'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Log } from '../log.ts'
import { StoreUnavailable } from '../store/errors.ts'
import { isInternal } from './address.ts'
import { errorCodeOf, logFailure, Refusal, sendError } from './errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    isStopping: boolean
  }
}

/** Contract, row 9; Node looks for late requests every `checkMs`. */
const headersTimeoutMs = 15_000
const requestTimeoutMs = 30_000
const checkMs = 5_000
/** Longer than the idle time of the usual load balancers, so that they close a connection first. */
const keepAliveMs = 72_000
/** Browsers and reverse proxies send one request, and the next one when they have its answer. */
const maxPipelined = 100
/**
 * Each header costs Node a property; a browser sends some twenty. Node reads them in groups of 32 up to the limit: at a
 * multiple of 32 we could not see that there were more.
 */
const maxHeaders = 200
/** The longest address that Node accepts, so that a path of any length gets 404. */
const maxParamLength = 16_384
/** More than any address of ours takes: of more, one is unknown or given twice. */
const maxParameters = 20

/** Once the server stops: how often idle connections are closed. */
const closeIdleMs = 100
/** How long what has arrived before the stop may take. */
export const closeAllMs = 8_000

/** A year. Not for subdomains, which may not be ours. */
const strictTransport = 'max-age=31536000'

type FrameworkOptions = {
  /** Whether `PUBLIC_URL` is `https:`: browsers then stay with it. */
  isHttps: boolean
  /** Addresses and CIDR ranges of reverse proxies whose `X-Forwarded-For` is believed. */
  trustProxy: string[]
  log: Log
  /** Answers an address that cannot be decoded. */
  sendUndecodable(reply: FastifyReply): FastifyReply
}

export function newFastify({ isHttps, trustProxy, log, sendUndecodable }: FrameworkOptions): FastifyInstance {
  const everyAnswer = {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(isHttps && { 'Strict-Transport-Security': strictTransport }),
  }
  const isOverPipelined = limitPipelines()
  const warnOfProxy = warningOfProxy(log)
  const app = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: trustProxy.length > 0 ? trustProxy : false,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    http: {
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: checkMs,
      // A request without a Host is refused below, where those of a pipeline are counted.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength, querystringParser },
    // The target may be an absolute address (RFC 9112, section 3.2.2).
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '') || '/'),
    // A stopping server answers by the surfaces' own hooks: an image stays an image.
    return503OnClosing: false,
    // An address that cannot be decoded reaches no hook.
    frameworkErrors: (_error, request, reply) => {
      if (isOverPipelined(reply)) return
      reply.headers(everyAnswer).header('X-Request-Id', request.id)
      if (app.isStopping) reply.header('Connection', 'close')
      if (isHostValid(request.raw)) sendUndecodable(reply)
      else refuseHead(reply, 400)
    },
  })
  // A client that has closed its side still waits for its answer. Node leaves out headers past the limit.
  Object.assign(app.server, { httpAllowHalfOpen: true, maxHeadersCount: maxHeaders })
  // Without Fastify's listener Node itself refuses what is no whole request, and never inside an answer that has begun.
  app.server.removeAllListeners('clientError')
  app.decorateReply('errorCode', null)
  app.decorate('isStopping', false)
  app.addHook('preClose', async () => {
    app.isStopping = true
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (isOverPipelined(reply)) return
    reply.headers(everyAnswer).header('X-Request-Id', request.id)
    warnOfProxy(request)
    // Node has left out the rest.
    if (request.raw.rawHeaders.length > 2 * maxHeaders) return void refuseHead(reply, 431)
    // Each surface answers 503 in its own form; `/healthz` still says that the process lives.
    if (app.isStopping && request.url !== '/healthz') throw new Refusal('SERVICE_UNAVAILABLE')
    if (!isHostValid(request.raw)) return void refuseHead(reply, 400)
    done()
  })
  // Surfaces that take bodies call `useJson`. Elsewhere a body is ignored.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  app.setErrorHandler((error, request, reply) => {
    // Fastify refuses the media type before it notices that the path is unknown.
    const code = request.is404 && !(error instanceof Refusal) ? 'NOT_FOUND' : errorCodeOf(error)
    logFailure(log, code, error, request)
    return sendError(reply, code)
  })
  return app
}

/** Once: behind a proxy that is not trusted all visitors share the limits of one, and nothing else shows it. */
function warningOfProxy(log: Log): (request: FastifyRequest) => void {
  let isSaid = false
  return (request) => {
    if (isSaid || !request.headers['x-forwarded-for']) return
    // Its own address comes first, and the next only if it is trusted.
    const isTrusted = (request.ips?.length ?? 1) > 1
    if (isTrusted || !isInternal(request.ip)) return
    isSaid = true
    log.warn('X-Forwarded-For comes from a proxy that TRUST_PROXY does not name: all visitors count as one')
  }
}

/**
 * The query is read before the route is known. Fastify's own parser reads all of its parameters, which took up to
 * 1 ms for 8 kB of them.
 */
function querystringParser(query: string): ParsedUrlQuery {
  if (query === '') return {}
  // Empty ones would count too.
  return parse(query.replace(/&&+/g, '&'), '&', '=', { maxKeys: maxParameters, decodeURIComponent: decoded })
}

/** Without this, `parse` decodes what has a wrong escape by itself, slowly. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Node reads 64 KiB at a time and hands over all requests in it at once: thousands, if they are tiny, and everybody else
 * waits. So a connection that has sent `maxPipelined` without waiting is closed after the answer to the last of them;
 * what follows is neither looked at nor answered.
 */
function limitPipelines(): (reply: FastifyReply) => boolean {
  const pipelined = new WeakMap<Socket, number>()

  return (reply) => {
    const {
      raw: response,
      request: { raw: request },
    } = reply
    const { socket } = request
    const count = (pipelined.get(socket) ?? 0) + 1
    if (count > maxPipelined) {
      socket.pause()
      reply.hijack()
      // When the connection ends, Node makes an error with a stack for each request that is left. Nobody hears of these,
      // and for thousands it takes longer than all the answers.
      request.destroy = () => request
      response.destroy = () => response
      return true
    }
    pipelined.set(socket, count)
    if (count === maxPipelined) reply.header('Connection', 'close')
    // Requests that were read together count together, even if some are answered at once.
    response.on('close', () =>
      setImmediate(() => {
        const left = pipelined.get(socket) ?? 0
        if (left < maxPipelined) pipelined.set(socket, left - 1)
      }),
    )
    return false
  }
}

/** Takes no more connections, and resolves when the last one has ended. */
export async function closeServer(app: FastifyInstance): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), closeIdleMs)
  const late = setTimeout(() => app.server.closeAllConnections(), closeAllMs)
  await app.close()
  clearInterval(idle)
  clearTimeout(late)
}

/** RFC 3986, sections 3.2.2 and 3.2.3, without the comma, with which some proxies join two hosts. */
const hostAndPort = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})*)(?::\d*)?$/i

/** Exactly one `Host`, with or without a port; before HTTP/1.1 it is optional (RFC 9112, section 3.2). */
function isHostValid({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  const hosts = valuesOf(rawHeaders, 'host')
  if (hosts.length === 0) return httpVersion === '1.0'
  return hosts.length === 1 && hostAndPort.test(hosts[0] as string)
}

const refuseHead = (reply: FastifyReply, status: number) => reply.code(status).header('Connection', 'close').send()

/** All values of a header, by its lower-case name: `headers` has only the first of some. */
export function valuesOf(rawHeaders: string[], name: string): string[] {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index] as string
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[index + 1] as string)
  }
  return values
}

/** An id in digits: an integer from 1 to 2^53-1; null for anything else. */
export function parseId(text: string | undefined): number | null {
  const id = Number(text)
  return Number.isSafeInteger(id) && id > 0 && String(id) === text ? id : null
}

/** A request waits for the database no longer than this in all (contract, "any"). */
const timeoutMs = 1_000

/**
 * A timer that fires later than this was held up by our own work, and not by the database: its answer may be there, but
 * not read yet, or the next question not asked. The timer starts again.
 */
const stallMs = 100

/** The answer, or StoreUnavailable if it takes longer. The work may still be done. */
export function withinASecond<T>(answer: Promise<T>, waitedMs: number): Promise<T> {
  const leftMs = Math.max(0, timeoutMs - waitedMs)
  let dueAt = performance.now() + leftMs
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      if (performance.now() <= dueAt + stallMs) return reject(new StoreUnavailable('the database took too long'))
      dueAt = performance.now() + leftMs
      timer.refresh()
    }, leftMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
