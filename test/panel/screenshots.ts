// Takes the pictures of docs/panel.md: node test/panel/screenshots.ts
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { campaignFile } from '../support/lastcall.ts'
import { type OpenOptions, panelStage } from './stage.ts'

const folder = join(import.meta.dirname, '..', '..', 'docs', 'panel')
const ends: (() => Promise<void>)[] = []
const stage = await panelStage({ after: (end) => void ends.push(end) })
mkdirSync(folder, { recursive: true })

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
for (let visits = 0; visits < 5; visits += 1) {
  await fetch(`${stage.server.origin}/visitor/v1/campaigns/${id}/offer`, {
    method: 'POST',
    body: JSON.stringify({ visit: true, page: 'https://example.com/offer' }),
  })
}

const screens: [name: string, options: OpenOptions][] = [
  ['sign-in', { path: '/sign-in' }],
  ['overview', { path: '/' }],
  ['campaigns', { path: '/campaigns' }],
  ['editor', { path: `/campaigns/${id}` }],
  ['editor-phone', { path: `/campaigns/${id}`, width: 'phone', language: 'pl', scheme: 'dark' }],
  ['pages', { path: `/campaigns/${id}/pages` }],
  ['timer', { path: `/campaigns/${id}/timer` }],
  ['leads', { path: `/campaigns/${id}/leads` }],
  ['keys', { path: '/integrations' }],
  ['history', { path: '/integrations/history' }],
  ['reference', { path: '/integrations/reference' }],
  ['settings', { path: '/settings' }],
]
for (const [name, options] of screens) {
  const page = await stage.open(name === 'sign-in' ? undefined : ada, options)
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
for (const end of ends.reverse()) await end()
