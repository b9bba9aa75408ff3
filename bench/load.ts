// The load, as a process of its own, driven by messages from run.ts: keep-alive connections with one request
// in flight on each. It writes finished bytes into sockets and reads no more of an answer than its status and
// its length.
import { connect, type Socket } from 'node:net'
import { emailAt } from './emails.ts'

export type Load = {
  port: number
  method: 'GET' | 'POST'
  /** Where there are several, requests without a body take one at random, those with a body each in its turn. */
  path: string | string[]
  /** Where there are several, one for each path. */
  key: string | string[]
  /** Which leads the bodies name; null for requests without a body. */
  emails: { pick: 'random'; count: number } | { pick: 'next'; from: number } | null
  connections: number
  seconds: number
  /** An answer with another status fails the benchmark. */
  status: number
}

export type Outcome = {
  answered: number
  /** From the first request to the last answer. */
  seconds: number
  p50Milliseconds: number
  p99Milliseconds: number
  /** What else came back, by what it was: `429`, `closed`, … */
  wrong: Record<string, number>
  /** How many emails were taken with `pick: 'next'`. */
  emailsTaken: number
  /** Share of the time that this process itself was busy: near 1, it is the load that is measured. */
  busy: number
}

const longestMicroseconds = 2_000_000

process.on('message', async (message: Load | 'go') => {
  if (message === 'go') return
  const sockets = await Promise.all(Array.from({ length: message.connections }, () => opened(message.port)))
  const go = new Promise((resolve) => process.once('message', resolve))
  process.send?.('ready')
  await go
  process.send?.(await run(message, sockets))
})

type Client = {
  write(request: string): void
  onBytes: (bytes: Buffer) => void
  onClose: () => void
  end(): void
}

/** All sockets may read into one buffer, because bytes are taken out of it before the next read. */
const inbox = Buffer.allocUnsafe(64 * 1024)

function opened(port: number): Promise<Client> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: inbox,
        callback(length) {
          client.onBytes(inbox.subarray(0, length))
          return true
        },
      },
    })
    const client: Client = {
      write: (request) => socket.write(request, 'latin1'),
      onBytes: () => {},
      onClose: () => {},
      end: () => socket.destroy(),
    }
    socket.on('connect', () => resolve(client))
    socket.on('error', reject)
    socket.on('close', () => client.onClose())
  })
}

async function run(load: Load, clients: Client[]): Promise<Outcome> {
  const histogram = new Uint32Array(longestMicroseconds + 1)
  const wrong: Record<string, number> = {}
  const requests = requestsOf(load)
  let answered = 0
  const before = process.cpuUsage()
  const startedAt = performance.now()
  const endsAt = startedAt + load.seconds * 1000

  await Promise.all(
    clients.map(
      (client) =>
        new Promise<void>((resolve) => {
          let sentAt = 0
          let rest: Buffer | null = null
          const fail = (what: string) => {
            wrong[what] = (wrong[what] ?? 0) + 1
            client.onClose = () => {}
            client.end()
            resolve()
          }
          const send = () => {
            sentAt = performance.now()
            client.write(requests.next())
          }
          client.onClose = () => fail('closed')
          client.onBytes = (arrived) => {
            const bytes: Buffer = rest ? Buffer.concat([rest, arrived]) : arrived
            const length = answerLength(bytes)
            if (Number.isNaN(length)) return fail('no content-length')
            if (bytes.length > length && length > 0) return fail('two answers')
            if (length === 0 || bytes.length < length) {
              rest = Buffer.from(bytes)
              return
            }
            rest = null
            const now = performance.now()
            const microseconds = Math.min(longestMicroseconds, Math.round((now - sentAt) * 1000))
            histogram[microseconds] = (histogram[microseconds] ?? 0) + 1
            answered += 1
            const status = statusOf(bytes)
            if (status !== load.status) wrong[status] = (wrong[status] ?? 0) + 1
            if (now < endsAt) return send()
            client.onClose = () => {}
            client.end()
            resolve()
          }
          send()
        }),
    ),
  )
  const seconds = (performance.now() - startedAt) / 1000
  const used = process.cpuUsage(before)
  return {
    answered,
    seconds,
    p50Milliseconds: quantile(histogram, answered, 0.5),
    p99Milliseconds: quantile(histogram, answered, 0.99),
    wrong,
    emailsTaken: requests.taken(),
    busy: (used.user + used.system) / 1e6 / seconds,
  }
}

function requestsOf(load: Load): { next(): string; taken(): number } {
  const { emails, method, port } = load
  const keys = [load.key].flat()
  const heads = [load.path].flat().map((path, index) => {
    const key = keys[index % keys.length]
    return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n`
  })
  if (emails === null) {
    const requests = heads.map((head) => `${head}\r\n`)
    return { next: () => requests[Math.floor(Math.random() * requests.length)] as string, taken: () => 0 }
  }
  const bodyBytes = `{"email":"${emailAt(0)}"}`.length
  const body = `Content-Type: application/json\r\nContent-Length: ${bodyBytes}\r\n\r\n{"email":"`
  const starts = heads.map((head) => head + body)
  let turn = 0
  let taken = 0
  const index = emails.pick === 'next' ? () => emails.from + taken++ : () => Math.floor(Math.random() * emails.count)
  return { next: () => `${starts[turn++ % starts.length]}${emailAt(index())}"}`, taken: () => taken }
}

/** Length of the answer at the start of `bytes`: 0 while its head is not complete, NaN without a length. */
function answerLength(bytes: Buffer): number {
  const head = bytes.indexOf('\r\n\r\n')
  if (head < 0) return 0
  if (statusOf(bytes) === 204) return head + 4
  const found = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, head))
  return found ? head + 4 + Number(found[1]) : Number.NaN
}

/** `HTTP/1.1 201 Created` */
function statusOf(bytes: Buffer): number {
  return Number(bytes.toString('latin1', 9, 12))
}

function quantile(histogram: Uint32Array, count: number, share: number): number {
  let left = Math.ceil(count * share)
  for (let microseconds = 0; microseconds < histogram.length; microseconds++) {
    left -= histogram[microseconds] ?? 0
    if (left <= 0) return microseconds / 1000
  }
  return Number.NaN
}
