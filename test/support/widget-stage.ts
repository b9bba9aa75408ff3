// Where the widget plays: a service, a customer's site of another origin, and a browser with visitors.
import assert from 'node:assert/strict'
import { before, type TestContext } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { customerSite, type Site } from './customer-site.ts'
import type { Scope } from './lastcall.ts'
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
  /** Somebody's browser of their own. Closed when the test ends, which fails if a page had an error. */
  visitor(t: TestContext, options?: BrowserContextOptions): Promise<Visitor>
}

export type Visitor = {
  context: BrowserContext
  page: Page
  /** What went wrong on the pages. A test that means it empties this. */
  errors: string[]
}

/** For all tests of a file: filled in before the first of them. */
export function openStage(scope: Scope): Stage {
  const stage = {} as Stage
  const ends: (() => Promise<void>)[] = []
  // What a hook hands to `after` would end with the hook.
  const whole: Scope = { after: (end) => ends.push(end) }
  scope.after(async () => {
    for (const end of ends.reverse()) await end()
  })
  let pages = 0
  stage.put = ({ campaigns, body = '', lang = 'en', attributes = '', headers = {} }) => {
    const tags = campaigns.map((id) => scriptTag(stage.service.origin, id, attributes))
    const head = `<meta name="viewport" content="width=device-width"><title>Offer</title>${tags.join('')}`
    return stage.site.put(
      `/offer-${++pages}`,
      `<!doctype html><html lang="${lang}"><head>${head}</head><body>${body}</body></html>`,
      headers,
    )
  }
  stage.visitor = async (t, options = {}) => {
    const context = await stage.browser.newContext(options)
    const errors: string[] = []
    context.on('weberror', (event) => errors.push(String(event.error())))
    context.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    t.after(async () => {
      await context.close()
      assert.deepEqual(errors, [])
    })
    return { context, page: await context.newPage(), errors }
  }
  before(async () => {
    stage.service = await visitorProtocol(whole)
    stage.site = await customerSite(whole)
    stage.browser = await openBrowser(whole)
  })
  return stage
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
    await new Promise((resolve) => setTimeout(resolve, 25))
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
