// Saving campaigns, for the panel and the command line.
import type { CampaignSettings } from '../core/campaign.ts'
import { languages } from '../core/offer.ts'
import type { Templates, Turn } from '../countdown/templates.ts'
import type { Actor } from '../store/audit.ts'
import type { Campaign, MayReplace } from '../store/model.ts'
import type { Store } from '../store/store.ts'

/** What the panel adds; `mayReplace` decides if it replaces a campaign that was read before. */
type InPanel = { mayReplace: MayReplace | undefined; turn: Turn; userId: number }

/**
 * Makes the campaign, or replaces the one that `settings.id` names. Its countdown image is built first, so that nobody
 * waits for it later, and a style that cannot be drawn is not saved.
 * @throws TemplateUnavailable, Refused, and ChangedMeanwhile if `mayReplace` says no
 */
export async function saveCampaign(
  { store, templates }: { store: Store; templates: Templates },
  accountId: number,
  settings: CampaignSettings,
  by: () => Actor,
  inPanel?: InPanel,
): Promise<Campaign> {
  const { mailTimer } = settings
  const wanted = new Set([...languages, settings.language])
  if (mailTimer !== null) for (const language of wanted) await templates.get(mailTimer, language, inPanel?.turn)
  return store.configuration.applyCampaign(accountId, settings, by, inPanel?.mayReplace, inPanel?.userId)
}
