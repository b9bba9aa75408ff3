// npm run bench:visitor: links, images and the gate against bare node:http, made-up refs against real ones, and what floods of
// images, made-up refs and forms do to the API. What is measured and how to read it: README.md.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { campaign, type Dataset, makeDatasets } from './dataset.ts'
import type { Load, Outcome } from './load.ts'
import { operations } from './operations.ts'
import {
  type Generator,
  type Likeness,
  lastcall,
  type Server,
  startAlike,
  startGenerator,
  startLastcall,
} from './processes.ts'

type Measured = Outcome & { cpuMicrosecondsPerRequest: number }
type Row = { what: string; figure: number; least: number; most: number; atMost: number; note: string }

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    only: { type: 'string', default: 'link,image,gate,flood' },
    'cpu-profiles': { type: 'string' },
  },
})
const rounds = Number(options.rounds)
const seconds = Number(options.seconds)
const connections = Number(options.connections)
const leads = 10_000

const folder = mkdtempSync(join(tmpdir(), 'lastcall-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

async function main(): Promise<void> {
  const [dataset] = await makeDatasets(folder, [leads])
  if (!dataset) throw new Error('nothing to measure')
  const profiles = options['cpu-profiles']
  const profile = profiles ? { folder: profiles, name: 'visitor.cpuprofile' } : undefined
  const { links, images } = await addresses(dataset)
  const gates = options.only.includes('gate') ? await gatesOf(dataset) : []
  const server = await startLastcall(dataset.databaseUrl, join(folder, 'lastcall.log'), profile)
  const generator = startGenerator()
  const rows: Row[] = []
  const only = options.only.split(',')
  if (only.includes('link'))
    rows.push(...(await opened('link', links, { real: 302, madeUp: 404, atMost: 1.5 }, server, generator)))
  if (only.includes('image'))
    rows.push(...(await opened('image', images, { real: 200, madeUp: 200, atMost: 2 }, server, generator)))
  if (only.includes('gate')) {
    rows.push(...(await opened('gate', gates, { real: 204, madeUp: 401, atMost: 2.5 }, server, generator)))
    // Past 60,000 questions of a campaign in a minute it cannot be said.
    const flood = { what: 'the gate', load: loadOf(gates, 204), mayAlso: '503' }
    rows.push(await flooded(dataset, flood, server, generator))
  }
  if (only.includes('flood')) {
    for (const flood of floodsOf(dataset, links, images)) rows.push(await flooded(dataset, flood, server, generator))
  }
  generator.stop()
  await server.stop()
  print(rows)
}

/** The addresses of every lead, as paths. */
async function addresses({ databaseUrl, campaignId }: Dataset): Promise<{ links: string[]; images: string[] }> {
  const campaign = await lastcall(databaseUrl, ['campaign', 'export', String(campaignId)])
  const listed: { ref: string }[] = await lastcall(databaseUrl, ['lead', 'list', '--campaign', String(campaignId)])
  const pageId = campaign.pages[0].id
  return {
    links: listed.map(({ ref }) => `/go/${pageId}/${ref}`),
    images: listed.map(({ ref }) => `/timer/en/${ref}.gif`),
  }
}

/** Leads of 40 campaigns more: each may be asked about 60,000 times a minute. */
async function gatesOf({ databaseUrl }: Dataset): Promise<string[]> {
  const [account] = await lastcall(databaseUrl, ['account', 'list'])
  const apply = ['campaign', 'apply', '--account', String(account.id), '-']
  const emails = Array.from({ length: leads / 40 }, (_, index) => `gate-${index}@example.com`)
  const paths: string[] = []
  for (let n = 1; n <= 40; n++) {
    const { id } = await lastcall(databaseUrl, apply, JSON.stringify({ ...campaign, name: `Gate ${n}` }))
    const ofCampaign = ['--campaign', String(id)]
    await lastcall(databaseUrl, ['lead', 'import', ...ofCampaign, '-'], ['email', ...emails].join('\n'))
    const listed: { ref: string }[] = await lastcall(databaseUrl, ['lead', 'list', ...ofCampaign])
    paths.push(...listed.map(({ ref }) => `/visitor/v1/campaigns/${id}/gate?lc=${ref}`))
  }
  return paths
}

type Bounds = { real: number; madeUp: number; atMost: number }

/** Against a bare server with an answer of the same headers and size, and made-up refs against the real ones. */
async function opened(
  what: 'link' | 'image' | 'gate',
  paths: string[],
  bounds: Bounds,
  server: Server,
  generator: Generator,
): Promise<Row[]> {
  const bare = await startAlike(await likeness(server, paths[0] as string), join(folder, `${what}.log`))
  const get = (to: Server, path: string[], status: number) => generator.put(to, loadOf(path, status))
  const measured = { bare: [] as Measured[], real: [] as Measured[], madeUp: [] as Measured[] }
  for (let round = 0; round <= rounds; round++) {
    const [a, b, c] = [
      await get(bare, paths, bounds.real),
      await get(server, paths, bounds.real),
      await get(server, madeUp(paths), bounds.madeUp),
    ]
    // The first round warms up.
    if (round === 0) continue
    measured.bare.push(a)
    measured.real.push(b)
    measured.madeUp.push(c)
  }
  await bare.stop()
  const cpu = ({ cpuMicrosecondsPerRequest }: Measured) => cpuMicrosecondsPerRequest
  const p50 = ({ p50Milliseconds }: Measured) => p50Milliseconds
  const { real } = measured
  return [
    rowOf(`${what}: CPU against bare node:http`, real, measured.bare, cpu, bounds.atMost, 'µs'),
    rowOf(`${what}: median time of made-up refs against real ones`, measured.madeUp, real, p50, 1.2, 'ms'),
  ]
}

function madeUp(paths: string[]): string[] {
  return paths.map((path) => path.replace(/[0-9a-f]{32}/, randomBytes(16).toString('hex')))
}

type Flood = { what: string; load: Omit<Load, 'port'>; mayAlso?: string }

function floodsOf({ campaignId }: Dataset, links: string[], images: string[]): Flood[] {
  const form: Omit<Load, 'port'> = {
    method: 'POST',
    path: `/visitor/v1/campaigns/${campaignId}/leads`,
    key: 'none',
    emails: { pick: 'next', from: leads },
    connections,
    seconds,
    status: 429,
  }
  return [
    { what: 'images', load: loadOf(images, 200) },
    { what: 'made-up links', load: loadOf(madeUp(links), 404) },
    // A few each minute are let through: that is the rate.
    { what: 'forms', load: form, mayAlso: '200' },
  ]
}

/** The API's 99th percentile with and without as many connections again that ask for something else without a pause. */
async function flooded(
  dataset: Dataset,
  { what, load: flood, mayAlso = '' }: Flood,
  server: Server,
  generator: Generator,
): Promise<Row> {
  const flooding = startGenerator({ yielding: true })
  const lookup = operations.find(({ name }) => name === 'lookup')
  if (!lookup) throw new Error('there is no lookup')
  const load = { ...lookup.request(dataset, 0), connections, seconds }
  const quiet: Measured[] = []
  const loud: Measured[] = []
  for (let round = 0; round <= rounds; round++) {
    const alone = await generator.put(server, load)
    const outcome = flooding.put(server, { ...flood, seconds: seconds + 1 })
    await sleep(500)
    const beside = await generator.put(server, load)
    const { answered, wrong } = await outcome
    const { [mayAlso]: allowed = 0, ...others } = wrong
    check(others, what)
    if (answered <= 2 * allowed) throw new Error(`there was no flood of ${what}`)
    if (round === 0) continue
    quiet.push(alone)
    loud.push(beside)
  }
  flooding.stop()
  return rowOf(
    `flood of ${what}: p99 of the API against none`,
    loud,
    quiet,
    ({ p99Milliseconds }) => p99Milliseconds,
    1.5,
    'ms',
  )
}

function loadOf(path: string[], status: number): Omit<Load, 'port'> {
  return { method: 'GET', path, key: 'none', emails: null, status, connections, seconds }
}

/** What the server answers, to be answered by a bare one. */
function likeness({ port }: Server, path: string): Promise<Likeness> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path, agent: false }, (response) => {
      const own = /^(?:date|connection|keep-alive|content-length)$/i
      const headers = response.rawHeaders.flatMap((name, at, all) =>
        at % 2 === 0 && !own.test(name) ? [name, all[at + 1] as string] : [],
      )
      response.resume()
      const bytes = Number(response.headers['content-length'] ?? 0)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers, bytes }))
    })
    asked.on('error', reject)
    asked.end()
  })
}

function rowOf(
  what: string,
  over: Measured[],
  under: Measured[],
  of: (measured: Measured) => number,
  atMost: number,
  unit: string,
): Row {
  for (const { wrong } of [...over, ...under]) check(wrong, what)
  const ratios = over.map((measured, round) => of(measured) / of(under[round] as Measured)).sort((a, b) => a - b)
  const middle = (all: Measured[]) => median(all.map(of))
  const perSecond = median(over.map(({ answered, seconds: took }) => answered / took))
  return {
    what,
    figure: median(ratios),
    least: ratios[0] as number,
    most: ratios.at(-1) as number,
    atMost,
    note: `${middle(over).toFixed(2)} against ${middle(under).toFixed(2)} ${unit}, ${Math.round(perSecond)} a second`,
  }
}

function check(wrong: Outcome['wrong'], what: string): void {
  if (Object.keys(wrong).length > 0) throw new Error(`${what}: ${JSON.stringify(wrong)}`)
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)] as number
}

function print(rows: Row[]): void {
  console.log('| measure | ratio | least to most | at most | |\n|---|---|---|---|---|')
  for (const { what, figure, least, most, atMost, note } of rows) {
    console.log(`| ${what} | ${figure.toFixed(2)} | ${least.toFixed(2)} to ${most.toFixed(2)} | ${atMost} | ${note} |`)
  }
  if (rows.some(({ figure, atMost }) => figure > atMost)) process.exitCode = 1
}

await main()
