// npm run path: the files and named functions of src/ that one warm new registration runs through, counted by V8.
// What is counted and how to read it: README.md.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type Dataset, makeDatasets } from './dataset.ts'
import { emailAt, firstNewIndex } from './emails.ts'

const mostFiles = 22
const mostFunctions = 70

/** Registrations before the first one that is counted. */
const warmUps = 500
/** What ran in each of so many registrations belongs to one; what a timer ran beside some of them does not. */
const counted = 3
/** By then an answer is on its way, and the turn of the event loop that sent it is over. */
const answeredMs = 20
/** By then its history and counts are stored: that work belongs to a registration too. */
const settledMs = 2_000

const root = join(import.meta.dirname, '..')
const src = join(root, 'src')

type Ran = { file: string; line: number; name: string; scriptId: string; offset: number }
/** What ran until the answer was there, in the order of first calls, and what ran behind it only, by file. */
type Path = { way: Ran[]; behind: Ran[] }

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } })
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-path-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const [dataset] = await makeDatasets(folder, [1_000])
  const server = await startInspected((dataset as Dataset).databaseUrl)
  try {
    const register = registration(server.origin, dataset as Dataset)
    for (let n = 0; n < warmUps; n += 1) await register()
    const inspector = await connect(server.inspectorUrl)
    const { way, behind } = await functionsOfOne(inspector, register)
    const path = { way: inOrder(way, await orderOfFirstCalls(inspector, way, register)), behind }
    process.stdout.write(values.json ? `${JSON.stringify(asJson(path), null, 2)}\n` : textOf(path))
    const { files, functions } = totalsOf(way)
    if (files > mostFiles || functions > mostFunctions) process.exitCode = 1
  } finally {
    server.child.kill('SIGKILL')
  }
}

type Inspected = { child: ChildProcess; origin: string; inspectorUrl: string }

async function startInspected(databaseUrl: string): Promise<Inspected> {
  const args = ['--inspect=127.0.0.1:0', join(src, 'main.ts'), 'serve', '--port', '0']
  const child = spawn(process.execPath, [...args, '--rate-limit', '1000000'], {
    env: { PATH: process.env.PATH ?? '', DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  process.on('exit', () => child.kill('SIGKILL'))
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      text += chunk
    })
  }
  for (;;) {
    const origin = /listening on (http:\/\/\S+)/.exec(text)?.[1]
    const inspectorUrl = /ws:\/\/\S+/.exec(text)?.[0]
    if (origin && inspectorUrl) return { child, origin, inspectorUrl }
    if (child.exitCode !== null) throw new Error(`serve exited ${child.exitCode}: ${text}`)
    await sleep(20)
  }
}

/** Registers one more new email, under a campaign with a deadline of the kind `daysAt`. */
function registration(origin: string, { campaignId, key }: Dataset): () => Promise<void> {
  let index = firstNewIndex
  return async () => {
    const answer = await fetch(`${origin}/api/public/v1/campaigns/${campaignId}/leads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: emailAt(index++) }),
    })
    const text = await answer.text()
    if (answer.status !== 201) throw new Error(`a registration was answered ${answer.status}: ${text}`)
  }
}

type Inspector = {
  send(method: string, params?: object): Promise<any>
  on(method: string, listener: (params: any) => void): void
}

/** The protocol of V8's inspector, as a browser's tools speak it. */
async function connect(url: string): Promise<Inspector> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  const waiting = new Map<number, { resolve: (result: any) => void; reject: (error: Error) => void }>()
  const listeners = new Map<string, (params: any) => void>()
  let lastId = 0
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params, result, error } = JSON.parse(data)
    if (id === undefined) return listeners.get(method)?.(params)
    const { resolve, reject } = waiting.get(id) ?? {}
    waiting.delete(id)
    if (error) reject?.(new Error(error.message))
    else resolve?.(result)
  })
  return {
    on: (method, listener) => void listeners.set(method, listener),
    send: (method, params = {}) =>
      new Promise((resolve, reject) => {
        lastId += 1
        waiting.set(lastId, { resolve, reject })
        socket.send(JSON.stringify({ id: lastId, method, params }))
      }),
  }
}

/** The functions of src/ that ran in each of several registrations, as V8 counts calls while it counts all of them. */
async function functionsOfOne(inspector: Inspector, register: () => Promise<void>): Promise<Path> {
  const takeAfter = async (ms: number) => {
    await sleep(ms)
    const { result } = await inspector.send('Profiler.takePreciseCoverage')
    return new Map(calledOf(result).map((one) => [keyOf(one), one]))
  }
  await inspector.send('Profiler.enable')
  await inspector.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const rounds: { way: Map<string, Ran>; all: Map<string, Ran> }[] = []
  for (let n = 0; n < counted; n += 1) {
    await takeAfter(settledMs)
    await register()
    const way = await takeAfter(answeredMs)
    rounds.push({ way, all: new Map([...way, ...(await takeAfter(settledMs))]) })
  }
  await inspector.send('Profiler.stopPreciseCoverage')
  const [first] = rounds as [(typeof rounds)[number]]
  const inEach = (part: 'way' | 'all') =>
    [...first[part]].filter(([key]) => rounds.every((round) => round[part].has(key)))
  const way = new Map(inEach('way'))
  const behind = inEach('all').filter(([key]) => !way.has(key))
  return { way: [...way.values()], behind: behind.map(([, one]) => one) }
}

type Coverage = { scriptId: string; url: string; functions: CoveredFunction[] }
type CoveredFunction = { functionName: string; ranges: { startOffset: number; count: number }[] }

function calledOf(coverage: Coverage[]): Ran[] {
  return coverage.filter(isOurs).flatMap(({ scriptId, url, functions }) => {
    const path = fileURLToPath(url)
    const text = readFileSync(path, 'utf8')
    return functions.flatMap(({ functionName: name, ranges: [range] }) => {
      if (range === undefined || range.count === 0) return []
      const offset = range.startOffset
      const line = text.slice(0, offset).split('\n').length
      return [{ file: relative(root, path).split(sep).join('/'), line, name, scriptId, offset }]
    })
  })
}

function isOurs({ url }: { url: string }): boolean {
  return url.startsWith(pathToFileURL(`${src}${sep}`).href)
}

function keyOf({ scriptId, offset }: { scriptId: string; offset: number }): string {
  return `${scriptId}:${offset}`
}

/**
 * Keys in the order in which the functions begin in one more registration, at a breakpoint in each. Coverage itself
 * knows no order.
 */
async function orderOfFirstCalls(inspector: Inspector, ran: Ran[], register: () => Promise<void>): Promise<string[]> {
  const order: string[] = []
  let begun = false
  const byBreakpoint = new Map<string, string>()
  inspector.on('Debugger.paused', ({ hitBreakpoints }) => {
    for (const id of begun ? hitBreakpoints : []) {
      const key = byBreakpoint.get(id)
      byBreakpoint.delete(id)
      if (key === undefined) continue
      order.push(key)
      inspector.send('Debugger.removeBreakpoint', { breakpointId: id })
    }
    inspector.send('Debugger.resume')
  })
  await inspector.send('Debugger.enable')
  for (const one of ran) {
    const breakpointId = await breakAtStart(inspector, one)
    if (breakpointId !== undefined) byBreakpoint.set(breakpointId, keyOf(one))
  }
  begun = true
  await register()
  return order
}

async function breakAtStart(inspector: Inspector, { scriptId, file, offset }: Ran): Promise<string | undefined> {
  const text = readFileSync(join(root, file), 'utf8')
  const before = text.slice(0, offset).split('\n')
  const start = { scriptId, lineNumber: before.length - 1, columnNumber: before.at(-1)?.length ?? 0 }
  const { locations } = await inspector.send('Debugger.getPossibleBreakpoints', {
    start,
    restrictToFunction: true,
  })
  const [first] = locations
  if (first === undefined) return undefined
  return (await inspector.send('Debugger.setBreakpoint', { location: first })).breakpointId
}

/** What met no breakpoint comes last, as it stands in its file. */
function inOrder(ran: Ran[], order: string[]): Ran[] {
  const rank = new Map(order.map((key, index) => [key, index]))
  const rankOf = (one: Ran) => rank.get(keyOf(one)) ?? order.length
  return ran.toSorted((a, b) => rankOf(a) - rankOf(b))
}

/** V8 gives a name to functions, methods, and what is assigned to a name; `<…>` are initialisers it made itself. */
function namedOf(ran: Ran[]): Ran[] {
  return ran.filter(({ name }) => name !== '' && !name.startsWith('<'))
}

function totalsOf(ran: Ran[]): { files: number; functions: number } {
  return { files: new Set(ran.map(({ file }) => file)).size, functions: namedOf(ran).length }
}

function asJson({ way, behind }: Path) {
  const listed = (ran: Ran[]) => namedOf(ran).map(({ file, line, name }) => ({ file, line, name }))
  const withBehind = totalsOf([...way, ...behind])
  return { ...totalsOf(way), withBehind, way: listed(way), behind: listed(behind) }
}

function textOf({ way, behind }: Path): string {
  const toAnswer = totalsOf(way)
  const { files, functions } = totalsOf([...way, ...behind])
  const lines = [
    'Until the answer, in the order of first calls:',
    ...linesOf(way),
    '',
    'Behind the answer:',
    ...linesOf(behind),
    '',
    `until the answer: ${toAnswer.files} files (at most ${mostFiles}), ` +
      `${toAnswer.functions} named functions (at most ${mostFunctions})`,
    `with what runs behind it: ${files} files, ${functions} named functions`,
  ]
  return `${lines.join('\n')}\n`
}

function linesOf(ran: Ran[]): string[] {
  return [...new Set(ran.map(({ file }) => file))].map((file) => {
    const names = namedOf(ran.filter((one) => one.file === file)).map(({ name }) => name)
    return `  ${file.padEnd(38)} ${names.join(', ')}`.trimEnd()
  })
}

await main()
