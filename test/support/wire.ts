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
  /** Statuses of the interim answers before this one. */
  interim: number[]
  /** Milliseconds from the connection's start to the last byte of this answer. */
  arrivedAfterMs: number
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
  const arrivals: { bytes: Buffer; atMs: number }[] = []
  let ending: Received['ending'] = 'open'
  let endedAfterMs = 0
  const startedAt = Date.now()
  socket.on('data', (bytes: Buffer) => arrivals.push({ bytes, atMs: Date.now() - startedAt }))
  const end = (how: 'closed' | 'reset') => {
    if (ending !== 'open') return
    ending = how
    endedAfterMs = Date.now() - startedAt
  }
  const over = new Promise<void>((resolve) => {
    socket.on('end', () => {
      end('closed')
      resolve()
      socket.destroySoon()
    })
    socket.on('error', () => end('reset'))
    socket.on('close', () => {
      end('closed')
      resolve()
    })
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })

  const bytes = () => Buffer.concat(arrivals.map((arrival) => arrival.bytes))
  const arrivedAfterMs = (offset: number) => {
    let seen = 0
    for (const arrival of arrivals) {
      seen += arrival.bytes.length
      if (seen >= offset) return arrival.atMs
    }
    return Number.NaN
  }
  const read = (methods: string[]) => readAnswers(bytes(), methods, ending !== 'open', arrivedAfterMs)

  return {
    socket,
    bytes,
    async send(...pieces) {
      for (const piece of pieces) {
        if (ending !== 'open') return
        if (typeof piece === 'number') await sleep(piece)
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
        const { answers, partial } = read(methods)
        if (answers.length >= count && !partial) {
          assert.equal(answers.length, count, `one answer too many:\n${bytes().toString('latin1')}`)
          return answers
        }
        if (ending !== 'open' || Date.now() > until)
          assert.fail(`${answers.length} of ${count} answers (${ending}):\n${shown(bytes())}`)
        await sleep(5)
      }
    },
    async untilEnded(methods = [], timeoutMs = 10_000) {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, timeoutMs)
      })
      await Promise.race([over, late])
      clearTimeout(timer)
      const how = ending
      socket.destroy()
      const { answers, partial } = readAnswers(bytes(), methods, true, arrivedAfterMs)
      assert.ok(!partial, `an answer that is cut off, or stray bytes:\n${shown(bytes())}`)
      return { answers, ending: how, endedAfterMs }
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
  assert.ok(
    statuses.includes(answer.status),
    `${answer.status} ${answer.body.toString('utf8')} instead of ${statuses}`,
  )
  assert.match(header(answer, 'x-request-id') ?? '', uuid)
  assert.equal(header(answer, 'cache-control'), 'no-store')
}

/** What never became a request: the protocol's status and an empty body. */
export function assertProtocolRefusal(answer: WireAnswer | undefined, ...statuses: number[]): void {
  assert.ok(answer, `no answer instead of ${statuses}`)
  assert.ok(
    statuses.includes(answer.status),
    `${answer.status} ${answer.body.toString('utf8')} instead of ${statuses}`,
  )
  assert.equal(answer.body.length, 0, `a body: ${answer.body.toString('utf8')}`)
  assert.equal((header(answer, 'connection') ?? 'close').toLowerCase(), 'close')
}

// The reader. Anything that is not exactly a row of answers throws.

const statusLine = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/
const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\x20-\x7e\t]*?)[ \t]*$/

function readAnswers(
  stream: Buffer,
  methods: string[],
  ended: boolean,
  arrivedAfterMs: (offset: number) => number,
): { answers: WireAnswer[]; partial: boolean } {
  const answers: WireAnswer[] = []
  let interim: number[] = []
  let offset = 0
  while (offset < stream.length) {
    const last = answers.at(-1)
    if (last && (header(last, 'connection') ?? '').toLowerCase() === 'close')
      assert.fail(`bytes after an answer that said Connection: close:\n${shown(stream)}`)
    const headEnd = stream.indexOf('\r\n\r\n', offset)
    if (headEnd < 0) return { answers, partial: true }
    const { status, headers } = readHead(stream.subarray(offset, headEnd).toString('latin1'), stream)
    const from = headEnd + 4
    if (status < 200) {
      assert.ok(status !== 101, 'switched protocols')
      assert.ok(!headers.has('content-length') && !headers.has('transfer-encoding'))
      interim.push(status)
      offset = from
      continue
    }
    const method = methods[answers.length] ?? 'GET'
    const read = readBody(stream, from, status, method, headers, ended)
    if (!read) return { answers, partial: true }
    offset = read.to
    answers.push({ status, headers, body: read.body, interim, arrivedAfterMs: arrivedAfterMs(read.to) })
    interim = []
  }
  return { answers, partial: interim.length > 0 && ended }
}

function readHead(head: string, stream: Buffer) {
  const [first = '', ...lines] = head.split('\r\n')
  const status = statusLine.exec(first)?.[1]
  assert.ok(status, `no status line: ${JSON.stringify(first.slice(0, 200))} in\n${shown(stream)}`)
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const [, name, value] = headerLine.exec(line) ?? []
    assert.ok(name !== undefined && value !== undefined, `no header line: ${JSON.stringify(line)}`)
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value])
  }
  return { status: Number(status), headers }
}

function readBody(
  stream: Buffer,
  from: number,
  status: number,
  method: string,
  headers: Map<string, string[]>,
  ended: boolean,
): { body: Buffer; to: number } | undefined {
  const lengths = headers.get('content-length') ?? []
  const encodings = headers.get('transfer-encoding') ?? []
  assert.ok(lengths.length + encodings.length <= 1, 'more than one way to tell the length of the body')
  if (method === 'HEAD' || status === 204 || status === 304) return { body: Buffer.alloc(0), to: from }
  if (lengths[0] !== undefined) {
    assert.match(lengths[0], /^\d+$/)
    const to = from + Number(lengths[0])
    return to <= stream.length ? { body: stream.subarray(from, to), to } : undefined
  }
  if (encodings[0] !== undefined) {
    assert.equal(encodings[0].toLowerCase(), 'chunked')
    return readChunks(stream, from)
  }
  // Without a length the body is whatever comes until the end.
  return ended ? { body: stream.subarray(from), to: stream.length } : undefined
}

function readChunks(stream: Buffer, from: number): { body: Buffer; to: number } | undefined {
  const parts: Buffer[] = []
  let at = from
  for (;;) {
    const lineEnd = stream.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = stream.subarray(at, lineEnd).toString('latin1')
    assert.match(size, /^[0-9a-fA-F]{1,8}$/)
    const length = Number.parseInt(size, 16)
    const start = lineEnd + 2
    if (stream.length < start + length + 2) return undefined
    assert.equal(stream.subarray(start + length, start + length + 2).toString('latin1'), '\r\n')
    at = start + length + 2
    if (length === 0) return { body: Buffer.concat(parts), to: at }
    parts.push(stream.subarray(start, start + length))
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

/** The plainest use: write bytes, wait for the end, look at what came, without reading it as answers. */
export async function connect(server: { port: number }): Promise<{
  socket: Socket
  write(bytes: string | Buffer): void
  received(): Buffer
  closed(timeoutMs?: number): Promise<void>
}> {
  const { socket, bytes } = await wire(server.port)
  return {
    socket,
    write: (out) => void socket.write(out),
    received: bytes,
    closed: (timeoutMs = 40_000) =>
      new Promise((resolve, reject) => {
        if (socket.closed) return resolve()
        const late = setTimeout(() => reject(new Error('the connection was left open')), timeoutMs)
        socket.once('close', () => {
          clearTimeout(late)
          resolve()
        })
      }),
  }
}
