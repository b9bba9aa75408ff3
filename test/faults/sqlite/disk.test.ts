// The disk beneath the embedded database: full, or failing. The server is the shipped one, its driver is not.
import assert from 'node:assert/strict'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { amount, isFull, someOf } from '../../support/faults.ts'
import type { SqliteFault } from '../../support/faulty-sqlite.ts'
import type { Installation } from '../../support/lastcall.ts'
import { newLedger, type Told } from '../../support/ledger.ts'
import { comesTrue, prepared } from '../../support/prepared.ts'

const preload = `--import=${import.meta.resolve('../../support/faulty-sqlite.ts')}`

function assertIntact({ databasePath }: Installation): void {
  const database = new DatabaseSync(databasePath)
  assert.equal(database.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
  database.close()
}

test('the disk', { concurrency: amount(1, 3), timeout: 120_000 }, async (t) => {
  const origin = await prepared(t)
  const tests: Promise<void>[] = []

  async function begun(t: TestContext) {
    const place = origin.copy(t)
    const file = join(place.folder, 'fault')
    const meets = (fault: SqliteFault) => writeFileSync(file, fault)
    meets('none')
    const server = await place.serve(['--rate-limit', '1000000'], {
      NODE_OPTIONS: preload,
      TEST_FAULT_FILE: file,
    })
    return { place, server, meets, ledger: newLedger(place, origin) }
  }
  let ours: ReturnType<typeof begun> | undefined
  /** In the short form one server meets all, one after the other: most of a test is the start of a server. */
  function start(own: TestContext) {
    if (isFull) return begun(own)
    ours ??= begun(t)
    return ours
  }

  const isRefused = ({ status, body, tookMs }: Told) =>
    status === 503 && body.code === 'SERVICE_UNAVAILABLE' && tookMs < 1_500

  tests.push(
    t.test('after a failed sync the file is closed and opened before anything is written to it', async (t) => {
      const { place, server, meets, ledger } = await start(t)
      // Closed by everyone, its log is gone; the next one is another file.
      const log = () => {
        const { ino, birthtimeMs } = statSync(`${place.databasePath}-wal`)
        return `${ino} ${birthtimeMs}`
      }
      const first = log()
      for (let n = 0; n < 5; n += 1) await ledger.register(server, `before-${n}@example.com`)
      assert.equal(log(), first)
      meets('sync fails, undone')
      assert.ok(isRefused(await ledger.post(server, 'leads', 'doubtful@example.com')))
      meets('none')
      await ledger.register(server, 'after@example.com')
      assert.notEqual(log(), first, 'the same files are written on')
      const second = log()
      await ledger.register(server, 'later@example.com')
      assert.equal(log(), second)
    }),
    t.test('if the file cannot be opened again at once, it is tried until it can', async (t) => {
      const { server, meets, ledger } = await start(t)
      await ledger.register(server, 'before-opening@example.com')
      meets('opening fails')
      for (const name of ['uncertain', 'closed'])
        assert.ok(isRefused(await ledger.post(server, 'leads', `${name}@example.com`)))
      assert.equal((await fetch(`${server.origin}/readyz`)).status, 503)
      meets('none')
      assert.ok(await comesTrue(2_000, async () => (await fetch(`${server.origin}/readyz`)).status === 200))
      await ledger.register(server, 'after-opening@example.com')
    }),
  )

  const faults: SqliteFault[] = ['disk full', 'write fails', 'sync fails, undone', 'sync fails, done']
  const met = someOf(faults, 2)
  for (const fault of met)
    tests.push(
      t.test(`${fault}: writes are 503, reads go on, and it recovers without a restart`, async (t) => {
        const { place, server, meets, ledger } = await start(t)
        let isOver = false
        const loading = ledger.load({
          servers: [server],
          clients: 8,
          isOver: () => isOver,
          tolerates: isRefused,
        })
        loading.catch(() => {}) // looked at below
        const count = (status: number) => ledger.counts.get(status) ?? 0
        for (let round = 0; round < amount(1, 3); round += 1) {
          const created = count(201)
          assert.ok(await comesTrue(20_000, () => count(201) > created + 50), 'nothing is registered')
          const known = ledger.answered().slice(-20)
          meets(fault)
          let registered = 0
          /** A hundred are refused, reads go on meanwhile, and nothing is registered. */
          const isFull = async () => {
            const refused = count(503)
            registered = count(201)
            assert.ok(await comesTrue(10_000, () => count(503) > refused + 100), 'nothing is refused')
            for (const email of known) assert.equal((await ledger.post(server, 'leads/lookup', email)).status, 200)
            assert.equal((await fetch(`${server.origin}/readyz`)).status, 200)
            return count(201) === registered
          }
          // What is small enough may still fit into the last page of a full disk.
          assert.ok(await comesTrue(10_000, isFull), 'something is registered all the time')
          if (fault === 'disk full') assert.ok(server.output().includes("the database's disk is full"))
          meets('none')
          assert.ok(await comesTrue(2_000, () => count(201) > registered), 'it does not recover')
        }
        isOver = true
        await loading
        await ledger.assertKept(server, ledger.answered())
        assertIntact(place)
        if (!isFull && fault !== met.at(-1)) return
        assert.equal(await server.stop(), 0)
        assertIntact(place)
        await ledger.assertBook()
      }),
    )

  await Promise.all(tests)
})
