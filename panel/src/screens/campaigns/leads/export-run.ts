import { CallFailed, call } from '../../../api.ts'
import { csvFile, csvLine, isFormula } from '../../../parts/csv.ts'
import { ownZone, todayIn } from '../../../parts/local-time.ts'
import type { MailService } from '../timer/use-mail-service.ts'
import type { Settings } from '../use-campaign.ts'
import type { Filter, Step } from './use-leads.ts'

const pageSize = 1_000

/** As far as it got. */
export type Exported = {
  read: number
  count: number
  /** Addresses that a spreadsheet would have carried out. */
  marked: number
  /** Leads whose mail would name no deadline, where the HTML for mails says when the offer ends. */
  endless: number
  /** Leads whose mail would name a deadline that has passed. */
  over: number
  afterEmail: string | null
  afterDeadline: Step['afterDeadline']
  /** Of the campaign that the headings are of. */
  revision: string
  name: string
  parts: (string | Blob)[]
  file(): Blob
}

/**
 * Asks page by page, from where `before` ended. The headings are the fields of the mail service, and are asked for once:
 * where the campaign was changed since, links of a later page would stand below the headings of others. @throws CallFailed
 */
export async function* exportLeads(
  settings: Settings,
  filter: Filter,
  service: MailService,
  before: Exported | null,
  signal: AbortSignal,
): AsyncGenerator<Exported, void> {
  let exported = before ?? (await begun(settings, service, signal))
  while (exported.afterEmail !== null) {
    signal.throwIfAborted()
    const { afterEmail, afterDeadline } = exported
    const body = { ...filter, afterEmail, afterDeadline, limit: pageSize }
    const asked = { params: { campaignId: settings.id }, body }
    const page = await call('POST /campaigns/:campaignId/leads/export', asked, signal)
    if (page.revision !== exported.revision) throw new CallFailed(undefined, 'CHANGED_MEANWHILE')
    // The browser may keep a Blob on disk; as text a million leads would stay in the memory of the tab.
    exported.parts.push(new Blob([page.leads.map(({ cells }) => csvLine(cells)).join('')]))
    exported = {
      ...exported,
      read: exported.read + page.read,
      count: exported.count + page.leads.length,
      marked: exported.marked + page.leads.filter(({ email }) => isFormula(email)).length,
      endless: exported.endless + page.leads.filter(({ lacksDeadline }) => lacksDeadline).length,
      over: exported.over + page.leads.filter(({ isOver }) => isOver).length,
      afterEmail: page.afterEmail,
      afterDeadline: page.afterDeadline,
    }
    yield exported
  }
}

async function begun({ id }: Settings, service: MailService, signal: AbortSignal): Promise<Exported> {
  const params = { campaignId: id }
  const { columns, revision } = await call('GET /campaigns/:campaignId/mail', { params, query: { service } }, signal)
  const parts: (string | Blob)[] = [csvLine(columns)]
  const name = `campaign-${id}-leads-${todayIn(ownZone)}.csv`
  const none = { read: 0, count: 0, marked: 0, endless: 0, over: 0, afterEmail: '', afterDeadline: null }
  return { ...none, revision, name, parts, file: () => csvFile(parts) }
}
