// The only file that imports node:sqlite.
import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { Row, Value } from '../sql.ts'

/** Every statement is prepared once and found again by its text, except those of `prepare`. */
export type Connection = {
  all(sql: string, ...values: Value[]): Row[]
  get(sql: string, ...values: Value[]): Row | undefined
  /** Rows as arrays, which takes SQLite's driver less time. */
  rows<T extends unknown[]>(sql: string, ...values: Value[]): T[]
  run(sql: string, ...values: Value[]): { changes: number; lastInsertRowid: number }
  exec(sql: string): void
  /** A statement that is not kept, for texts of which there are many. */
  prepare(sql: string): Pick<StatementSync, 'run'>
  /**
   * Whether the file, and with a write-ahead log that too, is still the one that was opened. SQLite goes on writing to
   * a file that has been unlinked or replaced, where nobody would ever find the data again.
   */
  isSameFile(): boolean
  /** Closes the file and opens it again; where that fails, each statement fails until it succeeds. */
  reopen(): void
  close(): void
}

type ConnectionOptions = {
  /** How long a statement waits, blocking the process, for a lock that another connection holds. */
  busyTimeoutMs: number
  readOnly?: boolean
  /** Prepares the connection each time that the file was opened. */
  opened?(connection: Connection): void
}

export function connect(path: string, { busyTimeoutMs, readOnly = false, opened }: ConnectionOptions): Connection {
  const settings = { timeout: busyTimeoutMs, readOnly }
  let db = new DatabaseSync(path, settings)
  const statements = new Map<string, StatementSync>()
  const lists = new Map<string, StatementSync>()
  const log = `${path}-wal`
  const paths = [path, log]
  let files: (string | undefined)[] = []

  function prepared(known: Map<string, StatementSync>, sql: string): StatementSync {
    let statement = known.get(sql)
    if (statement === undefined) {
      statement = db.prepare(sql)
      statement.setReturnArrays(known === lists)
      known.set(sql, statement)
    }
    return statement
  }

  function close(): void {
    statements.clear()
    lists.clear()
    if (db.isOpen) db.close()
    // The last to close removes the log. If the file cannot be opened at once, that is no reason never to try again.
    files = [files[0], fileAt(log)]
  }

  function begin(): void {
    try {
      opened?.(connection)
      files = paths.map(fileAt)
    } catch (error) {
      close()
      throw error
    }
  }

  const connection: Connection = {
    all: (sql, ...values) => prepared(statements, sql).all(...values),
    get: (sql, ...values) => prepared(statements, sql).get(...values),
    rows: <T extends unknown[]>(sql: string, ...values: Value[]) =>
      prepared(lists, sql).all(...values) as unknown[] as T[],
    run: (sql, ...values) => {
      const { changes, lastInsertRowid } = prepared(statements, sql).run(...values)
      return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) }
    },
    exec: (sql) => db.exec(sql),
    prepare: (sql) => db.prepare(sql),
    isSameFile: () => {
      try {
        return paths.every((at, index) => fileAt(at) === files[index])
      } catch {
        // It cannot be looked at, which may pass.
        return false
      }
    },
    reopen() {
      close()
      // A file that has gone does not come back empty.
      db = new DatabaseSync(new URL('?mode=rw', pathToFileURL(path)), settings)
      begin()
    },
    close,
  }
  begin()
  return connection
}

function fileAt(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && `${stats.dev}:${stats.ino}`
}

/**
 * A reader that stays, such as a backup, keeps SQLite from writing its log back, and the log grows. Once the reader is
 * gone the file is cut to this size, and not kept as large for as long as the server runs.
 */
export const limitLog = `PRAGMA journal_size_limit = ${2 ** 25}`

/**
 * The write-ahead log still has what was deleted. Tries once to write it back and to cut it to nothing; false if
 * somebody else reads or writes. Most of it is written back before taking the lock that keeps writers away. That lock
 * is held while it waits for readers, up to the connection's `busy_timeout`, which must be short.
 */
export function emptyLog(connection: Connection): boolean {
  connection.get('PRAGMA wal_checkpoint(PASSIVE)')
  return connection.get('PRAGMA wal_checkpoint(TRUNCATE)')?.busy === 0
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
export const SQLITE_READONLY = 8
export const SQLITE_IOERR = 10
export const SQLITE_CANTOPEN = 14
export const SQLITE_CONSTRAINT = 19
