// Command line -> command.
import { WrongSetting, zoneFolder } from '../config.ts'
import { EmptyDatabase, WrongAddress } from '../store/errors.ts'
import type { Command } from './command.ts'
import { print } from './print.ts'
import { WrongCall } from './wrong-call.ts'
import { chooseZoneData } from './zone-data.ts'

/** Loaded when called, so that a command starts without what only others need. */
const commands: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./serve.ts')).serve,
  demo: async () => (await import('./demo.ts')).demo,
  'account create': async () => (await import('./accounts.ts')).createAccount,
  'account list': async () => (await import('./accounts.ts')).listAccounts,
  'account set': async () => (await import('./accounts.ts')).setAccount,
  'user create': async () => (await import('./users.ts')).createUser,
  'user set': async () => (await import('./users.ts')).setUser,
  'user reset': async () => (await import('./users.ts')).resetUser,
  'user reset-factor': async () => (await import('./users.ts')).resetFactor,
  'setup-link': async () => (await import('./users.ts')).setupLink,
  'key create': async () => (await import('./accounts.ts')).createKeyCommand,
  'key list': async () => (await import('./accounts.ts')).listKeys,
  'key rename': async () => (await import('./accounts.ts')).renameKey,
  'key revoke': async () => (await import('./accounts.ts')).revokeKey,
  'campaign apply': async () => (await import('./campaigns.ts')).applyCampaign,
  'campaign list': async () => (await import('./campaigns.ts')).listCampaigns,
  'campaign export': async () => (await import('./campaigns.ts')).exportCampaign,
  'campaign stats': async () => (await import('./stats.ts')).campaignStats,
  'campaign report': async () => (await import('./conversions.ts')).campaignReport,
  'campaign delete': async () => (await import('./campaigns.ts')).deleteCampaign,
  'lead list': async () => (await import('./leads.ts')).listLeads,
  'lead show': async () => (await import('./leads.ts')).showLead,
  'lead find': async () => (await import('./leads.ts')).findLead,
  'lead stats': async () => (await import('./stats.ts')).leadStats,
  'lead deadline': async () => (await import('./leads.ts')).setLeadDeadline,
  'lead convert': async () => (await import('./conversions.ts')).convertLead,
  'lead erase': async () => (await import('./leads.ts')).eraseLead,
  'lead export': async () => (await import('./leads.ts')).exportLeads,
  'lead import': async () => (await import('./leads.ts')).importLeads,
  'conversion list': async () => (await import('./conversions.ts')).listConversions,
  'conversion import': async () => (await import('./conversions.ts')).importConversions,
  'conversion reverse': async () => (await import('./conversions.ts')).reverseConversion,
  'webhook create': async () => (await import('./webhooks.ts')).createWebhook,
  'webhook list': async () => (await import('./webhooks.ts')).listWebhooks,
  'webhook set': async () => (await import('./webhooks.ts')).setWebhook,
  'webhook secret': async () => (await import('./webhooks.ts')).rotateWebhookSecret,
  'webhook delete': async () => (await import('./webhooks.ts')).deleteWebhook,
  'webhook test': async () => (await import('./webhooks.ts')).testWebhook,
  'webhook log': async () => (await import('./webhooks.ts')).webhookLog,
  'webhook resend': async () => (await import('./webhooks.ts')).resendWebhook,
  'webhook backfill': async () => (await import('./webhooks.ts')).backfillWebhook,
  'webhook discard': async () => (await import('./webhooks.ts')).discardWebhook,
  'history list': async () => (await import('./history.ts')).listHistory,
  'audit list': async () => (await import('./audit.ts')).listAudit,
  simulate: async () => (await import('./simulate.ts')).simulateCommand,
  openapi: async () => (await import('./openapi.ts')).openapi,
  copy: async () => (await import('./copy.ts')).copy,
  backup: async () => (await import('./maintenance.ts')).backup,
  migrate: async () => (await import('./maintenance.ts')).migrate,
  distribute: async () => (await import('./maintenance.ts')).distribute,
  '--help': async () => (await import('./help.ts')).help,
  '--version': async () => (await import('./version.ts')).version,
}

const isWord = /^[a-z][a-z-]*$/i

async function run(given: readonly string[]): Promise<void> {
  const asked = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  const isHelp = asked.some((one) => one === '--help' || one === '-h')
  const firstOption = asked.findIndex((one) => !isWord.test(one))
  const args = isHelp ? ['--help', ...asked.slice(0, firstOption)] : asked
  const [first = '', second = ''] = args
  const words = Object.hasOwn(commands, first) ? 1 : 2
  const name = [first, second].slice(0, words).join(' ')
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (load === undefined) {
    // Only what could be the name of a command: anything else may be an email or a password in the wrong place.
    const words = args.slice(0, 2).filter((one) => isWord.test(one))
    const names = Object.keys(commands).join(', ')
    throw new WrongCall(
      `${words.length === 0 ? 'no command' : `unknown command ${words.join(' ')}`}; use one of: ${names}`,
    )
  }
  chooseZoneData(zoneFolder())
  const command = await load()
  const result = await command(args.slice(words))
  if (result !== undefined) print(result)
}

/** Runs one command. If it fails, it says so in one line and exits: 2 if the call was wrong, otherwise 1. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    await run(args)
  } catch (error) {
    const isWrongCall = [WrongCall, WrongSetting, WrongAddress, EmptyDatabase].some((one) => error instanceof one)
    const line = (error as Error).message.replace(/\s+/g, ' ')
    console.error(`lastcall: ${line}`)
    // Something that it opened, such as a connection that listens, could keep the process alive.
    process.exit(isWrongCall ? 2 : 1)
  }
}
