import { randomBytes, randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type Config, demoFolder, isPortSet, readConfig } from '../config.ts'
import { checkCampaign } from '../core/campaign.ts'
import { basePath } from '../http/public/request.ts'
import { createKey } from '../keys.ts'
import { claimDatabase, openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { buildUsers } from '../users.ts'
import type { Command } from './command.ts'
import { now } from './now.ts'
import { readServeFlags, run } from './serve.ts'

const keyName = 'demo'
const email = 'demo@example.com'

const campaign = {
  name: '48 hours from signup',
  isDraft: false,
  timeZone: 'Europe/Warsaw',
  mechanism: { startsOn: 'registration', deadline: { kind: 'after', period: 'PT48H' } },
  pages: [{ pageUrl: 'https://example.com/offer', eligible: true }],
  mailTimer: {},
}

/** `serve` on a database of its own, with everything made that a first call of the API needs. */
export const demo: Command = async (args) => {
  const flags = readServeFlags(args)
  const configured = readConfig(flags)
  const config: Config = {
    ...configured,
    database: { engine: 'sqlite', path: join(demoFolder, 'lastcall.db') },
    port: isPortSet(flags) || (await isFree(configured)) ? configured.port : 0,
  }
  const { key, campaignId, password } = await prepare(config)
  const body = JSON.stringify({ email: `demo-${randomUUID().slice(0, 8)}@example.com` })
  await run(config, (port) => {
    console.log(`
Open the panel: http://localhost:${port}/

  email     ${email}
  password  ${password}

Register an email, in another terminal:

curl -sS -X POST http://localhost:${port}${basePath}/campaigns/${campaignId}/leads -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${body}'
`)
  })
}

type Prepared = { key: string; campaignId: number; password: string }

/** Account, campaign and user on the first run; a fresh key and password on every one, which end those before. */
async function prepare({ database }: Config): Promise<Prepared> {
  const giveUpClaim = claimDatabase(database)
  const store = await openStore(database, {
    lockWaitMs: 1_000,
    patienceMs: 1_000,
    poolSize: 1,
    isServer: false,
  })
  try {
    const account = (await store.listAccounts())[0] ?? (await store.createAccount('Demo'))
    const campaignId = await demoCampaign(store, account.id)
    for (const old of await store.listKeys(account.id)) {
      const works = old.revokedAt === null || old.revokedAt > now()
      if (old.name === keyName && works) await store.revokeKey(old.id, now())
    }
    const { key } = await createKey(store, account.id, keyName, now())
    return { key, campaignId, password: await demoPassword(store, account.id) }
  } finally {
    await store.close()
    giveUpClaim()
  }
}

async function demoPassword(store: Store, accountId: number): Promise<string> {
  const users = buildUsers(store)
  const password = randomBytes(9).toString('base64url')
  const isThere = await users.reset(email, password)
  if (!isThere) await users.create(accountId, email, password, now())
  return password
}

async function demoCampaign(store: Store, accountId: number): Promise<number> {
  const filter = { limit: 1, afterId: 0, isDraft: false }
  const published = (await store.listCampaigns(accountId, filter))[0]
  if (published !== undefined) return published.id
  const checked = checkCampaign(campaign)
  if ('faults' in checked) throw new Error('the demo campaign is not valid')
  return (await store.applyCampaign(accountId, checked.campaign)).id
}

function isFree({ host, port }: Config): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })
}
