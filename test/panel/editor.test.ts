// The editor of a campaign's rules and its preview, in a real browser.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { amount, isFull, longTest } from '../support/faults.ts'
import { appliedCampaign } from '../support/lastcall.ts'
import { panelSession } from '../support/panel-session.ts'
import { comesTrue } from '../support/prepared.ts'
import {
  assertAccessible,
  assertClearOf,
  assertFits,
  assertNoViolation,
  assertUntroubled,
  atBothWidths,
  goTo,
  longAtBothWidths,
  sharedStage,
} from './stage.ts'

const stage = await sharedStage()
const owner = await stage.person('owner')
const colleague = isFull ? await stage.colleague(owner, 'member') : owner

const course = {
  name: 'Autumn course',
  isDraft: false,
  timeZone: 'Europe/Warsaw',
  mechanism: { startsOn: 'registration', deadline: { kind: 'after', period: 'PT48H' } },
  pages: [{ pageUrl: 'https://example.com/offer' }],
}

const friday = { every: 'week', on: ['fri'], time: '18:00' }
const again = {
  reset: { enabled: true, max: 1 },
  cycle: { enabled: true, pause: 'PT1H' },
  endsAt: '2099-12-31T23:59',
}
const everything = {
  ...course,
  isDraft: true,
  anonymous: { enabled: true },
  onExpiry: { action: 'REDIRECT', redirectUrl: 'https://example.com/offer' },
  mechanism: {
    startsOn: 'visit',
    deadline: {
      kind: 'next',
      closes: friday,
      opens: { every: 'month', on: [1, 31], time: '09:00' },
      minLead: 'P2D',
      skipWeekdays: ['sun'],
      skipDates: ['2099-12-25'],
    },
    ...again,
  },
}

async function make(settings: object): Promise<number> {
  const file = JSON.stringify(settings)
  return (await stage.place.arrange((store) => appliedCampaign(store, owner.accountId, file))).id
}

async function read(page: Page, id: number) {
  return (await page.context().request.get(`/panel/api/campaigns/${id}`)).json()
}

const saved = async (page: Page, id: number) => (await read(page, id)).settings

/** As from another window: this one has not seen it. */
async function changeElsewhere(page: Page, id: number, change: (settings: any) => object): Promise<void> {
  const { settings, revision } = await read(page, id)
  const data = { settings: { ...settings, ...change(settings) }, revision }
  const answer = await page.context().request.put(`/panel/api/campaigns/${id}`, { data })
  assert.equal(answer.status(), 200, await answer.text())
}

type Options = Omit<NonNullable<Parameters<typeof stage.open>[1]>, 'path'>

async function edit(id: number, options: Options = {}): Promise<Page> {
  const page = await stage.open(owner, { ...options, path: `/campaigns/${id}/rules` })
  page.setDefaultTimeout(10_000)
  await page.locator('form').waitFor()
  await page.locator('.steps').first().waitFor()
  return page
}

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })
const now = (page: Page) => page.getByRole('button', { name: /^Signs up now/ })

longTest(
  'every setting fits a phone and a desk, in both languages, light and dark, and axe finds nothing',
  async () => {
    const kinds = [
      everything,
      { ...everything, mechanism: { startsOn: 'visit', deadline: { kind: 'daysAt', days: 0, time: '02:30' } } },
      {
        ...everything,
        mechanism: {
          startsOn: 'registration',
          deadline: { kind: 'fixed', at: '2020-01-02T10:00', opensAt: '2020-01-01T10:00' },
        },
      },
      { ...course, mechanism: { ...course.mechanism, retry: { enabled: true, after: 'PT1H' } } },
    ]
    const views = [
      { width: 'phone', language: 'pl', scheme: 'light' },
      { width: 'desk', language: 'en', scheme: 'dark' },
      { width: 'phone', language: 'en', scheme: 'dark' },
      { width: 'desk', language: 'pl', scheme: 'light' },
    ] as const
    for (const [index, settings] of kinds.entries()) {
      const id = await make(settings)
      const some = [views[index % 4], views[(index + 1) % 4]].slice(0, amount(1, 2))
      for (const view of index === 0 ? views.slice(0, amount(1, 4)) : some) {
        const page = await edit(id, view)
        await assertNoViolation(page)
        await assertFits(page)
        assertUntroubled(page)
        await page.context().close()
      }
    }
  },
)

/** A screen of rules takes most of a second of a processor to come up: each of these goes on where the one before ended. */
atBothWidths('rules are changed, and seen in the preview, the bar that saves and what is saved', async (width, t) => {
  const id = await make(course)
  const page = await edit(id, { width })
  await t.test('the preview follows what is typed at once, also for a chosen moment, in the zone of the campaign', () =>
    assertPreviewFollows(page),
  )
  await t.test('by keyboard nothing that gets the focus is under the bar that saves', () => assertClearOfBar(page))
  await t.test('every kind is made from nothing but fields', () => assertEveryKind(page, id))
  await t.test('a time zone is found by a city, a country and a former name', () => assertZonesFound(page))
})

async function assertPreviewFollows(page: Page): Promise<void> {
  await page.getByLabel('A moment of your own').fill('2026-10-24T12:00')
  const own = page.getByRole('button', { name: /^Signs up when you choose/ })
  await own.getByText('Open until Mon, 26 Oct 2026, 11:00 GMT+1 (2 days)').waitFor()
  await page.getByLabel('It ends: unit').selectOption('D')
  await page.getByLabel('It ends: number').fill('2')
  await own.getByText('Open until Mon, 26 Oct 2026, 12:00 GMT+1 (2 days, 1 hour)').waitFor()
  await own.click()
  const steps = page.getByRole('listitem').filter({ hasText: '26 Oct 2026, 12:00 GMT+1 – The offer ends' })
  await steps.waitFor()
  assertUntroubled(page)
}

async function assertClearOfBar(page: Page): Promise<void> {
  await page.getByLabel('Name').press('!')
  await page.locator('.save[data-changed]').waitFor()
  await assertClearOf(page, '.save')
}

async function assertZonesFound(page: Page): Promise<void> {
  const zone = page.getByRole('combobox', { name: 'Time zone' })
  for (const [sought, found] of [
    ['new york', 'America/New_York'],
    ['são  paulo', 'America/Sao_Paulo'],
    ['India', 'Asia/Kolkata'],
    ['Kiev', 'Europe/Kyiv'],
  ] as const) {
    await zone.fill(sought)
    await page.getByRole('listbox').getByRole('option').first().getByText(found, { exact: true }).waitFor()
  }
  await zone.press('Enter')
  assert.equal(await zone.inputValue(), 'Europe/Kyiv')
  await zone.fill('Mumbai')
  await page.getByText('Search for the country').waitFor()
}

async function assertEveryKind(page: Page, id: number): Promise<void> {
  const kind = page.getByLabel('How the offer ends')
  const saveAndRead = async () => {
    await save(page).click()
    await page.getByText('Everything is saved').waitFor()
    return (await saved(page, id)).mechanism
  }

  await kind.selectOption('next')
  await page.getByLabel('It ends', { exact: true }).selectOption('month')
  await page.getByRole('combobox', { name: 'It ends: Days of the month' }).fill('31')
  await page.getByRole('option', { name: '31' }).click()
  await page.getByRole('switch', { name: 'Everybody has at least' }).click()
  await page.getByRole('switch', { name: 'It opens later than it starts' }).click()
  await page.getByLabel('It opens', { exact: true }).selectOption('day')
  await page.getByRole('switch', { name: 'The campaign ends for everyone' }).click()
  await page.getByLabel('It never lasts beyond').fill('2099-12-31T23:59')
  assert.deepEqual(await saveAndRead(), {
    startsOn: 'registration',
    deadline: {
      kind: 'next',
      closes: { every: 'month', on: [1, 31], time: '18:00' },
      opens: { every: 'day', time: '09:00' },
    },
    endsAt: '2099-12-31T23:59',
  })
  if (!isFull) return assertUntroubled(page)

  await kind.selectOption('daysAt')
  await page.getByLabel('What starts the offer').selectOption('visit')
  await page.getByLabel('Number of days').fill('2')
  await page.getByLabel('time: hours').fill('12')
  await page.getByLabel('time: minutes').fill('00')
  await page.getByText('Days left out', { exact: true }).click()
  await page.getByRole('group', { name: 'It never ends on' }).getByText('Sun').click()
  await page.getByLabel('A date to leave out').fill('2099-11-11')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('switch', { name: 'The campaign ends for everyone' }).click()
  assert.deepEqual(await saveAndRead(), {
    startsOn: 'visit',
    deadline: {
      ...{ kind: 'daysAt', days: 2, time: '12:00' },
      ...{ skipWeekdays: ['sun'], skipDates: ['2099-11-11'] },
    },
  })
  await page.getByText('Suppose the first visit comes').waitFor()

  await page.getByRole('combobox', { name: 'Time zone' }).fill('new_york')
  await page.getByRole('option', { name: 'America/New_York' }).click()
  await page.getByRole('switch', { name: 'Visitors who have not given an email' }).click()
  await page.getByText('Visits without giving an email').first().waitFor()
  await page
    .getByText(/GMT-[45]/)
    .first()
    .waitFor()
  await saveAndRead()
  const { timeZone, anonymous } = await saved(page, id)
  assert.deepEqual([timeZone, anonymous], ['America/New_York', { enabled: true }])

  await kind.selectOption('fixed')
  await page.getByLabel('It ends on').fill('2099-11-28T00:00')
  assert.deepEqual(await saveAndRead(), {
    startsOn: 'registration',
    deadline: { kind: 'fixed', at: '2099-11-28T00:00' },
  })
  await now(page).getByText('Open until Sat, 28 Nov 2099, 00:00 GMT-5').waitFor()

  await kind.selectOption('none')
  assert.deepEqual((await saveAndRead()).deadline, { kind: 'none' })
  await now(page).getByText('Open without end').waitFor()
  assertUntroubled(page)
}

/** As above. */
atBothWidths('what is not saved is neither lost nor published, and overwrites nothing', async (width, t) => {
  const id = await make({ ...course, isDraft: true })
  const page = await edit(id, { width })
  await t.test('publishing and back to draft say what they mean for leads under way, and do it', () =>
    assertPublished(page, id),
  )
  await t.test('nobody overwrites what they have not seen', () => assertNothingOverwritten(page, id))
  await t.test('unsaved changes are marked, outlive other screens and a reload, and leaving asks first', () =>
    assertUnsavedKept(page, id),
  )
})

async function assertPublished(page: Page, id: number): Promise<void> {
  await page.getByLabel('Name').fill('Not saved yet')
  await page.getByText('Unsaved changes').waitFor()
  await page.getByRole('button', { name: 'Publish' }).click()
  const publish = page.getByRole('dialog', { name: 'Publish this campaign?' })
  await publish.getByText('anyone whose time has run out stays expired').waitFor()
  await publish.getByText('that you have not saved are not published').waitFor()
  await publish.getByRole('button', { name: 'Publish' }).click()
  await publish.waitFor({ state: 'hidden' })
  await page.getByRole('dialog', { name: 'It is live. What now?' }).getByRole('button', { name: 'Done' }).click()
  assert.deepEqual([(await saved(page, id)).isDraft, (await saved(page, id)).name], [false, 'Autumn course'])
  assert.equal(await page.getByLabel('Name').inputValue(), 'Not saved yet')
  if (!isFull) return

  await page.getByRole('button', { name: 'Back to draft' }).click()
  const back = page.getByRole('dialog', { name: 'Take this campaign back to draft?' })
  await back.getByText('Deadlines of leads under way are not paused').waitFor()
  await assertAccessible(page)
  await assertFits(page)
  await back.getByRole('button', { name: 'Back to draft' }).click()
  await back.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Publish' }).waitFor()
  assert.equal((await saved(page, id)).isDraft, true)
  await save(page).click()
  await page.getByText('Everything is saved').waitFor()
  assert.deepEqual([(await saved(page, id)).isDraft, (await saved(page, id)).name], [true, 'Not saved yet'])
  assertUntroubled(page)
}

async function assertNothingOverwritten(one: Page, id: number): Promise<void> {
  const { name: before } = await saved(one, id)
  const endsAfter = (period: string) => (settings: any) => ({
    mechanism: { ...settings.mechanism, deadline: { kind: 'after', period } },
  })
  await one.getByLabel('Name').fill('Mine')
  await changeElsewhere(one, id, endsAfter('PT72H'))
  await save(one).click()
  await one.getByText('Other changes were saved meanwhile').waitFor()
  assert.equal(await one.getByRole('alert').count(), 1)
  assert.equal((await saved(one, id)).name, before)
  assert.equal(await one.getByLabel('Name').inputValue(), 'Mine')
  if (isFull) await one.reload()
  const clash = one.getByRole('alert').filter({ hasText: 'Other changes were saved meanwhile' })
  await clash.locator('time').filter({ hasText: 'GMT' }).waitFor()
  assert.match(
    await clash.innerText(),
    /The campaign was last saved by you, .* GMT.*\. The changes here are not saved yet\./,
  )
  assert.match(await clash.getByRole('row').last().innerText(), /^When the offer ends\s+3 days\s+2 days$/)
  await assertAccessible(one)
  assert.equal((await saved(one, id)).name, before)
  await one.getByRole('button', { name: 'Take what is saved' }).click()
  await one.getByText('Everything is saved').waitFor()
  // What was pressed has gone.
  await one.locator('button:focus', { hasText: 'Save' }).waitFor()
  assert.equal(await one.getByLabel('It ends: number').inputValue(), '72')
  if (!isFull) return

  // Or one's own are kept, over theirs.
  await one.getByLabel('Name').fill('Mine after all')
  await changeElsewhere(await stage.open(colleague), id, (settings) => ({
    ...endsAfter('PT24H')(settings),
    onExpiry: { action: 'ZERO' },
  }))
  // Who saves another part after that has not made these changes.
  await changeElsewhere(one, id, () => ({ language: 'pl' }))
  await save(one).click()
  await clash.getByRole('row', { name: 'When time is up the countdown stays at zero the offer is hidden' }).waitFor()
  assert.match(await clash.innerText(), /^The campaign was last saved by you, .* GMT/m)
  await one.getByRole('button', { name: 'Keep what is here' }).click()
  await one.getByText('Everything is saved').waitFor()
  await one.locator('button:focus', { hasText: 'Save' }).waitFor()
  const { name, mechanism } = await saved(one, id)
  assert.deepEqual([name, mechanism.deadline.period], ['Mine after all', 'PT72H'])
}

async function assertUnsavedKept(page: Page, id: number): Promise<void> {
  const { name: before } = await saved(page, id)
  await page.getByLabel('Name').fill('Winter course')
  await page.getByText('Unsaved changes').waitFor()
  const leave = page.getByRole('dialog', { name: 'Leave without saving?' })
  await page.getByRole('tab', { name: 'Leads' }).click()
  await leave.waitFor()
  await assertAccessible(page)
  await leave.getByRole('button', { name: 'Stay here' }).click()
  assert.equal(new URL(page.url()).pathname, `/campaigns/${id}/rules`)
  await goTo(page, 'Campaigns')
  await leave.getByRole('button', { name: 'Leave', exact: true }).click()
  await page.waitForURL(/\/campaigns$/)

  await page.locator(`main a[href="/campaigns/${id}"]`).click()
  await page.getByRole('tab', { name: 'Deadline (unsaved)' }).click()
  await page.getByText('Unsaved changes').waitFor()
  let asked = 0
  page.on('dialog', (dialog) => {
    asked += 1
    dialog.accept()
  })
  await page.getByLabel('Name').click()
  await page.reload()
  assert.equal(asked, 1)
  await page.getByText('Unsaved changes').waitFor()
  assert.equal(await page.getByLabel('Name').inputValue(), 'Winter course')
  assert.equal((await saved(page, id)).name, before)
  await page.evaluate(() => window.scrollTo(0, 0))
  await save(page).click()
  const said = page.getByText('Everything is saved')
  await said.waitFor()
  const isSeen = await said.evaluate((one) => one.getBoundingClientRect().bottom <= innerHeight)
  assert.ok(isSeen, 'it is said where one has pressed the button, wherever that was')
  assert.equal((await saved(page, id)).name, 'Winter course')
  await page.getByRole('tab', { name: 'Deadline', exact: true }).waitFor()
  await page.getByRole('tab', { name: 'Leads' }).click()
  await page.waitForURL(/\/leads$/)
}

longTest('every time of the preview is shown in the reader’s own zone on hover', async () => {
  const page = await edit(await make({ ...course, timeZone: 'America/New_York' }), { zone: 'Asia/Tokyo' })
  await page.getByLabel('A moment of your own').fill('2026-12-01T12:00')
  const own = page.getByRole('button', { name: /^Signs up when you choose/ })
  const tip = page.getByRole('tooltip')
  const seen = async (time: Locator, text: string) => {
    await time.hover()
    await tip.getByText(text).waitFor()
    await page.mouse.move(0, 0)
    await tip.waitFor({ state: 'hidden' })
  }
  await seen(own.getByText('Tue, 1 Dec 2026, 12:00 GMT-5', { exact: true }), 'Your time: Wed, 2 Dec 2026, 02:00:00')
  await seen(own.getByText('Thu, 3 Dec 2026, 12:00 GMT-5', { exact: true }), 'Your time: Fri, 4 Dec 2026, 02:00:00')
  await own.click()
  const steps = page.getByRole('listitem').filter({ hasText: 'open until Thu, 3 Dec 2026, 12:00 GMT-5' })
  await seen(steps.getByText('Thu, 3 Dec 2026, 12:00 GMT-5', { exact: true }).first(), 'Your time: Fri, 4 Dec')
  await page.getByRole('switch', { name: 'The campaign ends for everyone' }).click()
  const soon = new Date(Date.now() + 36 * 3_600_000).toISOString().slice(0, 16)
  await page.getByLabel('It never lasts beyond').fill(soon)
  const surprise = page.getByText('without that end they would have until').getByRole('time')
  await seen(surprise, 'Your time: ')
  await assertAccessible(page)
})

longAtBothWidths('resets, retries and cycles stand in the timeline, and what goes on says so', async (width) => {
  const page = await edit(await make(course), { width })
  await page.getByRole('switch', { name: 'Signing up again before the end starts the time again' }).click()
  await page.getByRole('radio', { name: 'Signing up again gives another chance' }).click()
  const list = page.getByText('Signs up again for another chance').filter({ visible: true })
  await list.first().waitFor()
  assert.equal(await page.getByText('Signs up again: open until').filter({ visible: true }).count(), 2)
  await page.getByRole('radio', { name: 'It opens again by itself' }).click()
  await page.locator('.steps').getByText('It opens again by itself').first().waitFor()
  assert.equal(await list.count(), 0)
  await page.getByLabel('How often', { exact: true }).last().selectOption('unlimited')
  await page.getByText('And so on.').first().waitFor()
})

longAtBothWidths(
  'a fault stands beside its field, in the reader’s language, and what is wrong is not saved',
  async (width) => {
    const id = await make({
      ...course,
      mechanism: { startsOn: 'registration', deadline: { kind: 'daysAt', days: 3, time: '23:59' } },
    })
    const page = await edit(id, { language: 'pl', width })
    const days = page.getByLabel('Liczba dni')
    await days.fill('')
    const fault = page.getByText('Wpisz liczbę całkowitą od 0 do 3660.')
    await fault.waitFor()
    assert.equal(await days.getAttribute('aria-invalid'), 'true')
    await page.getByText('Popraw zaznaczone pola, aby zobaczyć podgląd').waitFor()
    await page.getByText('1 pole wymaga poprawy').waitFor()
    await page.getByRole('button', { name: 'Zapisz' }).click()
    await page.getByText('Popraw zaznaczone pola.', { exact: true }).waitFor()
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Liczba dni')
    assert.equal((await saved(page, id)).mechanism.deadline.days, 3)
    await assertAccessible(page)
    await days.fill('5')
    await fault.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Zapisz' }).click()
    await page.getByText('Wszystko jest zapisane').waitFor()
    assert.equal((await saved(page, id)).mechanism.deadline.days, 5)
    assertUntroubled(page)
  },
)

longTest('a campaign with leads says in words why it cannot become one date for everyone', async () => {
  const id = await make({ ...course, isDraft: true })
  writeFileSync(join(stage.place.folder, 'emails.csv'), 'email\nada@example.com\n')
  const imported = await stage.place.runShared(['lead', 'import', '--campaign', String(id), 'emails.csv'])
  assert.equal(imported.code, 0)
  const page = await edit(id)
  const kind = page.getByLabel('How the offer ends')
  const refusal = page.getByText('This campaign has leads, or visitors without an email: it cannot change')
  await kind.selectOption('daysAt')
  // Of a draft too: it has its leads from before, or from an import.
  await page.locator('.save').getByText('Leads whose offer has started').waitFor()
  assert.equal(await refusal.count(), 0)
  await kind.selectOption('fixed')
  await refusal.waitFor()
  assert.equal(await kind.getAttribute('aria-invalid'), 'true')
  await page.getByLabel('It ends on').fill('2099-12-01T00:00')
  await page.locator('.save').getByText('1 field is not right yet').waitFor()
  const refused = page.waitForResponse((answer) => answer.status() === 422)
  await save(page).click()
  await refused
  await refusal.waitFor()
  // Nothing is said of leads that the change would reach: it reaches none.
  await page.locator('.save').getByText('hold for all leads').waitFor({ state: 'detached' })
  assert.equal((await saved(page, id)).mechanism.deadline.kind, 'after')
  // No list shows who has given no email.
  const visited = await make({ ...course, anonymous: { enabled: true } })
  const visit = await fetch(`${stage.server.origin}/visitor/v1/campaigns/${visited}/offer`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain;charset=UTF-8', 'User-Agent': 'Mozilla/5.0 Firefox/140.0' },
    body: JSON.stringify({ client: '0123456789abcdef'.repeat(2), visit: true }),
  })
  assert.equal(visit.status, 200, await visit.text())
  const other = await edit(visited, { language: 'pl', width: 'phone' })
  await other.getByLabel('Jak kończy się oferta').selectOption('fixed')
  await other.getByText('bez adresu e-mail: nie można w niej').waitFor()
  await assertFits(other)
})

longTest('a setting that is put back as it was is no change', async () => {
  const page = await edit(await make(course))
  await page.getByRole('switch', { name: 'Visitors who have not given an email' }).click()
  await page.getByText('Unsaved changes').waitFor()
  await page.getByRole('switch', { name: 'Visitors who have not given an email' }).click()
  await page.getByText('Everything is saved').waitFor()
  await page.getByLabel('How the offer ends').selectOption('none')
  await page.getByText('There is no countdown.').waitFor()
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await page.getByText('Everything is saved').waitFor()
  assert.equal(await page.getByLabel('How the offer ends').inputValue(), 'after')
})

longTest('the bar that saves says what a change does to leads whose offer has started', async () => {
  const fixed = { startsOn: 'registration', deadline: { kind: 'fixed', at: '2099-06-01T12:00' } }
  for (const [settings, says] of [
    [course, 'keep the rule under which it started'],
    [{ ...course, mechanism: fixed }, 'hold for all leads at once'],
  ] as const) {
    const page = await edit(await make(settings))
    await page.getByLabel('Name').fill('Another name')
    await page.locator('.save').getByText(says).waitFor()
  }
  const page = await edit(await make({ ...course, mechanism: { ...course.mechanism, startsOn: 'visit' } }))
  await page.getByLabel('Name').fill('Another name')
  await page.locator('.save').getByText('keep the rule under which it started').waitFor()
  const wait = page.locator('.save').getByText('Leads who wait for their visit go on waiting')
  assert.equal(await wait.count(), 0)
  await page.getByLabel('What starts the offer').selectOption('registration')
  await wait.waitFor()
})

longTest('a colleague who saves another part, or publishes, is in nobody’s way', async () => {
  const id = await make({ ...course, isDraft: true })
  const page = await edit(id)
  await page.getByLabel('Name').fill('Mine')
  await changeElsewhere(page, id, () => ({ pages: [{ pageUrl: 'https://example.com/theirs' }] }))
  await save(page).click()
  await page.getByText('Everything is saved').waitFor()
  const { name, pages } = await saved(page, id)
  assert.deepEqual([name, pages[0].pageUrl], ['Mine', 'https://example.com/theirs'])

  await page.getByRole('button', { name: 'Publish' }).click()
  await changeElsewhere(page, id, () => ({ isDraft: false }))
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('button', { name: 'Back to draft' }).waitFor()
  // The same button in the same place would take it back.
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal((await saved(page, id)).isDraft, false)
})

longTest(
  'a date to leave out is added by Enter, which saves nothing, or where the field is left; one that does not exist is said so',
  async () => {
    const id = await make({ ...course, mechanism: { ...course.mechanism, deadline: { kind: 'next', closes: friday } } })
    const page = await edit(id)
    await page.getByText('Days left out', { exact: true }).click()
    const date = page.getByLabel('A date to leave out')
    await date.fill('2099-12-25')
    await date.press('Enter')
    await page.getByText('25 Dec 2099').waitFor()
    await page.getByText('Unsaved changes').waitFor()
    await date.fill('2027-02-30')
    await date.press('Enter')
    await page.getByText('Write one like').waitFor()
    await date.fill('2099-12-26')
    await page.getByRole('button', { name: 'Take 25 Dec 2099 off the list' }).press('Enter')
    await page.getByText('26 Dec 2099').waitFor()
    assert.ok(await date.evaluate((field) => field === document.activeElement))
    assert.equal((await saved(page, id)).mechanism.deadline.skipDates, undefined)
    await date.fill('2099-12-27')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Everything is saved').waitFor()
    assert.deepEqual((await saved(page, id)).mechanism.deadline.skipDates, ['2099-12-26', '2099-12-27'])
  },
)

longAtBothWidths('a finding is shown beside the setting, and again before it is published', async (width) => {
  const id = await make({ ...course, isDraft: true, mailTimer: {} })
  const page = await edit(id, { width })
  await page.getByRole('radio', { name: 'It opens again by itself' }).click()
  await page.getByLabel('It opens again: unit').selectOption('H')
  const cycle = page.getByRole('group').filter({ hasText: 'It opens again' })
  await cycle.getByText('False urgency').waitFor()
  await cycle.getByText('Directive 2005/29/EC, Annex I, no. 7').waitFor()
  await page.getByLabel('When time is up').selectOption('REDIRECT')
  await page.getByLabel('Address of that page').fill('http://example.com/offer/')
  await page.getByText('are sent to the page that they are on').waitFor()
  await page.getByText('The campaign is a draft: until you publish it, nobody can sign up').waitFor()
  await save(page).click()
  await page.getByText('Everything is saved').waitFor()
  await page.getByRole('button', { name: 'Publish' }).click()
  const dialog = page.getByRole('dialog', { name: 'Publish this campaign?' })
  await dialog.getByText('False urgency').waitFor()
  // There no field stands beside it, and after a cycle nobody stays expired.
  for (const setting of ['Opens again by itself', 'Page after the end']) {
    assert.equal(await dialog.getByText(setting, { exact: true }).count(), 1, setting)
  }
  assert.equal(await dialog.getByText(/is a draft|stays expired/).count(), 0)
  await assertAccessible(page)
})

longTest('the bar that saves is never over the field that is typed in, at 200 % neither', async () => {
  const page = await edit(await make(course))
  for (const viewport of [
    { width: 720, height: 450 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport)
    await page
      .getByRole('button', { name: 'Discard changes' })
      .click({ timeout: 500 })
      .catch(() => {})
    for (const field of await page.locator('.rules form').locator('input:visible, select:visible').all()) {
      // At the lower end of the window, where the bar stands.
      await field.evaluate((element) => element.scrollIntoView({ block: 'end' }))
      await field.focus()
      if ((await field.getAttribute('aria-label')) === 'It ends: number') await field.fill('47')
      await page.waitForTimeout(30)
      const isCovered = await field.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect()
        const bar = document.querySelector('.save')?.getBoundingClientRect()
        return bar !== undefined && bar.top < bottom - 1 && bar.bottom > top + 1
      })
      assert.equal(isCovered, false, `${viewport.height}: ${await field.evaluate((element) => element.outerHTML)}`)
    }
  }
})

longTest('a field partly under the bar that saves can be clicked, and then moves clear of it', async () => {
  const page = await edit(await make(course), { width: 'phone' })
  await page.getByLabel('How the offer ends').selectOption('next')
  const field = page.getByRole('switch', { name: 'Everybody has at least' })
  assert.equal(await field.isChecked(), true)
  await field.evaluate((element) => {
    const bar = document.querySelector('.save[data-changed]')?.getBoundingClientRect().top ?? 0
    window.scrollBy({ top: element.getBoundingClientRect().top + 6 - bar, behavior: 'instant' })
  })
  const { x, y, width } = (await field.boundingBox()) as { x: number; y: number; width: number }
  await page.mouse.move(x + width / 2, y + 3)
  await page.mouse.down()
  // as long as a finger takes
  await page.waitForTimeout(120)
  await page.mouse.up()
  assert.equal(await field.isChecked(), false)
  await page.waitForFunction(() => {
    const bar = document.querySelector('.save')?.getBoundingClientRect().top ?? 0
    return (document.activeElement?.getBoundingClientRect().bottom ?? bar) < bar
  })
})

longTest('rules are changed and saved by keyboard alone', async () => {
  const id = await make(course)
  const page = await edit(id)
  const { keyboard } = page
  const tabTo = async (label: string) => {
    for (let tries = 0; tries < 60; tries += 1) {
      await keyboard.press('Tab')
      const here = await page.evaluate(() => {
        const element = document.activeElement as HTMLInputElement
        return element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent
      })
      if (here?.startsWith(label)) return
    }
    assert.fail(`no way by Tab to ${label}`)
  }
  await page.getByLabel('Name').focus()
  await keyboard.press('End')
  await keyboard.type('!')
  await tabTo('How the offer ends')
  await keyboard.type('on the next')
  await tabTo('Wed')
  await keyboard.press('Space')
  await tabTo('It ends: time')
  await keyboard.type('0930AM')
  await tabTo('Save')
  await keyboard.press('Enter')
  await page.getByText('Everything is saved').waitFor()
  await page.locator('button:focus', { hasText: 'Save' }).waitFor()
  const { name, mechanism } = await saved(page, id)
  assert.equal(name, 'Autumn course!')
  assert.deepEqual(mechanism.deadline, {
    kind: 'next',
    closes: { every: 'week', on: ['wed', 'fri'], time: '09:30' },
    minLead: 'P1D',
  })
})

test('the preview answers only who is signed in, and names what it cannot take', async () => {
  const send = await panelSession(stage.place, stage.server, owner.accountId)
  const ask = async (data: object) => {
    const { status, body } = await send('POST', '/preview', data)
    return [status, body.faults?.[0]?.path]
  }
  const asked = { settings: course, own: null, visitAfter: 'PT1H' }
  assert.deepEqual(await ask(asked), [200, undefined])
  assert.deepEqual(await ask({ ...asked, settings: {} }), [200, 'name'])
  assert.deepEqual(await ask({ ...asked, own: '1999-12-31T23:59' }), [422, 'own'])
  assert.deepEqual(await ask({ ...asked, own: '2026-02-30T10:00' }), [422, 'own'])
  assert.deepEqual(await ask({ ...asked, visitAfter: 'PT' }), [422, 'visitAfter'])
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(asked)
  const refused = await fetch(`${stage.server.origin}/panel/api/preview`, { method: 'POST', headers, body })
  assert.equal(refused.status, 401)
})

longTest(
  'dates are written in the language of the panel, not the browser’s: typed, or chosen by the keyboard',
  async () => {
    const id = await make(course)
    const page = await edit(id, { language: 'pl', zone: 'America/New_York' })
    await page.evaluate(() => localStorage.setItem('lastcall.language', 'en'))
    await page.reload()
    const own = page.getByLabel('A moment of your own')
    const shown = (text: string) =>
      page
        .getByRole('button', { name: /^Signs up when you choose/ })
        .getByText(text)
        .waitFor()
    for (const [typed, value] of [
      ['24 Oct 2026, 12:00', '24 Oct 2026, 12:00'],
      ['25.10.2026 9:30', '25 Oct 2026, 09:30'],
      ['2026-10-26T08:15', '26 Oct 2026, 08:15'],
      ['27 October 2026', '27 Oct 2026, 12:00'],
      // As the panel writes it itself, and as others do.
      ['28 Oct 2026, 09:05', '28 Oct 2026, 09:05'],
      ['05.11.2026 08:00', '5 Nov 2026, 08:00'],
      ['6 november 2026 00:30', '6 Nov 2026, 00:30'],
    ] as const) {
      await own.fill(typed)
      await shown(value)
      await own.blur()
      assert.equal(await own.inputValue(), value)
    }
    for (const wrong of ['soon', '31.2.2026 12:00', '1 Jan 1999, 12:00', '1.1.2100 0:00']) {
      await own.fill(wrong)
      await own.blur()
      await page.getByText('Write one like 31 Dec 2026, 23:59').waitFor()
      assert.equal(await own.inputValue(), wrong)
    }
    await own.fill('24 Oct 2026, 12:00')
    await page.getByText('Write one like').waitFor({ state: 'hidden' })
    // Where the service says what is wrong, the field does not say it too.
    const ends = page.getByRole('switch', { name: 'The campaign ends for everyone' })
    await ends.click()
    await page.getByLabel('It never lasts beyond').fill('31.02.2027 10:00')
    await page.keyboard.press('Tab')
    await page.getByText('Enter a date that exists and a time').waitFor()
    assert.equal(await page.getByText('Write one like').count(), 0)
    await ends.click()
    await own.focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const calendar = page.getByRole('dialog', { name: 'Calendar' })
    await calendar.getByText('October 2026').waitFor()
    await assertNoViolation(page)
    await calendar.getByRole('button', { name: '24 October 2026' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await calendar.getByLabel('Time: hours').fill('18')
    await shown('25 Oct 2026, 18:00')
    await page.keyboard.press('Escape')
    await calendar.waitFor({ state: 'hidden' })
    assert.equal(await own.inputValue(), '25 Oct 2026, 18:00')
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Calendar')

    await page.evaluate(() => localStorage.setItem('lastcall.language', 'pl'))
    await page.reload()
    const polish = page.getByLabel('Wybrana chwila')
    await polish.fill('24 paź 2026, 12:00')
    await page.getByRole('button', { name: /24 paź 2026, 12:00 GMT/ }).waitFor()
    await page.getByRole('button', { name: 'Kalendarz' }).last().click()
    await page.getByRole('dialog', { name: 'Kalendarz' }).getByText('październik 2026').waitFor()
    assertUntroubled(page)
  },
)

longTest('at 400 % zoom a calendar lies within the window, and all of it can be reached', async () => {
  const page = await edit(await make(course))
  // Of 1,280 × 1,024 pixels.
  await page.setViewportSize({ width: 320, height: 256 })
  const own = page.getByLabel('A moment of your own')
  await own.fill('24 Oct 2026, 12:00')
  // A calendar whose button the narrower page has moved out of the window is not shown.
  const heights: number[] = []
  const isSettled = async () => {
    heights.push(await page.evaluate(() => document.documentElement.scrollHeight))
    return heights.at(-1) === heights.at(-2)
  }
  assert.ok(await comesTrue(10_000, isSettled, 200))
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const calendar = page.getByRole('dialog', { name: 'Calendar' })
  await assertInWindow(page, calendar)
  for (const part of [calendar.getByRole('button', { name: '31 October 2026' }), calendar.getByLabel('Time: hours')]) {
    await part.focus()
    await assertInWindow(page, part)
  }
  await page.goto(`/campaigns/${await make(course)}`)
  await page.locator('#days').click()
  await assertInWindow(page, page.locator('[data-dates-dropdown]'))
})

async function assertInWindow(page: Page, part: Locator): Promise<void> {
  await part.waitFor()
  // It is put in its place a moment after it is there.
  const isWithin = async () => {
    const box = await part.boundingBox()
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
    return box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height
  }
  assert.ok(await comesTrue(2_000, isWithin, 50), JSON.stringify(await part.boundingBox()))
}

longTest('the bars of the preview are on one scale, which is said', async () => {
  const closes = { every: 'week', on: ['fri'], time: '20:00' }
  const id = await make({ ...course, mechanism: { startsOn: 'registration', deadline: { kind: 'next', closes } } })
  const page = await edit(id)
  const legend = await page.getByText(/^Each bar shows/).innerText()
  assert.match(legend, /^Each bar shows (?:6|7) days/)
  const bars = await page.locator('.preview button .bar').evaluateAll((all) =>
    all.map((bar) => ({
      end: Number.parseFloat(bar.querySelector('.end')?.getAttribute('x1') ?? ''),
      long: /\((?:(\d+) days?)?(?:,? ?(\d+) hours?)?/
        .exec(bar.closest('button')?.textContent ?? '')
        ?.slice(1)
        .map(Number),
    })),
  )
  // Less than a day is said in minutes too: on a Friday evening the next one is near.
  const days = bars.filter(({ long: [days] = [] }) => days)
  assert.ok(days.length > 1, JSON.stringify(bars))
  const perHour = days.map(({ end, long: [days, hours] = [] }) => end / ((days as number) * 24 + (hours || 0)))
  for (const one of perHour) assert.ok(Math.abs(one / (perHour[0] as number) - 1) < 0.1, JSON.stringify(bars))
})
