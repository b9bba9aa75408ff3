// Leads by the beginning of their address, by a part of it and by deadline, page by page, on both engines.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkCampaign } from '../../src/core/campaign.ts'
import { begin, offerAt, setByHand } from '../../src/core/mechanism/attempt.ts'
import { visitorName } from '../../src/core/visitor.ts'
import { deadlinePosition, statements } from '../../src/store/lead-lists.ts'
import type { Campaign, Lead, SearchStep } from '../../src/store/model.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { tester } from '../support/actor.ts'
import { decisionOf } from '../support/decision.ts'
import { emptyDatabases } from '../support/empty-databases.ts'
import { amount } from '../support/faults.ts'
import { ask } from '../support/postgres-databases.ts'

const options = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false }

const settings = {
  name: 'Autumn course',
  timeZone: 'Europe/Warsaw',
  mechanism: { startsOn: 'registration', deadline: { kind: 'after', period: 'PT48H' } },
}

async function makeCampaign(store: Store, accountId: number): Promise<Campaign> {
  const checked = checkCampaign(settings)
  if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
  return store.configuration.applyCampaign(accountId, checked.campaign, tester)
}

async function add(store: Store, campaignId: number, names: string[]): Promise<void> {
  const campaign = (await store.configuration.findCampaign(campaignId)) as Campaign
  const decide = () => decisionOf(campaign, 1)
  const written = await Promise.all(names.map((name) => store.leads.write(campaign, name, decide, true)))
  assert.ok(written.every((write) => typeof write !== 'string' && write.before === undefined))
}

/** Every character that may stand next to others in an order of bytes, and some that a locale sorts otherwise. */
const local = fc.string({ unit: fc.constantFrom(...'!"#+-09=AZ^_`az~'), minLength: 1, maxLength: 4 })

test('on SQLite a page in the order of deadlines sorts no more than the page, however many share a deadline', async (t) => {
  const at = await (emptyDatabases.sqlite as (typeof emptyDatabases)[string])(t)
  await (await openStore(at, options)).close()
  const database = new DatabaseSync('path' in at ? at.path : '')
  t.after(() => database.close())
  for (const sql of [statements.byDeadline, statements.byDeadlineDown]) {
    const steps = database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
    assert.match(
      steps.join('\n'),
      /leads_by_deadline \(account_id=\? AND campaign_id=\? AND \(deadline_at,opens_at\)[<>]/,
    )
    const sorts = steps.filter((step) => step.startsWith('USE TEMP B-TREE'))
    assert.equal(sorts.length, 2, 'deadlines set by hand, and both sides together')
  }
})

test('on PostgreSQL too its index has them in order', async (t) => {
  const at = await (emptyDatabases.postgres as (typeof emptyDatabases)[string])(t)
  await (await openStore(at, options)).close()
  for (const sql of [statements.byDeadline, statements.byDeadlineDown]) {
    const explain = `EXPLAIN ${sql.replaceAll('?', '1')}`
    const plan = await ask(
      'url' in at ? at.url : '',
      'SET enable_seqscan = off',
      'SET enable_bitmapscan = off',
      explain,
    )
    const steps = plan.map((row) => String(row['QUERY PLAN']))
    const index = steps.findIndex((step) => / using leads_by_deadline on /.test(step))
    assert.match(steps[index - 1] ?? '', /^ *-> +Limit /, 'read in order, and not sorted')
  }
})

for (const [engine, place] of Object.entries(emptyDatabases)) {
  test(`a prefix finds what begins so and nothing else, in pages without gaps: ${engine}`, async (t) => {
    const at = await place(t)
    const first = await openStore(at, options)
    const { id: accountId } = await first.configuration.createAccount('Owner', tester)
    const [campaign, other] = [await makeCampaign(first, accountId), await makeCampaign(first, accountId)]
    const emails = [...new Set(fc.sample(local, { numRuns: 300, seed: 5 }))].map((name) => `${name}@example.com`)
    const visitors = ['0', '7f', 'ff'].map((hex) => visitorName(hex.padEnd(32, 'e')))
    await add(first, campaign.id, [...emails.slice(0, 150), ...visitors])
    await add(first, other.id, ['zz@elsewhere.example', '!@elsewhere.example'])
    await first.close()
    const store = await openStore(at, options)
    t.after(() => store.close())
    const read = (await store.configuration.findCampaign(campaign.id)) as Campaign
    await add(store, campaign.id, emails.slice(150))
    const sorted = [...emails].sort()

    const prefixes = fc.oneof(
      fc.constant(''),
      local,
      fc.constantFrom(...emails),
      fc.nat({ max: 3 }).chain((cut) => fc.constantFrom(...emails).map((email) => email.slice(0, cut + 1))),
      fc.constantFrom(' ', ' 0', 'ż', 'zz@else', '\u{10ffff}'),
    )
    await fc.assert(
      fc.asyncProperty(prefixes, fc.integer({ min: 1, max: 400 }), async (prefix, limit) => {
        const found: string[] = []
        for (let afterEmail = ''; ; afterEmail = found.at(-1) as string) {
          const page = await store.leads.list(read, { prefix, afterEmail, limit })
          found.push(...page.map(({ email }) => email))
          assert.ok(page.length <= limit)
          if (page.length < limit) break
        }
        assert.deepEqual(
          found,
          sorted.filter((email) => email.startsWith(prefix)),
        )
      }),
      { numRuns: amount(20, 60) },
    )
  })

  test(`a search for a text that many long emails nearly contain takes hardly longer than another: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { id: accountId } = await store.configuration.createAccount('Owner', tester)
    const { id } = await makeCampaign(store, accountId)
    const campaign = (await store.configuration.findCampaign(id)) as Campaign
    const attempt = begin(campaign.terms, 1_000_000)
    const decide = () => decisionOf(campaign, 1, { ruleId: attempt.rule && campaign.ruleId, attempt })
    const names = Array.from({ length: 1_000 }, (_, n) => `${'a'.repeat(235)}${n}@example.com`)
    await Promise.all(names.map((name) => store.leads.write(campaign, name, decide, true)))
    const timeOf = async (part: string) => {
      const startedAt = performance.now()
      const { leads } = await store.leads.search(campaign, { part, afterEmail: '', limit: 7 })
      assert.equal(leads.length, 0)
      return performance.now() - startedAt
    }
    // The least of several: on a busy machine either may wait.
    let [near, far] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let tries = 0; tries < 3 || (tries < 20 && near >= 10 * far); tries += 1) {
      near = Math.min(near, await timeOf(`${'a'.repeat(120)}b`))
      far = Math.min(far, await timeOf('nowhere'))
    }
    assert.ok(near < 10 * far, `${near} beside ${far} ms`)
  })

  test(`a part is found anywhere, deadlines give the order, and every state is counted as it is told: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const { id: accountId } = await store.configuration.createAccount('Owner', tester)
    const { id } = await makeCampaign(store, accountId)
    const campaign = (await store.configuration.findCampaign(id)) as Campaign
    const { terms } = campaign
    const now = 1_000_000
    const names = [...new Set(fc.sample(local, { numRuns: 200, seed: 7 }))].map((name) => `${name}@example.com`)
    // Begun at several instants, many at the same one; some pending, some set by hand.
    const attemptOf = (index: number) => {
      const begun = begin(terms, now - (index % 9) * 40_000)
      if (index % 7 === 0) return { ...begun, anchorAt: null, opensAt: null, deadlineAt: null, rule: null }
      if (index % 5 === 0) return setByHand(terms, begun, now + (index % 3) * 90_000 - 90_000, now)
      return index % 11 === 0 ? { ...begun, opensAt: now + 10, deadlineAt: now + (index % 2) * 20 } : begun
    }
    const decide = (index: number) => () => {
      const attempt = attemptOf(index)
      return decisionOf(campaign, 1, { ruleId: attempt.rule && campaign.ruleId, attempt })
    }
    await Promise.all(names.map((name, index) => store.leads.write(campaign, name, decide(index), true)))
    await store.leads.write(campaign, visitorName('a'.repeat(32)), decide(1), true)
    const all = await store.leads.list(campaign, { prefix: '', afterEmail: '', limit: 1_000 })
    assert.equal(all.length, names.length)

    for (const part of ['A', 'az', '%', '_', '@EXAMPLE', '\\', 'nowhere', 'Ż']) {
      const fits = all.filter(({ email }) => email.toLowerCase().includes(part.toLowerCase()))
      const found: string[] = []
      for (let afterEmail: string | null = ''; afterEmail !== null; ) {
        const step: SearchStep = await store.leads.search(campaign, { part, afterEmail, limit: 7 })
        found.push(...step.leads.map(({ email }) => email))
        afterEmail = step.afterEmail
      }
      assert.deepEqual(
        found,
        fits.map(({ email }) => email),
        part,
      )
    }

    const hasEnd = ({ attempt }: Lead) => (attempt.byHand ?? attempt.deadlineAt) !== null
    const endOf = ({ attempt }: Lead) => attempt.byHand?.deadlineAt ?? attempt.deadlineAt ?? Number.NaN
    const opensOf = ({ attempt }: Lead) => (attempt.byHand === null ? (attempt.opensAt ?? Number.NaN) : 0)
    const ending = all.filter(hasEnd)
    for (const isDescending of [false, true]) {
      const sign = isDescending ? -1 : 1
      const sorted = ending.toSorted((a, b) => sign * (endOf(a) - endOf(b) || opensOf(a) - opensOf(b) || a.id - b.id))
      const found: Lead[] = []
      for (;;) {
        const last = found.at(-1)
        const after = last === undefined ? null : deadlinePosition(last)
        const page = await store.leads.listByDeadline(campaign, { after, isDescending, limit: 13 })
        found.push(...page)
        if (page.length < 13) break
      }
      assert.deepEqual(
        found.map(({ email }) => email),
        sorted.map(({ email }) => email),
      )
    }
    const without = await store.leads.listWithoutDeadline(campaign, { afterEmail: '', limit: 1_000 })
    assert.deepEqual(
      without,
      all.filter((lead) => !hasEnd(lead)),
    )

    const told = { pending: 0, scheduled: 0, open: 0, expired: 0, cycle: 0 }
    for (const { attempt } of all) told[offerAt(terms, attempt, now).state] += 1
    assert.deepEqual(await store.counts.countStates(campaign, '', now), { counts: told, afterEmail: null })
    assert.ok(Object.values(told).filter((count) => count > 0).length === 4, JSON.stringify(told))
  })
}
