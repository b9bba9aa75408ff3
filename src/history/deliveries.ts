// What was told to endpoints, and what became of it: one row for each try, beside the request history.
import type { Value } from '../store/sql.ts'
import { appendByAccount, type HistoryDatabase } from './database.ts'

/** A lead is named by its id alone: its email is looked up when the entry is shown. */
export type DeliveryEntry = {
  accountId: number
  endpointId: number
  atMs: number
  eventId: string
  kind: string
  leadId: number
  /** When it happened, in seconds. */
  dueAt: number
  /** As a notice has it. */
  detail: number
  status: number | null
  /** Null for a delivery. */
  cause: string | null
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

const columns = {
  ...{ accountId: 'account_id', endpointId: 'endpoint_id', atMs: 'at_ms', eventId: 'event_id', kind: 'kind' },
  ...{ leadId: 'lead_id', dueAt: 'due_at', detail: 'detail', status: 'status', cause: 'cause' },
  ...{ milliseconds: 'milliseconds', tryNumber: 'try_number' },
} satisfies Record<keyof DeliveryEntry, string>
const names = Object.keys(columns) as (keyof DeliveryEntry)[]
const listed = Object.values(columns).join(', ')
const shown = Object.entries(columns).map(([name, column]) => `${column} AS "${name}"`)

export function deliveryTable({ read, write }: Pick<HistoryDatabase, 'read' | 'write'>) {
  return {
    /** What is stored already is not doubled. */
    append: (entries: readonly DeliveryEntry[]) =>
      appendByAccount(entries, async (own) => {
        const row = `(${names.map(() => '?').join(', ')})`
        const values = own.flatMap((entry): Value[] => names.map((name) => entry[name]))
        const rows = own.map(() => row).join(', ')
        await write(`INSERT INTO delivery_log (${listed}) VALUES ${rows} ON CONFLICT DO NOTHING`, values)
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
      const conditions = [
        'account_id = ? AND endpoint_id = ?',
        ...(outcome === undefined ? [] : [outcome === 'failed' ? 'cause IS NOT NULL' : 'cause IS NULL']),
        ...(eventId === undefined ? [] : ['event_id = ?']),
        ...(before === undefined ? [] : ['(at_ms, event_id) < (?, ?)']),
      ]
      const given = [accountId, endpointId, eventId, before?.atMs, before?.eventId, limit]
      const sql = `SELECT ${shown.join(', ')} FROM delivery_log WHERE ${conditions.join(' AND ')}
        ORDER BY at_ms DESC, event_id DESC LIMIT ?`
      const values = given.filter((value) => value !== undefined)
      return (await read(sql, values)) as DeliveryEntry[]
    },
    /** The database is the request history's, which closes it. */
    close: async () => {},
  }
}
