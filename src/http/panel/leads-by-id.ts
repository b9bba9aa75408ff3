// Logs name a lead by its id and have no email: it is looked up when a log is shown, if the lead still exists.
import type { PanelParts } from './route.ts'

type Named = { email: string | null; campaignId: number; ref: string }

/** In place of a lead that no longer exists. */
export const erased: Named = { email: null, campaignId: 0, ref: '' }

/** The account's leads that exist, by their ids. An id below one is no lead's. */
export async function leadsById({ store, configCache }: PanelParts, accountId: number, ids: readonly number[]) {
  const known = [...new Set(ids)].filter((id) => id > 0)
  const found = known.length === 0 ? [] : await store.leads.findByIds(accountId, known)
  const leads = new Map<number, Named>()
  for (const { id, campaignId, lead } of found) {
    const campaign = await configCache.campaign(campaignId)
    if (campaign === undefined) continue
    const { email, ref } = await lead(campaign)
    leads.set(id, { email, campaignId, ref })
  }
  return leads
}
