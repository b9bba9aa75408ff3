import type { Worker } from 'node:worker_threads'
import { StoreUnavailable } from '../store/errors.ts'
import type { Value } from '../store/sql.ts'
import { startThread } from '../threads/start.ts'
import type { HistoryDatabase } from './database.ts'

/** Only a read has `until`, in milliseconds of the wall clock: after that nobody waits for its rows any more. */
export type Question = { sql: string; values: Value[]; until?: number }
export type Answer = { value: unknown } | { error: unknown }

const readTimeoutMs = 10_000
/** Statements that may wait for one thread. */
const mostWaiting = 50

/**
 * The history's file, in threads of their own for reading and writing: SQLite stops the thread that asks it until
 * the disk has answered, and counting a million entries takes it half a second.
 */
export function historyInThreads(path: string): HistoryDatabase {
  const [reading, writing] = [openThread(path), openThread(path)]
  return {
    async read(sql, values) {
      const { promise, reject } = Promise.withResolvers<never>()
      const timer = setTimeout(reject, readTimeoutMs, new StoreUnavailable('the request history is slow'))
      const read = reading.ask({ sql, values, until: Date.now() + readTimeoutMs })
      return Promise.race([read, promise]).finally(() => clearTimeout(timer))
    },
    write: (sql, values) => writing.ask({ sql, values }),
    close: async () => void (await Promise.all([reading.close(), writing.close()])),
  }
}

/** SQLite's own words, such as "unable to open database file"; no value is among them. */
function refusal(cause: Error): StoreUnavailable {
  return new StoreUnavailable(`the request history fails: ${cause.message}`, { cause })
}

/** A thread that starts with the first question. */
function openThread(path: string) {
  /** In the order of the questions, in which the thread answers. */
  const waiting: PromiseWithResolvers<any>[] = []
  let worker: Worker | undefined

  function start(): Worker {
    const started = startThread(new URL('./history-sqlite.ts', import.meta.url), { workerData: path })
    started.on('message', (answer: Answer) => {
      const asked = waiting.shift()
      if ('value' in answer) asked?.resolve(answer.value)
      else asked?.reject(refusal(answer.error as Error))
      if (waiting.length === 0) started.unref()
    })
    started.on('error', () => {})
    started.on('exit', () => {
      worker = undefined
      for (const { reject } of waiting.splice(0)) reject(new StoreUnavailable('the request history broke'))
    })
    return started
  }

  return {
    async ask(question: Question): Promise<any> {
      if (waiting.length === mostWaiting) throw new StoreUnavailable('too many statements wait for the request history')
      worker ??= start()
      worker.ref()
      worker.postMessage(question)
      const asked = Promise.withResolvers<any>()
      waiting.push(asked)
      return asked.promise
    },
    close: async () => worker?.terminate(),
  }
}
