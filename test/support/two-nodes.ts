// Two nodes on one PostgreSQL, and somebody who may do something to its tables meanwhile.
import type { TestContext } from 'node:test'
import { Client } from 'pg'
import { openStore } from '../../src/store/open.ts'
import { emptyDatabases } from './empty-databases.ts'

const options = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false }

export async function twoNodes(t: TestContext) {
  const at = await emptyDatabases.postgres?.(t)
  if (at?.engine !== 'postgres') throw new Error('no PostgreSQL')
  const [store, elsewhere] = [await openStore(at, options), await openStore(at, options)]
  const client = new Client({ connectionString: at.url })
  // The database is removed before it is closed.
  client.on('error', () => {})
  await client.connect()
  t.after(() => Promise.all([store.close(), elsewhere.close(), client.end()]))
  return { at, store, elsewhere, client }
}
