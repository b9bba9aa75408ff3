// What came of a campaign between two days: its people, what happened, and the same of the time before.
import Type, { type Static } from 'typebox'
import { dayRange } from '../../core/day-range.ts'
import { quarterSeconds, type Seconds } from '../../core/instant.ts'
import { DAY_SECONDS, type Day, dateOf, dayOf } from '../../core/mechanism/calendar.ts'
import { zoneOf } from '../../core/mechanism/zone.ts'
import { openOffersOf } from '../../leads/open-offers.ts'
import type { CampaignCount, Counts } from '../../store/counts.ts'
import type { Campaign } from '../../store/model.ts'
import { closed } from '../schemas.ts'
import { invalid } from './errors.ts'
import { forViewer } from './route.ts'

const usualDays = 30

const LocalDate = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' })
/** Days of the campaign's time zone, both included; the last thirty where they are left out. */
export const Range = Type.Object({ from: Type.Optional(LocalDate), to: Type.Optional(LocalDate) }, closed)
type Range = Static<typeof Range>

/** People are those who signed up on the day; what happened is of anybody, on the day itself. */
const none = { signedUp: 0, started: 0, clicked: 0, click: 0, visit: 0, open: 0 }
export type ResultsTotals = typeof none
const names = Object.keys(none) as (keyof ResultsTotals)[]
type ResultsOfDay = ResultsTotals & { date: string }

export const resultsRoutes = {
  ...forViewer('GET /campaigns/:campaignId/results', {
    readsMuch: true,
    query: Range,
    async run({ campaign, parts, query, now }) {
      const { counts } = parts.store
      const { from, to } = readRange(campaign, query, now)
      const length = to - from + 1
      const [asked, before] = [
        await resultsBetween(counts, campaign, from, to + 1),
        await resultsBetween(counts, campaign, from - length, from),
      ]
      const startsSince = await counts.startsSince()
      const dayIn = (at: Seconds) => dateOf(dayOf(zoneOf(campaign.timeZone).toLocal(at)))
      const firstAt = before.firstAt ?? asked.firstAt
      return {
        timeZone: campaign.timeZone,
        from: dateOf(from),
        to: dateOf(to),
        /** Of people who signed up before, some starts are missing. Null where nobody did in the time that is shown. */
        startsSince: firstAt !== undefined && firstAt + quarterSeconds <= startsSince ? dayIn(startsSince) : null,
        days: asked.days,
        totals: totalsOf(names, asked.days),
        before: totalsOf(names, before.days),
        pages: byPage(campaign, asked.counts),
        /** Now, whatever the days. */
        open: await openOffersOf(parts.store, campaign, now),
      }
    },
  }),
}

/** @throws PanelRefusal */
export function readRange({ timeZone }: Campaign, query: Range, now: Seconds) {
  const range = dayRange(query, dayOf(zoneOf(timeZone).toLocal(now)), usualDays)
  if ('message' in range) throw invalid(range.path, range.message)
  return range
}

/** A number for each day from `from` on and before `until`. */
async function resultsBetween(counts: Counts, campaign: Campaign, from: Day, until: Day) {
  const zone = zoneOf(campaign.timeZone)
  const startOf = (day: Day): Seconds => zone.toInstant(day * DAY_SECONDS)
  const length = until - from
  const days = Array.from({ length }, (_, index): ResultsOfDay => ({ date: dateOf(from + index), ...none }))
  const signups = await counts.signups(campaign, startOf(from), startOf(until))
  for (const { fromAt, ...people } of signups) {
    const day = days[dayOf(zone.toLocal(fromAt)) - from] as ResultsOfDay
    for (const step of ['signedUp', 'started', 'clicked'] as const) day[step] += people[step]
  }
  const happened = (await counts.ofCampaign(campaign, from, until)).filter(({ fetcher }) => fetcher === 'person')
  for (const { day, kind, total } of happened) {
    ;(days[day - from] as ResultsOfDay)[kind] += total
  }
  return { days, counts: happened, firstAt: signups[0]?.fromAt }
}

/** The sum of all days for each name. */
export function totalsOf<Name extends string>(names: readonly Name[], days: readonly Record<Name, number>[]) {
  const totalOf = (name: Name) => days.reduce((sum, day) => sum + day[name], 0)
  return Object.fromEntries(names.map((name) => [name, totalOf(name)])) as Record<Name, number>
}

/** Clicks and visits of each page that the campaign has; null stands for pages that it has not, or no more. */
function byPage({ pages }: Campaign, counts: readonly CampaignCount[]) {
  const known = new Map<number | null, { pageUrl: string; click: number; visit: number }>(
    pages.map(({ id, pageUrl }) => [id, { pageUrl, click: 0, visit: 0 }]),
  )
  const rest = { pageUrl: null, click: 0, visit: 0 }
  for (const { kind, pageId, total } of counts)
    if (kind === 'click' || kind === 'visit') (known.get(pageId) ?? rest)[kind] += total
  return [...known.values(), ...(rest.click + rest.visit > 0 ? [rest] : [])]
}
