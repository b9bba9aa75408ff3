import { saveCampaign } from '../campaigns/campaigns.ts'
import { removeWhole } from '../campaigns/deleted.ts'
import { type CampaignSettings, campaignItem, checkCampaign } from '../core/campaign.ts'
import { openTemplates } from '../countdown/templates.ts'
import { asFile, type Campaign } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { idNumber, need, readArguments, yes } from './arguments.ts'
import { type Command, commandActor, withAccount, withCampaign, withStore } from './command.ts'
import { nameOf, readJson, wrongInput } from './files.ts'
import { secondsNow } from './now.ts'
import { leavingTurns } from './turns.ts'
import { WrongCall, wrongIn } from './wrong-call.ts'

export const applyCampaign: Command = async (args) => {
  const { options, positionals } = readArguments(args, { account: idNumber }, 'FILE')
  const accountId = need(options.account, '--account')
  const file = positionals[0]
  const checked = checkCampaign(await readJson(file))
  if ('faults' in checked) throw wrongInput(file, checked.faults)
  return withAccount(accountId, async (store) =>
    asFile(await save(store, accountId, checked.campaign).catch(wrongIn(nameOf(file)))),
  )
}

/** With templates of the countdown image for this one time: a command has no others. */
export async function save(store: Store, accountId: number, settings: CampaignSettings): Promise<Campaign> {
  const templates = openTemplates(store.templates, secondsNow)
  try {
    return await saveCampaign({ store, templates }, accountId, settings, commandActor)
  } finally {
    await templates.close()
  }
}

export const listCampaigns: Command = async (args) => {
  const { options } = readArguments(args, { account: idNumber })
  return withAccount(options.account, async (store, accountId) => {
    const filter = { limit: Number.MAX_SAFE_INTEGER, afterId: 0, isDraft: null }
    return (await store.configuration.listCampaigns(accountId, filter)).map(campaignItem)
  })
}

export const exportCampaign: Command = async (args) => {
  const { positionals } = readArguments(args, {}, 'ID')
  return withCampaign(idNumber(positionals[0], 'ID'), async (_, campaign) => asFile(campaign), 'ID')
}

export const deleteCampaign: Command = async (args) => {
  const { options, positionals } = readArguments(args, { yes }, 'ID')
  const id = idNumber(positionals[0], 'ID')
  if (!options.yes) {
    throw new WrongCall('--yes is missing: it confirms that the campaign and all its leads are removed')
  }
  return withStore(async (store) => {
    const deleted = await store.configuration.deleteCampaign(id, commandActor())
    if (deleted === undefined) throw new WrongCall(`ID: there is no campaign ${id}`)
    await removeWhole(store.configuration, deleted, leavingTurns())
    return { id, deleted: true }
  })
}
