// What endpoints are told, by the server that ships, over real connections. On both engines.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkEndpoint, type EndpointSettings, wantedKinds } from '../../src/core/events.ts'
import { description } from '../../src/http/events/description.ts'
import type { Endpoint } from '../../src/store/events/endpoint.ts'
import { tester, testerAt } from '../support/actor.ts'
import { applyCampaign, eventually, leads, newEmail, openShop, send } from '../support/api.ts'
import { amount, between, chance, isFull, longTest, printSeed } from '../support/faults.ts'
import { ask as query } from '../support/postgres-databases.ts'
import { answering, openReceiver, verifies } from '../support/receiver.ts'
import { engine } from '../support/test-database.ts'

const shop = openShop({ isAlone: true, env: { EGRESS_ALLOW: '127.0.0.1' }, args: ['--rate-limit', '1000000'] })
/** What the servers wrote that were killed. */
let writtenBefore = ''
const receiver = await openReceiver({ after }, description)

async function endpoint(path: string, changes: Partial<EndpointSettings> = {}): Promise<Endpoint> {
  const given = { name: path, url: receiver.origin + path, kinds: wantedKinds, leadTimes: ['PT1M'], ...changes }
  const checked = checkEndpoint(given, () => undefined)
  assert.ok('settings' in checked)
  return shop.place.arrange(async (store) => {
    const made = await store.events.createEndpoint(
      shop.owner.accountId,
      checked.settings,
      testerAt(Math.floor(Date.now() / 1_000)),
    )
    receiver.secrets.set(path, store.events.secretsOf(made, 0)[0] as string)
    return made
  })
}

const found = (id: number) => shop.place.arrange((store) => store.events.findEndpoint(shop.owner.accountId, id))

/** As the owner deletes them: what nobody looks at any more is not told of all that follows. */
async function deleteAllBut(...names: string[]): Promise<void> {
  await shop.place.arrange(async (store) => {
    for (const one of await store.events.listEndpoints(shop.owner.accountId))
      if (!names.includes(one.settings.name)) await store.events.pauseEndpoint(one, 'deleted', tester)
  })
}

async function register(): Promise<string> {
  const email = newEmail()
  const { key, campaignId } = shop.owner
  const { status } = await send(shop.server, 'POST', leads(campaignId), { key, body: { email } })
  assert.equal(status, 201)
  return email
}

const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'PT48H' } }

const lead = (command: string, email: string, ...more: string[]) =>
  shop.place.json(['lead', command, '--campaign', String(shop.owner.campaignId), '--email', email, ...more])

const instantIn = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
/** A change of settings holds within a second, in the lane too. */
const settled = () => sleep(1_000)

longTest(
  'of 64 requests at a time a server that hangs takes 31, and one is left for another of its account',
  async () => {
    const askedAt = (path: string) => receiver.all.filter((one) => one.path === path).length
    const ends: (() => void)[] = []
    const most = { '/wide': 31, '/beside': 1 }
    for (const [path, expected] of Object.entries(most)) {
      receiver.answers.set(path, (_, response) => void ends.push(() => response.writeHead(204).end()))
      await endpoint(path, { kinds: ['lead.registered'], inFlight: 32 })
      await settled()
      // Until the first request is answered there is no other, so that all others are due together.
      await register()
      await receiver.wait(path, 1)
      await Promise.all(Array.from({ length: 40 }, register))
      ends.pop()?.()
      await receiver.wait(path, 1 + expected)
    }
    await sleep(1_000)
    for (const [path, expected] of Object.entries(most)) assert.equal(askedAt(path), 1 + expected, path)
    for (const path of Object.keys(most)) receiver.answers.delete(path)
    for (const end of ends) end()
    await deleteAllBut()
  },
)

test('told: registration, change, approaching, end and erasure, punctual, signed, once, by the names of the public API', async () => {
  await endpoint('/all')
  await settled()
  const email = await register()
  const other = await register()
  await lead('deadline', email, '--at', instantIn(5))
  await lead('deadline', other, '--at', instantIn(63))
  const came = await receiver.wait('/all', 6, 15)
  await lead('erase', email)
  const all = await receiver.wait('/all', 7)
  assert.ok(all.every(({ isVerified }) => isVerified))
  const types = (of: string) => came.filter(({ data }) => data.email === of).map(({ type }) => type)
  assert.deepEqual(types(email).sort(), ['lead.deadline_changed', 'lead.expired', 'lead.registered'])
  assert.deepEqual(types(other).sort(), ['lead.deadline_approaching', 'lead.deadline_changed', 'lead.registered'])
  assert.equal(new Set(all.map(({ id }) => id)).size, 7)
  const [registered] = came as [(typeof came)[number]]
  assert.match(registered.id, /^evt_[0-9a-f]{32}$/)
  assert.match(registered.headers['user-agent'] ?? '', /^Lastcall\/[\d.]+ \(webhooks\)$/)
  assert.deepEqual(Object.keys(registered.data).sort(), [
    ...['asOf', 'attempt', 'campaignId', 'campaignName', 'cycle', 'deadline', 'email', 'mailTimerUrls', 'offerLinks'],
    ...['opensAt', 'ref', 'registeredAt', 'state', 'timeZone'],
  ])
  const expired = came.find(({ type }) => type === 'lead.expired')
  const lateMs = (expired?.atMs ?? 0) - Date.parse(expired?.timestamp ?? '')
  assert.ok(lateMs >= 1_000 && lateMs < 2_500, `told ${lateMs} ms after the deadline`)
  assert.equal(expired?.data.state, 'expired')
  assert.equal(came.find(({ type }) => type === 'lead.deadline_approaching')?.data.leadTime, 'PT1M')
  const erased = all.at(-1)
  assert.deepEqual([erased?.type, Object.keys(erased?.data)], ['lead.erased', ['ref', 'asOf']])
  assert.equal(erased?.data.ref, came.find(({ data }) => data.email === email)?.data.ref)
})

test('signature: within the grace both secrets verify, after it the new one alone', async () => {
  const made = await endpoint('/signed', { kinds: ['lead.registered'], personal: false })
  const old = receiver.secrets.get('/signed') as string
  const soon = Math.floor(Date.now() / 1_000) + 4
  const next = await shop.place.arrange(async (store) => {
    const rotated = (await store.events.rotateSecret(made, soon, tester)) as Endpoint
    return store.events.secretsOf(rotated, soon)[0] as string
  })
  await settled()
  const email = await register()
  const [both] = await receiver.wait('/signed', 1)
  assert.ok(both && verifies(old, both.raw, both.headers) && verifies(next, both.raw, both.headers))
  assert.ok(!both.raw.includes(email) && !('offerLinks' in both.data) && both.data.ref.length === 32)
  await sleep(Math.max(0, soon * 1_000 - Date.now()) + 100)
  await register()
  const one = (await receiver.wait('/signed', 2))[1]
  assert.ok(one && verifies(next, one.raw, one.headers) && !verifies(old, one.raw, one.headers))
})

test('answers: 400 comes again by itself with the same id and holds up nobody, a redirect is not followed, 410 pauses', async () => {
  const { id } = await endpoint('/odd', { kinds: ['lead.registered'] })
  const moved = await endpoint('/moved', { kinds: ['lead.registered'] })
  const gone = await endpoint('/gone', { kinds: ['lead.registered'] })
  const vague = await endpoint('/vague', { kinds: ['lead.registered'] })
  let tries = 0
  receiver.answers.set('/odd', ({ data }, response) => {
    const isOdd = data.email === first && ++tries === 1
    response.writeHead(isOdd ? 400 : 200).end()
  })
  receiver.answers.set('/moved', answering(302, { location: `${receiver.origin}/elsewhere` }))
  receiver.answers.set('/gone', answering(410))
  receiver.answers.set('/vague', answering(429, { 'retry-after': '-1' }))
  const far = await endpoint('/far', { kinds: ['lead.registered'] })
  receiver.answers.set('/far', answering(503, { 'retry-after': '9'.repeat(20) }))
  const none = await endpoint('/none', { kinds: ['lead.registered'] })
  receiver.answers.set('/none', answering(429, { 'retry-after': '0' }))
  await settled()
  const first = await register()
  await receiver.wait('/odd', 1)
  await register()
  const came = await receiver.wait('/odd', 3, 15)
  assert.equal(came.filter(({ data }) => data.email === first).length, 2)
  assert.equal(new Set(came.map((one) => one.id)).size, 2)
  await receiver.wait('/moved', 2)
  assert.equal(receiver.all.filter(({ path }) => path === '/elsewhere').length, 0)
  assert.equal((await found(moved.id))?.pauseCause, null)
  assert.equal((await found(gone.id))?.pauseCause, 'gone')
  assert.equal((await found(id))?.failures, 0)
  const now = Date.now() / 1_000
  for (const { id } of [vague, none])
    assert.ok(((await found(id))?.nextTryAt ?? 0) > now + 30, 'a minute, where Retry-After says none')
  const late = (await found(far.id))?.nextTryAt ?? 0
  assert.ok(late > now + 3_500 && late <= now + 3_600, 'an hour at most')
})

test('a server that fails is left alone after five tries, asked one at a time, and gets everything once it is back', async () => {
  const { id } = await endpoint('/down', { kinds: ['lead.registered'], inFlight: 1 })
  let isDown = true
  receiver.answers.set('/down', (_, response) => response.writeHead(isDown ? 500 : 200).end())
  await settled()
  const emails = await Promise.all(Array.from({ length: 12 }, register))
  await receiver.wait('/down', 5)
  await sleep(1_500)
  const before = receiver.all.filter(({ path }) => path === '/down').length
  assert.equal(before, 5, 'no sixth request within seconds')
  assert.equal((await found(id))?.failures, 5)
  isDown = false
  const told = async () =>
    new Set(
      receiver.all
        .filter(({ path }) => path === '/down')
        .slice(before)
        .map(({ data }) => data.email),
    )
  await eventually(20, told, (those) => emails.every((email) => those.has(email)))
  assert.equal((await found(id))?.failures, 0)
})

test('requests that are in flight when a server begins to be left alone neither lengthen that nor end it', async () => {
  const broken = await endpoint('/broken', { kinds: ['lead.registered'], inFlight: 16 })
  const limited = await endpoint('/limited', { kinds: ['lead.registered'], inFlight: 16 })
  receiver.answers.set('/broken', answering(500))
  let asked = 0
  receiver.answers.set('/limited', (_, response) => {
    asked += 1
    const [status, afterMs] = asked === 1 ? [429, 200] : [200, 500]
    setTimeout(() => response.writeHead(status, { 'retry-after': '3600' }).end(), afterMs)
  })
  await settled()
  await Promise.all(Array.from({ length: 16 }, register))
  const stopped = ({ id }: Endpoint) =>
    eventually(
      5,
      () => found(id),
      (one) => one?.nextTryAt !== null,
    )
  const now = Math.floor(Date.now() / 1_000)
  assert.ok(((await stopped(broken))?.nextTryAt ?? 0) <= now + 10, 'five seconds at first, however many were in flight')
  assert.ok(((await stopped(limited))?.nextTryAt ?? 0) > now + 3_000, 'Retry-After holds')
  receiver.answers.delete('/broken')
})

test('batches: what is due together of one kind and campaign is one request, and what fails comes one by one', async () => {
  await endpoint('/batch', { kinds: ['lead.registered'], batch: 50, inFlight: 1 })
  // Until the first request is answered there is no other, so that all others are due together.
  const { promise: isAnswered, resolve: answerFirst } = Promise.withResolvers<void>()
  receiver.answers.set('/batch', (_, response) => void isAnswered.then(() => response.writeHead(200).end()))
  await settled()
  await register()
  await receiver.wait('/batch', 1)
  const emails = await Promise.all(Array.from({ length: 30 }, register))
  receiver.answers.set('/batch', ({ type }, response) => response.writeHead(type === 'batch' ? 413 : 200).end())
  answerFirst()
  const single = async () => receiver.all.filter(({ path, type }) => path === '/batch' && type !== 'batch')
  const came = await eventually(15, single, (those) =>
    emails.every((email) => those.some(({ data }) => data.email === email)),
  )
  const batches = receiver.all.filter(({ path, type }) => path === '/batch' && type === 'batch')
  assert.deepEqual(
    batches.map(({ isVerified, data }) => [isVerified, data.events.length]),
    [[true, emails.length]],
  )
  const idsInBatches = new Set(batches.flatMap(({ data }) => data.events.map((one: { id: string }) => one.id)))
  assert.ok(
    [...idsInBatches].every((one) => came.some(({ id }) => id === one)),
    'the same ids again',
  )
})

test('a server that says too much loses its connection, and one that says little keeps it', async () => {
  const connectionsOf = async (path: string, bytes: number) => {
    const own = await openReceiver({ after }, description)
    await endpoint(path, { url: own.origin + path, kinds: ['lead.registered'], inFlight: 1 })
    const used = new Set<unknown>()
    own.answers.set(path, (_, response) => {
      used.add(response.socket)
      response.writeHead(200).end('x'.repeat(bytes))
    })
    return { used, all: () => own.wait(path, 5) }
  }
  const servers = [await connectionsOf('/chatty', 100_000), await connectionsOf('/terse', 1_000)]
  await settled()
  await Promise.all(Array.from({ length: 5 }, register))
  for (const { all } of servers) await all()
  assert.deepEqual(
    servers.map(({ used }) => used.size),
    [5, 1],
  )
})

test('neighbours: one that hangs, one that resets and one that is busy hold up nobody else', async () => {
  await Promise.all(
    ['/hangs', '/resets', '/busy', '/good'].map((path) => endpoint(path, { kinds: ['lead.registered'] })),
  )
  receiver.answers.set('/hangs', () => {})
  receiver.answers.set('/resets', (_, response) => response.destroy())
  receiver.answers.set('/busy', answering(429, { 'retry-after': '3600' }))
  await settled()
  await Promise.all(Array.from({ length: 20 }, register))
  const registeredAt = Date.now()
  const came = await receiver.wait('/good', 20)
  const lateMs = Math.max(...came.map(({ atMs }) => atMs)) - registeredAt
  assert.ok(lateMs < 3_000, `${lateMs} ms`)
  assert.ok(receiver.all.filter(({ path }) => path === '/busy').length <= 4, 'as many as were in flight')
})

const kills = amount(1, 200)

test(`killed ${kills} times under load, with a receiver that flaps: every registration is told, no other lead is, repeats have the same id`, {
  timeout: 120_000 + kills * 6_000,
}, async (t) => {
  printSeed(t)
  if (!isFull) await deleteAllBut('/good', '/hangs')
  await endpoint('/killed', { kinds: ['lead.registered'], inFlight: 8 })
  let flaps = true
  receiver.answers.set('/killed', (_, response) => {
    const luck = flaps ? chance() : 1
    if (luck < 0.05) response.destroy()
    else setTimeout(() => response.writeHead(luck < 0.1 ? 500 : 200).end(), 20)
  })
  await settled()
  const { key, campaignId } = shop.owner
  const answered: string[] = []
  for (let round = 0; round < kills; round += 1) {
    const { server } = shop
    let isKilled = false
    const client = async () => {
      while (!isKilled) {
        const email = newEmail()
        const sent = send(server, 'POST', leads(campaignId), { key, body: { email } })
        // Nobody knows what became of what the kill cut off.
        const answer = await sent.catch(() => undefined)
        if (answer?.status === 201) answered.push(email)
        else assert.ok(isKilled && answer === undefined, String(answer?.status))
        await sleep(amount(60, 20))
      }
    }
    const load = Promise.all(Array.from({ length: 6 }, client))
    load.catch(() => {}) // looked at below, after the kill
    // Or a slow machine has answered nobody yet.
    await eventually(
      20,
      async () => answered.length,
      (count) => count > kills,
    )
    await sleep(between(50, 800))
    isKilled = true
    server.process.kill('SIGKILL')
    await load
    writtenBefore += server.output()
    shop.server = await shop.place.serve(['--rate-limit', '1000000'], { EGRESS_ALLOW: '127.0.0.1' })
  }
  flaps = false
  const came = () => receiver.all.filter(({ path }) => path === '/killed')
  const untold = async () => {
    const told = new Set(came().map(({ data }) => data.email))
    return answered.filter((email) => !told.has(email))
  }
  await eventually(400, untold, ({ length }) => length === 0)
  const idOf = new Map(came().map(({ data, id }) => [data.email, id]))
  assert.equal(new Set(idOf.values()).size, idOf.size, 'one id for each')
  for (const { data, id } of came()) assert.equal(id, idOf.get(data.email), 'one id for all repeats')
  // What was cut off may be on disk, and is told then.
  const cutOff = [...idOf.keys()].filter((email) => !answered.includes(email))
  for (const email of cutOff) {
    const path = `${leads(campaignId)}/lookup`
    assert.equal((await send(shop.server, 'POST', path, { key, body: { email } })).status, 200)
  }
  const repeats = came().length - idOf.size
  t.diagnostic(`${answered.length} answered, ${cutOff.length} more told, ${repeats} repeats`)
  assert.ok(answered.length > kills)
})

test('existing leads: a new endpoint is told of their end, and an edit of the end tells what it changed', async () => {
  const early = await register()
  await lead('deadline', early, '--at', instantIn(6))
  const { campaignId } = shop.owner
  await endpoint('/later', { kinds: ['lead.deadline_changed', 'lead.expired'], campaignIds: [campaignId] })
  const toldOf = async (email: string) =>
    receiver.all.filter(({ path, data }) => path === '/later' && data.email === email)
  const [expired] = await eventually(
    15,
    () => toldOf(early),
    (came) => came.length > 0,
  )
  assert.equal(expired?.type, 'lead.expired')
  const other = await register()
  await applyCampaign(shop, { id: campaignId, mechanism: { ...mechanism, endsAt: instantIn(86_400).slice(0, 16) } })
  // In the long form some ten thousand leads from before are told of it first.
  const [changed] = await eventually(
    amount(15, 120),
    () => toldOf(other),
    (came) => came.length === 1,
  )
  assert.deepEqual([changed?.type, changed?.data.cause], ['lead.deadline_changed', 'settings'])
  assert.equal((await toldOf(early)).length, 1, 'nothing of one whose offer is over')
})

test('a log that cannot be written holds up nobody, and what it loses is counted', async () => {
  const begin = engine === 'sqlite' ? lockedHistory : renamedLog
  const end = await begin()
  try {
    const before = receiver.all.filter(({ path }) => path === '/good').length
    await register()
    await receiver.wait('/good', before + 1)
    const lost = async () => {
      const metrics = await (await fetch(`${shop.server.origin}/metrics`)).text()
      return Number(/^lastcall_webhook_log_lost_total (\d+)/m.exec(metrics)?.[1])
    }
    await eventually(30, lost, (count) => count > 0)
  } finally {
    await end()
  }
})

async function lockedHistory() {
  const database = new DatabaseSync(shop.place.databasePath.replace(/\.db$/, '-history.db'))
  database.exec('PRAGMA busy_timeout = 2000; BEGIN EXCLUSIVE')
  return async () => database.close()
}

async function renamedLog() {
  await query(shop.place.databaseUrl, 'ALTER TABLE delivery_log RENAME TO away')
  return async () => void (await query(shop.place.databaseUrl, 'ALTER TABLE away RENAME TO delivery_log'))
}

test('a server that has not answered after 15 seconds has failed', async () => {
  const { accountId } = shop.owner
  const all = await shop.place.arrange((store) => store.events.listEndpoints(accountId))
  const id = String(all.find(({ settings }) => settings.name === '/hangs')?.id)
  const [late] = await eventually(
    20,
    () => shop.place.json(['webhook', 'log', id, '--account', String(accountId)]),
    (tries) => tries.length > 0,
  )
  assert.equal(late.cause, 'timeout')
  // A timer of Node may end a millisecond early.
  assert.ok(late.milliseconds >= 14_990 && late.milliseconds < 17_000, String(late.milliseconds))
})

test('secrecy: no email, no secret and no more than the host of an address in what the server writes', async () => {
  const before = receiver.all.filter(({ path }) => path === '/good').length
  await register()
  await receiver.wait('/good', before + 1)
  const written = writtenBefore + shop.server.output()
  const paths = new Set(receiver.all.map(({ path }) => path))
  assert.ok(paths.size > 5)
  for (const text of ['@example.com', 'whsec_', ...paths, ...receiver.secrets.values()])
    assert.ok(!written.includes(text), text)
  const metrics = await (await fetch(`${shop.server.origin}/metrics`)).text()
  assert.ok(/lastcall_webhook_tries_total\{outcome="delivered"\} \d/.test(metrics))
  assert.ok(!/example\.com|whsec/.test(metrics))
})
