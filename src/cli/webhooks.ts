import { integer, readSetting } from '../config.ts'
import { formatInstant } from '../core/instant.ts'
import { buildEndpoints, type Endpoints } from '../events/endpoints.ts'
import { openSender } from '../events/sender.ts'
import type { DeliveryEntry } from '../history/deliveries.ts'
import { openHistoryTable } from '../history/open.ts'
import { Refused } from '../store/errors.ts'
import type { Endpoint } from '../store/events.ts'
import {
  anyText,
  type Command,
  commandActor,
  idNumber,
  instantText,
  nameText,
  need,
  needAccount,
  needCampaign,
  readArguments,
  trueOrFalse,
  WrongCall,
  withStore,
  wrongInput,
} from './command.ts'

const mostLogged = 1_000

const listText = (text: string): string[] => text.split(',').map((entry) => entry.trim())
const ids = (text: string, name: string) => (text === 'all' ? null : listText(text).map((id) => idNumber(id, name)))
const count = (text: string, name: string): number => {
  const number = integer(text, 0, 1_000_000)
  if (number === undefined) throw new WrongCall(`${name}: must be an integer of 0 or more`)
  return number
}
const countOrNone = (text: string, name: string) => (text === 'none' ? null : count(text, name))
const from = (text: string): 'stop' | 'now' => {
  if (text !== 'stop' && text !== 'now') throw new WrongCall('--from: must be stop or now')
  return text
}

const settings = {
  name: nameText,
  url: anyText,
  kinds: listText,
  campaigns: ids,
  'lead-times': listText,
  personal: trueOrFalse,
  batch: count,
  'in-flight': count,
  'per-minute': countOrNone,
}

type Given = { [Name in keyof typeof settings]?: ReturnType<(typeof settings)[Name]> | undefined }

/** What was given, by the names that the API has for it. */
function namedAsInApi(given: Given): object {
  const named = {
    ...{ name: given.name, url: given.url, kinds: given.kinds, campaignIds: given.campaigns },
    ...{ leadTimes: given['lead-times'], personal: given.personal, batch: given.batch },
    ...{ inFlight: given['in-flight'], perMinute: given['per-minute'] },
  }
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined))
}

function checked(endpoints: Endpoints, value: object) {
  const result = endpoints.check(value)
  if ('faults' in result) throw wrongInput('webhook', result.faults)
  return result.settings
}

function needOn({ isOn }: Endpoints): void {
  if (!isOn) throw new WrongCall('WEBHOOKS: is off')
}

type Place = { endpoints: Endpoints; accountId: number; needCampaign(id: number): Promise<void> }

/** Runs `work` on the endpoints of an account, with a sender and the log as a server has them. */
async function withEndpoints<T>(account: number | undefined, work: (place: Place) => Promise<T>): Promise<T> {
  const accountId = need(account, '--account')
  return withStore(async (store) => {
    await needAccount(store, accountId)
    const historyTable = await openHistoryTable(readSetting('database'))
    const egress = readSetting('egress')
    const sender = openSender(egress)
    const tried: DeliveryEntry[] = []
    const publicUrl = readSetting('publicUrl') ?? `http://localhost:${readSetting('port')}`
    const endpoints = buildEndpoints({
      ...{ store, sender, egress, deliveries: historyTable.deliveries, site: { publicUrl } },
      onTry: (entry) => void tried.push(entry),
      isOn: readSetting('webhooks'),
      now: Date.now,
    })
    try {
      return await work({
        endpoints,
        accountId,
        async needCampaign(id) {
          const campaign = await needCampaign(store, id, '--campaign')
          if (campaign.accountId !== accountId) throw new WrongCall(`--campaign: the account has no campaign ${id}`)
        },
      })
    } finally {
      if (tried.length > 0) await historyTable.deliveries.append(tried)
      await Promise.all([sender.close(), historyTable.close()])
    }
  })
}

/** A command on one endpoint, which stands before its options. */
async function withEndpoint<T>(
  account: number | undefined,
  id: string | undefined,
  work: (endpoint: Endpoint, place: Place) => Promise<T>,
): Promise<T> {
  const endpointId = idNumber(id as string, 'ID')
  return withEndpoints(account, async (place) => {
    const endpoint = await place.endpoints.find(place.accountId, endpointId)
    if (endpoint === undefined) throw new WrongCall(`ID: the account has no endpoint ${endpointId}`)
    return work(endpoint, place)
  })
}

export const createWebhook: Command = async (args) => {
  const { options } = readArguments(args, { account: idNumber, ...settings })
  return withEndpoints(options.account, async ({ endpoints, accountId }) => {
    needOn(endpoints)
    const wanted = checked(endpoints, namedAsInApi(options))
    const endpoint = await endpoints.create(accountId, wanted, commandActor()).catch((error) => {
      throw error instanceof Refused ? new WrongCall(error.message) : error
    })
    return { ...(await endpoints.view(endpoint)), secret: endpoints.secret(endpoint) }
  })
}

export const listWebhooks: Command = async (args) => {
  const { options } = readArguments(args, { account: idNumber })
  return withEndpoints(options.account, async ({ endpoints, accountId }) =>
    Promise.all((await endpoints.list(accountId)).map(endpoints.view)),
  )
}

export const setWebhook: Command = async (args) => {
  const { options, positionals } = readArguments(args, { account: idNumber, ...settings, on: trueOrFalse, from }, [
    'ID',
  ])
  return withEndpoint(options.account, positionals[0], async (endpoint, { endpoints, accountId }) => {
    if (options.on === true) needOn(endpoints)
    const by = commandActor()
    const changes = namedAsInApi(options)
    if (Object.keys(changes).length > 0) {
      await endpoints.change(endpoint, checked(endpoints, { ...endpoint.settings, ...changes }), by)
    }
    if (options.on === false) await endpoints.pause(endpoint, by)
    if (options.on === true) await endpoints.resume(endpoint, need(options.from, '--from'), by)
    return endpoints.view((await endpoints.find(accountId, endpoint.id)) ?? endpoint)
  })
}

export const deleteWebhook: Command = async (args) => {
  const { options, positionals } = readArguments(args, { account: idNumber, yes: trueOrFalse }, ['ID'])
  if (options.yes !== true) throw new WrongCall('--yes is missing: what waits for the endpoint is lost')
  return withEndpoint(options.account, positionals[0], async (endpoint, { endpoints }) => {
    await endpoints.remove(endpoint, commandActor())
    return { deleted: endpoint.id }
  })
}

export const rotateWebhookSecret: Command = async (args) => {
  const { options, positionals } = readArguments(args, { account: idNumber, 'grace-hours': count }, ['ID'])
  const graceHours = options['grace-hours'] ?? 24
  if (graceHours > 168) throw new WrongCall('--grace-hours: must be an integer from 0 to 168')
  return withEndpoint(options.account, positionals[0], async (endpoint, { endpoints }) => ({
    secret: await endpoints.rotate(endpoint, graceHours, commandActor()),
  }))
}

export const testWebhook: Command = async (args) => {
  const { options, positionals } = readArguments(args, { account: idNumber }, ['ID'])
  return withEndpoint(options.account, positionals[0], async (endpoint, { endpoints }) => {
    needOn(endpoints)
    return endpoints.test(endpoint)
  })
}

export const webhookLog: Command = async (args) => {
  const { options, positionals } = readArguments(args, { account: idNumber }, ['ID'])
  return withEndpoint(options.account, positionals[0], async (endpoint, { endpoints }) =>
    (await endpoints.log(endpoint, { limit: mostLogged }))?.entries.map(
      ({ atMs, dueAt, detail, accountId, endpointId, ...entry }) => ({
        at: new Date(atMs).toISOString(),
        happenedAt: formatInstant(dueAt),
        ...entry,
      }),
    ),
  )
}

export const resendWebhook: Command = async (args) => {
  const { options, positionals } = readArguments(args, { account: idNumber, event: anyText, since: instantText }, [
    'ID',
  ])
  const { event, since } = options
  if ((event === undefined) === (since === undefined)) throw new WrongCall('--event or --since: give one of them')
  return withEndpoint(options.account, positionals[0], async (endpoint, { endpoints }) => {
    needOn(endpoints)
    const by = commandActor()
    if (since !== undefined) return { resent: await endpoints.resendFailed(endpoint, since, by) }
    const isThere = await endpoints.resend(endpoint, event as string, by)
    if (!isThere) throw new WrongCall('--event: the log has no such event')
    return { resent: 1 }
  })
}

export const backfillWebhook: Command = async (args) => {
  const { options, positionals } = readArguments(args, { account: idNumber, campaign: idNumber }, ['ID'])
  const campaignId = need(options.campaign, '--campaign')
  return withEndpoint(options.account, positionals[0], async (endpoint, { endpoints, needCampaign: check }) => {
    needOn(endpoints)
    await check(campaignId)
    await endpoints.backfill(endpoint, campaignId, commandActor())
    return { campaignId }
  })
}

/** What was due before is told no more, as after a backup was restored. */
export const discardWebhook: Command = async (args) => {
  const { options, positionals } = readArguments(args, { account: idNumber, before: instantText }, ['ID'])
  const before = need(options.before, '--before')
  return withEndpoint(options.account, positionals[0], async (endpoint, { endpoints }) => {
    await endpoints.discardBefore(endpoint, before, commandActor())
    return { before: formatInstant(before) }
  })
}
