// npm run bench:webhooks: what a registration costs with an endpoint and without; how fast those whose offers end in one
// second are told, and what that does to memory, database and lookups. `--leads 60000 --rounds 0` for that alone.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createKey } from '../src/access/keys.ts'
import { checkCampaign } from '../src/core/campaign.ts'
import { checkEndpoint } from '../src/core/events.ts'
import { openStore } from '../src/store/open.ts'
import { tester, testerAt } from '../test/support/actor.ts'
import { emailAt } from './emails.ts'
import { lastcall, startGenerator } from './processes.ts'

const { values } = parseArgs({
  options: {
    leads: { type: 'string', default: '30000' },
    registrations: { type: 'string', default: '6000' },
    rounds: { type: 'string', default: '3' },
  },
})
const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'lastcall-webhooks-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const seconds = () => Math.floor(Date.now() / 1_000)

/** How long the next event may take: what failed is sent again after 5 s, then after 30. */
const longestPauseMs = 60_000

/** Takes everything; only ids are kept. */
async function openReceiver() {
  const ids = new Set<string>()
  let doubles = 0
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    if (ids.has(id)) doubles += 1
    ids.add(id)
    request.resume().on('end', () => response.writeHead(204).end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    ids,
    doubles: () => doubles,
    /** Until so many have come, or the rest never will. */
    async waitFor(count: number) {
      let [seen, seenAt] = [ids.size, performance.now()]
      while (ids.size < count && performance.now() - seenAt < longestPauseMs) {
        await sleep(20)
        if (ids.size > seen) [seen, seenAt] = [ids.size, performance.now()]
      }
    },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => server.close(),
  }
}

const options = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 4, isServer: false }

async function prepare(name: string, url: string | null, endsInSeconds: number | null) {
  const path = join(folder, `${name}.db`)
  const store = await openStore({ engine: 'sqlite', path }, options)
  const { id: accountId } = await store.configuration.createAccount('bench', tester)
  const at =
    endsInSeconds === null ? null : new Date((seconds() + endsInSeconds + 60) * 1_000).toISOString().slice(0, 16)
  const deadline = at === null ? { kind: 'after', period: 'PT48H' } : { kind: 'fixed', at }
  const checked = checkCampaign({
    name: 'c',
    isDraft: false,
    timeZone: 'UTC',
    mechanism: { startsOn: 'registration', deadline },
  })
  if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
  const campaign = await store.configuration.applyCampaign(accountId, checked.campaign, tester)
  if (url !== null) {
    const kinds = at === null ? ['lead.registered', 'lead.expired'] : ['lead.expired']
    const endpoint = checkEndpoint({ name: 'bench', url, kinds, inFlight: 32 }, () => undefined)
    if ('faults' in endpoint) throw new Error(JSON.stringify(endpoint.faults))
    await store.events.createEndpoint(accountId, endpoint.settings, testerAt(seconds()))
  }
  const { key } = await createKey(store, accountId, 'bench', testerAt(seconds()))
  return { path, store, accountId, campaignId: campaign.id, key, endsAt: at === null ? 0 : Date.parse(`${at}Z`) }
}

async function serve(path: string, env: Record<string, string> = {}) {
  const child = spawn(
    process.execPath,
    [join(root, 'src/main.ts'), 'serve', '--port', '0', '--rate-limit', '1000000000'],
    {
      env: { PATH: process.env.PATH ?? '', DATABASE_URL: `file:${path}`, EGRESS_ALLOW: '127.0.0.1', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  process.on('exit', () => child.kill('SIGKILL'))
  for await (const chunk of child.stdout) {
    const origin = /listening on (http:\/\/\S+)/.exec(String(chunk))?.[1]
    if (origin !== undefined) return { origin, pid: child.pid ?? 0, stop: async () => void child.kill('SIGKILL') }
  }
  throw new Error('no server')
}

async function metric(origin: string, name: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? Number.NaN)
}

const sent = { WEBHOOKS: 'on' }
const onlyWritten = { WEBHOOKS: 'off' }

/**
 * CPU of the server for each new registration, in microseconds, 16 clients at once; with what is sent of each, where
 * events are sent.
 */
async function price(name: string, env?: typeof sent | typeof onlyWritten): Promise<number> {
  const receiver = await openReceiver()
  const made = await prepare(name, env === undefined ? null : receiver.url, null)
  await made.store.close()
  const server = await serve(made.path, env)
  let index = 0
  const register = async (most: number) => {
    while (index < most) {
      index += 1
      const answer = await fetch(`${server.origin}/api/public/v1/campaigns/${made.campaignId}/leads`, {
        method: 'POST',
        headers: { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ email: `lead-${index}@example.com` }),
      })
      if (answer.status !== 201) throw new Error(String(answer.status))
      await answer.arrayBuffer()
    }
  }
  const clients = async (most: number) => {
    await Promise.all(Array.from({ length: 16 }, () => register(most)))
    if (env !== sent) return
    await receiver.waitFor(most)
    if (receiver.ids.size < most) throw new Error(`${most - receiver.ids.size} of ${most} events never came`)
  }
  const cpu = () => metric(server.origin, 'lastcall_process_cpu_seconds_total')
  await clients(2_000)
  const before = await cpu()
  await clients(2_000 + Number(values.registrations))
  const used = (await cpu()) - before
  server.stop()
  receiver.close()
  return (used / Number(values.registrations)) * 1e6
}

const residentMb = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_000

/** What the server takes from now on, twice a second. */
function watchMemory(pid: number) {
  const before = residentMb(pid)
  const plot = [before]
  const watch = setInterval(() => plot.push(residentMb(pid)), 500)
  return {
    stop: () => clearInterval(watch),
    more: () => Math.max(...plot) - before,
    points: () => plot.filter((_, index) => index % Math.ceil(plot.length / 40) === 0).map(Math.round),
  }
}

type Three = [number, number, number]
const lookupSeconds = 3

type Figure = { what: string; figure: number; least?: number; most?: number }

/** One fixed campaign ends for all at once: deliveries a second, and what memory, database and lookups do meanwhile. */
async function burst(): Promise<Figure[]> {
  const receiver = await openReceiver()
  const count = Number(values.leads)
  const made = await prepare('burst', receiver.url, Math.ceil(count / 2_000) + 3 * lookupSeconds)
  await made.store.close()
  const csv = join(folder, 'leads.csv')
  writeFileSync(csv, ['email', ...Array.from({ length: count }, (_, n) => emailAt(n))].join('\n'))
  await lastcall(`file:${made.path}`, ['lead', 'import', '--campaign', String(made.campaignId), csv])
  const { origin, ...server } = await serve(made.path)
  const path = `/api/public/v1/campaigns/${made.campaignId}/leads/lookup`
  const emails = { pick: 'random', count } as const
  const load = { path, key: made.key, emails, connections: 4, seconds: lookupSeconds } as const
  const generator = startGenerator()
  const lookUp = () =>
    generator.put({ ...server, port: Number(new URL(origin).port) }, { ...load, method: 'POST', status: 200 })
  // A server that has just begun grows with its first requests, burst or not, and answers them slowly.
  const first = await lookUp()
  const before = await lookUp()
  await sleep(made.endsAt - Date.now() - 2_000)
  if (receiver.ids.size > 0) throw new Error('the import took longer than the offers last')
  const memory = watchMemory(server.pid)
  const bytes = statSync(made.path).size
  await receiver.waitFor(1)
  const beganAt = performance.now()
  const beside = await lookUp()
  const isStill = receiver.ids.size < count
  await receiver.waitFor(count)
  const took = (performance.now() - beganAt) / 1_000
  memory.stop()
  await sleep(2_000)
  const after = await lookUp()
  generator.stop()
  await server.stop()
  receiver.close()
  console.log(`MB over ${Math.round(took)} s: ${memory.points().join(' ')}; load ${loadavg()[0]?.toFixed(1)}`)
  if (!isStill) console.log('all were told before the lookups ended: take more --leads')
  const [p99Before, p99Beside, p99After] = [before, beside, after].map((one) => one.p99Milliseconds) as Three
  console.log(`p99 of lookups in ms: ${p99Before} before, ${p99Beside} beside, ${p99After} after`)
  const wrong = [first, before, beside, after].flatMap((one) => Object.entries(one.wrong))
  if (wrong.length > 0) console.log(`lookups, not expected: ${JSON.stringify(wrong)}`)
  return [
    { what: 'deliveries a second', figure: receiver.ids.size / took, least: 1_500 },
    { what: 'events that came twice', figure: receiver.doubles(), most: 0 },
    { what: 'events that never came', figure: count - receiver.ids.size, most: 0 },
    { what: 'memory: MB more than before', figure: memory.more(), most: 100 },
    { what: 'database file: bytes more', figure: statSync(made.path).size - bytes, most: 0 },
    { what: 'p99 of lookups against without', figure: p99Beside / ((p99Before + p99After) / 2), most: 1.5 },
    { what: 'wrong answers to lookups', figure: wrong.reduce((sum, [, times]) => sum + times, 0), most: 0 },
  ]
}

const rounds = []
process.setMaxListeners(20)
for (let n = 0; n < Number(values.rounds); n += 1) {
  const none = await price(`none-${n}`)
  // What is written costs the registration; what is sent is counted apart.
  const written = await price(`written-${n}`, onlyWritten)
  const told = await price(`told-${n}`, sent)
  rounds.push({ none: Math.round(none), written: Math.round(written), told: Math.round(told), ratio: written / none })
}
console.log(JSON.stringify({ cpuMicrosecondsOfARegistration: rounds }))
const figures: Figure[] = []
if (rounds.length > 0) {
  const ratio = rounds.map((round) => round.ratio).sort((a, b) => a - b)[rounds.length >> 1] as number
  figures.push({ what: 'CPU of a registration against without', figure: ratio, most: 1.4 })
}
figures.push(...(await burst()))
let isMissed = false
for (const { what, figure, least = 0, most = Number.POSITIVE_INFINITY } of figures) {
  const holds = figure >= least && figure <= most
  isMissed ||= !holds
  const bound = least > 0 ? `at least ${least}` : `at most ${most}`
  console.log(`| ${what} | ${figure.toFixed(2)} | ${bound} | ${holds ? 'held' : 'MISSED'} |`)
}
process.exit(isMissed ? 1 : 0)
