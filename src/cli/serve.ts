import { once } from 'node:events'
import { type App, buildApp } from '../app.ts'
import { type Config, type Flags, readConfig, settingNames } from '../config.ts'
import { openHistory } from '../history/history.ts'
import { describeError, type Log, openLog } from '../log.ts'
import { claimDatabase, historyLocation, openStore } from '../store/open.ts'
import { anyText, type Command, readArguments } from './command.ts'

/** A registration that finds the database locked is answered 503 well within the second of the contract. */
const lockWaitMs = 750

export const serve: Command = async (args) => {
  const running = await start(readConfig(readServeFlags(args)))
  await untilStopped(running)
}

/** The flags of `serve`, each of the same meaning as a variable. */
export function readServeFlags(args: string[]): Flags {
  const names = Object.values(settingNames).map(({ flag }) => [flag, anyText] as const)
  const { options } = readArguments(args, Object.fromEntries(names))
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

export type Running = { app: App; log: Log; port: number; close(): Promise<void> }

/** Migrates, listens and says so on standard output. */
export async function start(config: Config): Promise<Running> {
  const giveUpClaim = claimDatabase(config.database)
  const store = openStore(config.database, { lockWaitMs })
  const log = openLog()
  const app = buildApp({
    config,
    store,
    openHistory: (onLost) =>
      openHistory({ path: historyLocation(config.database), days: config.historyDays, onLost }),
    log,
    now: Date.now,
  })
  const port = await app.listen()
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  console.log(`Lastcall listening on http://${host}:${port}`)
  return {
    app,
    log,
    port,
    async close() {
      await app.drain()
      await store.close()
      giveUpClaim()
    },
  }
}

/** Drains at the first SIGTERM or SIGINT; a second one changes nothing. */
export async function untilStopped({ log, close }: Running): Promise<void> {
  process.stdout.on('error', () => {})
  process.on('uncaughtException', (error) => {
    // Nobody knows what state the process is in: it must not go on, and says where it broke.
    log.error('the process broke', { error: describeError(error) })
    process.exit(1)
  })
  const stop = new EventTarget()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      log.info('draining', { signal })
      stop.dispatchEvent(new Event('stop'))
    })
  }
  await once(stop, 'stop')
  await close()
  log.info('stopped')
  process.exit(0)
}
