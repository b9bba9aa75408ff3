// A history entry as bytes: a busy server has thousands of them waiting, and objects that wait cost the
// garbage collector more than the answers themselves.
import { type ErrorCode, errorStatus } from '../core/errors.ts'
import { type Operation, operations } from '../core/operations.ts'

/** What is kept of an authorized request, and nothing else (contract, "History"). */
export type HistoryEntry = {
  atMs: number
  requestId: string
  accountId: number
  keyId: string
  operation: Operation | null
  campaignId: number | null
  status: number
  errorCode: ErrorCode | null
  milliseconds: number
}

const errorCodes = Object.keys(errorStatus) as ErrorCode[]
const uuidLength = 36

/** Four numbers and two uuids in text. */
const numbers = 4
export const recordBytes = numbers * 8 + 2 * uuidLength

/** Position in a list, counted from 1; 0 stands for none. */
const numbered = (names: readonly string[]) => new Map(names.map((name, index) => [name, index + 1]))
const operationNumbers = numbered(operations)
const errorNumbers = numbered(errorCodes)

/** Records in a row, to be written and read by their index. Numbers are in the byte order of the machine. */
export type Records = { floats: Float64Array; bytes: Buffer }

export function recordsIn(buffer: ArrayBuffer): Records {
  return { floats: new Float64Array(buffer), bytes: Buffer.from(buffer) }
}

export function writeRecord({ floats, bytes }: Records, index: number, entry: HistoryEntry): void {
  const number = (index * recordBytes) / 8
  const text = index * recordBytes + numbers * 8
  const operation = operationNumbers.get(entry.operation ?? '') ?? 0
  const error = errorNumbers.get(entry.errorCode ?? '') ?? 0
  floats[number] = entry.atMs
  floats[number + 1] = entry.accountId
  floats[number + 2] = entry.campaignId ?? 0
  floats[number + 3] =
    ((Math.round(entry.milliseconds) * 256 + operation) * 256 + error) * 1_024 + entry.status
  bytes.write(entry.keyId + entry.requestId, text, 2 * uuidLength, 'latin1')
}

export function readRecord({ floats, bytes }: Records, index: number): HistoryEntry {
  const number = (index * recordBytes) / 8
  const text = index * recordBytes + numbers * 8
  const packed = floats[number + 3] as number
  const error = Math.floor(packed / 1_024) % 256
  const operation = Math.floor(packed / (1_024 * 256)) % 256
  return {
    atMs: floats[number] as number,
    accountId: floats[number + 1] as number,
    campaignId: floats[number + 2] || null,
    milliseconds: Math.floor(packed / (1_024 * 256 * 256)),
    status: packed % 1_024,
    operation: operations[operation - 1] ?? null,
    errorCode: errorCodes[error - 1] ?? null,
    keyId: bytes.toString('latin1', text, text + uuidLength),
    requestId: bytes.toString('latin1', text + uuidLength, text + 2 * uuidLength),
  }
}

/** The records of one account, and when the newest of them was. */
export type AccountRecords = { accountId: number; newestMs: number; bytes: Buffer }

export function byAccount({ floats, bytes }: Records, count: number): AccountRecords[] {
  const accounts = new Map<number, { newestMs: number; parts: Buffer[] }>()
  for (let index = 0; index < count; index += 1) {
    const number = (index * recordBytes) / 8
    const atMs = floats[number] as number
    const accountId = floats[number + 1] as number
    const part = bytes.subarray(index * recordBytes, (index + 1) * recordBytes)
    const same = accounts.get(accountId)
    if (same === undefined) accounts.set(accountId, { newestMs: atMs, parts: [part] })
    else {
      same.parts.push(part)
      same.newestMs = Math.max(same.newestMs, atMs)
    }
  }
  return [...accounts].map(([accountId, { newestMs, parts }]) => ({
    accountId,
    newestMs,
    bytes: accounts.size === 1 ? bytes.subarray(0, count * recordBytes) : Buffer.concat(parts),
  }))
}
