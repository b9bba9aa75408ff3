import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { openConfigCache } from '../campaigns/config-cache.ts'
import { removeWhole } from '../campaigns/deleted.ts'
import { csvLine, withoutMark } from '../core/csv.ts'
import { type EmailFault, emailFault, emailMaxLength } from '../core/email.ts'
import { parseInstant, type Seconds } from '../core/instant.ts'
import { fieldName, mailServiceNames } from '../core/mail-services.ts'
import type { OfferTools } from '../core/offer.ts'
import { conversionDocument } from '../core/order.ts'
import { openCounting } from '../leads/counting.ts'
import { exportCells, exportColumns, exportLine, lacksDeadline, linkedPages, ownFacts } from '../leads/export.ts'
import { buildLeads, idsOf, type Leads, type LeadView, type Registration, view } from '../leads/leads.ts'
import { erasePerson, findPerson, leadDocument, personDocument } from '../leads/person.ts'
import type { Campaign, Lead } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import {
  type Command,
  commandActor,
  emailText,
  idNumber,
  inputStream,
  nameOf,
  need,
  oneOf,
  publicAddress,
  readArguments,
  WrongCall,
  warnOfAddress,
  withAccount,
  withCampaign,
  writeOutput,
} from './command.ts'
import { secondsNow } from './now.ts'
import { pagesOf, printPages } from './print.ts'
import { progress } from './progress.ts'
import { leavingTurns } from './turns.ts'

const importBatch = 500
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

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

const maxLineBytes = 65_536

/** Refused lines that are listed; more are counted. */
const refusedListed = 10_000

type Imported = { created: number; existing: number; refused: { line: number; reason: string }[]; moreRefused?: number }

type Import = {
  refuse(line: number, reason: string): void
  /** Counts of leads that are there, and could not be stored. */
  lose(counts: number): void
  /** A signal waits until the present batch is stored and counted. `took` is called for each that is, if others fail too. */
  take(write: (took: (one: { created: boolean }) => void) => Promise<void>): Promise<void>
}

/** The outcome of a file's lines, counted on the terminal. A signal ends the import, and says how far it came. */
export async function importing(what: string, work: (on: Import) => Promise<void>): Promise<Imported> {
  const result: Imported = { created: 0, existing: 0, refused: [] }
  const show = progress()
  const leaveTurns = leavingTurns()
  const taken = () => `${result.created} created, ${result.existing} existing`
  let isTaking = false
  let signal: NodeJS.Signals | undefined
  let lost = 0
  const end = () => {
    show.end()
    if (lost > 0) console.error(`lastcall: ${lost} counts could not be stored: statistics and results lack them`)
  }
  const stop = () => {
    end()
    console.error(`lastcall: stopped by ${signal}: ${taken()}, which stays so; import the file again for the rest`)
    process.exit(1)
  }
  const onSignal = (name: NodeJS.Signals) => {
    signal = name
    if (!isTaking) stop()
  }
  for (const name of stopSignals) process.on(name, onSignal)
  try {
    await work({
      refuse(line, reason) {
        if (result.refused.length < refusedListed) result.refused.push({ line, reason })
        else result.moreRefused = (result.moreRefused ?? 0) + 1
      },
      lose(counts) {
        lost += counts
      },
      async take(write) {
        isTaking = true
        await write(({ created }) => {
          result[created ? 'created' : 'existing'] += 1
        })
        isTaking = false
        show(what, result.created + result.existing)
        if (signal !== undefined) stop()
        await leaveTurns()
      },
    })
    return result
  } catch (error) {
    // More of the present batch may be stored: a database that is lost does not say.
    if (result.created + result.existing > 0) (error as Error).message += `; until then at least ${taken()}`
    throw error
  } finally {
    end()
    for (const name of stopSignals) process.off(name, onSignal)
  }
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

/**
 * The cells of `columns` in the lines below the heading, which must have what `wanted` says. The apostrophes of our own
 * files are removed. @throws WrongCall
 */
export async function* csvRows(
  file: string,
  columns: readonly string[],
  isComplete: (names: string[]) => boolean,
  wanted: string,
): AsyncGenerator<{ cells: Record<string, string | undefined>; line: number }> {
  let positions: [name: string, at: number][] | undefined
  let cellOf = (cell: string | undefined) => cell
  for await (const { record, line } of csvLines(file, columns)) {
    if (positions !== undefined) {
      yield { cells: Object.fromEntries(positions.map(([name, at]) => [name, cellOf(record[at])])), line }
      continue
    }
    const names = record.map((cell) => columnOf(cell, columns) ?? cell)
    if (!isComplete(names)) throw new WrongCall(`${nameOf(file)}: line ${line}: must name ${wanted}`)
    const twice = columns.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
    if (twice !== undefined)
      throw new WrongCall(`${nameOf(file)}: line ${line}: must name the column "${twice}" only once`)
    positions = columns.map((name) => [name, names.indexOf(name)])
    if (ownFacts.some((facts) => facts.every((name) => record.includes(name))))
      cellOf = (cell) => cell && withoutMark(cell)
  }
  if (positions === undefined) throw new WrongCall(`${nameOf(file)}: must have a first line with ${wanted}`)
}

/** The column that a cell of the heading names, in capitals or not: spreadsheets write `Email`. */
const columnOf = (cell: string, columns: readonly string[]) =>
  columns.find((name) => name.toLowerCase() === cell.toLowerCase())

/** A line that some programs put before the heading, to tell Excel the separator. */
const separatorLine = /^sep=([,;\t|])\n/i

/** The lines of a CSV file. @throws WrongCall, also when lines cannot be told apart any more */
async function* csvLines(file: string, columns: readonly string[]): AsyncGenerator<{ record: string[]; line: number }> {
  let lastLine = 0
  try {
    const pieces = unixLines(inputStream(file))
    // The whole first line, unless it is too long.
    let head = ''
    while (head.length < maxLineBytes && !/[^\n]\n/.test(head)) {
      const { value, done } = await pieces.next()
      if (done) break
      head += value
    }
    const named = separatorLine.exec(head)?.[1]
    const parser = parse({
      delimiter: named ?? delimiterOf(head, columns),
      from_line: named === undefined ? 1 : 2,
      info: true,
      relax_column_count: true,
      // A stray quote is part of its field, or the lines after it would become part of it too.
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: maxLineBytes,
      on_record: (record, { lines }) => {
        lastLine = lines
        return record
      },
    })
    parser.write(head)
    const input = Readable.from(pieces)
    input.on('error', (error) => parser.destroy(error))
    input.pipe(parser)
    for await (const { record, info } of parser) yield { record, line: info.lines }
  } catch (error) {
    if (error instanceof WrongCall) throw error
    if (error instanceof CsvError) {
      const what = `more than ${maxLineBytes} characters, or a quote that is not closed`
      const then = 'correct it and import the file again: what is there already stays as it is'
      throw new WrongCall(`${nameOf(file)}: line ${lastLine + 1}: ${what}; ${then}`)
    }
    const { code, message } = error as NodeJS.ErrnoException
    throw new WrongCall(`${nameOf(file)}: cannot be read (${code ?? message})`)
  }
}

/**
 * The text of a file, without byte order mark, with line feeds only: the parser expects all lines to end as the first
 * does, and counts a line end of two characters twice within quotes.
 */
async function* unixLines(stream: NodeJS.ReadableStream): AsyncGenerator<string, undefined> {
  let decoder: TextDecoder | undefined
  let kept = ''
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    decoder ??= new TextDecoder(encodingOf(chunk))
    const text = kept + decoder.decode(chunk, { stream: true })
    kept = text.endsWith('\r') ? '\r' : ''
    yield text.slice(0, text.length - kept.length).replaceAll(/\r\n?/g, '\n')
  }
  yield kept.replace('\r', '\n') + (decoder?.decode() ?? '')
}

/** Some spreadsheets write UTF-16, which the mark at its beginning tells. */
function encodingOf([first, second]: Buffer): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

/**
 * Spreadsheets separate by semicolons in countries with a decimal comma, and some by tabs. The first line shows which:
 * split by the right one, it has `columns`.
 */
function delimiterOf(head: string, columns: readonly string[]): string {
  // Before looking for the line's end: a quoted heading may have a line break.
  const [line = ''] = /[^\n]+/.exec(head.replaceAll(/"[^"]*"/g, '')) ?? []
  const found = [',', ';', '\t'].filter((one) => line.includes(one))
  return found.find((one) => line.split(one).some((cell) => columnOf(cell, columns) !== undefined)) ?? found[0] ?? ','
}
