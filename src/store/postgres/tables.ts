import type { Row, Value } from '../sql.ts'
import {
  copiedTables,
  keyColumns,
  type LastIds,
  numberedTables,
  type Tables,
  type Totals,
  tableSql,
} from '../table-copy.ts'
import type { Pool } from './connection.ts'

const patienceMs = 600_000

export function postgresTables(pool: Pool): Tables {
  const query = (sql: string, values: readonly Value[] = []): Promise<Row[]> =>
    pool.use(patienceMs, async (connection) => (await connection.query(sql, values)).rows)
  const listOf = (columns: readonly string[], row: Row): Value[] => columns.map((column) => row[column])
  return {
    refKey: async () => (await query('SELECT ref_key FROM installation'))[0]?.ref_key,
    async setRefKey(key) {
      await query('UPDATE installation SET ref_key = ?', [key])
    },
    totals: async (table) => (await query(tableSql(table).totals))[0] as Totals,
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
    async lastIds() {
      const given = numberedTables.map(
        (table) =>
          `coalesce(pg_sequence_last_value(pg_get_serial_sequence('${table}', 'id')), 0) AS ${table}`,
      )
      return (await query(`SELECT ${given.join(', ')}`))[0] as LastIds
    },
    async finish(lastIds) {
      for (const table of numberedTables) {
        await query(
          `SELECT setval(pg_get_serial_sequence('${table}', 'id'),
            greatest(1, ?::bigint, (SELECT coalesce(max(id), 0) FROM ${table})))`,
          [lastIds[table]],
        )
      }
      await query('ANALYZE')
    },
    close: () => pool.close(),
  }
}
