// Whom the widget takes the visitor for, and what it keeps of them in the browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { longTest, someOf } from '../support/faults.ts'
import { eventually, offerPage, openStage, sees } from '../support/widget-stage.ts'

const stage = openStage()

/** The questions about one campaign, from a number of all questions on. */
const asked = (campaignId: string) => stage.service.questions.filter((question) => question.campaignId === campaignId)

const stored = (page: Page) =>
  page.evaluate(() => [JSON.parse(localStorage.getItem('lastcall') ?? 'null'), sessionStorage.length])

const settle = () => new Promise((resolve) => setTimeout(resolve, 700))

test('lc is kept for the site and taken out of the address, all else of which stays as it is', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const lc = await stage.service.lead(id)
  // Its history is counted.
  const { page } = await stage.visitor(t, { isNew: true })
  const address = stage.put({ campaigns: [id], body: offerPage })
  const searches = [
    // A redirect may append the query that it got: of two refs the first counts, and none stays.
    [`?a=%20+x&lc=${lc}&b&lc=${'0'.repeat(32)}#part?lc=1`, '?a=%20+x&b#part?lc=1'],
    [`?&a=1&lc=${lc}&lc=${'1'.repeat(32)}`, '?&a=1'],
    [`?lc=${lc}&lc=${'2'.repeat(32)}`, ''],
    [`?%6cc=${lc}&%6C=${lc}&lc=${'3'.repeat(32)}`, `?%6C=${lc}`],
  ]
  const tried = someOf(searches, 2)
  for (const [given, left] of tried) {
    await page.goto(`${address}${given}`)
    await page.getByRole('timer').waitFor()
    assert.equal(page.url(), `${address}${left}`)
  }
  await page.goto(stage.put({ campaigns: [id], body: offerPage }))
  await page.getByRole('timer').waitFor()
  assert.equal(asked(id).at(-1)?.body.lc, lc)
  assert.equal(asked(id).length, tried.length + 1)
  assert.equal(await page.evaluate(() => history.length), tried.length + 2)
})

longTest('an lc that is none of ours stays in the address', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const { page } = await stage.visitor(t)
  const address = `${stage.put({ campaigns: [id], body: offerPage })}?lc=en_GB`
  await page.goto(address)
  await page.getByRole('timer').waitFor()
  assert.equal(page.url(), address)
  assert.equal(asked(id)[0]?.body.lc, undefined)
})

test('an open page asks once for its offer, and reports one visit', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const { page } = await stage.visitor(t)
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${await stage.service.lead(id)}`)
  await page.getByRole('timer').waitFor()
  await new Promise((resolve) => setTimeout(resolve, 2500))
  assert.deepEqual(
    asked(id).map(({ body }) => body.visit),
    [true],
  )
})

test('a visitor without an lc is known by an id of this browser, and finds the same offer again', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const { page } = await stage.visitor(t)
  await page.goto(stage.put({ campaigns: [id], body: offerPage }))
  await page.getByRole('timer').waitFor()
  await page.goto(stage.put({ campaigns: [id], body: offerPage }))
  await page.getByRole('timer').waitFor()
  const [first, second] = asked(id)
  assert.match(first?.body.client, /^[0-9a-f]{32}$/)
  assert.equal(first?.body.client, second?.body.client)
  assert.equal(first?.answer.deadline, second?.answer.deadline)
  assert.deepEqual(Object.keys((await stored(page))[0]), ['client'])
  const other = await stage.visitor(t)
  await other.page.goto(stage.put({ campaigns: [id], body: offerPage }))
  await other.page.getByRole('timer').waitFor()
  assert.notEqual(asked(id)[2]?.body.client, first?.body.client)
})

longTest('lc of another campaign: the visitor is nobody here, and stays a lead there', async (t) => {
  const settings = { endsInSeconds: 3600, anonymous: true }
  const there = await stage.service.campaign(settings)
  const here = await stage.service.campaign({ ...settings, endsInSeconds: 60 })
  const lc = await stage.service.lead(there)
  const { page } = await stage.visitor(t)
  await page.goto(`${stage.put({ campaigns: [here], body: offerPage })}?lc=${lc}`)
  await page.getByRole('timer').waitFor()
  assert.equal(asked(here)[0]?.answer.known, false)
  await page.goto(stage.put({ campaigns: [here], body: offerPage }))
  await page.getByRole('timer').waitFor()
  assert.equal(asked(here)[1]?.body.lc, undefined)
  assert.equal(asked(here)[1]?.answer.deadline, asked(here)[0]?.answer.deadline)
  await page.goto(stage.put({ campaigns: [there], body: offerPage }))
  await page.getByRole('timer').waitFor()
  assert.equal(asked(there)[0]?.body.lc, lc)
  assert.equal(asked(there)[0]?.answer.known, true)
})

test('leads of two campaigns: a link of the second leaves the first as it is, without a stray visit', async (t) => {
  const first = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const second = await stage.service.campaign({ endsInSeconds: 60, anonymous: true })
  const [one, two] = [await stage.service.lead(first), await stage.service.lead(second)]
  const { page } = await stage.visitor(t)
  await page.goto(`${stage.put({ campaigns: [first], body: offerPage })}?lc=${one}`)
  await page.getByRole('timer').waitFor()
  await page.goto(`${stage.put({ campaigns: [first, second], body: offerPage })}?lc=${two}`)
  await eventually(() => asked(second).length > 0 && asked(first).length >= 2, true)
  const lastOf = (id: string) => [asked(id).at(-1)?.body.lc, asked(id).at(-1)?.answer.known]
  await eventually(() => [lastOf(first), lastOf(second)].flat(), [one, true, two, true])
  const strays = asked(first).filter(({ body, answer }) => body.visit && !answer.known)
  assert.deepEqual(strays, [])
  const before = [asked(first).length, asked(second).length]
  await page.goto(stage.put({ campaigns: [first, second], body: offerPage }))
  // A slow round trip is tried again, so there may be more.
  await eventually(() => [first, second].map((id, index) => asked(id).length > (before[index] as number)), [true, true])
  // The first is asked about the newest link, and then about its own.
  await eventually(() => [lastOf(first), lastOf(second)].flat(), [one, true, two, true])
})

test('a newer link of the same campaign wins over the one before', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const [older, newer] = [await stage.service.lead(id), await stage.service.lead(id, { endsInSeconds: 60 })]
  const { page } = await stage.visitor(t)
  const address = stage.put({ campaigns: [id], body: offerPage })
  await page.goto(`${address}?lc=${older}`)
  await page.getByRole('timer').waitFor()
  await page.goto(`${address}?lc=${newer}`)
  await page.getByRole('timer').waitFor()
  await page.goto(address)
  await page.getByRole('timer').waitFor()
  assert.equal(asked(id).at(-1)?.body.lc, newer)
  // Also where the storage is full, and still has the one before.
  const newest = await stage.service.lead(id)
  await page.evaluate((search) => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    history.pushState(null, '', search)
    window.Lastcall?.scan()
  }, `?lc=${newest}`)
  await eventually(() => asked(id).at(-1)?.body.lc, newest)
  // Unless another tab has stored one since: there is room again, and that is the newer one.
  const later = await stage.service.lead(id, { endsInSeconds: 120 })
  const other = await page.context().newPage()
  await other.goto(`${address}?lc=${later}`)
  await other.getByRole('timer').waitFor()
  const { length } = asked(id)
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await eventually(() => asked(id)[length]?.body.lc, later)
})

longTest('without any offer, an answer that does not know the lead does not make the widget forget it', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const lc = await stage.service.lead(id)
  const { page, context } = await stage.visitor(t)
  const nothing = { now: stage.service.now(), state: 'none', opensAt: null, deadline: null, onExpiry: null }
  let answered = 0
  await context.route('**/visitor/**', (route) => {
    answered += 1
    return route.fulfill({
      json: { ...nothing, known: false },
      headers: { 'Access-Control-Allow-Origin': '*' },
    })
  })
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await eventually(() => answered, 1)
  await settle()
  await context.unroute('**/visitor/**')
  await page.goto(stage.put({ campaigns: [id], body: offerPage }))
  await page.getByRole('timer').waitFor()
  assert.deepEqual([asked(id)[0]?.body.lc, asked(id)[0]?.answer.known], [lc, true])
})

/** Storage that throws at every touch, and a tab that the test can hide. */
function keepsNothing(): void {
  for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, {
      get() {
        throw new DOMException('denied', 'SecurityError')
      },
    })
  Object.defineProperty(document, 'hidden', { get: () => (window as any).isHidden ?? false })
}

function switchTabs(): void {
  for (const isHidden of [true, false]) {
    Object.assign(window, { isHidden })
    document.dispatchEvent(new Event('visibilitychange'))
  }
}

longTest(
  'a browser that keeps nothing has no id: neither a second campaign nor a switch of tabs begins an offer',
  async (t) => {
    const settings = { endsInSeconds: 3600, anonymous: true }
    const ids = [await stage.service.campaign(settings), await stage.service.campaign(settings)]
    const { page } = await stage.visitor(t, { script: keepsNothing })
    await page.goto(stage.put({ campaigns: ids, body: offerPage }))
    await page.waitForFunction(() => window.Lastcall)
    await page.evaluate(switchTabs)
    await settle()
    await page.evaluate(() => window.Lastcall?.scan())
    await page.evaluate(switchTabs)
    await settle()
    assert.deepEqual(ids.flatMap(asked), [])
    await sees(page, 'Buy for half the price')
  },
)

test('a browser that keeps nothing: a lead has their offer, with lc left in the address; others have none', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t, { script: keepsNothing })
  const address = stage.put({ campaigns: [id], body: offerPage })
  await page.goto(`${address}?lc=${lc}`)
  await page.getByRole('timer').waitFor()
  assert.equal(page.url(), `${address}?lc=${lc}`)
  await page.evaluate(() => window.Lastcall?.scan())
  await page.goto(address)
  await settle()
  assert.equal(asked(id).length, 1)
  await sees(page, 'Buy for half the price')
})

test('rubbish in the storage does no harm', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const { page } = await stage.visitor(t)
  const address = stage.put({ campaigns: [id], body: offerPage })
  for (const rubbish of someOf(['{', '"text"', 'null', '[1]', '{"client":5,"lc":{},"of1":"x"}'], 1)) {
    await page.goto(stage.site.put('/empty', ''))
    await page.evaluate((text) => localStorage.setItem('lastcall', text), rubbish)
    await page.goto(address)
    await page.getByRole('timer').waitFor()
    assert.match(asked(id).at(-1)?.body.client, /^[0-9a-f]{32}$/)
  }
})

test('waiting for consent it keeps nothing, and asks for those alone who come with a link', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t)
  const address = stage.put({ campaigns: [id], body: offerPage, attributes: 'data-consent="wait"' })
  await page.goto(address)
  await settle()
  assert.equal(asked(id).length, 0)
  await page.goto(`${address}?lc=${lc}`)
  await page.getByRole('timer').waitFor()
  const { page: seenAt, ...question } = (asked(id)[0] as any).body
  assert.deepEqual(question, { lc, visit: true })
  assert.equal(seenAt, page.url().split(/[?#]/)[0])
  assert.equal(page.url(), `${address}?lc=${lc}`)
  assert.deepEqual(await stored(page), [null, 0])

  await page.evaluate(() => window.Lastcall?.consent())
  await eventually(() => page.url(), address)
  await eventually(() => asked(id).length, 2)
  assert.equal(asked(id)[1]?.body.visit, false)
  await eventually(async () => (await stored(page))[0]?.[`of${id}`], lc)

  await page.evaluate(() => {
    // When it last left the page for where the campaign redirects.
    sessionStorage.setItem('lastcall', '1')
    window.Lastcall?.consent(false)
  })
  assert.deepEqual(await stored(page), [null, 0])
  await settle()
  assert.equal(asked(id).length, 2)
})

test('waiting for consent an offer that is over is hidden, and nobody is sent elsewhere', async (t) => {
  const redirectUrl = stage.site.put('/closed', '<h1>Closed</h1>')
  const id = await stage.service.campaign({
    endsInSeconds: -5,
    onExpiry: { action: 'REDIRECT', redirectUrl },
  })
  const { page } = await stage.visitor(t)
  const address = stage.put({ campaigns: [id], body: offerPage, attributes: 'data-consent="wait"' })
  await page.goto(`${address}?lc=${await stage.service.lead(id)}`)
  await sees(page, 'The offer is over')
  await settle()
  assert.deepEqual(await stored(page), [null, 0])
})

longTest('consent that is given on an offer that is over sends the visitor on', async (t) => {
  const redirectUrl = stage.site.put('/closed', '<h1>Closed</h1>')
  const id = await stage.service.campaign({
    endsInSeconds: -5,
    onExpiry: { action: 'REDIRECT', redirectUrl },
  })
  const { page } = await stage.visitor(t)
  const address = stage.put({ campaigns: [id], body: offerPage, attributes: 'data-consent="wait"' })
  await page.goto(`${address}?lc=${await stage.service.lead(id)}`)
  await sees(page, 'The offer is over')
  await page.evaluate(() => window.Lastcall?.consent())
  await page.getByText('Closed').waitFor()
})

longTest('an lc that comes without a load of the page is a visit, the next one too', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, startsOn: 'visit', anonymous: true })
  const { page } = await stage.visitor(t)
  const address = stage.put({ campaigns: [id], body: offerPage })
  await page.goto(address)
  await page.getByRole('timer').waitFor()
  for (const lc of [await stage.service.lead(id), await stage.service.lead(id)]) {
    await page.evaluate((search) => {
      history.pushState(null, '', search)
      window.Lastcall?.scan()
    }, `?lc=${lc}`)
    const told = () => {
      const { body, answer } = asked(id).findLast((question) => question.body.lc === lc) ?? {}
      return [body?.visit, answer?.state]
    }
    await eventually(told, [true, 'open'])
    assert.equal(page.url(), address)
  }
})

longTest('a visit that is lost while a newer question is under way is reported again', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, startsOn: 'visit' })
  const lc = await stage.service.lead(id)
  const visitor = await stage.visitor(t)
  const { page, context } = visitor
  const fails: (() => Promise<void>)[] = []
  await context.route('**/visitor/**', (route) => {
    if (fails.length > 0) return route.continue()
    fails.push(() => route.abort())
  })
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await eventually(() => fails.length, 1)
  await page.evaluate(() => window.Lastcall?.consent())
  await eventually(() => asked(id).map(({ body }) => body.visit), [false])
  await fails[0]?.()
  await page.getByRole('timer').waitFor()
  assert.deepEqual(
    asked(id).map(({ body }) => body.visit),
    [false, true],
  )
  visitor.errors.length = 0
})

test('a visit whose answer comes after that of a newer question is asked about once more', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, startsOn: 'visit' })
  const lc = await stage.service.lead(id)
  const { page, context } = await stage.visitor(t)
  const held: (() => Promise<void>)[] = []
  await context.route('**/visitor/**', (route) => {
    if (held.length > 0) return route.continue()
    held.push(() => route.continue())
  })
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await eventually(() => held.length, 1)
  await page.evaluate(() => window.Lastcall?.consent())
  await eventually(() => asked(id).map(({ answer }) => answer.state), ['pending'])
  await held[0]?.()
  await page.getByRole('timer').waitFor()
  assert.deepEqual(
    asked(id).map(({ body }) => body.visit),
    [false, true, false],
  )
})

longTest('a consent that is given as soon as the widget is ready comes in time', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const { page } = await stage.visitor(t)
  const body = `<script>document.addEventListener('lastcall:ready', () => Lastcall.consent())</script>${offerPage}`
  await page.goto(stage.put({ campaigns: [id], body, attributes: 'data-consent="wait"' }))
  await page.getByRole('timer').waitFor()
  assert.match((await stored(page))[0].client, /^[0-9a-f]{32}$/)
})

const till = 'https://buy.example/a?client_reference_id=x&amp;b=a%20b'
const link = (href: string, name: string, as = ' data-ref-as="client_reference_id"') =>
  `<a data-lastcall="buy"${as} href="${href}"><b>${name}</b></a>`

/** The till, and what it is told in its address. */
async function openTill(context: BrowserContext): Promise<string[]> {
  const bought: string[] = []
  await context.route('https://buy.example/**', (route) => {
    bought.push(new URL(route.request().url()).search)
    return route.fulfill({ contentType: 'text/html', body: 'Pay' })
  })
  return bought
}

test('a buy link takes the ref along when it is followed, by https: alone, and not when consent is taken back', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const lc = await stage.service.lead(id)
  const { page, context } = await stage.visitor(t)
  const bought = await openTill(context)
  const other = stage.put({ campaigns: [], body: 'Elsewhere' })
  const address = stage.put({ campaigns: [id], body: link(till, 'Buy') + link(other, 'Plain') + offerPage })
  await page.goto(`${address}?lc=${lc}`)
  await page.getByRole('timer').waitFor()
  assert.equal(
    await page.getByText('Buy', { exact: true }).locator('..').getAttribute('href'),
    till.replace('&amp;', '&'),
  )
  // Scripts of the page may press nothing in particular.
  await page.evaluate(() => document.dispatchEvent(new MouseEvent('click')))
  await page.getByText('Buy', { exact: true }).click()
  await page.getByText('Pay').waitFor()
  await page.goto(address)
  await page.getByRole('timer').waitFor()
  // A second tab is too much for the headless shell: what its menu would open there is enough.
  const openMenu = async () => {
    const inMenu = page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          addEventListener('contextmenu', ({ target }) => resolve((target as Element).closest('a')?.search ?? ''))
        }),
    )
    await page.getByText('Buy', { exact: true }).click({ button: 'right' })
    bought.push(await inMenu)
  }
  await openMenu()
  await page.evaluate(() => window.Lastcall?.consent(false))
  await openMenu()
  const taken = `?b=a%20b&client_reference_id=${lc}`
  assert.deepEqual(bought, [taken, taken, '?b=a%20b'])
  await page.getByText('Plain').click()
  await page.getByText('Elsewhere').waitFor()
  assert.equal(page.url(), other)
})

longTest("a buy link never takes the ref of another campaign's lead to the till", async (t) => {
  const [here, there] = [
    await stage.service.campaign({ endsInSeconds: 3600 }),
    await stage.service.campaign({ endsInSeconds: 60 }),
  ]
  const [own, other] = [await stage.service.lead(here), await stage.service.lead(there)]
  const { page, context } = await stage.visitor(t)
  const bought = await openTill(context)
  const address = stage.put({ campaigns: [here], body: link(till, 'Buy') + offerPage })
  for (const search of [`?lc=${own}`, `?lc=${other}`, '']) {
    await page.goto(address + search)
    await page.getByRole('timer').waitFor()
    await page.getByText('Buy', { exact: true }).click()
    await page.getByText('Pay').waitFor()
  }
  assert.deepEqual(bought, Array(3).fill(`?b=a%20b&client_reference_id=${own}`))
})

longTest('a buy link without a name for the ref, or of a stranger, leads where it says', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const address = stage.put({ campaigns: [id], body: link(till, 'Buy') + link(till, 'Nameless', '') + offerPage })
  const { page, context } = await stage.visitor(t)
  const bought = await openTill(context)
  await page.goto(`${address}?lc=${await stage.service.lead(id)}`)
  await page.getByRole('timer').waitFor()
  await page.getByText('Nameless').click()
  await page.getByText('Pay').waitFor()
  const stranger = await stage.visitor(t)
  const boughtByStranger = await openTill(stranger.context)
  await stranger.page.goto(address)
  await stranger.page.getByText('Buy', { exact: true }).click()
  await stranger.page.getByText('Pay').waitFor()
  assert.deepEqual([bought, boughtByStranger], [['?client_reference_id=x&b=a%20b'], ['?client_reference_id=x&b=a%20b']])
})

longTest('a router of the page that breaks where the address changes stops nothing', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t)
  await page.addInitScript(() => {
    history.replaceState = () => {
      throw new Error('no router')
    }
  })
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await page.getByRole('timer').waitFor()
  assert.equal(asked(id).at(-1)?.body.lc, lc)
})
