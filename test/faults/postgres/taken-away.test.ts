// PostgreSQL goes on, but is no longer ours, or does not let us start or stop: 503 and never another installation's
// rows, and processes that end when they should.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../../src/store/open.ts'
import { isFull, longTest, someOf } from '../../support/faults.ts'
import { installation, type Server } from '../../support/lastcall.ts'
import { isReady, type OwnerOnPostgres, ownerOn, post } from '../../support/owner-on-postgres.ts'
import { ask, createDatabase } from '../../support/postgres-databases.ts'
import { assertRefused, comesTrue, command, root, sharedCommand } from '../../support/prepared.ts'
import { sharedCluster } from '../../support/shared-postgres.ts'

const cluster = sharedCluster()
const owner = async () => ownerOn(await cluster)

const tablesGone = 'its tables are gone'
const anotherThere = 'another installation is put in its place'
const dropTables = (url: string) => ask(url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public')
const createOther = (url: string) =>
  sharedCommand(['account', 'create', '--name', 'Other'], { env: { DATABASE_URL: url } }).then(({ code }) =>
    assert.equal(code, 0),
  )
const replaced: Record<string, ((url: string) => Promise<unknown>)[]> = {
  [tablesGone]: [dropTables],
  [anotherThere]: [
    async (url) => {
      await dropTables(url)
      await createOther(url)
    },
  ],
}
async function assertReplaced(me: OwnerOnPostgres, server: Server, acts: ((url: string) => Promise<unknown>)[]) {
  assert.equal((await post(server, me, 'leads', 'before@example.com')).status, 201)
  for (const act of acts) {
    await act(me.url)
    assert.ok(await comesTrue(3_000, async () => !(await isReady(server))), 'it says it is ready')
    // It looks four times a second: what it has seen by now is what stands there.
    await sleep(1_000)
    assert.ok(!(await isReady(server)), 'it says it is ready again')
    for (const operation of ['leads', 'leads/lookup'])
      assert.equal((await post(server, me, operation, 'before@example.com')).status, 503)
    const tables = await ask(me.url, `SELECT 1 FROM pg_tables WHERE schemaname = 'public'`)
    if (tables.length > 0) {
      // Longer than requests wait to be stored in the history.
      await sleep(1_500)
      for (const table of ['leads', 'request_history', 'delivery_log'])
        assert.deepEqual(await ask(me.url, `SELECT 1 FROM ${table}`), [], table)
    }
  }
}
const isReplaced = (how: string) => `${how}: not ready, 503, and nothing is written into it`
for (const [how, acts] of Object.entries(replaced))
  longTest(isReplaced(how), async (t) => {
    const me = await owner()
    await assertReplaced(me, await installation(t).serve([], { DATABASE_URL: me.url }), acts)
  })

test('a database of another program, half restored, or without its password is refused and not changed', {
  timeout: 60_000,
}, async () => {
  const { adminUrl } = await cluster
  const [theirs, half] = [await createDatabase(adminUrl), await createDatabase(adminUrl)]
  const refused = async (url: string, why: string) =>
    assertRefused(await sharedCommand(['migrate'], { env: { DATABASE_URL: url } }), why, [1])
  await ask(theirs, "CREATE TABLE schema_version AS SELECT '5' AS version")
  await refused(theirs, 'the database has tables, but not those of Lastcall')
  assert.deepEqual(await ask(theirs, 'SELECT version FROM schema_version'), [{ version: '5' }])
  await createOther(half)
  const open = Object.assign(new URL(half), { password: '' }).href
  await refused(open, 'PostgreSQL of DATABASE_URL: it wants a password: put it into the address, or set PGPASSWORD')
  for (const table of ['installation', 'schema_version']) {
    await ask(half, `DELETE FROM ${table}`)
    await refused(half, 'the database was not restored to the end')
  }
})

test('somebody migrates the database: a start waits for that longer than for any other lock', {
  timeout: 60_000,
}, async (t) => {
  const me = await owner()
  const { Client } = await import('pg')
  const somebody = new Client(me.url)
  await somebody.connect()
  await somebody.query('SELECT pg_advisory_lock($1)', [0x4c43616c])
  const starting = installation(t).serve([], { DATABASE_URL: me.url })
  assert.equal(await Promise.race([starting, sleep(4_000, 'waits')]), 'waits')
  await somebody.end()
  const server = await starting
  assert.equal((await post(server, me, 'leads', 'after@example.com')).status, 201)

  // In the short form this server meets the one after the other.
  if (!isFull)
    return t.test(isReplaced(`${tablesGone}, and then ${anotherThere}`), () =>
      assertReplaced(me, server, [dropTables, createOther]),
    )
  await t.test('brought to a newer version: a server says so and ends', async () => {
    const exited = once(server.process, 'exit')
    await ask(me.url, 'UPDATE schema_version SET version = version + 1')
    const [code] = await Promise.race([exited, sleep(5_000, ['still there'])])
    assert.equal(code, 1)
    assert.match(server.output(), /a newer Lastcall has migrated the database/)
  })
})

test('brought to a newer version while nothing is asked for: it is noticed, once', async (t) => {
  const { url } = await owner()
  let times = 0
  const onNewerDatabase = () => {
    times += 1
  }
  const options = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 1, isServer: false, onNewerDatabase }
  const store = await openStore({ engine: 'postgres', url }, options)
  t.after(store.close)
  await ask(url, 'UPDATE schema_version SET version = version + 1')
  assert.ok(await comesTrue(5_000, () => times > 0))
  // It looks four times a second.
  await sleep(600)
  assert.equal(times, 1)
})

for (const workers of someOf(['2', '1'], 1))
  test(`frozen: a start with ${workers} of the workers can be stopped`, { timeout: 60_000 }, async () => {
    // As a frozen PostgreSQL: it takes connections and answers none.
    const frozen = createServer().listen(0, '127.0.0.1')
    await once(frozen, 'listening')
    const url = `postgres://somebody@127.0.0.1:${(frozen.address() as AddressInfo).port}/lastcall`
    const starting = spawn(
      process.execPath,
      [join(root, 'src', 'main.ts'), 'serve', '--port', '0', '--workers', workers],
      { env: { PATH: process.env.PATH, DATABASE_URL: url }, stdio: 'ignore' },
    )
    // It waits for the database now; before, a signal just ends it.
    const [connection] = await once(frozen, 'connection')
    connection.on('error', () => {})
    await sleep(200)
    const exited = once(starting, 'exit')
    starting.kill('SIGTERM')
    const [code] = await Promise.race([exited, sleep(5_000, ['still there'])])
    starting.kill('SIGKILL')
    connection.destroy()
    frozen.close()
    assert.equal(code, 0)
  })

for (const workers of ['1', '2'])
  longTest(`a port that is taken: ${workers} of the workers say so and end`, async () => {
    const { url } = await owner()
    const holder = createServer().listen(0, '127.0.0.1').unref()
    await once(holder, 'listening')
    const { port } = holder.address() as AddressInfo
    const env = { DATABASE_URL: url, PORT: String(port) }
    const startedAt = performance.now()
    assertRefused(await command(['serve', '--workers', workers], { env }), 'PORT', [2])
    assert.ok(performance.now() - startedAt < 15_000)
    holder.close()
  })

longTest(
  'with workers, the line of listening is the first, they are ready then, and one line says that the panel has no user',
  async (t) => {
    const me = await owner()
    const server = await installation(t).serve(['--workers', '2'], { DATABASE_URL: me.url })
    for (let asked = 0; asked < 4; asked += 1) assert.ok(await isReady(server), 'a worker is not ready')
    assert.ok(await comesTrue(5_000, () => server.output().includes('no user yet')))
    await sleep(500)
    assert.match(server.output(), /^Lastcall listening on /)
    assert.equal(server.output().match(/no user yet/g)?.length, 1)

    await t.test('brought to a newer version: they end, none is replaced, and it is said once', async () => {
      const exited = once(server.process, 'exit')
      await ask(me.url, 'UPDATE schema_version SET version = version + 1')
      const [code] = await Promise.race([exited, sleep(8_000, ['still there'])])
      assert.equal(code, 1)
      assert.equal(server.output().match(/a newer Lastcall has migrated the database/g)?.length, 1)
    })
  },
)
