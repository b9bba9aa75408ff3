// Signing in by a provider of OpenID Connect: who gets in, and what of an answer that is wrong.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { after, beforeEach, test } from 'node:test'
import { hashPassword, isPassword } from '../../src/access/passwords.ts'
import { openProvider } from '../../src/access/provider.ts'
import { hashInHex } from '../../src/access/tokens.ts'
import { buildUsers } from '../../src/access/users.ts'
import { readSetting } from '../../src/config.ts'
import { describeError } from '../../src/log.ts'
import { testerAt } from '../support/actor.ts'
import { runIn } from '../support/empty-databases.ts'
import { amount } from '../support/faults.ts'
import { type Claims, identityProvider, oidcClient } from '../support/identity-provider.ts'
import { installation } from '../support/lastcall.ts'
import { plainServer } from '../support/panel-session.ts'
import { rowsIn } from '../support/rows.ts'
import { createUser } from '../support/users.ts'

const place = installation({ after })
const provider = await identityProvider({ after })
const { state } = provider
const server = await place.serve([], { ...provider.settings, TRUST_PROXY: '127.0.0.1' })
const publicUrl = `http://localhost:${server.port}`
await provider.open(publicUrl)
const now = () => Math.floor(Date.now() / 1_000)
const password = 'a long old password'
const by = () => testerAt(now())
const json = { 'content-type': 'application/json' }

const accountId = await place.arrange(async (store) => {
  const { id } = await store.configuration.createAccount('Owner', by())
  await createUser(store, id, { email: 'owner@example.com', password, role: 'owner' })
  return id
})

/** A person who has a user, by the email that the provider knows too. */
const userOf = (email: string) =>
  place.arrange((store) => createUser(store, accountId, { email, password, role: 'member' }))

beforeEach(() => {
  Object.assign(state, { alter: undefined, isForged: false, isRefused: false, isDown: false })
  Object.assign(state, { refusesSecret: false, hangsAt: undefined, described: undefined })
})

const cookieNamed = (name: string) => `${name}-${hash('sha256', publicUrl).slice(0, 8)}`

let addresses = 0

/** A browser that keeps its cookies, at an address of its own. */
function browser(at = publicUrl) {
  const jar = new Map<string, string>()
  addresses += 1
  const from = `198.51.${addresses >> 8}.${addresses & 255}`
  async function ask(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'x-forwarded-for': from, accept: 'text/html', ...init.headers }
    const answer = await fetch(url, { redirect: 'manual', ...init, headers })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '' || /max-age=0/i.test(set)) jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }
  const api = (method: string, path: string, body?: unknown) =>
    ask(`${at}/panel/api${path}`, {
      method,
      headers: json,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

  return {
    jar,
    ask,
    api,
    /** The provider's address, for signing in. */
    async begin(more: object = {}): Promise<string> {
      const answer = await api('POST', '/provider', { to: '/', ...more })
      const body = (await answer.json()) as { url: string; code?: string }
      assert.equal(answer.status, 200, body.code ?? '')
      return body.url
    },
    /** From there to where the provider sends people back to. */
    async atProvider(start: string): Promise<URL> {
      let url = start
      for (let hops = 0; hops < 10; hops += 1) {
        const answer = await ask(url)
        const next = answer.headers.get('location')
        assert.ok(next, `${answer.status} ${await answer.text()}`)
        url = new URL(next, url).href
        if (url.startsWith(at)) return new URL(url)
      }
      throw new Error('the provider goes round in circles')
    },
    /** Where Lastcall leads to then: a screen, with the refusal if there is one. */
    async comeBack(url: URL | string): Promise<string> {
      const answer = await ask(String(url))
      assert.equal(answer.status, 303)
      return (answer.headers.get('location') ?? '').slice(at.length)
    },
    who: async () => ((await (await api('GET', '/session')).json()) as any).user,
  }
}

/** The whole way of somebody whom the provider knows with these claims. */
async function signIn(who: string, claims: Record<string, unknown>, more: object = {}) {
  state.who = who
  state.people[who] = claims
  const one = browser()
  const led = await one.comeBack(await one.atProvider(await one.begin(more)))
  return { ...one, led, user: await one.who() }
}

/** A provider of its own, which has asked nothing yet, and a sign-in by it. */
function asked() {
  const { id: clientId, secret: clientSecret } = oidcClient
  const own = openProvider({ issuer: provider.issuer, clientId, clientSecret, isOnly: false })
  const redirectUri = `${publicUrl}/panel/oidc/callback`
  return async () => {
    const { url, checks } = await own.begin(redirectUri)
    const { search } = await browser().atProvider(url)
    return own.finish(redirectUri, search.slice(1), checks)
  }
}

const refusedAs = (code: string) => `/sign-in?refused=${code}`
const verified = (email: string) => ({ email, email_verified: true })

test('a user is found by verified email first, and from then on by issuer and subject alone', async () => {
  const { id } = await userOf('ada@example.com')
  const first = await signIn('ada', verified('Ada@Example.com'), { to: '/settings?a=b' })
  assert.deepEqual([first.led, first.user.id], ['/settings?a=b', id])
  const renamed = await signIn('ada', verified('ada@married.example'))
  assert.deepEqual([renamed.user.id, renamed.user.email], [id, 'ada@example.com'])
  // An email is not asked for once the identity is known.
  assert.equal((await signIn('ada', {})).user.id, id)
  // A search may have any letters, as they are or escaped.
  for (const [to, led] of [
    ['/campaigns?search=jesień', '/campaigns?search=jesie%C5%84'],
    ['/campaigns?search=a+%26+b', '/campaigns?search=a+%26+b'],
  ])
    assert.equal((await signIn('ada', {}, { to })).led, led)
  // A second identity with that email does not take the user over.
  const other = await signIn('another-ada', verified('ada@example.com'))
  assert.deepEqual([other.led, other.user], [refusedAs('OTHER_IDENTITY'), undefined])
})

test('after another provider has taken the place of the first, verified emails find their users once more', async () => {
  const { id } = await userOf('moved@example.com')
  assert.equal((await signIn('moved', verified('moved@example.com'))).user.id, id)
  const before = 'https://sso.before.example'
  await runIn(
    readSetting('database', { 'database-url': place.databaseUrl }),
    `UPDATE users SET issuer = '${before}' WHERE id = ${id}`,
  )
  assert.equal((await signIn('moved', verified('moved@example.com'))).user.id, id)
  const [entry] = await place.json(['audit', 'list', '--account', String(accountId), '--action', 'user.linked'])
  assert.deepEqual([entry.before, entry.after], [{ issuer: before }, { issuer: provider.settings.OIDC_ISSUER }])
  const other = await signIn('another', verified('moved@example.com'))
  assert.deepEqual([other.led, other.user], [refusedAs('OTHER_IDENTITY'), undefined])
})

test('the session is an ordinary one: it remembers the browser, and ends the one before', async () => {
  await userOf('sessions@example.com')
  const one = await signIn('sessions', verified('sessions@example.com'))
  const before = one.jar.get(cookieNamed('lastcall')) as string
  assert.equal(one.jar.has(cookieNamed('lastcall-flow')), false)
  assert.ok((await rowsIn(place, 'sessions')).some((row) => /198\.51\.\d+\.0\/24/.test(row)))
  assert.equal(await one.comeBack(await one.atProvider(await one.begin())), '/')
  assert.notEqual(one.jar.get(cookieNamed('lastcall')), before)
  const old = await one.ask(`${publicUrl}/panel/api/session`, {
    headers: { cookie: `${cookieNamed('lastcall')}=${before}` },
  })
  assert.equal(((await old.json()) as any).signedIn, false)
})

test('who comes back in several tabs at once the first time is let in by each of them', async () => {
  await userOf('tabs@example.com')
  await place.arrange((store) =>
    buildUsers(store).invite({ id: 1, accountId }, { role: 'viewer', email: 'joins@example.com' }, by()),
  )
  for (const email of ['tabs@example.com', 'joins@example.com']) {
    state.who = email
    state.people[email] = verified(email)
    const tabs = [browser(), browser(), browser()]
    const backs: URL[] = []
    for (const tab of tabs) backs.push(await tab.atProvider(await tab.begin()))
    const led = await Promise.all(tabs.map((tab, n) => tab.comeBack(backs[n] as URL)))
    assert.deepEqual(led, ['/', '/', '/'], email)
  }
})

test('an unverified email is refused, and for a reason of its own one that no user can have; at Entra xms_edov stands for email_verified', async () => {
  await userOf('edov@example.com')
  const email = 'edov@example.com'
  for (const claims of [
    { email },
    { email, email_verified: false },
    { email, email_verified: 'true' },
    { email, email_verified: false, xms_edov: true },
    { email, xms_edov: false },
    { email_verified: true },
    { email: 'zażółć@example.com', email_verified: false },
  ]) {
    const { led, user } = await signIn('edov', claims)
    assert.deepEqual([led, user], [refusedAs('EMAIL_NOT_VERIFIED'), undefined], JSON.stringify(claims))
  }
  const tooLong = `${'a'.repeat(250)}@example.com`
  for (const unusable of ['no email', 'zażółć@example.com', ` ${email}`, tooLong]) {
    const { led, user } = await signIn('edov', verified(unusable))
    assert.deepEqual([led, user], [refusedAs('EMAIL_UNUSABLE'), undefined], unusable)
  }
  assert.equal((await signIn('edov', { email, xms_edov: 1 })).user.email, email)
  await userOf('edov2@example.com')
  assert.equal((await signIn('edov2', { email: 'edov2@example.com', xms_edov: true })).led, '/')
})

test('an email that stands in no ID token is asked for at the provider', async () => {
  await userOf('userinfo@example.com')
  state.alter = ({ email: _, email_verified: __, ...claims }) => claims
  assert.equal((await signIn('userinfo', verified('userinfo@example.com'))).led, '/')
})

test('nobody gets a user who is not invited, and a removed user is none', async () => {
  const { led, user } = await signIn('stranger', verified('stranger@example.com'))
  assert.deepEqual([led, user], [refusedAs('NOT_INVITED'), undefined])
  const { id } = await userOf('leaver@example.com')
  const leaver = await signIn('leaver', verified('leaver@example.com'))
  assert.equal(leaver.user.id, id)
  await place.arrange((store) => buildUsers(store).remove(accountId, id, by()))
  assert.equal(await leaver.who(), undefined)
  assert.equal((await signIn('leaver', verified('leaver@example.com'))).led, refusedAs('NOT_INVITED'))
})

test('an open invitation to the email makes the user with its role, once, and needs no link; the audit log says by which provider', async () => {
  await place.arrange((store) =>
    buildUsers(store).invite({ id: 1, accountId }, { role: 'viewer', email: 'Guest@example.com' }, by()),
  )
  // A stranger's invitation is the newer one.
  const [strangers, theirs] = await place.arrange(async (store) => {
    const { id } = await store.configuration.createAccount('Strangers', by())
    const { id: userId } = await createUser(store, id, { email: 'strange@example.com', password, role: 'owner' })
    const users = buildUsers(store)
    const invited = { role: 'member' as const, email: 'guest@example.com' }
    return [id, await users.invite({ id: userId, accountId: id }, invited, testerAt(now() + 1))] as const
  })
  const between = await signIn('guest', verified('guest@EXAMPLE.com'))
  assert.deepEqual([between.led, between.user], [refusedAs('NOT_INVITED'), undefined])
  await place.arrange((store) => buildUsers(store).withdraw(strangers, hashInHex(theirs), by()))
  const guest = await signIn('guest', verified('guest@EXAMPLE.com'))
  assert.deepEqual([guest.led, guest.user.email, guest.user.role], ['/', 'guest@example.com', 'viewer'])
  assert.equal(guest.user.accountId, accountId)
  const row = (await rowsIn(place, 'users')).find((one) => one.includes('guest@example.com')) ?? ''
  assert.match(row, /"password_hash":""/)
  const entries = (await rowsIn(place, 'audit_entries')).map((entry) => JSON.parse(entry))
  const ofGuest = entries.filter(
    ({ subject, subject_name }) => `${subject} ${subject_name}` === 'user guest@example.com',
  )
  const said = ofGuest.map(({ action, after }) => [action, JSON.parse(after)]).sort()
  const linked = { issuer: provider.settings.OIDC_ISSUER }
  assert.deepEqual(said, [
    ['user.created', { role: 'viewer' }],
    ['user.linked', linked],
  ])
  await place.arrange((store) => buildUsers(store).remove(accountId, guest.user.id, by()))
  assert.equal((await signIn('guest', verified('guest@example.com'))).led, refusedAs('NOT_INVITED'))
})

test('a link that was followed makes the user too; it counts once, and is for nobody who has one', async () => {
  const link = (role: 'member' | 'viewer') =>
    place.arrange((store) => buildUsers(store).invite({ id: 1, accountId }, { role, email: null }, by()))
  const invitation = { token: await link('member') }
  const unverified = await signIn('follower', { email: 'follower@example.com' }, { invitation })
  assert.equal(unverified.led, refusedAs('EMAIL_NOT_VERIFIED'))
  const one = browser()
  const start = await one.begin({ invitation })
  assert.ok(!start.includes(invitation.token))
  const follower = await signIn('follower', verified('follower@example.com'), { invitation })
  assert.deepEqual([follower.led, follower.user.role], ['/', 'member'])
  state.who = 'late-follower'
  state.people['late-follower'] = verified('late-follower@example.com')
  assert.equal(await one.comeBack(await one.atProvider(start)), refusedAs('LINK_USED_UP'))
  const used = await browser().api('POST', '/provider', { to: '/', invitation })
  assert.deepEqual([used.status, ((await used.json()) as any).code], [404, 'LINK_USED_UP'])
  const another = { token: await link('viewer') }
  assert.equal((await signIn('follower', {}, { invitation: another })).led, refusedAs('EMAIL_TAKEN'))
  const owner = await signIn('as-owner', verified('owner@example.com'), { invitation: another })
  assert.equal(owner.led, refusedAs('EMAIL_TAKEN'))
})

test('a user who came by the provider has no password, and a wrong one takes as long', async () => {
  await place.arrange((store) =>
    buildUsers(store).invite({ id: 1, accountId }, { role: 'viewer', email: 'passwordless@example.com' }, by()),
  )
  const one = await signIn('passwordless', verified('passwordless@example.com'))
  assert.equal(one.led, '/')
  const hasPassword = async () => ((await (await one.api('GET', '/session')).json()) as any).hasPassword
  assert.equal(await hasPassword(), false)
  for (const guess of ['', ' ', 'password', '$argon2id$v=19$m=1,t=1,p=1$$']) {
    const answer = await browser().api('POST', '/session', { email: 'passwordless@example.com', password: guess })
    assert.equal(answer.status, guess === '' ? 422 : 403)
  }
  await place.json(['user', 'reset', '--email', 'passwordless@example.com'], 'a password of their own\n')
  await one.comeBack(await one.atProvider(await one.begin()))
  assert.equal(await hasPassword(), true)
  const times = { none: 0, wrong: 0 }
  for (let n = 0; n < amount(2, 5); n += 1)
    for (const [name, hash] of [
      ['none', ''],
      ['wrong', await hashPassword('another')],
    ] as const) {
      const before = performance.now()
      assert.equal(await isPassword('a guess', hash, 'first'), false)
      times[name] += performance.now() - before
    }
  assert.ok(times.none > times.wrong / 4, JSON.stringify(times))
})

test('a user of a suspended account comes in as by password, and can read', async () => {
  const suspended = await place.arrange(async (store) => {
    const { id } = await store.configuration.createAccount('Suspended', by())
    await createUser(store, id, { email: 'suspended@example.com', password, role: 'owner' })
    await store.configuration.updateAccount(id, { suspended: true }, by())
    return id
  })
  const one = await signIn('suspended', verified('suspended@example.com'))
  assert.deepEqual([one.led, one.user.accountId], ['/', suspended])
  assert.equal((await one.api('GET', '/overview')).status, 200)
  assert.equal((await one.api('POST', '/keys', { name: 'x' })).status, 403)
})

test('OIDC_ONLY closes every way by password, and the set-up link works by the provider', async (t) => {
  const fresh = installation(t)
  const only = await identityProvider(t)
  const closed = await fresh.serve([], {
    ...only.settings,
    OIDC_ONLY: 'on',
    SMTP_URL: 'smtp://127.0.0.1:1',
    SMTP_FROM: 'a@b.example',
  })
  const at = `http://localhost:${closed.port}`
  await only.open(at, 'client_secret_post')
  // This provider takes the secret in one of two ways: it is found out for each of several who come at once.
  only.state.who = 'stranger'
  only.state.people.stranger = verified('stranger@example.com')
  const strangers = await Promise.all(
    [browser(at), browser(at), browser(at)].map(async (one) => ({
      one,
      back: await one.atProvider(await one.begin()),
    })),
  )
  for (const led of await Promise.all(strangers.map(({ one, back }) => one.comeBack(back))))
    assert.equal(led, refusedAs('NOT_INVITED'))
  const { url } = await fresh.json(['setup-link'])
  const token = new URL(url).hash.slice(1)
  only.state.who = 'first'
  only.state.people.first = verified('first@example.com')
  const one = browser(at)
  assert.deepEqual(((await (await one.api('GET', '/session')).json()) as any).ways, {
    ...{ byPassword: false, byProvider: true, hasMail: true },
  })
  const tokenless = await one.api('POST', '/provider', { to: '/', invitation: { token } })
  assert.equal(tokenless.status, 422)
  const start = await one.begin({ invitation: { token, accountName: 'First' } })
  assert.equal(await one.comeBack(await one.atProvider(start)), '/')
  const { user, account } = (await (await one.api('GET', '/session')).json()) as any
  assert.deepEqual([user.email, user.role, account.name], ['first@example.com', 'owner', 'First'])
  const email = 'first@example.com'
  for (const [method, path, body] of [
    ['POST', '/session', { email, password }],
    ['POST', '/session/code', { codeToken: 'x', code: '000000' }],
    ['POST', '/users', { token: 'x', email, password }],
    ['POST', '/password', { current: password, next: `${password} 2` }],
    ['POST', '/factor/offer', { password }],
    ['POST', '/password-resets', { email, language: 'en' }],
    ['POST', '/password-reset', { token: 'x' }],
    ['PUT', '/password-reset', { token: 'x', password }],
  ] as const) {
    const answer = await one.api(method, path, body)
    const { code } = (await answer.json()) as { code: string }
    assert.deepEqual([path, answer.status, code], [path, 409, 'PASSWORDS_OFF'])
  }
})

test('without a provider there is no way to it', async () => {
  const plain = (await plainServer()).server
  const one = browser(plain.origin)
  assert.equal((await one.api('POST', '/provider', { to: '/' })).status, 409)
  const back = await one.ask(`${plain.origin}/panel/oidc/callback?code=x&state=y`, { headers: { accept: '*/*' } })
  assert.equal(back.status, 404)
})

test('an answer that was altered on the way lets nobody in: nonce, issuer, audience, expiry, signature', async () => {
  await userOf('altered@example.com')
  const hour = 3_600
  const alterations: Record<string, (claims: Claims) => Claims> = {
    nonce: (claims) => ({ ...claims, nonce: 'of another sign-in' }),
    'no nonce': ({ nonce: _, ...claims }) => claims,
    issuer: (claims) => ({ ...claims, iss: 'https://evil.example' }),
    audience: (claims) => ({ ...claims, aud: 'another client' }),
    'audiences, issued to another': (claims) => ({ ...claims, aud: [oidcClient.id, 'another'], azp: 'another' }),
    'an expired token': (claims) => ({ ...claims, iat: now() - 2 * hour, exp: now() - hour }),
    'no subject': ({ sub: _, ...claims }) => claims,
    'an empty subject': (claims) => ({ ...claims, sub: '' }),
    'a subject with NUL': (claims) => ({ ...claims, sub: 'altered\0' }),
    'a subject with half a letter': (claims) => ({ ...claims, sub: 'altered\ud83d' }),
  }
  for (const [name, alter] of Object.entries(alterations)) {
    state.alter = alter
    const { led, user } = await signIn('altered', verified('altered@example.com'))
    assert.deepEqual([name, led, user], [name, refusedAs('PROVIDER_INVALID'), undefined])
  }
  state.alter = undefined
  state.isForged = true
  const forged = await signIn('altered', verified('altered@example.com'))
  assert.deepEqual([forged.led, forged.user], [refusedAs('PROVIDER_INVALID'), undefined])
  state.isForged = false
  state.alter = (claims) => claims
  assert.equal((await signIn('altered', verified('altered@example.com'))).led, '/')
})

test('a wrong state, or the issuer of another provider in the address, is refused before the code is sent', async () => {
  await userOf('state@example.com')
  state.who = 'state'
  state.people.state = verified('state@example.com')
  for (const [name, value, code] of [
    ['state', 'another', 'TOO_OLD'],
    ['state', null, 'TOO_OLD'],
    ['iss', 'https://evil.example', 'PROVIDER_INVALID'],
    ['iss', null, 'PROVIDER_INVALID'],
  ] as const) {
    const one = browser()
    const back = await one.atProvider(await one.begin())
    if (value === null) back.searchParams.delete(name)
    else back.searchParams.set(name, value)
    const before = state.tokenRequests
    assert.equal(await one.comeBack(back), refusedAs(code), `${name} ${value}`)
    assert.equal(state.tokenRequests, before)
    assert.equal(await one.who(), undefined)
    // What somebody else sends here ends no sign-in; what may be the provider's own answer does.
    assert.equal(one.jar.has(cookieNamed('lastcall-flow')), name === 'state', `${name} ${value}`)
  }
})

test('begun in two tabs of one browser, the later one is let in, whichever of them comes back first', async () => {
  await userOf('two-tabs@example.com')
  state.who = 'two-tabs'
  state.people['two-tabs'] = verified('two-tabs@example.com')
  for (const isEarlierFirst of [true, false]) {
    const one = browser()
    const earlier = { back: await one.atProvider(await one.begin({ to: '/settings' })), led: refusedAs('TOO_OLD') }
    const later = { back: await one.atProvider(await one.begin({ to: '/person' })), led: '/person' }
    for (const { back, led } of isEarlierFirst ? [earlier, later] : [later, earlier])
      assert.equal(await one.comeBack(back), led, `the earlier one first: ${isEarlierFirst}`)
    assert.equal((await one.who()).email, 'two-tabs@example.com')
    assert.equal(one.jar.has(cookieNamed('lastcall-flow')), false)
  }
})

test('a code counts once: not with its cookie again, not in another sign-in, not without a cookie', async () => {
  await userOf('replay@example.com')
  state.who = 'replay'
  state.people.replay = verified('replay@example.com')
  const one = browser()
  const back = await one.atProvider(await one.begin())
  const flow = one.jar.get(cookieNamed('lastcall-flow')) as string
  const stranger = browser()
  assert.equal(await stranger.comeBack(back), refusedAs('TOO_OLD'))
  assert.equal(await one.comeBack(back), '/')
  stranger.jar.set(cookieNamed('lastcall-flow'), flow)
  const before = state.tokenRequests
  assert.equal(await stranger.comeBack(back), refusedAs('TOO_OLD'))
  assert.equal(state.tokenRequests, before)
  // The code in a sign-in that somebody else has begun: the provider itself refuses it.
  const other = browser()
  const { searchParams } = new URL(await other.begin())
  back.searchParams.set('state', searchParams.get('state') as string)
  assert.equal(await other.comeBack(back), refusedAs('PROVIDER_INVALID'))
  assert.equal(await other.who(), undefined)
  // What the browser keeps can be neither made up nor changed.
  const forger = browser()
  const theirs = await forger.atProvider(await forger.begin())
  forger.jar.set(cookieNamed('lastcall-flow'), `${forger.jar.get(cookieNamed('lastcall-flow'))}x`)
  assert.equal(await forger.comeBack(theirs), refusedAs('TOO_OLD'))
})

test('the cookie of a sign-in is sealed, HttpOnly and gone after ten minutes, and HEAD uses nothing up', async () => {
  await userOf('sealed@example.com')
  state.who = 'sealed'
  state.people.sealed = verified('sealed@example.com')
  const one = browser()
  const answer = await one.api('POST', '/provider', { to: '/settings' })
  const [cookie = ''] = answer.headers.getSetCookie()
  assert.match(cookie, /^lastcall-flow-[\da-f]{8}=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
  const { url } = (await answer.json()) as { url: string }
  const { searchParams } = new URL(url)
  assert.deepEqual([...searchParams.keys()].sort(), [
    ...['client_id', 'code_challenge', 'code_challenge_method', 'nonce', 'redirect_uri', 'response_type', 'scope'],
    'state',
  ])
  assert.deepEqual(
    ['code_challenge_method', 'response_type', 'scope', 'redirect_uri'].map((name) => searchParams.get(name)),
    ['S256', 'code', 'openid email', `${publicUrl}/panel/oidc/callback`],
  )
  const kept = Buffer.from(cookie.split(';')[0]?.split('.')[3] ?? '', 'base64url').toString('latin1')
  for (const part of ['state', 'nonce', '/settings']) assert.ok(!kept.includes(searchParams.get(part) ?? part), part)
  const back = await one.atProvider(url)
  assert.equal((await one.ask(back.href, { method: 'HEAD' })).status, 404)
  assert.equal(await one.comeBack(back), '/settings')
})

test('afterwards people are led to a screen of ours alone', async () => {
  for (const to of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '',
    'x',
    '/a\\b',
    '/a b',
    `/${'a'.repeat(500)}`,
  ]) {
    const answer = await browser().api('POST', '/provider', { to })
    assert.equal(answer.status, 422, to)
  }
})

test('row 6: past the tries of a network nothing is written, and the answer says how long to wait', async () => {
  const site = { name: 'site 2001:db8:7', most: 120 }
  await place.arrange(async ({ access }) => {
    for (let n = 0; n < site.most; n += 1) await access.countTries([site], now() - 20)
  })
  const before = await rowsIn(place, 'tries')
  const headers = { ...json, 'x-forwarded-for': '2001:db8:7:1::1' }
  const begin = { method: 'POST', headers, body: JSON.stringify({ to: '/' }) }
  const answer = await browser().ask(`${publicUrl}/panel/api/provider`, begin)
  const { code, retryAfterSeconds: wait } = (await answer.json()) as { code: string; retryAfterSeconds: number }
  assert.deepEqual([answer.status, code], [429, 'TOO_MANY_TRIES'])
  assert.ok(wait > 0 && wait <= 40, String(wait))
  assert.deepEqual(await rowsIn(place, 'tries'), before)
})

test('somebody who refuses at the provider is told so, and so is who finds it down, before and after', async () => {
  state.isRefused = true
  const refused = await signIn('refuser', verified('owner@example.com'))
  assert.deepEqual([refused.led, refused.user], [refusedAs('PROVIDER_REFUSED'), undefined])
  state.isRefused = false
  const one = browser()
  state.who = 'late'
  const back = await one.atProvider(await one.begin())
  state.isDown = true
  assert.equal(await one.comeBack(back), refusedAs('PROVIDER_DOWN'))
  // It is asked again who it is, and then it is found.
  const down = await one.api('POST', '/provider', { to: '/' })
  assert.deepEqual([down.status, ((await down.json()) as any).code], [503, 'PROVIDER_DOWN'])
  state.isDown = false
  state.people.late = verified('late@example.com')
  assert.equal((await signIn('late', verified('late@example.com'))).led, refusedAs('NOT_INVITED'))
})

test('a provider that once refuses the secret is shown it as before the next time', async () => {
  state.refusesSecret = true
  assert.equal((await signIn('late', verified('late@example.com'))).led, refusedAs('PROVIDER_INVALID'))
  state.refusesSecret = false
  assert.equal((await signIn('late', verified('late@example.com'))).led, refusedAs('NOT_INVITED'))
})

test('what the provider says of itself is asked for again after a failure, and after an hour', async (t) => {
  state.who = 'repaired'
  const enter = asked()
  const wrong = {
    authorization_endpoint: [undefined, 'javascript:alert(1)'],
    token_endpoint: [null, 'not a url', 'javascript:alert(1)'],
    jwks_uri: [null, 'not a url'],
    'more than a megabyte': ['x'.repeat(1_000_000)],
  }
  let hours = 0
  const { now } = performance
  t.mock.method(performance, 'now', () => now.call(performance) + hours * 3_600_000)
  for (const [name, values] of Object.entries(wrong))
    for (const value of values) {
      hours += 1
      state.described = { [name]: value }
      await assert.rejects(enter(), { fault: 'PROVIDER_DOWN' }, name)
      state.described = undefined
      assert.equal((await enter()).subject, 'repaired', name)
    }
  // The keys of another: the answer is not believed.
  hours += 1
  state.described = { jwks_uri: `${provider.issuer}/.well-known/openid-configuration` }
  await assert.rejects(enter(), { fault: 'PROVIDER_INVALID' })
  state.described = undefined
  await enter()
})

test('each request to the provider is given up after five seconds, and where its answer breaks off', {
  timeout: 20_000,
}, async (t) => {
  const limits: { ms: number; end: AbortController }[] = []
  t.mock.method(AbortSignal, 'timeout', (ms: number) => {
    const end = new AbortController()
    limits.push({ ms, end })
    return end.signal
  })
  Object.assign(state, { who: 'slow', alter: ({ email: _, ...claims }: Claims) => claims })
  state.people.slow = verified('slow@example.com')
  const begin = (response: ServerResponse, then: () => void) =>
    response.writeHead(200, { ...json, 'content-length': 1_000 }).write('{', then)
  const answers = {
    OAUTH_TIMEOUT: [(_: ServerResponse, hangs: () => void) => hangs()],
    OAUTH_PARSE_ERROR: [
      (response: ServerResponse, hangs: () => void) => begin(response, () => setTimeout(hangs, 100)),
      (response: ServerResponse, hangs: () => void) =>
        begin(response, () => {
          response.destroy()
          setTimeout(hangs, 100)
        }),
    ],
  }
  for (const [code, ways] of Object.entries(answers))
    for (const answer of ways)
      for (const path of ['/.well-known/', '/token', '/jwks', '/me']) {
        const { promise: hanging, resolve } = Promise.withResolvers<void>()
        Object.assign(state, { hangsAt: path, hangs: (response: ServerResponse) => answer(response, resolve) })
        const failed = assert.rejects(asked()(), { fault: 'PROVIDER_DOWN', code })
        await hanging
        for (const { end } of limits) end.abort(new DOMException('the time is over', 'TimeoutError'))
        await failed
      }
  assert.deepEqual(new Set(limits.map(({ ms }) => ms)), new Set([5_000]))
})

test('the log has no code, token, secret or email, and no words of the provider', async () => {
  await userOf('logged@example.com')
  const one = await signIn('logged', verified('logged@example.com'))
  state.alter = (claims) => ({ ...claims, nonce: 'planted-nonce' })
  await signIn('logged', verified('logged@example.com'))
  assert.match(server.output(), /OAUTH_JWT_CLAIM_COMPARISON_FAILED.*the OpenID Connect provider failed/)
  const secrets = [
    oidcClient.secret,
    'logged@example.com',
    'planted',
    one.jar.get(cookieNamed('lastcall')) as string,
    'code=',
    'eyJ',
  ]
  for (const secret of secrets) assert.ok(!server.output().includes(secret), secret)
})

test('the log has nothing of an answer that is not JSON, even if a line of it looks like a place in the code', () => {
  assert.throws(
    () => JSON.parse('{"a":\n    at planted'),
    (error: Error) => {
      assert.match(String(error.stack), /^ {4}at planted/m)
      const { name, at } = describeError(error)
      return name === 'SyntaxError' && at.length > 0 && !at.join().includes('planted')
    },
  )
})
