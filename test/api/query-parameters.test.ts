// Only the listed parameters, each at most once and well-formed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, assertStatus, call, leads, lookups, newEmail, openShop } from '../support/api.ts'

const shop = openShop()
const list = (query: string) => call(shop.server, 'GET', '/campaigns', { key: shop.owner.key, query })

const accepted = [
  '',
  'limit=1',
  'limit=50',
  'limit=100',
  'afterId=1',
  'afterId=9007199254740991',
  'isDraft=true',
  'isDraft=false',
  'limit=1&afterId=1&isDraft=false',
  'isDraft=true&afterId=9007199254740991&limit=100',
]
for (const query of accepted)
  test(`accepted: ?${query}`, async () => {
    assertStatus(await list(query), 200)
  })

const integers = [
  '',
  '0',
  '-1',
  '+1',
  '%2B1',
  '01',
  '1.0',
  '1.',
  '1e1',
  '1E1',
  '0x1',
  '0b1',
  '1_0',
  '1,0',
  '%201',
  '1%20',
  '1+',
  '1%0A',
  '1%00',
  'abc',
  'null',
  'NaN',
  'Infinity',
  'true',
  '[1]',
  '%D9%A1',
  '%EF%BC%91',
  '%zz',
  '%FF',
]
const limits = [...integers, '101', '1000', '9007199254740991', '9'.repeat(400)]
for (const value of limits)
  test(`422: limit=${value.slice(0, 20)}`, async () => {
    assertError(await list(`limit=${value}`), 422, 'VALIDATION_ERROR')
  })

const cursors = [...integers, '9007199254740992', '9007199254740993', '18446744073709551617', '9'.repeat(400)]
for (const value of cursors)
  test(`400: afterId=${value.slice(0, 20)}`, async () => {
    assertError(await list(`afterId=${value}`), 400, 'INVALID_CURSOR')
  })

for (const value of ['', 'True', 'TRUE', 'False', '1', '0', 'yes', 'on', 'null', 'true%20', '%20true', 'truefalse'])
  test(`422: isDraft=${value}`, async () => {
    assertError(await list(`isDraft=${value}`), 422, 'VALIDATION_ERROR')
  })

const refused = [
  'limit',
  'isDraft',
  'limit=1&limit=1',
  'limit=1&limit=2',
  'limit=1&%6Cimit=1',
  'isDraft=true&isDraft=true',
  'isDraft=true&isDraft=false',
  'afterId=1&afterId=1',
  'afterId=1&afterId=2',
  'limit[]=1',
  'limit[0]=1',
  'filter[limit]=1',
  'Limit=1',
  'LIMIT=1',
  'isdraft=true',
  'after_id=1',
  'afterid=1',
  'offset=1',
  'page=1',
  'fields=id',
  'x',
  '=1',
  '__proto__=1',
  '__proto__[limit]=1',
  'constructor=1',
  'toString=1',
  'limit=1;isDraft=true',
  'limit=1?isDraft=true',
  '?limit=1',
  '?',
  'limit=1&colour=red',
  'colour=red&colour=red',
]
for (const query of refused)
  test(`422: ?${query}`, async () => {
    assertError(await list(query), 422, 'VALIDATION_ERROR')
  })

const mixed: [string, string][] = [
  ['a bad limit', 'limit=0&afterId=0'],
  ['a bad limit behind', 'afterId=0&limit=0'],
  ['a bad isDraft', 'afterId=abc&isDraft=1'],
  ['an unknown parameter', 'afterId=abc&colour=red'],
  ['a repeated limit', 'afterId=abc&limit=1&limit=1'],
  ['a repeated cursor', 'afterId=abc&afterId=abc'],
]
for (const [name, query] of mixed)
  test(`422 of ${name} comes before 400 of the cursor`, async () => {
    assertError(await list(query), 422, 'VALIDATION_ERROR')
  })

test('registration and lookup take no parameter at all', async () => {
  const { owner, server } = shop
  const body = { email: newEmail() }
  for (const path of [leads(owner.campaignId), lookups(owner.campaignId)])
    for (const query of ['x', 'x=', 'limit=1', 'isDraft=false', 'afterId=1', 'language=pl', 'email=a%40b'])
      assertError(await call(server, 'POST', path, { key: owner.key, body, query }), 422, 'VALIDATION_ERROR')
  assertError(await call(server, 'POST', lookups(owner.campaignId), { key: owner.key, body }), 404, 'LEAD_NOT_FOUND')
  const empty = await call(server, 'POST', leads(owner.campaignId), { key: owner.key, body, query: '' })
  assertStatus(empty, 201)
})

test('a message never repeats a value', async () => {
  for (const query of ['limit=secretive', 'isDraft=secretive', 'afterId=secretive', 'x=secretive']) {
    const answer = await list(query)
    assert.doesNotMatch(answer.body.message, /secretive/)
  }
})

test('422 also where a wrong parameter comes behind a thousand others', async () => {
  for (const first of ['x=1&', 'limit=1&', '&'])
    assertError(await list(`${first.repeat(1_000)}colour=red`), 422, 'VALIDATION_ERROR')
  assertStatus(await list(`${'&'.repeat(1_000)}limit=1`), 200)
})
