import type { FastifyInstance, FastifyRequest } from 'fastify'
import { bodyLimitBytes } from '../../core/errors.ts'
import { type LeadOffer, leadOffer } from '../../core/offer.ts'
import type { Leads, LeadView } from '../../leads/leads.ts'
import type { LiveKey } from '../../store/model.ts'
import { inTime, sendError } from '../errors.ts'
import { CampaignPath, errors, LeadInput, LeadOffer as LeadOfferSchema, LeadRegistration, NoQuery } from './schemas.ts'

export type LeadRouteParts = {
  leads: Leads
  /** Wall clock, milliseconds. */
  now(): number
  publicUrl(): string
}

type LeadRequest = { Params: CampaignPath; Body: LeadInput }

/** With an empty id a path is unknown. */
const leadsPath = '/campaigns/:campaignId(^[^/]+$)/leads'

/** Specification, 4.2 and 4.3. */
export function addLeadRoutes(scope: FastifyInstance, { leads, now, publicUrl }: LeadRouteParts): void {
  const input = { params: CampaignPath, querystring: NoQuery, body: LeadInput }
  // The instant is that of the whole request, which the body may have delayed.
  const nowInSeconds = () => Math.floor(now() / 1_000)

  const offerOf = ({ key, body }: FastifyRequest<LeadRequest>, { campaign, lead, offer }: LeadView): LeadOffer => {
    const { ref, registeredAt } = lead
    const { email, language = 'en' } = body
    const { countdownTools } = (key as LiveKey).account
    const facts = { email, ref, registeredAt, deadline: offer.deadline, language }
    return leadOffer(campaign, facts, { publicUrl: publicUrl(), countdownTools })
  }

  scope.post<LeadRequest>(
    leadsPath,
    {
      config: { operation: 'registerLead' },
      bodyLimit: bodyLimitBytes,
      schema: { ...input, response: { 200: LeadRegistration, 201: LeadRegistration, ...errors } },
    },
    async (request, reply) => {
      const registered = leads.register(campaignOf(request), request.body.email, nowInSeconds())
      const result = await inTime(registered, request.waitedMs)
      if (typeof result === 'string') return sendError(reply, result)
      reply.code(result.created ? 201 : 200)
      return { ...offerOf(request, result), created: result.created }
    },
  )

  scope.post<LeadRequest>(
    `${leadsPath}/lookup`,
    {
      config: { operation: 'lookupLead' },
      bodyLimit: bodyLimitBytes,
      schema: { ...input, response: { 200: LeadOfferSchema, ...errors } },
    },
    async (request, reply) => {
      const found = leads.lookUp(campaignOf(request), request.body.email, nowInSeconds())
      const result = await inTime(found, request.waitedMs)
      return typeof result === 'string' ? sendError(reply, result) : offerOf(request, result)
    },
  )
}

function campaignOf({ key, params }: FastifyRequest<LeadRequest>) {
  return { accountId: (key as LiveKey).account.id, campaignId: Number(params.campaignId) }
}
