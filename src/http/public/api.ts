// The public API: each request passes the checks of the contract in their order, and the first that fails
// answers.

import { campaignTypes } from '../../core/campaign.ts'
import { type ErrorCode, errorMessage, errorStatus } from '../../core/errors.ts'
import { type Language, type OfferWriter, offerWriter } from '../../core/offer.ts'
import type { Operation } from '../../core/operations.ts'
import { countRequest, newRateWindow, type RateVerdict } from '../../core/rate-window.ts'
import type { Directory } from '../../directory.ts'
import type { History } from '../../history/history.ts'
import type { LeadFailure, Leads, LeadView, Registration } from '../../leads.ts'
import { describeError, type Log } from '../../log.ts'
import type { Metrics } from '../../metrics.ts'
import { type Campaign, type LiveKey, type Store, StoreUnavailable } from '../../store/store.ts'
import { type BodyFailure, countHeader, type Exchange, readBody, send } from '../exchange.ts'
import { description } from './description.ts'
import { checkKey } from './key-check.ts'
import {
  basePath,
  isJson,
  isNotJson,
  leadFault,
  parseId,
  parseJson,
  parseListQuery,
  route,
  unknownParameter,
} from './request.ts'
import type { CampaignList, ErrorBody, LeadInput } from './schemas.ts'

export const bodyLimitBytes = 16_384

export type PublicApiParts = {
  store: Store
  directory: Directory
  leads: Leads
  history: History
  metrics: Metrics
  log: Log
  /** Wall clock, milliseconds. */
  now: () => number
  /** Without a slash at the end; known once the server listens. */
  publicUrl: () => string
  rateLimitPerMinute: number
}

type Reply = { status: number; body: string; errorCode: ErrorCode | null; headers?: string[] }

/** What becomes known of a request while it passes the checks; history and headers take it from here. */
type Call = {
  key: LiveKey | undefined
  rate: RateVerdict | undefined
  rateLimit: number
  operation: Operation | null
  campaignId: number | null
}

/** Answers every exchange whose path is `basePath` or below it. */
export function buildPublicApi(
  parts: PublicApiParts,
): (exchange: Exchange, path: string, query: string) => void {
  const { store, directory, leads, history, metrics, log, now } = parts
  const rates = newRateWindow()
  const liveDescription = JSON.stringify(description(basePath))

  async function checks(exchange: Exchange, call: Call, path: string, query: string): Promise<Reply> {
    const { req } = exchange
    const method = req.method as string
    const { authorization } = req.headers

    // 1 to 3: the key, its account, its rate
    if (authorization === undefined) return unauthorized(exchange, '')
    if (countHeader(req, 'authorization') > 1) return unauthorized(exchange, ', error="invalid_token"')
    const found = checkKey(directory, authorization)
    const key = found instanceof Promise ? await found : found
    if (key === undefined) return unauthorized(exchange, ', error="invalid_token"')
    if (key.account.suspended) return failed(exchange, 'ACCOUNT_SUSPENDED')
    call.key = key
    call.rateLimit = key.account.rateLimit ?? parts.rateLimitPerMinute
    call.rate = countRequest(rates, key.account.id, call.rateLimit, exchange.arrivedAtMs)
    const target = route(method, path)
    if (target !== undefined) {
      call.operation = target.operation
      call.campaignId = storedId(target.campaignId)
    }
    if (!call.rate.allowed) {
      return failed(exchange, 'RATE_LIMITED', undefined, ['Retry-After', String(call.rate.resetSeconds)])
    }

    // 4 to 6: what is asked for
    if (target === undefined) return failed(exchange, 'NOT_FOUND')
    if (target.operation === 'listCampaigns') {
      const filter = parseListQuery(query)
      if ('code' in filter) return failed(exchange, filter.code, filter.message)
      return campaignList(key.account.id, filter)
    }
    const fault = unknownParameter(query, [])
    if (fault !== undefined) return failed(exchange, fault.code, fault.message)
    const campaignId = parseId(target.campaignId)
    if (campaignId === undefined) {
      return failed(exchange, 'VALIDATION_ERROR', 'campaignId must be an integer of 1 or more')
    }

    // 7 to 10: the body
    const { headers } = req
    if (
      !isJson(headers['content-type'], headers['content-encoding']) ||
      countHeader(req, 'content-type') > 1
    ) {
      return failed(exchange, 'UNSUPPORTED_MEDIA_TYPE')
    }
    const input = leadInput(exchange, await readBody(exchange, bodyLimitBytes))
    if ('status' in input) return input

    // 11 to 13: campaign and lead. The instant is that of the whole request, which the body may have delayed.
    const of = { accountId: key.account.id, campaignId }
    const act = target.operation === 'registerLead' ? leads.register : leads.lookUp
    const pending = act(of, input.email, seconds(now()))
    const result = pending instanceof Promise ? await pending : pending
    if (typeof result === 'string') return failed(exchange, result satisfies LeadFailure)
    return leadReply(result, input, key)
  }

  async function campaignList(
    accountId: number,
    filter: { limit: number; afterId: number; isDraft: boolean | null },
  ): Promise<Reply> {
    // One more than asked for tells whether there is a further page.
    const found = await store.listCampaigns(accountId, { ...filter, limit: filter.limit + 1 })
    const page = found.slice(0, filter.limit)
    const body: CampaignList = {
      items: page.map(({ id, name, typeId, isDraft }) => ({
        id,
        name,
        type: { id: typeId, name: campaignTypes[typeId] as string },
        isDraft,
      })),
      nextAfterId: found.length > page.length ? (page.at(-1)?.id ?? null) : null,
    }
    return { status: 200, body: JSON.stringify(body), errorCode: null }
  }

  function leadInput(exchange: Exchange, body: Buffer | BodyFailure): LeadInput | Reply {
    if (body === 'tooLarge') return failed(exchange, 'PAYLOAD_TOO_LARGE')
    if (body === 'draining') return failed(exchange, 'SERVICE_UNAVAILABLE')
    if (body === 'incomplete') return failed(exchange, 'INVALID_JSON')
    const value = parseJson(body)
    if (isNotJson(value)) return failed(exchange, 'INVALID_JSON')
    const fault = leadFault(value)
    return fault === undefined ? (value as LeadInput) : failed(exchange, 'VALIDATION_ERROR', fault)
  }

  const writers = new WeakMap<Campaign, Map<boolean, OfferWriter>>()

  /** The campaign as it was read is one object until it changes, and so is the writer of its offers. */
  function writerOf(campaign: Campaign, countdownTools: boolean): OfferWriter {
    let known = writers.get(campaign)
    if (known === undefined) {
      known = new Map()
      writers.set(campaign, known)
    }
    let writer = known.get(countdownTools)
    if (writer === undefined) {
      writer = offerWriter(campaign, { publicUrl: parts.publicUrl(), countdownTools })
      known.set(countdownTools, writer)
    }
    return writer
  }

  function leadReply(result: LeadView | Registration, input: LeadInput, key: LiveKey): Reply {
    const { campaign, lead, offer } = result
    const created = 'created' in result ? result.created : undefined
    const body = writerOf(
      campaign,
      key.account.countdownTools,
    )({
      email: input.email,
      ref: lead.ref,
      registeredAt: lead.registeredAt,
      deadline: offer.deadline,
      language: (input.language ?? 'en') as Language,
      created,
    })
    return { status: created ? 201 : 200, body, errorCode: null }
  }

  function answer(exchange: Exchange, call: Call, reply: Reply): void {
    const { rate } = call
    const headers = [
      'X-Request-Id',
      exchange.requestId,
      'Cache-Control',
      'no-store',
      'Content-Type',
      'application/json',
    ]
    if (rate !== undefined) {
      headers.push(
        'RateLimit-Limit',
        String(call.rateLimit),
        'RateLimit-Remaining',
        String(rate.remaining),
        'RateLimit-Reset',
        String(rate.resetSeconds),
      )
    }
    if (reply.headers !== undefined) headers.push(...reply.headers)
    send(exchange, reply.status, headers, reply.body)
  }

  /** After the answer: what is counted and kept of it. */
  function account(exchange: Exchange, call: Call, reply: Reply): void {
    const milliseconds = performance.now() - exchange.arrivedAt
    metrics.observe(call.operation, reply.status, milliseconds / 1_000)
    if (call.key === undefined) return
    history.record({
      atMs: exchange.arrivedAtMs,
      requestId: exchange.requestId,
      accountId: call.key.account.id,
      keyId: call.key.id,
      operation: call.operation,
      campaignId: call.campaignId,
      status: reply.status,
      errorCode: reply.errorCode,
      milliseconds,
    })
  }

  /** The database does not answer: 503. Anything else is a defect of ours, whose cause stands in the log. */
  function broken(exchange: Exchange, call: Call, error: unknown): Reply {
    const { operation } = call
    const fields = { requestId: exchange.requestId, operation, error: describeError(error) }
    if (error instanceof StoreUnavailable) {
      log.warn('the database did not answer', fields)
      return failed(exchange, 'SERVICE_UNAVAILABLE')
    }
    log.error('a request failed', fields)
    return failed(exchange, 'INTERNAL_ERROR')
  }

  return (exchange, path, query) => {
    const call: Call = {
      key: undefined,
      rate: undefined,
      rateLimit: 0,
      operation: null,
      campaignId: null,
    }
    const finish = (reply: Reply) => {
      answer(exchange, call, reply)
      account(exchange, call, reply)
    }
    const { method } = exchange.req
    if (path === `${basePath}/openapi.json` && (method === 'GET' || method === 'HEAD')) {
      finish({ status: 200, body: liveDescription, errorCode: null })
    } else {
      checks(exchange, call, path, query).then(finish, (error) => finish(broken(exchange, call, error)))
    }
  }
}

/** The body of an error, with the request's id (specification, part 7). */
export function errorBody(exchange: Exchange, code: ErrorCode, message: string = errorMessage[code]): string {
  const body: ErrorBody = { status: 'error', code, message, requestId: exchange.requestId }
  return JSON.stringify(body)
}

function failed(exchange: Exchange, code: ErrorCode, message?: string, headers?: string[]): Reply {
  const body = errorBody(exchange, code, message)
  return { status: errorStatus[code], body, errorCode: code, ...(headers && { headers }) }
}

function unauthorized(exchange: Exchange, detail: string): Reply {
  return failed(exchange, 'UNAUTHORIZED', undefined, ['WWW-Authenticate', `Bearer realm="lastcall"${detail}`])
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000)
}

/** The campaign id for the history: nothing that cannot be one. */
function storedId(text: string): number | null {
  const id = parseId(text)
  return id !== undefined && Number.isSafeInteger(id) ? id : null
}
