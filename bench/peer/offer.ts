// What an answer says of a lead, and when an offer ends.
import type { Account, Campaign, Lead, Page } from './database.ts'

/** So many days later at this time in the campaign's zone; a day later where that would be past. Seconds. */
export function deadlineOf(
  { timeZone, days, time }: Pick<Campaign, 'timeZone' | 'days' | 'time'>,
  registeredAt: number,
): number {
  const local = Temporal.Instant.fromEpochMilliseconds(registeredAt * 1000).toZonedDateTimeISO(timeZone)
  const at = (later: number) =>
    local.toPlainDate().add({ days: later }).toZonedDateTime({
      timeZone,
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
  const live = !campaign.isDraft && account.countdownTools
  const offerLinks = pages
    .filter((page) => live && page.eligible)
    .map(({ id, pageUrl }) => ({ pageId: id, pageUrl, url: `${publicUrl}/go/${id}/${lead.ref}` }))
  const hasTimer = live && campaign.hasTimer
  const warnings: string[] = []
  if (campaign.isDraft) warnings.push('CAMPAIGN_NOT_PUBLISHED')
  else if (!account.countdownTools) warnings.push('COUNTDOWN_TOOLS_UNAVAILABLE')
  else {
    if (offerLinks.length === 0) warnings.push('NO_OFFER_PAGES')
    if (!hasTimer) warnings.push('NO_MAIL_TIMER')
  }
  if (lead.deadline === null) warnings.push('NO_DEADLINE')
  return {
    campaignId: campaign.id,
    email: lead.email,
    registeredAt: instant(lead.registeredAt),
    deadline: lead.deadline === null ? null : instant(lead.deadline),
    timeZone: campaign.timeZone,
    offerLinks,
    mailTimerUrl: hasTimer ? `${publicUrl}/timer/${language}/${lead.ref}.gif` : null,
    warnings,
  }
}

/** `2026-06-05T03:59:00Z` */
function instant(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
}
