// The open database file. All work is done on one connection: a commit by another one would empty SQLite's cache.
//
// Whatever writes does so in a turn of the event loop of its own, and so do the reads of a turn. All their statements
// answer at once: nothing is half-way when a transaction begins, and nothing comes between its statements. What is run
// here must therefore wait for nothing but its statements.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable, UnusableDatabase } from '../errors.ts'
import type { Sql } from '../sql.ts'
import type { OpenOptions } from '../store.ts'
import {
  type Connection,
  emptyLog,
  rollback,
  SQLITE_BUSY,
  SQLITE_CONSTRAINT,
  SQLITE_IOERR,
  sqliteCode,
} from './connection.ts'
import { type ConnectionUse, openConnection } from './file.ts'
import { checkVersion } from './migrations.ts'

/** How often changes made by other processes, and the files themselves, are looked at. */
const pollMs = 200
export const lockRetryMs = 10

type Read = { work(): unknown; resolve(result: unknown): void; reject(reason: unknown): void }

export type Database = {
  readonly path: string
  readonly connection: Connection
  readonly sql: Sql
  /** Counts the changes of accounts, keys and campaigns; as it was last seen. */
  version: number
  /** SQLite's own count, which changes with a commit by somebody else; -1 before the first look. */
  dataVersion: number
  /** The file is the one that was opened, and of our version. */
  isReachable: boolean
  /** It answered when it was last looked at. */
  isReady: boolean
  isNewer: boolean
  /**
   * After an error of the disk, above all a failed flush, the system may count pages as written that the disk does not
   * have. Nothing more is written before the file has been closed and opened.
   */
  isInDoubt: boolean
  /** Somebody was erased, whom the write-ahead log still has. */
  isLogToEmpty: boolean
  /** What is read at the end of this turn. */
  readonly reads: Read[]
  /** The turn of the write that came last. */
  writeTurn: Promise<void>
  readonly listeners: (() => void)[]
  readonly onNewer: (() => void) | undefined
  readonly onLost: ((error: unknown) => void) | undefined
  readonly poll: NodeJS.Timeout
}

export type DatabaseOptions = ConnectionUse &
  Pick<OpenOptions, 'isServer' | 'onNewerDatabase' | 'onLost'> & { path: string }

/** @throws UnusableDatabase */
export function openDatabase({ path, onNewerDatabase, onLost, ...use }: DatabaseOptions): Database {
  const { connection } = openConnection(path, use)
  const database: Database = {
    path,
    connection,
    sql: sqlOn(connection),
    version: versionIn(connection),
    dataVersion: -1,
    isReachable: true,
    isReady: true,
    isNewer: false,
    isInDoubt: false,
    // One that was killed may have left such a log.
    isLogToEmpty: Boolean(use.isServer),
    reads: [],
    writeTurn: Promise.resolve(),
    listeners: [],
    onNewer: onNewerDatabase,
    onLost,
    poll: setInterval(() => look(database), pollMs),
  }
  database.poll.unref()
  return database
}

export function closeDatabase(database: Database): void {
  clearInterval(database.poll)
  database.connection.close()
}

/**
 * What is asked for in one turn of the event loop is read at its end, in one read transaction: to take and give back
 * SQLite's read lock costs nearly as much as to look a lead up. All requests of the turn are checked first, and all
 * answers leave one after the other; a lookup took half as much CPU again when each request went all its way before
 * the next (bench/README.md). @throws StoreUnavailable
 */
export function reading<T>(database: Database, work: () => T | Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  if (database.reads.length === 0) setImmediate(readAll, database)
  database.reads.push({ work, resolve, reject })
  return promise
}

async function readAll(database: Database): Promise<void> {
  const reads = database.reads.splice(0)
  const { connection } = database
  try {
    if (!database.isReachable) throw unreachable()
    connection.run('BEGIN')
  } catch (error) {
    const reason = failure(database, error)
    for (const { reject } of reads) reject(reason)
    return
  }
  for (const { work, resolve, reject } of reads) {
    try {
      resolve(await work())
    } catch (error) {
      reject(failure(database, error))
    }
  }
  try {
    connection.run('COMMIT')
  } catch {
    // After an error of the disk SQLite has mostly ended it by itself.
    rollback(connection)
  }
}

/**
 * Runs `attempt` in a turn of its own, and again for as long as somebody else has locked the database: to wait inside
 * a statement would stop the whole server. @throws StoreUnavailable
 */
export async function retryWhileLocked<T>(
  database: Database,
  timeoutMs: number,
  attempt: () => T | Promise<T>,
): Promise<T> {
  const giveUpAt = performance.now() + timeoutMs
  for (;;) {
    // One after the other: each of a hundred that begin at once waits for the disk, and nobody would be answered
    // meanwhile.
    database.writeTurn = database.writeTurn.then(() => nextTurn())
    await database.writeTurn
    try {
      assertUsable(database)
      return await attempt()
    } catch (error) {
      if (sqliteCode(error) !== SQLITE_BUSY || performance.now() > giveUpAt) throw failure(database, error)
    }
    await sleep(lockRetryMs)
  }
}

/** Resolves once it is on disk. In a turn of its own. */
export async function inTransaction<T>(database: Database, work: () => Promise<T>): Promise<T> {
  const { connection } = database
  assertUsable(database)
  connection.run('BEGIN IMMEDIATE')
  try {
    lookForChanges(database)
    const result = await work()
    connection.run('COMMIT')
    return result
  } catch (error) {
    rollback(connection)
    throw error
  }
}

/** The same for what may change accounts, keys or campaigns, and tells of it. */
export async function changing<T>(database: Database, work: () => Promise<T>): Promise<T> {
  const { result, version } = await inTransaction(database, async () => {
    return { result: await work(), version: versionIn(database.connection) }
  })
  hasVersion(database, version)
  return result
}

/**
 * Commits of `work` do not wait for the disk: a power cut may take them back, up to the next commit that does wait.
 * For what nobody was promised; the file stays whole either way (SQLite, "PRAGMA synchronous", with WAL).
 */
export async function withoutFlush<T>({ connection }: Database, work: () => Promise<T>): Promise<T> {
  connection.exec('PRAGMA synchronous = NORMAL')
  try {
    return await work()
  } finally {
    connection.exec('PRAGMA synchronous = FULL')
  }
}

/** What the rest of Lastcall gets to see of an error. */
export function failure(database: Database, error: unknown): unknown {
  const code = sqliteCode(error)
  if (code === SQLITE_IOERR) database.isInDoubt = true
  // A broken constraint is a defect of ours.
  const isDatabases = code !== undefined && code !== SQLITE_CONSTRAINT
  if (!isDatabases && !(error instanceof UnusableDatabase)) return error
  // SQLite's own words for its code, such as "database is locked"; no command's text and no value is among them.
  const why = (error as { errstr?: string }).errstr ?? (error as Error).message
  return new StoreUnavailable(`the database refused: ${why}`, { cause: error })
}

function unreachable(): StoreUnavailable {
  return new StoreUnavailable(
    'the database file was removed or replaced, cannot be looked at, or is of a newer version',
  )
}

function assertUsable(database: Database): void {
  database.isReachable = !database.isNewer && database.connection.isSameFile()
  if (!database.isReachable) throw unreachable()
  if (database.isInDoubt) reopen(database)
}

function reopen(database: Database): void {
  database.isReachable = false
  database.connection.reopen()
  database.dataVersion = -1
  lookForChanges(database)
  database.isInDoubt = false
  database.isReachable = true
}

function look(database: Database): void {
  try {
    assertUsable(database)
    lookForChanges(database)
    database.isReady = true
  } catch (error) {
    // Locked or gone for the moment: the next round looks again.
    const lost = failure(database, error)
    if (database.isReady) database.onLost?.(lost)
    database.isReady = false
    return
  }
  try {
    if (database.isLogToEmpty) database.isLogToEmpty = !emptyLog(database.connection)
  } catch (error) {
    // The disk may be full. The next round tries again.
    failure(database, error)
  }
}

/** @throws UnusableDatabase where somebody has brought the database to a newer version */
function lookForChanges(database: Database): void {
  const dataVersion = database.connection.get('PRAGMA data_version')?.data_version
  if (dataVersion === database.dataVersion) return
  try {
    checkVersion(database.connection)
  } catch (error) {
    if (error instanceof UnusableDatabase && !database.isNewer) {
      database.isNewer = true
      database.onNewer?.()
    }
    throw error
  }
  database.dataVersion = dataVersion
  hasVersion(database, versionIn(database.connection))
}

function hasVersion(database: Database, version: number): void {
  if (version === database.version) return
  database.version = version
  for (const listener of database.listeners) listener()
}

function versionIn(connection: Connection): number {
  return connection.get('SELECT version FROM configuration')?.version
}

function sqlOn(connection: Connection): Sql {
  return {
    rowsAtOnce: 1,
    countsAtOnce: 20,
    all: async (sql, ...values) => connection.all(sql, ...values),
    get: async (sql, ...values) => connection.get(sql, ...values),
    run: async (sql, ...values) => connection.run(sql, ...values).changes,
    versionOf: async () => versionIn(connection),
    // One writer at a time.
    holdSettings: async () => {},
    holdCounted: async () => {},
    stopCounts: async () => {},
    beginChange: async () => {
      connection.run('UPDATE configuration SET version = version + 1')
    },
  }
}
