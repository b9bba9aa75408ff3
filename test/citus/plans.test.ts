// Every statement that a request can run, or that is written behind it, goes to one shard of one worker.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { removeWhole } from '../../src/campaigns/deleted.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import { type EndpointSettings, type Notice, wantedKinds } from '../../src/core/events.ts'
import { setByHand } from '../../src/core/mechanism/attempt.ts'
import type { DeliveryEntry } from '../../src/history/deliveries.ts'
import { openHistoryTable } from '../../src/history/open.ts'
import type { HistoryTable } from '../../src/history/table.ts'
import type { Count } from '../../src/store/counts.ts'
import type { Endpoint } from '../../src/store/events/endpoint.ts'
import type { Sweep } from '../../src/store/events/sweeps.ts'
import type { Campaign, Decide, LeadWrite, NewKey } from '../../src/store/model.ts'
import { openStore } from '../../src/store/open.ts'
import { placements } from '../../src/store/postgres/distribution.ts'
import type { Store } from '../../src/store/store.ts'
import { testerAt } from '../support/actor.ts'
import { citusUrl } from '../support/citus.ts'
import { decisionOf } from '../support/decision.ts'
import { emptyDatabases } from '../support/empty-databases.ts'
import { historyEntry } from '../support/history-seed.ts'
import { root } from '../support/prepared.ts'

type Asked = { text: string; values: unknown[] }

/** What the driver is asked from now on. */
function listened(): Asked[] {
  const asked: Asked[] = []
  const { query } = pg.Client.prototype as any
  pg.Client.prototype.query = function (this: unknown, config: any, values: any, ...rest: unknown[]) {
    const text = typeof config === 'string' ? config : config.text
    asked.push({ text, values: config.values ?? (Array.isArray(values) ? values : []) })
    return query.call(this, config, values, ...rest)
  } as any
  return asked
}

/** What no request waits for: it sees to all accounts, behind the requests. */
const behindRequests: Record<string, string[]> = {
  events: ['lease', 'release', 'dueEndpoints', 'sweeps', 'accountsWithEndpoints', 'deletedEndpoints'],
  history: ['purge', 'moveBatch', 'close', 'deliveries'],
  deliveries: ['purge', 'close'],
}
/** Parts whose tables all lie on the coordinator, or on every server; with the files that have their statements. */
const filesOfCoordinator: Record<string, string[]> = {
  access: ['access', 'factors', 'tries'],
  identities: ['identities'],
  passwordResets: ['password-resets'],
  audit: ['audit'],
  templates: ['templates'],
}

/** The part, and the names of those of its functions that nobody has called. */
function watched<Part extends object>(name: string, part: Part) {
  const uncalled = new Set(Object.keys(part).filter((one) => !behindRequests[name]?.includes(one)))
  const watching = new Proxy(part, {
    get(of, property) {
      uncalled.delete(String(property))
      return Reflect.get(of, property)
    },
  })
  return { watching, left: () => [...uncalled].map((one) => `${name}.${one}`) }
}

/** The store with each part that has tables by account watched. */
function watchedStore(store: Store) {
  const parts = Object.entries(store).filter(([name, part]) => typeof part === 'object' && !filesOfCoordinator[name])
  const all = parts.map(([name, part]) => [name, watched(name, part as object)] as const)
  const watching = Object.fromEntries(all.map(([name, one]) => [name, one.watching]))
  return { watching: { ...store, ...watching } as Store, left: () => all.flatMap(([, one]) => one.left()) }
}

const distributed = Object.keys(placements).filter((table) => placements[table] === 'distributed')
const named = new RegExp(`\\b(?:${distributed.join('|')})\\b`)
/** What is old of all visitors is removed behind the requests. */
const isOfAccounts = ({ text }: Asked) => named.test(text) && !/account_id < 0/.test(text)

function settings(kind: 'after' | 'none', id?: number) {
  const deadline = kind === 'after' ? { kind, period: 'P2D' } : { kind }
  const mechanism = { startsOn: 'registration', deadline }
  const file = { ...(id && { id }), name: 'Autumn course', isDraft: false, timeZone: 'Europe/Warsaw', mechanism }
  const checked = checkCampaign(file)
  if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
  return checked.campaign
}

function literalOf(value: unknown): string {
  if (value === null || typeof value === 'number') return String(value)
  return pg.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : String(value))
}

const now = 1_795_000_000
const by = testerAt(now)
const emails = Array.from({ length: 40 }, (_, n) => `${n}@example.com`)
type Both = [Campaign, Campaign]
const onAll = (both: Both, run: (email: string, campaign: Campaign) => Promise<unknown>) =>
  Promise.all(both.flatMap((one) => emails.map((email) => run(email, one))))

/** With all that is written beside a lead: what is to be told, and the entry of the audit log. */
const decide: Decide = ({ accountId, id, name, watchers, ...campaign }, lead) => ({
  ...decisionOf(campaign, now, lead && { attempt: { ...lead.attempt, resets: lead.attempt.resets + 1 } }),
  notices: watchers.map(({ endpointId }) => ({ endpointId, dueAt: now, kind: 'look', detail: 0 })),
  entry: {
    by,
    change: {
      ...{ accountId, action: 'leads.added', before: null },
      subject: { kind: 'leads', id, name },
      after: { count: 1 },
    },
  },
})

async function askLeads({ leads }: Store, both: Both): Promise<LeadWrite> {
  const [campaign] = both
  const seen = (await leads.write(campaign, 'seen@example.com', decide, true)) as LeadWrite
  await onAll(both, (email, one) => leads.write(one, email, decide, true))
  await onAll(both, (email, one) => leads.write(one, email, decide, false))
  await onAll(both, (email, one) => leads.find(one, email))
  await leads.findByRef(seen.lead.ref)
  await leads.findByIds(campaign.accountId, [seen.lead.id, seen.lead.id + 1])
  await leads.list(campaign, { prefix: '1', afterEmail: '', limit: 5 })
  for (const after of [null, { at: now, opensAt: now, id: 1 }]) {
    for (const isDescending of [false, true]) await leads.listByDeadline(campaign, { after, isDescending, limit: 5 })
  }
  await leads.listWithoutDeadline(campaign, { afterEmail: '', limit: 5 })
  await leads.search(campaign, { part: 'example', afterEmail: '', limit: 5 })
  return seen
}

async function askCounts({ counts, rates }: Store, both: Both, leadId: number): Promise<void> {
  const [campaign] = both
  const { accountId, id: campaignId } = campaign
  const count = { accountId, campaignId, day: 1, pageId: 1, leadId, fetcher: 'person', lastAt: 1 } as const
  const made: Count[] = emails.map((_, n) => ({ ...count, day: n, kind: n % 2 ? 'visit' : 'click', total: n }))
  await counts.add(made)
  await counts.addSignups([{ accountId, campaignId, fromAt: 0, signedUp: 1, started: 1, clicked: 0, converted: 0 }])
  await counts.ofCampaign(campaign, 0)
  await counts.ofAccount(accountId, 0)
  await counts.byCampaign(accountId, 0)
  await counts.ofLead(campaign, leadId)
  await counts.sightings(campaign)
  await counts.signups(campaign, 0, now)
  await counts.startsSince()
  await counts.countStates(campaign, '', now)
  await counts.countLeads(campaign, 10)
  // With none wanted, and with a rule that opens later, leads that wait for one instant are counted together.
  const rules = new Map([[0, { ...[...campaign.rules.values()][0], deadline: { kind: 'next', opens: {} } }]])
  for (const one of [campaign, { ...campaign, rules } as unknown as Campaign]) await counts.openByDeadline(one, now, 1)
  await counts.openByDeadline({ ...campaign, terms: { ...campaign.terms, personal: null } }, now, 10)
  await Promise.all(emails.map(() => rates.count(accountId, 120, Date.now())))
  await rates.countVisitor('203.0.113.7', 120, Date.now())
  await rates.countEvents(accountId, 120, Date.now())
}

async function askConversions({ conversions }: Store, campaign: Campaign, { lead }: LeadWrite): Promise<void> {
  const { accountId, id: campaignId } = campaign
  const of = { accountId, campaignId }
  const buyers = [{ email: lead.email }, { ref: lead.ref }]
  for (const [n, buyer] of buyers.entries()) {
    const order = { orderId: `order-${n}`, at: now, amount: 1, currency: 'EUR' }
    const closing = (attempt: typeof lead.attempt) => setByHand(campaign.terms, attempt, now, now)
    const judge = (_: Campaign, { attempt }: typeof lead) => {
      return { deadline: now, attempt: 1, cycle: 1, closing: closing(attempt) }
    }
    const told = await conversions.convert(of, { order, buyer, source: 'panel' }, judge, now, by)
    assert.ok(typeof told === 'object' && told.created)
    await conversions.find(accountId, told.conversion.id)
  }
  await conversions.reverse(of, 'order-0', (one, known) => decide(one, known) as never, now, by)
  await conversions.list(campaign, 0, 10)
  await conversions.newest(campaign, 10)
  await conversions.ofLead(campaign, lead.id)
  await conversions.firstOf(accountId, [lead.id, lead.id + 1])
  for (const by of ['left', 'age'] as const) await conversions.salesBetween(campaign, by, 0, now)
  for (const sums of ['reversedBetween', 'peopleBetween'] as const) await conversions[sums](campaign, 0, now)
  await conversions.ordersByQuarter(campaign)
}

const endpointSettings: EndpointSettings = {
  ...{ name: 'shop', url: 'https://example.com/', kinds: [...wantedKinds], campaignIds: null, leadTimes: ['PT1H'] },
  ...{ personal: true, batch: 1, inFlight: 1, perMinute: null },
}

async function askEvents({ events }: Store, endpoint: Endpoint, campaign: Campaign): Promise<void> {
  const { accountId } = endpoint
  await events.listEndpoints(accountId)
  await events.waiting(endpoint, now)
  // While a worker is away these are asked of each account.
  await events.lease('node', accountId)
  assert.equal((await events.dueEndpoints('node', now + 1, accountId)).length, 1)
  assert.equal((await events.sweeps('node', accountId)).length, 1)
  assert.equal((await events.findLeased('node', accountId, endpoint.id))?.id, endpoint.id)
  await events.release('node', accountId)
  const due = await events.due(endpoint, now + 1, 100)
  const [first] = due
  assert.ok(first && due.length > 1)
  const failed = due.map((one) => ({ ...one, tries: 1, refused: 0, nextAt: now, lastAt: now }))
  const looks: Notice[] = due.map((one) => ({ ...one, kind: 'look', dueAt: now + 1 }))
  await events.settle(endpoint, { done: due, failed, looks })
  await events.settle(endpoint, { done: [first, { ...first, queue: 'failed_deliveries' }], failed: [], looks: [] })
  await events.setHealth(endpoint, { failingSince: now, failures: 5, nextTryAt: now }, now)
  await events.setHealth({ ...endpoint, failures: 5 }, { failingSince: null, failures: 0, nextTryAt: null }, now)
  await events.resend(endpoint, first, by)
  await events.resendFailed(endpoint, 0, by)
  await events.startBackfill(endpoint, campaign.id, by)
  await events.startBackfill(endpoint, campaign.id, by)
  const sweep: Sweep = {
    ...{ endpoint, campaignId: campaign.id, cause: 'backfill', begunAt: 0, schedulesBefore: [] },
    ...{ pauses: [], afterEmail: '', restarts: 1 },
  }
  await events.writeStretch(sweep, looks, '1@example.com')
  await events.writeStretch({ ...sweep, afterEmail: '1@example.com' }, [], null)
  await events.changeEndpoint(endpoint, { ...endpointSettings, url: 'https://other.example/' }, by)
  await events.resetTries(endpoint, 0)
  await events.rotateSecret(endpoint, now, by)
  await events.discardBefore(endpoint, 1, by)
  await events.discardFailed(endpoint, 1)
  await events.pauseFailing((await events.findEndpoint(accountId, endpoint.id)) as Endpoint, 'gone', by)
  await events.pauseEndpoint(endpoint, 'user', by)
  await events.purgeOld(accountId, now)
  await events.resumeEndpoint((await events.findEndpoint(accountId, endpoint.id)) as Endpoint, null, by)
  events.secretsOf(endpoint, now)
  events.refOf(accountId, 1, 1)
  events.eventId(accountId, 1, 'lead.expired', now, 0)
}

async function askHistory(table: HistoryTable, both: Both): Promise<() => string[]> {
  const history = watched('history', table)
  const deliveries = watched('deliveries', table.deliveries)
  const entries = both.flatMap(({ accountId }) => emails.map((_, atMs) => historyEntry({ atMs, accountId })))
  assert.deepEqual(await history.watching.append(entries), [])
  const [{ accountId }] = both
  const cursor = { atMs: 20, requestId: entries[20]?.requestId as string }
  const keyId = cursor.requestId
  const filter = { fromMs: 0, toMs: 30, statusClass: 2, requestId: 'a', operation: 'x', errorCode: 'y', keyId }
  for (const range of [{ before: cursor }, { after: cursor }]) {
    await history.watching.page(accountId, filter, { ...range, limit: 10 })
  }
  await history.watching.bars(accountId, filter, 60)
  await history.watching.byKey(accountId, 0, 10)
  const told: DeliveryEntry = {
    ...{ accountId, endpointId: 1, atMs: 1, eventId: 'evt_1', kind: 'lead.expired', leadId: 1, dueAt: 1, detail: 0 },
    ...{ status: 200, cause: null, milliseconds: 1, tryNumber: 1 },
  }
  await deliveries.watching.append([told, { ...told, atMs: 2 }])
  for (const outcome of ['delivered', 'failed'] as const) {
    await deliveries.watching.page(accountId, { endpointId: 1, outcome, eventId: 'evt_1', before: told, limit: 1 })
  }
  return () => [...history.left(), ...deliveries.left()]
}

async function askConfiguration({ configuration, leads, events }: Store, both: Both, endpoint: Endpoint) {
  const [{ accountId, id }] = both
  await configuration.listAccounts()
  await configuration.hasLeadsOrVisitors(accountId, id)
  await configuration.updateAccount(accountId, { name: 'Other' }, by)
  const key = (keyId: string): NewKey => ({
    ...{ id: keyId, accountId, name: 'server', scopes: [], createdAt: 1, secretHash: new Uint8Array(32) },
  })
  const ids = [1, 2].map((n) => `00000000-0000-4000-8000-00000000000${n}`) as [string, string]
  await configuration.createKey(key(ids[0]), by)
  await configuration.renameKey(ids[0], 'other', by)
  await configuration.replaceKey(ids[0], now, key(ids[1]), by)
  await configuration.revokeKey(ids[1], by)
  await configuration.listKeys(accountId)
  await configuration.listRecentKeys(accountId, now)
  await configuration.findKey(ids[0])
  await configuration.findLiveKey(ids[0])
  await configuration.noteKeyUses([{ keyId: ids[0], usedAt: now }])
  await configuration.listCampaigns(accountId, { limit: 5, afterId: 0, isDraft: null })
  await configuration.listNewestCampaigns(accountId, 5)
  await configuration.listCampaignsById(accountId, [id, id + 1])
  await configuration.listPublishedTerms(accountId, { limit: 5, afterId: 0 })
  await configuration.countPublished(accountId)
  await configuration.newestPublished(accountId, 5)
  await configuration.newestCampaign(accountId)
  await configuration.isLiveWithLead(accountId)
  const campaign = (await configuration.findCampaign(id)) as Campaign
  await leads.erase([{ campaign, email: '0@example.com' }], by)
  await leads.eraseTraces('0@example.com')
  // A campaign that has leads stays of its kind.
  await assert.rejects(configuration.applyCampaign(accountId, settings('none', id), by))
  const { mechanism } = settings('after')
  const endsAt = '2030-01-01T00:00'
  await configuration.applyCampaign(accountId, { ...settings('after', id), mechanism: { ...mechanism, endsAt } }, by)
  await configuration.archiveCampaign(accountId, id, true, by)
  await configuration.deleteCampaign(id, by)
  for (const deleted of await configuration.deletedCampaigns())
    await removeWhole(configuration, deleted, async () => {})
  while (!(await events.purge(endpoint)));
}

async function oneTaskEach(url: string, statements: Asked[]): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  for (const { text, values } of statements) {
    if (/\bINSERT\b/.test(text)) assert.match(text, /^\s*INSERT INTO \w+\s+(AS \w+\s+)?\([^)]*\)\s+VALUES /)
    // Citus explains no statement that has parameters and casts.
    const literal = (place: string) => literalOf(values[Number(place.slice(1)) - 1])
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text.replaceAll(/\$\d+/g, literal)}`)
    const plan = JSON.stringify(rows[0]['QUERY PLAN'])
    assert.deepEqual(plan.match(/"Task Count": ?\d+/g), ['"Task Count":1'], `${text}\n${plan}`)
  }
  await client.end()
}

async function opened(t: TestContext) {
  const place = await emptyDatabases.postgres?.(t)
  assert.ok(place?.engine === 'postgres')
  assert.ok(citusUrl, 'this test needs CITUS_URL')
  const asked = listened()
  const store = await openStore(place, { lockWaitMs: 1_000, timeoutMs: 10_000, poolSize: 2, isServer: true })
  const table = await openHistoryTable(place)
  t.after(async () => void (await Promise.all([store.close(), table.close()])))
  return { url: place.url, asked, store, table }
}

test('every statement of a request shows one task on one shard, and writes are VALUES', async (t) => {
  const { url, asked, store, table } = await opened(t)
  const { watching, left } = watchedStore(store)
  const { configuration, events } = watching
  const made: Campaign[] = []
  const endpoints: Endpoint[] = []
  for (const name of ['A', 'B']) {
    const { id } = await configuration.createAccount(name, by)
    await configuration.findAccount(id)
    endpoints.push(await events.createEndpoint(id, endpointSettings, by))
    made.push(await configuration.applyCampaign(id, settings('after'), by))
  }
  const [both, endpoint] = [made as Both, endpoints[0] as Endpoint]
  const seen = await askLeads(watching, both)
  await askCounts(watching, both, seen.lead.id)
  await askConversions(watching, both[0], seen)
  await askEvents(watching, endpoint, both[0])
  const leftOfHistory = await askHistory(table, both)
  await askConfiguration(watching, both, endpoint)

  assert.deepEqual([...left(), ...leftOfHistory()], [], 'has a part of the store more functions, call them here')
  const statements = new Map(asked.filter(isOfAccounts).map((one) => [one.text, one]))
  assert.ok(statements.size > 80, `${statements.size} statements`)
  await oneTaskEach(url, [...statements.values()])
  t.diagnostic(`${statements.size} statements`)
})

test('parts of the store whose tables lie on the coordinator name no table by account', () => {
  for (const file of Object.values(filesOfCoordinator).flat()) {
    const text = readFileSync(join(root, 'src/store', `${file}.ts`), 'utf8')
    const [found] = new RegExp(`\\b(?:FROM|INTO|UPDATE|JOIN) (?:${distributed.join('|')})\\b`).exec(text) ?? []
    assert.equal(found, undefined, file)
  }
})
