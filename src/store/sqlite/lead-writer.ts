import type { Campaign, Decide, LeadWrite } from '../store.ts'
import { StoreUnavailable } from '../store.ts'
import { type Connection, rollback, SQLITE_BUSY, sqliteCode } from './connection.ts'
import type { LeadRows } from './lead-rows.ts'

const lockRetryMs = 10
/** Writes in one transaction, and writes waiting for one. */
const batchSize = 1_000
const queueSize = 20_000

type Pending = {
  campaign: Campaign
  email: string
  decide: Decide
  expectNew: boolean
  queuedAtMs: number
  resolve(result: LeadWrite | 'stale'): void
  reject(error: Error): void
}

type Outcome = { result: LeadWrite | 'stale' } | { error: Error }

export type LeadWriter = {
  write(campaign: Campaign, email: string, decide: Decide, expectNew: boolean): Promise<LeadWrite | 'stale'>
}

export type LeadWriterOptions = {
  /** How long a write waits for a lock that another process holds, before it is refused. */
  lockWaitMs: number
  /** Throws when the database file is no longer the one that was opened. */
  assertUsable(): void
  /** Ends the read transaction of this turn, which no write can follow. */
  endReads(): void
  /** Called inside each transaction; returns the version of the configuration that it sees. */
  begun(): number
}

/**
 * Group commit: writes that arrive while the event loop handles one round of sockets share one transaction,
 * and so one flush to disk. Each is answered after the COMMIT that holds it.
 */
export function leadWriter(
  connection: Connection,
  rows: LeadRows,
  { lockWaitMs, assertUsable, endReads, begun }: LeadWriterOptions,
): LeadWriter {
  let queue: Pending[] = []
  let scheduled = false

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(flush)
  }

  function flush(): void {
    scheduled = false
    const batch = queue.length > batchSize ? queue.slice(0, batchSize) : queue
    queue = queue.length > batchSize ? queue.slice(batchSize) : []
    try {
      settle(batch, commit(batch))
    } catch (error) {
      if (sqliteCode(error) === SQLITE_BUSY) waitForLock(batch)
      else for (const pending of batch) pending.reject(unavailable(error))
    }
    if (queue.length > 0) schedule()
  }

  function commit(batch: Pending[]): Outcome[] {
    assertUsable()
    endReads()
    connection.exec('BEGIN IMMEDIATE')
    try {
      const version = begun()
      const outcomes = batch.map((pending) => attempt(pending, version))
      connection.exec('COMMIT')
      return outcomes
    } catch (error) {
      rollback(connection)
      throw error
    }
  }

  /** A defect in one decision must not take its neighbours down; an error of the engine ends the batch. */
  function attempt(pending: Pending, version: number): Outcome {
    if (pending.campaign.version !== version) return { result: 'stale' }
    try {
      return { result: rows.write(pending.campaign, pending.email, pending.decide, pending.expectNew) }
    } catch (error) {
      if (sqliteCode(error) !== undefined) throw error
      return { error: error as Error }
    }
  }

  function waitForLock(batch: Pending[]): void {
    const oldest = performance.now() - lockWaitMs
    const patient = batch.filter((pending) => pending.queuedAtMs > oldest)
    for (const pending of batch) {
      if (pending.queuedAtMs <= oldest) pending.reject(new StoreUnavailable('the database is locked'))
    }
    queue = [...patient, ...queue]
    if (queue.length === 0) return
    scheduled = true
    setTimeout(flush, lockRetryMs)
  }

  return {
    write(campaign, email, decide, expectNew) {
      if (queue.length >= queueSize)
        return Promise.reject(new StoreUnavailable('too many writes are waiting'))
      schedule()
      return new Promise((resolve, reject) => {
        queue.push({
          campaign,
          email,
          decide,
          expectNew,
          queuedAtMs: performance.now(),
          resolve,
          reject,
        })
      })
    },
  }
}

function settle(batch: Pending[], outcomes: Outcome[]): void {
  for (const [index, outcome] of outcomes.entries()) {
    const pending = batch[index] as Pending
    if ('error' in outcome) pending.reject(outcome.error)
    else pending.resolve(outcome.result)
  }
}

function unavailable(error: unknown): Error {
  if (error instanceof StoreUnavailable || sqliteCode(error) === undefined) return error as Error
  return new StoreUnavailable('the database refused the write', { cause: error })
}
