// The leads of a campaign: found, looked at, changed, imported and exported, in a real browser.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { deadlineInWords } from '../../src/core/mail-html.ts'
import { visitorName } from '../../src/core/visitor.ts'
import type { Campaign } from '../../src/store/model.ts'
import { openStore } from '../../src/store/open.ts'
import { amount, isFull, longTest, someOf } from '../support/faults.ts'
import { appliedCampaign, campaignFile, type Server } from '../support/lastcall.ts'
import { panelSession } from '../support/panel-session.ts'
import { comesTrue } from '../support/prepared.ts'
import {
  assertAccessible,
  assertClearOf,
  assertFits,
  assertUntroubled,
  atBothWidths,
  comeBack,
  goTo,
  longAtBothWidths,
  mayClose,
  type Person,
  sharedStage,
  widths,
} from './stage.ts'

const stage = await sharedStage()
const { place, person, open } = stage
const owner = await person('owner')
const stranger = await person('stranger')

const pages = [{ pageUrl: 'https://example.com/offer?x=1#buy' }, { pageUrl: 'https://example.com/second' }]

async function campaignOf(who: Person, changes: Record<string, unknown> = {}): Promise<any> {
  return place.arrange((store) => appliedCampaign(store, who.accountId, campaignFile({ pages, ...changes })))
}

/** On the command line, which has tests of its own. */
async function imported(campaignId: number, emails: string[]): Promise<void> {
  writeFileSync(join(place.folder, 'seed.csv'), `email\n${emails.map(quoted).join('\n')}\n`)
  await place.json(['lead', 'import', '--campaign', String(campaignId), 'seed.csv'])
}

const quoted = (email: string) => `"${email.replaceAll('"', '""')}"`
const shown = (campaignId: number, email: string) =>
  place.json(['lead', 'show', '--campaign', String(campaignId), '--email', email])
const listOf = async (campaignId: number): Promise<string[]> =>
  (await place.json<any[]>(['lead', 'list', '--campaign', String(campaignId)])).map(({ email }) => email)
const leadsPath = (campaignId: number, ref = '') => `/campaigns/${campaignId}/leads${ref && `/${ref}`}`
const links = (page: Page) => page.locator('main').getByRole('link').filter({ hasText: '@' })
const numbered = (count: number, name: string) =>
  Array.from({ length: count }, (_, n) => `${name}-${String(n).padStart(5, '0')}@example.com`)

/** What a request of the panel answers to somebody's session. */
async function asked(page: Page, method: string, path: string, data?: unknown) {
  const answer = await page.request.fetch(`/panel/api${path}`, {
    method,
    ...(data !== undefined && { data }),
  })
  return { status: answer.status(), body: await answer.json() }
}

const everything = { prefix: '', state: null, afterEmail: '', limit: 1_000 }

longAtBothWidths('leads are found by the beginning of their address, page by page, and none twice', async (width) => {
  const campaign = await campaignOf(owner)
  const planted = '"<img src=x onerror=window.ran=1>"@example.com'
  const emails = [...numbered(120, 'ada'), ...numbered(3, 'adele'), '"=x y"@example.com', '+plus@example.com', planted]
  await imported(campaign.id, emails)
  const requests: string[] = []
  const page = await open(owner, { path: leadsPath(campaign.id), width })
  page.on('request', (request) => requests.push(request.url()))
  await links(page).nth(49).waitFor()
  assert.equal(await links(page).count(), 50)
  await assertAccessible(page)
  const shown = await links(page).allTextContents()
  for (const [next, last] of [
    [2, '51–100'],
    [3, '101–126'],
  ] as const) {
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.locator('main:focus').waitFor()
    await page.getByText(last).waitFor()
    await page.waitForURL(`**/leads?page=${next}`)
    shown.push(...(await links(page).allTextContents()))
  }
  await page.getByRole('group', { name: 'Leads by state' }).getByText('126 leads').waitFor()
  assert.deepEqual(shown, [...emails].sort())
  await page.reload()
  await page.getByText('101–126').waitFor()
  assert.deepEqual(await links(page).allTextContents(), [...emails].sort().slice(100))
  await page.goBack()
  await page.getByText('51–100').waitFor()
  await page.getByRole('button', { name: 'Previous page' }).click()
  await page.getByText('1–50').waitFor()
  assert.equal(await page.evaluate(() => 'ran' in window), false)

  await page.getByLabel('Search by email').fill('adel')
  await page.getByRole('status').getByText('3 leads').waitFor()
  assert.deepEqual(await links(page).allTextContents(), numbered(3, 'adele'))
  await page.getByLabel('Search by email').fill('Ada')
  await page.getByRole('status').getByText('No email begins like that.').waitFor()
  await page.getByLabel('Search by email').fill('+')
  await links(page).filter({ hasText: '+plus' }).click()
  await page.getByRole('dialog', { name: 'Lead' }).getByText('+plus@example.com').waitFor()
  for (const url of [...requests, page.url()]) assert.doesNotMatch(decodeURIComponent(url), /plus|adel|@/)
  assertUntroubled(page)
})

longTest('a phone shows cards, in Polish and in the dark as well', async () => {
  const campaign = await campaignOf(owner, { name: 'Kampania' })
  await imported(campaign.id, numbered(4, 'długi'.replace('ł', 'l').repeat(20)))
  const page = await open(owner, {
    ...{ path: leadsPath(campaign.id), width: 'phone', language: 'pl', scheme: 'dark' },
  })
  await page.getByRole('status').getByText('4 odbiorców').waitFor()
  await assertFits(page)
  await assertAccessible(page)
  await links(page).first().click()
  const drawer = page.getByRole('dialog', { name: 'Odbiorca' })
  await drawer.getByText('Przebieg').waitFor()
  await assertFits(page)
  await assertAccessible(page)
  assertUntroubled(page)
})

longAtBothWidths('a state is looked for in steps that say how far they got, and goes on by itself', async (width) => {
  const campaign = await campaignOf(owner)
  await imported(campaign.id, [...numbered(2_500, 'many'), 'zoe@example.com'])
  for (const email of ['many-01200@example.com', 'zoe@example.com']) {
    const set = ['lead', 'deadline', '--campaign', String(campaign.id), '--email', email]
    await place.json([...set, '--at', '2020-01-01T00:00:00Z'])
  }
  const page = await open(owner, { path: leadsPath(campaign.id), width })
  const step = { ...everything, state: 'expired', limit: 50 }
  const path = `/campaigns/${campaign.id}/leads/search`
  const first = await asked(page, 'POST', path, step)
  assert.deepEqual([first.body.read, first.body.leads.length], [1_000, 0])
  assert.equal(first.body.afterEmail, 'many-00999@example.com')
  const second = await asked(page, 'POST', path, { ...step, afterEmail: first.body.afterEmail })
  assert.deepEqual(
    second.body.leads.map(({ email }: any) => email),
    ['many-01200@example.com'],
  )
  // A step that finds more than it is asked for ends at the last that it gives.
  const cut = await asked(page, 'POST', path, { ...step, state: 'open', limit: 3 })
  assert.deepEqual([cut.body.read, cut.body.leads.length, cut.body.afterEmail], [3, 3, 'many-00002@example.com'])

  // So does the last one.
  const narrow = { ...step, prefix: 'many-024', state: 'open', limit: 60 }
  const last = await asked(page, 'POST', path, narrow)
  assert.deepEqual([last.body.read, last.body.afterEmail], [60, 'many-02459@example.com'])
  const rest = await asked(page, 'POST', path, { ...narrow, afterEmail: last.body.afterEmail })
  assert.deepEqual([rest.body.read, rest.body.afterEmail], [40, null])

  const states = page.getByRole('group', { name: 'Leads by state' })
  await states.getByRole('button', { name: 'Expired' }).click()
  await page.getByText('2,501 leads looked through, 2 found').waitFor()
  assert.deepEqual(await links(page).allTextContents(), ['many-01200@example.com', 'zoe@example.com'])
  await states.getByRole('button', { name: 'Opens later' }).click()
  await page.getByText('No lead is in this state now.').waitFor()

  // Between two steps it can be stopped, and then goes on from there.
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route('**/leads/search', async (route) => {
    if (JSON.parse(route.request().postData() ?? '').afterEmail !== '') await held
    await route.continue()
  })
  await states.getByRole('button', { name: 'Waits for a visit' }).click()
  await page.getByText('1,000 leads looked through, 0 found, up to many-00999@example.com').waitFor()
  // Not said at each step, but when it ends.
  const far = page.getByRole('status').filter({ hasText: 'leads looked through' })
  await far.and(page.locator('[aria-busy=true]')).waitFor()
  await page.getByRole('button', { name: 'Stop' }).press('Enter')
  letGo()
  await far.and(page.locator('[aria-busy=false]')).getByText('2,000 leads looked through').waitFor()
  await page.locator('button:focus', { hasText: 'Go on' }).press('Enter')
  await page.getByText('2,501 leads looked through, 0 found').waitFor()
  // The button goes with the last step.
  await page.locator('[role=status]:focus').filter({ hasText: '2,501 leads' }).waitFor()
  assertUntroubled(page)
})

test('visitors without an email are never shown, by no search and no ref', async () => {
  const campaign = await campaignOf(owner, { anonymous: { enabled: true } })
  const client = '0123456789abcdef'.repeat(2)
  const answer = await fetch(`${stage.server.origin}/visitor/v1/campaigns/${campaign.id}/offer`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain;charset=UTF-8', 'User-Agent': 'Mozilla/5.0 Firefox/140.0' },
    body: JSON.stringify({ client, visit: true }),
  })
  assert.equal(answer.status, 200, await answer.text())
  const ask = await panelSession(place, stage.server, owner.accountId)
  const { hasLeads, hasLeadsOrVisitors } = (await ask('GET', `/campaigns/${campaign.id}`)).body
  assert.deepEqual([hasLeads, hasLeadsOrVisitors], [false, true])
  await imported(campaign.id, ['one@example.com'])
  for (const prefix of ['', ' ', ' 0', ` ${client}`]) {
    const found = await ask('POST', `/campaigns/${campaign.id}/leads/search`, { ...everything, prefix })
    assert.deepEqual(
      found.body.leads.map(({ email }: any) => email),
      prefix === '' ? ['one@example.com'] : [],
    )
  }
  const path = place.databaseUrl.slice('file:'.length)
  const store = await openStore(
    { engine: 'sqlite', path },
    { lockWaitMs: 1_000, timeoutMs: 1_000, poolSize: 1, isServer: false },
  )
  const refOf = async (name: string) => {
    const read = (await store.configuration.findCampaign(campaign.id)) as Campaign
    return (await store.leads.find(read, name))?.ref
  }
  const [visitor, lead] = [await refOf(visitorName(client)), await refOf('one@example.com')]
  await store.close()
  assert.ok(visitor !== undefined && lead !== undefined)
  const statusOf = async (ref: string) => (await ask('GET', `/campaigns/${campaign.id}/leads/${ref}`)).status
  assert.deepEqual([await statusOf(visitor), await statusOf(lead)], [404, 200])
  if (!isFull) return
  const page = await open(owner, { path: leadsPath(campaign.id) })
  await page.getByRole('status').getByText('1 lead', { exact: true }).waitFor()
})

longAtBothWidths('a lead is added by hand, refused where it is none, and in a draft with what to do', async (width) => {
  const campaign = await campaignOf(owner)
  const page = await open(owner, { path: leadsPath(campaign.id), width })
  await page.getByText('Nobody has signed up for this campaign yet').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Add lead' }).first().click()
  await page.getByRole('textbox', { name: 'Email', exact: true }).fill('no address')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByText('Not a valid email address').waitFor()
  await assertAccessible(page)
  await assertFits(page)
  await page.getByRole('textbox', { name: 'Email', exact: true }).fill('New.Lead@example.com')
  await page.getByRole('button', { name: 'Sign up' }).click()
  const drawer = page.getByRole('dialog', { name: 'Lead' })
  await drawer.getByText('New.Lead@example.com').waitFor()
  const lead = await shown(campaign.id, 'New.Lead@example.com')
  assert.equal(page.url(), `${stage.server.origin}${leadsPath(campaign.id, lead.ref)}`)
  assert.equal(lead.state, 'open')
  await drawer.getByText('The lead is signed up.').waitFor()
  await assertAccessible(page)
  await drawer.getByRole('button', { name: 'Close' }).click()
  assert.deepEqual(await links(page).allTextContents(), ['New.Lead@example.com'])
  await page.getByRole('group', { name: 'Leads by state' }).getByText('1 lead', { exact: true }).waitFor()
  await page.getByText('1 open offer', { exact: true }).waitFor()

  if (isFull) {
    await page.getByRole('button', { name: 'Add lead' }).click()
    await page.getByRole('textbox', { name: 'Email', exact: true }).fill('New.Lead@example.com')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('The lead had signed up before').waitFor()
    assert.deepEqual(await shown(campaign.id, 'New.Lead@example.com'), lead)
    await assertDraftTakesNone(page)
  }
  assertUntroubled(page)
})

async function assertDraftTakesNone(page: Page): Promise<void> {
  const draft = await campaignOf(owner, { isDraft: true })
  await page.goto(leadsPath(draft.id))
  await page.getByRole('button', { name: 'Add lead' }).first().click()
  await page.getByRole('textbox', { name: 'Email', exact: true }).fill('early@example.com')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByText('The campaign is a draft, so nobody can sign up. Publish it first').waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Email', exact: true }).inputValue(), 'early@example.com')
  assert.deepEqual(await listOf(draft.id), [])
}

async function did(server: Server, path: string, agent = 'Mozilla/5.0 (X11; rv:140.0) Firefox/140.0') {
  await fetch(`${server.origin}${path}`, { redirect: 'manual', headers: { 'User-Agent': agent } })
}

atBothWidths('one lead: what it did by day, and links and timers as the API hands them out', async (width) => {
  const campaign = await campaignOf(owner)
  const key = await place.json(['key', 'create', '--account', String(owner.accountId), '--name', 'api'])
  const answer = await fetch(`${stage.server.base}/campaigns/${campaign.id}/leads`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com', language: 'pl' }),
  })
  const offer = await answer.json()
  const { ref } = await shown(campaign.id, 'ada@example.com')
  const [first, second] = offer.offerLinks.map(({ url }: any) => new URL(url).pathname)
  await did(stage.server, first)
  await did(stage.server, first)
  await did(stage.server, second, 'curl/8.5.0')
  await did(stage.server, new URL(offer.mailTimerUrl).pathname)
  const page = await open(owner, { path: leadsPath(campaign.id), width })
  const counted = async () =>
    (await asked(page, 'GET', `/campaigns/${campaign.id}/leads/${ref}`)).body.days[0]?.open.person === 1
  assert.ok(await comesTrue(5_000, counted, 200))
  await links(page).first().click()
  const drawer = page.getByRole('dialog', { name: 'Lead' })
  await drawer.locator('h2:focus', { hasText: 'Lead' }).waitFor()
  await drawer.getByText('2 clicks, 1 click by a scanner, 1 open of the mail').waitFor()
  const line = await drawer.getByRole('list').getByRole('listitem').allTextContents()
  assert.deepEqual(
    line.map((entry) => entry.replace(/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), .*/, '')),
    ['Signed up', 'Attempt 1 began', '2 clicks, 1 click by a scanner, 1 open of the mail', 'The offer ends'],
  )
  for (const { url } of offer.offerLinks) assert.equal(await drawer.getByText(url, { exact: true }).count(), 1)
  assert.equal(await drawer.getByText(offer.mailTimerUrl, { exact: true }).count(), 1)
  assert.equal(await drawer.getByText(`https://example.com/offer?x=1&lc=${ref}#buy`).count(), 1)
  await drawer.getByRole('region', { name: 'Countdown image in Polish' }).waitFor()
  await drawer.getByRole('button', { name: 'Copy' }).nth(1).click()
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), offer.offerLinks[0].url)
  await assertAccessible(page)
  // Looking at a lead counts as nothing that the lead did.
  const { body } = await asked(page, 'GET', `/campaigns/${campaign.id}/leads/${ref}`)
  assert.deepEqual([body.days.length, body.days[0].open.person, body.days[0].visit.person], [1, 1, 0])
  assertUntroubled(page)
})

longTest('the button for earlier days of a lead hands the focus to the days', async () => {
  const { id } = await campaignOf(owner)
  await imported(id, ['ada@example.com'])
  const { ref } = await shown(id, 'ada@example.com')
  const page = await open(owner)
  const visit = { person: 1, proxy: 0, scanner: 0 }
  const none = { person: 0, proxy: 0, scanner: 0 }
  const days = Array.from({ length: 25 }, (_, n) => ({
    ...{ date: `2031-01-${String(n + 1).padStart(2, '0')}`, visit, click: none, open: none },
  }))
  await page.route(`**/panel/api/campaigns/${id}/leads/${ref}`, async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ json: { ...(await answer.json()), days } })
  })
  await page.goto(leadsPath(id, ref))
  await page.getByRole('button', { name: 'Show 5 earlier days' }).press('Enter')
  await page.locator('ol:focus').getByText('Wed, 1 Jan 2031').waitFor()
})

const nightsOfChange = [
  // Skipped by the clocks of that night: forward by the gap, as in the rules.
  ['2031-03-09T02:30', '2031-03-09T07:30:00Z'],
  // Twice on that night: the first.
  ['2031-11-02T01:30', '2031-11-02T05:30:00Z'],
] as const

longAtBothWidths(
  'a deadline is set by hand in the time of the campaign, also over a change of clocks, and cleared',
  async (width) => {
    const campaign = await campaignOf(owner, { timeZone: 'America/New_York' })
    await imported(campaign.id, ['ada@example.com', 'bob@example.com'])
    const before = await shown(campaign.id, 'ada@example.com')
    const page = await open(owner, { path: leadsPath(campaign.id, before.ref), width })
    const drawer = page.getByRole('dialog', { name: 'Lead' })
    const input = drawer.getByLabel('New deadline, time in America/New_York')
    const set = async (local: string) => {
      await input.fill(local)
      await drawer.getByRole('button', { name: 'Set deadline' }).click()
      await drawer.getByText('Saved.').waitFor()
      return shown(campaign.id, 'ada@example.com')
    }
    const changed = await set('2031-06-05T23:59')
    assert.deepEqual([changed.deadline, changed.setByHand], ['2031-06-06T03:59:00Z', true])
    await drawer.getByText('Deadline set by hand').waitFor()
    // The present minute, whose first second has passed.
    const minute = new Date().toLocaleString('sv', { timeZone: 'America/New_York' }).slice(0, 16).replace(' ', 'T')
    await input.fill(minute)
    await drawer.getByRole('status').getByText('This has passed already').waitFor()
    for (const [local, deadline] of someOf(nightsOfChange, 1)) assert.equal((await set(local)).deadline, deadline)
    await input.fill('2020-01-01T00:00')
    await drawer.getByText('This has passed already').waitFor()
    await assertAccessible(page)
    await drawer.getByRole('button', { name: 'Set deadline' }).click()
    await drawer.getByText('Expired').waitFor()
    await drawer.getByRole('button', { name: 'Back to the rules' }).click()
    await drawer.getByText('Open', { exact: true }).waitFor()
    // The button that was pressed is gone.
    await drawer.locator('button:focus', { hasText: 'Set deadline' }).waitFor()
    assert.deepEqual(await shown(campaign.id, 'ada@example.com'), before)
    await drawer.getByRole('button', { name: 'Close' }).click()
    await page
      .getByRole('row')
      .filter({ hasText: /ada@example\.com\s*Open/ })
      .waitFor()
    for (const to of ['2031-02-30T10:00', '2031-06-05', 'soon', '']) {
      const path = `/campaigns/${campaign.id}/leads/deadlines`
      assert.equal((await asked(page, 'PUT', path, { refs: [before.ref], to })).status, 422, to)
    }
    assertUntroubled(page)

    // What failed is told at once, though the count of leads behind it hangs.
    await page.goto(leadsPath(campaign.id, before.ref))
    await input.fill('2031-06-05T23:59')
    await page.route('**/leads/states', () => {})
    await page.route('**/leads/deadlines', (route) => route.abort())
    await drawer.getByRole('button', { name: 'Set deadline' }).click()
    await drawer.getByRole('alert').waitFor({ timeout: 10_000 })
  },
)

longTest('a lead of a draft has no links, and the panel says what would bring them', async () => {
  const campaign = await campaignOf(owner, { isDraft: true })
  await imported(campaign.id, ['ada@example.com'])
  const { ref } = await shown(campaign.id, 'ada@example.com')
  const page = await open(owner, { path: leadsPath(campaign.id, ref), scheme: 'dark' })
  const drawer = page.getByRole('dialog', { name: 'Lead' })
  await drawer.getByText('Links and countdown come with publishing').waitFor()
  assert.equal(await drawer.getByText('/go/').count(), 0)
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  assert.equal(new URL(page.url()).pathname, leadsPath(campaign.id))
  await assertAccessible(page)
})

longAtBothWidths('a lead is erased for good, after a question that names the consequence', async (width) => {
  const campaign = await campaignOf(owner)
  await imported(campaign.id, ['ada@example.com', 'bob@example.com'])
  const { ref } = await shown(campaign.id, 'ada@example.com')
  const page = await open(owner, { path: leadsPath(campaign.id), width })
  await page.getByLabel('Select ada@example.com').check()
  await page.getByText('1 lead selected').waitFor()
  await links(page).first().click()
  await page.getByRole('button', { name: 'Erase lead' }).click()
  const question = page.getByRole('dialog', { name: 'Erase this lead?' })
  await question.getByText('links already sent stop working').waitFor()
  await assertAccessible(page)
  await assertFits(page)
  await question.getByRole('button', { name: 'Cancel' }).click()
  assert.equal((await listOf(campaign.id)).length, 2)
  await page.getByRole('button', { name: 'Erase lead' }).click()
  await question.getByRole('button', { name: 'Erase for good' }).click()
  // In view, and the focus on the lead that follows. For ten seconds nothing is asked of the service.
  const soon = page.getByText('1 lead is erased in ten seconds.')
  await soon.waitFor()
  const box = await soon.boundingBox()
  assert.ok(box !== null && box.y > 0 && box.y + box.height < (page.viewportSize()?.height ?? 0))
  assert.deepEqual(await links(page).allTextContents(), ['bob@example.com'])
  assert.equal(await page.getByText('1 lead selected').count(), 0)
  await page.waitForFunction(() => document.activeElement?.textContent === 'bob@example.com')
  await question.waitFor({ state: 'detached' })
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Undo' }).click()
  await links(page).nth(1).waitFor()
  await page.locator('main:focus').waitFor()
  assert.equal((await listOf(campaign.id)).length, 2)
  await links(page).first().click()
  await page.getByRole('button', { name: 'Erase lead' }).click()
  await question.getByRole('button', { name: 'Erase for good' }).click()
  await soon.waitFor()
  await page.waitForTimeout(8_000)
  assert.equal((await listOf(campaign.id)).length, 2)
  await page.getByText('Erased.', { exact: true }).waitFor()
  assert.deepEqual(await listOf(campaign.id), ['bob@example.com'])
  await page.goto(leadsPath(campaign.id, ref))
  await page.getByText('This lead does not exist, or was erased.').waitFor()
  assertUntroubled(page)
})

longTest('leads erased in a row are gone at once and the last can be undone, however slow the service is', async () => {
  const campaign = await campaignOf(owner)
  await imported(campaign.id, numbered(amount(3, 4), 'row'))
  const page = await open(owner, { path: leadsPath(campaign.id) })
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/leads/erasure', (route) => answered.then(() => route.continue()))
  const last = amount(1, 2)
  for (let number = 0; number <= last; number += 1) {
    await eraseInList(page, `row-0000${number}@example.com`)
    await page.getByLabel(`Select row-0000${number}@example.com`).waitFor({ state: 'detached' })
  }
  const left = numbered(last + 2, 'row').slice(last)
  assert.deepEqual(await links(page).allTextContents(), left.slice(1))
  answer()
  assert.ok(await comesTrue(5_000, async () => (await listOf(campaign.id)).length === 2, 200))
  await page.keyboard.press('Control+Z')
  await page.getByLabel(`Select ${left[0]}`).waitFor()
  assert.deepEqual(await listOf(campaign.id), left)
  // The reader was made a viewer meanwhile.
  const refusal = { code: 'NOT_ALLOWED', requestId: '', faults: [], retryAfterSeconds: null }
  await page.route('**/leads/erasure', (route) => route.fulfill({ status: 403, json: refusal }))
  for (const email of left) await eraseInList(page, email)
  await page.getByText('The leads were not erased. Your role does not allow this.').waitFor({ timeout: 5_000 })
  // The other one still has its ten seconds. Who signs out is not let go without being told.
  await signOut(page)
  await page.getByText('You are still signed in, since not all leads were erased. Your role').waitFor()
  await assertFits(page)
  await assertSignOutWaits(page, left)
  assert.deepEqual(await listOf(campaign.id), [])
})

async function eraseInList(page: Page, email: string): Promise<void> {
  await page.getByLabel(`Select ${email}`).check()
  await page.getByRole('button', { name: 'Erase', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Erase for good' }).click()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
}

/**
 * Who signs out while leads are erased is told what that waits for, longer than other words are shown; also for those
 * that they erase meanwhile.
 */
async function assertSignOutWaits(page: Page, [first, ...others]: string[]): Promise<void> {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/leads/erasure', (route) => answered.then(() => route.continue()))
  await eraseInList(page, first as string)
  await signOut(page)
  const waits = page.getByText('You will be signed out when the leads are erased.')
  await waits.waitFor({ timeout: 5_000 })
  await page.waitForTimeout(10_500)
  assert.ok(await waits.isVisible())
  for (const email of others) await eraseInList(page, email)
  answer()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

longAtBothWidths(
  'what is said takes away no Undo of an erasure, moves it nowhere, and covers nothing beside it',
  async (width) => {
    const campaign = await campaignOf(owner)
    await imported(campaign.id, numbered(3, 'undo'))
    const page = await open(owner, { path: leadsPath(campaign.id), width })
    await page.getByLabel('Select undo-00000@example.com').check()
    await page.getByRole('button', { name: 'Erase', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Erase for good' }).click()
    const undo = page.getByRole('button', { name: 'Undo' })
    await page.locator('.foot').waitFor({ state: 'detached' })
    const before = await undo.boundingBox()
    if (width === 'desk') await assertFreeBeside(page, '#toast')
    await page.getByLabel('Select undo-00001@example.com').check()
    await page.getByRole('button', { name: '+1 day' }).click()
    const said = page.getByText('1 deadline changed.')
    await said.waitFor()
    await page.locator('.foot').waitFor({ state: 'detached' })
    assert.deepEqual(await undo.boundingBox(), before)
    const { y, height } = (await said.boundingBox()) as { y: number; height: number }
    assert.ok(y > 0 && y + height < (before?.y ?? 0), 'one above the other')
    await assertFits(page)
    await undo.click()
    await links(page).nth(2).waitFor()
    await page.locator('main:focus').waitFor()
    assert.ok(await said.isVisible())
    assert.equal((await listOf(campaign.id)).length, 3)
  },
)

/** What is said takes the room of its words: beside it the page can be pressed. */
async function assertFreeBeside(page: Page, name: string): Promise<void> {
  const isCovered = await page.locator(name).evaluate((one) => {
    const { left, top } = one.getBoundingClientRect()
    return one.contains(document.elementFromPoint(left + 20, top + 10))
  })
  assert.ok(!isCovered, 'what lies beside it is covered')
}

longTest('what is selected on one page stays so while another page is selected, up to 500 leads', async () => {
  const campaign = await campaignOf(owner)
  await imported(campaign.id, numbered(520, 'pages'))
  const page = await open(owner, { path: leadsPath(campaign.id) })
  const all = page.getByLabel('Select all on this page')
  await all.check()
  await page.getByLabel('Select pages-00000@example.com').uncheck()
  for (let first = 51; first < 500; first += 50) {
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText(`${first}–${first + 49}`).waitFor()
    await all.check()
  }
  await page.getByRole('group', { name: '499 leads selected' }).waitFor()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('501–520').waitFor()
  // All but the first of them are left out.
  await all.click()
  await page.getByRole('group', { name: '500 leads selected' }).waitFor()
  await page.getByText('At most 500 at once').waitFor({ timeout: 5_000 })
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Previous page' }).click()
  await all.uncheck()
  await page.getByRole('group', { name: '450 leads selected' }).waitFor()
  assert.equal(await page.getByText('At most 500 at once').count(), 0)
})

longTest('a page far down a long list is read in few steps', async () => {
  const campaign = await campaignOf(owner)
  await imported(campaign.id, numbered(amount(500, 1_500), 'ada'))
  const page = await open(owner, { path: `${leadsPath(campaign.id)}?page=${amount(10, 30)}` })
  await page.getByText(isFull ? '1,451–1,500' : '451–500').waitFor()
  const steps = await page.evaluate(
    () => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/leads/search')).length,
  )
  assert.ok(steps >= 1 && steps <= 3, String(steps))
})

longTest('the thousandth page is the last, and a long list that was read in many steps is not read again', async () => {
  const campaign = await campaignOf(owner)
  await imported(campaign.id, numbered(50_001, 'far'))
  const page = await open(owner, { path: `${leadsPath(campaign.id)}?page=1000` })
  await page.getByText('49,951–50,000').waitFor()
  await page.getByText('The list shows no more pages. Narrow the search').waitFor({ timeout: 5_000 })
  assert.ok(await page.getByRole('button', { name: 'Next page' }).isDisabled())
  await page.setViewportSize(widths.phone)
  // The frame around the screen moves for a moment.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))
  await assertFits(page)
  let steps = 0
  page.on('request', (request) => {
    steps += Number(request.url().endsWith('/leads/search'))
  })
  await comeBack(page)
  await page.waitForTimeout(1_000)
  assert.equal(steps, 0)
})

longTest('a page beyond the end of the list says that nobody is on it', async () => {
  const campaign = await campaignOf(owner)
  await imported(campaign.id, numbered(2, 'beyond'))
  const page = await open(owner, { path: `${leadsPath(campaign.id)}?page=9` })
  await page.getByText('Nobody is on this page: the list ends before it.').waitFor()
  await page.goto(leadsPath(campaign.id))
  await links(page).first().waitFor()
  assert.equal(await page.getByText('Nobody is on this page').count(), 0)
})

longTest('a lead that is added slowly is gone to once, and takes nobody away from another screen', async () => {
  const { id } = await campaignOf(owner)
  const page = await open(owner, { isNew: true })
  page.setDefaultTimeout(10_000)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await goTo(page, 'Campaigns')
  const row = page.locator(`main tr:has(a[href="/campaigns/${id}"])`)
  const leadCount = row.locator('[data-label=Leads]')
  await leadCount.getByText('0', { exact: true }).waitFor()
  await row.getByRole('link').click()
  await page.getByRole('tab', { name: 'Leads' }).click()
  const add = async (email: string) => {
    await page.getByRole('button', { name: 'Add lead' }).first().click()
    await page.getByRole('textbox', { name: 'Email', exact: true }).fill(email)
  }
  await add('ada@example.com')
  const before = await page.evaluate(() => history.length)
  await page.getByRole('button', { name: 'Sign up' }).dblclick()
  await page.getByText('The lead is signed up.').waitFor()
  await page.waitForTimeout(300)
  assert.equal(await page.evaluate(() => history.length), before + 1)

  // Other screens that count leads are read again as well, however short a time ago that was done.
  await page.goBack()
  await goTo(page, 'Campaigns')
  await leadCount.getByText('1', { exact: true }).waitFor({ timeout: 2_000 })
  await Promise.all([page.waitForRequest('**/panel/api/overview', { timeout: 2_000 }), goTo(page, 'Overview')])
  await page.goto(leadsPath(id))
  await add('bob@example.com')
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route(`**/panel/api/campaigns/${id}/leads`, async (route) => {
    await held
    await route.continue()
  })
  const added = page.waitForResponse(`**/panel/api/campaigns/${id}/leads`)
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('tab', { name: 'Mail timer' }).click()
  await page.waitForURL(/timer$/)
  letGo()
  await added
  await page.waitForTimeout(500)
  assert.match(page.url(), /timer$/)
  assert.equal((await listOf(id)).length, 2)
})

longTest('the result of one way to set a deadline is gone when another one is used', async () => {
  const { id } = await campaignOf(owner)
  await imported(id, ['ada@example.com'])
  const { ref } = await shown(id, 'ada@example.com')
  const page = await open(owner, { path: leadsPath(id, ref) })
  page.setDefaultTimeout(10_000)
  const saved = page.getByText('Saved.')
  const isBusy = page.getByText('The service is busy')
  const busy = { status: 503, json: { code: 'SERVICE_UNAVAILABLE', faults: [], retryAfterSeconds: null } }
  await page.getByRole('button', { name: '+1 day' }).click()
  await saved.waitFor()
  await page.route('**/leads/deadlines', (route) => route.fulfill(busy), { times: 1 })
  await page.getByRole('button', { name: 'Back to the rules' }).click()
  await isBusy.waitFor()
  assert.equal(await saved.count(), 0)
  await page.getByRole('button', { name: '+1 day' }).click()
  await saved.waitFor()
  assert.equal(await isBusy.count(), 0)
})

longTest('the list of leads is read again when the user comes back to it', async () => {
  const { id } = await campaignOf(owner)
  await imported(id, ['ada@example.com'])
  const page = await open(owner, { path: leadsPath(id) })
  const row = page.getByRole('row').filter({ hasText: 'ada@example.com' })
  await row.getByText('Open', { exact: true }).waitFor()
  const at = ['--email', 'ada@example.com', '--at', '2026-01-01T00:00:00Z']
  await place.json(['lead', 'deadline', '--campaign', String(id), ...at])
  await comeBack(page)
  await row.getByText('Expired', { exact: true }).waitFor()
})

longTest('the error of a failed deadline for several leads is gone once its dialog closes', async () => {
  const campaign = await campaignOf(owner)
  await imported(campaign.id, numbered(2, 'refused'))
  const page = await open(owner, { path: leadsPath(campaign.id) })
  await page.getByLabel('Select all on this page').check()
  const bar = page.getByRole('group', { name: '2 leads selected' })
  await bar.getByRole('button', { name: 'Set deadline' }).click()
  const dialog = page.getByRole('dialog', { name: 'Deadline by hand' })
  await dialog.getByLabel('New deadline').fill('1 Jan 2020, 10:00')
  await page.route('**/leads/deadlines', (route) => route.abort())
  await dialog.getByRole('button', { name: 'Set deadline' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'hidden' })
  assert.equal(await page.getByRole('alert').count(), 0)
  await bar.getByRole('button', { name: 'Set deadline' }).click()
  await dialog.getByLabel('New deadline').waitFor()
  assert.equal(await dialog.getByRole('alert').count(), 0)
})

longTest('leads that are selected in one campaign are not in another to which the browser goes back', async () => {
  const [first, second] = [await campaignOf(owner, { name: 'First' }), await campaignOf(owner, { name: 'Second' })]
  for (const { id } of [first, second]) await imported(id, numbered(2, 'selected'))
  const page = await open(owner, { path: leadsPath(first.id) })
  await links(page).first().waitFor()
  await page.getByRole('link', { name: 'All campaigns' }).click()
  await page.getByRole('link', { name: 'Second', exact: true }).click()
  await page.getByRole('tab', { name: 'Leads' }).click()
  await page.getByLabel('Select all on this page').check()
  await page.getByText('2 leads selected').waitFor()
  await page.evaluate(() => history.go(-3))
  await page.getByRole('heading', { name: 'First' }).waitFor()
  await links(page).first().waitFor()
  assert.equal(await page.getByText('2 leads selected').count(), 0)
})

longTest('the error of a lead that could not be added is gone when its dialog opens again', async () => {
  const campaign = await campaignOf(owner)
  const page = await open(owner, { path: leadsPath(campaign.id) })
  await page.route('**/leads', (route) => (route.request().method() === 'POST' ? route.abort() : route.fallback()))
  const dialog = page.getByRole('dialog', { name: 'Add a lead' })
  await page.getByRole('button', { name: 'Add lead' }).first().click()
  await dialog.getByLabel('Email').fill('ada@example.com')
  await dialog.getByRole('button', { name: 'Sign up' }).click()
  await dialog.getByRole('alert').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Add lead' }).first().click()
  await dialog.getByLabel('Email').waitFor()
  assert.equal(await dialog.getByRole('alert').count(), 0)
})

longTest(
  'a deadline for several leads that is none gets the focus, and is no longer wrong once it is another',
  async () => {
    const campaign = await campaignOf(owner)
    await imported(campaign.id, numbered(2, 'unread'))
    const page = await open(owner, { path: leadsPath(campaign.id) })
    await page.getByLabel('Select all on this page').check()
    const bar = page.getByRole('group', { name: '2 leads selected' })
    await bar.getByRole('button', { name: 'Set deadline' }).click()
    const dialog = page.getByRole('dialog', { name: 'Deadline by hand' })
    const field = dialog.getByLabel('New deadline')
    await field.fill('31 Feb 2020, 10:00')
    await dialog.getByRole('button', { name: 'Set deadline' }).press('Enter')
    await dialog.locator('input[aria-invalid=true]:focus').waitFor()
    await dialog.getByText('Enter a date that exists').waitFor()
    await field.fill('1 Jan 2020, 10:00')
    await dialog.locator('input:not([aria-invalid=true]):focus').waitFor()
  },
)

/** What else there is for two selected leads, which stay as they were. */
async function lookAtOtherActions(page: Page, two: Locator): Promise<void> {
  await two.getByRole('button', { name: 'Set deadline' }).click()
  const byHand = page.getByRole('dialog', { name: 'Deadline by hand: 2 leads selected' })
  await byHand.getByLabel('New deadline').fill('1 Jan 2020, 10:00')
  await byHand.getByText('This has passed already: the offer ends at once.').waitFor()
  // Escape closes what lies on top, and what was typed stays.
  await byHand.getByRole('button', { name: 'Calendar' }).press('Enter')
  const calendar = page.getByRole('dialog', { name: 'Calendar' })
  await calendar.waitFor()
  await page.keyboard.press('Escape')
  await calendar.waitFor({ state: 'hidden' })
  assert.equal(await byHand.getByLabel('New deadline').inputValue(), '1 Jan 2020, 10:00')
  await page.keyboard.press('Escape')
  await byHand.waitFor({ state: 'hidden' })
  await two.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('button', { name: 'Start export' }).click()
  await page.getByText('2 leads in the file.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
}

longAtBothWidths('by keyboard nothing that gets the focus is under the bar of the chosen leads', async (width) => {
  const campaign = await campaignOf(owner)
  await imported(campaign.id, numbered(amount(20, 40), 'tabbed'))
  const page = await open(owner, { width, path: leadsPath(campaign.id) })
  await page.getByRole('checkbox', { name: 'Select tabbed-00001@example.com' }).press('Space')
  await page.locator('.foot').waitFor()
  await assertClearOf(page, '.foot')
})

test('where offers come again by cycles, only states that are counted whole have a number', async () => {
  const deadline = { kind: 'after', period: 'PT48H' }
  const mechanism = { startsOn: 'registration', deadline, cycle: { enabled: true, pause: 'P7D' } }
  const campaign = await campaignOf(owner, { mechanism })
  await imported(campaign.id, numbered(3, 'cycling'))
  const page = await open(owner, { path: leadsPath(campaign.id) })
  const totals = page.getByRole('group', { name: 'Leads by state' })
  await totals.getByText('3 with an offer that comes back').waitFor()
  const numbers = await totals.getByRole('button').allTextContents()
  assert.deepEqual(numbers, ['Waits for a visit: 0', 'Opens later', 'Open', 'Expired'])
})

atBothWidths(
  'leads are found by any part, sorted by deadline, counted by state, and changed several at once',
  async (width) => {
    const campaign = await campaignOf(owner)
    const count = amount(20, 60)
    await imported(campaign.id, numbered(count, 'many'))
    const deadlines = {
      'many-00007@example.com': '2099-01-01T00:00:00Z',
      'many-00003@example.com': '2020-01-01T00:00:00Z',
    }
    for (const [email, at] of Object.entries(deadlines)) {
      await place.json(['lead', 'deadline', '--campaign', String(campaign.id), '--email', email, '--at', at])
    }
    const requests: { url: string; body: string | null }[] = []
    const page = await open(owner, { path: leadsPath(campaign.id), width })
    page.on('request', (request) => requests.push({ url: request.url(), body: request.postData() }))
    const totals = page.getByRole('group', { name: 'Leads by state' })
    await totals.getByText(`${count} leads`).waitFor()
    await totals.getByRole('button', { name: `Open: ${count - 1}` }).waitFor()
    await totals.getByRole('button', { name: 'Expired: 1' }).waitFor()

    const inOrder = async (name: string, first: string) => {
      await page.getByRole('combobox', { name: 'Order' }).click()
      await page.getByRole('option', { name }).click()
      await page.waitForFunction(
        (email) => document.querySelector('main a[href*="/leads/"]')?.textContent === email,
        first,
      )
    }
    if (isFull) await inOrder('Ends last', 'many-00007@example.com')
    await inOrder('Ends first', 'many-00003@example.com')
    await page.getByLabel('Anywhere in the address').check()
    await page.getByLabel('Search by email').fill('-0000')
    await page.getByText(`${count} leads looked through, 10 found`).waitFor()
    assert.equal(await links(page).count(), 10)
    await page.waitForURL('**/leads?sort=deadline&search=anywhere')
    // Such a search goes by address alone.
    assert.ok(await page.getByRole('combobox', { name: 'Order' }).isDisabled())

    await page.getByLabel('Select all on this page').check()
    await page.getByRole('group', { name: '10 leads selected' }).waitFor()
    await page.getByLabel('Select all on this page').uncheck()
    for (const number of [1, 3, 4]) await page.getByLabel(`Select many-0000${number}@example.com`).check()
    const bar = page.getByRole('group', { name: '3 leads selected' })
    await bar.waitFor()
    await assertAccessible(page)
    await assertFits(page)
    const before = (await shown(campaign.id, 'many-00001@example.com')).deadline
    const now = Date.now()
    const searches = () => requests.filter(({ url }) => url.endsWith('/leads/search')).length
    const searchedBefore = searches()
    await bar.getByRole('button', { name: '+1 day' }).click()
    await page.getByText('3 deadlines changed.').waitFor()
    await page.locator('[data-row] a:focus').waitFor()
    assert.equal(searches() - searchedBefore, 1, 'the list is searched again once')
    const later = (await shown(campaign.id, 'many-00001@example.com')).deadline
    assert.ok(Math.abs(Date.parse(later) - Date.parse(before) - 86_400_000) <= 3_600_000, `${before} ${later}`)
    // One that had ended has a day from now.
    const again = Date.parse((await shown(campaign.id, 'many-00003@example.com')).deadline)
    assert.ok(Math.abs(again - now - 86_400_000) < 3_700_000, String(again))

    const two = page.getByRole('group', { name: '2 leads selected' })
    const erase = async () => {
      for (const number of [1, 2]) await page.getByLabel(`Select many-0000${number}@example.com`).check()
      if (isFull) await lookAtOtherActions(page, two)
      await two.getByRole('button', { name: 'Erase', exact: true }).click()
      await page.getByRole('dialog', { name: 'Erase 2 leads?' }).getByRole('button', { name: 'Erase for good' }).click()
      await page.getByText('2 leads are erased in ten seconds.').waitFor()
      await page.waitForFunction(() => document.activeElement?.tagName === 'A')
      assert.deepEqual([await links(page).count(), await mayClose(page)], [8, false])
    }
    await erase()
    await page.keyboard.press('Control+Z')
    await page.getByLabel('Select many-00001@example.com').waitFor({ timeout: 5_000 })
    assert.deepEqual([await links(page).count(), await mayClose(page)], [10, true])
    await erase()
    const next = page.getByRole('checkbox', { name: /@example\.com/ }).first()
    await next.check()
    const boxOf = (name: string) => page.locator(name).evaluate((one) => one.getBoundingClientRect().toJSON())
    const [foot, said] = [await boxOf('.foot'), await boxOf('#toast')]
    assert.ok(said.bottom <= foot.top, 'what is said leaves the buttons of the next choice free')
    const size = page.viewportSize() as { width: number; height: number }
    // A desk at 400 %.
    await page.setViewportSize({ width: 320, height: 180 })
    const position = await page.locator('.foot').evaluate((one) => getComputedStyle(one).position)
    assert.equal(position, 'static', 'in a low window the bar covers nothing')
    await page.setViewportSize(size)
    await next.uncheck()
    // It goes on wherever the reader is.
    const erased = page.waitForResponse('**/leads/erasure')
    await page.getByRole('tab', { name: 'Deadline' }).click()
    await erased
    await page.getByText('Erased.', { exact: true }).waitFor()
    assert.equal((await listOf(campaign.id)).length, count - 2)
    const jobs = requests.filter(({ url }) => /deadlines|erasure/.test(url))
    assert.deepEqual(
      jobs.map(({ body }) => JSON.parse(body ?? '').refs.length),
      [3, 2],
    )
    for (const { url } of requests) assert.doesNotMatch(decodeURIComponent(url), /many|0000|@/)
    assertUntroubled(page)
  },
)

const csv = [
  '\uFEFFname,email,"note"', // 1
  '"Bloggs, Joe",joe@example.com,x', // 2
  'No,no email,x', // 3
  '"two', // 4
  'lines",two@example.com,x', // 5
  'Old,old@example.com,', // 6
  'None', // 7
  `Long,${'x'.repeat(60)}@${'y.'.repeat(96)}pl,`, // 8
  'Odd,zażółć@example.com,', // 9
  'Quoted,"""joe bloggs""@example.com",x', // 10
  'Again,joe@example.com,x', // 11
  'Bad,"a"b@example.com,x', // 12
  'Padded, padded@example.com,x', // 13
]

atBothWidths('an import reports by line what the command line would, and can be repeated', async (width) => {
  const campaign = await campaignOf(owner)
  await imported(campaign.id, ['old@example.com'])
  const path = join(place.folder, 'list.csv')
  const text = [...csv, ...numbered(amount(600, 1_234), 'many').map((email) => `x,${email},`)].join('\n')
  writeFileSync(path, text)
  const page = await open(owner, { path: leadsPath(campaign.id), width })
  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import leads' })
  await assertAccessible(page)
  const choose = async () => {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      dialog.getByRole('button', { name: 'CSV file' }).click(),
    ])
    await chooser.setFiles(path)
    await dialog.getByRole('button', { name: 'Start import' }).click()
    await dialog.getByText('Import finished').waitFor()
    await dialog.locator('button:focus', { hasText: 'Close' }).waitFor()
    assert.equal(await mayClose(page), true)
  }
  const mayCloseMeanwhile: boolean[] = []
  await page.route('**/leads/import', async (route) => {
    mayCloseMeanwhile.push(await mayClose(page))
    await route.continue()
  })
  const counts = async () => {
    const texts = ['created', 'existing', 'refused'].map((name) => dialog.locator(`[data-count=${name}]`).textContent())
    return (await Promise.all(texts)).map((count) => Number(count?.replace(',', '')))
  }
  const refusedLines = async () => {
    const rows = await dialog.getByRole('table', { name: 'Refused' }).getByRole('row').allTextContents()
    return rows.slice(1).map((row) => Number.parseInt(row, 10))
  }
  await choose()
  assert.deepEqual([...new Set(mayCloseMeanwhile)], [false])
  const twin = await campaignOf(owner)
  await imported(twin.id, ['old@example.com'])
  const byCommand = await place.json(['lead', 'import', '--campaign', String(twin.id), path])
  assert.deepEqual(await counts(), [byCommand.created, byCommand.existing, byCommand.refused.length])
  assert.deepEqual(await listOf(campaign.id), await listOf(twin.id))
  assert.deepEqual(
    await refusedLines(),
    byCommand.refused.map(({ line }: any) => line),
  )
  assert.deepEqual(
    byCommand.refused.map(({ line }: any) => line),
    [3, 7, 8, 9, 12, 13],
  )
  await assertAccessible(page)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download refused rows' }).click(),
  ])
  const [head, ...refused] = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  assert.equal(head, '\uFEFFemail,reason,line')
  assert.equal(refused[0], 'no email,Not a valid email address,3')
  assert.equal(refused.at(-1), ' padded@example.com,Blanks before or after the address: remove them,13')
  assert.equal(refused.length, byCommand.refused.length)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await links(page).first().waitFor()
  assertUntroubled(page)
  if (!isFull) return

  // As spreadsheets write it, line breaks within quotes included: the lines stay those that an editor shows.
  writeFileSync(path, text.replaceAll('\n', '\r\n'))
  await page.getByRole('button', { name: 'Import' }).click()
  await choose()
  assert.deepEqual(await refusedLines(), [3, 7, 8, 9, 12, 13])
  assert.deepEqual(await counts(), [0, byCommand.created + byCommand.existing, byCommand.refused.length])
  await dialog.getByRole('button', { name: 'Close' }).last().click()

  // As spreadsheets write it where the comma stands in numbers.
  writeFileSync(path, '\uFEFF"name, first";email\r\nBloggs, Joe;joe@example.com\r\n1,5;semicolon@example.com\r\n')
  await page.getByRole('button', { name: 'Import' }).click()
  await choose()
  assert.deepEqual(await counts(), [1, 1, 0])
  assertUntroubled(page)
})

longTest('an import goes on after the service could not be reached, and can be stopped', async () => {
  const campaign = await campaignOf(owner)
  const path = join(place.folder, 'long.csv')
  writeFileSync(path, `email\n${numbered(1_600, 'long').join('\n')}\n`)
  const page = await open(owner, { path: leadsPath(campaign.id), width: 'phone', language: 'pl' })
  const dialog = page.getByRole('dialog', { name: 'Importuj odbiorców' })
  let batches = 0
  await page.route('**/leads/import', async (route) => {
    batches += 1
    assert.ok(JSON.parse(route.request().postData() ?? '').emails.length <= 500)
    // The second batch fails as long as it is tried by itself, and comes through when it is asked for.
    if (batches >= 2 && batches <= 6) await route.abort('connectionfailed')
    else await route.continue()
  })
  const again = dialog.getByText('wysłano ponownie')
  const start = async () => {
    await page.getByRole('button', { name: 'Importuj' }).first().click()
    await dialog.locator('input[type=file]').setInputFiles(path)
    await dialog.getByRole('button', { name: 'Rozpocznij import' }).click()
  }
  await start()
  await dialog.getByText('Nie można połączyć się z usługą').waitFor()
  assert.equal((await listOf(campaign.id)).length, 500)
  await assertFits(page)
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Spróbuj ponownie' }).click()
  await dialog.getByText('Import zakończony').waitFor()
  assert.equal((await listOf(campaign.id)).length, 1_600)
  assert.equal(await again.count(), 0)
  await dialog.getByRole('button', { name: 'Zamknij' }).last().click()

  // The service does what it was sent, and its answer is lost.
  await page.unroute('**/leads/import')
  writeFileSync(path, `email\n${numbered(600, 'lost').join('\n')}\n`)
  let answers = 0
  await page.route('**/leads/import', async (route) => {
    answers += 1
    if (answers > 1) return route.continue()
    await page.request.post(route.request().url(), { data: route.request().postDataJSON() })
    await route.abort('connectionreset')
  })
  await start()
  await dialog.getByText('Import zakończony').waitFor()
  assert.equal(await dialog.locator('[data-count=existing]').textContent(), '500')
  await again.getByText('nawet 500 może być nowych').waitFor({ timeout: 5_000 })
  await assertFits(page)
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Zamknij' }).last().click()

  await page.unroute('**/leads/import')
  await page.route('**/leads/import', (route) => route.abort('connectionfailed'))
  await start()
  await dialog.getByRole('button', { name: 'Zatrzymaj' }).click()
  await dialog.getByText('Import zatrzymany').waitFor()
  await dialog.getByRole('button', { name: 'Zamknij' }).last().click()

  // A colleague deletes the campaign: nothing asks to try again, and nothing holds the window open.
  await start()
  await dialog.getByRole('button', { name: 'Spróbuj ponownie' }).waitFor()
  assert.equal(await mayClose(page), false)
  await place.json(['campaign', 'delete', String(campaign.id), '--yes'])
  await page.unroute('**/leads/import')
  await dialog.getByRole('button', { name: 'Spróbuj ponownie' }).click()
  await page.getByRole('heading', { name: 'Tu nic nie ma' }).waitFor({ timeout: 5_000 })
  assert.equal(await mayClose(page), true)
})

longAtBothWidths(
  'an import outlives the browser’s way back, and a file that breaks off leaves its report',
  async (width) => {
    const campaign = await campaignOf(owner)
    const path = join(place.folder, 'away.csv')
    writeFileSync(path, `email\n${numbered(1_200, 'away').join('\n')}\n`)
    const page = await open(owner, { path: `/campaigns/${campaign.id}/rules`, width, isNew: true })
    await page.locator('.steps').first().waitFor()
    await page.getByRole('tab', { name: 'Leads' }).click()
    await page.getByRole('button', { name: 'Import' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Import leads' })
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    let batches = 0
    await page.route('**/leads/import', async (route) => {
      batches += 1
      if (batches === 2) await held
      await route.continue()
    })
    const input = dialog.locator('input[type=file]')
    await input.setInputFiles(path)
    // Chosen again it is told again, by a browser as well.
    assert.equal(await input.evaluate((element: HTMLInputElement) => element.value), '')
    await dialog.getByRole('button', { name: 'Start import' }).click()
    await dialog.locator('[data-count=created]').getByText('500').waitFor()
    // A click beside it is no wish to leave it; the button and Escape are, and the screen leads back to it.
    await page.mouse.click(2, 2)
    await dialog.locator('.mantine-Modal-close').click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('status').getByText('Importing').waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Show' }).press('Enter')
    await dialog.locator('button:focus', { hasText: 'Stop' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.locator('button:focus', { hasText: 'Show' }).waitFor()
    await page.goBack()
    await page.locator('.steps').first().waitFor()
    assert.equal(await dialog.count(), 0)
    // Signing out would stop it.
    await page.getByRole('button', { name: 'Account', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    const leaving = page.getByRole('dialog', { name: 'Sign out and stop the import?' })
    await leaving.getByText('What was imported stays').waitFor({ timeout: 5_000 })
    await assertAccessible(page)
    await assertFits(page)
    await leaving.locator('button:focus', { hasText: 'Cancel' }).press('Enter')
    await leaving.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Account', exact: true }).and(page.locator(':focus')).waitFor()
    letGo()
    assert.ok(await comesTrue(10_000, async () => (await listOf(campaign.id)).length === 1_200))
    await page.goForward()
    await dialog.getByText('Import finished').waitFor()
    assert.equal(await dialog.locator('[data-count=created]').textContent(), '1,200')
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await dialog.waitFor({ state: 'detached' })

    // The file is cut off on the disk while it is being read.
    await page.addInitScript(() => {
      const { stream } = File.prototype
      File.prototype.stream = function () {
        const whole = stream.call(this).getReader()
        let chunks = 0
        return new ReadableStream({
          async pull(controller) {
            chunks += 1
            const { value } = await whole.read()
            if (chunks > 1 || value === undefined) throw new DOMException('gone', 'NotReadableError')
            controller.enqueue(value)
          },
        })
      }
    })
    await page.reload()
    await page.getByRole('button', { name: 'Import' }).first().click()
    await input.setInputFiles(path)
    await dialog.getByRole('button', { name: 'Start import' }).click()
    await dialog.getByText('The file cannot be read any more').waitFor()
    await dialog.getByText('What was imported stays').waitFor()
    assert.equal(await dialog.locator('[data-count=existing]').textContent(), '1,000')
    await assertAccessible(page)
    assertUntroubled(page)
  },
)

longTest('a CSV file is taken whatever its heading, and its column can be chosen from its first rows', async () => {
  const campaign = await campaignOf(owner)
  const page = await open(owner, { path: leadsPath(campaign.id) })
  await page.getByRole('button', { name: 'Import' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Import leads' })
  const path = join(place.folder, 'any.csv')
  const choose = async (content: string) => {
    writeFileSync(path, content)
    await dialog.locator('input[type=file]').setInputFiles(path)
  }
  const column = dialog.getByLabel('Column with the emails')
  const start = dialog.getByRole('button', { name: 'Start import' })
  await choose('')
  const nothing = dialog.getByText('the file is empty, or a quote in its first row is not closed')
  await nothing.waitFor()
  await choose('"email\nada@example.com\n')
  await nothing.waitFor()
  const heads = ['EMAIL', 'E-mail', 'Email address', 'adres e-mail', 'Adres\u00a0E-Mail', ' "e-mail" ']
  for (const [index, heading] of heads.entries()) {
    await choose(`name;${heading.trim()};note\nJoe;joe${index}@example.com;me@example.com\n`)
    await dialog.getByRole('cell', { name: `joe${index}@example.com` }).waitFor()
    assert.equal(await column.inputValue(), '1', heading)
  }
  await choose(`Joe\tnone\n${numbered(12, 'row').join('\tx\n')}\n`)
  await dialog.getByRole('cell', { name: 'row-00008@example.com' }).waitFor()
  assert.equal(await column.inputValue(), '0')
  // A comma in a name does not separate where the email stands between semicolons.
  await choose('Bloggs, Joe;joe@example.com\n')
  await dialog.getByRole('cell', { name: 'joe@example.com', exact: true }).waitFor()
  assert.equal(await column.inputValue(), '1')
  // No heading at all: ten rows are shown, and the first is one to be imported.
  await choose(numbered(12, 'bare').join('\n'))
  await dialog.getByRole('cell', { name: 'bare-00009@example.com' }).waitFor()
  assert.equal(await dialog.getByRole('cell').count(), 10)
  // Where nothing tells, the reader does; and may always choose another.
  await choose('a,b\nx,y\n')
  await dialog.getByRole('cell', { name: 'y' }).waitFor()
  assert.equal(await start.isDisabled(), true)
  await choose('one@example.com,two@example.com\nthree@example.com,=bad\n')
  await dialog.getByRole('cell', { name: 'one@example.com' }).waitFor()
  await column.selectOption({ label: 'Column 2' })
  await assertAccessible(page)
  await start.click()
  await dialog.getByText('Import finished').waitFor()
  await dialog.getByRole('table', { name: 'Refused' }).getByRole('cell', { name: '=bad' }).waitFor()
  const button = dialog.getByRole('button', { name: 'Download refused rows' })
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()])
  assert.match(readFileSync(await file.path(), 'utf8'), /\r\n'=bad,Not a valid email address,2\r\n$/)
  assert.deepEqual(await listOf(campaign.id), ['two@example.com'])
  assertUntroubled(page)
})

longTest(
  'if two files are chosen one after the other, the rows are those of the second, however slowly the first is read',
  async () => {
    const campaign = await campaignOf(owner)
    const page = await open(owner, { path: leadsPath(campaign.id) })
    await page.getByRole('button', { name: 'Import' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Import leads' })
    await page.evaluate(() => {
      const read = Blob.prototype.arrayBuffer
      Blob.prototype.arrayBuffer = async function () {
        const bytes = await read.call(this)
        if (bytes.byteLength > 100) await new Promise((resolve) => document.addEventListener('slow', resolve))
        return bytes
      }
    })
    const choose = (name: string, text: string) =>
      dialog.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
    await choose('slow.csv', `email,name\n${numbered(10, 'slow').join(',x\n')}\n`)
    await choose('quick.csv', 'name,email\nJoe,joe@example.com\n')
    await dialog.getByRole('cell', { name: 'joe@example.com' }).waitFor()
    await page.evaluate(() => document.dispatchEvent(new Event('slow')))
    await dialog.getByRole('button', { name: 'Start import' }).click()
    await dialog.getByText('Import finished').waitFor()
    assert.deepEqual(await listOf(campaign.id), ['joe@example.com'])
  },
)

longAtBothWidths('an import into a draft first says how many offers begin, and until when', async (width) => {
  const mechanism = { startsOn: 'registration', deadline: { kind: 'fixed', at: '2031-06-05T23:59' } }
  const campaign = await campaignOf(owner, { isDraft: true, mechanism, timeZone: 'Europe/Warsaw' })
  await imported(campaign.id, ['old@example.com'])
  const path = join(place.folder, 'draft.csv')
  const emails = [...numbered(601, 'draft'), 'old@example.com', 'none', 'draft-00000@example.com']
  writeFileSync(path, `email\n${emails.join('\n')}\n`)
  const page = await open(owner, { path: leadsPath(campaign.id), width })
  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import leads' })
  await dialog.locator('input[type=file]').setInputFiles(path)
  await dialog.getByRole('button', { name: 'Start import' }).click()
  await dialog.getByText(/^601 offers begin at once and end on Thu,? 5 Jun 2031,? 23:59 GMT\+2\.$/).waitFor()
  await assertAccessible(page)
  assert.deepEqual(await listOf(campaign.id), ['old@example.com'])
  await dialog.getByRole('button', { name: 'Import now' }).click()
  await dialog.getByText('Import finished').waitFor()
  assert.equal((await listOf(campaign.id)).length, 602)

  const [ended, over] = [{ endsAt: '2020-06-05T23:59' }, /^602 leads are added.* it ended on Fri,? 5 Jun 2020/]
  const later = { kind: 'fixed', opensAt: '2031-06-01T00:00', at: '2031-06-05T23:59' }
  for (const [mechanism, said] of [
    [{ deadline: { kind: 'fixed', at: '2020-06-05T23:59' } }, over],
    [{ deadline: { kind: 'none' }, ...ended }, over],
    [{ startsOn: 'visit', deadline: { kind: 'after', period: 'P1D' }, ...ended }, over],
    [{ deadline: later }, /^602 offers begin on Sun,? 1 Jun 2031,? 00:00 GMT\+2 and end on Thu,? 5 Jun 2031/],
  ] as const) {
    const rules = { startsOn: 'registration', ...mechanism }
    const { id } = await campaignOf(owner, { isDraft: true, mechanism: rules, timeZone: 'Europe/Warsaw' })
    await page.goto(leadsPath(id))
    await page.getByRole('button', { name: 'Import' }).first().click()
    await dialog.locator('input[type=file]').setInputFiles(path)
    await dialog.getByRole('button', { name: 'Start import' }).click()
    await dialog.getByText(said).waitFor({ timeout: 5_000 })
    await assertFits(page)
  }
  assertUntroubled(page)
})

longAtBothWidths(
  'an export has every lead with its links, and nothing that a spreadsheet would carry out',
  async (width) => {
    const deadline = { kind: 'after', period: 'PT48H' }
    const visited = await campaignOf(owner, { mechanism: { startsOn: 'visit', deadline } })
    const waiting = numbered(2, 'waiting')
    await imported(visited.id, waiting)
    // They still wait for their visit.
    const campaign = await campaignOf(owner, { id: visited.id, pages: visited.pages })
    const odd = [
      '=cmd@example.com',
      '+1@example.com',
      '-x@example.com',
      '"a,b;c"@example.com',
      '"say ""hi"@example.com',
    ]
    const many = amount(1_100, 2_100)
    const emails = [...numbered(many, 'many'), ...odd.slice(0, 4)]
    await imported(campaign.id, emails)
    emails.push(...waiting)
    const past = ['--email', emails[0] as string, '--at', '2020-01-01T00:00:00Z']
    await place.json(['lead', 'deadline', '--campaign', String(campaign.id), ...past])
    const page = await open(owner, { path: leadsPath(campaign.id), width })
    const exported = async () => {
      await page.getByRole('button', { name: 'Export' }).click()
      const dialog = page.getByRole('dialog', { name: 'Export leads' })
      await dialog.getByRole('button', { name: 'Start export' }).click()
      await dialog.locator('button:focus', { hasText: 'Download file' }).waitFor()
      await assertFits(page)
      await assertAccessible(page)
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('button', { name: 'Download file' }).click(),
      ])
      const text = readFileSync(await file.path(), 'utf8')
      const said = await dialog.textContent()
      await dialog.getByRole('button', { name: 'Close' }).click()
      return { name: file.suggestedFilename(), said, lines: text.trimEnd().split('\r\n') }
    }
    const { name, said, lines } = await exported()
    assert.match(name, /^campaign-\d+-leads-\d{4}-\d\d-\d\d\.csv$/)
    const inFile = `${emails.length.toLocaleString('en')} leads in the file\\.`
    assert.match(
      said ?? '',
      new RegExp(
        `${inFile}.*3 addresses begin with a character.*2 leads have no deadline yet.*The offer of 1 lead is over`,
      ),
    )
    assert.equal(lines.length - 1, emails.length)
    const cells = lines.slice(1).map((line) => line.split(',')[0])
    for (const email of odd.slice(0, 3)) assert.ok(cells.includes(`'${email}`), email)
    assert.ok(lines.some((line) => line.startsWith('"""a,b;c""@example.com",http')))
    assert.deepEqual(
      lines.filter((line) => /^"?[=+\-@]/.test(line)),
      [],
    )
    const lead = await shown(campaign.id, emails[many - 1] as string)
    const { publicUrl } = (await asked(page, 'GET', '/session')).body
    const [one, two] = campaign.pages.map(({ id }: any) => `${publicUrl}/go/${id}/${lead.ref}`)
    const timer = `${publicUrl}/timer/${campaign.language}/${lead.ref}.gif`
    const inWords = deadlineInWords(Date.parse(lead.deadline) / 1_000, campaign.timeZone, campaign.language)
    assert.match(lines[0] ?? '', /^\uFEFF?email,LC_LINK,LC_LINK2,LC_TIMER,LC_END,state,/)
    const facts = ['open', lead.opensAt ?? '', lead.deadline, 'false', lead.registeredAt, '1', '1', lead.ref]
    assert.ok(lines.includes([lead.email, one, two, timer, inWords, ...facts].join(',')), String(lines.at(-1)))
    // A colleague takes a page away after the first step: the links of the next would stand below other headings.
    let isOnce = true
    await page.route('**/leads/export', async (route) => {
      if (isOnce && route.request().postDataJSON().afterEmail !== '') {
        isOnce = false
        await campaignOf(owner, { id: campaign.id, pages: campaign.pages.slice(1) })
      }
      await route.continue()
    })
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('button', { name: 'Start export' }).click()
    const changed = page.getByRole('alert').filter({ hasText: 'The campaign was changed during the export' })
    await changed.waitFor()
    await assertFits(page)
    await changed.getByRole('button', { name: 'Try again' }).click()
    const [anew] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download file' }).click(),
    ])
    const others = readFileSync(await anew.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    assert.match(others[0] ?? '', /^\uFEFF?email,LC_LINK,LC_TIMER,/)
    assert.ok(others.includes([lead.email, two, timer, inWords, ...facts].join(',')))
    assert.equal(others.length, lines.length)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    assertUntroubled(page)
    if (!isFull) return

    await page.getByLabel('Search by email').fill('many-0001')
    await page.getByText('10 leads').waitFor()
    const few = await exported()
    assert.match(few.said ?? '', /Only what is searched for now/)
    assert.equal(few.lines.length - 1, 10)
    assertUntroubled(page)
  },
)

longTest(
  'to a stranger, and under another campaign, leads look as if they did not exist; suspended, one may look',
  async () => {
    const campaign = await campaignOf(owner)
    const other = await campaignOf(owner)
    const foreign = await campaignOf(stranger)
    await imported(campaign.id, ['ada@example.com'])
    const { ref } = await shown(campaign.id, 'ada@example.com')
    const mine = await open(owner, { path: '/settings' })
    const theirs = await open(stranger, { path: '/settings' })
    const ways: [string, string, unknown?][] = [
      ['POST', '/search', everything],
      ['POST', '', { email: 'new@example.com' }],
      ['POST', '/import', { emails: ['new@example.com'] }],
      ['PUT', '/deadlines', { refs: [ref], to: '2031-06-05T23:59' }],
      ['GET', `/${ref}`],
    ]
    for (const [method, path, body] of ways) {
      const answer = await asked(theirs, method, `/campaigns/${campaign.id}/leads${path}`, body)
      assert.deepEqual([answer.status, answer.body.code], [404, 'NOT_FOUND'], `${method} ${path}`)
    }
    for (const [method, path, body] of ways.slice(4)) {
      for (const [page, id] of [
        [theirs, foreign.id],
        [mine, other.id],
      ] as const) {
        const answer = await asked(page, method, `/campaigns/${id}/leads${path}`, body)
        assert.equal(answer.status, 404, `${method} ${path} under ${id}`)
      }
    }
    // Several at once: what is no lead of the campaign is left out.
    const refs = [ref]
    for (const [page, id] of [
      [theirs, foreign.id],
      [mine, other.id],
    ] as const) {
      const erased = await asked(page, 'POST', `/campaigns/${id}/leads/erasure`, { refs })
      const changed = await asked(page, 'PUT', `/campaigns/${id}/leads/deadlines`, { refs, to: '2031-06-05T23:59' })
      const found = await asked(page, 'POST', `/campaigns/${id}/leads/search`, { ...everything, refs })
      assert.deepEqual([erased.body, changed.body, found.body.leads], [{ erased: 0 }, { leads: [] }, []])
    }
    const lead = await shown(campaign.id, 'ada@example.com')
    assert.deepEqual([lead.setByHand, (await listOf(campaign.id)).length], [false, 1])
    const own = `/campaigns/${foreign.id}/leads`
    await place.json(['account', 'set', String(stranger.accountId), '--suspended', 'true'])
    const suspended = async (path: string, body: unknown) => (await asked(theirs, 'POST', `${own}${path}`, body)).status
    assert.equal(await suspended('/search', everything), 200)
    assert.equal(await suspended('/export', everything), 200)
    assert.equal(await suspended('', { email: 'new@example.com' }), 403)
    assert.equal(await suspended('/import', { emails: ['new@example.com'] }), 403)
    assert.deepEqual(await listOf(foreign.id), [])
    await theirs.goto(leadsPath(campaign.id))
    await theirs.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  },
)

longTest('an export of selected leads does not say that it has what is searched for', async () => {
  const campaign = await campaignOf(owner)
  await imported(campaign.id, ['ada@example.com', 'bob@example.com'])
  const page = await open(owner, { path: leadsPath(campaign.id) })
  await page.getByLabel('Select ada@example.com').check()
  await page.getByLabel('Search by email').fill('bob')
  await page.getByLabel('Select ada@example.com').waitFor({ state: 'detached' })
  const dialog = page.getByRole('dialog', { name: 'Export leads' })
  const opened = async (within: Page | Locator) => {
    await within.getByRole('button', { name: 'Export' }).click()
    await dialog.getByRole('button', { name: 'Start export' }).waitFor()
    const says = await dialog.getByText('Only what is searched for now').count()
    await dialog.getByRole('button', { name: 'Start export' }).click()
    await dialog.getByText(/in the file\./).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    return says
  }
  assert.equal(await opened(page.getByRole('group', { name: '1 lead selected' })), 0)
  await page.getByLabel('Search by email').fill('ada')
  await page.getByLabel('Select ada@example.com').uncheck()
  assert.equal(await opened(page), 1)
})

longTest('where orders end offers, a lead has one line in the list, and its deadline says what may be', async () => {
  const mechanism = { startsOn: 'visit', deadline: { kind: 'after', period: 'P2D' } }
  const campaign = await campaignOf(owner, { conversion: { closes: true }, mechanism })
  const emails = ['ahead', 'over', 'waits'].map((name) => `${name}-ada-lovelace-186013@example.com`)
  const [ahead, over] = emails as [string, string]
  await imported(campaign.id, emails)
  for (const [email, at] of [
    [ahead, '2099-01-01T00:00:00Z'],
    [over, '2020-01-01T00:00:00Z'],
  ] as const) {
    await place.json(['lead', 'deadline', '--campaign', String(campaign.id), '--email', email, '--at', at])
  }
  const page = await open(owner, { path: leadsPath(campaign.id) })
  const row = (email: string) => page.getByRole('row').filter({ hasText: email })
  await row(ahead).getByText('(set by hand)').waitFor()
  await row(over).getByText('(set by hand or ended by a purchase)').waitFor()
  // It will have one.
  await row('waits').getByText('Not known yet').waitFor()
  const lines = await links(page).evaluateAll((all) => all.map((one) => one.getClientRects().length))
  assert.deepEqual(lines, [1, 1, 1])
  await links(page).first().click()
  await page.getByRole('dialog').getByText('Deadline set by hand', { exact: true }).waitFor()
})
