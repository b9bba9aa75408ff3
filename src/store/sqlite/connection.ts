// The only file that imports node:sqlite.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { Row, Value } from '../sql.ts'

export type Statement = {
  all(...values: Value[]): Row[]
  get(...values: Value[]): Row | undefined
  run(...values: Value[]): { changes: number | bigint; lastInsertRowid: number | bigint }
}

export type Connection = {
  /** The rows of one statement, which is prepared once and kept. */
  all(sql: string, ...values: Value[]): Row[]
  get(sql: string, ...values: Value[]): Row | undefined
  run(sql: string, ...values: Value[]): { changes: number; lastInsertRowid: number }
  exec(sql: string): void
  /** A statement that answers rows as arrays, for the hot path. */
  prepareArrays(sql: string): Statement
  prepare(sql: string): Statement
  /** Gives the file back to the system; the next statement opens it anew, and fails where it is gone. */
  letGo(): void
  close(): void
}

export type ConnectionOptions = {
  /** How long a statement waits, blocking the process, for a lock that another connection holds. */
  busyTimeoutMs: number
  readOnly?: boolean
  /** Makes the connection ready each time that the file was opened. */
  opened?(connection: Connection): void
}

export function connect(path: string, options: ConnectionOptions): Connection {
  const settings = { timeout: options.busyTimeoutMs, readOnly: options.readOnly ?? false }
  let db: DatabaseSync | undefined
  let generation = 0

  function open(location: string | URL): void {
    db = new DatabaseSync(location, settings)
    try {
      options.opened?.(connection)
    } catch (error) {
      letGo()
      throw error
    }
  }

  /** A file that has gone must not come back empty. */
  function database(): DatabaseSync {
    if (db === undefined) open(new URL('?mode=rw', pathToFileURL(path)))
    return db as DatabaseSync
  }

  function letGo(): void {
    generation += 1
    if (db?.isOpen) db.close()
    db = undefined
  }

  /** Prepared again whenever the file was opened anew. */
  function statement(sql: string, asArrays: boolean): Statement {
    let prepared: StatementSync
    let preparedFor = -1
    const current = () => {
      const at = database()
      if (preparedFor !== generation) {
        prepared = at.prepare(sql)
        prepared.setReturnArrays(asArrays)
        preparedFor = generation
      }
      return prepared
    }
    current()
    return {
      all: (...values: Value[]) => current().all(...values),
      get: (...values: Value[]) => current().get(...values),
      run: (...values: Value[]) => current().run(...values),
    }
  }

  const statements = new Map<string, Statement>()
  const kept = (sql: string) => {
    let found = statements.get(sql)
    if (found === undefined) {
      found = statement(sql, false)
      statements.set(sql, found)
    }
    return found
  }

  const connection: Connection = {
    all: (sql, ...values) => kept(sql).all(...values),
    get: (sql, ...values) => kept(sql).get(...values),
    run: (sql, ...values) => {
      const { changes, lastInsertRowid } = kept(sql).run(...values)
      return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) }
    },
    exec: (sql) => database().exec(sql),
    prepare: (sql) => statement(sql, false),
    prepareArrays: (sql) => statement(sql, true),
    letGo,
    close: () => {
      if (db?.isOpen) db.close()
    },
  }
  open(path)
  return connection
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

/**
 * Commits of `work` do not wait for the disk: a power cut may take them back, up to the next commit that does wait.
 * For what nobody was promised; the file stays whole either way (SQLite, "PRAGMA synchronous", with WAL).
 */
export function withoutFlush(connection: Connection, work: () => void): void {
  connection.exec('PRAGMA synchronous = NORMAL')
  try {
    work()
  } finally {
    connection.exec('PRAGMA synchronous = FULL')
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
export const SQLITE_IOERR = 10
export const SQLITE_CONSTRAINT = 19
