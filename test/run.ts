// `npm test`: types, lint and format, and every test file, on both engines at once. Most files wait more than they compute, so several share
// the processors; what takes longest begins first, and what nobody times gives way to what looks at the clock.
// With FAULTS=full, as `npm run test:faults` has it: all in their long form, but for test/faults/.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { constants, cpus, setPriority } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { PassThrough } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { setTimeout as sleep } from 'node:timers/promises'
import { browserPath } from './support/browser.ts'
import { isFull } from './support/faults.ts'
import { compileCache, installation } from './support/lastcall.ts'
import { sharePostgres } from './support/shared-postgres.ts'
import type { TestEngine } from './support/test-database.ts'

/** Files that run in one process, one after the other. */
type Job = { engine: TestEngine; files: string[] }

const onPostgres = [
  '{api,cli,visitor,panel-api,faults}/*.test.ts',
  'events/{rounds,several-nodes,telling,truth}.test.ts',
]
/** Of these, what is over before a database is asked: one engine is enough. */
const onSqliteAlone = [
  'api/{body-json,body-size,description,media-type,query-parameters,routing}.*',
  'cli/{simulate,wrong-calls}.*',
  'panel-api/preview.*',
  'visitor/unavailable.*',
]
/** And what the store has a small part in, or one with tests of its own: `npm run test:faults` has it on both. */
const onSqliteInShort = [
  'api/{any-request,bearer-key,campaign-id,conversions,email,history,key-in-grace,nothing-written,order-of-checks,rate-limit}.*',
  'api/{secrecy,warnings}.*',
  'cli/{accounts-and-campaigns,audit,campaign-faults,leads,maintenance,person,processes,users}.*',
  'panel-api/{campaigns,hostile,http,lead-search,overview,password-reset,provider,roles,second-factor,sign-in,test-mail,users}.*',
  'events/{rounds,telling}.*',
  'visitor/{counts,gate,images,links,moments,one-truth,rate,widget-api}.*',
  'faults/{clock,history,overload,stopping}.*',
]
const onPostgresAlone = ['citus/**', 'events/several-nodes.*']
const longest = [
  ...['{widget/{demo,clock,expiry},events/{telling,rounds}}.*', 'visitor/rate.*', 'http/slow.*'],
  ...['panel/{every-*,leads,editor}.*', 'panel-api/**', 'api/**', 'panel/**', '{history,store}/**'],
  ...['{events,http}/**', 'faults/killed-node.*', '{widget,cli}/**'],
  ...['faults/**', 'process/**', 'sqlite/**', '**'],
]
const givesWay = '{core,countdown,panel}/**'
/** Files that never end would hold up all others for ever; the longest take a quarter of this. Milliseconds. */
const mostMs = 600_000
/** These look at the clock, and wait for it most of the time. */
const waits = [
  'widget/**',
  '{visitor/rate,http/slow,history/trouble,sqlite/history-outage,process/{copy,workers}}.*',
  '{events/{telling,rounds},faults/{clock,history,overload,stopping}}.*',
  'faults/postgres/{outages,taken-away}.*',
]
/** What these guarantee has other checks beside them. The first two want the machine for themselves, the last takes long. */
const notInShort = ['faults/{postgres/slow,sqlite/erasing}.*', 'panel/provider.*']
/** Where the processors count as idle although they are not, as those of a machine that others share. */
const mostWhereIdle = 3
const doesWait = (file: string) => waits.some((pattern) => matchesGlob(file, pattern))
/** These share a process, or so many: most of a small file is its start, its server's and its browser's. */
const together: [pattern: string, processes: number][] = [
  ['panel/*', isFull ? 3 : 1],
  ['{api,visitor}/*', isFull ? 2 : 1],
  ['panel-api/*', 1],
  ['cli/*', 1],
  ['{events,http}/*', 1],
  ['process/*', 1],
  ['sqlite/*', 2],
  ['{core,docs,countdown,mutants}/*', 1],
  ['{history,store}/*', 1],
  ['faults/{killed-node,migration,postgres/plans}.*', 1],
  ['faults/sqlite/*', 1],
]
/** The same for those that wait. */
const waitTogether: typeof together = [
  ['widget/{clock,docs,expiry,form,image,loading,page,script,service,visitor}.*', isFull ? 6 : 2],
  ['faults/{history,overload,stopping}.*', isFull ? 3 : 1],
  ['{http/slow,visitor/rate,history/trouble,sqlite/history-outage}.*', 1],
  ['{faults/postgres/taken-away,process/{copy,workers}}.*', 1],
]
const root = import.meta.dirname

function allJobs(): Job[] {
  const notHere = isFull ? ['faults/**'] : notInShort
  const inShort = isFull ? [] : onSqliteInShort
  return [
    ...jobsOn('postgres', onPostgres, [...notHere, ...onSqliteAlone, ...inShort]),
    ...jobsOn('sqlite', ['**/*.test.ts'], [...notHere, ...onPostgresAlone]),
  ].sort((a, b) => rank(a) - rank(b))
}

const rank = ({ files }: Job) => Math.min(...files.map((file) => longest.findIndex((one) => matchesGlob(file, one))))

function jobsOn(engine: TestEngine, patterns: string[], exclude: string[]): Job[] {
  const files = globSync(patterns, { cwd: root, exclude }).sort()
  const shared = [...together, ...waitTogether].flatMap((group) => {
    const [pattern, count] = group
    const those = files.filter((file) => matchesGlob(file, pattern) && doesWait(file) === waitTogether.includes(group))
    return Array.from({ length: count }, (_, n) => those.filter((_, index) => index % count === n))
  })
  const alone = files.filter((file) => !shared.flat().includes(file)).map((file) => [file])
  return [...shared, ...alone].filter(({ length }) => length > 0).map((files) => ({ engine, files }))
}

const sums = { passed: 0, failed: 0 }
const report = new PassThrough({ objectMode: true, highWaterMark: 100_000 })
const printed = report.compose(new spec())
printed.pipe(process.stdout)

type Result = { type: string; data: any }
/** A test that is skipped, or left for later, is none that passed. */
const isLeftOut = ({ data }: Result) => data.skip !== undefined || data.todo !== undefined

const messageOf = ({ data: { name, details } }: Result) =>
  `${name}: ${details?.error?.cause?.message ?? details?.error?.message}`.split('\n', 20).join(' ')

/** What the tests of a file say is told once it is the last word: what failed beside others is tried again alone. */
async function runFiles({ engine, files }: Job, isLast: boolean): Promise<Job[]> {
  const events = run({
    files: [join(root, 'support', 'together.ts')],
    ...(!isFull && { signal: AbortSignal.timeout(mostMs) }),
    env: { ...process.env, TOGETHER: files.join(' '), LASTCALL_TEST_ENGINE: engine, NODE_COMPILE_CACHE: compileCache },
    execArgv: files.some((file) => matchesGlob(file, givesWay))
      ? [`--import=${join(root, 'support', 'gives-way.ts')}`]
      : [],
  })
  const green = new Set<string>()
  /** The process failed, and not a test: something was thrown when its test was over already. */
  let isBroken = false
  /** Of one file, which stand together. */
  let results: Result[] = []
  for await (const { type, data } of events as AsyncIterable<Result>) {
    if (type === 'test:summary' || (type === 'test:diagnostic' && data.file === undefined)) continue
    results.push({ type, data })
    if (data.nesting !== 0 || (type !== 'test:pass' && type !== 'test:fail')) continue
    const isOfFile = files.includes(data.name)
    const isGreen = type === 'test:pass' && isOfFile && !results.some(isLeftOut)
    isBroken ||= !isOfFile
    if (isGreen) green.add(data.name)
    if (isGreen || isLast) tell(results, engine)
    else for (const one of results) tellAtFirst(one)
    results = []
  }
  const mayBeAnyOf = isBroken && green.size === files.length
  return files.filter((file) => mayBeAnyOf || !green.has(file)).map((file) => ({ engine, files: [file] }))
}

/** A property that fails counts although a second try, with cases of its own, may not find what is wrong. */
let isFoundByChance = false

function tellAtFirst(result: Result): void {
  if (result.type === 'test:diagnostic' && /^FAULTS_SEED=/.test(result.data.message)) console.log(result.data.message)
  if (result.type !== 'test:fail') return
  const message = messageOf(result)
  console.log(`at first: ${message}`)
  isFoundByChance ||= message.includes('Property failed after')
}

function tell(results: Result[], engine: TestEngine): void {
  // What stands around the tests of a file is none.
  const tests = results.filter(
    ({ type, data }) => /^test:(pass|fail)$/.test(type) && data.nesting > 0 && data.details?.type !== 'suite',
  )
  const failed = tests.filter((one) => one.type === 'test:fail' || isLeftOut(one)).length
  sums.passed += tests.filter((one) => one.type === 'test:pass' && !isLeftOut(one)).length
  // A file that breaks off fails without a test that did.
  sums.failed += failed === 0 && results.at(-1)?.type === 'test:fail' ? 1 : failed
  for (const { type, data } of results) {
    if (engine === 'postgres' && data.nesting === 0) data.name += ' (PostgreSQL)'
    report.write({ type, data })
  }
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

/** Types, lint and format, beside the first tests, which they give way to. False where something is wrong with them. */
async function check(): Promise<boolean> {
  // TypeScript's own collector of garbage takes a fifth of its time.
  const env = { ...process.env, GOGC: '400' }
  const child = spawn('npm', ['run', '-s', 'check'], { cwd: join(root, '..'), env, stdio: ['ignore', 'pipe', 'pipe'] })
  setPriority(child.pid as number, constants.priority.PRIORITY_BELOW_NORMAL)
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => said.push(piece))
  const [code] = await once(child, 'close')
  if (code !== 0) console.error(`npm run check failed:\n${Buffer.concat(said)}`)
  return code === 0
}

/** Most servers of the tests are killed, and one leaves its compiled code to the next only where it ends by itself. */
async function compileOnce(): Promise<void> {
  const ends: (() => Promise<void>)[] = []
  const place = installation({ after: (end) => void ends.push(end) })
  await place.run(['account', 'create', '--name', 'First'])
  // Starts a thread.
  await place.run(['history', 'list', '--account', '1'])
  await (await place.serve()).stop()
  for (const end of ends) await end()
}

const seconds = (since: number) => ((performance.now() - since) / 1_000).toFixed(1)
const startedAt = performance.now()
const checked = check()
// PostgreSQL ends with this process.
await Promise.all([sharePostgres(), browserPath(), compileOnce()])
let before = childSeconds()
/** Files that failed beside others, which take the processors from what looks at the clock. */
const again: Job[] = []
/** From the first of the queues that has any; false where none has. */
async function runNext(queues: Job[][]): Promise<boolean> {
  const job = queues.find(({ length }) => length > 0)?.shift()
  if (job === undefined) return false
  const beganAt = performance.now()
  again.push(...(await runFiles(job, false)))
  const after = childSeconds()
  if (process.env.TIMES) console.error(seconds(beganAt), (after - before).toFixed(1), job.engine, ...job.files)
  before = after
  return true
}

/** One job after the other. */
async function lane(...queues: Job[][]): Promise<void> {
  while (await runNext(queues)) {}
}

const idleMs = () => cpus().reduce((sum, { times }) => sum + times.idle, 0)

/**
 * One more job after each second in which a fifth of the processors was idle. With a fixed number of lanes either some
 * are idle, or the same files take more of them.
 */
async function laneWhereIdle(...queues: Job[][]): Promise<void> {
  const running = new Set<Promise<boolean>>()
  while (queues.some(({ length }) => length > 0)) {
    const before = idleMs()
    await sleep(1_000)
    if (idleMs() - before < 200 * cpus().length || running.size === mostWhereIdle) continue
    const job = runNext(queues)
    running.add(job)
    void job.finally(() => running.delete(job))
  }
  await Promise.all(running)
}
const {
  unhurried = [],
  waiting = [],
  others = [],
} = Object.groupBy(allJobs(), ({ files: [file = ''] }) => {
  if (matchesGlob(file, givesWay)) return 'unhurried'
  return doesWait(file) ? 'waiting' : 'others'
})
await Promise.all([
  lane(unhurried, others, waiting),
  lane(others, unhurried, waiting),
  lane(waiting, others, unhurried),
  laneWhereIdle(waiting, others, unhurried),
])
const isChecked = await checked
let isGreen = isChecked
const atSecondTry: string[] = []
for (const job of again) {
  const name = `${job.files} (${job.engine})`
  console.log(`failed beside others, and now alone: ${name}`)
  const isGreenNow = (await runFiles(job, true)).length === 0
  if (isGreenNow) atSecondTry.push(name)
  isGreen &&= isGreenNow
}
report.end()
await once(printed, 'end')
console.log(`tests ${sums.passed + sums.failed}`)
for (const [name, count] of Object.entries(sums)) console.log(`${name} ${count}`)
console.log(`seconds ${seconds(startedAt)}`)
if (atSecondTry.length > 0)
  console.log(`at the second try: ${atSecondTry.join(', ')}; what failed at first stands above`)
if (isFoundByChance) console.log('a property failed: its counterexample stands above')
if (!isChecked) console.log('npm run check failed: what it said stands above')
if (!isGreen || isFoundByChance || sums.passed === 0 || sums.failed > 0) process.exitCode = 1
