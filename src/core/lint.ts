import type { CampaignSettings } from './campaign.ts'
import type { Seconds } from './instant.ts'
import { type Attempt, beginByVisit, type Offer, offerAt } from './mechanism/attempt.ts'
import { checked, DAY_SECONDS, dayOf, type LocalSeconds, parseDateTime, parseTime } from './mechanism/calendar.ts'
import { addPeriod, periodOf } from './mechanism/period.ts'
import { datesOf } from './mechanism/recurrence.ts'
import type { DaysAtDeadline, Deadline, NextDeadline } from './mechanism/settings.ts'
import { type Terms, termsOf } from './mechanism/terms.ts'
import { skippedBy, skippedDates, windowsOf } from './mechanism/window.ts'
import { nextClockChange, type Zone, zoneOf } from './mechanism/zone.ts'
import { placeOf } from './page-address.ts'
import { timerFindings, timerLintCodes } from './timer-lint.ts'
import { fullTimerStyle } from './timer-style.ts'

/** Settings that are allowed but may do something unexpected. */
export const lintCodes = [
  'DRAFT',
  'FIXED_DATE_OVER',
  'END_OVER',
  'END_BEFORE_OPENING',
  'END_CUTS_FIRST',
  'NO_DEADLINE',
  'SHORT_FOR_AN_EMAIL',
  'MAY_BE_SHORT',
  'SKIPS_LEAVE_FEW',
  'SKIPPED_DATES_OVER',
  'TIME_SKIPPED',
  'RESET_SLIDES',
  'RESET_CHANGES_NOTHING',
  'RESET_MAY_CLOSE',
  'RETRY_AT_ONCE',
  'RETRY_NEVER',
  'CYCLE_HARDLY_PAUSES',
  'CYCLE_FOREVER',
  'CYCLE_NEVER',
  'REDIRECT_TO_OFFER',
  'VISIT_WITHOUT_PAGE',
  'NO_PAGE',
  'TIMER_WITHOUT_PAGE',
  'TIMER_WITHOUT_DEADLINE',
  ...timerLintCodes,
] as const
type LintCode = (typeof lintCodes)[number]

/**
 * False urgency: a deadline that is not real. Directive 2005/29/EC, Annex I, no. 7: "falsely stating that a product
 * will only be available for a very limited time".
 */
const unfair: readonly LintCode[] = ['RESET_SLIDES', 'RETRY_AT_ONCE', 'CYCLE_HARDLY_PAUSES']

/** `path` names the setting, as in a fault; `at` is an instant that the finding is about. */
export type LintFinding = { code: LintCode; path: string; isUnfair: boolean; at: Seconds | null }

/** A campaign, and what it would give to somebody who started now. */
type Look = {
  campaign: CampaignSettings
  now: Seconds
  zone: Zone
  terms: Terms
  attempt: Attempt
  offer: Offer
}

type Found = [code: LintCode, path: string, at?: Seconds] | undefined | false

/** People who see the offer come again do not notice a shorter pause. */
const A_PAUSE = DAY_SECONDS
const SHORT = 3600
const FEW_WEEKDAYS = 2
const MANY_RESETS = 3

/** The findings about valid settings, those about the campaign's rules first. */
export function lint(campaign: CampaignSettings, now: Seconds): LintFinding[] {
  const terms = termsOf(campaign)
  const attempt = beginByVisit(terms, now)
  const [zone, offer] = [zoneOf(campaign.timeZone), offerAt(terms, attempt, now)]
  const look: Look = { campaign, now, terms, attempt, zone, offer }
  const found = [inDeadline, inTimes, inEnd, inReset, inRetry, inCycle, inPages, inTimer].flatMap((find) => find(look))
  return found.filter((one) => one !== undefined && one !== false).map(findingOf)
}

export function findingOf([code, path, at]: Exclude<Found, undefined | false>): LintFinding {
  return { code, path, at: at ?? null, isUnfair: unfair.includes(code) }
}

function inDeadline({ campaign, now, terms }: Look): Found[] {
  const { deadline, endsAt } = campaign.mechanism
  const path = 'mechanism.deadline'
  switch (deadline.kind) {
    case 'fixed': {
      const isOver = terms.deadlineAt !== null && terms.deadlineAt <= now
      return [isOver && ['FIXED_DATE_OVER', `${path}.at`]]
    }
    case 'none':
      return [endsAt === undefined && ['NO_DEADLINE', `${path}.kind`]]
    case 'after': {
      const period = periodOf(deadline.period)
      return ['seconds' in period && period.seconds < SHORT && ['SHORT_FOR_AN_EMAIL', `${path}.period`]]
    }
    case 'daysAt':
      return [deadline.days === 0 && ['MAY_BE_SHORT', `${path}.days`]]
    case 'next':
      return [deadline.minLead === undefined && ['MAY_BE_SHORT', `${path}.minLead`]]
  }
}

/** What the calendar does to a rule: skipped days, and times that the clocks jump over. */
function inTimes(look: Look): Found[] {
  const { campaign, zone } = look
  const { deadline, endsAt } = campaign.mechanism
  const path = 'mechanism.deadline'
  const jumped = (local: string | undefined, where: string): Found => {
    const at = local === undefined ? undefined : parseDateTime(local)
    return at !== undefined && isSkipped(zone, at) && ['TIME_SKIPPED', where, zone.toInstant(at)]
  }
  const found: Found[] = [jumped(endsAt, 'mechanism.endsAt')]
  switch (deadline.kind) {
    case 'fixed':
      return [...found, jumped(deadline.at, `${path}.at`), jumped(deadline.opensAt, `${path}.opensAt`)]
    case 'daysAt':
    case 'next':
      return [...found, ...inDailyTimes(deadline, look)]
    case 'after':
    case 'none':
      return found
  }
}

function inDailyTimes(deadline: DaysAtDeadline | NextDeadline, { campaign, now, zone }: Look): Found[] {
  const path = 'mechanism.deadline'
  const { skipWeekdays = [] } = deadline
  const dates = skippedDates(deadline)
  const today = dayOf(zone.toLocal(now))
  const found: Found[] = [
    7 - new Set(skipWeekdays).size <= FEW_WEEKDAYS && ['SKIPS_LEAVE_FEW', `${path}.skipWeekdays`],
    dates.length > 0 && Math.max(...dates) < today && ['SKIPPED_DATES_OVER', `${path}.skipDates`],
  ]
  const day = dayOfNextGap(campaign.timeZone, zone, now)
  if (day === undefined) return found
  const jumpedDaily = (time: string, where: string, isItsDay: boolean): Found => {
    const at = day * DAY_SECONDS + checked(parseTime(time))
    return isItsDay && isSkipped(zone, at) && ['TIME_SKIPPED', where, zone.toInstant(at)]
  }
  const counts = !skippedBy(deadline)(day)
  if (deadline.kind === 'daysAt') return [...found, jumpedDaily(deadline.time, `${path}.time`, counts)]
  const { closes, opens } = deadline
  found.push(jumpedDaily(closes.time, `${path}.closes.time`, counts && datesOf(closes)(day)))
  if (opens) found.push(jumpedDaily(opens.time, `${path}.opens.time`, datesOf(opens)(day)))
  return found
}

/** One of the next two changes goes forward, where clocks change twice a year. */
function dayOfNextGap(timeZone: string, zone: Zone, now: Seconds): number | undefined {
  let at = now
  for (let looked = 0; looked < 2; looked += 1) {
    const change = nextClockChange(timeZone, at)
    if (change === null) return undefined
    const before = zone.toLocal(change - 1) + 1
    if (zone.toLocal(change) > before) return dayOf(before)
    at = change
  }
  return undefined
}

function isSkipped(zone: Zone, local: LocalSeconds): boolean {
  return zone.toLocal(zone.toInstant(local)) !== local
}

/** At most one: the worst. */
function inEnd({ now, terms, attempt, offer }: Look): Found[] {
  const { endsAt } = terms
  const path = 'mechanism.endsAt'
  const uncapped = attempt.deadlineAt ?? terms.deadlineAt
  if (endsAt === null) return []
  if (endsAt <= now) return [['END_OVER', path]]
  if (offer.opensAt !== null && endsAt <= offer.opensAt) return [['END_BEFORE_OPENING', path, offer.opensAt]]
  return [uncapped !== null && uncapped > endsAt && ['END_CUTS_FIRST', path, uncapped]]
}

function inReset({ campaign: { mechanism } }: Look): Found[] {
  const { reset, deadline, cycle } = mechanism
  if (!reset?.enabled) return []
  const path = 'mechanism.reset'
  // A reset begins at the first cycle again, so it gives further ones.
  const isBounded = cycle?.enabled === true && cycle.max !== undefined
  if (isOfTheCalendar(deadline) && !isBounded) return [['RESET_CHANGES_NOTHING', path]]
  // Shortly before a closing minLead makes the next one count, and the offer opens again only before that.
  const mayClose = deadline.kind === 'next' && deadline.minLead !== undefined && deadline.opens !== undefined
  return [
    (reset.max ?? Number.POSITIVE_INFINITY) > MANY_RESETS && ['RESET_SLIDES', path],
    mayClose && ['RESET_MAY_CLOSE', path],
  ]
}

/** Whether an earlier and a later start mostly have the same deadline. */
function isOfTheCalendar(deadline: Deadline): boolean {
  switch (deadline.kind) {
    case 'daysAt':
      return deadline.days === 0
    case 'next':
      return deadline.minLead === undefined
    case 'after':
    case 'fixed':
    case 'none':
      return false
  }
}

function inRetry({ campaign: { mechanism }, terms, zone, now, offer }: Look): Found[] {
  const { retry } = mechanism
  if (!retry?.enabled || offer.deadline === null) return []
  const wait = periodOf(retry.after)
  const retryAt = addPeriod(zone, offer.deadline, wait)
  const isNever = terms.endsAt !== null && terms.endsAt > now && retryAt >= terms.endsAt
  return [
    'seconds' in wait && wait.seconds < A_PAUSE && ['RETRY_AT_ONCE', 'mechanism.retry'],
    isNever && ['RETRY_NEVER', 'mechanism.retry', retryAt],
  ]
}

function inCycle({ campaign: { mechanism }, terms, zone, now, attempt }: Look): Found[] {
  const { cycle, endsAt } = mechanism
  const { rule, opensAt, deadlineAt } = attempt
  if (!cycle?.enabled || rule === null || opensAt === null || deadlineAt === null) return []
  const againAt = addPeriod(zone, deadlineAt, periodOf(cycle.pause))
  const pause = windowsOf(rule)(againAt).opensAt - deadlineAt
  const wanted = Math.max(A_PAUSE - SHORT, (deadlineAt - opensAt) / 4) // a day may have 23 hours
  const isNever = terms.endsAt !== null && terms.endsAt > now && againAt >= terms.endsAt
  const path = 'mechanism.cycle'
  return [
    pause < wanted && ['CYCLE_HARDLY_PAUSES', path],
    cycle.max === undefined && endsAt === undefined && ['CYCLE_FOREVER', path],
    isNever && ['CYCLE_NEVER', path, againAt],
  ]
}

function inTimer({ campaign: { mailTimer } }: Look): Found[] {
  if (mailTimer === null) return []
  return timerFindings(fullTimerStyle(mailTimer)).map(([code, name]) => [code, `mailTimer.${name}`])
}

/** About settings of several screens together. */
function inPages({ campaign }: Look): Found[] {
  const { isDraft, mechanism, onExpiry, pages, mailTimer } = campaign
  const leadsNowhere = !pages.some((page) => page.eligible)
  const addresses = pages.flatMap(({ pageUrl, proxyUrl }) => (proxyUrl === null ? [pageUrl] : [pageUrl, proxyUrl]))
  const returns = onExpiry.action === 'REDIRECT' && addresses.some((address) => isBackTo(address, onExpiry.redirectUrl))
  const hasNoDeadline = mechanism.deadline.kind === 'none' && mechanism.endsAt === undefined
  return [
    returns && ['REDIRECT_TO_OFFER', 'onExpiry.redirectUrl'],
    leadsNowhere && mechanism.startsOn === 'visit' && ['VISIT_WITHOUT_PAGE', 'mechanism.startsOn'],
    leadsNowhere && mailTimer === null && ['NO_PAGE', 'pages'],
    leadsNowhere && mailTimer !== null && ['TIMER_WITHOUT_PAGE', 'mailTimer'],
    hasNoDeadline && mailTimer !== null && ['TIMER_WITHOUT_DEADLINE', 'mailTimer'],
    isDraft && ['DRAFT', 'isDraft'],
  ]
}

/** Some pages have their routes behind the hash, such as `#/closed`. */
function isBackTo(address: string, redirectUrl: string): boolean {
  const hash = URL.parse(redirectUrl)?.hash ?? ''
  const isOtherRoute = /^#[!/]/.test(hash) && hash !== URL.parse(address)?.hash
  return placeWithoutWww(address) === placeWithoutWww(redirectUrl) && !isOtherRoute
}

/** With and without `www.` it is one site: one redirects to the other. */
function placeWithoutWww(address: string): string | undefined {
  return placeOf(address)?.replace(/^www\./, '')
}
