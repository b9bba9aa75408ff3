// The cluster of the tests does what tests of faults rely on.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { longTest } from './faults.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { ask } from './postgres-databases.ts'
import { postgresUrl } from './shared-postgres.ts'

// Tests of faults, some of which are in the short form, fail where this does.
longTest('a cluster', async (t) => {
  const cluster = await startPostgres()
  t.after(() => cluster.stop())
  await ask(cluster.url, 'CREATE TABLE kept (n int)', 'INSERT INTO kept VALUES (1)')

  await t.test('is PostgreSQL 18 and gives databases to a role that is no superuser', async () => {
    const [row] = await ask(
      cluster.url,
      "SELECT current_setting('server_version_num')::int / 10000 AS version, rolsuper FROM pg_roles WHERE rolname = current_user",
    )
    assert.deepEqual(row, { version: 18, rolsuper: false })
    const [first, second] = await Promise.all([cluster.createDatabase(), cluster.createDatabase()])
    await ask(first, 'CREATE TABLE here (n int)')
    await assert.rejects(ask(second, 'SELECT * FROM here'), { code: '42P01' })
    await cluster.dropDatabase(first)
    await assert.rejects(ask(first, 'SELECT 1'), { code: '3D000' })
  })

  await t.test('refuses a wrong password', async () => {
    const wrong = new URL(cluster.url)
    wrong.password = 'wrong'
    await assert.rejects(ask(wrong.href, 'SELECT 1'), { code: '28P01' })
  })

  for (const end of ['kill9', 'stopImmediate'] as const)
    await t.test(`${end} cuts connections, and what was committed is there after start`, async () => {
      const client = await connected(cluster)
      await client.query('BEGIN')
      await client.query('INSERT INTO kept VALUES (-1)')
      const lost = once(client, 'error')
      await cluster[end]()
      await lost
      await assert.rejects(ask(cluster.url, 'SELECT 1'), { code: 'ECONNREFUSED' })
      await cluster.start()
      assert.deepEqual(await ask(cluster.url, 'SELECT n FROM kept'), [{ n: 1 }])
    })

  await t.test('frozen it takes connections, answers none, and goes on where it was', async () => {
    const client = await connected(cluster)
    t.after(() => client.end())
    cluster.freeze()
    const answers: string[] = []
    const old = client.query('SELECT 1').then(() => answers.push('old'))
    const fresh = ask(cluster.url, 'SELECT 1').then(() => answers.push('new'))
    await sleep(300)
    assert.deepEqual(answers, [])
    cluster.thaw()
    await Promise.all([old, fresh])
    assert.deepEqual(answers.sort(), ['new', 'old'])
  })
})

async function connected(cluster: Postgres): Promise<Client> {
  const client = new Client({ connectionString: cluster.url })
  await client.connect()
  client.on('error', () => {})
  return client
}

test('every file of a run has the same cluster', async () => {
  const started = process.env.LASTCALL_TEST_POSTGRES
  const url = await postgresUrl()
  assert.equal(url, started ?? url)
  assert.equal(await postgresUrl(), url)
})

/** Node with a cluster of its own, as `cluster`, and then these statements. */
function processWith(options: string, statements: string) {
  const module = (name: string) => JSON.stringify(join(import.meta.dirname, name))
  const script = `import { startPostgres } from ${module('postgres.ts')}
    import { ask } from ${module('postgres-databases.ts')}
    const cluster = await startPostgres(${options})
    ${statements}`
  const stdio = ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit']
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio })
  return { child, printed: once(child.stdout.setEncoding('utf8'), 'data').then(([text]) => JSON.parse(text)) }
}

async function assertGone({ folder, url }: { folder: string; url: string }): Promise<void> {
  const until = performance.now() + 15_000
  while (existsSync(folder) && performance.now() < until) await sleep(50)
  assert.ok(!existsSync(folder))
  await assert.rejects(ask(url, 'SELECT 1'), { code: 'ECONNREFUSED' })
}

const printWhere = `const [{ data }] = await ask(cluster.adminUrl, "SELECT current_setting('data_directory') AS data")
  const [{ fsync }] = await ask(cluster.adminUrl, "SELECT current_setting('fsync') AS fsync")
  const where = { folder: data.replace(/.data$/, ''), url: cluster.adminUrl, fsync }
  console.log(JSON.stringify(where))`

longTest('a cluster, even a frozen one, does not outlive a process that is killed', async () => {
  const { child, printed } = processWith('', `${printWhere}\ncluster.freeze()\nsetInterval(() => {}, 1000)`)
  const { fsync, ...where } = await printed
  assert.ok(existsSync(where.folder))
  assert.equal(fsync, 'off')
  await sleep(300)
  child.kill('SIGKILL')
  await assertGone(where)
})

longTest('a durable cluster waits for the disk; a process that is done with it need not stop it', async () => {
  const { child, printed } = processWith('{ durable: true }', printWhere)
  const [{ fsync, ...where }, [code]] = await Promise.all([printed, once(child, 'close')])
  assert.equal(code, 0)
  assert.equal(fsync, 'on')
  await assertGone(where)
})
