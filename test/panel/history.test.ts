// The request history in the panel: in a real browser, and by its API.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { amount, isFull, longTest } from '../support/faults.ts'
import { historyEntry, storeHistory } from '../support/history-seed.ts'
import { campaignFile } from '../support/lastcall.ts'
import { type PanelSession, panelSession } from '../support/panel-session.ts'
import { comesTrue } from '../support/prepared.ts'
import {
  assertAccessible,
  assertFits,
  assertUntroubled,
  type Person,
  panelStage,
  sharedStage,
  type Width,
  widthsByTurns,
} from './stage.ts'

// The long history would slow down the other files of a shared one.
const stage = isFull ? await panelStage({ after }, ['--rate-limit', '1000000']) : await sharedStage()
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const shopEntries = 180
const busyEntries = amount(8_000, 120_000)

let owner: Person
let shop: { id: string; key: string }
let tool: { id: string; key: string }
let busy: Person
let askBusy: PanelSession
let busyEndMs = 0

before(async () => {
  owner = await stage.person('owner')
  const account = ['--account', String(owner.accountId)]
  shop = await stage.place.json(['key', 'create', ...account, '--name', 'Shop'])
  tool = await stage.place.json(['key', 'create', ...account, '--name', 'Mailing tool'])
  await storeHistory(stage.place, ownerEntries())
  busy = await stage.person('busy')
  busyEndMs = Date.now() - hourMs
  await storeHistory(stage.place, busyHistory())
  askBusy = await panelSession(stage.place, stage.server, busy.accountId)
})

/** One each hour of the last week, the oldest first: every third by the tool, every ninth refused, ten failed. */
function ownerEntries() {
  const now = Date.now()
  const entries = Array.from({ length: 160 }, (_, index) => {
    const isRefused = index % 9 === 0
    const isFailed = index < 10
    return historyEntry({
      atMs: now - (160 - index) * hourMs,
      accountId: owner.accountId,
      keyId: index % 3 === 0 ? tool.id : shop.id,
      operation: index % 2 === 0 ? 'registerLead' : 'lookupLead',
      campaignId: 7,
      ...(isRefused && ({ status: 422, errorCode: 'VALIDATION_ERROR' } as const)),
      ...(isFailed && ({ status: 503, errorCode: 'SERVICE_UNAVAILABLE' } as const)),
    })
  })
  const lately = Array.from({ length: shopEntries - 160 }, (_, index) =>
    historyEntry({ atMs: now - 60_000 + index, accountId: owner.accountId, keyId: shop.id }),
  )
  return [...entries, ...lately]
}

/** In bursts of 2,000 within eight seconds, in the long form over five days and a half. */
const busyAtMs = (index: number) =>
  busyEndMs - (busyEntries / 2_000 - Math.floor(index / 2_000)) * 8_000_000 + (index % 2_000) * 4

function busyHistory() {
  return Array.from({ length: busyEntries }, (_, index) =>
    historyEntry({
      atMs: busyAtMs(index),
      accountId: busy.accountId,
      ...(index === 5 && ({ status: 500, errorCode: 'INTERNAL_ERROR' } as const)),
    }),
  )
}

const path = '/integrations/history'
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const rowsOf = (page: Page) => page.getByRole('table', { name: 'Requests', exact: true }).locator('tbody tr')
const request = (key: string) =>
  fetch(`${stage.server.base}/campaigns`, { headers: { Authorization: `Bearer ${key}` } })

async function opened(who: Person, at = path, options: { width?: Width; zone?: string } = {}): Promise<Page> {
  const page = await stage.open(who, { path: at, ...options })
  await rowsOf(page).first().waitFor()
  return page
}

const searchOf = (page: Page) => new URL(page.url()).searchParams
const statuses = async (page: Page) =>
  (await rowsOf(page).locator('td:nth-child(2)').allInnerTexts()).map((text) => text.trim())

test('one answer counts everything, by the time and the filters that are asked for', async () => {
  const from = busyEndMs - 6 * dayMs
  const counted = async (query: string) => {
    const { status, body } = await askBusy('GET', `/history/counts?from=${from}&to=${Date.now()}${query}`)
    assert.equal(status, 200)
    const times = body.bars.map(({ at }: { at: number }) => at)
    assert.deepEqual(times, [...new Set<number>(times)].sort())
    assert.ok(times.length <= 97, `${times.length} bars`)
    return body.bars.reduce((sum: number, bar: any) => sum + bar.succeeded + bar.refused + bar.failed, 0)
  }
  assert.equal(await counted(''), busyEntries)
  assert.equal(await counted('&statusClass=2'), busyEntries - 1)
  assert.equal(await counted('&code=INTERNAL_ERROR'), 1)
  assert.equal(await counted('&operation=registerLead'), 0)
})

test('a rare entry is found at once, and pages neither repeat nor leave out', async () => {
  const rare = await askBusy('GET', '/history?limit=50&code=INTERNAL_ERROR')
  assert.deepEqual(
    rare.body.entries.map(({ atMs }: { atMs: number }) => atMs),
    [busyAtMs(5)],
  )
  assert.equal(rare.body.next, null)

  const seen: number[] = []
  let before = ''
  for (let pages = 0; pages < 5; pages += 1) {
    const { body } = await askBusy('GET', `/history?limit=1000${before}`)
    assert.equal(body.entries.length, 1_000)
    seen.push(...body.entries.map(({ atMs }: { atMs: number }) => atMs))
    before = `&before=${body.next}`
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 5_000 }, (_, index) => busyAtMs(busyEntries - 1 - index)),
  )
})

test('another account’s requests are not seen, whatever is asked', async () => {
  const stranger = await stage.person('stranger')
  const ask = await panelSession(stage.place, stage.server, stranger.accountId)
  for (const query of ['', `&key=${shop.id}`, `&before=999999999999999.${shop.id}`]) {
    assert.deepEqual((await ask('GET', `/history?limit=50${query}`)).body.entries, [])
  }
  for (const query of ['', `key=${shop.id}`]) {
    assert.deepEqual((await ask('GET', `/history/counts?${query}`)).body.bars, [])
  }
  assert.deepEqual((await ask('GET', '/history/choices')).body.keys, [])
  for (const query of ['limit=7', 'limit=50&code=X', 'limit=50&from=5&to=5', 'limit=50&before=x']) {
    assert.equal((await ask('GET', `/history?${query}`)).status, 422)
  }
})

for (const width of widthsByTurns()) {
  longTest(`filters narrow the list, stand in the address, and outlive loading again: ${width}`, async () => {
    const page = await opened(owner, path, { width })
    await assertAccessible(page)
    await assertFits(page)
    assert.equal(await rowsOf(page).count(), 50)
    await page.getByLabel('Status').selectOption({ label: '5xx: failed' })
    await page.getByText('That is all.').waitFor()
    assert.equal(await rowsOf(page).count(), 10)
    for (const status of await statuses(page)) assert.match(status, /^503/)
    await page.getByLabel('Operation').selectOption({ label: 'Register a lead' })
    await page.getByLabel('Key', { exact: true }).selectOption({ label: `Mailing tool (${tool.id.slice(0, 8)})` })
    await page.getByLabel('Error code').selectOption('SERVICE_UNAVAILABLE')
    await page.waitForFunction(() => document.querySelectorAll('table[aria-label="Requests"] tbody tr').length === 2)
    const shown = await rowsOf(page).allInnerTexts()
    assert.deepEqual(Object.fromEntries(searchOf(page)), {
      status: '5',
      operation: 'registerLead',
      key: tool.id,
      code: 'SERVICE_UNAVAILABLE',
    })
    await page.reload()
    await rowsOf(page).first().waitFor()
    assert.deepEqual(await rowsOf(page).allInnerTexts(), shown)
    await button(page, 'Clear filters').click()
    await page.locator('main:focus').waitFor()
    await page.waitForFunction(() => document.querySelectorAll('table[aria-label="Requests"] tbody tr').length === 50)
    assert.equal(searchOf(page).size, 0)

    if (isFull) await assertFoundById(page)
    assertUntroubled(page)
  })
}

longTest('times in the address between which no request can be are left out', async () => {
  for (const span of ['from=2130-01-01', 'to=1999-12-31', 'from=%2B200000-01-01&to=%2B200001-01-01']) {
    const page = await opened(owner, `${path}?${span}`)
    assert.equal(await rowsOf(page).count(), 50, span)
    assertUntroubled(page)
  }
})

longTest('the last hour is that of the service, whatever the reader’s clock says', async () => {
  for (const hours of [2, -2]) {
    const page = await stage.open(owner, { isNew: true })
    await page.addInitScript((aheadMs) => {
      const now = Date.now
      Date.now = () => now() + aheadMs
    }, hours * hourMs)
    await page.goto(path)
    await rowsOf(page).nth(49).waitFor()
    await page.getByLabel('Period').selectOption('hour')
    await page.waitForFunction(() => document.querySelectorAll('table[aria-label="Requests"] tbody tr').length < 50)
    await rowsOf(page)
      .nth(shopEntries - 161)
      .waitFor()
    const from = Date.parse(searchOf(page).get('from') ?? '')
    assert.ok(Math.abs(Date.now() - hourMs - from) < 60_000, `${hours}: ${new Date(from).toISOString()}`)
    assertUntroubled(page)
  }
})

async function assertFoundById(page: Page): Promise<void> {
  const id = (await rowsOf(page).nth(7).locator('code').innerText()).trim()
  await page.getByLabel('Request id').fill(` ${id.slice(0, 13).toUpperCase()}`)
  await page.waitForFunction(() => document.querySelectorAll('table[aria-label="Requests"] tbody tr').length === 1)
  assert.equal((await rowsOf(page).locator('code').innerText()).trim(), id)
  assert.equal(searchOf(page).get('request'), id.slice(0, 13))
  await page.getByLabel('Request id').fill('no id')
  await page.getByText('Only digits, the letters a to f and hyphens.').waitFor()
  // Cleared as well where it is the only one.
  for (const isOnly of [false, true]) {
    if (isOnly) await page.getByLabel('Request id').fill('no id')
    await button(page, 'Clear filters').click()
    await page.getByText('Only digits, the letters a to f and hyphens.').waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('Request id').inputValue(), '')
    assert.equal(searchOf(page).size, 0)
  }
  await page.getByLabel('Request id').fill('0000000000000')
  await page.getByText('No request fits these filters').waitFor()
  await page.getByRole('button', { name: 'Show as a table' }).click()
  await page.getByText('No request came in this time').waitFor()
  await assertAccessible(page)
}

for (const width of widthsByTurns()) {
  longTest(`dragging across the chart zooms chart and list, and the way back undoes it: ${width}`, async () => {
    const page = await opened(owner, path, { width })
    const chart = page.getByRole('slider', { name: /^Requests from/ })
    const whole = await chart.getAttribute('aria-label')
    assert.match(whole ?? '', /Succeeded: 15\d\. Refused: 16\. Failed: 10\./)
    await chart.scrollIntoViewIfNeeded()
    const box = (await chart.boundingBox()) as { x: number; y: number; width: number; height: number }
    const plot = { x: box.x + 44, width: box.width - 44 }
    await page.mouse.move(plot.x + plot.width * 0.4, box.y + 80)
    await page.mouse.down()
    await page.mouse.move(plot.x + plot.width * 0.5, box.y + 90, { steps: 4 })
    await page.mouse.move(plot.x + plot.width * 0.6, box.y + 100, { steps: 4 })
    await page.mouse.up()
    await page.waitForURL(/from=/)
    const [from, to] = ['from', 'to'].map((name) => Date.parse(searchOf(page).get(name) ?? '')) as [number, number]
    const share = (to - from) / (7 * dayMs)
    assert.ok(share > 0.15 && share < 0.27, String(share))
    await page.getByText('That is all.').waitFor()
    const times = await rowsOf(page)
      .locator('time')
      .evaluateAll((all) => all.map((one) => Date.parse((one as HTMLTimeElement).dateTime)))
    assert.ok(times.length > 20)
    for (const at of times) assert.ok(at >= from && at < to)
    assert.notEqual(await chart.getAttribute('aria-label'), whole)
    await assertAccessible(page)
    await assertFits(page)
    await page.goBack()
    await page.waitForFunction(() => location.search === '')
    await page.waitForFunction(() => document.querySelectorAll('table[aria-label="Requests"] tbody tr').length === 50)
    assertUntroubled(page)
  })
}

longTest('zooming in goes to where the requests are', async () => {
  const late = await stage.person('late')
  const now = Date.now()
  const entries = Array.from({ length: 30 }, (_, index) =>
    historyEntry({ atMs: now - 3 * hourMs + index * 60_000, accountId: late.accountId, keyId: shop.id }),
  )
  await storeHistory(stage.place, [historyEntry({ atMs: now - 6 * dayMs, accountId: late.accountId }), ...entries])
  const page = await opened(late)
  for (let zooms = 0; zooms < 5; zooms += 1) {
    const before = page.url()
    await button(page, 'Zoom in').click()
    await page.waitForURL((url) => url.href !== before)
    const chart = page.getByRole('slider', { name: /^Requests from .* Succeeded: 30\./ })
    await chart.waitFor()
    const isCut = await chart.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
      const edge = (x: number) => canvas.getContext('2d')?.getImageData(x, 0, 1, canvas.height).data ?? [1]
      return [0, canvas.width - 1].some((x) => edge(x).some((value) => value > 0))
    })
    assert.ok(!isCut, 'a label is cut off')
  }
  assertUntroubled(page)
})

longTest('the keyboard zooms as well: by buttons, by the period, and from the table', async () => {
  assert.equal((await request(shop.key)).status, 200)
  // It is stored within a second.
  await sleep(1_500)
  const page = await opened(owner)
  const press = async (name: string) => {
    await button(page, name).focus()
    await page.keyboard.press('Enter')
  }
  const span = () => {
    const [from, to] = ['from', 'to'].map((name) => Date.parse(searchOf(page).get(name) ?? new Date().toISOString()))
    return (to as number) - (from as number)
  }
  await press('Zoom in')
  await page.waitForURL(/from=/)
  await page.waitForLoadState('networkidle')
  await button(page, 'Zoom in').and(page.locator(':focus')).waitFor()
  assert.ok(Math.abs(span() - 3.5 * dayMs) < 60_000, String(span()))
  await page.getByRole('slider', { name: /^Requests from/ }).waitFor()
  const before = searchOf(page).get('from') as string
  await press('← Earlier')
  await page.waitForFunction((old) => !location.search.includes(encodeURIComponent(old)), before)
  assert.ok((searchOf(page).get('from') as string) < before)
  await page.getByRole('slider', { name: /^Requests from/ }).waitFor()
  await press('Whole time')
  await page.waitForFunction(() => location.search === '')
  await page.getByRole('slider', { name: /^Requests from/ }).waitFor()
  await press('Show as a table')
  const table = page.getByRole('table', { name: 'Requests over time, as a table' })
  await table.waitFor()
  await assertAccessible(page)
  const zoomTo = table.getByRole('button', { name: /^Zoom to/ })
  // The last hours go on: what comes is announced.
  await zoomTo.first().press('Enter')
  await page.waitForURL(/from=[^&]*$/)
  await press('Whole time')
  await page.waitForFunction(() => location.search === '')
  await zoomTo.last().press('Enter')
  await page.waitForURL(/from=.*to=/)
  assert.equal(span(), 7_200_000)
  await page.getByLabel('Period').selectOption({ label: 'Last hour' })
  await page.waitForFunction(() => !location.search.includes('to='))
  await page.getByText('That is all.').waitFor()
  assert.ok((await rowsOf(page).count()) >= 20)
})

longTest('older entries are appended, newer ones announced: nothing moves beneath the reader', async () => {
  const page = await opened(owner, path, { zone: 'America/New_York' })
  // Its offset is another one where rows are from before clocks changed.
  await page.getByRole('columnheader', { name: 'Time (America/New_York)' }).waitFor()
  const first = await rowsOf(page).first().innerText()
  const rows = await rowsOf(page).allInnerTexts()
  await button(page, 'Show more').scrollIntoViewIfNeeded()
  const scrolled = await page.evaluate(() => scrollY)
  await button(page, 'Show more').click()
  await page.waitForFunction(() => document.querySelectorAll('table[aria-label="Requests"] tbody tr').length === 100)
  assert.equal(await page.evaluate(() => scrollY), scrolled)
  assert.deepEqual((await rowsOf(page).allInnerTexts()).slice(0, 50), rows)

  await page.evaluate(() => scrollTo(0, 0))
  const place = await rowsOf(page).first().boundingBox()
  const lists = rowsOf(page).filter({ hasText: 'List campaigns' })
  const listed = await lists.count()
  for (let n = 0; n < 3; n += 1) assert.equal((await request(shop.key)).status, 200)
  const announced = button(page, '3 new requests: show them')
  await announced.waitFor({ timeout: 15_000 })
  assert.equal(await rowsOf(page).first().innerText(), first)
  assert.deepEqual(await rowsOf(page).first().boundingBox(), place)
  await assertAccessible(page)
  await announced.click()
  await announced.waitFor({ state: 'detached' })
  await page.waitForFunction((old) => {
    const row = document.querySelector('table[aria-label="Requests"] tbody tr') as HTMLElement | null
    return row !== null && row.innerText !== old
  }, first)
  assert.equal(await lists.count(), listed + 3)
  assertUntroubled(page)
})

longTest('the export holds what the filters let through, and nothing that a spreadsheet would calculate', async () => {
  const page = await opened(owner, `${path}?status=4`)
  const downloading = page.waitForEvent('download')
  await button(page, 'Export as CSV').click()
  const download = await downloading
  assert.match(download.suggestedFilename(), /^lastcall-requests-\d{4}-\d\d-\d\d\.csv$/)
  const [head, ...lines] = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n')
  assert.equal(head, 'time,request_id,key_id,operation,campaign_id,status,error_code,milliseconds')
  assert.equal(lines.length, await rowsOf(page).count())
  const fields = lines.map((line) => line.split(','))
  for (const line of fields) {
    assert.equal(line.length, 8)
    assert.deepEqual([line[4], line[5], line[6]], ['7', '422', 'VALIDATION_ERROR'])
    for (const value of line) assert.doesNotMatch(value, /^[=+\-@]/)
  }
  const ids = (await rowsOf(page).locator('code').allInnerTexts()).map((id) => id.trim())
  assert.deepEqual(
    fields.map(([, id]) => id),
    ids,
  )
  assertUntroubled(page)
})

longTest('a long history is counted whole, and its export says where it ends', async () => {
  const page = await opened(busy, `${path}?code=INTERNAL_ERROR`)
  assert.equal(await rowsOf(page).count(), 1)
  await button(page, 'Clear filters').click()
  await page.getByRole('slider', { name: /Succeeded: 119,999\. Refused: 0\. Failed: 1\.$/ }).waitFor()
  const downloading = page.waitForEvent('download')
  await button(page, 'Export as CSV').click()
  const file = readFileSync(await (await downloading).path(), 'utf8')
  assert.equal(file.trim().split('\r\n').length, 100_001)
  await page.getByText('The file holds the newest 100,000 lines').waitFor()
  assertUntroubled(page)
})

for (const width of widthsByTurns()) {
  longTest(`in Polish, light and dark, empty and full: ${width}`, async () => {
    const dark = await stage.open(owner, { path, width, language: 'pl', scheme: 'dark' })
    await dark.getByRole('table', { name: 'Żądania' }).waitFor()
    await dark.getByRole('slider', { name: /^Żądania od/ }).waitFor()
    await assertAccessible(dark)
    await assertFits(dark)
    await dark.getByRole('button', { name: 'Pokaż jako tabelę' }).click()
    await assertAccessible(dark)
    await assertFits(dark)

    const newcomer = await stage.person(`newcomer-${width}`)
    const page = await stage.open(newcomer, { path, width, language: 'pl' })
    await page.getByText('Nie było żadnego żądania').waitFor()
    await assertAccessible(page)
    await assertFits(page)
    await page.getByRole('link', { name: 'Przejdź do kluczy' }).click()
    await page.getByText('Nie ma jeszcze żadnego klucza').waitFor()
    // Who has a key, and a quiet week, is not asked to make one.
    await stage.place.json(['key', 'create', '--account', String(newcomer.accountId), '--name', 'Shop'])
    await page.goto(path)
    await page.getByText('w ciągu ostatnich 7 dni').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Przejdź do kluczy' }).count(), 0)
    assertUntroubled(page)
  })
}

longTest('a real request is in the history seconds later', async () => {
  const page = await opened(owner)
  const { status, headers } = await request(tool.key)
  assert.equal(status, 200)
  const id = headers.get('x-request-id') as string
  const isThere = async () => {
    await page.goto(`${path}?request=${id}`)
    await page.getByText(/That is all|No request fits/).waitFor()
    return (await page.getByText(id).count()) === 1
  }
  assert.ok(await comesTrue(5_000, isThere))
  assert.match(await rowsOf(page).innerText(), /Mailing tool/)
})

longTest('an address with filters leads there through signing in as well', async () => {
  const page = await stage.open(undefined, { path: `${path}?status=5&operation=registerLead` })
  await page.getByLabel('Email').fill(owner.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(owner.password)
  await button(page, 'Sign in').click()
  await page.getByText('That is all.').waitFor()
  assert.equal(await rowsOf(page).count(), 5)
  assert.deepEqual(Object.fromEntries(searchOf(page)), { status: '5', operation: 'registerLead' })
})

longTest(
  'an entry opens with all that is kept of it and its campaign by name, and a key leads to its requests',
  async () => {
    const person = await stage.person('named')
    const account = String(person.accountId)
    const { id } = await stage.place.json(
      ['campaign', 'apply', '--account', account, '-'],
      campaignFile({ name: 'Autumn' }),
    )
    const key = await stage.place.json(['key', 'create', '--account', account, '--name', 'Form'])
    const other = await stage.place.json(['key', 'create', '--account', account, '--name', 'Other'])
    const entry = (keyId: string, ago: number) =>
      historyEntry({
        atMs: Date.now() - ago,
        accountId: person.accountId,
        keyId,
        operation: 'lookupLead',
        campaignId: id,
      })
    const entries = [entry(key.id, 1_000), entry(key.id, 2_000), entry(key.id, 2 * dayMs), entry(other.id, 3_000)]
    await storeHistory(stage.place, entries)
    const page = await stage.open(person, { path: '/integrations' })
    // Two of the three were in the last day.
    await page.getByRole('link', { name: 'Requests with Form in the last 24 hours: 2' }).click()
    await page.waitForURL(`**/integrations/history?key=${key.id}&from=*`)
    await page.getByRole('table').getByRole('link', { name: 'Autumn' }).first().waitFor()
    assert.equal(await page.locator('tbody tr').count(), 2)
    const opener = page.getByRole('button', { name: `Open request ${entries[0]?.requestId}` })
    await opener.click()
    const drawer = page.getByRole('dialog', { name: 'Request' })
    await drawer.getByText(entries[0]?.requestId as string).waitFor()
    await drawer.getByText('Form (lastcall_').waitFor()
    await drawer.getByRole('link', { name: 'Autumn' }).waitFor()
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    assert.equal(await opener.evaluate((button) => button === document.activeElement), true)
    assertUntroubled(page)
  },
)
