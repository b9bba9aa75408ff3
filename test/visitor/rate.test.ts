// Forms register no more emails of one visitor in a minute than is set, whatever a visitor says of itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { mailLanguages } from '../../src/core/mail-language.ts'
import { languages } from '../../src/core/offer.ts'
import { ratesInProcess, visitorRate } from '../../src/core/rate-window.ts'
import { rateAddress, shortAddress, visitorLimits } from '../../src/http/address.ts'
import { newFastify } from '../../src/http/framework.ts'
import { sendUndecodable } from '../../src/http/visitor/visitor.ts'
import { languageOf } from '../../src/http/visitor/words-page.ts'
import { assertError, type Headers, newEmail, type Shop } from '../support/api.ts'
import { installation, owner } from '../support/lastcall.ts'
import { ask, lookUp, random32 } from '../support/recipient.ts'
import { serverClock } from '../support/server-clock.ts'
import { engine } from '../support/test-database.ts'

const nextMinute = () => sleep(60_050 - (Date.now() % 60_000))

test('the server lets as many forms through as set, by the address behind trusted proxies, and more in the next minute', async (t) => {
  const place = installation(t)
  const clock = serverClock(place)
  const atSecond = (second: number) => clock.setTo(Math.floor(Date.now() / 60_000) * 60 + second)
  const me = await owner(place)
  const env = { ...clock.env, TRUST_PROXY: '127.0.0.1', FORM_RATE_PER_MINUTE: '3' }
  atSecond(5)
  const shop = { place, owner: me, server: await place.serve([], env) } as Shop

  const spend = async (headers: Headers) => {
    const emails = Array.from({ length: 6 }, newEmail)
    const answers = await Promise.all(emails.map((email) => ask(shop, 'leads', { email }, { headers })))
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 200) continue
      assertError(answer, 429, 'RATE_LIMITED')
      assert.match(answer.headers['retry-after'] ?? '', /^([1-9]|[1-5]\d|60)$/)
      assert.equal(answer.headers['access-control-allow-origin'], '*')
      assert.equal((await lookUp(shop, emails[index] as string)).code, 'LEAD_NOT_FOUND')
    }
    return answers.filter(({ status }) => status === 200).length
  }
  if (engine === 'postgres' && new Date().getUTCSeconds() > 45) await nextMinute()
  assert.equal(await spend({}), 3)
  assert.equal(await spend({ 'X-Forwarded-For': '127.0.0.1' }), 0)
  assert.equal(await spend({ 'X-Forwarded-For': '203.0.113.7' }), 3)
  assert.equal(await spend({ 'X-Forwarded-For': `${random32()}, 198.51.100.1, 203.0.113.7` }), 0)
  assert.equal(await spend({ 'X-Forwarded-For': '2001:db8:1:2::5' }), 3)
  assert.equal(await spend({ 'X-Forwarded-For': '2001:db8:1:2:ffff::1' }), 0)
  for (let network = 3; network < 18; network += 1)
    assert.equal(await spend({ 'X-Forwarded-For': `2001:db8:1:${network}::5` }), 3)
  // That were 48 of the /48 network: 16 times as many as an address has.
  assert.equal(await spend({ 'X-Forwarded-For': '2001:db8:1:99::5' }), 0)
  assert.equal(await spend({ 'X-Forwarded-For': '2001:db8:2:3::5' }), 3)
  const reading = await ask(shop, 'offer', { client: random32(), visit: true })
  assert.equal(reading.status, 200)
  // On PostgreSQL its clock counts, for all servers: see the rate of accounts.
  if (engine === 'sqlite') atSecond(65)
  else await nextMinute()
  assert.equal(await spend({ 'X-Forwarded-For': '203.0.113.7' }), 3)
})

test('a table full of visitors refuses new ones until the minute ends, and then begins again', () => {
  const rate = visitorRate(3)
  for (const who of ['a', 'b', 'c']) assert.equal(rate(who, 2, 1_000).allowed, true)
  assert.deepEqual(rate('d', 2, 50_000), { allowed: false, remaining: 0, resetSeconds: 10 })
  assert.equal(rate('a', 2, 50_000).allowed, true)
  assert.equal(rate('a', 2, 50_000).allowed, false)
  assert.equal(rate('d', 2, 60_000).allowed, true)
})

test('a table full of visitors leaves the API for events alone', async () => {
  const { countVisitor, countEvents } = ratesInProcess()
  for (let n = 0; n < 100_000; n += 1) await countVisitor(String(n), 2, 1_000)
  assert.equal((await countVisitor('one more', 2, 1_000)).allowed, false)
  assert.equal((await countEvents(1, 2, 1_000)).allowed, true)
})

test('the address of a visitor behind proxies of all kinds, and one warning of a proxy that is not trusted', async () => {
  const warnings: unknown[][] = []
  const app = newFastify({
    isHttps: false,
    trustProxy: ['10.0.0.0/8', 'fd00::1'],
    log: { info() {}, warn: (...line) => void warnings.push(line), error() {} },
    sendUndecodable,
  })
  app.get('/', async ({ ip }, reply) => reply.send(rateAddress(ip)))
  for (const [expected, remoteAddress, forwarded] of [
    ['203.0.113.7', '203.0.113.7', '198.51.100.1'],
    ['203.0.113.7', '::ffff:203.0.113.7', undefined],
    ['203.0.113.7', '10.0.0.1', '203.0.113.7'],
    ['203.0.113.7', '::ffff:10.0.0.1', '203.0.113.7'],
    ['203.0.113.7', '10.0.0.1', '203.0.113.7:51234'],
    ['203.0.113.7', '10.0.0.1', '198.51.100.1, 203.0.113.7, 10.9.9.9'],
    ['203.0.113.7', 'fd00::1', '::FFFF:203.0.113.7'],
    ['10.0.0.1', '10.0.0.1', undefined],
    // A look from the proxy's own machine, and a proxy that does not say for whom it asks.
    ['10.0.0.1', '10.0.0.1', '10.0.0.1'],
    ['10.0.0.1', '10.0.0.1', ''],
    ['2001:db8:0:0', '10.0.0.1', '[2001:db8::1]:443'],
    ['fe80:0:0:0', 'fe80::1%eth0', undefined],
    // However it is written, it is one network.
    ['2001:db8:0:1', '10.0.0.1', '2001:db8:0:1::7'],
    ['2001:db8:0:1', '10.0.0.1', '2001:0DB8:0000:0001:0:0:0:7'],
  ] as const) {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    const { body } = await app.inject({ url: '/', remoteAddress, headers })
    assert.equal(body, expected, `${remoteAddress} ${forwarded}`)
  }
  assert.deepEqual(warnings, [])
  const headers = { 'x-forwarded-for': '203.0.113.7' }
  for (const remoteAddress of ['::ffff:127.0.0.1', '172.18.0.1', 'fe80::1%eth0'])
    await app.inject({ url: '/', remoteAddress, headers })
  assert.equal(warnings.length, 1)
  assert.match(String(warnings), /^X-Forwarded-For comes from a proxy that TRUST_PROXY does not name/)
  // The connection has ended meanwhile.
  assert.equal(rateAddress(undefined), '')
  assert.deepEqual(visitorLimits(3, undefined), [['', 3]])
})

test('the language that the browser wants more, the first of equals', () => {
  for (const [header, language] of Object.entries({
    '': 'en',
    pl: 'pl',
    'pl-PL,pl;q=0.9,en;q=0.8': 'pl',
    'en-GB, pl;q=0.9': 'en',
    'sv, fi': 'en',
    'sv, pl;q=0.3': 'pl',
    'pl;q=0, en;q=0.1': 'en',
    'PL ; Q=0.9': 'pl',
    'pl;q=x': 'en',
    'pl,en': 'pl',
    'en,pl': 'en',
    'pl;q=0.8, sv, en;q=0.8': 'pl',
    'pl;q=0.5, en, pl': 'en',
  }))
    assert.equal(languageOf(header, mailLanguages), language, header)
  assert.equal(languageOf('de, uk;q=0.5', mailLanguages), 'de')
  // The demo's shop speaks the languages of the API.
  assert.equal(languageOf('de, pl;q=0.3', languages), 'pl')
})

test('only the network of an address is kept, and nothing of a text that is no address', () => {
  const kept = ['203.0.113.77', '203.0.113.77:443', '::ffff:203.0.113.77', '[2001:0db8:1:2::3]:443', 'fe80::1%eth0']
  const networks = ['203.0.113.0/24', '203.0.113.0/24', '203.0.113.0/24', '2001:db8:1::/48', 'fe80:0:0::/48']
  assert.deepEqual(kept.map(shortAddress), networks)
  for (const none of [undefined, 'unknown', '203.0.113.77;x', '<b>', 'x'.repeat(5_000)])
    assert.equal(shortAddress(none), '')
})
