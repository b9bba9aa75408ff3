import { setTimeout as sleep } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { App, AppParts } from '../app.ts'
import { type Config, type Flags, isUnderNpm, readConfig, settingNames, WrongSetting } from '../config.ts'
import { openHistoryTable } from '../history/open.ts'
import { atMostEvery, describeError, type Log, openLog } from '../log.ts'
import { claimDatabase, migrateDatabase, openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { anyText, readArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { isWorker, metricsOfAll, outdated, superviseWorkers } from './workers.ts'
import { watchZoneData } from './zone-data.ts'

/** A registration that finds the database locked gets 503 well within the second of the contract. */
const lockWaitMs = 750
const timeoutMs = 900
const signals = ['SIGTERM', 'SIGINT'] as const
/** The whole stop; connections have eight seconds of it. */
const stopMs = 10_000
/** How long the database may take to let go of a server that has stopped. */
const closeMs = 300

export const serve: Command = async (args) => {
  const config = readConfig(readServeFlags(args))
  if (config.workers === 1 || isWorker) await run(config, () => {})
  else if (config.database.engine === 'postgres') await runWorkers(config)
  else throw new WrongSetting('WORKERS or --workers: more than one needs PostgreSQL; DATABASE_URL names a file')
}

async function runWorkers(config: Config): Promise<void> {
  const log = openLog()
  const atSignals = endAtSignals()
  await migrateDatabase(config.database)
  const look = async () => {
    const store = await openStore(config.database, { ...limits(config), isServer: false })
    await sayIfNobody(store, log)
    await store.close()
  }
  const listening = (port: number) => {
    announce(config, port)
    look().catch(() => {})
  }
  const supervisor = superviseWorkers(config.workers, { log, listening })
  stopWithGrace(log, atSignals, supervisor.stop)
  const code = await supervisor.ended
  if (code === outdated) endOutdated()
  process.exit(code)
}

function endOutdated(): never {
  console.error('a newer Lastcall has migrated the database: start that one')
  process.exit(1)
}

/** The flags of `serve`, each of the same meaning as a variable. */
export function readServeFlags(args: string[]): Flags {
  const names = Object.values(settingNames).map(({ flag }) => [flag, anyText] as const)
  const { options } = readArguments(args, Object.fromEntries(names))
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/** Migrates, listens, says so on standard output and to `listening`, and stops at the first SIGTERM or SIGINT. */
export async function run(
  config: Config,
  listening: (port: number) => void,
  besides?: AppParts['besides'],
): Promise<void> {
  const log = openLog()
  const atSignals = endAtSignals()
  const giveUpClaim = claimDatabase(config.database)
  const store = await openStore(config.database, {
    ...limits(config),
    isServer: true,
    // The first process says it once for all workers.
    onNewerDatabase: () => (isWorker ? process.exit(outdated) : endOutdated()),
    // Under load it may be late again and again.
    onLost: atMostEvery(60_000, (error) => log.warn('the database cannot be used', { error: describeError(error) })),
  })
  // Loaded here: a start that is refused, and the process that watches workers, do not need it.
  const { buildApp } = await import('../app.ts')
  const app = buildApp({
    config,
    store,
    historyTable: await openHistoryTable(config.database, store.isOurs),
    log,
    now: Date.now,
    ...(isWorker && { metricsOfAll }),
    ...(besides && { besides }),
  })
  const port = await listen(app, config)
  const endWatch = watchZoneData(store, log)
  stopWithGrace(log, atSignals, async () => {
    endWatch()
    await app.close()
    // Do not wait for a database that does not answer: its connections end with the process.
    await Promise.race([store.close().catch(() => {}), sleep(closeMs)])
    giveUpClaim()
  })
  if (!isWorker) {
    announce(config, port)
    await sayIfNobody(store, log)
  }
  listening(port)
}

const limits = ({ poolSize }: Config) => ({ lockWaitMs, timeoutMs, poolSize })

async function sayIfNobody(store: Store, log: Log): Promise<void> {
  const hasUsers = await store.access.hasUsers().catch(() => true)
  const ways = 'lastcall setup-link makes an account with the first, user create one of an account that is there'
  if (!hasUsers) log.info(`the panel has no user yet: ${ways}`)
}

function announce({ host }: Config, port: number): void {
  console.log(`Lastcall listening on http://${host.includes(':') ? `[${host}]` : host}:${port}`)
}

/** @throws WrongSetting if the address or port cannot be used */
async function listen(app: App, { host, port }: Config): Promise<number> {
  try {
    return await app.listen()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const choose = 'choose another, or 0 for a free one'
    if (code === 'EADDRINUSE') throw new WrongSetting(`PORT: port ${port} is taken; ${choose}`)
    // Those below 1024 are root's.
    if (code === 'EACCES') throw new WrongSetting(`PORT: port ${port} may not be used by this user; ${choose}`)
    throw new WrongSetting(`HOST: cannot listen on ${host} (${code})`)
  }
}

type OnSignal = (signal: NodeJS.Signals) => void

/**
 * Until the server listens, SIGTERM and SIGINT end the process at once. The returned function replaces that. The
 * listeners stay: replacing them would lose a signal that has arrived but is not delivered yet.
 */
function endAtSignals(): (next: OnSignal) => void {
  let act: OnSignal = () => process.exit(0)
  for (const signal of signals) process.on(signal, (name) => act(name))
  if (isUnderNpm()) onLostParent(() => act('SIGTERM'))
  return (next) => {
    act = next
  }
}

/** npm passes SIGTERM only to its shell, which dies, and would leave a server that nobody watches. */
function onLostParent(act: () => void): void {
  const parent = process.ppid
  setInterval(() => process.ppid === parent || act(), 500).unref()
}

/**
 * At the first SIGTERM or SIGINT `stop` has ten seconds, and the process exits 0. Further signals change nothing: npm
 * passes on one that the terminal has sent already. The log says what breaks the process, without its message.
 */
function stopWithGrace(log: Log, atSignals: (next: OnSignal) => void, stop: () => Promise<unknown>): void {
  process.stdout.on('error', () => {})
  const logger = {
    error: (error: unknown) => log.error('the process broke', { error: describeError(error) }),
  }
  const grace = closeWithGrace({ delay: stopMs, logger, skip: [...signals] }, async ({ err }) => {
    if (err) logger.error(err)
    await stop()
    log.info('stopped')
  })
  let isStopping = false
  atSignals((signal) => {
    if (isStopping) return
    isStopping = true
    log.info('stopping', { signal })
    grace.close()
  })
}
