import { StoreUnavailable } from '../errors.ts'
import type { OldDecide, OldLeadWrite } from '../lead-write.ts'
import type { Campaign } from '../model.ts'
import type { Arrivals } from './arrivals.ts'
import { type Connection, rollback, SQLITE_BUSY, sqliteCode } from './connection.ts'
import type { LeadRows } from './lead-rows.ts'

const lockRetryMs = 10
/** After the last write, before the leads that have arrived are filed without waiting for more. */
const idleMs = 1_000
/** Writes in one transaction, and writes waiting for one. */
const batchSize = 1_000
const queueSize = 20_000
/** Turns of the event loop for which a transaction waits at most: without them it held 24 writes of 64, and now 61. */
const gatheringTurns = 8

type Pending = {
  campaign: Campaign
  email: string
  decide: OldDecide
  /** The generation of the arrivals in which the lead was seen missing, if it was. */
  missingSince: number | undefined
  queuedAtMs: number
  resolve(result: OldLeadWrite | 'stale'): void
  reject(error: Error): void
}

type Outcome = { result: OldLeadWrite | 'stale' } | { error: Error }

export type LeadWriter = {
  write(
    campaign: Campaign,
    email: string,
    decide: OldDecide,
    expectNew: boolean,
    queuedAtMs: number,
  ): Promise<OldLeadWrite | 'stale'>
  /** Files what has arrived, as far as the database lets it. */
  close(): void
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
  /** Told of the error that ended a transaction. */
  failed(error: unknown): void
}

/**
 * Group commit: writes that arrive in turns of the event loop that follow each other share one transaction, and so
 * one flush to disk. Each is answered after the COMMIT that holds it.
 */
export function leadWriter(
  connection: Connection,
  rows: LeadRows,
  arrivals: Arrivals,
  { lockWaitMs, assertUsable, endReads, begun, failed }: LeadWriterOptions,
): LeadWriter {
  let queue: Pending[] = []
  let scheduled = false
  let hasWritten = false
  const begin = connection.prepare('BEGIN IMMEDIATE')
  const end = connection.prepare('COMMIT')
  const idle = setTimeout(fileIdly, idleMs)
  idle.unref()

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(gather, 0, gatheringTurns)
  }

  /** As long as each turn of the event loop brings more: who was answered together mostly asks again together. */
  function gather(known: number, turns: number): void {
    if (queue.length > known && turns > 0) setImmediate(gather, queue.length, turns - 1)
    else flush()
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
    idle.refresh()
  }

  /** In portions, so that whoever comes meanwhile does not wait. */
  function fileIdly(): void {
    if (scheduled || arrivals.size() === 0) return
    try {
      commit([])
      if (arrivals.size() > 0) setImmediate(fileIdly)
    } catch {
      // locked or gone: it is tried again after the next write
    }
  }

  function commit(batch: Pending[]): Outcome[] {
    assertUsable()
    endReads()
    begin.run()
    let isCommitted = false
    try {
      const version = begun()
      const outcomes = batch.map((pending) => attempt(pending, version))
      arrivals.fileSome(batch.length === 0)
      end.run()
      isCommitted = true
      return outcomes
    } catch (error) {
      rollback(connection)
      failed(error)
      throw error
    } finally {
      arrivals.settle(isCommitted)
      // Also of a batch that failed: those leads must not gather while a disk is full.
      rows.nameNew()
    }
  }

  /** A defect in one decision must not take its neighbours down; an error of the engine ends the batch. */
  function attempt(pending: Pending, version: number): Outcome {
    const { campaign, email, decide, missingSince } = pending
    if (campaign.version !== version) return { result: 'stale' }
    try {
      const isMissing =
        missingSince === arrivals.generation() && arrivals.find(campaign.id, email) === undefined
      return { result: rows.write(campaign, email, decide, isMissing) }
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
    write(campaign, email, decide, expectNew, queuedAtMs) {
      if (queue.length >= queueSize)
        return Promise.reject(new StoreUnavailable('too many writes are waiting'))
      hasWritten = true
      schedule()
      return new Promise((resolve, reject) => {
        queue.push({
          campaign,
          email,
          decide,
          missingSince: expectNew ? arrivals.generation() : undefined,
          queuedAtMs,
          resolve,
          reject,
        })
      })
    },
    close() {
      clearTimeout(idle)
      try {
        while (hasWritten && arrivals.size() > 0) commit([])
      } catch {
        // they are read from the table when the database is next opened
      }
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
