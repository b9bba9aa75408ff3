// What the widget asks, from any page, below /visitor/v1: the visitor's offer, and to register an email.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type Seconds, secondsOf } from '../../core/instant.ts'
import { pageAt } from '../../core/page-address.ts'
import { visitorRate } from '../../core/rate-window.ts'
import type { Shown } from '../../leads/visitors.ts'
import { visitorLimits } from '../address.ts'
import { widgetBodyLimitBytes } from '../body-limits.ts'
import { errorCodeOf, logFailure, Refusal, sendError } from '../errors.ts'
import { parseJson, useValidator } from '../json.ts'
import { validationMessage } from '../public/input.ts'
import { errors } from '../public/schemas.ts'
import { fetcherOf } from './fetcher.ts'
import { allow } from './headers.ts'
import { campaignPath, type VisitorParts } from './parts.ts'
import { FormAnswer, FormInput, OfferAnswer, OfferInput } from './widget-schemas.ts'

/** For each email that an address may register, so many visitors without an email may begin an attempt. */
const beginningsPerRegistration = 20
/** A form is answered this long after it arrived, or a multiple of it: the time must not tell new from known. */
const formAnswerMs = 250

const everyAnswer = {
  'Access-Control-Allow-Origin': '*',
  'Referrer-Policy': 'no-referrer',
}

export function widgetApi(parts: VisitorParts): FastifyPluginAsync {
  return async (scope) => {
    useAnyContentType(scope)
    scope.addHook('onSend', async (_, reply) => {
      reply.headers(everyAnswer)
    })
    // Without such a hook Fastify would not measure `elapsedTime`.
    scope.addHook('onResponse', async () => {})
    scope.addHook('onRequest', async (request, reply) => {
      // Checked before the body, which could be wrong too.
      if (request.is404) return sendError(reply, 'NOT_FOUND')
    })
    // The hook above answers 404; without this handler Fastify would not call it.
    scope.setNotFoundHandler((_, reply) => sendError(reply, 'NOT_FOUND'))
    scope.setErrorHandler((error, request, reply) => {
      const code = errorCodeOf(error)
      logFailure(parts.log, code, error, request)
      const tooLarge =
        code === 'PAYLOAD_TOO_LARGE' ? `The body is larger than ${widgetBodyLimitBytes} bytes.` : undefined
      return sendError(reply, code, error instanceof Refusal ? error.message : tooLarge)
    })
    scope.setSchemaErrorFormatter(([fault], place) => new Refusal('VALIDATION_ERROR', validationMessage(fault, place)))
    addOfferRoute(scope, parts)
    addFormRoute(scope, parts)
  }
}

/** The widget sends its JSON as text: any other content type would need a preflight for each request. */
function useAnyContentType(scope: FastifyInstance): void {
  useValidator(scope)
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: widgetBodyLimitBytes },
    async (_: FastifyRequest, body: Buffer) => parseJson(body),
  )
  scope.addHook('preValidation', async ({ method, body }) => {
    if (method === 'POST' && body === undefined) throw new Refusal('INVALID_JSON')
  })
}

type CampaignPath = { campaignId: string }

function addOfferRoute(scope: FastifyInstance, parts: VisitorParts): void {
  const { visitors, counting, now } = parts
  const path = campaignPath('offer')
  const countBeginning = visitorRate()
  const mostBeginnings = parts.formRatePerMinute * beginningsPerRegistration

  scope.options(path, allowPost)
  scope.post<{ Params: CampaignPath; Body: OfferInput }>(
    path,
    {
      schema: { body: OfferInput, response: { 200: OfferAnswer, ...errors } },
    },
    async (request, reply) => {
      const { body, headers, params } = request
      const fetcher = fetcherOf(headers)
      const nowMs = now()
      const mayBegin = () =>
        visitorLimits(mostBeginnings, request.ip).every(([who, most]) => countBeginning(who, most, nowMs).allowed)
      const visit = body.visit && fetcher !== 'scanner' ? { mayBegin } : null
      const shown = await visitors.offer(Number(params.campaignId), body, visit, secondsOf(nowMs))
      reply.send(offerOf(shown, reply, now()))
      if (body.visit && shown !== undefined) {
        const { campaign, leadId } = shown
        const pageId = (body.page !== undefined && pageAt(campaign.pages, body.page)?.id) || null
        counting.count({ campaign, pageId, leadId, kind: 'visit', fetcher }, nowMs)
      }
      return reply
    },
  )
}

function addFormRoute(scope: FastifyInstance, parts: VisitorParts): void {
  const { store, visitors, now, formRatePerMinute } = parts
  const path = campaignPath('leads')

  scope.options(path, allowPost)
  scope.post<{ Params: CampaignPath; Body: FormInput }>(
    path,
    {
      schema: { body: FormInput, response: { 200: FormAnswer, ...errors } },
    },
    async (request, reply): Promise<FormAnswer | FastifyReply> => {
      const { body, ip, params } = request
      for (const [who, most] of visitorLimits(formRatePerMinute, ip)) {
        const rate = await store.rates.countVisitor(who, most, now())
        if (!rate.allowed) return refuseRate(reply, rate.resetSeconds)
      }
      const campaignId = Number(params.campaignId)
      if (body.website) {
        // A robot filled in a field that people do not see. The answer does not tell it.
        const shown = await visitors.offer(campaignId, body, null, secondsOf(now()))
        await evenOut(reply)
        return { ...offerOf(shown, reply, now()), lc: null }
      }
      const registered = await visitors.register(campaignId, body, body.email, secondsOf(now()))
      if (typeof registered === 'string') return sendError(reply, registered)
      await evenOut(reply)
      return { ...offerOf(registered.shown, reply, now()), lc: registered.lc }
    },
  )
}

/** A new email is written, a registered one only read: the time of the answer must not show which it was. */
async function evenOut({ elapsedTime: spentMs }: FastifyReply): Promise<void> {
  await sleep(formAnswerMs - (spentMs % formAnswerMs))
}

function refuseRate(reply: FastifyReply, resetSeconds: number): FastifyReply {
  reply.headers({ 'Retry-After': resetSeconds, 'Access-Control-Expose-Headers': 'Retry-After' })
  const message = 'Too many registrations from here; wait as many seconds as Retry-After says.'
  return sendError(reply, 'RATE_LIMITED', message)
}

/** The widget needs no preflight, but other pages may. */
const allowPost = async (_: FastifyRequest, reply: FastifyReply) => allow(reply, 'POST', 'Content-Type')

function offerOf(shown: Shown | undefined, { elapsedTime }: FastifyReply, nowMs: number): OfferAnswer {
  const { campaign, offer, nextAt, isKnown = false } = shown ?? {}
  const opensAt = milliseconds(offer?.opensAt)
  return {
    now: nowMs,
    spentMs: Math.round(elapsedTime),
    state: offer?.state ?? 'none',
    // An open offer may have a later `opensAt` if clocks differ (`offerAt`): the widget would hide it until then.
    opensAt: opensAt !== null && offer?.state === 'open' ? Math.min(opensAt, nowMs) : opensAt,
    deadline: milliseconds(offer?.deadline),
    nextAt: milliseconds(nextAt),
    onExpiry: (offer && campaign?.onExpiry) ?? null,
    known: isKnown,
  }
}

function milliseconds(at: Seconds | null | undefined): number | null {
  return typeof at === 'number' ? at * 1_000 : null
}
