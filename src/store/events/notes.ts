// Notices that are written in the transaction of what they tell.
import type { Notice, Watcher } from '../../core/events.ts'
import type { Seconds } from '../../core/instant.ts'
import type { Campaign } from '../model.ts'
import type { Sql } from '../sql.ts'
import { notDeleted, watchersOf } from './endpoint.ts'
import { insertNotices } from './queue.ts'

/** What is left of a lead once its row is deleted: its ref can be made from that alone. */
export type ErasedLead = { id: number; salt: number }

/** Notes that a lead is erased, in the transaction that has deleted its row: of several at once only one has. */
export async function noteErased(sql: Sql, campaign: Campaign, lead: ErasedLead, now: Seconds): Promise<void> {
  const { accountId } = campaign
  // A paused endpoint is told too once it goes on, since a backfill could not tell it of somebody who is gone.
  const all = await watchersOf(sql, accountId, campaign.id, notDeleted)
  const watchers = all.filter(({ kinds }) => kinds.includes('lead.erased'))
  await noteTo(sql, accountId, watchers, { dueAt: now, leadId: lead.id, kind: 'lead.erased', detail: lead.salt })
}

/** Notes an order, in the transaction that writes it. */
export async function noteConverted(sql: Sql, campaign: Campaign, leadId: number, conversionId: number, now: Seconds) {
  const kind = 'lead.converted'
  const watchers = campaign.isDraft ? [] : campaign.watchers.filter(({ kinds }) => kinds.includes(kind))
  await noteTo(sql, campaign.accountId, watchers, { dueAt: now, leadId, kind, detail: conversionId })
}

async function noteTo(sql: Sql, accountId: number, watchers: readonly Watcher[], notice: Omit<Notice, 'endpointId'>) {
  const notices = watchers.map(({ endpointId }) => ({ ...notice, endpointId }))
  await insertNotices(sql, accountId, notices)
}
