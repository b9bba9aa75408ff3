// A running installation with people who have the panel open in a real browser.
import assert from 'node:assert/strict'
import { getTestContext, type TestContext, test } from 'node:test'
import AxeBuilder from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Role } from '../../src/core/role.ts'
import { tester } from '../support/actor.ts'
import { openBrowser } from '../support/browser.ts'
import { amount, isFull, leaveOut } from '../support/faults.ts'
import { type Installation, installation, type Scope, type Server } from '../support/lastcall.ts'
import { processScope } from '../support/process-scope.ts'
import { createUser } from '../support/users.ts'
import { shelveUsualTemplates } from '../support/usual-templates.ts'

export const widths = { phone: { width: 390, height: 844 }, desk: { width: 1_440, height: 900 } } as const
export type Width = keyof typeof widths

export const schemes = ['light', 'dark'] as const
export type Scheme = (typeof schemes)[number]

/** As where the reader's system turns light or dark while the panel is open. */
export async function wear(page: Page, scheme: Scheme): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme })
  await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor({ state: 'attached' })
  // What is turning has not got its colours yet.
  await page.evaluate(() => {
    const turning = document.getAnimations().filter((one) => one instanceof CSSTransition)
    return Promise.allSettled(turning.map(({ finished }) => finished))
  })
}

let turn = 0
/** Of a phone and of a desk; in the short form one of them by turns, so that a file meets both. */
export function widthsByTurns(): Width[] {
  const all = Object.keys(widths) as Width[]
  return isFull ? all : [all[turn++ % all.length] as Width]
}

const inLanguages: readonly { width: Width; language: 'en' | 'pl' }[] = [
  { width: 'phone', language: 'en' },
  { width: 'desk', language: 'pl' },
  { width: 'phone', language: 'pl' },
  { width: 'desk', language: 'en' },
]
let turnInLanguages = 0
/** Each width in each language; in the short form one of two by turns. */
export function widthsInLanguages() {
  const next = turnInLanguages++ % 2
  return isFull ? inLanguages : inLanguages.slice(next, next + 1)
}

/** The same test at the width of a phone and at that of a desk, in the short form at one of them. */
export function atBothWidths(name: string, run: (width: Width, t: TestContext) => Promise<void>): void {
  for (const width of widthsByTurns()) test(`${name}: ${width}`, (t) => run(width, t))
}

/** As `longTest`. */
export function longAtBothWidths(name: string, run: (width: Width) => Promise<void>): void {
  if (isFull) atBothWidths(name, run)
  else leaveOut()
}

/** A place of the navigation, which a phone keeps behind a button. */
export async function goTo(page: Page, name: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu' })
  if (await menu.isVisible()) await menu.click()
  await page.getByRole('link', { name, exact: true }).click()
}

export type Person = { email: string; password: string; accountId: number }

export type Stage = {
  place: Installation
  server: Server
  browser: Browser
  /** An account of its own with one user. */
  person(name: string): Promise<Person>
  /** Another user of that account. */
  colleague(of: Person, role: Role): Promise<Person>
  /**
   * A window of its own, as wide as a phone or a desk, signed in where somebody is given, until the test ends. In the
   * short form it may be one that an earlier test has left, emptied: a new one costs half a second of a processor.
   */
  open(who?: Person, options?: OpenOptions): Promise<Page>
}

type Look = { width: Width; language: 'en' | 'pl'; scheme: Scheme; zone?: string }

export type OpenOptions = Partial<Look> & {
  path?: string
  /** For who adds to its scripts, or asks what it remembers: nobody else has the window, before or after. */
  isNew?: boolean
}

let shared: Promise<Stage> | undefined
/** The stage of all files of the process: for tests that leave the server, and who may sign in, as they were. */
export async function sharedStage(): Promise<Stage> {
  // Webhooks may tell a test's own server.
  shared ??= panelStage(processScope, [], { TRUST_PROXY: '127.0.0.1', EGRESS_ALLOW: '127.0.0.1' })
  // Awaited here, and not by a file at its top: that would go on as part of the file that asked first.
  return await shared
}

/** For a file whose tests are all long: without a test in it, nothing would end the stage in the short form. */
export async function longStage(): Promise<Stage> {
  return isFull ? sharedStage() : ({} as Stage)
}

let started: Promise<Browser> | undefined
/** One for all stages of the process: to start it takes most of a second of a processor. */
async function sharedBrowser(): Promise<Browser> {
  started ??= openBrowser(processScope)
  return await started
}

export async function panelStage(
  scope: Scope,
  serveArguments: string[] = [],
  environment: Record<string, string> = {},
  opened = sharedBrowser(),
): Promise<Stage> {
  const place = installation(scope)
  await place.arrange(shelveUsualTemplates)
  const server = await place.serve(serveArguments, environment)
  const browser = await opened
  /** How many people of a name there are: each file has its own `owner`. */
  const namesakes = new Map<string, number>()

  async function person(name: string): Promise<Person> {
    const count = (namesakes.get(name) ?? 0) + 1
    namesakes.set(name, count)
    const email = `${name}${count > 1 ? count : ''}@example.com`
    const password = `${name} likes long passwords`
    const accountId = await place.arrange(async (store) => {
      const { id } = await store.configuration.createAccount(`${name}’s account`, tester)
      await createUser(store, id, { email, password, role: 'owner' })
      return id
    })
    return { email, password, accountId }
  }

  async function colleague({ accountId }: Person, role: Role): Promise<Person> {
    const email = `${role}-of-${accountId}@example.com`
    const password = `${role} likes long passwords`
    await place.arrange((store) => createUser(store, accountId, { email, password, role }))
    return { email, password, accountId }
  }

  /** Of tests that have passed, by how they look. */
  const idle = new Map<string, Page[]>()
  scope.after(async () => {
    for (const page of [...idle.values()].flat()) await page.context().close()
  })

  async function open(who?: Person, { path = '/', isNew = isFull, ...asked }: OpenOptions = {}) {
    const look = { width: 'desk', language: 'en', scheme: 'light', ...asked } as const
    const likewise = `${look.language} ${look.zone}`
    const within = getTestContext()
    const used = isNew ? undefined : idle.get(likewise)?.pop()
    const page = used ?? (await newPage(look))
    // A page that is left open goes on asking and drawing beside the tests that follow.
    if (within !== undefined && 'after' in within)
      within.after(async () => {
        // Of a test's own stage the server has ended already.
        if (isNew || !within.passed || within === scope || page.isClosed()) return page.context().close()
        await emptied(page, server.origin)
        idle.set(likewise, [...(idle.get(likewise) ?? []), page])
      })
    if (used !== undefined) {
      await page.setViewportSize(widths[look.width])
      await page.emulateMedia({ colorScheme: look.scheme, reducedMotion: 'reduce' })
    }
    if (who !== undefined) await signIn(page.context(), who)
    watch(page)
    await page.goto(path)
    return page
  }

  async function newPage({ width, language, scheme, zone }: Look): Promise<Page> {
    const context = await browser.newContext({
      viewport: widths[width],
      locale: language === 'en' ? 'en-GB' : 'pl-PL',
      colorScheme: scheme,
      ...(zone !== undefined && { timezoneId: zone }),
      // What is fading in has not got its colours yet.
      reducedMotion: 'reduce',
      baseURL: server.origin,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    return context.newPage()
  }

  return { place, server, browser, person, colleague, open }
}

const heard = ['console', 'dialog', 'download', 'pageerror', 'request', 'requestfinished', 'requestfailed', 'response']

/** As it came, but for what the browser keeps of scripts and pictures. */
async function emptied(page: Page, origin: string): Promise<void> {
  const context = page.context()
  for (const other of context.pages()) if (other !== page) await other.close()
  for (const event of heard) page.removeAllListeners(event)
  page.on('dialog', (dialog) => dialog.accept())
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  await context.setOffline(false)
  await context.clearCookies()
  page.setDefaultTimeout(30_000)
  await page.mouse.move(0, 0)
  // A page of the panel's own policy: from one without it the browser would start a new process.
  await page.goto('/panel/api/session')
  await page.evaluate(() => sessionStorage.clear())
  const session = await context.newCDPSession(page)
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage,indexeddb,cache_storage' })
  await session.detach()
  page.removeAllListeners('dialog')
}

let signedIn = 0
/**
 * Without the screen, which has its own tests. On the shared stage each time from another address: from one only thirty
 * may sign in a minute.
 */
async function signIn(context: BrowserContext, { email, password }: Person): Promise<void> {
  signedIn += 1
  const headers = { 'X-Forwarded-For': `10.${signedIn >> 8}.${signedIn & 255}.1` }
  const answer = await context.request.post('/panel/api/session', { data: { email, password }, headers })
  assert.equal(answer.status(), 200, await answer.text())
}

/** The reader looks at the page again after a while: what is old by then is read again. */
export async function comeBack(page: Page, afterMs = 61_000): Promise<void> {
  await page.evaluate((ms) => {
    const now = Date.now
    Date.now = () => now() + ms
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  }, afterMs)
}

/** Whether the browser would close the page, or load it again, without asking. */
export const mayClose = (page: Page): Promise<boolean> =>
  page.evaluate(() => window.dispatchEvent(new Event('beforeunload', { cancelable: true })))

const troubles = new WeakMap<Page, string[]>()

/** What a page says to its console that it should not, a breach of the content policy above all. */
function watch(page: Page): void {
  const found: string[] = []
  troubles.set(page, found)
  page.on('pageerror', (error) => found.push(String(error)))
  page.on('console', (message) => {
    const text = message.text()
    if (message.type() === 'error' && !/status of (?:401|403|404|409|422|429|503)/.test(text)) found.push(text)
  })
}

/** Fails where the page broke or its policy was breached since it was opened. */
export function assertUntroubled(page: Page): void {
  assert.deepEqual(troubles.get(page), [])
}

let states = 0
/** As `assertNoViolation`; in the short form in every twelfth state of a process. `every-*.test.ts` look at each. */
export async function assertAccessible(page: Page, within?: string): Promise<void> {
  if (isFull || states++ % 12 === 0) await assertNoViolation(page, within)
}

/** Fails with every violation of the rules of axe, and what it is on; on the whole page, or within a part of it. */
export async function assertNoViolation(page: Page, within?: string): Promise<void> {
  // Not by a script tag, which the content policy refuses.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AxeBuilder.source)
  const violations = await page.evaluate(
    async ({ part, preload }) => {
      const { violations } = await (window as any).axe.run(part ?? document, { resultTypes: ['violations'], preload })
      return violations.map((one: any) => `${one.id}: ${one.nodes.map((node: any) => node.html).join(' | ')}`)
    },
    // Without it one rule is left out: css-orientation-lock, which has the style sheets read again.
    { part: within, preload: isFull },
  )
  assert.deepEqual(violations, [], page.url())
}

/** Fails where the page is wider than its window: on a phone that means scrolling sideways. */
export async function assertFits(page: Page): Promise<void> {
  const [wide, window_] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth])
  assert.ok((wide as number) <= (window_ as number), `${wide} wide in ${window_}: ${page.url()}`)
}

/** Goes on by Tab, and asserts that nothing that gets the focus is under the bar at the foot of the window. */
export async function assertClearOf(page: Page, bar: string): Promise<void> {
  let seen = 0
  const covered: string[] = []
  for (let presses = 0; presses < amount(30, 60); presses += 1) {
    await page.keyboard.press('Tab')
    const found = await page.evaluate((name) => {
      const [focused, bar] = [document.activeElement, document.querySelector(name)] as [Element, Element]
      if (bar.contains(focused) || !focused.closest('main')) return undefined
      const [place, hidden] = [focused.getBoundingClientRect(), bar.getBoundingClientRect()]
      const isBeside = place.right <= hidden.left || place.left >= hidden.right
      const isClear = isBeside || place.bottom <= hidden.top || place.top >= hidden.bottom
      return { isClear, what: `${place.bottom - hidden.top}: ${focused.outerHTML.slice(0, 120)}` }
    }, bar)
    if (found === undefined) continue
    seen += 1
    if (!found.isClear) covered.push(found.what)
  }
  assert.ok(seen > 20, String(seen))
  assert.deepEqual(covered, [])
}
