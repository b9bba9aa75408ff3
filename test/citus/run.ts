// `npm run test:citus`: the suites that ask the store, with every database divided on the cluster of CITUS_URL.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { compileCache } from '../support/lastcall.ts'

const root = join(import.meta.dirname, '..')
const suites = '{store,api,visitor,panel-api,cli,faults,citus}/*.test.ts'

/** What reaches into PostgreSQL beside the service in a way that a divided database does not have. */
const filesNotHere: Record<string, string> = {
  'cli/distribute.test.ts': 'is about databases without Citus; citus/distribute.test.ts stands for it',
  'faults/migration.test.ts': 'migrates an empty database; citus/growing.alone.ts migrates a divided one',
}
const testsNotHere: Record<string, string> = {
  'slow: every answer is byte for byte the same but ids and times': 'sets a trigger, which no distributed table takes',
  'what is not committed is not answered': 'sets a trigger as well',
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
const setup = `--test-global-setup=${join(root, 'support', 'global-setup.ts')}`
/** Resolves with whether all of them passed. */
async function passed(files: string[], atOnce: number, env: NodeJS.ProcessEnv): Promise<boolean> {
  const skipped = Object.keys(testsNotHere).map((name) => `--test-skip-pattern=${name}`)
  const run = spawn(process.execPath, ['--test', `--test-concurrency=${atOnce}`, setup, ...skipped, ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, LASTCALL_TEST_ENGINE: 'postgres', NODE_COMPILE_CACHE: compileCache, ...env },
  })
  return (await once(run, 'exit'))[0] === 0
}

const suitesPassed = await passed(files, 2, {})
// These kill servers of the cluster, or look at the clock.
const alone = chosen.length > 0 ? [] : globSync('citus/*.alone.ts', { cwd: root }).sort()
const alonePassed = alone.length === 0 || (await passed(alone, 1, { FAULTS: 'full' }))
process.exitCode = suitesPassed && alonePassed ? 0 : 1
