// The brake: how far one connection may run ahead of its answers, and how long it may leave them unread. No
// request is lost by it; what is not read from the socket waits at its sender.
import type { Socket } from 'node:net'
import type { Exchange } from './exchange.ts'
import type { PlainHead } from './plain.ts'
import type { Holder } from './room.ts'

/** Requests that wait behind an unanswered one before their connection is read no further. */
const maxWaiting = 128
/** It is read on once so few wait, so that there is always one to handle. */
const fewWaiting = maxWaiting / 2
/**
 * What Node's parser is given at a time. It makes requests of all of it, wanted or not: of a whole piece, as it
 * comes from the system, up to 2,500, and of this 80.
 */
const parsedBytes = 2_048
/** How long a client may take nothing of its answers. Its system takes megabytes at a time for a slow one. */
const unreadTimeoutMs = 300_000

export type Connection = Holder & {
  socket: Socket
  /** The process's steady clock. */
  openedAt: number
  /** True where too many others were open when it came. */
  isTooMany: boolean
  /** Gives it to Node; there as long as its requests were plain. */
  handOver: (() => void) | undefined
  /** What the last of these said. */
  head: PlainHead | undefined
  /** The newest exchange. */
  last: Exchange | undefined
  /** Node's parser; there as long as what comes is taken as requests. Without it that is read away. */
  parse: ((bytes: Buffer) => void) | undefined
  /** Requests that were read and wait for the answer of the one before. */
  waiting: number
  braked: boolean
  /** Above 0: bytes that are parsed though it is braked, because they were read before we began to stop. */
  owedBytes: number
  /** True while Node wants nothing: its client takes no answers, or nobody the body that is coming. */
  pausedByNode: boolean
  /** True while draining, where requests may have arrived before it that are still to be read. */
  behind: boolean
  /** The process's steady clock: when it was last read on after it had been braked. */
  readOnAt: number
  /** Bytes handed to the socket, and when the client last took all of them or made room for more. */
  sentBytes: number
  takenAt: number
}

export function newConnection(socket: Socket, isTooMany: boolean): Connection {
  return {
    heldBytes: 0,
    socket,
    openedAt: performance.now(),
    isTooMany,
    handOver: undefined,
    head: undefined,
    last: undefined,
    parse: undefined,
    waiting: 0,
    braked: false,
    owedBytes: 0,
    pausedByNode: false,
    behind: false,
    readOnAt: 0,
    sentBytes: 0,
    takenAt: 0,
  }
}

/**
 * Gives what comes to Node's parser, piece by piece, until the connection is braked or closed; the rest waits in
 * the socket. `parse`: the listener that Node itself would have for that.
 */
export function parseInPieces(connection: Connection, parse: (bytes: Buffer) => void): void {
  const { socket } = connection
  connection.parse = parse
  socket.on('data', (bytes: Buffer) => {
    let rest = bytes
    while (rest.length > 0 && connection.parse !== undefined && !socket.destroyed) {
      const piece = rest.subarray(0, parsedBytes)
      connection.parse(piece)
      rest = rest.subarray(parsedBytes)
      connection.owedBytes -= piece.length
      connection.pausedByNode = socket.isPaused()
      if (isStopped(connection)) socket.pause()
      if (!socket.isPaused()) continue
      if (rest.length > 0) socket.unshift(rest)
      return
    }
  })
  // Told before anything is read, and also where it was paused again meanwhile.
  socket.on('resume', () => {
    if (socket.isPaused()) return
    connection.pausedByNode = false
    if (isStopped(connection)) socket.pause()
  })
}

function isStopped({ braked, owedBytes }: Connection): boolean {
  return braked && owedBytes <= 0
}

export function enqueue(connection: Connection): void {
  connection.waiting += 1
  if (connection.waiting >= maxWaiting) connection.braked = true
}

export function leaveQueue(connection: Connection): void {
  connection.waiting -= 1
  if (connection.waiting <= fewWaiting) readOn(connection)
}

export function readOn(connection: Connection): void {
  if (!connection.braked) return
  connection.braked = false
  connection.readOnAt = performance.now()
  if (!connection.pausedByNode) connection.socket.resume()
}

/** Draining: what has been read was there before, however many requests wait. */
export function parseWhatCame(connection: Connection): void {
  connection.owedBytes = connection.socket.readableLength
  if (connection.owedBytes > 0 && !connection.pausedByNode) connection.socket.resume()
}

/** Whether some of its requests may have arrived and not been read. */
export function isBehind({ braked, readOnAt, waiting }: Connection): boolean {
  return braked || (readOnAt > 0 && waiting > 0)
}

/** Closes the connection of a client that has taken nothing for too long. `at`: the process's steady clock. */
export function closeUnread(connection: Connection, at: number): void {
  const { socket } = connection
  const { bytesWritten } = socket
  if (socket.writableLength === 0 || bytesWritten !== connection.sentBytes) {
    connection.sentBytes = bytesWritten
    connection.takenAt = at
  } else if (at - connection.takenAt > unreadTimeoutMs) socket.destroy()
}
