// The request history cannot be written: entries are lost and counted, and nobody waits.
import assert from 'node:assert/strict'
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { appendByAccount } from '../../src/history/database.ts'
import type { HistoryEntry } from '../../src/history/entry.ts'
import { type EntryTable, keepTidy, openHistory } from '../../src/history/history.ts'
import { openHistoryTable } from '../../src/history/open.ts'
import type { HistoryTable } from '../../src/history/table.ts'
import { historyInThreads } from '../../src/history/thread.ts'
import { type DatabaseLocation, migrateDatabase, openStore } from '../../src/store/open.ts'
import { emptyDatabases } from '../support/empty-databases.ts'
import { historyEntry } from '../support/history-seed.ts'
import { comesTrue } from '../support/prepared.ts'

/** Its entries are read whole each time. */
const everyMs = 200
const all = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }
const filePath = ({ path }: { path: string }) => path.replace(/\.db$/, '-history.db')
const entry = () => historyEntry({ atMs: Date.now(), accountId: 1 })

/** Holds a lock on the whole history; the result gives it back. */
async function lock(database: DatabaseLocation): Promise<() => unknown> {
  if (database.engine === 'postgres') {
    const client = new Client({ connectionString: database.url })
    await client.connect()
    await client.query('BEGIN; LOCK TABLE request_history')
    return () => client.end()
  }
  const file = new DatabaseSync(filePath(database))
  file.exec('PRAGMA busy_timeout = 2000; BEGIN EXCLUSIVE')
  return () => file.close()
}

async function opened(t: TestContext, database: DatabaseLocation) {
  let lost = 0
  const table = await openHistoryTable(database)
  const onLost = (count: number) => {
    lost += count
  }
  const history = openHistory({ table, days: 7, onLost, now: Date.now })
  t.after(async () => {
    await history.close()
    await table.close()
  })
  const stored = async () => (await table.page(1, all, { limit: 10_000 })).length
  return { history, stored, lost: () => lost }
}

for (const [engine, place] of Object.entries(emptyDatabases)) {
  test(`a short lock loses no entries, a long one loses some and counts them: ${engine}`, async (t) => {
    const database = await place(t)
    await migrateDatabase(database)
    const { history, stored, lost } = await opened(t, database)
    history.record(entry())
    assert.ok(await comesTrue(5_000, async () => (await stored()) === 1, everyMs))
    const release = await lock(database)
    const startedAt = performance.now()
    for (let n = 0; n < 1_200; n += 1) history.record(entry())
    assert.ok(performance.now() - startedAt < 250, 'recording waits')
    await sleep(2_000)
    await release()
    assert.ok(await comesTrue(10_000, async () => (await stored()) === 1_201, everyMs))
    assert.equal(lost(), 0)

    const releaseLate = await lock(database)
    for (let n = 0; n < 1_200; n += 1) history.record(entry())
    assert.ok(await comesTrue(20_000, async () => lost() === 1_200, everyMs))
    await releaseLate()
    history.record(entry())
    assert.ok(await comesTrue(10_000, async () => (await stored()) === 1_202, everyMs))
    assert.equal(lost(), 1_200)
  })
}

test('a removed file is made again, and a folder or other file in its place loses only what was recorded meanwhile', async (t) => {
  const database = (await emptyDatabases.sqlite?.(t)) as DatabaseLocation & { engine: 'sqlite' }
  mkdirSync(filePath(database))
  const { history, stored, lost } = await opened(t, database)
  history.record(entry())
  assert.ok(await comesTrue(15_000, async () => lost() === 1, everyMs))
  await assert.rejects(stored, { name: 'StoreUnavailable' })
  rmdirSync(filePath(database))
  assert.equal(await stored(), 0)
  writeFileSync(filePath(database), 'this is no database'.repeat(1_000))
  history.record(entry())
  assert.ok(await comesTrue(15_000, async () => lost() === 2, everyMs))
  rmSync(filePath(database))
  history.record(entry())
  assert.ok(await comesTrue(10_000, async () => (await stored()) === 1, everyMs))
  for (const end of ['', '-wal', '-shm']) rmSync(filePath(database) + end, { force: true })
  history.record(entry())
  assert.ok(await comesTrue(10_000, async () => (await stored()) === 1, everyMs))
  assert.equal(lost(), 2)
})

test('a read whose time is over before its turn comes is left out: it would hold up the next ones', async (t) => {
  const table = await openHistoryTable((await emptyDatabases.sqlite?.(t)) as DatabaseLocation)
  t.after(table.close)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 10_000 })
  await assert.rejects(table.page(1, all, { limit: 1 }), /is slow$/)
  t.mock.timers.reset()
  assert.deepEqual(await table.page(1, all, { limit: 1 }), [])
})

test('no more than 20,000 entries wait, and closing takes a second at most', async () => {
  let lost = 0
  const table = {
    append: () => new Promise(() => {}),
    moveBatch: async () => false,
    purge: async () => 0,
  } as unknown as HistoryTable
  const onLost = (count: number) => {
    lost += count
  }
  const history = openHistory({ table, days: 7, onLost, now: Date.now })
  for (let n = 0; n < 12_000; n += 1) history.record(entry())
  await sleep(300)
  for (let n = 0; n < 12_000; n += 1) history.record(entry())
  assert.equal(lost, 4_000)
  const startedAt = performance.now()
  await history.close()
  const took = performance.now() - startedAt
  assert.ok(took > 900 && took < 1_500, `${took} ms`)
})

test('no more than 50 statements wait for the thread that writes the file', async (t) => {
  const database = (await emptyDatabases.sqlite?.(t)) as DatabaseLocation & { engine: 'sqlite' }
  const { write, close } = historyInThreads(filePath(database))
  t.after(close)
  const outcomes = await Promise.allSettled(Array.from({ length: 51 }, () => write('DELETE FROM delivery_log', [])))
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? one.reason.name : []))
  assert.deepEqual(refused, ['StoreUnavailable'])
})

test('entries that wait are stored before the history is closed', async (t) => {
  const database = (await emptyDatabases.sqlite?.(t)) as DatabaseLocation
  const { history, stored, lost } = await opened(t, database)
  for (let n = 0; n < 1_700; n += 1) history.record(entry())
  await history.close()
  assert.equal(await stored(), 1_700)
  assert.equal(lost(), 0)
})

test('an account whose entries cannot be stored loses them after a while, and holds up no others', async (t) => {
  const stored: number[] = []
  const losses: number[] = []
  const table: EntryTable<HistoryEntry> = {
    async append(entries) {
      const isAway = ({ accountId }: { accountId: number }) => accountId === 2
      stored.push(...entries.filter((one) => !isAway(one)).map(({ accountId }) => accountId))
      return entries.filter(isAway)
    },
    purge: async () => 0,
  }
  const history = openHistory({ table, days: 7, onLost: (count) => losses.push(count), now: Date.now })
  t.after(history.close)
  const record = (count: number, accountId: number) => {
    for (let n = 0; n < count; n += 1) history.record(historyEntry({ atMs: Date.now(), accountId }))
  }
  record(30, 2)
  await sleep(1_200)
  for (let n = 0; n < 1_000; n += 1) history.record(historyEntry({ atMs: Date.now(), accountId: 1 + (n % 2) }))
  assert.ok(await comesTrue(3_000, async () => stored.length === 500, everyMs))
  assert.deepEqual(losses, [])
  record(10, 2)
  assert.ok(await comesTrue(10_000, async () => losses.length === 3, everyMs))
  // Each after as long as the others.
  assert.deepEqual([losses, stored.length], [[30, 500, 10], 500])
  // What is lost leaves its room to others.
  record(20_000, 1)
  assert.equal(losses.length, 3)
})

test('once some of an account cannot be stored, the rest is not tried: each try may wait two seconds for a lock', async () => {
  const entries = Array.from({ length: 2_001 }, (_, index) => ({ accountId: index < 2_000 ? 1 : 2, index }))
  const tried: number[] = []
  const left = await appendByAccount(entries, async (own) => {
    const [first] = own as [(typeof own)[number]]
    tried.push(first.index)
    if (first.index === 500) throw new Error('locked')
  })
  assert.deepEqual(tried.sort(), [0, 2_000, 500])
  assert.deepEqual(left, entries.slice(500, 2_000))
})

test('an entry waits for one second, also where the timer ends a part of a millisecond early', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0.9
  t.mock.method(performance, 'now', () => nowMs)
  let stored = 0
  const append = async (entries: readonly HistoryEntry[]) => {
    stored += entries.length
    return []
  }
  const table = { append, purge: async () => 0 }
  const history = openHistory({ table, days: 7, onLost: () => {}, now: Date.now })
  t.after(history.close)
  history.record(historyEntry({ atMs: 0, accountId: 1 }))
  // A timer counts whole milliseconds: it began at 0.
  for (let ms = 1; ms <= 1_001; ms += 1) {
    nowMs = ms
    t.mock.timers.tick(1)
  }
  assert.equal(stored, 1)
})

test('old entries are removed every ten minutes, also after a round that failed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 9 * 86_400_000 })
  const purged: number[] = []
  const purge = async (beforeMs: number) => {
    if (purged.push(beforeMs) === 2) throw new Error('locked')
    return 0
  }
  const stop = keepTidy({ purge }, 7, Date.now)
  for (const ms of [1_000, 600_000, 600_000]) {
    t.mock.timers.tick(ms)
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
  }
  stop()
  t.mock.timers.tick(600_000)
  assert.deepEqual(
    purged.map((beforeMs) => beforeMs - 2 * 86_400_000),
    [1_000, 601_000, 1_201_000],
  )
})

test('a clock that jumps years ahead removes nothing within ten minutes, and old entries after that', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const [start, ahead] = [9 * 86_400_000, 800 * 86_400_000]
  let nowMs = start
  const purged: number[] = []
  const purge = async (beforeMs: number) => {
    purged.push(beforeMs + 7 * 86_400_000)
    return 0
  }
  const stop = keepTidy({ purge }, 7, () => nowMs)
  for (const [ms, clock] of [
    [1_000, start],
    [600_000, ahead],
    [600_000, start],
    [600_000, ahead],
    [600_000, ahead],
  ] as const) {
    nowMs = clock
    t.mock.timers.tick(ms)
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
  }
  stop()
  assert.deepEqual(purged, [start, start, ahead])
})

test('a clock that jumps ahead during a round removes nothing more in that round', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const start = 9 * 86_400_000
  let nowMs = start
  const purged: number[] = []
  const purge = async (beforeMs: number) => {
    nowMs = 800 * 86_400_000
    return 3 - purged.push(beforeMs + 7 * 86_400_000)
  }
  const stop = keepTidy({ purge }, 7, () => nowMs)
  for (const ms of [1_000, 600_000]) {
    t.mock.timers.tick(ms)
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
  }
  stop()
  assert.deepEqual(purged, [start, start, start])
})

test('a clock that jumps ahead while the audit log is purged has no session and no address more removed by it', async (t) => {
  const database = await emptyDatabases.sqlite?.(t)
  assert.ok(database)
  const store = await openStore(database, { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false })
  t.after(store.close)
  const start = 900 * 86_400
  let now = start
  const seen: number[] = []
  const jump = (at: number) => {
    now = start + 800 * 86_400
    return 3 - seen.push(at)
  }
  const audit = { ...store.audit, purge: async (_: number, at: number) => jump(at) }
  const access = { ...store.access, removeEnded: async (ended: { now: number }) => void jump(ended.now) }
  const historyTable = await openHistoryTable(database)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const app = buildApp({
    config: readConfig({ port: '0', webhooks: 'off' }),
    store: { ...store, audit, access },
    historyTable,
    log: { info() {}, warn() {}, error() {} },
    now: () => now * 1_000,
  })
  t.mock.timers.tick(1_000)
  while (seen.length < 4) await nextTurn()
  assert.deepEqual(new Set(seen), new Set([start]))
  t.mock.timers.reset()
  await app.close()
})
