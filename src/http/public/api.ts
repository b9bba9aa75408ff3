// The public API: each request passes the checks of the contract in their order, and the first that fails
// answers.

import type { KeyUses } from '../../access/key-use.ts'
import type { ConfigCache } from '../../campaigns/config-cache.ts'
import { campaignTypes } from '../../core/campaign.ts'
import type { Operation } from '../../core/operations.ts'
import type { RateVerdict } from '../../core/rate-window.ts'
import type { History } from '../../history/history.ts'
import type { LeadFailure, Leads, LeadView, Registration } from '../../leads/leads.ts'
import { describeError, type Log } from '../../log.ts'
import { StoreUnavailable } from '../../store/errors.ts'
import type { LiveKey } from '../../store/model.ts'
import type { Rates, Store } from '../../store/store.ts'
import { type Exchange, inOneRound, readBody, send } from '../exchange.ts'
import type { Metrics } from '../metrics.ts'
import { description } from './description.ts'
import { checkKey } from './key-check.ts'
import { offerTexts } from './offer-texts.ts'
import { type Fault, failed, type Reply, rateLimited, succeeded, unauthorized } from './reply.ts'
import {
  basePath,
  isJson,
  type ListQuery,
  leadInput,
  parseId,
  parseListQuery,
  route,
  unknownParameter,
} from './request.ts'
import type { CampaignList, LeadInput } from './schemas.ts'

export const bodyLimitBytes = 16_384

export type PublicApiParts = {
  store: Store
  configCache: ConfigCache
  leads: Leads
  rates: Rates
  history: History
  keyUses: KeyUses
  metrics: Metrics
  log: Log
  /** Wall clock, milliseconds. */
  now: () => number
  /** Without a slash at the end; known once the server listens. */
  publicUrl: () => string
  rateLimitPerMinute: number
}

/** A request, and what becomes known of it while it passes the checks. */
type Call = {
  exchange: Exchange
  path: string
  query: string
  key: LiveKey | undefined
  rateLimit: number
  rate: RateVerdict | undefined
  operation: Operation | null
  /** As the history keeps it: nothing that cannot be one. */
  campaignId: number | null
  /** How long it has waited for the database before its body was there, in milliseconds. */
  waitedMs: number
}

/** What a request that has passed rows 4 to 10 asks for. */
type Ask =
  | { operation: 'listCampaigns'; filter: ListQuery }
  | { operation: 'registerLead' | 'lookupLead'; campaignId: number; input: LeadInput }

/** Answers every exchange whose path is `basePath` or below it. */
export function buildPublicApi(
  parts: PublicApiParts,
): (exchange: Exchange, path: string, query: string) => void {
  const { store, configCache, leads, rates, log, now } = parts
  const liveDescription = succeeded(200, JSON.stringify(description(basePath)))
  const offerText = offerTexts(parts.publicUrl)

  /** Rows 1 to 7. Nothing is returned where the body has to be read. */
  function begin(call: Call): MaybePromise<Reply | undefined> {
    const { exchange, path } = call
    const { method } = exchange.req
    if (path === `${basePath}/openapi.json` && (method === 'GET' || method === 'HEAD')) return liveDescription
    if (exchange.req.headers.authorization === undefined) return unauthorized(exchange, '')
    const found = checkKey(configCache, exchange.req, exchange.arrivedAtMs)
    if (!(found instanceof Promise)) return admit(call, found)
    const since = performance.now()
    return found.then((key) => {
      call.waitedMs = performance.now() - since
      return admit(call, key)
    })
  }

  function admit(call: Call, key: LiveKey | undefined): MaybePromise<Reply | undefined> {
    const { exchange } = call
    if (key === undefined) return unauthorized(exchange, ', error="invalid_token"')
    if (key.account.suspended) return failed(exchange, { code: 'ACCOUNT_SUSPENDED' })
    call.key = key
    call.rateLimit = key.account.rateLimit ?? parts.rateLimitPerMinute
    const target = route(exchange.req.method as string, call.path)
    const campaignId = target && parseId(target.campaignId)
    if (target !== undefined) call.operation = target.operation
    if (campaignId !== undefined && Number.isSafeInteger(campaignId)) call.campaignId = campaignId
    if (rates.inProcess) {
      call.rate = rates.count(key.account.id, call.rateLimit, exchange.arrivedAtMs)
      if (!call.rate.allowed) return rateLimited(exchange, call.rate)
    }

    if (target === undefined) return conclude(call, key, { code: 'NOT_FOUND' })
    const { operation } = target
    if (operation === 'listCampaigns') {
      const filter = parseListQuery(call.query)
      return conclude(call, key, 'code' in filter ? filter : { operation, filter })
    }
    const fault = unknownParameter(call.query, []) ?? leadTargetFault(exchange, campaignId)
    if (fault !== undefined) return conclude(call, key, fault)
    readBody(exchange, bodyLimitBytes, (body) =>
      proceed(call, () => {
        const input = leadInput(body)
        if ('code' in input) return conclude(call, key, input)
        return conclude(call, key, { operation, campaignId: campaignId as number, input })
      }),
    )
    return undefined
  }

  /**
   * A count that is kept elsewhere travels with what is read for the answer, and a 429 still comes before it;
   * nothing is written before the count is there.
   */
  function conclude(call: Call, key: LiveKey, ask: Ask | Fault): MaybePromise<Reply> {
    const { exchange } = call
    if (rates.inProcess) return act(call, key, ask)
    const since = performance.now() - call.waitedMs
    const counted = rates.count(key.account.id, call.rateLimit, exchange.arrivedAtMs, since)
    // Where the count fails or says no, nothing is written, and nobody asks what came of it.
    const isAllowed = counted.then(
      ({ allowed }) => allowed,
      () => false,
    )
    const acted = Promise.try(act, call, key, ask, isAllowed, since)
    acted.catch(() => {})
    return counted.then((verdict) => {
      call.rate = verdict
      return verdict.allowed ? acted : rateLimited(exchange, verdict)
    })
  }

  /** Rows 11 to 13. The instant is that of the whole request, which the body may have delayed. */
  function act(
    { exchange }: Call,
    key: LiveKey,
    ask: Ask | Fault,
    mayWrite?: Promise<boolean>,
    since?: Since,
  ): MaybePromise<Reply> {
    if ('code' in ask) return failed(exchange, ask)
    if (ask.operation === 'listCampaigns') return campaignList(key.account.id, ask.filter, since)
    const { campaignId, input } = ask
    const of = { accountId: key.account.id, campaignId, since }
    const at = seconds(now())
    const pending =
      ask.operation === 'registerLead'
        ? leads.register(of, input.email, at, mayWrite)
        : leads.lookUp(of, input.email, at)
    return pending instanceof Promise
      ? pending.then((result) => leadReply(exchange, key, input, result))
      : leadReply(exchange, key, input, pending)
  }

  function leadReply(
    exchange: Exchange,
    key: LiveKey,
    input: LeadInput,
    result: LeadView | Registration | LeadFailure,
  ): Reply {
    if (typeof result === 'string') return failed(exchange, { code: result })
    const created = 'created' in result && result.created
    return succeeded(created ? 201 : 200, offerText(key.account, input, result), true)
  }

  async function campaignList(accountId: number, filter: ListQuery, since: Since): Promise<Reply> {
    // One more than asked for tells whether there is a further page.
    const found = await store.configuration.listCampaigns(
      accountId,
      { ...filter, limit: filter.limit + 1 },
      since,
    )
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
    return succeeded(200, JSON.stringify(body))
  }

  /** Does the next step of a request; with a reply it is over. */
  function proceed(call: Call, step: (call: Call) => MaybePromise<Reply | undefined>): void {
    try {
      const reply = step(call)
      if (reply instanceof Promise) {
        reply.then(
          (late) => late && finish(call, late),
          (error) => finish(call, broken(call, error)),
        )
      } else if (reply !== undefined) finish(call, reply)
    } catch (error) {
      finish(call, broken(call, error))
    }
  }

  /** The database does not answer: 503. Anything else is a defect of ours, whose cause stands in the log. */
  function broken({ exchange, operation }: Call, error: unknown): Reply {
    const fields = { requestId: exchange.requestId, operation, error: describeError(error) }
    if (error instanceof StoreUnavailable) {
      log.warn('the database did not answer', fields)
      return failed(exchange, { code: 'SERVICE_UNAVAILABLE' })
    }
    log.error('a request failed', fields)
    return failed(exchange, { code: 'INTERNAL_ERROR' })
  }

  function finish(call: Call, reply: Reply): void {
    answer(call, reply)
    account(parts, call, reply)
  }

  let arrived: Call[] = []

  function takeUpArrived(): void {
    const calls = arrived
    arrived = []
    inOneRound(() => {
      for (const call of calls) proceed(call, begin)
    })
  }

  // At the end of the turn of the event loop most bodies are there whole, and need not be waited for.
  return (exchange, path, query) => {
    if (arrived.length === 0) setImmediate(takeUpArrived)
    arrived.push({
      exchange,
      path,
      query,
      key: undefined,
      rateLimit: 0,
      rate: undefined,
      operation: null,
      campaignId: null,
      waitedMs: 0,
    })
  }
}

/** Rows 6 and 7. */
function leadTargetFault({ req }: Exchange, campaignId: number | undefined): Fault | undefined {
  if (campaignId === undefined) {
    return { code: 'VALIDATION_ERROR', message: 'campaignId must be an integer of 1 or more' }
  }
  return isJson(req) ? undefined : { code: 'UNSUPPORTED_MEDIA_TYPE' }
}

function answer({ exchange, rate, rateLimit }: Call, reply: Reply): void {
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
      String(rateLimit),
      'RateLimit-Remaining',
      String(rate.remaining),
      'RateLimit-Reset',
      String(rate.resetSeconds),
    )
  }
  if (reply.headers !== undefined) headers.push(...reply.headers)
  send(exchange, reply.status, headers, reply.body, reply.isAscii)
}

/** After the answer: what is counted and kept of it. */
function account({ metrics, history, keyUses }: PublicApiParts, call: Call, reply: Reply): void {
  const { exchange, key, operation, campaignId } = call
  const milliseconds = performance.now() - exchange.arrivedAt
  metrics.observe(operation, reply.status, milliseconds / 1_000)
  if (key === undefined) return
  keyUses.note(key.id, exchange.arrivedAtMs)
  history.record({
    atMs: exchange.arrivedAtMs,
    requestId: exchange.requestId,
    accountId: key.account.id,
    keyId: key.id,
    operation,
    campaignId,
    status: reply.status,
    errorCode: reply.errorCode,
    milliseconds,
  })
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000)
}
