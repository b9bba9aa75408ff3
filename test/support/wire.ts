// A raw TCP client: bytes out in pieces, everything that comes back read strictly as HTTP/1.1 answers.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type WireAnswer = {
  status: number
  /** Lower-case names; each value as it came. */
  headers: Map<string, string[]>
  body: Buffer
}

export type Received = {
  answers: WireAnswer[]
  /** How the connection ended; `open` when the time was up first. */
  ending: 'closed' | 'reset' | 'open'
  endedAfterMs: number
}

/** Bytes to send, or milliseconds to wait. */
export type Piece = string | Buffer | number

export type Wire = {
  socket: Socket
  /** Sends, and waits until the bytes have left; what is left once the connection has ended is not sent. */
  send(...pieces: Piece[]): Promise<void>
  halfClose(): void
  /** Whether the server has ended the connection. */
  ended(): boolean
  bytes(): Buffer
  /** Waits for that many whole answers, which must be all that has come. `methods` are those of the requests. */
  answers(count: number, methods?: string[], timeoutMs?: number): Promise<WireAnswer[]>
  /** Waits until the server has ended the connection, and reads what came as answers and nothing else. */
  untilEnded(methods?: string[], timeoutMs?: number): Promise<Received>
  destroy(): void
}

export async function wire(port: number, host = '127.0.0.1'): Promise<Wire> {
  const socket = createConnection({ port, host, allowHalfOpen: true })
  socket.setNoDelay(true)
  const parts: Buffer[] = []
  const bytes = () => Buffer.concat(parts)
  let ending: Received['ending'] = 'open'
  let endedAfterMs = Number.NaN
  const startedAt = Date.now()
  const over = new Promise<void>((resolve) => {
    const end = (how: 'closed' | 'reset') => {
      if (ending === 'open') {
        ending = how
        endedAfterMs = Date.now() - startedAt
      }
      resolve()
    }
    socket.on('end', () => {
      end('closed')
      socket.destroySoon()
    })
    socket.on('error', () => end('reset'))
    socket.on('close', () => end('closed'))
  })
  socket.on('data', (part: Buffer) => parts.push(part))
  await once(socket, 'connect')

  return {
    socket,
    bytes,
    async send(...pieces) {
      for (const piece of pieces) {
        if (ending !== 'open') return
        if (typeof piece === 'number') await Promise.race([sleep(piece), over])
        else if (socket.writable) await new Promise<void>((resolve) => socket.write(piece, () => resolve()))
      }
    },
    halfClose() {
      socket.end()
    },
    ended: () => ending !== 'open',
    async answers(count, methods = [], timeoutMs = 5_000) {
      const until = Date.now() + timeoutMs
      for (;;) {
        const { answers, partial } = readAnswers(bytes(), methods, ending !== 'open')
        if (answers.length >= count && !partial) {
          assert.equal(answers.length, count, `one answer too many:\n${shown(bytes())}`)
          return answers
        }
        if (ending !== 'open' || Date.now() > until)
          assert.fail(`${answers.length} of ${count} answers (${ending}):\n${shown(bytes())}`)
        await sleep(5)
      }
    },
    async untilEnded(methods = [], timeoutMs = 10_000) {
      const waiting = new AbortController()
      await Promise.race([over, sleep(timeoutMs, undefined, { signal: waiting.signal }).catch(() => {})])
      waiting.abort()
      const received = { ending, endedAfterMs }
      socket.destroy()
      const { answers, partial } = readAnswers(bytes(), methods, true)
      assert.ok(!partial, `an answer that is cut off, or stray bytes:\n${shown(bytes())}`)
      return { answers, ...received }
    },
    destroy() {
      socket.destroy()
    },
  }
}

export type Exchange = { methods?: string[]; halfClose?: boolean; timeoutMs?: number }

/** One connection from start to end: sends all pieces, then waits until the server ends it. */
export async function exchange(port: number, pieces: Piece[], options: Exchange = {}): Promise<Received> {
  const line = await wire(port)
  const sent = line.send(...pieces).then(() => {
    if (options.halfClose) line.halfClose()
  })
  const received = await line.untilEnded(options.methods, options.timeoutMs)
  await sent
  return received
}

/** Like `exchange`, but there must be exactly one answer and then the end of the connection. */
export async function onlyAnswer(port: number, pieces: Piece[], options: Exchange = {}): Promise<WireAnswer> {
  const { answers, ending } = await exchange(port, pieces, options)
  assert.equal(answers.length, 1, `${answers.length} answers: ${answers.map((a) => a.status)}`)
  assert.notEqual(ending, 'open', `answered ${answers[0]?.status}, but the connection was left open`)
  return answers[0] as WireAnswer
}

/** One request as text. Adds `Host` and, where a body is given without any length, `Content-Length`. */
export function message(method: string, target: string, headers: string[] = [], body = ''): string {
  const has = (name: string) => headers.some((line) => line.toLowerCase().startsWith(`${name}:`))
  const lines = [...headers]
  if (!has('host')) lines.unshift('Host: localhost')
  if (body && !has('content-length') && !has('transfer-encoding'))
    lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  return [`${method} ${target} HTTP/1.1`, ...lines, '', body].join('\r\n')
}

export function chunked(body: string, size = body.length): string {
  let out = ''
  for (let at = 0; at < body.length; at += size) {
    const part = body.slice(at, at + size)
    out += `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`
  }
  return `${out}0\r\n\r\n`
}

export function header(answer: WireAnswer, name: string): string | undefined {
  const values = answer.headers.get(name.toLowerCase()) ?? []
  assert.ok(values.length <= 1, `${name} came ${values.length} times`)
  return values[0]
}

export function json(answer: WireAnswer): any {
  return JSON.parse(answer.body.toString('utf8'))
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The one error body of the contract, with the headers that go with it. */
export function assertError(answer: WireAnswer | undefined, status: number, code: string): void {
  assert.ok(answer, `no answer instead of ${status} ${code}`)
  const text = answer.body.toString('utf8')
  assert.equal(answer.status, status, `${answer.status} ${text} instead of ${status} ${code}`)
  assert.match(header(answer, 'content-type') ?? '', /^application\/json\b/)
  const body = json(answer)
  assert.deepEqual(Object.keys(body).sort(), ['code', 'message', 'requestId', 'status'])
  assert.equal(body.code, code)
  assert.equal(body.status, 'error')
  assert.equal(typeof body.message, 'string')
  assert.match(body.requestId, uuid)
  assert.equal(header(answer, 'x-request-id'), body.requestId)
  assert.equal(header(answer, 'cache-control'), 'no-store')
}

/** An answer of the API that is not an error. */
export function assertGood(answer: WireAnswer | undefined, ...statuses: number[]): void {
  assert.ok(answer, `no answer instead of ${statuses}`)
  assert.ok(statuses.includes(answer.status), `${answer.status} ${answer.body.toString('utf8')} instead of ${statuses}`)
  assert.match(header(answer, 'x-request-id') ?? '', uuid)
  assert.equal(header(answer, 'cache-control'), 'no-store')
}

/** What never became a request: the protocol's status, an empty body, and the end of the connection. */
export function assertProtocolRefusal(answer: WireAnswer | undefined, ...statuses: number[]): void {
  assert.ok(answer, `no answer instead of ${statuses}`)
  assert.ok(statuses.includes(answer.status), `${answer.status} ${answer.body.toString('utf8')} instead of ${statuses}`)
  assert.equal(answer.body.length, 0, `a body: ${answer.body.toString('utf8')}`)
  assert.equal((header(answer, 'connection') ?? 'close').toLowerCase(), 'close')
}

// The reader. Anything that is not exactly a row of answers throws.

const statusLine = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/
const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\x20-\x7e\t]*?)[ \t]*$/

function readAnswers(stream: Buffer, methods: string[], ended: boolean) {
  const answers: WireAnswer[] = []
  let offset = 0
  while (offset < stream.length) {
    const last = answers.at(-1)
    // Nobody reads on behind such an answer, and Node may refuse there what was malformed behind its request.
    if (last && header(last, 'connection')?.toLowerCase() === 'close') break
    const headEnd = stream.indexOf('\r\n\r\n', offset)
    if (headEnd < 0) return { answers, partial: true }
    const { status, headers } = readHead(stream.subarray(offset, headEnd).toString('latin1'))
    offset = headEnd + 4
    if (status === 100) continue
    assert.ok(status >= 200, `an interim answer ${status}`)
    const body = readBody(stream.subarray(offset), headers, ended, isBare(status, methods[answers.length]))
    if (body === undefined) return { answers, partial: true }
    answers.push({ status, headers, body: body.bytes })
    offset += body.taken
  }
  return { answers, partial: false }
}

function readHead(head: string) {
  const [first = '', ...lines] = head.split('\r\n')
  const status = statusLine.exec(first)?.[1]
  assert.ok(status, `no status line: ${JSON.stringify(first.slice(0, 200))}`)
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const [, name, value] = headerLine.exec(line) ?? []
    assert.ok(name !== undefined && value !== undefined, `no header line: ${JSON.stringify(line)}`)
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value])
  }
  return { status: Number(status), headers }
}

const isBare = (status: number, method = 'GET') => method === 'HEAD' || status === 204 || status === 304

/** Nothing where it is not whole yet. */
function readBody(rest: Buffer, headers: WireAnswer['headers'], ended: boolean, isBare: boolean) {
  const lengths = headers.get('content-length') ?? []
  const encodings = headers.get('transfer-encoding') ?? []
  assert.ok(lengths.length + encodings.length <= 1, 'more than one way to tell the length of the body')
  if (isBare) return { bytes: Buffer.alloc(0), taken: 0 }
  if (encodings.length > 0) return readChunks(rest)
  // Without a length the body is whatever comes until the end.
  const length = lengths.length > 0 ? Number(lengths[0]) : rest.length
  const isWhole = lengths.length > 0 ? length <= rest.length : ended
  return isWhole ? { bytes: rest.subarray(0, length), taken: length } : undefined
}

function readChunks(rest: Buffer) {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = rest.subarray(at, lineEnd).toString('latin1')
    assert.match(size, /^[\da-f]{1,8}$/i)
    const from = lineEnd + 2
    const to = from + Number.parseInt(size, 16)
    at = to + 2
    if (at > rest.length) return undefined
    assert.equal(rest.subarray(to, at).toString('latin1'), '\r\n')
    if (to === from) return { bytes: Buffer.concat(parts), taken: at }
    parts.push(rest.subarray(from, to))
  }
}

function shown(bytes: Buffer): string {
  return JSON.stringify(bytes.subarray(0, 2_000).toString('latin1'))
}

/** Whether a new connection is taken. */
export async function accepts(port: number, host = '127.0.0.1'): Promise<boolean> {
  const socket = createConnection({ port, host })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
