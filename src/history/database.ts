import type { Row, Value } from '../store/sql.ts'

/**
 * Where the table is. Each statement is done whole or not at all; reading and writing do not wait for each other.
 * @throws StoreUnavailable
 */
export type HistoryDatabase = {
  read(sql: string, values: Value[]): Promise<Row[]>
  /** Resolves with the number of rows that were changed. */
  write(sql: string, values: Value[]): Promise<number>
  close(): Promise<void>
}
