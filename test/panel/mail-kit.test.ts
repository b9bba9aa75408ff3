// A mail that is ready to send, from a list of addresses and without code.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { Locator } from 'playwright-core'
import { amount, longTest } from '../support/faults.ts'
import { appliedCampaign, campaignFile } from '../support/lastcall.ts'
import { assertAccessible, assertFits, assertUntroubled, mayClose, sharedStage } from './stage.ts'

const stage = await sharedStage()
const { place, open } = stage
const owner = await stage.person('owner')
const mostClicks = 12
const count = amount(20, 1_000)

const campaignOf = (changes: object) =>
  place.arrange((store) =>
    appliedCampaign(store, owner.accountId, campaignFile({ timeZone: 'Europe/Warsaw', ...changes })),
  )

/** The mail of one contact: each tag is replaced by what stands below its name. */
function filled(html: string, tag: RegExp, contact: Record<string, string>): string {
  return html.replace(tag, (_, field) => {
    assert.ok(Object.hasOwn(contact, field), `no column ${field}`)
    return contact[field] as string
  })
}

function assertReady(html: string, contacts: Record<string, string>[], tag: RegExp, deadline: RegExp): void {
  const mails = contacts.map((contact) => filled(html, tag, contact))
  assert.equal(new Set(mails).size, contacts.length, 'each contact has a link and a countdown of its own')
  for (const mail of mails) {
    assert.doesNotMatch(mail, /LC_|\d{4}-\d\d-\d\d|T\d\d:\d\d|Z"/)
    assert.match(mail, deadline)
    assert.match(
      mail,
      /<a href="http[^"]+\/go\/\d+\/[\da-f]{32}"><img src="http[^"]+\/timer\/\w\w\/[\da-f]{32}\.gif\?m=1"/,
    )
  }
}

const read = (path: string) => parse(readFileSync(path), { bom: true, columns: true }) as Record<string, string>[]

/** What a person clicks, counted. */
function counted() {
  let clicks = 0
  return {
    clicks: () => clicks,
    click: (what: Locator) => {
      clicks += 1
      return what.click()
    },
    /** The button that opens the system's own dialog of files. */
    choose: (what: Locator, path: string) => {
      clicks += 1
      return what.setInputFiles(path)
    },
    /** A list that is opened and chosen from is two. */
    select: (what: Locator, label: string) => {
      clicks += 2
      return what.selectOption({ label })
    },
  }
}

test(`a mail with a deadline for each of ${count} emails of a file takes at most ${mostClicks} clicks, and no code`, async (t) => {
  await campaignOf({ name: 'Autumn course' })
  const path = join(place.folder, 'emails.csv')
  const emails = Array.from({ length: count }, (_, n) => `lead-${n}@example.com`)
  writeFileSync(path, `Name,E-mail\n${emails.map((email) => `Somebody,${email}`).join('\n')}\n`)
  const page = await open(owner)
  const { clicks, click, choose, select } = counted()

  await click(page.getByRole('link', { name: 'Campaigns', exact: true }))
  await click(page.getByRole('link', { name: 'Autumn course' }))
  await click(page.getByRole('tab', { name: 'Leads' }))
  await click(page.getByRole('button', { name: 'Import' }).first())
  const importing = page.getByRole('dialog', { name: 'Import leads' })
  await choose(importing.locator('input[type=file]'), path)
  await click(importing.getByRole('button', { name: 'Start import' }))
  await importing.getByText('Import finished').waitFor()
  await click(importing.getByRole('button', { name: 'Close' }).last())
  await click(page.getByRole('tab', { name: 'Mail timer' }))
  await select(page.getByLabel('Mail service'), 'Mailchimp')
  const block = page.getByRole('region', { name: 'HTML for the mail' }).locator('..')
  await block.getByText('*|LC_LINK|*').first().waitFor()
  await click(block.getByRole('button', { name: 'Copy' }))
  const html = await page.evaluate(() => navigator.clipboard.readText())
  const { promise: looked, resolve: look } = Promise.withResolvers<void>()
  await page.route('**/leads/export', (route) => looked.then(() => route.continue()))
  await click(page.getByRole('button', { name: 'Download contacts (CSV)' }))
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  assert.equal(await mayClose(page), false)
  look()
  const file = await page.waitForEvent('download')
  assert.ok(clicks() <= mostClicks, `${clicks()} clicks`)
  t.diagnostic(`${clicks()} clicks`)

  const contacts = read(await file.path())
  assert.deepEqual(contacts.map(({ email }) => email).sort(), emails.sort())
  assertReady(html, contacts, /\*\|(\w+)\|\*/g, /The offer ends on <strong>\d{1,2} \w+ \d{4} at \d\d:\d\d<\/strong>/)
  assertUntroubled(page)
})

longTest(
  'what came of the test mail of one lead is not said of the next, and how long to wait where there were too many',
  async () => {
    const deadline = { kind: 'after', period: 'PT48H' }
    const { id } = await campaignOf({ name: 'Spring course', mechanism: { startsOn: 'visit', deadline } })
    await place.json(['lead', 'import', '--campaign', String(id), '-'], 'email\nada@example.com\nbob@example.com\n')
    const byHand = ['--email', 'bob@example.com', '--at', '2099-01-01T00:00:00Z']
    await place.json(['lead', 'deadline', '--campaign', String(id), ...byHand])
    const page = await open(owner, { path: `/campaigns/${id}/timer` })
    const choose = async (email: string) => {
      await page.getByRole('combobox', { name: 'Lead' }).click()
      await page.getByRole('option', { name: email }).click()
    }
    await page.route('**/test-mail', (route) => route.abort())
    await choose('ada@example.com')
    await page.getByRole('button', { name: 'Download as .eml' }).click()
    await page.getByRole('alert').filter({ hasText: 'Look whether it has' }).waitFor({ timeout: 5_000 })
    const begins = page.getByText('This lead’s offer has not begun')
    await begins.waitFor()
    await choose('bob@example.com')
    await begins.waitFor({ state: 'detached' })
    await page.getByRole('alert').waitFor({ state: 'detached' })
    // Typed whole it need not be chosen from the list as well; whoever else begins like that is left alone.
    const field = page.getByRole('combobox', { name: 'Lead' })
    const found = page.getByRole('listbox').getByRole('option')
    await field.fill('ada@')
    await found.filter({ hasText: 'bob@' }).waitFor({ state: 'detached' })
    await field.press('Tab')
    assert.equal(await field.inputValue(), 'bob@example.com')
    for (const [typed, key, email] of [
      ['ADA@example.com ', 'Enter', 'ada@example.com'],
      ['bob@example.com', 'Tab', 'bob@example.com'],
      ['ada@example.com', 'Enter', 'ada@example.com'],
    ] as const) {
      await field.fill(typed)
      await found.filter({ hasNotText: email }).waitFor({ state: 'detached' })
      await found.waitFor()
      await field.press(key)
      await found.waitFor({ state: 'detached' })
      assert.equal(await field.inputValue(), email)
    }
    // Mails are counted by the hour.
    const refusal = { code: 'TOO_MANY_TRIES', requestId: '', faults: [], retryAfterSeconds: 2_500 }
    await page.route('**/test-mail', (route) => route.fulfill({ status: 429, json: refusal }))
    await page.getByRole('button', { name: 'Download as .eml' }).click()
    await page.getByText('Too many tries. Try again in 42 minutes.').waitFor({ timeout: 5_000 })
  },
)

longTest('a file without links and countdown is called so, on the tab and where leads are exported', async () => {
  const who = await stage.person('without-links')
  const setTools = (is: boolean) =>
    place.json(['account', 'set', String(who.accountId), '--countdown-tools', String(is)])
  const make = (changes: object) =>
    place.arrange((store) => appliedCampaign(store, who.accountId, campaignFile({ mailTimer: {}, ...changes })))
  const [draft, live] = [await make({ isDraft: true }), await make({})]
  const [linkless, timeless] = [await make({ pages: [] }), await make({ mailTimer: null })]
  const page = await open(who, { path: `/campaigns/${live.id}/timer`, width: 'phone' })
  const note = page.getByRole('note').filter({ hasText: 'its import empties those fields' })
  await page.getByRole('region', { name: 'HTML for the mail' }).waitFor()
  assert.equal(await note.count(), 0)
  for (const [id, why] of [
    [linkless.id, 'No link: mails link to no page of the campaign. Under “Offer pages”'],
    [timeless.id, 'No countdown image: the campaign has no mail timer.'],
    [draft.id, 'the campaign is a draft'],
    [live.id, 'switched off for this account'],
  ] as const) {
    if (id === live.id) await setTools(false)
    await page.goto(`/campaigns/${id}/timer`)
    await note.filter({ hasText: why }).waitFor()
    await assertFits(page)
    await page.goto(`/campaigns/${id}/leads`)
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByRole('dialog').getByRole('note').filter({ hasText: why }).waitFor()
    await assertAccessible(page)
  }
  await page.goto(`/campaigns/${live.id}/pages`)
  await page.getByText('its widgets are not seen. Ask the operator.').first().waitFor()
})

longTest('what to do with the tags names the field of the page that was chosen', async () => {
  const pages = ['one', 'two'].map((name) => ({ pageUrl: `https://example.com/${name}`, eligible: true }))
  const { id } = await campaignOf({ mailTimer: { height: 50, pixelsPerPoint: 1 }, pages })
  const page = await open(owner, { path: `/campaigns/${id}/timer` })
  await page.getByLabel('Mail service').selectOption('mailchimp')
  await page.getByText('make text fields LC_LINK, LC_TIMER').waitFor()
  await page.getByLabel('The link leads to').selectOption('https://example.com/two')
  await page.getByText('make text fields LC_LINK2, LC_TIMER').waitFor()
})

longTest('the merge tags are those of the service that was chosen, or there are none until it is known', async () => {
  const { id } = await campaignOf({ mailTimer: { height: 50, pixelsPerPoint: 1 } })
  const page = await open(owner, { path: `/campaigns/${id}/timer` })
  const html = page.getByRole('region', { name: 'HTML for the mail' })
  await page.getByLabel('Mail service').selectOption('mailchimp')
  await html.getByText('*|LC_LINK|*').first().waitFor()
  await page.route('**/panel/api/mail-services', (route) => route.abort('connectionfailed'))
  await page.reload()
  const failure = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' })
  await failure.waitFor()
  assert.equal(await html.count(), 0)
  await page.getByRole('tab', { name: 'Leads' }).click()
  await page.getByRole('button', { name: 'Export' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Start export' }).and(page.locator(':disabled')).waitFor()
  const again = dialog.getByRole('button', { name: 'Try again' })
  await again.waitFor()
  await page.unrouteAll()
  await again.click()
  await dialog.getByRole('button', { name: 'Start export' }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download file' }).click(),
  ])
  assert.match(readFileSync(await file.path(), 'utf8'), /LC_LINK/)
  assert.equal(await dialog.getByLabel('Mail service').inputValue(), 'mailchimp')
})
