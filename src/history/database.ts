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

/** Stores entries, each account by itself. Resolves with those that could not be stored. */
export async function appendByAccount<Entry extends { accountId: number }>(
  entries: readonly Entry[],
  appendOwn: (own: Entry[]) => Promise<void>,
): Promise<Entry[]> {
  const accounts = Map.groupBy(entries, ({ accountId }) => accountId).values()
  const left: Entry[] = []
  const lane = async () => {
    for (const own of accounts) {
      for (let from = 0; from < own.length; from += rowsAtOnce) {
        const isStored = await appendOwn(own.slice(from, from + rowsAtOnce)).then(
          () => true,
          () => false,
        )
        if (isStored) continue
        // Where a lock lets some time out, it would do so with the rest as well, and all others wait meanwhile.
        left.push(...own.slice(from))
        break
      }
    }
  }
  await Promise.all(Array.from({ length: appendsAtOnce }, lane))
  return left
}
