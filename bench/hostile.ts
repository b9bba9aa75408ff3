// npm run bench:hostile: a good client beside slow and hostile ones, what one head of 8 kB costs, and how the time of
// each regular expression in src/ grows with its text. What is measured and how to read it: README.md.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { contentNames, type Kind, kindsOf, requestsOf, type Target, type Way } from './attacks.ts'
import { type Dataset, makeDatasets } from './dataset.ts'
import { emailAt } from './emails.ts'
import { growthOfExpressions } from './expressions.ts'
import type { Attack, AttackOutcome } from './hostile-load.ts'
import { type PanelTarget, panelKinds } from './panel-attacks.ts'
import { cpuNanoseconds, lastcall, type Server, startBare, startLastcall } from './processes.ts'

const mostP99Ms = 250
/** Beside attacks on the panel: so many times the p99 without them, or so many milliseconds if that is more. */
const panelTimes = 3
const panelP99Ms = 60
const mostHeadMicroseconds = 200
/** 64 kB against 8 kB, with room for noise. */
const mostGrowth = 8 * 3

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'clients,panel,heads,expressions' },
    /** Only those kinds of clients and contents of heads whose names hold this. */
    kind: { type: 'string', default: '' },
    seconds: { type: 'string', default: '4' },
    /** Requests for each cost of a head. */
    requests: { type: 'string', default: '1000' },
  },
})
const parts = options.only.split(',')
const ways: Way[] = ['without a key', 'with a key']
const leads = 10_000

type Place = { dataset: Dataset; server: Server; attacker: Target }

async function main(): Promise<void> {
  const missed: string[] = []
  if (parts.includes('clients') || parts.includes('heads')) {
    const folder = mkdtempSync(join(tmpdir(), 'lastcall-hostile-'))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    const place = await start(folder)
    if (parts.includes('clients')) {
      missed.push(...(await besideClients(place)))
      await besidePipelinesToBare(place, join(folder, 'bare.log'))
    }
    if (parts.includes('heads')) missed.push(...(await costOfHeads(place)))
    await place.server.stop()
  }
  if (parts.includes('panel')) missed.push(...(await besidePanelAttacks()))
  if (parts.includes('expressions')) missed.push(...(await printExpressions()))
  console.log(missed.length === 0 ? '\nevery bound is held' : `\nMISSED:\n  ${missed.join('\n  ')}`)
  if (missed.length > 0) process.exitCode = 1
}

/** The attacker has an account of his own, with the rate limit that everybody has. */
async function start(folder: string, flags: string[] = []): Promise<Place> {
  const [dataset] = (await makeDatasets(folder, [leads])) as [Dataset]
  const url = dataset.databaseUrl
  await lastcall(url, ['account', 'set', '1', '--rate-limit', '1000000'])
  const { id } = await lastcall(url, ['account', 'create', '--name', 'Attacker'])
  const { key } = await lastcall(url, ['key', 'create', '--account', String(id), '--name', 'attack'])
  const { campaignId } = dataset
  const campaign = await lastcall(url, ['campaign', 'export', String(campaignId)])
  const show = ['lead', 'show', '--campaign', String(campaignId), '--email', emailAt(0)]
  const { ref } = await lastcall(url, show)
  const server = await startLastcall(url, join(folder, 'serve.log'), undefined, 120, flags)
  return { dataset, server, attacker: { campaignId, key, ref, pageId: campaign.pages[0].id } }
}

async function besideClients(place: Place): Promise<string[]> {
  const missed: string[] = []
  console.log(`\nA good client beside 8 connections (idle: 2,000) of each kind, ${options.seconds} s each\n`)
  console.log(
    '| clients | p50 ms | p99 ms | most ms | their MB | their answers | server MiB |\n| --- | --- | --- | --- | --- | --- | --- |',
  )
  await goodClient(place, 2)
  printRow('none', await goodClient(place, Number(options.seconds)), { sentBytes: 0, statuses: {} }, place)
  for (const way of ways) {
    for (const [name, kind] of Object.entries(kindsOf(way, place.attacker))) {
      const what = `${name}, ${way}`
      if (!what.includes(options.kind)) continue
      const { good, theirs } = await beside(place, kind)
      printRow(what, good, theirs, place)
      if (way === 'with a key' && '401' in theirs.statuses) missed.push(`${what}: the key was refused`)
      if (good.failed > 0) missed.push(`${what}: ${good.failed} requests of the good client failed`)
      if (good.p99 > mostP99Ms) missed.push(`${what}: p99 ${good.p99.toFixed(0)} ms, at most ${mostP99Ms}`)
    }
  }
  return missed
}

/** The good client beside the attack. */
async function beside(place: Place, kind: Kind) {
  const { outcome, end } = attack(place, kind)
  // The idle ones need a moment to connect.
  await sleep(kind.connections === undefined ? 200 : 1_500)
  const good = await goodClient(place, Number(options.seconds))
  await end()
  return { good, theirs: await outcome }
}

/** What Node itself does not hold: the same pipelines to node:http and nothing else. */
async function besidePipelinesToBare(place: Place, log: string): Promise<void> {
  const server = await startBare(200, 600, log)
  const bare = { ...place, server }
  await goodClient(bare, 2)
  for (const [name, kind] of Object.entries(kindsOf('without a key', place.attacker))) {
    if (!name.startsWith('pipelines') || !name.includes(options.kind)) continue
    const { good, theirs } = await beside(bare, kind)
    printRow(`${name}, bare node:http`, good, theirs, bare)
  }
  await server.stop()
}

/** A server of its own, which believes what the attacker says about his addresses. */
async function besidePanelAttacks(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-hostile-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const place = await start(folder, ['--trust-proxy', '127.0.0.1'])
  const target = await attackerOfPanel(place)
  const missed: string[] = []
  console.log(`\nA good client beside 8 connections of each attack on the panel, ${options.seconds} s each\n`)
  console.log(
    '| attack | p50 ms | p99 ms | most ms | their MB | their answers | server MiB | p99 ms before | rightful sign-ins |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
  )
  await goodClient(place, 2)
  for (const [what, { gets, ...kind }] of Object.entries(panelKinds(target))) {
    if (!what.includes(options.kind)) continue
    const [alone] = await Promise.all([goodClient(place, Number(options.seconds)), signInAgain(place)])
    const bound = Math.max(panelTimes * alone.p99, panelP99Ms)
    const { outcome, end } = attack(place, kind)
    await sleep(500)
    const [good, signIns] = await Promise.all([goodClient(place, Number(options.seconds)), signInAgain(place)])
    await end()
    const theirs = await outcome
    printRow(what, good, theirs, place, alone.p99.toFixed(1), signIns)
    if (!isAttack(theirs, gets)) missed.push(`${what}: got ${statusesOf(theirs)}, not ${gets.join(' or ')} alone`)
    if (good.failed > 0) missed.push(`${what}: ${good.failed} requests of the good client failed`)
    if (good.p99 > bound) missed.push(`${what}: p99 ${good.p99.toFixed(0)} ms, at most ${bound.toFixed(0)}`)
    if (!signIns.startsWith('200 200 200 200 200 ')) missed.push(`${what}: rightful sign-ins got ${signIns}`)
  }
  await place.server.stop()
  return missed
}

const users = { rightful: 'rightful@example.com', attacker: 'attacker@example.com' }
const password = 'measured patiently'

/** A user of the attacker's account, and a campaign of theirs. */
async function attackerOfPanel({ dataset: { databaseUrl }, server }: Place): Promise<PanelTarget> {
  const create = (account: number, email: string) =>
    lastcall(databaseUrl, ['user', 'create', '--account', String(account), '--email', email], `${password}\n`)
  await create(1, users.rightful)
  await create(2, users.attacker)
  const campaign = {
    name: 'Theirs',
    timeZone: 'UTC',
    mechanism: { startsOn: 'registration', deadline: { kind: 'none' } },
  }
  const { id } = await lastcall(databaseUrl, ['campaign', 'apply', '--account', '2', '-'], JSON.stringify(campaign))
  const answer = await signIn(server, users.attacker, '198.51.100.1')
  if (answer.status !== 200) throw new Error(`the attacker's sign-in was answered ${answer.status}`)
  return { campaignId: id, cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] as string }
}

let rightfulAddress = 1

/** Five times, each from another place: the statuses, and how long the slowest took. */
async function signInAgain({ server }: Place): Promise<string> {
  const statuses: number[] = []
  let slowest = 0
  for (let n = 0; n < 5; n += 1) {
    const startedAt = performance.now()
    rightfulAddress += 1
    statuses.push((await signIn(server, users.rightful, `203.0.113.${rightfulAddress}`)).status)
    slowest = Math.max(slowest, performance.now() - startedAt)
  }
  return `${statuses.join(' ')} in ${slowest.toFixed(0)} ms`
}

function signIn({ port }: Server, email: string, from: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/panel/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify({ email, password }),
  })
}

function attack({ server }: Place, kind: Partial<Attack> & Pick<Attack, 'begin'>) {
  const child = fork(join(import.meta.dirname, 'hostile-load.ts'))
  setPriority(child.pid ?? 0, 19)
  const seconds = Number(options.seconds) + 2
  const usual = { connections: 8, seconds, stream: '', bytes: 1, everyMs: 0, reads: true, asksAgain: false }
  child.send({ ...usual, ...kind, port: server.port } satisfies Attack)
  const outcome = once(child, 'message').then(([value]) => value as AttackOutcome)
  const end = async () => {
    await outcome
    child.disconnect()
    await once(child, 'exit')
    // What they have left behind is the server's to put away, not the next ones' trouble.
    await sleep(300)
  }
  return { outcome, end }
}

type Good = { p50: number; p99: number; most: number; failed: number }

/** Looks up one lead after the other over four connections, with a pause behind each answer. */
async function goodClient({ dataset, server }: Place, seconds: number): Promise<Good> {
  const agent = new Agent({ keepAlive: true })
  const times: number[] = []
  let failed = 0
  const endsAt = performance.now() + seconds * 1_000
  const ask = async () => {
    while (performance.now() < endsAt) {
      const askedAt = performance.now()
      const status = await lookUp(dataset, server, agent)
      times.push(performance.now() - askedAt)
      if (status !== 200) failed += 1
      await sleep(10)
    }
  }
  await Promise.all([ask(), ask(), ask(), ask()])
  agent.destroy()
  times.sort((a, b) => a - b)
  const quantile = (share: number) => times[Math.ceil(times.length * share) - 1] ?? Number.NaN
  return { p50: quantile(0.5), p99: quantile(0.99), most: quantile(1), failed }
}

/** The status, or 0 where the connection failed. */
function lookUp({ campaignId, key }: Dataset, { port }: Server, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const body = JSON.stringify({ email: emailAt(Math.floor(Math.random() * leads)) })
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': body.length,
    }
    const path = `/api/public/v1/campaigns/${campaignId}/leads/lookup`
    const asked = request({ host: '127.0.0.1', port, agent, method: 'POST', path, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
    asked.on('error', () => resolve(0)).end(body)
  })
}

function printRow(
  what: string,
  { p50, p99, most }: Good,
  outcome: Omit<AttackOutcome, 'opened'>,
  { server }: Place,
  ...more: string[]
): void {
  const times = [p50, p99, most].map((time) => time.toFixed(1))
  const theirs = [(outcome.sentBytes / 1e6).toFixed(1), statusesOf(outcome)]
  console.log(`| ${[what, ...times, ...theirs, residentMiB(server), ...more].join(' | ')} |`)
}

const statusesOf = ({ statuses }: Pick<AttackOutcome, 'statuses'>): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${count.toLocaleString('en')} × ${status}`)
    .join(', ') || 'none'

/** What is refused for another reason than it should be measures nothing. */
function isAttack({ statuses }: AttackOutcome, gets: string[]): boolean {
  const got = Object.keys(statuses)
  return got.length > 0 && got.every((status) => gets.includes(status))
}

function residentMiB({ pid }: Server): string {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return (Number(kilobytes) / 1_024).toFixed(0)
  } catch {
    throw new Error('the server has ended')
  }
}

async function costOfHeads(place: Place): Promise<string[]> {
  const missed: string[] = []
  console.log('\nCPU of the server for one request with a head of 8 kB, µs\n')
  console.log('| content | surface | with a key | CPU µs | status |\n| --- | --- | --- | --- | --- |')
  for (const content of contentNames.filter((name) => name.includes(options.kind))) {
    for (const way of ways) {
      for (const { surface, requests } of requestsOf(content, way, place.attacker)) {
        const { microseconds, statuses } = await leastCostOf(place, requests)
        const cells = [content, surface, way === 'with a key' ? 'yes' : 'no', microseconds.toFixed(0), statuses]
        console.log(`| ${cells.join(' | ')} |`)
        if (way === 'with a key' && statuses.includes('401')) missed.push(`${content}, ${surface}: the key was refused`)
        if (microseconds > mostHeadMicroseconds)
          missed.push(`${content}, ${surface}, ${way}: ${microseconds.toFixed(0)} µs, at most ${mostHeadMicroseconds}`)
      }
    }
  }
  return missed
}

/** Of three tries after a warm-up, unless that shows already that the bound is far away. */
async function leastCostOf(place: Place, requests: string[]) {
  let least = await costOf(place, requests, 40)
  if (least.microseconds > 20 * mostHeadMicroseconds) return least
  for (let n = 0; n < 3; n += 1) {
    const again = await costOf(place, requests, Number(options.requests))
    if (again.microseconds < least.microseconds || n === 0) least = again
  }
  return least
}

const connectionsForCost = 8

/** Over eight connections, so that the server does not fall asleep between two requests. */
async function costOf({ server }: Place, requests: string[], count: number) {
  const statuses = new Set<string>()
  const before = cpuNanoseconds(server.pid)
  const each = Math.ceil(count / connectionsForCost)
  const askEach = () => askAll(server, requests, each, statuses)
  await Promise.all(Array.from({ length: connectionsForCost }, askEach))
  const used = cpuNanoseconds(server.pid) - before
  return { microseconds: used / 1_000 / (each * connectionsForCost), statuses: [...statuses].join(', ') }
}

/** One request after the other on one connection, opened again where the server closes it. */
async function askAll({ port }: Server, requests: string[], count: number, statuses: Set<string>) {
  let done = 0
  while (done < count) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    socket.on('error', () => {})
    const ask = () => socket.write(requests[done % requests.length] as string, 'latin1')
    socket.on('data', (bytes) => {
      const head = bytes.toString('latin1')
      if (!head.startsWith('HTTP/1.1 ')) return
      statuses.add(head.slice(9, 12))
      done += 1
      if (done >= count || /\r\nconnection: close/i.test(head)) socket.destroy()
      else ask()
    })
    ask()
    await once(socket, 'close')
  }
}

async function printExpressions(): Promise<string[]> {
  const { timed, slowest } = await growthOfExpressions()
  console.log(`\n${timed} regular expressions, on 8 kB and 64 kB of hostile text; those that grow most\n`)
  console.log('| expression | file | 8 kB, µs | 64 kB, µs | growth |\n| --- | --- | --- | --- | --- |')
  for (const { source, file, small, large, growth } of slowest) {
    const figures = [small.toFixed(0), large.toFixed(0), growth.toFixed(1)]
    console.log(`| \`${source.replaceAll('|', '\\|')}\` | ${file} | ${figures.join(' | ')} |`)
  }
  const bad = slowest.filter(({ growth }) => growth > mostGrowth)
  return bad.map(({ source, file, growth }) => `${file}: /${source}/ grows by ${growth.toFixed(0)}`)
}

await main()
