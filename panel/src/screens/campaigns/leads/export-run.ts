import { call } from '../../../api.ts'
import type { Settings } from '../use-campaign.ts'
import { csvFile, csvLine, isFormula } from './csv.ts'
import type { Filter, Lead } from './use-leads.ts'

const pageSize = 1_000
const timers = ['en', 'pl'] as const

/** As far as it got. */
export type Exported = {
  read: number
  count: number
  /** Addresses that a spreadsheet would have carried out. */
  marked: number
  afterEmail: string | null
  afterAt: number | null
  name: string
  parts: string[]
  file(): Blob
}

/** Asks page by page, from where `before` ended. @throws CallFailed */
export async function* exportLeads(
  settings: Settings,
  filter: Filter,
  before: Exported | null,
  signal: AbortSignal,
): AsyncGenerator<Exported, void> {
  const pageIds = settings.pages.map(({ id }) => id)
  let exported = before ?? begun(settings, pageIds)
  while (exported.afterEmail !== null) {
    signal.throwIfAborted()
    const { afterEmail, afterAt } = exported
    const body = { ...filter, afterEmail, afterAt, limit: pageSize, withLinks: true }
    const asked = { params: { campaignId: settings.id }, body }
    const page = await call('POST /campaigns/:campaignId/leads/search', asked, signal)
    exported.parts.push(page.leads.map((lead) => lineOf(lead, pageIds)).join(''))
    exported = {
      ...exported,
      read: exported.read + page.read,
      count: exported.count + page.leads.length,
      marked: exported.marked + page.leads.filter(({ email }) => isFormula(email)).length,
      afterEmail: page.afterEmail,
      afterAt: page.afterAt,
    }
    yield exported
  }
}

function begun({ id }: Settings, pageIds: number[]): Exported {
  const links = pageIds.map((pageId) => `link_${pageId}`)
  const columns = ['email', 'state', 'opensAt', 'deadline', 'setByHand', 'registeredAt', 'attempt', 'cycle', 'ref']
  const parts = [csvLine([...columns, ...links, ...timers.map((language) => `countdown_${language}`)])]
  const name = `campaign-${id}-leads-${new Date().toISOString().slice(0, 10)}.csv`
  return { read: 0, count: 0, marked: 0, afterEmail: '', afterAt: null, name, parts, file: () => csvFile(parts) }
}

function lineOf(lead: Lead, pageIds: number[]): string {
  const { email, state, opensAt, deadline, setByHand, registeredAt, attempt, cycle, ref, offer } = lead
  const links = pageIds.map((id) => offer?.links.find(({ pageId }) => pageId === id)?.url ?? null)
  const images = timers.map((name) => offer?.timers.find(({ language }) => language === name)?.url ?? null)
  const facts = [email, state, instant(opensAt), instant(deadline), String(setByHand), instant(registeredAt)]
  return csvLine([...facts, attempt, cycle, ref, ...links, ...images])
}

function instant(at: number | null): string | null {
  return at === null ? null : new Date(at * 1_000).toISOString().replace('.000', '')
}
