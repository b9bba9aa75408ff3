// What is left of the orders of a lead that is erased: sums, and that a repeat of an order is one.
import { hash } from 'node:crypto'
import type { Sql } from './sql.ts'

/** In place of an order's id, which may hold an address. It begins with a space, as no id does. */
export function markOf(campaignId: number, orderId: string): string {
  return ` ${hash('sha256', `order ${campaignId} ${orderId}`)}`
}

/** Call it once the lead is gone: then nobody can add an order of it. */
export async function unlinkOrders(sql: Sql, accountId: number, campaignId: number, leadId: number): Promise<void> {
  const orders = await sql.all(
    'SELECT id, order_id FROM conversions WHERE account_id = ? AND lead_id = ? AND campaign_id = ? ORDER BY id',
    ...[accountId, leadId, campaignId],
  )
  for (const { id, order_id } of orders) {
    await sql.run(
      'UPDATE conversions SET lead_id = ?, order_id = ? WHERE account_id = ? AND id = ?',
      ...[-orders[0]?.id, markOf(campaignId, order_id), accountId, id],
    )
  }
}
