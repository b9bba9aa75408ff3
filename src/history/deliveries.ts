// The log of webhooks: one row for each try to tell an endpoint something, beside the request history.
import type { EventKind, TryCause } from '../core/events.ts'
import { allOf, type Value } from '../store/sql.ts'
import { appendByAccount, type HistoryDatabase } from './database.ts'

/** A lead is named by its id alone: its email is looked up when the entry is shown. */
export type DeliveryEntry = {
  accountId: number
  endpointId: number
  atMs: number
  eventId: string
  kind: EventKind
  leadId: number
  /** When it happened, in seconds. */
  dueAt: number
  /** As a notice has it. */
  detail: number
  status: number | null
  /** Null for a delivery. */
  cause: TryCause | null
  milliseconds: number
  /** From 1. */
  tryNumber: number
}

export type DeliveryFilter = {
  endpointId: number
  outcome?: 'delivered' | 'failed' | undefined
  eventId?: string | undefined
  /** Older than this entry. */
  before?: DeliveryCursor | undefined
  limit: number
}

/** Entries stand in the order of their time, and within one millisecond in that of their ids. */
export type DeliveryCursor = Pick<DeliveryEntry, 'atMs' | 'eventId'>

export type DeliveryTable = ReturnType<typeof deliveryTable>

export function deliveryTable({ read, write }: Pick<HistoryDatabase, 'read' | 'write'>) {
  return {
    /** An entry that is already stored is not stored twice. */
    append: (entries: readonly DeliveryEntry[]) =>
      appendByAccount(entries, async (own) => {
        const rows = Array(own.length).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')
        await write(`${insertSql} ${rows} ON CONFLICT DO NOTHING`, own.flatMap(valuesOf))
      }),
    /** Removes at most 1,000 entries from before `beforeMs`, and resolves with how many. */
    purge: (beforeMs: number) =>
      write(
        `DELETE FROM delivery_log WHERE (account_id, endpoint_id, at_ms, event_id) IN
          (SELECT account_id, endpoint_id, at_ms, event_id FROM delivery_log WHERE at_ms < ? ORDER BY at_ms LIMIT 1000)`,
        [beforeMs],
      ),
    /** Newest first. */
    async page(accountId: number, filter: DeliveryFilter): Promise<DeliveryEntry[]> {
      const { endpointId, outcome, eventId, before, limit } = filter
      const { where, values } = allOf([
        ['account_id = ? AND endpoint_id = ?', accountId, endpointId],
        ["CASE WHEN cause IS NULL THEN 'delivered' ELSE 'failed' END = ?", outcome],
        ['event_id = ?', eventId],
        ['(at_ms, event_id) < (?, ?)', before?.atMs, before?.eventId],
      ])
      const sql = `${selectSql} WHERE ${where} ORDER BY at_ms DESC, event_id DESC LIMIT ?`
      return (await read(sql, [...values, limit])) as DeliveryEntry[]
    },
  }
}

const insertSql = `INSERT INTO delivery_log (account_id, endpoint_id, at_ms, event_id, kind, lead_id, due_at, detail,
  status, cause, milliseconds, try_number) VALUES`

function valuesOf(entry: DeliveryEntry): Value[] {
  const { accountId, endpointId, atMs, eventId, kind, leadId, dueAt, detail } = entry
  const { status, cause, milliseconds, tryNumber } = entry
  return [accountId, endpointId, atMs, eventId, kind, leadId, dueAt, detail, status, cause, milliseconds, tryNumber]
}

const selectSql = `SELECT account_id AS "accountId", endpoint_id AS "endpointId", at_ms AS "atMs", event_id AS "eventId",
  kind, lead_id AS "leadId", due_at AS "dueAt", detail, status, cause, milliseconds, try_number AS "tryNumber"
  FROM delivery_log`
