// The thread that writes the request history. It outlives every fault of its file or table.
import { parentPort, workerData } from 'node:worker_threads'
import type { HistoryAnswer, HistoryBatch } from './history.ts'
import { type HistoryPlace, type HistoryStorage, openHistoryStorage } from './places.ts'
import { recordsIn } from './record.ts'

const { place, days } = workerData as { place: HistoryPlace; days: number }
const purgeEveryMs = 600_000

let storage: HistoryStorage | undefined

async function currentStorage(): Promise<HistoryStorage> {
  if (storage !== undefined && !storage.isSame()) {
    await storage.close()
    storage = undefined
  }
  storage ??= await openHistoryStorage(place)
  return storage
}

async function store(batch: HistoryBatch): Promise<boolean> {
  try {
    await (await currentStorage()).append(recordsIn(batch.bytes), batch.count)
    return true
  } catch {
    return false
  }
}

/** In small steps, so that entries which arrive meanwhile are not held up. */
async function purge(): Promise<void> {
  try {
    const purged = await (await currentStorage()).purge(Date.now() - days * 86_400_000)
    if (purged > 0) setImmediate(purge)
  } catch {
    // locked or gone: the next round tries again
  }
}

// One batch is on its way at a time (history.ts), so none overtakes another.
parentPort?.on('message', async (batch: HistoryBatch) => {
  const answer: HistoryAnswer = { batch, stored: await store(batch) }
  parentPort?.postMessage(answer, [batch.bytes])
})
setInterval(purge, purgeEveryMs)
purge()
