// Counts are stored account by account: one whose server is away keeps its own, and no others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCounting } from '../../src/leads/counting.ts'
import type { Count } from '../../src/store/counts.ts'
import type { Campaign } from '../../src/store/model.ts'
import type { Store } from '../../src/store/store.ts'
import { eventually } from '../support/prepared.ts'

test('counts of an account that cannot be stored wait; those of others are stored once', async () => {
  const stored: Count[] = []
  let isAway = true
  const add = async (counts: readonly Count[]) => {
    assert.equal(new Set(counts.map(({ accountId }) => accountId)).size, 1, 'a batch is one account')
    if (isAway && counts[0]?.accountId === 1) throw new Error('away')
    stored.push(...counts)
  }
  const addSignups = async () => {}
  const store = { counts: { add, addSignups }, configuration: {} } as unknown as Store
  let lost = 0
  const counting = openCounting(store, (count) => {
    lost += count
  })
  const campaign = (accountId: number) => ({ id: accountId, accountId, timeZone: 'UTC' }) as Campaign
  const step = { registeredAt: 1_795_000_000, isNew: true, hasStarted: false }
  for (let n = 0; n < 30; n += 1) counting.stepped(campaign(1 + (n % 3)), step)
  const totals = () =>
    [1, 2, 3].map((id) => stored.filter(({ accountId }) => accountId === id).reduce((sum, { total }) => sum + total, 0))
  assert.ok(await eventually(5_000, async () => totals().join() === '0,10,10'))
  isAway = false
  assert.ok(await eventually(5_000, async () => totals().join() === '10,10,10'))
  await counting.close()
  assert.deepEqual([...totals(), lost], [10, 10, 10, 0])
})
