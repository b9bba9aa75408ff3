// What becomes of the offer at the deadline: each way to end, while the page is open, before it is, and in a sleep.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { amount, longTest } from '../support/faults.ts'
import { sleepyMachine } from '../support/page-clock.ts'
import type { Expiry } from '../support/visitor-protocol.ts'
import { eventually, inSeconds, offerPage, openStage, sees, shownSeconds } from '../support/widget-stage.ts'

const stage = openStage()

const closed = () => stage.site.put('/closed', '<h1>Closed</h1>')

/** What the page shows at a moment, and when that was by the machine's clock. */
function glance(page: Page): Promise<{ at: number; isOffered: boolean; countdown: string }> {
  return page.evaluate(() => ({
    at: Date.now(),
    isOffered: document.querySelector<HTMLElement>('[data-lastcall=offer]')?.offsetParent != null,
    countdown: document.querySelector<HTMLElement>('[role=timer]')?.innerText ?? '',
  }))
}

type Ending = { onExpiry(): Expiry; hasEnded(page: Page): Promise<void> }

const endings: Record<string, Ending> = {
  HIDE: {
    onExpiry: () => ({ action: 'HIDE' }),
    async hasEnded(page) {
      await sees(page, 'The offer is over')
      assert.equal(await page.locator('[data-lastcall=countdown]').first().isVisible(), false)
    },
  },
  ZERO: {
    onExpiry: () => ({ action: 'ZERO' }),
    async hasEnded(page) {
      await eventually(() => shownSeconds(page), 0)
      await sees(page, 'Buy for half the price')
    },
  },
  REDIRECT: {
    onExpiry: () => ({ action: 'REDIRECT', redirectUrl: closed() }),
    async hasEnded(page) {
      await page.getByText('Closed').waitFor()
      assert.equal(page.url(), closed())
    },
  },
}

/** The latest answer about this campaign. */
const answerOf = (id: string) => stage.service.questions.findLast(({ campaignId }) => campaignId === id)?.answer

async function endsInTime(t: TestContext, { onExpiry, hasEnded }: Ending): Promise<void> {
  const id = await stage.service.campaign({ endsInSeconds: 6, startsOn: 'visit', onExpiry: onExpiry() })
  const lc = await stage.service.lead(id)
  // By the page's own clock: a busy machine may take long to look.
  const script = () =>
    document.addEventListener('lastcall:expire', () => localStorage.setItem('ended', String(Date.now())))
  // Its history is counted.
  const { page } = await stage.visitor(t, { script, isNew: true })
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await page.getByRole('timer').waitFor()
  const entries = await page.evaluate(() => history.length)
  // What it takes the service's clock for is wrong by half of the answer's way at most.
  const wayMs = await page.evaluate(() =>
    Math.max(
      ...performance.getEntriesByType('resource').map(({ name, duration }) => (/visitor/.test(name) ? duration : 0)),
    ),
  )
  const deadline = answerOf(id)?.deadline ?? 0
  while (stage.service.now() < deadline - 500) {
    // A busy machine may take so long to look that the page has ended the offer, or has been left, meanwhile.
    const shown = await glance(page).catch(() => undefined)
    if (shown === undefined || shown.at >= deadline) break
    assert.equal(shown.isOffered, true)
    assert.ok(inSeconds(shown.countdown) > 0)
    await sleep(amount(200, 50))
  }
  await hasEnded(page)
  assert.equal(await page.evaluate(() => history.length), entries)
  const byItsClock = Number(await page.evaluate(() => localStorage.getItem('ended')))
  const endedAt = byItsClock + stage.service.now() - Date.now()
  const lateMs = endedAt - deadline
  assert.ok(lateMs >= -2 - wayMs / 2 && lateMs < 3000, `${lateMs} ms late, the answer's way took ${wayMs}`)
}

test('each way to end while the page is open: at the deadline, not before', async (t) => {
  // All at once, since most of it is waiting.
  await Promise.all(Object.values(endings).map((ending) => endsInTime(t, ending)))
})

for (const [action, { onExpiry, hasEnded }] of Object.entries(endings)) {
  const testOfAction = action === 'HIDE' ? test : longTest

  test(`${action} on a page that is opened after the deadline`, async (t) => {
    const id = await stage.service.campaign({ endsInSeconds: -60, onExpiry: onExpiry() })
    const lc = await stage.service.lead(id)
    const { page } = await stage.visitor(t)
    await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
    await hasEnded(page)
  })

  for (const [asleep, event] of [
    ['a sleep that stops the steady clock', 'test:sleep'],
    ['a sleep through which the steady clock runs', 'test:doze'],
  ] as const)
    (event === 'test:sleep' ? testOfAction : longTest)(`${action} after ${asleep}`, async (t) => {
      const id = await stage.service.campaign({ endsInSeconds: 7200, onExpiry: onExpiry() })
      const lc = await stage.service.lead(id)
      const { page } = await stage.visitor(t, { script: sleepyMachine })
      await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
      await page.getByRole('timer').waitFor()
      stage.service.shift(3 * 3600)
      t.after(() => stage.service.shift(-3 * 3600))
      await page.evaluate((name) => document.dispatchEvent(new CustomEvent(name, { detail: 3 * 3_600_000 })), event)
      await hasEnded(page)
    })
}

test('a tab that was frozen over the deadline ends the offer as soon as it is thawed', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 6, startsOn: 'visit' })
  const lc = await stage.service.lead(id)
  const { page, context } = await stage.visitor(t)
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await page.getByRole('timer').waitFor()
  const session = await context.newCDPSession(page)
  await session.send('Page.setWebLifecycleState', { state: 'frozen' })
  const deadline = stage.service.questions.at(-1)?.answer.deadline ?? 0
  await new Promise((resolve) => setTimeout(resolve, deadline - stage.service.now() + 1500))
  await session.send('Page.setWebLifecycleState', { state: 'active' })
  await page.getByText('The offer is over').waitFor({ timeout: 3000 })
})

test('REDIRECT to the page itself ends the offer there, without a round; a route behind the hash is another page', async (t) => {
  const settings = { endsInSeconds: -5, onExpiry: { action: 'REDIRECT', redirectUrl: '' } as Expiry }
  const id = await stage.service.campaign(settings)
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t)
  const address = stage.put({ campaigns: [id], body: offerPage })
  settings.onExpiry.redirectUrl = address
  let loads = 0
  page.on('load', () => loads++)
  await page.goto(`${address}?lc=${lc}`)
  await sees(page, 'The offer is over')
  await new Promise((resolve) => setTimeout(resolve, 1000))
  assert.equal(loads, 1)
  // Where a router of the page's refuses another address, the ref stays in it.
  const router = await page.addInitScript(() => {
    history.replaceState = () => {
      throw new Error('not here')
    }
  })
  await page.goto(`${address}?lc=${lc}`)
  await sees(page, 'The offer is over')
  await new Promise((resolve) => setTimeout(resolve, 1000))
  assert.equal(page.url(), `${address}?lc=${lc}`)
  await page.goto(`${address}#/offer`)
  await sees(page, 'The offer is over')
  assert.equal(page.url(), `${address}#/offer`)
  settings.onExpiry.redirectUrl = `${address}#/closed`
  await page.reload()
  await page.waitForURL(`${address}#/closed`)
  // Another test has the page next.
  await router.dispose()
})

longTest('REDIRECT happens again on a page that is opened again at once in the same tab', async (t) => {
  const id = await stage.service.campaign({
    endsInSeconds: -5,
    onExpiry: { action: 'REDIRECT', redirectUrl: closed() },
  })
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t)
  const address = stage.put({ campaigns: [id], body: offerPage })
  for (const search of [`?lc=${lc}`, '', '']) {
    await page.goto(`${address}${search}`)
    await page.waitForURL(closed())
  }
})

longTest(
  'REDIRECT to an address that sends the visitor back is tried three times, and then the page stays',
  async (t) => {
    const settings = { endsInSeconds: -5, onExpiry: { action: 'REDIRECT', redirectUrl: '' } as Expiry }
    const id = await stage.service.campaign(settings)
    const lc = await stage.service.lead(id)
    const { page } = await stage.visitor(t)
    const address = stage.put({ campaigns: [id], body: offerPage })
    settings.onExpiry.redirectUrl = stage.site.put('/sends-back', '', { location: address })
    const loads: string[] = []
    page.on('load', () => loads.push(page.url()))
    await page.goto(`${address}?lc=${lc}`)
    await eventually(() => loads.length, 4)
    await sees(page, 'The offer is over')
    await new Promise((resolve) => setTimeout(resolve, 1000))
    assert.equal(loads.length, 4)
  },
)

longTest('REDIRECT where the tab cannot remember that it left: the offer is hidden, and the page stays', async (t) => {
  const id = await stage.service.campaign({
    endsInSeconds: -5,
    onExpiry: { action: 'REDIRECT', redirectUrl: closed() },
  })
  const script = () =>
    Object.defineProperty(window, 'sessionStorage', {
      get() {
        throw new DOMException('denied', 'SecurityError')
      },
    })
  const { page } = await stage.visitor(t, { script })
  const address = stage.put({ campaigns: [id], body: offerPage })
  await page.goto(`${address}?lc=${await stage.service.lead(id)}`)
  await sees(page, 'The offer is over')
  await new Promise((resolve) => setTimeout(resolve, 500))
  assert.equal(page.url(), address)
})

test('an offer that comes again is shown again by itself, on a page that knew it before its deadline', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 12, pauseSeconds: 3, startsOn: 'visit' })
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t)
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await page.getByRole('timer').waitFor()
  const { deadline, nextAt } = stage.service.questions.at(-1)?.answer ?? {}
  await page.getByText('The offer is over').waitFor({ timeout: 15_000 })
  await sees(page, 'Buy for half the price')
  const late = stage.service.now() - (nextAt as number)
  assert.ok(late >= 0 && late < 8000, `${late} ms after it came again`)
  const again = await page.evaluate(() => window.Lastcall?.get()?.deadline)
  assert.equal(again, (deadline as number) + 15_000)
})

test('scheduled: the offer is hidden until it opens, and then shown with its countdown', async (t) => {
  const id = await stage.service.campaign({ opensInSeconds: 6, endsInSeconds: 600, startsOn: 'visit' })
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t)
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await sees(page, 'Not yet')
  assert.equal(await page.getByRole('timer').count(), 0)
  await sees(page, 'Buy for half the price')
  const late = stage.service.now() - (stage.service.questions.at(-1)?.answer.opensAt ?? 0)
  assert.ok(late >= 0 && late < 3000, `${late} ms after the opening`)
  assert.ok((await shownSeconds(page)) > 500)
})

test('without a deadline the offer is shown and no countdown', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: null })
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t)
  const body = offerPage.replace('data-lastcall="offer"', 'data-lastcall="offer" hidden')
  await page.goto(`${stage.put({ campaigns: [id], body })}?lc=${lc}`)
  await sees(page, 'Buy for half the price')
  assert.equal(await page.locator('[data-lastcall=countdown]').isVisible(), false)
  assert.equal(await page.locator('[data-lastcall=bar]').count(), 0)
})

longTest('an offer that is an open dialog gives the page back when it is over', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: -5 })
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t)
  const body = `<dialog id="offer" data-lastcall="offer">Half the price</dialog><p data-lastcall="expired" hidden>Over</p>
    <button onclick="this.textContent = 'Pressed'">Press</button><script>offer.showModal()</script>`
  await page.goto(`${stage.put({ campaigns: [id], body })}?lc=${lc}`)
  await page.getByText('Over', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Press' }).click()
  await page.getByRole('button', { name: 'Pressed' }).waitFor()
})

longTest('in a browser of 2022, which throws at a selector that it does not know, the offer ends', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: -5 })
  const lc = await stage.service.lead(id)
  const script = () => {
    const { matches } = Element.prototype
    Element.prototype.matches = function (selector) {
      return matches.call(this, selector.replace(':modal', ':unknown'))
    }
  }
  const { page } = await stage.visitor(t, { script })
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await sees(page, 'The offer is over')
})

test('a copy of an offer that was hidden against the CSS of the page is shown when the offer comes again', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: -5 })
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t)
  const body = '<p style="display: flex !important" data-lastcall="offer">Half the price</p>'
  await page.goto(`${stage.put({ campaigns: [id], body })}?lc=${lc}`)
  const offer = page.getByText('Half the price')
  await offer.waitFor({ state: 'hidden' })
  await offer.evaluate((one) => one.replaceWith(one.cloneNode(true)))
  await stage.service.move(id, lc, { endsInSeconds: 3600 })
  await page.evaluate(() => window.Lastcall?.consent())
  await offer.waitFor({ timeout: 5000 })
  assert.equal(await offer.getAttribute('style'), 'display: flex !important;')
})

test('an offer that the page shows by its own CSS, or draws as SVG, is hidden all the same', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: -5 })
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t)
  const hostile = '#offer p.big[data-lastcall] { display: flex !important }'
  const body = `<style>p[data-lastcall] { display: flex } ${hostile}</style>
    <div id="offer">${offerPage.replaceAll('<p ', '<p class="big" ')}</div>
    <svg data-lastcall="offer"><text y="20">Half the price</text></svg>
    <style>@layer theirs { [hidden] { display: none !important } .d-flex { display: flex !important } }</style>
    <div id="layered" class="d-flex" data-lastcall="offer">Half the price</div>
    <div id="inline" style="color: red; display: inline !important" data-lastcall="offer">Half the price</div>
    <form data-lastcall="offer"><input name="style"></form>`
  await page.goto(`${stage.put({ campaigns: [id], body })}?lc=${lc}`)
  await sees(page, 'The offer is over')
  for (const one of ['svg', '#layered', '#inline', 'form'])
    assert.equal(await page.locator(one).isVisible(), false, one)
})
