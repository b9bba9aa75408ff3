// What is asked in one turn of the event loop, or while every statement of its sort is on its way, goes to the
// database as one.
import { StoreUnavailable } from '../store.ts'

/** The contract gives a request one second of waiting for the database; the rest is for the way. */
export const patienceMs = 900
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

export type Turns<Item, Result> = { ask(item: Item): Promise<Result> }

export type TurnsOptions = {
  /** Statements of this sort on their way at once. */
  concurrency: number
  /** Items of one statement at most. */
  size: number
}

/**
 * `run` gets the items of one statement and how many milliseconds their askers still wait; it resolves with
 * a result or an error for each. Where it fails as a whole, all of them have failed.
 */
export function turns<Item, Result>(
  { concurrency, size }: TurnsOptions,
  run: (items: Item[], patienceMs: number) => Promise<(Result | Error)[]>,
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
    const left = patienceMs - (performance.now() - (batch[0] as Waiting<Item, Result>).since)
    try {
      const results = await run(
        batch.map(({ item }) => item),
        left,
      )
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index] as Result | Error
        if (result instanceof Error) reject(result)
        else resolve(result)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return {
    ask: (item) =>
      new Promise((resolve, reject) => {
        if (queue.length >= queueSize) {
          reject(new StoreUnavailable('too many requests wait for the database'))
          return
        }
        queue.push({ item, since: performance.now(), resolve, reject })
        schedule()
      }),
  }
}
