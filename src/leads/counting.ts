// What is noted after the answers: counts of what recipients did, and when keys were last used.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { quarterSeconds, secondsOf } from '../core/instant.ts'
import { dayOf } from '../core/mechanism/calendar.ts'
import { zoneOf } from '../core/mechanism/zone.ts'
import type { Count, Fetcher, Kind } from '../store/counts.ts'
import type { Campaign, KeyUse } from '../store/model.ts'
import { nobody, type SignupCount } from '../store/results.ts'
import type { Store } from '../store/store.ts'
import type { LeadStep } from './leads.ts'

const flushMs = 1_000
/** Different counts that may wait; more are lost. */
const mostWaiting = 50_000
/** Keys kept in memory. At this many, those remembered are forgotten; at this many waiting, further uses are lost. */
const mostKeys = 10_000
/** Counts stored in one transaction; on the embedded database requests wait for it. */
const batchSize = 500

export type Counted = {
  campaign: Campaign
  pageId: number | null
  leadId: number | null
  kind: Kind
  fetcher: Fetcher
}

export type Counting = ReturnType<typeof openCounting>

/**
 * Adds up in memory, and stores the sums once a second. What cannot be stored waits for the next time, if there is
 * room; where it was stored and only the answer was lost, it is counted twice. No request waits for this.
 */
export function openCounting(store: Pick<Store, 'counts' | 'configuration'>, onLost: (count: number) => void) {
  let counts = new Map<string, Count>()
  const signups = rememberSignups(onLost)
  const keyUses = rememberKeyUses(arm)
  let timer: NodeJS.Timeout | undefined
  let storing: Promise<void> | undefined

  function add(count: Count): void {
    const { campaignId, day, pageId, leadId, kind, fetcher } = count
    const key = `${campaignId} ${day} ${pageId} ${leadId} ${kind} ${fetcher}`
    const known = counts.get(key)
    if (known !== undefined) {
      known.total += count.total
      known.lastAt = Math.max(known.lastAt, count.lastAt)
    } else if (counts.size < mostWaiting) counts.set(key, count)
    else onLost(count.total)
  }

  function arm(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      storing ??= flush().finally(() => {
        storing = undefined
        if (counts.size + signups.waiting() + keyUses.waiting() > 0) arm()
      })
    }, flushMs)
  }

  async function flush(): Promise<void> {
    const [added, stepped, used] = [[...counts.values()], signups.take(), keyUses.take()]
    counts = new Map()
    for (const own of Map.groupBy(added, ({ accountId }) => accountId).values()) {
      await inBatches(own, store.counts.add, add)
    }
    for (const own of Map.groupBy(stepped, ({ accountId }) => accountId).values()) {
      await inBatches(own, store.counts.addSignups, signups.add)
    }
    await inBatches(used, store.configuration.noteKeyUses, keyUses.giveBack)
  }

  return {
    /** Counts in memory; `nowMs` is milliseconds of the wall clock. */
    count({ campaign, ...what }: Counted, nowMs: number): void {
      const { accountId, id: campaignId, timeZone } = campaign
      const lastAt = secondsOf(nowMs)
      add({ accountId, campaignId, day: dayOf(zoneOf(timeZone).toLocal(lastAt)), ...what, total: 1, lastAt })
      arm()
    },
    /** Counts a lead that is new or has started, among the people who signed up at the same time. */
    stepped(
      { accountId, id: campaignId, timeZone }: Campaign,
      { registeredAt: at, isNew, hasStarted }: LeadStep,
    ): void {
      const people = { ...nobody, signedUp: Number(isNew), started: Number(hasStarted) }
      signups.add({ accountId, campaignId, fromAt: at - (at % quarterSeconds), ...people })
      if (isNew) {
        const day = dayOf(zoneOf(timeZone).toLocal(at))
        const what = { pageId: null, leadId: null, kind: 'registration', fetcher: 'person' } as const
        add({ accountId, campaignId, day, ...what, total: 1, lastAt: at })
      }
      arm()
    },
    /** Notes that a key let a request in, at a time of the wall clock: the first use in each minute. */
    keyUsed: keyUses.used,
    /** Stores what waits, as far as the database lets it. */
    async close(): Promise<void> {
      await storing
      clearTimeout(timer)
      await flush()
      for (const { total } of counts.values()) onLost(total)
      for (const { signedUp, started } of signups.take()) onLost(signedUp + started)
    },
  }
}

/** The people who wait to be stored, by when they signed up. */
function rememberSignups(onLost: (count: number) => void) {
  let signups = new Map<string, SignupCount>()
  return {
    waiting: () => signups.size,
    add(count: SignupCount): void {
      const key = `${count.campaignId} ${count.fromAt}`
      const known = signups.get(key)
      if (known !== undefined) {
        known.signedUp += count.signedUp
        known.started += count.started
      } else if (signups.size < mostWaiting) signups.set(key, count)
      else onLost(count.signedUp + count.started)
    },
    take(): SignupCount[] {
      const taken = [...signups.values()]
      signups = new Map()
      return taken
    },
  }
}

/** The uses of keys that wait to be stored; `onUse` is called for each new one. */
function rememberKeyUses(onUse: () => void) {
  let uses = new Map<string, KeyUse>()
  /** When each key was last used. */
  const minutes = new Map<string, number>()
  return {
    waiting: () => uses.size,
    used(keyId: string, atMs: number): void {
      const minute = Math.floor(atMs / 60_000)
      if (minutes.get(keyId) === minute) return
      if (minutes.size >= mostKeys) minutes.clear()
      minutes.set(keyId, minute)
      if (uses.size >= mostKeys) return
      uses.set(keyId, { keyId, usedAt: secondsOf(atMs) })
      onUse()
    },
    take(): KeyUse[] {
      const taken = [...uses.values()]
      uses = new Map()
      return taken
    },
    giveBack(use: KeyUse): void {
      // A later use of the same key may wait by now.
      if (!uses.has(use.keyId)) uses.set(use.keyId, use)
    },
  }
}

/** Gives back what could not be stored. */
async function inBatches<Item>(
  items: Item[],
  store: (batch: Item[]) => Promise<void>,
  giveBack: (item: Item) => void,
): Promise<void> {
  for (let from = 0; from < items.length; from += batchSize) {
    try {
      await store(items.slice(from, from + batchSize))
    } catch {
      items.slice(from).forEach(giveBack)
      return
    }
    await nextTurn()
  }
}
