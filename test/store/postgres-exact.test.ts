// What needs somebody beside the stores: a client of PostgreSQL that holds things up, or changes them.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { checkCampaign } from '../../src/core/campaign.ts'
import { checkEndpoint, mostEndpoints } from '../../src/core/events.ts'
import type { Actor } from '../../src/store/audit.ts'
import { openCopyEnd, openStore } from '../../src/store/open.ts'
import type { Connection, Pool } from '../../src/store/postgres/connection.ts'
import { openPools } from '../../src/store/postgres/pools.ts'
import { runnerOn } from '../../src/store/postgres/sql-on.ts'
import type { OpenOptions, Store } from '../../src/store/store.ts'
import { tester } from '../support/actor.ts'
import { decisionOf } from '../support/decision.ts'
import { emptyDatabases } from '../support/empty-databases.ts'
import { ask, databaseUrl, dropDatabase } from '../support/postgres-databases.ts'
import { comesTrue } from '../support/prepared.ts'
import { postgresUrl } from '../support/shared-postgres.ts'

const options: OpenOptions = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false }

async function opened(t: TestContext, given: Partial<OpenOptions> = {}): Promise<{ store: Store; url: string }> {
  const place = await emptyDatabases.postgres?.(t)
  assert.ok(place?.engine === 'postgres')
  const store = await openStore(place, { ...options, ...given })
  t.after(() => store.close())
  return { store, url: place.url }
}

function apply(store: Store, accountId: number, deadline: object, id?: number, by: Actor | (() => Actor) = tester) {
  const mechanism = { startsOn: 'registration', deadline }
  const checked = checkCampaign({
    ...(id && { id }),
    name: 'Autumn course',
    timeZone: 'Europe/Warsaw',
    mechanism,
  })
  if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
  return store.configuration.applyCampaign(accountId, checked.campaign, by)
}

async function clientOf(t: TestContext, url: string): Promise<Client> {
  const client = new Client(url)
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  return client
}

test('the transaction of a node that is lost or hangs keeps its locks for five seconds at most', async (t) => {
  const { url } = await opened(t)
  const pools = openPools({ url, poolSize: 1, timeoutMs: 1_000, mayUse: () => true })
  const limitOf = async (pool: Pool) => {
    const { rows } = await pool.use(5_000, ({ query }) => query('SHOW idle_in_transaction_session_timeout', []))
    return rows[0]?.idle_in_transaction_session_timeout
  }
  const { admin, durable, quick } = pools
  t.after(() => Promise.all([admin, durable, quick].map((pool) => pool.close())))
  assert.deepEqual(await Promise.all([admin, durable, quick].map(limitOf)), ['5s', '2s', '2s'])
})

test('what the last trip of a transaction asks after it has waited is refused, not run behind the commit', async (t) => {
  const { url } = await opened(t)
  const { admin, durable, quick } = openPools({ url, poolSize: 1, timeoutMs: 1_000, mayUse: () => true })
  t.after(() => Promise.all([admin, durable, quick].map((pool) => pool.close())))
  const asking = durable.inTwoTrips(
    5_000,
    async () => {},
    async ({ query }) => {
      await Promise.resolve()
      return query('SELECT 1', [])
    },
  )
  await assert.rejects(asking, /asked behind COMMIT/)
})

test('whatever is usual for the database: what is answered is on disk, locks are waited for, a copy may take long', async (t) => {
  const { url } = await opened(t)
  const usual = [
    'synchronous_commit = off',
    "default_transaction_isolation = 'repeatable read'",
    'statement_timeout = 9',
  ]
  await ask(url, ...usual.map((set) => `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${set}`))
  const pools = openPools({ url, poolSize: 1, timeoutMs: 1_000, mayUse: () => true })
  const { durable, orders, admin, quick } = pools
  const all = [durable, orders, admin, quick]
  t.after(() => Promise.all(all.map((pool) => pool.close())))
  const saidBy = (pool: Pool) =>
    pool.transaction(5_000, '', async ({ query }) => {
      const settings = ['synchronous_commit', 'transaction_isolation'].map((name) => `current_setting('${name}')`)
      return (await query(`SELECT concat_ws(', ', ${settings.join()}) AS said`, [])).rows[0]?.said
    })
  const safe = 'on, read committed'
  assert.deepEqual(await Promise.all(all.map(saidBy)), [safe, safe, safe, 'off, read committed'])
  const inUnflushed = await runnerOn(pools).writeUnflushed(({ get }) => get('SHOW synchronous_commit'))
  assert.deepEqual([inUnflushed?.synchronous_commit, await saidBy(admin)], ['off', safe])
  const end = await openCopyEnd({ engine: 'postgres', url }, false)
  t.after(() => end.close())
  assert.equal((await end.read((sql) => sql.get('SHOW statement_timeout')))?.statement_timeout, '0')
})

test('the limits of a session hold beside `options` of the address', async (t) => {
  const { url } = await opened(t)
  const withOptions = `${url}?options=-c%20search_path%3Dpublic&sslmode=disable`
  const pools = openPools({ url: withOptions, poolSize: 1, timeoutMs: 1_000, mayUse: () => true })
  t.after(() => Promise.all([pools.admin, pools.durable, pools.quick].map((pool) => pool.close())))
  const shown = ['statement_timeout', 'search_path'].map((name) => `current_setting('${name}')`).join()
  const { rows } = await pools.durable.use(5_000, ({ query }) => query(`SELECT concat_ws(' ', ${shown}) AS shown`, []))
  assert.deepEqual(rows, [{ shown: '900ms public' }])
})

test('made-up ids of keys and campaigns, however many are asked for, leave connections for everybody else', async (t) => {
  const { store, url } = await opened(t)
  const { configuration, access } = store
  const other = await clientOf(t, url)
  await other.query('BEGIN')
  await other.query('LOCK TABLE api_keys, campaigns')
  const asked = Array.from({ length: 100 }, (_, n) =>
    Promise.all([configuration.findLiveKey(`none-${n}`), configuration.findCampaign(1_000 + n)]),
  )
  // Those go on their way first.
  await sleep(50)
  const outcome = await Promise.race([access.hasUsers(), sleep(1_500, 'waits', { ref: false })])
  await other.query('ROLLBACK')
  assert.equal(outcome, false)
  for (const found of await Promise.all(asked)) assert.deepEqual(found, [undefined, undefined])
})

test('a change of settings waits for a registration that is being written', async (t) => {
  const { store, url } = await opened(t)
  const account = await store.configuration.createAccount('Owner', tester)
  const campaign = await apply(store, account.id, { kind: 'after', period: 'P2D' })
  const somebody = await clientOf(t, url)
  // A lead of the same email that may yet be there: the registration waits to know, and has decided already.
  await somebody.query('BEGIN')
  await somebody.query(
    `INSERT INTO leads (account_id, campaign_id, email, salt, registered_at, attempt, resets)
      VALUES ($1, $2, 'ada@example.com', 1, 1, 1, 0)`,
    [account.id, campaign.id],
  )
  const registering = store.leads.write(campaign, 'ada@example.com', (campaign) => decisionOf(campaign, 1), true)
  await sleep(300)
  const changing = apply(store, account.id, { kind: 'none' }, campaign.id).then(
    () => 'changed',
    () => 'refused',
  )
  assert.equal(await Promise.race([changing, sleep(500, 'waits')]), 'waits')
  await somebody.query('ROLLBACK')
  const written = await registering
  assert.ok(typeof written !== 'string' && written.before === undefined && written.lead.attempt.rule !== null)
  assert.equal(await changing, 'refused')
})

test('a campaign is saved or archived at an instant at which no lead is being written any more', async (t) => {
  const { store, url } = await opened(t)
  const account = await store.configuration.createAccount('Owner', tester)
  const { id } = await apply(store, account.id, { kind: 'none' })
  const somebody = await clientOf(t, url)
  let asked = 0
  const by = () => {
    asked += 1
    return tester
  }
  for (const change of [
    () => apply(store, account.id, { kind: 'after', period: 'P2D' }, id, by),
    () => store.configuration.archiveCampaign(account.id, id, true, by),
  ]) {
    await somebody.query('BEGIN')
    // As who writes a lead.
    await somebody.query('SELECT pg_advisory_xact_lock_shared($1)', [0x4c43 * 2 ** 32 + account.id])
    const before = asked
    const changing = change()
    await sleep(300)
    assert.equal(asked, before)
    await somebody.query('ROLLBACK')
    await changing
    assert.equal(asked, before + 1)
  }
})

test('a change of settings that ends in a deadlock is repeated', { timeout: 30_000 }, async (t) => {
  const { store, url } = await opened(t)
  const { id } = await store.configuration.createAccount('Owner', tester)
  const somebody = await clientOf(t, url)
  await somebody.query('BEGIN')
  await somebody.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [id])
  const changing = store.configuration.updateAccount(id, { name: 'Renamed' }, tester)
  await sleep(300)
  // The change holds this lock, and waits for the row.
  await somebody.query('SELECT pg_advisory_xact_lock($1)', [0x4c43 * 2 ** 32 + id])
  await somebody.query('ROLLBACK')
  assert.equal((await changing)?.name, 'Renamed')
})

test('an erasure of many locks leads in the order of registrations, whatever order it is given', async (t) => {
  const { store, url } = await opened(t)
  const account = await store.configuration.createAccount('Owner', tester)
  const campaigns = [await apply(store, account.id, { kind: 'none' }), await apply(store, account.id, { kind: 'none' })]
  const emails = ['c@example.com', 'a@example.com', 'b@example.com']
  const names = campaigns.flatMap((campaign) => emails.map((email) => ({ campaign, email }))).reverse()
  for (const { campaign, email } of names)
    await store.leads.write(campaign, email, (campaign) => decisionOf(campaign, 1), true)
  const somebody = await clientOf(t, url)
  await somebody.query('BEGIN')
  const lock = (campaignId: number | undefined, email: string) =>
    somebody.query(
      'SELECT FROM leads WHERE account_id = $1 AND campaign_id = $2 AND email = $3 FOR UPDATE NOWAIT',
      // Without the account Citus refuses to lock.
      [account.id, campaignId, email],
    )
  await lock(campaigns[0]?.id, 'a@example.com')
  const erasing = store.leads.erase(names, tester)
  await Promise.race([erasing, sleep(500)])
  // What it holds by now, somebody who has the first one cannot get.
  await lock(campaigns[0]?.id, 'b@example.com')
  await lock(campaigns[0]?.id, 'c@example.com')
  for (const email of emails) await lock(campaigns[1]?.id, email)
  await somebody.query('ROLLBACK')
  assert.equal(await erasing, 6)
})

test('a lock on one account delays its requests by a second at most, and those of others not at all', async (t) => {
  const { store, url } = await opened(t, { timeoutMs: 900 })
  for (const account of [1, 2]) await store.rates.count(account, 1_000, Date.now())
  const somebody = await clientOf(t, url)
  await somebody.query('BEGIN')
  await somebody.query('SELECT * FROM request_rates WHERE account_id = 1 FOR UPDATE')
  const startedAt = performance.now()
  const locked = Promise.allSettled(Array.from({ length: 50 }, () => store.rates.count(1, 1_000, Date.now())))
  let others = 0
  while (performance.now() - startedAt < 500) {
    await store.rates.count(2, 1_000_000, Date.now())
    others += 1
  }
  for (const one of await locked) assert.equal(one.status === 'rejected' && one.reason.name, 'StoreUnavailable')
  // A second of waiting, and what a busy machine takes to say so.
  assert.ok(performance.now() - startedAt < 3_000)
  assert.ok(others > 10, `${others} of the other account`)
  await somebody.query('ROLLBACK')
  assert.ok((await store.rates.count(1, 1_000, Date.now())).allowed)
})

test('a database that becomes newer is told of once, and nobody uses it or starts on it', async (t) => {
  let told = 0
  const { store, url } = await opened(t, { onNewerDatabase: () => (told += 1) })
  await ask(url, 'UPDATE schema_version SET version = version + 1')
  assert.ok(await comesTrue(5_000, () => told > 0))
  // A command, which nothing stops.
  const late = store.configuration.createAccount('Late', tester)
  await assert.rejects(late, { name: 'StoreUnavailable', message: /a newer Lastcall has migrated it/ })
  await sleep(600)
  assert.equal(told, 1)
  const starting = openStore({ engine: 'postgres', url }, options)
  await assert.rejects(starting, { name: 'UnusableDatabase', message: /start a newer Lastcall/ })
})

test('a database that is not in UTF8 gets no tables', async (t) => {
  const adminUrl = await postgresUrl()
  const url = databaseUrl(adminUrl)
  t.after(() => dropDatabase(adminUrl, url))
  const latin1 = "ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0"
  await ask(adminUrl, `CREATE DATABASE ${new URL(url).pathname.slice(1)} OWNER lastcall ${latin1}`)
  const opening = openStore({ engine: 'postgres', url }, options)
  await assert.rejects(opening, { name: 'UnusableDatabase', message: /must be in UTF8: CREATE DATABASE/ })
})

test('a database that refuses says why: a replica may only be read', async (t) => {
  const { url } = await opened(t)
  await ask(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`)
  const store = await openStore({ engine: 'postgres', url }, options)
  t.after(() => store.close())
  await assert.rejects(store.configuration.createAccount('Owner', tester), {
    name: 'StoreUnavailable',
    message: /^the database refused: cannot execute [A-Z]+ in a read-only transaction$/,
  })
})

test('what is refused in a transaction leaves the connections as they were, and what it has written is undone', async (t) => {
  const { store, url } = await opened(t, { isServer: true })
  const { id } = await store.configuration.createAccount('Owner', tester)
  const campaign = await apply(store, id, { kind: 'none' })
  const given = checkEndpoint(
    { name: 'shop', url: 'https://example.com/', kinds: ['lead.registered'] },
    () => undefined,
  )
  assert.ok('settings' in given)
  for (let made = 0; made < mostEndpoints; made += 1) await store.events.createEndpoint(id, given.settings, tester)
  // Apart: Citus divides a question that also names a table of ours, and asks the workers for what its role may not read.
  const state = async () => [
    await ask(
      url,
      `SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'lastcall%' ORDER BY pid`,
    ),
    await ask(url, 'SELECT version FROM accounts'),
  ]
  const before = await state()
  assert.ok((before[0] as unknown[]).length > 1)
  for (let round = 0; round < 3; round += 1) {
    await assert.rejects(store.events.createEndpoint(id, given.settings, tester), { name: 'Refused' })
    await assert.rejects(apply(store, id, { kind: 'none' }, campaign.id + 1), { name: 'Refused' })
  }
  assert.deepEqual(await state(), before)
})

test('a defect of ours keeps its name and the connection; a connection that is broken is given up', async (t) => {
  const { url } = await opened(t)
  const pools = openPools({ url, poolSize: 1, timeoutMs: 1_000, mayUse: () => true })
  const { orders } = pools
  t.after(() => Promise.all([pools.admin, pools.durable, pools.quick, orders].map((pool) => pool.close())))
  const pid = ({ query }: Connection) => query('SELECT pg_backend_pid() AS pid', []).then(({ rows }) => rows[0]?.pid)
  const first = await orders.use(5_000, pid)
  const fails = async (connection: Connection) => {
    await pid(connection)
    throw new Error('ours')
  }
  await assert.rejects(orders.use(5_000, fails), { name: 'Error', message: 'ours' })
  await assert.rejects(orders.transaction(5_000, '', fails), { name: 'Error', message: 'ours' })
  assert.equal(await orders.use(5_000, pid), first)
  const isCut = async (connection: Connection) => {
    await ask(url, `SELECT pg_terminate_backend(${await pid(connection)})`)
    return fails(connection)
  }
  // Either may be the first to end.
  const cuts = [orders.use(5_000, isCut), orders.transaction(5_000, '', isCut)]
  await Promise.all(cuts.map((cut) => assert.rejects(cut, { name: 'StoreUnavailable' })))
  assert.notEqual(await orders.use(5_000, pid), first)
})
