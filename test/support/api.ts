// A client of the public API that holds every answer it gets against the contract and the live description.
import assert from 'node:assert/strict'
import http from 'node:http'
import { after, before } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { descriptionOf, holdToDescription } from './description.ts'
import {
  appliedCampaign,
  campaignFile,
  type Installation,
  installation,
  type Owner,
  owner,
  type Server,
} from './lastcall.ts'
import { processScope } from './process-scope.ts'

export const publicUrl = 'https://offers.example.com'
export const prefix = '/api/public/v1'

export type Headers = Record<string, string | string[] | null>

export type Call = {
  key?: string | undefined
  /** A string or bytes go out as they are, anything else as JSON. */
  body?: unknown
  /** Several values are as many header lines; null leaves out a header that would be sent otherwise. */
  headers?: Headers
  query?: string | Record<string, string | number | boolean>
  /** The body without a declared length, in chunks of that many bytes. */
  chunkBytes?: number
  /** The path is relative to the server's origin, not to the API's base address. */
  outside?: boolean
}

export type Answer = {
  method: string
  /** As sent, with the query. */
  target: string
  status: number
  headers: Record<string, string>
  raw: Buffer
  /** The parsed JSON, or undefined where there is none. */
  body: any
  sentAt: number
  receivedAt: number
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 1100, maxFreeSockets: 64 })

/** Ends idle connections; a server that is stopped would give their clients time to notice. */
export const hangUp = () => agent.destroy()

/** Sends one request and holds its answer against everything that the documents demand of any answer. */
export async function call(server: Server, method: string, path: string, options: Call = {}) {
  const description = await descriptionOf(server)
  const answer = await send(server, method, path, options)
  hold(answer, description)
  return answer
}

export async function send(server: Server, method: string, path: string, options: Call = {}): Promise<Answer> {
  const target = (options.outside ? '' : prefix) + path + queryText(options.query)
  const body = bytesOf(options.body)
  const headers = headerLines(server, options, body)
  const sentAt = Date.now()
  return new Promise((resolve, reject) => {
    const request = http.request({
      port: server.port,
      host: '127.0.0.1',
      method,
      path: target,
      headers,
      agent,
    })
    const late = setTimeout(() => {
      reject(new Error(`no answer to ${method} ${target} within 10 seconds`))
      request.destroy()
    }, 10_000)
    request.on('error', (error) => {
      clearTimeout(late)
      reject(error)
    })
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        clearTimeout(late)
        const raw = Buffer.concat(chunks)
        const answered = headersOf(response.rawHeaders)
        const status = response.statusCode ?? 0
        const body = parsed(answered, raw)
        resolve({ method, target, status, headers: answered, raw, body, sentAt, receivedAt: Date.now() })
      })
    })
    const size = options.chunkBytes
    if (body && size) for (let at = 0; at < body.length; at += size) request.write(body.subarray(at, at + size))
    request.end(size ? undefined : body)
  })
}

function queryText(query: Call['query']): string {
  if (query === undefined) return ''
  if (typeof query === 'string') return `?${query}`
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return pairs.length ? `?${pairs.join('&')}` : ''
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

function headerLines(server: Server, { key, headers = {}, chunkBytes }: Call, body: Buffer | undefined) {
  const all: Headers = { Host: `127.0.0.1:${server.port}` }
  if (key !== undefined) all.Authorization = `Bearer ${key}`
  if (body) {
    all['Content-Type'] = 'application/json'
    if (chunkBytes) all['Transfer-Encoding'] = 'chunked'
    else all['Content-Length'] = String(body.length)
  }
  for (const [name, value] of Object.entries(headers)) {
    const same = Object.keys(all).find((other) => other.toLowerCase() === name.toLowerCase())
    if (same) delete all[same]
    if (value !== null) all[name] = value
  }
  return Object.entries(all).flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [name, one]))
}

/** Lower-case names; a header that came twice has its values joined, as anywhere in HTTP. */
export function headersOf(rawHeaders: string[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = String(rawHeaders[at]).toLowerCase()
    const value = String(rawHeaders[at + 1])
    found[name] = found[name] === undefined ? value : `${found[name]}, ${value}`
  }
  return found
}

export function parsed(headers: Record<string, string>, raw: Buffer): unknown {
  if (!raw.length || !/^application\/json\b/.test(headers['content-type'] ?? '')) return undefined
  return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw))
}

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const codes: Record<number, string[]> = {
  400: ['INVALID_JSON', 'INVALID_CURSOR'],
  401: ['UNAUTHORIZED'],
  403: ['ACCOUNT_SUSPENDED'],
  404: ['CAMPAIGN_NOT_FOUND', 'LEAD_NOT_FOUND', 'NOT_FOUND'],
  409: ['CAMPAIGN_NOT_PUBLISHED'],
  413: ['PAYLOAD_TOO_LARGE'],
  415: ['UNSUPPORTED_MEDIA_TYPE'],
  422: ['VALIDATION_ERROR'],
  429: ['RATE_LIMITED'],
  503: ['SERVICE_UNAVAILABLE'],
}

const requestIds = new Set<string>()

/** What holds for any answer of any request. */
export function hold(answer: Answer, description: unknown): void {
  const { method, target, status, headers, raw } = answer
  const path = target.split('?')[0] ?? ''
  const where = `${method} ${target.slice(0, 200)} answered ${status} ${raw.toString().slice(0, 500)}`
  // An expectation that Node does not know is Node's to refuse (contract, RFC 9110, section 10.1.1).
  if (status === 417) return
  const isOfApi = path.startsWith(`${prefix}/`)
  assert.notEqual(status, 500, `a defect: ${where}`)
  if (!isOfApi && status !== 404) return
  const requestId = headers['x-request-id'] ?? ''
  assert.match(requestId, uuid, `X-Request-Id: ${where}`)
  assert.ok(!requestIds.has(requestId), `X-Request-Id is not fresh: ${where}`)
  requestIds.add(requestId)
  if (status >= 400) holdErrorBody(answer, where)
  if (!isOfApi) return

  assert.equal(headers['cache-control'], 'no-store', where)
  for (const name of Object.keys(headers)) assert.doesNotMatch(name, /^access-control-/, where)
  const isDescription = path === `${prefix}/openapi.json` && status === 200
  // One that cannot be decoded is not found, with or without a key.
  if (!isDecodable(path)) return
  if (![401, 403, 500, 503].includes(status) && !isDescription) holdRate(headers, where)
  if (status === 401)
    assert.match(headers['www-authenticate'] ?? '', /^Bearer realm="lastcall"(, error="invalid_token")?$/, where)
  if (status === 429) assert.match(headers['retry-after'] ?? '', /^([1-9]|[1-5]\d|60)$/, where)
  const isBodyRefused = status === 413 || (status === 400 && raw.includes('INVALID_JSON'))
  if (isBodyRefused) assert.equal(headers.connection, 'close', where)
  if (!isDescription) {
    // What is written in percent is the same address (RFC 3986, section 6.2.2.2).
    holdToDescription(answer, decodeURI(path).slice(prefix.length), description, where)
  }
}

function isDecodable(path: string): boolean {
  try {
    decodeURI(path)
    return true
  } catch {
    return false
  }
}

function holdErrorBody({ method, status, headers, raw, body }: Answer, where: string): void {
  assert.ok(codes[status], `no status of the contract: ${where}`)
  assert.match(headers['content-type'] ?? '', /^application\/json(; ?charset=utf-8)?$/i, where)
  if (method === 'HEAD') {
    assert.equal(raw.length, 0, where)
    return
  }
  assert.deepEqual(Object.keys(body).sort(), ['code', 'message', 'requestId', 'status'], where)
  assert.equal(body.status, 'error', where)
  assert.ok(codes[status]?.includes(body.code), `a new code goes into \`codes\` in test/support/api.ts: ${where}`)
  assert.equal(typeof body.message, 'string', where)
  assert.notEqual(body.message, '', where)
  assert.equal(body.requestId, headers['x-request-id'], where)
}

function holdRate(headers: Record<string, string>, where: string): void {
  const number = (name: string) => {
    assert.match(headers[name] ?? '', /^(0|[1-9]\d*)$/, `${name}: ${where}`)
    return Number(headers[name])
  }
  const limit = number('ratelimit-limit')
  const remaining = number('ratelimit-remaining')
  const reset = number('ratelimit-reset')
  assert.ok(limit >= 1 && remaining <= limit && reset <= 60, where)
}

/** The one error shape; that of its body, `call` has held already. */
export function assertError(answer: Answer, status: number, code: string): void {
  const got = `${answer.method} ${answer.target} answered ${answer.status} ${answer.raw}`
  assert.equal(answer.status, status, got)
  if (answer.method !== 'HEAD') assert.equal(answer.body?.code, code, got)
}

export function assertStatus(answer: Answer, status: number): void {
  assert.equal(answer.status, status, `${answer.method} ${answer.target} answered ${answer.raw}`)
}

/** A server with an owner, for all tests of a file: filled in before the first of them. */
export type Shop = {
  place: Installation
  owner: Owner
  server: Server
  /** For a file's own `before`: such hooks of a file do not wait for each other. */
  opened: Promise<void>
}

export const unlimited = ['--rate-limit', '1000000', '--form-rate', '100000']

/** `isAlone`: no other file of the process has the server, which the tests stop, lock or read the output of. */
type ShopOptions = { args?: string[]; env?: Record<string, string>; campaign?: string; isAlone?: boolean }

const shared = new Map<string, { place: Installation; server: Promise<Server> }>()

function running({ args = unlimited, env = {}, isAlone = false }: ShopOptions) {
  const kind = JSON.stringify([args, env])
  const known = isAlone ? undefined : shared.get(kind)
  if (known !== undefined) return known
  const place = installation(isAlone ? { after } : processScope)
  const made = { place, server: place.serve(['--public-url', publicUrl, ...args], env) }
  if (!isAlone) shared.set(kind, made)
  return made
}

/** An owner of its own on a server that the files of the process share. */
export function openShop(options: ShopOptions = {}): Shop {
  const { place, server } = running(options)
  const shop = { place } as Shop
  const open = async () => {
    shop.owner = await owner(place, options.campaign ?? campaignFile())
    shop.server = await server
  }
  shop.opened = open()
  before(() => shop.opened)
  return shop
}

/** Makes or changes a campaign of the owner's. */
export async function applyCampaign(shop: Shop, changes: Record<string, unknown>, accountId?: number): Promise<any> {
  const file = campaignFile(changes)
  return shop.place.arrange((store) => appliedCampaign(store, accountId ?? shop.owner.accountId, file))
}

export const leads = (campaignId: number | string) => `/campaigns/${campaignId}/leads`
export const lookups = (campaignId: number | string) => `/campaigns/${campaignId}/leads/lookup`

let leadCount = 0
/** An address that no lead has yet. */
export const newEmail = () => `lead-${++leadCount}-${Math.random().toString(36).slice(2)}@example.com`

/** Every request sent more than a second after a change must see it. Returns the first answer that does. */
export async function withinOneSecond(ask: () => Promise<Answer>, sees: (answer: Answer) => boolean) {
  const changedAt = Date.now()
  for (;;) {
    const answer = await ask()
    if (sees(answer)) return answer
    const waited = answer.sentAt - changedAt
    assert.ok(waited <= 1000, `unseen after ${waited} ms: ${answer.status} ${answer.raw}`)
    await sleep(20)
  }
}

/** A command takes some hundredths of a second of a processor: it is not asked as often as a server. */
export const commandPauseMs = 250

export async function eventually<T>(
  seconds: number,
  ask: () => Promise<T>,
  holds: (value: T) => boolean,
  pauseMs = 50,
) {
  const end = Date.now() + seconds * 1000
  for (;;) {
    const value = await ask()
    if (holds(value)) return value
    assert.ok(Date.now() < end, `not so after ${seconds} seconds: ${JSON.stringify(value)}`)
    await sleep(pauseMs)
  }
}

/** The text without what is of one request alone: two errors of the same cause agree in the rest. */
export function withoutRequestId(answer: Answer): string {
  return answer.raw.toString().replaceAll(answer.headers['x-request-id'] ?? '', '')
}
