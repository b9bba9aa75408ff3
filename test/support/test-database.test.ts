// Installations on PostgreSQL, whatever the engine of this run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFull } from './faults.ts'
import { ask } from './postgres-databases.ts'

process.env.LASTCALL_TEST_ENGINE = 'postgres'
const { installation } = await import('./lastcall.ts')
const { databasesCreated } = await import('./test-database.ts')

test('each has a database of its own, empty or with the content of another, and no file', async (t) => {
  const urls: string[] = []
  await t.test('while it stands', async (t) => {
    const first = installation(t)
    await databasesCreated()
    await ask(first.databaseUrl, 'CREATE TABLE kept (n int)', 'INSERT INTO kept VALUES (7)')
    const [copy, other] = [installation(t, first), installation(t)]
    await databasesCreated()
    assert.deepEqual(await ask(copy.databaseUrl, 'SELECT n FROM kept'), [{ n: 7 }])
    await assert.rejects(ask(other.databaseUrl, 'SELECT n FROM kept'), { code: '42P01' })
    assert.throws(() => first.databasePath, /no file/)
    urls.push(first.databaseUrl, copy.databaseUrl, other.databaseUrl)
  })
  // In the short form they go with their cluster.
  if (isFull) for (const url of urls) await assert.rejects(ask(url, 'SELECT 1'), { code: '3D000' })
})
