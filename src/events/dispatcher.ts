// Sends what is due, in one lane for each endpoint, at the pace of its server. Without endpoints it asks every five
// seconds whether there are some.
import { setTimeout as sleep } from 'node:timers/promises'
import { describeError, type Log } from '../log.ts'
import { StoreUnavailable } from '../store/errors.ts'
import type { Endpoint } from '../store/events/endpoint.ts'
import type { Sweep } from '../store/events/sweeps.ts'
import { type Lease, openLease } from './lease.ts'
import { type RoundParts, runRound, secondsNow } from './round.ts'
import { sweepOn } from './sweep.ts'

export type DispatcherParts = Omit<RoundParts, 'isStopping'> & {
  log: Log
  /** Whether webhooks are sent. What is deleted, or too old, is removed all the same. */
  isOn: boolean
  /** Called now and then with what is due and waits. */
  onWaiting(count: number, oldestSeconds: number): void
}

const pollMs = 500
const tidyMs = 600_000
/** A lane that runs for longer has much to tell, or a slow server. */
const busyMs = 1_000
/** How long the work beside the lanes may take at a time. */
const choresMs = 300
/** How long requests in flight may still take when the server stops. */
const closeMs = 3_000
/** After a larger jump of the clock nothing is sent for a while: a wrong deadline cannot be taken back. */
const jumpMs = 300_000
const quietMs = 600_000

export function openDispatcher(parts: DispatcherParts) {
  const { store, log, now } = parts
  const lease = openLease(store, parts.isOn)
  const lanes = new Map<number, { since: number; running: Promise<void> }>()
  const closing = new AbortController()
  const isClosed = () => closing.signal.aborted
  const pause = () => sleep(pollMs, undefined, { ref: false, signal: closing.signal }).catch(() => {})
  let doing: Promise<void> | undefined
  const isStopping = (endpointId: number) => isClosed() || !lease.isHeld(endpointId)
  const clock = watchClock(parts)
  const paces = openPaces(now)
  const isBusy = (endpointId: number) =>
    performance.now() - (lanes.get(endpointId)?.since ?? Number.POSITIVE_INFINITY) > busyMs
  const chores = openChores({ ...parts, lease, isStopping, isClosed, isBusy, failed })

  // An endpoint may have been made.
  store.onChange(lease.hurry)

  async function poll(): Promise<void> {
    if (clock.isQuiet()) return
    // If that fails, what this node still holds is told all the same.
    if (lease.isToRenew()) await lease.renew().then(chores.mayBeMore, failed)
    for (const endpoint of await lease.due(secondsNow(parts))) {
      const { id } = endpoint
      if (lanes.has(id)) continue
      const running = run(endpoint).finally(() => lanes.delete(id))
      lanes.set(id, { since: performance.now(), running })
    }
    doing ??= doChores()
  }

  /** Not waited for: where the database is slow it may take long, and meanwhile events are sent and leases renewed. */
  async function doChores(): Promise<void> {
    await chores.run()
    await pause()
    doing = undefined
  }

  async function run(endpoint: Endpoint): Promise<void> {
    const own = { ...parts, lease, isStopping: () => isStopping(endpoint.id) }
    await runLane(own, paces, endpoint, () => own.isStopping() || clock.isQuiet()).catch(failed)
  }

  /** A database that is away is no fault of sending: everything waits for it. */
  function failed(error: unknown): void {
    if (!(error instanceof StoreUnavailable)) log.error('sending webhooks failed', { error: describeError(error) })
  }

  async function pollUntilClosed(): Promise<void> {
    for (;;) {
      await pause()
      if (isClosed()) return
      await poll().catch(failed)
    }
  }

  const polling = pollUntilClosed()
  return {
    async close(): Promise<void> {
      closing.abort()
      await Promise.race([
        Promise.allSettled([polling, doing, ...[...lanes.values()].map(({ running }) => running)]),
        sleep(closeMs),
      ])
      await Promise.race([lease.release().catch(() => {}), sleep(200)])
    },
  }
}

type LaneParts = RoundParts & { lease: Lease }

/** Round after round, until nothing is due or the server needs a pause. */
async function runLane(parts: LaneParts, paces: Paces, of: Endpoint, isOver: () => boolean): Promise<void> {
  let most = Number.POSITIVE_INFINITY
  for (;;) {
    // Wait for a slot first: what is read before could be old by the time that there is one.
    const giveBack = await parts.slots(of)
    try {
      // While this node hung, another may have taken the endpoint: two lanes would send everything twice.
      const endpoint = await parts.lease.find(of)
      if (isOver() || endpoint === undefined || endpoint.pausedAt !== null) return
      if ((endpoint.nextTryAt ?? 0) > secondsNow(parts)) return
      if ((await parts.configCache.account(of.accountId))?.suspended !== false) return
      const room = Math.min(paces.roomOf(endpoint), most)
      if (room <= 0) return
      const { sent, isMore, isCut } = await runRound(parts, endpoint, room, giveBack)
      paces.add(of.id, sent)
      // What came meanwhile waits until the lane runs again: small rounds cost more for each event.
      if (!isMore) return
      // The next round takes no more than a slow server has time for: the rest would be read for nothing.
      most = isCut ? Math.max(sent, 1) : most * 2
    } finally {
      giveBack()
    }
  }
}

function watchClock({ now, log }: DispatcherParts) {
  let ahead = now() - performance.now()
  let quietUntil = 0
  return {
    /** Each call compares the two clocks, and so notices a jump. */
    isQuiet(): boolean {
      const before = ahead
      ahead = now() - performance.now()
      if (ahead - before >= jumpMs) {
        quietUntil = performance.now() + quietMs
        log.warn('the clock has jumped ahead: no webhooks are sent for ten minutes')
      }
      return performance.now() < quietUntil
    },
  }
}

type Paces = ReturnType<typeof openPaces>

/** How many events an endpoint may still get in this minute. */
function openPaces(now: () => number) {
  let minute = Number.NaN
  const sent = new Map<number, number>()
  const sentTo = (id: number) => {
    const present = Math.floor(now() / 60_000)
    if (present !== minute) sent.clear()
    minute = present
    return sent.get(id) ?? 0
  }
  return {
    roomOf: ({ id, settings: { perMinute } }: Endpoint) =>
      perMinute === null ? Number.POSITIVE_INFINITY : perMinute - sentTo(id),
    add: (id: number, count: number) => void sent.set(id, sentTo(id) + count),
  }
}

type ChoresParts = DispatcherParts & {
  lease: Lease
  isStopping(endpointId: number): boolean
  isClosed(): boolean
  isBusy(endpointId: number): boolean
  failed(error: unknown): void
}

const nameOf = ({ endpoint, campaignId, cause }: Sweep) => `${endpoint.id} ${campaignId} ${cause}`

/**
 * The work beside the lanes, a little at a time: sweeps through leads, measuring, removing what is left over. Each part
 * resolves with whether something is left of it. One that fails, perhaps at a row that somebody has locked, holds up
 * none of the others.
 */
function openChores(parts: ChoresParts) {
  const { store, lease, isStopping, isClosed, isBusy, failed, onWaiting } = parts
  const tidy = openTidying(parts)
  let isMore = true
  let isToMeasure = true
  /** Names of the sweeps and deleted endpoints whose turn has failed: they are left alone until leases are renewed. */
  const failing = new Set<string>()

  const leaveAlone = (name: string) => (error: unknown) => {
    failing.add(name)
    failed(error)
  }

  /** A backfill waits while its endpoint has a backlog, but not for events that merely keep coming. */
  async function sweep(until: number): Promise<boolean> {
    for (;;) {
      const sweeps = (await lease.sweeps()).filter((one) => !failing.has(nameOf(one)))
      const ready = sweeps.filter(({ cause, endpoint }) => cause !== 'backfill' || !isBusy(endpoint.id))
      for (const one of ready) {
        if (!isStopping(one.endpoint.id)) await sweepOn(store, one, secondsNow(parts)).catch(leaveAlone(nameOf(one)))
        if (performance.now() > until) return true
      }
      const goesOn = ready.some(({ cause }) => cause !== 'backfill') && !isClosed()
      if (!goesOn) return sweeps.length > 0
    }
  }

  async function purge(until: number): Promise<boolean> {
    for (const endpoint of await store.events.deletedEndpoints()) {
      const name = String(endpoint.id)
      while (!failing.has(name)) {
        if (performance.now() > until || isClosed()) return true
        if (await store.events.purge(endpoint).catch(leaveAlone(name))) break
      }
    }
    return false
  }

  /** Not each time: to count 10,000 for each of many endpoints takes longer than all the rest. */
  async function measure(): Promise<boolean> {
    if (!isToMeasure) return false
    isToMeasure = false
    let [count, oldestAt] = [0, secondsNow(parts)]
    for (const endpoint of await lease.waiting(secondsNow(parts))) {
      // Its events wait on purpose.
      if ((await parts.configCache.account(endpoint.accountId))?.suspended) continue
      const { waiting, oldestDueAt } = await store.events.waiting(endpoint, secondsNow(parts))
      count += waiting
      oldestAt = Math.min(oldestAt, oldestDueAt ?? oldestAt)
    }
    onWaiting(count, secondsNow(parts) - oldestAt)
    return false
  }

  return {
    mayBeMore(): void {
      failing.clear()
      isMore = true
      isToMeasure = true
    },
    async run(): Promise<void> {
      if (!isMore) return
      isMore = false
      const until = performance.now() + choresMs
      for (const work of [sweep, measure, purge, tidy]) if (await work(until).catch(failed)) isMore = true
    },
  }
}

/**
 * Removes what is old, an account at a time: nobody else can write meanwhile on SQLite. One that fails waits for the
 * next time.
 */
function openTidying(parts: ChoresParts) {
  const { store, isClosed, onDropped } = parts
  let tidiedAt = Number.NEGATIVE_INFINITY
  /** Accounts that may have something old. */
  let untidy: number[] = []
  return async (until: number): Promise<boolean> => {
    if (performance.now() - tidiedAt >= tidyMs) {
      untidy = await store.events.accountsWithEndpoints()
      tidiedAt = performance.now()
    }
    for (let accountId = untidy.pop(); accountId !== undefined; accountId = untidy.pop()) {
      const old = await store.events.purgeOld(accountId, secondsNow(parts))
      if (old.dropped > 0) onDropped(old.dropped)
      if (old.isMore) untidy.push(accountId)
      if (performance.now() > until || isClosed()) break
    }
    return untidy.length > 0
  }
}
