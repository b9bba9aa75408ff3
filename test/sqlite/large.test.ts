// A server with a large database, and every command, files new leads whole: with their email stands all that a
// look-up reads. What is answered must be the same as of a small one.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../support/api.ts'
import type { Installation } from '../support/lastcall.ts'
import { prepared } from '../support/prepared.ts'

const emails = Array.from({ length: 20 }, (_, n) => `lead-${n}@example.com`)

function inDatabase<T>(place: Installation, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(place.databasePath)
  try {
    return work(database)
  } finally {
    database.close()
  }
}

const count = (place: Installation, where: string) =>
  inDatabase(
    place,
    (database) => database.prepare(`SELECT count(*) AS n FROM lead_emails WHERE ${where}`).get()?.n,
  )

test('in a large database leads are filed whole, and answered as they stand', async (t) => {
  const origin = await prepared(t)
  const { campaignId, key } = origin
  const place = origin.copy(t)
  inDatabase(place, (database) => {
    database.exec('CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(70000000))')
  })
  const server = await place.serve()
  const ask = async (path: string, email: string) => {
    const { status, body } = await call(server, 'POST', `/campaigns/${campaignId}/${path}`, {
      key,
      body: { email },
    })
    assert.ok(status === 200 || status === 201, `${status}`)
    return body
  }
  const unfiled: unknown[] = []
  for (const email of emails) {
    await ask('leads', email)
    unfiled.push(await ask('leads/lookup', email))
  }
  const [first] = emails as [string]
  const lead = ['--campaign', String(campaignId), '--email', first]
  for (let turn = 0; count(place, 'salt IS NOT NULL') !== emails.length; turn += 1) {
    assert.ok(turn < 100, 'not filed whole')
    await sleep(100)
  }
  for (const [index, email] of emails.entries())
    assert.deepEqual(await ask('leads/lookup', email), unfiled[index])

  await place.json(['lead', 'deadline', ...lead, '--at', '2031-01-02T03:04:05Z'])
  assert.equal((await ask('leads/lookup', first)).deadline, '2031-01-02T03:04:05Z')
  assert.equal(count(place, 'salt IS NULL'), 1)
  await place.json(['lead', 'deadline', ...lead, '--at', 'none'])
  assert.deepEqual(await ask('leads/lookup', first), unfiled[0])
  await place.json(['lead', 'erase', ...lead])
  assert.equal(count(place, `email = '${first}'`), 0)
})

test('a database of the version before has its leads, filed and not, after the migration', async (t) => {
  const origin = await prepared(t)
  const place = origin.copy(t)
  const campaign = ['--campaign', String(origin.campaignId)]
  writeFileSync(join(place.folder, 'emails.csv'), `email\n${emails.join('\n')}\n`)
  await place.json(['lead', 'import', ...campaign, join(place.folder, 'emails.csv')])
  await place.json([
    'lead',
    'deadline',
    ...campaign,
    '--email',
    'lead-3@example.com',
    '--at',
    '2031-01-02T03:04:05Z',
  ])
  const before = await place.json(['lead', 'list', ...campaign])
  assert.equal(before.length, emails.length)
  inDatabase(place, (database) => {
    database.exec(`
      DROP TABLE lead_emails;
      CREATE TABLE lead_emails (
        campaign_id INTEGER NOT NULL,
        email TEXT NOT NULL,
        lead_id INTEGER NOT NULL,
        PRIMARY KEY (campaign_id, email)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO lead_emails SELECT campaign_id, email, id FROM leads WHERE id <= 15;
      UPDATE filing SET filed_up_to = 10;
      PRAGMA user_version = 3`)
  })
  assert.deepEqual(await place.json(['lead', 'list', ...campaign]), before)
  assert.equal(count(place, 'salt IS NOT NULL'), emails.length - 1)
})
