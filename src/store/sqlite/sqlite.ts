import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { ratesInProcess } from '../../core/rate-window.ts'
import { configurationOn } from '../configuration.ts'
import { Refused, SQLITE_FULL } from '../errors.ts'
import { sharedParts } from '../parts.ts'
import { refCipher } from '../ref.ts'
import type { Runner } from '../sql.ts'
import type { OpenOptions, Store } from '../store.ts'
import { type Connection, SQLITE_CANTOPEN, SQLITE_IOERR, sqliteCode } from './connection.ts'
import {
  changing,
  closeDatabase,
  type Database,
  type DatabaseOptions,
  inTransaction,
  openDatabase,
  reading,
  retryWhileLocked,
  withoutFlush,
} from './database.ts'
import { leadsOn } from './leads.ts'

/** How long a change of settings waits for another process's lock. */
const changeTimeoutMs = 5_000

type SqliteOptions = DatabaseOptions & Pick<OpenOptions, 'lockWaitMs'>

/** Opens, or makes, the embedded database and brings it to this version. @throws UnusableDatabase */
export function openSqlite({ lockWaitMs, ...options }: SqliteOptions): Store {
  const database = openDatabase(options)
  const runner = runnerOn(database, lockWaitMs)
  const refKey: Uint8Array = database.connection.get('SELECT ref_key FROM installation')?.ref_key
  return {
    configuration: configurationOn(runner),
    leads: leadsOn(database, runner, { refs: refCipher(refKey), lockWaitMs }),
    // One process serves an embedded database.
    ...sharedParts(runner, refKey, null),
    rates: ratesInProcess(),
    onChange: (listener) => {
      database.listeners.push(listener)
    },
    isReady: () => database.isReady && database.isReachable,
    isOurs: () => database.isReachable,
    otherZoneData: async () => [],
    backup: (file) => retryWhileLocked(database, changeTimeoutMs, () => copyTo(database.connection, file)),
    async close() {
      closeDatabase(database)
    },
  }
}

export function runnerOn(database: Database, lockWaitMs: number): Runner {
  const { sql } = database
  const read: Runner['read'] = (work) => reading(database, () => work(sql))
  return {
    read,
    snapshot: read,
    write: (work) => retryWhileLocked(database, changeTimeoutMs, () => changing(database, () => work(sql))),
    writeInTime: (work) => retryWhileLocked(database, lockWaitMs, () => changing(database, () => work(sql))),
    writeUnflushed: (work) =>
      retryWhileLocked(database, lockWaitMs, () =>
        withoutFlush(database, () => inTransaction(database, () => work(sql))),
      ),
  }
}

function copyTo(connection: Connection, backup: string): void {
  // If the process is killed, it leaves what looks like a backup, so this must not have the name of one yet.
  const file = `${backup}.${process.pid}.part`
  // In containers each process may have the same id.
  if (existsSync(file)) throw new Refused(`${file} is left over from a backup that was killed: remove it`)
  try {
    connection.get('VACUUM INTO ?', file)
  } catch (error) {
    const message = `cannot write ${backup}: ${(error as Error).message}`
    if (sqliteCode(error) === SQLITE_CANTOPEN) throw new Refused(message)
    rmSync(file, { force: true })
    // Any other error is about the database itself, such as that it is damaged.
    throw [SQLITE_FULL, SQLITE_IOERR].includes(sqliteCode(error) ?? 0) ? new Error(message) : error
  }
  const descriptor = openSync(file, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
  renameSync(file, backup)
}
