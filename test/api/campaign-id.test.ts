// A campaignId is digits without sign or leading zero; one too large to exist is merely not found.
import { test } from 'node:test'
import { assertError, assertStatus, call, leads, lookups, newEmail, openShop } from '../support/api.ts'
import { owner } from '../support/lastcall.ts'

const shop = openShop()
const post = (path: string, options = {}) =>
  call(shop.server, 'POST', path, { key: shop.owner.key, body: { email: newEmail() }, ...options })

const illFormed = [
  '0',
  '-1',
  '-0',
  '+1',
  '%2B1',
  '01',
  '00',
  '1.0',
  '1.',
  '1e0',
  '0x1',
  '1_0',
  '1,2',
  '%201',
  '1%20',
  '1%00',
  '1%0A',
  '1%2F2',
  '%2F',
  'abc',
  'null',
  'undefined',
  'NaN',
  'true',
  '*',
  '{campaignId}',
  ':campaignId',
  '__proto__',
  '%D9%A1',
]
for (const id of illFormed)
  test(`422: ${id}`, async () => {
    assertError(await post(leads(id)), 422, 'VALIDATION_ERROR')
    assertError(await post(lookups(id)), 422, 'VALIDATION_ERROR')
  })

const absent = [
  '999999',
  '2147483647',
  '2147483648',
  '4294967296',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '9'.repeat(400),
  '1'.repeat(5000),
]
for (const id of absent)
  test(`not found: ${id.slice(0, 24)} of ${id.length} digits`, async () => {
    assertError(await post(leads(id)), 404, 'CAMPAIGN_NOT_FOUND')
    assertError(await post(lookups(id)), 404, 'CAMPAIGN_NOT_FOUND')
    const text = { headers: { 'Content-Type': 'text/plain' } }
    assertError(await post(leads(id), text), 415, 'UNSUPPORTED_MEDIA_TYPE')
    assertError(await post(leads(id), { body: '{' }), 400, 'INVALID_JSON')
    assertError(await post(leads(id), { body: {} }), 422, 'VALIDATION_ERROR')
  })

test('not found: the campaign of a stranger, with and without a lead', async () => {
  const stranger = await owner(shop.place)
  const email = newEmail()
  for (const asked of [leads(stranger.campaignId), lookups(stranger.campaignId)])
    assertError(await post(asked, { body: { email } }), 404, 'CAMPAIGN_NOT_FOUND')
  assertStatus(await post(leads(stranger.campaignId), { key: stranger.key, body: { email } }), 201)
  for (const asked of [leads(stranger.campaignId), lookups(stranger.campaignId)])
    assertError(await post(asked, { body: { email } }), 404, 'CAMPAIGN_NOT_FOUND')
})

test('2^64 + id is not id', async () => {
  const id = (2n ** 64n + BigInt(shop.owner.campaignId)).toString()
  assertError(await post(leads(id)), 404, 'CAMPAIGN_NOT_FOUND')
  assertStatus(await post(leads(shop.owner.campaignId)), 201)
})
