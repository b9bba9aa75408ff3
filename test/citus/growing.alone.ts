// A divided database grows: installations are copied into it, shards move to another worker and a newer version comes,
// both under load. Nothing answered is lost.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { latestVersion } from '../../src/store/migrations.ts'
import { asSuperuser, citusUrl, createOnCitus, dropOnCitus, nodeUrls } from '../support/citus.ts'
import { campaignFile, type Installation, installation, type Server } from '../support/lastcall.ts'
import { newLedger } from '../support/ledger.ts'
import { startPostgres } from '../support/postgres.ts'
import { ask, databaseUrl } from '../support/postgres-databases.ts'
import { command, root } from '../support/prepared.ts'

const unlimited = ['--rate-limit', '1000000000']

/** So many accounts, each with leads under load. */
async function ledgers(url: string, count: number) {
  const lastcall = async (args: string[], input = '') =>
    JSON.parse((await command(args, { env: { DATABASE_URL: url }, input })).stdout)
  const books = []
  for (let n = 0; n < count; n += 1) {
    const { id } = await lastcall(['account', 'create', '--name', `Account ${n}`])
    const { id: keyId, key } = await lastcall(['key', 'create', '--account', String(id), '--name', 'server'])
    const campaign = await lastcall(['campaign', 'apply', '--account', String(id), '-'], campaignFile())
    const json: Installation['json'] = (args, input) => lastcall(args, input)
    books.push(newLedger({ json } as Installation, { accountId: id, keyId, key, campaignId: campaign.id }))
  }
  return books
}

type Book = Awaited<ReturnType<typeof ledgers>>[number]

/** Load on each until it is told to end; what was not 200 or 201, with what it took. */
function loadOn(books: Book[], server: Server) {
  const refused: { status: number; tookMs: number }[] = []
  let isOver = false
  const tolerates = (told: { status: number; tookMs: number }) => refused.push(told) > 0 && told.status === 503
  const running = Promise.all(
    books.map((book) =>
      book.load({ servers: [server], clients: 4, isOver: () => isOver, tolerates, mayBreak: () => true }),
    ),
  )
  running.catch(() => {})
  return {
    async end() {
      isOver = true
      await running
      return refused
    },
  }
}

async function undivided(t: TestContext, workersKnown?: number): Promise<string> {
  const url = await createOnCitus(databaseUrl(citusUrl as string), workersKnown)
  t.after(() => dropOnCitus(url))
  return url
}

const divide = async (url: string) => {
  const { code, stderr } = await command(['distribute', '--shards', '8'], { env: { DATABASE_URL: url } })
  assert.equal(code, 0, stderr)
}

test('an installation is copied from SQLite and from PostgreSQL into a divided database, and again', {
  timeout: 120_000,
}, async (t) => {
  const postgres = await startPostgres()
  t.after(() => postgres.stop())
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const from of [`file:${join(folder, 'lastcall.db')}`, postgres.url]) {
    const lastcall = async (args: string[], input = '', url = from) => {
      const { code, stdout, stderr } = await command(args, { env: { DATABASE_URL: url }, input })
      assert.equal(code, 0, stderr)
      return JSON.parse(stdout)
    }
    const exported = []
    for (const name of ['A', 'B']) {
      const { id } = await lastcall(['account', 'create', '--name', name])
      const campaign = await lastcall(['campaign', 'apply', '--account', String(id), '-'], campaignFile())
      const emails = Array.from({ length: 1_200 }, (_, n) => `${n}@example.com`)
      await lastcall(['lead', 'import', '--campaign', String(campaign.id), '-'], ['email', ...emails].join('\n'))
      exported.push(campaign.id)
    }
    const to = await undivided(t)
    await divide(to)
    for (const _ of ['once', 'again']) {
      const { tables } = await lastcall(['copy', '--from', from, '--to', to])
      assert.deepEqual(tables.leads, { from: 2_400, to: 2_400 })
    }
    for (const id of exported) {
      const list = ['lead', 'list', '--campaign', String(id)]
      assert.deepEqual(await lastcall(list, '', to), await lastcall(list))
    }
    assert.equal((await lastcall(['account', 'create', '--name', 'C'], '', to)).id, 3)
  }
})

test('a worker is added and shards move to it under load', { timeout: 300_000 }, async (t) => {
  const url = await undivided(t, 1)
  await divide(url)
  const place = installation(t)
  const books = await ledgers(url, 4)
  const server = await place.serve(unlimited, { DATABASE_URL: url })
  const running = loadOn(books, server)
  await sleep(1_000)
  const added = new URL((await nodeUrls(url))[2] as string)
  const startedAt = performance.now()
  await ask(
    asSuperuser(url),
    `SELECT citus_add_node('${added.hostname}', ${added.port})`,
    'SELECT citus_rebalance_start()',
    'SELECT citus_rebalance_wait()',
  )
  const took = performance.now() - startedAt
  const refused = await running.end()
  const placements = await ask(
    url,
    `SELECT nodeport, count(*)::int AS shards FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
      JOIN pg_dist_shard USING (shardid) WHERE logicalrelid = 'leads'::regclass GROUP BY 1`,
  )
  assert.deepEqual(
    placements.map(({ shards }) => shards),
    [4, 4],
  )
  const slowest = Math.max(0, ...refused.map(({ tookMs }) => tookMs))
  const answered = books.reduce((sum, book) => sum + book.answered().length, 0)
  t.diagnostic(
    `moved in ${(took / 1_000).toFixed(1)} s; ${answered} leads; ${refused.length} times 503, the slowest ${slowest.toFixed(0)} ms`,
  )
  assert.ok(slowest < 1_500)
  assert.ok(answered > 100)
  for (const book of books) {
    await book.assertKept(server, book.answered())
    await book.assertBook()
  }
})

/** The program of the next version, which has more tables and columns. */
function nextVersion(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-next-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const name of ['src', 'package.json']) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const number = String(latestVersion + 1).padStart(4, '0')
  writeFileSync(
    join(folder, 'src', 'store', 'migrations', `${number}-next.sql`),
    `ALTER TABLE leads ADD COLUMN note text;
CREATE INDEX leads_by_time ON leads (account_id, registered_at);
ALTER TABLE campaigns ADD COLUMN note text;
CREATE TABLE next_leads (
  account_id bigint NOT NULL,
  id bigint NOT NULL,
  PRIMARY KEY (account_id, id)
);
CREATE TABLE next_settings (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts
);
`,
  )
  const list = join(folder, 'src', 'store', 'postgres', 'distribution.ts')
  const added = "next_leads: 'distributed', next_settings: 'reference',"
  writeFileSync(list, readFileSync(list, 'utf8').replace("  users: 'local',", `${added}$&`))
  return join(folder, 'src', 'main.ts')
}

test('a divided database is migrated from the version before, under load', { timeout: 300_000 }, async (t) => {
  const url = await undivided(t)
  await divide(url)
  const place = installation(t)
  const books = await ledgers(url, 4)
  const before = await place.serve(unlimited, { DATABASE_URL: url })
  const running = loadOn(books, before)
  await sleep(1_000)
  const main = nextVersion(t)
  const stopped = once(before.process, 'exit')
  const env = { ...process.env, DATABASE_URL: url, PORT: '0' }
  const { stdout } = await promisify(execFile)(process.execPath, [main, 'migrate'], { env })
  assert.deepEqual(JSON.parse(stdout), { version: latestVersion + 1, applied: 1 })
  assert.deepEqual(await stopped, [1, null])
  assert.match(before.output(), /a newer Lastcall has migrated the database/)
  const refused = await running.end()
  assert.deepEqual(
    [...new Set(refused.map(({ status }) => status))].filter((status) => status !== 503),
    [],
  )

  const lies = await ask(
    url,
    `SELECT logicalrelid::text AS name, partmethod AS by, colocationid AS beside FROM pg_dist_partition
      WHERE logicalrelid::text IN ('leads', 'next_leads', 'next_settings', 'accounts') ORDER BY 1`,
  )
  const [accounts, leads, nextLeads, nextSettings] = lies
  assert.deepEqual([nextLeads.by, nextLeads.beside], [leads.by, leads.beside])
  assert.deepEqual([nextSettings.by, nextSettings.beside], [accounts.by, accounts.beside])

  const next = spawn(process.execPath, [main, 'serve', ...unlimited], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => next.kill('SIGKILL'))
  const [line] = await once(next.stdout, 'data')
  const origin = /http:\S+/.exec(String(line))?.[0]
  const server = { ...before, process: next, origin, base: `${origin}/api/public/v1` } as Server
  for (const book of books) {
    await book.assertKept(server, book.answered())
    assert.ok(book.answered().length > 20)
  }
  const stored = await ask(url, 'SELECT campaign_id, email FROM leads')
  assert.equal(new Set(stored.map((row) => `${row.campaign_id} ${row.email}`)).size, stored.length)
  t.diagnostic(`${stored.length} leads, ${refused.length} times 503`)
})
