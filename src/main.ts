// The process: command line -> command. Nothing imports it.
import { enableCompileCache } from 'node:module'
import type { Command } from './cli/command.ts'
import { WrongCall } from './cli/command.ts'
import { print } from './cli/print.ts'
import { chooseZoneData } from './cli/zone-data.ts'
import { WrongSetting, zoneFolder } from './config.ts'
import { EmptyDatabase } from './store/errors.ts'

// What it makes, from the database to backups, is for the user who runs it alone.
process.umask(0o077)
enableCompileCache()

/** Loaded when called: a command starts without what only the others need. */
const commands: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./cli/serve.ts')).serve,
  demo: async () => (await import('./cli/demo.ts')).demo,
  'account create': async () => (await import('./cli/accounts.ts')).createAccount,
  'account list': async () => (await import('./cli/accounts.ts')).listAccounts,
  'account set': async () => (await import('./cli/accounts.ts')).setAccount,
  'user create': async () => (await import('./cli/users.ts')).createUser,
  'user set': async () => (await import('./cli/users.ts')).setUser,
  'user reset': async () => (await import('./cli/users.ts')).resetUser,
  'user reset-factor': async () => (await import('./cli/users.ts')).resetFactor,
  'setup-link': async () => (await import('./cli/users.ts')).setupLink,
  'key create': async () => (await import('./cli/accounts.ts')).createKeyCommand,
  'key list': async () => (await import('./cli/accounts.ts')).listKeys,
  'key rename': async () => (await import('./cli/accounts.ts')).renameKey,
  'key revoke': async () => (await import('./cli/accounts.ts')).revokeKey,
  'campaign apply': async () => (await import('./cli/campaigns.ts')).applyCampaign,
  'campaign list': async () => (await import('./cli/campaigns.ts')).listCampaigns,
  'campaign export': async () => (await import('./cli/campaigns.ts')).exportCampaign,
  'campaign stats': async () => (await import('./cli/stats.ts')).campaignStats,
  'campaign report': async () => (await import('./cli/conversions.ts')).campaignReport,
  'campaign delete': async () => (await import('./cli/campaigns.ts')).deleteCampaign,
  'lead list': async () => (await import('./cli/leads.ts')).listLeads,
  'lead show': async () => (await import('./cli/leads.ts')).showLead,
  'lead find': async () => (await import('./cli/leads.ts')).findLead,
  'lead stats': async () => (await import('./cli/stats.ts')).leadStats,
  'lead deadline': async () => (await import('./cli/leads.ts')).setLeadDeadline,
  'lead convert': async () => (await import('./cli/conversions.ts')).convertLead,
  'lead erase': async () => (await import('./cli/leads.ts')).eraseLead,
  'lead export': async () => (await import('./cli/leads.ts')).exportLeads,
  'lead import': async () => (await import('./cli/leads.ts')).importLeads,
  'conversion list': async () => (await import('./cli/conversions.ts')).listConversions,
  'conversion import': async () => (await import('./cli/conversions.ts')).importConversions,
  'conversion reverse': async () => (await import('./cli/conversions.ts')).reverseConversion,
  'webhook create': async () => (await import('./cli/webhooks.ts')).createWebhook,
  'webhook list': async () => (await import('./cli/webhooks.ts')).listWebhooks,
  'webhook set': async () => (await import('./cli/webhooks.ts')).setWebhook,
  'webhook secret': async () => (await import('./cli/webhooks.ts')).rotateWebhookSecret,
  'webhook delete': async () => (await import('./cli/webhooks.ts')).deleteWebhook,
  'webhook test': async () => (await import('./cli/webhooks.ts')).testWebhook,
  'webhook log': async () => (await import('./cli/webhooks.ts')).webhookLog,
  'webhook resend': async () => (await import('./cli/webhooks.ts')).resendWebhook,
  'webhook backfill': async () => (await import('./cli/webhooks.ts')).backfillWebhook,
  'webhook discard': async () => (await import('./cli/webhooks.ts')).discardWebhook,
  'history list': async () => (await import('./cli/history.ts')).listHistory,
  'audit list': async () => (await import('./cli/audit.ts')).listAudit,
  simulate: async () => (await import('./cli/simulate.ts')).simulateCommand,
  openapi: async () => (await import('./cli/maintenance.ts')).openapi,
  copy: async () => (await import('./cli/copy.ts')).copy,
  backup: async () => (await import('./cli/maintenance.ts')).backup,
  migrate: async () => (await import('./cli/maintenance.ts')).migrate,
  distribute: async () => (await import('./cli/maintenance.ts')).distribute,
  '--help': async () => (await import('./cli/help.ts')).help,
  '--version': async () => (await import('./cli/version.ts')).version,
}

const isWord = /^[a-z][a-z-]*$/i

async function main(given: string[]): Promise<void> {
  const asked = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  const isHelp = asked.some((one) => one === '--help' || one === '-h')
  const firstOption = asked.findIndex((one) => !isWord.test(one))
  const args = isHelp ? ['--help', ...asked.slice(0, firstOption)] : asked
  const [first = '', second = ''] = args
  const words = Object.hasOwn(commands, first) ? 1 : 2
  const name = [first, second].slice(0, words).join(' ')
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (load === undefined) {
    // Only what could be a command's name: anything else may be an email or a password in the wrong place.
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

try {
  await main(process.argv.slice(2))
} catch (error) {
  const isWrongCall = [WrongCall, WrongSetting, EmptyDatabase].some((one) => error instanceof one)
  const line = (error as Error).message.replace(/\s+/g, ' ')
  console.error(`lastcall: ${line}`)
  // Whatever it has opened, such as a connection that listens, would keep the process alive.
  process.exit(isWrongCall ? 2 : 1)
}
