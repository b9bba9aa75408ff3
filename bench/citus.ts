// npm run bench:citus: one installation on local tables of a Citus coordinator beside one that is divided among its
// workers, by turns. What is measured and how to read it: README.md.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createOnCitus, dropOnCitus, nodeUrls } from '../test/support/citus.ts'
import { databaseUrl } from '../test/support/postgres-databases.ts'
import { makeAccount, makeAccounts, type Target } from './dataset.ts'
import { firstNewIndex } from './emails.ts'
import { cpuOf, open, ratiosOf, spread } from './postgres-figures.ts'
import { type Generator, lastcall, type Server, startGenerator, startLastcall } from './processes.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    accounts: { type: 'string', default: '1,8,100' },
  },
})
const seconds = Number(values.seconds)
const rounds = Number(values.rounds)
const counts = values.accounts.split(',').map(Number)

/** Nobody registers these. */
const nobody = 3_000_000_000

/** CPU time in microseconds for each request. */
type Measured = { perSecond: number; onCoordinator: number; onWorkers: number; inLastcall: number; wrong: number }
type Rival = { url: string; server: Server; targets: Target[]; taken: number }

async function start(name: string, folder: string): Promise<Rival> {
  const url = await createOnCitus(databaseUrl(process.env.CITUS_URL as string))
  await lastcall(url, ['migrate'])
  if (name === 'divided') await lastcall(url, ['distribute'])
  await makeAccount(url)
  const targets = await makeAccounts(url, Math.max(...counts))
  return { url, server: await startLastcall(url, join(folder, `${name}.log`)), targets, taken: 0 }
}

async function put(rival: Rival, generator: Generator, accounts: number, what: 'lookup' | 'registration') {
  const targets = rival.targets.slice(0, accounts)
  const isLookup = what === 'lookup'
  const outcome = await generator.put(rival.server, {
    method: 'POST',
    emails: { pick: 'next', from: isLookup ? nobody : firstNewIndex + rival.taken },
    connections: Number(values.connections),
    seconds,
    // A lookup of anybody: who is not found costs what a lead costs, but for the answer.
    status: isLookup ? 404 : 201,
    key: targets.map(({ key }) => key),
    path: targets.map(({ campaignId }) => `/api/public/v1/campaigns/${campaignId}/leads${isLookup ? '/lookup' : ''}`),
  })
  if (!isLookup) rival.taken += outcome.emailsTaken
  if (Object.keys(outcome.wrong).length > 0) {
    console.log(`  MISSED: not expected: ${JSON.stringify(outcome.wrong)}`)
    process.exitCode = 1
  }
  return outcome
}

async function measured(
  rival: Rival,
  generator: Generator,
  accounts: number,
  what: 'lookup' | 'registration',
): Promise<Measured> {
  const nodes = await Promise.all((await nodeUrls(rival.url)).map(open))
  const spent = () => Promise.all(nodes.map(cpuOf))
  const before = await spent()
  const outcome = await put(rival, generator, accounts, what)
  const used = (await spent()).map((after, node) => (after - (before[node] as number)) / 1_000 / outcome.answered)
  await Promise.all(nodes.map((node) => node.end()))
  const wrong = Object.values(outcome.wrong).reduce((sum, count) => sum + count, 0)
  const [onCoordinator = 0, ...workers] = used
  return {
    perSecond: (outcome.answered - wrong) / outcome.seconds,
    onCoordinator,
    onWorkers: workers.reduce((sum, one) => sum + one, 0),
    inLastcall: outcome.cpuMicrosecondsPerRequest,
    wrong,
  }
}

const middle = (all: Measured[], pick: (one: Measured) => number): string =>
  Math.round(all.map(pick).sort((a, b) => a - b)[Math.floor(all.length / 2)] as number).toLocaleString('en')

function line(name: string, all: Measured[]): string {
  const columns = [
    middle(all, ({ perSecond }) => perSecond),
    middle(all, ({ onCoordinator }) => onCoordinator),
    middle(all, ({ onWorkers }) => onWorkers),
    middle(all, ({ inLastcall }) => inLastcall),
  ]
  return `  ${name.padEnd(40)}${columns.map((column) => column.padStart(12)).join('')}`
}

const bounds: Record<number, number> = { 1: 0.5, 8: 0.3 }

async function main(): Promise<void> {
  if (!process.env.CITUS_URL) throw new Error('CITUS_URL: must be a database on the coordinator that knows its workers')
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-bench-'))
  const [local, divided] = [await start('local', folder), await start('divided', folder)]
  const generator = startGenerator()
  console.log(`${''.padEnd(42)}  per second coordinator     workers    Lastcall (CPU µs a request)`)
  for (const what of ['registration', 'lookup'] as const) {
    for (const accounts of counts) {
      const results: [Measured[], Measured[]] = [[], []]
      for (const rival of [local, divided]) await put(rival, generator, accounts, what)
      for (let round = 0; round < rounds; round += 1) {
        results[0].push(await measured(local, generator, accounts, what))
        results[1].push(await measured(divided, generator, accounts, what))
      }
      console.log(line(`${what}, ${accounts} accounts, local`, results[0]))
      console.log(line(`${what}, ${accounts} accounts, divided`, results[1]))
      const ratios = ratiosOf(results[1], results[0], ({ perSecond }) => perSecond)
      const bound = bounds[accounts]
      const isHeld = bound === undefined || (ratios[Math.floor(rounds / 2)] as number) >= bound
      const verdict = bound === undefined ? '' : `, at least ${bound}: ${isHeld ? 'held' : 'MISSED'}`
      console.log(`    divided against local: ${spread(ratios)}${verdict}`)
      if (!isHeld) process.exitCode = 1
    }
  }
  generator.stop()
  for (const { server, url } of [local, divided]) {
    await server.stop()
    await dropOnCitus(url)
  }
  rmSync(folder, { recursive: true })
}

await main()
