// What the reference of the public API is made of: its description, and its requests with real addresses.
import type { ErrorCode } from '../../core/errors.ts'
import type { Warning } from '../../core/offer.ts'
import type { Operation } from '../../core/operations.ts'
import { description } from '../public/description.ts'
import { basePath } from '../public/schemas.ts'
import { collection } from './collection.ts'
import { forViewer } from './route.ts'
import { snippets } from './snippets.ts'

/** What the panel has words for. */
export type ApiErrorCode = ErrorCode
export type ApiWarning = Warning
export type ApiOperation = Operation

export const referenceRoutes = {
  ...forViewer('GET /reference', {
    async run({ session, parts }) {
      const baseUrl = `${parts.site.publicUrl}${basePath}`
      const of = (name: Operation) => snippets(name, baseUrl, '{campaignId}')
      return {
        baseUrl,
        description: description(baseUrl),
        /** Requests a minute, of all keys of the account together. */
        rateLimit: session.account.rateLimit ?? parts.rateLimitPerMinute,
        /** With `{campaignId}`, as the paths of the description have it. */
        snippets: {
          listCampaigns: of('listCampaigns'),
          registerLead: of('registerLead'),
          lookupLead: of('lookupLead'),
        },
        collection: collection(baseUrl),
      }
    },
  }),
}
