// Who tries to sign in: what is counted, what that costs, and what is kept of it.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { isPassword } from '../../src/access/passwords.ts'
import type { AccessRefused } from '../../src/access/refused.ts'
import { buildUsers, type Users } from '../../src/access/users.ts'
import { buildApp } from '../../src/app.ts'
import { readSetting } from '../../src/config.ts'
import { openHistoryTable } from '../../src/history/open.ts'
import type { Access } from '../../src/store/access.ts'
import { StoreUnavailable } from '../../src/store/errors.ts'
import { tester, testerAt } from '../support/actor.ts'
import { amount, isFull } from '../support/faults.ts'
import { type Installation, installation } from '../support/lastcall.ts'
import { httpsServer, plainServer } from '../support/panel-session.ts'
import { ask as askPostgres } from '../support/postgres-databases.ts'
import { comesTrue } from '../support/prepared.ts'
import { rowsIn, storedTexts } from '../support/rows.ts'
import { engine } from '../support/test-database.ts'
import { createUser } from '../support/users.ts'

const [ada, password] = ['ada@example.com', 'a long old password']
const now = () => Math.floor(Date.now() / 1_000)
const client = { device: 'Firefox on Windows', address: '192.0.2.0/24' }
const json = { 'content-type': 'application/json' }

async function makeAda(place: Installation): Promise<void> {
  await place.arrange(async (store) => {
    const { id } = await store.configuration.createAccount('Owner', tester)
    await createUser(store, id, { email: ada, password, role: 'owner' })
  })
}

const { place, server } = await plainServer()
await makeAda(place)
const panel = `${server.origin}/panel/api`

/** As a client at this address, behind a proxy. */
async function signIn(given: { from: string; email?: string; password?: string; cookie?: string }) {
  const { from, email = ada, password: guess = password, cookie = '' } = given
  const answer = await fetch(`${panel}/session`, {
    method: 'POST',
    headers: { ...json, 'x-forwarded-for': from, cookie },
    body: JSON.stringify({ email, password: guess }),
  })
  const { code } = (await answer.json()) as { code?: string }
  return { status: answer.status, code, cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] as string }
}

/** Uses up what may be tried, as if passwords had been guessed. */
function tried(name: string, times: number): Promise<void> {
  return place.arrange(async ({ access }) => {
    for (let n = 0; n < times; n += 1) await access.countTries([{ name, most: times }], now())
  })
}

/** Without those that were there before: other tests have tried, and theirs are removed in time. */
async function triesIn(earlier: string[] = []): Promise<string[]> {
  return (await rowsIn(place, 'tries')).filter((row) => !earlier.includes(row)).sort()
}

test('row 6: past the limit nothing is written, however many try at once', async () => {
  const earlier = await triesIn()
  const guess = { email: 'guessed@example.com', password: 'wrong' }
  const from = (n: number) => `198.51.100.${n}`
  const statuses = await Promise.all(Array.from({ length: 20 }, (_, n) => signIn({ ...guess, from: from(n) })))
  assert.deepEqual(statuses.filter(({ status }) => status === 403).length, 5)
  assert.deepEqual(statuses.filter(({ status }) => status === 429).length, 15)
  const before = await triesIn(earlier)
  assert.ok(
    before.every((row) => !/"tried":"?([6-9]|\d\d)/.test(row)),
    String(before),
  )
  for (let n = 100; n < 110; n += 1) assert.equal((await signIn({ ...guess, from: from(n) })).status, 429)
  assert.deepEqual(await triesIn(earlier), before)
})

test('row 6: an address of IPv6 counts with its network of 64 bits, and with the 48 bits of its site', async () => {
  await tried('address 2001:db8:1:2', 30)
  await tried('site 2001:db8:7', 120)
  const stranger = { email: 'stranger@example.com', password: 'wrong' }
  for (const [from, status] of [
    ['2001:db8:1:2:aaaa::1', 429],
    ['2001:db8:1:2:bbbb::1', 429],
    ['2001:db8:1:3::1', 403],
    ['2001:db8:7:1::1', 429],
    ['2001:db8:7:ffff::1', 429],
    ['2001:db8:8:1::1', 403],
  ] as const)
    assert.equal((await signIn({ ...stranger, from })).status, status, from)
})

test('tries that a node with a clock seconds ahead has counted count on the others too', async () => {
  await place.arrange(async ({ access }) => {
    const limit = { name: 'over two nodes', most: 2 }
    for (const ahead of [3, 0]) assert.equal(await access.countTries([limit], now() + ahead), true)
    await access.removeOldTries(now())
    assert.equal(await access.countTries([limit], now()), false)
    assert.equal((await access.findTries([limit], now()))[0]?.isFull, true)
    await access.forgetTries(limit.name)
  })
})

test('row 6: what is counted does not wait for the disk', async () => {
  await place.arrange(async ({ access }) => {
    const flushed = engine === 'sqlite' ? flushesOfSqlite : flushesOfPostgres
    const settings = await flushed(async () => {
      await access.countTries([{ name: 'a try', most: 5 }], now())
      await access.forgetTries('a try')
    })
    assert.ok(settings.length > 0)
    assert.deepEqual([...new Set(settings)], [engine === 'sqlite' ? 'NORMAL' : 'off'])
  })
})

/** `PRAGMA synchronous` at each commit. */
async function flushesOfSqlite(work: () => Promise<unknown>): Promise<string[]> {
  const { exec, prepare } = DatabaseSync.prototype
  const seen: string[] = []
  let setting = 'FULL'
  const note = (sql: string) => {
    setting = /^PRAGMA synchronous = (\w+)/.exec(sql)?.[1] ?? setting
    if (sql === 'COMMIT') seen.push(setting)
  }
  DatabaseSync.prototype.exec = function (sql) {
    note(sql)
    return exec.call(this, sql)
  }
  DatabaseSync.prototype.prepare = function (sql, ...rest) {
    note(sql)
    return prepare.call(this, sql, ...rest)
  }
  try {
    await work()
  } finally {
    Object.assign(DatabaseSync.prototype, { exec, prepare })
  }
  return seen
}

/** `synchronous_commit` in each transaction that counts. */
async function flushesOfPostgres(work: () => Promise<unknown>): Promise<string[]> {
  const run = (sql: string) => askPostgres(place.databaseUrl, sql)
  await run('CREATE TABLE seen (setting text)')
  await run(`CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$`)
  await run('CREATE TRIGGER see AFTER INSERT OR DELETE ON tries EXECUTE FUNCTION see()')
  try {
    await work()
    return (await run('SELECT setting FROM seen')).map(({ setting }) => setting)
  } finally {
    await run('DROP FUNCTION see CASCADE')
    await run('DROP TABLE seen')
  }
}

const isBusy = (error: AccessRefused) => error.code === 'SERVICE_UNAVAILABLE'

/** Of nobody's password; to compare with it takes so many passes of as many KiB. */
const hashOf = (kibibytes: number, passes: number) =>
  `$argon2id$v=19$m=${kibibytes},t=${passes},p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`

test('row 6: repeated tries leave places for emails that nobody has tried, and write nothing needlessly', async () => {
  await place.arrange(async (store) => {
    const earlier = await triesIn()
    const email = 'busy@example.com'
    await store.access.countTries([{ name: `email ${email}`, most: 5 }], now())
    const before = await triesIn(earlier)
    assert.equal(before.length, 1)
    let isOver = 0
    // In the short form the first takes ten times as long as it usually does, and the others a quarter.
    const hashes = Array.from({ length: 60 }, (_, n) => (n === 0 ? hashOf(19_456, 20) : hashOf(4_864, 2)))
    const guesses = hashes.map((hash) =>
      isPassword('a guess', isFull ? undefined : hash, 'again').then(
        () => (isOver += 1),
        (error) => error,
      ),
    )
    await assert.rejects(buildUsers(store).signIn(email, 'wrong', '192.0.2.50', client, now()), isBusy)
    assert.deepEqual(await triesIn(earlier), before)
    await isPassword(password, undefined, 'first')
    assert.ok(isOver < 10, `${isOver} were looked at before`)
    const refused = (await Promise.all(guesses)).filter(isBusy)
    assert.ok(refused.length > 5, String(refused.length))
  })
})

test('row 6: a link that makes a user takes five tries a minute, and an address makes no more by it than by signing in', async () => {
  const [link, other] = await place.arrange(async (store) => {
    const users = buildUsers(store)
    const owner = await users.find(ada)
    assert.ok(owner)
    const invite = () => users.invite(owner, { role: 'viewer', email: null }, testerAt(now()))
    return [await invite(), await invite()] as const
  })
  const join = async (token: string, from: string, email = ada) => {
    const body = JSON.stringify({ token, email, password: 'quite a long one' })
    const headers = { ...json, 'x-forwarded-for': from }
    const answer = await fetch(`${panel}/users`, { method: 'POST', headers, body })
    return `${answer.status} ${((await answer.json()) as { code?: string }).code}`
  }
  const answers = await Promise.all(Array.from({ length: 7 }, (_, n) => join(link, `203.0.113.${n}`)))
  assert.deepEqual(answers.toSorted(), [...Array(5).fill('409 EMAIL_TAKEN'), ...Array(2).fill('429 TOO_MANY_TRIES')])
  await tried('address 203.0.113.99', 30)
  assert.equal(await join(other, '203.0.113.99'), '429 TOO_MANY_TRIES')
  assert.equal(await join(other, '203.0.113.98', 'joined@example.com'), '200 undefined')
})

test('row 9: nothing that is kept of a try can be had from an address or an email', async () => {
  const [from, email] = ['203.0.113.9', 'kept@example.com']
  assert.equal((await signIn({ from, email, password: 'wrong' })).status, 403)
  assert.ok((await triesIn()).length > 1)
  const names = [`address ${from}`, `email ${email}`, `tries address ${from}`, `tries email ${email}`, from, email]
  const hashes = names.flatMap((name) =>
    ['sha256', 'sha1', 'md5'].map((kind) => createHash(kind).update(name).digest()),
  )
  const plain = [from, email].map((text) => Buffer.from(text))
  for (const [name, text] of await storedTexts(place))
    for (const bytes of [...plain, ...hashes]) assert.equal(text.includes(bytes.toString('latin1')), false, name)
})

test('row 9: a try that no longer counts is gone within a minute, and where that fails once, the server goes on', async (t) => {
  const lonely = installation(t)
  await makeAda(lonely)
  await lonely.arrange(async (store) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    let nowMs = Date.now()
    const location = readSetting('database', { 'database-url': lonely.databaseUrl })
    const historyTable = await openHistoryTable(location)
    const log = { info() {}, warn() {}, error() {} }
    const config = { host: '127.0.0.1', port: 0, publicUrl: null, trustProxy: [], historyDays: 7, auditDays: 365 }
    const none = { webhooks: false, egress: { ranges: [], names: [] }, smtp: null, oidc: null }
    const limits = { rateLimitPerMinute: 120, formRatePerMinute: 6, ...none }
    let isAway = true
    const removeOldTries: Access['removeOldTries'] = async (at) =>
      isAway ? Promise.reject(new StoreUnavailable('away')) : store.access.removeOldTries(at)
    const failing = { ...store, access: { ...store.access, removeOldTries } }
    const app = buildApp({ config: { ...config, ...limits }, store: failing, historyTable, log, now: () => nowMs })
    await buildUsers(store)
      .signIn(ada, 'wrong', '192.0.2.1', client, now())
      .catch(() => {})
    const left = async () => (await rowsIn(lonely, 'tries')).length
    assert.equal(await left(), 2)
    nowMs += 61_000
    t.mock.timers.tick(30_000)
    isAway = false
    t.mock.timers.tick(30_000)
    assert.ok(await comesTrue(5_000, async () => (await left()) === 0))
    await app.close()
  })
})

test('row 14: a password that everybody uses is refused where one is chosen, and only there', async () => {
  const { cookie } = await signIn({ from: '192.0.2.60' })
  const post = async (path: string, body: object, headers = {}) => {
    const given = { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) }
    const answer = await fetch(panel + path, given)
    return [answer.status, ((await answer.json()) as { code?: string }).code]
  }
  const token = await place.arrange(async (store) => {
    const user = (await store.access.findCredentials(ada))?.user
    assert.ok(user)
    return buildUsers(store).invite(user, { role: 'owner', email: null }, testerAt(now()))
  })
  for (const common of ['password', '12345678', 'PASSWORD1', 'Qwertyuiop', 'ｐassword']) {
    const joining = { token, email: 'new@example.com', password: common }
    assert.deepEqual(await post('/users', joining), [422, 'COMMON_PASSWORD'], common)
  }
  const own = { token, email: 'new@example.com', password: 'New@example.com' }
  assert.deepEqual(await post('/users', own), [422, 'COMMON_PASSWORD'])
  const change = { current: password, next: 'trustno1' }
  assert.deepEqual(await post('/password', change, { cookie }), [422, 'COMMON_PASSWORD'])
  assert.equal((await signIn({ from: '192.0.2.60', email: 'nobody@example.com', password: 'password' })).status, 403)
  const { code, stderr } = await place.run(['user', 'reset', '--email', ada], 'iloveyou\n')
  assert.equal(code, 2)
  assert.match(stderr, /^lastcall: the password is too common: choose another\n$/)
})

test('row 14: signing in ends the session that came with it', async () => {
  const isSignedIn = async (cookie: string) => {
    const answer = await fetch(`${panel}/session`, { headers: { cookie } })
    return ((await answer.json()) as { signedIn: boolean }).signedIn
  }
  const from = '192.0.2.61'
  const before = await signIn({ from })
  assert.equal((await signIn({ from, password: 'wrong', cookie: before.cookie })).status, 403)
  assert.equal(await isSignedIn(before.cookie), true)
  const later = await signIn({ from, cookie: before.cookie })
  assert.deepEqual([await isSignedIn(before.cookie), await isSignedIn(later.cookie)], [false, true])

  const token = await place.arrange(async (store) => {
    const by = testerAt(Math.floor(Date.now() / 1_000))
    const users = buildUsers(store)
    const maker = await users.find(ada)
    assert.ok(maker)
    return users.invite(maker, { role: 'viewer', email: null }, by)
  })
  const joined = await fetch(`${panel}/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: later.cookie },
    body: JSON.stringify({ token, email: 'joins@example.com', password: 'a long one of their own' }),
  })
  assert.equal(joined.status, 200)
  const own = (joined.headers.get('set-cookie') ?? '').split(';')[0] as string
  assert.deepEqual([await isSignedIn(later.cookie), await isSignedIn(own)], [false, true])
})

test('row 15: where the browser names its origin alone, it must be that of PUBLIC_URL', async () => {
  const { server: secure } = await httpsServer()
  const ask = async (at: string, headers: Record<string, string>) => {
    const answer = await fetch(`${at}/panel/api/session`, { headers })
    return { status: answer.status, body: (await answer.json()) as any }
  }
  const known: [string, string][] = [
    [server.origin, `http://localhost:${server.port}`],
    [secure.origin, 'https://example.com'],
  ]
  for (const [at, origin] of known) assert.equal((await ask(at, { origin })).status, 200, origin)
  const foreign: [string, string][] = [
    // What `Host` says.
    [server.origin, server.origin],
    [secure.origin, secure.origin],
    [secure.origin, 'http://example.com'],
    [secure.origin, 'https://example.com:444'],
    [secure.origin, 'null'],
  ]
  for (const [at, origin] of foreign) {
    const { status, body } = await ask(at, { origin })
    assert.deepEqual([status, body.code, body.faults[0]?.path], [403, 'FOREIGN_ORIGIN', 'PUBLIC_URL'], origin)
    const publicUrl = at === secure.origin ? 'https://example.com/lastcall' : `http://localhost:${server.port}`
    assert.ok(body.faults[0].message.includes(`is ${publicUrl},`), body.faults[0].message)
    assert.match(body.faults[0].message, /Start the server with PUBLIC_URL or --public-url set to/)
  }
  // A browser that tells more is believed.
  const more = { origin: server.origin, 'sec-fetch-site': 'same-origin' }
  assert.equal((await ask(server.origin, more)).status, 200)
})

test('row 15: what changes something is JSON or has no body at all', async () => {
  const { cookie } = await signIn({ from: '192.0.2.62' })
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a']
  for (const [method, path] of [
    ['POST', '/invitations'],
    ['DELETE', '/session'],
    ['POST', '/session'],
  ] as const)
    for (const type of types) {
      const headers = { cookie, 'content-type': type }
      const answer = await fetch(panel + path, { method, headers, body: '{}' })
      assert.deepEqual([answer.status, ((await answer.json()) as any).code], [415, 'UNSUPPORTED_MEDIA_TYPE'], path)
    }
  assert.equal((await fetch(`${panel}/session`, { method: 'DELETE', headers: { cookie } })).status, 200)
})

test('row 8: two users who remove each other at once do not leave an account without users', async () => {
  await place.arrange(async (store) => {
    const both = async (access: Access, users: Users) => {
      const { id } = await store.configuration.createAccount('Two', tester)
      const made = [`a${id}@example.com`, `b${id}@example.com`].map((email) =>
        access.createUser(id, { email, passwordHash: '-', role: 'owner' }, testerAt(now())),
      )
      const [one, other] = await Promise.all(made)
      const removed = await Promise.allSettled(
        [one, other].map((user) => users.remove(id, user?.id as number, testerAt(now()))),
      )
      assert.equal((await users.list(id)).length, 1)
      assert.deepEqual(removed.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    }
    for (let round = 0; round < amount(3, 10); round += 1) await both(store.access, buildUsers(store))
  })
})
