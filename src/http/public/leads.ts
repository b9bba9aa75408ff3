import type { FastifyInstance, FastifyRequest } from 'fastify'
import { bodyLimitBytes } from '../../core/errors.ts'
import { type LeadOffer, leadOffer, type Site } from '../../core/offer.ts'
import type { Leads, LeadView } from '../../leads/leads.ts'
import type { LiveKey } from '../../store/model.ts'
import { sendError } from '../errors.ts'
import { withinASecond } from '../framework.ts'
import {
  CampaignPath,
  errors,
  LeadInput,
  LeadOffer as LeadOfferSchema,
  LeadRegistration,
  NoQuery,
  toWrite,
} from './schemas.ts'

type LeadRouteParts = {
  leads: Leads
  /** Wall clock, milliseconds. */
  now(): number
  site: Site
}

type LeadRequest = { Params: CampaignPath; Body: LeadInput }

/**
 * With an empty id the path is unknown (404). Any other id gets to the schema, which may refuse it (422): also `1%2F2`,
 * which the router decodes before it looks at the pattern.
 */
const leadsPath = '/campaigns/:campaignId(^[^]+$)/leads'

/** Specification, 4.2 and 4.3. */
export function addLeadRoutes(scope: FastifyInstance, { leads, now, site }: LeadRouteParts): void {
  const input = { params: CampaignPath, querystring: NoQuery, body: LeadInput }

  const offerOf = ({ key, body }: FastifyRequest<LeadRequest>, { campaign, lead, offer }: LeadView): LeadOffer => {
    const { ref, registeredAt } = lead
    const { email, language = 'en' } = body
    const { countdownTools } = (key as LiveKey).account
    const facts = { email, ref, registeredAt, deadline: offer.deadline, language }
    return leadOffer(campaign, facts, { ...site, countdownTools })
  }

  scope.post<LeadRequest>(
    leadsPath,
    {
      config: { operation: 'registerLead' },
      bodyLimit: bodyLimitBytes,
      schema: { ...input, response: { 200: toWrite(LeadRegistration), 201: toWrite(LeadRegistration), ...errors } },
    },
    async (request, reply) => {
      const registered = leads.register(campaignOf(request), request.body.email, Math.floor(now() / 1_000))
      const result = await withinASecond(registered, request.waitedMs)
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
      schema: { ...input, response: { 200: toWrite(LeadOfferSchema), ...errors } },
    },
    async (request, reply) => {
      const found = leads.lookUp(campaignOf(request), request.body.email, Math.floor(now() / 1_000))
      const result = await withinASecond(found, request.waitedMs)
      return typeof result === 'string' ? sendError(reply, result) : offerOf(request, result)
    },
  )
}

function campaignOf({ key, params }: FastifyRequest<LeadRequest>) {
  return { accountId: (key as LiveKey).account.id, campaignId: Number(params.campaignId) }
}
