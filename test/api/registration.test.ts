// A registration makes a lead once; a repeated one changes nothing that the campaign does not say.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  applyCampaign,
  assertError,
  assertStatus,
  call,
  leads,
  lookups,
  newEmail,
  openShop,
  publicUrl,
  withoutRequestId,
} from '../support/api.ts'
import { amount, longTest, someOf } from '../support/faults.ts'
import { campaignFile, installation, type Owner, owner } from '../support/lastcall.ts'

const shop = openShop()
let stranger: Owner

before(async () => {
  await shop.opened
  stranger = await owner(shop.place)
})

const post = (path: string, email: string, more: object = {}) =>
  call(shop.server, 'POST', path, { key: shop.owner.key, body: { email, ...more } })
const register = (email: string, campaignId = shop.owner.campaignId, more: object = {}) =>
  post(leads(campaignId), email, more)
const lookUp = (email: string, campaignId = shop.owner.campaignId, more: object = {}) =>
  post(lookups(campaignId), email, more)

const after = (instant: string, period: object) => Temporal.Instant.from(instant).add(period).toString()

const mechanisms: [string, object, (registeredAt: string) => string | null][] = [
  [
    'fixed',
    { startsOn: 'registration', deadline: { kind: 'fixed', at: '2099-07-01T12:00' } },
    () => '2099-07-01T10:00:00Z',
  ],
  [
    'fixed and past',
    { startsOn: 'registration', deadline: { kind: 'fixed', at: '2020-01-15T12:00' } },
    () => '2020-01-15T11:00:00Z',
  ],
  ['none', { startsOn: 'registration', deadline: { kind: 'none' } }, () => null],
  [
    'none with an end',
    { startsOn: 'registration', deadline: { kind: 'none' }, endsAt: '2099-12-31T23:59' },
    () => '2099-12-31T22:59:00Z',
  ],
  [
    'a time after',
    { startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H30M' } },
    (at) => after(at, { hours: 1, minutes: 30 }),
  ],
  [
    'days at a time',
    { startsOn: 'registration', deadline: { kind: 'daysAt', days: 3, time: '23:59' } },
    (at) =>
      Temporal.Instant.from(at)
        .toZonedDateTimeISO('Europe/Warsaw')
        .add({ days: 3 })
        .withPlainTime('23:59')
        .toInstant()
        .toString(),
  ],
  ['from a visit', { startsOn: 'visit', deadline: { kind: 'after', period: 'PT1H' } }, () => null],
]
describe('registration', { concurrency: true }, () => {
  test('the first registration answers 201 with all of the offer', async () => {
    const email = newEmail()
    const asked = Math.floor(Date.now() / 1000) * 1000
    const answer = await register(email)
    assertStatus(answer, 201)
    const { registeredAt, offerLinks, mailTimerUrl, ...rest } = answer.body
    assert.ok(Date.parse(registeredAt) >= asked && Date.parse(registeredAt) <= Date.now())
    assert.deepEqual(rest, {
      campaignId: shop.owner.campaignId,
      email,
      deadline: after(registeredAt, { hours: 48 }),
      timeZone: 'Europe/Warsaw',
      warnings: [],
      created: true,
    })
    const [, ref] = /^https:\/\/offers\.example\.com\/timer\/en\/([\w-]+)\.gif$/.exec(mailTimerUrl) ?? []
    assert.ok(ref, mailTimerUrl)
    assert.equal(offerLinks.length, 1)
    const [{ pageId, pageUrl, url }] = offerLinks
    assert.equal(pageUrl, 'https://example.com/offer')
    assert.equal(url, `${publicUrl}/go/${pageId}/${ref}`)
  })

  test('the next one answers 200 with the same, and created false', async () => {
    const email = newEmail()
    const first = await register(email)
    await sleep(1100)
    const second = await register(email)
    assertStatus(second, 200)
    assert.deepEqual(second.body, { ...first.body, created: false })
    const found = await lookUp(email)
    assertStatus(found, 200)
    const { created, ...offer } = second.body
    assert.equal(created, false)
    assert.deepEqual(found.body, offer)
  })

  test('the language of a request shapes the timer of its answer alone', async () => {
    const email = newEmail()
    const language = (answer: { body: any }) => /\/timer\/(..)\//.exec(answer.body.mailTimerUrl)?.[1]
    assert.equal(language(await register(email, undefined, { language: 'pl' })), 'pl')
    assert.equal(language(await register(email)), 'en')
    assert.equal(language(await lookUp(email)), 'en')
    assert.equal(language(await lookUp(email, undefined, { language: 'pl' })), 'pl')
    assert.equal(language(await register(email, undefined, { language: 'en' })), 'en')
    const [english, polish] = [await lookUp(email), await lookUp(email, undefined, { language: 'pl' })]
    assert.equal(polish.body.mailTimerUrl, english.body.mailTimerUrl.replace('/en/', '/pl/'))
    assert.deepEqual(polish.body.offerLinks, english.body.offerLinks)
  })

  test('a ref cannot be guessed and tells nothing', async () => {
    const count = amount(8, 20)
    const refs = new Set<string>()
    for (let n = 0; n < count; n += 1) {
      const email = newEmail()
      const answer = await register(email)
      assertStatus(answer, 201)
      const { mailTimerUrl } = answer.body
      const ref = /\/([^/]+)\.gif$/.exec(mailTimerUrl)?.[1] ?? ''
      assert.match(ref, /^[\w-]{22,}$/)
      assert.ok(!mailTimerUrl.includes(email.slice(0, 8)))
      refs.add(ref)
    }
    assert.equal(refs.size, count)
    const starts = new Set([...refs].map((ref) => ref.slice(0, 8)))
    assert.equal(starts.size, count, 'refs that begin alike are not random')
  })

  test('one email in two campaigns is two leads', async () => {
    const other = await applyCampaign(shop, {})
    const email = newEmail()
    const [first, second] = [await register(email), await register(email, other.id)]
    assertStatus(first, 201)
    assertStatus(second, 201)
    assert.equal(second.body.campaignId, other.id)
    assert.notEqual(first.body.mailTimerUrl, second.body.mailTimerUrl)
  })

  for (const [name, mechanism, expected] of someOf(mechanisms, 4))
    test(`the campaign decides the deadline: ${name}`, async () => {
      const { id } = await applyCampaign(shop, { mechanism })
      const email = newEmail()
      const answers = [
        await register(email, id),
        await register(email, id),
        await lookUp(email, id),
        await lookUp(email, id),
      ]
      const deadline = expected(answers[0]?.body.registeredAt)
      for (const { body } of answers) {
        assert.equal(body.deadline, deadline)
        assert.deepEqual(body.warnings, deadline === null ? ['NO_DEADLINE'] : [])
      }
    })

  test('with reset on, a repeated registration begins again; without, it does not', async () => {
    const deadline = { kind: 'after', period: 'PT48H' }
    const reset = { enabled: true, max: 1 }
    const on = await applyCampaign(shop, { mechanism: { startsOn: 'registration', deadline, reset } })
    const email = newEmail()
    const [first, fixed] = [await register(email, on.id), await register(email)]
    await sleep(1100)
    const [second, same] = [await register(email, on.id), await register(email)]
    assert.equal(second.body.registeredAt, first.body.registeredAt)
    assert.ok(second.body.deadline > first.body.deadline)
    assert.deepEqual(same.body, { ...fixed.body, created: false })
    await sleep(1100)
    const third = await register(email, on.id)
    assert.equal(third.body.deadline, second.body.deadline, 'one reset was allowed')
    assert.equal(third.body.registeredAt, first.body.registeredAt)
  })

  test('an expired deadline is answered, and a repeated registration does not move it', async () => {
    const email = newEmail()
    await register(email)
    const campaign = String(shop.owner.campaignId)
    const past = '2020-02-03T04:05:06Z'
    await shop.place.json(['lead', 'deadline', '--campaign', campaign, '--email', email, '--at', past])
    assert.equal((await lookUp(email)).body.deadline, past)
    const again = await register(email)
    assertStatus(again, 200)
    assert.equal(again.body.deadline, past)
    assert.deepEqual(again.body.warnings, [])
  })

  test('pages that are eligible, ascending, each with its link', async () => {
    const pages = [
      { pageUrl: 'https://example.com/b', eligible: true },
      { pageUrl: 'https://example.com/hidden', eligible: false },
      {
        pageUrl: 'http://example.com/a?x=1&y=%20#part',
        proxyUrl: 'https://proxy.example.com/',
        eligible: true,
      },
      { pageUrl: 'https://example.com/c', eligible: true },
    ]
    const campaign = await applyCampaign(shop, { pages })
    const { body } = await register(newEmail(), campaign.id)
    assert.deepEqual(
      body.offerLinks.map(({ pageUrl }: { pageUrl: string }) => pageUrl),
      ['https://example.com/b', 'http://example.com/a?x=1&y=%20#part', 'https://example.com/c'],
    )
    const ids = body.offerLinks.map(({ pageId }: { pageId: number }) => pageId)
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => a - b),
    )
    assert.equal(new Set(ids).size, 3)
    const ref = /([^/]+)\.gif$/.exec(body.mailTimerUrl)?.[1]
    for (const { pageId, url } of body.offerLinks) assert.equal(url, `${publicUrl}/go/${pageId}/${ref}`)
  })

  test("a stranger's campaign looks like none", async () => {
    for (const ask of [register, lookUp]) {
      const theirs = await ask(newEmail(), stranger.campaignId)
      const none = await ask(newEmail(), 999_999)
      assertError(theirs, 404, 'CAMPAIGN_NOT_FOUND')
      assertError(none, 404, 'CAMPAIGN_NOT_FOUND')
      assert.equal(withoutRequestId(theirs), withoutRequestId(none))
    }
    const known = await shop.place.json(['lead', 'list', '--campaign', String(stranger.campaignId)])
    assert.ok(!JSON.stringify(known).includes('@'), 'a lead was written for a stranger')
  })

  test('a deleted campaign is not found', async () => {
    const { id } = await applyCampaign(shop, {})
    const email = newEmail()
    assertStatus(await register(email, id), 201)
    await shop.place.json(['campaign', 'delete', String(id), '--yes'])
    await sleep(1000)
    assertError(await register(email, id), 404, 'CAMPAIGN_NOT_FOUND')
    assertError(await lookUp(email, id), 404, 'CAMPAIGN_NOT_FOUND')
  })

  test('a name of any script comes through as it is', async () => {
    const name = 'Jesie\u0144 \u{1f342} "50 %" <b>\\ \u2028'
    const made = await shop.place.json(
      ['campaign', 'apply', '--account', String(stranger.accountId), '-'],
      campaignFile({ name }),
    )
    const { items } = (await call(shop.server, 'GET', '/campaigns', { key: stranger.key })).body
    assert.equal(items.find(({ id }: { id: number }) => id === made.id)?.name, name)
  })

  // In the short form test/cli/maintenance.test.ts holds it, of a server that it has anyway.
  longTest('links begin with the public address, whatever its path, and the descriptions name that path', async (t) => {
    const place = installation(t)
    const me = await owner(place)
    const server = await place.serve(['--public-url', 'https://example.com/offers/x'])
    const body = { email: newEmail() }
    const answer = await call(server, 'POST', leads(me.campaignId), { key: me.key, body })
    const { offerLinks, mailTimerUrl } = answer.body
    assert.ok(mailTimerUrl.startsWith('https://example.com/offers/x/timer/en/'))
    assert.ok(offerLinks[0].url.startsWith(`https://example.com/offers/x/go/${offerLinks[0].pageId}/`))
    for (const path of ['/api/public/v1', '/api/events/v1', '/api/conversions/v1']) {
      const described = (await (await fetch(`${server.origin}${path}/openapi.json`)).json()) as { servers: object[] }
      assert.deepEqual(described.servers, [{ url: `/offers/x${path}` }])
    }
  })
})

// by itself: an erasure that holds others up would fail the tests beside it instead of this one
test('an erased lead is new when it registers again', async () => {
  const email = newEmail()
  const first = await register(email)
  await shop.place.json(['lead', 'erase', '--campaign', String(shop.owner.campaignId), '--email', email])
  await sleep(1000)
  assertError(await lookUp(email), 404, 'LEAD_NOT_FOUND')
  const again = await register(email)
  assertStatus(again, 201)
  assert.notEqual(again.body.mailTimerUrl, first.body.mailTimerUrl)
})
