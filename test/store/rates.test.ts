// Exactly as many requests of a minute pass as may, over every process that counts them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../src/store/open.ts'
import { emptyDatabases } from '../support/empty-databases.ts'
import { ask } from '../support/postgres-databases.ts'
import { comesTrue } from '../support/prepared.ts'

const options = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false }
const limit = 120

/** The embedded database has one server, which counts in memory. */
const processes: Record<string, number> = { sqlite: 1, postgres: 2 }

for (const [engine, place] of Object.entries(emptyDatabases)) {
  test(`of 600 requests at once exactly ${limit} pass, and each is told what is left: ${engine}`, async (t) => {
    const database = await place(t)
    const opened = Array.from({ length: processes[engine] ?? 1 }, () => openStore(database, options))
    const stores = await Promise.all(opened)
    t.after(() => Promise.all(stores.map((store) => store.close())))
    const secondsLeft = 60 - ((Date.now() / 1_000) % 60)
    if (secondsLeft < 10) await sleep(secondsLeft * 1_000 + 100)
    for (const count of ['count', 'countEvents', 'countVisitor'] as const) {
      const verdicts = await Promise.all(
        Array.from({ length: 600 }, (_, n) => {
          const { rates } = stores[n % stores.length] as (typeof stores)[number]
          return count === 'countVisitor'
            ? rates.countVisitor('192.0.2.7', limit, Date.now())
            : rates[count](7, limit, Date.now())
        }),
      )
      const passed = verdicts.filter(({ allowed }) => allowed)
      assert.deepEqual(
        passed.map(({ remaining }) => remaining).sort((a, b) => a - b),
        Array.from({ length: limit }, (_, remaining) => remaining),
      )
      for (const { allowed, remaining, resetSeconds } of verdicts) {
        assert.ok(allowed || remaining === 0)
        assert.ok(resetSeconds >= 1 && resetSeconds <= 60)
      }
      const [next] = await Promise.all(stores.map(({ rates }) => rates.count(8, limit, Date.now())))
      assert.ok(next?.allowed, 'another account is not concerned')
    }
  })
}

test('the count of a visitor is removed by any later request, also that of the last visitor', async (t) => {
  const place = await emptyDatabases.postgres?.(t)
  assert.ok(place?.engine === 'postgres')
  const before = await openStore(place, options)
  await before.rates.countVisitor('192.0.2.7', limit, Date.now())
  await before.close()
  await ask(place.url, 'UPDATE request_rates SET minute = minute - 3')
  const visitors = () => ask(place.url, 'SELECT 1 FROM request_rates WHERE account_id < 0')
  assert.equal((await visitors()).length, 1)
  const store = await openStore(place, options)
  t.after(() => store.close())
  await store.rates.count(7, limit, Date.now())
  assert.ok(await comesTrue(5_000, async () => (await visitors()).length === 0))
})
