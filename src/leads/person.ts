// One person's leads over all campaigns of an account, as the GDPR asks (articles 15 and 17).
import { setImmediate as nextTurn } from 'node:timers/promises'
import { formatInstant, instantOrNull, type Seconds } from '../core/instant.ts'
import { dateOf } from '../core/mechanism/calendar.ts'
import { type Conversion, conversionDocument } from '../core/order.ts'
import { nextSpelling } from '../core/spelling.ts'
import type { Actor } from '../store/audit.ts'
import type { LeadCount } from '../store/counts.ts'
import type { Campaign } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { type LeadView, view } from './leads.ts'

/** The most spellings that differ only in case: nobody has hundreds of them. */
const mostOtherSpellings = 1_000

type PersonStore = Pick<Store, 'configuration' | 'leads' | 'counts' | 'conversions'>
type PersonLead = LeadView & { counts: LeadCount[]; orders: Conversion[] }

/** All that is kept of an email, and separately of those that differ from it only in case. */
type Person = { leads: PersonLead[]; otherSpellings: PersonLead[] }

/** Each call rejects with StoreUnavailable if the database does not answer. `email` must be valid. */
export async function findPerson(store: PersonStore, accountId: number, email: string, now: Seconds): Promise<Person> {
  const found: Person = { leads: [], otherSpellings: [] }
  for await (const { campaign, lead } of leadsOf(store, accountId, email)) {
    const list = lead.email === email ? found.leads : found.otherSpellings
    const isFull = list === found.otherSpellings && list.length === mostOtherSpellings
    if (isFull) continue
    const counts = await store.counts.ofLead(campaign, lead.id)
    const orders = await store.conversions.ofLead(campaign, lead.id)
    list.push({ ...view(campaign, lead, now), counts, orders })
  }
  return found
}

/** Erases the leads with exactly this email, in one step; resolves with the ids of their campaigns. */
export async function erasePerson(store: PersonStore, accountId: number, email: string, by: Actor): Promise<number[]> {
  const campaigns: Campaign[] = []
  for await (const campaign of campaignsOf(store, accountId)) {
    if ((await store.leads.find(campaign, email)) !== undefined) campaigns.push(campaign)
  }
  if (campaigns.length > 0)
    await store.leads.erase(
      campaigns.map((campaign) => ({ campaign, email })),
      by,
    )
  return campaigns.map(({ id }) => id)
}

/** Ascending id. On SQLite each answers at once, so others get their turn between them. */
async function* campaignsOf({ configuration }: PersonStore, accountId: number): AsyncGenerator<Campaign> {
  const everyOne = { limit: Number.MAX_SAFE_INTEGER, afterId: 0, isDraft: null }
  for (const { id } of await configuration.listCampaigns(accountId, everyOne)) {
    await nextTurn()
    const campaign = await configuration.findCampaign(id)
    if (campaign !== undefined) yield campaign
  }
}

/** Jumps from one possible spelling to the next: an index that ignores case would cost every lead. */
async function* leadsOf(store: PersonStore, accountId: number, email: string) {
  for await (const campaign of campaignsOf(store, accountId)) {
    let spelling = nextSpelling(email, '')
    while (spelling !== undefined) {
      await nextTurn()
      const lead = await store.leads.find(campaign, spelling)
      if (lead !== undefined) yield { campaign, lead }
      const [after] = await store.leads.list(campaign, { prefix: '', afterEmail: spelling, limit: 1 })
      spelling = after && nextSpelling(email, after.email)
    }
  }
}

/** A lead as the command line shows it. */
export function leadDocument({ campaign, lead, offer }: LeadView) {
  return {
    campaignId: campaign.id,
    email: lead.email,
    ref: lead.ref,
    registeredAt: formatInstant(lead.registeredAt),
    state: offer.state,
    opensAt: instantOrNull(offer.opensAt),
    deadline: instantOrNull(offer.deadline),
    attempt: offer.attempt,
    cycle: offer.cycle,
    setByHand: lead.attempt.byHand !== null,
  }
}

/** A person as JSON: everything that is kept of each lead. */
export function personDocument({ leads, otherSpellings }: Person) {
  return { leads: leads.map(wholeLead), otherSpellings: otherSpellings.map(wholeLead) }
}

function wholeLead({ counts, orders, ...found }: PersonLead) {
  const { campaign, lead } = found
  const { anchorAt, resets, opensAt, deadlineAt, byHand } = lead.attempt
  return {
    ...leadDocument(found),
    campaignName: campaign.name,
    timeZone: campaign.timeZone,
    startedAt: instantOrNull(anchorAt),
    ruleId: lead.ruleId,
    resets,
    opensAtByRules: instantOrNull(opensAt),
    deadlineByRules: instantOrNull(deadlineAt),
    setByHandAt: instantOrNull(byHand?.setAt ?? null),
    conversions: orders.map(wholeOrder),
    days: counts.map(({ day, kind, fetcher, total }) => ({ day: dateOf(day), kind, fetcher, total })),
  }
}

function wholeOrder(order: Conversion) {
  const { attempt, cycle, source, closedAt, replacedDeadlineAt, replacedSetAt } = order
  return {
    ...conversionDocument(order),
    attempt,
    cycle,
    source,
    closedAt: instantOrNull(closedAt),
    replacedDeadline: instantOrNull(replacedDeadlineAt),
    replacedSetAt: instantOrNull(replacedSetAt),
  }
}
