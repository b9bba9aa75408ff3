// Which paths and methods exist, and what the others answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, assertStatus, call, leads, lookups, newEmail, openShop, uuid } from '../support/api.ts'

const shop = openShop()

const id = () => shop.owner.campaignId
const ask = (method: string, path: string, options = {}) =>
  call(shop.server, method, path, { key: shop.owner.key, ...options })

const unknown: [string, string, () => string][] = [
  ['the base address with a slash', 'GET', () => '/'],
  ['an unknown path', 'GET', () => '/leads'],
  ['a trailing slash', 'GET', () => '/campaigns/'],
  ['two slashes', 'GET', () => '//campaigns'],
  ['wrong case', 'GET', () => '/Campaigns'],
  ['a campaign by itself', 'GET', () => `/campaigns/${id()}`],
  ['leads read', 'GET', () => leads(id())],
  ['leads with HEAD', 'HEAD', () => leads(id())],
  ['a lookup with GET', 'GET', () => lookups(id())],
  ['a trailing slash behind leads', 'POST', () => `${leads(id())}/`],
  ['a trailing slash behind lookup', 'POST', () => `${lookups(id())}/`],
  ['leads in capitals', 'POST', () => `/campaigns/${id()}/LEADS`],
  ['lookup in wrong case', 'POST', () => `${leads(id())}/lookUp`],
  ['below lookup', 'POST', () => `${lookups(id())}/x`],
  ['beside leads', 'POST', () => `${leads(id())}s`],
  ['beside lookup', 'POST', () => `${lookups(id())}s`],
  ['a description with a slash', 'GET', () => '/openapi.json/'],
  ['a description in capitals', 'GET', () => '/OPENAPI.JSON'],
  ['a description in another format', 'GET', () => '/openapi.yaml'],
  ['a description by POST', 'POST', () => '/openapi.json'],
  ['a description deleted', 'DELETE', () => '/openapi.json'],
]
for (const [name, method, path] of unknown)
  test(`not found: ${name}`, async () => {
    assertError(await ask(method, path()), 404, 'NOT_FOUND')
  })

for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'])
  test(`not found: ${method} of the campaigns`, async () => {
    assertError(await ask(method, '/campaigns'), 404, 'NOT_FOUND')
  })

for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS'])
  test(`not found: ${method} of leads and lookup, with a body or without`, async () => {
    for (const path of [leads(id()), lookups(id())]) {
      assertError(await ask(method, path), 404, 'NOT_FOUND')
      assertError(await ask(method, path, { body: { email: newEmail() } }), 404, 'NOT_FOUND')
    }
  })

test('without a key every path below the base address answers 401', async () => {
  for (const [, method, path] of unknown) assertError(await call(shop.server, method, path()), 401, 'UNAUTHORIZED')
  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE'])
    assertError(await call(shop.server, method, '/campaigns'), 401, 'UNAUTHORIZED')
})

const beside = [
  '/api/public/v1x',
  '/api/public/v2/campaigns',
  '/api/public/campaigns',
  '/api/public',
  '/API/public/v1/campaigns',
  '/api/public/V1/campaigns',
  '/api//public/v1/campaigns',
  '/x/api/public/v1/campaigns',
  '/campaigns',
  '/openapi.json',
]
for (const path of beside)
  test(`${path} is outside: 404 without a key, in the same shape`, async () => {
    const options = { outside: true, headers: { Accept: 'application/json' } }
    for (const method of ['GET', 'POST', 'DELETE'])
      assertError(await call(shop.server, method, path, options), 404, 'NOT_FOUND')
    assertError(await call(shop.server, 'GET', path, { ...options, key: shop.owner.key }), 404, 'NOT_FOUND')
  })

test('HEAD of the campaigns answers as GET, without a body', async () => {
  const got = await ask('GET', '/campaigns')
  const head = await ask('HEAD', '/campaigns')
  assertStatus(head, 200)
  assert.equal(head.raw.length, 0)
  assert.equal(head.headers['content-type'], got.headers['content-type'])
  for (const length of [head.headers['content-length']].filter((value) => value !== undefined))
    assert.equal(length, String(got.raw.length))
  assertStatus(await ask('HEAD', '/campaigns', { query: 'limit=0' }), 422)
  assertStatus(await ask('HEAD', '/campaigns', { query: 'afterId=0' }), 400)
  assertStatus(await call(shop.server, 'HEAD', '/campaigns'), 401)
})

test('the description needs no key, and looks at no key and no query', async () => {
  const { server, owner } = shop
  const plain = await call(server, 'GET', '/openapi.json')
  assertStatus(plain, 200)
  assert.match(plain.headers['x-request-id'] ?? '', uuid)
  assert.equal(plain.headers['cache-control'], 'no-store')
  assert.match(plain.headers['content-type'] ?? '', /^application\/json/)
  const keys = [owner.key, 'lastcall_wrong']
  for (const key of keys)
    assert.equal(String((await call(server, 'GET', '/openapi.json', { key })).raw), String(plain.raw))
  for (const query of ['', 'x', 'limit=0&limit=0', `key=${owner.key}`, '%zz'])
    assert.equal(String((await call(server, 'GET', '/openapi.json', { query })).raw), String(plain.raw))
  const authorization = { Authorization: ['Bearer a', 'Basic b'] }
  assertStatus(await call(server, 'GET', '/openapi.json', { headers: authorization }), 200)
  const head = await call(server, 'HEAD', '/openapi.json')
  assertStatus(head, 200)
  assert.equal(head.raw.length, 0)
})

test("a client's own X-Request-Id is not taken over", async () => {
  const own = '11111111-2222-4333-8444-555555555555'
  const headers = { 'X-Request-Id': own, 'Request-Id': own, 'X-Correlation-Id': own }
  for (const path of ['/campaigns', '/nowhere', '/openapi.json'])
    assert.notEqual((await ask('GET', path, { headers })).headers['x-request-id'], own)
})

test('there are no CORS headers, for a preflight neither', async () => {
  // `call` refuses any access-control header by itself
  const headers = {
    Origin: 'https://example.com',
    'Access-Control-Request-Method': 'GET',
    'Access-Control-Request-Headers': 'authorization',
  }
  assertStatus(await ask('GET', '/campaigns', { headers }), 200)
  assertError(await call(shop.server, 'OPTIONS', '/campaigns', { headers }), 401, 'UNAUTHORIZED')
  assertStatus(await call(shop.server, 'GET', '/openapi.json', { headers }), 200)
})

test('a body on GET is ignored, whatever it is and of any size', async () => {
  const bodies = ['', 'not JSON', '{"email":"x"}', Buffer.alloc(20_000, 0xff), Buffer.alloc(3_000_000, 32)]
  for (const body of bodies)
    for (const chunkBytes of [0, 8192])
      for (const type of ['text/plain', 'application/json']) {
        const headers = { 'Content-Type': type, 'Content-Encoding': 'gzip' }
        assertStatus(await ask('GET', '/campaigns', { body, headers, chunkBytes }), 200)
      }
})
