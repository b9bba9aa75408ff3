// What holds in every dialog of the panel, on a lead, and at the doors: axe, in both languages, light and dark,
// phone and desk.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { words as around } from '../../panel/src/parts/words.ts'
import { words as leadWords } from '../../panel/src/screens/campaigns/leads/words.ts'
import { words as listWords } from '../../panel/src/screens/campaigns/list/words.ts'
import { words as pagesWords } from '../../panel/src/screens/campaigns/pages/words.ts'
import { words as publishWords } from '../../panel/src/screens/campaigns/publish-words.ts'
import { words as rulesWords } from '../../panel/src/screens/campaigns/rules/words.ts'
import { words as timerWords } from '../../panel/src/screens/campaigns/timer/words.ts'
import { words as campaignWords } from '../../panel/src/screens/campaigns/words.ts'
import { words as joinWords } from '../../panel/src/screens/coming-in/words.ts'
import { words as keyWords } from '../../panel/src/screens/integrations/keys/words.ts'
import { words as webhookWords } from '../../panel/src/screens/integrations/webhooks/words.ts'
import { words as personWords } from '../../panel/src/screens/person/words.ts'
import { roleWords } from '../../panel/src/screens/settings/role-words.ts'
import { words as settingsWords } from '../../panel/src/screens/settings/words.ts'
import { isFull, longTest, someOf } from '../support/faults.ts'
import { campaignFile } from '../support/lastcall.ts'
import {
  assertFits,
  assertNoViolation,
  assertUntroubled,
  comeBack,
  type Scheme,
  schemes,
  sharedStage,
  type Width,
  wear,
  widths,
  widthsInLanguages,
} from './stage.ts'

const stage = await sharedStage()
const owner = await stage.person('owner')
const account = ['--account', String(owner.accountId)]
const { id } = await stage.place.json(
  ['campaign', 'apply', ...account, '-'],
  campaignFile({ name: 'Course', isDraft: false, mailTimer: {} }),
)
const colleague = 'colleague@example.com'
await stage.place.json(['key', 'create', ...account, '--name', 'Shop'])
await stage.place.json([
  ...['webhook', 'create', ...account, '--name', 'Till', '--kinds', 'lead.registered', '--url', 'https://example.com/'],
])
await stage.place.json(['user', 'create', ...account, '--email', colleague], 'a long password\n')
await stage.place.json(['lead', 'import', '--campaign', String(id), '-'], 'email\nada@example.com\n')
const { ref } = await stage.place.json(['lead', 'show', '--campaign', String(id), '--email', 'ada@example.com'])

type Language = 'en' | 'pl'

/** Where each dialog is, what it is called, and how it is opened. */
function dialogsIn(language: Language): [path: string, name: string, open: (page: Page) => Promise<void>][] {
  const named = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true }).first()
  const press =
    (...names: string[]) =>
    async (page: Page) => {
      for (const name of names) await named(page, name).click()
    }
  const choose = (menu: string, action: string) => async (page: Page) => {
    await named(page, menu).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  const list = listWords[language]
  const lead = leadWords[language]
  const key = keyWords[language]
  const hook = webhookWords[language]
  const campaign = campaignWords[language]
  const settings = settingsWords[language]
  const person = personWords[language]
  const role = roleWords[language]
  const hookDialogs = [
    [hook.editOf('Till'), hook.edit],
    [hook.rotateOf('Till'), hook.rotate],
    [hook.backfillOf('Till'), hook.backfill],
    [hook.removeOf('Till'), hook.remove],
  ] as const
  const severalDialogs = [
    [`${lead.deadlineTitle}: ${lead.chosen(1)}`, lead.deadlineSet],
    [lead.exportTitle, lead.export],
    [lead.eraseSeveral(1), lead.eraseChosen],
  ] as const
  return [
    ['/campaigns', list.new, press(list.new)],
    ['/campaigns', list.import, press(list.import)],
    ['/campaigns', list.removeTitle('Course'), choose(list.actions('Course'), list.remove)],
    ['/campaigns', list.archiveTitle('Course'), choose(list.actions('Course'), list.archive)],
    [`/campaigns/${id}`, publishWords[language].toDraftTitle, press(publishWords[language].toDraft)],
    [
      `/campaigns/${id}/rules`,
      campaign.leave,
      async (page) => {
        await page.getByLabel(rulesWords[language].name, { exact: true }).fill('Other')
        await page.getByRole('tab', { name: campaign.leads }).click()
      },
    ],
    [`/campaigns/${id}/pages`, pagesWords[language].removeTitle, press(pagesWords[language].remove)],
    [`/campaigns/${id}/timer`, timerWords[language].removeTitle, press(timerWords[language].remove)],
    [`/campaigns/${id}/leads`, lead.addTitle, press(lead.add)],
    [`/campaigns/${id}/leads`, lead.importTitle, press(lead.import)],
    [`/campaigns/${id}/leads`, lead.exportTitle, press(lead.export)],
    ...severalDialogs.map(([title, action]): [string, string, (page: Page) => Promise<void>] => [
      `/campaigns/${id}/leads`,
      title,
      async (page) => {
        await page.getByRole('checkbox', { name: lead.choose('ada@example.com') }).check()
        await page
          .getByRole('group', { name: lead.chosen(1) })
          .getByRole('button', { name: action, exact: true })
          .click()
      },
    ]),
    [`/campaigns/${id}/leads/${ref}`, lead.lead, (page) => page.getByText(lead.timeLine).waitFor()],
    [`/campaigns/${id}/leads/${ref}`, lead.eraseTitle, press(lead.erase)],
    [
      '/person',
      person.eraseTitle,
      async (page) => {
        await page.getByLabel(person.email).fill('ada@example.com')
        await press(person.find)(page)
        await press(person.erase)(page)
      },
    ],
    ['/integrations', key.newKey, press(key.newKey)],
    ['/integrations', key.renameOf('Shop'), choose(key.actionsOn('Shop'), key.rename)],
    ['/integrations', key.replaceOf('Shop'), choose(key.actionsOn('Shop'), key.replace)],
    ['/integrations', key.revokeOf('Shop'), choose(key.actionsOn('Shop'), key.revoke)],
    ...hookDialogs.map(([title, action]): [string, string, (page: Page) => Promise<void>] => [
      '/integrations/webhooks',
      title,
      choose(hook.actionsOn('Till'), action),
    ]),
    ['/integrations/webhooks', hook.create, press(hook.create)],
    ['/settings/users', settings.removeTitle(colleague), press(`${settings.remove} ${colleague}`)],
    [
      '/settings/users',
      role.roleTitle(colleague, role.roles.viewer),
      async (page) => {
        // Who chooses by hand has the focus there.
        await page.getByLabel(role.roleOf(colleague)).focus()
        await page.getByLabel(role.roleOf(colleague)).selectOption('viewer')
      },
    ],
  ]
}

type Look = { scheme: Scheme; width: Width }

/** By turns, so that every dialog is met in both schemes and both widths, the second in the other language. */
const looks: Record<Language, [Look, Look]> = {
  en: [
    { scheme: 'light', width: 'phone' },
    { scheme: 'dark', width: 'desk' },
  ],
  pl: [
    { scheme: 'dark', width: 'desk' },
    { scheme: 'light', width: 'phone' },
  ],
}

for (const [language, both] of someOf(Object.entries(looks) as [Language, [Look, Look]][], 1))
  test(`no violation of axe in any dialog, on a phone or a desk, light or dark: ${language}`, async () => {
    const page = await stage.open(owner, { language, width: 'phone' })
    page.setDefaultTimeout(10_000)
    page.on('dialog', (dialog) => dialog.accept())
    let turn = 0
    /** What is open stays so from one width to the other; the short form has each at one of them. */
    const holds = async (dialog: Locator, part?: string) => {
      const { scheme, width } = both[turn++ % 2] as Look
      await wear(page, scheme)
      for (const one of isFull ? (['phone', 'desk'] as const) : [width]) {
        await page.setViewportSize(widths[one])
        await dialog.waitFor()
        await assertFits(page)
        if (one === width) await assertNoViolation(page, part)
      }
      await page.setViewportSize(widths.phone)
    }
    const dialog = (name: string) => page.getByRole('dialog', { name, exact: true })
    // In the short form some of them in the one language, some in the other; a screen stays for all it has.
    const all = dialogsIn(language)
    const half = all.length / 2
    const isMet = (index: number) => isFull || index < half === (language === 'en')
    let shown = ''
    for (const [path, name, open] of someOf(
      all.filter((_, index) => isMet(index)),
      language === 'en' ? 2 : 1,
    )) {
      if (isFull || path !== shown || path.endsWith(ref)) await page.goto(path)
      shown = path
      await open(page)
      await assertBegins(dialog(name), name)
      await holds(dialog(name), '[role=dialog]')
      await page.keyboard.press('Escape')
      await dialog(name).waitFor({ state: 'hidden' })
      await assertFocused(page, name)
    }
    if (isFull || language === 'en') {
      await makeKey(page, language)
      await holds(dialog(keyWords[language].freshTitle), '[role=dialog]')
    }
    if (isFull || language === 'pl') {
      await page.context().clearCookies()
      await comeBack(page)
      await holds(dialog(around[language].sessionEnded))
    }
    assertUntroubled(page)
    await page.context().close()
  })

/** What a dialog asks is gone on with by keyboard at once: not from the button that closes it, which stands first. */
async function assertBegins(dialog: Locator, name: string): Promise<void> {
  await dialog.locator(':focus').waitFor({ state: 'attached' })
  assert.equal(await dialog.locator('.mantine-Modal-close:focus').count(), 0, name)
}

/** Closed, a dialog leaves the focus on something that is seen, and not on the page as a whole. */
async function assertFocused(page: Page, name: string): Promise<void> {
  const isSeen = () => {
    const { activeElement: focused } = document
    return focused !== null && focused !== document.body && focused.checkVisibility()
  }
  await page.waitForFunction(isSeen).catch(() => assert.fail(`${name}: the focus is lost`))
}

/** A key that is not made in earnest: only what it looks like matters here. */
async function makeKey(page: Page, language: Language): Promise<void> {
  const words = keyWords[language]
  const made = { id: 'x', name: 'Shop', key: `lastcall_${'0'.repeat(36)}.${'A'.repeat(43)}` }
  await page.route('**/panel/api/keys', async (route) => {
    if (route.request().method() === 'POST') await route.fulfill({ json: made })
    else await route.continue()
  })
  await page.goto('/integrations')
  await page.getByRole('button', { name: words.newKey }).click()
  await page.getByRole('dialog').getByLabel(words.name).fill('Shop')
  await page.getByRole('button', { name: words.create }).click()
  await page.getByRole('dialog', { name: words.freshTitle }).waitFor()
}

longTest('no violation of axe where an invited person joins', async () => {
  const host = await stage.open(owner)
  const invited = await host.context().request.post('/panel/api/invitations', { data: { role: 'member' } })
  const { pathname, hash } = new URL((await invited.json()).url)
  for (const { width, language } of widthsInLanguages()) {
    const page = await stage.open(undefined, { width, language, path: pathname + hash })
    await page.getByRole('button', { name: joinWords[language].joinDone }).waitFor()
    for (const scheme of schemes) {
      await wear(page, scheme)
      await assertNoViolation(page)
      await assertFits(page)
    }
    assert.equal(new URL(page.url()).hash, '')
    assertUntroubled(page)
    await page.context().close()
  }
})
