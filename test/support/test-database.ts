// The engine that a run of the tests stands on, and a database on it for each installation.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { newDatabase, removeDatabase } from './citus.ts'
import { isFull } from './faults.ts'
import { fileWithTables } from './file-with-tables.ts'
import { databaseUrl } from './postgres-databases.ts'
import { postgresUrl } from './shared-postgres.ts'

const engines = ['sqlite', 'postgres'] as const
export type TestEngine = (typeof engines)[number]

/** From the environment, which is asked here alone. */
export const engine = chosenEngine(process.env.LASTCALL_TEST_ENGINE || 'sqlite')
const adminUrl = engine === 'postgres' ? await postgresUrl() : ''
const tables = engine === 'sqlite' && !isFull ? await fileWithTables() : undefined
const beingCreated = new Set<Promise<void>>()

export type TestDatabase = {
  url: string
  /** @throws on PostgreSQL, which has no file */
  path(): string
  remove(): Promise<void>
}

/**
 * A database with its tables, or on PostgreSQL one with the content of the database `from`, to which nobody may be
 * connected: wait for `databasesCreated` there. On SQLite, in the long form or with `from`, there is none before
 * somebody opens it.
 */
export function testDatabase(folder: string, from?: string): TestDatabase {
  if (engine === 'sqlite') {
    const path = join(folder, 'lastcall.db')
    if (tables !== undefined && from === undefined) copyFileSync(tables, path)
    return { url: `file:${path}`, path: () => path, remove: async () => {} }
  }
  const url = databaseUrl(adminUrl)
  const created = newDatabase(adminUrl, { url, from }).then(() => {})
  beingCreated.add(created)
  // every test that waits is told of a failure
  created.then(
    () => beingCreated.delete(created),
    () => {},
  )
  return {
    url,
    path() {
      throw new Error('databasePath: a PostgreSQL database has no file; this test belongs into test/sqlite/')
    },
    async remove() {
      await created
      await removeDatabase(adminUrl, url)
    },
  }
}

/** Waits until every database that was asked for is there. */
export async function databasesCreated(): Promise<void> {
  await Promise.all(beingCreated)
}

function chosenEngine(name: string): TestEngine {
  const engine = engines.find((one) => one === name)
  if (!engine) throw new Error(`LASTCALL_TEST_ENGINE is ${name}; it can be ${engines.join(' or ')}`)
  return engine
}
