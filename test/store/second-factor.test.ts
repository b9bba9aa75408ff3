// The second factor on both engines: each code is taken once, and ten wrong ones are, over all processes.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { AccessRefused } from '../../src/access/refused.ts'
import { buildUsers, type Users } from '../../src/access/users.ts'
import type { User } from '../../src/store/access.ts'
import type { Actor } from '../../src/store/audit.ts'
import { type DatabaseLocation, openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { testerAt } from '../support/actor.ts'
import { emptyDatabases } from '../support/empty-databases.ts'
import { ask } from '../support/postgres-databases.ts'
import { codeAt, withFactor, wrongCodeAt } from '../support/second-factor.ts'
import { createUser } from '../support/users.ts'

const options = { lockWaitMs: 5_000, timeoutMs: 5_000, poolSize: 2, isServer: false }
const now = 1_800_000_000
const [email, password] = ['ada@example.com', 'a long old password']
const client = { device: 'Firefox on Windows', address: '192.0.2.0/24' }
const by: Actor = { kind: 'user', name: email, address: '192.0.2.0/24', at: now }

type Place = (t: TestContext) => Promise<DatabaseLocation>
type Nodes = { location: DatabaseLocation; stores: [Store, Store]; nodes: [Users, Users]; user: User }

/** Two processes on one database, and a user. */
async function twoNodes(t: TestContext, place: Place): Promise<Nodes> {
  const location = await place(t)
  const stores: Nodes['stores'] = [await openStore(location, options), await openStore(location, options)]
  t.after(() => Promise.all(stores.map((store) => store.close())))
  const nodes: Nodes['nodes'] = [buildUsers(stores[0]), buildUsers(stores[1])]
  const { id } = await stores[0].configuration.createAccount('Owner', testerAt(now))
  const user = await createUser(stores[0], id, { email, password, role: 'owner' })
  return { location, stores, nodes, user }
}

const refusal = (code: string) => (error: AccessRefused) => error.code === code

/** What each of many did: done, or the code of its error. */
async function outcomes(all: Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const one of await Promise.allSettled(all)) {
    const name = one.status === 'fulfilled' ? 'done' : (one.reason.code ?? String(one.reason))
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

/** Everything that is stored, as text; bytes in hexadecimal digits. */
async function storedAll(location: DatabaseLocation): Promise<string> {
  const tables = ['users', 'recovery_codes', 'audit_entries', 'tries']
  if (location.engine === 'sqlite') {
    const [file, log] = [location.path, `${location.path}-wal`].map((path) => readFileSync(path, 'latin1'))
    return `${file}${log}`
  }
  const rows = await Promise.all(tables.map((table) => ask(location.url, `SELECT * FROM ${table}`)))
  const text = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value)
  return JSON.stringify(rows.flat().map((row) => Object.values(row).map((value) => text(value))))
}

/** What the audit log says was done, oldest first. */
async function entriesOf(location: DatabaseLocation): Promise<string[]> {
  const select = 'SELECT action FROM audit_entries ORDER BY id'
  if (location.engine === 'postgres') return (await ask(location.url, select)).map(({ action }) => action)
  const database = new DatabaseSync(location.path, { readOnly: true })
  try {
    return database
      .prepare(select)
      .all()
      .map(({ action }) => String(action))
  } finally {
    database.close()
  }
}

for (const [engine, place] of Object.entries(emptyDatabases)) {
  test(`a code works once, with nine at once on two nodes, and none of an earlier step after it: ${engine}`, async (t) => {
    const { stores, nodes, user } = await twoNodes(t, place)
    const { secret } = await withFactor(nodes[0], user, now)
    const take = (at: number, node = 0) => nodes[node % 2 ? 1 : 0].takeCode(user.id, codeAt(secret, at), now)
    // The code that switched it on.
    await assert.rejects(take(now - 60), refusal('WRONG_CODE'))
    await assert.rejects(take(now + 60), refusal('WRONG_CODE'))
    await take(now - 30)
    await assert.rejects(take(now - 30, 1), refusal('WRONG_CODE'))
    const many = await outcomes(Array.from({ length: 9 }, (_, n) => take(now + 30, n)))
    assert.deepEqual(many, { done: 1, WRONG_CODE: 8 })
    const restarted = buildUsers(stores[0])
    await assert.rejects(restarted.takeCode(user.id, codeAt(secret, now), now), refusal('WRONG_CODE'))
  })

  test(`a recovery code works once, with 50 at once on two nodes: ${engine}`, async (t) => {
    const { nodes, user } = await twoNodes(t, place)
    const { recoveryCodes } = await withFactor(nodes[0], user, now)
    const [first = '', second = ''] = recoveryCodes
    assert.match(first, /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/)
    assert.equal(new Set(recoveryCodes).size, 10)
    // In capitals and without hyphens it is the same.
    await nodes[0].takeCode(user.id, second.toUpperCase().replaceAll('-', ' '), now)
    const many = await outcomes(
      Array.from({ length: 50 }, (_, n) => nodes[n % 2 ? 1 : 0].takeCode(user.id, first, now)),
    )
    assert.equal(many.done, 1, JSON.stringify(many))
    assert.deepEqual(await nodes[1].factorState(user.id), { isOn: true, recoveryCodesLeft: 8 })
  })

  test(`ten wrong codes lock for a quarter of an hour, over all nodes: ${engine}`, async (t) => {
    const { stores, nodes, user } = await twoNodes(t, place)
    const { secret, recoveryCodes } = await withFactor(nodes[0], user, now)
    const restarted = buildUsers(stores[1])
    const wrong = (node: Users, length: number) =>
      outcomes(Array.from({ length }, () => node.takeCode(user.id, wrongCodeAt(secret, now), now)))
    for (const [node, count] of [[nodes[0], 4] as const, [nodes[1], 4] as const, [restarted, 2] as const])
      assert.deepEqual(await wrong(node, count), { WRONG_CODE: count })
    // From here on nothing tells a right code from a wrong one.
    for (const node of [...nodes, restarted])
      for (const code of [codeAt(secret, now), wrongCodeAt(secret, now), recoveryCodes[0] ?? ''])
        await assert.rejects(node.takeCode(user.id, code, now), (error: AccessRefused) => {
          assert.deepEqual([error.code, error.retryAfterSeconds], ['TOO_MANY_TRIES', 900])
          return true
        })
    assert.equal((await nodes[0].factorState(user.id)).recoveryCodesLeft, 10)
    const later = now + 900
    await nodes[0].takeCode(user.id, codeAt(secret, later), later)
  })

  test(`a lock goes with the factor that the operator resets, on every node: ${engine}`, async (t) => {
    const { nodes, user } = await twoNodes(t, place)
    const { secret } = await withFactor(nodes[0], user, now)
    const wrong = () => nodes[0].takeCode(user.id, wrongCodeAt(secret, now), now)
    await outcomes(Array.from({ length: 10 }, wrong))
    await assert.rejects(wrong(), refusal('TOO_MANY_TRIES'))
    await nodes[1].resetFactor(user, by)
    const next = await withFactor(nodes[1], user, now)
    await nodes[0].takeCode(user.id, codeAt(next.secret, now), now)
  })

  test(`of many wrong codes at once only ten are checked: ${engine}`, async (t) => {
    const { nodes, user } = await twoNodes(t, place)
    const { secret } = await withFactor(nodes[0], user, now)
    const wrong = (length: number) =>
      Array.from({ length }, (_, n) => nodes[n % 2 ? 1 : 0].takeCode(user.id, wrongCodeAt(secret, now), now))
    // A right one ends the count.
    assert.deepEqual(await outcomes(wrong(9)), { WRONG_CODE: 9 })
    await nodes[0].takeCode(user.id, codeAt(secret, now + 30), now)
    assert.deepEqual(await outcomes(wrong(40)), { WRONG_CODE: 10, TOO_MANY_TRIES: 30 })
  })

  test(`only with a code can it be switched off, or its recovery codes be replaced: ${engine}`, async (t) => {
    const { location, stores, nodes, user } = await twoNodes(t, place)
    const [users] = nodes
    const { secret, recoveryCodes } = await withFactor(users, user, now)
    const [first = '', second = ''] = recoveryCodes
    const wrong = wrongCodeAt(secret, now)
    await assert.rejects(users.switchFactorOff(user, wrong, by), refusal('WRONG_CODE'))
    await assert.rejects(users.makeRecoveryCodes(user, wrong, by), refusal('WRONG_CODE'))
    // Nor by switching another one on in its place.
    const offered = await users.offerFactor(user, now)
    const given = { offer: offered.token, code: codeAt(offered.secret, now), token: '' }
    await assert.rejects(users.switchFactorOn(user, given, by), refusal('CHANGED_MEANWHILE'))
    const fresh = await users.makeRecoveryCodes(user, codeAt(secret, now), by)
    await assert.rejects(users.switchFactorOff(user, first, by), refusal('WRONG_CODE'))
    await assert.rejects(users.switchFactorOff(user, second, by), refusal('WRONG_CODE'))
    await users.switchFactorOff(user, fresh[0] ?? '', by)
    assert.deepEqual(await users.factorState(user.id), { isOn: false, recoveryCodesLeft: 0 })
    await assert.rejects(users.takeCode(user.id, fresh[1] ?? '', now), refusal('CHANGED_MEANWHILE'))
    await users.switchFactorOn(user, given, by)
    assert.equal((await users.factorState(user.id)).recoveryCodesLeft, 10, 'those of before have gone')
    assert.equal(await stores[0].access.resetFactor(user, by), true)
    const entries = await entriesOf(location)
    assert.deepEqual(
      entries.filter((action) => /factor|codes/.test(action)),
      ['user.factor_on', 'user.recovery_codes_made', 'user.factor_off', 'user.factor_on', 'user.factor_reset'],
    )
  })

  test(`no session begins without a code where the factor is switched on meanwhile: ${engine}`, async (t) => {
    const { stores, nodes, user } = await twoNodes(t, place)
    const { access } = stores[0]
    const findCredentials: typeof access.findCredentials = async (key) => {
      const found = await access.findCredentials(key)
      await withFactor(nodes[1], user, now)
      return found
    }
    const slow = buildUsers({ access: { ...access, findCredentials } })
    await assert.rejects(slow.signIn(email, password, '192.0.2.1', client, now), refusal('WRONG_PASSWORD'))
    assert.deepEqual(await nodes[0].sessions(user.id, '', now), [])
  })

  test(`between password and code lie five minutes, and the same password: ${engine}`, async (t) => {
    const { nodes, user } = await twoNodes(t, place)
    const [users, other] = nodes
    const { secret, recoveryCodes } = await withFactor(users, user, now)
    const signIn = async (given: string) => {
      const shown = await users.signIn(email, given, '192.0.2.1', client, now)
      assert.ok('codeToken' in shown)
      return shown.codeToken
    }
    const token = await signIn(password)
    const late = other.signInWithCode(token, codeAt(secret, now + 300), client, now + 300)
    await assert.rejects(late, refusal('TOOK_TOO_LONG'))
    const altered = `${token.slice(0, -30)}${token.at(-30) === 'A' ? 'B' : 'A'}${token.slice(-29)}`
    for (const wrong of ['', 'x', altered, (await users.offerFactor(user, now)).token])
      await assert.rejects(other.signInWithCode(wrong, codeAt(secret, now), client, now), refusal('TOOK_TOO_LONG'))
    const { token: session } = await other.signInWithCode(token, codeAt(secret, now), client, now)
    assert.equal((await users.session(session, now))?.user.id, user.id)
    await users.reset(email, 'another long password', testerAt(now))
    const stale = users.signInWithCode(token, recoveryCodes[0] ?? '', client, now)
    await assert.rejects(stale, refusal('TOOK_TOO_LONG'))
    // The new password leaves the factor on, and its codes as they were.
    const again = await users.signInWithCode(await signIn('another long password'), recoveryCodes[0] ?? '', client, now)
    assert.ok(await users.session(again.token, now))
  })

  test(`switching it on ends the other sessions, and what is stored shows no secret: ${engine}`, async (t) => {
    const { location, nodes, user } = await twoNodes(t, place)
    const [users] = nodes
    const begin = async () => {
      const begun = await users.signIn(email, password, '192.0.2.1', client, now)
      assert.ok('token' in begun)
      return begun.token
    }
    const [mine, elsewhere] = [await begin(), await begin()]
    const { secret, token: offer } = await users.offerFactor(user, now)
    const recoveryCodes = await users.switchFactorOn(user, { offer, code: codeAt(secret, now), token: mine }, by)
    assert.ok(await users.session(mine, now))
    assert.equal(await users.session(elsewhere, now), undefined)
    const stored = await storedAll(location)
    for (const planted of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))])
      assert.ok(!stored.includes(planted) && !stored.includes(Buffer.from(planted).toString('hex')))
  })
}

test('an offered secret is confirmed by the user that it was offered to, within half an hour', async (t) => {
  const { nodes, user } = await twoNodes(t, emptyDatabases.sqlite as Place)
  const [users, other] = nodes
  const bela = { email: 'bela@example.com', password, role: 'owner' } as const
  const colleague = await users.create(user.accountId, bela, testerAt(now))
  const { secret, token: offer } = await users.offerFactor(user, now)
  const confirm = (as: User, at: number) =>
    other.switchFactorOn(as, { offer, code: codeAt(secret, at), token: '' }, { ...by, at })
  await assert.rejects(confirm(colleague, now), refusal('TOOK_TOO_LONG'))
  await assert.rejects(confirm(user, now + 1_800), refusal('TOOK_TOO_LONG'))
  await confirm(user, now + 1_799)
})

test('codes are those of RFC 6238', async (t) => {
  const { stores, nodes, user } = await twoNodes(t, emptyDatabases.sqlite as Place)
  // Its appendix B, the last six digits of each.
  const vectors = { 59: '287082', 1111111109: '081804', 1234567890: '005924', 2000000000: '279037' }
  const factor = { secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', step: 0, recoveryCodes: [] }
  await stores[0].access.switchFactorOn(user, factor, new Uint8Array(), by)
  for (const [at, code] of Object.entries(vectors)) {
    assert.equal(codeAt(factor.secret, Number(at)), code)
    // As apps show it.
    await nodes[0].takeCode(user.id, `${code.slice(0, 3)} ${code.slice(3)}`, Number(at))
  }
})
