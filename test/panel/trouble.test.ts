// What may go wrong around the panel: parts that do not load, a browser that does not let it copy, a service that fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { isFull, longTest } from '../support/faults.ts'
import { campaignFile } from '../support/lastcall.ts'
import {
  assertAccessible,
  assertFits,
  assertUntroubled,
  comeBack,
  goTo,
  longAtBothWidths,
  sharedStage,
  type Width,
} from './stage.ts'

const stage = await sharedStage()
const owner = await stage.person('owner')
const { id } = await stage.place.json(
  ['campaign', 'apply', '--account', String(owner.accountId), '-'],
  campaignFile({ name: 'Course', pages: [] }),
)

async function open(path: string, width: Width, language: 'en' | 'pl' = 'en'): Promise<Page> {
  const page = await stage.open(owner, { path, width, language })
  page.setDefaultTimeout(10_000)
  return page
}

/** As a browser is to a page that came by plain HTTP from another machine. */
async function withoutHttps(page: Page, copies: boolean): Promise<void> {
  await page.addInitScript((copies) => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined })
    Object.defineProperty(crypto, 'randomUUID', { value: undefined })
    if (!copies) document.execCommand = () => false
  }, copies)
  await page.reload()
}

longAtBothWidths(
  'a part that does not load says so, takes nothing else along, and can be loaded again',
  async (width) => {
    const page = await stage.open(owner, { path: `/campaigns/${id}`, width, language: 'pl' })
    await page.route(/\/assets\/(?:leads|settings)-[^/]*\.js$/, (route) => route.abort('connectionfailed'))
    await page.getByRole('tab', { name: 'Odbiorcy' }).click()
    await page.getByText('Ta część panelu nie wczytała się').waitFor()
    await assertAccessible(page)
    await assertFits(page)
    await page.getByRole('tab', { name: 'Strony oferty' }).click()
    await page.getByRole('button', { name: 'Dodaj stronę' }).waitFor()
    await page.getByRole('tab', { name: 'Odbiorcy' }).click()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Wczytaj ponownie' }).click()
    await page.getByText('nikt się jeszcze nie zapisał').waitFor()
  },
)

longTest('where what reads files does not load it is said so, and not that the file cannot be read', async () => {
  const page = await stage.open(owner, { path: `/campaigns/${id}/leads`, isNew: true })
  // Named by the library's folder.
  await page.route(/\/assets\/esm-[^/]*\.js$/, (route) => route.fulfill({ status: 404, json: {} }))
  await page.getByRole('button', { name: 'Import' }).first().click()
  const file = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('email\nada@example.com\n') }
  await page.getByRole('dialog').locator('input[type=file]').setInputFiles(file)
  await page.getByText('Load the page again, then choose the file.').waitFor()
})

test('while the service is away the screen stays with what was typed; without a network it is said, and tried again', async () => {
  const page = await open('/integrations/webhooks', 'desk')
  await page.getByRole('button', { name: 'New webhook' }).click()
  const dialog = page.getByRole('dialog', { name: 'New webhook' })
  await dialog.getByLabel('Name').fill('Till')
  await page.route('**/panel/api/**', (route) => route.abort('connectionfailed'))
  // Session and webhooks are asked again.
  await comeBack(page)
  await page.getByText('The service cannot be reached').first().waitFor({ state: 'attached' })
  assert.equal(await dialog.getByLabel('Name').inputValue(), 'Till')
  await page.unrouteAll()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })

  await goTo(page, 'Settings')
  await page.getByLabel('Name').fill('Our school')
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The service cannot be reached').waitFor()
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved.').waitFor()
})

longTest('if signing out or pausing a webhook fails, the panel says so', async () => {
  const endpoint = ['--name', 'Shop', '--url', 'https://example.com/', '--kinds', 'lead.registered']
  await stage.place.json(['webhook', 'create', '--account', String(owner.accountId), ...endpoint])
  const page = await open('/integrations/webhooks', 'phone')
  const isBusy = page.getByRole('alert').getByText('Try again in a moment')
  const menu = (button: string, item: string) => async () => {
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  const unavailable = { status: 503, json: { code: 'SERVICE_UNAVAILABLE', faults: [], retryAfterSeconds: null } }
  const pausing = [menu('Actions on “Shop”', 'Pause'), page.getByText('“Shop” is paused.')] as const
  const signingOut = [menu('Account', 'Sign out'), page.getByRole('button', { name: 'Sign in' })] as const
  for (const [ask, done] of isFull ? [pausing, signingOut] : [signingOut]) {
    await page.route(/api\/(?:webhooks|session)/, (route) =>
      route.request().method() === 'GET' ? route.fallback() : route.fulfill(unavailable),
    )
    await ask()
    await isBusy.waitFor()
    await assertAccessible(page)
    await assertFits(page)
    assert.equal(await done.count(), 0)
    await page.unrouteAll()
    await ask()
    await done.waitFor()
  }
  assertUntroubled(page)
})

longTest('every screen that waits for the service looks the same', async () => {
  const page = await stage.open(owner, { path: '/person' })
  const waits = [
    '/',
    '/campaigns',
    '/integrations',
    '/integrations/history',
    '/settings/users',
    `/campaigns/${id}/leads`,
  ]
  await page.route('**/panel/api/**', async (route) => {
    if (route.request().url().endsWith('/session')) return route.continue()
    if (/\/campaigns\/\d+$/.test(route.request().url())) return route.continue()
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    await route.continue()
  })
  for (const path of waits) {
    await page.goto(path)
    await page.locator('main').getByRole('status', { name: 'Loading' }).first().waitFor()
    assert.equal(await page.locator('main .mantine-Loader-root').count(), 0, path)
  }
})

longTest('what could not be read does not look as if there were none', async () => {
  const account = ['--account', String(owner.accountId)]
  await stage.place.json(['key', 'create', ...account, '--name', 'Shop'])
  const file = campaignFile({ name: 'With a mail', mailTimer: {} })
  const { id } = await stage.place.json(['campaign', 'apply', ...account, '-'], file)
  const page = await open('/campaigns', 'desk')
  const reads = /panel\/api\/(campaign-figures|history\/keys|time-zones|campaigns\/\d+\/leads\/(states|search))/
  const json = { code: 'INTERNAL_ERROR', requestId: 'some id', faults: [] }
  await page.route(reads, (route) => route.fulfill({ status: 500, json }))
  const none = (column: string) => page.locator(`td[data-label="${column}"]`, { hasText: '–' }).first().waitFor()
  await page.reload()
  await none('Leads')
  const failures = page.getByRole('alert').filter({ hasText: 'Something went wrong on our side' })
  await failures.waitFor()
  await page.goto('/integrations')
  await none('Requests, 24 h')
  for (const [part, said] of [
    ['rules', 1],
    ['timer', 1],
    // Their numbers and their list.
    ['leads', 2],
  ] as const) {
    await page.goto(`/campaigns/${id}/${part}`)
    const alerts = page.getByRole('alert').filter({ hasText: 'Something went wrong on our side' })
    await alerts.nth(said - 1).waitFor()
    await assertFits(page)
  }
})

longAtBothWidths('without HTTPS a page is added all the same, and what is copied is copied', async (width) => {
  const page = await open(`/campaigns/${id}/pages`, width)
  await withoutHttps(page, true)
  await page.getByRole('button', { name: 'Add a page' }).click()
  await page.getByRole('button', { name: 'Add a page' }).click()
  await page.getByRole('group', { name: 'Page 2' }).waitFor()
  const snippet = page.getByRole('region', { name: 'The widget’s snippet' })
  const copy = snippet.locator('..').getByRole('button', { name: 'Copy' })
  await copy.click()
  await snippet.locator('..').getByRole('button', { name: 'Copied' }).waitFor()
  const other = await open('/settings', width)
  assert.equal(await other.evaluate(() => navigator.clipboard.readText()), await snippet.innerText())
  await Promise.all([page.context().close(), other.context().close()])
})

longAtBothWidths('if nothing can be copied, the panel says what to do', async (width) => {
  const page = await open('/integrations', width)
  await withoutHttps(page, false)
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(`Shop ${width}`)
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Copy your new key now' })
  await dialog.getByRole('button', { name: 'Copy the key' }).click()
  await dialog.getByText('Select the text and copy it yourself').waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Copied' }).count(), 0)
  await assertAccessible(page)
  await dialog.getByRole('checkbox').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('tab', { name: 'Reference' }).click()
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await page.getByText('Select the text and copy it yourself').waitFor()
  await assertFits(page)
  await page.context().close()
})

longAtBothWidths('a campaign that cannot be duplicated or exported says why, and is tried again', async (width) => {
  const page = await open('/campaigns', width)
  for (const name of ['Export', 'Duplicate']) {
    await page.route(`**/panel/api/campaigns/${id}`, (route) => route.abort('connectionfailed'))
    await page.getByRole('button', { name: 'Actions on Course', exact: true }).click()
    await page.getByRole('menuitem', { name }).click()
    const dialog = page.getByRole('dialog', { name })
    await dialog.getByText('The service cannot be reached').waitFor()
    await assertAccessible(page)
    await page.unrouteAll()
    const downloading = name === 'Export' ? page.waitForEvent('download') : undefined
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await downloading
    await dialog.waitFor({ state: 'hidden' })
  }
  await page.getByRole('heading', { name: 'Copy of Course' }).waitFor()
  await page.context().close()
})

longTest('an answer that is no JSON, or was cut off on the way, is none: nothing is said to be done', async () => {
  const page = await open('/integrations', 'phone')
  const dialog = page.getByRole('dialog', { name: 'New key' })
  for (const [contentType, body] of [
    ['text/html', '<p>Welcome to our network</p>'],
    ['application/json', '{"id":"5b'],
  ] as const) {
    await page.getByRole('button', { name: 'New key' }).click()
    await dialog.getByLabel('Name').fill('Till')
    await page.route('**/panel/api/keys', (route) => route.fulfill({ status: 200, contentType, body }))
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByText('its answer was lost: it may have done this').waitFor()
    await page.unrouteAll()
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Till')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  assertUntroubled(page)
  // A proxy's page: the network is there, and what was asked is not.
  await page.route('**/panel/api/keys', (route) =>
    route.fulfill({ status: 500, body: '<h1>Internal Server Error</h1>' }),
  )
  await page.reload()
  await page.getByText('The service is busy').waitFor()
})

/** From now on, until the page is loaded again. */
const shortenMinute = (page: Page, divisor: number) =>
  page.evaluate((divisor) => {
    const timeout = AbortSignal.timeout.bind(AbortSignal)
    AbortSignal.timeout = (milliseconds) => timeout(milliseconds / divisor)
  }, divisor)

longTest(
  'a key whose answer does not come within a minute may be there: it is said, and the list shows it',
  async () => {
    const page = await stage.open(owner, { path: '/integrations' })
    await shortenMinute(page, 60)
    const dialog = page.getByRole('dialog', { name: 'New key' })
    await page.getByRole('button', { name: 'New key' }).click()
    await dialog.getByLabel('Name').fill('Swallowed')
    // It is made, and its answer never comes. Made before it is asked for: a command may take longer than that minute.
    await stage.place.json(['key', 'create', '--account', String(owner.accountId), '--name', 'Swallowed'])
    await page.route('**/panel/api/keys', async (route) => {
      if (route.request().method() === 'GET') await route.continue()
    })
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByText('Look whether it has before you try again').waitFor()
    await page.locator('tr', { hasText: 'Swallowed' }).waitFor({ state: 'attached' })
  },
)

longTest(
  'a list that does not come within a minute says so then, and is asked for again by the reader alone',
  async () => {
    const page = await stage.open(owner, { path: `/campaigns/${id}/pages` })
    await page.getByRole('button', { name: 'Add a page' }).waitFor()
    await shortenMinute(page, 20)
    let asked = 0
    // Never answered.
    await page.route('**/leads/search', () => {
      asked += 1
    })
    await page.getByRole('tab', { name: 'Leads' }).click()
    const failure = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' })
    await failure.waitFor()
    assert.equal(asked, 1)
    await page.unrouteAll()
    await failure.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Nobody has signed up for this campaign yet').waitFor()
  },
)

/** It is done, and the answer is lost on the way. */
const losing = (page: Page, path: string) =>
  page.route(path, async (route) => {
    if (route.request().method() === 'GET') return route.fallback()
    await page.request.fetch(route.request().url(), {
      method: route.request().method(),
      data: route.request().postDataJSON(),
    })
    await route.abort('connectionfailed')
  })

longTest(
  'a day more for a lead whose answer is lost may have been given: it is said, and the list shows it',
  async () => {
    const apply = ['campaign', 'apply', '--account', String(owner.accountId), '-']
    const made = await stage.place.json(apply, campaignFile({ name: 'Days', timeZone: 'UTC', pages: [] }))
    await stage.place.json(['lead', 'import', '--campaign', String(made.id), '-'], 'email\nada@example.com\n')
    const page = await open(`/campaigns/${made.id}/leads`, 'desk')
    const deadline = page.getByRole('row', { name: 'ada@example.com' }).locator('time').first()
    const before = Date.parse((await deadline.getAttribute('datetime')) ?? '')
    await page.getByLabel('Select ada@example.com').check()
    await losing(page, '**/leads/deadlines')
    await page.getByRole('button', { name: '+1 day' }).click()
    await page.getByText('Look whether it has before you try again').waitFor()
    const later = new Date(before + 86_400_000).toISOString()
    await page.locator(`tr time[datetime="${later}"]`).waitFor()
  },
)

longAtBothWidths('a name of spaces is marked where it stands', async (width) => {
  const page = await open('/settings', width)
  const fault = page.getByText('The name can’t be blank, and has at most 200 characters.')
  await page.getByLabel('Name').fill('   ')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await fault.waitFor()
  assert.equal(await page.getByLabel('Name').getAttribute('aria-invalid'), 'true')
  await page.getByLabel('Name').fill('  Our school ')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved.').waitFor()
  await page.locator('button:focus', { hasText: 'Save' }).waitFor()
  assert.equal(await page.getByLabel('Name').inputValue(), 'Our school')
  await page.goto('/integrations')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('   ')
  await page.getByRole('button', { name: 'Create key' }).click()
  await fault.waitFor()
  await assertAccessible(page)
  assertUntroubled(page)
  await page.context().close()
})

longTest('on a slow network a button whose work is under way says so, and is not pressed again', async () => {
  const account = ['--account', String(owner.accountId)]
  const endpoint = ['--name', 'Slow', '--url', 'https://example.com/', '--kinds', 'lead.registered']
  await stage.place.json(['webhook', 'create', ...account, ...endpoint])
  const page = await open('/settings/users', 'desk')
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  const withdraw = page.getByRole('button', { name: /^Withdraw the invitation/ })
  await withdraw.waitFor()
  const delay = (path: string | RegExp) =>
    page.route(path, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      await route.continue()
    })
  await delay(/api\/invitations/)
  const done = page.waitForResponse((answer) => answer.request().method() === 'DELETE')
  await withdraw.click()
  await withdraw.and(page.locator(':disabled')).waitFor()
  // Until the list is read again it stands there still.
  await done
  assert.equal(await withdraw.isDisabled(), true)
  await withdraw.waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('alert').count(), 0)
  await page.goto('/integrations/webhooks')
  await delay('**/panel/api/webhooks/*/pause')
  const menu = page.getByRole('button', { name: 'Actions on “Slow”' })
  await menu.click()
  await page.getByRole('menuitem', { name: 'Pause' }).click()
  await menu.and(page.locator('[data-loading]')).waitFor()
  await page.getByText('“Slow” is paused.').waitFor()
  await page.locator('button:focus').and(menu).waitFor()
  // What is no change, too.
  await page.goto('/campaigns')
  await delay(`**/panel/api/campaigns/${id}`)
  const exporting = page.getByRole('button', { name: 'Actions on Course', exact: true })
  await exporting.click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Export' }).click()
  await exporting.and(page.locator('[data-loading]')).waitFor()
  await downloading
  await page.locator('button:focus').and(exporting).waitFor()
})

/** Ten seconds are a tenth of one here. */
const hurry = (page: Page) =>
  page.evaluate(() => {
    const { setTimeout } = window
    const faster = (run: () => void, ms?: number) => setTimeout(run, ms === 10_000 ? 100 : ms)
    Object.assign(window, { setTimeout: faster })
  })

longTest(
  'a failure with a request’s id is said until it is closed, another one for ten seconds; each is said anew, and no next user is told',
  async () => {
    const page = await open('/', 'desk')
    await hurry(page)
    let code = 'INTERNAL_ERROR'
    await page.route('**/panel/api/session?**', (route) =>
      route.fulfill({ status: 500, json: { code, requestId: 'of-this-request', faults: [], retryAfterSeconds: null } }),
    )
    const signOut = async () => {
      await page.getByRole('button', { name: 'Account', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
    }
    const said = page.locator('#toast').getByRole('alert')
    await signOut()
    await said.getByText('of-this-request').waitFor()
    const first = await said.elementHandle()
    await page.waitForTimeout(500)
    await signOut()
    await page.waitForFunction((one) => !one?.isConnected, first)
    await page.waitForTimeout(500)
    assert.ok(await said.isVisible())
    code = 'NOT_ALLOWED'
    await signOut()
    await said.waitFor({ state: 'detached' })
    code = 'INTERNAL_ERROR'
    await signOut()
    await said.waitFor()
    await page.unrouteAll()
    await signOut()
    await page.getByRole('textbox', { name: 'Email' }).fill(owner.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(owner.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    assert.equal(await said.count(), 0)
  },
)
