import { existsSync, realpathSync } from 'node:fs'
import { Refused } from './errors.ts'
import { openSqliteEnd } from './sqlite/copy-end.ts'
import { lockForServing, migrateSqlite } from './sqlite/file.ts'
import { openSqlite } from './sqlite/sqlite.ts'
import type { OpenOptions, Store } from './store.ts'
import type { CopyEnd } from './table-copy.ts'

export type DatabaseLocation = { engine: 'sqlite'; path: string } | { engine: 'postgres'; url: string }

/** Opens the database and brings it to this version. @throws UnusableDatabase */
export async function openStore(location: DatabaseLocation, options: OpenOptions): Promise<Store> {
  if (location.engine === 'sqlite') {
    return openSqlite({ ...options, path: realPath(location.path) })
  }
  const { openPostgres } = await postgres()
  return openPostgres({ url: location.url, ...options })
}

/** Makes this process the one server on an embedded database; the result gives that up. @throws UnusableDatabase */
export function claimDatabase(location: DatabaseLocation): () => void {
  return location.engine === 'sqlite' ? lockForServing(realPath(location.path)) : () => {}
}

/** Two names of one file are one database. */
export function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}

/** Brings the database to this version. @throws UnusableDatabase also where a server runs on the embedded database */
export async function migrateDatabase(location: DatabaseLocation): Promise<{ version: number; applied: number }> {
  if (location.engine === 'sqlite') return migrateSqlite(realPath(location.path))
  const { migratePostgres } = await postgres()
  return migratePostgres(location.url)
}

/**
 * Divides the tables by account among the workers of a Citus cluster, into so many `shards`, and resolves with what
 * lies where. Tables that are divided already stay. @throws Refused if that cannot be done, UnusableDatabase
 */
export async function distributeDatabase(location: DatabaseLocation, shards: number | undefined): Promise<unknown> {
  if (location.engine === 'sqlite')
    throw new Refused('DATABASE_URL names a file: only PostgreSQL with Citus has workers')
  const { distributePostgres } = await postgres()
  return distributePostgres(location.url, shards)
}

/**
 * A claimed database, to be copied from or to; it is brought to this version first. Only the target may be empty or
 * hold an unfinished copy. @throws UnusableDatabase
 */
export async function openCopyEnd(location: DatabaseLocation, isTarget: boolean): Promise<CopyEnd> {
  if (location.engine === 'sqlite') return openSqliteEnd(realPath(location.path), isTarget)
  const { openPostgresEnd } = await postgres()
  return openPostgresEnd(location.url, isTarget)
}

/** Loaded when needed: a server on the embedded database starts without it. */
function postgres() {
  return import('./postgres/postgres.ts')
}
