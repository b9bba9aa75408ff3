// Databases with a given number of leads, made through the command line like any other installation.

import { once } from 'node:events'
import { copyFileSync, createWriteStream, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createKey } from '../src/access/keys.ts'
import { checkCampaign } from '../src/core/campaign.ts'
import { openStore } from '../src/store/open.ts'
import { tester, testerAt } from '../test/support/actor.ts'
import { emailAt } from './emails.ts'
import { lastcall } from './processes.ts'

export type Dataset = {
  leads: number
  databaseUrl: string
  campaignId: number
  key: string
  /** Size of the database after a checkpoint, without the request history. */
  bytes(): number
}

/** Published and complete, so that an answer has links, a timer address and a deadline. */
export const campaign = {
  name: 'Autumn course',
  isDraft: false,
  timeZone: 'Europe/Warsaw',
  mechanism: { startsOn: 'registration', deadline: { kind: 'daysAt', days: 3, time: '23:59' } },
  pages: [
    { pageUrl: 'https://example.com/offer', eligible: true },
    { pageUrl: 'https://example.com/offer/annual', eligible: true },
  ],
  mailTimer: {},
}
const campaignCount = 10

/** One account with its campaigns and key, copied for each size, so that all sizes share them. */
export async function makeDatasets(folder: string, sizes: number[]): Promise<Dataset[]> {
  const empty = join(folder, 'empty.db')
  const url = `file:${empty}`
  const { campaignId, key } = await makeAccount(url)
  checkpoint(empty)

  const datasets: Dataset[] = []
  for (const leads of sizes) {
    const path = join(folder, `leads-${leads}.db`)
    copyFileSync(empty, path)
    const databaseUrl = `file:${path}`
    await importLeads(databaseUrl, campaignId, leads, join(folder, 'leads.csv'))
    const bytes = () => {
      checkpoint(path)
      return statSync(path).size
    }
    datasets.push({ leads, databaseUrl, campaignId, key, bytes })
  }
  return datasets
}

export type Target = { campaignId: number; key: string }

/** An account with its campaigns, the first of which is measured, and a key. */
export async function makeAccount(url: string): Promise<Target> {
  const account = String((await lastcall(url, ['account', 'create', '--name', 'Owner'])).id)
  const apply = ['campaign', 'apply', '--account', account, '-']
  const { id: campaignId } = await lastcall(url, apply, JSON.stringify(campaign))
  for (let n = 2; n <= campaignCount; n++) {
    await lastcall(url, apply, JSON.stringify({ ...campaign, name: `Autumn course ${n}` }))
  }
  const { key } = await lastcall(url, ['key', 'create', '--account', account, '--name', 'bench'])
  return { campaignId, key }
}

/**
 * Accounts of one campaign each, on a PostgreSQL that has an account of `makeAccount`. Three commands for each of them
 * would take minutes.
 */
export async function makeAccounts(url: string, count: number): Promise<Target[]> {
  const checked = checkCampaign(campaign)
  if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
  const now = Math.floor(Date.now() / 1_000)
  const options = { lockWaitMs: 10_000, timeoutMs: 60_000, poolSize: 2, isServer: false }
  const store = await openStore({ engine: 'postgres', url }, options)
  const targets: Target[] = []
  for (let n = 0; n < count; n += 1) {
    const { id: accountId } = await store.configuration.createAccount('Owner', tester)
    const { id: campaignId } = await store.configuration.applyCampaign(accountId, checked.campaign, tester)
    const { key } = await createKey(store, accountId, 'bench', testerAt(now))
    targets.push({ campaignId, key })
  }
  await store.close()
  return targets
}

async function importLeads(databaseUrl: string, campaignId: number, leads: number, csv: string) {
  const file = createWriteStream(csv)
  file.write('email\n')
  const chunk = 10_000
  for (let from = 0; from < leads; from += chunk) {
    const length = Math.min(chunk, leads - from)
    const lines = Array.from({ length }, (_, offset) => `${emailAt(from + offset)}\n`)
    if (!file.write(lines.join(''))) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
  const { created } = await lastcall(databaseUrl, ['lead', 'import', '--campaign', String(campaignId), csv])
  if (created !== leads) throw new Error(`the import made ${created} leads of ${leads}`)
}

/** Moves what the write-ahead log holds into the database file. No server may be running on it. */
function checkpoint(path: string): void {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  const log = `${path}-wal`
  if (existsSync(log) && statSync(log).size > 0) throw new Error(`${log} was not emptied`)
}
