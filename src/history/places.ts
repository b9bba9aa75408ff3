// Where the request history is kept: a file beside the embedded database, or a table in PostgreSQL.
import type { DatabaseLocation } from '../store/open.ts'
import type { Records } from './record.ts'

export type HistoryPlace = { engine: 'sqlite'; path: string } | { engine: 'postgres'; url: string }

/** The records of one account that were written together. */
export type Batch = { id: number; records: Uint8Array }
export type BatchRange = { beforeId: number; sinceId: number; limit: number }

export type HistoryStorage = {
  /** Stores `count` records in one transaction. @throws when that fails */
  append(records: Records, count: number): Promise<void>
  /** Removes at most 1,000 batches from before `beforeMs` and returns how many. */
  purge(beforeMs: number): Promise<number>
  /** False when the file was removed or replaced since it was opened. */
  isSame(): boolean
  close(): Promise<void>
}

/** The history stands beside the database, in a file of its own: one file has one write lock. */
export function historyPlace(database: DatabaseLocation): HistoryPlace {
  if (database.engine === 'postgres') return database
  return { engine: 'sqlite', path: `${database.path.replace(/\.db$/, '')}-history.db` }
}

export async function openHistoryStorage(place: HistoryPlace): Promise<HistoryStorage> {
  if (place.engine === 'sqlite') return (await import('./history-file.ts')).openHistoryFile(place.path)
  return (await import('./history-table.ts')).openHistoryTable(place.url)
}

/** Batches of one account, newest first. */
export async function readBatches(
  place: HistoryPlace,
  accountId: number,
  range: BatchRange,
): Promise<Batch[]> {
  if (place.engine === 'sqlite') {
    return (await import('./history-file.ts')).readHistoryFile(place.path, accountId, range)
  }
  return (await import('./history-table.ts')).readHistoryTable(place.url, accountId, range)
}
