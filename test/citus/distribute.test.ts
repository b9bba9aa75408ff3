// `distribute` on a real cluster, and what it refuses there.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { latestVersion } from '../../src/store/migrations.ts'
import { placements } from '../../src/store/postgres/distribution.ts'
import { testerAt } from '../support/actor.ts'
import { asSuperuser, citusUrl, createOnCitus, dropOnCitus, nodeUrls } from '../support/citus.ts'
import { accountWithKey, appliedCampaign, arrangeIn, campaignFile } from '../support/lastcall.ts'
import { ask, databaseUrl } from '../support/postgres-databases.ts'
import { command, root } from '../support/prepared.ts'

/** A database of the cluster that nobody has divided, with an owner, a user and three leads. */
async function undivided(t: TestContext) {
  const url = await createOnCitus(databaseUrl(citusUrl as string))
  t.after(() => dropOnCitus(url))
  const lastcall = (args: string[], input = '') => command(args, { env: { DATABASE_URL: url }, input })
  const { accountId, campaignId } = await arrangeIn(url, async (store) => {
    const { accountId } = await accountWithKey(store)
    const ada = { email: 'ada@example.com', passwordHash: 'x', role: 'owner' } as const
    await store.access.createUser(accountId, ada, testerAt(1))
    return { accountId, campaignId: (await appliedCampaign(store, accountId, campaignFile())).id }
  })
  const csv = ['email', ...['a', 'b', 'c'].map((name) => `${name}@example.com`)].join('\n')
  await lastcall(['lead', 'import', '--campaign', String(campaignId), '-'], csv)
  return { url, lastcall, accountId, campaign: ['--campaign', String(campaignId)] }
}

test('distribute divides what is there, says what lies where, and changes nothing when it is repeated', async (t) => {
  const { url, lastcall, campaign } = await undivided(t)
  const before = JSON.parse((await lastcall(['lead', 'list', ...campaign])).stdout)
  assert.equal(before.length, 3)
  const { code, stdout, stderr } = await lastcall(['distribute', '--shards', '6'])
  assert.equal(code, 0, stderr)
  const { tables } = JSON.parse(stdout)
  assert.deepEqual(Object.keys(tables), Object.keys(placements))
  const [coordinator, ...workers] = (await nodeUrls(url)).map((node) => new URL(node).host)
  for (const [table, { placement, shards }] of Object.entries<any>(tables)) {
    assert.equal(placement, placements[table])
    const servers = { distributed: workers, reference: [coordinator, ...workers], local: [coordinator] }
    assert.deepEqual(Object.keys(shards).sort(), [...servers[placement as keyof typeof servers]].sort(), table)
    const count = Object.values<number>(shards).reduce((sum, one) => sum + one)
    assert.equal(count, placement === 'distributed' ? 6 : servers[placement as keyof typeof servers].length)
  }
  const groups = await ask(
    url,
    "SELECT DISTINCT colocationid FROM pg_dist_partition WHERE partmethod = 'h' AND logicalrelid <> 'schema_version'::regclass",
  )
  assert.equal(groups.length, 1)
  assert.deepEqual(JSON.parse((await lastcall(['lead', 'list', ...campaign])).stdout), before)
  for (const repeated of [['distribute'], ['distribute', '--shards', '6']]) {
    assert.deepEqual(JSON.parse((await lastcall(repeated)).stdout).tables, tables)
  }
  const other = await lastcall(['distribute', '--shards', '7'])
  assert.equal(other.code, 2)
  assert.match(other.stderr, /divided into 6 shards already/)
})

test('what was copied to the workers is gone from the coordinator, and an erased lead with it', async (t) => {
  const { url, lastcall } = await undivided(t)
  assert.equal((await lastcall(['distribute'])).code, 0)
  for (const [table, placement] of Object.entries(placements)) {
    if (placement === 'local') continue
    const [row] = await ask(url, `SELECT pg_relation_size('${table}')::int AS bytes`)
    assert.equal(row.bytes, 0, table)
  }
})

test('the settings of the role hold on every server', async (t) => {
  const { url, lastcall } = await undivided(t)
  await lastcall(['distribute'])
  for (const node of await nodeUrls(url)) {
    const [row] = await ask(node, "SELECT current_setting('client_connection_check_interval') AS interval")
    assert.equal(row.interval, '1s')
    const [propagates] = await ask(node, "SELECT current_setting('citus.propagate_set_commands') AS is")
    assert.equal(propagates.is, 'local')
  }
})

test('a worker is refused in one line, by serve and by every command', async (t) => {
  const { url, lastcall } = await undivided(t)
  await lastcall(['distribute'])
  const worker = (await nodeUrls(url))[1] as string
  for (const args of [['serve', '--port', '0'], ['account', 'list'], ['migrate'], ['distribute']]) {
    const { code, stdout, stderr } = await command(args, { env: { DATABASE_URL: worker } })
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(stderr, 'lastcall: this is a worker of a Citus cluster: DATABASE_URL must name its coordinator\n')
  }
})

test('a cluster without workers, or that does not know its coordinator, is refused', async (t) => {
  const { url, lastcall, accountId } = await undivided(t)
  const removing = 'SELECT citus_remove_node(nodename, nodeport) FROM pg_dist_node WHERE groupid'
  await ask(asSuperuser(url), `${removing} > 0`)
  const alone = await lastcall(['distribute'])
  assert.equal(alone.code, 2)
  assert.match(alone.stderr, /there is no worker: SELECT citus_add_node/)
  await ask(asSuperuser(url), `${removing} = 0`)
  assert.match((await lastcall(['distribute'])).stderr, /citus_set_coordinator_host/)
  assert.equal(JSON.parse((await lastcall(['account', 'list'])).stdout)[0].id, accountId)
})

/** What the release had that could divide a database first. */
const firstDivided = 11

test('every migration since the release that first divided runs on a divided database', async (t) => {
  const url = await createOnCitus(databaseUrl(citusUrl as string))
  t.after(() => dropOnCitus(url))
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-before-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const name of ['src', 'package.json']) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const migrations = join(folder, 'src/store/migrations')
  for (const file of readdirSync(migrations)) {
    if (Number(file.slice(0, 4)) > firstDivided) rmSync(join(migrations, file))
  }
  const env = { ...process.env, DATABASE_URL: url }
  await promisify(execFile)(process.execPath, [join(folder, 'src/main.ts'), 'distribute'], { env })
  await ask(
    url,
    "INSERT INTO accounts (name) VALUES ('A')",
    `INSERT INTO campaigns (account_id, name, type_id, is_draft, settings)
      VALUES (1, 'c', 1, 0, '{"timeZone":"UTC","mechanism":{},"anonymous":{},"onExpiry":{},"mailTimer":{}}')`,
    "INSERT INTO offer_pages (campaign_id, page_url, eligible) VALUES (1, 'https://a.example/', 1)",
    `INSERT INTO leads (account_id, campaign_id, email, salt, registered_at, attempt, resets)
      VALUES (1, 1, 'a@example.com', 1, 1, 1, 0)`,
  )
  const { code, stdout, stderr } = await command(['migrate'], { env: { DATABASE_URL: url } })
  assert.deepEqual([code, stderr], [0, ''])
  assert.deepEqual(JSON.parse(stdout), { version: latestVersion, applied: latestVersion - firstDivided })
  const { tables } = JSON.parse((await command(['distribute'], { env: { DATABASE_URL: url } })).stdout)
  for (const [table, { placement, shards }] of Object.entries<any>(tables)) {
    assert.equal(placement, placements[table])
    assert.equal(Object.keys(shards).length, { distributed: 2, reference: 3, local: 1 }[placement as string], table)
  }
  const [entry] = await ask(url, 'SELECT after FROM audit_entries')
  const { pages } = JSON.parse(entry.after)
  assert.deepEqual(pages, [{ id: 1, pageUrl: 'https://a.example/', proxyUrl: null, eligible: true }])
  assert.equal((await ask(url, 'SELECT email FROM leads'))[0].email, 'a@example.com')
})
