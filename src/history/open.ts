import { type DatabaseLocation, realPath } from '../store/open.ts'
import { type HistoryTable, historyTable } from './table.ts'

/**
 * Connects with the first statement. The history has a file of its own beside the database, since one file has one
 * write lock. `isOurs` says whether PostgreSQL still has the database that the server began with.
 */
export async function openHistoryTable(database: DatabaseLocation, isOurs?: () => boolean): Promise<HistoryTable> {
  if (database.engine === 'postgres') {
    const { historyOnPostgres } = await import('./history-postgres.ts')
    return historyTable(historyOnPostgres({ url: database.url, mayUse: isOurs }))
  }
  const { historyInThreads } = await import('./thread.ts')
  return historyTable(historyInThreads(`${realPath(database.path).replace(/\.db$/, '')}-history.db`))
}
