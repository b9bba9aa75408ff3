// What holds on every screen of the panel: axe, both languages, light and dark, phone and desk, and the keyboard.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { topicOf, topics } from '../../panel/src/parts/help-topic.ts'
import { isFull, longTest, someOf } from '../support/faults.ts'
import { campaignFile } from '../support/lastcall.ts'
import { comesTrue } from '../support/prepared.ts'
import { assertFits, assertNoViolation, assertUntroubled, sharedStage, widths } from './stage.ts'

const stage = await sharedStage()
const owner = await stage.person('owner')
const account = String(owner.accountId)
const weekly = { kind: 'next', closes: { every: 'week', on: ['fri'], time: '23:59' } }
const { id } = await stage.place.json(
  ['campaign', 'apply', '--account', account, '-'],
  campaignFile({
    timeZone: 'America/Argentina/ComodRivadavia',
    mechanism: { startsOn: 'visit', deadline: weekly, retry: { enabled: true, after: 'P30D' } },
  }),
)
const { key } = await stage.place.json(['key', 'create', '--account', account, '--name', 'Shop'])
const register = (campaignId: number, email: string) =>
  fetch(`${stage.server.base}/campaigns/${campaignId}/leads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  })
for (const name of ['ada', 'bela', 'chen']) {
  await register(id, `${name}@example.com`)
}
// The request history has a long code with it.
const draft = campaignFile({ name: 'Draft', isDraft: true })
await register((await stage.place.json(['campaign', 'apply', '--account', account, '-'], draft)).id, 'ada@example.com')
// They are counted behind the answers, and without a count the overview has no chart.
const registrations = async () => (await stage.place.json(['campaign', 'stats', String(id)])).totals.registration.person
assert.ok(await comesTrue(10_000, async () => (await registrations()) === 3, 200))

const webhook = await stage.place.json([
  ...['webhook', 'create', '--account', account, '--name', 'Shop', '--url', 'https://example.com/'],
  ...['--kinds', 'lead.registered'],
])

const screens = [
  '/',
  '/campaigns',
  `/campaigns/${id}`,
  `/campaigns/${id}/rules`,
  `/campaigns/${id}/pages`,
  `/campaigns/${id}/timer`,
  `/campaigns/${id}/leads`,
  '/person',
  '/integrations',
  '/integrations/history',
  '/integrations/reference',
  '/integrations/webhooks',
  `/integrations/webhooks?webhook=${webhook.id}`,
  '/settings',
  '/settings/users',
  '/settings/security',
  '/settings/audit',
  '/nothing-here',
]

test('every screen that there is help for is looked at', () => {
  const seen = screens.map((path) => topicOf(path.replace(/\?.*/, '')))
  assert.deepEqual(new Set(seen), new Set(topics))
})

async function settled(page: Page, path: string): Promise<void> {
  await page.goto(path === '/nothing-here' ? '/campaigns/999999' : path)
  await page.locator('h1').first().waitFor()
  await page.waitForLoadState('networkidle')
}

/** All of them seen, where none bears a mark. */
async function assertTabsInOneLine(page: Page): Promise<void> {
  const boxes = await page.getByRole('tab').evaluateAll((tabs) =>
    tabs.map((tab) => {
      const { top, right } = tab.getBoundingClientRect()
      return { top, right }
    }),
  )
  assert.ok(new Set(boxes.map(({ top }) => top)).size <= 1, page.url())
  const wide = page.viewportSize()?.width ?? 0
  for (const { right } of boxes) assert.ok(right <= wide, `${right} of ${wide}: ${page.url()}`)
}

/** Marks what can be used, and counts what the keyboard has to reach: of tabs and radios one for each group. */
function markUsable(page: Page): Promise<number> {
  return page.evaluate(() => {
    const groups = new Set<string>()
    const all = [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')]
    const usable = all.filter((element) => {
      const { disabled, type, name } = element as HTMLInputElement
      const isShown = element.checkVisibility({ opacityProperty: false, visibilityProperty: true })
      if (disabled || type === 'hidden' || type === 'file' || !isShown) return false
      if (element.closest('[aria-hidden="true"], [inert]')) return false
      const isOne = type === 'radio' || ['tab', 'radio'].includes(element.getAttribute('role') ?? '')
      if (!isOne) return element.tabIndex >= 0 || !element.closest('[role="spinbutton"], .mantine-NumberInput-wrapper')
      const group = name || (element.closest('[role="tablist"], [role="radiogroup"]')?.id ?? 'group')
      if (groups.has(group)) return false
      groups.add(group)
      element.dataset.group = group
      return true
    })
    for (const element of usable) element.dataset.usable = ''
    document.addEventListener('focusin', ({ target }) => {
      const element = target as HTMLElement
      if (element.getBoundingClientRect().right <= 0) element.dataset.unseen = ''
      const group = (element as HTMLInputElement).name || element.closest('[role="tablist"], [role="radiogroup"]')?.id
      const one =
        group === undefined ? element : (document.querySelector(`[data-group="${CSS.escape(group)}"]`) ?? element)
      delete (one as HTMLElement).dataset.usable
      delete element.dataset.usable
    })
    return usable.length
  })
}

async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: { value: number; what: string }[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as any[]) {
        shifts.push({ value, what: sources.map(({ node }: any) => node?.outerHTML?.slice(0, 80)).join(' | ') })
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
  // What is answered a moment later than the screen is drawn.
  await page.route('**/panel/api/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 150))
    await route.continue()
  })
}

async function assertStill(page: Page): Promise<void> {
  const shifts = await page.evaluate(() => (window as any).shifts as { value: number; what: string }[])
  const sum = shifts.reduce((total, { value }) => total + value, 0)
  assert.ok(sum < 0.02, `${page.url()}: ${sum} ${JSON.stringify(shifts)}`)
}

type Rgb = readonly number[]

function luminanceOf(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrastOf(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** What axe does not look at (WCAG 2.2, 1.4.11): the ring of the focus, and the borders of what is not chosen. */
async function assertSeen(page: Page): Promise<void> {
  await page.locator('header button').last().focus()
  const [ground, ring, ...edges] = await page.evaluate(() => {
    const rgb = (element: Element, what: 'backgroundColor' | 'borderTopColor' | 'outlineColor') =>
      (getComputedStyle(element)[what].match(/\d+/g) ?? []).slice(0, 3).map(Number)
    const { body, activeElement } = document
    const fields = ['.mantine-Input-input', '.mantine-Checkbox-input', '.mantine-Radio-radio']
    const all = [...document.querySelectorAll(fields.map((one) => `${one}:enabled:not(:checked)`).join())]
    const borders = all.map((one) => rgb(one, 'borderTopColor'))
    return [rgb(body, 'backgroundColor'), rgb(activeElement ?? body, 'outlineColor'), ...borders]
  })
  for (const colour of [ring, ...edges]) {
    const contrast = contrastOf(colour as Rgb, ground as Rgb)
    assert.ok(contrast >= 3, `${colour} on ${ground}: ${contrast}, ${page.url()}`)
  }
}

/** By what was marked when the screen had come up. */
async function assertReached(page: Page, count: number, least = 6): Promise<void> {
  assert.ok(count >= least, page.url())
  const left = page.locator('[data-usable]')
  // Looked at after every tenth: looking takes longer than pressing.
  for (let presses = 1; presses <= 3 * count + 60; presses += 1) {
    await page.keyboard.press('Tab')
    if (presses % 10 === 0 && (await left.count()) === 0) break
  }
  const missed = await left.evaluateAll((those) => those.map((one) => one.outerHTML.slice(0, 160)))
  assert.deepEqual(missed, [], page.url())
  const unseen = page.locator('[data-unseen]')
  assert.deepEqual(await unseen.allTextContents(), [], `out of sight with the focus: ${page.url()}`)
}

longTest('on a phone Escape closes the menu, and the focus stays on its button', async () => {
  const page = await stage.open(owner, { width: 'phone', path: '/settings' })
  const menu = page.getByRole('button', { name: 'Menu' })
  const button = page.locator('button:focus[aria-label=Menu]')
  for (const leave of ['Escape', 'Enter']) {
    await menu.press('Enter')
    await page.getByRole('link', { name: 'Campaigns' }).press(leave)
    await button.and(page.locator('[aria-expanded=false]')).waitFor()
  }
  await page.getByRole('heading', { name: 'Campaigns' }).waitFor()
  // Beyond its last link the page goes on, which it covers as long as it is open.
  await menu.press('Enter')
  await page.getByRole('link', { name: 'Settings' }).press('Tab')
  await menu.and(page.locator('[aria-expanded=false]')).waitFor()
})

longTest('the way past the navigation leads to the content of the same screen', async () => {
  const page = await stage.open(owner, { path: '/settings/users' })
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.locator('main:focus').waitFor()
  assert.equal(new URL(page.url()).pathname, '/settings/users')
  await page.keyboard.press('Tab')
  await page.locator('main :focus').waitFor()
})

longTest('the browser’s Back closes the help of the screen that it leaves, and a phone’s menu', async () => {
  const page = await stage.open(owner, { width: 'phone', path: '/campaigns' })
  await page.getByRole('link', { name: 'Find a person' }).click()
  await page.getByRole('button', { name: 'Help', exact: true }).click()
  await page.getByRole('dialog', { name: 'Help' }).waitFor()
  await page.goBack()
  await page.getByRole('dialog', { name: 'Help' }).waitFor({ state: 'detached' })
  await page.goForward()
  const menu = page.getByRole('button', { name: 'Menu' })
  await menu.click()
  await menu.and(page.locator('[aria-expanded=true]')).waitFor()
  await page.goBack()
  await menu.and(page.locator('[aria-expanded=false]')).waitFor()
})

longTest('on the way back up, what gets the focus is not under the head of the window', async () => {
  const page = await stage.open(owner, { width: 'phone', path: `/campaigns/${id}/rules` })
  // What the settings would do has fields too.
  await page.locator('main time').first().waitFor()
  const last = page.locator('main').locator('button:enabled, input:enabled').last()
  await last.focus()
  const covered: string[] = []
  let seen = 0
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Shift+Tab')
    const found = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement
      const head = document.querySelector('header') as HTMLElement
      if (head.contains(element) || !element.closest('main')) return undefined
      return { top: element.getBoundingClientRect().top - head.clientHeight, what: element.outerHTML.slice(0, 120) }
    })
    if (found === undefined) continue
    seen += 1
    if (found.top < 0) covered.push(`${found.top}: ${found.what}`)
  }
  assert.ok(seen > 20, String(seen))
  assert.deepEqual(covered, [])
})

longTest('with forced colours a chosen item looks chosen', async () => {
  const page = await stage.open(owner, { path: `/campaigns/${id}/results` })
  await page.emulateMedia({ forcedColors: 'active' })
  const lists = [
    page.getByRole('navigation').getByRole('link'),
    page.getByRole('tab'),
    page.locator('.mantine-SegmentedControl-label'),
  ]
  for (const list of lists) {
    await list.first().waitFor()
    const grounds = await list.evaluateAll((those) => those.map((one) => getComputedStyle(one).backgroundColor))
    assert.equal(new Set(grounds).size, 2, String(grounds))
  }
  await page.goto(`/campaigns/${id}/rules`)
  const drawn = page.locator('.mantine-Switch-track, .mantine-Radio-radio')
  await drawn.first().waitFor()
  const grounds = await drawn.evaluateAll((those) => those.map((one) => getComputedStyle(one).backgroundColor))
  assert.ok(new Set(grounds).size > 1, String(grounds))
  await page.goto('/campaigns')
  await page.getByRole('button', { name: 'New campaign' }).click()
  const templates = page.getByRole('dialog').getByRole('radio')
  await templates.first().waitFor()
  const edges = await templates.evaluateAll((those) => those.map((one) => getComputedStyle(one).borderTopWidth))
  assert.equal(new Set(edges).size, 2, String(edges))
  await page.emulateMedia({ forcedColors: 'none' })
})

longTest('the title of the window tells the parts of a screen apart', async () => {
  const page = await stage.open(owner)
  const titles = [
    [`/campaigns/${id}`, 'Results – Autumn course – Lastcall'],
    [`/campaigns/${id}/leads`, 'Leads – Autumn course – Lastcall'],
    [`/campaigns/${id}/nothing-here`, 'There is nothing here – Lastcall'],
    ['/integrations/webhooks', 'Webhooks – Integrations – Lastcall'],
    ['/settings', 'Account – Settings – Lastcall'],
    ['/campaigns', 'Campaigns – Lastcall'],
  ] as const
  for (const [path, title] of titles) {
    await settled(page, path)
    assert.equal(await page.title(), title)
  }
})

longTest('by ear no two buttons of a screen are called alike', async () => {
  const page = await stage.open(owner, { path: `/campaigns/${id}/leads` })
  const assertApart = async () => {
    const heard = await page.locator('body').ariaSnapshot()
    const buttons = [...heard.matchAll(/- '?button "([^"]*)"/g)].map(([, name]) => name)
    assert.ok(buttons.length > 4, String(buttons))
    assert.deepEqual(
      buttons.filter((one, index) => buttons.indexOf(one) !== index),
      [],
      page.url(),
    )
  }
  await page.getByRole('link', { name: 'ada@example.com' }).click()
  await page.getByRole('dialog', { name: 'Lead' }).getByText('What happened').waitFor()
  await assertApart()
  for (const path of [`/campaigns/${id}/pages`, '/settings/security']) {
    await settled(page, path)
    await assertApart()
  }
})

longTest(
  'on paper nothing is cut or covered: no head of the window, a dialog whole and alone, a chart as wide as the page',
  async () => {
    const page = await stage.open(owner, { path: `/campaigns/${id}` })
    const chart = page.getByRole('slider').first()
    await chart.locator('canvas').waitFor()
    await page.emulateMedia({ media: 'print' })
    await page.locator('header').first().waitFor({ state: 'hidden' })
    await page.getByRole('navigation').waitFor({ state: 'hidden' })
    const wide = await chart.evaluate((box) => {
      // Looked at before it is drawn again, as when a page is printed.
      box.style.width = '300px'
      return box.querySelector('canvas')?.getBoundingClientRect().width
    })
    assert.equal(wide, 300)
    await page.emulateMedia({ media: 'screen' })
    await page.goto(`/campaigns/${id}/leads`)
    await page.getByRole('link', { name: 'ada@example.com' }).click()
    const lead = page.getByRole('dialog', { name: 'Lead' })
    await lead.getByText('What happened').waitFor()
    await page.emulateMedia({ media: 'print' })
    await page.locator('#root').waitFor({ state: 'hidden' })
    await page.locator('.mantine-Overlay-root').first().waitFor({ state: 'hidden' })
    const [shown, whole] = await lead.evaluate(({ clientHeight, scrollHeight }) => [clientHeight, scrollHeight])
    assert.equal(shown, whole)
    assert.ok((whole as number) > widths.desk.height, String(whole))
  },
)

const looks = [
  { width: 'phone', language: 'en', scheme: 'light' },
  { width: 'desk', language: 'pl', scheme: 'dark' },
] as const

/** Most of a test is that a screen comes up: it does once for all, and in the short form two do. */
for (const [turn, look] of looks.entries())
  test(`every screen: ${Object.values(look).join(', ')}`, async (t) => {
    const page = await stage.open(owner, { ...look, isNew: true })
    await watchShifts(page)
    // The overview and the rules: each of another kind.
    for (const path of someOf([...screens.slice(3 * turn), ...screens.slice(0, 3 * turn)], 1)) {
      await page.setViewportSize(widths[look.width])
      await settled(page, path)
      await t.test(`nothing moves while it comes up: the layout shifts by less than 0.02: ${path}`, () =>
        assertStill(page),
      )
      await t.test(`no violation of axe: ${path}`, () => assertNoViolation(page))
      const count = await markUsable(page)
      await t.test(`the first Tab reaches the way past the navigation: ${path}`, async () => {
        await page.keyboard.press('Tab')
        assert.equal(await page.evaluate(() => document.activeElement?.className), 'skip')
      })
      // On a phone what is not there has the head of the window and one way back.
      const least = path === '/nothing-here' && look.width === 'phone' ? 5 : 6
      await t.test(`the keyboard reaches everything: ${path}`, () => assertReached(page, count, least))
      await t.test(`the focus and the fields are seen: ${path}`, () => assertSeen(page))
      await t.test(`nothing is too wide: ${path}`, async () => {
        const isNarrow = async () => {
          await assertFits(page)
          await assertTabsInOneLine(page)
        }
        await isNarrow()
        await page.setViewportSize(widths[look.width === 'phone' ? 'desk' : 'phone'])
        // To shrink, a page takes its time.
        const hasShrunk = () =>
          isNarrow().then(
            () => true,
            () => false,
          )
        if (!(await comesTrue(5_000, hasShrunk))) await isNarrow()
      })
      await t.test(`nor on a phone with text twice as large: ${path}`, async () => {
        await page.setViewportSize(widths.phone)
        const size = (to: string) =>
          page.evaluate((to) => document.documentElement.style.setProperty('font-size', to), to)
        await size('200%')
        const doesFit = () =>
          assertFits(page).then(
            () => true,
            () => false,
          )
        if (!(await comesTrue(5_000, doesFit))) await assertFits(page)
        const { x, width } = (await page.locator('header').getByRole('button').last().boundingBox()) ?? assert.fail()
        assert.ok(x + width <= widths.phone.width, `the last button of the head: ${x} + ${width}`)
        const choices = page.locator('.mantine-SegmentedControl-root')
        const hidden = await choices.evaluateAll((those) => those.map((one) => one.scrollWidth - one.clientWidth))
        assert.ok(Math.max(0, ...hidden) <= 1, 'a choice is cut')
        await size('')
      })
      assert.equal(await page.locator('html').getAttribute('lang'), look.language)
    }
    assertUntroubled(page)
    await page.context().close()
    if (!isFull && turn > 0) return
    const door = await stage.open(undefined, { ...look, path: '/sign-in' })
    await door.locator('h1').waitFor()
    await assertNoViolation(door)
    await door.context().close()
  })
