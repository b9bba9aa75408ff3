import { connect, transaction } from '../store/sqlite/connection.ts'
import { watchIdentity } from '../store/sqlite/file-identity.ts'
import { byAccount, type HistoryEntry, type Records, readRecord, recordBytes, recordsIn } from './record.ts'

/** How long the writing thread waits for a lock; nobody waits for the thread. */
const busyTimeoutMs = 1_000

/**
 * The entries of one account that were written together are one row: storing them one by one would cost more
 * than answering did. id is the milliseconds of the newest of them times 1,000 and a running number, so that
 * order, age and page cursor come from one column.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS request_batches (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL,
    records BLOB NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS request_batches_by_account ON request_batches (account_id, id);
`

/** The history stands beside the database, in a file of its own: one file has one write lock. */
export function historyPath(databasePath: string): string {
  return `${databasePath.replace(/\.db$/, '')}-history.db`
}

export type HistoryFile = {
  /** Stores `count` records in one transaction. @throws when the file cannot be written */
  append(records: Records, count: number): void
  /** Removes at most 1,000 batches from before `beforeMs` and returns how many. */
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
  const insert = connection.prepare('INSERT INTO request_batches VALUES (?, ?, ?)')
  let sequence = 0

  function nextId(newestMs: number): number {
    sequence = (sequence + 1) % 1_000
    return newestMs * 1_000 + sequence
  }

  return {
    append: (records, count) =>
      transaction(connection, () => {
        for (const { accountId, newestMs, bytes } of byAccount(records, count)) {
          insert.run(nextId(newestMs), accountId, bytes)
        }
      }),
    purge: (beforeMs) =>
      connection.run(
        `DELETE FROM request_batches WHERE id IN
           (SELECT id FROM request_batches WHERE id < ? ORDER BY id LIMIT 1000)`,
        beforeMs * 1_000,
      ).changes,
    isSameFile,
    close: () => connection.close(),
  }
}

/** An entry as people and the panel read it. */
export type HistoryLine = Omit<HistoryEntry, 'atMs' | 'accountId'> & { at: string }

const pageSize = 100

/** The account's entries since `sinceMs`, newest first, some at a time. */
export function* readHistory(path: string, accountId: number, sinceMs: number): Generator<HistoryLine[]> {
  const connection = connect(path, { busyTimeoutMs, readOnly: true })
  try {
    // A file that is only just being made has no table yet.
    if (connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'request_batches'") === undefined) return
    let before = Number.MAX_SAFE_INTEGER
    for (;;) {
      const rows = connection.all(
        `SELECT id, records FROM request_batches
          WHERE account_id = ? AND id < ? AND id >= ? ORDER BY id DESC LIMIT ?`,
        accountId,
        before,
        sinceMs * 1_000,
        pageSize,
      )
      yield rows.flatMap(({ records }) => lines(records))
      if (rows.length < pageSize) return
      before = rows.at(-1)?.id
    }
  } finally {
    connection.close()
  }
}

/** The blob is copied because its bytes need not lie where numbers may. */
function lines(blob: Uint8Array): HistoryLine[] {
  const records = recordsIn(blob.slice().buffer as ArrayBuffer)
  const count = blob.length / recordBytes
  return Array.from({ length: count }, (_, index) => {
    const { atMs, accountId: _account, ...entry } = readRecord(records, count - 1 - index)
    return { at: new Date(atMs).toISOString(), ...entry }
  })
}
