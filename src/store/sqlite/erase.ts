import { createReadStream, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, patiently } from './database.ts'

const patienceMs = 30_000

/**
 * Takes what a deleted row left behind out of the database's files: first the write-ahead log, which still
 * has the row; then, where the address stands in a part of the file that SQLite has given up without wiping
 * (it copies rows when it splits a page), by writing the whole file again. @throws when the log stays in use
 */
export async function eraseTraces(database: Database, text: string): Promise<void> {
  const { path, connection } = database
  await emptyLog(database)
  if (!(await stands(text, path)) && !(await stands(text, `${path}-wal`))) return
  await patiently(database, patienceMs, () => connection.exec('VACUUM'))
  await emptyLog(database)
}

async function emptyLog(database: Database): Promise<void> {
  const giveUpAt = performance.now() + patienceMs
  const empty = () => database.connection.get('PRAGMA wal_checkpoint(TRUNCATE)')?.busy === 0
  while (!(await patiently(database, patienceMs, empty))) {
    if (performance.now() > giveUpAt) {
      throw new Error('the write-ahead log stayed in use; the row is gone, run the command again')
    }
    await sleep(20)
  }
}

/** True when the bytes of `text` occur anywhere in the file. */
async function stands(text: string, path: string): Promise<boolean> {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return false
  const needle = Buffer.from(text)
  let tail = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const window = Buffer.concat([tail, chunk])
    if (window.includes(needle)) return true
    tail = window.subarray(Math.max(0, window.length - needle.length + 1))
  }
  return false
}
