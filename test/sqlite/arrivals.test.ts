// New leads wait in memory to be filed by their email, in a large database as a whole. Whatever is rolled back or
// changed meanwhile, an email leads to its own lead as it stands, and to no other.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { Attempt } from '../../src/core/mechanism/attempt.ts'
import type { Rule } from '../../src/core/mechanism/rule.ts'
import type { Campaign, Decision } from '../../src/store/model.ts'
import { refCipher } from '../../src/store/ref.ts'
import { type Arrivals, openArrivals, removeLead } from '../../src/store/sqlite/arrivals.ts'
import { type Connection, connect } from '../../src/store/sqlite/connection.ts'
import { type LeadRows, leadRows } from '../../src/store/sqlite/lead-rows.ts'
import { migrate } from '../../src/store/sqlite/migrations.ts'

const rule: Rule = { timeZone: 'UTC', deadline: { kind: 'daysAfter', days: 3 } as never, cycle: null }
const campaignOf = (id: number) =>
  ({ id, accountId: 1, ruleId: 7, rules: new Map([[7, rule]]) }) as unknown as Campaign

type Process = { connection: Connection; arrivals: Arrivals; rows: LeadRows }
type Written = { email: string; decision: Decision }
/** `by` is one of the two processes that have the database open. */
type Batch = { by?: 0 | 1; campaignId: number; written: Written[]; isCommitted: boolean }

function openDatabase(t: TestContext, isLarge: () => boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-arrivals-'))
  const processes = [0, 1].map(() => {
    const connection = connect(join(folder, 'lastcall.db'), { busyTimeoutMs: 0 })
    migrate(connection)
    connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF')
    const arrivals = openArrivals(connection, isLarge)
    return { connection, arrivals, rows: leadRows(connection, arrivals, refCipher(new Uint8Array(16))) }
  }) as [Process, Process]
  const [{ connection, arrivals, rows }] = processes
  t.after(() => {
    for (const { connection } of processes) connection.close()
    rmSync(folder, { recursive: true })
  })
  /** What was committed, by campaign and email. */
  let expected = new Map<string, Decision>()

  return {
    connection,
    arrivals,
    rows,
    /** As `lead-writer.ts` does it. */
    write({ by = 0, campaignId, written, isCommitted }: Batch): void {
      const { connection, arrivals, rows } = processes[by]
      const after = written.length > 0 ? new Map(expected) : expected
      connection.exec('BEGIN IMMEDIATE')
      for (const { email, decision } of written) {
        const { created } = rows.write(campaignOf(campaignId), email, () => decision, false)
        const key = `${campaignId} ${email}`
        const registeredAt = created ? decision.registeredAt : (after.get(key)?.registeredAt ?? 0)
        after.set(key, { ...decision, registeredAt })
      }
      arrivals.fileSome(written.length === 0)
      connection.exec(isCommitted ? 'COMMIT' : 'ROLLBACK')
      arrivals.settle(isCommitted)
      rows.nameNew()
      if (!isCommitted) return
      expected = after
      processes[1 - by]?.arrivals.expire()
    },
    remove(campaignId: number, email: string): void {
      removeLead(connection, 1, campaignId, email)
      for (const { arrivals } of processes) arrivals.expire()
      expected.delete(`${campaignId} ${email}`)
    },
    /** Of many, holds only every so-manieth against all that was stored of it. */
    assertEachFindsItsOwn(every = 1): void {
      for (const { rows } of processes) {
        for (const [index, [key, { registeredAt, attempt }]] of [...expected].entries()) {
          if (index % every > 0) continue
          const [campaignId, email] = key.split(' ') as [string, string]
          const campaign = campaignOf(Number(campaignId))
          const lead = rows.find(campaign, email)
          const found = lead && { registeredAt: lead.registeredAt, attempt: lead.attempt }
          assert.deepEqual(found, { registeredAt, attempt })
          assert.deepEqual(rows.findByRef(lead?.ref as string)?.lead(campaign), lead, 'its ref opens another')
        }
      }
      assert.equal(connection.get('SELECT count(*) AS count FROM leads')?.count, expected.size)
      const strays = connection.all(
        `SELECT lead_emails.email FROM lead_emails LEFT JOIN leads USING (id)
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
    },
    forgetAll(): void {
      connection.exec('DELETE FROM leads; DELETE FROM lead_emails; UPDATE filing SET filed_up_to = 0')
      for (const { arrivals } of processes) arrivals.expire()
      expected = new Map()
    },
  }
}

/** Of a first registration, and thus filed whole where the database is large. */
function registration(registeredAt: number): Decision {
  const window = { anchorAt: registeredAt, opensAt: registeredAt, deadlineAt: registeredAt + 259_200 }
  return { registeredAt, attempt: { number: 1, resets: 0, rule, byHand: null, ...window } }
}

for (const [name, isLarge, roundSize] of [
  ['small', () => false, 40_000],
  ['large', () => true, 120_000],
] as const) {
  test(`a batch that fails where a round of filing is due leaves no trace in it: ${name}`, (t) => {
    const database = openDatabase(t, isLarge)
    const batch = (name: string, count: number): Written[] =>
      Array.from({ length: count }, (_, n) => ({
        email: `${name}-${n}@x.example`,
        decision: registration(n + 1),
      }))
    const filed = () =>
      database.connection.get('SELECT count(*) AS count, count(salt) AS whole FROM lead_emails')
    const parts = roundSize / 5_000
    for (let part = 0; part < parts; part += 1)
      database.write({ campaignId: 1, written: batch(`p${part}`, 4_999), isCommitted: true })
    database.write({ campaignId: 1, written: batch('failed', 20), isCommitted: false })
    database.write({ campaignId: 1, written: batch('stored', 20), isCommitted: true })
    assert.equal(filed()?.count, 0, 'a round began before there were enough')
    database.assertEachFindsItsOwn(13)
    for (let turn = 0; database.arrivals.size() > 0 && turn < 1_000; turn += 1)
      database.write({ campaignId: 1, written: [], isCommitted: turn % 3 > 0 })
    assert.equal(database.arrivals.size(), 0)
    database.assertEachFindsItsOwn(13)
    const count = parts * 4_999 + 20
    assert.deepEqual({ ...filed() }, { count, whole: isLarge() ? count : 0 })
  })
}

test('a database that has become large has its leads filed whole from the next round on', (t) => {
  let isLarge = false
  const { connection, write } = openDatabase(t, () => isLarge)
  for (const [index, expected] of [0, 0, 1, 2].entries()) {
    const written = [{ email: `${index}@x.example`, decision: registration(index + 1) }]
    write({ campaignId: 1, written, isCommitted: true })
    isLarge = index > 0
    write({ campaignId: 1, written: [], isCommitted: true })
    assert.equal(connection.get('SELECT count(salt) AS whole FROM lead_emails')?.whole, expected)
  }
})

test('what was kept of a lead that was rolled back is not filed for the next one with its id', (t) => {
  let isLarge = true
  const database = openDatabase(t, () => isLarge)
  const write = (emails: string[], isCommitted: boolean) => {
    const written = emails.map((email, n) => ({ email, decision: registration(n + emails.length) }))
    database.write({ campaignId: 1, written, isCommitted })
  }
  write(
    Array.from({ length: 300 }, (_, n) => `${n}@x.example`),
    true,
  )
  write([], true)
  isLarge = false
  write(['failed@x.example', 'too@x.example'], false)
  isLarge = true
  write(['stored@x.example'], true)
  write([], true)
  assert.equal(database.arrivals.size(), 0)
  database.assertEachFindsItsOwn()
})

test('in a large database a lead as it was registered is found without the table of leads', (t) => {
  const { connection, rows, write } = openDatabase(t, () => true)
  const written = [1, 2].map((n) => ({ email: `${n}@x.example`, decision: registration(n) }))
  write({ campaignId: 1, written, isCommitted: true })
  write({ campaignId: 1, written: [], isCommitted: true })
  const found = rows.find(campaignOf(1), '1@x.example')
  connection.exec('DELETE FROM leads WHERE id = 1')
  assert.deepEqual(rows.find(campaignOf(1), '1@x.example'), found)
})

test('whatever is committed, rolled back, changed, filed or read anew: each email finds its own lead', (t) => {
  const email = fc.integer({ min: 0, max: 5 }).map((n) => `${n}@x.example`)
  const instant = fc.constantFrom(100, 100, 100, 101)
  const window = fc.oneof(
    { weight: 2, arbitrary: fc.constant({ rule, opensAt: 100 }) },
    fc.record({ rule: fc.constantFrom(rule, null), opensAt: fc.option(instant) }),
  )
  const attempt: fc.Arbitrary<Attempt> = fc
    .record({
      number: fc.constantFrom(1, 1, 1, 2),
      resets: fc.constantFrom(0, 0, 0, 1),
      anchorAt: fc.constantFrom(100, 100, 100, 101, null),
      deadlineAt: fc.option(fc.integer({ min: 101, max: 200 })),
      byHand: fc.constantFrom(null, null, null, { deadlineAt: 300, setAt: 100 }),
      window,
    })
    .map(({ window, ...rest }) => ({ ...rest, ...window }))
  const decision = fc.record({ registeredAt: fc.constant(100), attempt })
  const campaignId = fc.integer({ min: 1, max: 2 })
  const batch = fc.record({
    by: fc.constantFrom(0, 0, 0, 1),
    campaignId,
    written: fc.array(fc.record({ email, decision }), { maxLength: 6 }),
    isCommitted: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
  })
  const step = fc.oneof(
    { weight: 6, arbitrary: batch },
    { weight: 1, arbitrary: fc.record({ removed: email, campaignId }) },
    { weight: 1, arbitrary: fc.record({ isLarge: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant('expire' as const) },
  )
  let isLarge = false
  const database = openDatabase(t, () => isLarge)
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      database.forgetAll()
      for (const one of steps) {
        if (one === 'expire') database.arrivals.expire()
        else if ('removed' in one) database.remove(one.campaignId, one.removed)
        else if ('isLarge' in one) isLarge = one.isLarge
        else database.write(one as Batch)
        database.assertEachFindsItsOwn()
      }
    }),
    { numRuns: 500 },
  )
})
