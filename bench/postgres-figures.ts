// What a run on PostgreSQL costs all its processes and the server before it, and how that is printed.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** CPU time in microseconds for each that was done. */
export type Measured = { perSecond: number; perCommit: number; cpuOfPostgres: number; cpuOfClient: number }
/** In so many seconds, until the last answer. */
export type Done = { count: number; seconds: number; cpuOfClient: number }

export async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  // What fails, fails in a query; without this the end of PostgreSQL after a failure would hide its cause.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** How many were done each second, for each commit, and what one cost all processes of PostgreSQL. */
export async function measured(database: pg.Client, work: () => Promise<Done>): Promise<Measured> {
  const commits = await commitsOf(database)
  const cpu = await cpuOf(database)
  const { count, seconds, cpuOfClient } = await work()
  const used = (await cpuOf(database)) - cpu
  return {
    perSecond: count / seconds,
    perCommit: count / ((await commitsOf(database)) - commits),
    cpuOfPostgres: used / 1_000 / count,
    cpuOfClient,
  }
}

/** PostgreSQL counts them up to a second late. */
async function commitsOf(database: pg.Client): Promise<number> {
  await sleep(1_500)
  const { rows } = await database.query('SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()')
  return Number(rows[0].xact_commit)
}

/** Nanoseconds of the postmaster, its living children and those that it has waited for. */
export async function cpuOf(database: pg.Client): Promise<number> {
  const { rows } = await database.query('SELECT pg_backend_pid() AS pid')
  const postmaster = statOf(rows[0].pid).parent
  let sum = statOf(postmaster).ofEnded
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const pid = Number(name)
      if (pid !== postmaster && statOf(pid).parent !== postmaster) continue
      sum += Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // gone meanwhile
    }
  }
  return sum
}

function statOf(pid: number): { parent: number; ofEnded: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const tickNanoseconds = 1e7
  return { parent: Number(fields[1]), ofEnded: (Number(fields[13]) + Number(fields[14])) * tickNanoseconds }
}

export function median(all: Measured[]): Measured {
  const middle = (pick: (one: Measured) => number) =>
    all.map(pick).sort((a, b) => a - b)[Math.floor(all.length / 2)] as number
  return {
    perSecond: middle(({ perSecond }) => perSecond),
    perCommit: middle(({ perCommit }) => perCommit),
    cpuOfPostgres: middle(({ cpuOfPostgres }) => cpuOfPostgres),
    cpuOfClient: middle(({ cpuOfClient }) => cpuOfClient),
  }
}

export type Line = [name: string, measured: Measured, against?: string]

/** CPU time of PostgreSQL and Lastcall together, and time at full load, each the median of the rounds' ratios. */
export function against(few: Measured[], many: Measured[]): string {
  const time = ratiosOf(many, few, ({ perSecond }) => 1 / perSecond)
  return `CPU ${spread(ratiosOf(many, few, cpuOfBoth))}, time ${spread(time)}`
}

export function cpuOfBoth({ cpuOfPostgres, cpuOfClient }: Measured): number {
  return cpuOfPostgres + cpuOfClient
}

/** The rounds' ratios, the smallest first. */
export function ratiosOf<One>(over: One[], under: One[], pick: (one: One) => number): number[] {
  return over.map((one, round) => pick(one) / pick(under[round] as One)).sort((a, b) => a - b)
}

/** Prints a bound with the median of the ratios beside it, and fails the run where it is missed. */
export function printBound(what: string, ratios: number[], kind: 'at most' | 'at least', bound: number): void {
  const middle = ratios[Math.floor(ratios.length / 2)] as number
  const held = kind === 'at most' ? middle <= bound : middle >= bound
  console.log(`  ${what}: ${spread(ratios)}, ${kind} ${bound}: ${held ? 'held' : 'MISSED'}`)
  if (!held) process.exitCode = 1
}

export function spread(sorted: number[]): string {
  const [least, middle, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)] as number[]
  return `${middle?.toFixed(2)} (${least?.toFixed(2)} to ${most?.toFixed(2)})`
}

export function print(title: string, lines: Line[]): void {
  console.log(
    `\n${title}${' '.repeat(Math.max(1, 60 - title.length))}per second  per commit  CPU µs: PostgreSQL, its client`,
  )
  for (const [name, { perSecond, perCommit, cpuOfPostgres, cpuOfClient }, than] of lines) {
    const numbers = [
      Math.round(perSecond).toLocaleString('en'),
      perCommit.toFixed(1),
      cpuOfPostgres.toFixed(1),
      cpuOfClient.toFixed(1),
    ]
    console.log(`  ${name.padEnd(58)}${numbers.map((number) => number.padStart(10)).join('  ')}`)
    if (than) console.log(`    against the first: ${than}`)
  }
}
