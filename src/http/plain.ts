// Most requests come whole, in one piece, alone, and say nothing unusual. They are read and answered here, for
// less than half of what Node's parser and its streams cost. Whatever is not certainly such a request is handed to
// Node unread, and with it everything that comes behind it on that connection: this reader never refuses, guesses
// or waits.
import { timingSafeEqual } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Connection } from './connection.ts'
import type { PlainExchange, RequestHead } from './exchange.ts'

const maxHeadBytes = 8_192
const maxBodyBytes = 16_384

/** A head as it was sent, and what it says. */
export type PlainHead = { bytes: Buffer; request: RequestHead; bodyBytes: number }

/** What is in no doubt: a target in origin-form of common characters, no continued lines, nothing but ASCII. */
const headPattern =
  /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/[\w\-.~!$&'()*+,;=:@%/?]*) HTTP\/1\.1\r\n((?:[\w!#$%&'*+\-.^`|~]+:[\t\x20-\x7e]*\r\n)+)\r\n$/
/** Headers that ask for more than an answer, or say where the message ends in another way than by its length. */
const unusual = new Set(['transfer-encoding', 'expect', 'upgrade', 'proxy-connection', 'trailer'])

/**
 * The plain request that these bytes are, no more and no less of it; nothing where they are not (RFC 9112). A
 * client says the same in each of its requests but for the body: what was read of the head before it is known.
 */
export function plainRequest(
  connection: Connection,
  bytes: Buffer,
): { request: RequestHead; body: Buffer } | undefined {
  if (bytes.length > maxHeadBytes + maxBodyBytes) return undefined
  let { head } = connection
  if (head === undefined || !beginsWith(bytes, head.bytes)) {
    head = readHead(bytes, connection)
    if (head === undefined) return undefined
    connection.head = head
  }
  const bodyAt = head.bytes.length
  if (bytes.length !== bodyAt + head.bodyBytes) return undefined
  return { request: head.request, body: bytes.subarray(bodyAt) }
}

/** A proxy's connection may be that of many clients, who learn nothing here of each other's keys. */
function beginsWith(bytes: Buffer, head: Buffer): boolean {
  return bytes.length >= head.length && timingSafeEqual(bytes.subarray(0, head.length), head)
}

function readHead(message: Buffer, { socket }: Connection): PlainHead | undefined {
  const end = message.indexOf('\r\n\r\n')
  if (end === -1 || end > maxHeadBytes) return undefined
  const bytes = Buffer.from(message.subarray(0, end + 4))
  const found = headPattern.exec(bytes.toString('latin1'))
  if (found === null) return undefined
  const headers: Record<string, string> = {}
  for (const line of (found[3] as string).split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon === -1) continue
    const name = line.slice(0, colon).toLowerCase()
    // Of a name that comes twice Node knows whether that may be.
    if (headers[name] !== undefined || unusual.has(name)) return undefined
    headers[name] = line.slice(colon + 1).replace(/^[\t ]+|[\t ]+$/g, '')
  }
  const { host, connection = 'keep-alive', 'content-length': length = '0' } = headers
  if (host === undefined || connection.toLowerCase() !== 'keep-alive') return undefined
  if (!/^[0-9]{1,5}$/.test(length) || Number(length) > maxBodyBytes) return undefined
  return { bytes, request: { method: found[1], url: found[2], headers, socket }, bodyBytes: Number(length) }
}

export type PlainReader = {
  /** Whether the next request may be taken here. */
  mayTake(connection: Connection): boolean
  take(connection: Connection, request: RequestHead, body: Buffer): void
  /** Gives a connection to Node. */
  adopt(connection: Connection): void
}

/** Takes the requests of a new connection as long as they are plain, come one by one and are read by their sender. */
export function readPlainly(connection: Connection, { mayTake, take, adopt }: PlainReader): void {
  const { socket } = connection
  let behind: Buffer[] = []

  function onData(bytes: Buffer): void {
    if (!socket.writable) return
    const { last } = connection
    if (last !== undefined && !last.written) {
      behind.push(bytes)
      socket.pause()
      last.afterwards = handOver
      return
    }
    const found =
      mayTake(connection) && socket.writableLength === 0 ? plainRequest(connection, bytes) : undefined
    if (found !== undefined) take(connection, found.request, found.body)
    else {
      behind.push(bytes)
      handOver()
    }
  }

  /** The client has sent all it wants to: it gets the answer that is under way, and that is the last. */
  function onEnd(): void {
    const { last } = connection
    if (last !== undefined && !last.written) last.closes = true
    else socket.end()
  }

  function handOver(): void {
    connection.handOver = undefined
    connection.head = undefined
    if (!socket.writable) return
    socket.off('data', onData).off('end', onEnd)
    adopt(connection)
    const bytes = Buffer.concat(behind)
    behind = []
    if (bytes.length > 0) socket.unshift(bytes)
    socket.resume()
  }

  connection.handOver = handOver
  socket.on('data', onData).on('end', onEnd)
}

/** Hands an answer to the socket as Node would, `Date` and the connection's headers included. */
export function writePlainly(
  { req, closes }: PlainExchange,
  status: number,
  headers: string[],
  body: string | Uint8Array,
  encoding: 'latin1' | 'utf8',
): void {
  const { socket, method } = req
  if (socket.destroyed) return
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let index = 0; index < headers.length; index += 2) {
    const value = headers[index + 1] as string
    // RFC 9110, section 5.5: a line more would be a header more.
    if (notInValues.test(value)) throw new Error(`the value of ${headers[index]} is none of a header`)
    head += `${headers[index]}: ${value}\r\n`
  }
  head += `Date: ${httpDate()}\r\n${closes ? closing : staying}\r\n`
  if (method === 'HEAD' || status === 204 || status === 304) socket.write(head, 'latin1')
  else if (typeof body === 'string') socket.write(head + body, encoding)
  else {
    socket.cork()
    socket.write(head, 'latin1')
    socket.write(body)
    socket.uncork()
  }
  if (closes) socket.destroySoon()
}

const notInValues = /[^\t\x20-\x7e\x80-\xff]/
const closing = 'Connection: close\r\n'
export const keepAliveSeconds = 75
const staying = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n`

let dateSecond = 0
let date = ''

function httpDate(): string {
  const second = Math.floor(Date.now() / 1_000)
  if (second !== dateSecond) {
    dateSecond = second
    date = new Date(second * 1_000).toUTCString()
  }
  return date
}
