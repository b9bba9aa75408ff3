// Every statement that a request can run, or that is written behind it, goes to one shard of one worker.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { checkCampaign } from '../../src/core/campaign.ts'
import { begin } from '../../src/core/mechanism/attempt.ts'
import { openHistoryTable } from '../../src/history/open.ts'
import type { Count } from '../../src/store/counts.ts'
import type { Campaign, Decide, LeadWrite } from '../../src/store/model.ts'
import { openStore } from '../../src/store/open.ts'
import { placements } from '../../src/store/postgres/distribution.ts'
import { tester, testerAt } from '../support/actor.ts'
import { citusUrl } from '../support/citus.ts'
import { emptyDatabases } from '../support/empty-databases.ts'
import { historyEntry } from '../support/history-seed.ts'

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

/** The part, and the names of those of its functions that nobody has called. */
function watched<Part extends object>(part: Part, notByRequests: string[] = []) {
  const uncalled = new Set(Object.keys(part).filter((name) => !notByRequests.includes(name)))
  const watching = new Proxy(part, {
    get(of, name) {
      uncalled.delete(String(name))
      return Reflect.get(of, name)
    },
  })
  return { watching, uncalled }
}

const distributed = Object.keys(placements).filter((table) => placements[table] === 'distributed')
const isOfAccounts = ({ text }: Asked) => distributed.some((table) => new RegExp(`\\b${table}\\b`).test(text))

function settings(kind: 'after' | 'none', id?: number) {
  const deadline = kind === 'after' ? { kind, period: 'P2D' } : { kind }
  const mechanism = { startsOn: 'registration', deadline }
  const file = { ...(id && { id }), name: 'Autumn course', timeZone: 'Europe/Warsaw', mechanism }
  const checked = checkCampaign(file)
  if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
  return checked.campaign
}

function literalOf(value: unknown): string {
  if (value === null || typeof value === 'number') return String(value)
  return pg.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : String(value))
}

const decide: Decide = ({ terms, ruleId }, lead) => ({
  registeredAt: 1,
  ruleId,
  attempt: lead ? { ...lead.attempt, resets: lead.attempt.resets + 1 } : begin(terms, 1_795_000_000),
})

test('every statement of a request shows one task on one shard, and writes are VALUES', async (t) => {
  const place = await emptyDatabases.postgres?.(t)
  assert.ok(place?.engine === 'postgres')
  assert.ok(citusUrl, 'this test needs CITUS_URL')
  const asked = listened()
  const store = await openStore(place, { lockWaitMs: 1_000, timeoutMs: 10_000, poolSize: 2, isServer: true })
  const table = await openHistoryTable(place)
  t.after(async () => void (await Promise.all([store.close(), table.close()])))
  const leads = watched(store.leads)
  const counts = watched(store.counts)
  const rates = watched(store.rates)
  const history = watched(table, ['purge', 'moveBatch', 'close'])

  const [first, second] = await Promise.all(['A', 'B'].map((name) => store.configuration.createAccount(name, tester)))
  const of = (account: typeof first) =>
    store.configuration.applyCampaign(account?.id as number, settings('after'), tester)
  const [campaign, other] = (await Promise.all([of(first), of(second)])) as [Campaign, Campaign]
  const emails = Array.from({ length: 40 }, (_, n) => `${n}@example.com`)
  const all = (run: (email: string, campaign: Campaign) => Promise<unknown>) =>
    Promise.all([campaign, other].flatMap((one) => emails.map((email) => run(email, one))))
  const { watching } = leads
  const seen = (await watching.write(campaign, 'seen@example.com', decide, undefined)) as LeadWrite
  await all((email, one) => watching.write(one, email, decide, undefined))
  await all((email, one) => watching.write(one, email, decide, seen.lead))
  await all((email, one) => watching.find(one, email))
  await watching.findByRef(seen.lead.ref)
  await watching.list(campaign, { prefix: '1', afterEmail: '', limit: 5 })
  const count = { accountId: campaign.accountId, campaignId: campaign.id, day: 1, pageId: 1, leadId: seen.lead.id }
  const made: Count[] = emails.map((_, n) => ({ ...count, kind: 'visit', fetcher: 'person', total: n, lastAt: n }))
  await counts.watching.add(made.map((one, day) => ({ ...one, day })))
  await counts.watching.ofCampaign(campaign, 0)
  await counts.watching.ofAccount(campaign.accountId, 0)
  await counts.watching.ofLead(campaign, seen.lead.id)
  await counts.watching.sightings(campaign)
  await Promise.all(emails.map(() => rates.watching.count(campaign.accountId, 120, Date.now())))
  await rates.watching.countVisitor('203.0.113.7', 120, Date.now())
  const entries = [campaign, other].flatMap(({ accountId }) =>
    emails.map((_, atMs) => historyEntry({ atMs, accountId })),
  )
  assert.deepEqual(await history.watching.append(entries), [])
  const cursor = { atMs: 20, requestId: entries[20]?.requestId as string }
  const filter = {
    fromMs: 0,
    toMs: 30,
    statusClass: 2,
    requestId: 'a',
    operation: 'x',
    errorCode: 'y',
    keyId: cursor.requestId,
  }
  for (const range of [{ before: cursor }, { after: cursor }]) {
    await history.watching.page(campaign.accountId, filter, { ...range, limit: 10 })
  }
  await history.watching.bars(campaign.accountId, filter, 60)
  await watching.erase([{ campaign, email: '0@example.com' }], testerAt(0))
  await watching.eraseTraces('0@example.com')
  // A campaign that has leads stays of its kind.
  await assert.rejects(store.configuration.applyCampaign(campaign.accountId, settings('none', campaign.id), tester))
  await store.configuration.deleteCampaign(campaign.id, tester)

  for (const part of [leads, counts, rates, history]) assert.deepEqual([...part.uncalled], [])
  // Removes what is old of everybody, behind the requests.
  const ofRequests = asked.filter(isOfAccounts).filter(({ text }) => !text.includes('account_id < 0'))
  const statements = new Map(ofRequests.map((one) => [one.text, one]))
  assert.ok(statements.size > 20, `${statements.size} statements`)
  const client = new pg.Client(place.url)
  await client.connect()
  for (const { text, values } of statements.values()) {
    if (/\bINSERT\b/.test(text)) assert.match(text, /^\s*INSERT INTO \w+\s+(AS \w+\s+)?\([^)]*\)\s+VALUES /)
    // Citus explains no statement that has parameters and casts.
    const literal = (place: string) => literalOf(values[Number(place.slice(1)) - 1])
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text.replaceAll(/\$\d+/g, literal)}`)
    const plan = JSON.stringify(rows[0]['QUERY PLAN'])
    assert.deepEqual(plan.match(/"Task Count": ?\d+/g), ['"Task Count":1'], `${text}\n${plan}`)
  }
  await client.end()
  t.diagnostic(`${statements.size} statements`)
})
