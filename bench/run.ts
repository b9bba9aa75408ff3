// npm run bench: Lastcall against a bare node:http server and against a peer. What is measured and how to read it: README.md.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Dataset, makeDatasets } from './dataset.ts'
import { emailAt, firstNewIndex } from './emails.ts'
import { type Operation, operations } from './operations.ts'
import {
  cpuNanoseconds,
  type Generator,
  type Server,
  startBare,
  startGenerator,
  startLastcall,
  startPeer,
  startUpMilliseconds,
} from './processes.ts'
import { boundsOf, type OperationResult, type Results, reportText, type SideResult } from './report.ts'

const parts = [...operations.map((operation) => operation.name), 'start']

type Options = ReturnType<typeof readOptions>

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: parts.join(',') },
      leads: { type: 'string', default: '10000,1000000' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '4' },
      'warm-up': { type: 'string', default: '5' },
      connections: { type: 'string', default: '64' },
      starts: { type: 'string', default: '10' },
      folder: { type: 'string', default: tmpdir() },
      json: { type: 'string' },
      'cpu-profiles': { type: 'string' },
      calibrate: { type: 'boolean', default: false },
      peer: { type: 'boolean', default: true },
    },
    allowNegative: true,
  })
  const only = values.only.split(',')
  for (const part of only) {
    if (!parts.includes(part)) fail(`--only takes ${parts.join(', ')}, not ${part}`)
  }
  return {
    only,
    leads: [...new Set(values.leads.split(',').map((leads) => positive('--leads', leads)))],
    rounds: positive('--rounds', values.rounds),
    seconds: positive('--seconds', values.seconds),
    warmUpSeconds: positive('--warm-up', values['warm-up']),
    connections: positive('--connections', values.connections),
    starts: positive('--starts', values.starts),
    parentFolder: values.folder,
    json: values.json,
    cpuProfiles: values['cpu-profiles'],
    calibrate: values.calibrate,
    peer: values.peer,
  }
}

function readOptionsOrFail(): Options {
  try {
    return readOptions()
  } catch (error) {
    fail((error as Error).message)
  }
}

function positive(name: string, text: string): number {
  const number = Number(text)
  if (!(number > 0)) fail(`${name} takes numbers above 0, not ${text}`)
  return number
}

function fail(words: string): never {
  console.error(words)
  process.exit(2)
}

async function main(): Promise<void> {
  const options = readOptionsOrFail()
  refuseWithoutCpuTime()
  const folder = temporaryFolder(options)
  if (options.cpuProfiles) mkdirSync(options.cpuProfiles, { recursive: true })
  if (!options.calibrate) progress(`making ${options.leads.join(' and ')} leads`)
  const datasets = options.calibrate ? [] : await makeDatasets(folder, options.leads)
  const results: Results = {
    node: process.version,
    cores: availableParallelism(),
    connections: options.connections,
    rounds: options.rounds,
    seconds: options.seconds,
    operations: [],
    database: datasets.map((dataset) => ({ leads: dataset.leads, bytes: dataset.bytes() })),
    grown: [],
    start: options.only.includes('start') ? await startUps(datasets, options) : [],
  }
  const generator = startGenerator()
  for (const operation of operations) {
    if (!options.only.includes(operation.name)) continue
    results.operations.push(await measured(operation, datasets, folder, generator, options))
  }
  generator.stop()
  results.grown = grownDatabases(datasets, results)

  progress('')
  process.stdout.write(reportText(results))
  if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`)
  if (anyWrong(results) || anyLost(results) || boundsOf(results).some(({ held }) => !held)) process.exitCode = 1
}

function refuseWithoutCpuTime(): void {
  try {
    cpuNanoseconds(process.pid)
  } catch {
    fail('the benchmark reads CPU time from /proc/PID/task/*/schedstat, which this system does not have')
  }
}

function temporaryFolder({ parentFolder }: Options): string {
  const folder = mkdtempSync(join(parentFolder, 'lastcall-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
  return folder
}

/** One of the servers that a round compares. */
type Side = SideResult & { server: Server; dataset: Dataset }
/** At most one peer. */
type Sides = { bare: Side; peer: Side[]; lastcall: Side[] }

async function measured(
  operation: Operation,
  datasets: Dataset[],
  folder: string,
  generator: Generator,
  options: Options,
): Promise<OperationResult> {
  const { bare, peer, lastcall } = options.calibrate
    ? await startBareTwice(operation, folder)
    : await startSides(operation, datasets, folder, options)
  const sides = [bare, ...peer, ...lastcall]
  for (const side of sides) await playRound(side, operation, generator, options.warmUpSeconds, options)
  for (const side of sides) side.rounds.length = 0
  for (let round = 1; round <= options.rounds; round++) {
    progress(`${operation.name}: round ${round} of ${options.rounds}`)
    for (const side of sides) await playRound(side, operation, generator, options.seconds, options)
  }
  for (const side of options.calibrate ? [] : lastcall) side.historyLost = await historyLost(side.server)
  for (const side of sides) await side.server.stop()
  const { name, title } = operation
  return { name, title, bare: resultOf(bare), peer: peer.map(resultOf), lastcall: lastcall.map(resultOf) }
}

async function playRound(
  side: Side,
  operation: Operation,
  generator: Generator,
  seconds: number,
  { connections }: Options,
): Promise<void> {
  const request = operation.request(side.dataset, side.registered)
  const outcome = await generator.put(side.server, { ...request, connections, seconds })
  side.answered += outcome.answered
  side.registered += outcome.emailsTaken
  for (const [what, count] of Object.entries(outcome.wrong)) {
    side.wrong[what] = (side.wrong[what] ?? 0) + count
  }
  side.rounds.push({
    perSecond: outcome.answered / outcome.seconds,
    p50Milliseconds: outcome.p50Milliseconds,
    p99Milliseconds: outcome.p99Milliseconds,
    cpuMicrosecondsPerRequest: outcome.cpuMicrosecondsPerRequest,
    generatorBusy: outcome.busy,
  })
}

/** The bare server's answer has the size of Lastcall's, which is asked once to learn it. */
async function startSides(operation: Operation, datasets: Dataset[], folder: string, options: Options): Promise<Sides> {
  const { cpuProfiles } = options
  const lastcall: Side[] = []
  for (const dataset of datasets) {
    const name = `${operation.name}-${dataset.leads}`
    const profile = cpuProfiles ? { folder: cpuProfiles, name: `${name}.cpuprofile` } : undefined
    const server = await startLastcall(dataset.databaseUrl, join(folder, `${name}.log`), profile)
    lastcall.push(sideOf('Lastcall', server, dataset))
  }
  const [first] = lastcall
  if (!first) throw new Error('nothing to measure')
  const bytes = await answerBytes(operation, first)
  const { status } = operation.request(first.dataset, 0)
  const server = await startBare(status, bytes, join(folder, 'bare.log'))
  const bare = sideOf('bare node:http', server, first.dataset)
  const peer = options.peer && operation.againstPeer ? [await startPeerSide(operation, first, folder)] : []
  return { bare, peer, lastcall }
}

/** The peer has as many leads as the smallest of our databases. */
async function startPeerSide(operation: Operation, { dataset }: Side, folder: string): Promise<Side> {
  const { leads, key } = dataset
  const path = join(folder, `peer-${operation.name}.db`)
  const log = join(folder, `peer-${operation.name}.log`)
  const server = await startPeer(`file:${path}`, { key, accounts: 1, leads }, log)
  const side = sideOf('peer', server, { ...dataset, campaignId: 1 })
  await answerBytes(operation, side)
  return side
}

/** For `--calibrate`: what the ratio of a server to itself is on this machine. */
async function startBareTwice(operation: Operation, folder: string): Promise<Sides> {
  const dataset = { leads: 10_000, databaseUrl: '', campaignId: 1, key: 'none', bytes: () => 0 }
  const { status } = operation.request(dataset, 0)
  const sides: Side[] = []
  for (const name of ['bare', 'again']) {
    sides.push(sideOf(name, await startBare(status, 600, join(folder, `${name}.log`)), dataset))
  }
  const [bare, ...lastcall] = sides
  if (!bare) throw new Error('nothing to measure')
  return { bare, peer: [], lastcall }
}

function sideOf(name: string, server: Server, dataset: Dataset): Side {
  return {
    name,
    leads: dataset.leads,
    registered: 0,
    rounds: [],
    answered: 0,
    historyLost: 0,
    wrong: {},
    server,
    dataset,
  }
}

function resultOf({ server, dataset, ...result }: Side): SideResult {
  return result
}

/** A server that drops its history under load would look faster than it is. */
async function historyLost({ port }: Server): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const count = /^lastcall_history_lost_total (\d+)/m.exec(metrics)?.[1]
  if (count === undefined) throw new Error('there is no lastcall_history_lost_total at /metrics')
  return Number(count)
}

async function answerBytes(operation: Operation, side: Side): Promise<number> {
  const { method, path, key, emails, status } = operation.request(side.dataset, side.registered)
  const response = await fetch(`http://127.0.0.1:${side.server.port}${path as string}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: emails && JSON.stringify({ email: emailAt(emails.pick === 'next' ? firstNewIndex : 0) }),
  })
  if (emails?.pick === 'next') side.registered += 1
  const body = await response.text()
  if (response.status !== status) throw new Error(`${operation.name} answered ${response.status}: ${body}`)
  return Buffer.byteLength(body)
}

/** What registering through the API, in no order, has made of the databases. */
function grownDatabases(datasets: Dataset[], { operations, database }: Results): Results['grown'] {
  const sides = operations.find(({ name }) => name === 'new')?.lastcall ?? []
  return datasets.flatMap(({ leads, bytes }) => {
    const registered = sides.find((side) => side.leads === leads)?.registered ?? 0
    const before = database.find((one) => one.leads === leads)?.bytes ?? 0
    return registered > 0 ? [{ leads, registered, bytesMore: bytes() - before }] : []
  })
}

async function startUps(datasets: Dataset[], { starts }: Options): Promise<Results['start']> {
  const results = datasets.map(({ leads }) => ({ leads, milliseconds: [] as number[] }))
  for (let start = 1; start <= starts; start++) {
    progress(`start ${start} of ${starts}`)
    for (const { leads, databaseUrl } of datasets) {
      const milliseconds = await startUpMilliseconds(databaseUrl)
      results.find((result) => result.leads === leads)?.milliseconds.push(milliseconds)
    }
  }
  return results
}

function anyWrong({ operations }: Results): boolean {
  const sides = operations.flatMap(({ bare, peer, lastcall }) => [bare, ...peer, ...lastcall])
  return sides.some(({ wrong }) => Object.keys(wrong).length > 0)
}

function anyLost({ operations }: Results): boolean {
  return operations.some(({ lastcall }) => lastcall.some(({ historyLost }) => historyLost > 0))
}

/** One line that replaces itself, on a terminal only. */
function progress(words: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${words}`)
}

await main()
