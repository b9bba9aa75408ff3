// `npm run demo`, walked as a person walks it: sign up, open the mail, follow its link, watch the offer end.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from '../support/browser.ts'
import { decode, secondsShown } from '../support/countdown.ts'
import { isFull, longTest, someOf } from '../support/faults.ts'
import { appliedCampaign, arrangeIn, askShared, compileCache, type Scope } from '../support/lastcall.ts'
import { shelveTemplates } from '../support/usual-templates.ts'
import { eventually, inSeconds } from '../support/widget-stage.ts'

const root = join(import.meta.dirname, '..', '..')

type Demo = {
  folder: string
  stop(): Promise<void>
  /** As printed. */
  address: string
  origin: string
  key: string
  /** The page of the server that is told of everything. */
  receiver: string
  /** Runs a command on the demo's database. */
  json(...args: string[]): Promise<any>
}

/** Of the demo's shop. */
const shopTimer = { box: '#1f2937', labels: '#57606f', pixelsPerPoint: 2 } as const

/** The demo keeps its database beside its source, so it gets a copy of that. */
async function startDemo(scope: Scope): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-demo-'))
  scope.after(async () => rmSync(folder, { recursive: true }))
  for (const part of ['src', 'widget', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const data = join(folder, 'data', 'demo')
  // The long form begins from nothing, as a person does, and has the demo draw its images.
  if (!isFull) {
    mkdirSync(data, { recursive: true })
    for (const style of [{}, shopTimer]) await arrangeIn(databaseIn(folder), (store) => shelveTemplates(store, style))
  }
  return runDemo(scope, folder)
}

const databaseIn = (folder: string) => `file:${join(folder, 'data', 'demo', 'lastcall.db')}`

async function runDemo(scope: Scope, folder: string, ...flags: string[]): Promise<Demo> {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', NODE_COMPILE_CACHE: compileCache }
  const server = spawn(process.execPath, [join(folder, 'src', 'main.ts'), 'demo', ...flags], {
    env: { ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  scope.after(() => stop(server))
  let output = ''
  for await (const chunk of server.stdout) {
    output += chunk
    if (output.includes('curl')) break
  }
  const [, address = ''] = /in a browser: (\S+)/.exec(output) ?? []
  const [, receiver = ''] = /is told of it: (\S+)/.exec(output) ?? []
  const [, key = ''] = /Bearer (\S+)'/.exec(output) ?? []
  return {
    folder,
    address,
    stop: () => stop(server),
    origin: new URL(address).origin,
    key,
    receiver,
    async json(...args) {
      const asked = { args, folder, env: { ...env, DATABASE_URL: databaseIn(folder) }, input: '' }
      const { code, stdout, stderr } = await askShared(asked)
      assert.equal(code, 0, stderr)
      return JSON.parse(stdout)
    },
  }
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  const closed = once(server, 'close')
  server.kill('SIGTERM')
  assert.deepEqual(await closed, [0, null])
}

const ends: (() => Promise<void>)[] = []
const whole: Scope = { after: (end) => ends.unshift(end) }
let browser: Browser
let demo: Demo
/** Of the demo's offer page, as a file. */
let campaign: any
before(async () => {
  browser = await openBrowser(whole)
  demo = await startDemo(whole)
  campaign = await shopCampaign()
})
after(async () => {
  for (const end of ends) await end()
})

async function shopCampaign(): Promise<any> {
  const [{ id: accountId }] = await demo.json('account', 'list')
  const campaigns: { id: number; name: string }[] = await demo.json('campaign', 'list', '--account', String(accountId))
  const minute = campaigns.find(({ name }) => name.includes('minute'))
  return demo.json('campaign', 'export', String(minute?.id))
}

/** What the API says of the lead: the deadline in milliseconds. */
async function deadlineOf(campaignId: number, email: string): Promise<number> {
  const answer = await fetch(`${demo.origin}/api/public/v1/campaigns/${campaignId}/leads/lookup`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${demo.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email }),
  })
  assert.equal(answer.status, 200)
  return Date.parse(((await answer.json()) as { deadline: string }).deadline)
}

/** Opens the mail, and reads the time that its image shows: seconds until the deadline, and how many frames. */
async function openMail(page: Page, { mailTimer }: any, language: 'en' | 'pl', deadline: number) {
  const fetched = page.waitForResponse(/\/timer\//)
  await page.locator('summary').click()
  const response = await fetched
  const gif = decode(await response.body())
  const image = page.locator('img')
  await eventually(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth), 1200)
  const near = Math.max(0, Math.round((deadline - Date.now()) / 1000))
  const shown = secondsShown(gif.frames[0], near, { style: mailTimer, language, around: 10 })
  return { shown, frames: gif.frames.length, state: response.headers()['x-timer-state'] }
}

const languages = [
  ['en', 'en-GB', 1440, 'Your offer is over'],
  ['pl', 'pl-PL', 390, 'Twoja oferta się skończyła'],
] as const

test('the whole way, in a minute', { concurrency: languages.length }, async (t) => {
  const walks = someOf(languages, 1).map(([language, locale, width, over]) =>
    t.test(`in ${language}, on a page ${width} wide`, async () => {
      const context = await browser.newContext({ locale, viewport: { width, height: 850 } })
      const page = await context.newPage()
      const errors: string[] = []
      context.on('weberror', (event) => errors.push(String(event.error())))
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
      const fits = async () => assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width)

      const first = await page.goto(demo.address)
      assert.equal(page.url(), `${demo.origin}/demo/${language}/`)
      assert.match(first?.headers()['content-security-policy'] ?? '', /^default-src 'none'; style-src 'sha256-/)
      assert.equal(await page.locator('html').getAttribute('lang'), language)
      await fits()
      const email = await page.getByRole('textbox').inputValue()
      await page.getByRole('button').click()

      await page.waitForURL(/\/mail\//)
      const deadline = await deadlineOf(campaign.id, email)
      const atOpening = await openMail(page, campaign, language, deadline)
      assert.equal(atOpening.state, 'open')
      assert.ok((atOpening.shown ?? 0) > 0, 'the image shows a time of this deadline')
      assert.equal(atOpening.frames, Math.min(60, (atOpening.shown ?? 0) + 1))
      const local = new Date(deadline).toLocaleTimeString('en-GB', { timeZone: 'Europe/Warsaw' })
      const inWarsaw = local.replace(/^0/, '')
      assert.ok((await page.locator('.letter').innerText()).includes(inWarsaw), 'the deadline in words')
      await fits()
      const mail = page.url()

      await page.evaluate(() => localStorage.setItem('ended', ''))
      await page.addInitScript(() => {
        document.addEventListener('lastcall:expire', () => localStorage.setItem('ended', String(Date.now())))
      })
      await page.locator('.letter .button').click()
      const timer = page.getByRole('timer')
      await timer.waitFor()
      assert.equal(page.url(), `${demo.origin}/demo/${language}/offer`)
      assert.equal(await page.evaluate(() => window.Lastcall?.get()?.deadline), deadline)
      assert.ok(inSeconds(await timer.innerText()) <= 60)
      await fits()

      await sleep(deadline - Date.now())
      await page.getByRole('status').getByText(over).waitFor()
      assert.equal(await timer.isVisible(), false)
      const endedAt = Number(await page.evaluate(() => localStorage.getItem('ended')))
      assert.ok(Math.abs(endedAt - deadline) < 1000, `${endedAt - deadline} ms after the deadline`)

      const told = async () => {
        const rows = [...(await (await fetch(demo.receiver)).text()).matchAll(/<tr><td><code>([\w.]+)<.*?<\/tr>/g)]
        const own = rows.filter(([row]) => row.includes(email) && row.includes('>verified<'))
        return own.map(([, type]) => type).reverse()
      }
      const wanted = ['lead.registered', 'lead.deadline_approaching', 'lead.expired']
      await eventually(async () => String(await told()) === String(wanted), true)

      await page.goto(mail)
      const late = await openMail(page, campaign, language, deadline)
      assert.deepEqual(late, { shown: 0, frames: 1, state: 'expired' })
      await page.locator('.letter .button').click()
      await page.getByText(over).waitFor()
      assert.deepEqual(errors, [])
      await context.close()
    }),
  )
  await Promise.all(walks)
})

test('behind the gate, with scripts off: sign-up without a link, the offer, the end by a purchase, and the closed page', async (t) => {
  const person = async () => {
    const context = await browser.newContext({ locale: 'en-GB', javaScriptEnabled: false })
    t.after(() => context.close())
    return context.newPage()
  }
  const page = await person()
  const offer = `${demo.origin}/demo/en/offer`
  await page.goto(offer)
  assert.equal(page.url(), `${demo.origin}/demo/en/`, 'without a link the sign-up comes')
  const email = await page.getByRole('textbox').inputValue()
  await page.getByRole('button').click()
  await page.waitForURL(/\/mail\//)
  const link = (await page.locator('.letter .button').getAttribute('href')) as string
  await page.goto(link)
  const copied = page.url()
  assert.ok(await page.getByText('Buy at half price').isVisible())
  await page.goto(offer)
  assert.ok(await page.getByText('Buy at half price').isVisible(), 'the shop knows the visitor again')
  const elsewhere = await person()
  await elsewhere.goto(offer)
  assert.equal(elsewhere.url(), `${demo.origin}/demo/en/`, 'another browser is nobody')
  await page.getByText('Buy at half price').click()
  await page.waitForURL(`${demo.origin}/demo/en/thanks`)
  for (const [one, address] of [
    [page, offer],
    [page, copied],
    [elsewhere, link],
  ] as const) {
    await one.goto(address)
    assert.equal(one.url(), `${demo.origin}/demo/en/closed`)
    assert.doesNotMatch(await one.content(), /€120|Buy at half price/)
  }
  const orders = await demo.json('conversion', 'list', '--campaign', String(campaign.id))
  const own = orders.filter((one: any) => one.email === email)
  assert.equal(own.length, 1)
  assert.ok(own[0].secondsLeft > 0 && own[0].secondsLeft <= 60)
  assert.deepEqual([own[0].amount, own[0].currency, own[0].closed], ['120.00', 'EUR', true])
  const told = async () => {
    const rows = [...(await (await fetch(demo.receiver)).text()).matchAll(/<tr><td><code>([\w.]+)<.*?<\/tr>/g)]
    return rows.filter(([row]) => row.includes(email)).map(([, type]) => type)
  }
  await eventually(async () => (await told()).includes('lead.converted'), true)
  assert.ok(!(await told()).includes('lead.expired'))
})

test('a wrong email is refused in words and given back, and nothing but the pages of the shop is found', async () => {
  const send = (body: string) =>
    fetch(`${demo.origin}/demo/en/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body,
    })
  const refused = [
    ['email=no+address', 'no address'],
    ['', ''],
    ['email=%3Cb%3E%40example.com', '&#60;b&#62;@example.com'],
    [`email=${'x'.repeat(5_000)}`, ''],
  ] as const
  for (const [body, given] of refused) {
    const answer = await send(body)
    assert.equal(answer.status, 422, body)
    const page = await answer.text()
    assert.match(page, /Please enter an email address such as name@example.com/)
    assert.ok(page.includes(`value="${given}"`), given)
  }
  for (const path of ['/demo/de/', '/demo/en', '/demo/en/mail/00000000-0000-0000-0000-000000000000', '/demo/en/x'])
    assert.equal((await fetch(demo.origin + path)).status, 404, path)
  for (const type of ['application/json', 'text/html'])
    assert.equal(
      (await fetch(demo.receiver, { method: 'POST', body: '<', headers: { 'Content-Type': type } })).status,
      401,
    )
})

longTest(
  'the demo starts again where somebody has changed the rules of its shop, also at an address of its own',
  async (t) => {
    const first = await startDemo(t)
    await first.stop()
    const fixed = { startsOn: 'registration', deadline: { kind: 'fixed', at: '2099-01-01T00:00' } }
    await arrangeIn(databaseIn(first.folder), async (store) => {
      const { id: accountId } = (await store.configuration.listAccounts())[0] as { id: number }
      await appliedCampaign(store, accountId, JSON.stringify({ ...campaign, pages: [], mechanism: fixed }))
    })
    for (const _ of ['before', 'after']) {
      const again = await runDemo(t, first.folder, '--host', '127.0.0.2')
      assert.equal(new URL(again.origin).hostname, '127.0.0.2')
      const form = {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ email: 'ada@example.com' }),
      } as const
      assert.equal((await fetch(`${again.address}/en/`, form)).status, 303)
      await again.stop()
    }
  },
)
