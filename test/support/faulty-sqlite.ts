// Preloaded into a process of a test: node:sqlite as it is on a bad disk. What goes wrong stands in a file, which
// is read at each transaction, and concerns the database alone, not the history beside it but where that is said.
import { readFileSync } from 'node:fs'
import { DatabaseSync, StatementSync } from 'node:sqlite'

export type SqliteFault =
  | 'none'
  /** The file must not grow. */
  | 'disk full'
  | 'write fails'
  /** The commit is undone, or it stands, and nobody can tell: fsync has failed. */
  | 'sync fails, undone'
  | 'sync fails, done'
  /** The same as undone, and the file cannot be opened again. */
  | 'opening fails'
  | 'history slow'
  | 'history fails'

const file = process.env.TEST_FAULT_FILE ?? ''
/** The process kills itself before this statement of all that `exec` is given. */
const killAt = Number(process.env.TEST_KILL_AT || Number.POSITIVE_INFINITY)

const IOERR_WRITE = 778
const IOERR_FSYNC = 1034
const mostPages = 4_294_967_294

const databases = new WeakMap<StatementSync, DatabaseSync>()
const writing = new WeakSet<DatabaseSync>()
const { prepare, exec } = DatabaseSync.prototype
const { run } = StatementSync.prototype
let statements = 0

const fault = (): SqliteFault => (file === '' ? 'none' : (readFileSync(file, 'utf8') as SqliteFault))
const isHistory = (db: DatabaseSync) => /-history\.db$/.test(db.location() ?? '')

function diskError(errcode: number): Error {
  return Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode })
}

/** What goes wrong with this statement before SQLite sees it. */
function before(db: DatabaseSync, sql: string): void {
  if (isHistory(db)) {
    if (/^\s*(?:INSERT|DELETE)/.test(sql)) writeHistory(fault())
    return
  }
  if (sql.startsWith('PRAGMA journal_mode') && fault() === 'opening fails') throw diskError(IOERR_WRITE)
  if (sql.startsWith('BEGIN IMMEDIATE')) {
    writing.add(db)
    begin(db, fault())
  } else if (sql.startsWith('COMMIT') && writing.delete(db)) commit(db, fault())
  else if (sql.startsWith('ROLLBACK')) writing.delete(db)
}

function writeHistory(fault: SqliteFault): void {
  if (fault === 'history slow') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
  if (fault === 'history fails') throw diskError(IOERR_WRITE)
}

function begin(db: DatabaseSync, fault: SqliteFault): void {
  const pages = prepare.call(db, 'PRAGMA page_count').get()?.page_count
  exec.call(db, `PRAGMA max_page_count = ${fault === 'disk full' ? pages : mostPages}`)
}

function commit(db: DatabaseSync, fault: SqliteFault): void {
  if (fault === 'write fails') throw diskError(IOERR_WRITE)
  if (fault === 'sync fails, undone' || fault === 'opening fails') {
    exec.call(db, 'ROLLBACK')
    throw diskError(IOERR_FSYNC)
  }
  if (fault === 'sync fails, done') {
    exec.call(db, 'COMMIT')
    throw diskError(IOERR_FSYNC)
  }
}

DatabaseSync.prototype.prepare = function (...args) {
  const statement = prepare.apply(this, args)
  databases.set(statement, this)
  return statement
}

StatementSync.prototype.run = function (...args: unknown[]) {
  const db = databases.get(this)
  if (db !== undefined) before(db, this.sourceSQL)
  return Reflect.apply(run, this, args)
}

DatabaseSync.prototype.exec = function (sql) {
  before(this, sql)
  if (killAt === Number.POSITIVE_INFINITY) return exec.call(this, sql)
  for (const one of sql.replace(/--.*$/gm, '').split(';')) {
    if (one.trim() === '') continue
    statements += 1
    if (statements === killAt) process.kill(process.pid, 'SIGKILL')
    exec.call(this, one)
  }
}
