// The request history as rows, on both engines: what is stored is read, filtered, counted and paged exactly.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { errorStatus } from '../../src/core/errors.ts'
import { operations } from '../../src/core/operations.ts'
import type { DeliveryCursor, DeliveryEntry } from '../../src/history/deliveries.ts'
import type { HistoryEntry } from '../../src/history/entry.ts'
import { openHistory } from '../../src/history/history.ts'
import { openHistoryTable } from '../../src/history/open.ts'
import type { AccountEntry, Cursor, HistoryFilter, HistoryTable } from '../../src/history/table.ts'
import { type DatabaseLocation, migrateDatabase, openStore } from '../../src/store/open.ts'
import { databaseFolder } from '../support/database-folder.ts'
import { emptyDatabases } from '../support/empty-databases.ts'
import { historyEntry } from '../support/history-seed.ts'
import { storeBatches } from '../support/old-history.ts'
import { comesTrue } from '../support/prepared.ts'

const startMs = Date.parse('2026-06-01T10:00:00Z')
const all: HistoryFilter = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }
const keys = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
const codes = Object.keys(errorStatus) as (keyof typeof errorStatus)[]

/** Of two accounts, of every kind, many within one millisecond, and not in the order of their time. */
const variety = Array.from({ length: 3_000 }, (_, index): HistoryEntry => {
  const errorCode = index % 3 === 0 ? (codes[Math.floor(index / 6) % codes.length] ?? null) : null
  return historyEntry({
    atMs: startMs + ((index * 7_919) % 600) * 10_007,
    accountId: 1 + (index % 2),
    keyId: keys[index % 5 === 0 ? 1 : 0] as string,
    operation: index % 11 === 0 ? null : (operations[index % 3] ?? null),
    campaignId: index % 4 === 0 ? null : index,
    status: errorCode === null ? 200 + (index % 2) : errorStatus[errorCode],
    errorCode,
    milliseconds: index % 400,
  })
})

const filters: Record<string, Partial<HistoryFilter>> = {
  none: {},
  time: { fromMs: startMs + 10_007 * 100, toMs: startMs + 10_007 * 400 },
  key: { keyId: keys[1] },
  operation: { operation: 'registerLead' },
  'class of status': { statusClass: 4 },
  'error code': { errorCode: 'RATE_LIMITED' },
  'beginning of the request id': { requestId: (variety[4] as HistoryEntry).requestId.slice(0, 1) },
  'several at once': {
    keyId: keys[0],
    operation: 'listCampaigns',
    statusClass: 4,
    toMs: startMs + 5_000_000,
  },
  'what nothing fits': { errorCode: 'RATE_LIMITED', statusClass: 5 },
}

function fits(entry: HistoryEntry, accountId: number, filter: HistoryFilter): boolean {
  const { keyId, operation, errorCode, statusClass, requestId = '' } = filter
  return (
    entry.accountId === accountId &&
    entry.atMs >= filter.fromMs &&
    entry.atMs < filter.toMs &&
    (keyId === undefined || entry.keyId === keyId) &&
    (operation === undefined || entry.operation === operation) &&
    (errorCode === undefined || entry.errorCode === errorCode) &&
    (statusClass === undefined || Math.floor(entry.status / 100) === statusClass) &&
    entry.requestId.startsWith(requestId)
  )
}

const delivery = (atMs: number, cause: DeliveryEntry['cause']): DeliveryEntry => ({
  ...{ accountId: 1, endpointId: 1, atMs, eventId: `evt_${randomUUID()}`, kind: 'lead.registered', leadId: 1 },
  ...{ dueAt: 1, detail: 0, status: cause === null ? 204 : null, cause, milliseconds: 3, tryNumber: 1 },
})

const newestFirst = (a: Cursor, b: Cursor) => b.atMs - a.atMs || (a.requestId < b.requestId ? 1 : -1)
const ofAccount = ({ accountId: _, ...entry }: HistoryEntry): AccountEntry => entry

async function pages(table: HistoryTable, filter: HistoryFilter, limit: number, between?: () => Promise<void>) {
  const found: AccountEntry[] = []
  for (;;) {
    const page = await table.page(1, filter, { before: found.at(-1), limit })
    found.push(...page)
    if (page.length < limit) return found
    await between?.()
  }
}

test('by whichever of two names the database is opened, its history is the same', async (t) => {
  const folder = databaseFolder('history')
  t.after(() => rmSync(folder, { recursive: true }))
  const [path, link] = [join(folder, 'lastcall.db'), join(folder, 'link.db')]
  writeFileSync(path, '')
  symlinkSync(path, link)
  const [written, read] = await Promise.all([link, path].map((path) => openHistoryTable({ engine: 'sqlite', path })))
  t.after(() => Promise.all([written?.close(), read?.close()]))
  const entry = historyEntry({ atMs: Date.now(), accountId: 1 })
  assert.deepEqual(await written?.append([entry]), [])
  assert.deepEqual(await read?.page(1, all, { limit: 10 }), [ofAccount(entry)])
})

for (const [engine, place] of Object.entries(emptyDatabases)) {
  const opened = async (t: Parameters<typeof place>[0]) => {
    const database: DatabaseLocation = await place(t)
    await migrateDatabase(database)
    const table = await openHistoryTable(database)
    t.after(() => table.close())
    return { database, table }
  }

  test(`entries come back as they were, by every filter, and are counted exactly: ${engine}`, async (t) => {
    const { table } = await opened(t)
    for (let from = 0; from < variety.length; from += 500) await table.append(variety.slice(from, from + 500))
    // As after an answer that was lost on its way.
    await table.append(variety.slice(0, 500))
    for (const [name, filter] of Object.entries(filters)) {
      const asked = { ...all, ...filter }
      const expected = variety.filter((entry) => fits(entry, 1, asked)).sort(newestFirst)
      assert.ok(name === 'what nothing fits' ? expected.length === 0 : expected.length > 2, name)
      assert.deepEqual(await pages(table, asked, 50), expected.map(ofAccount), name)
      const bars = await table.bars(1, asked, 300)
      for (const { at, succeeded, refused, failed } of bars) {
        const within = expected.filter(({ atMs }) => Math.floor(atMs / 300_000) * 300 === at)
        const count = (digit: number) => within.filter(({ status }) => Math.floor(status / 100) === digit).length
        assert.deepEqual([succeeded, refused, failed], [count(2), count(4), count(5)], `${name} at ${at}`)
      }
      const counted = bars.reduce((sum, bar) => sum + bar.succeeded + bar.refused + bar.failed, 0)
      assert.equal(counted, expected.length, name)
    }
  })

  test(`pages have neither gaps nor doubles while entries come: ${engine}`, async (t) => {
    const { table } = await opened(t)
    const known = Array.from({ length: 400 }, (_, index) =>
      historyEntry({ atMs: startMs + (index >> 4), accountId: 1 }),
    )
    await table.append(known)
    const arrive = async () => void (await table.append([historyEntry({ atMs: startMs + 1_000, accountId: 1 })]))
    const sorted = known.map(ofAccount).sort(newestFirst)
    assert.deepEqual(await pages(table, all, 7, arrive), sorted)
    const [, second] = sorted
    const news = await table.page(1, { ...all, toMs: startMs + 1_000 }, { after: second, limit: 50 })
    assert.deepEqual(news, sorted.slice(0, 1))
    assert.equal((await table.page(1, all, { after: sorted[0], limit: 100 })).length, Math.floor(400 / 7))

    const tries = Array.from({ length: 100 }, (_, index) =>
      delivery(startMs + (index >> 4), index % 3 ? null : 'timeout'),
    )
    for (const time of ['first', 'again, as after an answer that was lost'])
      assert.deepEqual(await table.deliveries.append(tries), [], time)
    for (const outcome of [undefined, 'failed', 'delivered'] as const) {
      const fit = tries.filter(({ cause }) => outcome === undefined || (cause === null) === (outcome === 'delivered'))
      const told: string[] = []
      for (let before: DeliveryCursor | undefined; ; ) {
        const page = await table.deliveries.page(1, { endpointId: 1, outcome, before, limit: 7 })
        told.push(...page.map(({ eventId }) => eventId))
        before = page.at(-1)
        if (page.length < 7) break
      }
      const newest = fit.toSorted((a, b) => b.atMs - a.atMs || (a.eventId < b.eventId ? 1 : -1))
      assert.deepEqual(
        told,
        newest.map(({ eventId }) => eventId),
      )
    }
  })

  test(`entries older than the days that are kept are removed, and nothing else: ${engine}`, async (t) => {
    const { database, table } = await opened(t)
    const dayMs = 86_400_000
    const entries = Array.from({ length: 2_600 }, (_, index) =>
      historyEntry({ atMs: Date.now() - (index % 2 ? 2.01 : 1.9) * dayMs, accountId: 1 + (index % 3) }),
    )
    await table.append(entries.slice(0, 1_300))
    await table.append(entries.slice(1_300))
    const own = await openHistoryTable(database)
    const history = openHistory({
      table: own,
      days: 2,
      onLost: () => assert.fail(),
      now: Date.now,
    })
    t.after(async () => {
      await history.close()
      await own.close()
    })
    const kept = entries.filter((_, index) => index % 2 === 0)
    const left = async () => {
      const found = await Promise.all([1, 2, 3].map((account) => table.page(account, all, { limit: 3_000 })))
      return found.flat()
    }
    assert.ok(await comesTrue(10_000, async () => (await left()).length === kept.length, 150))
    assert.deepEqual((await left()).sort(newestFirst), kept.map(ofAccount).sort(newestFirst))
  })

  test(`the log of webhooks is kept as long as HISTORY_DAYS says, and no longer: ${engine}`, async (t) => {
    const { database, table } = await opened(t)
    const nowMs = Date.now()
    const endMs = nowMs - 3 * 86_400_000
    const [kept, old] = [endMs, endMs - 1].map((atMs) => delivery(atMs, null)) as [DeliveryEntry, DeliveryEntry]
    await table.deliveries.append([kept, old])
    const store = await openStore(database, { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false })
    t.after(store.close)
    const app = buildApp({
      config: readConfig({ port: '0', webhooks: 'off', 'history-days': '3' }),
      ...{ store, historyTable: await openHistoryTable(database) },
      ...{ log: { info() {}, warn() {}, error() {} }, now: () => nowMs },
    })
    t.after(app.close)
    const left = async () => table.deliveries.page(1, { endpointId: 1, limit: 3 })
    await comesTrue(5_000, async () => (await left()).length < 2, 50)
    assert.deepEqual(await left(), [kept])
  })

  test(`entries of the version before are moved, even if the move is interrupted: ${engine}`, async (t) => {
    const { database, table } = await opened(t)
    await storeBatches(database, variety)
    assert.equal(await table.moveBatch(), true)
    // As if the process had ended between storing the rows and removing the batch.
    await table.append(variety.slice(-700))
    const lost: number[] = []
    const own = await openHistoryTable(database)
    const history = openHistory({
      table: own,
      days: 3_660,
      onLost: (n) => lost.push(n),
      now: Date.now,
    })
    t.after(async () => {
      await history.close()
      await own.close()
    })
    const fresh = historyEntry({ atMs: Date.now(), accountId: 1 })
    history.record(fresh)
    const expected = [...variety.filter((entry) => fits(entry, 1, all)), fresh].map(ofAccount).sort(newestFirst)
    const isThere = async () => (await table.page(1, all, { limit: 5_000 })).length === expected.length
    assert.ok(await comesTrue(10_000, isThere, 150))
    assert.deepEqual(await pages(table, all, 1_000), expected)
    assert.ok(await comesTrue(5_000, async () => !(await table.moveBatch())))
    assert.deepEqual(lost, [])
  })
}
