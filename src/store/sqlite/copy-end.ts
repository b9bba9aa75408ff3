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
        for (const table of numberedTables) await setLastId(sql, table, ids[table])
        await sql.run('UPDATE configuration SET version = version + 1')
      }),
    close: async () => closeDatabase(database),
  }
}

/** SQLite notes a table there with its first row. */
async function lastIds(sql: Sql): Promise<LastIds> {
  const given = new Map((await sql.all('SELECT name, seq FROM sqlite_sequence')).map(({ name, seq }) => [name, seq]))
  return Object.fromEntries(numberedTables.map((table) => [table, given.get(table) ?? 0])) as LastIds
}

async function setLastId(sql: Sql, table: keyof LastIds, id: number): Promise<void> {
  await sql.run('DELETE FROM sqlite_sequence WHERE name = ?', table)
  await sql.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', table, id)
}
