// npm run bench:postgres: Lastcall on a PostgreSQL of its own, against plain inserts over the same driver and against a
// peer in the same run. What is measured and how to read it: README.md.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../test/support/postgres.ts'
import { makeAccount, makeAccounts, type Target } from './dataset.ts'
import { firstNewIndex } from './emails.ts'
import {
  against,
  cpuOfBoth,
  type Done,
  type Line,
  type Measured,
  measured,
  median,
  open,
  print,
  printBound,
  ratiosOf,
} from './postgres-figures.ts'
import { type Generator, type Server, startGenerator, startLastcall, startPeer } from './processes.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string' },
    leads: { type: 'string', default: '10000,1000000' },
    'warm-up': { type: 'string', default: '20' },
    only: { type: 'string', default: 'inserts,peer,growth' },
    /** Connections of the plain inserts. */
    pool: { type: 'string', default: '32' },
    'cpu-profiles': { type: 'string' },
  },
})
const seconds = Number(values.seconds)
const rounds = Number(values.rounds)
const connections = {
  inserts: Number(values.connections ?? 256),
  /** As in run.ts, which measures it on SQLite. */
  growth: Number(values.connections ?? 64),
}

/** What docs/operating.md advises, which is not what PostgreSQL takes by itself. */
const advised = [
  `shared_buffers=${Math.round(totalmem() / 4 / 2 ** 20)}MB`,
  'max_wal_size=16GB',
  'checkpoint_timeout=15min',
]

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-bench-'))
  const postgres = await startPostgres({ durable: true, settings: advised })
  const generator = startGenerator()
  try {
    await printSettings(postgres.adminUrl)
    if (values.only.includes('inserts')) await compareWithInserts(postgres.url, generator, folder)
    if (values.only.includes('peer')) await compareWithPeer(postgres, generator, folder)
    if (values.only.includes('growth')) await compareSizes(postgres, generator, folder)
  } finally {
    generator.stop()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function printSettings(adminUrl: string): Promise<void> {
  const database = await open(adminUrl)
  const names = `'server_version', 'shared_buffers', 'huge_pages_status'`
  const { rows } = await database.query(
    `SELECT string_agg(name || ' ' || current_setting(name), ', ' ORDER BY name DESC) AS settings
       FROM pg_settings WHERE name IN (${names})`,
  )
  console.log(rows[0].settings)
  await database.end()
}

async function compareWithInserts(url: string, generator: Generator, folder: string): Promise<void> {
  const target = await makeAccount(url)
  const server = await startServer(url, folder, 'inserts')
  const database = await open(url)
  await database.query(plainTable)
  const lastcall: Measured[] = []
  const plain: Measured[] = []
  let fresh = 0
  const register = async (): Promise<Done> => {
    const emails = { pick: 'next', from: firstNewIndex + fresh } as const
    const { emailsTaken, ...done } = await put(generator, server, [target], connections.inserts, '', emails, 201)
    fresh += emailsTaken
    return done
  }
  await register()
  for (let round = 0; round < rounds; round += 1) {
    lastcall.push(await measured(database, register))
    plain.push(await measured(database, () => insertPlainly(url)))
  }
  print(`${connections.inserts} connections, medians of ${rounds} rounds of ${seconds} s`, [
    ['Registration of new leads', median(lastcall)],
    [`plain inserts over pg, ${values.pool} connections`, median(plain)],
  ])
  await database.end()
  await server.stop()
}

function startServer(url: string, folder: string, name: string): Promise<Server> {
  const profiles = values['cpu-profiles']
  const profile = profiles === undefined ? undefined : { folder: profiles, name: `${name}.cpuprofile` }
  return startLastcall(url, join(folder, `serve-${name}.log`), profile)
}

async function put(
  generator: Generator,
  server: Server,
  targets: Target[],
  connections: number,
  path: string,
  emails: { pick: 'random'; count: number } | { pick: 'next'; from: number },
  status: number,
  length = seconds,
): Promise<Done & { emailsTaken: number }> {
  const load = { method: 'POST', emails, connections, seconds: length, status } as const
  const outcome = await generator.put(server, {
    ...load,
    key: targets.map(({ key }) => key),
    path: targets.map(({ campaignId }) => `/api/public/v1/campaigns/${campaignId}/leads${path}`),
  })
  const { answered, emailsTaken, cpuMicrosecondsPerRequest } = outcome
  const wrong = Object.values(outcome.wrong).reduce((sum, count) => sum + count, 0)
  if (wrong > 0) {
    console.log(`  MISSED: ${answered} answers, not expected: ${JSON.stringify(outcome.wrong)}`)
    process.exitCode = 1
  }
  return { count: answered - wrong, seconds: outcome.seconds, emailsTaken, cpuOfClient: cpuMicrosecondsPerRequest }
}

/** What a lead needs, as somebody without group commit would store it. */
const plainTable = `
  CREATE TABLE plain (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, account_id bigint NOT NULL, campaign_id bigint NOT NULL,
    email text NOT NULL, salt bigint NOT NULL, registered_at bigint NOT NULL, attempt bigint NOT NULL,
    deadline_at bigint, UNIQUE (account_id, campaign_id, email))`
const plainInsert = `INSERT INTO plain (account_id, campaign_id, email, salt, registered_at, attempt, deadline_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`

async function insertPlainly(url: string): Promise<Done> {
  const before = process.cpuUsage()
  const pool = new pg.Pool({ connectionString: url, max: Number(values.pool) })
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  let count = 0
  const client = async () => {
    while (performance.now() < endsAt) {
      const email = `lead${Math.random().toString(16).slice(2, 10).padEnd(8, '0')}@example.com`
      const row = [1, 1, email, Math.floor(Math.random() * 2 ** 48), 1_795_000_000, 1, 1_795_200_000]
      await pool.query({ name: 'plain', text: plainInsert, values: row }).then(
        () => {
          count += 1
        },
        () => {},
      )
    }
  }
  await Promise.all(Array.from({ length: connections.inserts }, client))
  const took = (performance.now() - startedAt) / 1_000
  await pool.end()
  const { user, system } = process.cpuUsage(before)
  return { count, seconds: took, cpuOfClient: (user + system) / count }
}

/** One of the two, with what its rounds have measured. */
type Rival = { server: Server; database: pg.Client; one: Target[]; hundred: Target[]; taken: number }
type Contest = 'lookup' | 'registration' | 'registration, 100 accounts'

const accountsAtOnce = 100
const leadsBesidePeer = 10_000

/** On databases of their own in one PostgreSQL, round for round in turn. */
async function compareWithPeer(
  postgres: { createDatabase(): Promise<string> },
  generator: Generator,
  folder: string,
): Promise<void> {
  const ours = await startOurs(await postgres.createDatabase(), folder)
  const peer = await startRival(await postgres.createDatabase(), folder)
  const lines: Line[] = []
  const results = new Map<Contest, { ours: Measured[]; peer: Measured[] }>()
  for (const contest of ['lookup', 'registration', 'registration, 100 accounts'] as const) {
    const result = { ours: [] as Measured[], peer: [] as Measured[] }
    const play = (rival: Rival) => measured(rival.database, () => contend(rival, contest, generator))
    await play(ours)
    await play(peer)
    for (let round = 0; round < rounds; round += 1) {
      result.ours.push(await play(ours))
      result.peer.push(await play(peer))
    }
    results.set(contest, result)
    lines.push([contest, median(result.ours)], [`${contest}, the peer`, median(result.peer)])
  }
  for (const { server, database } of [ours, peer]) {
    await server.stop()
    await database.end()
  }
  print(`Peer, ${connections.growth} connections, medians of ${rounds} rounds of ${seconds} s`, lines)
  printPeerBounds(results)
}

function printPeerBounds(results: Map<Contest, { ours: Measured[]; peer: Measured[] }>): void {
  const ratios = (contest: Contest, pick: (one: Measured) => number) => {
    const { ours, peer } = results.get(contest) as { ours: Measured[]; peer: Measured[] }
    return ratiosOf(ours, peer, pick)
  }
  const perCpu = (one: Measured) => 1 / cpuOfBoth(one)
  const perSecond = (one: Measured) => one.perSecond
  const [one, many] = ['registration', 'registration, 100 accounts'] as const
  printBound(`lookups per CPU second, PostgreSQL's included`, ratios('lookup', perCpu), 'at least', 1.2)
  printBound('registrations a second, one account', ratios(one, perSecond), 'at least', 1.5)
  printBound(`registrations a second, ${accountsAtOnce} accounts`, ratios(many, perSecond), 'at least', 1)
}

async function startOurs(url: string, folder: string): Promise<Rival> {
  const { target, ...sized } = await fill(url, leadsBesidePeer, folder)
  return { ...sized, one: [target], hundred: await makeAccounts(url, accountsAtOnce) }
}

async function startRival(url: string, folder: string): Promise<Rival> {
  const key = 'a-key-as-long-as-those-of-lastcall-which-have-an-uuid-and-32-random-bytes-in-base64url'
  const log = join(folder, 'peer.log')
  const server = await startPeer(url, { key, accounts: accountsAtOnce, leads: leadsBesidePeer }, log)
  const database = await open(url)
  await database.query('VACUUM (FREEZE, ANALYZE)')
  const hundred = Array.from({ length: accountsAtOnce }, (_, n) => {
    return { campaignId: 10 * n + 1, key: n === 0 ? key : `${key}-${n + 1}` }
  })
  return { server, database, one: hundred.slice(0, 1), hundred, taken: 0 }
}

async function contend(rival: Rival, contest: Contest, generator: Generator): Promise<Done> {
  const { server, one, hundred } = rival
  if (contest === 'lookup') {
    const emails = { pick: 'random', count: leadsBesidePeer } as const
    return put(generator, server, one, connections.growth, '/lookup', emails, 200)
  }
  const emails = { pick: 'next', from: firstNewIndex + rival.taken } as const
  const targets = contest === 'registration' ? one : hundred
  const { emailsTaken, ...done } = await put(generator, server, targets, connections.growth, '', emails, 201)
  rival.taken += emailsTaken
  return done
}

type Sized = { leads: number; target: Target; server: Server; database: pg.Client; taken: number }

/** Rounds of the sizes take turns: what else the machine does meets all of them. */
async function compareSizes(
  postgres: { adminUrl: string; createDatabase(): Promise<string> },
  generator: Generator,
  folder: string,
): Promise<void> {
  const all: Sized[] = []
  for (const leads of values.leads.split(',').map(Number)) {
    all.push(await fill(await postgres.createDatabase(), leads, folder))
  }
  const administrator = await open(postgres.adminUrl)
  await administrator.query('CHECKPOINT')
  await administrator.end()
  const lines: Line[] = []
  const grown: { name: string; results: Map<Sized, Measured[]> }[] = []
  for (const name of ['lookup', 'registration'] as const) {
    const results = new Map(all.map((sized) => [sized, [] as Measured[]]))
    for (const sized of all) await ask(sized, generator, name, Number(values['warm-up']))
    for (let round = 0; round < rounds; round += 1) {
      for (const [sized, measurements] of results) {
        measurements.push(await measured(sized.database, () => ask(sized, generator, name)))
      }
    }
    const first = all[0] as Sized
    for (const [sized, measurements] of results) {
      const than = sized === first ? '' : against(results.get(first) as Measured[], measurements)
      lines.push([`${name}, ${sized.leads.toLocaleString('en')} leads`, median(measurements), than])
    }
    grown.push({ name, results })
  }
  for (const { server, database } of all) {
    await server.stop()
    await database.end()
  }
  print(`Growth, ${connections.growth} connections, medians of ${rounds} rounds of ${seconds} s`, lines)
  for (const { name, results } of grown) {
    const of = (leads: number) => [...results].find(([sized]) => sized.leads === leads)?.[1]
    const [few, many] = [of(10_000), of(10_000_000)]
    if (!few || !many) continue
    const ratios = ratiosOf(many, few, cpuOfBoth)
    printBound(`${name}: CPU, PostgreSQL's included, 10,000,000 leads against 10,000`, ratios, 'at most', 1.3)
  }
}

async function fill(url: string, leads: number, folder: string): Promise<Sized> {
  const target = await makeAccount(url)
  const database = await open(url)
  await database.query(manyLeads, [target.campaignId, leads])
  await database.query('VACUUM (FREEZE, ANALYZE) leads')
  return { leads, target, server: await startServer(url, folder, String(leads)), database, taken: 0 }
}

async function ask(
  sized: Sized,
  generator: Generator,
  name: 'lookup' | 'registration',
  length?: number,
): Promise<Done> {
  const { server, target, leads } = sized
  const isLookup = name === 'lookup'
  const emails = isLookup
    ? ({ pick: 'random', count: leads } as const)
    : ({ pick: 'next', from: firstNewIndex + sized.taken } as const)
  const path = isLookup ? '/lookup' : ''
  const status = isLookup ? 200 : 201
  const done = await put(generator, server, [target], connections.growth, path, emails, status, length)
  sized.taken += done.emailsTaken
  return done
}

/** The emails of emails.ts, by PostgreSQL itself. */
const manyLeads = `
  INSERT INTO leads (account_id, campaign_id, email, salt, registered_at, rule_id, attempt, resets, anchor_at,
    opens_at, deadline_at)
  SELECT 1, $1::bigint, 'lead' || lpad(to_hex(scrambled), 8, '0') || '@example.com', n, 1795000000,
    (SELECT rule_id FROM campaigns WHERE id = $1::bigint), 1, 0, 1795000000, 1795000000, 1795200000
  FROM generate_series(0, $2::bigint - 1) AS n,
    LATERAL (SELECT n # (n >> 16) AS a) AS a,
    LATERAL (SELECT (a.a * 2146121005) & 4294967295 AS b) AS b,
    LATERAL (SELECT b.b # (b.b >> 15) AS c) AS c,
    LATERAL (SELECT ((c.c * 2221713035::numeric) % 4294967296)::bigint AS d) AS d,
    LATERAL (SELECT d.d # (d.d >> 16) AS scrambled) AS e`

await main()
