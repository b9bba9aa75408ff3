// How many offers are open: in one campaign, or in all published ones of an account.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ConfigCache } from '../campaigns/config-cache.ts'
import type { Seconds } from '../core/instant.ts'
import { offerAt } from '../core/mechanism/attempt.ts'
import type { Campaign } from '../store/model.ts'
import type { Store } from '../store/store.ts'

/** Open offers are counted up to here. */
export const mostOpen = 100_000
/** Published campaigns of an account that are counted, the newest first. */
const mostCampaigns = 1_000
/** Leads whose cycles one question works out one by one. */
const mostCycling = 1_000
const leadsInOneTurn = 20

/** At least `count`; exactly that if `isAll`. */
type OpenOffers = { count: number; isAll: boolean }

/**
 * A draft has none. An index gives the count. With cycles it does not: then a campaign of fewer than 1,000 leads is
 * counted exactly.
 * @throws StoreUnavailable
 */
export async function openOffersOf(
  store: Pick<Store, 'counts' | 'leads'>,
  campaign: Campaign,
  now: Seconds,
  most = mostOpen,
): Promise<OpenOffers> {
  if (campaign.isDraft) return { count: 0, isAll: true }
  const { open, isAll } = await store.counts.openByDeadline(campaign, now, most)
  const hasCycles = [...campaign.rules.values()].some(({ cycle }) => cycle !== null)
  if (!hasCycles) return { count: open, isAll }
  const leads = await store.leads.list(campaign, { prefix: '', afterEmail: '', limit: mostCycling })
  let found = 0
  for (const [index, { attempt }] of leads.entries()) {
    // Years of cycles take half a millisecond for each lead.
    if (index % leadsInOneTurn === 0) await nextTurn()
    if (offerAt(campaign.terms, attempt, now).state === 'open') found += 1
  }
  const isWhole = leads.length < mostCycling
  return isWhole && found <= most ? { count: found, isAll: true } : { count: Math.max(open, found), isAll: false }
}

/** Of all published campaigns of the account together. @throws StoreUnavailable */
export async function openOffersOfAccount(
  store: Pick<Store, 'configuration' | 'counts' | 'leads'>,
  configCache: ConfigCache,
  accountId: number,
  now: Seconds,
): Promise<OpenOffers> {
  const ids = await store.configuration.newestPublished(accountId, mostCampaigns + 1)
  let count = 0
  let isAll = ids.length <= mostCampaigns
  for (const id of ids.slice(0, mostCampaigns)) {
    const campaign = await configCache.campaign(id)
    const open = campaign && (await openOffersOf(store, campaign, now, mostOpen - count))
    count += open?.count ?? 0
    isAll &&= open?.isAll ?? true
    if (count >= mostOpen) return { count: mostOpen, isAll: isAll && id === ids.at(-1) }
  }
  return { count, isAll }
}
