// API keys in the panel, in a real browser.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import { isFull, longTest } from '../support/faults.ts'
import { comesTrue } from '../support/prepared.ts'
import {
  assertAccessible,
  assertFits,
  assertUntroubled,
  comeBack,
  type Person,
  sharedStage,
  widthsByTurns,
} from './stage.ts'

const stage = await sharedStage()
let owner: Person
let stranger: Person

before(async () => {
  owner = await stage.person('owner')
  stranger = await stage.person('stranger')
})

const status = async (key: string) => {
  const headers = { Authorization: `Bearer ${key}` }
  return (await fetch(`${stage.server.base}/campaigns`, { headers })).status
}
const works = (key: string) => comesTrue(1_000, async () => (await status(key)) === 200)
const isRefused = (key: string) => comesTrue(1_000, async () => (await status(key)) === 401)

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

/** Chooses from the menu of a key. */
async function act(within: Page | Locator, page: Page, name: string, action: string): Promise<void> {
  await within.getByRole('button', { name: `“${name}”` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** Reads the key that the dialog shows, and says that it was copied. */
async function takeKey(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Copy your new key now' })
  const key = await dialog.getByRole('region', { name: 'The new key' }).innerText()
  await dialog.getByRole('checkbox').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'hidden' })
  // The dialog over which this one opened has gone, and with it what had the focus.
  await page.locator('[data-row] :focus').waitFor()
  return key
}

async function makeKey(page: Page, name: string): Promise<string> {
  await button(page, 'New key').click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await button(page, 'Create key').click()
  return takeKey(page)
}

for (const width of widthsByTurns()) {
  test(`a key is made, copied with one click, and works: ${width}`, async () => {
    const who = await stage.person(`maker-${width}`)
    const page = await stage.open(who, { path: '/integrations', width })
    await page.getByText('There is no key yet').waitFor()
    await assertAccessible(page)
    await button(page, 'New key').click()
    await page.getByRole('dialog').getByLabel('Name').fill('Online shop')
    await assertAccessible(page)
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Copy your new key now' })
    await dialog.waitFor()
    await assertAccessible(page)
    await assertFits(page)
    await dialog.getByRole('button', { name: 'Copy the key' }).click()
    await dialog.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    assert.match(copied, /^lastcall_[0-9a-f-]{36}\.[A-Za-z0-9_-]{43}$/)
    assert.equal(await takeKey(page), copied)
    assert.ok(await works(copied))

    const row = rowOf(page, 'Online shop')
    await row.getByText(`lastcall_${copied.slice(9, 17)}…`, { exact: true }).waitFor()
    assert.match(await row.innerText(), /never/)
    assert.ok(!(await page.content()).includes(copied.split('.')[1] as string))
    await assertFits(page)
    // The use above is noted within seconds, and shown when one comes back.
    const isNoted = async () => {
      const [key] = await stage.place.json(['key', 'list', '--account', String(who.accountId)])
      return key.lastUsedAt !== null
    }
    assert.ok(await comesTrue(8_000, isNoted, 300))
    await comeBack(page)
    await row.filter({ hasNotText: 'never' }).waitFor()
    await assertAccessible(page)
    assertUntroubled(page)
  })
}

longTest(
  'a key for events opens their API as well, says so, and hands that on to the one that replaces it',
  async () => {
    const who = await stage.person('eventful')
    const page = await stage.open(who, { path: '/integrations' })
    const plain = await makeKey(page, 'Shop')
    await button(page, 'New key').click()
    await page.getByRole('dialog').getByLabel('Name').fill('Till')
    await page.getByRole('checkbox', { name: 'manage webhooks and read events' }).check()
    await assertAccessible(page)
    await button(page, 'Create key').click()
    const key = await takeKey(page)
    assert.match(await rowOf(page, 'Till').innerText(), /Also: manage webhooks and read events/)
    const endpoints = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}` }
      return (await fetch(`${stage.server.origin}/api/events/v1/endpoints`, { headers })).status
    }
    assert.ok(await works(key))
    assert.deepEqual([await endpoints(plain), await endpoints(key)], [403, 200])
    await act(rowOf(page, 'Till'), page, 'Till', 'Replace')
    await page.getByRole('dialog').getByLabel('Name').fill('Till, new')
    await button(page, 'Make the new key').click()
    const next = await takeKey(page)
    assert.ok(await comesTrue(2_000, async () => (await endpoints(next)) === 200))
    assertUntroubled(page)
  },
)

longTest('no stray click, no Escape, no going elsewhere loses a fresh key', async () => {
  const page = await stage.open(owner, { path: '/integrations' })
  await button(page, 'New key').click()
  await page.getByRole('dialog').getByLabel('Name').fill('Careful')
  await button(page, 'Create key').click()
  const dialog = page.getByRole('dialog', { name: 'Copy your new key now' })
  const shown = await dialog.getByRole('region', { name: 'The new key' }).innerText()
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  await page.mouse.click(1_400, 880)
  assert.ok(await dialog.getByRole('button', { name: 'Done' }).isDisabled())
  await page.waitForTimeout(500)
  assert.ok(await dialog.isVisible())

  // Leaving the page asks first.
  const asked = page.waitForEvent('dialog')
  const leaving = page.evaluate(() => location.reload()).catch(() => {})
  const question = await asked
  assert.equal(question.type(), 'beforeunload')
  await question.dismiss()
  await leaving
  assert.ok(await dialog.isVisible())

  // Within the panel it waits until one comes back.
  await page.evaluate(() => history.pushState(null, '', '/campaigns'))
  await page.getByRole('heading', { name: 'Campaigns' }).waitFor()
  await page.evaluate(() => history.back())
  await dialog.waitFor()
  assert.equal(await takeKey(page), shown)
  assert.equal(await page.getByText(shown).count(), 0)
  assertUntroubled(page)
})

longTest('a key is renamed, by mouse and by keyboard', async () => {
  const page = await stage.open(owner, { path: '/integrations', width: 'phone' })
  await makeKey(page, 'First name')
  await act(page, page, 'First name', 'Rename')
  const field = page.getByRole('dialog', { name: 'Rename “First name”' }).getByLabel('Name')
  await field.fill('Never mind')
  await page.keyboard.press('Escape')
  await page.getByText('First name', { exact: true }).waitFor()
  const row = (name: string) => page.locator('[data-row-of=keys]', { hasText: name }).locator(':focus')
  await row('First name').waitFor()
  await act(page, page, 'First name', 'Rename')
  // Long enough for a menu that closes to take the focus back.
  await setTimeout(100)
  await page.keyboard.press('Control+A')
  await page.keyboard.type('Second name')
  await assertAccessible(page)
  await assertFits(page)
  await page.keyboard.press('Enter')
  await page.getByText('Second name', { exact: true }).waitFor()
  await row('Second name').waitFor()
  const listed = await stage.place.json(['key', 'list', '--account', String(owner.accountId)])
  assert.ok(listed.some(({ name }: { name: string }) => name === 'Second name'))
  assertUntroubled(page)
})

longTest('a typed name is still there after a save that failed', async () => {
  const page = await stage.open(owner, { path: '/integrations' })
  await makeKey(page, 'Stays')
  await page.route('**/panel/api/keys/**', (route) => route.abort())
  await act(page, page, 'Stays', 'Rename')
  const field = page.getByRole('dialog', { name: 'Rename “Stays”' }).getByLabel('Name')
  await field.fill('Typed with care')
  await button(page, 'Save').click()
  await page.getByText('The service cannot be reached').waitFor()
  assert.equal(await field.inputValue(), 'Typed with care')
  await page.unroute('**/panel/api/keys/**')
  await button(page, 'Save').click()
  await page.getByText('Typed with care', { exact: true }).waitFor()
})

async function lookCloserAt(row: Locator, page: Page): Promise<void> {
  await row.getByText('works until').hover()
  await row.locator('time').first().hover()
  await page.getByRole('tooltip').first().waitFor()
  await row.getByRole('button', { name: 'Actions on' }).click()
  assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Rename', 'Revoke'])
  await assertAccessible(page)
  await page.keyboard.press('Escape')
}

for (const width of widthsByTurns()) {
  longTest(`a key is replaced, both work, and the list says until when: ${width}`, async () => {
    const page = await stage.open(owner, { path: '/integrations', width })
    const name = `Shop ${width}`
    const old = await makeKey(page, name)
    await act(page, page, name, 'Replace')
    await page.getByRole('radio', { name: '7 days' }).check()
    await assertAccessible(page)
    await assertFits(page)
    await button(page, 'Make the new key').click()
    const next = await takeKey(page)
    assert.notEqual(next, old)
    assert.ok(await works(next))
    assert.equal(await status(old), 200)
    const row = rowOf(page, old.slice(9, 17))
    await row.getByText('works until').waitFor()
    if (isFull) await lookCloserAt(row, page)
    assert.equal(await rowOf(page, name).count(), 2)
    await assertAccessible(page)
    await assertFits(page)

    // Revoked within its grace it ends at once.
    await act(row, page, name, 'Revoke')
    await page.getByText('Links and countdown images already sent go on working').waitFor()
    await assertAccessible(page)
    await button(page, 'Revoke for good').click()
    await row.waitFor({ state: 'detached' })
    await page.getByText(`The key “${name}” is revoked.`).waitFor()
    await page.waitForFunction(() => document.activeElement?.matches('[data-row-of=keys] :is(a, button)'))
    assert.ok(await isRefused(old))
    assert.equal(await status(next), 200)
    await button(page, /^Show \d+ revoked key/).click()
    await page.getByRole('table', { name: 'Revoked keys' }).getByText(old.slice(9, 17)).waitFor()
    await assertAccessible(page)
    await assertFits(page)
    assertUntroubled(page)
  })
}

longTest('in Polish and in the dark, with right plurals', async () => {
  const page = await stage.open(owner, { path: '/integrations', language: 'pl', scheme: 'dark' })
  await page.getByRole('heading', { name: 'Integracje' }).waitFor()
  await page.getByRole('columnheader', { name: 'Ostatnio użyty' }).waitFor()
  await button(page, 'Pokaż 2 unieważnione klucze').click()
  await assertAccessible(page)
  await button(page, 'Działania na kluczu „Careful”').click()
  await page.getByRole('menuitem', { name: 'Wymień' }).click()
  await page.getByText('Stary klucz będzie działał jeszcze przez').waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await button(page, 'Nowy klucz').click()
  await page.getByRole('dialog').getByLabel('Nazwa').fill('Sklep')
  await button(page, 'Utwórz klucz').click()
  await page.getByRole('dialog', { name: 'Skopiuj teraz nowy klucz' }).waitFor()
  await assertAccessible(page)
})

longTest('a long name leaves the other keys as they are, and a dialog gives the focus back', async () => {
  const who = await stage.person('long')
  const page = await stage.open(who, { path: '/integrations' })
  await makeKey(page, 'Short')
  const height = async () => Math.floor(((await rowOf(page, 'Short').boundingBox())?.height ?? 0) / 4)
  const before = await height()
  await makeKey(page, 'Wide'.repeat(50))
  assert.equal(await height(), before)
  await act(page, page, 'Short', 'Revoke')
  await button(page, 'Cancel').click()
  await page.waitForFunction(() => document.activeElement?.ariaLabel === 'Actions on “Short”')
  assertUntroubled(page)
})

longTest('on a tablet the keys are no wider than the window, however long their times are', async () => {
  const page = await stage.open(await stage.person('tablet'), { path: '/integrations', zone: 'Asia/Kolkata' })
  await makeKey(page, 'Used')
  const usedNow = Math.floor(Date.now() / 1_000)
  await page.route('**/panel/api/keys', async (route) => {
    const answer = await (await route.fetch()).json()
    const keys = answer.keys.map((key: object) => ({ ...key, lastUsedAt: usedNow }))
    await route.fulfill({ json: { ...answer, keys } })
  })
  await page.setViewportSize({ width: 1_024, height: 768 })
  await page.reload()
  await rowOf(page, 'Used').locator('time').nth(1).waitFor()
  await assertFits(page)
})

longTest('another account’s keys are not seen', async () => {
  const page = await stage.open(stranger, { path: '/integrations' })
  await page.getByText('There is no key yet').waitFor()
  assert.equal(await page.getByText('Careful').count(), 0)
})

longTest('a name with markup stays a name', async () => {
  const page = await stage.open(stranger, { path: '/integrations' })
  const name = '<img src=x onerror=alert(1)>=1+1'
  await makeKey(page, name)
  await rowOf(page, name).waitFor()
  assertUntroubled(page)
})
