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

/** Statements that store entries, each of one account. */
export const appendsAtOnce = 4

/** Rows of one statement: to hand 2,000 over to a thread took several milliseconds, in which nobody was answered. */
const rowsAtOnce = 500

/**
 * Stores entries, each account by itself. Resolves with those that were not stored: once some of an account could not
 * be, the rest is not tried. Where the table is locked each try waits until it times out, and all others wait for that.
 */
export async function appendByAccount<Entry extends { accountId: number }>(
  entries: readonly Entry[],
  appendOwn: (own: Entry[]) => Promise<void>,
): Promise<Entry[]> {
  const accounts = Map.groupBy(entries, ({ accountId }) => accountId).values()
  const left: Entry[] = []
  const lane = async () => {
    for (const own of accounts) {
      let stored = 0
      try {
        for (; stored < own.length; stored += rowsAtOnce) await appendOwn(own.slice(stored, stored + rowsAtOnce))
      } catch {
        left.push(...own.slice(stored))
      }
    }
  }
  await Promise.all(Array.from({ length: appendsAtOnce }, lane))
  return left
}
