import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Seconds } from '../core/instant.ts'
import { dayOf } from '../core/mechanism/calendar.ts'
import { zoneOf } from '../core/mechanism/zone.ts'
import type { Count, Fetcher, Kind } from '../store/counts.ts'
import type { Campaign } from '../store/model.ts'
import type { Store } from '../store/store.ts'

const flushMs = 1_000
/** Different counts that wait; whatever comes beyond them is given up. */
const mostWaiting = 50_000
/** Stored in one transaction, and on the embedded database in one turn of the event loop. */
const portion = 500

export type Counted = {
  campaign: Campaign
  pageId: number | null
  leadId: number | null
  kind: Kind
  fetcher: Fetcher
}

export type Counting = {
  /** Counts after the answer; nobody waits for it. */
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
  /** The last registration, which most that follow are like: same campaign, same second, waiting still. */
  let last: { campaign: Campaign; at: Seconds; among: typeof waiting; count: Count } | undefined

  /** Returns what holds the count now, unless it was given up. */
  function add(count: Count): Count | undefined {
    const { campaignId, day, pageId, leadId, kind, fetcher } = count
    const key = `${campaignId} ${day} ${pageId} ${leadId} ${kind} ${fetcher}`
    const known = waiting.get(key)
    if (known !== undefined) {
      known.total += count.total
      known.lastAt = Math.max(known.lastAt, count.lastAt)
      return known
    }
    if (waiting.size < mostWaiting) {
      waiting.set(key, count)
      return count
    }
    onLost(count.total)
    return undefined
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
    for (let from = 0; from < counts.length; from += portion) {
      try {
        await store.counts.add(counts.slice(from, from + portion))
      } catch {
        for (const count of counts.slice(from)) add(count)
        return
      }
      await nextTurn()
    }
  }

  function count({ campaign, pageId, leadId, kind, fetcher }: Counted, lastAt: Seconds): Count | undefined {
    const day = dayOf(zoneOf(campaign.timeZone).toLocal(lastAt))
    const { accountId, id: campaignId } = campaign
    arm()
    return add({ accountId, campaignId, day, pageId, leadId, kind, fetcher, total: 1, lastAt })
  }

  function registered(campaign: Campaign, at: Seconds): void {
    if (last?.campaign === campaign && last.at === at && last.among === waiting) {
      last.count.total += 1
      return
    }
    const counted = { campaign, pageId: null, leadId: null, kind: 'registration', fetcher: 'person' } as const
    const held = count(counted, at)
    last = held && { campaign, at, among: waiting, count: held }
  }

  return {
    count(counted, nowMs) {
      count(counted, Math.floor(nowMs / 1_000))
    },
    registered,
    async close() {
      await storing
      clearTimeout(timer)
      await flush()
      for (const { total } of waiting.values()) onLost(total)
    },
  }
}
