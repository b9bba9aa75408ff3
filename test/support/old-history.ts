// The request history as the version before wrote it: batches of records in `request_batches`.
import { DatabaseSync } from 'node:sqlite'
import { errorStatus } from '../../src/core/errors.ts'
import { operations } from '../../src/core/operations.ts'
import type { HistoryEntry } from '../../src/history/entry.ts'
import type { DatabaseLocation } from '../../src/store/open.ts'
import { ask } from './postgres-databases.ts'

const recordBytes = 104
const batchSize = 300
const codes = Object.keys(errorStatus)

export async function storeBatches(database: DatabaseLocation, entries: HistoryEntry[]): Promise<void> {
  const batches: { id: number; accountId: number; records: Buffer }[] = []
  for (const accountId of new Set(entries.map((entry) => entry.accountId))) {
    const own = entries.filter((entry) => entry.accountId === accountId)
    for (let from = 0; from < own.length; from += batchSize) {
      const part = own.slice(from, from + batchSize)
      const newestMs = Math.max(...part.map(({ atMs }) => atMs))
      batches.push({ id: newestMs * 1_000 + batches.length, accountId, records: packed(part) })
    }
  }
  if (database.engine === 'postgres') {
    for (const { id, accountId, records } of batches) {
      const bytes = `'\\x${records.toString('hex')}'`
      await ask(database.url, `INSERT INTO request_batches VALUES (${accountId}, ${id}, ${bytes})`)
    }
    return
  }
  const file = new DatabaseSync(database.path.replace(/\.db$/, '-history.db'))
  file.exec(`CREATE TABLE IF NOT EXISTS request_batches (
    id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL, records BLOB NOT NULL) STRICT`)
  const insert = file.prepare('INSERT INTO request_batches VALUES (?, ?, ?)')
  for (const { id, accountId, records } of batches) insert.run(id, accountId, records)
  file.close()
}

function packed(entries: HistoryEntry[]): Buffer {
  const bytes = Buffer.alloc(entries.length * recordBytes)
  for (const [index, entry] of entries.entries()) {
    const at = index * recordBytes
    const operation = entry.operation === null ? 0 : operations.indexOf(entry.operation) + 1
    const code = entry.errorCode === null ? 0 : codes.indexOf(entry.errorCode) + 1
    bytes.writeDoubleLE(entry.atMs, at)
    bytes.writeDoubleLE(entry.accountId, at + 8)
    bytes.writeDoubleLE(entry.campaignId ?? 0, at + 16)
    bytes.writeDoubleLE(((entry.milliseconds * 256 + operation) * 256 + code) * 1_024 + entry.status, at + 24)
    bytes.write(entry.keyId + entry.requestId, at + 32, 'latin1')
  }
  return bytes
}
