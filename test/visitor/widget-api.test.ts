// What the widget asks, spoken to the server as any page may: the visitor protocol.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { visitorName } from '../../src/core/visitor.ts'
import { type Answer, applyCampaign, assertError, eventually, newEmail, openShop } from '../support/api.ts'
import { whileLocked } from '../support/locked.ts'
import { ask, lookUp, open, random32, recipient } from '../support/recipient.ts'

const shop = openShop()
const cycle = { enabled: true, pause: 'PT1M' }
const visitStarts = { startsOn: 'visit', deadline: { kind: 'after', period: 'PT1H' }, cycle }
let own = 0
let anonymous = 0
let byVisit = 0
before(async () => {
  await shop.opened
  own = shop.owner.campaignId
  anonymous = (await applyCampaign(shop, { anonymous: { enabled: true } })).id
  byVisit = (await applyCampaign(shop, { mechanism: visitStarts })).id
})

/** The offer, of an answer that is one. */
function offerOf(answer: Answer, isOfForm = false) {
  assert.equal(answer.status, 200, `${answer.raw}`)
  holdHeaders(answer)
  assert.match(answer.headers['content-type'] ?? '', /^application\/json; charset=utf-8$/)
  const { now, spentMs, lc, ...offer } = answer.body
  assert.ok(now >= answer.sentAt - 1 && now <= answer.receivedAt + 1)
  assert.ok(spentMs >= 0 && now - spentMs >= answer.sentAt - 2)
  const names = ['state', 'opensAt', 'deadline', 'nextAt', 'onExpiry', 'known']
  assert.deepEqual(Object.keys(offer).sort(), names.sort())
  assert.equal('lc' in answer.body, isOfForm)
  return { ...offer, ...(isOfForm && { lc }) }
}

function holdHeaders({ headers }: Answer): void {
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal(headers['access-control-allow-credentials'], undefined)
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['set-cookie'], undefined)
}

const nothing = { state: 'none', opensAt: null, deadline: null, nextAt: null, onExpiry: null }

test('a lead has the deadline that the API states, and a client id beside it changes nothing', async () => {
  const { ref, deadline } = await recipient(shop)
  const endsAt = Date.parse(deadline as string)
  const offer = {
    state: 'open',
    opensAt: endsAt - 48 * 3_600_000,
    deadline: endsAt,
    nextAt: null,
    onExpiry: { action: 'HIDE' },
    known: true,
  }
  for (const more of [{}, { client: random32() }])
    for (const visit of [true, false])
      assert.deepEqual(offerOf(await ask(shop, 'offer', { lc: ref, visit, ...more })), offer)
})

test('a visit starts what waits for one; reading does not, and neither does a second visit move it', async () => {
  const { ref, email } = await recipient(shop, { campaignId: byVisit })
  const say = async (visit: boolean) => offerOf(await ask(shop, 'offer', { lc: ref, visit }, { campaignId: byVisit }))
  assert.equal((await say(false)).state, 'pending')
  assert.equal((await say(false)).deadline, null)
  const started = await say(true)
  assert.deepEqual([started.state, started.nextAt], ['open', started.deadline + 60_000])
  const left = started.deadline - Date.now()
  assert.ok(left > 3_590_000 && left <= 3_600_000, `${left}`)
  await new Promise((resolve) => setTimeout(resolve, 1100))
  assert.equal((await say(true)).deadline, started.deadline)
  assert.equal(Date.parse((await lookUp(shop, email, byVisit)).deadline), started.deadline)
})

test('a scanner can read, but starts nothing, with an email or without; its visit is counted as a scanner’s', async () => {
  const as = (agent: string, body: object, campaignId: number) =>
    ask(shop, 'offer', { visit: true, ...body }, { campaignId, headers: { 'User-Agent': agent } })
  const scanners = [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0 Safari/537.36',
    'Mozilla/5.0 AppleWebKit/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/140.0 Safari/537.36',
    'Mozilla/5.0 (compatible; Yahoo! Slurp)',
    'HeadlessChrome/140.0',
    'axios/1.7.2',
    'curl/8.5.0',
    '',
  ]
  const { ref, email } = await recipient(shop, { campaignId: byVisit })
  const client = random32()
  for (const scanner of scanners) {
    assert.equal(offerOf(await as(scanner, { lc: ref }, byVisit)).state, 'pending', scanner)
    assert.equal(offerOf(await as(scanner, { client }, anonymous)).state, 'pending', scanner)
  }
  const ofLead = ['--campaign', String(byVisit), '--email', email]
  const { totals } = await eventually(
    5,
    () => shop.place.json(['lead', 'stats', ...ofLead]),
    (found) => found.totals.visit.scanner === scanners.length,
  )
  assert.equal(totals.visit.person, 0)
  const cubot = 'Mozilla/5.0 (Linux; Android 14; CUBOT P80)'
  assert.equal(offerOf(await as(cubot, { lc: ref }, byVisit)).state, 'open')
  assert.equal(offerOf(await as(cubot, { client }, anonymous)).state, 'open')
})

test('the form does not tell whether an email is registered: same status and headers, same time', async () => {
  const known = newEmail()
  await ask(shop, 'leads', { email: known })
  const register = async (email: string) => {
    const answer = await ask(shop, 'leads', { email, client: random32() })
    offerOf(answer, true)
    const { date, 'x-request-id': id, 'content-length': length, ...headers } = answer.headers
    assert.ok(date && id && length)
    return { email, headers, ms: answer.receivedAt - answer.sentAt, spentMs: answer.body.spentMs }
  }
  const emails = Array.from({ length: 8 }, () => [newEmail(), known]).flat()
  const all = await Promise.all(emails.map(register))
  for (const { headers, ms, spentMs } of all) {
    assert.deepEqual(headers, all[0]?.headers)
    for (const took of [ms, spentMs]) assert.ok(took >= 245, `${took} ms`)
  }
  // In whole quarters of a second; a timer of a busy machine may be late.
  const lateMs = ({ spentMs }: { spentMs: number }) => (spentMs + 5) % 250
  for (const isKnown of [true, false]) {
    const late = all.filter(({ email }) => (email === known) === isKnown).map(lateMs)
    assert.ok(Math.min(...late) < 45, `${late} ms`)
  }
  // However long the database took: only new emails wait for it.
  const late: number[] = []
  for (let tries = 0; tries < 8 && !late.some((ms) => ms < 45); tries += 1) {
    let answered: ReturnType<typeof register> | undefined
    await whileLocked(shop.place, async () => {
      answered = register(newEmail())
      await sleep(100)
    })
    late.push(lateMs((await answered) as { spentMs: number }))
  }
  assert.ok(Math.min(...late) < 45, `${late} ms`)
})

test('while an offer comes again by itself, the answer says when; otherwise that is not known', async () => {
  const deadline = { kind: 'after', period: 'PT1H' }
  const cycle = { enabled: true, pause: 'PT1M', max: 1 }
  const mechanism = { startsOn: 'registration', deadline, cycle }
  const { id } = await applyCampaign(shop, { mechanism, anonymous: { enabled: true } })
  const of = { campaignId: id }
  const { ref, email } = await recipient(shop, of)
  const answers = [
    offerOf(await ask(shop, 'offer', { lc: ref, visit: false }, of)),
    offerOf(await ask(shop, 'offer', { client: random32(), visit: true }, of)),
    offerOf(await ask(shop, 'leads', { email: newEmail() }, of), true),
  ]
  for (const { nextAt, deadline: endsAt } of answers) assert.equal(nextAt, endsAt + 60_000)
  const lead = ['--campaign', String(id), '--email', email]
  await shop.place.json(['lead', 'deadline', ...lead, '--at', new Date(0).toISOString().replace('.000', '')])
  const byHand = offerOf(await ask(shop, 'offer', { lc: ref, visit: false }, of))
  assert.deepEqual([byHand.state, byHand.nextAt], ['expired', null])
})

test('nothing to show: unknown campaign, draft, suspended, tools unavailable, unknown visitor', async () => {
  const { ref } = await recipient(shop)
  const say = async (body: object, campaignId = own) =>
    offerOf(await ask(shop, 'offer', { visit: true, ...body }, { campaignId }))
  assert.deepEqual(await say({ lc: ref }, 999_999), { ...nothing, known: false })
  assert.deepEqual(await say({}), { ...nothing, known: false })
  assert.deepEqual(await say({ client: random32() }), { ...nothing, known: false })
  assert.deepEqual(await say({ lc: random32() }), { ...nothing, known: false })
  assert.deepEqual(await say({ lc: ref }, byVisit), { ...nothing, known: false })

  const account = String(shop.owner.accountId)
  const turn = async (state: string, flag: string, value: string) => {
    await shop.place.json(['account', 'set', account, flag, value])
    await eventually(
      1,
      () => say({ lc: ref }),
      (offer) => offer.state === state,
    )
    if (state === 'open') return
    const answer = await ask(shop, 'leads', { email: newEmail() })
    assertError(answer, 409, 'CAMPAIGN_NOT_PUBLISHED')
    holdHeaders(answer)
  }
  await turn('none', '--suspended', 'true')
  await turn('open', '--suspended', 'false')
  await turn('none', '--countdown-tools', 'false')
  await turn('open', '--countdown-tools', 'true')
  const draft = await applyCampaign(shop, {})
  const { ref: early } = await recipient(shop, { campaignId: draft.id })
  assert.equal((await say({ lc: early }, draft.id)).state, 'open')
  await applyCampaign(shop, { id: draft.id, isDraft: true })
  await eventually(
    1,
    () => say({ lc: early }, draft.id),
    (offer) => offer.state === 'none',
  )
  assertError(await ask(shop, 'leads', { email: newEmail() }, { campaignId: draft.id }), 409, 'CAMPAIGN_NOT_PUBLISHED')
})

test('somebody without an email: pending until seen, then one deadline, and each browser its own', async () => {
  const client = random32()
  const say = async (visit: boolean, who = client) =>
    offerOf(await ask(shop, 'offer', { client: who, visit }, { campaignId: anonymous }))
  assert.deepEqual(await say(false), {
    ...nothing,
    state: 'pending',
    onExpiry: { action: 'HIDE' },
    known: false,
  })
  const begun = await say(true)
  assert.equal(begun.state, 'open')
  await new Promise((resolve) => setTimeout(resolve, 1100))
  assert.deepEqual(await say(true), begun)
  assert.deepEqual(await say(false), begun)
  assert.notEqual((await say(true, random32())).deadline, begun.deadline)
  const listed = await shop.place.json(['lead', 'list', '--campaign', String(anonymous)])
  assert.deepEqual(listed, [], 'visitors without an email are no leads')
  const lead = await shop.place.arrange(async ({ configuration, leads }) => {
    const campaign = await configuration.findCampaign(anonymous)
    return campaign && leads.find(campaign, visitorName(client))
  })
  const named = await ask(shop, 'offer', { lc: lead?.ref, visit: false }, { campaignId: anonymous })
  assert.deepEqual(offerOf(named), { ...nothing, known: false })
})

test('an email that is new takes over the attempt of the browser; one that has a lead keeps its own', async () => {
  const of = { campaignId: anonymous }
  const [first, second] = [random32(), random32()]
  const begun = offerOf(await ask(shop, 'offer', { client: first, visit: true }, of))
  await new Promise((resolve) => setTimeout(resolve, 1100))
  const email = newEmail()
  const made = offerOf(await ask(shop, 'leads', { email, client: first }, of), true)
  assert.match(made.lc, /^[0-9a-f]{32}$/)
  assert.deepEqual([made.deadline, made.known], [begun.deadline, true])
  const known = await lookUp(shop, email, anonymous)
  assert.equal(Date.parse(known.deadline), begun.deadline)
  assert.ok(Date.parse(known.registeredAt) > begun.deadline - 48 * 3_600_000)

  const other = offerOf(await ask(shop, 'offer', { client: second, visit: true }, of))
  const again = offerOf(await ask(shop, 'leads', { email, client: second }, of), true)
  assert.deepEqual(again, { ...other, lc: null })
  assert.notEqual(other.deadline, begun.deadline)
  assert.equal(Date.parse((await lookUp(shop, email, anonymous)).deadline), begun.deadline)
  const nobody = offerOf(await ask(shop, 'leads', { email }, of), true)
  assert.deepEqual(nobody, { ...nothing, known: false, lc: null })
})

test('an expired attempt is taken over as it is: an email is no way to a fresh offer', async () => {
  const campaign = await applyCampaign(shop, {
    anonymous: { enabled: true },
    mechanism: {
      startsOn: 'registration',
      deadline: { kind: 'after', period: 'P1D' },
      endsAt: '2020-01-01T00:00',
      cycle: { enabled: true, pause: 'PT1M' },
    },
  })
  const of = { campaignId: campaign.id }
  const client = random32()
  assert.equal(offerOf(await ask(shop, 'offer', { client, visit: true }, of)).state, 'expired')
  // Without the end the attempt of the browser, begun under it, has its day; a new email would begin later.
  const { endsAt: _, ...rest } = campaign.mechanism
  const mechanism = { ...rest, cycle: { enabled: true, pause: 'PT2M' } }
  const account = String(shop.owner.accountId)
  await shop.place.json(['campaign', 'apply', '--account', account, '-'], JSON.stringify({ ...campaign, mechanism }))
  const open = await eventually(
    1,
    async () => offerOf(await ask(shop, 'offer', { client, visit: false }, of)),
    ({ state }) => state === 'open',
  )
  await new Promise((resolve) => setTimeout(resolve, 1100))
  const made = offerOf(await ask(shop, 'leads', { email: newEmail(), client }, of), true)
  assert.equal(made.deadline, open.deadline)
  // It keeps the rule that it began with, too.
  const { nextAt } = offerOf(await ask(shop, 'offer', { lc: made.lc, visit: false }, of))
  assert.equal(nextAt, open.deadline + 60_000)
})

test('a client id neither reads nor takes over a lead, and a ref is no client id', async () => {
  const { ref, email } = await recipient(shop, { campaignId: anonymous })
  const of = { campaignId: anonymous }
  const asClient = offerOf(await ask(shop, 'offer', { client: ref, visit: false }, of))
  assert.deepEqual([asClient.state, asClient.known], ['pending', false])
  const client = random32()
  await ask(shop, 'offer', { client, visit: true }, of)
  const asRef = offerOf(await ask(shop, 'offer', { lc: client, visit: false }, of))
  assert.deepEqual(asRef, { ...nothing, known: false })
  const before = await lookUp(shop, email, anonymous)
  assert.equal(offerOf(await ask(shop, 'leads', { email, client, lc: ref }, of), true).lc, null)
  assert.deepEqual(await lookUp(shop, email, anonymous), before)
})

test('a robot that fills the trap gets the same kind of answer, and nothing is stored', async () => {
  const email = newEmail()
  const client = random32()
  const trapped = await ask(shop, 'leads', { email, client, website: 'https://spam.example' })
  assert.deepEqual(offerOf(trapped, true), { ...nothing, known: false, lc: null })
  assert.equal((await lookUp(shop, email)).code, 'LEAD_NOT_FOUND')
  const made = offerOf(await ask(shop, 'leads', { email, client, website: '' }), true)
  assert.match(made.lc, /^[0-9a-f]{32}$/)
})

test('the form registers by the same rules as the API', async () => {
  const email = newEmail()
  const made = offerOf(await ask(shop, 'leads', { email }), true)
  const known = await recipient(shop, { email })
  assert.deepEqual([known.ref, Date.parse(known.deadline as string)], [made.lc, made.deadline])
})

test('bad questions are refused by name, with headers that let the page read why', async () => {
  const refused: [number, string, 'offer' | 'leads', unknown, RegExp][] = [
    [400, 'INVALID_JSON', 'offer', '{', /JSON/],
    [400, 'INVALID_JSON', 'offer', '', /JSON/],
    [422, 'VALIDATION_ERROR', 'offer', '[]', /object/],
    [422, 'VALIDATION_ERROR', 'offer', 'null', /object/],
    [422, 'VALIDATION_ERROR', 'offer', {}, /visit/],
    [422, 'VALIDATION_ERROR', 'offer', { visit: 1 }, /visit/],
    [422, 'VALIDATION_ERROR', 'offer', { visit: true, lc: 'x' }, /^lc /],
    [422, 'VALIDATION_ERROR', 'offer', { visit: true, client: random32().toUpperCase() }, /^client /],
    [422, 'VALIDATION_ERROR', 'offer', { visit: true, email: 'a@x.pl' }, /^unknown property "email"$/],
    [422, 'VALIDATION_ERROR', 'leads', {}, /email/],
    [422, 'VALIDATION_ERROR', 'leads', { email: 'zażółć@x.pl' }, /email/],
    [422, 'VALIDATION_ERROR', 'leads', { email: `${'a'.repeat(250)}@x.pl` }, /email/],
    [422, 'VALIDATION_ERROR', 'leads', { email: ' a@x.pl' }, /email/],
    [422, 'VALIDATION_ERROR', 'leads', { email: 'a@x.pl', website: 1 }, /website/],
    [413, 'PAYLOAD_TOO_LARGE', 'leads', { email: 'a@x.pl', website: 'x'.repeat(5000) }, /4096/],
  ]
  for (const [status, code, what, body, message] of refused) {
    const answer = await ask(shop, what, body)
    assertError(answer, status, code)
    holdHeaders(answer)
    assert.match(answer.body.message, message)
    assert.equal(answer.body.requestId, answer.headers['x-request-id'])
  }
})

test('a question is read whatever its content type, and without one; without a body there is none', async () => {
  for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded', null]) {
    const headers = { 'Content-Type': type }
    assert.equal(offerOf(await ask(shop, 'offer', { visit: false }, { headers })).state, 'none', `${type}`)
    const empty = await ask(shop, 'offer', undefined, { headers })
    assertError(empty, 400, 'INVALID_JSON')
    holdHeaders(empty)
  }
})

test('preflights are answered, and other methods and paths are not found, for pages of any origin', async () => {
  const path = `/visitor/v1/campaigns/${own}/offer`
  const preflight = await open(shop, path, {
    method: 'OPTIONS',
    headers: { Origin: 'https://x.pl', 'Access-Control-Request-Method': 'POST' },
  })
  assert.equal(preflight.status, 204)
  holdHeaders(preflight)
  assert.equal(preflight.headers['access-control-allow-methods'], 'POST')
  assert.equal(preflight.headers['access-control-allow-headers'], 'Content-Type')
  for (const [method, wrong] of [
    ['GET', path],
    ['PUT', path],
    ['POST', '/visitor/v1/campaigns/0/offer'],
    ['POST', `/visitor/v1/campaigns/${own}/`],
    ['POST', '/visitor/v1/'],
  ] as const) {
    const answer = await open(shop, wrong, { method })
    assertError(answer, 404, 'NOT_FOUND')
    holdHeaders(answer)
  }
})

test('the widget is cached for an hour, its named version for a year, and asked for again by its tag', async () => {
  const latest = await open(shop, '/widget/v1.js')
  assert.equal(latest.headers['cache-control'], 'public, max-age=3600')
  const hash = /[0-9a-f]{16}/.exec(latest.headers.etag ?? '')?.[0]
  const named = await open(shop, `/widget/v1.${hash}.js`)
  assert.equal(named.headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.deepEqual(named.raw, latest.raw)
  // An old name gets the present script, which must not stay for a year.
  const old = await open(shop, `/widget/v1.${random32().slice(16)}.js`)
  assert.deepEqual([old.headers['cache-control'], old.raw], [latest.headers['cache-control'], latest.raw])
  for (const tag of [`W/"${hash}"`, `"${hash}"`, `"x", W/"${hash}"`]) {
    const kept = await open(shop, '/widget/v1.js', { headers: { 'If-None-Match': tag } })
    assert.deepEqual([kept.status, kept.raw.length], [304, 0], tag)
    assert.equal(kept.headers['cache-control'], 'public, max-age=3600')
  }
  for (const coding of ['gzip', 'br']) {
    const packed = await open(shop, '/widget/v1.js', { headers: { 'Accept-Encoding': coding } })
    assert.equal(packed.headers['content-encoding'], coding)
    assert.ok(packed.raw.length <= 6_000, `${packed.raw.length}`)
  }
  const noBrotli = await open(shop, '/widget/v1.js', { headers: { 'Accept-Encoding': 'br;q=0, gzip' } })
  assert.equal(noBrotli.headers['content-encoding'], 'gzip')
  const head = await open(shop, '/widget/v1.js', { method: 'HEAD' })
  assert.equal(head.headers['content-length'], String(latest.raw.length))
  assert.equal((await open(shop, '/widget/v2.js')).status, 404)
})
