import type { Row, Value } from '../sql.ts'
import {
  type CopiedTable,
  copiedTables,
  keyColumns,
  type LastIds,
  numberedTables,
  type Tables,
  type Totals,
  tableSql,
} from '../table-copy.ts'
import { transaction } from './connection.ts'
import { openConnection } from './file.ts'

/** The statements of SQLite take 32,766 values at most. */
const rowsOfStatement = 2_000

/** The caller has claimed the database. @throws UnusableDatabase */
export function openSqliteTables(path: string): Tables {
  const connection = openConnection(path, { isClaimed: true })
  // Leads of one account are in the order of their ids, so an order by account first would only cost a sort.
  connection.exec('CREATE INDEX IF NOT EXISTS leads_by_account ON leads (account_id, id)')
  const listOf = (columns: readonly string[], row: Row): Value[] => columns.map((column) => row[column])
  return {
    refKey: async () => connection.get('SELECT ref_key FROM installation')?.ref_key,
    async setRefKey(key) {
      connection.run('UPDATE installation SET ref_key = ?', key)
    },
    totals: async (table) => connection.get(tableSql(table).totals) as Totals,
    async lastKey(table) {
      const row = connection.get(tableSql(table).lastKey)
      return row && listOf(keyColumns[table], row)
    },
    async rowsAfter(table, key, limit) {
      const { first, next } = tableSql(table)
      const rows = key === undefined ? connection.all(first, limit) : connection.all(next, ...key, limit)
      return rows.map((row) => listOf(copiedTables[table], row))
    },
    add: async (table, rows) =>
      transaction(connection, () => {
        for (let from = 0; from < rows.length; from += rowsOfStatement)
          addRows(table, rows.slice(from, from + rowsOfStatement))
      }),
    async lastIds() {
      const given = numberedTables.map((table) => [table, lastId(table)])
      return Object.fromEntries(given) as LastIds
    },
    async finish(lastIds) {
      transaction(connection, () => {
        for (const table of numberedTables) raiseLastId(table, lastIds[table])
        connection.run('UPDATE configuration SET version = version + 1')
      })
    },
    async close() {
      connection.exec('DROP INDEX IF EXISTS leads_by_account')
      connection.close()
    },
  }

  function lastId(table: CopiedTable): number {
    const given = connection.get('SELECT seq FROM sqlite_sequence WHERE name = ?', table)
    const highest = connection.get(`SELECT coalesce(max(id), 0) AS id FROM ${table}`)
    return Math.max(given?.seq ?? 0, highest?.id)
  }

  /** A lead's id may come again here: what names a lead to others has a salt. */
  function raiseLastId(table: CopiedTable, id: number): void {
    if (table === 'leads') return
    if (connection.get('SELECT 1 FROM sqlite_sequence WHERE name = ?', table) === undefined)
      connection.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, 0)', table)
    connection.run('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?', id, table)
  }

  function addRows(table: CopiedTable, rows: Value[][]): void {
    connection.run(tableSql(table).add(rows.length), ...rows.flat())
  }
}
