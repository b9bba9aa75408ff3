// Takes the pictures of docs/panel.md: node test/panel/screenshots.ts
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { campaignFile } from '../support/lastcall.ts'
import { aPerson } from '../support/recipient.ts'
import { type OpenOptions, type Person, panelStage } from './stage.ts'

const folder = join(import.meta.dirname, '..', '..', 'docs', 'panel')
const ends: (() => Promise<void>)[] = []
const stage = await panelStage({ after: (end) => void ends.push(end) })
mkdirSync(folder, { recursive: true })

async function take(name: string, options: OpenOptions, who?: Person): Promise<void> {
  const page = await stage.open(who, options)
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(600)
  const picture = await page.screenshot()
  const width = options.width === 'phone' ? 390 : 1_000
  await sharp(picture)
    .resize({ width })
    .png({ palette: true, colours: 64 })
    .toFile(join(folder, `${name}.png`))
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
const { id } = await make('Autumn course', {
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

const screens: [name: string, options: OpenOptions][] = [
  ['overview', { path: '/' }],
  ['campaigns', { path: '/campaigns' }],
  ['editor', { path: `/campaigns/${id}` }],
  ['editor-phone', { path: `/campaigns/${id}`, width: 'phone', language: 'pl', scheme: 'dark' }],
  ['pages', { path: `/campaigns/${id}/pages` }],
  ['timer', { path: `/campaigns/${id}/timer` }],
  ['leads', { path: `/campaigns/${id}/leads` }],
  ['lead', { path: `/campaigns/${id}/leads/${ref}` }],
  ['keys', { path: '/integrations' }],
  ['history', { path: '/integrations/history' }],
  ['reference', { path: '/integrations/reference' }],
  ['settings', { path: '/settings' }],
]
await take('sign-in', { path: '/sign-in' })
for (const [name, options] of screens) await take(name, options, ada)
const host = await stage.open(ada)
const invited = await host.request.post('/panel/api/invitations', { data: {} })
const { pathname, hash } = new URL((await invited.json()).url)
await take('join', { path: pathname + hash })
for (const end of ends.reverse()) await end()
