// Walks along what is due, one lane for each endpoint, at the pace of its server. Nothing runs where nobody has one.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeError, type Log } from '../log.ts'
import { StoreUnavailable } from '../store/errors.ts'
import type { Endpoint } from '../store/events.ts'
import { type RoundParts, runRound } from './round.ts'
import { sweepOn } from './sweep.ts'

export type Dispatcher = { close(): Promise<void> }

export type DispatcherParts = Omit<RoundParts, 'isStopping'> & {
  log: Log
  /** Told now and then what is due and waits. */
  onWaiting(count: number, oldestSeconds: number): void
}

const pollMs = 500
const leaseMs = 10_000
/** A node that could not say for so long that it lives has lost its endpoints. */
const heldMs = 25_000
const tidyMs = 600_000
/** Leads are gone through for so long at a time. */
const sweepMs = 300
/** What is in flight when the server stops. */
const closeMs = 3_000
/** A clock that jumps ahead by more tells nobody anything for a while: a deadline that was wrong cannot be called back. */
const jumpMs = 300_000
const quietMs = 600_000

export function openDispatcher(parts: DispatcherParts): Dispatcher {
  const { store, log, now } = parts
  const holder = randomUUID()
  const lanes = new Map<number, Promise<void>>()
  const paces = new Map<number, { minute: number; sent: number }>()
  let isClosed = false
  let isNeeded = true
  let mayHaveSweeps = true
  let leasedAt = Number.NEGATIVE_INFINITY
  let tidiedAt = Number.NEGATIVE_INFINITY
  let quietUntil = 0
  let ahead = now() - performance.now()
  const isStopping = () => isClosed || performance.now() - leasedAt > heldMs
  const seconds = () => Math.floor(now() / 1_000)

  store.onChange(() => {
    isNeeded = true
    mayHaveSweeps = true
    leasedAt = Math.min(leasedAt, performance.now() - leaseMs)
  })

  async function poll(): Promise<void> {
    lookAtClock()
    if (!isNeeded || performance.now() < quietUntil) return
    if (performance.now() - leasedAt >= leaseMs) {
      isNeeded = await store.events.hasEndpoints()
      if (!isNeeded) return
      await store.events.lease(holder)
      leasedAt = performance.now()
      await measure()
    }
    for (const endpoint of await store.events.dueEndpoints(holder, seconds())) {
      if (!lanes.has(endpoint.id))
        lanes.set(
          endpoint.id,
          run(endpoint).finally(() => lanes.delete(endpoint.id)),
        )
    }
    if (mayHaveSweeps) await sweepSome()
    if (performance.now() - tidiedAt >= tidyMs || mayHaveSweeps) await tidy()
  }

  async function measure(): Promise<void> {
    let [count, oldestAt] = [0, seconds()]
    for (const endpoint of await store.events.dueEndpoints(holder, seconds())) {
      const { waiting, oldestDueAt } = await store.events.waiting(endpoint, seconds())
      count += waiting
      oldestAt = Math.min(oldestAt, oldestDueAt ?? oldestAt)
    }
    parts.onWaiting(count, seconds() - oldestAt)
  }

  function lookAtClock(): void {
    const before = ahead
    ahead = now() - performance.now()
    if (ahead - before < jumpMs) return
    quietUntil = performance.now() + quietMs
    log.warn('the clock has jumped ahead: endpoints are told nothing for ten minutes')
  }

  /** One lane: round after round, until nothing is due or the server is to be left alone. */
  async function run({ accountId, id }: Endpoint): Promise<void> {
    try {
      for (;;) {
        const endpoint = await store.events.findEndpoint(accountId, id)
        if (isStopping() || performance.now() < quietUntil || endpoint === undefined) return
        if (endpoint.pausedAt !== null || (endpoint.nextTryAt ?? 0) > seconds()) return
        if ((await parts.configCache.account(accountId))?.suspended !== false) return
        const room = roomOf(endpoint)
        const done = room > 0 ? await runRound({ ...parts, isStopping }, endpoint, room) : undefined
        if (done === undefined) return
        paced(id).sent += done.sent
      }
    } catch (error) {
      failed(error)
    }
  }

  function paced(id: number) {
    const minute = Math.floor(now() / 60_000)
    const known = paces.get(id)
    const pace = known?.minute === minute ? known : { minute, sent: 0 }
    paces.set(id, pace)
    return pace
  }

  const roomOf = ({ id, settings: { perMinute } }: Endpoint) =>
    perMinute === null ? Number.POSITIVE_INFINITY : perMinute - paced(id).sent

  /** What a person asked for waits until nothing else is to be told, so that it never fills the queue. */
  async function sweepSome(): Promise<void> {
    const until = performance.now() + sweepMs
    mayHaveSweeps = false
    do {
      const sweeps = await store.events.sweeps(holder)
      mayHaveSweeps = sweeps.length > 0
      const ready = sweeps.filter(({ cause, endpoint }) => cause !== 'backfill' || !lanes.has(endpoint.id))
      for (const sweep of ready) if (!isStopping()) await sweepOn(store, sweep, seconds())
      if (!ready.some(({ cause }) => cause !== 'backfill')) return
    } while (performance.now() < until && !isStopping())
  }

  async function tidy(): Promise<void> {
    tidiedAt = performance.now()
    const dropped = await store.events.purgeOld(seconds())
    if (dropped > 0) parts.onDropped(dropped)
    for (const endpoint of await store.events.deletedEndpoints()) {
      for (let isDone = false; !isDone && !isStopping(); ) {
        isDone = await store.events.purge(endpoint)
        await sleep(1)
      }
    }
  }

  /** While the database is away everything waits: nothing is told that is not stored. */
  function failed(error: unknown): void {
    if (!(error instanceof StoreUnavailable)) log.error('telling endpoints failed', { error: describeError(error) })
  }

  let polling: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  function arm(): void {
    timer = setTimeout(() => {
      polling = poll()
        .catch(failed)
        .finally(() => isClosed || arm())
    }, pollMs).unref()
  }
  arm()

  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      await Promise.race([Promise.allSettled([polling, ...lanes.values()]), sleep(closeMs)])
      await Promise.race([store.events.release(holder).catch(() => {}), sleep(200)])
      await parts.sender.close()
    },
  }
}
