// A lookup, a draft and any refused request leave the database as it was.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  applyCampaign,
  assertError,
  assertStatus,
  call,
  eventually,
  leads,
  lookups,
  newEmail,
  openShop,
  withinOneSecond,
} from '../support/api.ts'
import { rowsIn, rowsOf } from '../support/rows.ts'

const shop = openShop()
const known = newEmail()
const historic = newEmail()
let visitId: number
let draftId: number

const post = (path: string, body: unknown) => call(shop.server, 'POST', path, { key: shop.owner.key, body })

before(async () => {
  await shop.opened
  const visit = { startsOn: 'visit', deadline: { kind: 'after', period: 'PT1H' } }
  visitId = (await applyCampaign(shop, { mechanism: visit })).id
  draftId = (await applyCampaign(shop, {})).id
  for (const id of [shop.owner.campaignId, visitId]) assertStatus(await post(leads(id), { email: known }), 201)
  assertStatus(await post(leads(draftId), { email: historic }), 201)
  await applyCampaign(shop, { id: draftId, isDraft: true })
  await withinOneSecond(
    () => post(leads(draftId), { email: historic }),
    ({ status }) => status === 409,
  )
  // Counts are stored in the order in which they came: those of other files have been when these are.
  await eventually(10, counted, (sum) => sum === 3)
})

/** Of the owner's account, of whatever kind. */
async function counted(): Promise<number> {
  const all = (await rowsIn(shop.place, 'daily_counts')).map((row) => JSON.parse(row))
  const own = all.filter(({ account_id: id }) => Number(id) === shop.owner.accountId)
  return own.reduce((sum, { total }) => sum + Number(total), 0)
}

/** All but when a key was last used, which any request says, some seconds after it. */
async function rows() {
  const { api_keys: keys, ...others } = await rowsOf(shop.place)
  return { ...others, keys: keys?.map((row) => ({ ...JSON.parse(row), last_used_at: null })) }
}

async function assertNothingWritten(act: () => Promise<void>): Promise<void> {
  const earlier = await rows()
  await act()
  assert.deepEqual(await rows(), earlier)
}

test('a lookup of a lead', async () => {
  await assertNothingWritten(async () => {
    for (const language of ['en', 'pl'])
      assertStatus(await post(lookups(shop.owner.campaignId), { email: known, language }), 200)
  })
})

test('a lookup of a lead that has not visited yet starts nothing', async () => {
  await assertNothingWritten(async () => {
    for (let n = 0; n < 3; n += 1) {
      const answer = await post(lookups(visitId), { email: known })
      assertStatus(answer, 200)
      assert.equal(answer.body.deadline, null)
      assert.deepEqual(answer.body.warnings, ['NO_DEADLINE'])
    }
  })
})

test('a lookup of nobody', async () => {
  await assertNothingWritten(async () => {
    const email = newEmail()
    for (let n = 0; n < 2; n += 1)
      assertError(await post(lookups(shop.owner.campaignId), { email }), 404, 'LEAD_NOT_FOUND')
  })
})

test('a lookup in a draft: its historical lead, and nobody', async () => {
  await assertNothingWritten(async () => {
    const found = await post(lookups(draftId), { email: historic })
    assertStatus(found, 200)
    assert.deepEqual(found.body.offerLinks, [])
    assert.equal(found.body.mailTimerUrl, null)
    assert.deepEqual(found.body.warnings, ['CAMPAIGN_NOT_PUBLISHED'])
    assertError(await post(lookups(draftId), { email: newEmail() }), 404, 'LEAD_NOT_FOUND')
  })
})

test('a registration in a draft, of a new lead and of its historical one', async () => {
  await assertNothingWritten(async () => {
    for (const email of [newEmail(), historic])
      assertError(await post(leads(draftId), { email }), 409, 'CAMPAIGN_NOT_PUBLISHED')
  })
})

test('a repeated registration that resets nothing', async () => {
  await assertNothingWritten(async () => {
    for (const id of [shop.owner.campaignId, visitId]) assertStatus(await post(leads(id), { email: known }), 200)
  })
})

test('a list and refused requests', async () => {
  await assertNothingWritten(async () => {
    const { key, campaignId } = shop.owner
    assertStatus(await call(shop.server, 'GET', '/campaigns', { key }), 200)
    const refused = ['', '{', '[]', '{}', '{"email":"x"}', `{"email":"${newEmail()}","x":1}`, 'x'.repeat(20_000)]
    for (const body of refused) assert.ok((await post(leads(campaignId), body)).status >= 400)
    assert.ok((await post(leads(999_999), { email: newEmail() })).status === 404)
  })
})

test('nor is any of it counted, which would be stored a second later', async () => {
  assertStatus(await post(leads(shop.owner.campaignId), { email: newEmail() }), 201)
  // Behind whatever was counted before.
  assert.equal(await eventually(10, counted, (sum) => sum > 3), 4)
})
