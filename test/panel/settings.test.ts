// Overview and settings: what needs attention, users, invitations and passwords, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { invitationMail } from '../../src/core/account-mails.ts'
import { isFull, longTest, someOf } from '../support/faults.ts'
import { appliedCampaign, campaignFile } from '../support/lastcall.ts'
import { sessionOf } from '../support/panel-session.ts'
import {
  assertAccessible,
  assertFits,
  assertUntroubled,
  atBothWidths,
  comeBack,
  longAtBothWidths,
  sharedStage,
} from './stage.ts'

const stage = await sharedStage()
const owner = await stage.person('owner')

atBothWidths('the overview says what needs attention, and what happened by day', async (width) => {
  const person = await stage.person(`new-${width}`)
  const account = String(person.accountId)
  const page = await stage.open(person, { width })
  await page.getByRole('heading', { name: 'Your first live campaign' }).waitFor()
  await page.getByText('Nothing has happened in these days yet').waitFor()
  await assertAccessible(page)

  const file = campaignFile({ name: 'Autumn course', pages: [] })
  const { id } = await stage.place.arrange((store) => appliedCampaign(store, person.accountId, file))
  await stage.place.json(['key', 'create', '--account', account, '--name', 'server'])
  await stage.place.json(['lead', 'import', '--campaign', String(id), '-'], 'email\na@x.pl\nb@x.pl\n')
  await page.reload()
  await page.getByText('has no page that mails link to').waitFor()
  assert.equal(await page.getByRole('heading', { name: 'Your first live campaign' }).count(), 0)
  const figure = page.getByText('Open offers').locator('..')
  assert.match(await figure.innerText(), /Open offers\s+2\s+now, in 1 published campaign$/)
  await page.getByRole('slider', { name: /^Chart of sign-ups/ }).waitFor()
  // Where it changes nothing in the service, a double click is two clicks.
  await page.getByRole('button', { name: 'Show as a table' }).dblclick()
  await page.getByRole('button', { name: 'Show as a table' }).click()
  assert.match(await page.getByRole('row').nth(1).innerText(), /\t2\t0\t0\t0$/)
  await assertFits(page)
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Autumn course' }).click()
  await page.waitForURL(new RegExp(`/campaigns/${id}/pages$`))
  assertUntroubled(page)
})

async function assertNotInvitedAgain(page: Page, email: string): Promise<void> {
  // The list still has the invitation that was used.
  const link = page.getByRole('region', { name: 'Invitation link' })
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  await link.waitFor()
  await page.getByRole('button', { name: 'Withdraw the invitation' }).click()
  await link.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByLabel('Email (optional)').fill(email)
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  await page.getByText('This person has access to this account already.').waitFor()
  await page.locator('input[type=email]:focus').waitFor()
}

longAtBothWidths(
  'an invited colleague joins by a link that works once; a removed one is signed out at once',
  async (width) => {
    const email = `colleague-${width}@example.com`
    const page = await stage.open(owner, { width, path: '/settings/users' })
    await page.getByRole('button', { name: 'Invite somebody' }).click()
    const link = page.getByRole('region', { name: 'Invitation link' })
    const url = new URL((await link.innerText()).trim())
    await page.getByRole('status').getByText('Send this link to the person.').waitFor()
    // The second click of a double click, after the answer to the first.
    await page.mouse.down({ clickCount: 2 })
    await page.mouse.up({ clickCount: 2 })
    const { invitations } = await (await page.request.get('/panel/api/invitations')).json()
    assert.equal(invitations.length, 1)
    await assertAccessible(page)
    const theirs = await stage.open(undefined, {
      path: url.pathname + url.hash,
      language: 'pl',
      width,
    })
    await theirs.getByText('Zaproszono Cię do konta „owner’s account”').waitFor()
    await theirs.getByLabel('Adres e-mail').fill(email)
    await theirs.getByRole('textbox', { name: 'Hasło' }).fill('hasło koleżanki')
    await theirs.getByRole('button', { name: 'Dołącz' }).click()
    await theirs.getByRole('heading', { name: 'Przegląd' }).waitFor()
    const again = await page.request.post('/panel/api/invitation', { data: { token: url.hash.slice(1) } })
    assert.equal((await again.json()).code, 'LINK_USED_UP')
    if (isFull) {
      const used = await stage.open(undefined, { path: url.pathname + url.hash })
      await used.getByText('This link has been used').waitFor()
    }

    await page.reload()
    if (isFull) await assertNotInvitedAgain(page, email)
    await page.getByRole('button', { name: `Remove ${email}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('button', { name: `Remove ${email}` }).waitFor({ state: 'detached' })
    await theirs.goto('/settings')
    await theirs.getByRole('heading', { name: 'Zaloguj się' }).waitFor()
    assertUntroubled(page)
  },
)

longAtBothWidths(
  'a changed password ends every other session, and a forgotten one is set on the command line',
  async (width) => {
    const person = await stage.person(`changing-${width}`)
    const page = await stage.open(person, { width, path: '/settings/security' })
    const elsewhere = await sessionOf(stage.server, person)
    assert.equal((await elsewhere('GET', '/users')).status, 200)
    await page.getByRole('textbox', { name: 'Current password' }).fill('not this one')
    await page.getByRole('textbox', { name: 'New password' }).fill('another long password')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('This is not your current password').waitFor()
    await page.locator('input[autocomplete=current-password]:focus').waitFor()
    await page.getByRole('textbox', { name: 'Current password' }).fill(person.password)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('The password is changed').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    assert.equal((await elsewhere('GET', '/users')).status, 401)
    await stage.place.json(['user', 'reset', '--email', person.email], 'third long password\n')
    await page.reload()
    await page.getByLabel('Email').fill(person.email)
    await page.getByRole('textbox', { name: 'Password' }).fill('third long password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
  },
)

longTest('the mail of an invitation fits a phone, however long the inviter’s email is', async () => {
  const page = await stage.open(undefined, { width: 'phone', path: 'about:blank' })
  const { html } = invitationMail('en', 'https://example.com/join', `ada@${`${'x'.repeat(60)}.`.repeat(3)}com`)
  await page.setContent(`<meta name="viewport" content="width=device-width">${html}`)
  await assertFits(page)
})

longTest('the account’s name follows what a colleague saves, as long as nobody types', async () => {
  const page = await stage.open(owner, { path: '/settings' })
  const name = page.getByLabel('Name')
  await name.waitFor()
  for (const [theirs, shown] of [
    ['Theirs', 'Theirs'],
    ['Theirs again', 'Mine'],
  ] as const) {
    await page.request.patch('/panel/api/account', { data: { name: theirs } })
    await comeBack(page)
    await page.getByRole('banner').getByText(theirs, { exact: true }).waitFor({ state: 'attached' })
    assert.equal(await name.inputValue(), shown)
    await name.fill('Mine')
  }
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved.').waitFor()
  assert.equal(await name.inputValue(), 'Mine')
})

longTest('a removal that is under way when its question is closed is told all the same', async () => {
  const person = await stage.person('slow')
  const { email } = await stage.colleague(person, 'member')
  const page = await stage.open(person, { path: '/settings/users' })
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route('**/panel/api/users/*', async (route) => {
    await held
    await route.continue()
  })
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: `Remove ${email}` }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  letGo()
  await page.getByText(`${email} is removed.`).waitFor()
  await page.locator('main:focus').waitFor()
})

longAtBothWidths('users of a suspended account read everything and change nothing', async (width) => {
  const person = await stage.person(`suspended-${width}`)
  const page = await stage.open(person, { width, path: '/settings' })
  await page.getByLabel('Name').fill('Another name')
  await stage.place.json(['account', 'set', String(person.accountId), '--suspended', 'true'])
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await save.click()
  await page.getByText('nothing can be changed until the operator lifts that').waitFor()
  await page.getByText('This account is suspended').waitFor()
  assert.ok(await save.isDisabled())
  assert.equal(await page.getByLabel('Name').inputValue(), 'Another name')
})

/** A lead of the campaign who has bought. */
async function buyerIn(id: number): Promise<string> {
  const lead = ['--campaign', String(id), '--email', 'ada@example.com']
  await stage.place.json(['lead', 'import', '--campaign', String(id), '-'], 'email\nada@example.com\n')
  await stage.place.json(['lead', 'convert', ...lead, '--order', '1001'])
  return (await stage.place.json(['lead', 'show', ...lead])).ref
}

longTest('actions that a suspended account may not take are disabled', async () => {
  const person = await stage.person('switched-off')
  await stage.colleague(person, 'member')
  const account = String(person.accountId)
  const { id } = await stage.place.arrange((store) =>
    appliedCampaign(store, person.accountId, campaignFile({ pages: [] })),
  )
  // The screens that show them are met in the long form alone.
  const ref = isFull ? await buyerIn(id) : ''
  const page = await stage.open(person, { path: '/settings/users' })
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  await page.getByRole('button', { name: /^Withdraw/ }).waitFor()

  const campaign = `/campaigns/${id}`
  const onScreens: Record<string, RegExp[]> = {
    '/settings/users': [/^Invite somebody/, /^Withdraw/, /^Role of member/, /^Remove member/],
    '/campaigns': [/^New campaign/, /^Import file/, /^Duplicate/, /^Archive/, /^Delete/],
    [`${campaign}/leads`]: [/^Add lead/, /^Import/],
    [`${campaign}/leads/${ref}`]: [/^Set deadline/, /^\+1 day/, /^Record a purchase/, /^Reverse 1001/, /^Erase lead/],
    [`${campaign}/pages`]: [/^Save pages/],
    [`${campaign}/timer`]: [/^Save timer/, /^Remove the mail timer/],
    [`${campaign}/results`]: [/^Reverse 1001/],
  }
  const met = someOf(Object.entries(onScreens), 2)
  async function switchedOff() {
    const found: RegExp[] = []
    for (const [path, names] of met) {
      await page.goto(path)
      if (path === '/campaigns') await page.getByRole('button', { name: /^Actions on/ }).click()
      for (const name of names) {
        const item = page.getByRole('menuitem', { name }).or(page.getByRole('combobox', { name }))
        const control = page.getByRole('button', { name }).or(item)
        // "Save" looks switched off as long as nothing is changed, but is there for the keyboard.
        if (await control.evaluate((one) => one.matches(':disabled'))) found.push(name)
      }
    }
    return found
  }
  if (isFull) assert.deepEqual(await switchedOff(), [])
  await stage.place.json(['account', 'set', account, '--suspended', 'true'])
  assert.deepEqual(
    await switchedOff(),
    met.flatMap(([, names]) => names),
  )
})

test('tries to sign in are limited for an email, and again possible in the next minute', async () => {
  const person = await stage.person('guessed')
  const body = (password: string) => ({
    method: 'POST',
    // From elsewhere than the other tests of this server sign in.
    headers: { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.7' },
    body: JSON.stringify({ email: person.email, password }),
  })
  const signIn = (password: string) => fetch(`${stage.server.origin}/panel/api/session`, body(password))
  const statuses = []
  for (let tries = 0; tries < 6; tries += 1) statuses.push((await signIn('wrong password')).status)
  assert.deepEqual(statuses, [403, 403, 403, 403, 403, 429])
  const refused = await signIn(person.password)
  const { code, retryAfterSeconds } = (await refused.json()) as any
  assert.deepEqual([refused.status, code], [429, 'TOO_MANY_TRIES'])
  assert.ok(retryAfterSeconds >= 1 && retryAfterSeconds <= 60)
  assert.equal(refused.headers.get('retry-after'), String(retryAfterSeconds))
})
