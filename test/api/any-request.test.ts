// Whatever is asked, the answer is one of the description, and never 500.
import { test } from 'node:test'
import fc from 'fast-check'
import { bodyLimitBytes as limit } from '../../src/core/errors.ts'
import { type Call, call, type Headers, openShop } from '../support/api.ts'
import { character } from '../support/character.ts'
import { amount } from '../support/faults.ts'
import { engine } from '../support/test-database.ts'

const shop = openShop()

const method = fc.oneof(
  { weight: 4, arbitrary: fc.constant('POST') },
  { weight: 3, arbitrary: fc.constant('GET') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'LINK'),
  },
)

const visible = (maxLength: number) =>
  fc.string({ unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)), maxLength })

const id = fc.oneof(
  { weight: 6, arbitrary: fc.constant('OWN') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('0', '2', '01', '-1', '1e3', '%31', '%00', '%zz', '%', '..', '.', '', '9'.repeat(30)),
  },
  { weight: 1, arbitrary: visible(12).map((text) => text.replaceAll(/[?#/]/g, '')) },
)
const path = fc.oneof(
  { weight: 4, arbitrary: id.map((one) => `/campaigns/${one}/leads`) },
  { weight: 3, arbitrary: id.map((one) => `/campaigns/${one}/leads/lookup`) },
  { weight: 3, arbitrary: fc.constant('/campaigns') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '/',
      '/openapi.json',
      '/campaigns/',
      '/campaigns//leads',
      '/campaigns/OWN',
      '/./campaigns',
      '/x/../campaigns',
      '/campaigns/%2e%2e/campaigns',
      '/campaigns%2FOWN%2Fleads',
      '/%63ampaigns',
      '/campaigns;x=1',
      '/\\campaigns',
    ),
  },
  { weight: 1, arbitrary: visible(40).map((text) => `/${text.replaceAll('#', '')}`) },
)

const pair = fc
  .tuple(
    fc.oneof(fc.constantFrom('limit', 'afterId', 'isDraft', '__proto__', 'Limit', ''), visible(5)),
    fc.oneof(fc.constantFrom('1', '50', '0', '', 'true', 'false', '%', '%00', '%FF', '1e1'), visible(6)),
    fc.constantFrom('=', '=', '=', '', '=='),
  )
  .map(([name, value, sign]) => (name + sign + value).replaceAll('#', ''))
const query = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.array(pair, { maxLength: 4 }).map((pairs) => pairs.join('&')) },
  { weight: 1, arbitrary: visible(30).map((text) => text.replaceAll('#', '')) },
)

const goodBody = fc.record(
  {
    email: fc.oneof(
      fc.constantFrom('a@example.com', 'B@example.com', '"q q"@[127.0.0.1]', 'no', '', 'a@[IPv6:::1]'),
      fc.string({ unit: character }),
    ),
    language: fc.constantFrom('en', 'pl', 'de', null, 1),
  },
  { requiredKeys: ['email'] },
)
const anyBody = fc.oneof(
  { weight: 4, arbitrary: goodBody },
  { weight: 1, arbitrary: fc.jsonValue({ stringUnit: character }) },
)
const bytes = fc.oneof(
  { weight: 6, arbitrary: anyBody.map((value) => Buffer.from(JSON.stringify(value))) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(anyBody, fc.nat(), fc.constantFrom('cut', 'insert', 'double'), fc.uint8Array({ maxLength: 4 }))
      .map(([value, place, how, some]) => {
        const text = Buffer.from(JSON.stringify(value))
        const at = place % (text.length + 1)
        if (how === 'cut') return text.subarray(0, at)
        if (how === 'double') return Buffer.concat([text, text])
        return Buffer.concat([text.subarray(0, at), some, text.subarray(at)])
      }),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((some) => Buffer.from(some)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(limit - 1, limit, limit + 1, 70_000).map((size) => Buffer.alloc(size, ' ')),
  },
)
const body = fc.oneof({ weight: 1, arbitrary: fc.constant(undefined) }, { weight: 4, arbitrary: bytes })

const someOf = (...values: (string | string[] | null)[]) => fc.constantFrom(...values)
const headers = fc.record(
  {
    'Content-Type': fc.oneof(
      someOf('application/json', 'application/json; charset=utf-8', 'text/plain', '', null, ';', 'application/json;;='),
      someOf(['application/json', 'application/json'], ['a', 'b']),
      visible(20),
    ),
    'Content-Encoding': fc.oneof(someOf('identity', 'gzip', '', ','), visible(10)),
    Accept: fc.oneof(someOf('application/json', 'text/html', '*/*', 'image/gif;q=0', ''), visible(10)),
    'Accept-Encoding': someOf('gzip, br', 'identity;q=0', '*'),
    'Accept-Language': someOf('pl', 'en-GB,en;q=0.5', '*', '\u00fc'),
    Authorization: fc.oneof(someOf('', 'Bearer', 'Basic x', ['Bearer a', 'Bearer b']), visible(40)),
    'X-Forwarded-For': someOf('1.2.3.4', 'x', ',', '::1'),
    'X-Forwarded-Proto': someOf('https', 'x'),
    'X-Forwarded-Host': someOf('evil.example.com', ''),
    'X-HTTP-Method-Override': someOf('DELETE', 'GET'),
    Range: someOf('bytes=0-1', 'x'),
    'If-None-Match': someOf('*', '"x"'),
    'If-Modified-Since': someOf('Sat, 21 Nov 2026 03:00:00 GMT', 'x'),
    Origin: someOf('null', 'https://example.com'),
    Expect: someOf('x', '200-ok'),
    Upgrade: someOf('h2c', 'websocket'),
    TE: someOf('trailers', 'x'),
    Connection: someOf('close', 'keep-alive', 'x'),
    Cookie: visible(20),
  },
  { requiredKeys: [] },
)

// mostly one or two odd headers: all at once would end each request at the first check
const fewHeaders = fc.tuple(headers, fc.array(fc.nat(), { maxLength: 2 })).map(([all, picks]): Headers => {
  const entries = Object.entries(all)
  const picked = picks.flatMap((pick) => (entries.length ? [entries[pick % entries.length]] : []))
  return Object.fromEntries(picked as [string, string][])
})

test('odd requests by the hundred, each with an answer of the contract', async () => {
  const hasKey = fc.integer({ min: 0, max: 9 }).map((n) => n > 0)
  const size = fc.constantFrom(0, 0, 1, 7, 5000)
  await fc.assert(
    fc.asyncProperty(
      method,
      path,
      query,
      fewHeaders,
      body,
      hasKey,
      size,
      async (method, template, query, headers, body, hasKey, chunkBytes) => {
        const path = template.replaceAll('OWN', String(shop.owner.campaignId))
        const options: Call = { body, headers, chunkBytes, ...(query === undefined ? {} : { query }) }
        if (hasKey && !headers.Authorization) options.key = shop.owner.key
        await call(shop.server, method, path, options)
      },
    ),
    // What reads a request knows nothing of the engine: there, those are enough that get as far as the database.
    { numRuns: amount(60, engine === 'sqlite' ? 2_500 : 1_000) },
  )
})

test('outside the API: never 500, and what is not there is 404 in the same shape', async () => {
  const accept = { Accept: 'application/json' }
  await fc.assert(
    fc.asyncProperty(method, visible(30), body, async (method, text, body) => {
      const path = `/${text.replaceAll('#', '')}`
      await call(shop.server, method, path, { outside: true, headers: accept, body })
    }),
    { numRuns: amount(60, 300) },
  )
})
