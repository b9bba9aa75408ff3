// New leads wait in memory to be filed by their email. Whatever is rolled back meanwhile, an email leads to its own
// lead and to no other.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { type Arrivals, openArrivals } from '../../src/store/sqlite/arrivals.ts'
import { type Connection, connect } from '../../src/store/sqlite/connection.ts'
import { migrate } from '../../src/store/sqlite/migrations.ts'

function openDatabase(t: TestContext): { connection: Connection; arrivals: Arrivals } {
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-arrivals-'))
  const connection = connect(join(folder, 'lastcall.db'), { busyTimeoutMs: 0 })
  migrate(connection)
  connection.exec('PRAGMA synchronous = OFF')
  t.after(() => {
    connection.close()
    rmSync(folder, { recursive: true })
  })
  return { connection, arrivals: openArrivals(connection) }
}

type Batch = { campaignId: number; emails: string[]; isCommitted: boolean }

/** As `lead-writer.ts` does it. */
function write({ connection, arrivals }: ReturnType<typeof openDatabase>, batch: Batch): void {
  connection.exec('BEGIN IMMEDIATE')
  for (const email of batch.emails) {
    if (arrivals.find(batch.campaignId, email) !== undefined) continue
    const { lastInsertRowid } = connection.run(
      `INSERT INTO leads (account_id, campaign_id, email, salt, registered_at, attempt, resets)
        VALUES (1, ?, ?, 1, 1, 1, 0)`,
      batch.campaignId,
      email,
    )
    arrivals.add(batch.campaignId, email, lastInsertRowid)
  }
  arrivals.fileSome(batch.emails.length === 0)
  connection.exec(batch.isCommitted ? 'COMMIT' : 'ROLLBACK')
  arrivals.settle(batch.isCommitted)
}

function assertEachFindsItsOwn({ connection, arrivals }: ReturnType<typeof openDatabase>): void {
  const strays = connection.all(
    `SELECT lead_emails.email FROM lead_emails LEFT JOIN leads ON id = lead_id
      WHERE leads.email IS NOT lead_emails.email OR leads.campaign_id IS NOT lead_emails.campaign_id`,
  )
  assert.deepEqual(strays, [], 'filed under another email, or never stored')
  const lost = connection
    .all(
      `SELECT id, campaign_id, email FROM leads WHERE NOT EXISTS (SELECT 1 FROM lead_emails
        WHERE lead_emails.campaign_id = leads.campaign_id AND lead_emails.email = leads.email)`,
    )
    .filter(({ id, campaign_id, email }) => arrivals.find(campaign_id, email) !== id)
  assert.deepEqual(lost, [], 'neither filed nor remembered')
}

test('a batch that fails where a round of filing is due leaves no trace in it', (t) => {
  const database = openDatabase(t)
  const emails = (name: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${name}-${n}@x.example`)
  for (let part = 0; part < 8; part += 1)
    write(database, { campaignId: 1, emails: emails(`p${part}`, 4_999), isCommitted: true })
  write(database, { campaignId: 1, emails: emails('failed', 20), isCommitted: false })
  write(database, { campaignId: 1, emails: emails('stored', 20), isCommitted: true })
  assertEachFindsItsOwn(database)
  for (let turn = 0; database.arrivals.size() > 0 && turn < 400; turn += 1)
    write(database, { campaignId: 1, emails: [], isCommitted: turn % 3 > 0 })
  assert.equal(database.arrivals.size(), 0)
  assertEachFindsItsOwn(database)
  assert.equal(database.connection.get('SELECT count(*) AS count FROM lead_emails')?.count, 8 * 4_999 + 20)
})

test('whatever is committed, rolled back, filed or read anew: each email finds its own lead', (t) => {
  const batch = fc.record({
    campaignId: fc.integer({ min: 1, max: 3 }),
    emails: fc.array(
      fc.integer({ min: 0, max: 40 }).map((n) => `${n}@x.example`),
      { maxLength: 6 },
    ),
    isCommitted: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
  })
  const step = fc.oneof(
    { weight: 6, arbitrary: batch },
    { weight: 1, arbitrary: fc.constant('expire' as const) },
  )
  const database = openDatabase(t)
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      database.connection.exec(
        'DELETE FROM leads; DELETE FROM lead_emails; UPDATE filing SET filed_up_to = 0',
      )
      database.arrivals.expire()
      for (const one of steps) {
        if (one === 'expire') database.arrivals.expire()
        else write(database, { ...one, emails: one.emails.filter((email) => !isFiled(database, one, email)) })
        assertEachFindsItsOwn(database)
      }
    }),
    { numRuns: 100 },
  )
})

function isFiled(
  { connection }: ReturnType<typeof openDatabase>,
  { campaignId }: Batch,
  email: string,
): boolean {
  const sql = 'SELECT 1 FROM lead_emails WHERE campaign_id = ? AND email = ?'
  return connection.get(sql, campaignId, email) !== undefined
}
