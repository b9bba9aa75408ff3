// The clock of the machine is set while the service runs: it gets its time through the clock argument of `buildApp`.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { openHistoryTable } from '../../src/history/open.ts'
import { openStore } from '../../src/store/open.ts'
import { isFull } from '../support/faults.ts'
import { installation, owner } from '../support/lastcall.ts'
import { engine } from '../support/test-database.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const limit = 5

// The service runs in this process here, which was once seen not to end by itself.
after(() => {
  setTimeout(() => process.exit(), 10_000).unref()
})

test('the clock steps while serving', { timeout: 120_000 }, async (t) => {
  const place = installation(t)
  const { key, campaignId, accountId } = await owner(place)
  const spender = await owner(place)
  await place.json(['account', 'set', String(accountId), '--rate-limit', '1000000'])
  const config = readConfig({ 'database-url': place.databaseUrl, port: '0', 'rate-limit': String(limit) })
  const store = await openStore(config.database, {
    lockWaitMs: 750,
    poolSize: 2,
    timeoutMs: 900,
    isServer: true,
  })
  let shiftMs = 0
  const app = buildApp({
    config,
    store,
    historyTable: await openHistoryTable(config.database),
    log: { info() {}, warn() {}, error() {} },
    now: () => Date.now() + shiftMs,
  })
  const base = `http://127.0.0.1:${await app.listen()}/api/public/v1`
  t.after(async () => {
    await app.close()
    await store.close()
  })
  const post = async (path: string, email: string) => {
    const answer = await fetch(`${base}/campaigns/${campaignId}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    })
    return { status: answer.status, body: (await answer.json()) as any }
  }
  /** How many of twenty requests pass. */
  const spend = async () => {
    const headers = { authorization: `Bearer ${spender.key}` }
    const asked = Array.from({ length: 20 }, () => fetch(`${base}/campaigns`, { headers }))
    const answers = await Promise.all(asked)
    for (const answer of answers) await answer.arrayBuffer()
    return answers.filter(({ status }) => status === 200).length
  }
  const steps: [string, number][] = [
    ['back by a second', -second],
    ['back by half a minute', -30 * second],
    ['back by a minute', -minute],
    ['back by an hour', -hour],
    ['forward by two days', 2 * day],
  ]

  await t.test('no deadline moves', async () => {
    const first = await post('leads', 'steady@example.com')
    assert.equal(first.status, 201)
    const { created: _, ...offer } = first.body
    for (const [name, step] of steps) {
      shiftMs = step
      assert.deepEqual((await post('leads/lookup', 'steady@example.com')).body, offer, name)
      const again = await post('leads', 'steady@example.com')
      assert.deepEqual([again.status, again.body], [200, { ...offer, created: false }], name)
      const stepped = await post('leads', `${step}@example.com`)
      shiftMs = 0
      assert.deepEqual((await post('leads/lookup', `${step}@example.com`)).body.deadline, stepped.body.deadline)
    }
  })

  await t.test('an offer that has begun is open after a step back, and where another node is behind', async () => {
    shiftMs = 0
    const { offerLinks } = (await post('leads', 'begun@example.com')).body
    const lc = String(offerLinks[0].url.split('/').at(-1))
    const visitor = base.replace('/api/public/v1', `/visitor/v1/campaigns/${campaignId}`)
    for (const [name, step] of steps) {
      if (step > 0) continue
      shiftMs = step
      const gate = await fetch(`${visitor}/gate`, { headers: { 'lastcall-ref': lc } })
      assert.deepEqual([gate.status, gate.headers.get('lastcall-state')], [204, 'open'], name)
      const asked = await fetch(`${visitor}/offer`, { method: 'POST', body: JSON.stringify({ lc, visit: false }) })
      const { state, opensAt, now } = (await asked.json()) as { state: string; opensAt: number; now: number }
      assert.deepEqual([state, opensAt <= now], ['open', true], `${name}: the widget goes by these`)
    }
    shiftMs = 0
  })

  await t.test('no window refills within its minute', async () => {
    const into = Date.now() % minute
    // Forty seconds into a minute, of the argument; what PostgreSQL counts by is the real clock.
    const start = minute - into + 40 * second
    if (engine === 'postgres' && into > 50 * second) await sleep(minute - into + 100)
    shiftMs = start
    assert.equal(await spend(), limit)
    for (const [name, step] of steps) {
      if (step > 0) continue
      shiftMs = start + step
      assert.equal(await spend(), 0, name)
      // Further back it is another minute, to which its count went along; the way to the first is one forward.
      if (step >= -minute) shiftMs = start
      assert.equal(await spend(), 0, `${name}, and where it was`)
    }
    shiftMs = start + 2 * day
    // It is another minute for who counts by this clock.
    assert.equal(await spend(), engine === 'sqlite' ? limit : 0, 'forward by two days')
    assert.equal(await spend(), 0, 'forward by two days, again')
  })

  if (engine === 'sqlite')
    await t.test('nobody is locked out for more than a minute longer', async () => {
      for (const [name, step] of steps) {
        // From the next round minute on; two of them further each time.
        shiftMs = minute - (Date.now() % minute)
        shiftMs += 4 * day * (1 + steps.findIndex(([other]) => other === name))
        assert.equal(await spend(), limit, name)
        const before = shiftMs
        shiftMs = before + step
        await spend()
        shiftMs = before + step + minute + Math.max(0, -step > minute ? 0 : -step)
        assert.equal(await spend(), limit, `${name}, and a minute later`)
      }
    })

  await t.test('no step of the clock revives a session, ends one, or keeps anybody from signing in', async () => {
    const email = 'owner@example.com'
    const password = 'long enough for a test'
    await place.json(['user', 'create', '--account', String(accountId), '--email', email], `${password}\n`)
    const sessions = new URL('/panel/api/session', base)
    const signIn = async (given = password) => {
      const answer = await fetch(sessions, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: given }),
      })
      await answer.arrayBuffer()
      return {
        status: answer.status,
        cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] as string,
      }
    }
    const isSignedIn = async (cookie: string) => {
      const answer = await fetch(sessions, { headers: { cookie } })
      return ((await answer.json()) as { signedIn: boolean }).signedIn
    }
    for (const [name, step] of isFull ? steps : steps.slice(-2)) {
      shiftMs = 0
      const [kept, left, idle] = [await signIn(), await signIn(), await signIn()].map(({ cookie }) => cookie)
      await fetch(sessions, { method: 'DELETE', headers: { cookie: left as string } })
      shiftMs = 15 * day
      assert.equal(await isSignedIn(idle as string), false, `${name}: a session that nobody used`)
      for (const at of [step, 0]) {
        shiftMs = at
        assert.equal(await isSignedIn(idle as string), false, `${name}: one that had ended`)
        assert.equal(await isSignedIn(left as string), false, `${name}: one that was signed out of`)
        assert.equal(await isSignedIn(kept as string), true, `${name}: one in use`)
      }
      for (let tries = 0; tries < 6; tries += 1) await signIn('not the password')
      assert.equal((await signIn()).status, 429)
      shiftMs = step
      const further = step <= 0 ? minute + Math.min(minute, -step) : 0
      shiftMs += further
      assert.equal((await signIn()).status, 200, `${name}: kept out`)
    }
    shiftMs = 365 * day
    const { cookie } = await signIn()
    shiftMs = 0
    assert.equal(await isSignedIn(cookie), false, 'one that began while the clock was a year ahead ends with that')
  })
  shiftMs = 0
})
