// PostgreSQL is killed, stopped, restarted, frozen or locked under load: 503 and never 500, in a second, and the
// servers recover by themselves. What was answered is stored, what is stored was attempted.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { amount, between, isFull, longTest, printSeed } from '../../support/faults.ts'
import {
  accountWithKey,
  appliedCampaign,
  arrangeIn,
  campaignFile,
  installation,
  type Scope,
  type Server,
} from '../../support/lastcall.ts'
import { type OwnerOnPostgres as Owner, ownerOn } from '../../support/owner-on-postgres.ts'
import { panelSession } from '../../support/panel-session.ts'
import { type Postgres, startPostgres } from '../../support/postgres.ts'
import { ask } from '../../support/postgres-databases.ts'
import { assertRefused, comesTrue, command } from '../../support/prepared.ts'

let postgres: Postgres
before(async () => {
  // Two servers take 27 connections each, and in the long form four; somebody who takes all that there are pays for each.
  postgres = await startPostgres({ durable: true, settings: [`max_connections=${amount(70, 300)}`] })
})
const ends: (() => Promise<void>)[] = []
after(async () => {
  for (const end of ends) await end()
  await postgres.stop()
})

type Told = { email: string; status: number; milliseconds: number; created?: boolean; deadline?: string }

const owner = () => ownerOn(postgres)

async function register(server: Server, { campaign, key }: Owner, email: string): Promise<Told> {
  const startedAt = performance.now()
  const answer = await fetch(`${server.base}/campaigns/${campaign}/leads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  })
  const { created, deadline } = (await answer.json()) as any
  return { email, status: answer.status, milliseconds: performance.now() - startedAt, created, deadline }
}

/** New emails all the time, in the short form with a breath between, until it is told to end; every answer of it. */
function load(server: Server, me: Owner, prefix: string, clients = amount(4, 16)) {
  const attempted: string[] = []
  const answers: Told[] = []
  let isOver = false
  const client = async () => {
    while (!isOver) {
      const email = `${prefix}-${attempted.length}@example.com`
      attempted.push(email)
      answers.push(await register(server, me, email))
      const isRefused = answers.at(-1)?.status === 503
      if (isRefused || !isFull) await sleep(isFull ? 10 : 50)
    }
  }
  const clientsEnded = Promise.all(Array.from({ length: clients }, client))
  clientsEnded.catch(() => {})
  return {
    async end() {
      isOver = true
      await clientsEnded
      return { attempted, answers }
    },
  }
}

async function assertBook(url: string, attempted: string[], answers: Told[]): Promise<void> {
  const rows = await ask(url, 'SELECT email FROM leads')
  const stored = rows.map(({ email }) => email as string)
  assert.equal(new Set(stored).size, stored.length, 'a lead is there twice')
  const has = new Set(stored)
  const lost = answers.filter(({ status, email }) => status === 201 && !has.has(email))
  assert.deepEqual(lost, [], 'answered and not stored')
  const tried = new Set(attempted)
  assert.deepEqual(
    stored.filter((email) => !tried.has(email)),
    [],
    'stored and never attempted',
  )
}

const isReady = async (server: Server) => (await fetch(`${server.origin}/readyz`)).status === 200
const serve = (scope: Scope, me: Owner) =>
  installation(scope).serve(['--rate-limit', '1000000000'], { DATABASE_URL: me.url })

let ours: Promise<{ me: Owner; server: Server }> | undefined
/**
 * An owner on a server. In the short form all tests have the one that has come through those before: most of a test is
 * the start of a server.
 */
function serving(t: Scope): Promise<{ me: Owner; server: Server }> {
  const begun = async (scope: Scope) => {
    const me = await owner()
    return { me, server: await serve(scope, me) }
  }
  if (isFull) return begun(t)
  ours ??= begun({ after: (end) => void ends.push(end) })
  return ours
}

const outages = amount(1, 20)
/** Of no request: nobody may ask a server that is not ready. */
const saysLost = /^(?!.*requestId).*the database cannot be used/m

test(`PostgreSQL is killed or stopped at once, ${outages} times under load`, {
  timeout: 600_000,
}, async (t) => {
  printSeed(t)
  const { me, server } = await serving(t)
  const attempted: string[] = []
  const answers: Told[] = []
  for (let round = 0; round < outages; round += 1) {
    const running = load(server, me, `outage-${round}`)
    await sleep(between(50, 400))
    if (round % 2 === 0) await postgres.kill9()
    else await postgres.stopImmediate()
    await sleep(between(50, 600))
    await postgres.start()
    assert.equal(server.process.exitCode, null, server.output().slice(-2_000))
    assert.ok(await comesTrue(10_000, () => isReady(server)), 'it does not heal')
    await sleep(100)
    const told = await running.end()
    attempted.push(...told.attempted)
    answers.push(...told.answers)
  }
  const statuses = new Set(answers.map(({ status }) => status))
  assert.deepEqual([...statuses].sort(), [201, 503])
  assert.match(server.output(), saysLost)
  await assertBook(me.url, attempted, answers)
  assert.equal((await register(server, me, 'afterwards@example.com')).status, 201)
})

test('PostgreSQL is frozen: 503 within a second or so, readiness false, and all is well when it thaws', {
  timeout: 120_000,
}, async (t) => {
  const { me, server } = await serving(t)
  assert.equal((await register(server, me, 'before@example.com')).status, 201)
  postgres.freeze()
  let frozen: Told[] = []
  try {
    const emails = Array.from({ length: amount(100, 200) }, (_, n) => `frozen-${n}@example.com`)
    frozen = await Promise.all(emails.map((email) => register(server, me, email)))
    assert.ok(await comesTrue(3_000, async () => !(await isReady(server))))
  } finally {
    postgres.thaw()
  }
  assert.deepEqual(new Set(frozen.map(({ status }) => status)), new Set([503]))
  // A second of waiting, and what a busy machine takes to say so.
  assert.ok(Math.max(...frozen.map(({ milliseconds }) => milliseconds)) < 3_000)
  assert.ok(await comesTrue(10_000, () => isReady(server)))
  assert.equal((await register(server, me, 'after@example.com')).status, 201)
})

test("somebody's lock on one account: its requests 503, those of others go on", {
  timeout: 120_000,
}, async (t) => {
  const { me, server } = await serving(t)
  const them: Owner = await arrangeIn(me.url, async (store) => {
    const { accountId: account, key } = await accountWithKey(store)
    const { id: campaign } = await appliedCampaign(store, account, campaignFile())
    return { url: me.url, account, campaign, key }
  })
  for (const one of [me, them]) assert.equal((await register(server, one, 'warm@example.com')).status, 201)

  const { Client } = await import('pg')
  const locker = new Client(me.url)
  await locker.connect()
  let usual = 0
  const kept: Told[] = []
  const passed: Told[] = []
  // By turns: what else the machine does meanwhile takes as much from the one as from the other.
  for (let round = 0; round < amount(1, 4); round += 1) {
    const unlocked = load(server, them, `unlocked-${round}`, 4)
    await sleep(1_000)
    usual += (await unlocked.end()).answers.length

    await locker.query('BEGIN')
    await locker.query('SELECT * FROM request_rates WHERE account_id = $1 FOR UPDATE', [me.account])
    const locked = load(server, me, `locked-${round}`)
    const free = load(server, them, `free-${round}`, 4)
    await sleep(1_000)
    passed.push(...(await free.end()).answers)
    kept.push(...(await locked.end()).answers)
    await locker.query('ROLLBACK')
  }
  await locker.end()
  const statuses = (answers: Told[]) => [...new Set(answers.map(({ status }) => status))]
  assert.deepEqual([statuses(kept), statuses(passed)], [[503], [201]])
  // Where they wait for the locked account too it is a third and less.
  assert.ok(passed.length > usual / 2, `only ${passed.length} went on, of ${usual}`)
  assert.equal((await register(server, me, 'unlocked@example.com')).status, 201)
})

test("somebody's lock on one lead: orders of it get 503, and hold up nothing else", {
  timeout: 120_000,
}, async (t) => {
  const { me, server } = await serving(t)
  const email = 'locked@example.com'
  assert.equal((await register(server, me, email)).status, 201)
  const { Client } = await import('pg')
  const locker = new Client(me.url)
  await locker.connect()
  await locker.query('BEGIN')
  await locker.query('SELECT * FROM leads FOR UPDATE')
  const headers = { authorization: `Bearer ${me.key}`, 'content-type': 'application/json' }
  const path = `/api/conversions/v1/campaigns/${me.campaign}/conversions`
  const order = async (orderId: string) => {
    const body = JSON.stringify({ email, orderId })
    return (await fetch(server.origin + path, { method: 'POST', headers, body })).status
  }
  const orderIds = Array.from({ length: 20 }, (_, number) => String(number))
  const orders = orderIds.map(order)
  await sleep(200)
  const listed = fetch(`${server.base}/campaigns`, { headers }).then(({ status }) => status)
  assert.equal(await Promise.race([listed, ...orders]), 200, 'before the first order is given up')
  assert.deepEqual(new Set(await Promise.all(orders)), new Set([503]))
  await locker.end()
  for (const orderId of orderIds) assert.equal(await order(orderId), 201, 'it was given up, and not carried out')
})

test("somebody's lock on one account: saves in its panel get 503, and leave the connections to others; a command waits", {
  timeout: 120_000,
}, async (t) => {
  const { me, server } = await serving(t)
  const env = { DATABASE_URL: me.url }
  const panel = await panelSession({ arrange: (work) => arrangeIn(me.url, work) }, server, me.account)
  const { Client } = await import('pg')
  const locker = new Client(me.url)
  await locker.connect()
  await locker.query('BEGIN')
  await locker.query('SELECT * FROM accounts WHERE id = $1 FOR UPDATE', [me.account])
  const creating = command(['key', 'create', '--account', String(me.account), '--name', 'patient'], { env })
  const startedAt = performance.now()
  const saves = await Promise.all(Array.from({ length: 8 }, () => panel('POST', '/keys', { name: 'impatient' })))
  assert.deepEqual(new Set(saves.map(({ status }) => status)), new Set([503]))
  // Two seconds of waiting, and what a busy machine takes to say so.
  assert.ok(performance.now() - startedAt < 5_000, `${performance.now() - startedAt} ms`)
  const headers = { authorization: `Bearer ${me.key}` }
  assert.equal((await fetch(`${server.base}/campaigns`, { headers })).status, 200)
  await locker.end()
  assert.equal((await creating).code, 0)
  const { body } = await panel('GET', '/keys')
  assert.deepEqual(body.keys.map(({ name }: { name: string }) => name).sort(), ['patient', 'server'])
})

longTest('a table is slow: what is given up lets go of its connection, and others still get one', async (t) => {
  const { me, server } = await serving(t)
  await ask(me.url, 'CREATE POLICY slow ON campaigns USING (pg_sleep(30) IS NOT NULL)')
  await ask(me.url, 'ALTER TABLE campaigns ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY')
  const headers = { authorization: `Bearer ${me.key}` }
  const list = async () => (await fetch(`${server.base}/campaigns`, { headers })).status
  for (let round = 0; round < 6; round += 1)
    assert.deepEqual(await Promise.all(Array.from({ length: 4 }, list)), [503, 503, 503, 503])
  const connections = await ask(me.url, 'SELECT FROM pg_stat_activity WHERE datname = current_database()')
  // Those of the server, 27, and some that end.
  assert.ok(connections.length < 42, `${connections.length} connections`)
  await ask(me.url, 'ALTER TABLE campaigns DISABLE ROW LEVEL SECURITY')
  assert.ok(await comesTrue(5_000, async () => (await list()) === 200))
})

test('all connections are taken: those that the server has are enough', { timeout: 120_000 }, async (t) => {
  const { me, server } = await serving(t)
  const { Client } = await import('pg')
  const takers: InstanceType<typeof Client>[] = []
  for (;;) {
    const taker = new Client(me.url)
    taker.on('error', () => {})
    if (
      !(await taker.connect().then(
        () => true,
        () => false,
      ))
    )
      break
    takers.push(taker)
  }
  assert.ok(takers.length > 10)
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => register(server, me, `full-${n}@example.com`)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
  await Promise.all(takers.map((taker) => taker.end()))
})

for (const nodes of [2, 4]) {
  longTest(`${nodes} nodes race to register one email, 300 emails by 12 racers, and one is killed`, async (t) => {
    const { me, server } = await serving(t)
    const servers = [server, ...(await Promise.all(Array.from({ length: nodes - 1 }, () => serve(t, me))))]
    const emails = Array.from({ length: 300 }, (_, n) => `race-${n}@example.com`)
    const isLost = (error: unknown) => error instanceof TypeError
    for (const [n, email] of emails.entries()) {
      const isKill = n === Math.floor(emails.length / 2)
      const racing = Array.from({ length: 12 }, (_, racer) =>
        register(servers[racer % servers.length] as Server, me, email).catch((error) => {
          if (isKill && isLost(error)) return undefined
          throw error
        }),
      )
      if (isKill) (servers.pop() as Server).process.kill('SIGKILL')
      const told = (await Promise.all(racing)).filter((one) => one !== undefined)
      const firsts = told.filter(({ created }) => created)
      // The winner's answer may have died with its node; nobody else may have won then.
      assert.ok(firsts.length === 1 || (isKill && firsts.length === 0), `${firsts.length} were first`)
      for (const { status } of told) assert.ok(status === 200 || status === 201, String(status))
      const again = await register(servers[0] as Server, me, email)
      assert.equal(again.created, false)
      assert.deepEqual(new Set(told.map(({ deadline }) => deadline)).add(again.deadline).size, 1)
    }
  })
}

longTest('fewer connections than it needs: a start says so and ends', async () => {
  const { url } = await owner()
  const { Client } = await import('pg')
  const takers: InstanceType<typeof Client>[] = []
  const take = async () => {
    const taker = new Client(url)
    taker.on('error', () => {})
    await taker.connect()
    takers.push(taker)
    return true
  }
  while (await take().catch(() => false));
  // Enough to look at the database, and too few to serve.
  await Promise.all(takers.splice(0, 6).map((taker) => taker.end()))
  const env = { DATABASE_URL: url, PORT: '0' }
  assertRefused(await command(['serve'], { env }), 'PostgreSQL', [1])
  await Promise.all(takers.map((taker) => taker.end()))
})

// The last one, since it stops the server that all have.
test('frozen: a server that is told to stop stops in time, with exit 0', { timeout: 60_000 }, async (t) => {
  const { me, server } = await serving(t)
  // The use of the key and the registration wait to be counted.
  assert.equal((await register(server, me, 'stopped@example.com')).status, 201)
  postgres.freeze()
  try {
    const startedAt = performance.now()
    const exited = once(server.process, 'exit')
    server.process.kill('SIGTERM')
    const [code] = await Promise.race([exited, sleep(10_000, ['still there'])])
    assert.equal(code, 0)
    assert.ok(performance.now() - startedAt < 10_000)
  } finally {
    postgres.thaw()
  }
})
