// The database as a file: opened, migrated, and claimed by the one server that may run on it.
import { chownSync, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { UnusableDatabase } from '../errors.ts'
import { latestVersion } from '../migrations.ts'
import {
  type Connection,
  connect,
  limitLog,
  SQLITE_BUSY,
  SQLITE_CANTOPEN,
  SQLITE_READONLY,
  sqliteCode,
} from './connection.ts'
import { checkVersion, migrate } from './migrations.ts'

/** How long a process that opens its database, or a command, waits for somebody else's lock. */
const openingMs = 5_000
/** How long a command waits for another one that migrates the same file; a server never gives way. */
const migrationWaitMs = 1_000
/** What is told of a million offers reads all of their pages once: they would fill a larger one, and stay. */
const cacheKibibytes = 32_768
/** What is deleted is wiped, also the table that a migration drops. */
const wipe = 'PRAGMA secure_delete = ON'

type ConnectionUse = {
  /** Afterwards no statement waits for a lock. */
  isServer?: boolean
  /** This process has claimed the database: no server runs on it. */
  isClaimed?: boolean
  /** False: a file without tables is refused. */
  mayCreate?: boolean
}

/** A connection as every one to the database is; brings it to this version. @throws UnusableDatabase */
export function openConnection(path: string, use: ConnectionUse): Connection {
  const { isServer = false, isClaimed = isServer, mayCreate = true } = use
  makeFolder(path)
  const opened = (connection: Connection) => {
    connection.exec(wipe)
    // Before anything is written: a foreign file stays as it is. And before the cache is made large, with which
    // SQLite sorts a new index more slowly.
    checkVersion(connection, mayCreate)
    migrateAlone(connection, path, isClaimed)
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
  return usable(path, () => connect(path, { busyTimeoutMs: openingMs, opened }))
}

/** A server that runs meanwhile would go on with tables that are no longer there. */
function migrateAlone(connection: Connection, path: string, isClaimed: boolean): void {
  const version = checkVersion(connection)
  const mayBeServed = version > 0 && version < latestVersion && !isClaimed
  const giveUpClaim = mayBeServed ? claimForMigration(path) : () => {}
  try {
    migrate(connection)
  } finally {
    giveUpClaim()
  }
}

/** Only brings the database to this version. @throws UnusableDatabase also where a server runs on it */
export function migrateSqlite(path: string): { version: number; applied: number } {
  makeFolder(path)
  const giveUpClaim = claimForMigration(path)
  try {
    return usable(path, () => {
      const connection = connect(path, { busyTimeoutMs: openingMs })
      connection.exec(wipe)
      const applied = migrate(connection)
      connection.close()
      return { version: latestVersion, applied }
    })
  } finally {
    giveUpClaim()
  }
}

function claimForMigration(path: string): () => void {
  const refusal = `a server is running on ${path}: stop it before the database is migrated`
  return claim(path, migrationWaitMs, refusal)
}

/** Makes this process the one server on the database, until it ends, however it ends. @throws UnusableDatabase */
export function lockForServing(path: string): () => void {
  makeFolder(path)
  const refusal = `another server is running on ${path}: stop it first`
  return claim(path, 0, refusal)
}

/** The lock is the operating system's, on a small file of its own. */
function claim(path: string, busyTimeoutMs: number, refusal: string): () => void {
  // The folder's real path, so that two names of one file are one lock.
  const lockPath = join(realpathSync(dirname(path)), `${basename(path)}-serve.lock`)
  // A lock that is not there yet is nothing that the operator knows of.
  return usable(existsSync(lockPath) ? lockPath : path, () => {
    const lock = connect(lockPath, { busyTimeoutMs })
    try {
      giveToOwnerOf(path, lockPath)
      lock.exec('BEGIN EXCLUSIVE')
    } catch (error) {
      lock.close()
      // Anything else than somebody's lock says what it is, such as a disk that is full.
      throw sqliteCode(error) === SQLITE_BUSY ? new UnusableDatabase(refusal) : error
    }
    return () => lock.close()
  })
}

/** A lock that a command of root's made must not keep the server's user out. SQLite does so with its own files. */
function giveToOwnerOf(path: string, lockPath: string): void {
  const owner = process.geteuid?.() === 0 ? statSync(path, { throwIfNoEntry: false }) : undefined
  if (owner !== undefined) chownSync(lockPath, owner.uid, owner.gid)
}

/**
 * A file that is new becomes one with a write-ahead log under a lock for which SQLite does not wait as it does for
 * others: of several that do this at once, each holds what the next one needs, so each lets go and tries again.
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

/** SQLite opens a file that it cannot write for reading: a server on it would refuse each registration. */
function assertWritable(connection: Connection): void {
  try {
    connection.exec('BEGIN IMMEDIATE; ROLLBACK')
  } catch (error) {
    if (sqliteCode(error) !== SQLITE_BUSY) throw error
  }
}

/** Stops the process, which is only just opening its database. */
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
    const then = isClosed ? '; this user must be able to read and write it and its folder' : ''
    throw new UnusableDatabase(`cannot use ${path} as a database: ${(error as Error).message}${then}`)
  }
}
