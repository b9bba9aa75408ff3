// What is asked in one turn of the event loop, or while every statement of its sort is on its way, goes to the
// database as one.
import { StoreUnavailable } from '../store.ts'
import { isLocked, notAnswered } from './connection.ts'

const queueSize = 20_000
/** With a statement on its way, the next one waits for this many items, or for this long. */
const worthASecond = 32
const slowMs = 5

type Waiting<Item, Result> = {
  item: Item
  since: number
  resolve(result: Result): void
  reject(error: unknown): void
}

export type Turns<Item, Result> = {
  /** `since` (of `performance.now`): when its asker began to wait for the database. */
  ask(item: Item, since?: number): Promise<Result>
}

export type TurnsOptions = {
  /** Statements of this sort on their way at once. */
  concurrency: number
  /** Items of one statement at most. */
  size: number
  /** How long an item waits for its result, the time in the queue included. */
  patienceMs: number
}

/** Whose an item is: where a lock keeps a statement, the items of others are tried again without his. */
type Owned = { accountId: number }

/**
 * `run` gets the items of one statement and how many milliseconds their askers still wait; it resolves with
 * a result or an error for each. Where it fails as a whole, all of them have failed.
 */
export function turns<Item extends Owned, Result>(
  { concurrency, size, patienceMs }: TurnsOptions,
  run: (items: Item[], leftMs: number) => Promise<(Result | Error)[]>,
): Turns<Item, Result> {
  let queue: Waiting<Item, Result>[] = []
  let onTheirWay = 0
  let isScheduled = false
  let timer: NodeJS.Timeout | undefined

  function schedule(): void {
    if (isScheduled || queue.length === 0) return
    if (onTheirWay === 0 || (onTheirWay < concurrency && queue.length >= worthASecond)) {
      isScheduled = true
      setImmediate(start)
    } else if (timer === undefined) timer = setTimeout(hurry, slowMs)
  }

  function start(): void {
    isScheduled = false
    const batch = queue.length > size ? queue.slice(0, size) : queue
    queue = queue.length > size ? queue.slice(size) : []
    if (batch.length === 0) return
    onTheirWay += 1
    send(batch).finally(() => {
      onTheirWay -= 1
      schedule()
    })
    schedule()
  }

  /** A statement takes long: others need not wait for it, and whoever has waited too long is told so. */
  function hurry(): void {
    timer = undefined
    const oldest = performance.now() - patienceMs
    const late = queue.filter(({ since }) => since <= oldest)
    queue = queue.filter(({ since }) => since > oldest)
    for (const { reject } of late) reject(new StoreUnavailable('the database is too busy'))
    if (onTheirWay < concurrency && !isScheduled) start()
    schedule()
  }

  async function send(batch: Waiting<Item, Result>[]): Promise<void> {
    const youngest = batch.reduce((latest, { since }) => Math.max(latest, since), 0)
    const left = patienceMs - (performance.now() - oldestOf(batch))
    // Not before what has arrived meanwhile is read: it may be us who were late.
    const ends = setTimeout(() => setImmediate(endLate, batch), left)
    try {
      // Whoever has waited before gives up alone: the others of the statement have their time.
      const items = batch.map(({ item }) => item)
      const results = await run(items, youngest + patienceMs - performance.now())
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index] as Result | Error
        if (result instanceof Error) reject(result)
        else resolve(result)
      }
    } catch (error) {
      const owners = Map.groupBy(batch, ({ item }) => item.accountId)
      if (isLocked(error) && owners.size > 1) await Promise.all([...owners.values()].map(send))
      else for (const { reject } of batch) reject(error)
    } finally {
      clearTimeout(ends)
    }
  }

  function endLate(batch: Waiting<Item, Result>[]): void {
    const latest = performance.now() - patienceMs
    for (const { since, reject } of batch) {
      if (since <= latest + slowMs) reject(notAnswered())
    }
  }

  return {
    ask: (item, since = performance.now()) =>
      new Promise((resolve, reject) => {
        if (queue.length >= queueSize) {
          reject(new StoreUnavailable('too many requests wait for the database'))
          return
        }
        queue.push({ item, since, resolve, reject })
        schedule()
      }),
  }
}

function oldestOf<Item, Result>(batch: Waiting<Item, Result>[]): number {
  return batch.reduce((oldest, { since }) => Math.min(oldest, since), Number.POSITIVE_INFINITY)
}
