// Starts, measures and stops the processes of a run.
import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism, setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Load, Outcome } from './load.ts'

const root = join(import.meta.dirname, '..')
const main = join(root, 'src', 'main.ts')
const bare = join(import.meta.dirname, 'bare.ts')
const peerFolder = join(import.meta.dirname, 'peer')

/** Saves a third of the time of a command. Servers start without, as they do after an installation. */
const compileCache = join(root, 'node_modules', '.cache', 'compile')

/** Above what any run reaches in a minute. */
const rateLimit = 1_000_000_000

/** A bare server that answers the same headers and body as another did. */
export type Likeness = { status: number; headers: string[]; bytes: number }

export type Server = { pid: number; port: number; stop(): Promise<void> }

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

function kept(child: ChildProcess): ChildProcess {
  running.add(child)
  child.on('close', () => running.delete(child))
  return child
}

function environmentOf(databaseUrl: string): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, DATABASE_URL: databaseUrl }
}

export type Cores = 'server' | 'generator'

/**
 * The load generator keeps the last core, the servers have the others. Left alone, the scheduler now puts both
 * on one core and now apart, which alone moves the CPU time per request by a quarter.
 */
function pin(child: ChildProcess, to: Cores): void {
  const last = availableParallelism() - 1
  if (last < 1) return
  const cores = to === 'generator' ? String(last) : `0-${last - 1}`
  const { status } = spawnSync('taskset', ['-acp', cores, String(child.pid)], { stdio: 'ignore' })
  if (status !== 0 && to === 'generator') console.error('taskset does not work here: figures will be less steady')
}

export type CpuProfile = { folder: string; name: string }

/** The server as it ships, its log in a file, as under a service manager. */
export function startLastcall(
  databaseUrl: string,
  log: string,
  profile?: CpuProfile,
  perMinute = rateLimit,
  flags: string[] = [],
): Promise<Server> {
  const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile.folder}`, `--cpu-prof-name=${profile.name}`] : []
  const args = [...profiling, main, 'serve', '--port', '0', '--rate-limit', String(perMinute)]
  return started([...args, ...flags], environmentOf(databaseUrl), log)
}

export function startBare(status: number, bytes: number, log: string): Promise<Server> {
  return started([bare, String(status), String(bytes)], environmentOf(''), log)
}

export function startAlike({ status, headers, bytes }: Likeness, log: string): Promise<Server> {
  return started([bare, String(status), String(bytes), JSON.stringify(headers)], environmentOf(''), log)
}

/** What the peer's database is made with, on the first start. */
export type PeerSeed = { key: string; accounts: number; leads: number }

/**
 * Its packages are installed first, unless that was done since its lock was changed. Their scripts do not run:
 * better-sqlite3 has its built library in its package.
 */
export function startPeer(databaseUrl: string, seed: PeerSeed, log: string): Promise<Server> {
  const changedAt = (name: string) => statSync(join(peerFolder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (changedAt('node_modules/.package-lock.json') < changedAt('package-lock.json')) {
    const install = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    const { status } = spawnSync('npm', install, { cwd: peerFolder, stdio: ['ignore', 'inherit', 'inherit'] })
    if (status !== 0) throw new Error(`npm ${install.join(' ')} failed in ${peerFolder}`)
  }
  const { key, accounts, leads } = seed
  const given = { database: databaseUrl, key, accounts, leads, 'rate-limit': rateLimit }
  const args = Object.entries(given).flatMap(([name, value]) => [`--${name}`, String(value)])
  return started([join(peerFolder, 'server.ts'), ...args], environmentOf(databaseUrl), log)
}

async function started(args: string[], env: Record<string, string>, log: string): Promise<Server> {
  const file = openSync(log, 'w')
  const child = kept(spawn(process.execPath, args, { env, stdio: ['ignore', file, file] }))
  closeSync(file)
  const closed = once(child, 'close')
  for (;;) {
    const text = readFileSync(log, 'utf8')
    const port = /listening on http:\/\/[^\s"]*:(\d+)/.exec(text)?.[1]
    if (port) {
      pin(child, 'server')
      child.once('exit', (code, signal) => {
        if (code !== 0) console.error(`a server ended (${code ?? signal}): ${readFileSync(log, 'utf8').slice(-2_000)}`)
      })
      return { pid: child.pid ?? 0, port: Number(port), stop: () => stopped(child, closed) }
    }
    if (child.exitCode !== null) throw new Error(`node ${args.join(' ')} exited ${child.exitCode}:\n${text}`)
    await sleep(10)
  }
}

async function stopped(child: ChildProcess, closed: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM')
  await closed
}

/** From the start of the process to its line, in milliseconds; the process is stopped again. */
export async function startUpMilliseconds(databaseUrl: string): Promise<number> {
  const startedAt = performance.now()
  const child = kept(
    spawn(process.execPath, [main, 'serve', '--port', '0'], {
      env: environmentOf(databaseUrl),
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const closed = once(child, 'close')
  const milliseconds = await new Promise<number>((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += chunk
      if (text.includes('Lastcall listening on')) resolve(performance.now() - startedAt)
    })
    child.on('close', (code) => reject(new Error(`serve exited ${code}: ${text}`)))
  })
  await stopped(child, closed)
  return milliseconds
}

/** One command of the command line, its answer as JSON. */
export async function lastcall(databaseUrl: string, args: string[], input = ''): Promise<any> {
  const child = kept(
    spawn(process.execPath, [main, ...args], {
      env: { ...environmentOf(databaseUrl), NODE_COMPILE_CACHE: compileCache },
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  const closed = once(child, 'close')
  child.stdin?.end(input)
  let output = ''
  for await (const chunk of child.stdout ?? []) output += chunk
  const [code] = await closed
  if (code !== 0) throw new Error(`lastcall ${args.join(' ')} exited ${code}`)
  return JSON.parse(output)
}

/** User and system time of all threads of a process, in nanoseconds, as the scheduler counted it. */
export function cpuNanoseconds(pid: number): number {
  let sum = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    sum += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  }
  return sum
}

/**
 * CPU time once the process has come to rest: what it put off until after its answers (history, checkpoints)
 * belongs to the requests too.
 */
async function cpuAtRest(pid: number): Promise<number> {
  const quietNanoseconds = 5e6
  for (let tries = 0; tries < 10; tries++) {
    const before = cpuNanoseconds(pid)
    await sleep(500)
    if (cpuNanoseconds(pid) - before < quietNanoseconds) break
  }
  return cpuNanoseconds(pid)
}

export type Generator = {
  /** Puts one load on a server; the CPU time is the server's. */
  put(server: Server, load: Omit<Load, 'port'>): Promise<Outcome & { cpuMicrosecondsPerRequest: number }>
  stop(): void
}

/** One that is `yielding` leaves the core to the others, so that theirs are the times that count. */
export function startGenerator({ yielding = false } = {}): Generator {
  const child = kept(fork(join(import.meta.dirname, 'load.ts')))
  pin(child, 'generator')
  if (yielding) setPriority(child.pid ?? 0, 19)
  const answer = async () => {
    const ended = new AbortController()
    const exit = once(child, 'exit', ended).then(() => Promise.reject(new Error('the load generator ended')))
    exit.catch(() => {})
    const message = once(child, 'message', ended).then(([value]) => value)
    return Promise.race([message, exit]).finally(() => {
      message.catch(() => {})
      ended.abort()
    })
  }
  return {
    async put(server, load) {
      child.send({ ...load, port: server.port })
      await answer()
      const before = cpuNanoseconds(server.pid)
      child.send('go')
      const outcome: Outcome = await answer()
      const used = (await cpuAtRest(server.pid)) - before
      return { ...outcome, cpuMicrosecondsPerRequest: used / 1000 / outcome.answered }
    },
    stop: () => child.disconnect(),
  }
}
