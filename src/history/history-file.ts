import { connect, transaction } from '../store/sqlite/connection.ts'
import { watchIdentity } from '../store/sqlite/file-identity.ts'
import type { HistoryEntry } from './history.ts'

/** How long the writing thread waits for a lock; nobody waits for the thread. */
const busyTimeoutMs = 1_000

/**
 * Order, age and page cursor come from one column: id is the milliseconds of the request times 1,000, and a
 * running number. Both uuids are kept as 16 bytes.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL,
    key_id BLOB NOT NULL,
    request_id BLOB NOT NULL,
    operation TEXT,
    campaign_id INTEGER,
    status INTEGER NOT NULL,
    error_code TEXT,
    milliseconds INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS requests_by_account ON requests (account_id, id);
`

/** The history stands beside the database, in a file of its own: one file has one write lock. */
export function historyPath(databasePath: string): string {
  return `${databasePath.replace(/\.db$/, '')}-history.db`
}

export type HistoryFile = {
  /** Stores the entries in one transaction and returns how many. @throws when the file cannot be written */
  append(entries: readonly HistoryEntry[]): number
  /** Removes at most 1,000 entries from before `beforeMs` and returns how many. */
  purge(beforeMs: number): number
  /** False when the file was removed or replaced since it was opened. */
  isSameFile(): boolean
  close(): void
}

export function openHistoryFile(path: string): HistoryFile {
  const connection = connect(path, { busyTimeoutMs })
  connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  connection.exec(schema)
  const isSameFile = watchIdentity([path])
  const insert = connection.prepare(
    `INSERT INTO requests VALUES (?, ?, unhex(?, '-'), unhex(?, '-'), ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  let sequence = 0

  function insertOne(entry: HistoryEntry): number {
    sequence = (sequence + 1) % 1_000
    const { changes } = insert.run(
      entry.atMs * 1_000 + sequence,
      entry.accountId,
      entry.keyId,
      entry.requestId,
      entry.operation,
      entry.campaignId,
      entry.status,
      entry.errorCode,
      entry.milliseconds,
    )
    return Number(changes)
  }

  return {
    append: (entries) =>
      transaction(connection, () => {
        let stored = 0
        for (const entry of entries) stored += insertOne(entry)
        return stored
      }),
    purge: (beforeMs) =>
      connection.run(
        'DELETE FROM requests WHERE id IN (SELECT id FROM requests WHERE id < ? ORDER BY id LIMIT 1000)',
        beforeMs * 1_000,
      ).changes,
    isSameFile,
    close: () => connection.close(),
  }
}

/** An entry as people and the panel read it. */
export type HistoryLine = {
  at: string
  requestId: string
  keyId: string
  operation: string | null
  campaignId: number | null
  status: number
  errorCode: string | null
  milliseconds: number
}

const pageSize = 1_000

/** The account's entries since `sinceMs`, newest first, in pages. */
export function* readHistory(path: string, accountId: number, sinceMs: number): Generator<HistoryLine[]> {
  const connection = connect(path, { busyTimeoutMs, readOnly: true })
  try {
    let before = Number.MAX_SAFE_INTEGER
    for (;;) {
      const rows = connection.all(
        `SELECT *, lower(hex(key_id)) AS key_hex, lower(hex(request_id)) AS request_hex FROM requests
          WHERE account_id = ? AND id < ? AND id >= ? ORDER BY id DESC LIMIT ?`,
        accountId,
        before,
        sinceMs * 1_000,
        pageSize,
      )
      yield rows.map((row) => ({
        at: new Date(Math.floor(row.id / 1_000)).toISOString(),
        requestId: uuid(row.request_hex),
        keyId: uuid(row.key_hex),
        operation: row.operation,
        campaignId: row.campaign_id,
        status: row.status,
        errorCode: row.error_code,
        milliseconds: row.milliseconds,
      }))
      if (rows.length < pageSize) return
      before = rows.at(-1)?.id
    }
  } finally {
    connection.close()
  }
}

function uuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
