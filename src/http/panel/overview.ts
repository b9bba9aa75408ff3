// The overview: what happened by day, and what needs attention.
import type { Seconds } from '../../core/instant.ts'
import { dateOf, dayOf } from '../../core/mechanism/calendar.ts'
import { zoneOf } from '../../core/mechanism/zone.ts'
import { openOffersOfAccount } from '../../leads/open-offers.ts'
import { type AccountCount, kinds as allKinds, type Kind } from '../../store/counts.ts'
import { failuresToStop } from '../../store/events/changes.ts'
import type { Endpoint } from '../../store/events/endpoint.ts'
import type { Campaign, Key } from '../../store/model.ts'
import { isOver } from './campaigns.ts'
import { totalsOf } from './results.ts'
import { forViewer, type PanelParts } from './route.ts'

const daysShown = 30
type Shown = Exclude<Kind, 'conversion'>
const kinds = allKinds.filter((kind): kind is Shown => kind !== 'conversion')
/** Published campaigns that are checked for what needs attention, the newest first. */
const mostCampaigns = 50
/** An endpoint whose server has accepted nothing for longer needs attention, whatever it answers. */
const silentSeconds = 3_600

/** Something that a customer would want to fix, in a campaign, a webhook or the account. */
type Attention = {
  what:
    | ('NO_KEY' | 'KEY_ENDS' | 'TOOLS_OFF')
    | ('WEBHOOK_FAILS' | 'WEBHOOK_PAUSED')
    | ('NO_PAGE' | 'WIDGET_NEVER_SEEN' | 'OVER' | 'NO_DEADLINE')
  /** Of the campaign or the webhook. */
  id: number | null
  /** Of the same, or of the replaced key that is the last to work. */
  name: string | null
  until: Seconds | null
}

export const overviewRoutes = {
  ...forViewer('GET /overview', {
    readsMuch: true,
    async run({ session, parts, now }) {
      const { account } = session
      const published = await parts.store.configuration.countPublished(account.id)
      const looked = await newestPublished(parts, account.id)
      const days = await countsByDay(parts, account.id, looked, now)
      return {
        days: days.slice(daysShown),
        totals: totalsOf(kinds, days.slice(daysShown)),
        /** The sum of the same number of days before. */
        before: totalsOf(kinds, days.slice(0, daysShown)),
        campaigns: { published, looked: looked.length },
        open: await openOffersOfAccount(parts.store, parts.configCache, account.id, now),
        attention: [
          ...(await ofAccount(parts, account, now)),
          ...(await ofWebhooks(parts, account.id, now)),
          ...(await Promise.all(looked.map((campaign) => ofCampaign(parts, account, campaign, now)))).flat(),
        ],
      }
    },
  }),
}

async function newestPublished({ store }: PanelParts, accountId: number): Promise<Campaign[]> {
  const ids = await store.configuration.newestPublished(accountId, mostCampaigns)
  const found = await Promise.all(ids.map((id) => store.configuration.findCampaign(id)))
  return found.filter((campaign) => campaign !== undefined)
}

/** Sixty days up to today in the zone that is furthest ahead, each with a number for every kind. */
async function countsByDay({ store }: PanelParts, accountId: number, looked: Campaign[], now: Seconds) {
  const utcDay = dayOf(now)
  // No zone is more than a day away from UTC.
  const counts = await store.counts.ofAccount(accountId, utcDay - 2 * daysShown)
  const today = Math.min(utcDay + 1, latestDay(looked, counts, now))
  return Array.from({ length: 2 * daysShown }, (_, index) => {
    const day = today - 2 * daysShown + 1 + index
    const totalOf = (kind: Shown) => counts.find((count) => count.day === day && count.kind === kind)?.total ?? 0
    const totals = Object.fromEntries(kinds.map((kind) => [kind, totalOf(kind)])) as Record<Shown, number>
    return { date: dateOf(day), ...totals }
  })
}

/**
 * Counts are kept by the local day of their campaign. One that is not looked at may be furthest ahead: then its own
 * counts show that.
 */
function latestDay(looked: Campaign[], counts: AccountCount[], now: Seconds): number {
  const days = looked.map(({ timeZone }) => dayOf(zoneOf(timeZone).toLocal(now)))
  return Math.max(...(days.length === 0 ? [dayOf(now)] : days), ...counts.map(({ day }) => day))
}

async function ofAccount(
  { store }: PanelParts,
  account: { id: number; countdownTools: boolean },
  now: Seconds,
): Promise<Attention[]> {
  const { working } = await store.configuration.listRecentKeys(account.id, now)
  const found = [
    ...(account.countdownTools ? [] : ['TOOLS_OFF' as const]),
    ...(working.length > 0 ? [] : ['NO_KEY' as const]),
  ]
  return [...found.map((what) => ({ what, id: null, name: null, until: null })), ...lastToWork(working)]
}

/** If every key that works was replaced: the one that works longest. */
function lastToWork(working: Key[]): Attention[] {
  const untilOf = ({ revokedAt }: Key) => revokedAt ?? Number.POSITIVE_INFINITY
  const [last] = working.toSorted((a, b) => untilOf(b) - untilOf(a))
  if (last === undefined || last.revokedAt === null) return []
  return [{ what: 'KEY_ENDS', id: null, name: last.name, until: last.revokedAt }]
}

/** Endpoints whose server accepts nothing, and those that were paused because of that. */
async function ofWebhooks({ store }: PanelParts, accountId: number, now: Seconds): Promise<Attention[]> {
  const endpoints = await store.events.listEndpoints(accountId)
  return endpoints.flatMap((endpoint) => {
    const what = troubleOf(endpoint, now)
    const { id, settings } = endpoint
    return what === undefined ? [] : [{ what, id, name: settings.name, until: null }]
  })
}

function troubleOf({ pauseCause, failures, failingSince }: Endpoint, now: Seconds) {
  if (pauseCause !== null) return pauseCause === 'user' ? undefined : 'WEBHOOK_PAUSED'
  // What a server refuses, as by 404, is not counted as a failure; nothing arrives all the same.
  const isRefusing = failingSince !== null && now - failingSince > silentSeconds
  return failures >= failuresToStop || isRefusing ? 'WEBHOOK_FAILS' : undefined
}

async function ofCampaign(
  { store }: PanelParts,
  { countdownTools }: { countdownTools: boolean },
  campaign: Campaign,
  now: Seconds,
): Promise<Attention[]> {
  const { id, name, pages, terms } = campaign
  const found: Attention[] = []
  const add = (what: Attention['what']) => found.push({ what, id, name, until: null })
  if (!pages.some(({ eligible }) => eligible)) add('NO_PAGE')
  // Without the tools no widget is seen, wherever it stands.
  else if (countdownTools && (await store.counts.sightings(campaign)).size === 0) add('WIDGET_NEVER_SEEN')
  const { endsAt, mechanism } = terms
  if (mechanism.deadline.kind === 'none' && endsAt === null) add('NO_DEADLINE')
  if (isOver(terms, now)) add('OVER')
  return found
}
