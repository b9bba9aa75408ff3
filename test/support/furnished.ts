// An SQLite database with a row in every table that `copy` takes along.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createKey } from '../../src/access/keys.ts'
import type { EndpointSettings } from '../../src/core/events.ts'
import { tester, testerAt } from './actor.ts'
import { accountWithKey, appliedCampaign, arrangeIn, campaignFile, installation } from './lastcall.ts'
import { sharedCommand } from './prepared.ts'

const endpointSettings: EndpointSettings = {
  ...{ name: 'Shop', url: 'https://shop.example.com/', kinds: ['lead.expired'], campaignIds: null, leadTimes: [] },
  ...{ personal: true, batch: 1, inFlight: 1, perMinute: null },
}

/** What a command prints, which must not fail. */
export async function json(url: string, args: string[], input = '') {
  const { code, stdout, stderr } = await sharedCommand(args, { env: { DATABASE_URL: url }, input })
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

/** Two accounts, three campaigns, a revoked key, and leads, one of them with a deadline set by hand. */
export async function furnished(t: TestContext, leads = 20) {
  const url = `file:${join(installation(t).folder, 'origin.db')}`
  const key = await arrangeIn(url, async (store) => {
    const owner = await accountWithKey(store)
    const stranger = await store.configuration.createAccount('Stranger', tester)
    const old = await createKey(store, owner.accountId, 'old', tester)
    await store.configuration.revokeKey(old.id, testerAt(2))
    for (const id of [owner.accountId, owner.accountId, stranger.id]) await appliedCampaign(store, id, campaignFile())
    await store.events.createEndpoint(owner.accountId, endpointSettings, tester)
    return owner.key
  })
  const emails = Array.from({ length: leads }, (_, n) => `lead-${n}@example.com\n`).join('')
  await json(url, ['lead', 'import', '--campaign', '1', '-'], `email\n${emails}`)
  await json(url, [
    ...['lead', 'deadline', '--campaign', '1', '--email', 'lead-7@example.com'],
    ...['--at', '2030-01-01T00:00:00Z'],
  ])
  // Tables of which every column is key.
  const database = new DatabaseSync(fileURLToPath(url))
  database.exec(`INSERT INTO clicked_leads SELECT account_id, id FROM leads WHERE id < 4;
    INSERT INTO users (account_id, email, password_hash, created_at) VALUES (1, 'owner@example.com', 'x', 1);
    INSERT INTO recovery_codes VALUES (1, x'00'), (1, x'01');
    UPDATE endpoints SET paused_at = 9;
    INSERT INTO notices VALUES (1, 1, 9, 1, 1, 0);
    INSERT INTO sweeps VALUES (1, 1, 1, 2, 9, 'lead-1', '[]', 1);
    INSERT INTO failed_deliveries VALUES (1, 1, 9, 1, 1, 0, 3, NULL, 4000000000, 0, 0);
    INSERT INTO page_sightings VALUES (1, 9);
    INSERT INTO daily_counts VALUES (1, 1, 9, 1, 1, 1, 1);
    INSERT INTO signup_counts VALUES (1, 1, 900, 1, 1, 1, 1);
    INSERT INTO lead_counts VALUES (1, 1, 9, 1, 1, 1);
    INSERT INTO conversions (account_id, campaign_id, lead_id, order_id, at, registered_at, attempt, cycle, source)
      VALUES (1, 1, 1, 'order-1', 9, 1, 1, 1, 1)`)
  database.close()
  return { url, key }
}
