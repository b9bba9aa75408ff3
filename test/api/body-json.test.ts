// The body is one JSON text in UTF-8, and an object of the stated shape: nothing is repaired, nothing dropped.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, assertStatus, call, leads, lookups, newEmail, openShop } from '../support/api.ts'
import { owner } from '../support/lastcall.ts'
import { comesTrue } from '../support/prepared.ts'
import { exchange } from '../support/wire.ts'

const shop = openShop()

const post = (body: string | Buffer, path = leads(shop.owner.campaignId)) =>
  call(shop.server, 'POST', path, { key: shop.owner.key, body })

const bytes = (...parts: (string | number)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))))

const good = '{"email":"a@example.com"}'
const utf16le = Buffer.from(good, 'utf16le')

const notJson: [string, string | Buffer][] = [
  ['empty', ''],
  ['white space', ' \t\r\n'],
  ['a byte order mark', `\ufeff${good}`],
  ['a byte order mark alone', '\ufeff'],
  ['UTF-16', utf16le],
  ['UTF-16, big end first', Buffer.from(utf16le).swap16()],
  ['a byte that UTF-8 lacks', bytes('{"email":"a', 0xff, '@example.com"}')],
  ['latin1', bytes('{"email":"caf', 0xe9, '@example.com"}')],
  ['an overlong form', bytes('{"email":"a', 0xc0, 0xaf, '@example.com"}')],
  ['a surrogate in UTF-8', bytes('{"email":"a', 0xed, 0xa0, 0x80, '@example.com"}')],
  ['beyond U+10FFFF', bytes('{"email":"a', 0xf4, 0x90, 0x80, 0x80, '"}')],
  ['a character cut short', bytes('{"email":"a', 0xe2, 0x82, '"}')],
  ['invalid UTF-8 in a name', bytes('{"em', 0xff, 'ail":1}')],
  ['invalid UTF-8 behind', bytes(good, 0xff)],
  ['something behind', `${good}x`],
  ['two texts', `${good}${good}`],
  ['two lines', `${good}\n${good}`],
  ['a zero behind', `${good}\0`],
  ['cut short', good.slice(0, -1)],
  ['an open string', '{"email":"a@example.com'],
  ['a comma behind', '{"email":"a@example.com",}'],
  ['no quotes', '{email:"a@example.com"}'],
  ['single quotes', "{'email':'a@example.com'}"],
  ['a comment', `${good}/**/`],
  ['a line comment', `//\n${good}`],
  ['a raw line break in a string', '{"email":"a@example.com\n"}'],
  ['a raw tab in a string', '{"email":"a\t@example.com"}'],
  ['a raw zero in a string', '{"email":"a\0@example.com"}'],
  ['an unknown escape', '{"email":"\\a@example.com"}'],
  ['half an escape', '{"email":"\\u00"}'],
  ['NaN', 'NaN'],
  ['undefined', 'undefined'],
  ['a number with a leading zero', '{"x":01}'],
  ['a number with a plus', '{"x":+1}'],
  ['a bare point', '{"x":.5}'],
  ['hexadecimal', '{"x":0x1}'],
  ['True', '{"x":True}'],
  ['a form', 'email=a%40example.com'],
  ['a no-break space before', `\u00a0${good}`],
  ['a line separator before', `\u2028${good}`],
  ['a vertical tab before', `\v${good}`],
]
for (const [name, body] of notJson)
  test(`400: ${name}`, async () => {
    assertError(await post(body), 400, 'INVALID_JSON')
    assertError(await post(body, lookups(shop.owner.campaignId)), 400, 'INVALID_JSON')
  })

test('white space around and between is JSON', async () => {
  assertStatus(await post(` \t\r\n{ "email" :\n"${newEmail()}"\t,\r"language" : "pl" } \n`), 201)
})

const notOfTheShape: [string, string][] = [
  ['null', 'null'],
  ['true', 'true'],
  ['a number', '1'],
  ['a string', '"a@example.com"'],
  ['an empty array', '[]'],
  ['an array with the object', `[${good}]`],
  ['an empty object', '{}'],
  ['no email', '{"language":"pl"}'],
  ['email null', '{"email":null}'],
  ['email empty', '{"email":""}'],
  ['email a number', '{"email":1}'],
  ['email true', '{"email":true}'],
  ['email an array', '{"email":["a@example.com"]}'],
  ['email an object', '{"email":{"email":"a@example.com"}}'],
  ['Email', '{"Email":"a@example.com"}'],
  ['language null', '{"email":"a@example.com","language":null}'],
  ['language empty', '{"email":"a@example.com","language":""}'],
  ['language EN', '{"email":"a@example.com","language":"EN"}'],
  ['language de', '{"email":"a@example.com","language":"de"}'],
  ['language en-US', '{"email":"a@example.com","language":"en-US"}'],
  ['language with a space', '{"email":"a@example.com","language":"en "}'],
  ['language with a line break', '{"email":"a@example.com","language":"en\\n"}'],
  ['language an array', '{"email":"a@example.com","language":["en"]}'],
  ['language a number', '{"email":"a@example.com","language":0}'],
  ['language false', '{"email":"a@example.com","language":false}'],
  ['language an object', '{"email":"a@example.com","language":{}}'],
  ['a number beyond all', '{"email":"a@example.com","language":1e999}'],
  ['nested 8,000 deep', `${'['.repeat(8000)}${']'.repeat(8000)}`],
  ['an unknown property nested 5,000 deep', `{"x":${'['.repeat(5000)}${']'.repeat(5000)}}`],
  ['objects nested 2,500 deep', `${'{"x":'.repeat(2500)}1${'}'.repeat(2500)}`],
]
const unknownProperties = [
  '"deadline":"2030-01-01T00:00:00Z"',
  '"deadline":null',
  '"clientId":"x"',
  '"ip":"127.0.0.1"',
  '"ipAddress":"127.0.0.1"',
  '"registeredAt":"2030-01-01T00:00:00Z"',
  '"created":true',
  '"campaignId":1',
  '"Language":"en"',
  '"language ":"en"',
  '"":1',
  '"\\u0000":1',
  '"email\\u0000":"a@example.com"',
  '"x":null',
  '"0":0',
  '"__proto__":{}',
  '"__proto__":null',
  '"__proto__":{"language":"pl"}',
  '"\\u005f_proto__":{}',
  '"constructor":{}',
  '"constructor":{"prototype":{"language":"pl"}}',
  '"prototype":{}',
  '"toString":1',
  '"hasOwnProperty":1',
  '"toJSON":1',
  '"valueOf":null',
  '"__defineGetter__":1',
]
for (const property of unknownProperties) {
  notOfTheShape.push([`${property} behind`, `{"email":"a@example.com",${property}}`])
  notOfTheShape.push([`${property} before`, `{${property},"email":"a@example.com"}`])
}
notOfTheShape.push(
  ['an email in __proto__ alone', '{"__proto__":{"email":"a@example.com"}}'],
  ['a good email, then a bad one', '{"email":"a@example.com","email":"x"}'],
  ['a good email, then null', '{"email":"a@example.com","email":null}'],
  ['a good language, then a bad one', '{"email":"a@example.com","language":"en","language":"de"}'],
)
for (const [name, body] of notOfTheShape)
  test(`422: ${name}`, async () => {
    assertError(await post(body), 422, 'VALIDATION_ERROR')
    assertError(await post(body, lookups(shop.owner.campaignId)), 422, 'VALIDATION_ERROR')
  })

test('if a property is repeated, the last one counts', async () => {
  const email = newEmail()
  const twice = await post(`{"email":"x","language":"de","email":"${email}","language":"pl"}`)
  assertStatus(twice, 201)
  assert.equal(twice.body.email, email)
  assert.match(twice.body.mailTimerUrl, /\/timer\/pl\//)
  const escaped = await post(`{"email":"x","\\u0065mail":"${email}"}`)
  assertStatus(escaped, 200)
})

test('an escape is the character it stands for', async () => {
  const email = newEmail()
  assertStatus(await post(JSON.stringify({ email })), 201)
  const escaped = [...email].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
  const again = await post(`{"email":"${escaped}"}`)
  assertStatus(again, 200)
  assert.equal(again.body.email, email)
})

test('a refused body leaves no trace on the next one', async () => {
  await post('{"email":"a@example.com","__proto__":{"language":"pl","created":false}}')
  await post('{"email":"a@example.com","constructor":{"prototype":{"language":"pl"}}}')
  const answer = await post(JSON.stringify({ email: newEmail() }))
  assertStatus(answer, 201)
  assert.match(answer.body.mailTimerUrl, /\/timer\/en\//)
})

test('a message names what is wrong, never its value', async () => {
  const cases: [string, RegExp][] = [
    ['{"email":"secretive"}', /email/],
    ['{"email":"a@example.com","language":"secretive"}', /language/],
    ['{"email":["secretive"]}', /email/],
    ['{"email":"a@example.com","clientId":"secretive"}', /clientId/],
  ]
  for (const [body, named] of cases) {
    const { message } = (await post(body)).body
    assert.match(message, named)
    assert.doesNotMatch(message, /secretive/)
  }
  assert.doesNotMatch((await post('{"email": secretive')).body.message, /secretive|email/)
})

test('no body, and no header that says so, is an empty one on every surface', async () => {
  const { server, owner } = shop
  const ofLeads = `/api/public/v1${leads(owner.campaignId)}`
  const asked = [
    `POST ${ofLeads}`,
    `POST ${ofLeads}/lookup`,
    `POST /api/conversions/v1/campaigns/${owner.campaignId}/conversions`,
    'POST /api/events/v1/endpoints',
    'PATCH /api/events/v1/endpoints/1',
    'POST /panel/api/session',
    `POST /visitor/v1/campaigns/${owner.campaignId}/offer`,
  ]
  const { key } = await shop.place.json([
    'key',
    'create',
    '--account',
    String(owner.accountId),
    '--name',
    'all',
    '--scope',
    'events,conversions',
  ])
  for (const what of asked) {
    const lines = [
      `${what} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
    ]
    const { answers } = await exchange(server.port, [`${lines.join('\r\n')}\r\n\r\n`], { timeoutMs: 5_000 })
    assert.equal(answers[0]?.status, 400, what)
    if (what.includes('/api/')) assert.match(String(answers[0]?.body), /INVALID/, what)
  }
})

const head = (key: string, campaignId: number, length: string) =>
  [
    `POST /api/public/v1${leads(campaignId)} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `${length}\r\n\r\n`,
  ].join('\r\n')

test('malformed chunks are refused at once, also when nothing is known yet of the key', async () => {
  const { server } = shop
  const { key, campaignId } = await owner(shop.place)
  for (let n = 0; n < 2; n += 1) {
    const bytes = `${head(key, campaignId, 'Transfer-Encoding: chunked')}x\r\n`
    const { answers } = await exchange(server.port, [bytes], { timeoutMs: 5000 })
    assert.equal(answers[0]?.status, 400, `request ${n + 1}: no answer within 5 seconds`)
    assert.equal(String(answers[0]?.body), '')
  }
})

test('what comes behind a complete body is not part of it', async () => {
  const { key, campaignId } = shop.owner
  const email = newEmail()
  const body = JSON.stringify({ email })
  const bytes = `${head(key, campaignId, `Content-Length: ${body.length}`)}${body}no request\r\n\r\n`
  const { answers } = await exchange(shop.server.port, [bytes])
  // Node may close the connection of a broken request before the answer to the one before has left.
  assert.equal(answers.at(-1)?.status, 400)
  assert.ok(answers.length === 1 || answers[0]?.status === 201)
  const look = () => call(shop.server, 'POST', lookups(campaignId), { key, body: { email } })
  assert.ok(await comesTrue(5_000, async () => (await look()).status === 200))
})
