// A whole installation goes from one engine to the other and back, and nobody who holds a link notices.
import assert from 'node:assert/strict'
import { existsSync, linkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { databaseLocation } from '../../src/config.ts'
import { type DatabaseLocation, openCopyEnd } from '../../src/store/open.ts'
import { type CopyEnd, copyTables, numberedTables } from '../../src/store/table-copy.ts'
import { isFull } from '../support/faults.ts'
import { furnished, json } from '../support/furnished.ts'
import { campaignFile, installation, type Server } from '../support/lastcall.ts'
import { ask, createDatabase } from '../support/postgres-databases.ts'
import { assertRefused, comesTrue, command, sharedCommand } from '../support/prepared.ts'
import { postgresUrl } from '../support/shared-postgres.ts'

/** Its picture need not be drawn. */
const withoutTimer = campaignFile({ mailTimer: null })

const newDatabase = async () => createDatabase(await postgresUrl())

const refused = (args: string[], named: string | RegExp) =>
  sharedCommand(['copy', ...args]).then((made) => assertRefused(made, named, [2]))

const serving = (t: TestContext, url: string) =>
  installation(t).serve(['--database-url', url, '--public-url', 'https://offers.example.com'])

async function told(t: TestContext, url: string, key: string) {
  const server = await serving(t, url)
  try {
    return await toldBy(server, key)
  } finally {
    await server.stop()
  }
}

async function toldBy(server: Server, key: string) {
  const look = async (email: string) => {
    const answer = await fetch(`${server.base}/campaigns/1/leads/lookup`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    })
    return { status: answer.status, body: (await answer.json()) as any }
  }
  const answers = []
  for (const n of [0, 7, 1_234, 2_499, 2_500]) answers.push(await look(`lead-${n}@example.com`))
  const { requestId: _, ...missing } = (answers.pop() as { body: any }).body
  const link = new URL(answers[1]?.body.offerLinks[0].url).pathname
  const opened = await fetch(`${server.origin}${link}`, { redirect: 'manual' })
  return { answers, missing, opened: [opened.status, opened.headers.get('location')] }
}

/** Leaves 1,000 of the leads at the target. */
async function interrupted(from: string, to: string) {
  const [source, target] = (await Promise.all(
    [from, to].map((url) => openCopyEnd(databaseLocation(url) as DatabaseLocation, url === to)),
  )) as [CopyEnd, CopyEnd]
  const stop = (table: string) => assert.notEqual(table, 'leads')
  await assert.rejects(copyTables(source, target, stop), assert.AssertionError)
  await Promise.all([source.close(), target.close()])
  const unfinished = 'the database holds an unfinished copy: run copy again'
  for (const args of [['serve'], ['migrate'], ['lead', 'list', '--campaign', '1']])
    assertRefused(await sharedCommand(args, { env: { DATABASE_URL: to } }), unfinished, [1])
  assertRefused(await sharedCommand(['copy', '--from', to, '--to', from]), `--from: ${unfinished}`, [1])
}

function askFile(url: string, statement: string) {
  const database = new DatabaseSync(fileURLToPath(url))
  const rows = database.prepare(statement).all()
  database.close()
  return rows
}

/** What was there before the copy, as far as no server has changed it since. */
function rowsIn(url: string) {
  return [
    'id, ref_key FROM installation',
    '* FROM accounts WHERE id < 3',
    'id, account_id, secret_hash, revoked_at FROM api_keys',
    '* FROM campaigns WHERE id < 4',
    '* FROM leads WHERE campaign_id < 4',
    ...['conversions', 'users', 'recovery_codes', 'notices', 'failed_deliveries', 'sweeps'].map(
      (table) => `* FROM ${table}`,
    ),
    '* FROM audit_entries WHERE account_id < 3',
  ].map((what) => askFile(url, `SELECT ${what} ORDER BY 1, 2`))
}

/** What docs/operating.md names, and what a database or a server has of its own: its version, limits, pictures. */
const notCopied = new Set([
  ...['request_history', 'request_batches', 'delivery_log', 'sessions', 'invitations', 'password_resets'],
  ...['installation', 'configuration', 'schema_version', 'tries', 'request_rates', 'timer_templates'],
])

/** How many rows every other table has, whatever `copy` knows of it. */
async function countsIn(url: string): Promise<Record<string, number>> {
  const isFile = url.startsWith('file:')
  const all = async (statement: string) => (isFile ? askFile(url, statement) : ask(url, statement))
  const tables = await all(
    isFile
      ? "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
      : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  )
  const counting = tables
    .filter(({ name }) => !notCopied.has(name))
    .map(({ name }) => `SELECT '${name}' AS name, count(*) AS rows FROM ${name}`)
  return Object.fromEntries((await all(counting.join(' UNION ALL '))).map(({ name, rows }) => [name, Number(rows)]))
}

async function assertAllCopied(said: object, from: string, to: string) {
  const there = await countsIn(from)
  assert.deepEqual(await countsIn(to), there)
  const same = Object.entries(there).map(([table, rows]) => [table, { from: rows, to: rows }])
  assert.deepEqual(said, Object.fromEntries(same))
  return Object.keys(there).filter((table) => there[table] === 0)
}

test('copy', { timeout: 400_000 }, async (t) => {
  const { url, key } = await furnished(t, 2_500)
  const other = await furnished(t)
  const running = await serving(t, url)
  const before = await toldBy(running, key)
  const postgres = await newDatabase()

  await t.test('copies neither from under a running server nor to it', async (own) => {
    // Also where this fails, or what follows would be refused as well.
    own.after(() => running.stop())
    const from = (from: string, to: string) => sharedCommand(['copy', '--from', from, '--to', to])
    assertRefused(
      await from(url, await newDatabase()),
      /a server, a migration or a copy is running on .+: stop it, or wait for it$/m,
      [1],
    )
    assertRefused(await from(other.url, url), 'a server, a migration or a copy is running on', [1])
    assert.equal(await running.stop(), 0)
  })

  await t.test('no server and no other command takes an unfinished copy', () => interrupted(url, postgres))

  await t.test('takes everything to PostgreSQL: keys, leads, links and deadlines are the same', async () => {
    // Only now: a server removes what is left of the campaign, and then this row.
    askFile(url, 'INSERT INTO deleted_campaigns VALUES (99, 1)')
    const { tables } = await json(url, ['copy', '--from', url, '--to', postgres])
    assert.deepEqual(await assertAllCopied(tables, url, postgres), [], 'a row in every table')
    assert.deepEqual([tables.clicked_leads.to, tables.recovery_codes.to], [3, 2])
    assert.deepEqual([tables.accounts.to, tables.api_keys.to, tables.campaigns.to, tables.leads.to], [2, 2, 3, 2_500])
    assert.deepEqual(await told(t, postgres, key), before)
  })

  await t.test('goes on after an interruption, and changes nothing when all is there', async () => {
    const rows = () => ask(postgres, 'SELECT * FROM leads ORDER BY id')
    const copied = await rows()
    await ask(postgres, 'DELETE FROM leads WHERE id > 1700')
    const { tables } = await json(url, ['copy', '--from', url, '--to', postgres])
    assert.deepEqual(tables.leads, { from: 2_500, to: 2_500 })
    if (isFull) assert.deepEqual(await told(t, postgres, key), before)
    assert.deepEqual(await rows(), copied)
  })

  await t.test('gives new ids after all those that were copied', async () => {
    assert.equal((await json(postgres, ['account', 'create', '--name', 'Third'])).id, 3)
    assert.equal((await json(postgres, ['campaign', 'apply', '--account', '3', '-'], withoutTimer)).id, 4)
    const added = await json(postgres, ['lead', 'import', '--campaign', '4', '-'], 'email\nnew@example.com\n')
    assert.equal(added.created, 1)
    const numbered = await ask(
      postgres,
      `SELECT table_name AS name FROM information_schema.columns
        WHERE is_identity = 'YES' AND table_schema = 'public' ORDER BY 1`,
    )
    const copied = numbered.map(({ name }) => name).filter((name) => !notCopied.has(name))
    assert.deepEqual(copied, numberedTables.toSorted())
  })

  await t.test('does not overwrite what has been in use since', async () => {
    await refused(['--from', url, '--to', postgres], '--to: its accounts are newer than those of --from')
    assert.equal((await json(postgres, ['account', 'list'])).length, 3)
  })

  // From here on a campaign is missing, and nobody has ever bought.
  await json(other.url, ['campaign', 'delete', '3', '--yes'])
  askFile(other.url, 'DELETE FROM conversions')
  askFile(other.url, "DELETE FROM sqlite_sequence WHERE name = 'conversions'")
  const half = await newDatabase()
  const back = `file:${join(installation(t).folder, 'back.db')}`

  await t.test('goes on after an interruption with what has changed meanwhile, and mixes nothing', async () => {
    const args = ['copy', '--from', other.url, '--to', half]
    const again = () => sharedCommand(args)
    const terminal = encodeURIComponent('process.stderr.isTTY = true')
    const begun = performance.now()
    const seen = await command(args, { env: { NODE_OPTIONS: `--import=data:text/javascript,${terminal}` } })
    assert.equal(seen.code, 0, seen.stderr)
    // Ten a second at most, each in place of the one before, and a line that is clear at the end.
    const [, ...shown] = seen.stderr.split('\r')
    assert.ok(shown.length >= 2 && shown.length <= 2 + (performance.now() - begun) / 100, seen.stderr)
    assert.ok(shown.every((one) => one.startsWith('\x1b[K')))
    await json(other.url, ['account', 'set', '2', '--suspended', 'true'])
    const keys = await json(other.url, ['key', 'list', '--account', '1'])
    const { id } = keys.find(({ name }: { name: string }) => name === 'server')
    await json(other.url, ['key', 'revoke', id])
    assert.equal((await again()).code, 0)
    assert.deepEqual(await ask(half, 'SELECT id::int FROM accounts WHERE suspended = 1'), [{ id: 2 }])
    assert.deepEqual(await ask(half, 'SELECT 1 FROM api_keys WHERE revoked_at IS NULL'), [])
    await json(other.url, [
      ...['lead', 'deadline', '--campaign', '1', '--email', 'lead-8@example.com'],
      ...['--at', '2031-01-01T00:00:00Z'],
    ])
    assert.equal((await again()).code, 0)
    const lead = ['lead', 'show', '--campaign', '1', '--email', 'lead-8@example.com']
    assert.equal((await json(half, lead)).deadline, '2031-01-01T00:00:00Z')
  })

  await t.test('says what to do where rows of an earlier copy are in the way, on both engines', async () => {
    await json(half, ['copy', '--from', half, '--to', back])
    // Whose email is registered again has another id.
    await ask(half, 'UPDATE leads SET id = 9999 WHERE id = 3')
    for (const [from, to] of [
      [half, back],
      [other.url, half],
    ] as const) {
      const again = await sharedCommand(['copy', '--from', from, '--to', to])
      assertRefused(again, '--to: rows of an earlier copy are in the way', [1])
    }
    await ask(half, 'UPDATE leads SET id = 3 WHERE id = 9999')
  })

  await t.test('no server takes a copy that has rows which the source has no longer', async () => {
    const again = () => sharedCommand(['copy', '--from', other.url, '--to', half])
    const removal = 'DELETE FROM leads WHERE id = 5'
    askFile(other.url, removal)
    assertRefused(await again(), 'leads: the databases have different numbers of rows; stop the servers', [1])
    const taken = await sharedCommand(['account', 'list'], { env: { DATABASE_URL: half } })
    assertRefused(taken, 'the database holds an unfinished copy', [1])
    askFile(back, removal)
    await ask(half, removal)
    assert.equal((await again()).code, 0)
  })

  await t.test('copies which ids were ever given, also those of deleted rows', async () => {
    await json(half, ['copy', '--from', half, '--to', back])
    for (const url of [half, back])
      assert.equal((await json(url, ['campaign', 'apply', '--account', '1', '-'], withoutTimer)).id, 4)
  })

  await t.test('takes everything back to a file', async (own) => {
    const there = `file:${join(installation(own).folder, 'there.db')}`
    await interrupted(postgres, there)
    const { tables } = await json(url, ['copy', '--from', postgres, '--to', there])
    const empty = await assertAllCopied(tables, postgres, there)
    assert.deepEqual(
      empty.filter((table) => table !== 'deleted_campaigns'),
      [],
      'a row in every other table',
    )
    assert.equal(tables.endpoints.to, 1)
    assert.deepEqual(rowsIn(there), rowsIn(url))
    if (isFull) assert.deepEqual(await told(own, there, key), before)
    const list = await json(there, ['lead', 'list', '--campaign', '1'])
    assert.equal(list.length, 2_500)
  })

  await t.test('refuses what would mix or lose something', async (own) => {
    await refused(['--from', other.url, '--to', postgres], '--to: the database holds another installation')
    await refused(['--from', url, '--to', url], '--to: must be a different database')
    await refused(['--from', url, '--to', url.replace(/\/(?=[^/]*$)/, '/./')], '--to: must be a different database')
    const linked = `${url}-linked`
    linkSync(new URL(url), new URL(linked))
    await refused(['--from', url, '--to', linked], '--to: must be a different database')
    rmSync(new URL(linked))
    const sameDatabase = `${postgres}?connect_timeout=9`
    await refused(['--from', postgres, '--to', sameDatabase], '--to: must be a different database')
    await refused(['--from', 'file:/nowhere/none.db', '--to', postgres], '--from')
    await refused(['--from', 'mysql://x', '--to', postgres], '--from')
    await refused(['--from', url], '--to')
    const empty = await newDatabase()
    const none = `file:${join(installation(own).folder, 'none.db')}`
    const args = ['copy', '--from', empty, '--to', none]
    assertRefused(await sharedCommand(args), '--from: the database is empty', [2])
    assert.deepEqual(await ask(empty, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'"), [])
    assert.ok(!existsSync('/nowhere/none.db'))
    await ask(empty, 'REVOKE CREATE ON SCHEMA public FROM pg_database_owner')
    const closed = await sharedCommand(['copy', '--from', url, '--to', empty])
    assertRefused(
      closed,
      '--to: cannot use the PostgreSQL: permission denied for schema public; its user must own',
      [1],
    )
  })

  await t.test('if two installations are copied to one database at once, one is refused', async () => {
    const target = await newDatabase()
    await json(target, ['migrate'])
    const holder = new Client({ connectionString: target })
    await holder.connect()
    await holder.query('BEGIN')
    await holder.query('LOCK TABLE installation IN SHARE MODE')
    const copies = Promise.all([url, other.url].map((from) => command(['copy', '--from', from, '--to', target])))
    const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'installation'::regclass"
    const both = await comesTrue(20_000, async () => (await holder.query(waiting)).rows.length === 2)
    await holder.query('COMMIT')
    await holder.end()
    assert.ok(both)
    const [taken, left] = (await copies).sort((a, b) => Number(a.code) - Number(b.code))
    assert.equal(taken?.code, 0)
    assertRefused(left as NonNullable<typeof left>, '--to: the database holds another installation', [2])
  })
})
