// A session that ends in the middle of something: the reader signs in on top of it, and it goes on.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { isFull, longTest } from '../support/faults.ts'
import { campaignFile } from '../support/lastcall.ts'
import {
  assertAccessible,
  assertFits,
  assertUntroubled,
  atBothWidths,
  comeBack,
  goTo,
  longAtBothWidths,
  mayClose,
  type Person,
  sharedStage,
} from './stage.ts'

const stage = await sharedStage()

const make = ({ accountId }: Person) =>
  stage.place.json(['campaign', 'apply', '--account', String(accountId), '-'], campaignFile({ name: 'Course' }))

const question = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' })

async function signInAgain(page: Page, { password }: Person): Promise<void> {
  const field = question(page).getByRole('textbox', { name: 'Password' })
  // The email cannot be changed.
  await field.and(page.locator(':focus')).waitFor()
  await field.fill(password)
  await question(page).getByRole('button', { name: 'Sign in' }).click()
  await question(page).waitFor({ state: 'hidden' })
}

longAtBothWidths(
  'what is asked for the first time after the session has ended comes once one is signed in',
  async (width) => {
    const person = await stage.person(`first-${width}`)
    const { id } = await make(person)
    const page = await stage.open(person, { width, path: `/campaigns/${id}/rules` })
    page.setDefaultTimeout(10_000)
    await page.locator('.steps').first().waitFor({ state: 'attached' })

    // A preview of what was never asked before.
    await page.context().clearCookies()
    await page.getByLabel('How the offer ends').selectOption('none')
    await question(page).waitFor()
    await assertAccessible(page)
    await assertFits(page)
    await signInAgain(page, person)
    await page
      .getByRole('button', { name: /^Signs up now/ })
      .getByText('Open without end')
      .waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page
      .getByRole('button', { name: /^Signs up now/ })
      .getByText('Open until')
      .waitFor()
    await page.waitForLoadState('networkidle')

    // A screen that was never opened.
    await page.context().clearCookies()
    await goTo(page, 'Integrations')
    await question(page).waitFor()
    await signInAgain(page, person)
    await page.getByText('There is no key yet').waitFor()

    // Leads that begin with something new.
    await page.goto(`/campaigns/${id}/leads`)
    await page.getByText('Nobody has signed up for this campaign yet').waitFor()
    await page.context().clearCookies()
    await page.getByLabel('Search by email').fill('ada')
    await question(page).waitFor()
    await signInAgain(page, person)
    await page.getByText('No email begins like that').waitFor()
    assertUntroubled(page)
  },
)

longAtBothWidths(
  'a session that is found to have ended when one comes back leaves the screen as it is',
  async (width) => {
    const person = await stage.person(`back-${width}`)
    const { id } = await make(person)
    const page = await stage.open(person, { width, path: `/campaigns/${id}/pages` })
    page.setDefaultTimeout(10_000)
    await page.getByRole('button', { name: 'Add a page' }).click()
    const second = page.getByRole('group', { name: 'Page 2' }).getByLabel('Address of the page')
    await second.fill('https://example.com/two')
    await page.context().clearCookies()
    await comeBack(page)
    await question(page).waitFor()
    assert.equal(new URL(page.url()).pathname, `/campaigns/${id}/pages`)
    assert.equal(await second.inputValue(), 'https://example.com/two')
    await signInAgain(page, person)
    assert.equal(await second.inputValue(), 'https://example.com/two')
    await page.getByRole('button', { name: 'Save pages' }).click()
    await page.getByText('Saved.').waitFor()
    await comeBack(page)
    await page.waitForTimeout(500)
    assert.equal(await question(page).isVisible(), false)
    // Who has no password, or no user any more, is not locked in.
    await page.route('**/panel/api/session', async (route) => {
      const headers = { ...route.request().headers(), 'Sec-Fetch-Site': 'same-origin' }
      const answer = await route.fetch({ headers })
      const session = await answer.json()
      await route.fulfill({ response: answer, json: { ...session, ways: { ...session.ways, hasMail: true } } })
    })
    await page.reload()
    await second.fill('https://example.com/three')
    await page.context().clearCookies()
    await comeBack(page)
    const forgot = question(page).getByRole('link', { name: 'Forgot password?' })
    const [beside] = await Promise.all([page.waitForEvent('popup'), forgot.click()])
    await beside.getByRole('heading', { name: 'Set a new password' }).waitFor()
    await beside.close()
    assert.equal(await second.inputValue(), 'https://example.com/three')
    await assertAccessible(page)
    await assertFits(page)
    await question(page).getByRole('button', { name: 'Leave' }).click()
    await page.getByLabel('Email').fill('somebody@example.com')
    assert.equal(await question(page).count(), 0)
    assertUntroubled(page)
  },
)

longTest('if another tab has signed somebody else in, nothing is done in that person’s name', async () => {
  const [ada, bela] = [await stage.person('ada-here'), await stage.person('bela-beside')]
  const page = await stage.open(ada, { path: '/integrations' })
  page.setDefaultTimeout(10_000)
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Shop')
  const { email, password } = bela
  await page.request.post('/panel/api/session', { data: { email, password } })
  await page.getByRole('button', { name: 'Create key' }).click()
  await signInAgain(page, ada)
  await page.getByRole('dialog', { name: 'Copy your new key now' }).waitFor()
  const keysOf = ({ accountId }: Person) => stage.place.json(['key', 'list', '--account', String(accountId)])
  assert.deepEqual([(await keysOf(ada)).length, (await keysOf(bela)).length], [1, 0])

  await page.request.post('/panel/api/session', { data: { email, password } })
  await comeBack(page)
  await signInAgain(page, ada)
  await page.getByRole('banner').getByText('ada-here’s account').waitFor({ state: 'attached' })

  // Who cannot sign in here by a password either ends that session in another tab, or goes on in it.
  const comes = async () => {
    await page.request.post('/panel/api/session', { data: { email, password } })
    await comeBack(page)
    await question(page).getByText(`Now ${email} is signed in`).waitFor()
    await assertAccessible(page)
    await assertFits(page)
  }
  await comes()
  assert.equal((await page.request.delete('/panel/api/session')).status(), 200)
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await question(page).getByText(`Now ${email} is signed in`).waitFor({ state: 'detached' })
  await signInAgain(page, ada)
  await comes()
  await question(page).getByRole('button', { name: 'Go on as that user' }).click()
  await page.getByRole('banner').getByText('bela-beside’s account').waitFor({ state: 'attached' })
  await question(page).waitFor({ state: 'hidden' })

  // To sign out ends nobody else's session: this browser is Ada's now.
  await page.getByText('Your first live campaign').waitFor()
  await page.waitForLoadState('networkidle')
  await page.request.post('/panel/api/session', { data: { email: ada.email, password: ada.password } })
  await page.getByRole('button', { name: 'Account', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('banner').getByText('ada-here’s account').waitFor({ state: 'attached' })
  assertUntroubled(page)
})

longTest('what waits to be erased is not, and an import is over, if the reader goes on as another user', async () => {
  const [ada, bela] = [await stage.person('ada-erases'), await stage.person('bela-goes-on')]
  const { id } = await make(ada)
  const emails = ['one', 'two', 'three'].map((name) => `${name}@example.com`)
  await stage.place.json(['lead', 'import', '--campaign', String(id), '-'], ['email', ...emails].join('\n'))
  const page = await stage.open(ada, { path: `/campaigns/${id}/leads` })
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  let asked = 0
  await page.route('**/leads/erasure', async (route) => {
    asked += 1
    await answered
    await route.fulfill({ status: 401, json: { code: 'SIGNED_OUT', requestId: '', faults: [] } })
  })
  // One is under way, one comes after it, and one waits its ten seconds.
  for (const email of emails) {
    await page.getByLabel(`Select ${email}`).check()
    await page.getByRole('button', { name: 'Erase', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Erase for good' }).click()
    await page.getByLabel(`Select ${email}`).waitFor({ state: 'detached' })
  }
  await page.route('**/leads/import', (route) =>
    answered.then(() => route.fulfill({ status: 401, json: { code: 'SIGNED_OUT', requestId: '', faults: [] } })),
  )
  await page.getByRole('button', { name: 'Import' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Import leads' })
  const file = { name: 'leads.csv', mimeType: 'text/csv', buffer: Buffer.from('email\nfour@example.com\n') }
  await dialog.locator('input[type=file]').setInputFiles(file)
  await dialog.getByRole('button', { name: 'Start import' }).click()
  await dialog.getByRole('button', { name: 'Stop' }).waitFor()
  assert.equal(await mayClose(page), false)
  const { email, password } = bela
  await page.request.post('/panel/api/session', { data: { email, password } })
  answer()
  await question(page).getByRole('button', { name: 'Go on as that user' }).click()
  await page.getByRole('banner').getByText('bela-goes-on’s account').waitFor({ state: 'attached' })
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)
  await page.waitForTimeout(10_500)
  assert.equal(asked, 1)
  assert.equal(await mayClose(page), true)
  assertUntroubled(page)
})

atBothWidths('a fresh key and a half-written name outlive the session', async (width) => {
  const person = await stage.person(`fresh-${width}`)
  const page = await stage.open(person, { width, path: '/integrations' })
  page.setDefaultTimeout(10_000)
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Shop')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Create key' }).click()
  await question(page).waitFor()
  // What lies under the question is not closed by it.
  await page.keyboard.press('Escape')
  await page.waitForTimeout(300)
  assert.equal(await page.getByRole('dialog', { name: 'New key', includeHidden: true }).count(), 1)
  await signInAgain(page, person)
  const fresh = page.getByRole('dialog', { name: 'Copy your new key now' })
  const key = await fresh.getByRole('region', { name: 'The new key' }).innerText()
  await page.context().clearCookies()
  await comeBack(page)
  await question(page).waitFor()
  await signInAgain(page, person)
  assert.equal(await fresh.getByRole('region', { name: 'The new key' }).innerText(), key)
  await fresh.getByRole('checkbox').check()
  await fresh.getByRole('button', { name: 'Done' }).click()
  if (isFull) await assertNameOutlives(page, person)
  assertUntroubled(page)
})

async function assertNameOutlives(page: Page, person: Person): Promise<void> {
  await goTo(page, 'Settings')
  await page.getByLabel('Name').fill('A better name')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await question(page).waitFor()
  await page.keyboard.press('Escape')
  await assertAccessible(page)
  await signInAgain(page, person)
  await page.getByText('Saved.').waitFor()
  const accounts = await stage.place.json(['account', 'list'])
  assert.ok(accounts.some(({ id, name }: any) => id === person.accountId && name === 'A better name'))
}

longTest('a user who has signed in again in one tab is not asked in another', async () => {
  const person = await stage.person('tabs')
  const page = await stage.open(person, { path: '/settings', isNew: true })
  const other = await page.context().newPage()
  await other.goto('/integrations')
  await other.getByRole('button', { name: 'New key' }).waitFor()
  await page.context().clearCookies()
  for (const tab of [other, page]) {
    await comeBack(tab)
    await question(tab).waitFor()
  }
  await signInAgain(page, person)
  // As a browser tells of a tab that is looked at again.
  await other.evaluate(() => window.dispatchEvent(new Event('focus')))
  await question(other).waitFor({ state: 'hidden' })
  assertUntroubled(page)
})

longAtBothWidths('a user who signs out and in again is asked once', async (width) => {
  const person = await stage.person(`out-${width}`)
  const page = await stage.open(person, { width })
  page.setDefaultTimeout(10_000)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByRole('button', { name: 'Account', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Your first live campaign').waitFor()
  await page.waitForTimeout(500)
  assert.equal(await question(page).count(), 0)
  assertUntroubled(page)
})
