// A database of an earlier version is taken along with all its leads, those among them that were not filed by their
// email yet. Nothing is migrated beneath a server.
import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { checkCampaign } from '../../src/core/campaign.ts'
import { begin } from '../../src/core/mechanism/attempt.ts'
import { firstVersion, latestVersion as latest, migrationTo } from '../../src/store/migrations.ts'
import type { Campaign, Lead } from '../../src/store/model.ts'
import { claimDatabase, migrateDatabase, openStore } from '../../src/store/open.ts'
import { tester } from '../support/actor.ts'
import { databaseFolder } from '../support/database-folder.ts'
import { comesTrue } from '../support/prepared.ts'

const options = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false }
const emails = Array.from({ length: 20 }, (_, n) => `lead-${n}@example.com`)
const everything = { prefix: '', afterEmail: '', limit: 1_000 }

function emptyPlace(t: TestContext) {
  const folder = databaseFolder('older')
  t.after(() => rmSync(folder, { recursive: true }))
  return { engine: 'sqlite', path: join(folder, 'lastcall.db') } as const
}

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

const versionIn = (path: string) => {
  const database = new DatabaseSync(path)
  const version = database.prepare('PRAGMA user_version').get()?.user_version
  assert.equal(database.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
  database.close()
  return version
}

/** A database of today with a campaign and its leads, one of which has a deadline of its own. */
async function furnished(t: TestContext) {
  const at = emptyPlace(t)
  const store = await openStore(at, options)
  const account = await store.configuration.createAccount('Owner', tester)
  const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'P2D' } }
  const checked = checkCampaign({ name: 'Autumn course', timeZone: 'UTC', mechanism })
  if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
  const campaign = await store.configuration.applyCampaign(account.id, checked.campaign, tester)
  for (const [n, email] of emails.entries()) {
    const attempt = begin(campaign.terms, n)
    const decision = {
      registeredAt: n,
      ruleId: campaign.ruleId,
      attempt: n === 3 ? { ...attempt, byHand: { deadlineAt: 9_999, setAt: 5, cycle: null } } : attempt,
    }
    await store.leads.write(campaign, email, () => decision, true)
  }
  const leads = await store.leads.list(campaign, everything)
  assert.equal(leads.length, emails.length)
  await store.close()
  return { at, campaign, leads }
}

/** Takes away what each version added. A new migration that adds a column, table or index gets an entry. */
const undo: Record<number, string> = {
  6: `DROP TABLE endpoints; DROP TABLE notices; DROP TABLE failed_deliveries; DROP TABLE sweeps;
    ALTER TABLE api_keys DROP COLUMN scopes;`,
  8: `DROP INDEX leads_by_deadline; DROP INDEX leads_set_by_hand; DROP TABLE signup_counts; DROP TABLE clicked_leads;
    ALTER TABLE installation DROP COLUMN starts_since;`,
  9: `DROP TABLE conversions; UPDATE campaigns SET settings = json_remove(settings, '$.conversion');`,
  11: 'ALTER TABLE campaigns DROP COLUMN archived_at;',
  12: `DROP TABLE audit_entries; DROP TABLE password_resets; DROP TABLE recovery_codes; DROP INDEX users_by_subject;
    ALTER TABLE users DROP COLUMN role; ALTER TABLE users DROP COLUMN factor_secret;
    ALTER TABLE users DROP COLUMN factor_step; ALTER TABLE users DROP COLUMN issuer;
    ALTER TABLE users DROP COLUMN subject; ALTER TABLE sessions DROP COLUMN device;
    ALTER TABLE sessions DROP COLUMN address; ALTER TABLE invitations DROP COLUMN role;
    ALTER TABLE invitations DROP COLUMN email; ALTER TABLE invitations DROP COLUMN created_at;`,
  13: 'DROP INDEX audit_entries_with_address;',
  15: 'ALTER TABLE leads DROP COLUMN by_hand_cycle; DROP TABLE deleted_campaigns;',
  16: 'ALTER TABLE conversions DROP COLUMN replaced_set_at;',
  17: 'DROP INDEX timer_templates_by_age;',
  19: 'ALTER TABLE failed_deliveries DROP COLUMN is_asked_for;',
}

/** The newest first. */
const dropNewerThan = (version: number) =>
  Object.entries(undo)
    .reverse()
    .map(([added, sql]) => (Number(added) > version ? sql : ''))
    .join('\n')

/** Turns it into what each version kept: the leads up to `filedUpTo` filed by their email, the others not yet. */
const older: Record<number, (filedUpTo: number) => string> = {
  3: (filedUpTo) => `${dropNewerThan(5)}
    DROP INDEX leads_by_email;
    CREATE TABLE lead_emails (campaign_id INTEGER NOT NULL, email TEXT NOT NULL, lead_id INTEGER NOT NULL,
      PRIMARY KEY (campaign_id, email)) STRICT, WITHOUT ROWID;
    CREATE TABLE filing (id INTEGER PRIMARY KEY CHECK (id = 1), filed_up_to INTEGER NOT NULL) STRICT;
    INSERT INTO filing VALUES (1, ${filedUpTo});
    -- A round that was under way has filed some more.
    INSERT INTO lead_emails SELECT campaign_id, email, id FROM leads WHERE id <= ${filedUpTo} OR id = 17;
    PRAGMA user_version = 3`,
  4: (filedUpTo) => `${dropNewerThan(5)}
    DROP INDEX leads_by_email;
    CREATE TABLE lead_emails (campaign_id INTEGER NOT NULL, email TEXT NOT NULL, id INTEGER NOT NULL, salt INTEGER,
      registered_at INTEGER, rule_id INTEGER, deadline_at INTEGER,
      PRIMARY KEY (campaign_id, email)) STRICT, WITHOUT ROWID;
    CREATE TABLE filing (id INTEGER PRIMARY KEY CHECK (id = 1), filed_up_to INTEGER NOT NULL) STRICT;
    INSERT INTO filing VALUES (1, ${filedUpTo});
    INSERT INTO lead_emails SELECT campaign_id, email, id, salt, registered_at, rule_id, deadline_at FROM leads
      WHERE id <= ${filedUpTo};
    INSERT OR IGNORE INTO lead_emails (campaign_id, email, id)
      SELECT campaign_id, email, id FROM leads WHERE id = 17;
    PRAGMA user_version = 4`,
}

/** Of an email that has one. */
const secondLead = `
  INSERT INTO leads (account_id, campaign_id, email, salt, registered_at, attempt, resets)
    SELECT account_id, campaign_id, email, 1, 1, 1, 0 FROM leads WHERE email = 'lead-2@example.com'`

for (const [version, makeOlder] of Object.entries(older)) {
  for (const filedUpTo of [0, 10, 20]) {
    test(`of version ${version}, filed up to ${filedUpTo}: every lead is as it was, and none is doubled`, async (t) => {
      const { at, campaign, leads } = await furnished(t)
      change(at.path, makeOlder(filedUpTo))
      assert.deepEqual(await migrateDatabase(at), { version: latest, applied: latest - Number(version) })
      assert.deepEqual(await migrateDatabase(at), { version: latest, applied: 0 })
      assert.equal(versionIn(at.path), latest)
      assert.throws(() => change(at.path, secondLead), /UNIQUE/)
      const store = await openStore(at, options)
      t.after(() => store.close())
      assert.deepEqual((await store.configuration.findCampaign(campaign.id))?.conversion, { closes: false })
      assert.deepEqual(await store.leads.list(campaign, everything), leads)
      for (const lead of leads) {
        assert.deepEqual(await store.leads.find(campaign, lead.email), lead)
        assert.deepEqual(await (await store.leads.findByRef(lead.ref))?.lead(campaign), lead)
        const decide = (_: Campaign, found: Lead | undefined) => assert.deepEqual(found, lead) as undefined
        const again = await store.leads.write(campaign, lead.email, decide, true)
        assert.ok(typeof again !== 'string' && again.before !== undefined)
      }
    })
  }
}

test('of version 18: an event that somebody asked for is still asked for, with its tries', async (t) => {
  const { at, campaign } = await furnished(t)
  const settings = JSON.stringify({ name: 'shop', url: 'https://example.com/', kinds: [], campaignIds: null })
  const failed = (leadId: number, tries: number) =>
    `INSERT INTO failed_deliveries VALUES (${campaign.accountId}, 1, 1, ${leadId}, 1, 0, ${tries}, 9, 8, 0)`
  const sweep = (cause: number, written: object[]) =>
    `INSERT INTO sweeps (account_id, endpoint_id, campaign_id, cause, begun_at, schedules_before)
      VALUES (${campaign.accountId}, 1, ${campaign.id}, ${cause}, 5, '${JSON.stringify(written)}')`
  change(
    at.path,
    `${dropNewerThan(18)}
    INSERT INTO endpoints (id, account_id, settings, created_at) VALUES (1, ${campaign.accountId}, '${settings}', 1);
    ${failed(1, 2)}; ${failed(2, -1)}; ${failed(3, -3)};
    ${sweep(1, [{ timeZone: 'UTC' }])}; ${sweep(3, [{ from: 1, until: 2 }])};
    PRAGMA user_version = 18`,
  )
  const store = await openStore(at, options)
  t.after(() => store.close())
  const endpoint = await store.events.findEndpoint(campaign.accountId, 1)
  assert.ok(endpoint)
  const due = await store.events.due(endpoint, 9, 9)
  assert.deepEqual(due.map(({ leadId, tries, isAskedFor }) => [leadId, tries, isAskedFor]).sort(), [
    [1, 2, false],
    [2, 0, true],
    [3, 2, true],
  ])
  const sweeps = await store.events.sweeps('node')
  assert.deepEqual(
    sweeps.map(({ schedulesBefore, pauses }) => [...schedulesBefore, ...pauses]),
    [[], [{ from: 1, until: 2 }]],
    'an edit from before is not told',
  )
})

test('of version 4, with an email that has two leads in spite of everything: the one that was found stays', async (t) => {
  const { at, campaign, leads } = await furnished(t)
  change(at.path, `${older[4]?.(20)}; ${secondLead}`)
  const store = await openStore(at, options)
  t.after(() => store.close())
  assert.deepEqual(await store.leads.list(campaign, everything), leads)
})

test('a database on which a server runs is migrated neither by `migrate` nor by another command', async (t) => {
  const { at } = await furnished(t)
  change(at.path, older[4]?.(10) ?? '')
  const giveUpClaim = claimDatabase(at)
  const refusal = {
    name: 'UnusableDatabase',
    message: /^a server, a migration or a copy is running on .*: stop it, or wait for it$/,
  }
  await assert.rejects(migrateDatabase(at), refusal)
  await assert.rejects(openStore(at, options), refusal)
  assert.equal(versionIn(at.path), 4)
  giveUpClaim()
  await (await openStore(at, options)).close()
  assert.equal(versionIn(at.path), latest)
  // The one that serves migrates under its own claim; beside it commands go on, and `migrate` still does not.
  change(at.path, `DROP INDEX leads_by_email; ${older[4]?.(10).replace('DROP INDEX leads_by_email;', '')}`)
  const giveUpAgain = claimDatabase(at)
  const server = await openStore(at, { ...options, isServer: true })
  await (await openStore(at, options)).close()
  await assert.rejects(migrateDatabase(at), refusal)
  await server.close()
  giveUpAgain()
  assert.deepEqual(await migrateDatabase(at), { version: latest, applied: 0 })
})

test('a newer database is refused at the start, and while it is open nothing is read or written any more', async (t) => {
  const { at, campaign } = await furnished(t)
  let told = 0
  const onNewerDatabase = () => {
    told += 1
  }
  const store = await openStore(at, { ...options, isServer: true, onNewerDatabase })
  t.after(() => store.close())
  assert.ok(store.isReady())
  change(at.path, `PRAGMA user_version = ${latest + 1}`)
  const unavailable = { name: 'StoreUnavailable' }
  // At once, not only when it is next looked at.
  const decide = () => ({ registeredAt: 1, ruleId: campaign.ruleId, attempt: begin(campaign.terms, 1) })
  await assert.rejects(store.leads.write(campaign, 'new@example.com', decide, true), unavailable)
  await assert.rejects(store.configuration.createAccount('Late', tester), unavailable)
  assert.ok(await comesTrue(1_000, () => !store.isReady()))
  await assert.rejects(store.leads.find(campaign, emails[0] as string), unavailable)
  assert.equal(told, 1)
  await assert.rejects(openStore(at, options), {
    name: 'UnusableDatabase',
    message: /has version \d+.*newer/,
  })
  await assert.rejects(migrateDatabase(at), { name: 'UnusableDatabase', message: /has version \d+.*newer/ })
  change(at.path, `PRAGMA user_version = ${latest}`)
  const again = await openStore(at, options)
  assert.equal(await again.leads.find(campaign, 'new@example.com'), undefined)
  await again.close()
})

test('a store that reads and writes nothing notices a newer database within a second', async (t) => {
  const { at } = await furnished(t)
  let isTold = false
  const onNewerDatabase = () => {
    isTold = true
  }
  const store = await openStore(at, { ...options, onNewerDatabase })
  t.after(() => store.close())
  change(at.path, `PRAGMA user_version = ${latest + 1}`)
  assert.ok(await comesTrue(1_000, () => isTold))
  assert.ok(existsSync(at.path))
})

test('from version 13: no id of a lead comes twice, amounts have the places of ISO 4217, sweeps an instant', async (t) => {
  const at = emptyPlace(t)
  const old = new DatabaseSync(at.path)
  for (let version = firstVersion; version <= 13; version += 1) old.exec(migrationTo(version, 'sqlite'))
  const lead = (id: number) => `(${id}, 1, 1, 'lead-${id}@example.com', 7, 1, 1, 0)`
  const order = (id: string, amount: number | null, currency: string | null) =>
    `(1, 1, 1, '${id}', 1, 1, 1, 1, ${amount}, ${currency === null ? null : `'${currency}'`}, 0)`
  old.exec(`PRAGMA user_version = 13; PRAGMA application_id = ${0x4c43616c};
    INSERT INTO installation (id, ref_key) VALUES (1, x'${'00'.repeat(32)}');
    INSERT INTO accounts (name, suspended, countdown_tools) VALUES ('Owner', 0, 1);
    INSERT INTO leads (id, account_id, campaign_id, email, salt, registered_at, attempt, resets)
      VALUES ${lead(3)}, ${lead(5)};
    INSERT INTO lead_counts (account_id, lead_id, day, kind, fetcher, total) VALUES (1, 8, 1, 1, 1, 1);
    INSERT INTO conversions
      (account_id, campaign_id, lead_id, order_id, at, registered_at, attempt, cycle, amount, currency, source)
      VALUES ${order('a', 4990, 'HUF')}, ${order('b', 4990, 'EUR')}, ${order('c', 7, 'IQD')},
        ${order('d', null, null)}, ${order('e', 999_999_999_999_999, 'IDR')};
    INSERT INTO sweeps (account_id, endpoint_id, campaign_id, cause, schedules_before, begun_at)
      VALUES (1, 1, 1, 0, '[]', 0), (1, 1, 2, 0, '[]', 7)`)
  old.close()
  await migrateDatabase(at)
  assert.equal(versionIn(at.path), latest)
  const database = new DatabaseSync(at.path)
  const all = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => Object.values(row)[0])
  assert.deepEqual(all('SELECT amount FROM conversions ORDER BY order_id'), [
    ...[499_000, 4_990, 7_000, null, 999_999_999_999_999],
  ])
  database.exec(`DELETE FROM leads WHERE id = 5;
    INSERT INTO leads (account_id, campaign_id, email, salt, registered_at, attempt, resets)
      VALUES (1, 1, 'next@example.com', 7, 1, 1, 0)`)
  assert.deepEqual(all('SELECT id FROM leads ORDER BY id'), [3, 9])
  const [begun, kept] = all('SELECT begun_at FROM sweeps ORDER BY campaign_id') as [number, number]
  assert.ok(begun > 1_700_000_000 && kept === 7)
  database.close()
})

test('version 2 is taken along with its counts, and from before it had tables of counts', async (t) => {
  for (const hasCounts of [true, false]) {
    const at = emptyPlace(t)
    const old = new DatabaseSync(at.path)
    old.exec(`${migrationTo(2, 'sqlite')} PRAGMA user_version = 2; PRAGMA application_id = ${0x4c43616c};
      INSERT INTO installation (id, ref_key) VALUES (1, x'${'00'.repeat(32)}')`)
    const made = migrationTo(3, 'sqlite').match(/^CREATE TABLE IF NOT EXISTS [^;]*;/gm) ?? []
    assert.equal(made.length, 3)
    if (hasCounts) old.exec(`${made.join('\n')} INSERT INTO lead_counts VALUES (1, 8, 1, 1, 1, 5)`)
    old.close()
    await migrateDatabase(at)
    assert.equal(versionIn(at.path), latest)
    const database = new DatabaseSync(at.path)
    assert.equal(database.prepare('SELECT sum(total) AS sum FROM lead_counts').get()?.sum, hasCounts ? 5 : null)
    database.close()
  }
})
