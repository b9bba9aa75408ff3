// What a member and a viewer find on the screens: what they may do, and one line about the rest.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { words as leadWords } from '../../panel/src/screens/campaigns/leads/words.ts'
import { words as listWords } from '../../panel/src/screens/campaigns/list/words.ts'
import { words as pagesWords } from '../../panel/src/screens/campaigns/pages/words.ts'
import { words as publishWords } from '../../panel/src/screens/campaigns/publish-words.ts'
import { words as timerWords } from '../../panel/src/screens/campaigns/timer/words.ts'
import { words as campaignWords } from '../../panel/src/screens/campaigns/words.ts'
import { words as historyWords } from '../../panel/src/screens/integrations/history/words.ts'
import { words as keyWords } from '../../panel/src/screens/integrations/keys/words.ts'
import { words as referenceWords } from '../../panel/src/screens/integrations/reference/words.ts'
import { words as webhookWords } from '../../panel/src/screens/integrations/webhooks/words.ts'
import { words as stepWords } from '../../panel/src/screens/overview/first-steps-words.ts'
import { words as overviewWords } from '../../panel/src/screens/overview/words.ts'
import { words as personWords } from '../../panel/src/screens/person/words.ts'
import { roleWords } from '../../panel/src/screens/settings/role-words.ts'
import { words as settingsWords } from '../../panel/src/screens/settings/words.ts'
import { isFull, longTest, someOf } from '../support/faults.ts'
import { campaignFile } from '../support/lastcall.ts'
import { assertAccessible, assertFits, assertUntroubled, comeBack, sharedStage, widths } from './stage.ts'

const stage = await sharedStage()
const owner = await stage.person('owner')
const member = await stage.colleague(owner, 'member')
const viewer = await stage.colleague(owner, 'viewer')
const account = ['--account', String(owner.accountId)]
const file = campaignFile({ name: 'Course', mailTimer: {} })
const { id } = await stage.place.json(['campaign', 'apply', ...account, '-'], file)
await stage.place.json(['key', 'create', ...account, '--name', 'Shop'])
const webhook = await stage.place.json([
  ...['webhook', 'create', ...account, '--name', 'Till', '--url', 'https://example.com/', '--kinds', 'campaign.ended'],
])
await stage.place.json(['lead', 'import', '--campaign', String(id), '-'], 'email\nada@example.com\n')
const { ref } = await stage.place.json(['lead', 'show', '--campaign', String(id), '--email', 'ada@example.com'])

type Language = 'en' | 'pl'

/** Of each screen what it says to a viewer, and the buttons that others have there. */
function screensIn(language: Language): [path: string, note: string, missing: string[]][] {
  const [campaign, lead, list] = [campaignWords[language], leadWords[language], listWords[language]]
  const [key, hook, timer] = [keyWords[language], webhookWords[language], timerWords[language]]
  const [role, settings, pages] = [roleWords[language], settingsWords[language], pagesWords[language]]
  const publish = publishWords[language].toDraft
  return [
    ['/campaigns', list.onlyMembers, [list.new, list.import]],
    [`/campaigns/${id}`, campaign.onlyMembers, [publish]],
    [`/campaigns/${id}/rules`, campaign.onlyMembers, [publish]],
    [`/campaigns/${id}/pages`, campaign.onlyMembers, [publish, pages.add, pages.save, pages.remove]],
    [`/campaigns/${id}/timer`, timer.onlyMembers, [timer.save, timer.remove, timer.contacts]],
    [`/campaigns/${id}/leads`, lead.onlyMembers, [lead.add, lead.import, lead.export]],
    [`/campaigns/${id}/leads/${ref}`, campaign.onlyMembers, [lead.deadlineSet, lead.erase]],
    ['/integrations', key.onlyOwners, [key.newKey, key.actionsOn('Shop')]],
    ['/integrations/webhooks', hook.onlyOwners, [hook.create, hook.actionsOn('Till')]],
    [`/integrations/webhooks?webhook=${webhook.id}`, hook.onlyOwners, [hook.test, hook.actionsOn('Till')]],
    ['/settings', role.onlyOwnersAccount, [settings.save]],
    ['/settings/audit', role.onlyOwnersAudit, []],
    ['/settings/users', role.onlyOwnersUsers, [settings.invite, `${settings.remove} ${member.email}`]],
  ]
}

const looks = [
  { language: 'en', width: 'phone' },
  { language: 'pl', width: 'desk' },
] as const
for (const { language, width } of someOf(looks, 1))
  test(`a viewer finds what there is, nothing to change it with, and why: ${language}, ${width}`, async () => {
    const page = await stage.open(viewer, { language, width, path: '/person' })
    await page.getByLabel(personWords[language].email).fill('ada@example.com')
    await page.getByRole('button', { name: personWords[language].find }).click()
    await page.getByText(personWords[language].onlyMembers).waitFor()
    const { erase, download } = personWords[language]
    for (const name of [erase, download]) assert.equal(await page.getByRole('button', { name }).count(), 0, name)
    const screens = screensIn(language)
    // One of a campaign, and one for owners alone.
    for (const [path, note, missing] of isFull ? screens : screens.filter(([path]) => /pages$|users$/.test(path))) {
      await page.setViewportSize(widths.phone)
      await page.goto(path)
      await page.getByText(note).waitFor()
      await page.waitForLoadState('networkidle')
      for (const name of missing) assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
      // A page grows at once; to shrink, a chart takes its time.
      for (const one of isFull ? (['phone', 'desk'] as const) : (['phone'] as const)) {
        await page.setViewportSize(widths[one])
        await assertFits(page)
        if (one === width) await assertAccessible(page)
      }
    }
    await assertAskedForNothing(page, language)
    await page.goto(`/campaigns/${id}/rules`)
    const form = page.locator('form')
    await form.getByRole('textbox').first().waitFor()
    assert.equal(await form.locator(':is(input, select, textarea, button):enabled').count(), 0)
    assertUntroubled(page)
  })

/** No text of a screen tells a viewer to do what the screen has no button for. */
async function assertAskedForNothing(page: Page, language: Language): Promise<void> {
  const [timer, hook, reference] = [timerWords[language], webhookWords[language], referenceWords[language]]
  const asked: [path: string, shown: string, missing: string][] = [
    [`/campaigns/${id}/timer`, timer.onlyMembers, timer.noCode],
    [`/integrations/webhooks?webhook=${webhook.id}`, hook.empty, hook.testOrWait],
    ['/integrations/reference', reference.onlyOwners, reference.toKeys],
  ]
  for (const [path, shown, missing] of someOf(asked, 1)) {
    await page.goto(path)
    await page.getByText(shown).waitFor()
    assert.equal(await page.getByText(missing).count(), 0, missing)
  }
}

longTest('what a viewer cannot change is written as plainly as the rest, with nothing drawn over it', async () => {
  const page = await stage.open(viewer, { path: `/campaigns/${id}/rules` })
  const texts = ['When the offer ends', 'The campaign ends for everyone', 'It stays closed for this person']
  const colours = texts.map((text) =>
    page.getByText(text, { exact: true }).evaluate((element) => getComputedStyle(element).color),
  )
  assert.equal(new Set(await Promise.all(colours)).size, 1)
  for (const one of await page.locator('form').getByRole('switch').all())
    assert.equal(
      await one.evaluate((element) => getComputedStyle(element).opacity),
      '0',
      'the box that the library hides',
    )
})

longTest('a viewer of an account without a campaign sees the steps, and who takes them', async () => {
  const other = await stage.person('beginner')
  const page = await stage.open(await stage.colleague(other, 'viewer'))
  await page.getByText(stepWords.en.onlyMembers).waitFor()
  assert.equal(await page.getByRole('button', { name: stepWords.en.steps.campaign.button }).count(), 0)
  const [lead, key] = [leadWords.en, keyWords.en]
  const said: string[] = []
  const lookFor = async (asked: [path: string, shown: string, missing: string][]) => {
    for (const [path, shown, missing] of asked) {
      await page.goto(path)
      await page.getByText(shown).first().waitFor()
      if ((await page.getByText(missing).count()) > 0) said.push(missing)
    }
  }
  await lookFor([
    ['/', overviewWords.en.none, overviewWords.en.addOne],
    ['/campaigns', listWords.en.empty, listWords.en.makeFirst],
    ['/integrations', key.empty, key.makeOne],
    ['/integrations/history', historyWords.en.empty(7), historyWords.en.makeKey],
    ['/integrations/history', historyWords.en.empty(7), historyWords.en.toKeys],
  ])
  const of = ['--account', String(other.accountId)]
  const bare = campaignFile({ name: 'Bare', pages: [], mailTimer: null })
  const { id } = await stage.place.json(['campaign', 'apply', ...of, '-'], bare)
  await lookFor([
    [`/campaigns/${id}/pages`, pagesWords.en.empty, pagesWords.en.addFirst],
    [`/campaigns/${id}/timer`, timerWords.en.none, timerWords.en.addOne],
    [`/campaigns/${id}/leads`, lead.nobodyYet, lead.addOne],
  ])
  await stage.place.json(['campaign', 'apply', ...of, '-'], JSON.stringify({ ...JSON.parse(bare), id, mailTimer: {} }))
  await stage.place.json(['lead', 'import', '--campaign', String(id), '-'], 'email\nada@example.com\n')
  const { ref } = await stage.place.json(['lead', 'show', '--campaign', String(id), '--email', 'ada@example.com'])
  await lookFor([
    [`/campaigns/${id}/timer`, lead.warnings.NO_OFFER_PAGES, lead.todo.NO_OFFER_PAGES],
    [`/campaigns/${id}/leads/${ref}`, lead.warnings.NO_OFFER_PAGES, lead.todo.NO_OFFER_PAGES],
  ])
  // Until all of it is done once, the steps stand on the overview.
  const whole = await stage.place.json(['campaign', 'apply', ...of, '-'], file)
  await stage.place.json(['lead', 'import', '--campaign', String(whole.id), '-'], 'email\nada@example.com\n')
  await lookFor([['/', overviewWords.en.what.NO_KEY, overviewWords.en.todo.NO_KEY]])
  assert.deepEqual(said, [])
  await stage.place.json(['account', 'set', String(other.accountId), '--countdown-tools', 'false'])
  await page.reload()
  await page.getByText('new leads get no link').waitFor()
})

longTest('a member works on campaigns and leads, and only looks at keys, webhooks and users', async () => {
  const page = await stage.open(member, { path: `/campaigns/${id}/leads` })
  await page.getByRole('button', { name: 'Export', exact: true }).waitFor()
  assert.equal(await page.getByText(leadWords.en.onlyMembers).count(), 0)
  await page.getByRole('tab', { name: 'Offer pages' }).click()
  await page.getByRole('button', { name: publishWords.en.toDraft }).waitFor()
  const all = screensIn('en').filter(([path]) => /^\/(?:integrations|settings)/.test(path))
  for (const [path, note, missing] of someOf(all, 1)) {
    await page.goto(path)
    await page.getByText(note).waitFor()
    for (const name of missing) assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
  }
  assertUntroubled(page)
})

longTest('a user who was made a viewer sees that their changes are not saved, and can give them up', async () => {
  const who = await stage.colleague(await stage.person('former'), 'member')
  const { id } = await stage.place.json(['campaign', 'apply', '--account', String(who.accountId), '-'], file)
  const page = await stage.open(who, { path: `/campaigns/${id}/pages` })
  page.on('dialog', (dialog) => dialog.accept())
  await page.getByLabel('Address of the page').fill('https://example.com/mine')
  await stage.place.json(['user', 'set', '--email', who.email, '--role', 'viewer'])
  await page.reload()
  await page.getByText('Not saved yet.').waitFor()
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await page.getByText('Not saved yet.').waitFor({ state: 'detached' })
  assert.equal(await page.getByLabel('Address of the page').inputValue(), 'https://example.com/offer')
})

longTest(
  'a user who is made a viewer in the middle of a list of leads can do nothing to them, and reads on',
  async () => {
    const who = await stage.colleague(await stage.person('reader'), 'member')
    const { id } = await stage.place.json(['campaign', 'apply', '--account', String(who.accountId), '-'], file)
    const emails = Array.from({ length: 160 }, (_, n) => `lead-${String(n).padStart(3, '0')}@example.com`)
    await stage.place.json(['lead', 'import', '--campaign', String(id), '-'], ['email', ...emails].join('\n'))
    const page = await stage.open(who, { path: `/campaigns/${id}/leads?page=3` })
    await page.getByLabel('Select lead-100@example.com').check()
    const bar = page.getByRole('group', { name: '1 lead selected' })
    await bar.waitFor()
    await stage.place.json(['user', 'set', '--email', who.email, '--role', 'viewer'])
    // The list is read again, and the session not yet.
    await comeBack(page, 11_000)
    await page.getByText(leadWords.en.onlyMembers).waitFor()
    assert.equal(await bar.count(), 0)
    await page.waitForLoadState('networkidle')
    await page.getByRole('link', { name: 'lead-149@example.com' }).waitFor({ timeout: 5_000 })
    assert.equal(await page.getByRole('alert').count(), 0)
    assertUntroubled(page)
  },
)

longTest('by the keyboard an owner invites a viewer, withdraws that, and gives a colleague another role', async () => {
  const page = await stage.open(owner, { path: '/settings/users' })
  await page.getByText(roleWords.en.lastOwner).waitFor()
  await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption('viewer')
  const email = page.getByLabel('Email (optional)')
  await email.fill('new..one@example.com')
  await page.keyboard.press('Enter')
  await page.getByText('Please write an email, such as ada@example.com.').waitFor()
  await email.fill('new@example.com')
  await page.keyboard.press('Enter')
  const link = page.getByRole('region', { name: 'Invitation link' })
  const shown = await link.innerText()
  await email.fill(member.email)
  await page.keyboard.press('Enter')
  await page.getByText('This person has access to this account already.').waitFor()
  assert.equal(await link.innerText(), shown, 'what is shown only now stays')
  const open = page.getByRole('list', { name: 'Open invitations' })
  assert.match(await open.innerText(), /^new@example\.com · Viewer\n/)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Withdraw the invitation: new@example.com, Viewer' }).press('Enter')
  await page.getByText('The invitation is withdrawn').waitFor()
  await open.waitFor({ state: 'detached' })

  const theirs = await stage.open(member, { path: `/campaigns/${id}/pages` })
  await theirs.getByLabel('Address of the page').first().fill('https://example.com/changed')
  const role = page.getByLabel(`Role of ${member.email}`)
  // One press too many.
  await role.press('ArrowUp')
  const asked = (name: string) => page.getByRole('dialog', { name: `Give ${member.email} the role ${name}?` })
  await asked('Owner').locator('button:focus', { hasText: 'Cancel' }).waitFor()
  await assertAccessible(page)
  await assertFits(page)
  await page.keyboard.press('Enter')
  await asked('Owner').waitFor({ state: 'detached' })
  assert.equal(await role.inputValue(), 'member')
  await page.locator('select:focus').waitFor()
  await page.keyboard.press('ArrowDown')
  await asked('Viewer').getByRole('button', { name: 'Change the role' }).press('Enter')
  await page.getByText(`${member.email} now has the role Viewer.`).waitFor()
  // Their screen does not know it before.
  await theirs.getByRole('button', { name: 'Save pages' }).click()
  await theirs.getByText('Your role does not allow this').waitFor()
  await theirs.getByText(campaignWords.en.onlyMembers).waitFor()
  await theirs.getByText('Your role has changed. What it does not allow was not done.').waitFor({ timeout: 5_000 })
  const ends = 'Their invitations no longer work.'
  await role.selectOption('owner')
  assert.equal(await asked('Owner').getByText(ends).count(), 0)
  await asked('Owner').getByRole('button', { name: 'Change the role' }).click()
  await page.getByText(`${member.email} now has the role Owner.`).waitFor()
  await role.selectOption('member')
  await asked('Member').getByText(ends).waitFor()
  assertUntroubled(page)
})
