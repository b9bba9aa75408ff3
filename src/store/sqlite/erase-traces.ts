import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { emptyLog } from './connection.ts'
import { type Database, retryWhileLocked } from './database.ts'
import type { Wanted } from './search-files.ts'

const timeoutMs = 30_000
/**
 * How long emptying the log may wait for readers, while the server's registrations wait too; and the pause after that,
 * in which these are written.
 */
const lockWaitMs = 100
const pauseMs = 200

/** Long enough to point to somebody, short enough to be left when newer rows overwrite the rest. */
const partLength = 10
/** Shorter texts stand in any larger file by chance. */
const leastLength = 4

/**
 * Removes what a deleted row left in the database's files. First it empties the write-ahead log, which still has the
 * row. If the address is then still in a part of the file that SQLite has given up without wiping (it copies rows when
 * it splits a page), it writes the whole file again. @throws when the log stays in use
 */
export async function eraseTraces(database: Database, email: string): Promise<void> {
  const { path, connection } = database
  connection.exec(`PRAGMA busy_timeout = ${lockWaitMs}`)
  await emptyLogInTime(database)
  const found = await standing([email, ...partsOf(email)], path)
  // A part that is also in the address of another lead, or in the name of a table or column, is no trace.
  const elsewhere = `SELECT 1 FROM leads WHERE instr(email, ?) > 0
    UNION ALL SELECT 1 FROM sqlite_schema WHERE instr(sql, ?) > 0 LIMIT 1`
  const isTrace = (text: string) => text === email || connection.get(elsewhere, text, text) === undefined
  if (!found.some(isTrace)) return
  await retryWhileLocked(database, timeoutMs, () => connection.exec('VACUUM'))
  await emptyLogInTime(database)
}

/**
 * All parts of this length of the local part, or the whole of a short one: newer rows may have overwritten the rest of
 * what a split page left.
 */
function partsOf(email: string): string[] {
  const local = email.slice(0, email.lastIndexOf('@'))
  if (local.length < leastLength) return []
  const count = Math.max(0, local.length - partLength) + 1
  return Array.from({ length: count }, (_, start) => local.slice(start, start + partLength))
}

async function emptyLogInTime(database: Database): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs
  while (!(await retryWhileLocked(database, timeoutMs, () => emptyLog(database.connection)))) {
    if (performance.now() > giveUpAt) {
      throw new Error(
        'the lead is erased, but another program reads the database, and traces of the address stay in its log: end that ' +
          'program and run the command again; it then says that the email is not registered',
      )
    }
    await sleep(pauseMs)
  }
}

/** Those of the texts whose bytes occur anywhere in the database's files. */
async function standing(texts: string[], path: string): Promise<string[]> {
  const program = fileURLToPath(new URL('./search-files.ts', import.meta.url))
  const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] })
  child.send({ paths: [path, `${path}-wal`], texts } satisfies Wanted)
  const [found] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  if (!Array.isArray(found)) throw new Error('the files cannot be searched; the row is gone, run the command again')
  return found
}
