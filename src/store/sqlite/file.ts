// The database as a file: opened, migrated, and claimed by the one server that may run on it.
import { existsSync, lchownSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SQLITE_FULL, UnusableDatabase } from '../errors.ts'
import { latestVersion } from '../migrations.ts'
import type { OpenOptions } from '../store.ts'
import {
  type Connection,
  connect,
  limitLog,
  SQLITE_BUSY,
  SQLITE_CANTOPEN,
  SQLITE_READONLY,
  sqliteCode,
} from './connection.ts'
import { assertCopied, checkVersion, migrate } from './migrations.ts'

/** How long a process that opens its database, or a command, waits for somebody else's lock. */
const openingMs = 5_000
/** How long a command waits for another one that migrates the same file; a server never gives way. */
const migrationWaitMs = 1_000
/**
 * When a million offers end, telling endpoints reads each of their pages once: these would fill a larger cache, and
 * stay in it.
 */
const cacheKibibytes = 32_768

/** A server never waits for a lock inside a statement, which would stop all requests. */
export type ConnectionUse = Partial<Pick<OpenOptions, 'isServer' | 'mayCreate'>> & {
  /** This process has claimed the database: no server runs on it. */
  isClaimed?: boolean
  /** It may hold an unfinished copy. */
  isCopyTarget?: boolean
}

/**
 * Opens a connection with the settings that all of them have, and brings the database to this version: `applied` is how
 * many migrations that took. @throws UnusableDatabase
 */
export function openConnection(path: string, use: ConnectionUse): { connection: Connection; applied: number } {
  const { isServer = false, isClaimed = isServer, mayCreate = true, isCopyTarget = false } = use
  let applied = 0
  makeFolder(path)
  const opened = (connection: Connection) => {
    // Deleted rows are overwritten, also those of a table that a migration drops.
    connection.exec('PRAGMA secure_delete = ON')
    // Before anything is written, so that the file of another program stays as it is. And before the cache is made
    // larger, since SQLite then sorts a new index more slowly.
    const version = checkVersion(connection, mayCreate)
    if (!isCopyTarget) assertCopied(connection)
    const mayBeServed = version > 0 && version < latestVersion && !isClaimed
    applied = mayBeServed ? alone(path, () => migrate(connection)) : migrate(connection)
    useWriteAheadLog(connection)
    if (isServer) assertWritable(connection)
    connection.exec(`
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      PRAGMA cache_size = -${cacheKibibytes};
      PRAGMA wal_autocheckpoint = 4000;
      ${limitLog};
      PRAGMA busy_timeout = ${isServer ? 0 : openingMs};
      -- The first look makes the write-ahead log, which is watched as the file is.
      PRAGMA user_version;
    `)
  }
  const connection = usable(path, () => connect(path, { busyTimeoutMs: openingMs, opened }))
  return { connection, applied }
}

/** A server that runs meanwhile would go on with tables that are no longer there. @throws UnusableDatabase */
function alone<T>(path: string, work: () => T): T {
  const giveUpClaim = claim(path, migrationWaitMs)
  try {
    return work()
  } finally {
    giveUpClaim()
  }
}

/** Only brings the database to this version. @throws UnusableDatabase also where a server runs on it */
export function migrateSqlite(path: string): { version: number; applied: number } {
  return alone(path, () => {
    const { connection, applied } = openConnection(path, { isClaimed: true })
    connection.close()
    return { version: latestVersion, applied }
  })
}

/** Makes this process the one server on the database, until it ends, however it ends. @throws UnusableDatabase */
export function lockForServing(path: string): () => void {
  return claim(path, 0)
}

/** The lock is the operating system's, on a small file of its own. */
function claim(path: string, busyTimeoutMs: number): () => void {
  makeFolder(path)
  // The folder's real path, so that two names of one file are one lock.
  const lockPath = join(realpathSync(dirname(path)), `${basename(path)}-serve.lock`)
  // Until the lock exists, an error names the database instead, since the operator has not seen the lock.
  return usable(existsSync(lockPath) ? lockPath : path, () => {
    const lock = connect(lockPath, { busyTimeoutMs })
    try {
      giveToOwnerOf(path, lockPath)
      lock.exec('BEGIN EXCLUSIVE')
    } catch (error) {
      lock.close()
      const code = sqliteCode(error)
      if (code === SQLITE_BUSY)
        throw new UnusableDatabase(`a server, a migration or a copy is running on ${path}: stop it, or wait for it`)
      // The disk is full: nothing is wrong with the lock.
      if (code === SQLITE_FULL)
        throw new UnusableDatabase(`cannot use ${path} as a database: ${(error as Error).message}`)
      throw error
    }
    return () => lock.close()
  })
}

/** A lock that a command of root's made must not keep the server's user out. SQLite does so with its own files. */
function giveToOwnerOf(path: string, lockPath: string): void {
  const owner = process.geteuid?.() === 0 ? statSync(path, { throwIfNoEntry: false }) : undefined
  // Not what a link leads to: the owner of the folder could have root give away any file.
  if (owner !== undefined) lchownSync(lockPath, owner.uid, owner.gid)
}

/**
 * Gives a new file a write-ahead log. SQLite does not wait for the lock that this takes. If several processes do it at
 * once, each may hold what another needs, so each lets go and tries again after a random pause.
 */
function useWriteAheadLog(connection: Connection): void {
  connection.exec('PRAGMA busy_timeout = 0')
  const giveUpAt = performance.now() + openingMs
  while (!hasWriteAheadLog(connection, performance.now() < giveUpAt)) pause(1 + Math.random() * 10)
}

function hasWriteAheadLog(connection: Connection, mayTryAgain: boolean): boolean {
  try {
    connection.exec('PRAGMA journal_mode = WAL')
    return true
  } catch (error) {
    if (mayTryAgain && sqliteCode(error) === SQLITE_BUSY) return false
    throw error
  }
}

/**
 * SQLite opens a file that it cannot write as read-only: a server on it would refuse every registration. BEGIN IMMEDIATE
 * says nothing of that, a statement that could write does.
 */
function assertWritable(connection: Connection): void {
  try {
    connection.exec('UPDATE installation SET id = id WHERE false')
  } catch (error) {
    if (sqliteCode(error) !== SQLITE_BUSY) throw error
  }
}

/** Blocks the process, which has nothing else to do while it opens its database. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function makeFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UnusableDatabase(`cannot use ${path} as a database: its folder cannot be made (${code})`)
  }
}

/** What SQLite says of a file that is no database, damaged, or not ours to open, in one line. */
function usable<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (sqliteCode(error) === undefined) throw error
    const isClosed = [SQLITE_READONLY, SQLITE_CANTOPEN].includes(sqliteCode(error) as number)
    const what = 'it, the -wal and -shm files beside it, and its folder'
    const then = isClosed ? `; this user must be able to read and write ${what}` : ''
    throw new UnusableDatabase(`cannot use ${path} as a database: ${(error as Error).message}${then}`)
  }
}
