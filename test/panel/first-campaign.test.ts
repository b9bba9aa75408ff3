// The way of somebody new: from the set-up link to a published campaign, with snippet and key at hand.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { assertUntroubled, panelStage, widthsByTurns } from './stage.ts'

const mostSteps = 40

for (const width of widthsByTurns()) {
  test(`a first campaign takes fewer than ${mostSteps} clicks and fields, and no reload: ${width}`, async (t) => {
    const stage = await panelStage({ after })
    const { url } = await stage.place.json(['setup-link'])
    const page = await stage.open(undefined, { path: `/setup${new URL(url).hash}`, width })
    let loads = 0
    page.on('domcontentloaded', () => {
      loads += 1
    })
    let steps = 0
    const click = (what: Locator) => {
      steps += 1
      return what.click()
    }
    const fill = (what: Locator, text: string) => {
      steps += 1
      return what.fill(text)
    }
    const button = (name: string, within: Page | Locator = page) => within.getByRole('button', { name, exact: true })
    const goTo = async (name: string) => {
      if (width === 'phone') await click(button('Menu'))
      await click(page.getByRole('link', { name, exact: true }))
    }
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText())

    await fill(page.getByLabel('Name of the account'), 'Autumn School')
    await fill(page.getByLabel('Email'), 'owner@example.com')
    await fill(page.getByRole('textbox', { name: 'Password' }), 'a long enough password')
    await click(button('Create account'))

    await goTo('Campaigns')
    await click(button('New campaign').first())
    await click(page.getByRole('radio', { name: '48 hours from sign-up' }))
    await fill(page.getByLabel('Name', { exact: true }), 'Autumn course')
    await click(button('Create draft'))

    await click(page.getByRole('tab', { name: 'Offer pages' }))
    await click(button('Add a page'))
    await fill(page.getByLabel('Address of the page'), 'https://example.com/offer')
    await click(button('Save pages'))
    await page.getByText('Saved.').waitFor()
    const snippet = page.getByRole('region', { name: 'The widget’s snippet' }).locator('..')
    await click(button('Copy', snippet))
    const script = await clipboard()
    assert.match(script, /^<script>.*'http:[^']+\/widget\/v1\.js\?campaign=1'.*<\/script>$/s)

    await click(page.getByRole('tab', { name: 'Deadline' }))
    await click(button('Publish'))
    await click(button('Publish', page.getByRole('dialog')))
    await page.getByText('Live', { exact: true }).waitFor()

    await goTo('Integrations')
    await click(button('New key'))
    await fill(page.getByRole('dialog').getByLabel('Name'), 'Shop')
    await click(button('Create key'))
    await click(button('Copy the key'))
    const key = await clipboard()
    await click(page.getByRole('dialog').getByRole('checkbox'))
    await click(button('Done'))

    assert.ok(steps < mostSteps, `${steps} clicks and fields`)
    t.diagnostic(`${steps} clicks and fields`)
    assert.equal(loads, 0)
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
