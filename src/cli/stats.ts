import type { Seconds } from '../core/instant.ts'
import { dateOf, dayOf } from '../core/mechanism/calendar.ts'
import { zoneOf } from '../core/mechanism/zone.ts'
import { type CampaignCount, type Fetcher, fetchers, type Kind, kinds } from '../store/counts.ts'
import type { Campaign } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { emailText, idNumber, need, readArguments } from './arguments.ts'
import { type Command, withCampaign } from './command.ts'
import { WrongCall } from './wrong-call.ts'

type Counted = Omit<CampaignCount, 'kind'> & { kind: Kind }

/** What recipients of a campaign did, by day of its time zone, page and who fetched. */
export const campaignStats: Command = async (args) => {
  const { positionals } = readArguments(args, {}, 'ID')
  const work = async (store: Store, campaign: Campaign) => {
    const people = await store.counts.signups(campaign, 0, Number.MAX_SAFE_INTEGER)
    const signedUp = people.map(({ fromAt, signedUp: total }) => ({ fromAt, total }))
    const counts: Counted[] = [
      ...(await store.counts.ofCampaign(campaign, 0)),
      ...byDay(campaign, 'registration', signedUp),
      ...byDay(campaign, 'conversion', await store.conversions.ordersByQuarter(campaign)),
    ].sort((a, b) => a.day - b.day)
    const days = counts.map(({ day, kind, pageId, fetcher, total }) => {
      return { day: dateOf(day), kind, pageId, fetcher, total }
    })
    return { campaignId: campaign.id, timeZone: campaign.timeZone, totals: totalsOf(counts), days }
  }
  return withCampaign(idNumber(positionals[0], 'ID'), work, 'ID')
}

/** The same for one lead, without pages. */
export const leadStats: Command = async (args) => {
  const { options } = readArguments(args, { campaign: idNumber, email: emailText })
  const email = need(options.email, '--email')
  return withCampaign(options.campaign, async (store, campaign) => {
    const lead = await store.leads.find(campaign, email)
    if (lead === undefined) throw new WrongCall('--email: this email is not registered in the campaign')
    const orders = (await store.conversions.ofLead(campaign, lead.id)).filter(({ reversedAt }) => reversedAt === null)
    const bought = orders.map(({ at }) => ({ fromAt: at, total: 1 }))
    const seen = await store.counts.ofLead(campaign, lead.id)
    const counts = [...seen, ...byDay(campaign, 'conversion', bought)].sort((a, b) => a.day - b.day)
    const days = counts.map(({ day, kind, fetcher, total }) => ({ day: dateOf(day), kind, fetcher, total }))
    const { registration: _, ...totals } = totalsOf(counts)
    return { campaignId: campaign.id, email, timeZone: campaign.timeZone, totals, days }
  })
}

/** By days of the campaign's present time zone, as in the report. */
function byDay({ timeZone }: Campaign, kind: Kind, counts: readonly { fromAt: Seconds; total: number }[]) {
  const { toLocal } = zoneOf(timeZone)
  const days = Map.groupBy(counts, ({ fromAt }) => dayOf(toLocal(fromAt)))
  return [...days].map(([day, those]): Counted => {
    const total = those.reduce((sum, one) => sum + one.total, 0)
    return { day, kind, pageId: null, fetcher: 'person', total }
  })
}

function totalsOf(counts: readonly Omit<Counted, 'pageId'>[]): Record<Kind, Record<Fetcher, number>> {
  const sum = (kind: string, fetcher: string) => {
    const same = counts.filter((count) => count.kind === kind && count.fetcher === fetcher)
    return same.reduce((total, count) => total + count.total, 0)
  }
  const byFetcher = (kind: string) => fetchers.map((fetcher) => [fetcher, sum(kind, fetcher)])
  const byKind = kinds.map((kind) => [kind, Object.fromEntries(byFetcher(kind))])
  return Object.fromEntries(byKind)
}
