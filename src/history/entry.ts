import type { AnyErrorCode } from '../core/errors.ts'
import type { Operation } from '../core/operations.ts'

/** What is kept of an authorized request, and nothing else (contract, "History"). Both ids are UUIDs. */
export type HistoryEntry = {
  atMs: number
  requestId: string
  accountId: number
  keyId: string
  operation: Operation | null
  campaignId: number | null
  status: number
  errorCode: AnyErrorCode | null
  milliseconds: number
}
