// The widget with the service that ships behind it: the other tests of this folder play against a small stand-in.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { applyCampaign, newEmail, type Shop } from '../support/api.ts'
import { installation, owner, type Scope } from '../support/lastcall.ts'
import { lookUp, recipient, setDeadline } from '../support/recipient.ts'
import { eventually, inSeconds, offerPage, openStage, scriptTag, sees, shownSeconds } from '../support/widget-stage.ts'

const stage = openStage()
const ends: (() => Promise<void>)[] = []
const whole: Scope = { after: (end) => ends.unshift(end) }
const shop = {} as Shop
before(async () => {
  const place = installation(whole)
  const [me, server] = [await owner(place), await place.serve()]
  Object.assign(shop, { place, owner: me, server })
})
after(async () => {
  for (const end of ends) await end()
})

const campaign = async (changes: Record<string, unknown>): Promise<number> => (await applyCampaign(shop, changes)).id

let pages = 0
function put(campaignId: number, body = offerPage): string {
  const tag = scriptTag(shop.server.origin, String(campaignId))
  return stage.site.put(`/service-${++pages}`, `<!doctype html><html lang="en"><head>${tag}</head><body>${body}`)
}

/** A lead whose deadline is set by hand; `at` in milliseconds, whole seconds. */
async function leadUntil(campaignId: number, at: number): Promise<{ ref: string; email: string }> {
  const { ref, email } = await recipient(shop, { campaignId })
  await setDeadline(shop, email, at, campaignId)
  return { ref, email }
}

const inWholeSeconds = (seconds: number) => (Math.floor(Date.now() / 1000) + seconds) * 1000
const stateOf = (page: Page) => page.evaluate(() => window.Lastcall?.get()?.state)

const endings: Record<string, (page: Page) => Promise<void>> = {
  HIDE: (page) => sees(page, 'The offer is over'),
  ZERO: (page) => eventually(() => shownSeconds(page), 0),
  REDIRECT: (page) => page.getByText('Closed').waitFor(),
}

async function endsInTime(t: TestContext, action: string, hasEnded: (page: Page) => Promise<void>): Promise<void> {
  const redirectUrl = stage.site.put('/closed', '<h1>Closed</h1>')
  const id = await campaign({ onExpiry: { action, ...(action === 'REDIRECT' && { redirectUrl }) } })
  const { ref, email } = await leadUntil(id, inWholeSeconds(15))
  const { page } = await stage.visitor(t)
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
}

test('each way to end: running until the deadline that the API states, and over for visitors who come later', async (t) => {
  // All at once, since most of it is waiting.
  await Promise.all(Object.entries(endings).map(([action, hasEnded]) => endsInTime(t, action, hasEnded)))
})

test('a visit that a person makes starts the offer, and the API says so', async (t) => {
  const mechanism = { startsOn: 'visit', deadline: { kind: 'after', period: 'PT48H' } }
  const id = await campaign({ mechanism })
  const { ref, email } = await recipient(shop, { campaignId: id })
  assert.equal((await lookUp(shop, email, id)).deadline, null)
  const { page } = await stage.visitor(t)
  await page.goto(`${put(id)}?lc=${ref}`)
  await page.getByRole('timer').waitFor()
  const shown = await page.evaluate(() => window.Lastcall?.get()?.deadline)
  assert.equal(shown, Date.parse((await lookUp(shop, email, id)).deadline))
})

test('the form makes a lead of the visitor, whose attempt goes on', async (t) => {
  const id = await campaign({ anonymous: { enabled: true } })
  const { page } = await stage.visitor(t)
  await page.goto(put(id, `<form data-lastcall="form"><input type="email"><button>Send</button></form>${offerPage}`))
  await page.getByRole('timer').waitFor()
  const before = await page.evaluate(() => window.Lastcall?.get()?.deadline)
  const email = newEmail()
  await page.locator('[type=email]').fill(email)
  await page.getByRole('button').click()
  await page.getByText('Thank you').waitFor()
  assert.equal(Date.parse((await lookUp(shop, email, id)).deadline), before)
  assert.equal(await page.evaluate(() => window.Lastcall?.get()?.deadline), before)
})

test('a lead of another campaign is nobody here, and a draft leaves the page as it is', async (t) => {
  const [id, draft] = [await campaign({}), await campaign({ isDraft: true })]
  const { ref } = await recipient(shop)
  const { page } = await stage.visitor(t)
  for (const there of [id, draft]) {
    await page.goto(`${put(there)}?lc=${ref}`)
    await eventually(() => stateOf(page), 'none')
    await sees(page, 'Buy for half the price')
    assert.equal(await page.getByRole('timer').count(), 0)
  }
})

test('its server has no demo', async () => {
  for (const path of ['/demo', '/demo/', '/demo/en/', '/demo/en/offer'])
    assert.equal((await fetch(shop.server.origin + path, { redirect: 'manual' })).status, 404, path)
})

// The last one, since it stops the server.
test('when the service stops, an offer goes on running on pages that know it, and ends at its deadline', async (t) => {
  const id = await campaign({})
  const { ref } = await leadUntil(id, inWholeSeconds(12))
  const { page, errors } = await stage.visitor(t)
  await page.goto(`${put(id)}?lc=${ref}`)
  await page.getByRole('timer').waitFor()
  await shop.server.stop()
  assert.ok(inSeconds(await page.getByRole('timer').innerText()) <= 12)
  await page.getByText('The offer is over').waitFor({ timeout: 20_000 })
  assert.equal(await stateOf(page), 'expired')
  await sees(page, 'The offer is over')
  assert.ok(errors.every((error) => error.includes('net::ERR_CONNECTION_REFUSED')))
  errors.length = 0
})
