// Who bought, for how much, and how long before the end; and an order that a user tells of.
import Type from 'typebox'
import { checkOrder, conversionDocument, orderIdPattern } from '../../core/order.ts'
import { convert, reverse } from '../../leads/conversions.ts'
import { idsOf } from '../../leads/leads.ts'
import { reportOf } from '../../leads/report.ts'
import { closed } from '../schemas.ts'
import { PanelRefusal } from './errors.ts'
import { needLead } from './leads.ts'
import { Range, readRange } from './results.ts'
import { forMember, forViewer } from './route.ts'

/** Orders that are shown one by one, as the panel says in words. Every other one is on its lead's page. */
const mostShown = 20
const text = Type.Optional(Type.String({ maxLength: 200 }))

export const salesRoutes = {
  ...forViewer('GET /campaigns/:campaignId/sales', {
    readsMuch: true,
    query: Range,
    async run({ campaign, parts: { store }, query, now }) {
      const { from, to } = readRange(campaign, query, now)
      const newest = await store.conversions.newest(campaign, mostShown)
      return { ...(await reportOf(store, campaign, from, to)), newest: newest.map(conversionDocument) }
    },
  }),
  ...forMember('POST /campaigns/:campaignId/leads/:ref/conversions', {
    body: Type.Object({ orderId: Type.String({ maxLength: 200 }), amount: text, currency: text }, closed),
    async run({ campaign, parts, params, body, now, by }) {
      const { email } = await needLead(parts, campaign, params.ref)
      const checked = checkOrder({ ...body, email }, now)
      if (checked.faults !== undefined) throw new PanelRefusal('INVALID', checked.faults)
      const done = await convert(parts.store, idsOf(campaign), { ...checked, source: 'panel' }, now, by)
      if (typeof done === 'string') throw new PanelRefusal('NOT_FOUND')
      return { ...conversionDocument(done.conversion), created: done.created }
    },
  }),
  ...forMember('POST /campaigns/:campaignId/conversions/reversal', {
    body: Type.Object({ orderId: Type.String({ pattern: orderIdPattern }), reopen: Type.Boolean() }, closed),
    async run({ campaign, parts: { store }, body: { orderId, reopen }, now, by }) {
      const reversed = await reverse(store, idsOf(campaign), orderId, reopen, now, by)
      if (typeof reversed === 'string') throw new PanelRefusal('NOT_FOUND')
      return {}
    },
  }),
}
