// Another process holds the database's write lock.
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import type { Installation } from './lastcall.ts'
import { engine } from './test-database.ts'

/** Meanwhile leads can be read and not written; on PostgreSQL it may be another table. */
export async function whileLocked(place: Installation, act: () => Promise<void>, table = 'leads'): Promise<void> {
  const release = engine === 'postgres' ? await lockTable(place.databaseUrl, table) : lockFile(place.databasePath)
  try {
    await act()
  } finally {
    await release()
  }
}

function lockFile(path: string): () => void {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA busy_timeout = 2000')
  database.exec('BEGIN EXCLUSIVE')
  return () => {
    database.exec('ROLLBACK')
    database.close()
  }
}

async function lockTable(url: string, table: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('BEGIN')
  await client.query(`LOCK TABLE ${table} IN EXCLUSIVE MODE`)
  return async () => {
    await client.query('ROLLBACK')
    await client.end()
  }
}
