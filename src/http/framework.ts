// Fastify as every surface gets it: time-outs, request ids, and what holds for each request.
import { randomUUID } from 'node:crypto'
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify'
import type { Log } from '../log.ts'
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
/** How long a client has to read why it was refused. */
const hangUpMs = 1_000
/** The longest address that Node takes: a path of any length is looked up, and not found. */
const maxParamLength = 16_384

/** Once the server stops: how often idle connections are closed, and when all that are left are. */
const closeIdleMs = 100
const closeAllMs = 8_000

export type FrameworkOptions = {
  /** Addresses and CIDR ranges of reverse proxies whose `X-Forwarded-For` is believed. */
  trustProxy: string[]
  log: Log
  /** Answers an address that cannot be decoded. */
  sendUndecodable(reply: FastifyReply): FastifyReply
}

export function newFastify({ trustProxy, log, sendUndecodable }: FrameworkOptions): FastifyInstance {
  const app = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: trustProxy.length > 0 ? trustProxy : false,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    http: { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: checkMs },
    routerOptions: { maxParamLength },
    // RFC 9112, section 3.2.2: a target may be an absolute address.
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '') || '/'),
    // A stopping server answers by the surfaces' own hooks: an image stays an image.
    return503OnClosing: false,
    // An address that cannot be decoded reaches no hook.
    frameworkErrors: (_error, _request, reply) => {
      reply.headers(everyAnswer(reply.request.id))
      sendUndecodable(reply)
    },
    clientErrorHandler: (error, socket) => {
      if (!socket.writable) return void socket.destroy()
      socket.end(refusalOf(error.code))
      // A client that never closes its side would keep the connection for ever.
      setTimeout(() => socket.destroy(), hangUpMs).unref()
    },
  })
  // A client that has nothing more to say still waits for its answer.
  Object.assign(app.server, { httpAllowHalfOpen: true })
  app.decorateReply('errorCode', null)
  app.decorate('isStopping', false)
  app.addHook('preClose', async () => {
    app.isStopping = true
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(everyAnswer(request.id))
    // Each surface says so in its own form; who asks whether the process lives is told that it does.
    if (app.isStopping && request.url !== '/healthz') throw new Refusal('SERVICE_UNAVAILABLE')
    // RFC 9112, section 3.2: at most one `Host`, which is a host and maybe a port; Node refuses a request without one.
    const hosts = valuesOf(request.raw.rawHeaders, 'host')
    if (hosts.length > 1 || !hostAndPort.test(hosts[0] ?? '')) {
      return reply.code(400).header('Connection', 'close').send()
    }
  })
  // A surface that takes bodies says which (`useJson`). Elsewhere nobody waits for a body.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  app.setNotFoundHandler((_, reply) => sendError(reply, 'NOT_FOUND'))
  app.setErrorHandler((error, request, reply) => {
    // Fastify refuses the media type before it notices that the path is unknown.
    const code = request.is404 ? 'NOT_FOUND' : errorCodeOf(error)
    logFailure(log, code, error, request)
    return sendError(reply, code)
  })
  return app
}

/** Takes no more connections, and resolves when the last one has ended. */
export async function closeServer(app: FastifyInstance): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), closeIdleMs)
  const late = setTimeout(() => app.server.closeAllConnections(), closeAllMs)
  await app.close()
  clearInterval(idle)
  clearTimeout(late)
}

const everyAnswer = (requestId: string) => ({ 'X-Request-Id': requestId, 'Cache-Control': 'no-store' })

/** RFC 3986, sections 3.2.2 and 3.2.3 */
const hostAndPort = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i

/** All values of a header, by its lower-case name: where some are repeated, Node keeps the first only. */
export function valuesOf(rawHeaders: string[], name: string): string[] {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index] as string
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[index + 1] as string)
  }
  return values
}

const protocolStatus: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** What never became a request gets the status of the protocol and a closed connection. */
function refusalOf(code: string): string {
  const status = protocolStatus[code] ?? '400 Bad Request'
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
}
