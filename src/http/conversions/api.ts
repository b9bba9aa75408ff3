// The API for conversions, beside the public one, in whose rate window its requests count.
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { secondsOf } from '../../core/instant.ts'
import { checkOrder, conversionDocument, isOrderId, orderIdWanted } from '../../core/order.ts'
import { convert, reverse } from '../../leads/conversions.ts'
import type { CampaignOf, LiveKey } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import { apiBeside, type BesideParts } from '../beside/api.ts'
import { describe } from '../beside/description.ts'
import { type Operation, operation } from '../beside/operation.ts'
import { Refusal } from '../errors.ts'
import { withinASecond } from '../framework.ts'
import { cursor, pageOf } from '../public/paging.ts'
import { PageQuery, pageSize } from '../public/schemas.ts'
import * as shape from './schemas.ts'

type Asked = { store: Store; of: CampaignOf; now: number }

/** To be registered under `conversionsPath`. */
export function conversionsApi(parts: BesideParts): FastifyPluginAsync {
  const { store, now } = parts
  return apiBeside(parts, {
    operations: conversionOperations,
    description,
    admission: { admits },
    perform({ run }, { key, params, query, body, waitedMs }) {
      const of = { accountId: (key as LiveKey).account.id, campaignId: Number(params.campaignId) }
      return withinASecond(run({ store, of, query, body, now: secondsOf(now()) }), waitedMs)
    },
  })
}

/** A list hands out every buyer's email: not every key may have it. */
const admits = ({ scopes }: LiveKey, { is404, method }: FastifyRequest): boolean =>
  is404 || method === 'POST' || scopes.includes('conversions')

const path = '/campaigns/{campaignId}/conversions'

export const conversionOperations: readonly Operation<Asked>[] = [
  operation(`POST ${path}`, 'createConversion', 'Record an order', shape.Conversion, {
    body: shape.ConversionInput,
    status: 201,
    isRepeatable: true,
    errors: ['CAMPAIGN_NOT_FOUND', 'LEAD_NOT_FOUND'],
    async run({ store, of, body, now }) {
      // What the schema cannot say: either email or ref, an id's characters, amounts, and when it may have been bought.
      const checked = checkOrder(body, now)
      if (checked.faults !== undefined) {
        throw new Refusal('VALIDATION_ERROR', `${checked.faults[0]?.path} ${checked.faults[0]?.message}`)
      }
      const result = await convert(store, of, { ...checked, source: 'api' }, now, null)
      if (result === 'LEAD_NOT_FOUND' && 'ref' in checked.buyer) {
        throw new Refusal(result, 'This ref is of no lead in the campaign.')
      }
      if (typeof result === 'string') throw new Refusal(result)
      const { reversedAt: _, ...conversion } = conversionDocument(result.conversion)
      return { ...conversion, created: result.created }
    },
  }),
  operation(
    `GET ${path}`,
    'listConversions',
    'List orders; needs a key with the scope `conversions`',
    shape.ConversionList,
    {
      query: PageQuery,
      errors: ['FORBIDDEN', 'CAMPAIGN_NOT_FOUND', 'INVALID_CURSOR'],
      async run({ store, of, query }) {
        const limit = Number(query.limit ?? pageSize)
        const after = cursor(query.afterId)
        const campaign = await store.configuration.findCampaign(of.campaignId)
        if (campaign?.accountId !== of.accountId) throw new Refusal('CAMPAIGN_NOT_FOUND')
        const { items, nextAfterId } = pageOf(await store.conversions.list(campaign, after, limit + 1), limit)
        return { items: items.map(conversionDocument), nextAfterId }
      },
    },
  ),
  operation(`POST ${path}/reversal`, 'reverseConversion', 'Reverse an order, as after a refund', shape.KeptConversion, {
    body: shape.ReversalInput,
    errors: ['CAMPAIGN_NOT_FOUND', 'CONVERSION_NOT_FOUND'],
    async run({ store, of, body: { orderId, reopen = false }, now }) {
      if (!isOrderId(orderId)) throw new Refusal('VALIDATION_ERROR', `orderId must be ${orderIdWanted}`)
      const result = await reverse(store, of, orderId, reopen, now, null)
      if (typeof result === 'string') throw new Refusal(result)
      return { ...conversionDocument(result), orderId }
    },
  }),
]

const { conversionsPath, ...schemas } = shape
const description = describe({
  title: 'Lastcall API for conversions',
  description: 'Records purchases, each order once. An order ends the offer if the campaign says so.',
  path: conversionsPath,
  tags: [{ name: 'Conversions', description: 'Who bought, and how long before the end.' }],
  operations: conversionOperations,
  schemas,
})
