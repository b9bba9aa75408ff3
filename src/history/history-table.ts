import { openPool } from '../store/postgres/connection.ts'
import {
  type Batch,
  batchesSql,
  batchSizesSql,
  type HistoryBatches,
  type HistoryStorage,
  lastOfPortion,
} from './places.ts'
import { byAccount } from './record.ts'

/** Nobody waits for the history; but a statement that hangs must not keep the next ones. */
const patienceMs = 2_000

/** The table is one of the database's own (store/postgres/migrations.ts). Its ids are those of the file. */
export function openHistoryTable(url: string): HistoryStorage {
  const settings = { synchronous_commit: 'off', statement_timeout: String(patienceMs) }
  const pool = openPool({ url, size: 1, settings, connectMs: patienceMs })
  return {
    append: (records, count) =>
      pool.use(patienceMs, async (connection) => {
        const batches = byAccount(records, count)
        await connection.rows(insertBatches, [
          batches.map(({ accountId }) => accountId),
          batches.map(({ newestMs }) => newestMs),
          batches.map(({ bytes }) => `\\x${bytes.toString('hex')}`),
        ])
      }),
    purge: (beforeMs) =>
      pool.use(patienceMs, async (connection) => {
        const { changes } = await connection.query(
          `DELETE FROM request_batches WHERE (account_id, id) IN
             (SELECT account_id, id FROM request_batches WHERE id < ? ORDER BY id LIMIT 1000)`,
          [beforeMs * 1_000],
        )
        return changes
      }),
    isSame: () => true,
    close: () => pool.close(),
  }
}

/** Nodes may choose the same thousandth of a millisecond: then the next free one is taken. */
const insertBatches = {
  name: 'insert_batches',
  text: `
    INSERT INTO request_batches (account_id, id, records)
    SELECT account, greatest(newest * 1000, 1 + coalesce((
        SELECT max(id) FROM request_batches WHERE account_id = account AND id < newest * 1000 + 1000), 0)), bytes
      FROM unnest($1::bigint[], $2::bigint[], $3::bytea[]) AS batch (account, newest, bytes)
      ORDER BY account`,
}

export function openBatchTable(url: string): HistoryBatches {
  const pool = openPool({ url, size: 1, settings: {}, connectMs: patienceMs })
  return {
    read: (accountId, { beforeId, sinceId }) =>
      pool.use(patienceMs, async (connection) => {
        const sizes = await connection.query(batchSizesSql, [accountId, beforeId, sinceId])
        const lastId = lastOfPortion(sizes.rows as { id: number; bytes: number }[])
        if (lastId === undefined) return []
        return (await connection.query(batchesSql, [accountId, beforeId, lastId])).rows as Batch[]
      }),
    close: () => pool.close(),
  }
}
