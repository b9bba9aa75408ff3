import { isNewer } from '../store/lead-row.ts'
import type { Campaign, Lead } from '../store/model.ts'
import type { Store } from '../store/store.ts'

/** Entries kept of each sort; a full cache is emptied. */
const maxEntries = 10_000

export type ConfigCache = ReturnType<typeof openConfigCache>

/**
 * Keys, campaigns and accounts in memory. The store reports every change within half a second; then all are read again.
 */
export function openConfigCache(store: Pick<Store, 'configuration' | 'onChange'>) {
  const { findLiveKey, findCampaign, findAccount } = store.configuration
  const keys = remembered(findLiveKey)
  const campaigns = remembered(findCampaign)
  const accounts = remembered(findAccount)
  store.onChange(() => {
    for (const cache of [keys, campaigns, accounts]) cache.forget()
  })
  return {
    liveKey: keys.get,
    campaign: campaigns.get,
    account: accounts.get,
    /**
     * The campaign with which to read its lead: read again if the lead was written under newer settings than `known`.
     * Needed for each lead that was read with a campaign of this cache, before an offer is made of the two; what
     * `leads.write` resolves with fits already.
     */
    async campaignFor(lead: Lead, known: Campaign): Promise<Campaign> {
      return isNewer(lead, known) ? ((await campaigns.load(known.id)) ?? known) : known
    },
  }
}

/** Promises are kept, so that requests that arrive together, as after a start, share one read. */
function remembered<Id, Entry>(read: (id: Id) => Promise<Entry | undefined>) {
  const entries = new Map<Id, Promise<Entry | undefined>>()

  function load(id: Id): Promise<Entry | undefined> {
    if (entries.size >= maxEntries) entries.clear()
    const entry = read(id)
    entries.set(id, entry)
    const drop = () => {
      if (entries.get(id) === entry) entries.delete(id)
    }
    // What was not found is not kept: anybody can ask for any id.
    entry.then((found) => found === undefined && drop(), drop)
    return entry
  }

  return {
    load,
    get: (id: Id): Promise<Entry | undefined> => entries.get(id) ?? load(id),
    forget: () => entries.clear(),
  }
}
