import { existsSync, realpathSync } from 'node:fs'
import { lockForServing, migrateSqlite, openSqlite } from './sqlite/sqlite.ts'
import type { Store } from './store.ts'

export type DatabaseLocation = { engine: 'sqlite'; path: string }

export type OpenOptions = {
  /** How long a registration waits for a lock that another process holds. */
  lockWaitMs: number
}

/** Opens the database and brings it to this version. @throws UnusableDatabase */
export function openStore(location: DatabaseLocation, { lockWaitMs }: OpenOptions): Store {
  return openSqlite({ path: realPath(location.path), lockWaitMs })
}

/** Makes this process the one server on the database; the result gives that up. @throws UnusableDatabase */
export function claimDatabase(location: DatabaseLocation): () => void {
  return lockForServing(realPath(location.path))
}

/** Two names of one file are one database. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}

/** Brings the database to this version, and says from which. @throws UnusableDatabase */
export function migrateDatabase(location: DatabaseLocation): { version: number; applied: number } {
  return migrateSqlite(realPath(location.path))
}
