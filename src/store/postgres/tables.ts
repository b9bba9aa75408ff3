import type { Row, Value } from '../sql.ts'
import { copiedTables, keyColumns, type Tables, tableSql } from '../table-copy.ts'
import type { Pool } from './connection.ts'

const patienceMs = 600_000
const counted = ['accounts', 'campaigns', 'rules', 'offer_pages', 'leads', 'users']

export function postgresTables(pool: Pool): Tables {
  const query = (sql: string, values: readonly Value[] = []): Promise<Row[]> =>
    pool.use(patienceMs, async (connection) => (await connection.query(sql, values)).rows)
  const listOf = (columns: readonly string[], row: Row): Value[] => columns.map((column) => row[column])
  return {
    refKey: async () => (await query('SELECT ref_key FROM installation'))[0]?.ref_key,
    async setRefKey(key) {
      await query('UPDATE installation SET ref_key = ?', [key])
    },
    count: async (table) => (await query(tableSql(table).count))[0]?.total,
    async lastKey(table) {
      const [row] = await query(tableSql(table).lastKey)
      return row && listOf(keyColumns[table], row)
    },
    async rowsAfter(table, key, limit) {
      const { first, next } = tableSql(table)
      const rows = key === undefined ? await query(first, [limit]) : await query(next, [...key, limit])
      return rows.map((row) => listOf(copiedTables[table], row))
    },
    async add(table, rows) {
      await query(tableSql(table).add(rows.length), rows.flat())
    },
    async finish() {
      for (const table of counted) {
        await query(
          `SELECT setval(pg_get_serial_sequence('${table}', 'id'),
            greatest(1, (SELECT coalesce(max(id), 0) FROM ${table})))`,
        )
      }
      await query('ANALYZE')
    },
    close: () => pool.close(),
  }
}
