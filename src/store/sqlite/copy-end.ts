import type { Sql } from '../sql.ts'
import { type CopyEnd, type LastIds, numberedTables } from '../table-copy.ts'
import { closeDatabase, openDatabase } from './database.ts'
import { runnerOn } from './sqlite.ts'

/** The database is claimed, so nobody holds it for long. */
const timeoutMs = 5_000

/** The caller has claimed the database. @throws UnusableDatabase */
export function openSqliteEnd(path: string, isTarget: boolean): CopyEnd {
  const database = openDatabase({ path, isServer: false, isClaimed: true, mayCreate: isTarget, isCopyTarget: isTarget })
  const { read, write } = runnerOn(database, timeoutMs)
  return {
    read,
    write,
    leadKey: ['id'],
    lastIds: () => read(lastIds),
    place: async () => path,
    finish: (ids) =>
      write(async (sql) => {
        for (const table of numberedTables) await raiseLastId(sql, table, ids[table])
        await sql.run('UPDATE configuration SET version = version + 1')
      }),
    close: async () => closeDatabase(database),
  }
}

async function lastIds(sql: Sql): Promise<LastIds> {
  const ids: Partial<LastIds> = {}
  for (const table of numberedTables) {
    const given = await sql.get('SELECT seq FROM sqlite_sequence WHERE name = ?', table)
    const highest = await sql.get(`SELECT coalesce(max(id), 0) AS id FROM ${table}`)
    ids[table] = Math.max(given?.seq ?? 0, highest?.id)
  }
  return ids as LastIds
}

async function raiseLastId(sql: Sql, table: keyof LastIds, id: number): Promise<void> {
  const isThere = await sql.get('SELECT 1 AS found FROM sqlite_sequence WHERE name = ?', table)
  if (isThere === undefined) await sql.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, 0)', table)
  await sql.run('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?', id, table)
}
