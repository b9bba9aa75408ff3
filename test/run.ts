// `npm test`: every test file, on both engines at once. Most files wait more than they compute, so several share
// the processors; what takes longest begins first, and what nobody times gives way to what looks at the clock.
// With FAULTS=full, as `npm run test:faults` has it: all in their long form, but for test/faults/.
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { PassThrough } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { isFull } from './support/faults.ts'
import { compileCache } from './support/lastcall.ts'
import { sharePostgres } from './support/shared-postgres.ts'
import type { TestEngine } from './support/test-database.ts'
import { buildUsualTemplates } from './support/usual-templates.ts'

type Job = { engine: TestEngine; file: string }

const onPostgres = ['{api,cli,visitor,panel-api,faults}/*.test.ts']
/** Of these, what is over before a database is asked: one engine is enough. */
const onSqliteAlone = [
  'api/{body-json,body-size,description,media-type,query-parameters,routing}.*',
  'cli/{simulate,wrong-calls}.*',
  'panel-api/preview.*',
  'visitor/unavailable.*',
]
/** And what the store has a small part in: `npm run test:faults` has it on both. */
const onSqliteInShort = [
  'api/{any-request,bearer-key,campaign-id,order-of-checks,warnings}.*',
  'cli/{campaign-faults,processes}.*',
  'panel-api/{hostile,http,password-reset,provider,sign-in,test-mail}.*',
  'visitor/{images,one-truth,rate}.*',
  'faults/{overload,stopping}.*',
]
const longest = [
  ...['widget/demo.*', 'visitor/rate.*', 'faults/**', 'http/slow.*', 'panel/{every-*,leads,editor}.*'],
  ...['panel/**', 'widget/**', 'process/**', 'history/**', 'sqlite/{erase,history-outage}.*', '**'],
]
const givesWay = '{core,countdown,panel}/**'
/** These look at the clock, and wait for it most of the time. */
const waits = [
  'widget/{demo,clock,page,expiry,service,visitor,loading}.*',
  '{visitor/rate,http/slow,history/trouble,process/copy}.*',
  '{events/{telling,rounds},faults/{clock,history}}.*',
]
const root = import.meta.dirname

function allJobs(): Job[] {
  const rank = ({ file }: Job) => longest.findIndex((pattern) => matchesGlob(file, pattern))
  const filesOf = (patterns: string[], exclude: string[] = []) => globSync(patterns, { cwd: root, exclude }).sort()
  const notHere = isFull ? ['faults/**'] : []
  const inShort = isFull ? [] : onSqliteInShort
  return [
    ...filesOf(onPostgres, [...notHere, ...onSqliteAlone, ...inShort]).map(
      (file): Job => ({ engine: 'postgres', file }),
    ),
    ...filesOf(['**/*.test.ts'], [...notHere, 'citus/**']).map((file): Job => ({ engine: 'sqlite', file })),
  ].sort((a, b) => rank(a) - rank(b))
}

const sums = new Map<string, number>()
const report = new PassThrough({ objectMode: true, highWaterMark: 100_000 })
const printed = report.compose(new spec())
printed.pipe(process.stdout)

/** What a file's tests say is told once it is the last word: what failed beside other files is tried again alone. */
async function runFile({ engine, file }: Job, isLast: boolean): Promise<boolean> {
  const events = run({
    files: [join(root, file)],
    env: { ...process.env, LASTCALL_TEST_ENGINE: engine, NODE_COMPILE_CACHE: compileCache },
    execArgv: matchesGlob(file, givesWay) ? [`--import=${join(root, 'support', 'gives-way.ts')}`] : [],
  })
  const results: unknown[] = []
  let counts: Record<string, number> = {}
  for await (const { type, data } of events) {
    if (type === 'test:summary') {
      if (data.file === undefined) counts = data.counts
    } else if (type !== 'test:diagnostic' || data.file !== undefined) {
      if (engine === 'postgres' && 'name' in data && data.nesting === 0) data.name += ' (PostgreSQL)'
      results.push({ type, data })
    }
  }
  const isGreen = counts.passed === counts.tests
  if (!isGreen && !isLast) return false
  for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count)
  // What is told of a file stands together.
  for (const result of results) report.write(result)
  return isGreen
}

const processStat = '/proc/self/stat'

/** Processor seconds of the files that have ended, without most of what a browser takes; 0 but on Linux. */
function childSeconds(): number {
  if (!existsSync(processStat)) return 0
  const stat = readFileSync(processStat, 'latin1')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
  return (Number(user) + Number(system)) / 100
}

const seconds = (since: number) => ((performance.now() - since) / 1_000).toFixed(1)
const startedAt = performance.now()
const postgres = await sharePostgres()
await buildUsualTemplates()
let before = childSeconds()
/** Files that failed beside others, which take the processors from what looks at the clock. */
const again: Job[] = []
/** Files one after the other, from the first of the queues that has any. */
async function lane(...queues: Job[][]): Promise<void> {
  const next = () => queues.find(({ length }) => length > 0)?.shift()
  for (let job = next(); job !== undefined; job = next()) {
    const beganAt = performance.now()
    if (!(await runFile(job, false))) again.push(job)
    const after = childSeconds()
    if (process.env.TIMES) console.error(seconds(beganAt), (after - before).toFixed(1), job.engine, job.file)
    before = after
  }
}
const {
  patient = [],
  waiting = [],
  others = [],
} = Object.groupBy(allJobs(), ({ file }) => {
  if (matchesGlob(file, givesWay)) return 'patient'
  return waits.some((pattern) => matchesGlob(file, pattern)) ? 'waiting' : 'others'
})
await Promise.all([
  lane(patient, others, waiting),
  lane(others, patient, waiting),
  lane(others, patient, waiting),
  // A fourth lane of those that compute would be too many: waits for what a server does would run out.
  lane(waiting),
])
for (const job of again) {
  console.log(`failed beside others, and now alone: ${job.file} (${job.engine})`)
  await runFile(job, true)
}
report.end()
await once(printed, 'end')
await postgres.stop()
for (const [name, count] of sums) console.log(`${name} ${count}`)
console.log(`seconds ${seconds(startedAt)}`)
const tests = sums.get('tests') ?? 0
if (tests === 0 || sums.get('passed') !== tests) process.exitCode = 1
