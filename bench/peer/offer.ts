// What an answer says of a lead, and when an offer ends.
import type { Selectable } from 'kysely'
import type { Tables } from './database.ts'

export type Account = { id: number; suspended: number; countdown_tools: number }
export type Campaign = Selectable<Tables['campaigns']>
export type Page = Selectable<Tables['pages']>
export type Lead = Selectable<Tables['leads']>

/** So many days later at this time in the campaign's zone; a day later where that would be past. Seconds. */
export function deadlineOf(
  { time_zone, days, time }: Pick<Campaign, 'time_zone' | 'days' | 'time'>,
  registeredAt: number,
): number {
  const local = Temporal.Instant.fromEpochMilliseconds(registeredAt * 1000).toZonedDateTimeISO(time_zone)
  const at = (later: number) =>
    local.toPlainDate().add({ days: later }).toZonedDateTime({
      timeZone: time_zone,
      plainTime: time,
    }).epochMilliseconds / 1000
  const deadline = at(days)
  return deadline > registeredAt ? deadline : at(days + 1)
}

export function offerOf(
  { account, campaign, pages, lead }: { account: Account; campaign: Campaign; pages: Page[]; lead: Lead },
  publicUrl: string,
  language: string,
) {
  const live = campaign.is_draft === 0 && account.countdown_tools === 1
  const offerLinks = pages
    .filter((page) => live && page.eligible === 1)
    .map(({ id, page_url }) => ({ pageId: id, pageUrl: page_url, url: `${publicUrl}/go/${id}/${lead.ref}` }))
  const hasTimer = live && campaign.has_timer === 1
  const warnings: string[] = []
  if (campaign.is_draft === 1) warnings.push('CAMPAIGN_NOT_PUBLISHED')
  else if (account.countdown_tools === 0) warnings.push('COUNTDOWN_TOOLS_UNAVAILABLE')
  else {
    if (offerLinks.length === 0) warnings.push('NO_OFFER_PAGES')
    if (!hasTimer) warnings.push('NO_MAIL_TIMER')
  }
  if (lead.deadline === null) warnings.push('NO_DEADLINE')
  return {
    campaignId: campaign.id,
    email: lead.email,
    registeredAt: instant(lead.registered_at),
    deadline: lead.deadline === null ? null : instant(lead.deadline),
    timeZone: campaign.time_zone,
    offerLinks,
    mailTimerUrl: hasTimer ? `${publicUrl}/timer/${language}/${lead.ref}.gif` : null,
    warnings,
  }
}

/** `2026-06-05T03:59:00Z` */
function instant(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
}
