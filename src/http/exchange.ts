import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { readByNode, writeByNode } from './node-exchange.ts'
import { writePlainly } from './plain.ts'
import { giveRoomBack, type Holder } from './room.ts'

/** One request and its one answer. */
export type Exchange = NodeExchange | PlainExchange
/** One that Node's parser read. */
export type NodeExchange = Common & { req: IncomingMessage; res: ServerResponse; body: undefined }
/** One that came whole and was read by `plain.ts`. */
export type PlainExchange = Common & { req: RequestHead; res: undefined; body: Buffer }

/** What a request says before its body. */
export type RequestHead = {
  method?: string | undefined
  url?: string | undefined
  headers: IncomingHttpHeaders
  /** Names and values as they were sent; not there where each name was sent once. */
  rawHeaders?: string[]
  socket: Socket
}

type Common = {
  /** Whose room it takes until it is answered, and how much. */
  holder: Holder
  roomBytes: number
  /** A fresh UUID; a client's own is not taken over. */
  requestId: string
  /** When the headers were complete: wall clock, and the process's steady clock for measuring. */
  arrivedAtMs: number
  arrivedAt: number
  hasBody: boolean
  /** True once `readBody` has read all of it. */
  bodyRead: boolean
  /** True once it is certain that the rest of it will not come. */
  bodyBroken: boolean
  /** True until it is told to go on. */
  expectsContinue: boolean
  /**
   * Why it gets 503: its headers were complete only after draining had begun, or more is open or waits already
   * than the process can hold.
   */
  refused: 'late' | 'too much' | undefined
  answered: boolean
  /** True once the answer has been handed to the connection, behind which none is still to be taken. */
  written: boolean
  /** True once the answer says that the connection will be closed. */
  closes: boolean
  /** Ends the wait for the body, while there is one. */
  endBody: ((end: BodyFailure) => void) | undefined
  /** What to do once the answer is on its way: the next request of the connection, or refusing what was none. */
  afterwards: (() => void) | undefined
}

/** Why there is no body: broken off or malformed, larger than allowed, not there in time, or we are stopping. */
export type BodyFailure = 'incomplete' | 'tooLarge' | 'draining'

/** What every exchange begins with. `nowMs`: wall clock. */
export function newExchange(holder: Holder, roomBytes: number, nowMs: number): Common {
  return {
    holder,
    roomBytes,
    requestId: randomUUID(),
    arrivedAtMs: nowMs,
    arrivedAt: performance.now(),
    hasBody: false,
    bodyRead: false,
    bodyBroken: false,
    expectsContinue: false,
    refused: undefined,
    answered: false,
    written: false,
    closes: false,
    endBody: undefined,
    afterwards: undefined,
  }
}

type Answer = { exchange: Exchange; status: number; headers: string[]; body: Body; isAscii: boolean }
/** A function is asked once, when the answer leaves. */
type Body = string | Uint8Array | (() => Uint8Array)

let outbox: Answer[] = []
let isRound = false

/**
 * Sends the answer, once; a second call does nothing. `headers` is a flat list of names and values without
 * `Content-Length`. Of a body that is known to be ASCII (`isAscii`) the bytes need not be counted.
 *
 * The answers of one turn of the event loop leave together at its end: a socket written to while its reader
 * sleeps costs twice as much as one whose reader is already at work on the answer before.
 */
export function send(
  exchange: Exchange,
  status: number,
  headers: string[],
  body: Body,
  isAscii = false,
): void {
  if (exchange.answered) return
  exchange.answered = true
  if (outbox.length === 0 && !isRound) setImmediate(sendOutbox)
  outbox.push({ exchange, status, headers, body, isAscii })
}

/** What `work` answers leaves at its end, without waiting for the end of the turn. */
export function inOneRound(work: () => void): void {
  isRound = true
  try {
    work()
  } finally {
    isRound = false
    sendOutbox()
  }
}

function sendOutbox(): void {
  const answers = outbox
  outbox = []
  for (const answer of answers) {
    try {
      write(answer)
    } catch {
      // One connection that cannot be written to must not keep the others from their answers.
      answer.exchange.req.socket.destroy()
    }
  }
}

function write({ exchange, status, headers, body: given, isAscii }: Answer): void {
  const body = typeof given === 'function' ? given() : given
  const bytes = isAscii || typeof body !== 'string' ? body.length : Buffer.byteLength(body)
  // RFC 9110, section 8.6
  if (status !== 204 && status !== 304) headers.push('Content-Length', String(bytes))
  // What is ASCII needs no conversion on its way to the socket.
  const encoding = bytes === body.length ? 'latin1' : 'utf8'
  if (exchange.res === undefined) writePlainly(exchange, status, headers, body, encoding)
  else writeByNode(exchange, status, headers, body, encoding)
  // Behind an answer that its reader has not taken this one lies in memory: no more are made until it leaves.
  if (exchange.res?.socket === null) exchange.res.once('finish', () => goOn(exchange))
  else goOn(exchange)
}

function goOn(exchange: Exchange): void {
  exchange.written = true
  giveRoomBack(exchange.holder, exchange.roomBytes)
  exchange.afterwards?.()
}

/**
 * Reads the whole body, at most `limit` bytes of it, and hands it on: at once where it is there already. Who
 * sees that the rest will not come (the connection closed, malformed chunks, too late, we are stopping) says
 * so by `exchange.endBody`.
 */
export function readBody(
  exchange: Exchange,
  limit: number,
  then: (body: Buffer | BodyFailure) => void,
): void {
  if (!exchange.hasBody) then(noBytes)
  else if (exchange.res === undefined) then(exchange.body.length > limit ? 'tooLarge' : exchange.body)
  else readByNode(exchange, limit, then)
}

const noBytes = Buffer.alloc(0)

/** How many headers of this (lower-case) name were sent; Node folds some of them into one. */
export function countHeader({ headers, rawHeaders }: RequestHead, name: string): number {
  if (rawHeaders === undefined) return headers[name] === undefined ? 0 : 1
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index] as string
    if (given.length === name.length && given.toLowerCase() === name) count += 1
  }
  return count
}
