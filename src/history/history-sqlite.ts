// The thread of the history's file. It runs one statement after another, and goes on after any fault of the file.
import { existsSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { Row, Value } from '../store/sql.ts'
import { type Connection, connect, limitLog } from '../store/sqlite/connection.ts'
import type { Answer, Question } from './thread.ts'

const path: string = workerData
const busyTimeoutMs = 1_000

const schema = `
  -- A power cut may lose the last entries, which nobody was promised.
  PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${limitLog};
  CREATE TABLE IF NOT EXISTS request_history (
    account_id INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    operation TEXT,
    campaign_id INTEGER,
    status INTEGER NOT NULL,
    error_code TEXT,
    milliseconds INTEGER NOT NULL,
    PRIMARY KEY (account_id, at_ms, request_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS request_history_by_time ON request_history (at_ms);
  CREATE TABLE IF NOT EXISTS delivery_log (
    account_id INTEGER NOT NULL,
    endpoint_id INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    lead_id INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    detail INTEGER NOT NULL,
    status INTEGER,
    cause TEXT,
    milliseconds INTEGER NOT NULL,
    try_number INTEGER NOT NULL,
    PRIMARY KEY (account_id, endpoint_id, at_ms, event_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS delivery_log_by_time ON delivery_log (at_ms);
`

let writer: Connection | undefined

function write(sql: string, values: Value[]): number {
  // SQLite would go on writing to a file that was removed, where nobody would find the entries.
  if (writer?.isSameFile() === false) {
    writer.close()
    writer = undefined
  }
  writer ??= connect(path, { busyTimeoutMs, opened: ({ exec }) => exec(schema) })
  const connection = writer
  try {
    // Not cached: there is a statement for each number of rows.
    return Number(connection.prepare(sql).run(...values).changes)
  } catch (error) {
    // SQLite does not notice when a file that was read-only can be written again: the next write opens it again.
    connection.close()
    writer = undefined
    throw error
  }
}

/**
 * Before a server of this version has run there is no file or no table. It is opened each time, since it may have been
 * replaced.
 */
function read(sql: string, values: Value[], until: number): Row[] {
  // It waited behind others: read now, it would only hold up the next ones.
  if (Date.now() >= until) throw new Error('it is slow')
  if (!existsSync(path)) return []
  const connection = connect(path, { busyTimeoutMs, readOnly: true })
  try {
    return connection.all(sql, ...values)
  } catch (error) {
    if (/^no such table/.test((error as Error).message)) return []
    throw error
  } finally {
    connection.close()
  }
}

parentPort?.on('message', ({ sql, values, until }: Question) => {
  let answer: Answer
  try {
    answer = { value: until === undefined ? write(sql, values) : read(sql, values, until) }
  } catch (error) {
    answer = { error }
  }
  parentPort?.postMessage(answer)
})
