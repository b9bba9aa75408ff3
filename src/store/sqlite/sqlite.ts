import { closeSync, fsyncSync, openSync } from 'node:fs'
import { countRequest, newRateWindow } from '../../core/rate-window.ts'
import { visitorRate } from '../../core/visitor-rate.ts'
import { accessOn } from '../access.ts'
import { configurationOn } from '../configuration.ts'
import { countsOn } from '../counts.ts'
import { Refused } from '../errors.ts'
import { deleteLead } from '../lead-sql.ts'
import { refCipher } from '../ref.ts'
import type { Runner } from '../sql.ts'
import type { LeadStore, Rates, Store } from '../store.ts'
import { templatesOn } from '../templates.ts'
import type { Connection } from './connection.ts'
import {
  closeDatabase,
  type Database,
  type DatabaseOptions,
  inTransaction,
  openDatabase,
  patiently,
  reading,
  withoutFlush,
} from './database.ts'
import { eraseTraces } from './erase.ts'
import { leadWriter } from './lead-writer.ts'
import { leadsOn } from './leads.ts'

/** How long a change of settings waits for another process's lock. */
const changePatienceMs = 5_000
/** Rows of counts in one statement. */
const countsAtOnce = 20

/** `lockWaitMs`: how long a registration waits for another process's lock. */
export type SqliteOptions = DatabaseOptions & { lockWaitMs: number }

/** Opens, or makes, the embedded database and brings it to this version. @throws UnusableDatabase */
export function openSqlite({ lockWaitMs, ...options }: SqliteOptions): Store {
  const database = openDatabase(options)
  const runner = runnerOn(database, lockWaitMs)
  const refKey: Uint8Array = database.connection.get('SELECT ref_key FROM installation')?.ref_key
  return {
    configuration: configurationOn(runner),
    leads: leadStore(database, runner, refKey, lockWaitMs),
    counts: countsOn(runner, countsAtOnce),
    access: accessOn(runner, refKey),
    templates: templatesOn(runner),
    rates: ratesInProcess(),
    onChange: (listener) => {
      database.listeners.push(listener)
    },
    isReady: () => database.isReady && database.isReachable,
    backup: (file) => patiently(database, changePatienceMs, () => copyTo(database.connection, file)),
    close: async () => closeDatabase(database),
  }
}

export function runnerOn(database: Database, lockWaitMs: number): Runner {
  const { sql } = database
  const read: Runner['read'] = (work) => reading(database, () => work(sql))
  const writeUnflushed: Runner['writeUnflushed'] = (work) =>
    patiently(database, lockWaitMs, () => withoutFlush(database, () => inTransaction(database, () => work(sql))))
  return {
    read,
    snapshot: read,
    write: (work) => patiently(database, changePatienceMs, () => inTransaction(database, () => work(sql))),
    writeUnflushed,
    writeAll: (statements) =>
      writeUnflushed(async ({ run }) => {
        for (const statement of statements) await run(...statement)
      }),
  }
}

function leadStore(database: Database, { write }: Runner, refKey: Uint8Array, lockWaitMs: number): LeadStore {
  const leads = leadsOn(database.connection, refCipher(refKey))
  return {
    find: (campaign, email) => reading(database, () => leads.find(campaign, email)),
    findByRef: (ref) => reading(database, () => leads.findByRef(ref)),
    list: (campaign, filter) => reading(database, () => leads.list(campaign, filter)),
    write: leadWriter(database, leads, lockWaitMs),
    async erase(campaign, email) {
      const erased = await write((sql) => deleteLead(sql, campaign, email))
      // Also where there was no such lead: an earlier call may have been stopped half-way.
      await eraseTraces(database, email)
      return erased
    },
  }
}

/** One process serves an embedded database, so that it may count by itself. */
function ratesInProcess(): Rates {
  const window = newRateWindow()
  const visitors = visitorRate()
  return {
    count: async (accountId, limit, nowMs) => countRequest(window, accountId, limit, nowMs),
    countVisitor: async (address, limit, nowMs) => visitors(address, limit, nowMs),
  }
}

function copyTo(connection: Connection, file: string): void {
  try {
    connection.get('VACUUM INTO ?', file)
  } catch (error) {
    throw new Refused(`cannot write ${file}: ${(error as Error).message}`)
  }
  const descriptor = openSync(file, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
