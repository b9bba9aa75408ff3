// Entries of the request history as if they had been recorded in the past.
import { randomUUID } from 'node:crypto'
import { databaseLocation } from '../../src/config.ts'
import { historyPlace, openHistoryStorage } from '../../src/history/places.ts'
import { type HistoryEntry, recordBytes, recordsIn, writeRecord } from '../../src/history/record.ts'
import type { Installation } from './lastcall.ts'

const batchSize = 2_000
/** What a server stores together was answered within seconds. */
const batchSpanMs = 10_000

/** Stores the entries, oldest first, as many at a time as a busy server does. */
export async function storeHistory(place: Installation, entries: HistoryEntry[]): Promise<void> {
  const location = databaseLocation(place.databaseUrl)
  if (location === undefined) throw new Error('no database')
  const storage = await openHistoryStorage(historyPlace(location))
  for (let from = 0; from < entries.length; ) {
    const endMs = (entries[from] as HistoryEntry).atMs + batchSpanMs
    const batch = entries.slice(from, from + batchSize).filter(({ atMs }) => atMs < endMs)
    const records = recordsIn(new ArrayBuffer(batch.length * recordBytes))
    for (const [index, entry] of batch.entries()) writeRecord(records, index, entry)
    await storage.append(records, batch.length)
    from += batch.length
  }
  await storage.close()
}

export function historyEntry(
  of: Pick<HistoryEntry, 'atMs' | 'accountId'> & Partial<HistoryEntry>,
): HistoryEntry {
  return {
    requestId: randomUUID(),
    keyId: '00000000-0000-4000-8000-000000000000',
    operation: 'lookupLead',
    campaignId: null,
    status: 200,
    errorCode: null,
    milliseconds: 3,
    ...of,
  }
}
