// The audit log in the panel: for owners, in both languages, narrow and wide, by keyboard, and as a file.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { longTest } from '../support/faults.ts'
import { appliedCampaign, campaignFile } from '../support/lastcall.ts'
import { type PanelSession, panelSession } from '../support/panel-session.ts'
import { assertAccessible, assertFits, assertUntroubled, goTo, sharedStage, widthsByTurns } from './stage.ts'

const stage = await sharedStage()
const owner = await stage.person('owner')
const colleague: PanelSession = await panelSession(stage.place, stage.server, owner.accountId)
const apply = (changes: Record<string, unknown>, who = owner) =>
  stage.place.arrange((store) => appliedCampaign(store, who.accountId, campaignFile({ mailTimer: null, ...changes })))
const made = await apply({ name: '=HYPERLINK("x");"=1' })
await apply({ id: made.id, name: 'Autumn, course', mailTimer: {}, pages: made.pages })
for (let n = 0; n < 55; n += 1) await colleague('POST', '/keys', { name: `Key ${n}` })

/** Where it is another day than in UTC for the next hours. */
const otherDay = new Date().getUTCHours() < 11 ? 'Etc/GMT+12' : 'Pacific/Kiritimati'

for (const width of widthsByTurns()) {
  test(`an owner finds out who changed what, from which value to which: ${width}`, async (t) => {
    const page = await stage.open(owner, { width, zone: otherDay, path: '/settings/audit' })
    const rows = page.getByRole('table', { name: 'Entries' }).locator('tbody tr')
    await rows.first().waitFor()
    assert.equal(await rows.count(), 50)
    await page.getByRole('button', { name: 'Show more' }).press('Enter')
    await page.locator('main :focus', { hasText: /^That is all\.$/ }).waitFor()
    assert.ok((await rows.count()) >= 57)

    await page.getByLabel('What').selectOption('Campaign changed')
    const open = page.getByRole('button', { name: /^Open: Campaign changed, Autumn, course/ })
    await open.focus()
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog', { name: 'Entry' })
    await drawer.getByText('name: =HYPERLINK("x");"=1 → Autumn, course').waitFor()
    await drawer.getByText('countdown image: none → yes').waitFor()
    assert.equal(await drawer.getByText('time zone').count(), 0, 'what stayed is not shown')
    await assertAccessible(page)
    await assertFits(page)
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })

    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByLabel('Who').selectOption(`user-of-${owner.accountId}@example.com`)
    await page.getByRole('button', { name: /^Open: Key made, Key 54/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Open: Campaign/ }).count(), 0)
    assert.ok(!page.url().includes('example.com'), 'no email stands in the address')
    await page.reload()
    await page.getByRole('button', { name: /^Open: Key made, Key 54/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Open: Campaign/ }).count(), 0, 'the address has the filters')
    await assertAccessible(page)
    await assertFits(page)
    await t.test('the file has every entry that fits, and no formula', () => assertFileIsWhole(page))
    await t.test('the arrow keys go on from the last tab to the first, which keeps the focus', async () => {
      await page.getByRole('tab', { name: 'Audit log' }).press('ArrowRight')
      await page.getByLabel('Name').waitFor()
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Account')
    })
    assertUntroubled(page)
  })
}

async function assertFileIsWhole(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await assertFileCanBeStopped(page)
  await page.getByLabel('What').selectOption('Campaign made')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ])
  const today = Temporal.Now.plainDateISO(otherDay)
  assert.equal(file.suggestedFilename(), `lastcall-audit-${today}.csv`, 'the reader’s own day')
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\r\n')
  assert.equal(lines.length, 2)
  assert.match(lines[0] as string, /^id,time,actor_kind,actor,address,action,subject_kind,/)
  assert.ok(
    String(lines[1]).includes(`,campaign,${made.id},"'=HYPERLINK(""x"");'""=1",,"{""id"":${made.id},`),
    String(lines[1]),
  )
}

async function assertFileCanBeStopped(page: Page): Promise<void> {
  const whole = /\/audit\?limit=1000$/
  await page.route(whole, () => {})
  await page.getByRole('button', { name: 'Export as CSV' }).click()
  await page.getByText('0 lines read').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Export as CSV' }).waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Export as CSV')
  assert.equal(await page.getByRole('alert').count(), 0)
  await page.unroute(whole)
}

longTest('the calendar of the period has names for screen readers, in the reader’s language', async () => {
  const page = await stage.open(owner, { path: '/settings/audit', language: 'pl' })
  await page.getByLabel('Od – do').click()
  await page.getByRole('button', { name: 'Poprzedni miesiąc' }).click()
  await page.getByRole('button', { name: 'Następny miesiąc' }).waitFor()
  await assertAccessible(page)
})

longTest('an entry of one lead names them, and leads to them, until they are erased', async () => {
  const who = await stage.person('lead-keeper')
  const { id } = await apply({ name: 'Course' }, who)
  const of = ['--campaign', String(id), '--email', 'ada@example.com']
  await stage.place.json(['lead', 'import', '--campaign', String(id), '-'], 'email\nada@example.com\n')
  await stage.place.json(['lead', 'convert', ...of, '--order', '1001', '--amount', '49', '--currency', 'EUR'])
  const page = await stage.open(who, { path: '/settings/audit' })
  const address = page.url()
  const row = page.getByRole('row', { name: 'Purchase recorded' })
  await row.getByText('lead of Course: ada@example.com').waitFor()
  await row.getByRole('button').click()
  const drawer = page.getByRole('dialog', { name: 'Entry' })
  await drawer.getByText('amount: none → 49.00').waitFor()
  await drawer.getByText('ends the offer: none → no').waitFor()
  await drawer.getByRole('link', { name: 'ada@example.com' }).click()
  await page.getByRole('dialog', { name: 'Lead' }).getByText('Signed up').first().waitFor()

  await stage.place.json(['lead', 'erase', ...of])
  await page.goto(address)
  await row.getByText('lead of Course: erased').waitFor()
  assert.equal(await page.getByText('ada@example.com').count(), 0)
  assertUntroubled(page)
})

longTest('a long name leaves those who did it in one line', async () => {
  const who = await stage.person('namer')
  const file = campaignFile({ mailTimer: null, name: 'Autumn course '.repeat(14).trim() })
  await stage.place.json(['campaign', 'apply', '--account', String(who.accountId), '-'], file)
  const page = await stage.open(who, { path: '/settings/audit' })
  const lines = await page
    .getByRole('cell', { name: / \(command\)$/ })
    .first()
    .evaluate((one) => {
      const range = document.createRange()
      range.selectNodeContents(one)
      return range.getClientRects().length
    })
  assert.equal(lines, 1)
})

longTest('times with seconds and a long offset stay within the cards of a small phone', async () => {
  const page = await stage.open(owner, { width: 'phone', zone: 'Asia/Kathmandu', path: '/settings/audit' })
  await page.setViewportSize({ width: 360, height: 740 })
  const time = page.getByRole('table', { name: 'Entries' }).locator('time', { hasText: 'GMT+5:45' }).first()
  const beyond = await time.evaluate((one) => {
    const [own, cell] = [one, one.closest('td') as Element].map((part) => part.getBoundingClientRect().right)
    return (own as number) - (cell as number)
  })
  assert.ok(beyond <= 0, `${beyond} pixels`)
})

longTest('po polsku', async () => {
  const page = await stage.open(owner, { width: 'phone', language: 'pl', path: '/settings/audit' })
  const first = (label: string) => page.getByLabel(label, { exact: true }).locator('option').first().innerText()
  assert.deepEqual([await first('Kto'), await first('Co')], ['Wszyscy', 'Wszystkie'])
  await page.getByRole('button', { name: /^Otwórz: Utworzono klucz, Key 54/ }).click()
  await page.getByRole('dialog', { name: 'Wpis' }).getByText('nazwa: brak → Key 54').waitFor()
  await assertAccessible(page)
  await assertFits(page)
})

longTest('days in the address that there are not, or in the wrong order, are left out', async () => {
  for (const days of [
    'from=0001-01-01&to=2026-01-05',
    'from=2026-02-31&to=2026-03-05',
    'from=2026-12-31&to=2026-01-01',
  ]) {
    const page = await stage.open(owner, { path: `/settings/audit?${days}` })
    await page.getByRole('table', { name: 'Entries' }).waitFor()
    assertUntroubled(page)
  }
})

longTest('nobody but an owner sees it', async () => {
  const database = new DatabaseSync(stage.place.databasePath)
  database.prepare("UPDATE users SET role = 'member' WHERE email = ?").run(owner.email)
  database.close()
  const page = await stage.open(owner, { path: '/settings/audit' })
  await page.getByText('Owners read the audit log').waitFor()
  await goTo(page, 'Settings')
  await page.getByRole('tab', { name: 'Users' }).waitFor()
  assert.equal(await page.getByRole('tab', { name: 'Audit log' }).count(), 0)
  const answer = await page.request.get('/panel/api/audit?limit=50')
  assert.equal(answer.status(), 403)
})
