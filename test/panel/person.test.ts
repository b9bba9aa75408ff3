// One person over all campaigns, as somebody who answers a request under the GDPR meets it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { longTest } from '../support/faults.ts'
import { campaignFile } from '../support/lastcall.ts'
import { assertAccessible, assertFits, assertUntroubled, longAtBothWidths, longStage } from './stage.ts'

const stage = await longStage()

/** An account with the address in two campaigns, one of which waits for a visit, and in capitals in the other. */
async function personWithLeads(name: string) {
  const who = await stage.person(name)
  const apply = (campaign: Record<string, unknown>) =>
    stage.place.json(['campaign', 'apply', '--account', String(who.accountId), '-'], campaignFile(campaign))
  const autumn = await apply({ name: 'Autumn course' })
  const mechanism = { startsOn: 'visit', deadline: { kind: 'after', period: 'P2D' } }
  const winter = await apply({ name: 'Winter course', mechanism })
  const add = (id: number, emails: string) =>
    stage.place.json(['lead', 'import', '--campaign', String(id), '-'], `email\n${emails}\n`)
  await add(autumn.id, 'ada@example.com\nAda@Example.com\nbob@example.com')
  await add(winter.id, 'ada@example.com')
  return who
}

async function find(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Find', exact: true }).click()
}

longAtBothWidths('a person is found, taken along as a file, and erased everywhere', async (width) => {
  const who = await personWithLeads(`finder-${width}`)
  const page = await stage.open(who, { width, path: '/campaigns' })
  await page.getByRole('link', { name: 'Find a person' }).click()
  await find(page, 'ada@example.com')
  await page.getByRole('status').filter({ hasText: 'ada@example.comIn 2 campaigns' }).waitFor()
  const list = page.getByRole('list', { name: 'Campaigns with this address' })
  assert.deepEqual(await list.getByRole('link').allTextContents(), ['Autumn course', 'Winter course'])
  await list.getByRole('listitem').last().getByText('Deadline: Not known yet').waitFor()
  assert.ok(!page.url().includes('ada'), 'no address of a person in an address of a page')
  await assertAccessible(page)
  await assertFits(page)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download everything' }).click(),
  ])
  const find1 = ['lead', 'find', '--account', String(who.accountId), '--email', 'ada@example.com']
  const kept = await stage.place.json(find1)
  assert.deepEqual(JSON.parse(readFileSync(await file.path(), 'utf8')), kept)
  assert.deepEqual([kept.leads.length, kept.otherSpellings.length], [2, 1])
  await page.getByRole('button', { name: 'Erase everywhere' }).click()
  const question = page.getByRole('dialog', { name: 'Erase this address everywhere?' })
  await question.getByText('Unused parts of the database’s files may keep traces').waitFor()
  await assertAccessible(page)
  await assertFits(page)
  await question.getByRole('button', { name: 'Erase for good' }).click()
  await page.getByText('Erased from 2 campaigns.').waitFor()
  await list.waitFor({ state: 'detached' })
  const after = await stage.place.json(find1)
  assert.deepEqual([after.leads.length, after.otherSpellings.length], [0, 1])
  await page.getByRole('button', { name: 'Find Ada@Example.com' }).click()
  await page.getByRole('heading', { name: 'Ada@Example.com', exact: true }).waitFor()
  await page.locator('input[type=email]:focus').waitFor()
  await list.getByRole('link', { name: 'Autumn course' }).click()
  await page.getByRole('dialog', { name: 'Lead' }).getByText('Ada@Example.com').waitFor()
  assertUntroubled(page)
})

longTest('by keyboard alone, in Polish: from the campaigns to a person who is erased, and on', async () => {
  const who = await personWithLeads('keyboard')
  const page = await stage.open(who, { language: 'pl', path: '/campaigns' })
  const tabTo = async (name: string) => {
    for (let n = 0; n < 40; n += 1) {
      await page.keyboard.press('Tab')
      const focused = await page.evaluate(() => {
        const { textContent, ariaLabel } = document.activeElement ?? {}
        return ariaLabel || textContent
      })
      if (focused === name) return
    }
    assert.fail(`${name} is not reached`)
  }
  await page.getByRole('link', { name: 'Znajdź osobę' }).waitFor()
  await tabTo('Znajdź osobę')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Znajdź osobę' }).waitFor()
  await tabTo('Adres e-mail')
  await page.keyboard.type('ada@example.com')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'ada@example.com', exact: true }).waitFor()
  await tabTo('Usuń wszędzie')
  await page.keyboard.press('Enter')
  const question = page.getByRole('dialog', { name: 'Usunąć ten adres wszędzie?' })
  await question.waitFor()
  await tabTo('Usuń trwale')
  await page.keyboard.press('Enter')
  await page.getByText('Usunięto z 2 kampanii.').waitFor()
  await question.waitFor({ state: 'detached' })
  assert.equal(await page.evaluate(() => document.activeElement?.ariaLabel), 'Adres e-mail')
  await assertAccessible(page)
  assertUntroubled(page)
})

longTest('nobody, no email, and too many searches are said', async () => {
  const page = await stage.open(await stage.person('other'), { path: '/person' })
  await find(page, 'ada@example.com')
  await page.getByText('Nothing is kept of ada@example.com.').waitFor()
  await find(page, 'ada')
  await page.getByText('Not a valid email address.').waitFor()
  await page.locator('input[aria-invalid=true]:focus').waitFor()
  const ask = () => page.request.post('/panel/api/person', { data: { email: 'ada@example.com' } })
  for (let n = 0; n < 130 && (await ask()).status() !== 429; n += 1) {}
  await find(page, 'ada@example.com')
  await page.getByText('Too many tries.').waitFor()
  assertUntroubled(page)
})
