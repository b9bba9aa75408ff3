// Reading and answering requests that Node's parser read: all that are not plain.
import type { BodyFailure, NodeExchange } from './exchange.ts'

/** After an early answer: how much of the body is read away, how long its sender may be silent, and in all. */
const lingerBytes = 1_048_576
const lingerSilenceMs = 2_000
const lingerMs = 10_000
/** How long the requests behind one that closes the connection are read away: unread ones cost it its answers. */
const lingerBehindMs = 1_000

/**
 * Where the body of the request has not been read, up to 1 MiB of it is read away so that the client gets to
 * see the answer, and the connection is closed then.
 */
export function writeByNode(
  exchange: NodeExchange,
  status: number,
  headers: string[],
  body: string | Uint8Array,
  encoding: 'latin1' | 'utf8',
): void {
  const { req, res } = exchange
  const unread = exchange.hasBody && !exchange.bodyRead
  if (unread) exchange.closes = true
  // Node closes the connection behind an answer that came without it, even if the body is there.
  else letContinue(exchange)
  if (exchange.closes) headers.push('Connection', 'close')
  res.writeHead(status, headers)
  if (unread && !req.destroyed) linger(exchange, body)
  else if (typeof body !== 'string') res.end(body)
  else res.end(body, encoding)
}

/** Says once that the body may come, where the client asked (RFC 9110, section 10.1.1). */
function letContinue(exchange: NodeExchange): void {
  if (!exchange.expectsContinue) return
  exchange.expectsContinue = false
  exchange.res.writeContinue()
}

/** Answers before the end of the request; ends the answer, and with it the connection, after that. */
function linger(exchange: NodeExchange, body: string | Uint8Array): void {
  const { req, res } = exchange
  // Nobody counts these any more: a thousand heads of a thousand names each would fill the memory until they end.
  req.headers = {}
  req.rawHeaders = []
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

/** `readBody` of a request that has one. */
export function readByNode(
  exchange: NodeExchange,
  limit: number,
  then: (body: Buffer | BodyFailure) => void,
): void {
  const { req } = exchange
  if (req.readableLength > limit) then('tooLarge')
  else if (exchange.bodyBroken || req.destroyed) then('incomplete')
  else if (req.complete) {
    exchange.bodyRead = true
    then(bufferedBody(exchange))
  } else if (Number(req.headers['content-length'] ?? 0) > limit) then('tooLarge')
  else {
    letContinue(exchange)
    awaitBody(exchange, limit, then)
  }
}

const noBytes = Buffer.alloc(0)

/** `read` gives one piece of it at a time, and ends the stream with the last. */
function bufferedBody({ req }: NodeExchange): Buffer {
  const first = req.read() ?? noBytes
  if (req.readableLength === 0) return first
  const pieces = [first]
  while (req.readableLength > 0) pieces.push(req.read())
  return Buffer.concat(pieces)
}

function awaitBody(exchange: NodeExchange, limit: number, then: (body: Buffer | BodyFailure) => void): void {
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
