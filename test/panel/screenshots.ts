// Takes the pictures of README.md and docs/panel.md, and the countdown that README shows: npm run screenshots
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import type { Count, Kind } from '../../src/store/counts.ts'
import { openBrowser } from '../support/browser.ts'
import { customerSite } from '../support/customer-site.ts'
import { campaignFile } from '../support/lastcall.ts'
import { aPerson } from '../support/recipient.ts'
import { type OpenOptions, type Person, panelStage } from './stage.ts'

const docs = join(import.meta.dirname, '..', '..', 'docs')
const folder = join(docs, 'panel')
const ends: (() => Promise<void>)[] = []
const scope = { after: (end: () => Promise<void>) => void ends.push(end) }
// The browser that tests share ends with their run, and here is none.
const stage = await panelStage(scope, [], {}, openBrowser(scope))
mkdirSync(folder, { recursive: true })

async function take(name: string, options: OpenOptions, who?: Person): Promise<void> {
  const page = await stage.open(who, options)
  await save(page, join(folder, `${name}.png`), options.width === 'phone' ? 390 : 1_000)
}

async function save(page: Page, path: string, width: number): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.locator('main [role=status] .mantine-Skeleton-root').first().waitFor({ state: 'hidden' })
  await page.waitForTimeout(600)
  const picture = await page.screenshot()
  await sharp(picture).resize({ width }).png({ palette: true, colours: 64 }).toFile(path)
  await page.context().close()
}

const { url: setupUrl } = await stage.place.json(['setup-link'])
await take('setup', { path: new URL(setupUrl).pathname + new URL(setupUrl).hash })
const ada = await stage.person('ada')
const account = String(ada.accountId)
const make = (name: string, changes: Record<string, unknown> = {}) =>
  stage.place.json(['campaign', 'apply', '--account', account, '-'], campaignFile({ name, ...changes }))
const weekly = { kind: 'next', closes: { every: 'week', on: ['fri'], time: '23:59' }, minLead: 'PT24H' }
await make('Webinar', { isDraft: true })
await make('Every Friday', { mechanism: { startsOn: 'registration', deadline: weekly } })
const site = await customerSite(scope)
const { id } = await make('Autumn course', {
  pages: [{ pageUrl: `${site.origin}/autumn` }],
  mechanism: {
    startsOn: 'registration',
    deadline: { kind: 'daysAt', days: 3, time: '23:59' },
    retry: { enabled: true, after: 'P30D', max: 1 },
  },
})
const { key } = await stage.place.json(['key', 'create', '--account', account, '--name', 'Shop'])
const names = ['ada', 'bela', 'chen', 'dana', 'emil', 'fatima', 'grace']
for (const name of names) {
  await fetch(`${stage.server.base}/campaigns/${id}/leads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${name}@example.com` }),
  })
}
const show = ['lead', 'show', '--campaign', String(id), '--email', 'ada@example.com']
const { ref } = await stage.place.json(show)
for (let visits = 0; visits < 5; visits += 1) {
  await fetch(`${stage.server.origin}/visitor/v1/campaigns/${id}/offer`, {
    method: 'POST',
    headers: { 'user-agent': aPerson },
    body: JSON.stringify({ visit: true, page: 'https://example.com/offer' }),
  })
}

/** Sixty days of a campaign that is found by more people each week. */
await stage.place.arrange(async (store) => {
  const of = { accountId: ada.accountId, campaignId: id as number }
  const now = Math.floor(Date.now() / 1_000)
  const counts: Count[] = []
  for (let ago = 59; ago >= 0; ago -= 1) {
    const at = now - ago * 86_400
    const signedUp = Math.round((90 - ago) * (1 + Math.sin(ago) / 4))
    const [started, clicked] = [Math.round(signedUp * 0.92), Math.round(signedUp * 0.41)]
    await store.counts.addSignups([{ ...of, fromAt: at - (at % 900), signedUp, started, clicked, converted: 0 }])
    const totals = { registration: signedUp, click: clicked, open: signedUp * 2, visit: clicked + 20 }
    for (const [kind, total] of Object.entries(totals) as [Kind, number][]) {
      const what = { pageId: null, leadId: null, kind, fetcher: 'person' } as const
      counts.push({ ...of, ...what, day: Math.floor(at / 86_400), total, lastAt: at })
    }
  }
  await store.counts.add(counts)
})
for (const [index, name] of names.slice(0, 4).entries()) {
  const order = ['--order', `100${index}`, '--amount', '49.00', '--currency', 'EUR']
  await stage.place.json(['lead', 'convert', '--campaign', String(id), '--email', `${name}@example.com`, ...order])
}
const kinds = ['--kinds', 'lead.registered,lead.converted,lead.expired']
const hook = ['webhook', 'create', '--account', account, '--name', 'Shop', '--url', 'https://shop.example.com/hooks']
await stage.place.json([...hook, ...kinds])

/** What the recipient meets: the countdown of the mail, and the offer page. */
const { offerLinks, mailTimerUrl } = await (
  await fetch(`${stage.server.base}/campaigns/${id}/leads/lookup`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'grace@example.com' }),
  })
).json()
const countdown = await fetch(mailTimerUrl, { headers: { 'user-agent': aPerson } })
writeFileSync(join(docs, 'countdown.gif'), Buffer.from(await countdown.arrayBuffer()))
site.put(
  '/autumn',
  `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Autumn course</title>
  <style>body { margin: 0; padding: 40px 28px; font: 18px/1.5 system-ui, sans-serif; color: #1f2937; background: #fbf7f0 }
  h1 { font-size: 34px; line-height: 1.15 } s { color: #6b7280 } strong { font-size: 40px }
  .time { padding: 14px 18px; background: #7c2d12; color: #fff; border-radius: 10px }
  [data-lastcall=countdown] { font-size: 15px; font-weight: 700; white-space: nowrap }
  a { display: block; margin-top: 24px; padding: 16px; text-align: center; color: #fff; background: #c2410c;
  border-radius: 10px; text-decoration: none; font-weight: 700 }</style>
  <h1>Draw what you see, in ten weeks</h1><p>Live every Tuesday, with your drawings looked at one by one.</p>
  <div data-lastcall="offer"><p><s>€98</s> <strong>€49</strong></p>
  <p class="time" data-lastcall="running">Your price until <time data-lastcall="deadline"></time><br>
  <span data-lastcall="countdown"></span></p><a href="https://shop.example.com/">Join for €49</a></div>
  <script src="${stage.server.origin}/widget/v1.js?campaign=${id}"></script></html>`,
)
const visitor = await stage.open(undefined, { width: 'phone' })
await visitor.setViewportSize({ width: 390, height: 580 })
await visitor.goto(offerLinks[0].url)
await visitor.getByText('Your price until').waitFor()
await save(visitor, join(docs, 'offer.png'), 390)

const screens: [name: string, options: OpenOptions][] = [
  ['overview', { path: '/' }],
  ['campaigns', { path: '/campaigns' }],
  ['results', { path: `/campaigns/${id}/results` }],
  ['editor', { path: `/campaigns/${id}/rules` }],
  ['editor-phone', { path: `/campaigns/${id}/rules`, width: 'phone', language: 'pl', scheme: 'dark' }],
  ['pages', { path: `/campaigns/${id}/pages` }],
  ['timer', { path: `/campaigns/${id}/timer` }],
  ['leads', { path: `/campaigns/${id}/leads` }],
  ['lead', { path: `/campaigns/${id}/leads/${ref}` }],
  ['keys', { path: '/integrations' }],
  ['webhooks', { path: '/integrations/webhooks' }],
  ['history', { path: '/integrations/history' }],
  ['reference', { path: '/integrations/reference' }],
  ['settings', { path: '/settings/users' }],
]
await take('sign-in', { path: '/sign-in' })
for (const [name, options] of screens) await take(name, options, ada)
const host = await stage.open(ada)
const invited = await host.request.post('/panel/api/invitations', { data: { role: 'member' } })
const { pathname, hash } = new URL((await invited.json()).url)
await take('join', { path: pathname + hash })
for (const end of ends.reverse()) await end()
