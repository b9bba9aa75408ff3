// npm run bench:search: how long the panel takes to find leads among few and among many.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Dataset, makeDatasets } from './dataset.ts'
import { cpuNanoseconds, lastcall, type Server, startLastcall } from './processes.ts'

const { values } = parseArgs({
  options: {
    leads: { type: 'string', default: '1000,1000000' },
    rounds: { type: 'string', default: '9' },
    requests: { type: 'string', default: '100' },
  },
})
const sizes = values.leads.split(',').map(Number)
const rounds = Number(values.rounds)
const requests = Number(values.requests)

const email = 'owner@example.com'
const password = 'searches for a living'
const none = { prefix: '', state: null, afterEmail: '', limit: 50 }
const digits = '0123456789abcdef'

/** A page of 50 leads with any number of leads from 1,000 on, wherever in the order it stands. */
const searches: Record<string, (n: number) => object> = {
  'by the beginning of an address': (n) => ({ ...none, prefix: `lead${digits[n % 16]}` }),
  'the next page': (n) => ({ ...none, afterEmail: `lead${digits[n % 14]}${digits[(n * 7) % 16]}` }),
  'a step through 1,000, by state': () => ({ ...none, state: 'pending' }),
}

type Side = { dataset: Dataset; server: Server; cookie: string; cpu: number[]; latency: number[] }

async function startSide(dataset: Dataset, folder: string): Promise<Side> {
  await lastcall(dataset.databaseUrl, ['user', 'create', '--account', '1', '--email', email], `${password}\n`)
  const server = await startLastcall(dataset.databaseUrl, join(folder, `${dataset.leads}.log`))
  const answer = await ask(server, 'session', '', { email, password })
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] as string
  return { dataset, server, cookie, cpu: [], latency: [] }
}

async function ask(server: Server, path: string, cookie: string, body: object): Promise<Response> {
  const answer = await fetch(`http://127.0.0.1:${server.port}/panel/api/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Cookie: cookie },
    body: JSON.stringify(body),
  })
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`)
  return answer
}

async function playRound(side: Side, search: (n: number) => object): Promise<void> {
  const path = `campaigns/${side.dataset.campaignId}/leads/search`
  const before = cpuNanoseconds(side.server.pid)
  const latencies: number[] = []
  for (let n = 0; n < requests; n++) {
    const at = performance.now()
    const answer = await ask(side.server, path, side.cookie, search(n))
    await answer.arrayBuffer()
    latencies.push(performance.now() - at)
  }
  side.latency.push(median(latencies))
  side.cpu.push((cpuNanoseconds(side.server.pid) - before) / 1_000 / requests)
}

function median(numbers: number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] as number
}

const folder = mkdtempSync(join(tmpdir(), 'lastcall-search-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
console.error(`making ${sizes.join(' and ')} leads`)
const sides: Side[] = []
for (const dataset of await makeDatasets(folder, sizes)) sides.push(await startSide(dataset, folder))

console.log('| search | leads | CPU µs per request | p50 ms | CPU against the smallest |')
console.log('| --- | --- | --- | --- | --- |')
for (const [name, search] of Object.entries(searches)) {
  for (const side of sides) await playRound(side, search)
  for (const side of sides) side.cpu.length = side.latency.length = 0
  for (let round = 0; round < rounds; round++) for (const side of sides) await playRound(side, search)
  const smallest = sides[0] as Side
  for (const side of sides) {
    const against = median(side.cpu.map((cpu, round) => cpu / (smallest.cpu[round] as number)))
    const figures = [median(side.cpu).toFixed(0), median(side.latency).toFixed(2), against.toFixed(2)]
    console.log(`| ${[name, side.dataset.leads.toLocaleString('en'), ...figures].join(' | ')} |`)
  }
}
for (const side of sides) await side.server.stop()
