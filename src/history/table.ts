// The table of the request history: one row for each entry, and the statements that both engines run on it.
import { StoreUnavailable } from '../store/errors.ts'
import { allOf, type Value } from '../store/sql.ts'
import { appendByAccount, type HistoryDatabase } from './database.ts'
import { deliveryTable } from './deliveries.ts'
import type { HistoryEntry } from './entry.ts'
import { entriesOf } from './legacy-records.ts'

export type HistoryFilter = {
  fromMs: number
  /** Excluded. */
  toMs: number
  keyId?: string | undefined
  operation?: string | undefined
  errorCode?: string | undefined
  /** 4 for 400 to 499. */
  statusClass?: number | undefined
  /** How the request id begins. */
  requestId?: string | undefined
}

/** Entries stand in the order of their time, and within one millisecond in that of their ids. */
export type Cursor = Pick<HistoryEntry, 'atMs' | 'requestId'>
type PageRange = { before?: Cursor | undefined; after?: Cursor | undefined; limit: number }
export type AccountEntry = Omit<HistoryEntry, 'accountId'>
/** How many requests of each sort came in the time that begins at `at`, in seconds. */
type Bar = { at: number; succeeded: number; refused: number; failed: number }

export type HistoryTable = ReturnType<typeof historyTable>
export type HistoryReader = Pick<HistoryTable, 'page' | 'bars' | 'byKey'>

export function historyTable({ read, write, close }: HistoryDatabase) {
  /** An entry that is already stored, since only the answer to its first try was lost, is not stored twice. */
  const append = (entries: readonly HistoryEntry[]) =>
    appendByAccount(entries, async (own) => {
      const rows = Array(own.length).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')
      await write(`${insertSql} ${rows} ON CONFLICT DO NOTHING`, own.flatMap(valuesOf))
    })

  return {
    append,
    /** Removes at most 1,000 entries from before `beforeMs`, and resolves with how many. */
    purge: (beforeMs: number) => write(purgeSql, [beforeMs]),
    /** Turns the newest batch of the version before into rows, and may be interrupted. False if there is none. */
    async moveBatch(): Promise<boolean> {
      const [batch] = await read('SELECT * FROM request_batches ORDER BY id DESC LIMIT 1', [])
      if (batch === undefined) return false
      const left = await append(entriesOf(batch.records))
      if (left.length > 0) throw new StoreUnavailable('a batch could not be moved')
      await write('DELETE FROM request_batches WHERE account_id = ? AND id = ?', [batch.account_id, batch.id])
      return true
    },
    /** Newest first. */
    async page(accountId: number, filter: HistoryFilter, range: PageRange): Promise<AccountEntry[]> {
      const { where, values } = conditions(accountId, filter, range)
      const sql = `${selectSql} WHERE ${where} ORDER BY at_ms DESC, request_id DESC LIMIT ?`
      return (await read(sql, [...values, range.limit])) as AccountEntry[]
    },
    /** Oldest first, without the empty ones. */
    async bars(accountId: number, filter: HistoryFilter, barSeconds: number): Promise<Bar[]> {
      const { where, values } = conditions(accountId, filter, {})
      const at = `at_ms / ${barSeconds * 1_000} * ${barSeconds} AS at`
      return (await read(`SELECT ${at}, ${countsSql} WHERE ${where} GROUP BY 1 ORDER BY 1`, values)) as Bar[]
    },
    /** How many of the newest `most` entries from `fromMs` on came with each key. */
    async byKey(accountId: number, fromMs: number, most: number): Promise<{ keyId: string; requests: number }[]> {
      const newest = `SELECT key_id FROM request_history WHERE account_id = ? AND at_ms >= ?
        ORDER BY at_ms DESC, request_id DESC LIMIT ?`
      const sql = `SELECT key_id AS "keyId", count(*) AS requests FROM (${newest}) AS newest GROUP BY key_id`
      return (await read(sql, [accountId, fromMs, most])) as { keyId: string; requests: number }[]
    },
    /** What was told to endpoints. */
    deliveries: deliveryTable({ read, write }),
    close,
  }
}

const insertSql = `INSERT INTO request_history
  (account_id, at_ms, request_id, key_id, operation, campaign_id, status, error_code, milliseconds) VALUES`

function valuesOf(entry: HistoryEntry): Value[] {
  const { accountId, requestId, keyId, operation, campaignId, status, errorCode } = entry
  const [atMs, milliseconds] = [Math.floor(entry.atMs), Math.round(entry.milliseconds)]
  return [accountId, atMs, requestId, keyId, operation, campaignId, status, errorCode, milliseconds]
}

const purgeSql = `DELETE FROM request_history WHERE (account_id, at_ms, request_id) IN
  (SELECT account_id, at_ms, request_id FROM request_history WHERE at_ms < ? ORDER BY at_ms LIMIT 1000)`

const selectSql = `SELECT at_ms AS "atMs", request_id AS "requestId", key_id AS "keyId", operation,
  campaign_id AS "campaignId", status, error_code AS "errorCode", milliseconds FROM request_history`

const countsSql = `count(*) FILTER (WHERE status < 400) AS succeeded,
  count(*) FILTER (WHERE status BETWEEN 400 AND 499) AS refused,
  count(*) FILTER (WHERE status >= 500) AS failed FROM request_history`

function conditions(accountId: number, filter: HistoryFilter, { before, after }: Partial<PageRange>) {
  const { keyId, operation, errorCode, statusClass, requestId } = filter
  // In its index SQLite searches by time alone: without these bounds a page far down the list would read all entries
  // before it.
  const fromMs = Math.max(filter.fromMs, after?.atMs ?? 0)
  const toMs = Math.min(filter.toMs, before === undefined ? filter.toMs : before.atMs + 1)
  return allOf([
    ['account_id = ? AND at_ms >= ? AND at_ms < ?', accountId, fromMs, toMs],
    ['key_id = ?', keyId],
    ['operation = ?', operation],
    ['error_code = ?', errorCode],
    ['status / 100 = ?', statusClass],
    ['CAST(request_id AS text) LIKE ?', requestId && `${requestId}%`],
    ['(at_ms, request_id) < (?, ?)', before?.atMs, before?.requestId],
    ['(at_ms, request_id) > (?, ?)', after?.atMs, after?.requestId],
  ])
}
