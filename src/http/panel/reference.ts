// What the reference of the public API is made of: its description, and its requests with real addresses.
import { type ErrorCode, errorStatus } from '../../core/errors.ts'
import type { Warning } from '../../core/offer.ts'
import type { Operation } from '../../core/operations.ts'
import { description } from '../public/description.ts'
import { basePath } from '../public/schemas.ts'
import { needCampaign } from './campaigns.ts'
import { collection } from './collection.ts'
import { forReader, type PanelParts } from './route.ts'
import { snippets } from './snippets.ts'

/** What the panel has words for. */
export type ApiErrorCode = ErrorCode
export type ApiWarning = Warning
export type ApiOperation = Operation

export const referenceRoutes = {
  ...forReader('GET /reference', {
    async run({ session, parts }) {
      const baseUrl = baseUrlOf(parts)
      return {
        baseUrl,
        description: description(baseUrl),
        otherErrors,
        /** Requests a minute, of all keys of the account together. */
        rateLimit: session.account.rateLimit ?? parts.rateLimitPerMinute,
        snippets: { listCampaigns: snippets('listCampaigns', baseUrl, '') },
        collection: collection(baseUrl, null),
      }
    },
  }),
  ...forReader('GET /campaigns/:campaignId/reference', {
    async run({ session, parts, params: { campaignId } }) {
      await needCampaign(parts, session.account.id, campaignId)
      const baseUrl = baseUrlOf(parts)
      return {
        snippets: {
          registerLead: snippets('registerLead', baseUrl, campaignId),
          lookupLead: snippets('lookupLead', baseUrl, campaignId),
        },
        collection: collection(baseUrl, campaignId),
      }
    },
  }),
}

/** Errors of requests that are no operation. */
const otherErrors = (Object.keys(errorStatus) as ErrorCode[])
  .filter((code) => !codesOfOperations().has(code))
  .map((code) => ({ status: String(errorStatus[code]), code }))

type Answered = { content: { 'application/json': { examples: object } } }

/** Every answer's examples stand under its codes. */
function codesOfOperations(): Set<string> {
  const operations = Object.values(description('').paths).flatMap((methods) => Object.values(methods))
  const responses = operations.flatMap(({ responses }) => Object.values<Answered>(responses))
  return new Set(responses.flatMap(({ content }) => Object.keys(content['application/json'].examples)))
}

function baseUrlOf({ publicUrl }: PanelParts): string {
  return `${publicUrl()}${basePath}`
}
