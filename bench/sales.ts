// npm run bench:sales: how long the report takes over a million orders of a year, on both engines.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { checkCampaign } from '../src/core/campaign.ts'
import { dayOf } from '../src/core/mechanism/calendar.ts'
import { reportOf } from '../src/leads/report.ts'
import type { Campaign } from '../src/store/model.ts'
import { type DatabaseLocation, openStore } from '../src/store/open.ts'
import { tester } from '../test/support/actor.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { ask } from '../test/support/postgres-databases.ts'

const total = 1_000_000
const days = 366
const rounds = 7
const mostMs = 1_000
const firstAt = Date.UTC(2026, 0, 1) / 1_000
const options = { lockWaitMs: 1_000, timeoutMs: 60_000, poolSize: 2, isServer: false }

async function makeCampaign(at: DatabaseLocation): Promise<Campaign> {
  const store = await openStore(at, options)
  const { id } = await store.configuration.createAccount('Owner', tester)
  const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'P30D' } }
  const checked = checkCampaign({ name: 'c', isDraft: false, timeZone: 'Europe/Warsaw', mechanism })
  if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
  const campaign = await store.configuration.applyCampaign(id, checked.campaign, tester)
  await store.close()
  return campaign
}

/** Orders by number n, spread over the days, in two currencies, a tenth of them reversed. */
const insertion = ({ accountId, id }: Campaign, numbers: string) => `INSERT INTO conversions
    (account_id, campaign_id, lead_id, order_id, at, deadline_at, registered_at, attempt, cycle, amount, currency,
      source, reversed_at)
  SELECT ${accountId}, ${id}, n + 1, 'order-' || n, at, at + (n * 104729) % 900000 - 1000, at - (n * 7919) % 2000000, 1, 1,
    (n * 31) % 100000, CASE WHEN n % 3 = 0 THEN 'USD' ELSE 'EUR' END, 0, CASE WHEN n % 10 = 0 THEN at END
  FROM (SELECT n, ${firstAt} + (n * 27644437) % ${days * 86_400} AS at FROM ${numbers}) AS bought`

async function measure(engine: string, at: DatabaseLocation, campaign: Campaign): Promise<number> {
  const store = await openStore(at, options)
  const from = dayOf(firstAt)
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const before = performance.now()
    const { orders } = await reportOf(store, campaign, from, from + days - 1)
    times.push(performance.now() - before)
    if (orders.orders + orders.reversed < 0.99 * total) throw new Error(JSON.stringify(orders))
  }
  await store.close()
  times.sort((a, b) => a - b)
  const median = times[rounds >> 1] as number
  console.log(`| ${[engine, median.toFixed(0), times[0]?.toFixed(0), times.at(-1)?.toFixed(0)].join(' | ')} |`)
  return median
}

async function onSqlite(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-sales-'))
  try {
    const path = join(folder, 'lastcall.db')
    const campaign = await makeCampaign({ engine: 'sqlite', path })
    const database = new DatabaseSync(path)
    const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers LIMIT ${total})`
    database.exec(insertion(campaign, `(${numbers} SELECT n FROM numbers)`))
    database.close()
    return await measure('SQLite', { engine: 'sqlite', path }, campaign)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function onPostgres(): Promise<number> {
  const postgres = await startPostgres()
  try {
    const { url } = postgres
    const campaign = await makeCampaign({ engine: 'postgres', url })
    await ask(url, insertion(campaign, `generate_series(0, CAST(${total - 1} AS bigint)) AS numbers (n)`))
    await ask(url, 'VACUUM ANALYZE conversions')
    return await measure('PostgreSQL', { engine: 'postgres', url }, campaign)
  } finally {
    await postgres.stop()
  }
}

console.log('| engine | p50 ms | least | most |\n| --- | --- | --- | --- |')
const slowest = Math.max(await onSqlite(), await onPostgres())
if (slowest > mostMs) {
  console.error(`the slower took ${slowest.toFixed(0)} ms: more than ${mostMs}`)
  process.exitCode = 1
}
