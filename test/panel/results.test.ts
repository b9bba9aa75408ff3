// What the panel shows of a campaign's results, and the overview of all campaigns.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { changeText, shareText } from '../../panel/src/parts/percent.ts'
import { tester } from '../support/actor.ts'
import { dateOf, startOf, timeZone, today } from '../support/amid-day.ts'
import { decisionOf } from '../support/decision.ts'
import { longTest } from '../support/faults.ts'
import { campaignFile } from '../support/lastcall.ts'
import { assertAccessible, assertFits, assertUntroubled, comeBack, sharedStage, widths } from './stage.ts'

const stage = await sharedStage()
const owner = await stage.person('owner')
const account = String(owner.accountId)
const apply = (changes: Record<string, unknown>) =>
  stage.place.json(['campaign', 'apply', '--account', account, '-'], campaignFile(changes))
const { id } = await apply({
  name: 'Kurs jesienny: „Łódź żółć” для всех, którego nazwa jest dłuższa niż nazwa pliku',
  timeZone,
  pages: [{ pageUrl: 'https://shop.example.com/' }],
})

await stage.place.arrange(async (store) => {
  const of = { accountId: owner.accountId, campaignId: id as number }
  const campaign = await store.configuration.findCampaign(id)
  await store.counts.addSignups([
    { ...of, converted: 0, fromAt: startOf(today), signedUp: 20, started: 15, clicked: 5 },
    { ...of, converted: 0, fromAt: startOf(today - 3), signedUp: 10, started: 6, clicked: 1 },
    { ...of, converted: 0, fromAt: startOf(today - 10), signedUp: 20, started: 20, clicked: 20 },
  ])
  const of_ = { ...of, leadId: null, fetcher: 'person' as const, lastAt: 1 }
  const pageId = campaign?.pages[0]?.id as number
  await store.counts.add([
    { ...of_, day: today, pageId, kind: 'click', total: 7 },
    { ...of_, day: today, pageId: null, kind: 'visit', total: 1_234 },
    { ...of_, day: today, pageId: null, kind: 'open', total: 1_234_567 },
    { ...of_, day: today - 8, pageId, kind: 'click', total: 4 },
    { ...of_, day: today - 8, pageId: null, kind: 'visit', total: 1_231 },
    { ...of_, day: today, pageId, kind: 'click', fetcher: 'scanner', total: 99 },
  ])
})

test('the results show people through the steps, the time before, pages and days, and say since when starts count', async () => {
  const page = await stage.open(owner, { path: `/campaigns/${id}` })
  await page.getByText('7 days', { exact: true }).click()
  const steps = page.getByRole('listitem').filter({ hasText: 'before' })
  await page.getByText('Signed up 30').waitFor()
  assert.deepEqual(
    (await steps.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')),
    [
      'Signed up 30 ▲ +50% (before: 20)',
      'Offer started 21 · 70% of those who signed up ▲ +5% (before: 20)',
      'Clicked a link 6 · 20% of those who signed up ▼ -70% (before: 20)',
    ],
  )
  await page.getByText('▲ +0.2% (before: 1,231)').waitFor()
  await page.getByText(/^“Offer started” is counted since/).waitFor()
  assert.match(await page.getByRole('row', { name: 'https://shop.example.com/' }).innerText(), /7\s+0/)
  assert.match(await page.getByRole('row', { name: 'Other pages' }).innerText(), /0\s+1,234/)
  assert.equal(new URL(page.url()).searchParams.get('from'), dateOf(today - 6))
  await assertAccessible(page)
  await assertFits(page)
  assertUntroubled(page)
  await page.setViewportSize(widths.phone)
  // The frame around the screen moves for a moment.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))
  const millions = await page.getByRole('definition').filter({ hasText: '1,234,567' }).boundingBox()
  assert.ok(millions && millions.height < 40, 'a number is in one line')
})

test('a little is not said to be none, nor a little that is left to be gone', () => {
  assert.deepEqual(
    [0, 1 / 201, 1 / 200, 0.5, 1].map((share) => shareText(share, 'en')),
    ['0%', '< 1%', '1%', '50%', '100%'],
  )
  assert.deepEqual(
    [0, 0.0001, 0.014].map((share) => shareText(share, 'pl', 1)),
    ['0%', '< 0,1%', '1,4%'],
  )
  const changes = [0, 1, 6, 500, 1_001, 1_500].map((now) => changeText(now, 1_000, 'en'))
  assert.deepEqual(changes, ['-100%', '-99.9%', '-99%', '-50%', '+0.1%', '+50%'])
  assert.equal(changeText(1, 1_000_000, 'pl'), '-99,9%')
})

longTest('two pages with one address have a line each, also after their order has changed', async () => {
  const pageUrl = 'https://shop.example.com/'
  const { id: twinsId } = await apply({ name: 'Twins', timeZone, pages: [{ pageUrl }, { pageUrl }] })
  const page = await stage.open(owner, { path: '/campaigns' })
  const twins = [1, 2].map((click) => ({ pageUrl, click, visit: 0 }))
  const other = { pageUrl: 'https://shop.example.com/other', click: 3, visit: 0 }
  let answers = 0
  await page.route('**/results?*', async (route) => {
    const answer = await (await page.request.get(route.request().url())).json()
    answers += 1
    await route.fulfill({ json: { ...answer, pages: answers === 1 ? [...twins, other] : [other, ...twins] } })
  })
  await page.goto(`/campaigns/${twinsId}`)
  const rows = page.getByRole('row', { name: 'https://shop.example.com/' })
  await rows.nth(2).waitFor()
  await comeBack(page)
  await rows.first().getByText('other').waitFor()
  assert.equal(await rows.count(), 3)
})

longTest('a day in the address that no month has, or is from before 1971, is left out', async () => {
  for (const days of ['from=2026-02-31&to=2026-03-05', 'from=2026-13-01', 'from=0001-01-01&to=0001-01-09']) {
    const page = await stage.open(owner, { path: `/campaigns/${id}?${days}` })
    await page.getByRole('heading', { name: 'Sales' }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    assertUntroubled(page)
  }
})

longTest('the day since which starts count is one of the campaign’s time zone, wherever its reader is', async () => {
  const timeZone = 'Pacific/Kiritimati'
  const { id: farId } = await apply({ name: 'Far', timeZone })
  const since = await stage.place.arrange(async (store) => {
    const of = { accountId: owner.accountId, campaignId: farId as number, converted: 0 }
    await store.counts.addSignups([{ ...of, fromAt: startOf(today - 3), signedUp: 1, started: 0, clicked: 0 }])
    return store.counts.startsSince()
  })
  // It is always another day there.
  const page = await stage.open(owner, { path: `/campaigns/${farId}`, zone: 'Etc/GMT+12' })
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone }).format(since * 1_000)
  await page.getByText(`“Offer started” is counted since ${day}.`).waitFor()
})

longTest(
  'where nobody signed up before starts were counted, the results do not say that some are missing',
  async () => {
    const { id: newId } = await apply({ name: 'New', timeZone: 'UTC' })
    await stage.place.json(['lead', 'import', '--campaign', String(newId), '-'], 'email\nada@example.com\n')
    const page = await stage.open(owner, { path: `/campaigns/${newId}` })
    await page.getByText('Signed up 1').waitFor()
    assert.equal(await page.getByText(/^“Offer started” is counted since/).count(), 0)
  },
)

longTest('a browser whose language is none, as one started without a locale, shows the chart', async () => {
  const page = await stage.open(owner, { path: '/settings', isNew: true })
  const rename = () => Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' })
  await page.context().addInitScript(rename)
  await page.goto(`/campaigns/${id}`)
  assert.equal(await page.evaluate(() => navigator.language), 'en')
  await page.getByRole('slider').first().waitFor()
  assertUntroubled(page)
})

longTest('the chart goes from day to day by arrow keys, says its numbers, and has them as a table', async () => {
  const page = await stage.open(owner, { path: `/campaigns/${id}/results?from=${dateOf(today - 6)}` })
  const chart = page.getByRole('slider', { name: 'People by the day they signed up' })
  await chart.focus()
  const last = /Signed up: 20, Offer started: 15, Clicked a link: 5$/
  assert.match((await chart.getAttribute('aria-valuetext')) ?? '', last)
  await page.keyboard.press('End')
  assert.match((await chart.getAttribute('aria-valuetext')) ?? '', last)
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('ArrowLeft')
  assert.match(
    (await chart.getAttribute('aria-valuetext')) ?? '',
    /Signed up: 10, Offer started: 6, Clicked a link: 1$/,
  )
  await page.getByRole('button', { name: 'Show as a table' }).first().click()
  const rows = page.getByRole('table', { name: 'People by the day they signed up' }).getByRole('row')
  assert.equal(await rows.count(), 8)
  assert.match(await rows.nth(1).innerText(), /20\s+15\s+5/)
  await assertAccessible(page)
})

longTest('dragging over the chart zooms to those days; the file has a line for each', async () => {
  const page = await stage.open(owner, { path: `/campaigns/${id}/results?from=${dateOf(today - 6)}` })
  const box = await page.locator('.u-over').first().boundingBox()
  assert.ok(box)
  await page.mouse.move(box.x + box.width / 2, box.y + 50)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width - 2, box.y + 50, { steps: 4 })
  await page.mouse.up()
  await page.waitForURL((url) => url.searchParams.get('from') === dateOf(today - 3))
  await page.getByText('Signed up 30').waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  const days = `${dateOf(today - 3)}-${dateOf(today)}`
  assert.equal(file.suggestedFilename(), `kurs-jesienny-łódź-żółć-для-всех-którego-nazwa-jes-results-${days}.csv`)
  const lines = (await readFile(await file.path(), 'utf8')).split('\r\n')
  assert.equal(lines[0], 'date,signed_up,started,clicked,clicks,visits,opens')
  assert.deepEqual(lines.slice(1), [
    `${dateOf(today - 3)},10,6,1,0,0,0`,
    `${dateOf(today - 2)},0,0,0,0,0,0`,
    `${dateOf(today - 1)},0,0,0,0,0,0`,
    `${dateOf(today)},20,15,5,7,1234,1234567`,
    '',
  ])
})

longTest('on the overview what is alike is one line, which opens', async () => {
  const busy = await stage.person('busy')
  await stage.place.arrange(async (store) => {
    const campaign = campaignFile({ pages: [], name: 'No page' })
    const { checkCampaign } = await import('../../src/core/campaign.ts')
    const checked = checkCampaign(JSON.parse(campaign))
    assert.ok('campaign' in checked)
    for (let n = 0; n < 12; n += 1) await store.configuration.applyCampaign(busy.accountId, checked.campaign, tester)
    const found = await store.configuration.newestPublished(busy.accountId, 1)
    const live = await store.configuration.findCampaign(found[0] as number)
    assert.ok(live)
    const decision = decisionOf(live, Math.floor(Date.now() / 1_000))
    await store.leads.write(live, 'ada@example.com', () => decision, true)
  })
  const page = await stage.open(busy)
  const line = page.getByText('12 published campaigns have no page that mails link to, so their leads get no link.')
  await line.click()
  assert.equal(await page.getByRole('link', { name: 'No page' }).count(), 12)
  assert.match(await page.locator('dl').innerText(), /Open offers\s+1\s+now, in 12 published campaigns/)
  await assertAccessible(page)
})
