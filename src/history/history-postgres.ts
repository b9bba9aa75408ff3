import { openPool } from '../store/postgres/connection.ts'
import type { HistoryDatabase } from './table.ts'

/** A batch that hangs must not keep the next ones. */
const writePatienceMs = 2_000
const readPatienceMs = 10_000

/** The table is one of the database's own (store/postgres/migrations.ts). One connection, opened when needed. */
export function historyOnPostgres(url: string): HistoryDatabase {
  const settings = { synchronous_commit: 'off', statement_timeout: String(readPatienceMs) }
  const pool = openPool({ url, size: 1, settings, connectMs: writePatienceMs })
  return {
    read: (sql, values) => pool.use(readPatienceMs, async ({ query }) => (await query(sql, values)).rows),
    write: (sql, values) =>
      pool.use(writePatienceMs, async ({ query }) => (await query(sql, values)).changes),
    close: () => pool.close(),
  }
}
