import { dayOf } from './core/mechanism/calendar.ts'
import { zoneOf } from './core/mechanism/zone.ts'
import type { Count, Fetcher, Kind } from './store/counts.ts'
import type { Campaign, Store } from './store/store.ts'

const flushMs = 1_000
/** Different counts that wait; whatever comes beyond them is given up. */
const mostWaiting = 50_000

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
  /** Stores what waits. */
  close(): Promise<void>
}

/** Adds up in memory what recipients did, and stores that once a second. A database that is down costs counts. */
export function openCounting(store: Pick<Store, 'addCounts'>, onLost: (count: number) => void): Counting {
  let waiting = new Map<string, Count>()
  let timer: NodeJS.Timeout | undefined
  let storing: Promise<void> = Promise.resolve()

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (waiting.size === 0) return storing
    const counts = [...waiting.values()]
    waiting = new Map()
    storing = storing
      .then(() => store.addCounts(counts))
      .catch(() => onLost(counts.reduce((sum, { total }) => sum + total, 0)))
    return storing
  }

  return {
    count({ campaign, pageId, leadId, kind, fetcher }, nowMs) {
      const day = dayOf(zoneOf(campaign.timeZone).toLocal(Math.floor(nowMs / 1_000)))
      const key = `${campaign.id} ${day} ${pageId} ${leadId} ${kind} ${fetcher}`
      const known = waiting.get(key)
      if (known !== undefined) {
        known.total += 1
        return
      }
      if (waiting.size >= mostWaiting) {
        onLost(1)
        return
      }
      const { accountId, id: campaignId } = campaign
      waiting.set(key, { accountId, campaignId, day, pageId, leadId, kind, fetcher, total: 1 })
      timer ??= setTimeout(flush, flushMs)
    },
    close: flush,
  }
}
