// A new password by mail, and invitations that are mailed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Secret, TOTP } from 'otpauth'
import { buildPasswordReset } from '../../src/access/password-reset.ts'
import { buildUsers } from '../../src/access/users.ts'
import { passwordResetRoutes } from '../../src/http/panel/password-reset.ts'
import type { Store } from '../../src/store/store.ts'
import { testerAt } from '../support/actor.ts'
import { amount } from '../support/faults.ts'
import { mailingServer } from '../support/mail-server.ts'
import { plainServer } from '../support/panel-session.ts'
import { comesTrue } from '../support/prepared.ts'
import { rowsOf, storedTexts } from '../support/rows.ts'
import { createUser } from '../support/users.ts'

const { place, server, mail } = await mailingServer()
const now = () => Math.floor(Date.now() / 1_000)
const by = () => testerAt(now())
const [old, fresh] = ['a long old password', 'a long new password']
const json = { 'content-type': 'application/json' }
const accountId = await place.arrange(
  async (store) => (await store.configuration.createAccount('<Owner> & Co', by())).id,
)

const userOf = (email: string) =>
  place.arrange((store) => createUser(store, accountId, { email, password: old, role: 'owner' }))

let addresses = 0
async function api(method: string, path: string, body?: unknown, cookie = '', from?: string) {
  addresses += 1
  const headers = { ...json, cookie, 'x-forwarded-for': from ?? `203.0.113.${addresses}` }
  const answer = await fetch(`${server.origin}/panel/api${path}`, {
    ...{ method, headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const set = (answer.headers.get('set-cookie') ?? '').split(';')[0] as string
  return { status: answer.status, body: (await answer.json()) as any, cookie: set }
}

const signIn = (email: string, password: string) => api('POST', '/session', { email, password })
const askFor = (email: string, language = 'en', from?: string) =>
  api('POST', '/password-resets', { email, language }, '', from)

/** Mails to this address, decoded. */
const mailsTo = (address: string) =>
  mail.received
    .filter(({ to }) => to.includes(address))
    .map(({ text }) => {
      const plain = text.replace(/=\r?\n/g, '')
      return Buffer.from(
        plain.replace(/=([\dA-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
        'latin1',
      ).toString()
    })

/** The token of the newest link that went to this address, once there are so many mails. */
async function tokenFor(address: string, count: number): Promise<string> {
  assert.ok(await comesTrue(10_000, async () => mailsTo(address).length === count), `${mailsTo(address).length} mails`)
  return /\/(?:reset|join)#([\w-]{43})/.exec(mailsTo(address).at(-1) ?? '')?.[1] ?? ''
}

test('a link sets a new password once, ends the sessions and the invitations, and is in the audit log', async () => {
  const { id } = await userOf('ada@example.com')
  const before = await signIn('ada@example.com', old)
  assert.equal((await api('POST', '/invitations', { role: 'viewer' }, before.cookie)).status, 200)
  assert.deepEqual((await askFor('Ada@Example.com')).body, {})
  const token = await tokenFor('ada@example.com', 1)
  const [first = ''] = mailsTo('ada@example.com')
  assert.match(first, /^Subject: Set a new password for Lastcall\r?$/m)
  assert.ok(first.includes(`<a href="http://localhost:${server.port}/reset#${token}">`))
  assert.doesNotMatch(first, /<img|<link|https:/)
  assert.deepEqual((await api('POST', '/password-reset', { token })).body, { email: 'ada@example.com' })
  const common = await api('PUT', '/password-reset', { token, password: 'password123' })
  assert.equal(common.body.code, 'COMMON_PASSWORD')
  // Somebody has guessed at the one that is forgotten, which keeps nobody out now.
  await place.arrange(async ({ access }) => {
    for (let n = 0; n < 5; n += 1) await access.countTries([{ name: 'email ada@example.com', most: 5 }], now())
  })
  assert.equal((await signIn('ada@example.com', old)).status, 429)
  const [one, other] = await Promise.all([1, 2].map(() => api('PUT', '/password-reset', { token, password: fresh })))
  assert.deepEqual([one?.status, other?.status].sort(), [200, 404])
  assert.equal((await api('POST', '/password-reset', { token })).body.code, 'LINK_USED_UP')
  assert.equal((await api('GET', '/session', undefined, before.cookie)).body.signedIn, false)
  assert.equal((await signIn('ada@example.com', old)).status, 403)
  assert.equal((await signIn('ada@example.com', fresh)).status, 200)
  const rows = await rowsOf(place)
  assert.ok(
    !rows.invitations?.some((row) => row.includes(`"invited_by":${id}`) || row.includes(`"invited_by":"${id}"`)),
  )
  const entries = rows.audit_entries?.filter((row) => row.includes('user.password_reset')) ?? []
  assert.equal(entries.length, 1)
  assert.match(entries[0] ?? '', /"actor_name":"ada@example\.com","address":"203\.0\.113\.0\/24"/)
  assert.ok(!(await storedTexts(place)).some(([, text]) => text.includes(token)))
})

test('a newer link, a changed password or an hour ends a link', async () => {
  const { id } = await userOf('bela@example.com')
  await place.arrange(async (store) => {
    const reset = buildPasswordReset(store)
    const issue = async (at = now()) => (await reset.issue('bela@example.com', at))?.token ?? ''
    const works = async (token: string, at = now()) => (await reset.emailOf(token, at)) !== undefined
    const first = await issue()
    const second = await issue()
    assert.deepEqual([await works(first), await works(second)], [false, true])
    assert.deepEqual([await works(second, now() + 3_590), await works(second, now() + 3_601)], [true, false])
    const late = { kind: 'user', address: '', at: now() + 3_601 } as const
    assert.equal(await reset.use(second, fresh, late), false)
    await buildUsers(store).reset('bela@example.com', fresh, by())
    assert.equal(await works(second), false)
    const third = await issue()
    const signedIn = await api('POST', '/session', { email: 'bela@example.com', password: fresh })
    assert.equal((await api('POST', '/password', { current: fresh, next: old }, signedIn.cookie)).status, 200)
    assert.equal(await works(third), false)
    const fourth = await issue()
    await buildUsers(store).create(accountId, { email: 'other@example.com', password: old, role: 'owner' }, by())
    await buildUsers(store).remove(accountId, id, by())
    assert.equal(await works(fourth), false)
  })
})

test('of links that are asked for at once one works', async () => {
  const email = 'at-once@example.com'
  await userOf(email)
  await place.arrange(async (store) => {
    const { issue, emailOf } = buildPasswordReset(store)
    for (let round = 0; round < amount(3, 10); round += 1) {
      const issued = await Promise.all(Array.from({ length: 4 }, () => issue(email, now())))
      const working = await Promise.all(issued.map((one) => emailOf(one?.token ?? '', now())))
      assert.deepEqual(
        working.filter((one) => one !== undefined),
        [email],
      )
    }
  })
})

test('a new password leaves the second factor on', async () => {
  const user = await userOf('dora@example.com')
  await place.arrange(async (store) => {
    const users = buildUsers(store)
    const { secret, token } = await users.offerFactor(user, now())
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
    await users.switchFactorOn(user, { offer: token, code, token: '' }, by())
  })
  await askFor('dora@example.com')
  const token = await tokenFor('dora@example.com', 1)
  assert.equal((await api('PUT', '/password-reset', { token, password: fresh })).cookie, '')
  const shown = await signIn('dora@example.com', fresh)
  assert.equal(typeof shown.body.codeToken, 'string')
  assert.equal(shown.cookie, '')
})

test('the answer is the same, and does not wait for the mail, whether or not the email has a user', async () => {
  await userOf('known@example.com')
  const { promise, resolve: goOn } = Promise.withResolvers<void>()
  mail.state.mayGoOn = promise
  for (const email of ['known@example.com', 'unknown@example.com']) {
    const answer = await Promise.race([askFor(email), sleep(8_000, undefined, { ref: false })])
    assert.deepEqual([answer?.status, answer?.body], [200, {}], 'it waits')
  }
  goOn()
  await tokenFor('known@example.com', 1)
  assert.equal(mailsTo('unknown@example.com').length, 0)
})

test('the answer waits for nothing that knows whether the email has a user', async () => {
  // All that is there: anything else that it asked would be undefined.
  const access = { findTries: async () => [], countTries: async () => true }
  const passwordResets = { create: () => new Promise<boolean>(() => {}) }
  const parts = {
    ...{ provider: null, mailer: { isOn: true, waitFor() {} } },
    passwordReset: buildPasswordReset({ access, passwordResets } as unknown as Store),
  }
  const body = { email: 'anybody@example.com', language: 'en' } as const
  const asked = { body, parts, address: '192.0.2.88', now: now(), note: assert.fail } as any
  const answer = passwordResetRoutes['POST /password-resets'].run(asked)
  assert.deepEqual(await Promise.race([answer, sleep(1_000, 'it waits', { ref: false })]), {})
})

async function askedOften(from: string, most: number) {
  await place.arrange(async ({ access }) => {
    const limit = { name: `reset from ${from}`, most, seconds: 3_600 }
    for (let n = 0; n < most; n += 1) await access.countTries([limit], now())
  })
}

test('an email gets three links an hour, known or not, and an address asks for thirty', async () => {
  await userOf('flooded@example.com')
  for (const email of ['flooded@example.com', 'unknown-too@example.com']) {
    const answers = []
    for (let n = 0; n < 5; n += 1) answers.push((await askFor(email)).status)
    assert.deepEqual(answers, [200, 200, 200, 429, 429])
    assert.ok((await askFor(email)).body.retryAfterSeconds > 3_000)
  }
  await tokenFor('flooded@example.com', 3)
  await askedOften('address 192.0.2.77', 30)
  assert.equal((await askFor('somebody@example.com', 'en', '192.0.2.77')).status, 429)
})

test('an address of IPv6 asks for links with the 48 bits of its site', async () => {
  await askedOften('site 2001:db8:7', 120)
  assert.equal((await askFor('somebody@example.com', 'en', '2001:db8:7:1::1')).status, 429)
  assert.equal((await askFor('somebody@example.com', 'en', '2001:db8:8:1::1')).status, 200)
})

test('mails are in the language of the reader’s panel', async () => {
  await userOf('celina@example.com')
  await askFor('celina@example.com', 'pl')
  await tokenFor('celina@example.com', 1)
  assert.match(mailsTo('celina@example.com')[0] ?? '', /Ustaw nowe hasło/)
  assert.equal((await askFor('celina@example.com', 'de')).status, 422)

  const { cookie } = await signIn('celina@example.com', old)
  const invited = { role: 'viewer', language: 'pl', email: 'zaproszona@example.com' }
  assert.equal((await api('POST', '/invitations', invited, cookie)).body.mail, 'sent')
  await tokenFor(invited.email, 1)
  assert.match(mailsTo(invited.email)[0] ?? '', /celina@example\.com zaprasza/)
})

test('an invitation goes to its email; where the mail is not taken the link is there to pass on', async () => {
  await userOf('inviter@example.com')
  const { cookie } = await signIn('inviter@example.com', old)
  const invite = (body: object) => api('POST', '/invitations', { role: 'member', language: 'en', ...body }, cookie)
  const sent = await invite({ email: 'Guest@example.com' })
  assert.equal(sent.body.mail, 'sent')
  const token = await tokenFor('Guest@example.com', 1)
  assert.equal(new URL(sent.body.url).hash, `#${token}`)
  const [text = ''] = mailsTo('Guest@example.com')
  assert.match(text, /inviter@example\.com invites you to their account in Lastcall/)
  // Its owner could write anything to anybody by the account's name.
  assert.doesNotMatch(text, /Owner/)
  assert.equal((await invite({})).body.mail, 'none')
  mail.state.isFull = true
  const failed = await invite({ email: 'late@example.com' })
  mail.state.isFull = false
  assert.deepEqual([failed.status, failed.body.mail], [200, 'failed'])
  assert.equal((await api('POST', '/invitation', { token: new URL(failed.body.url).hash.slice(1) })).status, 200)
  const joined = await api('POST', '/users', { token, email: 'guest@example.com', password: old })
  assert.equal(joined.status, 200)
})

test('a mail that is not taken is in the log by its code, without address, token or the words of the server', async () => {
  await userOf('unlucky@example.com')
  const lines = () => server.output().match(/"code":"EMESSAGE 450".*a mail was not sent/g)?.length ?? 0
  const before = lines()
  mail.state.isFull = true
  assert.deepEqual((await askFor('unlucky@example.com')).body, {})
  assert.ok(await comesTrue(10_000, async () => lines() > before))
  mail.state.isFull = false
  for (const secret of ['unlucky@', 'Guest@', 'no room', 'hunter2', fresh, '#']) {
    assert.ok(!server.output().includes(secret), secret)
  }
})

test('without a mail server there is no such link', async () => {
  const quiet = (await plainServer()).server
  const answer = await fetch(`${quiet.origin}/panel/api/password-resets`, {
    ...{ method: 'POST', headers: json, body: JSON.stringify({ email: 'a@example.com', language: 'en' }) },
  })
  assert.equal(((await answer.json()) as { code: string }).code, 'NO_MAIL_SERVER')
})
