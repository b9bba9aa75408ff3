import { setImmediate as nextTurn } from 'node:timers/promises'
import { type BatchRange, type HistoryPlace, openHistoryBatches } from './places.ts'
import { type HistoryEntry, readRecord, recordBytes, recordsIn } from './record.ts'

/** An entry as people read it. */
export type HistoryLine = Omit<HistoryEntry, 'atMs' | 'accountId'> & { at: string }

/** Entries that were stored together, newest first. A batch never changes. */
export type EntryBatch = { id: number; entries: HistoryEntry[] }

/** Nobody but the command line waits for its own reading. */
const patientMs = 1_000

/**
 * The account's batches in the range, newest first, some at a time, with a turn for others in between.
 * @throws StoreUnavailable
 */
export async function* readEntryBatches(
  place: HistoryPlace,
  accountId: number,
  range: BatchRange,
  lockWaitMs: number,
): AsyncGenerator<EntryBatch[]> {
  const batches = await openHistoryBatches(place, lockWaitMs)
  try {
    let { beforeId } = range
    for (;;) {
      const read = await batches.read(accountId, { ...range, beforeId })
      if (read.length === 0) return
      yield read.map(({ id, records }) => ({ id, entries: entriesOf(records) }))
      beforeId = read.at(-1)?.id as number
      await nextTurn()
    }
  } finally {
    await batches.close()
  }
}

/** The account's entries since `sinceMs`, newest first, some at a time. */
export async function* readHistory(
  place: HistoryPlace,
  accountId: number,
  sinceMs: number,
): AsyncGenerator<HistoryLine[]> {
  const range = { beforeId: Number.MAX_SAFE_INTEGER, sinceId: sinceMs * 1_000 }
  for await (const batches of readEntryBatches(place, accountId, range, patientMs)) {
    yield batches.flatMap(({ entries }) => entries.map(lineOf))
  }
}

function lineOf({ atMs, accountId: _account, ...entry }: HistoryEntry): HistoryLine {
  return { at: new Date(atMs).toISOString(), ...entry }
}

/** The blob is copied because its bytes need not lie where numbers may. */
function entriesOf(blob: Uint8Array): HistoryEntry[] {
  const records = recordsIn(new Uint8Array(blob).buffer)
  const count = blob.length / recordBytes
  return Array.from({ length: count }, (_, index) => readRecord(records, count - 1 - index))
}
