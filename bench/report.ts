export type Round = {
  perSecond: number
  p50Milliseconds: number
  p99Milliseconds: number
  /** User and system time of the server. */
  cpuMicrosecondsPerRequest: number
  generatorBusy: number
}

export type OperationResult = { name: string; title: string; bare: SideResult; lastcall: SideResult[] }

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

function operationLines({ title, bare, lastcall }: OperationResult): string[] {
  const titles = columns.map((column) => column.title)
  const lines = [row(title, titles), sideRow('  bare node:http', bare, '1.00')]
  for (const side of lastcall) {
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
    const share = ((historyLost / answered) * 100).toFixed(0)
    lines.push(`  ${grouped(leads)} leads: the request history lost ${share} % of its entries`)
  }
  for (const { name, wrong } of [bare, ...lastcall]) {
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

/** The median of the rounds' ratios of CPU time per request, with the smallest and the largest. */
function ratioText(side: SideResult, other: SideResult): string {
  const ratios = side.rounds.map(({ cpuMicrosecondsPerRequest }, index) => {
    const beside = other.rounds[index]?.cpuMicrosecondsPerRequest ?? Number.NaN
    return cpuMicrosecondsPerRequest / beside
  })
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
  return `${median(ratios).toFixed(2)} (${range})`
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
