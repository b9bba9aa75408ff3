import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, isIPv6 } from 'node:net'
import { join } from 'node:path'
import { createKey } from '../access/keys.ts'
import { buildUsers } from '../access/users.ts'
import { type Config, demoFolder, isPortSet, readConfig, WrongSetting } from '../config.ts'
import { checkCampaign } from '../core/campaign.ts'
import { checkEndpoint } from '../core/events.ts'
import { languages } from '../core/offer.ts'
import { openReceiver } from '../http/demo/receiver.ts'
import { buildShop, shopOfferUrl } from '../http/demo/shop.ts'
import { basePath } from '../http/public/schemas.ts'
import type { Campaign, CampaignSummary } from '../store/model.ts'
import { claimDatabase, openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { save } from './campaigns.ts'
import { type Command, commandActor } from './command.ts'
import { secondsNow } from './now.ts'
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

/** The shop's offer, short enough to watch it end. */
const shopCampaign = {
  ...campaign,
  name: 'One minute, for the demo page',
  mechanism: { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1M' } },
  conversion: { closes: true },
  mailTimer: { box: '#1f2937', labels: '#57606f', pixelsPerPoint: 2 },
}

/** Is told of everything that happens in the shop. */
const receiverName = 'Demo receiver'
const shownKinds = ['lead.registered', 'lead.deadline_approaching', 'lead.converted', 'lead.expired']
const leadTimes = ['PT30S']

type Prepared = { receiverSecret: string; key: string; campaignId: number; shopCampaignId: number; password: string }

/** `serve` on a database of its own, with everything made that a first call of the API needs, and a shop. */
export const demo: Command = async (args) => {
  const flags = readServeFlags(args)
  const configured = readConfig(flags)
  if (configured.workers > 1) throw new WrongSetting('WORKERS or --workers: must be 1, since the demo is one process')
  const config: Config = {
    ...configured,
    database: { engine: 'sqlite', path: join(demoFolder, 'lastcall.db') },
    port: await choosePort(configured, isPortSet(flags)),
  }
  const origin = `http://${nameOf(config.host)}:${config.port}`
  const publicUrl = config.publicUrl ?? origin
  const receiverPort = (await freePort(config.host, 0)) ?? 0
  const receiverUrl = `http://127.0.0.1:${receiverPort}/`
  const { key, campaignId, shopCampaignId, password, receiverSecret } = await prepare(config, publicUrl, receiverUrl)
  await openReceiver(receiverSecret, receiverPort)
  const body = JSON.stringify({ email: `demo-${randomUUID().slice(0, 8)}@example.com` })
  const say = () =>
    console.log(`
Open the panel: ${publicUrl}/

  email     ${email}
  password  ${password}

Walk the whole way in a minute, in a browser: ${publicUrl}/demo

Watch what another server is told of it: ${receiverUrl}

Register an email, in another terminal:

curl -sS -X POST ${origin}${basePath}/campaigns/${campaignId}/leads -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${body}'
`)
  // This address alone, and for the demo alone.
  const egress = { ...config.egress, names: [...config.egress.names, new URL(receiverUrl).host] }
  await run({ ...config, publicUrl, egress }, say, buildShop({ origin, publicUrl, key, campaignId: shopCampaignId }))
}

/** What reaches this host from this machine, as it stands in an address. */
function nameOf(host: string): string {
  if (['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host)) return 'localhost'
  return isIPv6(host) ? `[${host}]` : host
}

/** Account, campaigns and user on the first run; on each run a new key and password, which end the old ones. */
async function prepare({ database }: Config, publicUrl: string, receiverUrl: string): Promise<Prepared> {
  const giveUpClaim = claimDatabase(database)
  const store = await openStore(database, {
    lockWaitMs: 1_000,
    timeoutMs: 1_000,
    poolSize: 1,
    isServer: false,
  })
  try {
    const account =
      (await store.configuration.listAccounts())[0] ?? (await store.configuration.createAccount('Demo', commandActor()))
    const campaignId = await demoCampaign(store, account.id)
    const shopCampaignId = await applyShopCampaign(store, account.id, publicUrl)
    for (const old of (await store.configuration.listRecentKeys(account.id, secondsNow())).working) {
      if (old.name === keyName) await store.configuration.revokeKey(old.id, commandActor())
    }
    const { key } = await createKey(store, account.id, keyName, commandActor())
    const receiverSecret = await applyReceiver(store, account.id, receiverUrl)
    return { key, campaignId, shopCampaignId, password: await demoPassword(store, account.id), receiverSecret }
  } finally {
    await store.close()
    giveUpClaim()
  }
}

/** Its URL changes with each start. */
async function applyReceiver(store: Store, accountId: number, url: string): Promise<string> {
  const given = { name: receiverName, url, kinds: shownKinds, leadTimes }
  const checked = checkEndpoint(given, () => undefined, leadTimes)
  if ('faults' in checked) throw new Error(`the demo's endpoint is not valid: ${JSON.stringify(checked.faults)}`)
  const known = (await store.events.listEndpoints(accountId)).find(({ settings }) => settings.name === receiverName)
  const endpoint = known ?? (await store.events.createEndpoint(accountId, checked.settings, commandActor()))
  if (known) {
    await store.events.changeEndpoint(known, checked.settings, commandActor())
    // Failures from while the demo was stopped must not hold it up, and what was due then is of no interest.
    await store.events.resumeEndpoint(known, secondsNow(), commandActor())
    await store.events.discardBefore(known, secondsNow(), commandActor())
  }
  return store.events.secretsOf(endpoint, secondsNow())[0] as string
}

async function demoPassword(store: Store, accountId: number): Promise<string> {
  const users = buildUsers(store)
  const password = randomBytes(9).toString('base64url')
  const isThere = await users.reset(email, password, commandActor())
  if (!isThere) await users.create(accountId, { email, password, role: 'owner' }, commandActor())
  return password
}

/** The first published campaign, which somebody may have changed by hand. */
async function demoCampaign(store: Store, accountId: number): Promise<number> {
  const first = (await publishedCampaigns(store, accountId)).find(({ name }) => name !== shopCampaign.name)
  return first?.id ?? (await apply(store, accountId, campaign)).id
}

/**
 * Applied again at each start: its pages have this server's address, and links of an earlier start lead there too. Its
 * rules stay as somebody has changed them: with leads some changes cannot be taken back.
 */
async function applyShopCampaign(store: Store, accountId: number, publicUrl: string): Promise<number> {
  const before = (await publishedCampaigns(store, accountId)).find(({ name }) => name === shopCampaign.name)
  const known = before && (await store.configuration.findCampaign(before.id))
  const pages = languages.map((language, index) => {
    const id = known?.pages[index]?.id
    return { ...(id !== undefined && { id }), pageUrl: shopOfferUrl(publicUrl, language) }
  })
  const own = known && { id: known.id, mechanism: known.terms.mechanism }
  return (await apply(store, accountId, { ...shopCampaign, ...own, pages })).id
}

function publishedCampaigns(store: Store, accountId: number): Promise<CampaignSummary[]> {
  return store.configuration.listCampaigns(accountId, {
    limit: Number.MAX_SAFE_INTEGER,
    afterId: 0,
    isDraft: false,
  })
}

async function apply(store: Store, accountId: number, file: object): Promise<Campaign> {
  const checked = checkCampaign(file)
  if ('faults' in checked) throw new Error(`a demo campaign is not valid: ${JSON.stringify(checked.faults)}`)
  return save(store, accountId, checked.campaign)
}

/** A free port where the usual one is taken. A port that was asked for is kept: `serve` refuses it by name. */
async function choosePort({ host, port }: Config, isSet: boolean): Promise<number> {
  if (isSet && port !== 0) return port
  return (await freePort(host, port)) ?? (await freePort(host, 0)) ?? port
}

async function freePort(host: string, port: number): Promise<number | undefined> {
  const found = await tryPort(host, port)
  if (typeof found === 'string') return undefined
  // Browsers may take `localhost` for ::1, and would get what another program has there.
  const isOthers = nameOf(host) === 'localhost' && (await tryPort('::1', found)) === 'EADDRINUSE'
  return isOthers ? undefined : found
}

/** The port, or why it cannot be had. */
async function tryPort(host: string, port: number): Promise<number | string> {
  const probe = createServer()
  try {
    await once(probe.listen(port, host), 'listening')
    return (probe.address() as AddressInfo).port
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  } finally {
    probe.close()
  }
}
