// The thread that writes the request history. It outlives every fault of its file.
import { parentPort, workerData } from 'node:worker_threads'
import type { HistoryAnswer, HistoryBatch } from './history.ts'
import { type HistoryFile, openHistoryFile } from './history-file.ts'
import { recordsIn } from './record.ts'

const { path, days } = workerData as { path: string; days: number }
const purgeEveryMs = 600_000

let file: HistoryFile | undefined

function currentFile(): HistoryFile {
  if (file !== undefined && !file.isSameFile()) {
    file.close()
    file = undefined
  }
  file ??= openHistoryFile(path)
  return file
}

function store(batch: HistoryBatch): boolean {
  try {
    currentFile().append(recordsIn(batch.bytes), batch.count)
    return true
  } catch {
    return false
  }
}

/** In small steps, so that entries which arrive meanwhile are not held up. */
function purge(): void {
  try {
    const purged = currentFile().purge(Date.now() - days * 86_400_000)
    if (purged > 0) setImmediate(purge)
  } catch {
    // locked or gone: the next round tries again
  }
}

parentPort?.on('message', (batch: HistoryBatch) => {
  const answer: HistoryAnswer = { batch, stored: store(batch) }
  parentPort?.postMessage(answer, [batch.bytes])
})
setInterval(purge, purgeEveryMs)
purge()
