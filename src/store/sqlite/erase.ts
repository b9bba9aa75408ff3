import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Database, retryWhileLocked } from './database.ts'
import type { Wanted } from './search-files.ts'
import { emptyLog } from './write-ahead-log.ts'

const timeoutMs = 30_000
/** How long the log may be waited for while the server's registrations wait too, and how long they then have. */
const lockWaitMs = 100
const pauseMs = 200

/**
 * Takes what a deleted row left behind out of the database's files: first the write-ahead log, which still
 * has the row; then, where the address stands in a part of the file that SQLite has given up without wiping
 * (it copies rows when it splits a page), by writing the whole file again. @throws when the log stays in use
 */
export async function eraseTraces(database: Database, text: string): Promise<void> {
  const { path, connection } = database
  connection.exec(`PRAGMA busy_timeout = ${lockWaitMs}`)
  await emptyLogInTime(database)
  if (!(await stands(text, path))) return
  await retryWhileLocked(database, timeoutMs, () => connection.exec('VACUUM'))
  await emptyLogInTime(database)
}

async function emptyLogInTime(database: Database): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs
  while (!(await retryWhileLocked(database, timeoutMs, () => emptyLog(database.connection)))) {
    if (performance.now() > giveUpAt) {
      throw new Error('the write-ahead log stayed in use; the row is gone, run the command again')
    }
    await sleep(pauseMs)
  }
}

/** True when the bytes of `text` occur anywhere in the database's files. */
async function stands(text: string, path: string): Promise<boolean> {
  const program = fileURLToPath(new URL('./search-files.ts', import.meta.url))
  const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] })
  child.send({ paths: [path, `${path}-wal`], text } satisfies Wanted)
  const [found] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  if (typeof found !== 'boolean')
    throw new Error('the files cannot be searched; the row is gone, run the command again')
  return found
}
