import { setTimeout as sleep } from 'node:timers/promises'
import type { HistoryEntry } from './entry.ts'

/** Where entries are kept. */
export type EntryTable<Entry> = {
  /** Resolves with those that could not be stored. */
  append(entries: readonly Entry[]): Promise<Entry[]>
  /** `roundAtMs` is the same for all steps of a round, for the audit log. */
  purge(beforeMs: number, roundAtMs: number): Promise<number>
  /** Moves entries of the version before; false if there are none left. */
  moveBatch?(): Promise<boolean>
}

export type History<Entry = HistoryEntry> = {
  /** Takes the entry and returns at once; it is stored some time after. */
  record(entry: Entry): void
  /** Stores what is waiting, for as long as a second. */
  close(): Promise<void>
}

/** A rest is what could not be stored of a batch. No entries are added to it. */
type Batch<Entry> = { entries: Entry[]; begunAt: number; isRest?: true }

const flushMs = 1_000
/**
 * A timer may fire a fraction of a millisecond early: the batch would not be due yet, and would wait for another
 * second.
 */
const timerMs = flushMs + 1
const retryMs = 500
const usualBatchSize = 2_000
const mostWaiting = 20_000
/** A batch that could not be stored for this long is given up. */
const timeoutMs = 5_000
const closeMs = 1_000
const firstTidyMs = 1_000
const tidyEveryMs = 600_000
/**
 * If the clock has jumped ahead by more than this since the last round, it may be wrong, and what a round removes is
 * gone.
 */
const jumpMs = 300_000

type HistoryOptions<Entry> = {
  table: EntryTable<Entry>
  days: number
  /** Told how many entries were given up. */
  onLost(count: number): void
  /** Wall clock, milliseconds. */
  now(): number
  /** Entries that are stored together. */
  batchSize?: number
}

/**
 * The request history, which is written after the answers: a request never waits for its table, even if that is locked,
 * slow, full or gone.
 */
export function openHistory<Entry = HistoryEntry>(options: HistoryOptions<Entry>): History<Entry> {
  const { table, days, onLost, now, batchSize = usualBatchSize } = options
  /** Oldest first. While `storing`, the first one is being written, and no entries are added to it. */
  const batches: Batch<Entry>[] = []
  let waiting = 0
  let storing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const stopTidying = keepTidy(table, days, now)

  const age = ({ begunAt }: Batch<Entry>) => performance.now() - begunAt
  const isDue = (batch: Batch<Entry>) => isClosed || batch.entries.length === batchSize || age(batch) >= flushMs

  function record(entry: Entry): void {
    if (waiting === mostWaiting) {
      onLost(1)
      return
    }
    waiting += 1
    let batch = batches.at(-1)
    const isBeingStored = storing !== undefined && batch === batches[0]
    if (batch === undefined || batch.isRest || batch.entries.length === batchSize || isBeingStored) {
      batch = { entries: [], begunAt: performance.now() }
      batches.push(batch)
    }
    batch.entries.push(entry)
    if (batch.entries.length === batchSize) store()
    else timer ??= setTimeout(store, timerMs)
  }

  function store(): void {
    clearTimeout(timer)
    timer = undefined
    storing ??= storeDue().then(() => {
      storing = undefined
      if (batches.length > 0) timer ??= setTimeout(store, timerMs)
    })
  }

  async function storeDue(): Promise<void> {
    for (let batch = batches[0]; batch && isDue(batch); batch = batches[0]) {
      const left = await table.append(batch.entries)
      batches.shift()
      const isKept = age(batch) < timeoutMs
      // Accounts whose server is away must not hold up the others.
      if (isKept && left.length > 0) batches.push({ ...batch, entries: left, isRest: true })
      else if (left.length > 0) onLost(left.length)
      waiting -= isKept ? batch.entries.length - left.length : batch.entries.length
      if (batches.length > 0 && batches.every(({ isRest }) => isRest)) await sleep(isClosed ? 50 : retryMs)
    }
  }

  return {
    record,
    async close() {
      isClosed = true
      stopTidying()
      store()
      await Promise.race([storing, sleep(closeMs)])
      batches.length = 0
    },
  }
}

/**
 * Moves the batches of the version before, and removes what is too old, in small steps that do not hold up new entries.
 * After the clock has jumped ahead, one round removes nothing, so that there is time to put the clock right.
 */
export function keepTidy(
  { moveBatch, purge }: Pick<EntryTable<never>, 'moveBatch' | 'purge'>,
  days: number,
  now: () => number,
): () => void {
  let isStopped = false
  let seenAtMs = now()
  let timer = setTimeout(tidy, firstTidyMs).unref()

  async function tidy(): Promise<void> {
    // Read once: the clock may jump during a long round.
    const roundAtMs = now()
    const hasJumped = roundAtMs - seenAtMs > tidyEveryMs + jumpMs
    seenAtMs = roundAtMs
    try {
      while (!isStopped && (await moveBatch?.())) {}
      while (!isStopped && !hasJumped && (await purge(roundAtMs - days * 86_400_000, roundAtMs)) > 0) {}
    } catch {
      // Locked or gone: the next round tries again.
    }
    if (!isStopped) timer = setTimeout(tidy, tidyEveryMs).unref()
  }

  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
