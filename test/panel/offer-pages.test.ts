// The offer pages of a campaign: the widget's snippets, how it looks, and whether it is there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amount, longTest } from '../support/faults.ts'
import { appliedCampaign, campaignFile } from '../support/lastcall.ts'
import { assertAccessible, assertFits, assertUntroubled, sharedStage, widthsInLanguages } from './stage.ts'

const stage = await sharedStage()
const { place, open, server } = stage
const owner = await stage.person('owner')
const pages = [{ pageUrl: 'https://example.com/offer' }]
const campaignOf = (changes: object = {}) =>
  place.arrange((store) => appliedCampaign(store, owner.accountId, campaignFile({ pages, ...changes })))

const texts = {
  en: { picture: 'The widget on a page', names: ['Bar', 'Marked offer', 'Form'], ends: 'Offer ends in' },
  pl: { picture: 'Widżet na stronie', names: ['Pasek', 'Oznaczona oferta', 'Formularz'], ends: 'Do końca oferty' },
}

for (const { width, language } of widthsInLanguages()) {
  longTest(
    `the picture of the widget counts down, asks nothing of the visitors’ surface, and is not seen: ${width}, ${language}`,
    async () => {
      const { id } = await campaignOf()
      const text = texts[language]
      const page = await open(owner, { path: `/campaigns/${id}/pages`, width, language })
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      const frame = page.frameLocator(`iframe[title="${text.picture}"]`)
      const group = page.getByRole('radiogroup', { name: text.picture })
      for (const name of text.names.slice(-amount(1, 3))) {
        await group.getByText(name, { exact: true }).click()
        await frame.getByRole('timer').waitFor()
        assert.match(await frame.getByRole('timer').innerText(), /2\s*\S+\s*0[23]\s/)
      }
      await frame.getByText(text.ends).waitFor()
      await frame.locator('input[type=email]').fill('nobody@example.com')
      await frame.getByRole('button').click()
      await frame.getByRole('status').filter({ hasText: /\S/ }).waitFor()
      await assertFits(page)
      await assertAccessible(page)

      const elsewhere = asked.filter((path) => !path.startsWith('/panel/'))
      assert.deepEqual(elsewhere, [])
      assert.ok(asked.some((path) => path.startsWith('/panel/widget-picture/visitor/v1/')))
      const { pages: seen } = await (await page.request.get(`/panel/api/campaigns/${id}/sightings`)).json()
      assert.deepEqual(seen, [])
      const stats = await place.json(['campaign', 'stats', String(id)])
      assert.deepEqual(stats.days, [])
      assert.deepEqual(await place.json(['lead', 'list', '--campaign', String(id)]), [])
      assert.equal(await page.evaluate(() => localStorage.getItem('lastcall')), null)
      assertUntroubled(page)
    },
  )
}

test('the picture is framed by the panel’s own pages alone', async () => {
  for (const path of ['bar.en', 'offer.pl', 'form.en']) {
    const answer = await fetch(`${server.origin}/panel/widget-picture/${path}`)
    assert.equal(answer.status, 200)
    const policy = answer.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none';script-src 'self';/)
    assert.match(policy, /frame-ancestors 'self'/)
    assert.equal(answer.headers.get('x-frame-options'), 'SAMEORIGIN')
  }
  for (const path of ['bar.de', 'else.en', '', '../api/session'])
    assert.notEqual(
      (await fetch(`${server.origin}/panel/widget-picture/${path}`)).headers.get('x-frame-options'),
      'SAMEORIGIN',
    )
})

longTest('check my page says what the widget last told of it, or that it could not ask', async () => {
  const campaign = await campaignOf()
  const page = await open(owner, { path: `/campaigns/${campaign.id}/pages` })
  const status = page.getByText(/The widget has not been seen on this page yet/)
  await status.waitFor()
  // Not that the widget was not seen.
  await page.route('**/sightings', (route) => route.fulfill({ status: 503, json: { code: 'SERVICE_UNAVAILABLE' } }))
  await page.getByRole('button', { name: 'Check my page' }).click()
  await page.getByRole('alert').getByText('The service is busy').waitFor()
  assert.equal(await page.getByText('then check again').count(), 0)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Check my page' }).press('Enter')
  await page.getByText('Open the page in your browser, wait a moment, then check again.').waitFor()
  await page.locator('button:focus', { hasText: 'Check my page' }).waitFor()
  const visit = {
    ...{ accountId: owner.accountId, campaignId: campaign.id, pageId: campaign.pages[0]?.id as number, leadId: null },
    ...({ kind: 'visit', fetcher: 'person', day: 1, total: 1, lastAt: 1_900_000_000 } as const),
  }
  await place.arrange((store) => store.counts.add([visit]))
  await page.getByRole('button', { name: 'Check my page' }).click()
  await page.getByText(/Widget last seen: \S+,? 17 Mar 2030/).waitFor()
  const draft = await campaignOf({ isDraft: true })
  await page.goto(`/campaigns/${draft.id}/pages`)
  await page.getByText('its widget is seen once it is published').waitFor()
  await page.getByRole('button', { name: 'Check my page' }).click()
  await page.getByRole('button', { name: 'Check my page', disabled: false }).waitFor()
  assert.equal(await page.getByText('then check again').count(), 0)
  assertUntroubled(page)
})

longTest('an address that was typed without its scheme is completed on leaving the field, and by Enter', async () => {
  const { id } = await campaignOf()
  const page = await open(owner, { path: `/campaigns/${id}/pages` })
  const field = (name: string) => page.getByRole('group', { name: 'Page 1' }).getByLabel(name)
  await field('Address of the page').fill('shop.example.com/course?a=b')
  await field('Link leads to').fill('localhost')
  await field('Address of the page').focus()
  assert.equal(await field('Address of the page').inputValue(), 'https://shop.example.com/course?a=b')
  assert.equal(await field('Link leads to').inputValue(), 'localhost', 'what may be anything stays')
  await field('Link leads to').fill('shop.example.com:8443')
  await field('Link leads to').press('Enter')
  await page.getByText('Saved.').waitFor()
  const [saved] = (await place.json(['campaign', 'export', String(id)])).pages
  assert.equal(saved.pageUrl, 'https://shop.example.com/course?a=b')
  assert.match(saved.proxyUrl, /^https:\/\/shop\.example\.com:8443\/?$/)
})
