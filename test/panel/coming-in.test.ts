// From the set-up link to signing out, in a real browser.
import assert from 'node:assert/strict'
import { words } from '../../panel/src/screens/coming-in/words.ts'
import { amount, longTest, someOf } from '../support/faults.ts'
import { comesTrue } from '../support/prepared.ts'
import {
  assertAccessible,
  assertFits,
  assertUntroubled,
  atBothWidths,
  panelStage,
  sharedStage,
  widthsInLanguages,
} from './stage.ts'

const stage = await sharedStage()

longTest('no violation of axe where the first person sets up', async (t) => {
  const { place, open } = await panelStage(t)
  const { url } = await place.json(['setup-link'])
  for (const { width, language } of widthsInLanguages())
    for (const scheme of ['light', 'dark'] as const) {
      const page = await open(undefined, { width, language, scheme, path: `/setup${new URL(url).hash}` })
      await page.getByRole('button', { name: words[language].setupDone }).waitFor()
      await assertAccessible(page)
      await assertFits(page)
      assertUntroubled(page)
      await page.context().close()
    }
})

// `first-campaign.test.ts` begins with a link as well.
longTest('the set-up link makes the first account and user, once, and stays in no address', async (t) => {
  const { place, server, open } = await panelStage(t)
  assert.ok(await comesTrue(2_000, () => server.output().includes('the panel has no user yet')))
  const { url } = await place.json(['setup-link'])
  const { hash } = new URL(url)
  const stale = await open(undefined, { path: '/setup#of-before' })
  await stale.getByText('This link has been used or is too old').waitFor()
  // Browsers load nothing where all but the part behind `#` stays.
  await stale.evaluate((next) => {
    location.hash = next
  }, hash)
  await stale.getByLabel('Name of the account').waitFor()
  assert.equal(new URL(stale.url()).hash, '')
  const page = await open(undefined, { path: `/setup${hash}`, isNew: true })
  await page.getByLabel('Name of the account').waitFor()
  assert.equal(new URL(page.url()).hash, '')
  assert.equal(await page.evaluate(() => history.length), 2)
  await page.reload()
  await page.getByLabel('Name of the account').fill('Autumn School')
  await page.getByLabel('Email').fill('Owner@example.com')
  await page.getByRole('textbox', { name: 'Password' }).fill('a long enough password')
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  assert.equal(new URL(page.url()).hash, '')
  assert.equal(await page.getByText('Autumn School').count(), 1)
  assertUntroubled(page)

  const second = await open(undefined, { path: `/setup${hash}` })
  await second.getByText('This link has been used or is too old').waitFor()
  assert.equal((await place.runShared(['setup-link'])).code, 2)
})

longTest(
  'who is in another account is told so, and who has joined, but whose answer was lost, is led on to sign in',
  async () => {
    const owner = await stage.person('inviting')
    const elsewhere = await stage.person('elsewhere')
    const inviting = await stage.open(owner)
    const made = await inviting.request.post('/panel/api/invitations', { data: { role: 'member', language: 'en' } })
    const { pathname, hash } = new URL((await made.json()).url)
    const page = await stage.open(undefined, { path: pathname + hash, width: 'phone', isNew: true })
    await page.getByLabel('Email').fill(elsewhere.email)
    await page.getByRole('textbox', { name: 'Password' }).fill('a long enough password')
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByText('If it is another, use another email here, or ask an owner of that account').waitFor()
    await page.getByLabel('Email').fill('lost@example.com')
    await page.route('**/panel/api/users', async (route) => {
      await inviting.request.post(route.request().url(), { data: route.request().postDataJSON() })
      await route.abort('connectionfailed')
    })
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByText('The service cannot be reached').waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByText('If you have used it, sign in').waitFor()
    await page.getByRole('link', { name: 'Go to sign in' }).click()
    await page.waitForURL(/sign-in$/)
    // Without a mail server no link can come.
    await page.goto('/reset')
    await page.getByText(words.en.forgotten).waitFor()
    assert.equal(await page.getByLabel('Email').count(), 0)
  },
)

atBothWidths('signing in and out, with the way back to where one wanted to go', async (width) => {
  const { email, password } = await stage.person(`coming-${width}`)
  const page = await stage.open(undefined, { path: '/settings', width })
  await page.waitForURL(/\/sign-in\?to=%2Fsettings$/)
  await assertAccessible(page)
  await assertFits(page)
  await page.getByLabel('Email').fill(email.replace('example', 'EXAMPLE'))
  await page.getByRole('textbox', { name: 'Password' }).fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Wrong email or password').waitFor()
  await page.locator('input[type=password]:focus').waitFor()
  // As the proxies of deploy/ answer where they limit sign-ins: nginx with a page, Caddy with nothing but a header.
  for (const [said, headers, body] of [
    ['Too many tries. Wait a minute', { 'Content-Type': 'text/html' }, '<h1>429 Too Many Requests</h1>'],
    ['Too many tries. Try again in 3 minutes', { 'Retry-After': '125' }, ''],
  ] as const) {
    await page.route('**/panel/api/session', (route) => route.fulfill({ status: 429, headers, body }))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(said).waitFor()
    await page.unrouteAll()
  }
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/settings')
  // Whoever is signed in is taken on, never to elsewhere.
  for (const [search, path] of [
    ['?to=%2Fcampaigns%3Fstate%3Dall', '/campaigns?state=all'],
    ['?to=%2F%2Fexample.com', '/'],
    ['?to=/%09/example.com', '/'],
  ]) {
    await page.goto(`/sign-in${search}`)
    await page.waitForURL(stage.server.origin + path)
  }
  // As from an invitation to another account that single sign-on does not take.
  await page.goto('/sign-in?refused=EMAIL_TAKEN')
  await page.getByText(words.en.refused.EMAIL_TAKEN).waitFor()
  await page.getByText(words.en.stillIn(email)).waitFor()
  assert.equal(await page.getByLabel('Email').count(), 0)
  await assertFits(page)
  await page.getByRole('link', { name: words.en.toPanel }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByRole('button', { name: 'Account', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.locator('main:focus').waitFor()
  await page.goto('/')
  await page.waitForURL(/\/sign-in$/)
})

longTest('what is missing in a field is said in the panel’s language, not the browser’s', async () => {
  const page = await stage.open(undefined, { path: '/sign-in', language: 'pl', isNew: true })
  const email = page.getByLabel('Adres e-mail')
  const said = () => email.evaluate((field: HTMLInputElement) => field.validationMessage)
  const signIn = () => page.getByRole('button', { name: 'Zaloguj się' }).click()
  await signIn()
  assert.equal(await said(), 'Wypełnij to pole.')
  await email.fill('ada')
  await signIn()
  assert.equal(await said(), 'Podaj adres e-mail, na przykład ada@example.com.')
  await email.fill('ada@example.com')
  assert.equal(await said(), '')
  await page.getByRole('textbox', { name: 'Hasło' }).fill('not the password')
  await signIn()
  await page.getByText('Błędny adres e-mail lub hasło').waitFor()
  // A browser takes it for an email.
  await email.fill('ada..b@example.com')
  await signIn()
  await page.getByText('Podaj adres e-mail, na przykład ada@example.com.').waitFor()
})

atBothWidths('an unknown address is a page with a way back, in a browser', async (width) => {
  const who = await stage.person(`lost-${width}`)
  for (const one of [who, undefined].slice(0, amount(1, 2))) {
    const page = await stage.open(one, { width, path: '/no-such-page/at-all' })
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Go to the overview' }).click()
    await page.getByRole('heading', { name: one === undefined ? 'Sign in' : 'Overview' }).waitFor()
    assertUntroubled(page)
  }
  const answer = await fetch(`${stage.server.origin}/no-such-page`, { headers: { accept: 'text/html,*/*' } })
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [404, 'text/html; charset=utf-8'])
  const toProgram = await fetch(`${stage.server.origin}/no-such-page`)
  assert.deepEqual([toProgram.status, ((await toProgram.json()) as { code: string }).code], [404, 'NOT_FOUND'])
})

for (const path of someOf(['reset', 'join'], 1))
  longTest(`a link that could not be looked at is looked at again by a button: ${path}`, async () => {
    // A page that costs nothing, until the answers are cut off.
    const page = await stage.open(undefined, { path: '/panel/api/session' })
    await page.route(/panel\/api\/(?:password-reset|invitation)$/, (route) => route.abort())
    await page.goto(`/${path}#of-before`)
    await page.getByText('The service cannot be reached.').waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('This link has been used or is too old.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
  })
