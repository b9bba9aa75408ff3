// Signing in with a second factor, over HTTP: what a stolen session cannot do, and what is kept nowhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceOf } from '../../src/http/panel/device.ts'
import { tester } from '../support/actor.ts'
import { plainServer } from '../support/panel-session.ts'
import { storedTexts } from '../support/rows.ts'
import { codeAt, wrongCodeAt } from '../support/second-factor.ts'
import { createUser } from '../support/users.ts'

const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'
const password = 'a long old password'
const now = () => Math.floor(Date.now() / 1_000)

const { place, server } = await plainServer()
const emailOf = (name: string) => `${name}@factor.example`
await place.arrange(async (store) => {
  const { id } = await store.configuration.createAccount('Owner', tester)
  for (const name of ['ada', 'bela', 'chen', 'dora', 'emil'])
    await createUser(store, id, { email: emailOf(name), password, role: 'viewer' })
})

type Answer = { status: number; body: any; cookie: string; retryAfter: string | null }

async function ask(method: string, path: string, body?: object, cookie = ''): Promise<Answer> {
  const answer = await fetch(`${server.origin}/panel/api${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'user-agent': firefox, 'x-forwarded-for': '203.0.113.77', cookie },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return {
    status: answer.status,
    body: await answer.json(),
    cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] as string,
    retryAfter: answer.headers.get('retry-after'),
  }
}

const signIn = (name: string, given = password) => ask('POST', '/session', { email: emailOf(name), password: given })

async function isSignedIn(cookie: string): Promise<boolean> {
  return (await ask('GET', '/session', undefined, cookie)).body.signedIn
}

/** Signs in and switches a second factor on, by the routes that the panel calls. */
async function enrolled(name: string) {
  const { cookie } = await signIn(name)
  const offer = await ask('POST', '/factor/offer', { password }, cookie)
  assert.equal(offer.status, 200, JSON.stringify(offer.body))
  const { secret, uri, token } = offer.body as { secret: string; uri: string; token: string }
  // Of the step before, so that the test has two more codes.
  const on = await ask('POST', '/factor', { offer: token, code: codeAt(secret, now() - 30) }, cookie)
  assert.equal(on.status, 200, JSON.stringify(on.body))
  return { cookie, secret, uri, token, recoveryCodes: on.body.recoveryCodes as string[] }
}

test('with a second factor a password alone begins no session; a code or a recovery code does', async () => {
  const { cookie, secret, uri, recoveryCodes } = await enrolled('ada')
  const address = new URL(uri)
  assert.deepEqual(
    [address.protocol, address.host, address.searchParams.get('issuer'), address.searchParams.get('secret')],
    ['otpauth:', 'totp', 'Lastcall', secret],
  )
  const first = await signIn('ada')
  assert.deepEqual([first.status, first.cookie, Object.keys(first.body)], [200, '', ['codeToken']])
  const { codeToken } = first.body
  const wrong = await ask('POST', '/session/code', { codeToken, code: wrongCodeAt(secret, now()) })
  assert.deepEqual([wrong.status, wrong.body.code, wrong.cookie], [403, 'WRONG_CODE', ''])
  // Arabic digits and a slip, six characters each.
  for (const strange of ['\u0661\u0662\u0663\u0664\u0665\u0666', '12345\u00e9']) {
    const refused = await ask('POST', '/session/code', { codeToken, code: strange })
    assert.deepEqual([refused.status, refused.body.code], [403, 'WRONG_CODE'])
  }
  const code = codeAt(secret, now())
  // As a Japanese keyboard gives it.
  const fullWidth = code.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))
  const second = await ask('POST', '/session/code', { codeToken, code: fullWidth }, cookie)
  assert.equal(second.status, 200)
  // The session that came with it has ended.
  assert.deepEqual([await isSignedIn(second.cookie), await isSignedIn(cookie)], [true, false])
  const again = await ask('POST', '/session/code', { codeToken, code })
  assert.deepEqual([again.status, again.body.code], [403, 'WRONG_CODE'])
  const byRecovery = await ask('POST', '/session/code', { codeToken, code: recoveryCodes[0] as string })
  assert.equal(await isSignedIn(byRecovery.cookie), true)
  const made = await ask('POST', '/session/code', { codeToken: 'made up', code })
  assert.deepEqual([made.status, made.body.code], [403, 'TOOK_TOO_LONG'])
})

test('a stolen session cannot switch the factor off, replace it, make codes, or see its secret', async () => {
  const { cookie, secret, token, recoveryCodes } = await enrolled('bela')
  const tries: [path: string, body: object, status: number][] = [
    ['/factor/off', { code: wrongCodeAt(secret, now()) }, 403],
    ['/factor/off', {}, 422],
    ['/factor/recovery-codes', { code: wrongCodeAt(secret, now()) }, 403],
    ['/factor', { offer: token, code: codeAt(secret, now()) }, 409],
    ['/factor/offer', { password }, 409],
    ['/factor/offer', { password: 'a guess' }, 403],
  ]
  for (const [path, body, status] of tries) {
    const answer = await ask('POST', path, body, cookie)
    assert.deepEqual([path, answer.status], [path, status], JSON.stringify(answer.body))
  }
  const state = await ask('GET', '/factor', undefined, cookie)
  assert.deepEqual(state.body, { isOn: true, recoveryCodesLeft: 10 })
  // A new password, even with the old one at hand, leaves it on.
  const next = 'a long new password'
  assert.equal((await ask('POST', '/password', { current: password, next }, cookie)).status, 200)
  assert.equal(typeof (await signIn('bela', next)).body.codeToken, 'string')
  assert.equal((await ask('POST', '/factor/off', { code: recoveryCodes[0] as string }, cookie)).status, 200)
  assert.equal((await signIn('bela', next)).body.codeToken, null)
})

test('ten wrong codes lock, whatever they were tried for, and the answer says when to come back', async () => {
  const { cookie, secret } = await enrolled('chen')
  const code = wrongCodeAt(secret, now())
  const { codeToken } = (await signIn('chen')).body
  for (let tries = 0; tries < 5; tries += 1) {
    assert.equal((await ask('POST', '/session/code', { codeToken, code })).status, 403)
    assert.equal((await ask('POST', '/factor/off', { code }, cookie)).status, 403)
  }
  for (const given of [code, codeAt(secret, now())]) {
    const locked = await ask('POST', '/session/code', { codeToken, code: given })
    assert.deepEqual([locked.status, locked.body.code], [429, 'TOO_MANY_TRIES'])
    assert.ok(Number(locked.retryAfter) > 880 && Number(locked.retryAfter) <= 900, String(locked.retryAfter))
    assert.equal((await ask('POST', '/factor/off', { code: given }, cookie)).status, 429)
  }
})

test('sessions say device and network; one that is ended is over, and a colleague’s looks as if it did not exist', async () => {
  const [mine, other, third] = [await signIn('dora'), await signIn('dora'), await signIn('dora')]
  const list = async ({ cookie }: Answer) => (await ask('GET', '/sessions', undefined, cookie)).body.sessions
  const sessions = await list(mine)
  assert.equal(sessions.length, 3)
  for (const { device, address, createdAt, seenAt } of sessions) {
    assert.deepEqual([device, address], ['Firefox on Windows', '203.0.113.0/24'])
    assert.ok(Math.abs(createdAt - now()) < 60 && Math.abs(seenAt - now()) < 60)
  }
  const [own] = sessions.filter(({ isThis }: { isThis: boolean }) => isThis)
  assert.match(own.id, /^[0-9a-f]{64}$/)
  const colleague = await signIn('bela', 'a long new password')
  const foreign = await ask('DELETE', `/sessions/${own.id}`, undefined, colleague.cookie)
  assert.deepEqual([foreign.status, foreign.body.code], [404, 'NOT_FOUND'])
  const theirId = (await list(other)).find(({ isThis }: { isThis: boolean }) => isThis).id
  assert.equal((await ask('DELETE', `/sessions/${theirId}`, undefined, mine.cookie)).status, 200)
  assert.deepEqual([await isSignedIn(mine.cookie), await isSignedIn(other.cookie)], [true, false])
  assert.equal((await ask('DELETE', '/sessions?but=this', undefined, mine.cookie)).status, 200)
  assert.deepEqual([await isSignedIn(mine.cookie), await isSignedIn(third.cookie)], [true, false])
  assert.equal(await isSignedIn(colleague.cookie), true)
  assert.deepEqual((await list(mine)).length, 1)
})

test('neither the log nor the database has a secret, a code or the address of a session', async () => {
  const { cookie, secret, token, recoveryCodes } = await enrolled('emil')
  const code = codeAt(secret, now())
  await ask('POST', '/factor/off', { code: 'planted-code' }, cookie)
  const { codeToken } = (await signIn('emil')).body
  await ask('POST', '/session/code', { codeToken, code })
  const planted = [secret, token, codeToken, 'planted-code', ...recoveryCodes, '203.0.113.77', firefox]
  const output = server.output()
  const stored = await storedTexts(place)
  for (const one of planted) {
    assert.ok(!output.includes(one), one)
    for (const [name, text] of stored) assert.ok(!text.includes(one), `${one} in ${name}`)
  }
})

test('the name of a browser is kept short and in plain words', () => {
  const safari = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) '
  assert.equal(deviceOf(`${safari}Version/17.4 Mobile/15E148 Safari/604.1`), 'Safari on iOS')
  assert.equal(deviceOf(firefox), 'Firefox on Windows')
  assert.equal(deviceOf('curl/8.5.0'), 'curl')
  assert.equal(deviceOf(undefined), '')
  for (const odd of [
    '\u0007\u001b[31m/1 (x)',
    'x'.repeat(9_000),
    `${'y'.repeat(200)}/1 (Windows NT 10.0)`,
    '<b>/1',
    'ż/1',
  ])
    assert.match(deviceOf(odd), /^[\x20-\x7e]{0,100}$/)
})
