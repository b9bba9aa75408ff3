import { type HistoryPlace, readBatches } from './places.ts'
import { type HistoryEntry, readRecord, recordBytes, recordsIn } from './record.ts'

/** An entry as people and the panel read it. */
export type HistoryLine = Omit<HistoryEntry, 'atMs' | 'accountId'> & { at: string }

const pageSize = 100

/** The account's entries since `sinceMs`, newest first, some at a time. */
export async function* readHistory(
  place: HistoryPlace,
  accountId: number,
  sinceMs: number,
): AsyncGenerator<HistoryLine[]> {
  let beforeId = Number.MAX_SAFE_INTEGER
  for (;;) {
    const range = { beforeId, sinceId: sinceMs * 1_000, limit: pageSize }
    const batches = await readBatches(place, accountId, range)
    yield batches.flatMap(({ records }) => lines(records))
    if (batches.length < pageSize) return
    beforeId = batches.at(-1)?.id as number
  }
}

/** The blob is copied because its bytes need not lie where numbers may. */
function lines(blob: Uint8Array): HistoryLine[] {
  const records = recordsIn(new Uint8Array(blob).buffer)
  const count = blob.length / recordBytes
  return Array.from({ length: count }, (_, index) => {
    const { atMs, accountId: _account, ...entry } = readRecord(records, count - 1 - index)
    return { at: new Date(atMs).toISOString(), ...entry }
  })
}
