import type { DatabaseLocation } from '../store/open.ts'
import { type HistoryTable, historyTable } from './table.ts'

/**
 * Connects with the first statement. The history has a file of its own beside the database, since one file has one
 * write lock.
 */
export async function openHistoryTable(database: DatabaseLocation): Promise<HistoryTable> {
  if (database.engine === 'postgres') {
    const { historyOnPostgres } = await import('./history-postgres.ts')
    return historyTable(historyOnPostgres(database.url))
  }
  const { historyInThreads } = await import('./thread.ts')
  return historyTable(historyInThreads(`${database.path.replace(/\.db$/, '')}-history.db`))
}
