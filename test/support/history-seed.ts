// Entries of the request history as if they had been recorded in the past.
import { randomUUID } from 'node:crypto'
import { databaseLocation } from '../../src/config.ts'
import type { HistoryEntry } from '../../src/history/entry.ts'
import { openHistoryTable } from '../../src/history/open.ts'
import type { Installation } from './lastcall.ts'

export async function storeHistory(place: Installation, entries: HistoryEntry[]): Promise<void> {
  const location = databaseLocation(place.databaseUrl)
  if (location === undefined) throw new Error('no database')
  const table = await openHistoryTable(location)
  for (let from = 0; from < entries.length; from += 2_000) await table.append(entries.slice(from, from + 2_000))
  await table.close()
}

export function historyEntry(of: Pick<HistoryEntry, 'atMs' | 'accountId'> & Partial<HistoryEntry>): HistoryEntry {
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
