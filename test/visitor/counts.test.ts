// Clicks, opens and visits are counted by day, for campaign, page and lead; nothing else of recipients is kept.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateOf, timeZone, today } from '../support/amid-day.ts'
import { applyCampaign, call, commandPauseMs, eventually, hangUp, openShop } from '../support/api.ts'
import { historyOf } from '../support/history.ts'
import { ask, open, random32, recipient } from '../support/recipient.ts'

const shop = openShop({ isAlone: true })
const none = { person: 0, proxy: 0, scanner: 0 }
const googleProxy = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'
const statsOf = (id: number) => shop.place.json(['campaign', 'stats', String(id)])

test('fetches are counted by kind, page and fetcher; HEAD, unknown refs, errors and the gate are not', async () => {
  const pages = [{ pageUrl: 'https://x.pl/1' }, { pageUrl: 'https://x.pl/2' }]
  const campaign = await applyCampaign(shop, { timeZone, pages, anonymous: { enabled: true } })
  const of = { campaignId: campaign.id }
  const [first, second] = [await recipient(shop, of), await recipient(shop, of)]
  const as = (agent: string) => ({ headers: { 'User-Agent': agent } })
  await open(shop, first.links[0] as string)
  await open(shop, first.links[0] as string, as('curl/8.5.0'))
  await open(shop, first.links[1] as string)
  await open(shop, second.links[1] as string)
  await open(shop, first.image, as(googleProxy))
  await open(shop, first.image)
  for (const path of [...first.links, first.image]) await open(shop, path, { method: 'HEAD' })
  await open(shop, `/visitor/v1/campaigns/${campaign.id}/gate?lc=${first.ref}`)
  await open(shop, `/go/${campaign.pages[0].id}/${random32()}`)
  await open(shop, `/timer/en/${random32()}.gif`)
  await ask(shop, 'offer', { lc: first.ref, visit: true, page: 'http://x.pl/2/?utm=1#top' }, of)
  await ask(shop, 'offer', { lc: first.ref, visit: false }, of)
  await ask(shop, 'offer', { client: random32(), visit: true, page: 'https://y.pl/2' }, of)

  const totals = {
    click: { person: 3, proxy: 0, scanner: 1 },
    open: { person: 1, proxy: 1, scanner: 0 },
    visit: { person: 2, proxy: 0, scanner: 0 },
    registration: { person: 2, proxy: 0, scanner: 0 },
    conversion: none,
  }
  const stats = await eventually(
    5,
    () => statsOf(campaign.id),
    // Sign-ups are stored behind the other counts, in a transaction of their own.
    ({ totals: { visit, registration } }) => visit.person === 2 && registration.person === 2,
    commandPauseMs,
  )
  assert.deepEqual(stats.totals, totals)
  const [one, two] = campaign.pages.map(({ id }: { id: number }) => id)
  const row = (kind: string, pageId: number | null, fetcher: string, total: number) => {
    return { day: dateOf(today), kind, pageId, fetcher, total }
  }
  const key = (one: object) => JSON.stringify(one)
  assert.deepEqual(
    stats.days.map(key).sort(),
    [
      row('click', one, 'person', 1),
      row('click', one, 'scanner', 1),
      row('click', two, 'person', 2),
      row('open', null, 'person', 1),
      row('open', null, 'proxy', 1),
      row('registration', null, 'person', 2),
      row('visit', two, 'person', 1),
      row('visit', null, 'person', 1),
    ]
      .map(key)
      .sort(),
  )
  const ofLead = ['--campaign', String(campaign.id), '--email', first.email]
  const seen = {
    click: { person: 2, proxy: 0, scanner: 1 },
    open: { person: 1, proxy: 1, scanner: 0 },
    visit: { person: 1, proxy: 0, scanner: 0 },
  }
  assert.deepEqual((await shop.place.json(['lead', 'stats', ...ofLead])).totals, { ...seen, conversion: none })
  for (const order of ['1', '2', '3']) await shop.place.json(['lead', 'convert', ...ofLead, '--order', order])
  await shop.place.json(['conversion', 'reverse', '--campaign', String(campaign.id), '--order', '2'])
  const after = await shop.place.json(['lead', 'stats', ...ofLead])
  assert.deepEqual(after.totals, { ...seen, conversion: { ...none, person: 2 } })
  const orders = after.days.filter(({ kind }: { kind: string }) => kind === 'conversion')
  assert.deepEqual(
    orders.map(({ total }: { total: number }) => total),
    [2],
  )
  const { code, stderr } = await shop.place.runShared(['campaign', 'stats', '999999'])
  assert.deepEqual([code, stderr], [2, 'lastcall: ID: there is no campaign 999999\n'])
})

test('an open is counted whatever the image shows, as long as it is that of a lead', async () => {
  const campaign = await applyCampaign(shop, {})
  const { image } = await recipient(shop, { campaignId: campaign.id })
  const account = String(shop.owner.accountId)
  const states: [string, string[], object?][] = [
    ['no-timer', ['campaign', 'apply', '--account', account, '-'], { ...campaign, mailTimer: null }],
    ['draft', ['campaign', 'apply', '--account', account, '-'], { ...campaign, isDraft: true }],
    ['open', ['campaign', 'apply', '--account', account, '-'], campaign],
    ['tools-unavailable', ['account', 'set', account, '--countdown-tools', 'false']],
    ['suspended', ['account', 'set', account, '--suspended', 'true']],
    ['suspended', ['account', 'set', account, '--countdown-tools', 'true']],
    ['open', ['account', 'set', account, '--suspended', 'false']],
  ]
  let opens = 0
  for (const [state, args, file] of states) {
    await shop.place.json(args, file && JSON.stringify(file))
    await eventually(
      1,
      () => open(shop, image, { method: 'HEAD' }),
      ({ headers }) => headers['x-timer-state'] === state,
    )
    await open(shop, image)
    opens += 1
  }
  await eventually(
    5,
    () => statsOf(campaign.id),
    ({ totals }) => totals.open.person === opens,
    commandPauseMs,
  )
})

test('what was answered before a stop is in the history after it, and counts that wait are added to those stored', async () => {
  const { id } = await applyCampaign(shop, {})
  const { image } = await recipient(shop, { campaignId: id })
  await open(shop, image)
  await eventually(
    5,
    () => statsOf(id),
    ({ totals }) => totals.open.person === 1,
    commandPauseMs,
  )
  const list = () => call(shop.server, 'GET', '/campaigns', { key: shop.owner.key })
  const answers = await Promise.all(Array.from({ length: 20 }, list))
  await open(shop, image)
  hangUp()
  assert.equal(await shop.server.stop(), 0)
  const known = new Set((await historyOf(shop.place, shop.owner.accountId)).map(({ requestId }) => requestId))
  for (const { headers } of answers) assert.ok(known.has(String(headers['x-request-id'])))
  const { totals } = await statsOf(id)
  const [opens, registration] = [2, 1].map((person) => ({ person, proxy: 0, scanner: 0 }))
  assert.deepEqual(totals, { click: none, open: opens, visit: none, registration, conversion: none })
})
