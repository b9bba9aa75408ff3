// Counts are stored account by account: one whose server is away keeps its own, and no others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openCounting } from '../../src/leads/counting.ts'
import type { Count } from '../../src/store/counts.ts'
import type { Campaign, KeyUse } from '../../src/store/model.ts'
import type { SignupCount } from '../../src/store/results.ts'
import type { Store } from '../../src/store/store.ts'
import { comesTrue } from '../support/prepared.ts'

const campaign = (accountId: number) => ({ id: accountId, accountId, timeZone: 'UTC' }) as Campaign
const step = { registeredAt: 1_795_000_000, isNew: true, hasStarted: false }

test('counts of an account that cannot be stored wait; those of others are stored once', async () => {
  const stored: Count[] = []
  const signups: SignupCount[] = []
  const away = { counts: true, signups: true }
  const refuse = (own: readonly { accountId: number }[], isAway: boolean) => {
    assert.equal(new Set(own.map(({ accountId }) => accountId)).size, 1, 'a batch is one account')
    if (isAway && own[0]?.accountId === 1) throw new Error('away')
  }
  const add = async (counts: readonly Count[]) => {
    refuse(counts, away.counts)
    stored.push(...counts)
  }
  const addSignups = async (counts: readonly SignupCount[]) => {
    refuse(counts, away.signups)
    signups.push(...counts)
  }
  const store = { counts: { add, addSignups }, configuration: {} } as unknown as Store
  let lost = 0
  const counting = openCounting(store, (count) => {
    lost += count
  })
  for (let n = 0; n < 30; n += 1) counting.stepped(campaign(1 + (n % 3)), step)
  const totals = (of: { accountId: number }[], numberOf: (one: any) => number) =>
    [1, 2, 3].map((id) => of.filter(({ accountId }) => accountId === id).reduce((sum, one) => sum + numberOf(one), 0))
  const counted = () => totals(stored, ({ total }) => total)
  const signedUp = () => totals(signups, ({ signedUp }) => signedUp)
  assert.ok(await comesTrue(5_000, async () => counted().join() === '0,10,10'))
  away.counts = false
  assert.ok(await comesTrue(5_000, async () => counted().join() === '10,10,10'))
  assert.deepEqual(signedUp(), [0, 10, 10])
  away.signups = false
  assert.ok(await comesTrue(5_000, async () => signedUp().join() === '10,10,10'))
  await counting.close()
  assert.deepEqual([...counted(), ...signedUp(), lost], [10, 10, 10, 10, 10, 10, 0])
})

test('50,000 different counts wait, and as many of people who signed up; any more are lost, and that is said', async () => {
  let [stored, lost] = [0, 0]
  const add = async (some: readonly unknown[]) => {
    stored += some.length
  }
  const store = { counts: { add, addSignups: add }, configuration: {} } as unknown as Store
  const counting = openCounting(store, (count) => {
    lost += count
  })
  for (let n = 0; n <= 50_000; n += 1) {
    counting.count({ campaign: campaign(1), pageId: null, leadId: n, kind: 'click', fetcher: 'person' }, 60_000)
    counting.stepped(campaign(1), { registeredAt: n * 900, isNew: false, hasStarted: true })
  }
  assert.equal(lost, 2)
  await counting.close()
  assert.deepEqual([stored, lost], [100_000, 2])
})

test('a batch that fails is stored again alone, with the newest time of each count; closing waits for all', async () => {
  const stored: Count[] = []
  const uses: KeyUse[] = []
  let fails = true
  let isAdding = false
  const add = async (counts: readonly Count[]) => {
    isAdding = true
    await sleep(counts[0]?.lastAt === 80 ? 300 : 50)
    isAdding = false
    // The second batch, once. Meanwhile the key is used again.
    if (counts.length === 500 || !fails) return void stored.push(...counts)
    fails = false
    throw new Error('away')
  }
  const noteKeyUses = async (noted: readonly KeyUse[]) => {
    if (uses.push(...noted) > 1) return
    counting.keyUsed('key', 120_000)
    throw new Error('away')
  }
  const store = { counts: { add, addSignups: async () => {} }, configuration: { noteKeyUses } } as unknown as Store
  const counting = openCounting(store, () => assert.fail('nothing is lost'))
  const count = (leadId: number, nowMs: number) =>
    counting.count({ campaign: campaign(1), pageId: null, leadId, kind: 'click', fetcher: 'person' }, nowMs)
  for (let leadId = 1; leadId <= 501; leadId += 1) count(leadId, 60_000)
  count(1, 70_000)
  counting.keyUsed('key', 60_000)
  assert.ok(await comesTrue(5_000, async () => stored.length >= 501 && uses.length > 1))
  assert.equal(
    stored.reduce((sum, { total }) => sum + total, 0),
    502,
  )
  assert.equal(stored[0]?.lastAt, 70)
  assert.deepEqual(
    uses.map(({ usedAt }) => usedAt),
    [60, 120],
  )
  count(1, 80_000)
  assert.ok(await comesTrue(5_000, () => isAdding))
  count(1, 90_000)
  await counting.close()
  assert.deepEqual(
    stored.slice(-2).map(({ lastAt }) => lastAt),
    [80, 90],
  )
})
