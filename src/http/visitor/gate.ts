// The gate: whether the customer's own server lets a visitor through to the offer. By statuses that `auth_request` of
// nginx knows: 2xx lets in, 401 and 403 refuse, anything else means that the gate cannot tell.
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type Gate, gateAt } from '../../core/gate.ts'
import { formatInstant } from '../../core/instant.ts'
import { rateWindow } from '../../core/rate-window.ts'
import { errorCodeOf, logFailure, Refusal, sendError } from '../errors.ts'
import { allow } from './headers.ts'
import { campaignPath, queryOf, type VisitorParts } from './parts.ts'

/** Questions about a campaign in a minute and process. Not by address: a customer's server asks from a single one. */
const mostQuestions = 60_000

const everyAnswer = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Lastcall-State, Lastcall-Deadline, Lastcall-Seconds-Left, Lastcall-Next-At',
  'Referrer-Policy': 'no-referrer',
  Vary: 'Lastcall-Ref',
}

/** Seconds after the deadline in which a buyer may still finish. */
const mostGrace = 3_600

type GateRequest = { Params: { campaignId: string } }

export function gate({ visitors, log, now }: VisitorParts): FastifyPluginAsync {
  const count = rateWindow()
  return async (scope) => {
    scope.setErrorHandler((error, request, reply) => {
      const code = errorCodeOf(error)
      if (error instanceof Refusal && code === 'VALIDATION_ERROR') {
        return sendError(reply.headers(everyAnswer), code, error.message)
      }
      logFailure(log, code, error, request)
      return sendUnavailable(reply)
    })
    const path = campaignPath('gate')
    scope.options(path, async (_, reply) => allow(reply.headers(everyAnswer), 'GET, HEAD', 'Lastcall-Ref'))
    // Fastify's own HEAD would send `Content-Length`, which a 204 may not have.
    scope.route<GateRequest>({
      method: ['GET', 'HEAD'],
      url: path,
      async handler(request, reply) {
        const asked = askedBy(request)
        const grace = graceOf(asked)
        const campaign = await visitors.campaign(Number(request.params.campaignId))
        if (campaign === undefined || !count(campaign.id, mostQuestions, now()).allowed) return sendUnavailable(reply)
        const found = await visitors.leadIn(campaign, refOf(request, asked))
        if (found === undefined) return reply.code(401).headers(unknown).send()
        return sendGate(reply, gateAt(found.campaign.terms, found.lead.attempt, grace, now()))
      },
    })
  }
}

/**
 * What the address says to us: a page's own parameters, however many, are ignored. Of three of ours, one name is there
 * twice, and the rest need not be read.
 */
function askedBy({ url }: FastifyRequest): URLSearchParams {
  const parts = (queryOf(url) ?? '').split('&')
  const ours = parts.filter((part) => /^(?:lc|grace)=/.test(part))
  return new URLSearchParams(ours.slice(0, 3).join('&'))
}

/** In seconds. @throws Refusal */
function graceOf(asked: URLSearchParams): number {
  const [grace = '0', ...others] = asked.getAll('grace')
  const isRight = others.length === 0 && /^(?:0|[1-9]\d{0,3})$/.test(grace) && Number(grace) <= mostGrace
  if (isRight) return Number(grace)
  throw new Refusal('VALIDATION_ERROR', `Query parameter grace must be a number of seconds from 0 to ${mostGrace}.`)
}

/** The header, which proxies set, wins over the address of the page. Anything but a single ref is nobody's. */
function refOf({ headers }: FastifyRequest, asked: URLSearchParams): string | undefined {
  const refs = [headers['lastcall-ref'] || asked.getAll('lc')].flat()
  return refs.length === 1 ? refs[0] : undefined
}

/** With one call and no hook, which is cheaper. */
function sendGate(reply: FastifyReply, { state, isOpen, deadline, secondsLeft, nextAt, maxAgeSeconds }: Gate) {
  return reply
    .code(isOpen ? 204 : 403)
    .headers({
      ...everyAnswer,
      'Lastcall-State': state,
      'Cache-Control': `max-age=${maxAgeSeconds}`,
      ...(deadline !== null && { 'Lastcall-Deadline': formatInstant(deadline) }),
      ...(secondsLeft !== null && { 'Lastcall-Seconds-Left': secondsLeft }),
      ...(nextAt !== null && { 'Lastcall-Next-At': formatInstant(nextAt) }),
    })
    .send()
}

const unknown = {
  ...everyAnswer,
  'Lastcall-State': 'unknown',
  'WWW-Authenticate': 'Lastcall',
  'Cache-Control': 'max-age=30',
}

/** It cannot be told: the settings of the customer's server say what happens then (docs/gate.md). */
const unavailable = { ...everyAnswer, 'Lastcall-State': 'unavailable', 'Cache-Control': 'no-store' }
const sendUnavailable = (reply: FastifyReply) => reply.code(503).headers(unavailable).send()
