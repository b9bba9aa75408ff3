// Quick starts: one installation with an owner, copied for each test, and commands with an environment and a limit.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isFull } from './faults.ts'
import {
  askShared,
  compileCache,
  type Finished,
  hangMs,
  type Installation,
  installation,
  type Owner,
  owner,
  type Server,
} from './lastcall.ts'
import { processScope } from './process-scope.ts'
import { databasesCreated } from './test-database.ts'

export const root = join(import.meta.dirname, '..', '..')
const main = join(root, 'src', 'main.ts')

export type Prepared = Owner & {
  place: Installation
  /** The same content in a folder of its own. */
  copy(t: TestContext): Installation
}

export async function prepared(t: TestContext): Promise<Prepared> {
  const place = installation(t)
  const made = await owner(place)
  return {
    ...made,
    place,
    copy(other) {
      const twin = installation(other, place)
      cpSync(place.folder, twin.folder, { recursive: true })
      return twin
    },
  }
}

export type Start = {
  env?: Record<string, string>
  cwd?: string
  input?: string
}

/** The command line with an environment of the caller's making; nothing is set but what is given. */
export async function command(args: string[], options: Start = {}): Promise<Finished> {
  await databasesCreated()
  const child = spawn(process.execPath, [main, ...args], {
    cwd: options.cwd ?? root,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      NODE_COMPILE_CACHE: compileCache,
      ...options.env,
    },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  const timer = setTimeout(() => child.kill('SIGKILL'), hangMs)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(timer)
  return { code, stdout, stderr }
}

/** Like `command`, in the short form in a process that runs the next command too. */
export async function sharedCommand(args: string[], options: Start = {}): Promise<Finished> {
  if (isFull) return command(args, options)
  await databasesCreated()
  const { cwd = root, env = {}, input = '' } = options
  const usual = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }
  return askShared({ args, folder: cwd, env: { ...usual, ...env }, input })
}

/** Runs the tasks, so many at a time, and gives their results in order. */
export async function several<In, Out>(limit: number, items: In[], task: (item: In) => Promise<Out>) {
  const results: Out[] = []
  let next = 0
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await task(items[index] as In)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  return results
}

/** Waits until a quarter of a minute is left of this one: what is counted by the minute is asked for within one. */
export async function roomInMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000)
  if (left < 15_000) await sleep(left + 200)
}

/** Asks again until the answer is true; false when the time is up. */
export async function comesTrue(
  timeoutMs: number,
  ask: () => boolean | Promise<boolean>,
  pauseMs = 25,
): Promise<boolean> {
  const until = Date.now() + timeoutMs
  for (;;) {
    if (await ask()) return true
    if (Date.now() > until) return false
    await sleep(pauseMs)
  }
}

/** The files below a folder that hold the bytes. */
export function filesWith(folder: string, bytes: string): string[] {
  const names = readdirSync(folder, { recursive: true }) as string[]
  return names.filter((name) => {
    try {
      const path = join(folder, name)
      return statSync(path).isFile() && readFileSync(path).includes(bytes)
    } catch {
      return false // gone between the listing and the reading
    }
  })
}

export type Shop = Owner & {
  place: Installation
  server: Server
  port: number
  /** The header lines that a request of the owner needs. */
  bearer: string
  jsonType: string
  /** Paths. */
  campaigns: string
  leads: string
}

/** An owner with a published campaign on a running server whose rate nobody reaches. */
export async function openShop(t: TestContext): Promise<Shop> {
  const place = installation(t)
  return shopOn(place, place.serve(unlimited))
}

let shared: { place: Installation; server: Promise<Server> } | undefined

/** For tests that do not stop the server: those of a process share it, behind a proxy of this machine. */
export async function openSharedShop(): Promise<Shop> {
  if (shared === undefined) {
    const place = installation(processScope)
    shared = { place, server: place.serve([...unlimited, '--trust-proxy', '127.0.0.1']) }
  }
  return shopOn(shared.place, shared.server)
}

const unlimited = ['--rate-limit', '1000000']

async function shopOn(place: Installation, serving: Promise<Server>): Promise<Shop> {
  const [made, server] = await Promise.all([owner(place), serving])
  const campaigns = '/api/public/v1/campaigns'
  return {
    ...made,
    place,
    server,
    port: server.port,
    bearer: `Authorization: Bearer ${made.key}`,
    jsonType: 'Content-Type: application/json',
    campaigns,
    leads: `${campaigns}/${made.campaignId}/leads`,
  }
}

/** Subtests that run side by side, and then one that says whether the server came through. */
export function sideBySide(t: TestContext, shop: Shop) {
  const tests: Promise<void>[] = []
  return {
    check(name: string, body: () => Promise<void>) {
      tests.push(t.test(name, body))
    },
    async finish() {
      await Promise.all(tests)
      await t.test('the server is still there', async () => {
        const answer = await fetch(`${shop.server.base}/campaigns`, {
          headers: { authorization: `Bearer ${shop.key}` },
        })
        assert.equal(answer.status, 200)
        assert.equal(shop.server.process.exitCode, null)
      })
    },
  }
}

/** One line on standard error that names what is wrong, and nothing on standard output. */
export function assertRefused({ code, stdout, stderr }: Finished, named: string | RegExp, codes = [1, 2]) {
  assert.ok(code !== null && codes.includes(code), `exit ${code}: ${stderr || stdout}`)
  assert.equal(stdout, '')
  assert.match(stderr, /^[^\n]+\n$/, `not one line: ${stderr}`)
  assert.doesNotMatch(stderr, /\bat .*\.ts:\d|node:internal/)
  const names = typeof named === 'string' ? stderr.includes(named) : named.test(stderr)
  assert.ok(names, `${named} is not named in: ${stderr}`)
}
