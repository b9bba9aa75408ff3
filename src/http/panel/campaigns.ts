// Campaigns: the list, and one of them whole. Each screen of a campaign changes its part and saves the whole.
import { hash } from 'node:crypto'
import Type from 'typebox'
import { asFile, type CampaignFile, saveCampaign } from '../../campaigns/campaigns.ts'
import { campaignTypes, checkCampaign } from '../../core/campaign.ts'
import type { Turn } from '../../countdown/templates.ts'
import type { Session } from '../../store/access.ts'
import { ChangedMeanwhile, Refused } from '../../store/errors.ts'
import type { Campaign, MayReplace } from '../../store/model.ts'
import { invalid, PanelRefusal } from './errors.ts'
import { turnToBuild } from './limits.ts'
import { forReader, forUser, type PanelParts } from './route.ts'
import { closed } from './schemas.ts'

/** Checked as a campaign file is, by its own rules. */
const Settings = Type.Object({})
const pageSize = 1_000

export const campaignRoutes = {
  ...forReader('GET /campaigns', {
    query: Type.Object({ afterId: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,15}$' })) }, closed),
    async run({ session, parts, query }) {
      const filter = { limit: pageSize, afterId: Number(query.afterId ?? 0), isDraft: null }
      const campaigns = await parts.store.configuration.listCampaigns(session.account.id, filter)
      return {
        campaigns: campaigns.map(({ id, name, typeId, isDraft }) => ({
          ...{ id, name, isDraft, type: campaignTypes[typeId] as string },
        })),
        nextAfterId: campaigns.length < pageSize ? null : (campaigns.at(-1)?.id as number),
      }
    },
  }),
  ...forUser('POST /campaigns', {
    body: Type.Object({ settings: Settings }, closed),
    bodyLimit: 262_144,
    async run({ session, parts, body, now }) {
      const { id: _, ...settings } = body.settings as { id?: unknown }
      return whole(await save(parts, session, settings, turnToBuild(session, now)))
    },
  }),
  ...forReader('GET /campaigns/:campaignId', {
    run: async ({ campaign }) => whole(campaign),
  }),
  /** `revision` is that of the campaign as it was read: nobody overwrites what they have not seen. */
  ...forUser('PUT /campaigns/:campaignId', {
    body: Type.Object({ settings: Settings, revision: Type.String() }, closed),
    bodyLimit: 262_144,
    async run({ campaign: { id }, session, parts, body, now }) {
      const asRead = (standing: Campaign) => revisionOf(asFile(standing)) === body.revision
      return whole(await save(parts, session, { ...body.settings, id }, turnToBuild(session, now), asRead))
    },
  }),
  ...forUser('DELETE /campaigns/:campaignId', {
    async run({ campaign, parts }) {
      await parts.store.configuration.deleteCampaign(campaign.id)
      return {}
    },
  }),
}

/** @throws PanelRefusal with every fault of the settings by its path, or where `mayReplace` says no */
async function save(
  parts: PanelParts,
  { account }: Session,
  settings: object,
  turn: Turn,
  mayReplace?: MayReplace,
): Promise<Campaign> {
  const checked = checkCampaign(settings)
  if ('faults' in checked) throw new PanelRefusal('INVALID', checked.faults)
  return saveCampaign(parts, account.id, checked.campaign, mayReplace, turn).catch((error) => {
    if (error instanceof ChangedMeanwhile) throw new PanelRefusal('CHANGED_MEANWHILE')
    if (!(error instanceof Refused)) throw error
    const [, path = '', message = error.message] = /^([\w.[\]]+): (.*)$/s.exec(error.message) ?? []
    throw invalid(path, message)
  })
}

function whole(campaign: Campaign) {
  const settings = asFile(campaign)
  return { settings, revision: revisionOf(settings) }
}

function revisionOf(settings: CampaignFile): string {
  return hash('sha256', JSON.stringify(settings), 'base64url')
}
