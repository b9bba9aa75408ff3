import type { Fault } from '../core/fault.ts'
import { type Day, dayOf, parseDate } from '../core/mechanism/calendar.ts'
import { zoneOf } from '../core/mechanism/zone.ts'
import { checkOrder, conversionDocument, isOrderId, orderIdWanted } from '../core/order.ts'
import { convert, reverse } from '../leads/conversions.ts'
import { mostReportDays, reportOf } from '../leads/report.ts'
import type { Actor } from '../store/audit.ts'
import type { Source } from '../store/conversions.ts'
import type { Campaign, LeadRefusal } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import {
  anyText,
  type Command,
  commandActor,
  emailText,
  idNumber,
  need,
  needCampaign,
  readArguments,
  trueOrFalse,
  WrongCall,
  withStore,
} from './command.ts'
import { csvRows, type LineRefusal } from './leads.ts'
import { now } from './now.ts'
import { printPages } from './print.ts'
import { progress } from './progress.ts'

const pageSize = 1_000

const order = { order: anyText, amount: anyText, currency: anyText, at: anyText }

/** Tells of an order of one lead. */
export const convertLead: Command = async (args) => {
  const { options } = readArguments(args, { ...order, campaign: idNumber, email: emailText })
  const { campaign: campaignId, order: orderId, ...given } = options
  const told = { ...given, email: need(given.email, '--email'), orderId: need(orderId, '--order') }
  return withStore(async (store) => {
    const campaign = await needCampaign(store, need(campaignId, '--campaign'), '--campaign')
    const result = await tell(store, campaign, told, 'command line', commandActor())
    if (typeof result === 'string') throw new WrongCall(`--email: ${refusals[result]}`)
    if ('faults' in result) throw new WrongCall(faultText(result.faults, '--').replace('--orderId', '--order'))
    return { ...conversionDocument(result.conversion), created: result.created }
  })
}

export const listConversions: Command = async (args) => {
  const { options } = readArguments(args, { campaign: idNumber })
  const campaignId = need(options.campaign, '--campaign')
  await withStore(async (store) => printPages(pages(store, await needCampaign(store, campaignId, '--campaign'))))
}

async function* pages(store: Store, campaign: Campaign) {
  let afterId = 0
  for (;;) {
    const found = await store.conversions.list(campaign, afterId, pageSize)
    yield found.map(conversionDocument)
    if (found.length < pageSize) return
    afterId = found.at(-1)?.id as number
  }
}

const day = (text: string, name: string): Day => {
  const parsed = parseDate(text)
  if (parsed === undefined) throw new WrongCall(`${name}: must be a date such as 2026-12-31`)
  return parsed
}

/** What the deadlines of a campaign are worth; the last 366 days where nothing else is asked for. */
export const campaignReport: Command = async (args) => {
  const { options, positionals } = readArguments(args, { from: day, to: day }, ['ID'])
  const id = idNumber(positionals[0] as string, 'ID')
  return withStore(async (store) => {
    const campaign = await needCampaign(store, id, 'ID')
    const to = options.to ?? dayOf(zoneOf(campaign.timeZone).toLocal(now()))
    const from = options.from ?? to - mostReportDays + 1
    if (from > to || to - from >= mostReportDays) {
      throw new WrongCall(`--from: must be at most ${mostReportDays - 1} days before --to, and not after it`)
    }
    return reportOf(store, campaign, from, to)
  })
}

/** Counts an order out, as after a refund. */
export const reverseConversion: Command = async (args) => {
  const { options } = readArguments(args, { campaign: idNumber, order: anyText, reopen: trueOrFalse })
  const orderId = need(options.order, '--order')
  if (!isOrderId(orderId)) throw new WrongCall(`--order: must be ${orderIdWanted}`)
  return withStore(async (store) => {
    const campaign = await needCampaign(store, need(options.campaign, '--campaign'), '--campaign')
    const of = { accountId: campaign.accountId, campaignId: campaign.id }
    const result = await reverse(store, of, orderId, options.reopen ?? false, now(), commandActor())
    if (typeof result === 'string') throw new WrongCall('--order: the campaign has no such order')
    return conversionDocument(result)
  })
}

const columns = ['email', 'ref', 'orderId', 'amount', 'currency', 'at']

/** Orders of a CSV file, whose first line names the columns. What is refused is told by its line. */
export const importConversions: Command = async (args) => {
  const { options, positionals } = readArguments(args, { campaign: idNumber }, ['FILE'])
  const campaignId = need(options.campaign, '--campaign')
  return withStore(async (store) => {
    const campaign = await needCampaign(store, campaignId, '--campaign')
    const result = { created: 0, existing: 0, refused: [] as LineRefusal[] }
    const show = progress('orders imported')
    const by = commandActor()
    const rows = csvRows(positionals[0] as string, result.refused, isComplete, 'columns orderId and email or ref')
    for await (const { cells, line } of rows) {
      const given = Object.fromEntries(columns.map((name) => [name, cells[name] || undefined]))
      // One after the other: which of a lead's orders ends the offer depends on it.
      const told = await tell(store, campaign, given, 'import', by)
      if (told === 'CAMPAIGN_NOT_FOUND') throw new WrongCall('--campaign: the campaign was deleted')
      if (typeof told === 'string') result.refused.push({ line, reason: refusals[told] })
      else if ('faults' in told) result.refused.push({ line, reason: faultText(told.faults) })
      else if (told.created) result.created += 1
      else result.existing += 1
      show(result.created + result.existing)
    }
    show.end()
    return result
  })
}

const isComplete = (names: string[]) => names.includes('orderId') && (names.includes('email') || names.includes('ref'))

async function tell(store: Store, { accountId, id }: Campaign, given: object, source: Source, by: Actor) {
  const checked = checkOrder(given, now())
  if (checked.faults !== undefined) return checked
  return convert(store, { accountId, campaignId: id }, { ...checked, source }, now(), by)
}

/** Never the email itself, which ends up in logs and tickets. */
const refusals: Record<LeadRefusal, string> = {
  CAMPAIGN_NOT_FOUND: 'the campaign was deleted',
  CAMPAIGN_NOT_PUBLISHED: 'the campaign is a draft',
  LEAD_NOT_FOUND: 'this lead is not registered in the campaign',
}

const faultText = ([fault]: readonly Fault[], dashes = ''): string => `${dashes}${fault?.path} ${fault?.message}`
