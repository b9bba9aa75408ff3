// What recipients, and callers of the API, get while the server stops, the database is down, something of ours is
// broken, or they ask for too much.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { prefix } from '../../src/core/api-key.ts'
import { type ErrorCode, messageOf } from '../../src/core/errors.ts'
import type { Template } from '../../src/countdown/template.ts'
import { TemplateUnavailable } from '../../src/countdown/templates.ts'
import { newFastify } from '../../src/http/framework.ts'
import { oneAtATime } from '../../src/http/one-at-a-time.ts'
import { publicApi } from '../../src/http/public/api.ts'
import { basePath } from '../../src/http/public/schemas.ts'
import type { VisitorParts } from '../../src/http/visitor/parts.ts'
import { sendUndecodable, visitor } from '../../src/http/visitor/visitor.ts'
import type { Counted } from '../../src/leads/counting.ts'
import type { Found } from '../../src/leads/visitors.ts'
import type { Log } from '../../src/log.ts'
import { StoreUnavailable } from '../../src/store/errors.ts'

const ref = '0123456789abcdef0123456789abcdef'
const image = `/timer/en/${ref}.gif`
const campaign = {
  id: 1,
  accountId: 1,
  isDraft: false,
  timeZone: 'UTC',
  pages: [{ id: 1, pageUrl: 'https://example.com/', proxyUrl: null, eligible: true }],
  mailTimer: {},
}
const account = { suspended: false, countdownTools: true }
const byHand = { deadlineAt: 4_000_000_000, setAt: 0, cycle: 1 }
const lead = { id: 7, attempt: { number: 1, anchorAt: null, byHand } }
const found = { campaign, account, lead } as unknown as Found

type Line = { message: string; fields: Parameters<Log['info']>[1] }

/** The surfaces of recipients and of the API, where `ask` stands for the database. */
function surfaces(ask: () => Promise<any>, changes: Partial<VisitorParts> = {}) {
  const lines: Line[] = []
  const counted: Counted[] = []
  const note: Log['info'] = (message, fields) => void lines.push({ message, fields })
  const log = { info: note, warn: note, error: note }
  const store = { rates: { count: ask, countEvents: ask, countVisitor: ask } }
  const app = newFastify({ isHttps: false, trustProxy: [], log, sendUndecodable })
  app.register(
    visitor({
      store,
      visitors: { find: ask, campaign: ask, leadIn: ask, offer: ask, register: ask },
      templates: { get: ask },
      building: oneAtATime(),
      counting: { count: (one) => void counted.push(one), stepped() {}, keyUsed() {}, close: async () => {} },
      formRatePerMinute: 5,
      log,
      now: Date.now,
      ...changes,
    }),
  )
  const parts = {
    ...{ store, log, now: Date.now, site: { publicUrl: 'http://localhost' }, configCache: { liveKey: ask } },
    metrics: { requests: { inc() {} }, durations: { observe() {} } },
  }
  app.register(publicApi(parts as unknown as Parameters<typeof publicApi>[0]), { prefix: basePath })
  return { app, lines, counted }
}

const messages = (lines: Line[]) => [...new Set(lines.map(({ message }) => message))]

const questions = [
  { url: '/visitor/v1/campaigns/1/offer', payload: '{"visit":true}' },
  { url: '/visitor/v1/campaigns/1/leads', payload: '{"email":"a@x.pl"}' },
]

const apiRequest = {
  url: `${basePath}/campaigns`,
  headers: { authorization: `Bearer ${prefix}${randomUUID()}.${'a'.repeat(43)}` },
}

/** No answer has the text of the error, which is 'planted'. */
async function holdUnavailable({ app, counted }: ReturnType<typeof surfaces>, code: ErrorCode): Promise<void> {
  const page = await app.inject({ url: `/go/1/${ref}`, headers: { 'accept-language': 'pl' } })
  assert.equal(page.statusCode, 503)
  assert.doesNotMatch(page.body, /planted/)
  assert.match(page.body, /lang="pl".*Spróbuj ponownie za chwilę/)
  assert.equal(page.headers['retry-after'], '5')
  assert.equal(page.headers['cache-control'], 'no-store, no-cache, must-revalidate, max-age=0')

  const gif = await app.inject(image)
  assert.deepEqual([gif.statusCode, gif.headers['content-type']], [200, 'image/gif'])
  assert.equal(gif.headers['x-timer-state'], 'unavailable')
  assert.equal(gif.rawPayload.subarray(0, 6).toString(), 'GIF89a')
  const head = await app.inject({ url: image, method: 'HEAD' })
  assert.deepEqual([head.statusCode, head.headers['content-type'], head.body], [200, 'image/gif', ''])

  const gate = await app.inject(`/visitor/v1/campaigns/1/gate?lc=${ref}`)
  assert.deepEqual([gate.statusCode, gate.headers['lastcall-state'], gate.body], [503, 'unavailable', ''])
  assert.deepEqual([gate.headers['cache-control'], gate.headers.vary], ['no-store', 'Lastcall-Ref'])

  for (const question of questions) {
    const answer = await app.inject({ ...question, method: 'POST' })
    holdError(answer, code)
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.equal(answer.headers['cache-control'], 'no-store')
  }
  holdError(await app.inject(apiRequest), code)
  assert.deepEqual(counted, [])
}

function holdError(answer: LightMyRequestResponse, code: ErrorCode): void {
  const requestId = answer.headers['x-request-id']
  assert.deepEqual(answer.json(), { status: 'error', code, message: messageOf[code], requestId })
}

/** The log has the cause of an answer under its request id: by name and place, without the text. */
async function holdLogged({ app, lines }: ReturnType<typeof surfaces>, name: string): Promise<void> {
  const { requestId } = (await app.inject(apiRequest)).json()
  const { error } = lines.find(({ fields }) => fields?.requestId === requestId)?.fields ?? {}
  assert.equal(error?.name, name)
  assert.match(error?.at[0] ?? '', /unavailable\.test/)
  assert.doesNotMatch(JSON.stringify(lines), /planted/)
}

test('while the database does not answer', async () => {
  const down = surfaces(async () => Promise.reject(new StoreUnavailable('planted')))
  await holdUnavailable(down, 'SERVICE_UNAVAILABLE')
  assert.deepEqual(messages(down.lines), ['the database cannot be used'])
  await holdLogged(down, 'StoreUnavailable')
})

test('while the database’s disk is full, which the log says of both engines', async () => {
  for (const codes of [{ errcode: 13 }, { code: '53100' }]) {
    const cause = Object.assign(new Error('planted'), codes)
    const full = surfaces(async () => Promise.reject(new StoreUnavailable('planted', { cause })))
    await holdUnavailable(full, 'SERVICE_UNAVAILABLE')
    assert.deepEqual(messages(full.lines), ["the database's disk is full: make room"])
  }
})

test('after a defect of ours, which the log holds', async () => {
  const broken = surfaces(async () => Promise.reject(new TypeError('planted')))
  await holdUnavailable(broken, 'INTERNAL_ERROR')
  assert.deepEqual(messages(broken.lines), ['a request failed'])
  await holdLogged(broken, 'TypeError')
})

test('while the server stops: nothing is asked of the database, and unknown addresses get the same', async () => {
  const stopping = surfaces(async () => assert.fail('asked'))
  stopping.app.isStopping = true
  await holdUnavailable(stopping, 'SERVICE_UNAVAILABLE')
  for (const url of ['/go/x', '/widget/v1.js', '/widget/x'])
    assert.equal((await stopping.app.inject(url)).statusCode, 503, url)
  assert.equal((await stopping.app.inject('/timer/x')).headers['x-timer-state'], 'unavailable')
  assert.deepEqual(stopping.lines, [])
})

for (const [name, cause, lines] of [
  ['cannot be built', new Error('broken'), ['a request failed']],
  ['has to wait for too many', undefined, []],
] as const)
  test(`an image that ${name} is an opened mail all the same`, async () => {
    const get = async () => Promise.reject(new TemplateUnavailable('no', cause && { cause }))
    const { app, lines: logged, counted } = surfaces(async () => found, { templates: { get } })
    const { statusCode, headers } = await app.inject(image)
    assert.deepEqual([statusCode, headers['x-timer-state']], [200, 'unavailable'])
    assert.deepEqual(messages(logged), lines)
    assert.deepEqual(
      counted.map(({ kind, leadId }) => [kind, leadId]),
      [['open', 7]],
    )
  })

test('an image whose deadline passes while it is built says that the offer is over, as it shows', async () => {
  let atMs = byHand.deadlineAt * 1_000 - 1
  const get = async () => {
    atMs += 1
    return { mostBytes: 4, overImage: Buffer.from('over') } as unknown as Template
  }
  const { app } = surfaces(async () => found, { templates: { get }, now: () => atMs })
  const { body, headers } = await app.inject(image)
  assert.deepEqual([body, headers['x-timer-state']], ['over', 'expired'])
})

test('an account has 24 images built in a minute, one at a time, and others are built meanwhile', async () => {
  let [at, underWay, mostUnderWay] = [60_000, 0, 0]
  const built: number[] = []
  const get: VisitorParts['templates']['get'] = async (_style, _language, turn) => {
    await turn?.(async () => {
      mostUnderWay = Math.max(mostUnderWay, ++underWay)
      built.push(accountId)
      await new Promise(setImmediate)
      underWay -= 1
      return Buffer.alloc(0)
    })
    throw new TemplateUnavailable('there is nothing to draw')
  }
  let accountId = 1
  const ofAccount = async () => ({ ...found, campaign: { ...campaign, accountId } })
  const { app, lines } = surfaces(ofAccount, { templates: { get }, now: () => at })
  const openAll = async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => app.inject(image)))
    assert.deepEqual([...new Set(answers.map(({ headers }) => headers['x-timer-state']))], ['unavailable'])
    return built.splice(0).length
  }
  assert.deepEqual([await openAll(), mostUnderWay], [24, 1])
  assert.equal(await openAll(), 0)
  accountId = 2
  assert.equal(await openAll(), 24)
  at = 120_000
  assert.equal(await openAll(), 24)
  assert.deepEqual(lines, [])
})

test('of an IPv6 /48 network 16 times as many visitors may begin as of each /64 in it', async () => {
  let begun = 0
  const offer: VisitorParts['visitors']['offer'] = async (_campaign, _visitor, visit) => {
    begun += Number(visit?.mayBegin())
    return undefined
  }
  const visitors = { offer } as VisitorParts['visitors']
  const { app } = surfaces(async () => undefined, { visitors, formRatePerMinute: 1, now: () => 60_000 })
  const visitFrom = async (remoteAddress: string, times: number) => {
    begun = 0
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
    for (let n = 0; n < times; n += 1) {
      await app.inject({ ...questions[0], method: 'POST', remoteAddress, headers })
    }
    return begun
  }
  assert.equal(await visitFrom('2001:db8:1:1::1', 21), 20)
  for (let network = 2; network < 16; network += 1) assert.equal(await visitFrom(`2001:db8:1:${network}::1`, 20), 20)
  assert.equal(await visitFrom('2001:db8:1:16::1', 21), 20)
  assert.equal(await visitFrom('2001:db8:1:17::1', 20), 0)
  assert.equal(await visitFrom('2001:db8:2:1::1', 1), 1)
  assert.equal(await visitFrom('203.0.113.7', 21), 20)
})
