// A PostgreSQL cluster of its own: real processes, and the faults that real ones suffer.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, mkdtempSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { databaseFolder } from './database-folder.ts'
import { createDatabase, createRole, databaseUrl, dropDatabase } from './postgres-databases.ts'
import { copyPrograms, type Runner, runner } from './postgres-programs.ts'
import { areGone, freezeFamily, killFamily, signal, thawFamily } from './processes.ts'

export type PostgresOptions = {
  /** Waits for the disk at every commit, as in production; else a crash of the machine, not of a process, loses data. */
  durable?: boolean
  /** Such as `shared_buffers=1GB`. */
  settings?: string[]
}

export type Postgres = {
  port: number
  /** An empty database, as the role that owns it and is no superuser. */
  url: string
  /** Database `postgres` as its superuser. */
  adminUrl: string
  /** Another empty database; its URL, as `url`. */
  createDatabase(): Promise<string>
  /** Those who are still connected to it. */
  dropDatabase(url: string): Promise<void>
  /** `kill -9` of all its processes at once. */
  kill9(): Promise<void>
  /** As an administrator in a hurry does: connections are cut, nothing is put in order. */
  stopImmediate(): Promise<void>
  /** After `kill9` or `stopImmediate`: on the same port, with what was committed. */
  start(): Promise<void>
  /** Connections stay open, and nothing answers: a machine that hangs. */
  freeze(): void
  thaw(): void
  /** For good; removes the data. Happens by itself when this process ends, in whatever way. */
  stop(): Promise<void>
}

type Cluster = { folder: string; port: number; runner: Runner; settings: string[] }

const startLimitMs = 60_000

/** Starts a cluster on a free port of 127.0.0.1, its data in memory where there is room, unless it is durable. */
export async function startPostgres({ durable = false, settings = [] }: PostgresOptions = {}): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-postgres-'))
  const guard = startGuard(folder)
  const stop = async () => {
    guard.ref()
    guard.stdin?.end()
    if (guard.exitCode === null) await once(guard, 'exit')
  }
  try {
    const password = randomBytes(12).toString('hex')
    const cluster = await prepare(folder, password, durable, settings)
    let server = await startServer(cluster, guard)
    const adminUrl = `postgres://postgres:${password}@127.0.0.1:${cluster.port}/postgres`
    await createRole(adminUrl)
    const pid = () => server.pid as number
    return {
      port: cluster.port,
      url: await createDatabase(adminUrl, { url: databaseUrl(adminUrl, 'lastcall') }),
      adminUrl,
      createDatabase: () => createDatabase(adminUrl),
      dropDatabase: (url) => dropDatabase(adminUrl, url),
      async kill9() {
        await killFamily(pid())
        guard.stdin?.write('0\n')
      },
      async stopImmediate() {
        signal(pid(), 'SIGQUIT')
        if (!(await areGone([pid()], startLimitMs))) throw new Error('PostgreSQL did not stop')
        guard.stdin?.write('0\n')
      },
      async start() {
        server = await startServer(cluster, guard)
      },
      freeze: () => void freezeFamily(pid()),
      thaw: () => thawFamily(pid()),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Detached, so that Ctrl-C does not reach it; nothing here waits for its end. */
function startGuard(folder: string): ChildProcess {
  const script = join(import.meta.dirname, 'postgres-guard.ts')
  const guard = spawn(process.execPath, [script, folder], {
    detached: true,
    env: {},
    cwd: tmpdir(),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  const input = guard.stdin as NonNullable<typeof guard.stdin> & { unref?(): void }
  input.unref?.()
  input.on('error', () => {})
  return guard
}

async function prepare(folder: string, password: string, durable: boolean, settings: string[]): Promise<Cluster> {
  const owner = runner()
  const passwordPath = join(folder, 'password')
  writeFileSync(passwordPath, password, { mode: 0o600 })
  if (owner.uid !== undefined && owner.gid !== undefined) {
    for (const path of [folder, passwordPath]) chownSync(path, owner.uid, owner.gid)
  }
  if (!durable) symlinkSync(dataFolder(owner), join(folder, 'data'))
  // Not beside the data: from what is in memory nothing may be run on some machines.
  copyPrograms(join(folder, 'programs'), owner)
  // Sorted by a language, as most databases in production are and SQLite is not.
  const order = ['--locale=C', '--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US']
  const access = ['--username=postgres', '--auth=scram-sha-256', '--set=scram_iterations=1', `--pwfile=${passwordPath}`]
  await promisify(execFile)(
    join(folder, 'programs', 'bin', 'initdb'),
    ['--pgdata=data', '--no-sync', '--no-instructions', ...order, ...access],
    { cwd: folder, env: { TZ: 'UTC' }, ...owner },
  )
  const port = await freePort()
  return { folder, port, runner: owner, settings: [...places(port), ...safety(durable), ...settings] }
}

/** To copy a database of ten megabytes takes half a second of a processor on ext4, and a twentieth of that in memory. */
function dataFolder({ uid, gid }: Runner): string {
  const data = databaseFolder('postgres')
  if (uid !== undefined && gid !== undefined) chownSync(data, uid, gid)
  return data
}

const safety = (durable: boolean) => (durable ? [] : ['fsync=off', 'full_page_writes=off'])

function places(port: number): string[] {
  return [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    'max_connections=300',
    // in the folder, not in /dev/shm, where it would outlive a kill
    'dynamic_shared_memory_type=mmap',
  ]
}

/**
 * Below the ports that systems hand out by themselves: while the cluster is down, a connection to such a port
 * could be given it and meet itself.
 */
async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(15_000, 30_000)
    const probe = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => probe.close(resolve))
    return port
  }
  throw new Error('no free port between 15000 and 30000')
}

async function startServer({ folder, runner, settings }: Cluster, guard: ChildProcess): Promise<ChildProcess> {
  const logPath = join(folder, 'postgres.log')
  const log = openSync(logPath, 'a')
  const args = ['-D', 'data', ...settings.flatMap((setting) => ['-c', setting])]
  const server = spawn(join(folder, 'programs', 'bin', 'postgres'), args, {
    cwd: folder,
    detached: true,
    env: { TZ: 'UTC' },
    stdio: ['ignore', log, log],
    ...runner,
  })
  server.unref()
  guard.stdin?.write(`${server.pid}\n`)
  const until = performance.now() + startLimitMs
  while (!isReady(folder, server.pid as number)) {
    if (server.exitCode !== null || performance.now() > until) {
      throw new Error(`PostgreSQL did not start: ${readFileSync(logPath, 'utf8').slice(-2000)}`)
    }
    await setTimeout(5)
  }
  return server
}

/** What pg_ctl looks at: the eighth line of the file that the first process keeps, unless a dead one left it. */
function isReady(folder: string, pid: number): boolean {
  try {
    const lines = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
  } catch {
    return false
  }
}
