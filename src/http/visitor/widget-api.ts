// What the widget asks, from any page: the offer of whoever is there, and to register an email.
import { isEmail } from '../../core/email.ts'
import type { Seconds } from '../../core/instant.ts'
import type { Offer } from '../../core/mechanism/attempt.ts'
import { pageAt } from '../../core/page-address.ts'
import { isClientId } from '../../core/visitor.ts'
import { type VisitorRate, visitorRate } from '../../core/visitor-rate.ts'
import type { Counting } from '../../leads/counting.ts'
import type { Shown, Visitor, Visitors } from '../../leads/visitors.ts'
import { StoreUnavailable } from '../../store/errors.ts'
import type { Rates } from '../../store/store.ts'
import { type BodyFailure, type Exchange, readBody, send } from '../exchange.ts'
import { failed, type Reply, succeeded } from '../public/reply.ts'
import { addressOf, type Proxies } from './address.ts'
import { fetcherOf, isRobot } from './fetcher.ts'

const path = /^\/visitor\/v1\/campaigns\/([1-9][0-9]{0,15})\/(offer|leads)$/
export const questionLimitBytes = 4_096
/** Visitors without an email who may begin an attempt, to each email that one address may register. */
const beginningsPerRegistration = 20

export type QuestionParts = {
  visitors: Visitors
  counting: Counting
  rates: Rates
  proxies: Proxies
  /** Registrations of one visitor in a minute. */
  formRatePerMinute: number
  onDefect(exchange: Exchange, error: unknown): void
  /** Wall clock, milliseconds. */
  now(): number
}

const everyAnswer = [
  'Cache-Control',
  'no-store',
  'Access-Control-Allow-Origin',
  '*',
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
]

/** Answers every path below `/visitor/v1/`. */
export function buildQuestions(parts: QuestionParts): (exchange: Exchange, path: string) => void {
  const { visitors, counting, now } = parts
  const { rates, formRatePerMinute } = parts
  const registrations = visitorRate(formRatePerMinute)
  const beginnings = visitorRate(formRatePerMinute * beginningsPerRegistration)

  /** Both, so that whoever asked can tell the time that we took from that on the way. */
  const clock = ({ arrivedAt }: Exchange): Clock => ({
    now: now(),
    spentMs: Math.round(performance.now() - arrivedAt),
  })

  const counted = (rate: VisitorRate, { req, arrivedAtMs }: Exchange) =>
    rate(addressOf(req, parts.proxies), arrivedAtMs)

  /** By all servers together, where they share a database. */
  const countedByAll = (exchange: Exchange) =>
    rates.inProcess
      ? counted(registrations, exchange)
      : rates.countVisitor(addressOf(exchange.req, parts.proxies), formRatePerMinute)

  async function askOffer(exchange: Exchange, campaignId: number, asked: Question): Promise<Reply> {
    const isVisit = asked.visit === true && !isRobot(exchange.req.headers)
    const nowMs = now()
    const mayBegin = isVisit && (() => counted(beginnings, exchange).allowed)
    const shown = await visitors.offer(campaignId, asked, mayBegin, seconds(nowMs))
    if (shown === undefined) return said(nothing(clock(exchange)))
    if (isVisit) {
      const { campaign, leadId } = shown
      const fetcher = fetcherOf(exchange.req.headers)
      const pageId = (asked.page !== undefined && pageAt(campaign.pages, asked.page)?.id) || null
      counting.count({ campaign, pageId, leadId, kind: 'visit', fetcher }, nowMs)
    }
    return said(offerOf(shown, clock(exchange)))
  }

  async function register(exchange: Exchange, campaignId: number, asked: Question): Promise<Reply> {
    const { email } = asked
    if (typeof email !== 'string' || !isEmail(email) || email.length > 254) {
      const message = 'email must be an email address in ASCII of at most 254 characters'
      return failed(exchange, { code: 'VALIDATION_ERROR', message })
    }
    const rate = await countedByAll(exchange)
    if (!rate.allowed) {
      const message = 'Too many registrations from here; wait for the seconds in Retry-After.'
      const retry = ['Retry-After', String(rate.resetSeconds), 'Access-Control-Expose-Headers', 'Retry-After']
      return failed(exchange, { code: 'RATE_LIMITED', message }, retry)
    }
    const at = seconds(now())
    if (asked.website) {
      // A robot filled in what people do not see. It learns nothing by the answer.
      const shown = await visitors.offer(campaignId, asked, false, at)
      const clockNow = clock(exchange)
      return said({ ...(shown === undefined ? nothing(clockNow) : offerOf(shown, clockNow)), lc: null })
    }
    const registered = await visitors.register(campaignId, asked, email, at)
    if (typeof registered === 'string') return failed(exchange, { code: registered })
    return said({ ...offerOf(registered.shown, clock(exchange)), lc: registered.lc })
  }

  function proceed(exchange: Exchange, target: Target, body: Buffer | BodyFailure): void {
    const asked = read(exchange, target.operation, body)
    if ('status' in asked) {
      reply(exchange, asked)
      return
    }
    const act = target.operation === 'offer' ? askOffer : register
    act(exchange, target.campaignId, asked).then(
      (result) => reply(exchange, result),
      (error) => {
        if (!(error instanceof StoreUnavailable)) parts.onDefect(exchange, error)
        const code = error instanceof StoreUnavailable ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR'
        reply(exchange, failed(exchange, { code }))
      },
    )
  }

  return (exchange, asked) => {
    const [, campaignId, operation] = path.exec(asked) ?? []
    const { method } = exchange.req
    if (operation === undefined) reply(exchange, failed(exchange, { code: 'NOT_FOUND' }))
    else if (exchange.refused) reply(exchange, failed(exchange, { code: 'SERVICE_UNAVAILABLE' }))
    else if (method === 'OPTIONS') allow(exchange)
    else if (method !== 'POST') reply(exchange, failed(exchange, { code: 'NOT_FOUND' }))
    else {
      const target: Target = { campaignId: Number(campaignId), operation: operation as Target['operation'] }
      readBody(exchange, questionLimitBytes, (body) => proceed(exchange, target, body))
    }
  }
}

type Target = { campaignId: number; operation: 'offer' | 'leads' }
type Question = Visitor & { visit?: unknown; page?: string; email?: unknown; website?: unknown }

/** A preflight (Fetch standard, "CORS-preflight fetch"): the widget needs none, but pages of others may. */
function allow(exchange: Exchange): void {
  const headers = [...everyAnswer, 'Access-Control-Allow-Methods', 'POST']
  headers.push('Access-Control-Allow-Headers', 'Content-Type', 'Access-Control-Max-Age', '86400')
  send(exchange, 204, headers, '')
}

function reply(exchange: Exchange, { status, body, headers = [] }: Reply): void {
  const all = [...everyAnswer, 'X-Request-Id', exchange.requestId, 'Content-Type', 'application/json']
  send(exchange, status, [...all, ...headers], body)
}

const properties = {
  offer: ['lc', 'client', 'visit', 'page'],
  leads: ['email', 'lc', 'client', 'website'],
}

/** The body, read as strictly as the public API reads its own. */
function read(
  exchange: Exchange,
  operation: Target['operation'],
  body: Buffer | BodyFailure,
): Question | Reply {
  const invalid = (message: string) => failed(exchange, { code: 'VALIDATION_ERROR', message })
  if (body === 'tooLarge') {
    return failed(exchange, { code: 'PAYLOAD_TOO_LARGE', message: 'The body is larger than 4096 bytes.' })
  }
  if (body === 'draining') return failed(exchange, { code: 'SERVICE_UNAVAILABLE' })
  const value = body === 'incomplete' ? undefined : parse(body)
  if (value === undefined) return failed(exchange, { code: 'INVALID_JSON' })
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid('the body must be a JSON object')
  }
  const question = value as Question
  if (Object.keys(question).some((name) => !properties[operation].includes(name))) {
    return invalid(`the properties are ${properties[operation].join(', ')}`)
  }
  for (const name of ['lc', 'client'] as const) {
    if (question[name] !== undefined && !isClientId(question[name])) {
      return invalid(`${name} must be 32 hexadecimal digits`)
    }
  }
  if (operation === 'offer' && typeof question.visit !== 'boolean')
    return invalid('visit must be true or false')
  if (question.page !== undefined && typeof question.page !== 'string') {
    return invalid('page must be the address of a page')
  }
  if (question.website !== undefined && typeof question.website !== 'string') {
    return invalid('website must be text')
  }
  return question
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

function said(answer: object): Reply {
  return succeeded(200, JSON.stringify(answer))
}

/** The service's clock at the answer, milliseconds since 1970, and how long ago the question arrived. */
type Clock = { now: number; spentMs: number }

function nothing(clock: Clock) {
  const offer = { state: 'none', opensAt: null, deadline: null, nextAt: null, onExpiry: null }
  return { ...clock, ...offer, known: false }
}

/** Instants in milliseconds, as browsers count. */
function offerOf({ campaign, offer, nextAt, isKnown }: Shown, clock: Clock) {
  if (offer === undefined) return { ...nothing(clock), known: isKnown }
  const { state, opensAt, deadline }: Offer = offer
  return {
    ...clock,
    state,
    opensAt: milliseconds(opensAt),
    deadline: milliseconds(deadline),
    nextAt: milliseconds(nextAt),
    onExpiry: campaign.onExpiry,
    known: isKnown,
  }
}

function milliseconds(at: Seconds | null): number | null {
  return at === null ? null : at * 1_000
}

function seconds(ms: number): Seconds {
  return Math.floor(ms / 1_000)
}
