import { Worker } from 'node:worker_threads'
import type { HistoryPlace } from './places.ts'
import { type HistoryEntry, type Records, recordBytes, recordsIn, writeRecord } from './record.ts'

export type History = {
  /** Takes the entry and returns at once; it is stored some time after. */
  record(entry: HistoryEntry): void
  /** Stores what is waiting, for as long as a second. */
  close(): Promise<void>
}

/** Entries on their way to the thread that writes and, when it has failed to store them, back. */
export type HistoryBatch = { bytes: ArrayBuffer; count: number; begunAt: number }
export type HistoryAnswer = { batch: HistoryBatch; stored: boolean }

const flushMs = 250
const retryMs = 500
const batchSize = 2_000
/** Batches that may wait. */
const queueSize = 10
/** A batch that could not be stored for this long is given up. */
const patienceMs = 5_000
const closeMs = 1_000

/**
 * The request history, written behind the answers by a thread of its own: whatever its file does (locked,
 * slow, full, gone), a request never waits for it. `onLost` is told how many entries were given up.
 */
export function openHistory(options: {
  place: HistoryPlace
  days: number
  onLost: (count: number) => void
}): History {
  const { onLost } = options
  let filling: HistoryBatch | undefined
  let view: Records | undefined
  const full: HistoryBatch[] = []
  let inFlight: HistoryBatch | undefined
  let spare: ArrayBuffer | undefined
  let timer: NodeJS.Timeout | undefined
  let worker: Worker | undefined
  let closed: (() => void) | undefined

  function start(): Worker {
    const started = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { place: options.place, days: options.days },
    })
    started.unref()
    started.on('message', ({ batch, stored }: HistoryAnswer) => settle(batch, stored))
    started.on('error', () => {})
    started.on('exit', () => {
      worker = undefined
      // The bytes went with the thread.
      if (inFlight !== undefined) {
        onLost(inFlight.count)
        settle(inFlight, true)
      }
    })
    return started
  }

  function settle(batch: HistoryBatch, stored: boolean): void {
    inFlight = undefined
    const impatient = performance.now() - batch.begunAt > patienceMs
    if (!stored && !impatient) {
      full.unshift(batch)
      schedule(retryMs)
      return
    }
    if (!stored) onLost(batch.count)
    if (batch.bytes.byteLength > 0) spare = batch.bytes
    if (full.length > 0) flush()
    else if (filling !== undefined) schedule(flushMs)
    else closed?.()
  }

  function schedule(delayMs: number): void {
    timer ??= setTimeout(flush, closed === undefined ? delayMs : 0)
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (inFlight !== undefined) return
    const batch = full.shift() ?? filling
    if (batch === undefined) return
    if (batch === filling) filling = undefined
    inFlight = { ...batch }
    worker ??= start()
    worker.postMessage(batch, [batch.bytes])
  }

  function begin(): HistoryBatch {
    const bytes = spare ?? new ArrayBuffer(batchSize * recordBytes)
    spare = undefined
    view = recordsIn(bytes)
    filling = { bytes, count: 0, begunAt: performance.now() }
    schedule(flushMs)
    return filling
  }

  return {
    record(entry) {
      if (full.length >= queueSize) {
        onLost(1)
        return
      }
      const batch = filling ?? begin()
      writeRecord(view as Records, batch.count, entry)
      batch.count += 1
      if (batch.count < batchSize) return
      full.push(batch)
      filling = undefined
      flush()
    },
    async close() {
      if (filling !== undefined || full.length > 0 || inFlight !== undefined) {
        await new Promise<void>((resolve) => {
          closed = resolve
          setTimeout(resolve, closeMs)
          flush()
        })
      }
      clearTimeout(timer)
      await worker?.terminate()
    },
  }
}
