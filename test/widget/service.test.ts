// The widget with the service that ships behind it: the other tests of this folder play against a small stand-in.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { newEmail, type Shop } from '../support/api.ts'
import { openBrowser } from '../support/browser.ts'
import { customerSite, type Site } from '../support/customer-site.ts'
import { someOf } from '../support/faults.ts'
import { campaignFile, installation, owner, type Scope } from '../support/lastcall.ts'
import { lookUp, recipient } from '../support/recipient.ts'
import { eventually, inSeconds, offerPage, scriptTag, sees, shownSeconds } from '../support/widget-stage.ts'

const ends: (() => Promise<void>)[] = []
const whole: Scope = { after: (end) => ends.unshift(end) }
const shop = {} as Shop
let browser: Browser
let site: Site
before(async () => {
  const place = installation(whole)
  const [me, server] = [await owner(place), await place.serve()]
  Object.assign(shop, { place, owner: me, server })
  site = await customerSite(whole)
  browser = await openBrowser(whole)
})
after(async () => {
  for (const end of ends) await end()
})

async function campaign(changes: Record<string, unknown>): Promise<number> {
  const { accountId } = shop.owner
  const args = ['campaign', 'apply', '--account', String(accountId), '-']
  return (await shop.place.json(args, campaignFile(changes))).id
}

let pages = 0
function put(campaignId: number, body = offerPage): string {
  const tag = scriptTag(shop.server.origin, String(campaignId))
  return site.put(`/offer-${++pages}`, `<!doctype html><html lang="en"><head>${tag}</head><body>${body}`)
}

/** A lead whose deadline is set by hand; `at` in milliseconds, whole seconds. */
async function leadUntil(campaignId: number, at: number): Promise<{ ref: string; email: string }> {
  const { ref, email } = await recipient(shop, { campaignId })
  const lead = ['--campaign', String(campaignId), '--email', email]
  await shop.place.json(['lead', 'deadline', ...lead, '--at', new Date(at).toISOString()])
  return { ref, email }
}

const inWholeSeconds = (seconds: number) => (Math.floor(Date.now() / 1000) + seconds) * 1000
const stateOf = (page: Page) => page.evaluate(() => window.Lastcall?.get()?.state)

const endings: Record<string, (page: Page) => Promise<void>> = {
  HIDE: (page) => sees(page, 'The offer is over'),
  ZERO: (page) => eventually(() => shownSeconds(page), 0),
  REDIRECT: (page) => page.getByText('Closed').waitFor(),
}

for (const [action, hasEnded] of someOf(Object.entries(endings), 1))
  test(`${action}: running until the deadline that the API states, and over for visitors who come later`, async () => {
    const redirectUrl = site.put('/closed', '<h1>Closed</h1>')
    const id = await campaign({ onExpiry: { action, ...(action === 'REDIRECT' && { redirectUrl }) } })
    const { ref, email } = await leadUntil(id, inWholeSeconds(12))
    const page = await browser.newPage()
    const address = `${put(id)}?lc=${ref}`
    await page.goto(address)
    await page.getByRole('timer').waitFor()
    const shown = await page.evaluate(() => window.Lastcall?.get()?.deadline)
    const stated = Date.parse((await lookUp(shop, email, id)).deadline)
    assert.equal(shown, stated)
    await page.evaluate(() => {
      const now = Date.now.bind(Date)
      window.Lastcall?.on('expire', () => localStorage.setItem('endedAt', String(now())))
    })
    await new Promise((resolve) => setTimeout(resolve, stated - Date.now()))
    await hasEnded(page)
    const endedAt = Number(await page.evaluate(() => localStorage.getItem('endedAt')))
    assert.ok(Math.abs(endedAt - stated) < 1000, `${endedAt - stated} ms after the deadline`)
    await page.goto(address)
    await hasEnded(page)
    await page.close()
  })

test('a visit that a person makes starts the offer, and the API says so', async () => {
  const mechanism = { startsOn: 'visit', deadline: { kind: 'after', period: 'PT48H' } }
  const id = await campaign({ mechanism })
  const { ref, email } = await recipient(shop, { campaignId: id })
  assert.equal((await lookUp(shop, email, id)).deadline, null)
  const page = await browser.newPage()
  await page.goto(`${put(id)}?lc=${ref}`)
  await page.getByRole('timer').waitFor()
  const shown = await page.evaluate(() => window.Lastcall?.get()?.deadline)
  assert.equal(shown, Date.parse((await lookUp(shop, email, id)).deadline))
  await page.close()
})

test('the form makes a lead of the visitor, whose attempt goes on', async () => {
  const id = await campaign({ anonymous: { enabled: true } })
  const page = await browser.newPage()
  await page.goto(put(id, `<form data-lastcall="form"><input type="email"><button>Send</button></form>${offerPage}`))
  await page.getByRole('timer').waitFor()
  const before = await page.evaluate(() => window.Lastcall?.get()?.deadline)
  const email = newEmail()
  await page.locator('[type=email]').fill(email)
  await page.getByRole('button').click()
  await page.getByText('Thank you').waitFor()
  assert.equal(Date.parse((await lookUp(shop, email, id)).deadline), before)
  assert.equal(await page.evaluate(() => window.Lastcall?.get()?.deadline), before)
  await page.close()
})

test('a lead of another campaign is nobody here, and a draft leaves the page as it is', async () => {
  const [id, draft] = [await campaign({}), await campaign({ isDraft: true })]
  const { ref } = await recipient(shop)
  const page = await browser.newPage()
  for (const there of [id, draft]) {
    await page.goto(`${put(there)}?lc=${ref}`)
    await eventually(() => stateOf(page), 'none')
    await sees(page, 'Buy for half the price')
    assert.equal(await page.getByRole('timer').count(), 0)
  }
  await page.close()
})

test('when the service stops, an offer goes on running on pages that know it, and ends at its deadline', async (t) => {
  const place = installation(t)
  const other: Shop = { place, owner: await owner(place), server: await place.serve() }
  const { ref, email } = await recipient(other)
  const lead = ['--campaign', String(other.owner.campaignId), '--email', email]
  const at = new Date(inWholeSeconds(12)).toISOString()
  await place.json(['lead', 'deadline', ...lead, '--at', at])
  const page = await browser.newPage()
  const tag = scriptTag(other.server.origin, String(other.owner.campaignId))
  await page.goto(`${site.put('/known', `<!doctype html><html lang="en">${tag}${offerPage}`)}?lc=${ref}`)
  await page.getByRole('timer').waitFor()
  await other.server.stop()
  assert.ok(inSeconds(await page.getByRole('timer').innerText()) <= 12)
  await eventually(() => stateOf(page), 'expired', 20_000)
  await sees(page, 'The offer is over')
  await page.close()
})
