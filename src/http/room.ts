// What one process can hold at once, by the memory and the file descriptors that it was given. Beyond it a
// request is answered 503; where no answer can be sent, or that would take too much as well, its connection is
// closed.
import type { IncomingMessage } from 'node:http'
import { getHeapStatistics } from 'node:v8'

const heapBytes = getHeapStatistics().heap_size_limit

/** An idle connection takes about 5 KiB of the heap, one with a request at work three times that. */
const connectionBytes = 32_768
/** For the database, the history, the log and what Node needs itself. */
const reservedFiles = 64
export const maxConnections = Math.max(
  1,
  Math.min(20_000, Math.floor(heapBytes / connectionBytes), openFilesLimit() - reservedFiles),
)
/** With more than so many open, a new one gets 503 for its first request and is closed. */
export const manyConnections = Math.ceil(maxConnections * 0.9)

/** What a request takes from its headers to its answer, and each name and each value among them; generously. */
export const requestBytes = 8_192
const headerBytes = 64
/** What all requests may take that were read and not answered. Answering 503 takes some as well. */
const roomBytes = heapBytes / 8
const mostBytes = heapBytes / 6
let takenBytes = 0

/** Who gives the room back when it is gone: a connection. */
export type Holder = { heldBytes: number }

export type Room = 'enough' | 'little' | 'none'

/** Takes room for one request, and says how much is left after it. */
export function takeRoom(holder: Holder, bytes: number): Room {
  takenBytes += bytes
  holder.heldBytes += bytes
  if (takenBytes <= roomBytes) return 'enough'
  return takenBytes <= mostBytes ? 'little' : 'none'
}

/** Whether there is enough left. */
export function hasRoom(): boolean {
  return takenBytes <= roomBytes
}

/** After a request was answered; or with all that it still holds, when the holder is gone. */
export function giveRoomBack(holder: Holder, bytes: number = holder.heldBytes): void {
  const held = Math.min(bytes, holder.heldBytes)
  holder.heldBytes -= held
  takenBytes -= held
}

export function bytesOf({ rawHeaders }: IncomingMessage): number {
  return requestBytes + rawHeaders.length * headerBytes
}

function openFilesLimit(): number {
  const report = process.report.getReport() as { userLimits?: { open_files: { soft: number | string } } }
  const limit = Number(report.userLimits?.open_files.soft)
  return Number.isNaN(limit) ? Number.POSITIVE_INFINITY : limit
}
