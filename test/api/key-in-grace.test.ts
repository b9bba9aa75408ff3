// Keys that were replaced work beside their successors until an instant, and when a key was used is noted.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertStatus, call, withinOneSecond } from '../support/api.ts'
import { longTest } from '../support/faults.ts'
import { installation, owner, type Scope } from '../support/lastcall.ts'
import { type PanelSession, panelSession } from '../support/panel-session.ts'
import { comesTrue } from '../support/prepared.ts'
import { serverClock } from '../support/server-clock.ts'

const hour = 3_600

/** A server whose clock can be set; `setTo` takes an instant in seconds. */
async function running(scope: Scope) {
  const place = installation(scope)
  const { env, setTo } = serverClock(place)
  return { place, setTo, server: await place.serve(['--rate-limit', '1000000'], env) }
}

const shared = running({ after })

/** An account of its own, on the server of the whole file unless the test stops it. */
async function opened(on = shared) {
  const { place, server, setTo } = await on
  setTo(Date.now() / 1_000)
  const me = await owner(place)
  const ask = await panelSession(place, server, me.accountId)
  const list = (key: string) => call(server, 'GET', '/campaigns', { key })
  const status = async (key: string) => (await list(key)).status
  const soon = (key: string, expected: number) =>
    withinOneSecond(
      () => list(key),
      (answer) => answer.status === expected,
    )
  const listed = async (keyId: string) => {
    const keys = await place.json(['key', 'list', '--account', String(me.accountId)])
    return keys.find(({ id }: { id: string }) => id === keyId)
  }
  return { place, me, server, setTo, ask, status, soon, listed }
}

async function replaced(ask: PanelSession, keyId: string, graceSeconds = hour) {
  const { status, body } = await ask('POST', `/keys/${keyId}/replacement`, { name: 'next', graceSeconds })
  assert.equal(status, 200)
  return body as { id: string; name: string; key: string }
}

test('a replaced key works until its instant and not after, the new one before and after', async () => {
  const { me, setTo, ask, status, soon, listed } = await opened()
  assert.equal(await status(me.key), 200)
  const next = await replaced(ask, me.keyId)
  await soon(next.key, 200)
  const { revokedAt } = await listed(me.keyId)
  const endsAt = Date.parse(revokedAt) / 1_000
  assert.ok(Math.abs(endsAt - Date.now() / 1_000 - hour) < 60, revokedAt)
  assert.equal(await status(me.key), 200)

  setTo(endsAt - 2)
  assert.deepEqual([await status(me.key), await status(next.key)], [200, 200])
  setTo(endsAt)
  assert.deepEqual([await status(me.key), await status(next.key)], [401, 200])
  setTo(endsAt + 86_400)
  assert.deepEqual([await status(me.key), await status(next.key)], [401, 200])
  const { body } = await ask('GET', '/keys')
  assert.deepEqual([body.keys.map(({ id }: any) => id), body.revoked.map(({ id }: any) => id)], [[next.id], [me.keyId]])
})

test('a key in its time of grace is revoked at once, and no clock brings it back', async () => {
  const { place, me, setTo, ask, status, soon, listed } = await opened()
  const next = await replaced(ask, me.keyId, 604_800)
  await soon(next.key, 200)
  assert.equal(await status(me.key), 200)
  await place.json(['key', 'revoke', me.keyId])
  await soon(me.key, 401)
  const { revokedAt } = await listed(me.keyId)
  assert.ok(Math.abs(Date.parse(revokedAt) - Date.now()) < 60_000, revokedAt)
  setTo(Date.now() / 1_000 - hour)
  assert.equal(await status(me.key), 401)
  // Revoked again, it keeps the first instant.
  await place.json(['key', 'revoke', me.keyId])
  assert.equal((await listed(me.keyId)).revokedAt, revokedAt)
})

test('a key is replaced once, and only by its own account', async () => {
  const { place, server, me, ask, status } = await opened()
  const stranger = await panelSession(place, server, (await owner(place)).accountId)
  const path = `/keys/${me.keyId}/replacement`
  const body = { name: 'mine', graceSeconds: hour }
  for (const [method, at, given] of [
    ['POST', path, body],
    ['PATCH', `/keys/${me.keyId}`, { name: 'mine' }],
    ['DELETE', `/keys/${me.keyId}`, undefined],
  ] as const) {
    const refused = await stranger(method, at, given)
    assert.deepEqual([refused.status, refused.body.code], [404, 'NOT_FOUND'])
  }
  assert.ok(!JSON.stringify((await stranger('GET', '/keys')).body).includes(me.keyId))
  assert.equal(await status(me.key), 200)

  const both = await Promise.all([ask('POST', path, body), ask('POST', path, body)])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
  assert.equal((await ask('GET', '/keys')).body.keys.length, 2)
  const wrong = await ask('POST', path, { name: 'x', graceSeconds: 5 })
  assert.equal(wrong.status, 422)
})

test('when a key was last used is noted, once a minute, and not where the request was refused', async () => {
  const { server, me, setTo, ask, status, listed } = await opened()
  const made = (await ask('POST', '/keys', { name: 'unused' })).body
  assert.equal((await listed(made.id)).lastUsedAt, null)
  // The beginning of a minute that lies ahead; not its first moment, which a rounding could count as the minute before.
  const minute = Math.ceil(Date.now() / 60_000) * 60 + 600
  setTo(minute + 2)
  assertStatus(await call(server, 'GET', '/nowhere', { key: me.key }), 404)
  assert.equal(await status(`${made.key.slice(0, -4)}AAAA`), 401)
  const usedAt = async (keyId: string) => Date.parse((await listed(keyId)).lastUsedAt) / 1_000
  assert.ok(await comesTrue(8_000, async () => (await usedAt(me.keyId)) >= minute))
  const first = await usedAt(me.keyId)
  assert.ok(first - minute < 5, String(first - minute))

  setTo(minute + 30)
  assert.equal(await status(me.key), 200)
  setTo(minute + 60)
  assert.equal(await status(me.key), 200)
  // The last of the tests that share it.
  await server.stop()
  // What waits is stored while the server stops.
  assert.ok((await usedAt(me.keyId)) >= minute + 60)
  assert.equal((await listed(made.id)).lastUsedAt, null)
})

longTest('a use within the same minute is not written again', async (t) => {
  const { server, me, setTo, status, listed } = await opened(running(t))
  const minute = Math.ceil(Date.now() / 60_000) * 60 + 600
  const usedAt = async () => Date.parse((await listed(me.keyId)).lastUsedAt) / 1_000
  setTo(minute + 2)
  assert.equal(await status(me.key), 200)
  // A use is noted behind its answer, by the clock of then: the clock moves on only when it has been.
  assert.ok(await comesTrue(8_000, async () => (await usedAt()) >= minute))
  const first = await usedAt()
  setTo(minute + 40)
  assert.equal(await status(me.key), 200)
  await server.stop()
  assert.equal(await usedAt(), first)
})
