// The request history as it was kept before migration 5: batches of records of 104 bytes. An installation that has run
// this version for HISTORY_DAYS has none left; a later version drops this file, `moveBatch` and `request_batches`.
import type { ErrorCode } from '../core/errors.ts'
import type { Operation } from '../core/operations.ts'
import type { HistoryEntry } from './entry.ts'

const uuidLength = 36
/** Four numbers and two uuids in text. */
const numbers = 4
const recordBytes = numbers * 8 + 2 * uuidLength

/** Records name these by their position, counted from 1; 0 stands for none. */
const operations: readonly Operation[] = ['listCampaigns', 'registerLead', 'lookupLead']
const errorCodes: readonly ErrorCode[] = [
  ...(['INVALID_JSON', 'INVALID_CURSOR', 'UNAUTHORIZED', 'ACCOUNT_SUSPENDED', 'CAMPAIGN_NOT_FOUND'] as const),
  ...(['LEAD_NOT_FOUND', 'NOT_FOUND', 'CAMPAIGN_NOT_PUBLISHED', 'PAYLOAD_TOO_LARGE'] as const),
  ...(['UNSUPPORTED_MEDIA_TYPE', 'VALIDATION_ERROR', 'RATE_LIMITED', 'INTERNAL_ERROR'] as const),
  'SERVICE_UNAVAILABLE',
]

export function entriesOf(records: Uint8Array): HistoryEntry[] {
  // Copied, since the bytes may not be aligned as numbers must be.
  const { buffer } = new Uint8Array(records)
  const floats = new Float64Array(buffer)
  const bytes = Buffer.from(buffer)
  return Array.from({ length: records.length / recordBytes }, (_, index) => {
    const number = (index * recordBytes) / 8
    const text = index * recordBytes + numbers * 8
    const packed = floats[number + 3] as number
    return {
      atMs: floats[number] as number,
      requestId: bytes.toString('latin1', text + uuidLength, text + 2 * uuidLength),
      accountId: floats[number + 1] as number,
      keyId: bytes.toString('latin1', text, text + uuidLength),
      operation: operations[(Math.floor(packed / (1_024 * 256)) % 256) - 1] ?? null,
      campaignId: floats[number + 2] || null,
      status: packed % 1_024,
      errorCode: errorCodes[(Math.floor(packed / 1_024) % 256) - 1] ?? null,
      milliseconds: Math.floor(packed / (1_024 * 256 * 256)),
    }
  })
}
