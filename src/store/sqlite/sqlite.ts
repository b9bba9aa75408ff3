import { closeSync, fsyncSync, mkdirSync, openSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { countRequest, newRateWindow } from '../../core/rate-window.ts'
import { visitorRate } from '../../core/visitor-rate.ts'
import { accessOn } from '../access.ts'
import { configurationOn } from '../configuration.ts'
import { countsOn } from '../counts.ts'
import { Refused, StoreUnavailable, UnusableDatabase } from '../errors.ts'
import { writeRepeatedly } from '../lead-write.ts'
import { refCipher } from '../ref.ts'
import type { Runner, Sql, Statement } from '../sql.ts'
import type { Store } from '../store.ts'
import type { Tables } from '../table-copy.ts'
import { templatesOn } from '../templates.ts'
import { hasLeads, openArrivals, removeLead, removeLeads } from './arrivals.ts'
import {
  asyncTransaction,
  type Connection,
  connect,
  SQLITE_BUSY,
  SQLITE_IOERR,
  sqliteCode,
  transaction,
  withoutFlush,
} from './connection.ts'
import { eraseTraces } from './erase.ts'
import { watchIdentity } from './file-identity.ts'
import { leadRows } from './lead-rows.ts'
import { leadWriter } from './lead-writer.ts'
import { latestVersion, migrate } from './migrations.ts'
import { sharedRead } from './shared-read.ts'
import { sqliteTables } from './tables.ts'

/** How often changes made by other processes, and the files themselves, are looked at. */
const pollMs = 200

/**
 * Registrations and look-ups never wait for a lock inside a statement, which would stop the whole process:
 * the lead writer waits between statements. The rest may wait.
 */
const hotBusyTimeoutMs = 0
const adminBusyTimeoutMs = 5_000
const lockRetryMs = 10
/** Rows of counts in one statement. */
const countsAtOnce = 20

export type SqliteOptions = {
  /** Absolute path of the database file. */
  path: string
  lockWaitMs: number
  /** A command, which is none, has the time to file leads whole in any database (decision 25). */
  isServer: boolean
}

/** Opens, or makes, the embedded database and brings it to this version. @throws UnusableDatabase */
export function openSqlite({ path, lockWaitMs, isServer }: SqliteOptions): Store {
  makeFolder(path)
  const admin = openConnection(path, adminBusyTimeoutMs)
  // One connection reads and writes leads: what another one writes costs SQLite all it has cached.
  const hot = openConnection(path, hotBusyTimeoutMs)
  const arrivals = openArrivals(hot, () => !isServer || bytesOf(hot) > wholeFromBytes)
  const rows = leadRows(hot, arrivals, refCipher(hot.get('SELECT ref_key FROM installation')?.ref_key))
  const hotSql = sqlOn(hot)
  const adminSql = sqlOn(admin)
  const window = newRateWindow()
  const listeners: (() => void)[] = []
  let isUsable = true

  const dataVersion = hot.prepareArrays('PRAGMA data_version')
  let seenData = -1
  let version = readVersion(hot)
  const files = [path, `${path}-wal`]
  let isSameFile = watchIdentity(files)
  let isInDoubt = false
  const reads = sharedRead(hot, refreshVersion)

  /** The version of the configuration now; tells the listeners when it is another than before. */
  function refreshVersion(): number {
    const [data] = dataVersion.get() as unknown as [number]
    if (data === seenData) return version
    seenData = data
    arrivals.expire()
    const now = readVersion(hot)
    if (now !== version) {
      version = now
      for (const listener of listeners) listener()
    }
    return version
  }

  function assertUsable(): void {
    isUsable = isSameFile()
    if (!isUsable) throw new StoreUnavailable('the database file was removed or replaced')
    if (isInDoubt) reopen()
  }

  /**
   * After an error of the disk, a failed flush above all, the system may hold what the disk has not taken and
   * think it clean. Nothing more is written before the file has been closed and opened, and read anew.
   */
  function reopen(): void {
    reads.end()
    hot.letGo()
    admin.letGo()
    seenData = -1
    try {
      refreshVersion()
    } catch (error) {
      throw unavailable(error)
    }
    isSameFile = watchIdentity(files)
    isInDoubt = false
  }

  function failed(error: unknown): void {
    if (sqliteCode(error) === SQLITE_IOERR) isInDoubt = true
  }

  function startTurn(): void {
    if (!isUsable) throw new StoreUnavailable('the database file was removed or replaced')
    reads.begin()
  }

  /** A read that sees the last commit, and fails as `StoreUnavailable` where SQLite fails. */
  function readLeads<T>(work: () => T): T {
    try {
      startTurn()
      return work()
    } catch (error) {
      failed(error)
      throw unavailable(error)
    }
  }

  async function read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    try {
      startTurn()
      return await work(hotSql)
    } catch (error) {
      failed(error)
      throw unavailable(error)
    }
  }

  let lastWrite: Promise<unknown> = Promise.resolve()

  /** Waits for another process's lock between statements: inside one the whole server would stand still. */
  async function beginPatiently(): Promise<void> {
    const patientUntil = performance.now() + adminBusyTimeoutMs
    for (;;) {
      try {
        admin.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE')
        return
      } catch (error) {
        if (sqliteCode(error) !== SQLITE_BUSY || performance.now() > patientUntil) throw error
      } finally {
        admin.exec(`PRAGMA busy_timeout = ${adminBusyTimeoutMs}`)
      }
      await sleep(lockRetryMs)
    }
  }

  /** One after another: they share a connection. */
  function write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const written = lastWrite.then(async () => {
      assertUsable()
      try {
        return await asyncTransaction(admin, beginPatiently, () => work(adminSql))
      } catch (error) {
        failed(error)
        throw error
      } finally {
        reads.end()
      }
    })
    lastWrite = written.catch(() => {})
    return written
  }

  /**
   * What a server writes beside the leads. On their connection, which would lose all it has cached by another's
   * write, and in one turn: like a registration it never waits for a lock inside a statement.
   */
  async function writeBeside(statements: readonly Statement[]): Promise<void> {
    const patientUntil = performance.now() + lockWaitMs
    for (;;) {
      try {
        assertUsable()
        reads.end()
        withoutFlush(hot, () => {
          transaction(hot, () => {
            for (const statement of statements) hot.run(...statement)
          })
        })
        return
      } catch (error) {
        failed(error)
        const isLocked = sqliteCode(error) === SQLITE_BUSY
        if (!isLocked || performance.now() > patientUntil) throw unavailable(error)
        await sleep(lockRetryMs)
      }
    }
  }

  const writer = leadWriter(hot, rows, arrivals, {
    lockWaitMs,
    assertUsable,
    endReads: reads.end,
    begun: refreshVersion,
    failed,
  })

  const poll = setInterval(() => {
    try {
      assertUsable()
      reads.end()
      refreshVersion()
    } catch {
      // locked or gone for the moment: readiness says so, and the next round looks again
    }
  }, pollMs)
  poll.unref()

  const runner: Runner = { read, snapshot: read, write, writeAll: writeBeside }
  const configuration = configurationOn(runner)
  const visitors = visitorRate()

  return {
    configuration,
    leads: {
      find: async (campaign, email) => readLeads(() => rows.find(campaign, email)),
      findByRef: async (ref) => readLeads(() => rows.findByRef(ref)),
      write: (campaign, email, decide, seen) =>
        writeRepeatedly(
          (of, address, deciding, expectNew) =>
            writer.write(of, address, deciding, expectNew, performance.now()),
          configuration.findCampaign,
          campaign,
          email,
          decide,
          seen,
        ),
      list: async (campaign, filter) => readLeads(() => rows.list(campaign, filter)),
      async erase(campaign, email) {
        const erased = await write(async () => removeLead(admin, campaign.accountId, campaign.id, email))
        // Also where there was no such lead: an earlier call may have been stopped half-way.
        await eraseTraces(admin, path, email)
        return erased
      },
    },
    counts: countsOn(runner, countsAtOnce),
    access: accessOn(runner),
    templates: templatesOn(runner),
    rates: {
      count: async (accountId, limit, nowMs) => countRequest(window, accountId, limit, nowMs),
      countVisitor: async (address, limit, nowMs) => visitors(address, limit, nowMs),
    },
    onChange: (listener) => {
      listeners.push(listener)
    },
    isReady() {
      try {
        assertUsable()
        reads.end()
        refreshVersion()
        return true
      } catch {
        return false
      }
    },
    async backup(file) {
      try {
        admin.get('VACUUM INTO ?', file)
      } catch (error) {
        throw new Refused(`cannot write ${file}: ${(error as Error).message}`)
      }
      syncFile(file)
    },
    async close() {
      clearInterval(poll)
      writer.close()
      reads.end()
      hot.close()
      admin.close()
    },
  }
}

function readVersion(c: Connection): number {
  return c.get('SELECT version FROM configuration')?.version
}

function sqlOn(c: Connection): Sql {
  return {
    all: async (sql, ...values) => c.all(sql, ...values),
    get: async (sql, ...values) => c.get(sql, ...values),
    run: async (sql, ...values) => c.run(sql, ...values).changes,
    versionOf: async () => readVersion(c),
    bumpVersion: async () => {
      c.run('UPDATE configuration SET version = version + 1')
    },
    hasLeads: async (_accountId, campaignId) => hasLeads(c, campaignId),
    deleteLeads: async (accountId, campaignId) => removeLeads(c, accountId, campaignId),
  }
}

function unavailable(error: unknown): unknown {
  if (sqliteCode(error) === undefined && !(error instanceof UnusableDatabase)) return error
  return new StoreUnavailable('the database refused', { cause: error })
}

/** Brings the database to this version, and does nothing else. @throws UnusableDatabase */
export function migrateSqlite(path: string): { version: number; applied: number } {
  makeFolder(path)
  return usable(path, () => {
    const connection = connect(path, { busyTimeoutMs: adminBusyTimeoutMs })
    const applied = migrate(connection)
    connection.close()
    return { version: latestVersion, applied }
  })
}

export function openSqliteTables(path: string): Tables {
  makeFolder(path)
  const connection = openConnection(path, adminBusyTimeoutMs)
  return sqliteTables(connection, connection.close)
}

const cacheKibibytes = 131_072
/** Decision 22: what does not fit the cache is mapped. */
const mappedFromBytes = 2 * cacheKibibytes * 1_024
/** SQLite maps no more than this of a file. */
const mostMappedBytes = 2_147_418_112
/** Decision 25: some 600,000 leads. */
const wholeFromBytes = 64 * 1_024 * 1_024

/** A connection as every one to the database is. */
export function openConnection(path: string, busyTimeoutMs: number): Connection {
  const opened = (connection: Connection) => {
    // Before anything is written: a foreign file stays as it is.
    migrate(connection)
    useWriteAheadLog(connection)
    connection.exec(`
      PRAGMA synchronous = FULL;
      PRAGMA secure_delete = ON;
      PRAGMA foreign_keys = ON;
      PRAGMA cache_size = -${cacheKibibytes};
      PRAGMA mmap_size = ${bytesOf(connection) > mappedFromBytes ? mostMappedBytes : 0};
      PRAGMA wal_autocheckpoint = 4000;
      PRAGMA busy_timeout = ${busyTimeoutMs};
    `)
  }
  return usable(path, () => connect(path, { busyTimeoutMs: adminBusyTimeoutMs, opened }))
}

function bytesOf(connection: Connection): number {
  const pages = connection.get('PRAGMA page_count')?.page_count
  const pageBytes = connection.get('PRAGMA page_size')?.page_size
  return pages * pageBytes
}

/**
 * A file that is new becomes one with a write-ahead log under a lock for which SQLite does not wait as it does for
 * others: of several processes that are at it, each holds what the next one needs, so each lets go and tries again.
 */
function useWriteAheadLog(connection: Connection): void {
  connection.exec('PRAGMA busy_timeout = 0')
  const giveUpAt = performance.now() + adminBusyTimeoutMs
  while (!hasWriteAheadLog(connection, performance.now() < giveUpAt)) pause(1 + Math.random() * lockRetryMs)
  connection.exec(`PRAGMA busy_timeout = ${adminBusyTimeoutMs}`)
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
    throw new UnusableDatabase(`cannot use ${path} as a database: ${(error as Error).message}`)
  }
}

/**
 * Holds the right to serve this database until the process ends, however it ends: the lock is the operating
 * system's, on a small file of its own. @throws UnusableDatabase when another server holds it
 */
export function lockForServing(path: string): () => void {
  makeFolder(path)
  // The folder's real path, so that two names of one file are one lock.
  const lockPath = join(realpathSync(dirname(path)), `${basename(path)}-serve.lock`)
  const lock = usable(path, () => connect(lockPath, { busyTimeoutMs: 0 }))
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch {
    lock.close()
    throw new UnusableDatabase(
      `another server is running on ${path}: stop it first, or give this one a DATABASE_URL of its own`,
    )
  }
  return () => lock.close()
}

function syncFile(file: string): void {
  const descriptor = openSync(file, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
