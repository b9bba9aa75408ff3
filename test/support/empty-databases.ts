// An empty database of each engine, gone when the test is over, and statements for either.
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import type { DatabaseLocation } from '../../src/store/open.ts'
import { newDatabase, removeDatabase } from './citus.ts'
import { databaseFolder } from './database-folder.ts'
import { isFull } from './faults.ts'
import { fileWithTables } from './file-with-tables.ts'
import { ask } from './postgres-databases.ts'
import { postgresUrl } from './shared-postgres.ts'

export const emptyDatabases: Record<string, (t: TestContext) => Promise<DatabaseLocation>> = {
  async sqlite(t) {
    const folder = databaseFolder('store')
    t.after(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'lastcall.db')
    if (!isFull) copyFileSync(await fileWithTables(), path)
    return { engine: 'sqlite', path }
  },
  async postgres(t) {
    const admin = await postgresUrl()
    const url = await newDatabase(admin)
    t.after(() => removeDatabase(admin, url))
    return { engine: 'postgres', url }
  },
}

/** While nobody has it open. */
export async function runIn(at: DatabaseLocation, sql: string): Promise<void> {
  // One command at a time, as a divided database takes them.
  if (at.engine === 'postgres') return void (await ask(at.url, ...sql.split(/;\n/).filter((one) => one.trim() !== '')))
  const database = new DatabaseSync(at.path)
  database.exec(sql)
  database.close()
}
