// Statements that were prepared while a table was empty are kept: they must still use its indexes when it is large.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { removeWhole } from '../../../src/campaigns/deleted.ts'
import { checkCampaign } from '../../../src/core/campaign.ts'
import type { Decide, LeadWrite } from '../../../src/store/model.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { tester } from '../../support/actor.ts'
import { decisionOf } from '../../support/decision.ts'
import { amount, someOf } from '../../support/faults.ts'
import { ask } from '../../support/postgres-databases.ts'
import { sharedCluster } from '../../support/shared-postgres.ts'

/** A new database in which nothing has plans made again. */
async function untidied(): Promise<{ url: string; asSuperuser: string }> {
  const cluster = await sharedCluster()
  const url = await cluster.createDatabase()
  const asSuperuser = new URL(cluster.adminUrl)
  asSuperuser.pathname = new URL(url).pathname
  return { url, asSuperuser: asSuperuser.href }
}
/** Ends the store's connections, which tell by then what they have done. May be called twice. */
function closing(store: Store): () => Promise<void> {
  let closed: Promise<void> | undefined
  return () => (closed ??= store.close())
}
const tidyNothing = ['accounts', 'leads', 'request_rates'].map(
  (table) => `ALTER TABLE ${table} SET (autovacuum_enabled = off)`,
)

for (const isAnalyzed of someOf([false, true], 1))
  test(`a table that grew ${isAnalyzed ? 'since it was analyzed' : 'from nothing'} is never read whole`, {
    timeout: 300_000,
  }, async (t) => {
    const { url, asSuperuser } = await untidied()
    const options = { lockWaitMs: 1_000, timeoutMs: 10_000, poolSize: 1, isServer: true }
    const store = await openStore({ engine: 'postgres', url }, options)
    const close = closing(store)
    t.after(close)
    await ask(url, ...tidyNothing)
    const account = await store.configuration.createAccount('Owner', tester)
    const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'P2D' } }
    const checked = checkCampaign({ name: 'Autumn course', timeZone: 'Europe/Warsaw', mechanism })
    if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
    const campaign = await store.configuration.applyCampaign(account.id, checked.campaign, tester)

    const decide: Decide = (campaign, lead) =>
      decisionOf(campaign, 1_795_000_000, lead && { attempt: { ...lead.attempt, resets: lead.attempt.resets + 1 } })
    let made = 0
    const register = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () => {
          made += 1
          return store.leads.write(campaign, `${made}@example.com`, decide, true)
        }),
      )
    const lookUp = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, n) => store.leads.find(campaign, `${n + 1}@example.com`)))
    // PostgreSQL settles for a plan after five executions; these are made of nothing at all.
    const settled = amount(7, 12)
    for (let n = 0; n < settled; n += 1) await lookUp(64)
    const { lead } = (await register(1))[0] as LeadWrite
    /** Every statement that a request may run, alone and with others. */
    async function everyStatement(): Promise<void> {
      for (const count of [64, 30, 1]) {
        const emails = Array.from({ length: count }, (_, n) => `${n + 1}@example.com`)
        await lookUp(count)
        await Promise.all(emails.map((email) => store.leads.write(campaign, email, decide, false)))
        await register(count)
      }
      await store.leads.findByRef(lead.ref)
      await store.rates.count(account.id, 1_000_000, Date.now())
    }
    // Plans are made again when the table has been analyzed.
    for (let n = 0; n < settled; n += 1) await everyStatement()
    if (isAnalyzed) await ask(url, 'ANALYZE')
    for (let n = 0; n < settled; n += 1) await everyStatement()
    while (made < amount(4_000, 100_000)) await register(500)
    // What a connection has done in its last second is reported with what it does next.
    await sleep(1_500)
    await everyStatement()
    await ask(asSuperuser, 'SELECT pg_stat_reset()')
    for (let n = 0; n < amount(4, 20); n += 1) await everyStatement()
    await close()
    await sleep(500)

    const rows = await ask(
      url,
      `SELECT relname, seq_tup_read::int, (SELECT max(idx_tup_read)::int FROM pg_stat_user_indexes AS i
        WHERE i.relid = t.relid) AS idx_tup_read
      FROM pg_stat_user_tables AS t WHERE relname IN ('accounts', 'leads', 'request_rates')`,
    )
    assert.equal(rows.length, 3)
    for (const { relname, seq_tup_read, idx_tup_read } of rows) {
      assert.equal(seq_tup_read, 0, `${relname} was read whole`)
      // Of an index with the account alone, each statement would read all of its leads.
      assert.ok(idx_tup_read < 20_000, `${relname}: ${idx_tup_read} entries of an index were read`)
    }
  })

test('whether a campaign has leads is seen, and those of a deleted one are removed, without a look at those of others', async (t) => {
  const { url, asSuperuser } = await untidied()
  const options = { lockWaitMs: 1_000, timeoutMs: 10_000, poolSize: 1, isServer: false }
  const store = await openStore({ engine: 'postgres', url }, options)
  const close = closing(store)
  t.after(close)
  await ask(url, ...tidyNothing)
  const { id: accountId } = await store.configuration.createAccount('Owner', tester)
  const checked = checkCampaign({
    ...{ name: 'Autumn course', timeZone: 'Europe/Warsaw' },
    mechanism: { startsOn: 'registration', deadline: { kind: 'none' } },
  })
  if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
  // The older one has most of the leads, and they lie in front.
  for (const count of [20_000, 1_000]) {
    const { id } = await store.configuration.applyCampaign(accountId, checked.campaign, tester)
    await ask(
      url,
      `INSERT INTO leads (account_id, campaign_id, email, salt, registered_at, attempt, resets)
        SELECT ${accountId}, ${id}, n || '@example.com', n, 1, 1, 0 FROM generate_series(1, ${count}) AS n`,
    )
  }
  await ask(url, 'ANALYZE')
  await ask(asSuperuser, 'SELECT pg_stat_reset()')
  for (const id of [1, 2]) assert.equal(await store.configuration.hasLeadsOrVisitors(accountId, id), true)
  const deleted = await store.configuration.deleteCampaign(2, tester)
  assert.ok(deleted)
  // As a backup does: while it sees the leads that are removed, PostgreSQL keeps them in its index.
  const backup = new Client({ connectionString: url })
  await backup.connect()
  await backup.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1')
  await removeWhole(store.configuration, deleted, async () => {})
  await backup.end()
  await close()
  await sleep(500)
  const rows = await ask(url, "SELECT seq_tup_read::int AS read FROM pg_stat_user_tables WHERE relname = 'leads'")
  assert.equal(rows[0]?.read, 0)
  const [byEmail] = await ask(
    url,
    "SELECT idx_tup_read::int AS read FROM pg_stat_user_indexes WHERE indexrelname = 'leads_account_id_campaign_id_email_key'",
  )
  // Twice each: in its step, and in the look whether any came back.
  assert.ok(byEmail?.read <= 2_100, `${byEmail?.read} entries of the index were read`)
})
