// Paging by keyset: every campaign once, in ascending order, null exactly at the end.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { checkCampaign } from '../../src/core/campaign.ts'
import { tester } from '../support/actor.ts'
import { assertStatus, call, openShop } from '../support/api.ts'
import { someOf } from '../support/faults.ts'
import { campaignFile, type Owner, owner } from '../support/lastcall.ts'

const shop = openShop()
const count = 105
const drafts: number[] = []
const published: number[] = []
let stranger: Owner

before(async () => {
  await shop.opened
  stranger = await owner(shop.place)
  published.push(shop.owner.campaignId)
  await shop.place.arrange(async (store) => {
    for (let n = 0; n < count - 1; n += 1) {
      const isDraft = n % 3 === 0
      const { accountId } = n === 50 ? stranger : shop.owner
      const checked = checkCampaign(JSON.parse(campaignFile({ name: `Campaign ${n}`, isDraft })))
      if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
      const { id } = await store.configuration.applyCampaign(accountId, checked.campaign, tester)
      if (accountId === shop.owner.accountId) (isDraft ? drafts : published).push(id)
    }
  })
  drafts.sort((a, b) => a - b)
  published.sort((a, b) => a - b)
})

const all = () => [...drafts, ...published].sort((a, b) => a - b)

type Query = Record<string, string | number | boolean>
type Page = { items: { id: number; isDraft: boolean }[]; nextAfterId: number | null }

async function page(query: Query): Promise<Page> {
  const answer = await call(shop.server, 'GET', '/campaigns', { key: shop.owner.key, query })
  assertStatus(answer, 200)
  return answer.body
}

/** All ids, page by page; holds that no page but the last is short, and that only the last says null. */
async function walk(limit: number, filter: Query = {}, between = async () => {}): Promise<number[]> {
  const seen: number[] = []
  let afterId: number | null = null
  do {
    const { items, nextAfterId }: Page = await page({ ...filter, limit, ...(afterId ? { afterId } : {}) })
    const ids = items.map(({ id }) => id)
    assert.ok(!ids.some((id) => seen.includes(id)), 'a campaign came twice')
    if (nextAfterId !== null) assert.equal(items.length, limit)
    if (nextAfterId !== null) assert.equal(nextAfterId, ids.at(-1))
    assert.ok(items.length <= limit)
    seen.push(...ids)
    afterId = nextAfterId
    if (afterId) await between()
  } while (afterId !== null)
  return seen
}

test('without parameters: the first 50', async () => {
  const { items, nextAfterId } = await page({})
  assert.deepEqual(
    items.map(({ id }) => id),
    all().slice(0, 50),
  )
  assert.equal(nextAfterId, all()[49])
})

test('a page of 100, and the rest', async () => {
  const first = await page({ limit: 100 })
  assert.equal(first.items.length, 100)
  assert.equal(first.nextAfterId, all()[99])
  const rest = await page({ limit: 100, afterId: Number(first.nextAfterId) })
  assert.deepEqual(
    rest.items.map(({ id }) => id),
    all().slice(100),
  )
  assert.equal(rest.nextAfterId, null)
})

test('a walk with every limit from 1 to 100', async () => {
  const limits = Array.from({ length: 100 }, (_, n) => 100 - n)
  for (const limit of someOf(limits, 8)) assert.deepEqual(await walk(limit), all(), `limit ${limit}`)
  for (const limit of [1, 2, 3]) assert.deepEqual(await walk(limit, { afterId: Number(all().at(-7)) }), all().slice(-6))
})

test('a walk through drafts, and one through what is published', async () => {
  for (const limit of someOf([7, 1, drafts.length, 2, 100, drafts.length - 1, drafts.length + 1], 3)) {
    assert.deepEqual(await walk(limit, { isDraft: true }), drafts)
    assert.deepEqual(await walk(limit, { isDraft: false }), published)
  }
  assert.ok((await page({ isDraft: true })).items.every(({ isDraft }) => isDraft))
  assert.ok((await page({ isDraft: false })).items.every(({ isDraft }) => !isDraft))
})

test('null exactly when nothing further matches, with a filter too', async () => {
  const ids = all()
  for (let size = 1; size <= 5; size += 1) {
    const afterId = Number(ids.at(-size - 1))
    assert.equal((await page({ afterId, limit: size })).nextAfterId, null)
    if (size > 1) assert.equal((await page({ afterId, limit: size - 1 })).nextAfterId, ids.at(-2))
  }
  const lastDraft = Number(drafts.at(-1))
  const beforeLast = Number(drafts.at(-2))
  const last = await page({ isDraft: true, afterId: beforeLast, limit: 1 })
  assert.deepEqual([last.items[0]?.id, last.nextAfterId], [lastDraft, null])
})

test('afterId need not exist', async () => {
  const ids = all()
  const gap = stranger.campaignId
  assert.ok(!ids.includes(gap))
  const { items } = await page({ afterId: gap, limit: 1 })
  assert.equal(
    items[0]?.id,
    ids.find((id) => id > gap),
  )
  for (const afterId of [Number(ids.at(-1)), 10_000_000, Number.MAX_SAFE_INTEGER])
    assert.deepEqual(await page({ afterId }), { items: [], nextAfterId: null })
})

test('a campaign deleted between two pages breaks nothing', async () => {
  const gone: number[] = []
  const remove = async (id: number) => {
    await shop.place.json(['campaign', 'delete', String(id), '--yes'])
    gone.push(id)
    for (const list of [drafts, published]) if (list.includes(id)) list.splice(list.indexOf(id), 1)
  }
  const ids = all()
  // one that was seen, the cursor itself, and the one after it
  const doomed = [ids[3], ids[19], ids[20]].map(Number)
  let turn = 0
  const seen = await walk(20, {}, async () => {
    if (turn++ === 0) for (const id of doomed) await remove(id)
    if (turn === 1) await new Promise((resolve) => setTimeout(resolve, 1000))
  })
  assert.deepEqual(
    seen,
    ids.filter((id) => id !== ids[20]),
  )
  assert.deepEqual(await walk(20), all())
})

test('a stranger has a list of their own', async () => {
  const answer = await call(shop.server, 'GET', '/campaigns', { key: stranger.key })
  assert.equal(answer.body.items.length, 2)
  assert.equal(answer.body.nextAfterId, null)
})

test('an account without campaigns has an empty list', async () => {
  const account = await shop.place.json(['account', 'create', '--name', 'Empty'])
  const { key } = await shop.place.json(['key', 'create', '--account', String(account.id), '--name', 'server'])
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const answer = await call(shop.server, 'GET', '/campaigns', { key })
  assert.deepEqual(answer.body, { items: [], nextAfterId: null })
})
