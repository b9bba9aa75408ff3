import { Worker } from 'node:worker_threads'
import { StoreUnavailable } from '../store/errors.ts'
import type { Value } from '../store/sql.ts'
import type { HistoryDatabase } from './table.ts'

export type Question = { name: 'read' | 'write'; sql: string; values: Value[] }
export type Answer = { value: unknown } | { error: unknown }

/** How long a reader waits, and how many statements at a time. */
const readPatienceMs = 10_000
const mostWaiting = 50

/**
 * The history's file `<name>-history.db`, since one file has one write lock, in a thread of its own, since SQLite
 * stops the thread that asks until the disk has answered. The thread starts with the first statement.
 */
export function historyInThread(path: string): HistoryDatabase {
  /** In the order in which they were asked, which is that of the answers. */
  const waiting: PromiseWithResolvers<any>[] = []
  let worker: Worker | undefined

  function start(): Worker {
    const started = new Worker(new URL('./history-sqlite.ts', import.meta.url), { workerData: path })
    started.on('message', (answer: Answer) => {
      const asked = waiting.shift()
      if ('value' in answer) asked?.resolve(answer.value)
      else asked?.reject(new StoreUnavailable('the request history fails', { cause: answer.error }))
      if (waiting.length === 0) started.unref()
    })
    started.on('error', () => {})
    started.on('exit', () => {
      worker = undefined
      for (const { reject } of waiting.splice(0)) reject(new StoreUnavailable('the request history broke'))
    })
    return started
  }

  async function ask(question: Question): Promise<any> {
    if (waiting.length >= mostWaiting) throw new StoreUnavailable('too many read the request history')
    worker ??= start()
    worker.ref()
    worker.postMessage(question)
    const asked = Promise.withResolvers<any>()
    waiting.push(asked)
    return asked.promise
  }

  return {
    async read(sql, values) {
      const late = Promise.withResolvers<never>()
      const error = new StoreUnavailable('the request history does not answer')
      const timer = setTimeout(late.reject, readPatienceMs, error)
      return Promise.race([ask({ name: 'read', sql, values }), late.promise]).finally(() =>
        clearTimeout(timer),
      )
    },
    write: (sql, values) => ask({ name: 'write', sql, values }),
    close: async () => void (await worker?.terminate()),
  }
}
