// The API for conversions, beside the public one: the same keys, order of checks, headers, error body and rate window.
import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { bodyLimitBytes } from '../../core/errors.ts'
import type { Fault } from '../../core/fault.ts'
import { checkOrder, conversionDocument, orderIdWanted } from '../../core/order.ts'
import { convert, reverse } from '../../leads/conversions.ts'
import type { Counting } from '../../leads/counting.ts'
import type { Log } from '../../log.ts'
import type { LiveKey } from '../../store/model.ts'
import { errorCodeOf, logFailure, Refusal } from '../errors.ts'
import { useJson } from '../json.ts'
import { shedLoad } from '../overload.ts'
import { type AuthorizeParts, authorize } from '../public/api.ts'
import { validationMessage } from '../public/input.ts'
import { inTime, parseId } from '../public/leads.ts'
import { CampaignPath, NoQuery } from '../public/schemas.ts'
import { description } from './description.ts'
import * as shape from './schemas.ts'

export type ConversionsApiParts = AuthorizeParts & { counting: Counting; log: Log }

const path = '/campaigns/:campaignId(^[^/]+$)/conversions'
const usualLimit = 50
const failures = { '4xx': shape.ErrorOfAny, '5xx': shape.ErrorOfAny }

type Told = { Params: CampaignPath; Body: shape.ConversionInput }
type Reversed = { Params: CampaignPath; Body: shape.ReversalInput }
type Listed = { Params: CampaignPath; Querystring: shape.ListQuery }

/** To be registered under `conversionsPath`. */
export function conversionsApi(parts: ConversionsApiParts): FastifyPluginAsync {
  return async (scope) => {
    scope.decorateRequest('key', null)
    scope.decorateRequest('waitedMs', 0)
    useJson(scope)
    scope.setSchemaErrorFormatter(([fault], place) => new Refusal('VALIDATION_ERROR', faultText(fault, place)))
    scope.setErrorHandler((error, request, reply) => {
      // Without a media type a body is none, as in the public API.
      const hasNoType = request.headers['content-type'] === undefined && request.body === undefined
      const isMissing = hasNoType && (error as FastifyError).validationContext === 'body'
      const code = isMissing ? 'UNSUPPORTED_MEDIA_TYPE' : errorCodeOf(error)
      logFailure(parts.log, code, error, request)
      return send(reply, code, !isMissing && error instanceof Refusal ? error.message : undefined)
    })
    scope.addHook('onResponse', async ({ key }) => {
      if (key !== null) parts.counting.keyUsed(key.id, parts.now())
    })
    const described = JSON.stringify(description(shape.conversionsPath))
    scope.get('/openapi.json', async (_, reply) => reply.type('application/json').send(described))
    scope.register(async (guarded) => {
      await shedLoad(guarded)
      const { count } = parts.store.rates
      guarded.addHook('onRequest', authorize(parts, { refuse: refuseListing, count }))
      // The hook above answers 404; without this handler Fastify would not call it.
      guarded.setNotFoundHandler((_, reply) => send(reply, 'NOT_FOUND'))
      addRoutes(guarded, parts)
      addList(guarded, parts)
    })
  }
}

/** A list hands out every buyer's email: not every key may have it. */
function refuseListing({ scopes }: LiveKey, reply: FastifyReply): FastifyReply | undefined {
  const { is404, method } = reply.request
  return is404 || method === 'POST' || scopes.includes('conversions') ? undefined : send(reply, 'FORBIDDEN')
}

function addRoutes(scope: FastifyInstance, { store, now }: ConversionsApiParts): void {
  const input = { params: CampaignPath, querystring: NoQuery }
  const seconds = () => Math.floor(now() / 1_000)

  scope.post<Told>(
    path,
    {
      bodyLimit: bodyLimitBytes,
      schema: {
        ...{ ...input, body: shape.ConversionInput },
        response: { 200: shape.Conversion, 201: shape.Conversion, ...failures },
      },
    },
    async (request, reply) => {
      const checked = checkOrder(request.body, seconds())
      if (checked.faults !== undefined) throw new Refusal('VALIDATION_ERROR', orderFault(checked.faults))
      const told = { ...checked, source: 'api' as const }
      const result = await inTime(convert(store, campaignOf(request), told, seconds(), null), request.waitedMs)
      if (typeof result === 'string') return send(reply, result)
      const { reversedAt: _, ...conversion } = conversionDocument(result.conversion)
      return reply.code(result.created ? 201 : 200).send({ ...conversion, created: result.created })
    },
  )

  scope.post<Reversed>(
    `${path}/reversal`,
    {
      bodyLimit: bodyLimitBytes,
      schema: { ...input, body: shape.ReversalInput, response: { 200: shape.KeptConversion, ...failures } },
    },
    async (request, reply) => {
      const { orderId, reopen = false } = request.body
      const reversed = reverse(store, campaignOf(request), orderId, reopen, seconds(), null)
      const result = await inTime(reversed, request.waitedMs)
      if (result === undefined) return send(reply, 'CONVERSION_NOT_FOUND')
      return typeof result === 'string' ? send(reply, result) : { ...conversionDocument(result), orderId }
    },
  )
}

function addList(scope: FastifyInstance, { store, configCache }: ConversionsApiParts): void {
  scope.register(async (bodiless) => {
    bodiless.removeAllContentTypeParsers()
    // Whatever body comes, it stays unread.
    bodiless.addContentTypeParser('*', (_request, _payload, done) => done(null))
    bodiless.get<Listed>(
      path,
      {
        schema: {
          ...{ params: CampaignPath, querystring: shape.ListQuery },
          response: { 200: shape.ConversionList, ...failures },
        },
      },
      async (request, reply) => {
        const { limit = usualLimit, afterId } = request.query
        const after = afterId === undefined ? 0 : parseId(afterId)
        if (after === null) return send(reply, 'INVALID_CURSOR')
        const { accountId, campaignId } = campaignOf(request)
        const campaign = await configCache.campaign(campaignId)
        if (campaign?.accountId !== accountId) return send(reply, 'CAMPAIGN_NOT_FOUND')
        const listed = store.conversions.list(campaign, after, Number(limit) + 1)
        const found = await inTime(listed, request.waitedMs)
        const items = found.slice(0, Number(limit)).map(conversionDocument)
        return { items, nextAfterId: found.length > items.length ? (items.at(-1)?.id ?? null) : null }
      },
    )
  })
}

function campaignOf({ key, params }: FastifyRequest<{ Params: CampaignPath }>) {
  return { accountId: (key as LiveKey).account.id, campaignId: Number(params.campaignId) }
}

function send(reply: FastifyReply, code: shape.Code, message = shape.messageOf[code]): FastifyReply {
  const body = { status: 'error', code, message, requestId: reply.request.id }
  return reply.code(shape.statusOf[code]).type('application/json').send(body)
}

const wanted: Record<string, string> = {
  orderId: `orderId must be ${orderIdWanted}`,
  currency: 'currency must be one of ISO 4217, such as "EUR"',
  amount: 'amount must be a text such as "49.00"',
  ref: 'ref must be the 32 hexadecimal digits of a ref',
  at: 'at must be an instant such as 2026-06-05T03:59:00Z',
  reopen: 'reopen must be true or false',
}

function faultText(fault: FastifySchemaValidationError | undefined, place: string): string {
  const isOfShape = place === 'body' && fault?.keyword !== 'additionalProperties' && fault?.keyword !== 'required'
  const name = fault?.instancePath.slice(1) ?? ''
  return (isOfShape && wanted[name]) || validationMessage(fault, place)
}

function orderFault([fault]: readonly Fault[]): string {
  return `${fault?.path} ${fault?.message}`
}
