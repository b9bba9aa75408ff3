// An SQLite file with its tables and the usual countdown images, to be copied: to make each takes ten times as long.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../src/store/open.ts'
import { databaseFolder } from './database-folder.ts'
import { shelveUsualTemplates } from './usual-templates.ts'

const options = { lockWaitMs: 10_000, timeoutMs: 60_000, poolSize: 1, isServer: false }
let made: Promise<string> | undefined

/** Its path; it goes with the process. */
export function fileWithTables(): Promise<string> {
  made ??= make()
  return made
}

async function make(): Promise<string> {
  const folder = databaseFolder('tables')
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'lastcall.db')
  const store = await openStore({ engine: 'sqlite', path }, options)
  await shelveUsualTemplates(store)
  await store.close()
  return path
}
