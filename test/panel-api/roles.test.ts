// What owners, members and viewers may do with users and invitations, on both engines.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKey, replaceKey } from '../../src/access/keys.ts'
import { buildUsers } from '../../src/access/users.ts'
import type { Role } from '../../src/core/role.ts'
import { testerAt } from '../support/actor.ts'
import { emailOf, type PanelAnswer, panelSession, plainServer } from '../support/panel-session.ts'
import { assertRefused } from '../support/prepared.ts'
import { rowsIn } from '../support/rows.ts'
import { message, wire } from '../support/wire.ts'

const { place, server } = await plainServer()
const by = testerAt(Math.floor(Date.now() / 1_000))

async function newAccount() {
  const { id } = await place.arrange((store) => store.configuration.createAccount('Owner', by))
  return { id, owner: await panelSession(place, server, id) }
}

const codeOf = ({ status, body }: PanelAnswer) => [status, body.code]

async function idOf(accountId: number, role: Role): Promise<number> {
  const users = await place.arrange((store) => store.access.listUsers(accountId))
  return users.find(({ email }) => email === emailOf(accountId, role))?.id as number
}

async function auditOf(accountId: number) {
  const rows = await rowsIn(place, 'audit_entries')
  const own = rows.map((row) => JSON.parse(row)).filter((row) => String(row.account_id) === String(accountId))
  return own.sort((a, b) => a.id - b.id)
}

test('the last owner stays: neither removed nor made something else, by panel and command line', async () => {
  const { id, owner } = await newAccount()
  const path = `/users/${await idOf(id, 'owner')}`
  await panelSession(place, server, id, 'member')
  assert.deepEqual(codeOf(await owner('DELETE', path)), [409, 'LAST_OWNER'])
  assert.deepEqual(codeOf(await owner('PATCH', path, { role: 'member' })), [409, 'LAST_OWNER'])
  const member = `/users/${await idOf(id, 'member')}`
  assert.equal((await owner('PATCH', member, { role: 'owner' })).body.user.role, 'owner')
  assert.equal((await owner('PATCH', path, { role: 'member' })).status, 200)
  // The colleague is the last one now, in a suspended account too.
  await place.json(['account', 'set', String(id), '--suspended', 'true'])
  const set = ['user', 'set', '--email', emailOf(id, 'member'), '--role', 'viewer']
  const { code, stderr } = await place.runShared(set)
  assert.equal(code, 2)
  assert.match(stderr, /the last owner of an account must stay one/)
  const roles = await place.arrange((store) => store.access.listUsers(id))
  assert.deepEqual(roles.map(({ role }) => role).toSorted(), ['member', 'owner'])
})

/** Another session of the user. */
async function cookieOf(accountId: number, role: Role): Promise<string> {
  const body = JSON.stringify({ email: emailOf(accountId, role), password: 'long enough for a test' })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${server.origin}/panel/api/session`, { method: 'POST', headers, body })
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] as string
}

/** Sends all of the request but the last byte; what comes once that follows, too. */
async function sendSlowly(cookie: string, method: string, path: string, body: object) {
  const line = await wire(server.port)
  const head = [`Cookie: ${cookie}`, 'Content-Type: application/json']
  const text = message(method, `/panel/api${path}`, head, JSON.stringify(body))
  await line.send(text.slice(0, -1), 300)
  return async () => {
    await line.send(text.slice(-1))
    const [answer] = await line.answers(1)
    line.destroy()
    return answer?.status
  }
}

test('a request whose body is still arriving when its session ends, or its user gets another role, is refused', async () => {
  const { id, owner } = await newAccount()
  await panelSession(place, server, id, 'member')
  const path = `/users/${await idOf(id, 'member')}`
  await owner('PATCH', path, { role: 'owner' })
  const cookie = await cookieOf(id, 'member')
  const stolen = await sendSlowly(await cookieOf(id, 'owner'), 'POST', '/keys', { name: 'of a thief' })
  const back = await sendSlowly(cookie, 'PATCH', path, { role: 'owner' })
  assert.equal((await owner('DELETE', '/sessions?but=this')).status, 200)
  assert.equal((await owner('PATCH', path, { role: 'member' })).status, 200)
  assert.deepEqual([await stolen(), await back()], [401, 403])
  assert.deepEqual((await owner('GET', '/keys')).body.keys, [])
})

test('of two owners who make each other viewers or remove each other at once, one stays an owner', async () => {
  await place.arrange(async (store) => {
    const users = buildUsers(store)
    for (let round = 0; round < 10; round += 1) {
      const { id } = await store.configuration.createAccount('Two', by)
      const made = ['a', 'b'].map((name) => {
        const user = { email: `${name}${id}@example.com`, passwordHash: '-', role: 'owner' as const }
        return store.access.createUser(id, user, by)
      })
      const [one, other] = (await Promise.all(made)).map((user) => user.id) as [number, number]
      const done = await Promise.allSettled([
        users.setRole(id, one, 'viewer', by),
        round % 2 === 0 ? users.setRole(id, other, 'viewer', by) : users.remove(id, other, by),
      ])
      assert.deepEqual(done.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
      const owners = (await users.list(id)).filter(({ role }) => role === 'owner')
      assert.equal(owners.length, 1)
    }
  })
})

test('only owners see the whole URL of an endpoint: others see its host, since the rest may be a secret', async () => {
  const { id, owner } = await newAccount()
  const settings = { name: 'Shop', kinds: ['lead.registered'], url: 'https://hooks.example.com:8443/T0/abc?token=def' }
  await owner('POST', '/webhooks', settings)
  assert.equal((await owner('GET', '/webhooks')).body.endpoints[0].url, settings.url)
  for (const role of ['member', 'viewer'] as const) {
    const { body } = await (await panelSession(place, server, id, role))('GET', '/webhooks')
    assert.equal(body.endpoints[0].url, 'https://hooks.example.com:8443/…')
    assert.doesNotMatch(JSON.stringify(body), /abc|def/)
  }
})

test('another role, or none, holds from the next request on', async () => {
  const { id, owner } = await newAccount()
  const member = await panelSession(place, server, id, 'member')
  const viewer = await panelSession(place, server, id, 'viewer')
  const campaign = { settings: { name: 'Course', timeZone: 'Europe/Warsaw', mechanism: {} } }
  assert.equal((await member('POST', '/campaigns', campaign)).status, 422)
  await owner('PATCH', `/users/${await idOf(id, 'member')}`, { role: 'viewer' })
  assert.deepEqual(codeOf(await member('POST', '/campaigns', campaign)), [403, 'NOT_ALLOWED'])
  assert.equal((await member('GET', '/session')).body.user.role, 'viewer')
  assert.equal((await member('GET', '/campaigns')).status, 200)
  await owner('DELETE', `/users/${await idOf(id, 'viewer')}`)
  assert.deepEqual(codeOf(await viewer('GET', '/campaigns')), [401, 'SIGNED_OUT'])
})

test('an invitation carries its role; it is listed while it is open, and without its token', async () => {
  const { id, owner } = await newAccount()
  const invited = await owner('POST', '/invitations', { role: 'viewer', email: 'new@example.com' })
  const [address = '', token = ''] = invited.body.url.split('#')
  assert.match(address, /\/join$/)
  const { body } = await owner('GET', '/invitations')
  const [open] = body.invitations
  assert.deepEqual([open.role, open.email, open.invitedBy], ['viewer', 'new@example.com', emailOf(id, 'owner')])
  assert.equal(open.endsAt - open.createdAt, 604_800)
  assert.ok(!JSON.stringify(body).includes(token))
  const email = `joined-${id}@example.com`
  // Who joins has another browser: joining ends the session that it had.
  const { owner: other } = await newAccount()
  const joined = await other('POST', '/users', { token, email, password: 'a long password' })
  assert.equal(joined.status, 200)
  const users = await place.arrange((store) => store.access.listUsers(id))
  assert.equal(users.find((user) => user.email === email)?.role, 'viewer')
  assert.deepEqual((await owner('GET', '/invitations')).body.invitations, [])
  const created = (await auditOf(id)).filter(({ action }) => action === 'user.created').at(-1)
  assert.equal(created?.actor_name, email)
})

test('a user of the account cannot be invited again; a user of another account is as unknown as anybody', async () => {
  const { id, owner } = await newAccount()
  const { id: strangers } = await newAccount()
  const invite = (email: string) => owner('POST', '/invitations', { role: 'viewer', email })
  assert.deepEqual(codeOf(await invite(emailOf(id, 'owner').toUpperCase())), [409, 'EMAIL_TAKEN'])
  assert.deepEqual((await owner('GET', '/invitations')).body.invitations, [])
  assert.equal((await invite(emailOf(strangers, 'owner'))).status, 200)
})

test('a withdrawn invitation lets nobody in, and those of an owner end when they are none any more', async () => {
  const { id, owner } = await newAccount()
  const { id: strangers, owner: stranger } = await newAccount()
  const colleague = await panelSession(place, server, id, 'member')
  const tokenOf = async (ask: typeof owner) =>
    (await ask('POST', '/invitations', { role: 'owner' })).body.url.split('#')[1] as string
  const opens = async (token: string) => (await owner('POST', '/invitation', { token })).status === 200
  const token = await tokenOf(owner)
  const [open] = (await owner('GET', '/invitations')).body.invitations
  assert.deepEqual(codeOf(await stranger('DELETE', `/invitations/${open.id}`)), [404, 'NOT_FOUND'])
  assert.equal(await opens(token), true)
  assert.equal((await owner('DELETE', `/invitations/${open.id}`)).status, 200)
  assert.equal(await opens(token), false)
  assert.deepEqual(codeOf(await owner('DELETE', `/invitations/${open.id}`)), [404, 'NOT_FOUND'])

  await owner('PATCH', `/users/${await idOf(id, 'member')}`, { role: 'owner' })
  const theirs = await tokenOf(colleague)
  const asOwner = await idOf(id, 'member')
  await owner('PATCH', `/users/${asOwner}`, { role: 'member' })
  assert.equal(await opens(theirs), false)
  // They were an owner when the request came in.
  const late = { tokenHash: new Uint8Array(32), role: 'owner' as const, email: null, endsAt: by.at + 60 }
  await assert.rejects(
    place.arrange((store) => store.access.createInvitation({ id: asOwner, accountId: id }, late, by)),
    { name: 'Refused' },
  )
  assert.notEqual(strangers, id)
})

test('an account has at most 100 open invitations, however many its owners make at once', async () => {
  const { id, owner } = await newAccount()
  const colleague = await panelSession(place, server, id, 'member')
  await owner('PATCH', `/users/${await idOf(id, 'member')}`, { role: 'owner' })
  const ownerId = await idOf(id, 'owner')
  await place.arrange(async (store) => {
    for (let number = 0; number < 96; number += 1) {
      const tokenHash = new Uint8Array(32).fill(number, 0, 16).fill(id, 16)
      const invited = { tokenHash, role: 'viewer' as const, email: null, endsAt: by.at + 3_600 }
      await store.access.createInvitation({ id: ownerId, accountId: id }, invited, by)
    }
  })
  const invite = (_: unknown, n: number) =>
    (n % 2 === 0 ? owner : colleague)('POST', '/invitations', { role: 'viewer' })
  const answers = await Promise.all(Array.from({ length: 12 }, invite))
  const refused = answers.filter(({ status }) => status !== 200).map(codeOf)
  assert.deepEqual(refused, Array(8).fill([409, 'TOO_MANY_INVITATIONS']))
})

test('an account has at most 100 keys that work, however many are made or replaced at once', async () => {
  const { id, owner } = await newAccount()
  const keys = await place.arrange(async (store) => {
    const names = Array.from({ length: 96 }, (_, n) => `key ${n}`)
    return Promise.all(names.map((name) => createKey(store, id, name, by)))
  })
  const make = (_: unknown, n: number) => owner('POST', '/keys', { name: `made ${n}` })
  const replace = ({ id }: { id: string }) =>
    owner('POST', `/keys/${id}/replacement`, { name: 'replaced', graceSeconds: 3_600 })
  const answers = await Promise.all([...Array.from({ length: 6 }, make), ...keys.slice(0, 6).map(replace)])
  const refused = answers.filter(({ status }) => status !== 200).map(codeOf)
  assert.deepEqual(refused, Array(8).fill([409, 'TOO_MANY_KEYS']))
  const create = ['key', 'create', '--account', String(id), '--name', 'shop']
  assertRefused(await place.runShared(create), '--account: an account has at most 100 keys that work', [2])
  await owner('DELETE', `/keys/${keys.at(-1)?.id}`)
  await place.json(create)
})

test('of the keys that no longer work the newest hundred are listed, and named in the history', async () => {
  const { id, owner } = await newAccount()
  const made = await place.arrange(async (store) => {
    const { configuration } = store
    const keys = []
    for (let n = 0; n < 102; n += 1) {
      const key = await createKey(store, id, `key ${n}`, by)
      await configuration.revokeKey(key.id, testerAt(by.at + n))
      keys.push(key.id)
    }
    const replaced = await createKey(store, id, 'replaced', testerAt(by.at - 7_200))
    const found = await configuration.findKey(replaced.id)
    assert.ok(found)
    // Its time of grace is over: it is the oldest of those that no longer work.
    const next = await replaceKey(store, found, 'next', 3_600, testerAt(by.at - 7_200))
    assert.ok(next)
    return { working: [next.id], ended: keys.reverse().slice(0, 100) }
  })
  const idsOf = (keys: { id: string }[]) => keys.map((key) => key.id)
  const { keys, revoked } = (await owner('GET', '/keys')).body
  assert.deepEqual({ working: idsOf(keys), ended: idsOf(revoked) }, made)
  const choices = await owner('GET', '/history/choices')
  assert.deepEqual(idsOf(choices.body.keys), [...made.working, ...made.ended])
})

test('changes of users and invitations are in the audit log, without a secret', async () => {
  const { id, owner } = await newAccount()
  await panelSession(place, server, id, 'member')
  const member = await idOf(id, 'member')
  const changed = await owner('PATCH', `/users/${member}`, { role: 'viewer' })
  assert.deepEqual((await owner('PATCH', `/users/${member}`, { role: 'viewer' })).body, changed.body)
  const { url } = (await owner('POST', '/invitations', { role: 'member', email: 'new@example.com' })).body
  const [open] = (await owner('GET', '/invitations')).body.invitations
  await owner('DELETE', `/invitations/${open.id}`)
  await owner('POST', '/password', { current: 'long enough for a test', next: 'another long one of mine' })
  await place.json(['user', 'reset', '--email', emailOf(id, 'member')], 'a third long one\n')
  await owner('DELETE', `/users/${member}`)
  const entries = await auditOf(id)
  const said = entries
    .filter(({ actor_name }) => actor_name !== by.name)
    .map(({ action, actor, before, after }) => [action, actor, before, after].map(String).join(' '))
  assert.deepEqual(said.toSorted(), [
    'invitation.created user null {"role":"member"}',
    'invitation.withdrawn user {"role":"member"} null',
    'user.password_changed command null null',
    'user.password_changed user null null',
    'user.removed user {"role":"viewer"} null',
    'user.role_changed user {"role":"member"} {"role":"viewer"}',
  ])
  const all = JSON.stringify(entries)
  for (const secret of [url.split('#')[1], 'long enough', 'another long', 'third long'])
    assert.ok(!all.includes(secret))
  assert.match(all, /127\.0\.0\.0\/24/)
})
