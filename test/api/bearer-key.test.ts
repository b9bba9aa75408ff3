// Whatever is wrong with the key, the answer is one and the same.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  type Answer,
  assertError,
  assertStatus,
  call,
  type Headers,
  leads,
  newEmail,
  openShop,
  withinOneSecond,
  withoutRequestId,
} from '../support/api.ts'
import { type Owner, owner } from '../support/lastcall.ts'

const shop = openShop()
let stranger: Owner

before(async () => {
  await shop.opened
  stranger = await owner(shop.place)
})

const withKey = 'Bearer realm="lastcall", error="invalid_token"'
const withoutKey = 'Bearer realm="lastcall"'

const list = (headers: Headers, query = '') => call(shop.server, 'GET', '/campaigns', { headers, query })

async function assertRefused(headers: Headers, challenge = withKey): Promise<Answer> {
  const answer = await list(headers)
  assertError(answer, 401, 'UNAUTHORIZED')
  assert.equal(answer.headers['www-authenticate'], challenge)
  assert.equal(withoutRequestId(answer), withoutRequestId(await list({ Authorization: 'Bearer x' })))
  return answer
}

type Parts = { key: string; id: string; secret: string }
const partsOf = (key: string): Parts => {
  const [, id = '', secret = ''] = /^lastcall_([^.]+)\.(.+)$/.exec(key) ?? []
  return { key, id, secret }
}
const unknownId = '00000000-0000-4000-8000-000000000000'

test('a key is lastcall_, a uuid, a dot and 32 bytes in base64url', () => {
  const { id, secret } = partsOf(shop.owner.key)
  assert.match(shop.owner.key, /^lastcall_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[\w-]{43}$/)
  assert.equal(id, shop.owner.keyId)
  assert.equal(Buffer.from(secret, 'base64url').length, 32)
})

// RFC 6750, section 2.1: one space or more.
for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer ', 'bearer  '])
  test(`the scheme as ${scheme}`, async () => {
    assertStatus(await list({ Authorization: `${scheme} ${shop.owner.key}` }), 200)
  })

test('no Authorization header', async () => {
  await assertRefused({}, withoutKey)
})

const malformed: [string, (parts: Parts) => string][] = [
  ['empty', () => ''],
  ['the scheme alone', () => 'Bearer'],
  ['the key without a scheme', ({ key }) => key],
  ['another scheme', ({ key }) => `Token ${key}`],
  ['Basic with the key as password', ({ key }) => `Basic ${Buffer.from(`key:${key}`).toString('base64')}`],
  ['Basic followed by the key', ({ key }) => `Basic ${key}`],
  ['a scheme that begins with Bearer', ({ key }) => `BearerToken ${key}`],
  ['no space', ({ key }) => `Bearer${key}`],
  ['a colon', ({ key }) => `Bearer: ${key}`],
  ['a tab instead of the space', ({ key }) => `Bearer\t${key}`],
  ['two keys', ({ key }) => `Bearer ${key} ${key}`],
  ['two credentials in one line', ({ key }) => `Bearer ${key}, Bearer ${key}`],
  ['a comma behind', ({ key }) => `Bearer ${key},`],
  ['in quotes', ({ key }) => `Bearer "${key}"`],
  ['as a parameter', ({ key }) => `Bearer token=${key}`],
  ['another prefix', ({ id, secret }) => `Bearer lastcal_${id}.${secret}`],
  ['the prefix in capitals', ({ id, secret }) => `Bearer LASTCALL_${id}.${secret}`],
  ['no prefix', ({ id, secret }) => `Bearer ${id}.${secret}`],
  ['no uuid', ({ secret }) => `Bearer lastcall_.${secret}`],
  ['a uuid without hyphens', ({ id, secret }) => `Bearer lastcall_${id.replaceAll('-', '')}.${secret}`],
  ['a uuid in braces', ({ id, secret }) => `Bearer lastcall_{${id}}.${secret}`],
  ['no secret', ({ id }) => `Bearer lastcall_${id}.`],
  ['no dot', ({ id, secret }) => `Bearer lastcall_${id}${secret}`],
  ['two dots', ({ id, secret }) => `Bearer lastcall_${id}..${secret}`],
  ['a third part', ({ key }) => `Bearer ${key}.x`],
  ['a padded secret', ({ key }) => `Bearer ${key}=`],
  ['a secret cut short', ({ key }) => `Bearer ${key.slice(0, -1)}`],
  ['a longer secret', ({ key }) => `Bearer ${key}A`],
  ['an unknown uuid', ({ secret }) => `Bearer lastcall_${unknownId}.${secret}`],
  ['a wrong secret', ({ id }) => `Bearer lastcall_${id}.${'A'.repeat(43)}`],
  ['a secret in other case', ({ id, secret }) => `Bearer lastcall_${id}.${swapCase(secret)}`],
  ['the secret of a stranger', ({ id }) => `Bearer lastcall_${id}.${partsOf(stranger.key).secret}`],
  ['SQL', ({ secret }) => `Bearer lastcall_' OR 1=1 --.${secret}`],
  ['bytes above ASCII', ({ key }) => `Bearer ${key}\u00fc`],
  ['8,000 characters', () => `Bearer lastcall_${'a'.repeat(8000)}`],
]
const swapCase = (text: string) =>
  [...text].map((one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase())).join('')

for (const [name, header] of malformed)
  test(`refused: ${name}`, async () => {
    await assertRefused({ Authorization: header(partsOf(shop.owner.key)) })
  })

test('no other last character makes the same secret', async () => {
  const { key } = shop.owner
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  for (const last of alphabet)
    if (!key.endsWith(last)) await assertRefused({ Authorization: `Bearer ${key.slice(0, -1)}${last}` })
})

test('two Authorization headers, even the same', async () => {
  const good = `Bearer ${shop.owner.key}`
  await assertRefused({ Authorization: [good, good] })
  await assertRefused({ Authorization: [good, 'Bearer x'] })
  await assertRefused({ Authorization: ['Bearer x', good] })
  await assertRefused({ Authorization: [good, ''] })
})

test('a key anywhere else is none', async () => {
  const { key } = shop.owner
  await assertRefused({ 'Proxy-Authorization': `Bearer ${key}`, 'X-Api-Key': key, Cookie: key }, withoutKey)
  const inQuery = await list({}, `access_token=${key}&key=${key}`)
  assertError(inQuery, 401, 'UNAUTHORIZED')
  assert.equal(inQuery.headers['www-authenticate'], withoutKey)
})

test('a revoked key is refused like an unknown one, another key of the account is not', async () => {
  const { place, owner: me, server } = shop
  const account = String(me.accountId)
  const made = await place.json(['key', 'create', '--account', account, '--name', 'second'])
  const headers = { Authorization: `Bearer ${made.key}` }
  await withinOneSecond(
    () => list(headers),
    ({ status }) => status === 200,
  )
  await place.json(['key', 'revoke', made.id])
  await withinOneSecond(
    () => list(headers),
    ({ status }) => status === 401,
  )
  await assertRefused(headers)
  assertStatus(await call(server, 'GET', '/campaigns', { key: me.key }), 200)
})

test('every operation asks for the key, and writes nothing without it', async () => {
  const { owner: me, place, server } = shop
  const body = { email: newEmail() }
  for (const path of [leads(me.campaignId), `${leads(me.campaignId)}/lookup`])
    assertError(await call(server, 'POST', path, { body }), 401, 'UNAUTHORIZED')
  const known = await place.json(['lead', 'list', '--campaign', String(me.campaignId)])
  assert.ok(!JSON.stringify(known).includes(body.email))
})

test('a key sees its own account only', async () => {
  const mine = await call(shop.server, 'GET', '/campaigns', { key: shop.owner.key })
  const theirs = await call(shop.server, 'GET', '/campaigns', { key: stranger.key })
  const ids = (answer: Answer) => answer.body.items.map(({ id }: { id: number }) => id)
  assert.deepEqual(ids(mine), [shop.owner.campaignId])
  assert.deepEqual(ids(theirs), [stranger.campaignId])
})
