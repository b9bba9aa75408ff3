// What one turn of the event loop asks under one key becomes one statement; what is asked while that is on its way
// becomes the next one. A key is an account or a campaign. A statement that waits for somebody's lock keeps one
// connection, and statements under other keys go past it.
import { StoreUnavailable } from '../errors.ts'
import { inTime } from './connection.ts'

/** Includes those whose statement is on its way. */
const mostWaiting = 20_000

/** `until` (of `performance.now`): then the answer is StoreUnavailable, whatever becomes of the statement. */
type Batcher<Item, Result> = (item: Item, until: number) => Promise<Result>

type Waiting<Item, Result> = {
  item: Item
  until: number
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * `run` gets at most `size` items of one key, and for how many milliseconds the last of them is still waited for; it
 * resolves with a result or an error for each. Where it rejects, each of them gets that error.
 */
export function batcher<Item, Result>(
  size: number,
  keyOf: (item: Item) => number,
  run: (key: number, items: Item[], leftMs: number) => Promise<(Result | Error)[]>,
): Batcher<Item, Result> {
  /** Each key here has a statement on its way, or gets one at the end of this turn. */
  const queues = new Map<number, Waiting<Item, Result>[]>()
  let waiting = 0

  async function send(key: number, queue: Waiting<Item, Result>[]): Promise<void> {
    const batch = queue.splice(0, size)
    const current = batch.filter(({ until }) => until > performance.now())
    if (current.length > 0) await answer(key, current)
    waiting -= batch.length
    if (queue.length > 0) setImmediate(send, key, queue)
    else queues.delete(key)
  }

  async function answer(key: number, batch: Waiting<Item, Result>[]): Promise<void> {
    const until = Math.max(...batch.map((one) => one.until))
    const items = batch.map(({ item }) => item)
    try {
      const results = await run(key, items, until - performance.now())
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index] as Result | Error
        if (result instanceof Error) reject(result)
        else resolve(result)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  function add(key: number, one: Waiting<Item, Result>): void {
    const queue = queues.get(key) ?? []
    if (!queues.has(key)) {
      queues.set(key, queue)
      setImmediate(send, key, queue)
    }
    queue.push(one)
    waiting += 1
  }

  return async (item, until) => {
    if (waiting >= mostWaiting) throw new StoreUnavailable('too many requests wait for the database')
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    add(keyOf(item), { item, until, resolve, reject })
    return inTime(promise, until - performance.now())
  }
}
