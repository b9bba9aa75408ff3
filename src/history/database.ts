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

/** Of each account all or none; resolves with those that could not be stored. */
export async function appendByAccount<Entry extends { accountId: number }>(
  entries: readonly Entry[],
  appendOwn: (own: Entry[]) => Promise<void>,
): Promise<Entry[]> {
  const accounts = Map.groupBy(entries, ({ accountId }) => accountId).values()
  const left: Entry[] = []
  const lane = async () => {
    for (const own of accounts) await appendOwn(own).catch(() => left.push(...own))
  }
  await Promise.all(Array.from({ length: appendsAtOnce }, lane))
  return left
}
