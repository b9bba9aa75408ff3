// Orders in the panel: recorded for a lead, and shown in the results with what was left of the offer.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { timeLeftText } from '../../panel/src/screens/campaigns/results/sales-words.ts'
import { isFull, longTest } from '../support/faults.ts'
import { campaignFile } from '../support/lastcall.ts'
import { assertAccessible, assertFits, assertUntroubled, longAtBothWidths, sharedStage, widths } from './stage.ts'

const stage = await sharedStage()

test('the time left is written without units that are zero', () => {
  const said = [172_800, 7_541, 0].map((seconds) => timeLeftText(seconds, 'en'))
  assert.deepEqual(said, ['2 days', '2 hr, 5 min, 41 sec', '0 sec'])
})

/** Each, however large it is, in one line, also on a small phone. */
async function assertSumsInLines(page: Page, campaign: string[]): Promise<void> {
  if (page.viewportSize()?.width === widths.phone.width) await page.setViewportSize({ width: 360, height: 740 })
  const bob = ['lead', 'convert', ...campaign, '--email', 'bob@example.com']
  for (const [amount, sum] of [
    ['9999999999999.99', '999'],
    ['123456789.50', '456'],
    ['12345.67', '345'],
  ] as const) {
    await stage.place.json([...bob, '--order', sum, '--amount', amount, '--currency', 'PLN'])
    await page.goto(`/campaigns/${campaign[1]}/results`)
    const revenue = page.getByRole('definition').getByText(sum)
    const [height, fontSize] = await revenue.evaluate((one) => [
      one.clientHeight,
      parseFloat(getComputedStyle(one).fontSize),
    ])
    assert.ok((height as number) < 2 * 1.8 * (fontSize as number), `each sum in one line: ${height}`)
    await page.getByText('zł').first().waitFor()
    await assertFits(page)
    await stage.place.json(['conversion', 'reverse', ...campaign, '--order', sum])
  }
}

/** Bob's number is not taken for Ada, and hers once more is no fault. */
async function assertNumberOfOther(page: Page, lead: Locator): Promise<void> {
  const number = lead.getByLabel('Number of the order')
  const record = lead.getByRole('button', { name: 'Record a purchase' })
  await number.fill('N7')
  await record.click()
  await lead.getByText('This number belongs to an order of another lead: bob@example.com.').waitFor()
  await lead.locator('input[aria-invalid=true]:focus').waitFor()
  assert.equal(await number.inputValue(), 'N7')
  await assertAccessible(page)
  await assertFits(page)
  await number.fill('OLD')
  await record.click()
  await lead.getByText('This order was recorded before.').waitFor()
  assert.equal(await number.inputValue(), '')
}

/** Ada's order has left the list of the newest, and is reversed on her page. */
async function assertOldOrderReversed(page: Page, campaign: string[]): Promise<void> {
  const ada = ['--email', 'ada@example.com']
  await stage.place.json([
    'lead',
    'convert',
    ...campaign,
    ...ada,
    '--order',
    'OLD',
    '--amount',
    '7',
    '--currency',
    'EUR',
  ])
  await stage.place.json([
    'lead',
    'deadline',
    ...campaign,
    '--email',
    'bob@example.com',
    '--at',
    '2020-01-01T00:00:00Z',
  ])
  const later = Array.from({ length: 20 }, (_, index) => `N${index},bob@example.com\n`)
  await stage.place.json(['conversion', 'import', ...campaign, '-'], `orderId,email\n${later.join('')}`)
  await page.goto(`/campaigns/${campaign[1]}/results`)
  await page.getByRole('button', { name: 'Reverse N0', exact: true }).waitFor()
  assert.equal(await page.getByRole('cell', { name: / after the end$/ }).count(), 20)
  assert.equal(await page.getByRole('button', { name: /^Reverse / }).count(), 20)
  await page.getByText('All orders of a lead are on the lead’s page').waitFor()
  await assertFits(page)
  await page.getByRole('tab', { name: 'Leads' }).click()
  await page.getByRole('link', { name: 'ada@example.com' }).click()
  const lead = page.getByRole('dialog', { name: 'Lead' })
  await lead.getByText('Expired').waitFor()
  await assertNumberOfOther(page, lead)
  await lead.getByRole('button', { name: 'Reverse OLD' }).click()
  await assertFits(page)
  const asked = page.getByRole('dialog', { name: 'Reverse order OLD?' })
  await asked.getByLabel('Reopen the offer').check()
  await asked.getByRole('button', { name: 'Reverse', exact: true }).click()
  await asked.waitFor({ state: 'detached' })
  await lead.getByText('Open', { exact: true }).waitFor()
  await lead.getByText('OLD').locator('xpath=../..').getByText('reversed').waitFor()
  // She has no other order that counts: the focus stays in the dialog.
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'dialog')
  await assertAccessible(page)
  await assertFits(page)
}

longAtBothWidths(
  'a purchase is recorded for a lead, ends the offer, and stands in the results with the time left',
  async (width) => {
    const who = await stage.person(`seller-${width}`)
    const file = campaignFile({ conversion: { closes: true } })
    const { id } = await stage.place.json(['campaign', 'apply', '--account', String(who.accountId), '-'], file)
    const campaign = ['--campaign', String(id)]
    await stage.place.json(['lead', 'import', ...campaign, '-'], 'email\nada@example.com\nbob@example.com\n')
    const { ref } = await stage.place.json(['lead', 'show', ...campaign, '--email', 'ada@example.com'])
    const page = await stage.open(who, { width, path: `/campaigns/${id}/leads/${ref}` })
    const lead = page.getByRole('dialog')
    await lead.getByLabel('Number of the order').fill('10 01')
    await lead.getByRole('button', { name: 'Record a purchase' }).click()
    await lead.getByText('without spaces').waitFor()
    await lead.locator('input[aria-invalid=true]:focus').waitFor()
    await lead.getByLabel('Number of the order').fill('1001')
    await lead.getByLabel('Amount').fill('49.00')
    await page.keyboard.press('Enter')
    await lead.getByText('by its three letters').waitFor()
    await lead.locator('input[aria-invalid=true]:focus').waitFor()
    await assertAccessible(page)
    await assertFits(page)
    await lead.getByLabel('Currency').fill('EUR')
    await lead.getByRole('button', { name: 'Record a purchase' }).click()
    await lead.getByText('Recorded.').waitFor()
    await lead.getByText('€49.00').waitFor()
    await assertAccessible(page)
    await assertFits(page)
    // The button that was pressed waited for its answer, and lost the focus meanwhile.
    await page.locator('button:focus', { hasText: 'Record a purchase' }).waitFor()
    await page.keyboard.press('Escape')
    await lead.waitFor({ state: 'detached' })
    const row = page.locator('tr, li', { hasText: 'ada@example.com' })
    await row.getByText('Expired').waitFor()
    const forints = ['--order', 'F1', '--amount', '4990.50', '--currency', 'HUF']
    await stage.place.json(['lead', 'convert', ...campaign, '--email', 'bob@example.com', ...forints])
    await stage.place.json(['conversion', 'reverse', ...campaign, '--order', 'F1'])
    const [kept] = (await stage.place.json(['lead', 'show', ...campaign, '--email', 'ada@example.com'])).conversions
    assert.deepEqual([kept.orderId, kept.amount, kept.closed], ['1001', '49.00', true])
    if (isFull) await assertSumsInLines(await stage.open(who, { width, language: 'pl' }), campaign)
    await page.getByRole('tab', { name: 'Results' }).click()
    const sales = page.locator('section', { has: page.getByRole('heading', { name: 'Sales' }) })
    await sales
      .getByRole('cell', { name: /(?:1 day, 23 hr, 59 min, \d+ sec|2 days)$/ })
      .first()
      .waitFor()
    await sales.getByRole('cell', { name: /HUF\s4,990\.50$/ }).waitFor()
    await sales.getByRole('row', { name: '1 to 3 days 1 €49.00' }).waitFor()
    await assertAccessible(page)
    await assertFits(page)
    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      sales.getByRole('button', { name: 'Download sales as CSV' }).click(),
    ])
    assert.match(csv.suggestedFilename(), /-sales-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/)
    const lines = readFileSync(await csv.path(), 'utf8').split('\r\n')
    assert.ok(lines.includes('time left,to3d,1,EUR,49.00'))
    assert.ok(lines.some((line) => /^day,\d{4}-\d\d-\d\d,1,EUR,49\.00$/.test(line)))
    await sales.getByRole('button', { name: 'Reverse 1001' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reverse order 1001?' })
    await dialog.getByLabel('Reopen the offer').check()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Reverse', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await sales.getByText('No orders in these days.').waitFor()
    await sales.getByRole('button', { name: 'Reverse 1001' }).waitFor({ state: 'detached' })
    // What the focus was on is gone; no other order can be reversed.
    await page.waitForFunction(() => document.activeElement?.id === 'content')
    await sales.getByRole('row', { name: /1001.*ada@example\.com.*reversed/ }).waitFor()
    const back = await stage.place.json(['lead', 'show', ...campaign, '--email', 'ada@example.com'])
    assert.equal(back.state, 'open')
    assert.ok(back.conversions[0].reversedAt)
    await page.getByRole('tab', { name: 'Leads' }).click()
    await page.getByRole('link', { name: 'ada@example.com' }).click()
    await lead.getByText('reversed', { exact: false }).waitFor()
    await assertOldOrderReversed(page, campaign)
    assertUntroubled(page)
  },
)

longTest('the error of a failed reversal, and its tick, are gone when its question opens again', async () => {
  const who = await stage.person('reverser')
  const file = campaignFile({ conversion: { closes: true } })
  const { id } = await stage.place.json(['campaign', 'apply', '--account', String(who.accountId), '-'], file)
  const campaign = ['--campaign', String(id)]
  await stage.place.json(['lead', 'import', ...campaign, '-'], 'email\nada@example.com\n')
  await stage.place.json(['lead', 'convert', ...campaign, '--email', 'ada@example.com', '--order', '1001'])
  const page = await stage.open(who, { path: `/campaigns/${id}/results` })
  await page.route('**/conversions/reversal', (route) => route.abort())
  const dialog = page.getByRole('dialog', { name: 'Reverse order 1001?' })
  const reopen = dialog.getByLabel('Reopen the offer')
  await page.getByRole('button', { name: 'Reverse 1001' }).click()
  await reopen.check()
  await dialog.getByRole('button', { name: 'Reverse', exact: true }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Reverse 1001' }).click()
  await reopen.waitFor()
  assert.equal(await dialog.getByRole('alert').count(), 0)
  assert.equal(await reopen.isChecked(), false)
})
