// The only file that imports node:sqlite.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Row, Value } from '../sql.ts'

export type { StatementSync }

export type Connection = {
  /** The rows of one statement, which is prepared once and kept. */
  all(sql: string, ...values: Value[]): Row[]
  get(sql: string, ...values: Value[]): Row | undefined
  run(sql: string, ...values: Value[]): { changes: number; lastInsertRowid: number }
  exec(sql: string): void
  /** A statement that answers rows as arrays, for the hot path. */
  prepareArrays(sql: string): StatementSync
  prepare(sql: string): StatementSync
  close(): void
}

export type ConnectionOptions = {
  /** How long a statement waits, blocking the process, for a lock that another connection holds. */
  busyTimeoutMs: number
  readOnly?: boolean
}

export function connect(path: string, options: ConnectionOptions): Connection {
  const db = new DatabaseSync(path, { timeout: options.busyTimeoutMs, readOnly: options.readOnly ?? false })
  const statements = new Map<string, StatementSync>()
  const prepare = (sql: string) => {
    let statement = statements.get(sql)
    if (statement === undefined) {
      statement = db.prepare(sql)
      statements.set(sql, statement)
    }
    return statement
  }
  return {
    all: (sql, ...values) => prepare(sql).all(...values),
    get: (sql, ...values) => prepare(sql).get(...values),
    run: (sql, ...values) => {
      const { changes, lastInsertRowid } = prepare(sql).run(...values)
      return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) }
    },
    exec: (sql) => db.exec(sql),
    prepare: (sql) => db.prepare(sql),
    prepareArrays: (sql) => {
      const statement = db.prepare(sql)
      statement.setReturnArrays(true)
      return statement
    },
    close: () => {
      if (db.isOpen) db.close()
    },
  }
}

/** Runs `work` in one transaction that takes the write lock at once; rolls back when it throws. */
export function transaction<T>(connection: Connection, work: () => T): T {
  connection.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    connection.exec('COMMIT')
    return result
  } catch (error) {
    rollback(connection)
    throw error
  }
}

/**
 * The same for work that awaits its statements, all of which answer at once: it must not wait for anything else,
 * or the lock is held meanwhile.
 */
export async function asyncTransaction<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  connection.exec('BEGIN IMMEDIATE')
  try {
    const result = await work()
    connection.exec('COMMIT')
    return result
  } catch (error) {
    rollback(connection)
    throw error
  }
}

/** SQLite has rolled back by itself after some errors (disk full, I/O), and then refuses to do it again. */
export function rollback(connection: Connection): void {
  try {
    connection.exec('ROLLBACK')
  } catch {}
}

/** SQLite's primary result code of an error (https://sqlite.org/rescode.html), if it is one of SQLite's. */
export function sqliteCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown }).errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

export const SQLITE_BUSY = 5
export const SQLITE_CONSTRAINT = 19
