// Signing in by a provider of OpenID Connect, and setting a new password by mail, in a real browser.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { words as ofFields } from '../../panel/src/parts/words.ts'
import { words } from '../../panel/src/screens/coming-in/words.ts'
import { roleWords as ofRoles } from '../../panel/src/screens/settings/role-words.ts'
import { words as ofSecurity } from '../../panel/src/screens/settings/security-words.ts'
import { words as ofSettings } from '../../panel/src/screens/settings/words.ts'
import { buildUsers } from '../../src/access/users.ts'
import { testerAt } from '../support/actor.ts'
import { isFull } from '../support/faults.ts'
import { identityProvider } from '../support/identity-provider.ts'
import { mailServer } from '../support/mail-server.ts'
import { comesTrue } from '../support/prepared.ts'
import { assertAccessible, assertFits, assertUntroubled, panelStage, widthsInLanguages } from './stage.ts'

const provider = await identityProvider({ after })
const mail = await mailServer({ after })
const stage = await panelStage({ after }, [], {
  ...provider.settings,
  ...{ SMTP_URL: mail.url, SMTP_FROM: 'panel@shop.example' },
})
const { state } = provider
const publicUrl = `http://localhost:${stage.server.port}`
await provider.open(publicUrl)

const verified = (email: string) => ({ email, email_verified: true })

/** What the browser says of a field, below it. */
const faultOf = (field: Locator) => field.evaluate((one) => (one as HTMLInputElement).validationMessage)

async function look(page: Page): Promise<void> {
  await assertAccessible(page)
  await assertFits(page)
  assertUntroubled(page)
}

// While nobody has a user.
test('an account with a blank name is not set up by single sign-on', async () => {
  const { url } = await stage.place.json(['setup-link'])
  const { pathname, hash } = new URL(url)
  const page = await stage.open(undefined, { path: `${publicUrl}${pathname}${hash}` })
  const field = page.getByLabel(words.en.accountName)
  await field.fill('  ')
  await page.getByRole('button', { name: words.en.joinByProvider }).click()
  assert.equal(await faultOf(field), ofFields.en.missing)
})

test('a provider that is down when the server starts is said so, and found once it is there', async () => {
  state.isDown = true
  const page = await stage.open(undefined, { path: `${publicUrl}/sign-in` })
  await page.getByRole('button', { name: words.en.byProvider }).click()
  await page.getByText(words.en.refused.PROVIDER_DOWN).waitFor()
  await look(page)
  state.isDown = false
  state.who = 'nobody'
  const button = page.getByRole('button', { name: words.en.byProvider })
  // Both times the browser stays where it is, as after Esc; the first time it says that it has come back.
  await page.route(/\/auth\?/, (route) => route.fulfill({ status: 204 }))
  for (const comesBack of [true, false]) {
    await Promise.all([page.waitForRequest(/\/auth\?/), button.click()])
    const back = () => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
    if (comesBack) await page.evaluate(back)
    const isFree = (text: string) =>
      [...document.querySelectorAll('button:not([data-loading])')].some((one) => one.textContent === text)
    await page.waitForFunction(isFree, words.en.byProvider, { timeout: comesBack ? 3_000 : 10_000 })
  }
  await page.unroute(/\/auth\?/)
  await button.click()
  await page.getByText(words.en.refused.EMAIL_NOT_VERIFIED).waitFor()
})

test('single sign-on leads to where one wanted to go, by keyboard alone, in both languages', async () => {
  const ada = await stage.person('ada')
  Object.assign(state.people, { ada: verified(ada.email) })
  const wanted = `${publicUrl}/campaigns?search=jesie%C5%84+%26+C%2B%2B`
  for (const { width, language } of widthsInLanguages()) {
    state.who = 'ada'
    const page = await stage.open(undefined, { width, language, path: wanted })
    const button = page.getByRole('button', { name: words[language].byProvider })
    await button.waitFor()
    await look(page)
    for (let presses = 0; presses < 15; presses += 1) {
      await page.keyboard.press('Tab')
      if (await button.evaluate((one) => one === document.activeElement)) break
    }
    await page.keyboard.press('Enter')
    await page.waitForURL(wanted)
    await page.locator('main h1').waitFor()
    assert.equal(page.url(), wanted)
    await page.goto(`${publicUrl}/settings/users`)
    await page.getByText(ada.email).first().waitFor()
    // What is on its way by mail needs not be sent by hand too.
    await page.getByLabel(ofRoles[language].inviteEmail).fill(`${language}-${width}@example.com`)
    await page.getByRole('button', { name: ofSettings[language].invite }).click()
    await page.getByText(ofSettings[language].inviteMail.sent).waitFor()
    assert.equal(await page.getByText(/Send this link|Wyślij ten link/).count(), 0)
    await look(page)
    assertUntroubled(page)
  }
})

test('a person who is refused reads why, in a sentence, and can try again', async () => {
  state.people.stranger = verified('stranger@example.com')
  state.people.unusual = verified('zażółć@example.com')
  for (const { width, language } of widthsInLanguages()) {
    const page = await stage.open(undefined, { width, language, path: `${publicUrl}/sign-in` })
    for (const [who, code] of [
      ['stranger', 'NOT_INVITED'],
      ['unusual', 'EMAIL_UNUSABLE'],
    ] as const) {
      state.who = who
      // The provider remembers who it was.
      await page.context().clearCookies()
      await page.getByRole('button', { name: words[language].byProvider }).click()
      await page.getByText(words[language].refused[code]).waitFor()
      await look(page)
    }
    await page.goto(`${publicUrl}/sign-in?refused=nonsense`)
    await page.getByRole('button', { name: words[language].byProvider }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await page.context().close()
  }
})

/** An invitation to the account of an owner of this name. */
async function invitationOf(name: string): Promise<string> {
  const { email } = await stage.person(name)
  const token = await stage.place.arrange(async (store) => {
    const users = buildUsers(store)
    const inviter = await users.find(email)
    assert.ok(inviter)
    return users.invite(inviter, { role: 'owner', email: null }, testerAt(Math.floor(Date.now() / 1_000)))
  })
  return `${publicUrl}/join#${token}`
}

test('an invitation is joined by single sign-on, and one to another account is refused to their face', async () => {
  state.who = 'joiner'
  state.people.joiner = verified('joiner@example.com')
  const page = await stage.open(undefined, { path: await invitationOf('inviter') })
  await page.getByRole('button', { name: words.en.joinByProvider }).waitFor()
  await look(page)
  await page.getByRole('button', { name: words.en.joinByProvider }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByText('inviter’s account').waitFor()

  // They have no password to change, and none to switch a second factor on with.
  await page.goto(`${publicUrl}/settings/security`)
  await page.getByText(ofSettings.en.setByMail).waitFor()
  await page.getByText(ofSecurity.en.needsPassword).waitFor()
  assert.equal(await page.locator('input[type=password]').count(), 0)
  assert.equal(await page.getByRole('button', { name: ofSecurity.en.switchOn }).count(), 0)
  await look(page)

  // An invitation to another account, followed by the same person: they have not joined, and read why.
  await page.goto(await invitationOf('other-inviter'))
  await page.getByRole('button', { name: words.en.joinByProvider }).click()
  await page.getByText(words.en.refused.EMAIL_TAKEN).waitFor()
  await page.getByText(words.en.stillIn('joiner@example.com')).waitFor()
  await look(page)
  await page.getByRole('link', { name: words.en.toPanel }).click()
  await page.getByText('inviter’s account').waitFor()
})

test('the link in the mail sets a new password, once', async () => {
  for (const { width, language } of widthsInLanguages()) {
    const text = words[language]
    const person = await stage.person(`forgetful-${language}-${width}`)
    const page = await stage.open(undefined, { width, language, path: '/sign-in' })
    await page.getByLabel(text.email).fill(person.email)
    await page.getByRole('textbox', { name: text.password }).fill('not the password')
    await page.getByRole('button', { name: text.signIn, exact: true }).click()
    await page.getByText(text.wrongByMail).waitFor()
    await look(page)
    await page.getByRole('link', { name: text.forgot }).click()
    assert.equal(await page.getByLabel(text.email).inputValue(), person.email)
    assert.equal(page.url(), `${stage.server.origin}/reset`)
    await look(page)
    await page.getByRole('button', { name: text.resetSend }).click()
    await page.getByText(text.resetSent).waitFor()
    await look(page)
    const received = () => mail.received.find(({ to }) => to.includes(person.email))
    assert.ok(await comesTrue(10_000, async () => received() !== undefined))
    const plain = (received()?.text ?? '').replace(/=\r?\n/g, '')
    const token = /\/reset#([\w-]{43})/.exec(plain)?.[1]
    await page.goto(`${stage.server.origin}/reset#${token}`)
    await page.getByText(text.resetNewText(person.email)).waitFor()
    assert.equal(new URL(page.url()).hash, '')
    const field = page.getByRole('textbox', { name: text.newPassword })
    // Eight in the browser's count.
    await field.fill('😀😀😀😀')
    await page.getByRole('button', { name: text.resetSet }).click()
    assert.equal(await faultOf(field), ofFields[language].tooShort(8))
    await field.fill('a brand new long password')
    await look(page)
    await page.getByRole('button', { name: text.resetSet }).click()
    await page.getByText(text.resetDone).waitFor()
    await look(page)
    await page.getByRole('link', { name: text.toSignIn }).click()
    await page.getByLabel(text.email).fill(person.email)
    await page.getByRole('textbox', { name: text.password }).fill('a brand new long password')
    await page.getByRole('button', { name: text.signIn, exact: true }).click()
    await page.getByRole('navigation').first().waitFor({ state: 'attached' })
    if (isFull) {
      const again = await stage.open(undefined, { width, language, path: `/reset#${token}` })
      await again.getByRole('alert').waitFor()
      await look(again)
      await again.context().close()
    }
  }
})

test('where passwords are off, no link is asked for and none is tried again', async (t) => {
  const only = await panelStage(t, [], { ...provider.settings, OIDC_ONLY: 'on' })
  for (const { width, language } of widthsInLanguages()) {
    const page = await only.open(undefined, { width, language, path: '/reset#of-before' })
    // With the token, and then without: it does not stay in the address.
    for (let loads = 0; loads < 2; loads += 1) {
      await page.getByText(ofFields[language].failures.PASSWORDS_OFF).waitFor()
      const shown = page.getByRole('main')
      assert.equal(await shown.getByRole('textbox').filter({ visible: true }).count(), 0)
      assert.equal(await page.getByRole('button', { name: ofFields[language].retry }).count(), 0)
      await look(page)
      await page.reload()
    }
    await page.getByRole('link', { name: words[language].toSignIn }).click()
    await page.getByRole('button', { name: words[language].byProvider }).waitFor()
  }
})

test('after the end of a session the user signs in beside the screen, and keeps what they entered', async () => {
  const eva = await stage.person('eva')
  Object.assign(state.people, { eva: verified(eva.email) })
  state.who = 'eva'
  const page = await stage.open(undefined, { path: `${publicUrl}/sign-in` })
  await page.getByRole('button', { name: words.en.byProvider }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.goto(`${publicUrl}/settings`)
  await page.getByLabel('Name').fill('A name that is not saved')
  await page.context().clearCookies({ name: /^lastcall-[^-]+$/ })
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await assertAccessible(page)
  const opened = page.context().waitForEvent('page')
  await dialog.getByRole('link', { name: 'Sign in with single sign-on' }).click()
  const beside = await opened
  await beside.getByRole('button', { name: words.en.byProvider }).click()
  await beside.getByRole('heading', { name: 'Overview' }).waitFor()
  await beside.close()
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await page.getByText('Saved.').waitFor()
  assert.equal(await page.getByLabel('Name').inputValue(), 'A name that is not saved')
})
