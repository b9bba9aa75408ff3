// The thread that signs and sends. Every address that DNS gives is checked when the connection is made; no redirect is
// followed, and of an answer only status and Retry-After are read.
import { createHmac } from 'node:crypto'
import dns from 'node:dns'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { getPriority, networkInterfaces, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { RequestFilteringHttpsAgent } from 'request-filtering-agent'
import lastcall from '../../package.json' with { type: 'json' }
import type { TryCause } from '../core/events.ts'
import { type Egress, isAllowed, neverRanges } from './egress.ts'
import { type Delivery, gathered, type Sending, type Sent, type Try } from './sender.ts'

const connectMs = 5_000
const answerMs = 15_000
/** The connection of a longer answer is closed. */
const mostAnswerBytes = 4_096
/** 1xx answers before the final one. A server that sends them without end would keep the thread busy for all others. */
const mostInformation = 100
/** Answers whose end has not come: with one more the oldest loses its connection. */
const mostAnswers = 64

/** Idle connections, of all servers together: one takes some 80 kB, and every endpoint may leave several. */
const mostKept = 256

/** Added to the priority of the server, on the scale of `nice`. */
const lowerPriority = 10

const egress: Egress = workerData
const keepAlive = { keepAlive: true, maxFreeSockets: 64, timeout: 30_000 }

/** On a machine without IPv4, IPv6 is asked for first. */
function hasIpv4(): boolean {
  try {
    const all = Object.values(networkInterfaces()).flatMap((own) => own ?? [])
    return all.some(({ family, internal }) => family === 'IPv4' && !internal)
  } catch {
    // A sandbox may forbid to ask.
    return true
  }
}

const lookup: LookupFunction = (host, { all }, done) => {
  // Not the default one, which uses the four threads that files and passwords need; and a new one each time, since it
  // reads only once whom to ask, and with another network that changes.
  const resolver = new dns.promises.Resolver({ timeout: 2_000, tries: 2 })
  const ask = async (family: 4 | 6) => {
    const addresses = await (family === 4 ? resolver.resolve4(host) : resolver.resolve6(host))
    // An alias of a name without addresses. A connection to none would end the thread.
    if (addresses.length === 0) throw Object.assign(new Error('no address'), { syscall: 'query' })
    return addresses.map((address) => ({ address, family }))
  }
  const [first, second] = hasIpv4() ? ([4, 6] as const) : ([6, 4] as const)
  ask(first)
    .catch(() => ask(second))
    .then(
      (found) => (all ? done(null, found) : done(null, found[0]?.address as string, found[0]?.family)),
      (error) => done(error, []),
    )
}

// The agent takes a range of the other family for a mistake, and would warn at each connection.
console.warn = () => {}
const filteringBy = (options: https.AgentOptions) =>
  new RequestFilteringHttpsAgent({
    ...options,
    lookup,
    allowIPAddressList: [...egress.ranges],
    denyIPAddressList: neverRanges,
  })
const filtering = keepingFew(filteringBy(keepAlive))
const filteringOnce = filteringBy({})
// Hosts that the operator has named are looked up as any program of this machine does.
const plain = { 'http:': keepingFew(new http.Agent(keepAlive)), 'https:': keepingFew(new https.Agent(keepAlive)) }

giveWay()

/** Above `mostKept`, one of those that have long been idle is closed. */
function keepingFew<Agent extends http.Agent>(agent: Agent): Agent {
  const keep = agent.keepSocketAlive.bind(agent)
  agent.keepSocketAlive = (socket) => {
    const idle = Object.values(agent.freeSockets).flatMap((own) => own?.filter(({ destroyed }) => !destroyed) ?? [])
    if (idle.length >= mostKept) idle[0]?.destroy()
    return keep(socket)
  }
  return agent
}

/**
 * Requests come first: without this they had to wait behind what is sent when threads share a core. Linux gives a
 * thread its own priority; elsewhere it would be that of the process.
 */
function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.min(getPriority() + lowerPriority, 19))
  } catch {
    // A sandbox may forbid it.
  }
}

/** What came of the requests of one turn goes back together. */
const answers = gathered((those: Sent[]) => parentPort?.postMessage(those))
parentPort?.on('message', (those: Sending[]) => {
  for (const { number, ...delivery } of those) send(delivery).then((result) => answers({ number, ...result }))
})

async function send(delivery: Delivery): Promise<Try> {
  const beganAt = performance.now()
  const { promise, resolve } = Promise.withResolvers<Omit<Try, 'milliseconds'>>()
  const fail = (cause: TryCause) => resolve({ status: null, cause, retryAfterSeconds: null })
  const timer = setTimeout(fail, answerMs, 'timeout')
  let request: ClientRequest | undefined
  let isOver = false
  const begin = (isAgain: boolean) => {
    try {
      const begun = requestFor(delivery, isAgain)
      request = begun
      begun.on('error', (error: NodeJS.ErrnoException) => {
        // The server closed a kept connection just as it was used again.
        const isStale = begun.reusedSocket && /^(?:ECONNRESET|EPIPE)$/.test(error.code ?? '')
        if (isStale && !isOver) begin(true)
        else fail(causeOf(error))
      })
      // Node ends the connection of a 101 without an error.
      begun.on('close', () => {
        if (request === begun) fail('reset')
      })
      let received = 0
      begun.on('information', () => {
        received += 1
        if (received > mostInformation) begun.destroy()
      })
      begun.on('response', (response) => {
        const status = response.statusCode ?? 0
        const cause = status >= 200 && status < 300 ? null : 'status'
        resolve({ status, cause, retryAfterSeconds: retryAfterOf(response) })
        drain(response)
      })
      begun.end(delivery.body)
    } catch (error) {
      // The agent may refuse an address at once.
      fail(causeOf(error as NodeJS.ErrnoException))
    }
  }
  begin(false)
  const result = await promise
  isOver = true
  clearTimeout(timer)
  // After an early answer the rest of the body is not sent: it would stay in memory while the server does not read.
  if (result.status === null || !request?.writableFinished) request?.destroy()
  return { ...result, milliseconds: Math.round(performance.now() - beganAt) }
}

/** A repeat gets a new connection: if the event itself breaks connections, it must not break all that are kept. */
function agentFor(isPlain: boolean, isOperators: boolean, isAgain: boolean) {
  if (!isOperators) return isAgain ? filteringOnce : filtering
  return !isAgain && plain[isPlain ? 'http:' : 'https:']
}

function requestFor({ id, url, body, at, secrets }: Delivery, isAgain: boolean): ClientRequest {
  const target = new URL(url)
  const isOperators = isAllowed(egress, target)
  const isPlain = target.protocol === 'http:'
  // It was saved when the operator still allowed it.
  if (isPlain && !isOperators) throw blocked()
  const request = (isPlain ? http : https).request(target, {
    method: 'POST',
    agent: agentFor(isPlain, isOperators, isAgain),
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': `Lastcall/${lastcall.version} (webhooks)`,
      'webhook-id': id,
      'webhook-timestamp': at,
      'webhook-signature': secrets.map((secret) => `v1,${signature(secret, `${id}.${at}.${body}`)}`).join(' '),
    },
  })
  request.on('socket', (socket) => {
    if (!socket.connecting) return
    const late = setTimeout(() => request.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })), connectMs)
    socket.once(isPlain ? 'connect' : 'secureConnect', () => clearTimeout(late))
    socket.once('close', () => clearTimeout(late))
  })
  return request
}

/** Standard Webhooks 1.0.0, symmetric. */
function signature(secret: string, text: string): string {
  return createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update(text)
    .digest('base64')
}

/** Oldest first. */
const unfinished = new Set<IncomingMessage>()

function drain(response: IncomingMessage): void {
  let bytes = 0
  const [oldest] = unfinished.add(response)
  if (unfinished.size > mostAnswers && oldest !== undefined) {
    oldest.destroy()
    unfinished.delete(oldest)
  }
  response.on('error', () => {})
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > mostAnswerBytes) response.destroy()
  })
  // An answer that never ends must not keep its connection.
  const late = setTimeout(() => response.destroy(), answerMs)
  response.on('close', () => {
    clearTimeout(late)
    unfinished.delete(response)
  })
}

/** The three forms of a date, RFC 9110, 5.6.7; the last one names no zone. */
const httpDate = /^[A-Z][a-z]+, \d\d([ -])[A-Z][a-z]{2}\1(?:\d\d){1,2} [\d:]{8} GMT$/
const asctimeDate = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/

/**
 * RFC 9110, 10.2.3: seconds, or a date. Null too for none and for a date that has passed, such as that of a page
 * "back at nine" that stayed: taken at its word, the server would be asked each second.
 */
function retryAfterOf({ headers }: IncomingMessage): number | null {
  const given = headers['retry-after'] ?? ''
  const date = asctimeDate.test(given) ? `${given} GMT` : httpDate.test(given) ? given : ''
  const at = Date.parse(date)
  const seconds = /^\d+$/.test(given) ? Number(given) : Math.ceil((at - Date.now()) / 1_000)
  return seconds > 0 ? seconds : null
}

const blocked = () => Object.assign(new Error('not allowed'), { code: 'BLOCKED' })

function causeOf({ code = '', syscall = '', message }: NodeJS.ErrnoException): TryCause {
  if (code === 'BLOCKED' || /is not allowed\. Because/.test(message)) return 'blocked'
  // Before `refused`: a DNS server may refuse a connection too.
  if (/^(?:query|getaddrinfo)/.test(syscall)) return 'dns'
  if (code === 'ETIMEDOUT' || code === 'ESOCKETTIMEDOUT') return 'timeout'
  if (/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES)/.test(code)) return 'refused'
  if (/^(?:ECONNRESET|EPIPE|HPE_)/.test(code)) return 'reset'
  return /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|EPROTO)/.test(code) ? 'tls' : 'reset'
}
