import type { Operation } from './operations.ts'

export type Round = {
  perSecond: number
  p50Milliseconds: number
  p99Milliseconds: number
  /** User and system time of the server. */
  cpuMicrosecondsPerRequest: number
  generatorBusy: number
}

export type OperationResult = {
  name: Operation['name']
  title: string
  bare: SideResult
  /** None or one. */
  peer: SideResult[]
  lastcall: SideResult[]
}

export type SideResult = {
  name: string
  /** Leads in the database when the run began. */
  leads: number
  /** Leads that this run registered in it. */
  registered: number
  rounds: Round[]
  /** Requests answered, warm-up and rounds together, and how many of them the request history has lost. */
  answered: number
  historyLost: number
  /** What came back instead of the expected status. */
  wrong: Record<string, number>
}

export type Results = {
  node: string
  cores: number
  connections: number
  rounds: number
  seconds: number
  operations: OperationResult[]
  database: { leads: number; bytes: number }[]
  start: { leads: number; milliseconds: number[] }[]
  /** The same databases after the operation `new`. */
  grown: { leads: number; registered: number; bytesMore: number }[]
}

export function reportText(results: Results): string {
  const { node, cores, connections, rounds, seconds } = results
  const lines = [
    `Node ${node}, ${cores} cores, ${connections} connections, medians of ${rounds} rounds of ${seconds} s`,
    '',
    ...results.operations.flatMap(operationLines),
    ...boundLines(boundsOf(results)),
    ...databaseLines(results),
    ...results.start.map(
      ({ leads, milliseconds }) =>
        `start-up with ${grouped(leads)} leads: ${median(milliseconds).toFixed(0)} ms` +
        ` (median of ${milliseconds.length}, longest ${Math.max(...milliseconds).toFixed(0)} ms)`,
    ),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}

const columns: { title: string; width: number }[] = [
  { title: 'requests/s', width: 12 },
  { title: 'p50 ms', width: 10 },
  { title: 'p99 ms', width: 10 },
  { title: 'CPU µs', width: 10 },
  { title: 'against bare', width: 24 },
  { title: 'generator', width: 12 },
]

function row(name: string, cells: string[]): string {
  return name.padEnd(28) + columns.map(({ width }, index) => (cells[index] ?? '').padStart(width)).join('')
}

function operationLines({ title, bare, peer, lastcall }: OperationResult): string[] {
  const titles = columns.map((column) => column.title)
  const lines = [row(title, titles), sideRow('  bare node:http', bare, '1.00')]
  for (const side of [...peer, ...lastcall]) {
    lines.push(sideRow(`  ${side.name}, ${grouped(side.leads)} leads`, side, ratioText(side, bare)))
  }
  const [small, ...larger] = lastcall
  for (const large of larger) {
    if (!small) break
    const sizes = `  ${grouped(large.leads)} leads against ${grouped(small.leads)}`
    lines.push(row(sizes.padEnd(28), ['', '', '', '', ratioText(large, small)]).trimEnd())
  }
  for (const { leads, answered, historyLost } of lastcall) {
    if (historyLost === 0) continue
    const lost = `${grouped(historyLost)} of ${grouped(answered)} entries`
    lines.push(`  MISSED: ${grouped(leads)} leads: the request history lost ${lost}`)
  }
  for (const { name, wrong } of [bare, ...peer, ...lastcall]) {
    if (Object.keys(wrong).length > 0) lines.push(`  WRONG ANSWERS of ${name}: ${JSON.stringify(wrong)}`)
  }
  return [...lines, '']
}

function sideRow(name: string, { rounds }: SideResult, ratio: string): string {
  const middle = (of: (round: Round) => number) => median(rounds.map(of))
  return row(name, [
    grouped(Math.round(middle((round) => round.perSecond))),
    middle((round) => round.p50Milliseconds).toFixed(2),
    middle((round) => round.p99Milliseconds).toFixed(2),
    middle((round) => round.cpuMicrosecondsPerRequest).toFixed(1),
    ratio,
    `${(middle((round) => round.generatorBusy) * 100).toFixed(0)} %`,
  ])
}

/** The rounds' ratios of CPU time per request. */
function cpuRatios(side: SideResult, other: SideResult): number[] {
  return ratiosOf(side, other, ({ cpuMicrosecondsPerRequest }) => cpuMicrosecondsPerRequest)
}

function ratiosOf(side: SideResult, other: SideResult, of: (round: Round) => number): number[] {
  return side.rounds.map((round, index) => {
    const beside = other.rounds[index]
    return of(round) / (beside === undefined ? Number.NaN : of(beside))
  })
}

function ratioText(side: SideResult, other: SideResult): string {
  return spread(cpuRatios(side, other))
}

/** The median, with the smallest and the largest. */
function spread(ratios: number[]): string {
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
  return `${median(ratios).toFixed(2)} (${range})`
}

/** What CPU time per request may be, in multiples of a bare node:http server's. */
const mostAgainstBare: Partial<Record<Operation['name'], number>> = { lookup: 3, repeat: 3, new: 3.5 }
/** What it may be in a database of a million leads, in multiples of that among ten thousand. */
const mostGrowth: Partial<Record<Operation['name'], number>> = { lookup: 1.25, new: 1.7 }
const leastOfPeerLookup = 1.2
const leastOfPeerNew = 8

export type Bound = { what: string; ratios: number[]; bound: string; held: boolean }

export function boundsOf({ operations }: Results): Bound[] {
  return operations.flatMap(({ name, title, bare, peer, lastcall }) => {
    const [small, ...larger] = lastcall
    // Against the peer and the bare server stands the smallest database.
    if (small === undefined || small.name !== 'Lastcall') return []
    const bounds: Bound[] = []
    const most = mostAgainstBare[name]
    if (most) bounds.push(atMost(`${title}: CPU against bare`, cpuRatios(small, bare), most))
    for (const other of peer) bounds.push(...boundsAgainstPeer(name, title, small, other))
    const growth = mostGrowth[name]
    const million = larger.find(({ leads }) => leads === 1_000_000)
    if (growth && million && small.leads === 10_000) {
      const what = `${title}: CPU, 1,000,000 leads against 10,000`
      bounds.push(atMost(what, cpuRatios(million, small), growth))
    }
    return bounds
  })
}

function boundsAgainstPeer(name: string, title: string, side: SideResult, peer: SideResult): Bound[] {
  const perCpuSecond = ratiosOf(side, peer, (round) => 1 / round.cpuMicrosecondsPerRequest)
  const perSecond = ratiosOf(side, peer, (round) => round.perSecond)
  if (name === 'lookup')
    return [atLeast(`${title}: requests per CPU second against the peer`, perCpuSecond, leastOfPeerLookup)]
  return [atLeast(`${title}: requests a second against the peer`, perSecond, leastOfPeerNew)]
}

function atMost(what: string, ratios: number[], most: number): Bound {
  return { what, ratios, bound: `at most ${most}`, held: median(ratios) <= most }
}

function atLeast(what: string, ratios: number[], least: number): Bound {
  return { what, ratios, bound: `at least ${least}`, held: median(ratios) >= least }
}

function boundLines(bounds: Bound[]): string[] {
  if (bounds.length === 0) return []
  const lines = bounds.map(({ what, ratios, bound, held }) => {
    return `${what.padEnd(66)}${spread(ratios).padEnd(26)}${bound.padEnd(14)}${held ? 'held' : 'MISSED'}`
  })
  return [...lines, '']
}

function databaseLines({ database, grown }: Results): string[] {
  const imported = database.map(
    ({ leads, bytes }) =>
      `database of ${grouped(leads)} imported leads: ${(bytes / leads).toFixed(1)} bytes per lead` +
      ` (${(bytes / 2 ** 20).toFixed(1)} MiB)`,
  )
  const registered = grown.map(
    ({ leads, registered, bytesMore }) =>
      `${grouped(registered)} leads registered in the database of ${grouped(leads)}:` +
      ` ${(bytesMore / registered).toFixed(1)} bytes more for each`,
  )
  return [...imported, ...registered]
}

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const low = sorted[(sorted.length - 1) >> 1] ?? Number.NaN
  const high = sorted[sorted.length >> 1] ?? Number.NaN
  return (low + high) / 2
}

function grouped(number: number): string {
  return number.toLocaleString('en-US')
}
