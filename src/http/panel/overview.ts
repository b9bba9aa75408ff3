// What an account sees first: what happened by day, and what needs attention.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Seconds } from '../../core/instant.ts'
import { begin, offerAt } from '../../core/mechanism/attempt.ts'
import { isVisitorName } from '../../core/visitor.ts'
import { type Kind, kinds } from '../../store/counts.ts'
import type { Campaign } from '../../store/store.ts'
import { forReader, type PanelParts } from './route.ts'

const daysShown = 30
const daySeconds = 86_400
/** Campaigns that are looked at, the newest first, and leads of which the state is derived. */
const mostCampaigns = 50
const mostLeads = 5_000
const leadsAtOnce = 500

/** Something that a customer would want to mend; of a campaign, or of the account. */
export type Attention =
  | { what: 'NO_CAMPAIGN' | 'NO_KEY' | 'TOOLS_OFF'; campaignId: null; name: null }
  | { what: 'NO_PAGE' | 'WIDGET_NEVER_SEEN' | 'OVER' | 'NO_DEADLINE'; campaignId: number; name: string }

export const overviewRoutes = {
  ...forReader('GET /overview', {
    async run({ session, parts, now }) {
      const { account } = session
      const campaigns = await newestCampaigns(parts, account.id)
      const published = campaigns.filter(({ isDraft }) => !isDraft)
      const today = Math.floor(now / daySeconds)
      return {
        days: await countsByDay(parts, account.id, today),
        campaigns: { published: published.length, drafts: campaigns.length - published.length },
        open: await openOffers(parts, published, now),
        attention: [
          ...(await ofAccount(parts, account, campaigns)),
          ...(await Promise.all(published.map((campaign) => ofCampaign(parts, campaign, now)))).flat(),
        ],
      }
    },
  }),
}

async function newestCampaigns({ store }: PanelParts, accountId: number): Promise<Campaign[]> {
  const all = await store.listCampaigns(accountId, { limit: 10_000, afterId: 0, isDraft: null })
  const found = await Promise.all(all.slice(-mostCampaigns).map(({ id }) => store.findCampaign(id)))
  return found.filter((campaign) => campaign !== undefined).reverse()
}

/** The last thirty days, each with a number for every kind. */
async function countsByDay({ store }: PanelParts, accountId: number, today: number) {
  const counts = await store.readAccountCounts(accountId, today - daysShown + 1)
  return Array.from({ length: daysShown }, (_, index) => {
    const day = today - daysShown + 1 + index
    const totalOf = (kind: Kind) =>
      counts.find((count) => count.day === day && count.kind === kind)?.total ?? 0
    const totals = Object.fromEntries(kinds.map((kind) => [kind, totalOf(kind)])) as Record<Kind, number>
    return { date: new Date(day * daySeconds * 1_000).toISOString().slice(0, 10), ...totals }
  })
}

/** States are derived, so only so many leads are looked at; `isAll` says whether those are all. */
async function openOffers({ store }: PanelParts, campaigns: Campaign[], now: Seconds) {
  let read = 0
  let open = 0
  for (const campaign of campaigns) {
    let afterEmail = ''
    for (;;) {
      if (read >= mostLeads) return { open, read, isAll: false }
      const leads = await store.listLeads(campaign, { prefix: '', afterEmail, limit: leadsAtOnce })
      read += leads.length
      const isOpen = (lead: (typeof leads)[number]) =>
        !isVisitorName(lead.email) && offerAt(campaign.schedule, lead.attempt, now).state === 'open'
      open += leads.filter(isOpen).length
      if (leads.length < leadsAtOnce) break
      afterEmail = leads.at(-1)?.email as string
      await nextTurn()
    }
  }
  return { open, read, isAll: true }
}

async function ofAccount(
  { store }: PanelParts,
  account: { id: number; countdownTools: boolean },
  campaigns: Campaign[],
): Promise<Attention[]> {
  const found: Attention[] = []
  const add = (what: 'NO_CAMPAIGN' | 'NO_KEY' | 'TOOLS_OFF') =>
    found.push({ what, campaignId: null, name: null })
  if (!account.countdownTools) add('TOOLS_OFF')
  if (campaigns.length === 0) add('NO_CAMPAIGN')
  const keys = await store.listKeys(account.id)
  if (!keys.some(({ revokedAt }) => revokedAt === null)) add('NO_KEY')
  return found
}

async function ofCampaign({ store }: PanelParts, campaign: Campaign, now: Seconds): Promise<Attention[]> {
  const { id: campaignId, name, pages, schedule } = campaign
  const found: Attention[] = []
  const add = (what: 'NO_PAGE' | 'WIDGET_NEVER_SEEN' | 'OVER' | 'NO_DEADLINE') =>
    found.push({ what, campaignId, name })
  if (!pages.some(({ eligible }) => eligible)) add('NO_PAGE')
  else if ((await store.readSightings(campaign)).size === 0) add('WIDGET_NEVER_SEEN')
  const { kind } = schedule.mechanism.deadline
  if (kind === 'none') add('NO_DEADLINE')
  if (kind === 'fixed' && offerAt(schedule, begin(schedule, now), now).state === 'expired') add('OVER')
  return found
}
