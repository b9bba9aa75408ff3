// The manners of HTTP/1.1 that no route has to think of: what never becomes a request, bodies that do not
// come, connections that stay open, and stopping.
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import {
  type Connection,
  closeUnread,
  enqueue,
  isBehind,
  leaveQueue,
  newConnection,
  parseInPieces,
  parseWhatCame,
  readOn,
} from './connection.ts'
import { countHeader, type Exchange, newExchange, type RequestHead } from './exchange.ts'
import { keepAliveSeconds, type PlainReader, readPlainly } from './plain.ts'
import {
  bytesOf,
  giveRoomBack,
  hasRoom,
  manyConnections,
  maxConnections,
  requestBytes,
  takeRoom,
} from './room.ts'

const headersTimeoutMs = 15_000
const bodyTimeoutMs = 30_000
/** Longer than the idle time of the usual load balancers, so that it is they who close a connection. */
const keepAliveTimeoutMs = keepAliveSeconds * 1_000
/** Past the time that its client was told, an idle connection is closed. */
const idleMs = keepAliveTimeoutMs + 3_000
const maxHeaderBytes = 16_384
/** How often late bodies and unread answers are looked for. */
const sweepMs = 500
/** While draining: idle connections, then everything that has not been answered, and then what is left. */
const drainIdleMs = 2_500
const drainBodyMs = 5_000
const drainEndMs = 8_000
/** How long a connection with a malformed request is read away, so that its sender sees the answer. */
const refusedLingerMs = 1_000
const { stackTraceLimit } = Error

export type HttpServer = {
  /** Resolves with the port once connections are accepted. */
  listen(host: string, port: number): Promise<number>
  openConnections(): number
  /** Stops as operator.md says, and resolves once the last connection is closed, within nine seconds. */
  drain(): Promise<void>
}

export type HttpServerParts = {
  /** Answers one exchange with `send`, now or later. */
  handle(exchange: Exchange): void
  /** Is told of what `handle` throws. */
  onDefect(error: unknown): void
  /** Wall clock, milliseconds. */
  now(): number
}

export function buildServer({ handle, onDefect, now }: HttpServerParts): HttpServer {
  const sockets = new Map<Socket, Connection>()
  let draining = false

  const server: Server = createServer({
    headersTimeout: headersTimeoutMs,
    // Checked by us, so that there is one answer and its body is empty.
    requireHostHeader: false,
    // Late bodies get an answer of the contract, which Node's own timeout would not give them.
    requestTimeout: 0,
    connectionsCheckingInterval: sweepMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
  })
  server.maxConnections = maxConnections
  // All that fit into the bytes: what is dropped silently is not checked.
  server.maxHeadersCount = 0
  // A client may close its sending side after the request and still wait for the answer.
  ;(server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true

  function accept(req: IncomingMessage, res: ServerResponse, expectsContinue: boolean): void {
    const connection = sockets.get(req.socket)
    if (connection === undefined || connection.socket.destroyed) return
    const { last } = connection
    const isNext = last === undefined || last.written
    const roomBytes = bytesOf(req)
    const room = takeRoom(connection, roomBytes)
    // Behind others on its connection, no answer can be sent now.
    if (room === 'none' || (room === 'little' && !isNext)) {
      connection.socket.destroy()
      return
    }
    // What comes behind the end of a connection, or behind something that was no request, is not read as one.
    if (last?.closes) connection.parse = undefined
    if (connection.parse === undefined) return
    const hosts = countHeader(req, 'host')
    if (hosts > 1 || (hosts === 0 && req.httpVersion === '1.1')) {
      // RFC 9112, section 3.2
      refuseOnce(connection, 400)
      return
    }
    const { headers } = req
    const exchange: Exchange = Object.assign(newExchange(connection, roomBytes, now()), {
      req,
      res,
      body: undefined,
    })
    exchange.hasBody =
      headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    exchange.expectsContinue = expectsContinue
    exchange.closes = !res.shouldKeepAlive
    connection.last = exchange
    if (draining && !connection.behind) exchange.refused = 'late'
    else if (room === 'little' || connection.isTooMany) exchange.refused = 'too much'
    // Node's parser stops at a request to upgrade, taken or not: nothing behind it would be answered.
    if (exchange.refused || req.headers.upgrade !== undefined) exchange.closes = true
    // Requests that were sent without waiting for answers are taken one after another, as they were meant.
    if (last === undefined || last.written) handle(exchange)
    else queue(connection, last, exchange)
  }

  function takePlain(connection: Connection, req: RequestHead, body: Buffer): void {
    const roomBytes = requestBytes + body.length
    takeRoom(connection, roomBytes)
    const exchange: Exchange = Object.assign(newExchange(connection, roomBytes, now()), {
      req,
      res: undefined,
      body,
    })
    exchange.hasBody = body.length > 0
    exchange.bodyRead = true
    connection.last = exchange
    handle(exchange)
  }

  function queue(connection: Connection, before: Exchange, exchange: Exchange): void {
    enqueue(connection)
    before.afterwards = guarded(
      () => {
        if (before.closes) end(connection)
        else {
          leaveQueue(connection)
          // One that was behind has caught up.
          if (draining && connection.last === exchange) exchange.closes = true
          handle(exchange)
        }
      },
      () => connection.socket,
    )
  }

  /** A defect of ours in one conversation ends that conversation, and not the process. */
  function guarded<Args extends unknown[]>(
    listener: (...args: Args) => void,
    socketOf: (...args: Args) => Socket,
  ) {
    return (...args: Args): void => {
      try {
        listener(...args)
      } catch (error) {
        onDefect(error)
        socketOf(...args).destroy()
      }
    }
  }

  type Handler = (req: IncomingMessage, res: ServerResponse) => void
  const requests = (handler: Handler) => guarded(handler, (req) => req.socket)

  const [giveToNode] = server.listeners('connection') as [(socket: Socket) => void]
  server.removeAllListeners('connection')
  const reader: PlainReader = {
    mayTake: ({ isTooMany }) => !draining && !isTooMany && hasRoom(),
    take: guarded(takePlain, ({ socket }) => socket),
    adopt: (connection) => {
      const { socket } = connection
      giveToNode.call(server, socket)
      const [parse] = socket.listeners('data') as [(bytes: Buffer) => void]
      // With a second listener Node reads the socket as a stream, as it does TLS, and not behind its back.
      parseInPieces(
        connection,
        guarded(parse, () => socket),
      )
      socket.off('data', parse)
    },
  }

  server.on('connection', (socket: Socket) => {
    const connection = newConnection(socket, sockets.size >= manyConnections)
    sockets.set(socket, connection)
    readPlainly(connection, reader)
    // Node takes its own listener away from a connection that said CONNECT, and an error without one ends
    // the process.
    socket.on('error', () => socket.destroy())
    // Node makes an error, with its stack, for each request that was read and not answered: thousands.
    socket.prependOnceListener('close', () => {
      Error.stackTraceLimit = 0
    })
    socket.once('close', () => {
      Error.stackTraceLimit = stackTraceLimit
      sockets.delete(socket)
      giveRoomBack(connection)
      connection.last?.endBody?.('incomplete')
      if (draining && sockets.size === 0) drained?.()
    })
  })
  server.on(
    'request',
    requests((req, res) => accept(req, res, false)),
  )
  server.on(
    'checkContinue',
    requests((req, res) => accept(req, res, true)),
  )
  // Without this Node answers 417 by itself; the contract ignores what else is expected.
  server.on(
    'checkExpectation',
    requests((req, res) => accept(req, res, false)),
  )
  // Without this Node closes the connection without a word.
  server.on(
    'connect',
    guarded(
      (req: IncomingMessage, socket: Socket) => {
        const answer = () => {
          const res = new ServerResponse(req)
          res.shouldKeepAlive = false
          res.assignSocket(socket)
          res.once('finish', () => socket.end())
          accept(req, res, false)
        }
        const connection = sockets.get(socket)
        // Its parser is another connection's from here on.
        if (connection?.parse !== undefined) connection.parse = () => {}
        const last = connection?.last
        if (last?.res === undefined || last.res.writableFinished) answer()
        else last.res.once('finish', answer)
      },
      (req) => req.socket,
    ),
  )
  server.on(
    'clientError',
    guarded(
      (error: NodeJS.ErrnoException, socket: Socket) => {
        const connection = sockets.get(socket)
        if (connection === undefined || !socket.writable) socket.destroy()
        else refuseOnce(connection, statusOf(error.code))
      },
      (_error, socket) => socket,
    ),
  )

  const sweep = setInterval(() => {
    const at = performance.now()
    for (const connection of sockets.values()) {
      const { last, readOnAt } = connection
      // A body could not come while we did not read.
      const since = Math.max(last?.arrivedAt ?? 0, readOnAt)
      if (last?.endBody !== undefined && at - since > bodyTimeoutMs) fail(last, 'incomplete')
      closeUnread(connection, at)
      leaveIdle(connection, at)
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
    async drain() {
      draining = true
      // Not http.Server's own close, which ends idle connections at once: a client that is just sending on
      // one is owed a 503.
      NetServer.prototype.close.call(server)
      for (const connection of sockets.values()) {
        if (isBehind(connection)) {
          connection.behind = true
          parseWhatCame(connection)
        } else letEnd(connection)
      }
      if (sockets.size > 0) {
        await new Promise<void>((resolve) => {
          drained = resolve
          setTimeout(() => closeIdle(server, sockets), drainIdleMs)
          setTimeout(() => endLate(sockets), drainBodyMs)
          setTimeout(resolve, drainEndMs)
        })
      }
      clearInterval(sweep)
      server.closeAllConnections()
    },
  }
}

/**
 * Node takes a connection for idle whose client is still taking the answers before; as long as there is one, no
 * idle ones are closed, but by `endLate`.
 */
function closeIdle(server: Server, sockets: Map<Socket, Connection>): void {
  for (const { socket, last } of sockets.values()) {
    if (!socket.destroyed && last?.answered && !isSent(last)) {
      setTimeout(closeIdle, sweepMs, server, sockets).unref()
      return
    }
  }
  server.closeIdleConnections()
  for (const { socket, last, handOver } of sockets.values()) {
    if (handOver !== undefined && last?.written) socket.destroy()
  }
}

/** The time for the first request is Node's to take; that between two of a connection of ours is not. */
function leaveIdle({ socket, openedAt, last, handOver }: Connection, at: number): void {
  if (handOver === undefined) return
  if (last === undefined) {
    if (at - openedAt > sweepMs) handOver()
  } else if (last.written && at - last.arrivedAt > idleMs) socket.destroy()
}

function isSent({ req, res, written }: Exchange): boolean {
  return res === undefined ? written && req.socket.writableLength === 0 : res.writableFinished
}

/** Draining: the newest request whose headers have come is the last. */
function letEnd(connection: Connection): void {
  const { last } = connection
  connection.behind = false
  if (last === undefined || last.answered) return
  last.closes = true
  readOn(connection)
}

/** Bodies that have not come get their answer; connections that owe us the headers of a request are closed. */
function endLate(sockets: Map<Socket, Connection>): void {
  for (const connection of sockets.values()) {
    const { socket, last } = connection
    if (connection.behind) letEnd(connection)
    if (last?.endBody !== undefined) fail(last, 'draining')
    else if (last === undefined || isSent(last)) socket.destroy()
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

/** Nothing further is taken as a request; what comes is read away, so that the client sees the answers. */
function end(connection: Connection): void {
  connection.parse = undefined
  connection.braked = false
  connection.socket.resume()
}

/** The parser reports the end of a broken stream again. */
function refuseOnce(connection: Connection, status: number): void {
  if (connection.parse === undefined) return
  connection.parse = undefined
  const { last } = connection
  if (last?.res !== undefined && last.hasBody && !last.req.complete) {
    // The body of a request, which has an answer of the contract.
    fail(last, 'incomplete')
  } else if (last === undefined) {
    refuse(connection, status)
  } else {
    // The answer before comes first. If it closes the connection, it is the last.
    const then = () => {
      if (!last.closes) refuse(connection, status)
    }
    if (last.written) then()
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
