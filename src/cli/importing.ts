// What every import counts, and how a signal ends it.
import { progress } from './progress.ts'
import { leavingTurns } from './turns.ts'

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Refused lines that are listed; more are counted. */
const refusedListed = 10_000

type Imported = { created: number; existing: number; refused: { line: number; reason: string }[]; moreRefused?: number }

export type Import = {
  refuse(line: number, reason: string): void
  /** Counts of leads that are there, and could not be stored. */
  lose(counts: number): void
  /** A signal waits until the present batch is stored and counted. `took` is called for each that is, if others fail too. */
  take(write: (took: (one: { created: boolean }) => void) => Promise<void>): Promise<void>
}

/** The outcome of a file's lines, counted on the terminal. A signal ends the import, and says how far it came. */
export async function importing(what: string, work: (on: Import) => Promise<void>): Promise<Imported> {
  const result: Imported = { created: 0, existing: 0, refused: [] }
  const show = progress()
  const leaveTurns = leavingTurns()
  const taken = () => `${result.created} created, ${result.existing} existing`
  let isTaking = false
  let signal: NodeJS.Signals | undefined
  let lost = 0
  const end = () => {
    show.end()
    if (lost > 0) console.error(`lastcall: ${lost} counts could not be stored: statistics and results lack them`)
  }
  const stop = () => {
    end()
    console.error(`lastcall: stopped by ${signal}: ${taken()}, which stays so; import the file again for the rest`)
    process.exit(1)
  }
  const onSignal = (name: NodeJS.Signals) => {
    signal = name
    if (!isTaking) stop()
  }
  for (const name of stopSignals) process.on(name, onSignal)
  try {
    await work({
      refuse(line, reason) {
        if (result.refused.length < refusedListed) result.refused.push({ line, reason })
        else result.moreRefused = (result.moreRefused ?? 0) + 1
      },
      lose(counts) {
        lost += counts
      },
      async take(write) {
        isTaking = true
        await write(({ created }) => {
          result[created ? 'created' : 'existing'] += 1
        })
        isTaking = false
        show(what, result.created + result.existing)
        if (signal !== undefined) stop()
        await leaveTurns()
      },
    })
    return result
  } catch (error) {
    // More of the present batch may be stored: a database that is lost does not say.
    if (result.created + result.existing > 0) (error as Error).message += `; until then at least ${taken()}`
    throw error
  } finally {
    end()
    for (const name of stopSignals) process.off(name, onSignal)
  }
}
