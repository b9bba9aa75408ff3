// What is asked in one turn of the event loop, or while every statement of its sort is on its way, goes to the
// database as one.
import { StoreUnavailable } from '../errors.ts'
import { newApart } from './apart.ts'
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

/** How long a statement on leads waits for a lock: whoever meets one is tried again, long before they give up. */
export function lockTimeoutMs(patienceMs: number): number {
  return Math.round(patienceMs / 6)
}

/** Whose an item is: where a lock keeps a statement, each account's items are tried again apart from all others. */
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
  const apart = newApart<Waiting<Item, Result>>()

  function schedule(): void {
    if (apart.size() > 0) hurryLater()
    if (isScheduled || queue.length === 0) return
    if (onTheirWay === 0 || (onTheirWay < concurrency && queue.length >= worthASecond)) {
      isScheduled = true
      setImmediate(start)
    } else hurryLater()
  }

  function hurryLater(): void {
    if (timer === undefined) timer = setTimeout(hurry, slowMs)
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
    const late = [...queue.filter(({ since }) => since <= oldest), ...apart.takeLate(oldest)]
    queue = queue.filter(({ since }) => since > oldest)
    for (const { reject } of late) reject(new StoreUnavailable('the database is too busy'))
    if (onTheirWay < concurrency && !isScheduled) start()
    schedule()
  }

  async function send(batch: Waiting<Item, Result>[]): Promise<void> {
    const error = await settle(batch)
    if (error === undefined) return
    for (const [accountId, waiting] of Map.groupBy(batch, ({ item }) => item.accountId)) {
      apart.add(accountId, waiting)
    }
    sendApart()
  }

  function sendApart(): void {
    for (let next = apart.take(size); next !== undefined; next = apart.take(size)) sendOfOne(next)
    schedule()
  }

  async function sendOfOne(batch: Waiting<Item, Result>[]): Promise<void> {
    const { accountId } = (batch[0] as Waiting<Item, Result>).item
    const error = await settle(batch)
    apart.ended(accountId)
    if (error !== undefined) {
      // They are tried again, but for whoever would be gone before PostgreSQL gives up once more: what it carried out
      // then would be stored, and they were told that it was not.
      const oldest = performance.now() - patienceMs + lockTimeoutMs(patienceMs) + slowMs
      for (const { since, reject } of batch) if (since <= oldest) reject(error)
      apart.add(
        accountId,
        batch.filter(({ since }) => since > oldest),
        true,
      )
    }
    sendApart()
  }

  /** Gives each its result; where somebody else's lock has kept it from that, the error. */
  async function settle(batch: Waiting<Item, Result>[]): Promise<StoreUnavailable | undefined> {
    const youngest = batch.reduce((latest, { since }) => Math.max(latest, since), 0)
    const stopEnding = endLate(batch)
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
      if (isLocked(error)) return error
      for (const { reject } of batch) reject(error)
    } finally {
      stopEnding()
    }
    return undefined
  }

  /** Whoever has waited too long is told so, while the statement goes on for the others. */
  function endLate(batch: Waiting<Item, Result>[]): () => void {
    let timer: NodeJS.Timeout | undefined
    let isOver = false
    const wait = (oldest: number) => {
      // Not before what has arrived meanwhile is read: it may be us who were late.
      timer = setTimeout(() => setImmediate(end), oldest + patienceMs - performance.now())
    }
    const end = () => {
      if (isOver) return
      const latest = performance.now() - patienceMs + slowMs
      for (const { since, reject } of batch) if (since <= latest) reject(notAnswered())
      const others = batch.filter(({ since }) => since > latest)
      if (others.length > 0) wait(oldestOf(others))
    }
    wait(oldestOf(batch))
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }

  return {
    ask: (item, since = performance.now()) =>
      new Promise((resolve, reject) => {
        if (queue.length + apart.size() >= queueSize) {
          reject(new StoreUnavailable('too many requests wait for the database'))
          return
        }
        const waiting = { item, since, resolve, reject }
        if (apart.has(item.accountId)) {
          apart.add(item.accountId, [waiting])
          setImmediate(sendApart)
        } else {
          queue.push(waiting)
          schedule()
        }
      }),
  }
}

function oldestOf<Item, Result>(batch: Waiting<Item, Result>[]): number {
  return batch.reduce((oldest, { since }) => Math.min(oldest, since), Number.POSITIVE_INFINITY)
}
