// Several processes on one port. The first listens and hands out connections; the others are ordinary servers.
import cluster, { type Worker } from 'node:cluster'
import { randomUUID } from 'node:crypto'
import { AggregatorRegistry } from 'prom-client'
import { describeError, type Log } from '../log.ts'

/** A server that ends sooner than this is not replaced at once. */
const shortLifeMs = 5_000
const pauseMs = 1_000
const metricsTimeoutMs = 4_000
/** One that works has stopped by then, and the first process has ten seconds itself. */
const killAfterMs = 9_700

export const isWorker = cluster.isWorker
/** A worker's exit code when a newer Lastcall has migrated the database: a new worker would be refused too. */
export const outdated = 3
// From then on this worker answers when the first process asks for its metrics.
if (isWorker) new AggregatorRegistry()

/**
 * Starts `count` servers with this process's own arguments, and replaces those that end. Reports the port once all
 * accept connections.
 */
export function superviseWorkers(count: number, { log, listening }: { log: Log; listening(port: number): void }) {
  const aggregator = new AggregatorRegistry()
  let isStopping = false
  let accepting = 0
  let isReady = false
  let failure: number | undefined
  const startedAt = new Map<number, number>()
  const allEnded = Promise.withResolvers<void>()

  const start = () => {
    const worker = fork(refused)
    if (worker !== undefined) startedAt.set(worker.id, performance.now())
  }
  const startIn = (ms: number) => setTimeout(() => !isStopping && start(), ms)
  const refused = (error: unknown) => {
    if (isStopping) return
    if (!isReady) throw error
    log.warn('the system refuses a process for a worker: tried again in a second', { error: describeError(error) })
    startIn(pauseMs)
  }
  const stop = async (): Promise<void> => {
    isStopping = true
    for (const worker of workers()) worker.process.kill('SIGTERM')
    if (workers().length === 0) allEnded.resolve()
    const late = setTimeout(killWorkers, killAfterMs, log)
    await allEnded.promise
    clearTimeout(late)
  }

  cluster.on('listening', (_worker, { port }) => {
    // Nobody would tell workers that start now to stop.
    if (isStopping) return
    accepting += 1
    // If one cannot start, none can: said once.
    if (accepting === 1) for (let n = 1; n < count; n += 1) start()
    if (isReady || accepting < count) return
    isReady = true
    listening(port)
  })
  cluster.on('exit', (worker, code) => {
    const lifeMs = performance.now() - (startedAt.get(worker.id) ?? 0)
    startedAt.delete(worker.id)
    if (isStopping) {
      if (workers().length === 0) allEnded.resolve()
    } else if (!isReady || code === outdated) {
      // One that could not start has said why on standard error.
      failure = code || 1
      void stop()
    } else {
      log.warn('a worker ended and is replaced')
      startIn(lifeMs < shortLifeMs ? pauseMs : 0)
    }
  })
  cluster.on('message', async (worker: Worker, message: { metricsAsked?: string }) => {
    if (message?.metricsAsked === undefined) return
    const text = await aggregator.clusterMetrics().catch(() => '')
    if (worker.isConnected()) worker.send({ metricsOf: message.metricsAsked, text })
  })

  start()
  return {
    /** Stops all of them, and resolves when they have ended. */
    stop,
    /** The exit code, once all have ended: 0, `outdated`, or that of the first that could not start. */
    ended: allEnded.promise.then(() => failure ?? 0),
  }
}

/** Tells `refused` where the system has no process left: then no `exit` tells of the worker. */
function fork(refused: (error: unknown) => void): Worker | undefined {
  try {
    return cluster.fork().on('error', (error: NodeJS.ErrnoException) => {
      // Others are of a message to a worker that has just ended.
      if (error.syscall?.startsWith('spawn')) refused(error)
    })
  } catch (error) {
    refused(error)
    return undefined
  }
}

function killWorkers(log: Log): void {
  for (const worker of workers()) {
    log.warn('a worker did not stop and is killed')
    worker.process.kill('SIGKILL')
  }
}

function workers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined && !worker.isDead()) as Worker[]
}

let underWay: Promise<string> | undefined

/** The metrics of all workers, added up by the first process; those who ask meanwhile share one answer. */
export async function metricsOfAll(): Promise<string> {
  underWay ??= askForMetrics().finally(() => {
    underWay = undefined
  })
  return underWay
}

function askForMetrics(): Promise<string> {
  const asked = randomUUID()
  return new Promise((resolve) => {
    const end = (text: string) => {
      clearTimeout(timer)
      process.off('message', hear)
      resolve(text)
    }
    const hear = (message: { metricsOf?: string; text?: string }) => {
      if (message?.metricsOf === asked) end(message.text ?? '')
    }
    const timer = setTimeout(end, metricsTimeoutMs, '')
    process.on('message', hear)
    process.send?.({ metricsAsked: asked })
  })
}
