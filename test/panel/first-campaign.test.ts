// The way of somebody new: from the set-up link to a live campaign with a lead, snippet and key at hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { topics } from '../../panel/src/parts/help-topic.ts'
import { longTest } from '../support/faults.ts'
import { appliedCampaign } from '../support/lastcall.ts'
import {
  assertAccessible,
  assertFits,
  assertUntroubled,
  comeBack,
  goTo,
  panelStage,
  sharedStage,
  widths,
  widthsByTurns,
} from './stage.ts'

const stage = await sharedStage()

const mostClicks = 14
const mostFields = 5

for (const width of widthsByTurns()) {
  const what = `at most ${mostClicks} clicks and ${mostFields} fields, and no reload`
  test(`from the set-up link to a live campaign with snippet and key: ${what}: ${width}`, async (t) => {
    const stage = await panelStage(t)
    const { url } = await stage.place.json(['setup-link'])
    const page = await stage.open(undefined, { path: `/setup${new URL(url).hash}`, width })
    const done = { clicks: 0, fields: 0, loads: 0 }
    page.on('domcontentloaded', () => {
      done.loads += 1
    })
    const click = (what: Locator) => {
      done.clicks += 1
      return what.click()
    }
    const fill = (what: Locator, text: string) => {
      done.fields += 1
      return what.fill(text)
    }
    const button = (name: string, within: Page | Locator = page) => within.getByRole('button', { name, exact: true })
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
    const focused = () => page.evaluate(() => document.activeElement?.textContent)

    await fill(page.getByLabel('Name of the account'), 'Autumn School')
    assert.equal(new URL(page.url()).hash, '')
    await fill(page.getByLabel('Email'), 'owner@example.com')
    await fill(page.getByRole('textbox', { name: 'Password' }), 'a long enough password')
    await click(button('Create account'))
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    assert.equal((await stage.place.runShared(['setup-link'])).code, 2)

    await click(button('New campaign'))
    await fill(page.getByLabel('Name', { exact: true }), 'Autumn course')
    await click(button('Create draft'))

    await click(page.getByRole('link', { name: 'Add the page' }))
    await click(button('Add a page'))
    await fill(page.getByLabel('Address of the page'), 'https://example.com/offer')
    await click(button('Save pages'))
    await page.getByText('Check the preview, then publish.').waitFor()

    await click(button('Publish'))
    await click(button('Publish', page.getByRole('dialog')))
    const whatNow = page.getByRole('dialog', { name: 'It is live. What now?' })
    const copy = await whatNow.getByRole('button', { name: 'Copy' }).boundingBox()
    assert.ok(copy && copy.x + copy.width < widths[width].width, 'it is seen beside the longest line')
    await click(whatNow.getByRole('button', { name: 'Copy' }))
    const script = await clipboard()
    assert.match(script, /^<script>.*'http:[^']+\/widget\/v1\.js\?campaign=1'.*<\/script>$/s)
    await assertAccessible(page)
    await click(button('Create an API key'))
    await click(button('Copy the key'))
    const key = await clipboard()
    await click(page.getByRole('dialog').getByRole('checkbox'))
    await click(button('Done', page.getByRole('dialog', { name: /key/ })))
    t.diagnostic(JSON.stringify(done))
    assert.ok(done.clicks <= mostClicks, `${done.clicks} clicks`)
    assert.ok(done.fields <= mostFields, `${done.fields} fields`)
    assert.equal(done.loads, 0)

    await whatNow.getByText('You have an API key already').waitFor()
    await button('Done', whatNow).click()
    await whatNow.waitFor({ state: 'hidden' })
    await page.waitForFunction(() => document.activeElement?.tagName === 'BUTTON')
    assert.equal(await focused(), 'What now?')
    await page.getByText('the widget has not been seen yet').waitFor()
    assertUntroubled(page)
    const registered = await fetch(`${stage.server.base}/campaigns/1/leads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'lead@example.com' }),
    })
    const { deadline, offerLinks, mailTimerUrl, warnings } = (await registered.json()) as any
    assert.equal(registered.status, 201)
    assert.deepEqual([typeof deadline, offerLinks.length, typeof mailTimerUrl], ['string', 1, 'string'])
    assert.deepEqual(warnings, [])
  })
}

longTest('the checklist leads from step to step, and goes once a campaign is live with a lead', async () => {
  const owner = await stage.person('newcomer')
  const page = await stage.open(owner)
  const step = (name: string) => page.getByRole('listitem', { name })
  const isOpen = (name: string) => step(`${name}: to do`).waitFor()
  const isDone = (name: string) => step(`${name}: done`).waitFor()
  for (const name of ['Make a campaign', 'Add your offer page', 'Publish it', 'Get the first lead']) await isOpen(name)
  await assertAccessible(page)
  const make = { name: 'Autumn course', timeZone: 'UTC', isDraft: true, mechanism }
  const account = String(owner.accountId)
  const { id } = await stage.place.json(['campaign', 'apply', '--account', account, '-'], JSON.stringify(make))
  await comeBack(page)
  await isDone('Make a campaign')
  await step('Add your offer page: to do').getByRole('link', { name: 'Add the page' }).click()
  await page.waitForURL(`**/campaigns/${id}/pages`)
  const pages = [{ pageUrl: 'https://example.com/offer', eligible: true }]
  const changed = JSON.stringify({ ...make, id, pages, isDraft: false })
  await stage.place.json(['campaign', 'apply', '--account', account, '-'], changed)
  await goTo(page, 'Overview')
  await comeBack(page)
  for (const name of ['Add your offer page', 'Publish it']) await isDone(name)
  await isOpen('Put the snippet on your page')
  await step('Put the snippet on your page: to do').getByRole('button', { name: /^Help/ }).click()
  await page.getByRole('dialog').getByRole('heading', { name: 'Offer pages' }).waitFor()
  await page.keyboard.press('Escape')
  await stage.place.json(['lead', 'import', '--campaign', String(id), '-'], 'email\na@x.pl\n')
  await comeBack(page)
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
  assert.equal(await page.getByRole('heading', { name: 'Your first live campaign' }).count(), 0)
})

const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'PT48H' } }

longTest('behind every screen is a page of help, in both languages and without the network', async () => {
  const owner = await stage.person('reader')
  const file = JSON.stringify({ name: 'Course', timeZone: 'UTC', isDraft: true, mechanism })
  const { id } = await stage.place.arrange((store) => appliedCampaign(store, owner.accountId, file))
  const screens = {
    ...{ '/': 'overview', '/campaigns': 'campaigns', [`/campaigns/${id}/pages`]: 'pages', '/person': 'person' },
    ...{ [`/campaigns/${id}/timer`]: 'timer', [`/campaigns/${id}/leads`]: 'leads', '/integrations': 'keys' },
    ...{ '/integrations/history': 'history', '/integrations/reference': 'reference', '/settings': 'settings' },
    ...{ '/settings/users': 'users', '/settings/security': 'security', '/settings/audit': 'audit' },
  }
  // In English the checklist opens one.
  for (const language of ['pl', 'en'] as const) {
    const { pages } = await import(`../../panel/src/help/${language}.ts`)
    assert.deepEqual(Object.keys(pages), [...topics])
    const page = await stage.open(owner, { language, width: language === 'en' ? 'phone' : 'desk' })
    const outside: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(stage.server.origin) && !/^(?:data|blob):/.test(request.url())) {
        outside.push(request.url())
      }
    })
    for (const [path, topic] of Object.entries(screens)) {
      await page.goto(path)
      const help = page.getByRole('button', { name: language === 'en' ? 'Help' : 'Pomoc', exact: true })
      await help.click()
      const [, title = ''] = /# (.*)/.exec(pages[topic]) ?? []
      await page.getByRole('dialog').getByRole('heading', { name: title, exact: true }).waitFor()
      await assertFits(page)
      await assertAccessible(page)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await page.waitForFunction((button) => button === document.activeElement, await help.elementHandle())
    }
    assert.deepEqual(outside, [])
    assertUntroubled(page)
  }
})
