import { integer, readSetting } from '../config.ts'
import { type EndpointSettings, mostGraceHours } from '../core/events.ts'
import type { Fault } from '../core/fault.ts'
import { formatInstant } from '../core/instant.ts'
import { buildEndpoints, EndpointRefused, type Endpoints } from '../events/endpoints.ts'
import { openSender } from '../events/sender.ts'
import type { DeliveryEntry } from '../history/deliveries.ts'
import { openHistoryTable } from '../history/open.ts'
import {
  anyText,
  idNumber,
  instantText,
  integerFrom,
  nameText,
  need,
  type Options,
  oneOf,
  type Read,
  readArguments,
  trueOrFalse,
  yes,
} from './arguments.ts'
import { type Command, commandActor, publicAddress, withAccount } from './command.ts'
import { secondsNow } from './now.ts'
import { leavingTurns } from './turns.ts'
import { WrongCall } from './wrong-call.ts'

const mostLogged = 1_000

const listText = (text: string): string[] => text.split(',').map((entry) => entry.trim())
const ids = (text: string, name: string): number[] | null => {
  if (text === 'all') return null
  const given = listText(text).map((id) => integer(id, 1, Number.MAX_SAFE_INTEGER))
  if (!given.every((id) => id !== undefined)) throw new WrongCall(`${name}: must be ids separated by commas, or all`)
  return given
}
/** Text that is not an integer is refused with the limits of its setting. */
const count = (text: string): number | string => integer(text, 0, Number.MAX_SAFE_INTEGER) ?? text
const hours = integerFrom(0, mostGraceHours)
const from = oneOf(['stop', 'now'])

/** By the names that the API has for them: the option of a setting, and how its text is read. */
const settings: Record<keyof EndpointSettings, [option: string, read: (text: string, name: string) => unknown]> = {
  name: ['name', nameText],
  url: ['url', anyText],
  kinds: ['kinds', listText],
  campaignIds: ['campaigns', ids],
  leadTimes: ['lead-times', (text) => (text === 'none' ? [] : listText(text))],
  personal: ['personal', trueOrFalse],
  batch: ['batch', count],
  inFlight: ['in-flight', count],
  perMinute: ['per-minute', (text) => (text === 'none' ? null : count(text))],
}
const settingOptions = Object.fromEntries(Object.values(settings))

/** The settings that were given, by the names that the API has for them. */
function settingsIn(options: Record<string, unknown>): object {
  const all = Object.entries(settings).map(([name, [option]]) => [name, options[option]])
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}

const optionOf: Record<string, string> = {
  ...Object.fromEntries(Object.entries(settings).map(([name, [option]]) => [name, option])),
  campaignId: 'campaign',
  eventId: 'event',
}

/** The name of the option instead of the API's: `--lead-times[0]`. */
function inWordsOfCall({ path, message }: Fault): string {
  const [name = ''] = path.split('[')
  const none = name === 'perMinute' ? ', or none' : ''
  // The server may have it, and the shell in which the command is run has not.
  const allowed = message.endsWith('EGRESS_ALLOW') ? ', set for this command too' : ''
  return `--${optionOf[name] ?? name}${path.slice(name.length)}: ${message}${none}${allowed}`
}

/** Messages in the words of the command line, where they differ from the API's. */
const refusals: Partial<Record<EndpointRefused['code'], string>> = {
  WEBHOOKS_OFF: 'WEBHOOKS: is off',
  ENDPOINT_NOT_FOUND: 'ID: the account has no endpoint with this id',
  CAMPAIGN_NOT_FOUND: '--campaign: the account has no campaign with this id',
  DELIVERY_NOT_FOUND: '--event: the log has no such event, it was a test, or its lead was erased',
}

type Webhooks = ReturnType<Endpoints['of']>

/** Runs `work` on the endpoints of an account, with a sender and the log as a server has them. */
async function withWebhooks<T>(account: number | undefined, work: (webhooks: Webhooks) => Promise<T>): Promise<T> {
  return withAccount(account, async (store, accountId) => {
    const historyTable = await openHistoryTable(readSetting('database'))
    const egress = readSetting('egress')
    const sender = openSender(egress)
    const tried: DeliveryEntry[] = []
    const { of } = buildEndpoints({
      ...{ store, sender, egress, deliveries: historyTable.deliveries, site: { publicUrl: publicAddress() } },
      onTry: (entry) => void tried.push(entry),
      isOn: readSetting('webhooks'),
      leaveTurns: leavingTurns(),
      now: Date.now,
    })
    try {
      return await work(of(accountId, commandActor()))
    } catch (error) {
      if (!(error instanceof EndpointRefused)) throw error
      const { code, faults, message } = error
      throw faults.length > 0
        ? new WrongCall(faults.map(inWordsOfCall).join('; '))
        : new WrongCall(refusals[code] ?? message)
    } finally {
      if (tried.length > 0) await historyTable.deliveries.append(tried)
      await Promise.all([sender.close(), historyTable.close()])
    }
  })
}

/** A command on one endpoint, whose id comes first. `prepare` checks the options before anything is opened. */
function oneWebhook<Of extends Options>(
  named: Of,
  prepare: (options: Read<Of>) => (id: number, webhooks: Webhooks) => Promise<unknown>,
): Command {
  return async (args) => {
    const { options, positionals } = readArguments(args, { ...named, account: idNumber }, 'ID')
    const id = idNumber(positionals[0], 'ID')
    const work = prepare(options)
    return withWebhooks(options.account, (webhooks) => work(id, webhooks))
  }
}

export const createWebhook: Command = async (args) => {
  const { options } = readArguments(args, { account: idNumber, ...settingOptions })
  return withWebhooks(options.account, (webhooks) => webhooks.create(settingsIn(options)))
}

export const listWebhooks: Command = async (args) => {
  const { options } = readArguments(args, { account: idNumber })
  return withWebhooks(options.account, (webhooks) => webhooks.list())
}

export const setWebhook = oneWebhook({ ...settingOptions, on: trueOrFalse, from }, ({ on, from, ...given }) => {
  if (on !== true && from !== undefined) throw new WrongCall('--from: goes with --on true')
  const goOnFrom = on === true ? need(from, '--from') : undefined
  const changes = settingsIn(given)
  return async (id, webhooks) => {
    if (on === true) webhooks.needOn()
    if (Object.keys(changes).length > 0) await webhooks.change(id, changes)
    if (goOnFrom !== undefined) return webhooks.resume(id, goOnFrom)
    return on === false ? webhooks.pause(id) : webhooks.read(id)
  }
})

export const deleteWebhook = oneWebhook({ yes }, ({ yes: isSure }) => {
  if (!isSure) throw new WrongCall('--yes is missing: what waits for the endpoint is lost')
  return async (id, webhooks) => {
    await webhooks.remove(id)
    return { deleted: id }
  }
})

export const rotateWebhookSecret = oneWebhook({ 'grace-hours': hours }, ({ 'grace-hours': graceHours = 24 }) => {
  return async (id, webhooks) => {
    const { secret } = await webhooks.rotate(id, graceHours)
    return { secret }
  }
})

export const testWebhook = oneWebhook({}, () => (id, webhooks) => webhooks.test(id))

export const webhookLog = oneWebhook({}, () => async (id, webhooks) => {
  const { entries } = await webhooks.log(id, { limit: mostLogged })
  return entries.map(({ atMs, dueAt, detail, accountId, endpointId, ...entry }) => ({
    at: new Date(atMs).toISOString(),
    happenedAt: formatInstant(dueAt),
    ...entry,
  }))
})

export const resendWebhook = oneWebhook({ event: anyText, since: instantText }, ({ event, since }) => {
  if ((event === undefined) === (since === undefined)) throw new WrongCall('--event or --since: give one of them')
  return async (id, webhooks) => {
    if (since !== undefined) return { resent: await webhooks.resendFailed(id, since) }
    await webhooks.resend(id, event as string)
    return { resent: 1 }
  }
})

export const backfillWebhook = oneWebhook({ campaign: idNumber }, ({ campaign }) => {
  const campaignId = need(campaign, '--campaign')
  return async (id, webhooks) => {
    await webhooks.backfill(id, campaignId)
    return { campaignId }
  }
})

/** Drops what was due before, for after a backup was restored. */
export const discardWebhook = oneWebhook({ before: instantText }, (options) => {
  const before = need(options.before, '--before')
  if (before > secondsNow())
    throw new WrongCall('--before: must not be in the future: nothing would be sent until then')
  return async (id, webhooks) => {
    await webhooks.discardBefore(id, before)
    return { before: formatInstant(before) }
  }
})
