// The brake: how far one connection may run ahead of its answers, and how long it may leave them unread. No
// request is lost by it; what is not read from the socket waits at its sender.
import type { Socket } from 'node:net'
import type { Exchange } from './exchange.ts'
import type { PlainHead } from './plain.ts'
import type { Holder } from './room.ts'

/**
 * Requests that wait behind an unanswered one before their connection is read no further. What was read with
 * them is taken as a whole: up to 64 KiB, which is 2,600 requests at most.
 */
const maxWaiting = 128
/** It is read on once so few wait, so that there is always one to handle. */
const fewWaiting = maxWaiting / 2
/** Requests behind the end of a connection that are read away, so that closing it does not cost it its answers. */
const maxDropped = 10_000
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
  /** True once nothing that comes is taken as a request. */
  over: boolean
  /** Requests that were read and wait for the answer of the one before. */
  waiting: number
  dropped: number
  braked: boolean
  /** True while nothing is read from any connection. */
  held: boolean
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
    over: false,
    waiting: 0,
    dropped: 0,
    braked: false,
    held: false,
    behind: false,
    readOnAt: 0,
    sentBytes: 0,
    takenAt: 0,
  }
}

/**
 * Keeps a connection that Node has just been given paused while it is to be. Node resumes by itself behind each
 * request and for each body; it does so with this event, before anything is read, and its own listener is the first.
 */
export function stayPaused(connection: Connection): void {
  const { socket } = connection
  socket.on('resume', () => {
    if (connection.braked || connection.held) socket.pause()
  })
}

export function enqueue(connection: Connection): void {
  connection.waiting += 1
  if (connection.waiting >= maxWaiting) brake(connection)
}

export function leaveQueue(connection: Connection): void {
  connection.waiting -= 1
  if (connection.waiting <= fewWaiting) readOn(connection)
}

/** Node keeps what it has parsed, wanted or not, until the connection is closed. */
export function drop(connection: Connection): void {
  connection.dropped += 1
  if (connection.dropped >= maxDropped) brake(connection)
}

function brake(connection: Connection): void {
  if (connection.braked) return
  connection.braked = true
  connection.socket.pause()
}

export function readOn(connection: Connection): void {
  if (!connection.braked) return
  connection.braked = false
  connection.readOnAt = performance.now()
  if (!connection.held) connection.socket.resume()
}

export function hold(connection: Connection): void {
  connection.held = true
  connection.socket.pause()
}

export function letGoOn(connection: Connection): void {
  connection.held = false
  if (!connection.braked) connection.socket.resume()
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
