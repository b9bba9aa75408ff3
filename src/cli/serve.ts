import { type App, type AppParts, buildApp } from '../app.ts'
import { type Config, type Flags, readConfig, settingNames, WrongSetting } from '../config.ts'
import { openHistory } from '../history/history.ts'
import { historyPlace } from '../history/places.ts'
import { readEntryBatches } from '../history/reading.ts'
import { describeError, type Log, openLog } from '../log.ts'
import { claimDatabase, migrateDatabase, openStore } from '../store/open.ts'
import { anyText, type Command, readArguments } from './command.ts'
import { isWorker, metricsOfAll, superviseWorkers } from './workers.ts'

/** A registration that finds the database locked is answered 503 well within the second of the contract. */
const lockWaitMs = 750
const patienceMs = 900
/** Somebody looks at the history while others are served. */
const historyLockWaitMs = 20

export const serve: Command = async (args) => {
  const config = readConfig(readServeFlags(args))
  if (config.workers === 1 || isWorker) await run(config, () => {})
  else if (config.database.engine === 'postgres') await runWorkers(config)
  else throw new WrongSetting('--workers: more than one needs PostgreSQL; DATABASE_URL names a file')
}

async function runWorkers(config: Config): Promise<void> {
  const log = openLog()
  const stopped = signalled(log)
  await migrateDatabase(config.database)
  const listening = (port: number) => announce(config, port)
  process.exit(await superviseWorkers(config.workers, { log, stopped, listening }))
}

/** The flags of `serve`, each of the same meaning as a variable. */
export function readServeFlags(args: string[]): Flags {
  const names = Object.values(settingNames).map(({ flag }) => [flag, anyText] as const)
  const { options } = readArguments(args, Object.fromEntries(names))
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/**
 * Migrates, listens, says so on standard output and to `listening`, and drains at the first SIGTERM or SIGINT;
 * a second one changes nothing. Does not return.
 */
export async function run(
  config: Config,
  listening: (port: number) => void,
  besides?: AppParts['besides'],
): Promise<void> {
  const log = openLog()
  const stopped = signalled(log)
  const giveUpClaim = claimDatabase(config.database)
  const store = await openStore(config.database, {
    lockWaitMs,
    patienceMs,
    poolSize: config.poolSize,
    isServer: true,
  })
  const place = historyPlace(config.database)
  const app = buildApp({
    config,
    store,
    openHistory: (onLost) => openHistory({ place, days: config.historyDays, onLost }),
    readHistory: (accountId, range) => readEntryBatches(place, accountId, range, historyLockWaitMs),
    log,
    now: Date.now,
    ...(isWorker && { metricsOfAll }),
    ...(besides && { besides }),
  })
  const port = await listen(app, config)
  if (!isWorker) announce(config, port)
  const hasUsers = await store.people.hasUsers().catch(() => true)
  if (!hasUsers) log.info('the panel has no user yet: lastcall setup-link makes a link for the first')
  listening(port)

  await stopped
  await app.drain()
  await store.close()
  giveUpClaim()
  log.info('stopped')
  process.exit(0)
}

function announce({ host }: Config, port: number): void {
  console.log(`Lastcall listening on http://${host.includes(':') ? `[${host}]` : host}:${port}`)
}

/** @throws WrongSetting where the address cannot be had */
async function listen(app: App, { host, port }: Config): Promise<number> {
  try {
    return await app.listen()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const taken = code === 'EADDRINUSE'
    const reason = taken ? `port ${port} is taken; choose another, or 0 for a free one` : `${host} (${code})`
    throw new WrongSetting(taken ? `PORT: ${reason}` : `HOST: cannot listen on ${reason}`)
  }
}

/** Resolves at the first signal to stop. What breaks the process stands in the log, without what it says. */
function signalled(log: Log): Promise<void> {
  process.stdout.on('error', () => {})
  process.on('uncaughtException', (error) => {
    log.error('the process broke', { error: describeError(error) })
    process.exit(1)
  })
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        log.info('draining', { signal })
        resolve()
      })
    }
  })
}
