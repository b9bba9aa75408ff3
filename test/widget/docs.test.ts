// What docs/widget.md says is held against the widget.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openStage } from '../support/widget-stage.ts'

const stage = openStage({ after })
const root = join(import.meta.dirname, '..', '..')
const document_ = readFileSync(join(root, 'docs', 'widget.md'), 'utf8')
const source = readFileSync(join(root, 'widget', 'v1.js'), 'utf8')

const examples = [...document_.matchAll(/^```html\n(.*?)^```$/gms)].map(([, html]) => html as string)
const [whole = '', boxes = '', form = '', listener = '', banner = ''] = examples

/** Each different text that the pattern finds, sorted. */
const all = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([found, part]) => part ?? found))].sort()

const ours = (html: string, campaignId: string) =>
  html
    .replace('https://offers.example.com', stage.service.origin)
    .replace('data-campaign="1"', `data-campaign="${campaignId}"`)

test('the first example is a page that works', async (t) => {
  assert.equal(examples.length, 5)
  const id = await stage.service.campaign({ endsInSeconds: 5, anonymous: true })
  const { page } = await stage.visitor(t)
  await page.goto(stage.site.put('/example', ours(whole, id)))
  await page.getByRole('timer').waitFor()
  assert.match(await page.locator('[data-lastcall=running]').innerText(), /^Only until \w+ \d+, 20\d\d/)
  assert.equal(await page.getByText('This offer is over.').isVisible(), false)
  await page.getByText('This offer is over.').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Buy' }).isVisible(), false)
  assert.equal(await page.getByText('The offer has not begun yet.').isVisible(), false)
})

test('the other examples work: boxes, form, listener and banner', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const { page } = await stage.visitor(t)
  const told: string[] = []
  page.on('console', (message) => told.push(message.text()))
  const body = boxes + form + listener + banner
  await page.goto(stage.put({ campaigns: [id], body, attributes: 'data-consent="wait"' }))
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('button').click()
  const timer = page.getByRole('timer')
  await timer.waitFor()
  const box = timer.locator('> span').nth(1)
  const [direction, background] = await box.evaluate((one) => {
    const { flexDirection, backgroundColor } = getComputedStyle(one)
    return [flexDirection, backgroundColor]
  })
  assert.deepEqual([direction, background], ['column', 'rgb(20, 33, 61)'])
  assert.match(told[0] ?? '', /^3(600|5\d\d) seconds left$/)
  assert.ok(await page.evaluate(() => localStorage.getItem('lastcall')))
})

test('without the widget the form of the example sends the email nowhere, and into no address', async (t) => {
  const { page } = await stage.visitor(t)
  const address = stage.site.put('/no-script', `<!doctype html><html lang="en"><body>${form}</body></html>`)
  await page.goto(address)
  await page.getByLabel('Email').fill('ada@example.com')
  const loads: string[] = []
  page.on('request', (request) => loads.push(request.url()))
  await page.getByRole('button').click()
  await new Promise((resolve) => setTimeout(resolve, 500))
  assert.deepEqual([page.url(), loads], [address, []])
  assert.equal(await page.getByLabel('Email').inputValue(), 'ada@example.com')
  for (const text of [document_, readFileSync(join(root, 'README.md'), 'utf8')])
    for (const [tag] of text.matchAll(/<form\b[^>]*data-lastcall[^>]*>/g)) assert.match(tag, /method="dialog"/)
})

test('it has every mark, variable, call, event and attribute of the widget, and no other', async () => {
  const marks = all(source, /^ {4}(offer|expired|scheduled|running|countdown|deadline):/gm)
  const documented = all(document_, /^\| `(\w+)` +\|/gm)
  assert.deepEqual(documented, [...marks, 'form', 'message'].sort())

  const variable = /--lastcall-[a-z-]+/g
  assert.deepEqual(all(document_, variable), all(source, variable))

  const calls = all(source, /^ \* @property \{\(.*\} (\w+)$/gm)
  assert.deepEqual(all(document_, /^\| `(\w+)\(/gm), calls)
  assert.equal(calls.length, 5)

  assert.deepEqual(all(document_, /lastcall:(\w+)/g), all(source, /emit\('(\w+)'/g))

  const words = all(source, /^ {4}(\w+): '[A-Z][a-z]/gm).filter((word) => word !== 'ends')
  const attributes = all(document_, /`data-([a-z]+)["=`]/g)
  const others = ['bar', 'campaign', 'consent', 'lastcall', 'text']
  assert.deepEqual(attributes, [...words, ...others].sort())
})
