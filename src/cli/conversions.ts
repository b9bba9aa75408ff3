import { dayRange } from '../core/day-range.ts'
import type { Fault } from '../core/fault.ts'
import { dayOf } from '../core/mechanism/calendar.ts'
import { zoneOf } from '../core/mechanism/zone.ts'
import { type Conversion, checkOrder, conversionDocument, isOrderId, orderIdWanted } from '../core/order.ts'
import { convert, reverse } from '../leads/conversions.ts'
import { idsOf } from '../leads/leads.ts'
import { reportOf } from '../leads/report.ts'
import type { Actor } from '../store/audit.ts'
import type { Source } from '../store/conversions.ts'
import type { Campaign } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { anyText, emailText, idNumber, need, readArguments, trueOrFalse } from './arguments.ts'
import { type Command, commandActor, withCampaign } from './command.ts'
import { csvRows } from './csv-rows.ts'
import { importing } from './importing.ts'
import { secondsNow } from './now.ts'
import { pagesOf, printPages } from './print.ts'
import { WrongCall } from './wrong-call.ts'

const order = { order: anyText, amount: anyText, currency: anyText, at: anyText }

/** Records an order of one lead. */
export const convertLead: Command = async (args) => {
  const { options } = readArguments(args, { ...order, campaign: idNumber, email: emailText })
  const { campaign: campaignId, order: orderId, ...given } = options
  const told = { ...given, email: need(given.email, '--email'), orderId: need(orderId, '--order') }
  return withCampaign(campaignId, async (store, campaign) => {
    const result = await tell(store, campaign, told, 'command line', commandActor())
    if (result === 'LEAD_NOT_FOUND') throw new WrongCall(`--email: ${notRegistered}`)
    if ('faults' in result) throw new WrongCall(`--${faultText(result.faults, ': ').replace(/^orderId/, 'order')}`)
    return { ...conversionDocument(result.conversion), created: result.created }
  })
}

export const listConversions: Command = async (args) => {
  const { options } = readArguments(args, { campaign: idNumber })
  return withCampaign(options.campaign, ({ conversions }, campaign) => {
    const read = (limit: number, last?: Conversion) => conversions.list(campaign, last?.id ?? 0, limit)
    return printPages(pagesOf(read, conversionDocument))
  })
}

/** What the deadlines of a campaign are worth; by default in the last 366 days. */
export const campaignReport: Command = async (args) => {
  const { options, positionals } = readArguments(args, { from: anyText, to: anyText }, 'ID')
  const work = async (store: Store, campaign: Campaign) => {
    const range = dayRange(options, dayOf(zoneOf(campaign.timeZone).toLocal(secondsNow())))
    if ('message' in range) {
      const last = options.to === undefined ? 'today, as there is no --to' : '--to'
      throw new WrongCall(`--${range.path}: ${range.message.replace(/\bto$/, last)}`)
    }
    return reportOf(store, campaign, range.from, range.to)
  }
  return withCampaign(idNumber(positionals[0], 'ID'), work, 'ID')
}

/** Reverses an order, as after a refund. */
export const reverseConversion: Command = async (args) => {
  const { options } = readArguments(args, { campaign: idNumber, order: anyText, reopen: trueOrFalse })
  const orderId = need(options.order, '--order')
  if (!isOrderId(orderId)) throw new WrongCall(`--order: must be ${orderIdWanted}`)
  return withCampaign(options.campaign, async (store, campaign) => {
    const of = idsOf(campaign)
    const result = await reverse(store, of, orderId, options.reopen ?? false, secondsNow(), commandActor())
    if (typeof result === 'string') throw new WrongCall('--order: the campaign has no such order')
    return conversionDocument(result)
  })
}

const columns = ['email', 'ref', 'orderId', 'amount', 'currency', 'at']

/** Orders of a CSV file, whose first line names the columns. Refused ones are listed by their line. */
export const importConversions: Command = async (args) => {
  const { options, positionals } = readArguments(args, { campaign: idNumber }, 'FILE')
  return withCampaign(options.campaign, async (store, campaign) => {
    const by = commandActor()
    const rows = csvRows(positionals[0], columns, isComplete, 'columns orderId and email or ref')
    return importing('orders taken', async ({ take, refuse }) => {
      for await (const { cells, line } of rows) {
        const given = Object.fromEntries(columns.map((name) => [name, cells[name] || undefined]))
        // With the replacement character for unreadable bytes, two orders could become one.
        if (Object.values(given).some((cell) => cell?.includes('\ufffd'))) {
          refuse(line, 'not in UTF-8')
          continue
        }
        // One after the other: the order decides which of a lead's purchases ends the offer.
        await take(async (took) => {
          const told = await tell(store, campaign, given, 'import', by)
          if (typeof told === 'string') refuse(line, notRegistered)
          else if ('faults' in told) refuse(line, faultText(told.faults))
          else took(told)
        })
      }
    })
  })
}

const isComplete = (names: string[]) => names.includes('orderId') && (names.includes('email') || names.includes('ref'))

async function tell(store: Store, campaign: Campaign, given: object, source: Source, by: Actor) {
  const checked = checkOrder(given, secondsNow())
  if (checked.faults !== undefined) return checked
  const told = await convert(store, idsOf(campaign), { ...checked, source }, secondsNow(), by)
  if (told === 'CAMPAIGN_NOT_FOUND') throw new WrongCall('--campaign: the campaign was deleted')
  return told
}

/** Never the email itself, which ends up in logs and tickets. */
const notRegistered = 'this lead is not registered in the campaign'

const faultText = ([fault]: readonly Fault[], between = ' '): string => `${fault?.path}${between}${fault?.message}`
