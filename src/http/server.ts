// The manners of HTTP/1.1 that no route has to think of: what never becomes a request, bodies that do not
// come, connections that stay open, and stopping.
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { countHeader, type Exchange, newExchange } from './exchange.ts'

const headersTimeoutMs = 15_000
const bodyTimeoutMs = 30_000
/** Longer than the idle time of the usual load balancers, so that it is they who close a connection. */
const keepAliveTimeoutMs = 75_000
const maxConnections = 20_000
const maxHeaderBytes = 16_384
/** How often late bodies are looked for. */
const sweepMs = 500
/** While draining: idle connections, then everything that has not been answered, and then what is left. */
const drainIdleMs = 2_500
const drainBodyMs = 5_000
const drainEndMs = 8_000
/** How long a connection with a malformed request is read away, so that its sender sees the answer. */
const refusedLingerMs = 1_000

export type HttpServer = {
  /** Resolves with the port once connections are accepted. */
  listen(host: string, port: number): Promise<number>
  openConnections(): number
  isDraining(): boolean
  /** Stops as operator.md says, and resolves once the last connection is closed, within nine seconds. */
  drain(): Promise<void>
}

/** `handle` answers one exchange with `send`, now or later. `now` is the wall clock in milliseconds. */
export function buildServer(handle: (exchange: Exchange) => void, now: () => number): HttpServer {
  const sockets = new Map<Socket, Connection>()
  let draining = false

  const server: Server = createServer({
    headersTimeout: headersTimeoutMs,
    // Late bodies get an answer of the contract, which Node's own timeout would not give them.
    requestTimeout: 0,
    connectionsCheckingInterval: sweepMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
  })
  server.maxConnections = maxConnections
  // A client may close its sending side after the request and still wait for the answer.
  ;(server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true

  function accept(req: IncomingMessage, res: ServerResponse, expectsContinue: boolean): void {
    const connection = sockets.get(req.socket)
    if (connection === undefined) return
    const exchange = newExchange(req, res, now(), expectsContinue)
    if (countHeader(req, 'host') > 1) {
      // RFC 9112, section 3.2: more than one Host is a malformed request
      refuse(connection, 400)
      return
    }
    connection.last = exchange
    if (draining) exchange.closes = true
    handle(exchange)
  }

  server.on('connection', (socket) => {
    const connection: Connection = { socket, last: undefined, refused: false }
    sockets.set(socket, connection)
    socket.once('close', () => {
      sockets.delete(socket)
      connection.last?.endBody?.('incomplete')
      if (draining && sockets.size === 0) drained?.()
    })
  })
  server.on('request', (req, res) => accept(req, res, false))
  server.on('checkContinue', (req, res) => accept(req, res, true))
  // Without this Node answers 417 by itself; the contract ignores what else is expected.
  server.on('checkExpectation', (req, res) => accept(req, res, false))
  server.on('connect', (req: IncomingMessage, socket: Socket) => {
    // Without this Node closes the connection without a word.
    const res = new ServerResponse(req)
    res.shouldKeepAlive = false
    res.assignSocket(socket)
    res.once('finish', () => socket.end())
    accept(req, res, false)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const connection = sockets.get(socket)
    if (connection === undefined || !socket.writable) socket.destroy()
    else refuseOnce(connection, statusOf(error.code))
  })

  const sweep = setInterval(() => {
    const oldest = performance.now() - bodyTimeoutMs
    for (const { last } of sockets.values()) {
      if (last?.endBody !== undefined && last.arrivedAt < oldest) fail(last, 'incomplete')
    }
  }, sweepMs)
  sweep.unref()

  let drained: (() => void) | undefined

  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject)
          resolve((server.address() as AddressInfo).port)
        })
      }),
    openConnections: () => sockets.size,
    isDraining: () => draining,
    async drain() {
      draining = true
      // Not http.Server's own close, which ends idle connections at once: a client that is just sending on
      // one is owed a 503.
      NetServer.prototype.close.call(server)
      for (const { last } of sockets.values()) {
        if (last !== undefined && !last.answered) last.closes = true
      }
      if (sockets.size > 0) {
        await new Promise<void>((resolve) => {
          drained = resolve
          setTimeout(() => server.closeIdleConnections(), drainIdleMs)
          setTimeout(() => endLate(sockets), drainBodyMs)
          setTimeout(resolve, drainEndMs)
        })
      }
      clearInterval(sweep)
      server.closeAllConnections()
    },
  }
}

type Connection = { socket: Socket; last: Exchange | undefined; refused: boolean }

/** Bodies that have not come get their answer; connections that owe us the headers of a request are closed. */
function endLate(sockets: Map<Socket, Connection>): void {
  for (const { socket, last } of sockets.values()) {
    if (last?.endBody !== undefined) fail(last, 'draining')
    else if (last === undefined || last.res.writableFinished) socket.destroy()
  }
}

function fail(exchange: Exchange, end: 'incomplete' | 'draining'): void {
  exchange.closes = true
  exchange.bodyBroken = true
  exchange.endBody?.(end)
}

function statusOf(code: string | undefined): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}

/** The parser reports every further piece of a broken stream again. */
function refuseOnce(connection: Connection, status: number): void {
  if (connection.refused) return
  connection.refused = true
  const { last } = connection
  if (last !== undefined && last.hasBody && !last.req.complete) {
    // The body of a request, which has an answer of the contract.
    fail(last, 'incomplete')
  } else if (last === undefined || last.res.writableFinished) {
    refuse(connection, status)
  } else if (!last.closes) {
    // An answer is on its way and comes first. If it closes the connection, it is the only one.
    const then = () => refuse(connection, status)
    if (last.answered) last.res.once('finish', then)
    else last.afterwards = then
  }
}

/** What never became a request gets the status of the protocol, an empty body and a closed connection. */
function refuse({ socket }: Connection, status: number): void {
  const reason = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' }[
    status
  ]
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  setTimeout(() => socket.destroy(), refusedLingerMs).unref()
}
