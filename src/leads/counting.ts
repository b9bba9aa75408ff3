import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Seconds } from '../core/instant.ts'
import { dayOf } from '../core/mechanism/calendar.ts'
import { zoneOf } from '../core/mechanism/zone.ts'
import type { Count, Fetcher, Kind } from '../store/counts.ts'
import type { Campaign } from '../store/model.ts'
import type { Store } from '../store/store.ts'

const flushMs = 1_000
/** Different counts that may wait; more are lost. */
const mostWaiting = 50_000
/** Stored in one transaction; on the embedded database requests have to wait for it. */
const batchSize = 500

export type Counted = {
  campaign: Campaign
  pageId: number | null
  leadId: number | null
  kind: Kind
  fetcher: Fetcher
}

export type Counting = {
  /** Counts in memory; `nowMs` is milliseconds of the wall clock. */
  count(counted: Counted, nowMs: number): void
  /** Counts a new lead. */
  registered(campaign: Campaign, at: Seconds): void
  /** Stores what waits, as far as the database lets it. */
  close(): Promise<void>
}

/**
 * Adds up in memory what recipients did, and stores that once a second. What cannot be stored waits for the next
 * time, as far as there is room.
 */
export function openCounting(store: Pick<Store, 'counts'>, onLost: (count: number) => void): Counting {
  let waiting = new Map<string, Count>()
  let timer: NodeJS.Timeout | undefined
  let storing: Promise<void> | undefined

  function add(count: Count): void {
    const { campaignId, day, pageId, leadId, kind, fetcher } = count
    const key = `${campaignId} ${day} ${pageId} ${leadId} ${kind} ${fetcher}`
    const known = waiting.get(key)
    if (known !== undefined) {
      known.total += count.total
      known.lastAt = Math.max(known.lastAt, count.lastAt)
    } else if (waiting.size < mostWaiting) waiting.set(key, count)
    else onLost(count.total)
  }

  function arm(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      storing ??= flush().finally(() => {
        storing = undefined
        if (waiting.size > 0) arm()
      })
    }, flushMs)
  }

  async function flush(): Promise<void> {
    const counts = [...waiting.values()]
    waiting = new Map()
    for (let from = 0; from < counts.length; from += batchSize) {
      try {
        await store.counts.add(counts.slice(from, from + batchSize))
      } catch {
        for (const count of counts.slice(from)) add(count)
        return
      }
      await nextTurn()
    }
  }

  function count({ campaign, pageId, leadId, kind, fetcher }: Counted, lastAt: Seconds): void {
    const day = dayOf(zoneOf(campaign.timeZone).toLocal(lastAt))
    const { accountId, id: campaignId } = campaign
    add({ accountId, campaignId, day, pageId, leadId, kind, fetcher, total: 1, lastAt })
    arm()
  }

  return {
    count: (counted, nowMs) => count(counted, Math.floor(nowMs / 1_000)),
    registered(campaign, at) {
      count({ campaign, pageId: null, leadId: null, kind: 'registration', fetcher: 'person' }, at)
    },
    async close() {
      await storing
      clearTimeout(timer)
      await flush()
      for (const { total } of waiting.values()) onLost(total)
    },
  }
}

/** `2026-11-21` of the days since 1970-01-01. */
export function dateOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10)
}
