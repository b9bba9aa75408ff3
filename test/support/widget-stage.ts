// Where the widget plays: a service, a customer's site of another origin, and a browser with visitors.
import assert from 'node:assert/strict'
import { before, type TestContext } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { customerSite, type Site } from './customer-site.ts'
import { isFull } from './faults.ts'
import { holdProcessScope, processScope } from './process-scope.ts'
import { type VisitorService, visitorProtocol } from './visitor-protocol.ts'

export type PageParts = {
  campaigns: string[]
  body?: string
  lang?: string
  /** More attributes of the script tags. */
  attributes?: string
  headers?: Record<string, string>
}

export type Stage = {
  browser: Browser
  service: VisitorService
  site: Site
  /** Puts a page with the widget on the customer's site, and returns its address. */
  put(parts: PageParts): string
  /**
   * Somebody's browser of their own, until the test ends, which fails if a page had an error. In the short form it may
   * be one that an earlier test has left, emptied: a new one costs four times as much as a page in it.
   */
  visitor(t: TestContext, options?: VisitorOptions): Promise<Visitor>
}

export type VisitorOptions = BrowserContextOptions & {
  /** Nobody has had it before. */
  isNew?: boolean
  /** Runs on each page before its own scripts. */
  script?: string | (() => void)
}

export type Visitor = {
  context: BrowserContext
  page: Page
  /** What went wrong on the pages. A test that means it empties this. */
  errors: string[]
}

type Place = Pick<Stage, 'browser' | 'service' | 'site'>

let opened: Promise<Place> | undefined
async function openPlace(): Promise<Place> {
  const service = await visitorProtocol(processScope)
  const site = await customerSite(processScope)
  return { service, site, browser: await openBrowser(processScope) }
}

/** For all tests of a process: filled in before the first of a file. */
export function openStage(): Stage {
  holdProcessScope()
  const stage = {} as Stage
  stage.put = ({ campaigns, body = '', lang = 'en', attributes = '', headers = {} }) => {
    const tags = campaigns.map((id) => scriptTag(stage.service.origin, id, attributes))
    const head = `<meta name="viewport" content="width=device-width"><title>Offer</title>${tags.join('')}`
    return stage.site.put(
      `/offer-${++pages}`,
      `<!doctype html><html lang="${lang}"><head>${head}</head><body>${body}</body></html>`,
      headers,
    )
  }
  stage.visitor = async (t, { isNew = false, script = '', ...options } = {}) => {
    const isUsual = !isFull && Object.keys(options).length === 0
    const visitor = (isUsual && !isNew && idle.pop()) || (await newVisitor(stage.browser, options))
    const added = await visitor.page.addInitScript(script)
    t.after(async () => {
      const errors = visitor.errors.splice(0)
      if (isUsual && t.passed) {
        await added.dispose()
        await emptied(visitor, stage.site)
        idle.push(visitor)
      } else await visitor.context.close()
      assert.deepEqual(errors, [])
    })
    return visitor
  }
  before(async () => {
    opened ??= openPlace()
    Object.assign(stage, await opened)
  })
  return stage
}

let pages = 0
/** Of tests that have passed. */
const idle: Visitor[] = []
const viewport = { width: 1280, height: 720 }

async function newVisitor(browser: Browser, options: BrowserContextOptions): Promise<Visitor> {
  const context = await browser.newContext({ viewport, ...options })
  const errors: string[] = []
  context.on('weberror', (event) => errors.push(String(event.error())))
  context.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  return { context, page: await context.newPage(), errors }
}

/** As it came, but for what the browser keeps of the widget's script and words. */
async function emptied({ context, page, errors }: Visitor, site: Site): Promise<void> {
  for (const event of ['console', 'load', 'request']) page.removeAllListeners(event)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  await page.goto(site.put('/empty', ''))
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  await context.clearCookies()
  if (page.viewportSize()?.width !== viewport.width) await page.setViewportSize(viewport)
  await page.emulateMedia({ media: null })
  errors.length = 0
}

export function scriptTag(origin: string, campaignId: string, attributes = ''): string {
  return `<script async src="${origin}/widget/v1.js" data-campaign="${campaignId}" ${attributes}></script>`
}

/** What most pages have: an offer, what stands in its place before and after, and a countdown. */
export const offerPage = `
  <main>
    <h1>Autumn course</h1>
    <p>Ends <span data-lastcall="running">on <time data-lastcall="deadline"></time>, in</span>
      <span data-lastcall="countdown">soon</span></p>
    <p data-lastcall="offer">Buy for half the price</p>
    <p data-lastcall="expired" hidden>The offer is over</p>
    <p data-lastcall="scheduled" hidden>Not yet</p>
  </main>`

/** The texts of the offer page that a visitor sees. */
export async function seen(page: Page): Promise<string[]> {
  const all = ['Buy for half the price', 'The offer is over', 'Not yet']
  const visible = await Promise.all(all.map((text) => page.getByText(text).isVisible()))
  return all.filter((_, index) => visible[index])
}

/** Waits until the page shows exactly these of its texts. */
export async function sees(page: Page, ...texts: string[]): Promise<void> {
  // The page itself looks out for it at a tenth of what questions from here take.
  for (const text of texts) await page.getByText(text).waitFor({ timeout: 10_000 })
  await eventually(() => seen(page), texts)
}

export async function eventually<T>(ask: () => T | Promise<T>, expected: T, withinMs = 8000): Promise<void> {
  const end = Date.now() + withinMs
  for (;;) {
    const value = await ask()
    try {
      assert.deepEqual(value, expected)
      return
    } catch (error) {
      if (Date.now() > end) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Seconds left as the first countdown says them. */
export async function shownSeconds(page: Page): Promise<number> {
  return inSeconds(await page.getByRole('timer').first().innerText())
}

export function inSeconds(shown: string): number {
  const weights = { d: 86400, h: 3600, g: 3600, m: 60, s: 1 }
  const parts = [...shown.matchAll(/(\d+)\s+([dhgms])/g)]
  assert.ok(parts.length >= 3, `no countdown: ${shown}`)
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * weights[unit as 'd'], 0)
}
