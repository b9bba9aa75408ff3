// Takes a picture of every screen, to be looked at one by one: node test/panel/every-picture.ts FOLDER
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser } from '../support/browser.ts'
import { campaignFile } from '../support/lastcall.ts'
import { type Person, panelStage, schemes, widths } from './stage.ts'

const [folder = 'pictures', only = ''] = process.argv.slice(2)
const ends: (() => Promise<void>)[] = []
const scope = { after: (end: () => Promise<void>) => void ends.push(end) }
// The browser that tests share ends with their run, and here is none.
const stage = await panelStage(scope, [], {}, openBrowser(scope))
mkdirSync(folder, { recursive: true })

/** How many campaigns and leads somebody has. */
const amounts = { none: [0, 0], one: [1, 1], many: [120, 10_000] } as const

async function prepare(name: keyof typeof amounts): Promise<{ who: Person; campaignId: number | null }> {
  const who = await stage.person(name)
  const [campaigns, leads] = amounts[name]
  let campaignId: number | null = null
  for (let number = 1; number <= campaigns; number += 1) {
    const file = campaignFile({
      name: number === 1 ? 'Autumn course' : `Campaign ${number}`,
      isDraft: number % 5 === 2,
    })
    const made = await stage.place.json(['campaign', 'apply', '--account', String(who.accountId), '-'], file)
    campaignId ??= made.id
  }
  if (campaignId !== null) {
    const emails = Array.from(
      { length: leads },
      (_, number) => `somebody-${String(number).padStart(5, '0')}@example.com`,
    )
    await stage.place.json(['lead', 'import', '--campaign', String(campaignId), '-'], `email\n${emails.join('\n')}\n`)
    await stage.place.json(['key', 'create', '--account', String(who.accountId), '--name', 'Shop'])
  }
  return { who, campaignId }
}

for (const amount of Object.keys(amounts) as (keyof typeof amounts)[]) {
  const { who, campaignId } = await prepare(amount)
  const parts = ['', '/rules', '/pages', '/timer', '/leads']
  const ofCampaign = campaignId === null ? [] : parts.map((part) => `/campaigns/${campaignId}${part}`)
  const account = ['/', '/campaigns', '/person', '/integrations', '/integrations/history', '/integrations/webhooks']
  const paths = [
    ...account,
    '/integrations/reference',
    '/settings',
    '/settings/users',
    '/settings/security',
    '/settings/audit',
    ...ofCampaign,
  ].filter((path) => path.includes(only))
  for (const [width, viewport] of Object.entries(widths)) {
    for (const scheme of schemes) {
      for (const language of ['en', 'pl'] as const) {
        const page = await stage.open(who, { width: width as keyof typeof widths, scheme, language })
        for (const path of paths) {
          await page.goto(path)
          await page.waitForLoadState('networkidle')
          // What is drawn where it is first seen, as the sample of the widget, is drawn by that.
          await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
          await page.waitForTimeout(500)
          await page.evaluate(() => window.scrollTo(0, 0))
          await page.waitForLoadState('networkidle')
          const screen = path === '/' ? 'overview' : path.replace(/\d+/, '').replaceAll(/\/+/g, '-').slice(1)
          const name = [screen, amount, viewport.width, scheme, language].join('_')
          await page.screenshot({ path: join(folder, `${name}.jpeg`), type: 'jpeg', quality: 60, fullPage: true })
        }
        await page.context().close()
      }
    }
  }
}
for (const end of ends.reverse()) await end()
