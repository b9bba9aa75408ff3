// How the widget comes onto a page: by which tag, with which settings, beside what else is loading.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createElement as h } from 'react'
import { renderToString } from 'react-dom/server'
import { build } from 'vite'
import { widgetSnippet } from '../../panel/src/screens/campaigns/pages/widget-html.ts'
import { openBrowser } from '../support/browser.ts'
import { isFull, longTest, someOf } from '../support/faults.ts'
import { eventually, inSeconds, offerPage, openStage, seen, sees } from '../support/widget-stage.ts'

const stage = openStage()
const root = join(import.meta.dirname, '..', '..')
const settle = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
let pages = 0
const putHtml = (head: string, body = offerPage) =>
  stage.site.put(`/page-${++pages}`, `<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`)
const tagWith = (query: string, attributes = '') =>
  `<script async src="${stage.service.origin}/widget/v1.js${query}" ${attributes}></script>`

for (const [part, pattern] of [
  ['the script', '**/widget/**'],
  ['the offer', '**/visitor/**'],
] as const)
  test(`with the service hung at ${part} the snippet does not hold up load, and the widget comes later`, async (t) => {
    const id = await stage.service.campaign({ endsInSeconds: -5 })
    const { page, context } = await stage.visitor(t)
    let answer = () => {}
    const answers = new Promise<void>((resolve) => {
      answer = resolve
    })
    let asked = 0
    await context.route(pattern, async (route) => {
      asked += 1
      await answers
      await route.continue()
    })
    const address = putHtml(widgetSnippet(stage.service.origin, Number(id)))
    await page.goto(`${address}?lc=${await stage.service.lead(id)}`, { waitUntil: 'load', timeout: 5_000 })
    await eventually(() => asked, 1)
    assert.deepEqual(await seen(page), ['Buy for half the price'])
    answer()
    await sees(page, 'The offer is over')
  })

test('of two snippets the first on the page is that of unmarked elements, whichever script comes first', async (t) => {
  const first = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const second = await stage.service.campaign({ endsInSeconds: 864_000, anonymous: true })
  const { page, context } = await stage.visitor(t)
  let asked = () => {}
  const isSecondAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  await context.route(`**/widget/v1.js?campaign=${first}`, async (route) => {
    await isSecondAsked
    await route.continue()
  })
  page.on('request', (request) => {
    if (request.url().includes(`/visitor/v1/campaigns/${second}/`)) asked()
  })
  const { origin } = stage.service
  await page.goto(putHtml(widgetSnippet(origin, Number(first)) + widgetSnippet(origin, Number(second))))
  // The other campaign, which has no element of its own, gets the bar.
  const marked = page.getByRole('main').getByRole('timer')
  await marked.waitFor()
  assert.equal(await page.evaluate(() => window.Lastcall?.get()?.campaign), first)
  assert.ok(inSeconds(await marked.innerText()) <= 3_600)
})

test("settings stand in the script's address where a tag manager strips attributes, and attributes win", async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const { page } = await stage.visitor(t)
  const bar = page.locator('[data-lastcall=bar]')
  await page.goto(putHtml(tagWith(`?campaign=${id}&text=Be%20quick:`), '<h1>Offer</h1>'))
  await bar.getByText('Be quick:').waitFor()
  const waiting = putHtml(tagWith(`?campaign=${id}&bar=off&consent=wait`), offerPage)
  await page.goto(waiting)
  await page.waitForFunction(() => window.Lastcall)
  await settle(700)
  // Without consent nobody is asked for, not even whom the first page has kept.
  assert.ok(!stage.service.questions.some(({ body }) => body.page === waiting))
  await page.evaluate(() => window.Lastcall?.consent())
  await page.getByRole('timer').waitFor()
  await page.goto(
    putHtml(tagWith('?campaign=999&text=No&u=/widget/v1.js', `data-campaign="${id}" data-text="Yes"`), ''),
  )
  await bar.getByText('Yes').waitFor()
  assert.deepEqual(await page.evaluate(() => window.Lastcall?.get()?.campaign), id)
})

longTest('without a campaign a line in the console says so, once, and what to do', async (t) => {
  const { page } = await stage.visitor(t)
  const told: string[] = []
  page.on('console', (message) => told.push(message.text()))
  // The words of the form would come from an address that nobody knows, which the console would have too.
  await page.goto(putHtml(tagWith('', 'id="widget"'), '<form lang="de" data-lastcall="form"></form>'))
  await page.waitForFunction(() => window.Lastcall)
  await page.evaluate(() => window.Lastcall?.scan())
  assert.deepEqual(told, [`Lastcall: add ?campaign=ID to ${stage.service.origin}/widget/v1.js`])
})

test('a browser that a program drives sees the offer and starts nothing', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, startsOn: 'visit', anonymous: true })
  const robot = await openBrowser(t, { isRobot: true })
  const page = await robot.newPage()
  const address = putHtml(tagWith(`?campaign=${id}`))
  for (const search of someOf([`?lc=${await stage.service.lead(id)}`, ''], 1)) {
    const asked = stage.service.questions.length
    await page.goto(address + search)
    await eventually(() => stage.service.questions.length > asked, true)
    await settle(300)
    const questions = stage.service.questions.slice(asked)
    assert.deepEqual([...new Set(questions.map(({ body }) => body.visit))], [false])
    assert.notEqual(questions.at(-1)?.answer.state, 'open')
  }
  const { page: person } = await stage.visitor(t)
  await person.goto(address)
  await person.getByRole('timer').waitFor()
})

/** What React makes of the page, on the server and in the browser. */
const app = `import { createElement as h } from 'react'
import { hydrateRoot } from 'react-dom/client'
const onRecoverableError = (error) => { globalThis.rebuilt = String(error.message) }
hydrateRoot(document.getElementById('root'), h('main', null, h('span', { 'data-lastcall': 'countdown' })), { onRecoverableError })
globalThis.hydrating = true`
const written = renderToString(h('main', null, h('span', { 'data-lastcall': 'countdown' })))
let script = ''
if (isFull) before(buildApp)
async function buildApp(): Promise<void> {
  const entry = 'virtual:app'
  const plugins = [
    {
      name: 'app',
      resolveId: (id: string) => (id === entry ? id : null),
      load: (id: string) => (id === entry ? app : null),
    },
  ]
  const built = await build({
    ...{ root, configFile: false, logLevel: 'silent', plugins },
    build: { write: false, minify: false, rolldownOptions: { input: entry } },
  })
  const [output] = [built].flat()
  script = output && 'output' in output ? output.output[0].code : ''
}

for (const wait of [false, true])
  longTest(
    `on a page that React takes over ${wait ? 'data-wait lets React be first' : 'React finds what the widget wrote, and builds again'}`,
    async (t) => {
      const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
      const { page, context } = await stage.visitor(t)
      const source = stage.site.put(`/app-${wait}.js`, script, { 'Content-Type': 'text/javascript' })
      const asked = stage.service.questions.length
      // React's script comes after the widget has its answer.
      await context.route('**/app-*.js', async (route) => {
        await eventually(() => stage.service.questions.length > asked, true)
        await settle(300)
        await route.continue()
      })
      const head = `${tagWith(`?campaign=${id}`, wait ? 'data-wait' : '')}<script type="module" src="${source}"></script>`
      await page.goto(putHtml(head, `<div id="root">${written}</div>`))
      await page.waitForFunction(() => 'hydrating' in globalThis)
      await page.getByRole('timer').waitFor()
      await settle(300)
      const rebuilt = await page.evaluate(() => (globalThis as { rebuilt?: string }).rebuilt)
      if (wait) assert.equal(rebuilt, undefined)
      // "Hydration failed because the server rendered HTML didn't match the client."
      else assert.match(rebuilt ?? '', /^Minified React error #418/)
    },
  )

test('asked to wait, a widget that comes after the page has loaded writes nothing for half a second either', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const { page } = await stage.visitor(t)
  const late = `<script>
    const noteWriting = () => { globalThis.writtenAt ??= performance.now() }
    addEventListener('load', () => {
      globalThis.loadedAt = performance.now()
      new MutationObserver(noteWriting).observe(document.body, { subtree: true, childList: true, attributes: true })
      const script = document.createElement('script')
      script.src = '${stage.service.origin}/widget/v1.js?campaign=${id}&wait'
      document.head.append(script)
    })
  </script>`
  // The first who asks waits until the script is made.
  await fetch(`${stage.service.origin}/widget/v1.js`)
  await page.goto(putHtml(late, offerPage))
  await page.getByRole('timer').waitFor()
  const waitedMs = await page.evaluate('writtenAt - loadedAt')
  assert.ok(Number(waitedMs) >= 500, `${waitedMs} ms`)
})

const [, style = ''] =
  /(<style>\n {2}\[data-lastcall-cloak\].*?<\/style>)/s.exec(readFileSync(join(root, 'docs', 'widget.md'), 'utf8')) ??
  []
/** What many pages have for people who want nothing to move. */
const reset = '<style>@media (prefers-reduced-motion: reduce) { * { animation-duration: 0.01ms !important } }</style>'
const cloaked = `${style}${reset}<p data-lastcall="offer" data-lastcall-cloak>Buy for half the price</p>
  <p data-lastcall="expired" hidden>The offer is over</p>`

/** Notes in each frame whether the offer can be seen. */
const watch = () => {
  const frames: boolean[] = []
  const look = () => {
    const offer = document.querySelector('[data-lastcall=offer]')
    if (offer) frames.push(offer.checkVisibility({ visibilityProperty: true }))
    requestAnimationFrame(look)
  }
  look()
  Object.assign(globalThis, { frames })
}
const framesOf = (page: Page) => page.evaluate(() => (globalThis as unknown as { frames: boolean[] }).frames)

test('a cloaked offer is not seen before the answer: never if it is over, and at once after it if it runs', async (t) => {
  const { page, context } = await stage.visitor(t, { script: watch, reducedMotion: 'reduce' })
  await context.route('**/visitor/**', async (route) => {
    await settle(1_200)
    await route.continue()
  })
  const over = await stage.service.campaign({ endsInSeconds: -5 })
  await page.goto(`${putHtml(tagWith(`?campaign=${over}`), cloaked)}?lc=${await stage.service.lead(over)}`)
  await page.getByText('The offer is over').waitFor()
  await settle(2_500)
  assert.deepEqual([...new Set(await framesOf(page))], [false])

  const running = await stage.service.campaign({ endsInSeconds: 3600 })
  await page.goto(`${putHtml(tagWith(`?campaign=${running}`), cloaked)}?lc=${await stage.service.lead(running)}`)
  await page.locator('[data-lastcall=offer]:not([data-lastcall-cloak])').waitFor()
  const frames = await framesOf(page)
  assert.equal(frames[0], false)
  await sees(page, 'Buy for half the price')
})

test('a cloaked element is seen in the end: at once if there is no offer or no service, else after the style’s time limit', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const visitor = await stage.visitor(t)
  const { page, context } = visitor
  const address = putHtml(tagWith(`?campaign=${id}`), cloaked)
  const uncloaked = page.locator('[data-lastcall=offer]:not([data-lastcall-cloak])')
  await page.goto(address)
  await uncloaked.waitFor({ timeout: 2_500 })
  await context.route('**/visitor/**', (route) => route.abort())
  await page.goto(`${address}?lc=${await stage.service.lead(id)}`)
  await uncloaked.waitFor({ timeout: 2_500 })
  await context.route('**/widget/**', (route) => route.abort())
  await page.goto(address, { waitUntil: 'commit' })
  await page.locator('[data-lastcall-cloak]').waitFor({ state: 'attached' })
  assert.deepEqual(await seen(page), [])
  await settle(2_000)
  assert.deepEqual(await seen(page), [])
  await eventually(() => seen(page), ['Buy for half the price'], 3_000)
  visitor.errors.length = 0
})
