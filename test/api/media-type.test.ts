// application/json in UTF-8, without an encoding; anything else is 415.

import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { assertError, assertStatus, call, type Headers, leads, lookups, newEmail, openShop } from '../support/api.ts'

const shop = openShop()

const register = (headers: Headers, body: unknown = { email: newEmail() }) =>
  call(shop.server, 'POST', leads(shop.owner.campaignId), { key: shop.owner.key, body, headers })

const accepted = [
  'application/json',
  'APPLICATION/JSON',
  'Application/Json',
  'application/json;charset=utf-8',
  'application/json; charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json; charset=Utf-8',
  'application/json; charset="utf-8"',
  'application/json; charset="UTF-8"',
  'application/json; CHARSET=utf-8',
  'application/json ; charset=utf-8',
  'application/json; version=1',
  'application/json; version=1; charset=utf-8',
  'application/json; charset=utf-8; version=1',
  'application/json; note="a; charset=latin1"',
  'application/json; note="charset=latin1"',
  'application/json; xcharset=latin1',
  'application/json; profile="https://example.com/\\"x\\""',
]
for (const type of accepted)
  test(`accepted: ${type}`, async () => {
    assertStatus(await register({ 'Content-Type': type }), 201)
  })

const refused = [
  '',
  'application/json; charset=latin1',
  'application/json; charset=iso-8859-1',
  'application/json; charset=us-ascii',
  'application/json; charset=utf-16',
  'application/json; charset=utf-16le',
  'application/json; charset="latin1"',
  'application/json; charset=',
  'application/json; charset=""',
  'application/json;charset',
  "application/json; charset='utf-8'",
  'application/json; version=1; charset=latin1',
  'application/json; charset=utf-8x',
  'application/json; charset="utf-8',
  'application/json; charset=utf-8"',
  'text/json',
  'text/plain',
  'text/plain; charset=utf-8',
  'application/ld+json',
  'application/problem+json',
  'application/vnd.api+json',
  'application/jsonp',
  'application/json5',
  'application/x-json',
  'application/javascript',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'application/*',
  '*/*',
  'application',
  'json',
  'application/',
  '/json',
  'application / json',
  'application/json/x',
  'application/json charset=utf-8',
  'application/json, application/json',
  'application/json, text/plain',
  'text/plain, application/json',
  'x; application/json',
]
for (const type of refused)
  test(`415: ${type || 'empty'}`, async () => {
    assertError(await register({ 'Content-Type': type }), 415, 'UNSUPPORTED_MEDIA_TYPE')
  })

test('415: no Content-Type', async () => {
  assertError(await register({ 'Content-Type': null }), 415, 'UNSUPPORTED_MEDIA_TYPE')
  const bare = await call(shop.server, 'POST', leads(shop.owner.campaignId), { key: shop.owner.key })
  assertError(bare, 415, 'UNSUPPORTED_MEDIA_TYPE')
})

test('415: two different Content-Type headers', async () => {
  for (const types of [
    ['application/json', 'text/plain'],
    ['text/plain', 'application/json'],
    ['application/json', 'application/json; charset=latin1'],
  ])
    assertError(await register({ 'Content-Type': types }), 415, 'UNSUPPORTED_MEDIA_TYPE')
})

for (const encoding of ['identity', 'Identity', 'IDENTITY'])
  test(`accepted: Content-Encoding: ${encoding}`, async () => {
    assertStatus(await register({ 'Content-Encoding': encoding }), 201)
  })

const json = () => JSON.stringify({ email: newEmail() })
const encodings: [string | string[], () => string | Buffer][] = [
  ['gzip', () => gzipSync(json())],
  ['gzip', json],
  ['GZIP', json],
  ['x-gzip', json],
  ['deflate', json],
  ['br', json],
  ['zstd', json],
  ['compress', json],
  ['aws-chunked', json],
  ['unknown', json],
  ['identity, gzip', json],
  ['gzip, identity', json],
  [['identity', 'gzip'], json],
  [['gzip', 'identity'], json],
]
for (const [encoding, body] of encodings)
  test(`415: Content-Encoding: ${encoding}`, async () => {
    assertError(await register({ 'Content-Encoding': encoding }, body()), 415, 'UNSUPPORTED_MEDIA_TYPE')
  })

test('lookup has the same rule', async () => {
  const { owner, server } = shop
  const ask = (headers: Headers) =>
    call(server, 'POST', lookups(owner.campaignId), { key: owner.key, body: { email: newEmail() }, headers })
  assertError(await ask({ 'Content-Type': 'text/json' }), 415, 'UNSUPPORTED_MEDIA_TYPE')
  assertError(await ask({ 'Content-Type': null }), 415, 'UNSUPPORTED_MEDIA_TYPE')
  assertError(await ask({ 'Content-Encoding': 'gzip' }), 415, 'UNSUPPORTED_MEDIA_TYPE')
  assertError(await ask({ 'Content-Type': 'application/json; charset="UTF-8"' }), 404, 'LEAD_NOT_FOUND')
})
