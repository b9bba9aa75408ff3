// Where the request history is kept: a file beside the embedded database, or a table in PostgreSQL.
import type { DatabaseLocation } from '../store/open.ts'
import type { Records } from './record.ts'

export type HistoryPlace = { engine: 'sqlite'; path: string } | { engine: 'postgres'; url: string }

/** The records of one account that were written together; the id begins with the newest's milliseconds. */
export type Batch = { id: number; records: Uint8Array }
export type BatchRange = { beforeId: number; sinceId: number }
/** Limits of what is read at once: batches, and about so many bytes of them. */
export const portionBatches = 200
export const portionBytes = 250_000

export type HistoryBatches = {
  /** The newest batches of the account in the range, newest first; none where there are no more. */
  read(accountId: number, range: BatchRange): Promise<Batch[]>
  close(): Promise<void>
}

/** How large each batch is, newest first; the batches behind the first that is too much wait for the next time. */
export const batchSizesSql = `SELECT id, octet_length(records) AS bytes FROM request_batches
  WHERE account_id = ? AND id < ? AND id >= ? ORDER BY id DESC LIMIT ${portionBatches}`
export const batchesSql = `SELECT id, records FROM request_batches
  WHERE account_id = ? AND id < ? AND id >= ? ORDER BY id DESC`

/** The id of the last batch that still goes into one portion. */
export function lastOfPortion(sizes: readonly { id: number; bytes: number }[]): number | undefined {
  let bytes = 0
  const over = sizes.findIndex((size, index) => {
    bytes += size.bytes
    return index > 0 && bytes > portionBytes
  })
  return (over === -1 ? sizes.at(-1) : sizes[over - 1])?.id
}

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

/**
 * Opens the history for reading. Whoever serves requests beside it says how long it may wait for a lock, which
 * on the embedded database stops the whole process.
 */
export async function openHistoryBatches(place: HistoryPlace, lockWaitMs: number): Promise<HistoryBatches> {
  if (place.engine === 'sqlite') {
    return (await import('./history-file.ts')).openBatchFile(place.path, lockWaitMs)
  }
  return (await import('./history-table.ts')).openBatchTable(place.url)
}
