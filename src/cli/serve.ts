import { setTimeout as sleep } from 'node:timers/promises'
import type { App, AppParts } from '../app.ts'
import { type Config, type Flags, readConfig, settingNames, WrongSetting } from '../config.ts'
import { openHistoryTable } from '../history/open.ts'
import { describeError, type Log, openLog } from '../log.ts'
import { claimDatabase, migrateDatabase, openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { anyText, type Command, readArguments } from './command.ts'
import { isWorker, metricsOfAll, superviseWorkers } from './workers.ts'

/** A registration that finds the database locked is answered 503 well within the second of the contract. */
const lockWaitMs = 750
const patienceMs = 900
/** How long the database may take to let go of a server that has stopped. */
const closeMs = 300

export const serve: Command = async (args) => {
  const config = readConfig(readServeFlags(args))
  if (config.workers === 1 || isWorker) await run(config, () => {})
  else if (config.database.engine === 'postgres') await runWorkers(config)
  else throw new WrongSetting('--workers: more than one needs PostgreSQL; DATABASE_URL names a file')
}

async function runWorkers(config: Config): Promise<void> {
  const log = openLog()
  const signals = signalled(log)
  await migrateDatabase(config.database)
  const stopped = signals.handOver()
  const look = async () => {
    const store = await openStore(config.database, { ...patience(config), isServer: false })
    await sayIfNobody(store, log)
    await store.close()
  }
  const listening = (port: number) => {
    announce(config, port)
    look().catch(() => {})
  }
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
  const signals = signalled(log)
  const giveUpClaim = claimDatabase(config.database)
  const store = await openStore(config.database, { ...patience(config), isServer: true })
  // Loaded here: a start that is refused, and the one who watches over workers, need none of it.
  const { buildApp } = await import('../app.ts')
  const app = buildApp({
    config,
    store,
    historyTable: await openHistoryTable(config.database),
    log,
    now: Date.now,
    ...(isWorker && { metricsOfAll }),
    ...(besides && { besides }),
  })
  const port = await listen(app, config)
  const stopped = signals.handOver()
  if (!isWorker) {
    announce(config, port)
    await sayIfNobody(store, log)
  }
  listening(port)

  await stopped
  await app.drain()
  // What a database that does not answer still holds ends with the process.
  await Promise.race([store.close().catch(() => {}), sleep(closeMs)])
  giveUpClaim()
  log.info('stopped')
  process.exit(0)
}

const patience = ({ poolSize }: Config) => ({ lockWaitMs, patienceMs, poolSize })

async function sayIfNobody(store: Store, log: Log): Promise<void> {
  const hasUsers = await store.access.hasUsers().catch(() => true)
  if (!hasUsers) log.info('the panel has no user yet: lastcall setup-link makes a link for the first')
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

/**
 * Signals to stop end the process at once, as long as nobody is served; from `handOver` on, whose promise resolves at
 * the first of them, that is the caller's. What breaks the process stands in the log, without what it says.
 */
function signalled(log: Log): { handOver(): Promise<void> } {
  process.stdout.on('error', () => {})
  process.on('uncaughtException', (error) => {
    log.error('the process broke', { error: describeError(error) })
    process.exit(1)
  })
  const stopped = Promise.withResolvers<void>()
  let isHandedOver = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      log.info(isHandedOver ? 'draining' : 'stopped', { signal })
      if (isHandedOver) stopped.resolve()
      else process.exit(0)
    })
  }
  return {
    handOver() {
      isHandedOver = true
      return stopped.promise
    },
  }
}
