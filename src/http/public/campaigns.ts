import type { FastifyInstance } from 'fastify'
import { campaignItem } from '../../core/campaign.ts'
import type { LiveKey } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import { withinASecond } from '../framework.ts'
import { cursor, pageOf } from './paging.ts'
import { CampaignList, errors, ListQuery, pageSize } from './schemas.ts'

/** Specification, 4.1. */
export function addCampaignRoutes(scope: FastifyInstance, store: Store): void {
  scope.get<{ Querystring: ListQuery }>(
    '/campaigns',
    {
      config: { operation: 'listCampaigns' },
      schema: { querystring: ListQuery, response: { 200: CampaignList, ...errors } },
    },
    async ({ key, query, waitedMs }): Promise<CampaignList> => {
      const limit = Number(query.limit ?? pageSize)
      const filter = {
        // One more than asked for shows whether there is another page.
        limit: limit + 1,
        afterId: cursor(query.afterId),
        isDraft: query.isDraft === undefined ? null : query.isDraft === 'true',
      }
      const listed = store.configuration.listCampaigns((key as LiveKey).account.id, filter)
      const found = await withinASecond(listed, waitedMs)
      const { items, nextAfterId } = pageOf(found, limit)
      return { items: items.map(campaignItem), nextAfterId }
    },
  )
}
