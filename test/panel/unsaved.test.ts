// Offer pages and mail timer while somebody writes: nobody overwrites what they have not seen, nothing is lost unasked.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { longTest, someOf } from '../support/faults.ts'
import { campaignFile } from '../support/lastcall.ts'
import { assertAccessible, assertUntroubled, comeBack, longAtBothWidths, sharedStage, type Width } from './stage.ts'

const stage = await sharedStage()
const owner = await stage.person('owner')

/** Small, and so are the pictures that saving it has drawn. */
const smallTimer = { height: 50, pixelsPerPoint: 1 }

async function make(mailTimer: object = {}): Promise<number> {
  const account = ['--account', String(owner.accountId)]
  const file = campaignFile({
    name: 'Course',
    pages: [{ pageUrl: 'https://example.com/one' }],
    mailTimer,
  })
  return (await stage.place.json(['campaign', 'apply', ...account, '-'], file)).id
}

async function open(path: string, width: Width): Promise<Page> {
  const page = await stage.open(owner, { path, width })
  page.setDefaultTimeout(10_000)
  return page
}

const exported = (id: number) => stage.place.json(['campaign', 'export', String(id)])
const urls = async (id: number) => (await exported(id)).pages.map(({ pageUrl }: any) => pageUrl)
const address = (page: Page, number: number) =>
  page.getByRole('group', { name: `Page ${number}`, exact: true }).getByLabel('Address of the page')

async function add(page: Page, number: number, url: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a page' }).click()
  await address(page, number).and(page.locator(':focus')).waitFor()
  await address(page, number).fill(url)
}

async function save(page: Page, what: 'pages' | 'timer'): Promise<void> {
  await page.getByRole('button', { name: `Save ${what}` }).click()
  await page.getByText('Saved.').waitFor()
  await page.locator('button:focus', { hasText: `Save ${what}` }).waitFor()
}

async function remove(page: Page, number: number): Promise<void> {
  await page
    .getByRole('group', { name: `Page ${number}`, exact: true })
    .getByRole('button', { name: 'Remove' })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove this page' }).click()
}

const behind = (page: Page) => page.getByText('Other changes were saved meanwhile')

longAtBothWidths('pages follow what a colleague saves, and never overwrite it unseen', async (width) => {
  const id = await make()
  const path = `/campaigns/${id}/pages`
  const [mine, theirs] = [await open(path, width), await open(path, width)]
  await address(mine, 1).waitFor()
  await add(theirs, 2, 'https://example.com/two')
  await save(theirs, 'pages')
  await comeBack(mine)
  await address(mine, 2).waitFor()
  assert.equal(await mine.getByText('Not saved yet.').count(), 0)

  await address(mine, 1).fill('https://example.com/mine')
  await add(theirs, 3, 'https://example.com/three')
  await save(theirs, 'pages')
  for (let tries = 0; tries < 2; tries += 1) {
    await mine.getByRole('button', { name: 'Save pages' }).click()
    await behind(mine).waitFor()
  }
  await assertAccessible(mine)
  assert.deepEqual(
    await urls(id),
    [1, 2, 3].map((n) => `https://example.com/${['one', 'two', 'three'][n - 1]}`),
  )
  assert.equal(await address(mine, 1).inputValue(), 'https://example.com/mine')
  await mine.getByRole('button', { name: 'Discard changes' }).click()
  await address(mine, 3).waitFor()
  await address(mine, 1).fill('https://example.com/mine')
  await save(mine, 'pages')
  assert.equal((await urls(id))[0], 'https://example.com/mine')
  assertUntroubled(mine)
})

longAtBothWidths('a timer follows what a colleague saves, and never overwrites it unseen', async (width) => {
  const id = await make(smallTimer)
  const path = `/campaigns/${id}/timer`
  const [mine, theirs] = [await open(path, width), await open(path, width)]
  await mine.getByLabel('Width').waitFor()
  await theirs.getByLabel('Width').fill('400')
  await save(theirs, 'timer')
  await comeBack(mine)
  await mine.waitForFunction(() => [...document.querySelectorAll('input')].some(({ value }) => value === '400 points'))

  await mine.getByLabel('Boxes', { exact: true }).fill('#aa2200')
  await theirs.getByLabel('Width').fill('500')
  await save(theirs, 'timer')
  await comeBack(mine)
  await behind(mine).waitFor()
  await mine.getByRole('button', { name: 'Save timer' }).click()
  assert.equal(await mine.getByRole('alert').count(), 1)
  const { mailTimer } = await exported(id)
  assert.deepEqual([mailTimer.width, mailTimer.box === '#aa2200'], [500, false])

  // Removed meanwhile, it can still be seen what was changed.
  await theirs.getByRole('button', { name: 'Remove the mail timer' }).click()
  const removal = theirs.getByRole('dialog', { name: 'Remove the mail timer?' })
  await removal.getByText('Countdown pictures in mails already sent become empty').waitFor()
  await assertAccessible(theirs)
  await removal.getByRole('button', { name: 'Cancel' }).click()
  assert.notEqual((await exported(id)).mailTimer, null)
  await theirs.getByRole('button', { name: 'Remove the mail timer' }).click()
  await removal.getByRole('button', { name: 'Remove the mail timer' }).click()
  await theirs.getByText('This campaign has no countdown for mails').waitFor()
  await theirs.waitForFunction(() => document.activeElement?.id === 'content')
  assert.equal((await exported(id)).mailTimer, null)
  await comeBack(mine)
  await behind(mine).waitFor()
  assert.equal(await mine.getByLabel('Boxes', { exact: true }).inputValue(), '#aa2200')
  await mine.getByRole('button', { name: 'Discard changes' }).click()
  await mine.getByText('This campaign has no countdown for mails').waitFor()
})

longAtBothWidths(
  'unsaved pages and timer are marked, kept for another visit, and leaving asks first',
  async (width) => {
    const id = await make(smallTimer)
    const page = await open(`/campaigns/${id}/pages`, width)
    const leave = page.getByRole('dialog', { name: 'Leave without saving?' })
    await add(page, 2, 'https://example.com/two')
    await page.getByRole('tab', { name: 'Offer pages (unsaved)' }).waitFor()
    await page.getByRole('tab', { name: 'Mail timer' }).click()
    await leave.getByRole('button', { name: 'Stay here' }).click()
    assert.equal(await address(page, 2).inputValue(), 'https://example.com/two')
    await page.getByRole('tab', { name: 'Mail timer' }).click()
    await leave.getByRole('button', { name: 'Leave', exact: true }).click()

    await page.getByLabel('Boxes', { exact: true }).fill('#aa2200')
    await page.getByRole('tab', { name: 'Mail timer (unsaved)' }).waitFor()
    let asked = 0
    page.on('dialog', (dialog) => {
      asked += 1
      dialog.accept()
    })
    await page.reload()
    assert.equal(asked, 1)
    await page.getByText('Not saved yet.').waitFor()
    assert.equal(await page.getByLabel('Boxes', { exact: true }).inputValue(), '#aa2200')
    await save(page, 'timer')
    await page.getByRole('tab', { name: 'Offer pages (unsaved)' }).click()
    await page.getByText('Not saved yet.').waitFor()
    assert.equal(await address(page, 2).inputValue(), 'https://example.com/two')

    // Nothing is published here: what is not saved stays so.
    await page.getByRole('tab', { name: 'Deadline' }).click()
    await leave.getByRole('button', { name: 'Leave', exact: true }).click()
    await page.getByRole('button', { name: 'Back to draft' }).click()
    const draft = page.getByRole('dialog', { name: 'Take this campaign back to draft?' })
    await draft.waitFor()
    assert.equal(await draft.getByText('Changes that you have not saved').count(), 0)
    await draft.getByRole('button', { name: 'Cancel' }).click()
    await page.goto(`/campaigns/${id}/pages`)

    // A page that is saved may stand in mails; one that is not goes without a question.
    await page.getByRole('group', { name: 'Page 2' }).getByRole('button').last().click()
    await page.getByRole('tab', { name: 'Offer pages', exact: true }).waitFor()
    // The focus goes to the page that is left.
    await page.waitForFunction(() => document.activeElement?.closest('fieldset') !== null)
    const removal = page.getByRole('dialog', { name: 'Remove this page from the offer?' })
    await page.getByRole('button', { name: 'Remove this page' }).click()
    await removal.getByText('links to it in mails already sent').waitFor()
    await assertAccessible(page)
    await removal.getByRole('button', { name: 'Cancel' }).click()
    await address(page, 1).waitFor()
    await page.getByRole('button', { name: 'Remove this page' }).click()
    await removal.getByRole('button', { name: 'Remove this page' }).click()
    await page.getByText('No page yet.').waitFor()
    await page.waitForFunction(() => document.activeElement?.id === 'content')
    await save(page, 'pages')
    assert.deepEqual(await urls(id), [])
    assertUntroubled(page)
  },
)

longAtBothWidths('leaving asks by the browser’s Back as well, and about the same changes once', async (width) => {
  const id = await make()
  const page = await open('/campaigns', width)
  const leave = page.getByRole('dialog', { name: 'Leave without saving?' })
  const at = (path: string) => page.waitForURL((url) => url.pathname === path)
  await page.locator(`a[href="/campaigns/${id}"]`).click()
  await page.getByRole('tab', { name: 'Leads' }).click()
  await page.getByRole('tab', { name: 'Offer pages' }).click()
  await add(page, 2, 'https://example.com/two')
  for (const step of ['Stay here', 'Leave']) {
    await page.goBack()
    await leave.waitFor()
    await at(`/campaigns/${id}/pages`)
    assert.equal(await page.getByLabel('Address of the page').nth(1).inputValue(), 'https://example.com/two')
    await leave.getByRole('button', { name: step, exact: true }).click()
    await leave.waitFor({ state: 'detached' })
  }
  await at(`/campaigns/${id}/leads`)
  await page.goForward()
  await at(`/campaigns/${id}/pages`)
  await address(page, 2).waitFor()
  // Told once, one may go about, and out.
  await page.getByRole('tab', { name: 'Deadline' }).click()
  await page.getByText('Everything is saved').waitFor()
  await page.getByRole('link', { name: 'All campaigns' }).click()
  await at('/campaigns')
  await page.goBack()
  await page.getByRole('tab', { name: 'Offer pages (unsaved)' }).click()
  await add(page, 3, 'https://example.com/three')
  await page.getByRole('link', { name: 'All campaigns' }).click()
  await leave.getByRole('button', { name: 'Leave', exact: true }).click()
  await at('/campaigns')
  assertUntroubled(page)
})

longAtBothWidths('signing out leaves no unsaved change behind', async (width) => {
  const id = await make()
  const page = await open(`/campaigns/${id}/pages`, width)
  await add(page, 2, 'https://example.com/two')
  await page.getByRole('tab', { name: 'Offer pages (unsaved)' }).waitFor()
  const kept = () => page.evaluate(() => JSON.stringify(Object.entries(sessionStorage)))
  assert.match(await kept(), /example\.com\/two/)
  await page.getByRole('button', { name: 'Account', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('Email').fill(owner.email)
  assert.doesNotMatch(await kept(), /example\.com\/two/)
  await page.getByRole('textbox', { name: 'Password' }).fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.evaluate((path) => history.pushState(null, '', path), `/campaigns/${id}/pages`)
  await address(page, 1).waitFor()
  assert.equal(await address(page, 2).count(), 0)
})

longTest('who signs in at the tab of somebody whose session has ended does not get their unsaved changes', async () => {
  const id = await make()
  const page = await open(`/campaigns/${id}/pages`, 'desk')
  await add(page, 2, 'https://example.com/two')
  const signIn = async ({ email, password }: { email: string; password: string }) => {
    await page.context().clearCookies()
    await page.reload()
    await page.getByLabel('Email').fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await address(page, 1).waitFor()
  }
  await signIn(await stage.colleague(owner, 'member'))
  assert.equal(await address(page, 2).count(), 0)
  assert.equal(await page.getByText('Not saved yet.').count(), 0)
  await signIn(owner)
  assert.equal(await address(page, 2).inputValue(), 'https://example.com/two')
})

longTest('what is corrected after a refused “Keep what is here” is no longer marked as wrong', async () => {
  const id = await make()
  const [mine, theirs] = [await open(`/campaigns/${id}/pages`, 'desk'), await open(`/campaigns/${id}/pages`, 'desk')]
  await address(mine, 1).fill('mailto:x')
  await add(theirs, 2, 'https://example.com/two')
  await save(theirs, 'pages')
  await comeBack(mine)
  await behind(mine).waitFor()
  await mine.getByRole('button', { name: 'Keep what is here' }).click()
  await mine.locator('[aria-invalid=true]').waitFor()
  await address(mine, 1).fill('https://example.com/right')
  await mine.locator('[aria-invalid=true]').waitFor({ state: 'detached' })
  await mine.getByRole('button', { name: 'Discard changes' }).click()

  // A page that was removed meanwhile is kept as a new one.
  await address(mine, 2).fill('https://example.com/mine')
  await remove(theirs, 1)
  // Not by `save`: the focus is on its way to the next page.
  await theirs.getByRole('button', { name: 'Save pages' }).click()
  await theirs.getByText('Saved.').waitFor()
  await comeBack(mine)
  await behind(mine).waitFor()
  await mine.getByRole('button', { name: 'Keep what is here' }).click()
  await mine.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' })
  assert.deepEqual(await urls(id), ['https://example.com/mine', 'https://example.com/one'])
  assert.equal(await address(mine, 1).inputValue(), 'https://example.com/mine')

  // One more than there may be: no field is wrong, and it is said all the same.
  const campaign = await exported(id)
  const pages = Array.from({ length: 99 }, (_, n) => ({ pageUrl: `https://example.com/${n}` }))
  await stage.place.json(
    ['campaign', 'apply', '--account', String(owner.accountId), '-'],
    JSON.stringify({ ...campaign, pages: [campaign.pages[0], ...pages] }),
  )
  await mine.reload()
  await address(mine, 100).waitFor()
  await add(mine, 101, 'https://example.com/more')
  await mine.getByRole('button', { name: 'Save pages' }).click()
  await mine.getByText('At most 100 are possible; there are 101.').waitFor()
  assert.equal(await mine.getByText('Fix the highlighted fields.').count(), 0)
})

longAtBothWidths(
  'what is written while a save is under way is still to be saved, and a new page is saved once',
  async (width) => {
    const id = await make()
    const page = await open(`/campaigns/${id}/pages`, width)
    await address(page, 1).waitFor()
    await add(page, 2, 'https://example.com/two')
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await page.route(`**/panel/api/campaigns/${id}`, async (route) => {
      if (route.request().method() === 'PUT') await held
      await route.continue()
    })
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT')
    await page.getByRole('button', { name: 'Save pages' }).click()
    await address(page, 2).fill('https://example.com/later')
    letGo()
    await saved
    await page.unroute(`**/panel/api/campaigns/${id}`)
    await page.getByRole('button', { name: 'Save pages' }).and(page.locator(':enabled:not([data-loading])')).waitFor()
    assert.equal(await address(page, 2).inputValue(), 'https://example.com/later')
    await page.getByText('Not saved yet.').waitFor()
    assert.equal(await behind(page).count(), 0)
    assert.deepEqual(await urls(id), ['https://example.com/one', 'https://example.com/two'])
    await save(page, 'pages')
    assert.deepEqual(await urls(id), ['https://example.com/one', 'https://example.com/later'])
    assert.equal(await address(page, 3).count(), 0)
  },
)

const looks = [
  ['after looking at the campaign again', comeBack],
  ['at once', async () => {}],
] as const
for (const [what, look] of someOf(looks, 1)) {
  longTest(`a save whose answer was lost is no change of somebody else, and is made once: ${what}`, async () => {
    const id = await make()
    const page = await open(`/campaigns/${id}/pages`, 'desk')
    await address(page, 1).waitFor()
    await add(page, 2, 'https://example.com/two')
    await page.route(`**/panel/api/campaigns/${id}`, async (route) => {
      if (route.request().method() !== 'PUT') return route.fallback()
      await page.request.put(route.request().url(), { data: route.request().postDataJSON() })
      await route.abort('connectionfailed')
    })
    await page.getByRole('button', { name: 'Save pages' }).click()
    await page.getByText('The service cannot be reached').waitFor()
    await page.unrouteAll()
    const { pages } = await exported(id)
    assert.equal(pages.length, 2)
    await look(page)
    await page.waitForTimeout(300)
    assert.equal(await behind(page).count(), 0)
    await save(page, 'pages')
    assert.equal(await behind(page).count(), 0)
    assert.deepEqual((await exported(id)).pages, pages)
    assert.equal(await page.getByText('The service cannot be reached').count(), 0)
  })
}

longTest('other days of the results are chosen unasked, whatever is unsaved in another part', async () => {
  const id = await make()
  const page = await open(`/campaigns/${id}/pages`, 'desk')
  page.on('dialog', (dialog) => dialog.accept())
  await address(page, 1).fill('https://example.com/later')
  // Loaded again, it does not know any more that the reader was asked.
  await page.goto(`/campaigns/${id}`)
  await page.getByRole('tab', { name: 'Offer pages (unsaved)' }).waitFor()
  await page.getByText('90 days', { exact: true }).click()
  await page.waitForURL(`**/campaigns/${id}?from=*`)
  assert.equal(await page.getByRole('dialog').count(), 0)
})

longAtBothWidths('a page’s address that cannot be says why in its own words, and what to write', async (width) => {
  const page = await open(`/campaigns/${await make()}/pages`, width)
  for (const [url, said] of [
    ['https://example.com/?promo=-50%', 'write %25 in its place'],
    ['https://example.com/?email=*|EMAIL|*', 'write %7C in its place'],
    ['ftp://www.example.com/offer', 'begins with https://'],
  ] as const) {
    await address(page, 1).fill(url)
    await page.getByRole('button', { name: 'Save pages' }).click()
    await page.getByText(said).waitFor()
    await address(page, 1).and(page.locator(':focus')).waitFor()
  }
})

longTest('a number that is cleared stays empty until another is typed, and that one holds', async () => {
  const page = await open(`/campaigns/${await make(smallTimer)}/timer`, 'desk')
  const clear = async (field: Locator) => {
    await field.press('Control+A')
    await field.press('Delete')
    assert.equal(await field.inputValue(), '')
  }
  const timerWidth = page.getByLabel('Width')
  await clear(timerWidth)
  await page.getByText('Enter a whole number from 200 to 600.').waitFor()
  await timerWidth.pressSequentially('500')
  await timerWidth.press('Tab')
  assert.equal(await timerWidth.inputValue(), '500 points')
  await save(page, 'timer')
  await page.goto('/integrations/webhooks')
  await page.getByRole('button', { name: 'New webhook' }).click()
  const batch = page.getByRole('dialog').getByLabel('Events in one request')
  await clear(batch)
  await batch.pressSequentially('25')
  await batch.press('Tab')
  assert.equal(await batch.inputValue(), '25')
})
