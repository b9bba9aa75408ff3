// npm run bench:postgres: Lastcall on a PostgreSQL of its own, against plain inserts over the same driver in the
// same run. What is measured and how to read it: README.md.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../test/support/postgres.ts'
import { makeAccount } from './dataset.ts'
import { firstNewIndex } from './emails.ts'
import { type Generator, type Server, startGenerator, startLastcall } from './processes.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string' },
    leads: { type: 'string', default: '10000,1000000' },
    'warm-up': { type: 'string', default: '20' },
    only: { type: 'string', default: 'inserts,growth' },
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

/** CPU time in microseconds for each that was done. */
type Measured = { perSecond: number; perCommit: number; cpuOfPostgres: number; cpuOfClient: number }
type Done = { count: number; cpuOfClient: number }
type Target = { campaignId: number; key: string }

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-bench-'))
  const postgres = await startPostgres({ durable: true, settings: advised })
  const generator = startGenerator()
  try {
    await printSettings(postgres.adminUrl)
    if (values.only.includes('inserts')) await compareWithInserts(postgres.url, generator, folder)
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
    const { emailsTaken, ...done } = await put(
      generator,
      server,
      target,
      connections.inserts,
      '',
      emails,
      201,
    )
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
  { campaignId, key }: Target,
  connections: number,
  path: string,
  emails: { pick: 'random'; count: number } | { pick: 'next'; from: number },
  status: number,
  length = seconds,
): Promise<Done & { emailsTaken: number }> {
  const load = { method: 'POST', key, emails, connections, seconds: length, status } as const
  const outcome = await generator.put(server, {
    ...load,
    path: `/api/public/v1/campaigns/${campaignId}/leads${path}`,
  })
  const wrong = JSON.stringify(outcome.wrong)
  if (wrong !== '{}') throw new Error(`answers that were not expected: ${wrong}`)
  const { answered, emailsTaken, cpuMicrosecondsPerRequest } = outcome
  return { count: answered, emailsTaken, cpuOfClient: cpuMicrosecondsPerRequest }
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
  const endsAt = Date.now() + seconds * 1_000
  let count = 0
  const client = async () => {
    while (Date.now() < endsAt) {
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
  await pool.end()
  const { user, system } = process.cpuUsage(before)
  return { count, cpuOfClient: (user + system) / count }
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
  }
  for (const { server, database } of all) {
    await server.stop()
    await database.end()
  }
  print(`Growth, ${connections.growth} connections, medians of ${rounds} rounds of ${seconds} s`, lines)
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
  const done = await put(generator, server, target, connections.growth, path, emails, status, length)
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

async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  // What fails, fails in a query; without this the end of PostgreSQL after a failure would hide its cause.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** How many were done each second, for each commit, and what one cost all processes of PostgreSQL. */
async function measured(database: pg.Client, work: () => Promise<Done>): Promise<Measured> {
  const commits = await commitsOf(database)
  const cpu = await cpuOf(database)
  const startedAt = performance.now()
  const { count, cpuOfClient } = await work()
  const spent = Math.min(performance.now() - startedAt, seconds * 1_000)
  const used = (await cpuOf(database)) - cpu
  return {
    perSecond: (count * 1_000) / spent,
    perCommit: count / ((await commitsOf(database)) - commits),
    cpuOfPostgres: used / 1_000 / count,
    cpuOfClient,
  }
}

/** PostgreSQL counts them up to a second late. */
async function commitsOf(database: pg.Client): Promise<number> {
  await sleep(1_500)
  const { rows } = await database.query(
    'SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()',
  )
  return Number(rows[0].xact_commit)
}

/** Nanoseconds of the postmaster, its living children and those that it has waited for. */
async function cpuOf(database: pg.Client): Promise<number> {
  const { rows } = await database.query('SELECT pg_backend_pid() AS pid')
  const postmaster = statOf(rows[0].pid).parent
  let sum = statOf(postmaster).ofEnded
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const pid = Number(name)
      if (pid !== postmaster && statOf(pid).parent !== postmaster) continue
      sum += Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // gone meanwhile
    }
  }
  return sum
}

function statOf(pid: number): { parent: number; ofEnded: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const tickNanoseconds = 1e7
  return { parent: Number(fields[1]), ofEnded: (Number(fields[13]) + Number(fields[14])) * tickNanoseconds }
}

function median(all: Measured[]): Measured {
  const middle = (pick: (one: Measured) => number) =>
    all.map(pick).sort((a, b) => a - b)[Math.floor(all.length / 2)] as number
  return {
    perSecond: middle(({ perSecond }) => perSecond),
    perCommit: middle(({ perCommit }) => perCommit),
    cpuOfPostgres: middle(({ cpuOfPostgres }) => cpuOfPostgres),
    cpuOfClient: middle(({ cpuOfClient }) => cpuOfClient),
  }
}

type Line = [name: string, measured: Measured, against?: string]

/** CPU time of PostgreSQL and Lastcall together, and time at full load, each the median of the rounds' ratios. */
function against(few: Measured[], many: Measured[]): string {
  const ratios = (pick: (one: Measured) => number) =>
    many.map((one, round) => pick(one) / pick(few[round] as Measured)).sort((a, b) => a - b)
  const words = (all: number[]) => {
    const [least, middle, most] = [all[0], all[Math.floor(all.length / 2)], all.at(-1)] as number[]
    return `${middle?.toFixed(2)} (${least?.toFixed(2)} to ${most?.toFixed(2)})`
  }
  const cpu = ratios(({ cpuOfPostgres, cpuOfClient }) => cpuOfPostgres + cpuOfClient)
  const time = ratios(({ perSecond }) => 1 / perSecond)
  return `CPU ${words(cpu)}, time ${words(time)}`
}

function print(title: string, lines: Line[]): void {
  console.log(
    `\n${title}${' '.repeat(Math.max(1, 60 - title.length))}per second  per commit  CPU µs: PostgreSQL, its client`,
  )
  for (const [name, { perSecond, perCommit, cpuOfPostgres, cpuOfClient }, than] of lines) {
    const numbers = [
      Math.round(perSecond).toLocaleString('en'),
      perCommit.toFixed(1),
      cpuOfPostgres.toFixed(1),
      cpuOfClient.toFixed(1),
    ]
    console.log(`  ${name.padEnd(58)}${numbers.map((number) => number.padStart(10)).join('  ')}`)
    if (than) console.log(`    against the first: ${than}`)
  }
}

await main()
