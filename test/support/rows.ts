// Everything that a database holds, whatever its tables are called.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DatabaseLocation } from '../../src/store/open.ts'
import type { Installation } from './lastcall.ts'
import { ask } from './postgres-databases.ts'
import { databasesCreated, engine } from './test-database.ts'

/**
 * Every row of every table, as text. Without the history and the rates, which every request changes: SQLite has
 * them in another file and in the process.
 */
export async function rowsOf(place: Installation): Promise<Record<string, string[]>> {
  if (engine === 'sqlite') return rowsOfFile(place.databasePath)
  const all = Object.entries(await rowsOfPostgres(place.databaseUrl))
  return Object.fromEntries(all.filter(([table]) => !/^request_(batches|history|rates)$/.test(table)))
}

/** The same of a database that is no installation's, with all its tables. */
export async function rowsAt(at: DatabaseLocation): Promise<Record<string, string[]>> {
  return at.engine === 'sqlite' ? rowsOfFile(at.path) : rowsOfPostgres(at.url)
}

/** The rows of one table. The templates take most of the time that all tables take. */
export async function rowsIn(place: Installation, table: string): Promise<string[]> {
  const rows =
    engine === 'sqlite' ? rowsOfFile(place.databasePath, table) : await rowsOfPostgres(place.databaseUrl, table)
  assert.ok(rows[table], `no table ${table}`)
  return rows[table]
}

function rowsOfFile(path: string, table = '%'): Record<string, string[]> {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const named = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE ? ORDER BY name"
    return Object.fromEntries(
      database
        .prepare(named)
        .all(table)
        .map(({ name }) => {
          const rows = database.prepare(`SELECT * FROM "${name}"`)
          rows.setReadBigInts(true)
          return [
            String(name),
            rows
              .all()
              .map((row) => textOf(row, shortened))
              .sort(),
          ]
        }),
    )
  } finally {
    database.close()
  }
}

async function rowsOfPostgres(url: string, table = '%'): Promise<Record<string, string[]>> {
  await databasesCreated()
  const named = `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename LIKE '${table}' ORDER BY name`
  const entries = (await ask(url, named)).map(async ({ name }) => {
    const rows = await ask(url, `SELECT * FROM "${name}"`)
    return [name, rows.map((row) => textOf(row, inHex)).sort()]
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** What is stored as bytes, a character each: by the names of the files, or on PostgreSQL of the tables. */
export async function storedTexts(place: Installation): Promise<[name: string, text: string][]> {
  if (engine === 'sqlite')
    return readdirSync(place.folder).map((name) => [name, readFileSync(join(place.folder, name), 'latin1')])
  const tables = Object.entries(await rowsOfPostgres(place.databaseUrl))
  return tables.map(([name, rows]) => [name, rows.map(withBytes).join('\n')])
}

/** Bytes, which are hexadecimal digits in a row's text, once more as characters. */
function withBytes(row: string): string {
  const values = Object.values(JSON.parse(row)).filter((value) => /^(?:[0-9a-f]{2})+$/.test(String(value)))
  return [row, ...values.map((value) => Buffer.from(String(value), 'hex').toString('latin1'))].join(' ')
}

const inHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
/** A template has 100 kB, and is compared only. */
const shortened = (bytes: Uint8Array) => (bytes.length > 1_000 ? hash('sha256', bytes) : inHex(bytes))

function textOf(row: object, ofBytes: (bytes: Uint8Array) => string): string {
  const values = Object.entries(row).map(([name, value]) => {
    if (typeof value === 'bigint') return [name, String(value)]
    return [name, value instanceof Uint8Array ? ofBytes(value) : value]
  })
  return JSON.stringify(Object.fromEntries(values))
}
