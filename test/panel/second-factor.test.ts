// The second factor and sessions in a real browser: by keyboard alone, in both languages, on a phone and a desk.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { words as around } from '../../panel/src/parts/words.ts'
import { words as comingIn } from '../../panel/src/screens/coming-in/words.ts'
import { words as security } from '../../panel/src/screens/settings/security-words.ts'
import { buildUsers } from '../../src/access/users.ts'
import { isFull, longTest } from '../support/faults.ts'
import { codeAt, type Phone, withFactor, wrongCodeAt } from '../support/second-factor.ts'
import {
  assertAccessible,
  assertFits,
  assertNoViolation,
  assertUntroubled,
  longAtBothWidths,
  longStage,
  type Person,
  type Width,
  widthsInLanguages,
} from './stage.ts'

const stage = await longStage()
const now = () => Math.floor(Date.now() / 1_000)
/** A phone in one language, a desk in the other. */
const languageOf = (width: Width) => (width === 'phone' ? 'pl' : 'en')

function phoneOf({ email }: Person): Promise<Phone> {
  return stage.place.arrange(async (store) => {
    const found = await store.access.findCredentials(email)
    assert.ok(found)
    return withFactor(buildUsers(store), found.user, now())
  })
}

async function looksRight(page: Page): Promise<void> {
  await assertFits(page)
  await assertAccessible(page)
}

/** Goes there by Tab, as somebody without a mouse would. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  // Found once: to look for it by its name after each press costs more than the press.
  const element = await wanted.elementHandle()
  for (let presses = 0; presses < 80; presses += 1) {
    if (await element?.evaluate((one) => one === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab does not reach ${wanted}`)
}

async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field)
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(text)
}

async function press(page: Page, button: Locator): Promise<void> {
  await tabTo(page, button)
  await page.keyboard.press('Enter')
}

const named = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true })
const field = (page: Page | Locator, name: string) => page.getByRole('textbox', { name, exact: true })

/** Fills in the first of the two steps. */
async function givePassword(page: Page, { email, password }: Person, language: 'en' | 'pl'): Promise<void> {
  const text = comingIn[language]
  await typeInto(page, field(page, text.email), email)
  await typeInto(page, field(page, text.password), password)
  await page.keyboard.press('Enter')
  await field(page, text.code).waitFor()
}

async function makeNewCodes(page: Page, text: (typeof security)['en' | 'pl'], code: string): Promise<void> {
  await press(page, named(page, text.newCodes))
  const fresh = page.getByRole('dialog')
  await field(fresh, text.code).waitFor()
  await looksRight(page)
  await page.keyboard.type(code)
  await page.keyboard.press('Enter')
  await fresh.getByRole('region', { name: text.recoveryCodes }).waitFor()
  await tabTo(page, fresh.getByRole('checkbox'))
  await page.keyboard.press('Space')
  await press(page, named(fresh, text.done))
  await fresh.waitFor({ state: 'hidden' })
  // The focus goes back to the button a moment after the dialog has gone.
  await page.locator(':focus', { hasText: text.newCodes }).waitFor()
}

for (const { width, language } of widthsInLanguages())
  longTest(
    `by keyboard alone: signing in with a code, switching the factor off and on, signing out: ${width}, ${language}`,
    async () => {
      const [text, door, shell] = [security[language], comingIn[language], around[language]]
      const person = await stage.person(`keys-${width}-${language}`)
      const { secret, recoveryCodes } = await phoneOf(person)
      const page = await stage.open(undefined, { width, language, path: '/settings/security' })
      page.setDefaultTimeout(15_000)

      await givePassword(page, person, language)
      await looksRight(page)
      // The field has the focus already.
      await page.keyboard.type(wrongCodeAt(secret, now()))
      await page.keyboard.press('Enter')
      await page.getByText(shell.failures.WRONG_CODE).waitFor()
      await looksRight(page)
      await typeInto(page, field(page, door.code), codeAt(secret, now()))
      await page.keyboard.press('Enter')
      await page.getByText(text.isOn(10)).waitFor()
      assert.equal(new URL(page.url()).pathname, '/settings/security')
      await looksRight(page)

      await press(page, named(page, text.switchOff))
      const off = page.getByRole('dialog', { name: text.switchOffTitle })
      await field(off, text.code).waitFor()
      await looksRight(page)
      if (isFull) {
        await page.keyboard.type(wrongCodeAt(secret, now()))
        await press(page, named(off, text.switchOff))
        await off.getByText(shell.failures.WRONG_CODE).waitFor()
        await field(off, text.code).and(page.locator(':focus')).waitFor()
        await looksRight(page)
      }
      await typeInto(page, field(off, text.code), recoveryCodes[0] ?? '')
      await page.keyboard.press('Enter')
      await off.waitFor({ state: 'hidden' })
      await page.getByText(text.isOff, { exact: true }).first().waitFor()

      await press(page, named(page, text.switchOn))
      const on = page.getByRole('dialog')
      await field(on, text.password).waitFor()
      await looksRight(page)
      await page.keyboard.type('not the password')
      await page.keyboard.press('Enter')
      await on.getByText(text.wrongPassword).waitFor()
      await typeInto(page, field(on, text.password), person.password)
      await page.keyboard.press('Enter')
      await on.getByRole('img', { name: text.qr }).waitFor()
      await assertFits(page)
      await assertNoViolation(page)
      const shown = (await on.getByRole('region', { name: text.key }).innerText()).trim()
      assert.match(shown, /^[A-Z2-7]{32}$/)
      // The field has the focus already, here too.
      await page.keyboard.type(codeAt(shown, now()))
      await page.keyboard.press('Enter')
      const codes = (await on.getByRole('region', { name: text.recoveryCodes }).innerText()).trim().split('\n')
      assert.equal(codes.length, 10)
      await looksRight(page)
      // Escape does not throw them away.
      await page.keyboard.press('Escape')
      const saving = page.waitForEvent('download')
      await press(page, named(on, text.download))
      assert.equal((await saving).suggestedFilename(), 'lastcall-recovery-codes.txt')
      await tabTo(page, on.getByRole('checkbox'))
      await page.keyboard.press('Space')
      await press(page, named(on, text.done))
      await on.waitFor({ state: 'hidden' })
      await page.getByText(text.isOn(10)).waitFor()

      if (isFull) await makeNewCodes(page, text, codes[3] ?? '')
      // A dialog gives the focus back a moment after it has gone, which would close a menu.
      await page.waitForFunction(() => document.activeElement !== document.body)
      await press(page, named(page, shell.account))
      const out = page.getByRole('menuitem', { name: shell.signOut })
      await out.waitFor()
      for (let presses = 0; presses < 20; presses += 1) {
        if (await out.evaluate((one) => one === document.activeElement)) break
        await page.keyboard.press('ArrowDown')
      }
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: door.signIn }).waitFor()
      assertUntroubled(page)
    },
  )

longAtBothWidths('somebody who signs in over a screen is asked for the code there, and goes on', async (width) => {
  const language = languageOf(width)
  const person = await stage.person(`over-${width}`)
  const page = await stage.open(person, { width, language, path: '/settings' })
  await page.getByLabel(language === 'en' ? 'Name' : 'Nazwa').waitFor()
  const { secret } = await phoneOf(person)
  // Switching it on has ended this session.
  await page.getByLabel(language === 'en' ? 'Name' : 'Nazwa').fill('A new name')
  await named(page, language === 'en' ? 'Save' : 'Zapisz').click()
  const dialog = page.getByRole('dialog', { name: around[language].sessionEnded })
  await field(dialog, comingIn[language].password).fill(person.password)
  await page.keyboard.press('Enter')
  await field(dialog, comingIn[language].code).waitFor()
  await looksRight(page)
  await page.keyboard.type(codeAt(secret, now()))
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  await page.getByText(language === 'en' ? 'Saved.' : 'Zapisano.').waitFor()
  assertUntroubled(page)
})

longAtBothWidths('sessions are seen with device and network, and end one by one or all but this one', async (width) => {
  const language = languageOf(width)
  const text = security[language]
  const person = await stage.person(`places-${width}`)
  const others = await Promise.all(Array.from({ length: 3 }, () => stage.open(person, { width, path: '/settings' })))
  const page = await stage.open(person, { width, language, path: '/settings/security' })
  const list = page.getByRole('list', { name: text.sessions })
  await list
    .getByText(/10\.\d+\.\d+\.0\/24/)
    .first()
    .waitFor()
  assert.equal(await list.getByRole('listitem').count(), 4)
  assert.equal(await list.getByText(`(${text.isThis})`).count(), 1)
  assert.equal(await list.getByText(text.device('Chrome on Linux')).count(), 4)
  await looksRight(page)
  await list.getByRole('button').first().click()
  await list.getByRole('listitem').nth(3).waitFor({ state: 'detached' })
  // Not only once what was said of the first is gone: it stands at the foot of the window, and this at that of the page.
  await named(page, text.endOthers).click({ timeout: 5_000 })
  const asked = page.getByRole('dialog', { name: text.endOthersTitle })
  await asked.waitFor()
  await looksRight(page)
  await named(asked, text.endOthers).click()
  await page.getByText(text.onlyThis).waitFor()
  assert.equal(await list.getByRole('listitem').count(), 1)
  await looksRight(page)
  for (const other of others) {
    await other.reload()
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  }
  assertUntroubled(page)
})

longAtBothWidths('if factor or sessions cannot be read, the panel says so and reads them again', async (width) => {
  const language = languageOf(width)
  const person = await stage.person(`broken-${width}`)
  const page = await stage.open(person, { width, language })
  await page.route(/panel\/api\/(?:factor|sessions)$/, (route) => route.abort('connectionfailed'))
  await page.goto('/settings/security')
  const failure = page.getByText(around[language].failures.OFFLINE)
  await failure.nth(1).waitFor()
  await looksRight(page)
  await page.unrouteAll()
  for (let left = 2; left > 0; left -= 1) await named(page, around[language].retry).first().click()
  await page.getByText(security[language].onlyThis).waitFor()
  await page.getByText(security[language].isOff).waitFor()
})

longTest(
  'recovery codes, also those under way when their dialog is closed, are left by their own button alone',
  async () => {
    const person = await stage.person('stays-with-codes')
    const { recoveryCodes } = await phoneOf(person)
    const [text, door] = [security.en, comingIn.en]
    const page = await stage.open(undefined, { path: '/settings' })
    await givePassword(page, person, 'en')
    await page.keyboard.type(recoveryCodes[0] ?? '')
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Your sign-in' }).click()
    await page.getByText(text.isOn(9)).waitFor()
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    await page.route('**/panel/api/factor/recovery-codes', async (route) => {
      await held
      await route.continue()
    })
    await named(page, text.newCodes).click()
    const dialog = page.getByRole('dialog')
    await field(dialog, door.code).fill(recoveryCodes[1] ?? '')
    await page.keyboard.press('Enter')
    await named(dialog, around.en.cancel).click()
    await dialog.waitFor({ state: 'detached' })
    const isHere = () => assert.equal(new URL(page.url()).pathname, '/settings/security')
    await page.getByRole('link', { name: 'Campaigns', exact: true }).click()
    isHere()
    await page.goBack()
    letGo()
    const codes = page.getByRole('dialog', { name: text.recoveryTitle })
    // Those from before work no more.
    const shown = await codes.getByRole('region').innerText()
    assert.equal(shown.trim().split('\n').length, 10)
    await page.goBack()
    await codes.getByRole('checkbox').check()
    isHere()
    await named(codes, text.done).click()
    await codes.waitFor({ state: 'detached' })
    await page.goBack()
    await page.waitForURL('**/settings')
  },
)

longTest(
  'if the answer with new recovery codes is lost, the panel says that the old ones may no longer work',
  async () => {
    const person = await stage.person('loses-codes')
    const phone = await phoneOf(person)
    const text = security.en
    const page = await stage.open(undefined, { path: '/settings/security' })
    await givePassword(page, person, 'en')
    await page.keyboard.type(phone.recoveryCodes[0] ?? '')
    await page.keyboard.press('Enter')
    await page.getByText(text.isOn(9)).waitFor()
    await page.route('**/panel/api/factor/recovery-codes', async (route) => {
      await page.request.post(route.request().url(), { data: route.request().postDataJSON() })
      await route.abort('connectionfailed')
    })
    await named(page, text.newCodes).click()
    const dialog = page.getByRole('dialog')
    await field(dialog, comingIn.en.code).fill(phone.recoveryCodes[1] ?? '')
    await page.keyboard.press('Enter')
    await dialog.getByText(text.codesLost).waitFor()
    await page.getByText(text.isOn(10)).waitFor()
    await page.unrouteAll()
    await field(dialog, comingIn.en.code).fill(codeAt(phone.secret, now()))
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: text.recoveryTitle }).waitFor()
  },
)
