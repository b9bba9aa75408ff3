// Several processes on one port, on a real PostgreSQL.
import assert from 'node:assert/strict'
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { superviseWorkers } from '../../src/cli/workers.ts'
import { newDatabase } from '../support/citus.ts'
import { amount } from '../support/faults.ts'
import { accountWithKey, appliedCampaign, arrangeIn, campaignFile, installation } from '../support/lastcall.ts'
import { ask } from '../support/postgres-databases.ts'
import { comesTrue, roomInMinute, sharedCommand } from '../support/prepared.ts'
import { childrenOf } from '../support/processes.ts'
import { postgresUrl } from '../support/shared-postgres.ts'

test('several processes on one port', { timeout: 400_000 }, async (t) => {
  const count = amount(2, 3)
  const url = await newDatabase(await postgresUrl())
  const env = { DATABASE_URL: url }
  const account = () =>
    arrangeIn(url, async (store) => {
      const { accountId: id, key } = await accountWithKey(store)
      return { id, key, campaign: await appliedCampaign(store, id, campaignFile({ mailTimer: null })) }
    })
  const [owner, counted] = [await account(), await account()]
  const server = await installation(t).serve(['--workers', String(count), '--rate-limit', '500'], env)
  const workers = () => childrenOf(server.process.pid as number)
  // A connection that is kept would be closed with the worker that is killed.
  const connection = 'close'
  const register = ({ key, campaign }: typeof owner, email: string) =>
    fetch(`${server.base}/campaigns/${campaign.id}/leads`, {
      method: 'POST',
      signal: AbortSignal.timeout(20_000),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection },
      body: JSON.stringify({ email }),
    })
  const registrations = async (of: typeof owner, prefix: string, count: number) => {
    const emails = Array.from({ length: count }, (_, n) => `${prefix}-${n}@example.com`)
    const answers = await Promise.all(emails.map((email) => register(of, email)))
    return answers.map(({ status }) => status)
  }

  await t.test('share the requests, and /metrics tells of all of them', async () => {
    assert.equal(workers().length, count)
    assert.deepEqual(new Set(await registrations(owner, 'first', 60)), new Set([201]))
    const metrics = async () => (await fetch(`${server.origin}/metrics`, { headers: { connection } })).text()
    for (const text of await Promise.all(Array.from({ length: amount(12, 40) }, metrics)))
      assert.match(text, /^lastcall_requests_total\{operation="registerLead",status="201"\} 60$/m)
    assert.doesNotMatch(server.output(), /Warning/)
  })

  await t.test('if a worker hangs, /metrics answers 503 and not nothing', async () => {
    const [victim] = workers()
    process.kill(victim as number, 'SIGSTOP')
    // One connection may be handed to the one that hangs.
    const asking = [1, 2].map(() => fetch(`${server.origin}/metrics`, { headers: { connection } }))
    const { status } = await Promise.any(asking)
    process.kill(victim as number, 'SIGCONT')
    assert.equal(status, 503)
    await Promise.all(asking)
  })

  await t.test('a worker that is killed takes no other down, and is replaced', async () => {
    const [victim] = workers()
    process.kill(victim as number, 'SIGKILL')
    assert.ok(await comesTrue(2_000, () => !workers().includes(victim as number)))
    // Until it notices the end, Node may hand one more connection to it, which nobody answers.
    await Promise.race([registrations(owner, 'handed', 1).catch(() => {}), sleep(1_000)])
    assert.deepEqual(new Set(await registrations(owner, 'second', 60)), new Set([201]))
    assert.ok(await comesTrue(10_000, () => workers().length === count))
  })

  await t.test('a rate is exact across them', async () => {
    const limit = amount(40, 300)
    const args = ['account', 'set', String(counted.id), '--rate-limit', String(limit)]
    assert.equal((await sharedCommand(args, { env })).code, 0)
    await sleep(1_000)
    await roomInMinute()
    const statuses = await registrations(counted, 'third', limit + amount(20, 100))
    assert.equal(statuses.filter((status) => status !== 429).length, limit)
  })

  await t.test('the rate of a visitor is exact across them, and counted under a number', async () => {
    await roomInMinute()
    const submit = (email: string) =>
      fetch(`${server.origin}/visitor/v1/campaigns/${owner.campaign.id}/leads`, {
        method: 'POST',
        headers: { connection },
        body: JSON.stringify({ email }),
      })
    const answers = await Promise.all(Array.from({ length: amount(20, 60) }, (_, n) => submit(`form-${n}@example.com`)))
    const statuses = answers.map(({ status }) => status)
    assert.deepEqual([...new Set(statuses)].sort(), [200, 429])
    assert.equal(statuses.filter((status) => status === 200).length, 6)
    const rows = await ask(url, 'SELECT account_id::text AS name FROM request_rates WHERE account_id < 0')
    assert.equal(rows.length, 1)
  })

  await t.test('SIGTERM ends all of them, with 0', async () => {
    const before = workers()
    const startedAt = performance.now()
    assert.equal(await server.stop(), 0, server.output())
    assert.ok(performance.now() - startedAt < 10_000)
    for (const pid of before) assert.throws(() => process.kill(pid, 0))
  })

  await t.test('are refused on the embedded database', async (own) => {
    const place = installation(own)
    const { code, stderr } = await place.runShared(['serve', '--workers', '2', '--port', '0'])
    assert.deepEqual(
      [code, stderr],
      [2, 'lastcall: WORKERS or --workers: more than one needs PostgreSQL; DATABASE_URL names a file\n'],
    )
  })
})

/** The first of two, which are not ours and do nothing. */
function supervised(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-workers-'))
  const exec = join(folder, 'worker.mjs')
  writeFileSync(exec, 'setInterval(() => {}, 1_000)')
  const workers = () => Object.values(cluster.workers ?? {})
  t.after(() => {
    for (const worker of workers()) worker?.process.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })
  cluster.setupPrimary({ exec, execArgv: [] })
  const warn = t.mock.fn()
  const supervisor = superviseWorkers(2, { log: { info() {}, warn, error() {} }, listening() {} })
  const [first] = workers() as [Worker]
  const code = () => Promise.race([supervisor.ended, sleep(10_000, 'still running', { ref: false })])
  return { stop: supervisor.stop, first, code, warned: () => warn.mock.calls.map(({ arguments: [text] }) => text) }
}

test('a worker that begins to listen just as all are told to stop does not start others, which nobody would stop', async (t) => {
  const { stop, first, code, warned } = supervised(t)
  void stop()
  cluster.emit('listening', first, { port: 1 })
  assert.equal(await code(), 0)
  assert.deepEqual(warned(), [])
})

test('where the system refuses a process for one that ended, the others go on, and it is tried again', async (t) => {
  const { stop, first, code, warned } = supervised(t)
  const { execPath } = process
  t.after(() => {
    process.execPath = execPath
  })
  const workers = () => Object.values(cluster.workers ?? {}).filter((worker) => worker?.isDead() === false) as Worker[]
  cluster.emit('listening', first, { port: 1 })
  const [, second] = workers() as [Worker, Worker]
  cluster.emit('listening', second, { port: 1 })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const ended = once(cluster, 'exit')
  second.process.kill('SIGKILL')
  await ended
  // The first cannot be started (ENOENT comes as EAGAIN does), the second throws (as ENOMEM does).
  for (const path of ['/nowhere/node', 'no\0path', execPath]) {
    process.execPath = path
    t.mock.timers.tick(1_000)
    await nextTurn()
  }
  assert.equal(workers().length, 2)
  assert.ok(workers().includes(first))
  const refused = 'the system refuses a process for a worker: tried again in a second'
  assert.deepEqual(warned(), ['a worker ended and is replaced', refused, refused])
  void stop()
  assert.equal(await code(), 0)
})

test('a worker that hangs is killed in time to exit 0, and the log says so', async (t) => {
  const { stop, first, code, warned } = supervised(t)
  first.process.kill('SIGSTOP')
  t.mock.timers.enable({ apis: ['setTimeout'] })
  void stop()
  t.mock.timers.tick(9_700)
  assert.equal(await code(), 0)
  assert.deepEqual(warned(), ['a worker did not stop and is killed'])
})
