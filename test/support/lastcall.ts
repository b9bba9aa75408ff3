// Starts what ships: the command line and the server as processes of their own.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createKey } from '../../src/access/keys.ts'
import { saveCampaign } from '../../src/campaigns/campaigns.ts'
import { readSetting } from '../../src/config.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import { openTemplates } from '../../src/countdown/templates.ts'
import { openSlots } from '../../src/events/slots.ts'
import { asFile, type CampaignFile } from '../../src/store/model.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { testerAt } from './actor.ts'
import type { Answered, Asked } from './command-process.ts'
import { databaseFolder } from './database-folder.ts'
import { isFull } from './faults.ts'
import { databasesCreated, testDatabase } from './test-database.ts'
import { builtOnce, shelveUsualTemplates } from './usual-templates.ts'

const root = join(import.meta.dirname, '..', '..')
const main = join(root, 'src', 'main.ts')

/** NODE_COMPILE_CACHE: saves a third of the time of each command, of which the tests run hundreds. */
export const compileCache = join(root, 'node_modules', '.cache', 'compile')

export type Finished = { code: number | null; stdout: string; stderr: string }

export type Installation = {
  /** Folder of the database; removed when the test ends. */
  folder: string
  /** @throws on PostgreSQL */
  readonly databasePath: string
  databaseUrl: string
  /** Runs one command of the command line on this database and waits for its end. */
  run(args: string[], input?: string | AsyncIterable<string | Buffer>): Promise<Finished>
  /** Like `run`, in the short form in a process that runs the next command too: most of a command is its start. */
  runShared(args: string[], input?: string): Promise<Finished>
  /** Like `runShared`, but fails unless the command exits 0, and returns its standard output as JSON. */
  json<T = any>(args: string[], input?: string): Promise<T>
  /**
   * Makes what a test needs and is not about, in this process: a command costs one of its own. Beside a running
   * server it is another connection, as a command's is.
   */
  arrange<T>(work: (store: Store) => Promise<T>): Promise<T>
  /** Starts `serve` on a free port; stopped when the test ends. */
  serve(args?: string[], env?: Record<string, string>, limits?: Limits): Promise<Server>
}

export type Limits = {
  /** File descriptors, connections included. */
  openFiles?: number
}

const arrangeOptions = { lockWaitMs: 10_000, timeoutMs: 60_000, poolSize: 2, isServer: false }

/** What ends with a test, or with a whole file: a TestContext, or `{ after }` of node:test. */
export type Scope = { after(end: () => Promise<void>): void }

export type Server = {
  process: ChildProcess
  /** `http://127.0.0.1:PORT` */
  origin: string
  port: number
  /** `origin` with `/api/public/v1` */
  base: string
  /** Everything the process wrote so far, standard output and error together. */
  output(): string
  /** SIGTERM, then the exit code. */
  stop(): Promise<number | null>
}

/** To begin from where a migration is looked at: on PostgreSQL a new database has its tables otherwise. */
export const withoutTables = { databaseUrl: 'postgres://here/template1' }

/**
 * An empty folder for one database, with the command line and the server bound to it.
 * @param from on PostgreSQL its database has the content of this one's
 */
export function installation(t: Scope, from?: Pick<Installation, 'databaseUrl'>): Installation {
  const folder = databaseFolder('test')
  const servers: ChildProcess[] = []
  t.after(async () => {
    await Promise.all(servers.map(kill))
    await database.remove()
    rmSync(folder, { recursive: true, force: true })
  })
  const database = testDatabase(folder, from?.databaseUrl)
  const environment = (extra: Record<string, string> = {}) => ({
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    DATABASE_URL: database.url,
    NODE_COMPILE_CACHE: compileCache,
    // A server opens its connections to PostgreSQL at its start: with the usual ten of a sort they take as long as it.
    ...(!isFull && { POOL_SIZE: '4' }),
    ...extra,
  })

  async function run(args: string[], input: string | AsyncIterable<string | Buffer> = ''): Promise<Finished> {
    await databasesCreated()
    const child = spawn(process.execPath, [main, ...args], { cwd: folder, env: environment() })
    const output = collect(child)
    child.stdin.on('error', () => {})
    if (typeof input === 'string') child.stdin.end(input)
    else Readable.from(input).pipe(child.stdin)
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, ...output() }
  }

  async function runShared(args: string[], input = ''): Promise<Finished> {
    if (isFull) return run(args, input)
    await databasesCreated()
    return askShared({ args, folder, env: environment(), input })
  }

  return {
    folder,
    get databasePath() {
      return database.path()
    },
    databaseUrl: database.url,
    run,
    runShared,
    async json(args, input) {
      const { code, stdout, stderr } = await runShared(args, input)
      if (code !== 0) throw new Error(`lastcall ${args.join(' ')} exited ${code}: ${stderr}`)
      return JSON.parse(stdout)
    },
    async arrange(work) {
      await databasesCreated()
      return arrangeIn(database.url, work)
    },
    async serve(args = [], env = {}, { openFiles } = {}) {
      await databasesCreated()
      const program = [process.execPath, main, 'serve', ...args]
      const limited = ['sh', '-c', 'ulimit -n "$0" && exec "$@"', String(openFiles), ...program]
      const [name, ...rest] = openFiles === undefined ? program : limited
      const child = spawn(name as string, rest, {
        cwd: folder,
        env: environment({ PORT: '0', ...env }),
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      servers.push(child)
      running.add(child)
      child.on('close', () => running.delete(child))
      const output = collect(child)
      const text = () => output().stdout + output().stderr
      const origin = await new Promise<string>((resolve, reject) => {
        child.stdout?.on('data', () => {
          const found = /Lastcall listening on (http:\/\/\S+)/.exec(output().stdout)
          if (found?.[1]) resolve(found[1])
        })
        child.on('close', (code, signal) => reject(new Error(`serve exited ${code ?? signal}: ${text()}`)))
      })
      return {
        process: child,
        origin,
        port: Number(new URL(origin).port),
        base: `${origin}/api/public/v1`,
        output: text,
        async stop() {
          if (child.exitCode !== null) return child.exitCode
          const closed = once(child, 'close')
          child.kill('SIGTERM')
          const [code] = (await closed) as [number | null]
          return code
        },
      }
    },
  }
}

/** See `arrange`. */
export async function arrangeIn<T>(databaseUrl: string, work: (store: Store) => Promise<T>): Promise<T> {
  if (databaseUrl.startsWith('file:')) return openedFor(databaseUrl, work)
  // On PostgreSQL the first change on a new connection takes long, on Citus a tenth of a second: with many at once
  // requests beside them would wait too long.
  const arranged = arranging.then(() => openedFor(databaseUrl, work))
  arranging = arranged.catch(() => {})
  return arranged
}

let arranging: Promise<unknown> = Promise.resolve()

async function openedFor<T>(databaseUrl: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(readSetting('database', { 'database-url': databaseUrl }), arrangeOptions)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Servers that would outlive a test process that ends before its tests do. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

const idle: ChildProcess[] = []
/** A process of commands takes half a second of a processor to start, and a command a hundredth: one is enough. */
const mostShared = 1
const roomToRun = openSlots(mostShared)

/** A command that takes this long hangs: it is killed, and its code is null. */
export const hangMs = 60_000

/** One command at a time for each such process; they end with this one. */
export async function askShared(asked: Asked): Promise<Finished> {
  const giveBack = await roomToRun({ accountId: 0, id: 0 })
  try {
    return await askIdle(asked)
  } finally {
    giveBack()
  }
}

async function askIdle(asked: Asked): Promise<Finished> {
  const env = { NODE_COMPILE_CACHE: compileCache }
  const child = idle.pop() ?? fork(join(import.meta.dirname, 'command-process.ts'), { env, execArgv: [] })
  const timer = setTimeout(() => child.kill('SIGKILL'), hangMs)
  child.ref()
  child.channel?.ref()
  child.send(asked)
  const ended = new AbortController()
  const [finished] = await Promise.race([
    once(child, 'message', ended) as Promise<[Answered]>,
    once(child, 'exit', ended).then(([code]) => [{ code, stdout: '', stderr: 'it ended', isClean: false }]),
  ])
  ended.abort()
  clearTimeout(timer)
  // A command that has failed may have left something open.
  if (finished?.code === 1 && !finished.isClean && child.connected) child.disconnect()
  else if (child.connected) idle.push(child)
  child.unref()
  child.channel?.unref()
  return finished as Finished
}

async function kill(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

function collect(child: ChildProcess): () => { stdout: string; stderr: string } {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  return () => ({ stdout, stderr })
}

/** A campaign file that is published and complete; `changes` replace its properties. */
export function campaignFile(changes: Record<string, unknown> = {}): string {
  return JSON.stringify({
    name: 'Autumn course',
    isDraft: false,
    timeZone: 'Europe/Warsaw',
    mechanism: { startsOn: 'registration', deadline: { kind: 'after', period: 'PT48H' } },
    pages: [{ pageUrl: 'https://example.com/offer', eligible: true }],
    mailTimer: {},
    ...changes,
  })
}

export type Owner = { accountId: number; keyId: string; key: string; campaignId: number }

/** An account with a key and a published campaign. */
export async function owner(place: Installation, campaign = campaignFile()): Promise<Owner> {
  return place.arrange(async (store) => {
    const made = await accountWithKey(store)
    return { ...made, campaignId: (await appliedCampaign(store, made.accountId, campaign)).id }
  })
}

/** What `campaign apply` does, without a process of its own. @throws where the file has a fault */
export async function appliedCampaign(store: Store, accountId: number, file: string): Promise<CampaignFile> {
  const checked = checkCampaign(JSON.parse(file))
  if ('faults' in checked) throw new Error(`no campaign file: ${JSON.stringify(checked.faults)}`)
  const templates = openTemplates(builtOnce(store.templates), nowSeconds)
  try {
    return asFile(await saveCampaign({ store, templates }, accountId, checked.campaign, () => testerAt(nowSeconds())))
  } finally {
    await templates.close()
  }
}

const nowSeconds = () => Math.floor(Date.now() / 1_000)

export async function accountWithKey(store: Store) {
  await shelveUsualTemplates(store)
  const { id: accountId } = await store.configuration.createAccount('Owner', testerAt(nowSeconds()))
  const { id: keyId, key } = await createKey(store, accountId, 'server', testerAt(nowSeconds()))
  return { accountId, keyId, key }
}
