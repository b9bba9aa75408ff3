// `npm run test:citus`: the suites that ask the store, with every database divided on the cluster of CITUS_URL.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { dropTemplate, makeTemplate } from '../support/citus.ts'
import { compileCache } from '../support/lastcall.ts'

const root = join(import.meta.dirname, '..')
const suites = '{store,api,visitor,panel-api,cli,faults,events,history,citus}/*.test.ts'

/** What reaches into PostgreSQL beside the service in a way that a divided database does not have. */
const filesNotHere: Record<string, string> = {
  'cli/distribute.test.ts': 'is about databases without Citus; citus/distribute.test.ts stands for it',
  'faults/migration.test.ts': 'migrates an empty database; citus/growing.alone.ts migrates a divided one',
}
const testsNotHere: Record<string, string> = {
  'slow: every answer is byte for byte the same but ids and times': 'sets a trigger, which no distributed table takes',
  'what is not committed is not answered': 'sets a trigger as well',
  'what comes behind a complete body is not part of it':
    'fails on one PostgreSQL as well, where Node has ended the request before its rate is counted',
  'on PostgreSQL too its index has them in order':
    'makes a small table planned like a large one, by settings that workers do not hear of',
}

/** In one line; undefined where the cluster can be used. */
async function missing(url: string | undefined): Promise<string | undefined> {
  const wanted =
    'CITUS_URL: must be a database on the coordinator of a Citus cluster that knows its workers, as superuser'
  if (!url) return wanted
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    const { rows } = await client.query('SELECT count(*)::int AS workers FROM pg_dist_node WHERE groupid > 0')
    return rows[0].workers > 1 ? undefined : `${wanted}; there are ${rows[0].workers} workers, and it takes two`
  } catch (error) {
    return `${wanted} (${(error as Error).message})`
  } finally {
    await client.end().catch(() => {})
  }
}

const refusal = await missing(process.env.CITUS_URL)
if (refusal !== undefined) {
  console.error(refusal)
  process.exit(1)
}
for (const [name, reason] of Object.entries({ ...filesNotHere, ...testsNotHere })) {
  console.log(`without "${name}": it ${reason}`)
}
const chosen = process.argv.slice(2)
const files = chosen.length > 0 ? chosen : globSync(suites, { cwd: root, exclude: Object.keys(filesNotHere) }).sort()
/** These kill servers of the cluster, or look at the clock. */
const alone = chosen.length > 0 ? [] : globSync('citus/*.alone.ts', { cwd: root }).sort()
const skipped = Object.keys(testsNotHere).map((name) => `--test-skip-pattern=${name}`)
const sums = { tests: 0, pass: 0 }

/** What a file's tests say is told once it is the last word: what failed beside other files is tried again alone. */
async function passes(file: string, isLast: boolean, env: NodeJS.ProcessEnv = {}): Promise<boolean> {
  const run = spawn(process.execPath, ['--test', '--test-reporter=spec', ...skipped, file], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LASTCALL_TEST_ENGINE: 'postgres', NODE_COMPILE_CACHE: compileCache, ...env },
  })
  let told = ''
  run.stdout.setEncoding('utf8').on('data', (text) => {
    told += text
  })
  const [code] = await once(run, 'close')
  if (code !== 0 && !isLast) {
    for (const [failed] of told.matchAll(/^ *✖ .*\n.*/gm)) console.log(`at first: ${failed}`)
    return false
  }
  console.log(told)
  for (const name of ['tests', 'pass'] as const)
    sums[name] += Number(new RegExp(`^ℹ ${name} (\\d+)`, 'm').exec(told)?.[1])
  return code === 0
}

const again: string[] = []
async function lane(): Promise<void> {
  for (let file = files.shift(); file !== undefined; file = files.shift()) {
    if (!(await passes(file, false))) again.push(file)
  }
}

await makeTemplate()
await Promise.all([lane(), lane()])
let isGreen = true
for (const file of again) {
  console.log(`failed beside others, and now alone: ${file}`)
  isGreen = (await passes(file, true)) && isGreen
}
for (const file of alone) isGreen = (await passes(file, true, { FAULTS: 'full' })) && isGreen
await dropTemplate()
console.log(`tests ${sums.tests}, passed ${sums.pass}`)
if (!isGreen) process.exitCode = 1
