import { existsSync } from 'node:fs'
import { StoreUnavailable } from '../store/errors.ts'
import { connect, sqliteCode, transaction } from '../store/sqlite/connection.ts'
import { watchIdentity } from '../store/sqlite/file-identity.ts'
import {
  type Batch,
  batchesSql,
  batchSizesSql,
  type HistoryBatches,
  type HistoryStorage,
  lastOfPortion,
} from './places.ts'
import { byAccount } from './record.ts'

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

export function openHistoryFile(path: string): HistoryStorage {
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
    append: async (records, count) =>
      transaction(connection, () => {
        for (const { accountId, newestMs, bytes } of byAccount(records, count)) {
          insert.run(nextId(newestMs), accountId, bytes)
        }
      }),
    purge: async (beforeMs) =>
      connection.run(
        `DELETE FROM request_batches WHERE id IN
           (SELECT id FROM request_batches WHERE id < ? ORDER BY id LIMIT 1000)`,
        beforeMs * 1_000,
      ).changes,
    isSame: isSameFile,
    close: async () => connection.close(),
  }
}

/** None where no server has run on this database yet. @throws StoreUnavailable where the file cannot be read */
export function openBatchFile(path: string, lockWaitMs: number): HistoryBatches {
  const connection = existsSync(path)
    ? reading(() => connect(path, { busyTimeoutMs: lockWaitMs, readOnly: true }))
    : undefined
  // A file that is only just being made has no table yet.
  const hasTable = () =>
    connection?.get("SELECT 1 FROM sqlite_schema WHERE name = 'request_batches'") !== undefined
  return {
    read: async (accountId, { beforeId, sinceId }) =>
      reading(() => {
        if (connection === undefined || !hasTable()) return []
        const sizes = connection.all(batchSizesSql, accountId, beforeId, sinceId)
        const lastId = lastOfPortion(sizes as { id: number; bytes: number }[])
        return lastId === undefined
          ? []
          : (connection.all(batchesSql, accountId, beforeId, lastId) as Batch[])
      }),
    close: async () => connection?.close(),
  }
}

function reading<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (sqliteCode(error) === undefined) throw error
    throw new StoreUnavailable('the request history cannot be read', { cause: error })
  }
}
