// An empty database of each engine, gone when the test is over.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { DatabaseLocation } from '../../src/store/open.ts'
import { newDatabase, removeDatabase } from './citus.ts'
import { postgresUrl } from './shared-postgres.ts'

export const emptyDatabases: Record<string, (t: TestContext) => Promise<DatabaseLocation>> = {
  async sqlite(t) {
    const folder = mkdtempSync(join(tmpdir(), 'lastcall-store-'))
    t.after(() => rmSync(folder, { recursive: true }))
    return { engine: 'sqlite', path: join(folder, 'lastcall.db') }
  },
  async postgres(t) {
    const admin = await postgresUrl()
    const url = await newDatabase(admin)
    t.after(() => removeDatabase(admin, url))
    return { engine: 'postgres', url }
  },
}
