import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { bytesOf, giveRoomBack, type Holder } from './room.ts'

/** One request and its one answer. */
export type Exchange = {
  req: IncomingMessage
  res: ServerResponse
  /** Whose room it takes until it is answered. */
  holder: Holder
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
  /** Why it gets 503 whatever it asks for: it came after draining had begun, or there is no room for it. */
  refused: boolean
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

export function newExchange(
  req: IncomingMessage,
  res: ServerResponse,
  holder: Holder,
  nowMs: number,
  expectsContinue: boolean,
): Exchange {
  const { headers } = req
  return {
    req,
    res,
    holder,
    requestId: randomUUID(),
    arrivedAtMs: nowMs,
    arrivedAt: performance.now(),
    hasBody: headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0,
    bodyRead: false,
    bodyBroken: false,
    expectsContinue,
    refused: false,
    answered: false,
    written: false,
    closes: !res.shouldKeepAlive,
    endBody: undefined,
    afterwards: undefined,
  }
}

/** After an early answer: how much of the body is read away, how long its sender may be silent, and in all. */
const lingerBytes = 1_048_576
const lingerSilenceMs = 2_000
const lingerMs = 10_000
/** How long the requests behind one that closes the connection are read away: unread ones cost it its answers. */
const lingerBehindMs = 1_000

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

/**
 * Where the body of the request has not been read, up to 1 MiB of it is read away so that the client gets to
 * see the answer, and the connection is closed then.
 */
function write({ exchange, status, headers, body: given, isAscii }: Answer): void {
  const body = typeof given === 'function' ? given() : given
  const { req, res } = exchange
  const unread = exchange.hasBody && !exchange.bodyRead
  if (unread) exchange.closes = true
  // Node closes the connection behind an answer that came without it, even if the body is there.
  else letContinue(exchange)
  const bytes = isAscii || typeof body !== 'string' ? body.length : Buffer.byteLength(body)
  // RFC 9110, section 8.6
  if (status !== 204 && status !== 304) headers.push('Content-Length', String(bytes))
  if (exchange.closes) headers.push('Connection', 'close')
  res.writeHead(status, headers)
  if (unread && !req.destroyed) linger(exchange, body)
  else if (typeof body !== 'string') res.end(body)
  // What is ASCII needs no conversion on its way to the socket.
  else res.end(body, bytes === body.length ? 'latin1' : 'utf8')
  // Behind an answer that its reader has not taken this one lies in memory: no more are made until it leaves.
  if (res.socket === null) res.once('finish', () => goOn(exchange))
  else goOn(exchange)
}

/** Says once that the body may come, where the client asked (RFC 9110, section 10.1.1). */
function letContinue(exchange: Exchange): void {
  if (!exchange.expectsContinue) return
  exchange.expectsContinue = false
  exchange.res.writeContinue()
}

function goOn(exchange: Exchange): void {
  exchange.written = true
  giveRoomBack(exchange.holder, bytesOf(exchange.req))
  exchange.afterwards?.()
}

/** Answers before the end of the request; ends the answer, and with it the connection, after that. */
function linger(exchange: Exchange, body: string | Uint8Array): void {
  const { req, res } = exchange
  if (req.method === 'HEAD') res.flushHeaders()
  else res.write(body)
  let left = lingerBytes
  const end = () => {
    clearTimeout(timer)
    clearTimeout(last)
    req.off('data', onData).pause()
    res.end()
  }
  const timer = setTimeout(end, lingerSilenceMs)
  const last = setTimeout(end, lingerMs)
  const onData = (chunk: Buffer) => {
    left -= chunk.length
    if (left <= 0) end()
    else timer.refresh()
  }
  req.on('data', onData)
  const onEnd = () => {
    if (exchange.afterwards === undefined) end()
    else setTimeout(end, lingerBehindMs)
  }
  req.once('end', onEnd).once('close', onEnd)
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
  const { req } = exchange
  if (!exchange.hasBody) then(noBytes)
  else if (req.readableLength > limit) then('tooLarge')
  else if (exchange.bodyBroken || req.destroyed) then('incomplete')
  else if (req.complete) {
    exchange.bodyRead = true
    then(bufferedBody(req))
  } else if (Number(req.headers['content-length'] ?? 0) > limit) then('tooLarge')
  else {
    letContinue(exchange)
    awaitBody(exchange, limit, then)
  }
}

const noBytes = Buffer.alloc(0)

/** `read` gives one piece of it at a time, and ends the stream with the last. */
function bufferedBody(req: IncomingMessage): Buffer {
  const first = req.read() ?? noBytes
  if (req.readableLength === 0) return first
  const pieces = [first]
  while (req.readableLength > 0) pieces.push(req.read())
  return Buffer.concat(pieces)
}

function awaitBody(exchange: Exchange, limit: number, then: (body: Buffer | BodyFailure) => void): void {
  const { req } = exchange
  let whole: Buffer = noBytes
  const onData = (chunk: Buffer) => {
    whole = whole.length === 0 ? chunk : Buffer.concat([whole, chunk])
    if (whole.length > limit) end('tooLarge')
  }
  const onEnd = () => {
    exchange.endBody = undefined
    exchange.bodyRead = true
    then(whole)
  }
  const end = (failure: BodyFailure) => {
    exchange.endBody = undefined
    req.off('data', onData).off('end', onEnd)
    then(failure)
  }
  exchange.endBody = end
  req.on('data', onData).on('end', onEnd)
}

/** How many headers of this (lower-case) name were sent; Node folds some of them into one. */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index] as string
    if (given.length === name.length && given.toLowerCase() === name) count += 1
  }
  return count
}
