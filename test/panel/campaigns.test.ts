// Campaigns in the panel: the list and what is done from it, offer pages, and the mail timer.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { widgetSnippet } from '../../panel/src/screens/campaigns/pages/widget-html.ts'
import { tester } from '../support/actor.ts'
import { isFull, longTest } from '../support/faults.ts'
import { appliedCampaign, campaignFile } from '../support/lastcall.ts'
import { assertAccessible, assertFits, assertUntroubled, atBothWidths, longAtBothWidths, sharedStage } from './stage.ts'

const stage = await sharedStage()
const owner = await stage.person('owner')
const make = (changes: Record<string, unknown> = {}, who = owner) =>
  stage.place.arrange((store) => appliedCampaign(store, who.accountId, campaignFile(changes)))

atBothWidths('a list without campaigns says what to do; a template becomes a draft', async (width) => {
  const person = await stage.person(`first-${width}`)
  const page = await stage.open(person, { width, path: '/campaigns' })
  await page.getByText('There is no campaign yet').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'New campaign' }).first().click()
  await page.getByRole('radio', { name: /^Three days until midnight.* on the third day after sign-up\.$/ }).click()
  await page.getByLabel('Name', { exact: true }).fill('Autumn <b>sale</b>')
  await assertAccessible(page)
  // Two clicks in one instant make one.
  await page.getByRole('button', { name: 'Create draft' }).dblclick()
  await page.getByRole('heading', { name: 'Autumn <b>sale</b>' }).waitFor()
  await page.locator('main:focus').waitFor()
  const [made, ...more] = await stage.place.json(['campaign', 'list', '--account', String(person.accountId)])
  assert.deepEqual(more, [])
  const file = await stage.place.json(['campaign', 'export', String(made.id)])
  assert.deepEqual(
    [file.name, file.isDraft, file.mechanism.deadline],
    ['Autumn <b>sale</b>', true, { kind: 'daysAt', days: 3, time: '23:59' }],
  )
  assertUntroubled(page)
})

test('a draft without a deadline says first that it needs one', async () => {
  const person = await stage.person('without')
  const mechanism = { startsOn: 'registration', deadline: { kind: 'none' } }
  const { id } = await make({ name: 'Blank', isDraft: true, mechanism }, person)
  const page = await stage.open(person, { path: `/campaigns/${id}/leads` })
  await page.getByText('Say when the offer ends.').waitFor()
})

atBothWidths(
  'search and state narrow the list; a campaign is duplicated, exported, imported and deleted',
  async (width) => {
    const person = await stage.person(`busy-${width}`)
    await make({ name: 'Published one' }, person)
    await make({ name: 'A draft', isDraft: true }, person)
    const page = await stage.open(person, { width, path: '/campaigns' })
    await page.getByRole('link', { name: 'Published one' }).waitFor()
    await assertFits(page)
    await page.getByLabel('Search by name').fill('publ')
    await page.getByRole('link', { name: 'A draft' }).waitFor({ state: 'hidden' })
    assert.equal(await page.locator('[data-row-of=campaigns]').count(), 1)
    await page.locator('label').getByText('Draft', { exact: true }).click()
    await page.getByText('No campaign fits').waitFor()
    await page.getByLabel('Search by name').fill('')
    await page.getByRole('link', { name: 'A draft' }).waitFor()
    assert.equal(await page.locator('[data-row-of=campaigns]').count(), 1)
    await page.getByText('All', { exact: true }).click()

    await page.getByRole('button', { name: 'Actions on Published one' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Export' }).click()
    const file = await (await downloading).path()
    const exported = JSON.parse(await readFile(file, 'utf8'))
    assert.equal(exported.name, 'Published one')

    if (isFull) await duplicateAndImport(page, exported)
    const last = isFull ? 'Imported' : 'Published one'
    await page.getByRole('button', { name: `Actions on ${last}` }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete' })
    assert.equal(await confirm.isDisabled(), true)
    await page.getByLabel(`To be sure, type the campaign’s name: ${last}`).fill(last)
    await assertAccessible(page)
    await confirm.click()
    await page.getByRole('link', { name: last }).waitFor({ state: 'detached' })
    const left = await stage.place.json(['campaign', 'list', '--account', String(person.accountId)])
    assert.ok(!left.some(({ name }: { name: string }) => name === last))
    assertUntroubled(page)
  },
)

longTest('a campaign whose name is as long as may be is duplicated, with an emoji where it is cut too', async () => {
  const person = await stage.person('long-names')
  await make({ name: `${'x'.repeat(191)}🎁${'x'.repeat(8)}` }, person)
  const page = await stage.open(person, { path: '/campaigns' })
  await page.getByRole('button', { name: 'Actions on xxx' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await page.getByRole('heading', { name: /^Copy of x{191}🎁$/u }).waitFor()
})

longTest('to delete a campaign its name is typed as the page shows it, whatever spaces it has', async () => {
  const person = await stage.person('spacious-names')
  const name = 'Autumn  sale\nŁo\u0301dz\u0301'
  await make({ name }, person)
  const page = await stage.open(person, { path: '/campaigns' })
  await page.getByRole('button', { name: 'Actions on Autumn' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('To be sure').fill('Autumn sale Łódź')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('There is no campaign yet').waitFor()
})

async function duplicateAndImport(page: Page, exported: object): Promise<void> {
  await page.getByRole('button', { name: 'Actions on Published one' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await page.getByRole('heading', { name: 'Copy of Published one' }).waitFor()
  await page.getByText('Draft', { exact: true }).waitFor()

  await page.getByRole('link', { name: 'All campaigns' }).click()
  await page.getByRole('button', { name: 'Import file' }).click()
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('dialog').getByRole('button', { name: 'Import file' }).click()
  await (await choosing).setFiles({
    name: 'campaign.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify({ ...exported, name: 'Imported', timeZone: 'Mars/Base' })),
  })
  await page.getByText('timeZone', { exact: true }).waitFor()
  await page.getByText('Some settings in this file are not right').waitFor()
  const again = page.waitForEvent('filechooser')
  await page.getByRole('dialog').getByRole('button', { name: 'Import file' }).click()
  await (await again).setFiles({
    name: 'campaign.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify({ ...exported, name: 'Imported' })),
  })
  await page.getByRole('heading', { name: 'Imported' }).waitFor()

  await page.getByRole('link', { name: 'All campaigns' }).click()
}

longAtBothWidths(
  'offer pages are added, refused by name, and removed; the widget is seen where it runs',
  async (width) => {
    const { id } = await make({ name: 'With pages', pages: [{ pageUrl: 'https://example.com/one' }] })
    const page = await stage.open(owner, { width, path: `/campaigns/${id}/pages` })
    await page.getByText('The widget has not been seen on this page yet').waitFor()
    await page.getByRole('button', { name: 'Add a page' }).click()
    const second = page.getByRole('group', { name: 'Page 2' })
    await second.getByLabel('Address of the page').fill('javascript:alert(1)')
    await page.getByRole('button', { name: 'Save pages' }).click()
    await second.getByText('Enter a whole address').waitFor()
    await second.getByLabel('Address of the page').fill('https://example.com/two')
    await second.getByLabel('Link to this page in mails').uncheck()
    await page.getByRole('button', { name: 'Save pages' }).click()
    await page.getByText('Saved.').waitFor()
    const file = await stage.place.json(['campaign', 'export', String(id)])
    assert.deepEqual(
      file.pages.map(({ pageUrl, eligible }: any) => [pageUrl, eligible]),
      [
        ['https://example.com/one', true],
        ['https://example.com/two', false],
      ],
    )
    const snippet = widgetSnippet(`http://localhost:${stage.server.port}`, id)
    await page.getByRole('region', { name: 'The widget’s snippet' }).getByText(snippet).waitFor()
    await assertAccessible(page)
    // `offer-pages.test.ts` has it seen as well.
    if (!isFull) return assertUntroubled(page)

    await fetch(`${stage.server.origin}/visitor/v1/campaigns/${id}/offer`, {
      method: 'POST',
      body: JSON.stringify({ visit: true, page: 'https://example.com/one' }),
    })
    await page.waitForTimeout(1_500)
    await page.reload()
    await page.getByText('Widget last seen').waitFor()
    assertUntroubled(page)
  },
)

longAtBothWidths('the mail timer is drawn as the mail will show it, in every state, and saved', async (width) => {
  const { id } = await make({ name: 'With timer', mailTimer: null })
  const page = await stage.open(owner, { path: `/campaigns/${id}/timer`, width })
  const html = page.getByRole('region', { name: 'HTML for the mail' })
  await html.getByText('LC_LINK').waitFor()
  assert.equal(await html.getByText('LC_TIMER').count(), 0)
  await page.getByRole('button', { name: 'Add a mail timer' }).press('Enter')
  await page.waitForFunction(() => document.activeElement?.id === 'content')
  const picture = page.getByRole('img', { name: /^Countdown, Running/ })
  await picture.waitFor()
  const drawn = await picture.evaluate(async (image: HTMLImageElement) => {
    await image.decode()
    return [image.naturalWidth, image.naturalHeight]
  })
  assert.deepEqual(drawn, [1_200, 280])
  if (!isFull) {
    // A small one is soon drawn.
    await page.getByLabel('Height').fill('50')
    await page.getByLabel('Twice as sharp').uncheck()
  }
  await page.getByText('Expired', { exact: true }).click()
  await page.getByRole('img', { name: 'Countdown, Expired, English' }).waitFor()
  await page.getByLabel('Preview in').selectOption('Polish')
  await page.getByRole('img', { name: 'Countdown, Expired, Polish' }).waitFor()
  await page.getByLabel('Width').fill('300')
  await page.getByLabel('Boxes', { exact: true }).fill('#aa2200')
  if (isFull) {
    await page.getByLabel('Units').selectOption('hours, minutes, seconds')
    await page.getByLabel('When it is over').selectOption('A text')
    await page.getByLabel('In place of “hours”').fill('h')
    await page.getByLabel('Labels in capitals').check()
    await page.getByLabel('Size of digits').fill('30')
  }
  await page.getByRole('button', { name: 'Save timer' }).click()
  await page.getByText('Saved.').waitFor()
  const { mailTimer } = await stage.place.json(['campaign', 'export', String(id)])
  assert.deepEqual([mailTimer.width, mailTimer.box], [300, '#aa2200'])
  if (isFull) {
    const { digitSize, units, labelTexts, uppercase, whenOver } = mailTimer
    assert.deepEqual([digitSize, units.length, labelTexts, uppercase], [30, 3, { hours: 'h' }, true])
    assert.deepEqual(whenOver, { show: 'text', text: 'The offer is over' })
  }
  await page.getByLabel('Mail service').focus()
  await page.getByLabel('Mail service').selectOption('Klaviyo')
  await page.getByRole('region', { name: 'HTML for the mail' }).getByText(`{{ person|lookup:'LC_LINK' }}`).waitFor()
  // It was not drawn anew meanwhile.
  await page.locator('select:focus', { hasText: 'Klaviyo' }).waitFor()
  await assertFits(page)
  await assertAccessible(page)
  assertUntroubled(page)
})

longTest('the units of a timer are not cut off in their list, however wide the window is', async () => {
  const { id } = await make({ name: 'Units', mailTimer: { width: 200, height: 50 } })
  const page = await stage.open(owner, { path: `/campaigns/${id}/timer` })
  const units = page.locator('select', { has: page.locator('option[value="days,hours,minutes,seconds"]') })
  await units.selectOption('days,hours,minutes,seconds')
  for (const width of [320, 577, 768, 993, 1_200, 1_440]) {
    await page.setViewportSize({ width, height: 900 })
    // The frame around the screen moves for a moment.
    await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))
    const isCut = await units.evaluate((select: HTMLSelectElement) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(select)
      const canvas = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D
      canvas.font = font
      const { width } = canvas.measureText(select.selectedOptions[0]?.label ?? '')
      return width > select.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
    })
    assert.equal(isCut, false, String(width))
  }
})

longTest('three hundred campaigns are fifty a page, in a state that the way back leads to again', async () => {
  const person = await stage.person('many')
  const over = { startsOn: 'registration', deadline: { kind: 'fixed', at: '2020-01-01T00:00' } }
  await stage.place.arrange(async (store) => {
    for (let number = 1; number <= 120; number += 1) {
      const changes = { name: `Campaign ${number}`, ...(number % 60 === 0 && { mechanism: over }) }
      await appliedCampaign(store, person.accountId, campaignFile(changes))
    }
  })
  const page = await stage.open(person, { path: '/campaigns', width: 'phone' })
  await page.getByText('120 campaigns').waitFor()
  await page.locator('[data-row-of=campaigns]').nth(49).waitFor()
  assert.equal(await page.locator('[data-row-of=campaigns]').count(), 50)
  assert.match(await page.locator('[data-row-of=campaigns]').first().innerText(), /Campaign 120\s+ENDED/)
  await assertFits(page)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Page 2 of the list' }).click()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.locator('main:focus').waitFor()
  await page.getByRole('link', { name: 'Campaign 20', exact: true }).waitFor()
  assert.equal(await page.locator('[data-row-of=campaigns]').count(), 20)
  await page.getByLabel('Search by name').fill('campaign 1')
  await page.getByText('32 campaigns').waitFor()
  await page.locator('label').getByText('Ended', { exact: true }).click()
  await page.getByText('1 campaign', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Campaign 120' }).click()
  await page.getByRole('tab', { name: 'Leads' }).waitFor()
  await page.locator('main').getByText('Ended', { exact: true }).waitFor()
  await page.goBack()
  await page.getByText('1 campaign', { exact: true }).waitFor()
  assert.equal(await page.getByLabel('Search by name').inputValue(), 'campaign 1')
  assertUntroubled(page)
})

longTest(
  'colours and size of the timer are judged beside their fields, and no colour is put back unasked',
  async () => {
    const { id } = await make({ name: 'Hard to read', mailTimer: { width: 600, height: 140, pixelsPerPoint: 1 } })
    const page = await stage.open(owner, { path: `/campaigns/${id}/timer` })
    const beside = (label: string, text: string) =>
      page
        .getByRole('group')
        .filter({ has: page.getByLabel(label, { exact: true }), hasText: text })
        .waitFor()
    await page.getByLabel('Boxes', { exact: true }).fill('#f5f5f5')
    await beside('Digits', 'The digits hardly stand out from what is behind them.')
    await page.getByLabel('Height').fill('50')
    await beside('Height', 'On a telephone the labels are too small to read.')
    await beside('Height', 'On a telephone the digits are too small to read.')
    await assertAccessible(page)
    await page.getByLabel('Height').fill('200')
    await page.getByLabel('Width').fill('200')
    await beside('Height', 'The boxes are tall and narrow.')
    await page.getByLabel('Boxes', { exact: true }).fill('reddish')
    await page.getByLabel('Digits', { exact: true }).focus()
    await beside('Boxes', 'Enter a colour, such as #1f2937.')
    assert.equal(await page.getByLabel('Boxes', { exact: true }).inputValue(), 'reddish')
    await page.getByRole('button', { name: 'Save timer' }).click()
    await beside('Boxes', 'Enter a colour, such as #1f2937.')
    assertUntroubled(page)
  },
)

longTest(
  'another look keeps colours that were chosen, and refuses no picture; a light and a dark mail are around it',
  async () => {
    const { id } = await make({
      name: 'Looks',
      mailTimer: { width: 200, height: 50, box: '#aa2200', pixelsPerPoint: 1 },
    })
    const page = await stage.open(owner, { path: `/campaigns/${id}/timer` })
    await page.getByLabel('Transparent', { exact: true }).check()
    const colour = (label: string) => page.getByLabel(label, { exact: true }).inputValue()
    assert.deepEqual([await colour('Background'), await colour('Labels')], ['', '#d1d5db'])
    const picture = page.getByRole('img', { name: /^Countdown, Running/ })
    const paper = page.locator('.mantine-Paper-root', { has: picture })
    const around = () => paper.evaluate((one) => getComputedStyle(one).backgroundColor)
    assert.equal(await around(), 'rgb(255, 255, 255)')
    await page.getByText('Dark mail', { exact: true }).click()
    assert.equal(await around(), 'rgb(31, 31, 31)')
    await page.getByLabel('Look').selectOption('Rings')
    assert.deepEqual(
      [await colour('Background'), await colour('Boxes'), await colour('Digits'), await colour('Labels')],
      ['#ffffff', '#aa2200', '#111827', '#4b5563'],
    )
    assert.equal(await page.getByLabel('Transparent', { exact: true }).isDisabled(), true)
    const before = await picture.getAttribute('src')
    await page.waitForFunction(
      (src) => document.querySelector('img[alt^=Countdown]')?.getAttribute('src') !== src,
      before,
    )
    assertUntroubled(page)
  },
)

longTest(
  'a font without the letters of the mail’s language is not offered, and a letter that it lacks is named',
  async () => {
    const { id } = await make({ name: 'Letters', language: 'uk', mailTimer: { font: 'lato', width: 200, height: 50 } })
    const page = await stage.open(owner, { path: `/campaigns/${id}/timer` })
    const offered = async () => {
      await page.getByRole('combobox', { name: 'Font' }).click()
      const names = await page.locator('.mantine-Select-option:not([data-combobox-disabled]):visible').allInnerTexts()
      await page.keyboard.press('Escape')
      return names
    }
    // Of the campaign's language, as its mails are.
    assert.deepEqual(await offered(), ['Inter', 'Montserrat', 'Oswald', 'Roboto', 'Roboto Mono'])
    await page.getByText('Ukrainian letters are missing in this font').waitFor()
    await page.getByRole('region', { name: 'HTML for the mail' }).getByText('Переглянути пропозицію').waitFor()
    await page.getByLabel('In place of “days”').fill('дні')
    await page.getByText('The font lato has no “д”: choose another font or letter.').waitFor()
    await page.getByLabel('Preview in').selectOption('English')
    assert.deepEqual(await offered(), ['Inter', 'Lato', 'Montserrat', 'Oswald', 'Roboto', 'Roboto Mono'])
    // Labels that are not shown are saved too: the field stays until it is right.
    await page.getByLabel('Units').selectOption('hours')
    await page.getByLabel('in words').uncheck()
    await page.getByText('The font lato has no “д”').waitFor()
    await page.getByLabel('In place of “days”').fill('d')
    await page.getByLabel('In place of “days”').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save timer' }).click()
    await page.getByText('Saved.').waitFor()
    assertUntroubled(page)
  },
)

longTest('parts of a campaign are links; a new campaign begins with its templates', async () => {
  const { id } = await make({ name: 'Linked' })
  const page = await stage.open(owner, { path: `/campaigns/${id}` })
  const [other] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('tab', { name: 'Leads' }).click({ button: 'middle' }),
  ])
  await other.waitForURL((url) => url.pathname === `/campaigns/${id}/leads`)
  await page.getByRole('link', { name: 'All campaigns' }).press('Enter')
  // The link went with its screen, and one goes on from the beginning of the next; as with the browser's own Back.
  const onScreen = page.locator('main:focus')
  await onScreen.getByRole('heading', { name: 'Campaigns' }).waitFor()
  await page.getByRole('link', { name: 'Linked', exact: true }).press('Enter')
  await onScreen.getByRole('heading', { name: 'Linked' }).waitFor()
  await page.goBack()
  await onScreen.getByRole('heading', { name: 'Campaigns' }).waitFor()
  await page.getByRole('button', { name: 'New campaign' }).click()
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'radio')
  await page.keyboard.press('ArrowDown')
  await page.waitForFunction(() => document.querySelectorAll('[role=radio]')[1]?.ariaChecked === 'true')
  await page.keyboard.press('Tab')
  await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT')
  await page.keyboard.press('Shift+Tab')
  await page.waitForFunction(() => document.activeElement?.ariaChecked === 'true')
  assertUntroubled(page)
})

longTest('dialogs that load something when they open give the focus back as well', async () => {
  const person = await stage.person('typist')
  const page = await stage.open(person, { path: '/' })
  const isFocused = (name: string) =>
    page.waitForFunction(
      (one) => document.activeElement?.textContent === one || document.activeElement?.ariaLabel === one,
      name,
    )
  await page.getByRole('button', { name: 'New campaign' }).press('Enter')
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'radio')
  await page.keyboard.press('Escape')
  await isFocused('New campaign')

  await make({ name: 'Typed' }, person)
  await page.goto('/campaigns')
  const menu = page.getByRole('button', { name: 'Actions on Typed' })
  for (const _ of ['a button alone', 'a menu that was open before']) {
    await menu.press('Enter')
    await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'menuitem')
    await page.keyboard.press('Escape')
    await isFocused('Actions on Typed')
  }
  assertUntroubled(page)
})

test('what belongs to another account looks as if it did not exist', async () => {
  const stranger = await stage.person('stranger')
  const { id } = await make({ name: 'Not yours' })
  const page = await stage.open(stranger, { path: `/campaigns/${id}` })
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  assert.equal(await page.getByText('Not yours').count(), 0)
})

longAtBothWidths('a campaign is archived: a draft, out of the list, and back', async (width) => {
  const person = await stage.person(`archivist-${width}`)
  const { id } = await make({ name: 'Old course' }, person)
  await make({ name: 'New course' }, person)
  await stage.place.json(['lead', 'import', '--campaign', String(id), '-'], 'email\na@x.pl\nb@x.pl\n')
  const page = await stage.open(person, { width, path: '/campaigns' })
  const row = page.locator(`[data-row="${id}"]`)
  // Two leads, both open, and both signed up in these days.
  await page.getByRole('img', { name: '2 sign-ups in 30 days' }).waitFor()
  await row.getByText('2', { exact: true }).first().waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Actions on Old course' }).click()
  await page.getByRole('menuitem', { name: 'Archive' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
  await page.getByText('“Old course” is in the archive.').waitFor()
  await page.waitForFunction(() => document.activeElement?.textContent === 'New course')
  assert.equal(await row.count(), 0)
  const listed = await stage.place.json<any[]>(['campaign', 'list', '--account', String(person.accountId)])
  assert.deepEqual(
    listed.map(({ name, isDraft }) => [name, isDraft]),
    [
      ['Old course', true],
      ['New course', false],
    ],
  )
  await page.locator('label').getByText('Archive', { exact: true }).click()
  await row.getByText('Archived').waitFor()
  await assertAccessible(page)
  await assertFits(page)
  await page.getByRole('link', { name: 'Old course' }).click()
  await page.getByText('Leave it in the archive, or publish it').waitFor()
  await page.getByText('Archived', { exact: true }).waitFor()
  await assertAccessible(page)
  await assertFits(page)
  await page.goBack()
  await page.getByRole('button', { name: 'Actions on Old course' }).click()
  await page.getByRole('menuitem', { name: 'Bring back' }).click()
  await page.getByText('“Old course” is back, as a draft.').waitFor()
  await page.locator('label').getByText('Draft', { exact: true }).click()
  await row.waitFor()
  // Published meanwhile, it does not go offline without a question.
  const file = await stage.place.json<any>(['campaign', 'export', String(id)])
  const published = JSON.stringify({ ...file, isDraft: false })
  await stage.place.json(['campaign', 'apply', '--account', String(person.accountId), '-'], published)
  await page.getByRole('button', { name: 'Actions on Old course' }).click()
  await page.getByRole('menuitem', { name: 'Archive' }).click()
  const question = page.getByRole('dialog', { name: 'Archive “Old course”?' })
  await question.waitFor()
  await assertAccessible(page)
  await assertFits(page)
  assert.equal((await stage.place.json<any>(['campaign', 'export', String(id)])).isDraft, false)
  await question.getByRole('button', { name: 'Cancel' }).click()
  // It is no draft any more.
  await row.waitFor({ state: 'detached' })
  await page.locator('label').getByText('All', { exact: true }).click()
  await row.getByText('Live').waitFor()
  // Published, it is no longer archived, however that was done.
  for (const one of listed)
    await stage.place.arrange((store) => store.configuration.archiveCampaign(person.accountId, one.id, true, tester))
  await page.goto('/campaigns')
  await page.getByText('All campaigns are archived').waitFor()
  await assertFits(page)
  await page.locator('label').getByText('Archive', { exact: true }).click()
  await stage.place.json(['campaign', 'apply', '--account', String(person.accountId), '-'], published)
  // The list still has it in the archive. To bring it back changes nothing.
  await page.getByRole('button', { name: 'Actions on Old course' }).click()
  await page.getByRole('menuitem', { name: 'Bring back' }).click()
  await page.getByText('“Old course” is back already').waitFor()
  await assertFits(page)
  await page.goto('/campaigns?sort=name')
  await row.getByText('Live').waitFor()
  assertUntroubled(page)
})

longTest('a link opens its screen at its beginning, and the way back leads to where one was', async () => {
  const person = await stage.person('reader')
  const names = Array.from({ length: 40 }, (_, index) => `Campaign ${index + 1}`)
  await stage.place.arrange(async (store) => {
    for (const name of names) await appliedCampaign(store, person.accountId, campaignFile({ name }))
  })
  const page = await stage.open(person, { path: '/campaigns', width: 'phone' })
  const [heading, list] = [page.locator('h1', { hasText: 'Campaign 1' }), page.locator('h1', { hasText: 'Campaigns' })]
  const oldest = page.getByRole('link', { name: 'Campaign 1', exact: true })
  const scrolled = () => page.evaluate(() => window.scrollY)
  // Once it is loaded and read, a screen is there at once, as high as before.
  for (let times = 0; times < 2; times += 1) {
    await oldest.scrollIntoViewIfNeeded()
    const before = await scrolled()
    assert.ok(before > 2_000, String(before))
    await oldest.click()
    await heading.waitFor()
    await page.getByText('By page').waitFor()
    assert.equal(await scrolled(), 0)
    await page.goBack()
    await list.waitFor()
    await page.waitForFunction((y) => window.scrollY === y, before)
  }
})

longTest('a copy that comes late takes nobody away from where they are', async () => {
  await make({ name: 'Slow' })
  const page = await stage.open(owner, { path: '/campaigns' })
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route('**/panel/api/campaigns', async (route) => {
    if (route.request().method() === 'POST') await held
    await route.continue()
  })
  const made = page.waitForResponse((answer) => answer.request().method() === 'POST')
  await page.getByRole('button', { name: 'Actions on Slow', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await page.getByRole('link', { name: 'Find a person' }).click()
  await page.waitForURL(/person$/)
  letGo()
  await made
  await page.waitForTimeout(500)
  assert.match(page.url(), /person$/)
})

longTest(
  'a campaign that somebody has deleted meanwhile leaves the list, and it is said that it does not exist',
  async () => {
    const { id } = await make({ name: 'Theirs' })
    const page = await stage.open(owner, { path: '/campaigns' })
    await page.getByRole('button', { name: 'Actions on Theirs', exact: true }).click()
    await stage.place.runShared(['campaign', 'delete', String(id), '--yes'])
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('Theirs')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('This does not exist, or not any more.').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Theirs', exact: true }).count(), 0)
  },
)

longTest('the error of a failed deletion is gone when its question opens again', async () => {
  const { id } = await make({ name: 'Kept', mailTimer: { height: 50, pixelsPerPoint: 1 } })
  const page = await stage.open(owner, { path: '/campaigns' })
  const busy = { status: 503, json: { code: 'SERVICE_UNAVAILABLE', faults: [], retryAfterSeconds: null } }
  await page.route(`**/panel/api/campaigns/${id}`, (route) =>
    route.request().method() === 'GET' ? route.fallback() : route.fulfill(busy),
  )
  const dialog = page.getByRole('dialog')
  const assertAskedAgain = async (ask: () => Promise<void>, typed: string, action: string) => {
    await ask()
    if (typed !== '') await dialog.getByRole('textbox').fill(typed)
    await dialog.getByRole('button', { name: action }).click()
    await dialog.getByText('The service is busy').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await ask()
    await dialog.getByRole('button', { name: action }).waitFor()
    assert.equal(await dialog.getByRole('alert').count(), 0)
  }
  const askToDelete = async () => {
    await page.getByRole('button', { name: 'Actions on Kept', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
  }
  await assertAskedAgain(askToDelete, 'Kept', 'Delete')
  await page.goto(`/campaigns/${id}/timer`)
  const name = 'Remove the mail timer'
  await assertAskedAgain(() => page.getByRole('main').getByRole('button', { name }).click(), '', name)
})

longTest('the list fits a tablet that lies, in Polish', async () => {
  const person = await stage.person('on-a-tablet')
  await make(
    {
      name: 'Autumncourse'.repeat(12),
      mechanism: { startsOn: 'registration', deadline: { kind: 'fixed', at: '2027-12-31T23:59' } },
    },
    person,
  )
  const page = await stage.open(person, { language: 'pl', path: '/campaigns' })
  await page.setViewportSize({ width: 1_000, height: 700 })
  const table = page.getByRole('table', { name: 'Kampanie' })
  await table.getByText('31 gru').waitFor()
  const [wide, room] = await table.evaluate((one) => [one.scrollWidth, one.parentElement?.clientWidth])
  assert.ok((wide as number) <= (room as number), `${wide} wide in ${room}`)
})

longTest('a long name without a space breaks in dialogs and in what is said of it, on a phone', async () => {
  const person = await stage.person('long-winded')
  await make({ name: 'Autumncourse'.repeat(12) }, person)
  const page = await stage.open(person, { width: 'phone', path: '/campaigns' })
  const assertWithin = async (part: Locator) => {
    const [wide, shown] = await part.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])
    assert.ok((wide as number) <= (shown as number), `${wide} wide in ${shown}`)
  }
  const ask = async (name: string) => {
    await page.getByRole('button', { name: 'Actions on Autumncourse' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await ask('Delete')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('To be sure').waitFor()
  for (const part of [dialog.locator('.mantine-Modal-header'), dialog.locator('.mantine-Modal-body')])
    await assertWithin(part)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await ask('Archive')
  await dialog.getByRole('button', { name: 'Archive' }).click()
  const said = page.getByText(/is in the archive\.$/)
  await said.waitFor()
  await assertWithin(said)
})
