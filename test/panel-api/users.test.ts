// Who gets in, and who no longer does: the panel's API without a browser, on both engines.
import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { type TestContext, test } from 'node:test'
import { hashOf } from '../../src/access/tokens.ts'
import { buildUsers, type Users } from '../../src/access/users.ts'
import type { User } from '../../src/store/access.ts'
import type { Store } from '../../src/store/store.ts'
import { tester, testerAt } from '../support/actor.ts'
import { installation } from '../support/lastcall.ts'
import { whileLocked } from '../support/locked.ts'
import { panelSession, plainServer } from '../support/panel-session.ts'
import { createUser } from '../support/users.ts'

const now = 1_800_000_000
const by = testerAt(now)
const anOwner = { role: 'owner', email: null } as const
const [password, another] = ['a long old password', 'a long new password']
const ada = 'ada@example.com'
const client = { device: 'Firefox on Windows', address: '192.0.2.0/24' }

type Given = { store: Store; users: Users; user: User; colleague: User }

/** An account with two users. */
async function withUsers(t: TestContext, work: (given: Given) => Promise<void>): Promise<void> {
  await installation(t).arrange(async (store) => {
    const users = buildUsers(store)
    const { id } = await store.configuration.createAccount('Owner', tester)
    const user = await createUser(store, id, { email: ada, password, role: 'owner' })
    const colleague = await createUser(store, id, { email: 'colleague@example.com', password, role: 'owner' })
    await work({ store, users, user, colleague })
  })
}

async function signIn(users: Users, given = password): Promise<string> {
  const signedIn = await users.signIn(ada, given, '192.0.2.1', client, now)
  assert.ok('token' in signedIn)
  return signedIn.token
}

/** Users of a store in which something happens while a password is being checked. */
function whileChecking({ access }: Store, happens: () => Promise<unknown>): Users {
  const findCredentials: typeof access.findCredentials = async (email) => {
    const found = await access.findCredentials(email)
    await happens()
    return found
  }
  return buildUsers({ access: { ...access, findCredentials } })
}

test('a list of common passwords that could not be loaded is loaded again', async () => {
  // A module of its own: the process may have loaded the list for another test.
  const own = new URL('../../src/access/common-passwords.ts?own', import.meta.url).href
  const { assertUncommon } = (await import(own)) as typeof import('../../src/access/common-passwords.ts')
  const broken = registerHooks({
    resolve(specifier, context, next) {
      if (specifier.endsWith('/language-common')) throw new Error('too many open files')
      return next(specifier, context)
    },
  })
  await assert.rejects(assertUncommon(password, ada), { message: 'too many open files' })
  broken.deregister()
  await assertUncommon(password, ada)
})

test('a password that a keyboard composes differently is the same password', async (t) => {
  await withUsers(t, async ({ users }) => {
    await users.reset(ada, 'a caf\u00e9 by the river', by)
    await signIn(users, 'a cafe\u0301 by the river')
    await assert.rejects(signIn(users, 'a cafe by the river'), { code: 'WRONG_PASSWORD' })
  })
})

test('while its account is suspended, an invitation does not work', async (t) => {
  await withUsers(t, async ({ store, users, user }) => {
    const link = await users.invite(user, anOwner, by)
    const joining = { email: 'joins@example.com', password, accountName: '' }
    const suspend = (suspended: boolean) => store.configuration.updateAccount(user.accountId, { suspended }, tester)
    await suspend(true)
    assert.equal(await users.invitation(link, now), undefined)
    assert.equal(await users.accept(link, joining, '192.0.2.1', client, by), undefined)
    await suspend(false)
    assert.ok(await users.accept(link, joining, '192.0.2.1', client, by))
  })
})

test('an invitation ends when its maker is removed, changes the password, or gets a new one', async (t) => {
  await withUsers(t, async ({ users, user, colleague }) => {
    const live = async (token: string) => (await users.invitation(token, now)) !== undefined
    const theirs = await users.invite(colleague, anOwner, by)
    const first = await users.invite(user, anOwner, by)
    assert.deepEqual(await users.invitation(first, now), {
      ...{ accountId: user.accountId, role: 'owner', endsAt: now + 604_800 },
    })
    await users.reset(ada, another, by)
    assert.deepEqual([await live(first), await live(theirs)], [false, true])

    const second = await users.invite(user, anOwner, by)
    const token = await signIn(users, another)
    const session = await users.session(token, now)
    assert.ok(session)
    await users.changePassword(session, token, another, password, by)
    assert.deepEqual([await live(second), await live(theirs)], [false, true])
    assert.ok(await users.session(token, now))

    assert.equal(await users.remove(user.accountId, colleague.id, by), true)
    assert.equal(await live(theirs), false)
    const joining = { email: 'late@example.com', password, accountName: '' }
    assert.equal(await users.accept(theirs, joining, '127.0.0.1', client, by), undefined)
  })
})

test('somebody who has joined cannot use another invitation to their email, even after they are removed', async (t) => {
  await withUsers(t, async ({ store, users, user }) => {
    const email = 'joins@example.com'
    const invited = () => users.invite(user, { role: 'owner', email: 'Joins@example.com' }, by)
    const [first, second] = [await invited(), await invited()]
    const elsewhere = await store.configuration.createAccount('Elsewhere', tester)
    const other = await createUser(store, elsewhere.id, { email: 'other@example.com', password, role: 'owner' })
    const theirs = await users.invite(other, { role: 'viewer', email }, by)
    assert.ok(await users.accept(first, { email, password, accountName: '' }, '127.0.0.1', client, by))
    const joined = await users.find(email)
    assert.equal(await users.invitation(second, now), undefined)
    // By an owner who had looked before they joined.
    const third = await invited()
    assert.equal(await users.remove(user.accountId, joined?.id ?? 0, by), true)
    assert.equal(await users.invitation(third, now), undefined)
    // That of another account is that account's.
    const left = await store.identities.findInvitationTo(email, now)
    assert.ok(left && Buffer.from(hashOf(theirs)).equals(left))
  })
})

test('a session ends after 14 days without use and after 90 at the latest, a link after 7; no clock revives them', async (t) => {
  await withUsers(t, async ({ store, users, user }) => {
    const day = 86_400
    const [idle, seen, used] = [await signIn(users), await signIn(users), await signIn(users)]
    const isLive = async (token: string, at: number) => (await users.session(token, at)) !== undefined
    assert.equal(await isLive(seen, now + 14 * day - 1), true)
    for (let at = now + 13 * day; at < now + 90 * day; at += 13 * day) assert.equal(await isLive(used, at), true)
    const listed = async (at: number) => (await users.sessions(user.id, used, at)).map(({ isThis }) => isThis)
    assert.deepEqual([await listed(now + 14 * day), await listed(now + 90 * day - 1)], [[true, false], [true]])
    assert.deepEqual(await listed(now + 90 * day), [])
    assert.deepEqual([await isLive(idle, now + 14 * day), await isLive(used, now + 90 * day)], [false, false])
    assert.deepEqual([await isLive(idle, now), await isLive(used, now)], [false, false])

    const [link, setUp] = [
      await users.invite(user, { ...anOwner, email: 'late@example.com' }, by),
      await users.invite(null, anOwner, by),
    ]
    const endsAt = now + 7 * day
    const opens = async (token: string, at: number) => (await users.invitation(token, at)) !== undefined
    // The second one is for an installation without users.
    assert.deepEqual(
      [await opens(link, endsAt - 1), await opens(link, endsAt), await opens(setUp, now)],
      [true, false, false],
    )
    assert.deepEqual(await users.openInvitations(user.accountId, endsAt), [])
    const findsByEmail = async (at: number) =>
      (await store.identities.findInvitationTo('late@example.com', at)) !== undefined
    assert.deepEqual([await findsByEmail(endsAt - 1), await findsByEmail(endsAt)], [true, false])
    const newer = await users.invite(user, { ...anOwner, email: 'late@example.com' }, testerAt(now + 1))
    const newest = await store.identities.findInvitationTo('late@example.com', now + 2)
    assert.ok(newest && Buffer.from(hashOf(newer)).equals(newest))
    const joining = { email: 'late@example.com', password, accountName: '' }
    assert.equal(await users.accept(link, joining, '127.0.0.1', client, testerAt(endsAt)), undefined)
    await users.removeEnded(now + 29 * day)
    assert.deepEqual([await listed(now), await opens(link, now)], [[], false])
  })
})

test('a session holds while its last use cannot be written, and its user waits two seconds at most', async () => {
  const { place, server } = await plainServer()
  const { id } = await place.arrange((store) => store.configuration.createAccount('Owner', tester))
  const ask = await panelSession(place, server, id)
  await place.arrange(async ({ access }) => {
    const user = (await access.listUsers(id))[0] as User
    const [session] = await access.listSessions(user.id, { unseenSince: 0, madeBefore: 0 })
    assert.ok(session)
    await access.touchSession(Buffer.from(session.id, 'hex'), session.seenAt - 7_200)
  })
  const act = async () => {
    const askedAt = performance.now()
    assert.equal((await ask('GET', '/campaigns')).status, 200)
    const tookMs = performance.now() - askedAt
    assert.ok(tookMs < 2_500, `${tookMs} ms`)
  }
  await whileLocked(place, act, 'sessions')
})

test('no session begins with a password that was changed while it was being checked', async (t) => {
  await withUsers(t, async ({ store, users, user }) => {
    const slow = whileChecking(store, () => users.reset(ada, another, by))
    await assert.rejects(slow.signIn(ada, password, '192.0.2.1', client, now), { code: 'WRONG_PASSWORD' })
    const session = await users.session(await signIn(users, another), now)
    assert.equal(session?.user.id, user.id)
  })
})

test('somebody who knew the old password cannot replace a new one that was set meanwhile', async (t) => {
  await withUsers(t, async ({ store, users }) => {
    const token = await signIn(users)
    const session = await users.session(token, now)
    assert.ok(session)
    const slow = whileChecking(store, () => users.reset(ada, another, by))
    const change = slow.changePassword(session, token, password, 'theirs for ever', by)
    await assert.rejects(change, { code: 'WRONG_PASSWORD' })
    assert.equal(await users.session(token, now), undefined)
    await signIn(users, another)
  })
})

test('a user who signs in while the password changes has no session afterwards', async (t) => {
  await withUsers(t, async ({ store, user }) => {
    const credentials = await store.access.findCredentials(ada)
    assert.ok(credentials)
    const tokenHashes = Array.from({ length: 40 }, (_, index) => new Uint8Array(32).fill(index + 1))
    const begin = (tokenHash: Uint8Array) => store.access.createSession(tokenHash, credentials, client, now)
    const early = tokenHashes.slice(0, 20).map(begin)
    const changed = store.access.setPassword(user.id, 'another hash', by)
    await Promise.all([...early, changed, ...tokenHashes.slice(20).map(begin)])
    assert.equal(await begin(new Uint8Array(32)), false)
    for (const tokenHash of tokenHashes) {
      assert.equal(await store.access.findSession(tokenHash), undefined)
    }
  })
})

test('guesses at signing in keep nobody from changing the password, and guesses there are limited too', async (t) => {
  await withUsers(t, async ({ users }) => {
    const token = await signIn(users)
    const session = await users.session(token, now)
    assert.ok(session)
    const wrong = { code: 'WRONG_PASSWORD' }
    const tooMany = { code: 'TOO_MANY_TRIES', retryAfterSeconds: 60 }
    const guess = (given: string, at = now) => users.signIn(ada, given, '192.0.2.2', client, at)
    await assert.rejects(guess('a wrong password'), wrong)
    await guess(password)
    for (let tries = 0; tries < 5; tries += 1) await assert.rejects(guess('a wrong password'), wrong)
    await assert.rejects(guess(password), tooMany)
    // A clock that is set back, and the command line, let the user in.
    await guess(password, now - 3_600)
    for (let tries = 0; tries < 5; tries += 1) await assert.rejects(guess('a wrong password'), wrong)
    await users.changePassword(session, token, password, another, by)
    for (let tries = 0; tries < 5; tries += 1)
      await assert.rejects(users.changePassword(session, token, password, another, by), wrong)
    await assert.rejects(users.changePassword(session, token, another, password, by), tooMany)
    await assert.rejects(guess(another), tooMany)
    await users.reset(ada, password, by)
    await guess(password)
  })
})
