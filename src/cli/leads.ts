import { openConfigCache } from '../campaigns/config-cache.ts'
import { removeWhole } from '../campaigns/deleted.ts'
import { csvLine } from '../core/csv.ts'
import { type EmailFault, emailFault, emailMaxLength } from '../core/email.ts'
import { parseInstant, type Seconds } from '../core/instant.ts'
import { fieldName, mailServiceNames } from '../core/mail-services.ts'
import type { OfferTools } from '../core/offer.ts'
import { conversionDocument } from '../core/order.ts'
import { openCounting } from '../leads/counting.ts'
import { exportCells, exportColumns, exportLine, lacksDeadline, linkedPages } from '../leads/export.ts'
import { buildLeads, idsOf, type Leads, type LeadView, type Registration, view } from '../leads/leads.ts'
import { erasePerson, findPerson, leadDocument, personDocument } from '../leads/person.ts'
import type { Campaign, Lead } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { emailText, idNumber, need, oneOf, readArguments } from './arguments.ts'
import { type Command, commandActor, publicAddress, warnOfAddress, withAccount, withCampaign } from './command.ts'
import { csvRows } from './csv-rows.ts'
import { writeOutput } from './files.ts'
import { type Import, importing } from './importing.ts'
import { secondsNow } from './now.ts'
import { pagesOf, printPages } from './print.ts'
import { leavingTurns } from './turns.ts'
import { WrongCall } from './wrong-call.ts'

const importBatch = 500

export const listLeads: Command = async (args) => {
  const { options } = readArguments(args, { campaign: idNumber })
  return withCampaign(options.campaign, (store, campaign) => printPages(leadPages(store, campaign, leadDocument)))
}

const service = oneOf(mailServiceNames)

/** A CSV file for mail services: its headings are the fields that the mail's HTML names. */
export const exportLeads: Command = async (args) => {
  const { options, positionals } = readArguments(args, { campaign: idNumber, service }, 'FILE')
  return withCampaign(options.campaign, async (store, campaign) => {
    const account = await store.configuration.findAccount(campaign.accountId)
    const tools = { publicUrl: publicAddress(), countdownTools: account?.countdownTools ?? true }
    const mailService = options.service ?? 'other'
    const columns = exportColumns(campaign, mailService)
    let [exported, withoutEnd, over] = [0, 0, 0]
    async function* lines() {
      // The byte order mark, by which spreadsheets recognise UTF-8.
      yield `\uFEFF${csvLine(columns)}`
      for await (const page of leadPages(store, campaign, exportLine)) {
        exported += page.length
        withoutEnd += page.filter((line) => lacksDeadline(campaign, line, secondsNow())).length
        over += page.filter(({ state }) => state === 'expired').length
        yield page.map((line) => csvLine(exportCells(campaign, line, tools))).join('')
      }
    }
    await writeOutput(positionals[0], lines())
    const fault = faultOfLinks(campaign, tools, account?.suspended ?? false)
    const lacks = lacksOf(campaign)
    for (const said of fault === undefined ? lacks : [fault]) console.error(`lastcall: ${said}`)
    if (fault === undefined && lacks.length < 2) warnOfAddress()
    if (withoutEnd > 0) {
      const field = fieldName(mailService, 'LC_END')
      console.error(`lastcall: ${field} is empty for ${withoutEnd} of ${exported} leads: their offer has not begun`)
    }
    if (over > 0) console.error(`lastcall: the offer is over for ${over} of ${exported} leads: their state is expired`)
    return { exported, columns }
  })
}

/** What else would be noticed only in the mails: the file is whole either way. */
function faultOfLinks({ isDraft }: Campaign, { countdownTools }: OfferTools, isSuspended: boolean) {
  if (isSuspended) return 'links lead nowhere and countdowns are empty: the account is suspended'
  if (isDraft) return 'links and countdowns are empty: the campaign is a draft'
  return countdownTools ? undefined : 'links and countdowns are empty: the countdown tools of the account are off'
}

/** The columns that are empty for every lead, if nothing else is wrong. */
function lacksOf(campaign: Campaign): string[] {
  const lacks = []
  if (linkedPages(campaign).length === 0) lacks.push('links are empty: mails link to no page of the campaign')
  if (campaign.mailTimer === null) lacks.push('countdowns are empty: the campaign has no mail timer')
  return lacks
}

const leadPages = <Of>(store: Store, campaign: Campaign, of: (lead: LeadView) => Of) =>
  pagesOf(
    (limit, last?: Lead) => store.leads.list(campaign, { prefix: '', afterEmail: last?.email ?? '', limit }),
    (lead) => of(view(campaign, lead, secondsNow())),
  )

export const showLead: Command = async (args) => {
  const { options } = readArguments(args, { campaign: idNumber, email: emailText })
  const email = need(options.email, '--email')
  return withCampaign(options.campaign, async (store, campaign) =>
    found(store, await leadsOn(store).lookUp(idsOf(campaign), email, secondsNow())),
  )
}

export const setLeadDeadline: Command = async (args) => {
  const { options } = readArguments(args, { at: instantOrNone, campaign: idNumber, email: emailText })
  const email = need(options.email, '--email')
  const at = need(options.at, '--at')
  return withCampaign(options.campaign, async (store, campaign) =>
    found(store, await leadsOn(store).setDeadline(idsOf(campaign), email, at, commandActor())),
  )
}

const leadsOn = (store: Store): Leads => buildLeads(store, openConfigCache(store), () => {})

/** In one campaign, or in all of an account. */
export const eraseLead: Command = async (args) => {
  const { options } = readArguments(args, { account: idNumber, campaign: idNumber, email: emailText })
  const { account: accountId, campaign: campaignId } = options
  if ((accountId === undefined) === (campaignId === undefined)) {
    throw new WrongCall('give either --campaign or, for all campaigns, --account')
  }
  const email = need(options.email, '--email')
  return accountId === undefined
    ? withCampaign(campaignId, (store, campaign) => eraseIn(store, campaign, email))
    : withAccount(accountId, (store) => eraseInAll(store, accountId, email))
}

async function eraseIn(store: Store, campaign: Campaign, email: string) {
  const erased = await store.leads.erase([{ campaign, email }], commandActor())
  // Even if there was no such lead: it may have been erased in the panel, or by a call that was stopped halfway.
  await store.leads.eraseTraces(email)
  if (erased === 0) throw notRegistered('in the campaign')
  return { erased: true }
}

async function eraseInAll(store: Store, accountId: number, email: string) {
  const campaignIds = await erasePerson(store, accountId, email, commandActor())
  // A campaign that was deleted has its leads until the last of them is removed, though nobody finds them.
  const leaveTurns = leavingTurns()
  for (const deleted of await store.configuration.deletedCampaigns()) {
    if (deleted.accountId === accountId) await removeWhole(store.configuration, deleted, leaveTurns)
  }
  await store.leads.eraseTraces(email)
  if (campaignIds.length === 0) throw notRegistered('in any campaign of the account')
  return { erased: true, campaignIds }
}

/** All that is kept of one person in the account's campaigns. */
export const findLead: Command = async (args) => {
  const { options } = readArguments(args, { account: idNumber, email: emailText })
  const email = need(options.email, '--email')
  return withAccount(options.account, async (store, accountId) =>
    personDocument(await findPerson(store, accountId, email, secondsNow())),
  )
}

const instantOrNone = (text: string): Seconds | null => {
  if (text === 'none') return null
  const at = parseInstant(text)
  if (at === undefined) throw new WrongCall('--at: must be an instant such as 2026-06-05T03:59:00Z, or none')
  return at
}

async function found(store: Store, result: LeadView | string) {
  if (typeof result === 'string') throw notRegistered('in the campaign')
  const orders = await store.conversions.ofLead(result.campaign, result.lead.id)
  return { ...leadDocument(result), conversions: orders.map(conversionDocument) }
}

function notRegistered(where: string): WrongCall {
  return new WrongCall(`--email: this email is not registered ${where}`)
}

export const importLeads: Command = async (args) => {
  const { options, positionals } = readArguments(args, { campaign: idNumber }, 'FILE')
  return withCampaign(options.campaign, async (store, campaign) => {
    const cache = openConfigCache(store)
    const of = idsOf(campaign)
    const by = commandActor()
    const write = async (batch: string[], took: (one: Registration) => void, lose: Import['lose']) => {
      // Counted with each batch: if a later one stops the import, these leads stay.
      const counting = openCounting(store, lose)
      const leads = buildLeads(store, cache, counting.stepped)
      const writing = batch.map((email) => leads.importLead(of, email, secondsNow(), by))
      // On PostgreSQL a batch is several statements: where one fails, the leads of the others are there, and counted.
      for (const one of await Promise.allSettled(writing)) {
        if (one.status === 'fulfilled' && typeof one.value !== 'string') took(one.value)
      }
      await counting.close()
      const isDeleted = (await Promise.all(writing)).some((registration) => typeof registration === 'string')
      if (isDeleted) throw new WrongCall('--campaign: the campaign was deleted')
    }
    return importing('leads taken', async ({ take, refuse, lose }) => {
      for await (const batch of emailBatches(positionals[0], refuse)) await take((took) => write(batch, took, lose))
    })
  })
}

/** The valid emails of a CSV file, some at a time; the others are refused. @throws WrongCall */
async function* emailBatches(file: string, refuse: Import['refuse']): AsyncGenerator<string[]> {
  let batch: string[] = []
  const hasEmail = (names: string[]) => names.includes('email')
  for await (const { cells, line } of csvRows(file, ['email'], hasEmail, 'a column email')) {
    const { email } = cells
    const fault = emailFault(email)
    if (fault !== undefined) refuse(line, reasons[fault])
    else if (batch.push(email as string) === importBatch) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

/** Never the email itself, which ends up in logs and tickets. */
const reasons: Record<EmailFault, string> = {
  missing: 'email is missing',
  tooLong: `email is longer than ${emailMaxLength} characters`,
  padded: 'blanks before or after the email',
  notAnEmail: 'not an email address in ASCII',
}
