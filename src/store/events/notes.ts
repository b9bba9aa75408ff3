// Notices that are written in the transaction of what they tell.
import type { Notice, Watcher } from '../../core/events.ts'
import type { Seconds } from '../../core/instant.ts'
import type { Campaign } from '../model.ts'
import type { Sql } from '../sql.ts'
import { notDeleted, watchersOf } from './endpoint.ts'
import { insertNotices } from './queue.ts'
import { goBackBefore } from './sweeps.ts'

/** Notes that a lead is erased, in the transaction that erases it. The ref can be made from id and salt alone. */
export async function noteErased(
  sql: Sql,
  campaign: Pick<Campaign, 'accountId' | 'id'>,
  email: string,
  now: Seconds,
): Promise<void> {
  const { accountId, id: campaignId } = campaign
  await goBackBefore(sql, campaign, email)
  // A paused endpoint is told too once it goes on, since a backfill could not tell it of somebody who is gone.
  const all = await watchersOf(sql, accountId, campaignId, notDeleted)
  const watchers = all.filter(({ kinds }) => kinds.includes('lead.erased'))
  if (watchers.length === 0) return
  const lead = 'SELECT id, salt FROM leads WHERE account_id = ? AND campaign_id = ? AND email = ?'
  const row = await sql.get(lead, accountId, campaignId, email)
  if (row === undefined) return
  await noteTo(sql, accountId, watchers, { dueAt: now, leadId: row.id, kind: 'lead.erased', detail: row.salt })
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
