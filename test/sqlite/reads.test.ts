// What is asked for in one turn is read together: each has its own end nevertheless, and nothing is left open.
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { StoreUnavailable } from '../../src/store/errors.ts'
import type { Campaign } from '../../src/store/model.ts'
import { closeDatabase, inTransaction, openDatabase, reading } from '../../src/store/sqlite/database.ts'
import { installation, owner } from '../support/lastcall.ts'

function opened(t: TestContext) {
  return openDatabase({ path: installation(t).databasePath, isServer: true })
}

test('a read that fails does not fail others of its turn, and leaves no transaction open', async (t) => {
  const database = opened(t)
  const read = (sql: string) => reading(database, () => database.sql.get(sql))
  const [before, broken, thrown, after] = await Promise.allSettled([
    read('SELECT 1 AS n'),
    read('SELECT n FROM no_such_table'),
    reading(database, () => {
      throw new TypeError('ours')
    }),
    read('SELECT 2 AS n'),
  ])
  assert.deepEqual(
    [before, after].map((end) => end.status === 'fulfilled' && { ...end.value }),
    [{ n: 1 }, { n: 2 }],
  )
  assert.ok(broken.status === 'rejected' && broken.reason instanceof StoreUnavailable)
  assert.ok(thrown.status === 'rejected' && thrown.reason instanceof TypeError)
  await inTransaction(database, () => database.sql.run('UPDATE configuration SET version = version + 1'))
  closeDatabase(database)
})

test('all reads of a turn see one moment, and those of the next turn see what was written between', async (t) => {
  const database = opened(t)
  const version = () => reading(database, () => database.sql.versionOf(0))
  const [first, again] = await Promise.all([version(), version()])
  const other = openDatabase({ path: database.path, isServer: false })
  await inTransaction(other, () => other.sql.run('UPDATE configuration SET version = version + 1'))
  assert.deepEqual([again, await version()], [first, first + 1])
  closeDatabase(other)
  closeDatabase(database)
})

test('if the database cannot be read, every read of the turn fails with that', async (t) => {
  const database = opened(t)
  const reads = [1, 2].map((n) => reading(database, () => database.sql.get(`SELECT ${n} AS n`)))
  closeDatabase(database)
  for (const end of await Promise.allSettled(reads)) {
    assert.ok(end.status === 'rejected' && end.reason instanceof Error)
  }
})

test('counting leads by state at another second takes the same statement, so that SQLite keeps only one', async (t) => {
  const place = installation(t)
  const { campaignId } = await owner(place)
  await place.arrange(async (store) => {
    const campaign = (await store.configuration.findCampaign(campaignId)) as Campaign
    await store.counts.countStates(campaign, '', 1_800_000_000)
    const prepare = t.mock.method(DatabaseSync.prototype, 'prepare')
    await store.counts.countStates(campaign, '', 1_800_000_001)
    assert.equal(prepare.mock.callCount(), 0)
  })
})

test('the write-ahead log gives back the room that it took while somebody read for long', async (t) => {
  const database = opened(t)
  const megabytes = () => statSync(`${database.path}-wal`).size / 1e6
  const write = (id: string) =>
    inTransaction(database, () =>
      database.sql.run('INSERT INTO timer_templates (id, template, made_at) VALUES (?, zeroblob(2000000), 1)', id),
    )
  const reader = new DatabaseSync(database.path, { readOnly: true })
  reader.exec('BEGIN; SELECT * FROM installation')
  for (let n = 0; n < 25; n += 1) await write(`beside ${n}`)
  assert.ok(megabytes() > 40, `${megabytes()} MB`)
  reader.close()
  for (let n = 0; n < 3; n += 1) await write(`behind ${n}`)
  assert.ok(megabytes() < 34, `${megabytes()} MB`)
  closeDatabase(database)
})
