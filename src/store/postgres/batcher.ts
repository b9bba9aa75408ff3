// What one turn of the event loop asks under one key becomes one statement; what is asked while that is on its way
// becomes the next one. A key is an account or a campaign: who waits for a lock of somebody else keeps the
// connection of that statement, and requests of all other accounts go past it.
import { StoreUnavailable } from '../errors.ts'
import { notAnswered } from './connection.ts'

const mostWaiting = 20_000

/** `until` (of `performance.now`): then the asker gets StoreUnavailable, whatever becomes of the statement. */
export type Batcher<Item, Result> = (key: number, item: Item, until: number) => Promise<Result>

type Waiting<Item, Result> = {
  item: Item
  until: number
  isOver(): boolean
  end(result: Result | Error): void
}

/**
 * `run` gets at most `size` items of one key, and how many milliseconds the last of their askers still waits; it
 * resolves with a result or an error for each. Where it rejects, each of them gets that error.
 */
export function batcher<Item, Result>(
  size: number,
  run: (key: number, items: Item[], leftMs: number) => Promise<(Result | Error)[]>,
): Batcher<Item, Result> {
  /** A key that is here has a statement on its way, or gets one at the end of this turn. */
  const queues = new Map<number, Waiting<Item, Result>[]>()
  let waiting = 0

  async function send(key: number, queue: Waiting<Item, Result>[]): Promise<void> {
    const batch = queue.splice(0, size).filter((one) => !one.isOver())
    if (batch.length > 0) await answer(key, batch)
    if (queue.length > 0) setImmediate(send, key, queue)
    else queues.delete(key)
  }

  async function answer(key: number, batch: Waiting<Item, Result>[]): Promise<void> {
    const until = Math.max(...batch.map((one) => one.until))
    const items = batch.map(({ item }) => item)
    try {
      const results = await run(key, items, until - performance.now())
      for (const [index, { end }] of batch.entries()) end(results[index] as Result | Error)
    } catch (error) {
      for (const { end } of batch) end(error as Error)
    }
  }

  function add(key: number, one: Waiting<Item, Result>): void {
    const queue = queues.get(key)
    if (queue !== undefined) {
      queue.push(one)
      return
    }
    const first = [one]
    queues.set(key, first)
    setImmediate(send, key, first)
  }

  return (key, item, until) =>
    new Promise((resolve, reject) => {
      if (waiting >= mostWaiting) {
        reject(new StoreUnavailable('too many requests wait for the database'))
        return
      }
      waiting += 1
      let isOver = false
      function end(result: Result | Error): void {
        if (isOver) return
        isOver = true
        waiting -= 1
        clearTimeout(timer)
        if (result instanceof Error) reject(result)
        else resolve(result)
      }
      // Not before what has arrived meanwhile is read: it may be us who were late.
      const timer = setTimeout(() => setImmediate(end, notAnswered()), until - performance.now())
      add(key, { item, until, isOver: () => isOver, end })
    })
}
