import type { DatabaseLocation } from '../store/open.ts'
import { type HistoryTable, historyTable } from './table.ts'

/** Opens nothing before it is needed. What is opened for writing and what for reading do not wait for each other. */
export async function openHistoryTable(database: DatabaseLocation): Promise<HistoryTable> {
  if (database.engine === 'postgres') {
    const { historyOnPostgres } = await import('./history-postgres.ts')
    return historyTable(historyOnPostgres(database.url))
  }
  const { historyInThread } = await import('./thread.ts')
  return historyTable(historyInThread(`${database.path.replace(/\.db$/, '')}-history.db`))
}
