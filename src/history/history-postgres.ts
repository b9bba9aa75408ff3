import { openPool, type PoolOptions } from '../store/postgres/connection.ts'
import type { Value } from '../store/sql.ts'
import { appendsAtOnce, type HistoryDatabase } from './database.ts'

const readTimeoutMs = 10_000
/** A batch that hangs must not hold up the next ones. */
const writeTimeoutMs = 2_000

type PostgresHistoryOptions = Pick<PoolOptions, 'url' | 'mayUse'>

/** The table is one of the database's own (store/postgres/migrations.ts). */
export function historyOnPostgres(options: PostgresHistoryOptions): HistoryDatabase {
  const reading = openConnections(options, readTimeoutMs, 1)
  const writing = openConnections(options, writeTimeoutMs, appendsAtOnce)
  return {
    read: async (sql, values) => (await reading.query(sql, values)).rows,
    write: async (sql, values) => (await writing.query(sql, values)).changes,
    close: async () => void (await Promise.all([reading.close(), writing.close()])),
  }
}

/** PostgreSQL gives up a little earlier than we do, so that an entry that was counted as lost is not stored later. */
function openConnections(options: PostgresHistoryOptions, timeoutMs: number, size: number) {
  const settings = { synchronous_commit: 'off', statement_timeout: String(timeoutMs * 0.9) }
  const pool = openPool({ ...options, size, settings, connectMs: timeoutMs })
  return {
    query: (sql: string, values: Value[]) => pool.use(timeoutMs, ({ query }) => query(sql, values)),
    close: pool.close,
  }
}
