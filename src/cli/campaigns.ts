import { campaignTypes, checkCampaign } from '../core/campaign.ts'
import { languages } from '../core/offer.ts'
import type { GivenTimerStyle } from '../core/timer-style.ts'
import type { Campaign, Store } from '../store/store.ts'
import { Refused } from '../store/store.ts'
import { templateShelf } from '../template-shelf.ts'
import { openTemplates } from '../timer/templates.ts'
import {
  type Command,
  idNumber,
  nameOf,
  need,
  needAccount,
  needCampaign,
  readArguments,
  readJson,
  WrongCall,
  withStore,
  wrongInput,
} from './command.ts'
import { now } from './now.ts'

export const applyCampaign: Command = async (args) => {
  const { options, positionals } = readArguments(args, { account: idNumber }, ['FILE'])
  const accountId = need(options.account, '--account')
  const file = positionals[0] as string
  const checked = checkCampaign(await readJson(file))
  if ('faults' in checked) throw wrongInput(file, checked.faults)
  return withStore(async (store) => {
    await needAccount(store, accountId)
    if (checked.campaign.mailTimer !== null) await buildTimer(store, checked.campaign.mailTimer)
    try {
      return asFile(await store.applyCampaign(accountId, checked.campaign))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      throw new WrongCall(`${nameOf(file)}: ${error.message}`)
    }
  })
}

export const listCampaigns: Command = async (args) => {
  const { options } = readArguments(args, { account: idNumber })
  const accountId = need(options.account, '--account')
  return withStore(async (store) => {
    await needAccount(store, accountId)
    const filter = { limit: Number.MAX_SAFE_INTEGER, afterId: 0, isDraft: null }
    return (await store.listCampaigns(accountId, filter)).map(({ id, name, typeId, isDraft }) => ({
      id,
      name,
      type: { id: typeId, name: campaignTypes[typeId] },
      isDraft,
    }))
  })
}

export const exportCampaign: Command = async (args) => {
  const { positionals } = readArguments(args, {}, ['ID'])
  const id = idNumber(positionals[0] as string, 'ID')
  return withStore(async (store) => asFile(await needCampaign(store, id, 'ID')))
}

export const deleteCampaign: Command = async (args) => {
  const { options, positionals } = readArguments(args, { yes: () => true }, ['ID'])
  const id = idNumber(positionals[0] as string, 'ID')
  if (!options.yes) {
    throw new WrongCall('--yes is missing: it confirms that the campaign and all its leads are removed')
  }
  return withStore(async (store) => {
    if (!(await store.deleteCampaign(id))) throw new WrongCall(`ID: there is no campaign ${id}`)
    return { id, deleted: true }
  })
}

/** So that the first who opens the image need not wait for it, and a style that cannot be drawn is not saved. */
export async function buildTimer(store: Store, style: GivenTimerStyle): Promise<void> {
  const templates = openTemplates(templateShelf(store, now))
  for (const language of languages) await templates.get(style, language)
  await templates.close()
}

/** A campaign as a file that `campaign apply` takes. */
function asFile(campaign: Campaign) {
  const { id, name, isDraft, timeZone, schedule, anonymous, onExpiry, pages, mailTimer } = campaign
  return {
    id,
    name,
    isDraft,
    timeZone,
    mechanism: schedule.mechanism,
    anonymous,
    onExpiry,
    pages,
    mailTimer,
  }
}
