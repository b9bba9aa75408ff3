// Every table has its place on a database of many servers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { placements } from '../../src/store/postgres/distribution.ts'
import { emptyDatabases } from '../support/empty-databases.ts'
import { ask } from '../support/postgres-databases.ts'

test('every table of the schema stands in the list of placements, and by account begins with the account', async (t) => {
  const place = await emptyDatabases.postgres?.(t)
  assert.ok(place?.engine === 'postgres')
  const store = await openStore(place, { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 1, isServer: false })
  t.after(() => store.close())
  const tables = await ask(place.url, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")
  assert.deepEqual(tables.map(({ name }) => name).sort(), Object.keys(placements).sort())
  const keys = await ask(
    place.url,
    `SELECT indrelid::regclass::text AS name, attname AS first FROM pg_index
      JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0] WHERE indisunique`,
  )
  const byAccount = keys.filter(({ name }) => placements[name] === 'distributed')
  assert.deepEqual([...new Set(byAccount.map(({ first }) => first))], ['account_id'])
})
