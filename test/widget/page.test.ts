// The widget as a guest on the page: strict policies, several campaigns, coming back, and never in the way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { amount, longTest, someOf } from '../support/faults.ts'
import { eventually, offerPage, openStage, scriptTag, seen, sees, shownSeconds } from '../support/widget-stage.ts'

const stage = openStage()
const settle = (ms = 1500) => new Promise((resolve) => setTimeout(resolve, ms))

test('it works under a policy that allows the service its script and its answers, and nothing else', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 6, startsOn: 'visit' })
  const lc = await stage.service.lead(id)
  const { origin } = stage.service
  const policy =
    `default-src 'none'; script-src ${origin}; connect-src ${origin}; style-src 'self'; ` +
    "require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action 'none'"
  const { page } = await stage.visitor(t)
  // Nor does the browser name the page to the service, whatever the page allows.
  const referrers: Promise<string | undefined>[] = []
  page.on('request', (request) => {
    if (request.url().includes('/visitor/')) referrers.push(request.allHeaders().then(({ referer }) => referer))
  })
  const form = '<form data-lastcall="form"><input type="email"><button>Send</button></form>'
  const body = `<p data-lastcall="offer">Buy for half the price</p><p data-lastcall="expired" hidden>The offer is over</p>${form}`
  const headers = { 'Content-Security-Policy': policy, 'Referrer-Policy': 'unsafe-url' }
  const address = stage.put({ campaigns: [id], body, headers })
  await page.goto(`${address}?lc=${lc}`)
  const bar = page.locator('[data-lastcall=bar] > div')
  await bar.waitFor()
  assert.equal(await bar.evaluate((one) => getComputedStyle(one).position), 'fixed')
  assert.equal(await page.locator('[name=lastcall-website]').evaluate((one) => getComputedStyle(one).position), 'fixed')
  await sees(page, 'The offer is over')
  assert.equal(await bar.count(), 0)
  assert.deepEqual([...new Set(await Promise.all(referrers))], [undefined])
})

test('with the service down the page stays as it was, and nothing is thrown', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: -5 })
  const visitor = await stage.visitor(t)
  await visitor.context.route('**/visitor/**', (route) => route.abort('connectionrefused'))
  await visitor.page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${await stage.service.lead(id)}`)
  await settle()
  assert.deepEqual(await seen(visitor.page), ['Buy for half the price'])
  assert.equal(await visitor.page.getByText('soon', { exact: true }).isVisible(), true)
  assert.equal(await visitor.page.locator('[data-lastcall=bar]').count(), 0)
  assert.ok(visitor.errors.every((error) => error.includes('net::ERR_CONNECTION_REFUSED')))
  visitor.errors.length = 0
})

longTest('with the script itself unreachable the page stays as it was', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: -5 })
  const visitor = await stage.visitor(t)
  await visitor.context.route('**/widget/**', (route) => route.abort())
  await visitor.page.goto(stage.put({ campaigns: [id], body: offerPage }))
  await settle(500)
  assert.deepEqual(await seen(visitor.page), ['Buy for half the price'])
  visitor.errors.length = 0
})

const otherAnswers = {
  'an error of the service': { status: 503, json: { status: 'error', code: 'SERVICE_UNAVAILABLE' } },
  'a page of a proxy': { status: 200, contentType: 'text/html', body: '<h1>Log in to the network</h1>' },
  'an empty object': { status: 200, json: {} },
}
for (const [name, answer] of Object.entries(otherAnswers))
  longTest(`${name} in place of an offer leaves the page as it was, and the widget asks again later`, async (t) => {
    const id = await stage.service.campaign({ endsInSeconds: -5 })
    const visitor = await stage.visitor(t)
    const { page, context } = visitor
    await context.route('**/visitor/**', (route) =>
      route.fulfill({ ...answer, headers: { 'Access-Control-Allow-Origin': '*' } }),
    )
    await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${await stage.service.lead(id)}`)
    await settle(1000)
    assert.deepEqual(await seen(page), ['Buy for half the price'])
    await context.unroute('**/visitor/**')
    await sees(page, 'The offer is over')
    assert.equal(stage.service.questions.at(-1)?.body.visit, true)
    visitor.errors.length = 0
  })

longTest('a slow service holds up neither the page nor, once it answers, the end of the offer', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: -5 })
  const { page, context } = await stage.visitor(t)
  let answer = () => {}
  const answers = new Promise<void>((resolve) => {
    answer = resolve
  })
  let asked = 0
  await context.route('**/visitor/**', async (route) => {
    asked += 1
    await answers
    await route.continue()
  })
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${await stage.service.lead(id)}`)
  await eventually(() => asked, 1)
  await settle()
  assert.deepEqual(await seen(page), ['Buy for half the price'])
  answer()
  await sees(page, 'The offer is over')
})

longTest('a service that never answers is given up after ten seconds, and the offer stays', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: -5 })
  const { page, context } = await stage.visitor(t)
  let asked = 0
  await context.route('**/visitor/**', () => {
    asked += 1
  })
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${await stage.service.lead(id)}`)
  await eventually(() => asked, 2, 20_000)
  assert.deepEqual(await seen(page), ['Buy for half the price'])
})

longTest('nothing to show, as for a draft: the page stays as it was', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: -5, isDraft: true })
  const { page } = await stage.visitor(t)
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${await stage.service.lead(id)}`)
  await settle()
  assert.deepEqual(await seen(page), ['Buy for half the price'])
  assert.equal(await page.getByText('soon', { exact: true }).isVisible(), true)
  // These make no sense without a time.
  assert.equal(await page.locator('[data-lastcall=running]').isVisible(), false)
})

test('two campaigns on a page keep to themselves', async (t) => {
  const running = await stage.service.campaign({ endsInSeconds: 3600 })
  const over = await stage.service.campaign({ endsInSeconds: -5, anonymous: true })
  const { page } = await stage.visitor(t)
  const body = `${offerPage}
    <section data-campaign="${over}">
      <p data-lastcall="offer">Second offer</p><p data-lastcall="expired" hidden>Second is over</p>
    </section>
    <p data-lastcall="offer" data-campaign="${over}">Second again</p>`
  const lc = await stage.service.lead(running)
  await page.goto(`${stage.put({ campaigns: [running, over], body })}?lc=${lc}`)
  await page.getByText('Second is over').waitFor()
  await page.getByRole('timer').waitFor()
  await sees(page, 'Buy for half the price')
  assert.equal(await page.getByText('Second offer').isVisible(), false)
  assert.equal(await page.getByText('Second again').isVisible(), false)
  const states = await page.evaluate((ids) => ids.map((id) => window.Lastcall?.get(id)?.state), [running, over])
  assert.deepEqual(states, ['open', 'expired'])
  const events = await page.evaluate(() => {
    const heard: string[] = []
    window.Lastcall?.on('start', ({ campaign }) => heard.push(`start ${campaign}`))
    window.Lastcall?.on('expire', ({ campaign }) => heard.push(`expire ${campaign}`))
    return heard
  })
  assert.deepEqual(events, [`start ${running}`, `expire ${over}`])
})

longTest("a page's own data-campaign, which is no id, leaves its elements to the first campaign", async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const { page } = await stage.visitor(t)
  const body = `<div data-campaign="autumn">${offerPage}</div>`
  await page.goto(stage.put({ campaigns: [id], body }))
  await page.getByRole('main').getByRole('timer').waitFor({ timeout: 5_000 })
})

longTest('two campaigns without countdowns of the page share the bar', async (t) => {
  const first = await stage.service.campaign({ endsInSeconds: 1.5 * 3600, anonymous: true })
  const second = await stage.service.campaign({ endsInSeconds: 2.5 * 3600, anonymous: true })
  const { page } = await stage.visitor(t)
  await page.goto(stage.put({ campaigns: [first, second] }))
  const timers = page.locator('[data-lastcall=bar]').getByRole('timer')
  await eventually(() => timers.count(), 2)
  const hours = (await timers.allInnerTexts()).map((text) => text.split(/\s/)[0]).sort()
  assert.deepEqual(hours, ['01', '02'])
})

/** Whether this browser keeps a page as it was for those who come back. The headless shell does not. */
async function keepsPages(page: Page): Promise<boolean> {
  const address = stage.site.put('/to-come-back-to', '<h1>Here</h1>')
  await page.goto(address)
  await page.evaluate(() => Object.assign(document, { isTheSame: true }).title)
  await page.goto(stage.site.put('/elsewhere', '<h1>Elsewhere</h1>'))
  await page.goBack({ waitUntil: 'commit' })
  return page.evaluate(() => (document as any).isTheSame === true)
}

/** Goes to another page and back, or where the browser keeps no page, does to this one what keeping would. */
async function awayAndBack(page: Page, isKept: boolean, awayMs: () => number): Promise<void> {
  if (isKept) {
    await page.goto(stage.site.put('/elsewhere', '<h1>Elsewhere</h1>'))
    await settle(awayMs())
    await page.goBack({ waitUntil: 'commit' })
    return
  }
  const session = await page.context().newCDPSession(page)
  await session.send('Page.setWebLifecycleState', { state: 'frozen' })
  await settle(awayMs())
  await session.send('Page.setWebLifecycleState', { state: 'active' })
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
}

longTest('back to a page that the browser kept: what has ended meanwhile ends there, and it is a visit', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 6, startsOn: 'visit' })
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t)
  const isKept = await keepsPages(page)
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await page.getByRole('timer').waitFor()
  await page.evaluate(() => Object.assign(document, { isTheSame: true }).title)
  const deadline = stage.service.questions.at(-1)?.answer.deadline as number
  const asked = stage.service.questions.length
  await awayAndBack(page, isKept, () => deadline - stage.service.now() + 500)
  await sees(page, 'The offer is over')
  assert.equal(await page.evaluate(() => (document as any).isTheSame), true)
  await eventually(() => stage.service.questions.length, asked + 1)
  assert.equal(stage.service.questions.at(-1)?.body.visit, true)
})

test('a campaign that is withdrawn opens no offer that was over; back to a page that the browser kept, after the lead has got more time, it runs again', async (t) => {
  const settings = { endsInSeconds: -5, isDraft: false }
  const id = await stage.service.campaign(settings)
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t)
  const isKept = await keepsPages(page)
  const body = offerPage.replace('data-lastcall="offer"', 'data-lastcall="offer" hidden')
  await page.goto(`${stage.put({ campaigns: [id], body })}?lc=${lc}`)
  await sees(page, 'The offer is over')
  settings.isDraft = true
  await page.evaluate(() => window.Lastcall?.consent())
  await eventually(() => page.evaluate(() => window.Lastcall?.get()?.state), 'none')
  await sees(page, 'The offer is over')
  settings.isDraft = false
  await stage.service.move(id, lc, { endsInSeconds: 3600 })
  await awayAndBack(page, isKept, () => 200)
  await sees(page, 'Buy for half the price')
  assert.ok((await shownSeconds(page)) > 3500)
})

function hidden(): void {
  Object.defineProperty(Document.prototype, 'hidden', { configurable: true, get: () => true })
}

test('a page opened behind another is no visit until it is seen', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, startsOn: 'visit' })
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t, { script: hidden })
  const asked = stage.service.questions.length
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await eventually(() => stage.service.questions.length, asked + 1)
  await settle(500)
  assert.equal(stage.service.questions.at(-1)?.answer.state, 'pending')
  assert.deepEqual(await seen(page), ['Buy for half the price'])
  await page.evaluate(() => {
    Object.defineProperty(Document.prototype, 'hidden', { configurable: true, get: () => false })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await page.getByRole('timer').waitFor()
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await settle(500)
  assert.deepEqual(
    stage.service.questions.slice(asked).map(({ body }) => body.visit),
    [false, true],
  )
})

test('on a phone the bar fits, covers nothing at the end of the page, and speaks the language of the page', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 2 * 86_400 + 60, anonymous: true })
  const { page } = await stage.visitor(t)
  await page.setViewportSize({ width: 320, height: 640 })
  const body = `<p>${'Długi tekst. '.repeat(400)}</p><p id="last">Koniec</p>`
  await page.goto(stage.put({ campaigns: [id], body, lang: 'pl-PL' }))
  const bar = page.locator('[data-lastcall=bar] > div')
  await bar.waitFor()
  const shown = (await bar.innerText()).replaceAll(/\s+/g, ' ')
  assert.match(shown, /^Do końca oferty 2 dni 00 godzin (00 minut|01 minuta) \d\d sekund[ay]?$/)
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320)
  assert.ok(await bar.evaluate((one) => one.scrollWidth <= one.clientWidth))
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  const box = await bar.boundingBox()
  const last = await page.locator('#last').boundingBox()
  assert.ok(box && last)
  assert.ok(box.x >= 0 && box.x + box.width <= 320 && box.y + box.height <= 640)
  assert.ok(last.y + last.height <= box.y, 'the bar covers the end of the page')
  // On paper it would stand on every sheet.
  await page.emulateMedia({ media: 'print' })
  assert.equal(await bar.isVisible(), false)
  await page.emulateMedia({ media: 'screen' })
  const centred =
    '<style>body { display: grid; place-items: center; min-height: 100vh; margin: 0 }</style><p id="last">Koniec</p>'
  await page.goto(stage.put({ campaigns: [id], body: centred, lang: 'pl-PL' }))
  await bar.waitFor()
  const middle = await page.locator('#last').evaluate((one) => {
    const { top, height } = one.getBoundingClientRect()
    return Math.round(top + height / 2)
  })
  assert.equal(middle, 320, 'the bar moves what the page has in its middle')
})

longTest('on a phone a long word of the page fits into the bar, and its units stand on two lines', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 2 * 86_400 + 60, anonymous: true })
  const { page } = await stage.visitor(t, { viewport: { width: 320, height: 640 } })
  const long = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz'
  await page.goto(stage.put({ campaigns: [id], lang: 'de', attributes: `data-text="${long}"` }))
  const bar = page.locator('[data-lastcall=bar] > div')
  await bar.waitFor()
  assert.ok(await bar.evaluate((one) => one.scrollWidth <= one.clientWidth), 'a long word is cut off')
  const [days, seconds] = [bar.getByText('Tage'), bar.getByText('Sekunde')].map((unit) => unit.locator('..'))
  const [first, second] = [await days?.boundingBox(), await seconds?.boundingBox()]
  assert.ok(first && second && second.y > first.y, 'the units stand on two lines')
  assert.ok(Math.abs(second.x + second.width / 2 - 160) < 2, 'the second line is not in the middle')
})

longTest(
  'a copy of the page that was kept with the bar in it, as Turbo keeps one, has the bar that ends, and one answer',
  async (t) => {
    const id = await stage.service.campaign({ endsInSeconds: 4, anonymous: true })
    const { page } = await stage.visitor(t)
    const form = '<form data-lastcall="form"><input type="email"><button>Send</button></form>'
    await page.goto(stage.put({ campaigns: [id], body: offerPage.replaceAll('countdown', '') + form }))
    const bar = page.locator('[data-lastcall=bar]')
    await bar.waitFor()
    await page.evaluate(() => document.body.replaceWith(document.body.cloneNode(true)))
    await eventually(() => page.evaluate(() => window.Lastcall?.get()?.state), 'expired')
    await sees(page, 'The offer is over')
    await eventually(() => bar.count(), 0)
    assert.equal(await page.locator('[role=status]').count(), 1)
    assert.equal(await page.locator('[name=lastcall-website]').count(), 1)
  },
)

longTest('a page that turns to another language takes the bar and its countdowns along', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 40 * 86_400, anonymous: true })
  const { page } = await stage.visitor(t)
  await page.goto(stage.put({ campaigns: [id] }))
  const bar = page.locator('[data-lastcall=bar] > div')
  await bar.waitFor()
  await page.evaluate(() => {
    document.documentElement.lang = 'de'
  })
  const words = async () => (await bar.innerText()).replaceAll(/[\s\d]+/g, ' ')
  await eventually(words, 'Angebot gilt noch Tage Stunden Minuten Sekunden')
  await page.getByRole('timer', { name: 'Angebot gilt noch', exact: true }).waitFor()
})

longTest(
  'the bar looks as it does elsewhere, whatever the page says of all asides, paragraphs, spans and bold text',
  async (t) => {
    const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
    const { page } = await stage.visitor(t, { viewport: { width: 700, height: 400 } })
    const body = `<style>
    p { color: #333 !important; max-width: 20ch; margin: 1em 2em }
    b { color: #c00 !important; background: #ff0 } small { color: #777 !important; font-size: 30px }
    span, p span { color: #444; font-size: 40px; background: #ff0; display: block; float: left; border: 3px solid; margin: 9px }
    aside { width: 300px; margin: 2rem; padding: 1rem; border: 1px solid; transform: translateZ(0) }
    @media (max-width: 800px) { aside { display: none } }
  </style><p>The autumn course</p>`
    await page.goto(stage.put({ campaigns: [id], body }))
    const bar = page.locator('[data-lastcall=bar]')
    await bar.locator('> div').waitFor()
    const colours = await bar
      .locator('p, span, b, small')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).color))
    assert.deepEqual([...new Set(colours)], ['rgb(255, 255, 255)'])
    const box = await bar.locator('p > span > span').evaluateAll((all) =>
      all.map((one) => {
        const { fontSize, backgroundColor, float, borderStyle, margin, display } = getComputedStyle(one)
        return [fontSize, backgroundColor, float, borderStyle, margin, one.hasAttribute('hidden') || display].join()
      }),
    )
    const plain = '16px,rgba(0, 0, 0, 0),none,none,0px'
    assert.deepEqual(box, [`${plain},true`, ...Array(3).fill(`${plain},flex`)])
    const fonts = await bar
      .locator('b, small')
      .evaluateAll((all) => all.map((one) => [getComputedStyle(one).fontSize, getComputedStyle(one).fontWeight].join()))
    assert.deepEqual([...new Set(fonts)], ['16px,700', '13.6px,400'])
    await page.addStyleTag({ content: '[data-lastcall=countdown] { color: #fc0 }' })
    const own = await bar.locator('p > span').evaluate((one) => getComputedStyle(one).color)
    assert.equal(own, 'rgb(255, 204, 0)', 'what the page says of countdowns counts in the bar too')
    const [inner, whole] = [await bar.locator('> div').boundingBox(), await bar.boundingBox()]
    assert.deepEqual([inner?.x, inner?.width, (inner?.y ?? 0) + (inner?.height ?? 0)], [0, 700, 400])
    assert.equal(whole?.height, Math.round(inner?.height ?? 0))
    assert.equal(await bar.evaluate((one) => getComputedStyle(one).borderStyle), 'none')
  },
)

longTest(
  'the bar is at the edge of the window, and the end of the page above it, however the body is laid out',
  async (t) => {
    const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
    const { page } = await stage.visitor(t, { viewport: { width: 700, height: 400 } })
    const rest = `<main>${'<p>More</p>'.repeat(60)}</main><footer>The end</footer>`
    for (const css of [
      'html, body { height: 100% } body { display: flex; flex-direction: column; margin: 0 } main { flex-shrink: 0 }',
      'body { display: grid; grid-template-columns: 200px 1fr }',
      '@keyframes in { from { opacity: 0; transform: translateY(9px) } to { transform: none } } body { animation: in .1s both }',
      'body { filter: grayscale(.1) }',
    ]) {
      await page.goto(stage.put({ campaigns: [id], body: `<style>${css}</style>${rest}` }))
      const bar = page.locator('[data-lastcall=bar] > div')
      await bar.waitFor()
      const bottom = () => bar.evaluate((one) => one.getBoundingClientRect().bottom)
      await eventually(bottom, 400)
      await page.evaluate(() => scrollTo(0, 1e6))
      const end = await page.locator('footer').evaluate((one) => one.getBoundingClientRect().bottom)
      assert.ok(end <= (await bar.evaluate((one) => one.getBoundingClientRect().top)), css)
    }
  },
)

test('the countdown is a timer that readers can ask and that does not speak by itself', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 86_400 + 3600 })
  const { page } = await stage.visitor(t)
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${await stage.service.lead(id)}`)
  const timer = page.getByRole('timer')
  await timer.waitFor()
  assert.equal(await timer.getAttribute('aria-live'), 'off')
  const shown = /timer "Offer ends in": 1 day 0[01] hours? \d\d minutes? \d\d seconds?/
  assert.match(await page.locator('main').ariaSnapshot(), shown)
  assert.equal(await page.locator('[aria-live=polite], [aria-live=assertive], [role=alert]').count(), 0)
})

longTest("the countdown's name is in the language of the page, and the page's own name stays", async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 40 * 86_400, anonymous: true })
  const { page } = await stage.visitor(t)
  const countdown = '<p data-lastcall="countdown"></p>'
  const body = `${countdown}
    <div lang="pl">${countdown}</div>
    <div lang="sv">${countdown}</div>
    <p data-lastcall="countdown" aria-label="Only"></p>
    <h2 id="title">Early bird</h2><p data-lastcall="countdown" aria-labelledby="title"></p>`
  await page.goto(stage.put({ campaigns: [id], body, lang: 'en-GB' }))
  for (const name of ['Offer ends in', 'Do końca oferty', 'Only', 'Early bird'])
    await page.getByRole('timer', { name, exact: true }).waitFor()
  const swedish = page.locator('[lang=sv]').getByRole('timer')
  const deadline = await page.evaluate(() => window.Lastcall?.get()?.deadline ?? 0)
  const month = new Date(deadline).toLocaleString('sv', { month: 'long' })
  assert.match((await swedish.getAttribute('aria-label')) ?? '', new RegExp(`^\\d+ ${month} 20\\d\\d kl. `))

  for (const [text, name] of Object.entries({ Hurry: 'Hurry', '': 'Offer ends in' })) {
    await page.goto(stage.put({ campaigns: [id], attributes: `data-text="${text}"` }))
    await page.locator('[data-lastcall=bar]').getByRole('timer', { name, exact: true }).waitFor()
  }
})

longTest('a name that says the deadline goes along with it', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 40 * 86_400 })
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t)
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage, lang: 'sv' })}?lc=${lc}`)
  const timer = page.getByRole('timer')
  await timer.waitFor()
  await stage.service.move(id, lc, { endsInSeconds: 2 * 86_400 })
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await eventually(async () => (await timer.innerText()).split(/\s/)[0], '1')
  assert.equal(await timer.getAttribute('aria-label'), await page.getByRole('time').innerText())
})

test('only the words of the page’s language are fetched, and until they come it speaks English', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 40 * 86_400, anonymous: true })
  const asked: string[] = []
  const names = Object.entries({
    en: 'Offer ends in',
    pl: 'Do końca oferty',
    'de-AT': 'Angebot gilt noch',
    es: 'La oferta termina en',
    fr: 'L’offre se termine dans',
    it: 'L’offerta termina tra',
    nl: 'Aanbieding eindigt over',
    'pt-BR': 'A oferta termina em',
    cs: 'Do konce nabídky',
    uk: 'До кінця пропозиції',
  })
  // What waits a minute waits a second.
  const script = () => {
    const wait = setTimeout
    Object.assign(window, {
      setTimeout: (run: TimerHandler, ms: number, ...rest: unknown[]) => wait(run, ms === 60_000 ? 1000 : ms, ...rest),
    })
  }
  const visitor = await stage.visitor(t, { script })
  const { page } = visitor
  page.on('request', (request) => asked.push(request.url().split('/widget/')[1] ?? ''))
  for (const [lang, name] of someOf(names, 2)) {
    await page.goto(stage.put({ campaigns: [id], lang }))
    await page.getByRole('timer', { name, exact: true }).waitFor()
    const own = lang === 'en' ? [] : [`v1.${lang.slice(0, 2)}.json`]
    assert.deepEqual(
      asked.splice(0).filter((file) => file.endsWith('.json')),
      own,
    )
  }
  await page.route('**/widget/v1.de.json', (route) => route.fulfill({ status: 404, body: 'no words' }))
  await page.goto(stage.put({ campaigns: [id], lang: 'de' }))
  await page.getByRole('timer', { name: 'Offer ends in', exact: true }).waitFor()
  await page.unroute('**/widget/v1.de.json')
  await page.getByRole('timer', { name: 'Angebot gilt noch', exact: true }).waitFor()
  visitor.errors.length = 0
})

for (const [lang, shown] of Object.entries({
  de: /^3 Tage 02 Stunden/,
  'en-GB': /^3 days 02 hours/,
  he: /^3 ימים 02 שעות/,
  ar: /^3 أيام 02 ساعات/,
  pl_PL: /^3 dni/,
  zh_Hant_TW: /^3 天/,
  'not a language': /^3 days/,
  '': /^3 days/,
}))
  longTest(`the units are those of the page's language: "${lang}"`, async (t) => {
    const id = await stage.service.campaign({ endsInSeconds: 3 * 86_400 + 2 * 3600 + 60, anonymous: true })
    const { page } = await stage.visitor(t)
    await page.goto(stage.put({ campaigns: [id], body: offerPage, lang }))
    const timer = page.getByRole('timer')
    await timer.waitFor()
    assert.match((await timer.innerText()).replaceAll(/\s+/g, ' '), shown)
  })

test('a visit whose report is lost on the way is reported again', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, startsOn: 'visit' })
  const lc = await stage.service.lead(id)
  const visitor = await stage.visitor(t, { script: hidden })
  const { page, context } = visitor
  const asked = stage.service.questions.length
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await eventually(() => stage.service.questions.length, asked + 1)
  await context.route('**/visitor/**', (route) => route.abort())
  await page.evaluate(() => {
    Object.defineProperty(Document.prototype, 'hidden', { configurable: true, get: () => false })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await eventually(() => visitor.errors.length > 0, true)
  await context.unroute('**/visitor/**')
  await page.getByRole('timer').waitFor()
  assert.equal(stage.service.questions.at(-1)?.body.visit, true)
  visitor.errors.length = 0
})

longTest('the offer ends on a page with Prototype.js, whose remove() breaks on what stands nowhere', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 2 })
  const script = () => {
    Element.prototype.remove = function () {
      ;(this.parentNode as ParentNode & Node).removeChild(this)
    }
  }
  const { page } = await stage.visitor(t, { script })
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${await stage.service.lead(id)}`)
  await page.waitForFunction(() => window.Lastcall)
  const expired = () => new Promise((resolve) => window.Lastcall?.on('expire', () => resolve('expired')))
  assert.equal(await Promise.race([page.evaluate(expired), settle(6000)]), 'expired')
  await sees(page, 'The offer is over')
})

longTest('an element of the page that is called Lastcall is no hindrance', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const { page } = await stage.visitor(t)
  await page.goto(stage.put({ campaigns: [id], body: '<h1 id="Lastcall">Last call</h1>' }))
  await page.getByRole('timer').waitFor()
})

test('elements and script tags that come later are found', async (t) => {
  const first = await stage.service.campaign({ endsInSeconds: -5, anonymous: true })
  const second = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const { page } = await stage.visitor(t)
  await page.goto(stage.put({ campaigns: [first], body: offerPage }))
  await sees(page, 'The offer is over')
  await page.evaluate(
    (tag) => {
      document.body.insertAdjacentHTML('beforeend', '<p data-lastcall="offer">A late offer</p>')
      const [, src = '', id = ''] = /src="([^"]+)" data-campaign="(\d+)"/.exec(tag) ?? []
      const script = Object.assign(document.createElement('script'), { src })
      script.dataset.campaign = id
      document.head.append(script)
    },
    scriptTag(stage.service.origin, second),
  )
  await eventually(() => page.getByText('A late offer').isVisible(), false)
  await page.locator('[data-lastcall=bar]').getByRole('timer').waitFor()
  assert.ok((await shownSeconds(page)) > 3500)
})

test('an element that a page makes another one of, as React does, is not hidden for good', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 2, anonymous: true })
  const { page } = await stage.visitor(t)
  const body = `<p data-lastcall="offer">Half price</p><script>
    document.addEventListener('lastcall:expire', () => {
      const one = document.querySelector('[data-lastcall=offer]')
      one.removeAttribute('data-lastcall')
      one.textContent = 'Full price'
    })
  </script>`
  await page.goto(stage.put({ campaigns: [id], body }))
  await page.getByText('Full price').waitFor({ timeout: 10_000 })
})

for (const mark of someOf(['', 'offer'], 1))
  test(`a countdown that a page makes another element of leaves neither time nor role there: "${mark}"`, async (t) => {
    const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
    const { page } = await stage.visitor(t)
    const body = '<p data-lastcall="countdown"></p>'
    await page.goto(stage.put({ campaigns: [id], body, attributes: 'data-bar=off' }))
    await page.getByRole('timer').waitFor()
    await page.locator('p').evaluate((one, other) => {
      one.removeAttribute('data-lastcall')
      if (other) one.setAttribute('data-lastcall', other)
      one.append('Full price')
    }, mark)
    await eventually(() => page.locator('p').innerText(), 'Full price')
    const names = await page.locator('p').evaluate((one) => one.getAttributeNames())
    assert.deepEqual(names, mark ? ['data-lastcall'] : [])
  })

/**
 * As Turbo, idiomorph and morphdom change a page into the next one: an element becomes the next one of its name, unless
 * their ids differ.
 */
function become(html: string): void {
  const morph = (old: Element, next: Element) => {
    for (const name of old.getAttributeNames()) old.removeAttribute(name)
    for (const name of next.getAttributeNames()) old.setAttribute(name, next.getAttribute(name) ?? '')
    if (next.children.length === 0) {
      old.textContent = next.textContent
      return
    }
    const left = [...old.children]
    for (const child of [...next.children]) {
      const at = left.findIndex((one) => one.localName === child.localName && one.id === child.id)
      const [same] = at === -1 ? [] : left.splice(at, 1)
      if (same) morph(same, child)
      old.append(same ?? child)
    }
    for (const one of left) one.remove()
  }
  morph(document.body, new DOMParser().parseFromString(html, 'text/html').body)
}

longTest('a page that is made into the next one, as by Turbo, keeps its own aside and has the bar', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 6, anonymous: true })
  const { page } = await stage.visitor(t)
  await page.goto(stage.put({ campaigns: [id], body: '<main>Autumn course</main>' }))
  const bar = page.locator('[data-lastcall=bar]')
  await bar.getByRole('timer').waitFor()
  await page.evaluate(become, '<main>Autumn course</main><aside>Saved</aside>')
  await bar.getByRole('timer').waitFor()
  const aside = page.getByText('Saved')
  assert.deepEqual(await aside.evaluate((one) => one.getAttributeNames()), [])
  await eventually(() => bar.count(), 0)
  assert.equal(await aside.isVisible(), true)
})

longTest('a countdown with units of the page goes on where the page is made into the next one', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const { page } = await stage.visitor(t)
  const unit = '<span><b>--</b></span>'
  for (const units of [unit, unit.repeat(4), '<span><b>--</b> <small>hours</small></span>']) {
    const body = `<main><p data-lastcall="countdown">${units}</p></main>`
    await page.goto(stage.put({ campaigns: [id], body }))
    await page.getByRole('timer').waitFor()
    await page.evaluate(become, body)
    await page.getByRole('timer').waitFor()
    assert.ok((await shownSeconds(page)) > 3500)
  }
})

longTest('a field that the page makes out of the trap is no trap', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const { page } = await stage.visitor(t)
  const fields =
    '<input type="email" name="email"><output id="answer" data-lastcall="message"></output><button>Send</button>'
  const form = (more = '') => `<form data-lastcall="form">${fields}${more}</form>`
  await page.goto(stage.put({ campaigns: [id], body: form() }))
  await page.locator('[name=lastcall-website]').waitFor({ state: 'attached' })
  await page.evaluate(become, form('<input name="phone">'))
  await page.locator('[name=email]').fill('ada@example.com')
  await page.locator('[name=phone]').fill('123')
  await page.getByRole('button').click()
  await page.getByText('Thank you').waitFor()
  assert.equal(stage.service.questions.findLast(({ operation }) => operation === 'leads')?.body.website, '')
})

test('it leaves one global behind, and no cookie', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const { page, context } = await stage.visitor(t)
  const globals = async (address: string) => {
    await page.goto(address)
    await settle(500)
    return page.evaluate(() => Object.getOwnPropertyNames(window))
  }
  const without = await globals(stage.put({ campaigns: [] }))
  const given = await globals(stage.put({ campaigns: [id] }))
  await page.locator('[data-lastcall=bar]').waitFor()
  assert.deepEqual(
    given.filter((name) => !without.includes(name)),
    ['Lastcall'],
  )
  assert.deepEqual(await context.cookies(), [])
})

test('a page that sets style sheets of its own keeps the bar, and what the keyboard reaches stays above it', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const { page } = await stage.visitor(t)
  await page.setViewportSize({ width: 320, height: 500 })
  const body = Array.from({ length: 60 }, (_, n) => `<p><a href="#${n}">Link ${n}</a></p>`).join('')
  await page.goto(stage.put({ campaigns: [id], body }))
  const bar = page.locator('[data-lastcall=bar] > div')
  await bar.getByRole('timer').waitFor()
  await page.evaluate(() => {
    document.adoptedStyleSheets = []
  })
  await eventually(() => bar.evaluate((one) => getComputedStyle(one).position), 'fixed')
  for (let n = 0; n < amount(16, 60); n += 1) {
    await page.keyboard.press('Tab')
    const isCovered = await page.evaluate(() => {
      const barTop = document.querySelector('[data-lastcall=bar] > div')?.getBoundingClientRect().top ?? 0
      return (document.activeElement?.getBoundingClientRect().bottom ?? 0) > barTop
    })
    assert.equal(isCovered, false, `link ${n}`)
  }
})
