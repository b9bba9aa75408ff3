// CTA links, below /go.
import type { FastifyPluginAsync } from 'fastify'
import { ctaAddress } from '../../core/cta-link.ts'
import { refPattern } from '../../core/offer.ts'
import { errorCodeOf, logFailure } from '../errors.ts'
import { fetcherOf } from './fetcher.ts'
import { neverKept } from './headers.ts'
import { idDigits, queryOf, type VisitorParts } from './parts.ts'
import { sendWords } from './words-page.ts'

export function links({ visitors, counting, log, now }: VisitorParts): FastifyPluginAsync {
  return async (scope) => {
    // What people open is a page in words where it is unknown or fails, too.
    scope.setErrorHandler((error, request, reply) => {
      logFailure(log, errorCodeOf(error), error, request)
      return sendWords(reply, 503)
    })
    scope.get('/*', async (_, reply) => sendWords(reply, 404))
    scope.get<{ Params: { pageId: string; ref: string } }>(
      `/:pageId(${idDigits})/:ref(${refPattern})`,
      async ({ method, url, headers, params: { pageId, ref } }, reply) => {
        const found = await visitors.find(ref)
        const page = found?.campaign.pages.find(({ id }) => id === Number(pageId))
        if (found === undefined || page === undefined) return sendWords(reply, 404)
        const { campaign, account, lead } = found
        if (account.suspended || campaign.isDraft) return sendWords(reply, 404)
        const location = ctaAddress(page.proxyUrl ?? page.pageUrl, ref, queryOf(url))
        reply
          .code(302)
          .headers({ ...neverKept, Location: location })
          .send()
        if (method !== 'HEAD') {
          const fetcher = fetcherOf(headers)
          counting.count({ campaign, pageId: page.id, leadId: lead.id, kind: 'click', fetcher }, now())
        }
        return reply
      },
    )
  }
}
