import { Worker } from 'node:worker_threads'

/** What is kept of an authorized request, and nothing else (contract, "History"). */
export type HistoryEntry = {
  atMs: number
  requestId: string
  accountId: number
  keyId: string
  operation: string | null
  campaignId: number | null
  status: number
  errorCode: string | null
  milliseconds: number
}

export type History = {
  /** Takes the entry and returns at once; it is stored some time after. */
  record(entry: HistoryEntry): void
  /** Stores what is waiting, for as long as two seconds. */
  close(): Promise<void>
}

/** To and from the thread that writes. */
export type HistoryBatch = { entries: HistoryEntry[] }
export type HistoryAnswer = { stored: number } | { failed: true }

const flushMs = 250
const retryMs = 500
const batchSize = 1_000
const queueSize = 10_000
/** An entry that could not be stored for this long is given up. */
const patienceMs = 5_000
const closeMs = 2_000

/**
 * The request history, written behind the answers by a thread of its own: whatever its file does (locked,
 * slow, full, gone), a request never waits for it. `onLost` is told how many entries were given up.
 */
export function openHistory(options: {
  path: string
  days: number
  onLost: (count: number) => void
}): History {
  const { onLost } = options
  let queue: HistoryEntry[] = []
  let inFlight: HistoryEntry[] = []
  let timer: NodeJS.Timeout | undefined
  let worker: Worker | undefined
  let closed: (() => void) | undefined

  function start(): Worker {
    const started = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { path: options.path, days: options.days },
    })
    started.unref()
    started.on('message', (answer: HistoryAnswer) => settle('stored' in answer ? answer.stored : undefined))
    started.on('error', () => {})
    started.on('exit', () => {
      worker = undefined
      if (inFlight.length > 0) settle(undefined)
    })
    return started
  }

  function settle(stored: number | undefined): void {
    const batch = inFlight
    inFlight = []
    if (stored === undefined) {
      const oldest = Date.now() - patienceMs
      const kept = batch.filter((entry) => entry.atMs > oldest)
      if (kept.length < batch.length) onLost(batch.length - kept.length)
      queue = [...kept, ...queue]
    } else if (stored < batch.length) {
      onLost(batch.length - stored)
    }
    if (queue.length > 0) flushIn(stored === undefined ? retryMs : flushMs)
    else closed?.()
  }

  function flushIn(delayMs: number): void {
    if (timer !== undefined) return
    timer = setTimeout(flush, closed === undefined ? delayMs : 0)
  }

  function flush(): void {
    timer = undefined
    if (inFlight.length > 0 || queue.length === 0) return
    inFlight = queue.slice(0, batchSize)
    queue = queue.slice(batchSize)
    worker ??= start()
    worker.postMessage({ entries: inFlight } satisfies HistoryBatch)
  }

  return {
    record(entry) {
      if (queue.length >= queueSize) {
        onLost(1)
        return
      }
      queue.push(entry)
      if (timer === undefined) flushIn(flushMs)
    },
    async close() {
      if (queue.length > 0 || inFlight.length > 0) {
        await new Promise<void>((resolve) => {
          closed = resolve
          setTimeout(resolve, closeMs)
          clearTimeout(timer)
          flush()
        })
      }
      clearTimeout(timer)
      await worker?.terminate()
    },
  }
}
