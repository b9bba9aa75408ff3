// What docs/widget.md says is held against the widget.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { formExample, offerExample, widgetSnippet } from '../../panel/src/screens/campaigns/pages/widget-html.ts'
import { longTest } from '../support/faults.ts'
import { openStage } from '../support/widget-stage.ts'

const stage = openStage()
const root = join(import.meta.dirname, '..', '..')
const document_ = readFileSync(join(root, 'docs', 'widget.md'), 'utf8')
const source = readFileSync(join(root, 'widget', 'v1.js'), 'utf8')

const examples = [...document_.matchAll(/^```html\n(.*?)^```$/gms)].map(([, html]) => html as string)
const [whole = '', cloak = '', boxes = '', form = '', listener = '', banner = ''] = examples

/** Each different text that the pattern finds, sorted. */
const all = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([found, part]) => part ?? found))].sort()

const ours = (html: string, campaignId: string) =>
  html.replace('https://offers.example.com', stage.service.origin).replace('?campaign=1', `?campaign=${campaignId}`)

test('the first example is a page that works', async (t) => {
  assert.equal(examples.length, 6)
  const id = await stage.service.campaign({ endsInSeconds: 5, anonymous: true })
  const { page } = await stage.visitor(t)
  await page.goto(stage.site.put('/example', ours(whole, id)))
  await page.getByRole('timer').waitFor()
  assert.match(await page.locator('[data-lastcall=running]').innerText(), /^Only until \w+ \d+, 20\d\d/)
  assert.equal(await page.getByText('This offer is over.').isVisible(), false)
  // What had the focus is hidden: it is said.
  await page.getByRole('status').getByText('This offer is over.').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Buy' }).isVisible(), false)
  assert.equal(await page.getByText('The offer has not begun yet.').isVisible(), false)
})

longTest(
  'the first example says nothing of a time where there is none: a stranger, a service that is down or blocked',
  async (t) => {
    const id = await stage.service.campaign({ endsInSeconds: 3600 })
    const visitor = await stage.visitor(t)
    const { page, context } = visitor
    const address = stage.site.put('/example', ours(whole, id))
    const holds = async (what: string) => {
      await page.goto(address)
      if (what !== 'blocked') await page.waitForFunction(() => window.Lastcall)
      await new Promise((resolve) => setTimeout(resolve, 500))
      assert.equal(await page.getByText('Only until').isVisible(), false, what)
      assert.equal(await page.getByText('The autumn course').isVisible(), true, what)
    }
    await holds('a stranger')
    await context.route('**/visitor/**', (route) => route.abort())
    await page.goto(`${address}?lc=${await stage.service.lead(id)}`)
    await holds('down')
    await context.route('**/widget/**', (route) => route.abort())
    await holds('blocked')
    visitor.errors.length = 0
  },
)

test('the panel has the same snippet and example as the first one here', () => {
  const lines = (text: string) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
  const words = {
    offer: 'The autumn course for half the price.',
    until: 'Only until',
    buy: 'Buy',
    over: 'This offer is over.',
    notYet: 'The offer has not begun yet.',
  }
  const body = offerExample(words, 'https://shop.example.com/buy')
  assert.equal(form.trim(), formExample({ email: 'Email', send: 'Send me the offer' }))
  for (const part of [widgetSnippet('https://offers.example.com', 1), body])
    assert.ok(lines(whole).join('\n').includes(lines(part).join('\n')), part)
})

test('the other examples work: boxes, form, listener and banner', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const { page } = await stage.visitor(t)
  const told: string[] = []
  page.on('console', (message) => told.push(message.text()))
  const body = cloak + boxes + form + listener + banner
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

test('the example for React imports what it uses', () => {
  const [, jsx = ''] = /^```jsx\n(.*?)^```$/ms.exec(document_) ?? []
  assert.deepEqual(all(jsx, /\buse[A-Z]\w+(?=\()/g), all(/^import (.*) from 'react'$/m.exec(jsx)?.[1] ?? '', /\w+/g))
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
  const [, hiding = ''] = /const isHidden = \{\n(.*?)\n {2}\}/s.exec(source) ?? []
  const marks = [...all(hiding, /^ {4,6}(\w+):/gm), ...all(source, /data-lastcall=(\w+)/g)]
  const documented = all(document_, /^\| `(\w+)` +\|/gm)
  // The widget's own, which no page writes.
  const own = ['bar', 'honeypot']
  assert.deepEqual(documented, [...new Set(marks)].filter((mark) => !own.includes(mark)).sort())

  const variable = /--lastcall-[a-z-]+/g
  assert.deepEqual(all(document_, variable), all(source, variable))

  const calls = all(source, /^ \* @property \{\(.*\} (\w+)$/gm)
  assert.deepEqual(all(document_, /^\| `(\w+)\(/gm), calls)
  assert.equal(calls.length, 5)

  assert.deepEqual(all(document_, /lastcall:(\w+)/g), all(source, /emit\('(\w+)'/g))

  const words = all(source, /^ {4}(\w+): '[A-Z][a-z]/gm).filter((word) => word !== 'ends')
  const attributes = all(document_, /`data-([a-z]+)["=`]/g)
  const others = ['bar', 'campaign', 'consent', 'lastcall', 'text', 'wait']
  assert.deepEqual(attributes, [...words, ...others].sort())
})
