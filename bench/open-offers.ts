// npm run bench:open: how long it takes to say how many offers are open, of a million leads, on both engines.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { checkCampaign } from '../src/core/campaign.ts'
import { openOffersOf } from '../src/leads/open-offers.ts'
import type { Campaign } from '../src/store/model.ts'
import { type DatabaseLocation, openStore } from '../src/store/open.ts'
import { tester } from '../test/support/actor.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { ask } from '../test/support/postgres-databases.ts'

const { values } = parseArgs({ options: { leads: { type: 'string', default: '1000000' } } })
const total = Number(values.leads)
const rounds = 15
const mostMs = 50
const options = { lockWaitMs: 1_000, timeoutMs: 60_000, poolSize: 2, isServer: false }

/** So many of the leads have an open offer. */
const shares = { all: total, 'a tenth': total / 10, 'five, behind all others': 5 }

async function makeCampaign(at: DatabaseLocation): Promise<Campaign> {
  const store = await openStore(at, options)
  const { id } = await store.configuration.createAccount('Owner', tester)
  const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'P30D' } }
  const checked = checkCampaign({ name: 'c', isDraft: false, timeZone: 'UTC', mechanism })
  if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
  const campaign = await store.configuration.applyCampaign(id, checked.campaign, tester)
  await store.close()
  return campaign
}

/** Leads by number n: each has a deadline of its own, in no order of theirs. */
function insertion(campaign: Campaign, numbers: string): string {
  return `INSERT INTO leads (account_id, campaign_id, email, salt, registered_at, attempt, resets, rule_id, anchor_at,
      opens_at, deadline_at)
    SELECT ${campaign.accountId}, ${campaign.id}, 'lead' || ((n * 7919) % 1000003) || '-' || n || '@example.com', n, n, 1, 0,
      ${campaign.ruleId}, n, n, 1000000000 + (n * 104729) % ${total} FROM ${numbers}`
}

async function measure(engine: string, at: DatabaseLocation, campaign: Campaign): Promise<number> {
  const store = await openStore(at, options)
  let slowest = 0
  for (const [name, open] of Object.entries(shares)) {
    const now = 1_000_000_000 + total - open - 1
    const times: number[] = []
    let found = ''
    for (let round = 0; round < rounds; round += 1) {
      const before = performance.now()
      const { count, isAll } = await openOffersOf(store, campaign, now)
      times.push(performance.now() - before)
      found = `${isAll ? '' : 'at least '}${count.toLocaleString('en')}`
    }
    times.sort((a, b) => a - b)
    const [median, most] = [times[rounds >> 1] as number, times.at(-1) as number]
    slowest = Math.max(slowest, median)
    console.log(`| ${[engine, name, found, median.toFixed(1), most.toFixed(1)].join(' | ')} |`)
  }
  await store.close()
  return slowest
}

async function onSqlite(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-open-'))
  try {
    const path = join(folder, 'lastcall.db')
    const at: DatabaseLocation = { engine: 'sqlite', path }
    const campaign = await makeCampaign(at)
    const database = new DatabaseSync(path)
    database.exec(
      insertion(
        campaign,
        `(WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers
      LIMIT ${total}) SELECT n FROM numbers)`,
      ),
    )
    database.close()
    return await measure('SQLite', at, campaign)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function onPostgres(): Promise<number> {
  const postgres = await startPostgres()
  try {
    const { url } = postgres
    const at: DatabaseLocation = { engine: 'postgres', url }
    const campaign = await makeCampaign(at)
    await ask(url, insertion(campaign, `generate_series(0, CAST(${total - 1} AS bigint)) AS numbers (n)`))
    // Until autovacuum has come, within a minute or two, each entry of the index is looked up in the table.
    await measure('PostgreSQL, just written', at, campaign)
    await ask(url, 'VACUUM ANALYZE leads')
    return await measure('PostgreSQL', at, campaign)
  } finally {
    await postgres.stop()
  }
}

console.log('| engine | open offers | answer | p50 ms | most ms |')
console.log('| --- | --- | --- | --- | --- |')
const slowest = Math.max(await onSqlite(), await onPostgres())
if (slowest > mostMs) {
  console.error(`the slowest took ${slowest.toFixed(1)} ms: more than ${mostMs}`)
  process.exitCode = 1
}
