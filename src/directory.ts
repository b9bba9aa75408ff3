import type { Account, Campaign, LiveKey, MaybePromise, Since, Store } from './store/store.ts'

/** Entries kept of each sort; past that the cache begins anew. */
const maxEntries = 10_000

/**
 * Keys and campaigns as they were last read. The store tells of every change within half a second, and all
 * is read again then. Answers at once, without a promise, what it has.
 */
export type Directory = {
  liveKey(keyId: string, since?: Since): MaybePromise<LiveKey | undefined>
  campaign(campaignId: number, since?: Since): MaybePromise<Campaign | undefined>
  account(accountId: number, since?: Since): MaybePromise<Account | undefined>
  /** Forgets what it has: what it gave was found to be stale. */
  forget(): void
}

export function directory(store: Store): Directory {
  const keys = remembered(store, store.findLiveKey)
  const campaigns = remembered(store, store.findCampaign)
  const accounts = remembered(store, store.findAccount)
  const forget = () => {
    accounts.forget()
    keys.forget()
    campaigns.forget()
  }
  store.onChange(forget)
  return {
    liveKey: keys.get,
    campaign: (id, since) => (Number.isSafeInteger(id) ? campaigns.get(id, since) : undefined),
    account: accounts.get,
    forget,
  }
}

function remembered<Id, Entry>(store: Store, read: (id: Id, since: Since) => Promise<Entry | undefined>) {
  let entries = new Map<Id, Entry>()
  /** Whoever asks while somebody else's answer is on its way gets that one: after a start, or a change, all do. */
  let loading = new Map<Id, Promise<Entry | undefined>>()

  function load(id: Id, since: Since): Promise<Entry | undefined> {
    let underWay = loading.get(id)
    if (underWay === undefined) {
      const own = loading
      underWay = fetch(id, since).finally(() => own.delete(id))
      loading.set(id, underWay)
    }
    return underWay
  }

  async function fetch(id: Id, since: Since): Promise<Entry | undefined> {
    const generation = entries
    const entry = await read(id, since)
    // Read before a change and arriving after it: not to be kept.
    if (entry !== undefined && generation === entries) {
      if (entries.size >= maxEntries) entries.clear()
      entries.set(id, entry)
    }
    return entry
  }

  return {
    get(id: Id, since?: Since): Entry | undefined | Promise<Entry | undefined> {
      store.startTurn()
      return entries.get(id) ?? load(id, since)
    },
    forget: () => {
      entries = new Map()
      loading = new Map()
    },
  }
}
