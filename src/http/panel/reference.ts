// What the reference of the public API is made of: its description, and its requests with real addresses.
import type { ErrorCode } from '../../core/errors.ts'
import type { Warning } from '../../core/offer.ts'
import type { Operation } from '../../core/operations.ts'
import { description } from '../public/description.ts'
import { basePath } from '../public/request.ts'
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

function baseUrlOf({ publicUrl }: PanelParts): string {
  return `${publicUrl()}${basePath}`
}
