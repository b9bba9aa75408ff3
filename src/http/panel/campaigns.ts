// Campaigns: the list, and one whole campaign. Each screen of a campaign changes its part and saves all of it.
import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Type from 'typebox'
import { saveCampaign } from '../../campaigns/campaigns.ts'
import { campaignTypes, checkCampaign } from '../../core/campaign.ts'
import type { Seconds } from '../../core/instant.ts'
import { dateOf, dayOf } from '../../core/mechanism/calendar.ts'
import type { Terms } from '../../core/mechanism/terms.ts'
import { zoneOf } from '../../core/mechanism/zone.ts'
import { openOffersOf } from '../../leads/open-offers.ts'
import type { Session } from '../../store/access.ts'
import type { Actor } from '../../store/audit.ts'
import { ChangedMeanwhile, Refused } from '../../store/errors.ts'
import { asFile, type Campaign, type CampaignFile, type MayReplace } from '../../store/model.ts'
import { settingsBodyLimitBytes } from '../body-limits.ts'
import { closed } from '../schemas.ts'
import { invalid, PanelRefusal } from './errors.ts'
import { forMember, forViewer, type PanelParts } from './route.ts'
import { Id, idDigits } from './schemas.ts'

/** Checked as a campaign file is, by its own rules. */
const Settings = Type.Object({})
const pageSize = 1_000
const daysShown = 30
/** Leads of a campaign that are counted. */
const mostCounted = 100_000

export const campaignRoutes = {
  ...forViewer('GET /campaigns', {
    readsMuch: true,
    query: Type.Object({ afterId: Type.Optional(Id) }, closed),
    async run({ session, parts, query, now }) {
      const { configuration } = parts.store
      const filter = { limit: pageSize, afterId: Number(query.afterId ?? 0), isDraft: null }
      const campaigns = await configuration.listCampaigns(session.account.id, filter)
      const published = await configuration.listPublishedTerms(session.account.id, filter)
      const terms = new Map(published.map((one) => [one.id, one.terms]))
      const counts = await daysOf(parts, session.account.id, now)
      return {
        campaigns: campaigns.map(({ id, name, typeId, isDraft, isArchived }) => {
          const own = terms.get(id)
          return {
            id,
            name,
            isDraft,
            isArchived,
            type: campaignTypes[typeId] as string,
            state: stateOf(own, now),
            ...endOf(own),
            ...counts(id, own?.timeZone),
          }
        }),
        nextAfterId: campaigns.length < pageSize ? null : (campaigns.at(-1)?.id as number),
      }
    },
  }),
  /** How many leads and open offers campaigns have now; `isAll` if all were counted. */
  ...forViewer('GET /campaign-figures', {
    readsMuch: true,
    query: Type.Object({ ids: Type.String({ pattern: `^${idDigits}(,${idDigits}){0,49}$` }) }, closed),
    async run({ session, parts: { store }, query, now }) {
      const figures = []
      for (const id of new Set(query.ids.split(',').map(Number))) {
        const campaign = await store.configuration.findCampaign(id)
        if (campaign?.accountId !== session.account.id) continue
        const leads = await store.counts.countLeads(campaign, mostCounted + 1)
        const open = await openOffersOf(store, campaign, now)
        figures.push({ id, leads: Math.min(leads, mostCounted), isAll: leads <= mostCounted, open })
        await nextTurn()
      }
      return { figures }
    },
  }),
  ...forMember('POST /campaigns', {
    body: Type.Object({ settings: Settings }, closed),
    bodyLimit: settingsBodyLimitBytes,
    async run({ session, parts, body, actor, now }) {
      const { id: _, ...settings } = body.settings as { id?: unknown }
      return whole(parts, await save(parts, session, settings, actor), now)
    },
  }),
  /** How far a new account has come, by its newest campaign; `isDone` once any campaign is live and has a lead. */
  ...forViewer('GET /first-steps', {
    readsMuch: true,
    async run({ session, parts, now }) {
      const { configuration } = parts.store
      if (await configuration.isLiveWithLead(session.account.id)) return { isDone: true, campaign: null }
      const newestId = await configuration.newestCampaign(session.account.id)
      const newest = newestId === undefined ? undefined : await configuration.findCampaign(newestId)
      return { isDone: false, campaign: newest === undefined ? null : await whole(parts, newest, now) }
    },
  }),
  ...forViewer('GET /campaigns/:campaignId', {
    readsMuch: true,
    run: async ({ campaign, parts, now }) => whole(parts, campaign, now),
  }),
  /** `revision` is that of the campaign as it was read: nobody overwrites what they have not seen. */
  ...forMember('PUT /campaigns/:campaignId', {
    body: Type.Object({ settings: Settings, revision: Type.String() }, closed),
    bodyLimit: settingsBodyLimitBytes,
    async run({ campaign: { id }, session, parts, body, actor, now }) {
      const asRead = (standing: Campaign) => revisionOf(asFile(standing)) === body.revision
      return whole(parts, await save(parts, session, { ...body.settings, id }, actor, asRead), now)
    },
  }),
  /**
   * An archived campaign is a draft that the panel's list hides. `sawDraft`: the reader saw a draft, and was not asked
   * whether everybody is to be refused.
   */
  ...forMember('PUT /campaigns/:campaignId/archive', {
    body: Type.Object({ isArchived: Type.Boolean(), sawDraft: Type.Optional(Type.Boolean()) }, closed),
    async run({ campaign, parts, body, actor, now }) {
      const { accountId, id } = campaign
      const asSeen = ({ isDraft }: Campaign) => isDraft || !body.sawDraft
      const { configuration } = parts.store
      const archiving = configuration.archiveCampaign(accountId, id, body.isArchived, actor, asSeen)
      const after = await archiving.catch(refuseChanged)
      if (after === undefined) throw new PanelRefusal('NOT_FOUND')
      return whole(parts, after, now)
    },
  }),
  ...forMember('DELETE /campaigns/:campaignId', {
    async run({ campaign, parts, by }) {
      await parts.store.configuration.deleteCampaign(campaign.id, by)
      return {}
    },
  }),
}

/** Clicks, and sign-ups by day, in the last thirty days, by each campaign's time zone, for drafts by UTC. */
async function daysOf({ store }: PanelParts, accountId: number, now: Seconds) {
  // In a zone east of Greenwich it may be tomorrow, in the west yesterday.
  const found = await store.counts.byCampaign(accountId, dayOf(now) - daysShown)
  const of = Map.groupBy(found, ({ campaignId }) => campaignId)
  return (campaignId: number, timeZone = 'UTC') => {
    const from = dayOf(zoneOf(timeZone).toLocal(now)) - daysShown + 1
    const signUps = Array.from({ length: daysShown }, () => 0)
    let clicks = 0
    for (const { day, kind, total } of of.get(campaignId) ?? []) {
      // Counted before the campaign's time zone was set back: counts as today until that day comes.
      const index = Math.min(day - from, daysShown - 1)
      if (index < 0) continue
      if (kind === 'click') clicks += total
      else if (kind === 'registration') signUps[index] = (signUps[index] ?? 0) + total
    }
    return { clicks, signUps }
  }
}

/** When it ends for everyone, if it does, and the day of that in its own zone. */
function endOf(terms: Terms | undefined): { endsAt: Seconds; endsOn: string } | { endsAt: null; endsOn: null } {
  const ends = [terms?.deadlineAt, terms?.endsAt].filter((at) => at !== null && at !== undefined)
  if (terms === undefined || ends.length === 0) return { endsAt: null, endsOn: null }
  const endsAt = Math.min(...ends)
  return { endsAt, endsOn: dateOf(dayOf(zoneOf(terms.timeZone).toLocal(endsAt))) }
}

/** @throws PanelRefusal with every fault of the settings by its path, or where `mayReplace` says no */
async function save(
  parts: PanelParts,
  session: Session,
  settings: object,
  actor: () => Actor,
  mayReplace?: MayReplace,
): Promise<Campaign> {
  const checked = checkCampaign(settings)
  if ('faults' in checked) throw new PanelRefusal('INVALID', checked.faults)
  const { account, user } = session
  const turn = parts.limits.turnToBuild(session, actor().at)
  const inPanel = { mayReplace, turn, userId: user.id }
  const saving = saveCampaign(parts, account.id, checked.campaign, actor, inPanel)
  return saving.catch((error) => {
    if (!(error instanceof Refused)) return refuseChanged(error)
    const [, path = '', message = error.message] = /^([\w.[\]]+): (.*)$/s.exec(error.message) ?? []
    throw invalid(path, message)
  })
}

function refuseChanged(error: unknown): never {
  throw error instanceof ChangedMeanwhile ? new PanelRefusal('CHANGED_MEANWHILE') : error
}

async function whole({ store }: PanelParts, campaign: Campaign, now: Seconds) {
  const settings = asFile(campaign)
  const state = stateOf(campaign.isDraft ? undefined : campaign.terms, now)
  const [sightings, leads, hasLeadsOrVisitors, changed, open, [summary]] = await Promise.all([
    store.counts.sightings(campaign),
    store.counts.countLeads(campaign, 1),
    store.configuration.hasLeadsOrVisitors(campaign.accountId, campaign.id),
    lastChange(store, campaign),
    state === 'live' ? openOffersOf(store, campaign, now) : null,
    // Only a draft can be archived.
    campaign.isDraft ? store.configuration.listCampaignsById(campaign.accountId, [campaign.id]) : [],
  ])
  return {
    settings,
    state,
    isArchived: summary?.isArchived === true,
    revision: revisionOf(settings),
    changed,
    isSeen: sightings.size > 0,
    hasLeads: leads > 0,
    hasLeadsOrVisitors,
    open,
  }
}

export type CampaignState = 'draft' | 'live' | 'ended'

/** A published campaign has ended if by its own dates nobody has the offer any more. */
function stateOf(terms: Terms | undefined, now: Seconds): CampaignState {
  if (terms === undefined) return 'draft'
  return isOver(terms, now) ? 'ended' : 'live'
}

export function isOver({ deadlineAt, endsAt }: Terms, now: Seconds): boolean {
  return [deadlineAt, endsAt].some((at) => at !== null && at <= now)
}

/** When it was last changed in the panel, and by whom: null if that user was removed. */
async function lastChange({ access }: PanelParts['store'], { accountId, changed }: Campaign) {
  if (changed === undefined) return null
  const user = (await access.listUsers(accountId)).find(({ id }) => id === changed.userId)
  return { at: changed.at, by: user?.email ?? null }
}

export function revisionOf(settings: CampaignFile): string {
  return hash('sha256', JSON.stringify(settings), 'base64url')
}
