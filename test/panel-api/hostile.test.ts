// What a user of the panel, or somebody without a session, can ask for that costs more than they pay.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { panelBodyLimitBytes } from '../../src/http/body-limits.ts'
import { oneAtATime } from '../../src/http/one-at-a-time.ts'
import { openLimits } from '../../src/http/panel/rates-and-turns.ts'
import { routes } from '../../src/http/panel/routes.ts'
import type { Session } from '../../src/store/access.ts'
import { tester } from '../support/actor.ts'
import { amount, longTest } from '../support/faults.ts'
import { appliedCampaign, campaignFile, installation } from '../support/lastcall.ts'
import { type PanelSession, panelSession, plainServer } from '../support/panel-session.ts'
import { rowsIn } from '../support/rows.ts'

const { place, server } = await plainServer()

/** A user of an account of their own. */
async function user(of = server): Promise<PanelSession> {
  const { id } = await place.arrange((store) => store.configuration.createAccount('Owner', tester))
  return panelSession(place, of, id)
}

/** Of another session of the same user. */
async function cookieOf(ask: PanelSession): Promise<string> {
  const { email } = (await ask('GET', '/session')).body.user
  const body = JSON.stringify({ email, password: 'long enough for a test' })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${server.origin}/panel/api/session`, { method: 'POST', headers, body })
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] as string
}

const minute = () => Math.floor(Date.now() / 60_000)

/** Of so many calls at once all but `most` are refused; fewer if a minute has begun since `from`, which takes as many. */
async function assertLimit(
  most: number,
  count: number,
  ask: () => Promise<{ status: number; body: any }>,
  from = minute(),
): Promise<void> {
  const answers = await Promise.all(Array.from({ length: count }, ask))
  const refused = answers.filter(({ status }) => status === 429)
  for (const { body } of refused) {
    assert.equal(body.code, 'TOO_MANY_TRIES')
    assert.ok(body.retryAfterSeconds >= 1 && body.retryAfterSeconds <= 60)
  }
  const least = minute() === from ? count - most : count - 2 * most
  assert.ok(refused.length <= count - most && refused.length >= least, `${refused.length} of ${count} are refused`)
}

/** Small, and unlike every other. */
const style = (n: number) => ({
  ...{ font: 'oswald', width: 200, height: 50, pixelsPerPoint: 1, showLabels: false, units: ['minutes', 'seconds'] },
  digits: `#${String(100_000 + n)}`,
})
const picture = (n: number) => ({ style: style(n), language: 'en', secondsLeft: 100 })
const templates = async () => (await rowsIn(place, 'timer_templates')).length

test('row 5: a user has few timer pictures built; they are not stored, and others need not wait for them', async () => {
  const [busy, other] = [await user(), await user()]
  const before = await templates()
  const all = Promise.all(Array.from({ length: 16 }, (_, n) => busy('POST', '/timer-picture', picture(n))))
  const settings = JSON.parse(campaignFile({ mailTimer: style(1_000) }))
  const startedAt = performance.now()
  const saved = await other('POST', '/campaigns', { settings })
  const savedMs = performance.now() - startedAt
  assert.equal(saved.status, 200, JSON.stringify(saved.body))
  const answers = await all
  const allMs = performance.now() - startedAt
  const built = answers.filter(({ status }) => status === 200).length
  // The minute may end meanwhile.
  assert.ok(built >= 1 && built <= 24, String(built))
  for (const { status, body } of answers.filter(({ status }) => status !== 200)) {
    assert.deepEqual([status, body.code], [429, 'TOO_MANY_TRIES'])
    assert.ok(body.retryAfterSeconds >= 1 && body.retryAfterSeconds <= 60)
  }
  assert.ok(savedMs < allMs * 0.8, `saved after ${savedMs} of ${allMs} ms`)
  // In both languages.
  assert.equal(await templates(), before + 2)
  const saves = await busy('POST', '/campaigns', { settings: { ...settings, mailTimer: style(2_000) } })
  assert.ok([429, 200].includes(saves.status))
  // What has been built once is shown again without a builder.
  const shown = answers.findLastIndex(({ status }) => status === 200)
  assert.equal((await busy('POST', '/timer-picture', picture(shown))).status, 200)
})

test('an account has at most 60 webhooks tested in a minute: each holds a connection to anybody’s server', async () => {
  const ask = await user()
  await assertLimit(60, 122, () => ask('POST', '/webhooks/1/test'))
})

test('an account sets deadlines 60 times a minute: each time may be 500 entries of the audit log', async () => {
  const ask = await user()
  const { id } = (await ask('GET', '/session')).body.account
  const campaign = await place.arrange((store) => appliedCampaign(store, id, campaignFile({ mailTimer: null })))
  await assertLimit(60, 122, () =>
    ask('PUT', `/campaigns/${campaign.id}/leads/deadlines`, { refs: [], to: 'dayLater' }),
  )
})

test('an account searches for a person 60 times a minute: each looks through all its campaigns', async () => {
  const ask = await user()
  await assertLimit(60, 122, () => ask('POST', '/person', { email: 'nobody@example.com' }))
})

test('an account erases leads 60 times a minute, those of a campaign and persons together: each is a commit', async () => {
  const ask = await user()
  const { id } = (await ask('GET', '/session')).body.account
  const campaign = await place.arrange((store) => appliedCampaign(store, id, campaignFile({ mailTimer: null })))
  let asked = 0
  await assertLimit(60, 122, () => {
    asked += 1
    if (asked % 2 === 0) return ask('POST', '/person/erasure', { email: 'nobody@example.com' })
    return ask('POST', `/campaigns/${campaign.id}/leads/erasure`, { refs: [] })
  })
})

longTest('row 5: the users of an account have 24 pictures built a minute, and each of them 12', async () => {
  const { id } = await place.arrange((store) => store.configuration.createAccount('Owner', tester))
  const asks = await Promise.all(
    (['owner', 'member', 'viewer'] as const).map((role) => panelSession(place, server, id, role)),
  )
  const from = minute()
  let asked = 50_000
  const next = (ask: PanelSession) => ask('POST', '/timer-picture', picture(asked++))
  await assertLimit(12, 16, () => next(asks[0] as PanelSession), from)
  // What is left of the account's 24.
  await assertLimit(12, 24, () => next(asks[1 + (asked % 2)] as PanelSession), from)
})

test('row 5: without a builder the panel says that it is unavailable', async (t) => {
  const broken = installation(t)
  const crippled = await broken.serve([], {
    NODE_OPTIONS: `--import=${import.meta.resolve('../support/no-builder.ts')}`,
  })
  const { id } = await broken.arrange((store) => store.configuration.createAccount('Owner', tester))
  const ask = await panelSession(broken, crippled, id)
  const settings = JSON.parse(campaignFile({ mailTimer: style(1) }))
  for (const [path, body] of [
    ['/timer-picture', picture(1)],
    ['/campaigns', { settings }],
  ] as const) {
    const answer = await ask('POST', path, body)
    assert.deepEqual([path, answer.status, answer.body.code], [path, 503, 'SERVICE_UNAVAILABLE'])
  }
})

const mostBytes = 20_000
const many = amount(5_000, 20_000)
const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, 1]))

test('row 7: a body full of faults gets an answer that is smaller than it', async () => {
  const ask = await user()
  const made = await ask('POST', '/campaigns', { settings: JSON.parse(campaignFile({ mailTimer: null })) })
  const { id } = made.body.settings
  const campaign = { ...JSON.parse(campaignFile()), ...names(many) }
  const long = 'ü'.repeat(25_000)
  const bodies: [path: string, body: object][] = [
    [`/campaigns/${id}/leads/import`, { emails: Array(many * 10).fill(1) }],
    [`/campaigns/${id}/leads/import`, { emails: [], ...names(many * 3) }],
    [`/campaigns/${id}/leads/import`, { [long]: 1 }],
    ['/campaigns', { settings: campaign }],
    ['/timer-picture', { ...picture(1), style: names(4_000) }],
    ['/preview', { settings: campaign, own: null, visitAfter: 'PT1H' }],
    // Without a session.
    ['/session', { email: 'ada@example.com', password: 'wrong', [long]: 1 }],
    ['/session', names(4_000)],
    ['/invitation', { token: 'a', [long]: 1 }],
    ['/users', { [long]: 1, ...names(1_000) }],
  ]
  for (const [path, body] of bodies) {
    const answer = await ask('POST', path, body)
    const bytes = Buffer.byteLength(JSON.stringify(answer.body))
    assert.ok(bytes < mostBytes, `${path}: ${bytes} bytes`)
    const { faults } = answer.body
    assert.ok(faults.length >= 1 && faults.length <= 50, `${path}: ${faults.length} faults`)
    for (const fault of faults) assert.ok(fault.path.length < 200)
  }
})

const smallPreview = { settings: {}, own: null, visitAfter: 'PT1H' }
/** Of more bytes than most routes take. */
const largePreview = { settings: { name: 'a'.repeat(panelBodyLimitBytes) }, own: null, visitAfter: 'PT1H' }

test('row 7: large bodies of a user are read one after the other; small ones and other users need not wait', async () => {
  const [busy, other] = [await user(), await user()]
  const made = await busy('POST', '/campaigns', { settings: JSON.parse(campaignFile({ mailTimer: null })) })
  const path = `/campaigns/${made.body.settings.id}/leads/import`
  const headers = { cookie: await cookieOf(busy), 'content-type': 'application/json' }
  const slow = request(`${server.origin}/panel/api${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-length': '100000' },
  })
  slow.on('error', () => {})
  slow.write('{')
  await sleep(200)
  // Nobody knows how long it will be.
  const unmeasured = request(`${server.origin}/panel/api/preview`, { method: 'POST', headers })
  unmeasured.write(JSON.stringify(smallPreview))
  unmeasured.end()
  let answered = 0
  const statuses = [
    busy('POST', '/preview', largePreview).then(({ status }) => status),
    once(unmeasured, 'response').then(([{ statusCode }]) => statusCode),
  ]
  const waiting = statuses.map(async (status) => {
    assert.equal(await status, 200)
    answered += 1
  })
  for (const ask of [busy, other]) assert.equal((await ask('POST', '/preview', smallPreview)).status, 200)
  const { settings, revision } = made.body
  assert.equal((await busy('PUT', `/campaigns/${settings.id}`, { settings, revision })).status, 200)
  assert.equal((await busy('GET', '/campaigns')).status, 200)
  assert.equal((await other('POST', '/preview', largePreview)).status, 200)
  assert.equal(answered, 0)
  slow.destroy()
  await Promise.all(waiting)
})

test('row 7: the small previews of a user come one after the other too, and so do the saves, which no preview waits for', async () => {
  const [busy, other] = [await user(), await user()]
  const headers = { cookie: await cookieOf(busy), 'content-type': 'application/json', 'content-length': '1000' }
  const slowly = async (path: string) => {
    const slow = request(`${server.origin}/panel/api${path}`, { method: 'POST', headers })
    slow.on('error', () => {})
    slow.write('{')
    await sleep(200)
    return slow
  }
  let answered = 0
  const waiting = async (answer: Promise<{ status: number }>) => {
    const { status } = await answer
    answered += 1
    return status
  }
  const save = await slowly('/campaigns')
  const nextSave = waiting(busy('POST', '/campaigns', { settings: JSON.parse(campaignFile({ mailTimer: null })) }))
  assert.equal((await busy('POST', '/preview', smallPreview)).status, 200)
  const preview = await slowly('/preview')
  const nextPreview = waiting(busy('POST', '/preview', smallPreview))
  assert.equal((await other('POST', '/preview', smallPreview)).status, 200)
  assert.equal((await busy('GET', '/campaigns')).status, 200)
  assert.equal(answered, 0)
  for (const slow of [save, preview]) slow.destroy()
  assert.deepEqual(await Promise.all([nextSave, nextPreview]), [200, 200])
})

test('row 7: who hangs up before their large body is read leaves the turn to the next', async () => {
  const busy = await user()
  const head = `POST /panel/api/preview HTTP/1.1\r\nHost: a\r\nCookie: ${await cookieOf(busy)}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`
  for (let round = 0; round < amount(5, 20); round += 1) {
    const sockets = Array.from({ length: 10 }, () => connect(Number(new URL(server.origin).port), '127.0.0.1'))
    for (const [n, socket] of sockets.entries()) {
      socket.on('error', () => {})
      // Some before their session has been read, some after.
      socket.write(head, () => setTimeout(() => socket.destroy(), n / 2))
    }
    await Promise.all(sockets.map((socket) => once(socket, 'close')))
  }
  assert.equal((await busy('POST', '/preview', largePreview)).status, 200)
})

test('row 7: between the bodies of a user there is time for others', async () => {
  const busy = { user: { id: 0 } } as Session
  const { turnToSend } = openLimits(oneAtATime())
  const startedAt = performance.now()
  // Without a server, whose work alone may take longer than the pauses.
  const send = async () => {
    const raw = new PassThrough()
    await turnToSend(busy, 'large', { raw } as unknown as FastifyReply)
    raw.destroy()
  }
  await Promise.all(Array.from({ length: 11 }, send))
  // A timer may be a millisecond early.
  assert.ok(performance.now() - startedAt >= 10 * 19)
})

test('a user reads much once at a time: with many at once everybody would wait for all their steps', async () => {
  const [busy, other] = [await user(), await user()]
  const made = await busy('POST', '/campaigns', { settings: JSON.parse(campaignFile({ mailTimer: null })) })
  const id = String(made.body.settings.id)
  const emails = Array.from({ length: amount(10_000, 50_000) }, (_, n) => `lead${n}@example.com`)
  await place.json(['lead', 'import', '--campaign', id, '-'], `email\n${emails.join('\n')}\n`)
  const startedAt = performance.now()
  let tookMs = 0
  const count = async () => {
    const { body } = await busy('GET', `/campaigns/${id}/leads/states`)
    assert.deepEqual([body.total, body.isAll], [emails.length, true])
  }
  const counted = Promise.all(Array.from({ length: 20 }, count)).then(() => {
    tookMs = performance.now() - startedAt
  })
  let longestMs = 0
  while (tookMs === 0) {
    const askedAt = performance.now()
    await other('GET', '/session')
    longestMs = Math.max(longestMs, performance.now() - askedAt)
  }
  await counted
  assert.ok(longestMs < tookMs / 2, `another waited ${longestMs} ms of ${tookMs}`)
})

test('what waits for its turn to read is refused if its session has ended meanwhile', async () => {
  const busy = await user()
  const ids: number[] = []
  for (let n = 0; n < 50; n += 1) {
    const { body } = await busy('POST', '/campaigns', { settings: JSON.parse(campaignFile({ mailTimer: null })) })
    ids.push(body.settings.id)
  }
  const answered: number[] = []
  const figures = async () => answered.push((await busy('GET', `/campaign-figures?ids=${ids}`)).status)
  const all = Array.from({ length: 20 }, figures)
  await Promise.race(all)
  assert.equal((await busy('DELETE', '/session')).status, 200)
  await Promise.all(all)
  assert.deepEqual([answered[0], answered.at(-1)], [200, 401])
})

test('a user searches, exports and imports leads, goes through the audit log, the history and the log of webhooks, and lists campaigns and webhooks one at a time', () => {
  const steps = [
    ...(['POST /campaigns/:campaignId/leads/search', 'POST /campaigns/:campaignId/leads/export'] as const),
    ...(['POST /campaigns/:campaignId/leads/import', 'POST /campaigns/:campaignId/leads/import/trial'] as const),
    ...(['GET /audit', 'GET /audit/choices', 'GET /campaigns', 'GET /webhooks'] as const),
    ...(['GET /history', 'GET /history/counts', 'GET /history/keys'] as const),
    'GET /webhooks/:endpointId/deliveries' as const,
  ]
  for (const step of steps) assert.ok(routes[step].readsMuch, step)
})

test('row 7: a file full of faults has a line on the command line that can be read', async () => {
  const file = join(place.folder, 'faults.json')
  const campaign = { ...JSON.parse(campaignFile()), ...names(many) }
  for (const [args, content] of [
    [['campaign', 'apply', '--account', '1'], campaign],
    [['simulate'], Array(5).fill({ campaign, events: [] })],
  ] as const) {
    writeFileSync(file, JSON.stringify(content))
    const { code, stderr } = await place.runShared([...args, file])
    assert.equal(code, 2)
    assert.ok(stderr.length < mostBytes, `${stderr.length} characters`)
    assert.match(stderr, /a0: is unknown/)
  }
})
