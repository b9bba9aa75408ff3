// What the panel shows where the server has newer data about time zones than the browser.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ticksOf } from '../../panel/src/screens/integrations/history/ticks.ts'
import { longTest } from '../support/faults.ts'
import { appliedCampaign, campaignFile } from '../support/lastcall.ts'
import { panelSession } from '../support/panel-session.ts'
import { winnipegOf2027, writeZones } from '../support/zone-files.ts'
import { assertUntroubled, panelStage } from './stage.ts'

const folder = mkdtempSync(join(tmpdir(), 'lastcall-zones-'))
after(() => rmSync(folder, { recursive: true }))
const zones = { 'America/Winnipeg': winnipegOf2027, 'Europe/Atlantis': { before: 5_400 } }
const stage = await panelStage({ after }, [], { TZDIR: writeZones(folder, zones) })
const owner = await stage.person('owner')

const mechanism = { startsOn: 'registration', deadline: { kind: 'fixed', at: '2027-01-15T12:00' } }
const campaign = await stage.place.arrange((store) =>
  appliedCampaign(store, owner.accountId, campaignFile({ timeZone: 'America/Winnipeg', mechanism })),
)

test('below a chart of requests each day stands once, at its midnight, also where clocks change', () => {
  for (const [timeZone, from, until] of [
    ['Europe/Warsaw', '2026-10-22', '2026-10-29'],
    ['Europe/Warsaw', '2027-03-25', '2027-04-01'],
    // Here clocks go forward at midnight: the day begins at one.
    ['America/Santiago', '2027-09-02', '2027-09-08'],
  ] as const) {
    const local = (at: number) => new Date(at).toLocaleString('sv', { timeZone }).replace(' ', 'T')
    const aheadAt = (at: number) => Date.parse(`${local(at)}Z`) - at
    const ticks = ticksOf(Date.parse(`${from}T12:00Z`), Date.parse(`${until}T12:00Z`), 14, aheadAt)
    const days = ticks.filter(({ unit }) => unit === 'day').map(({ at }) => local(at))
    const dates = Array.from({ length: days.length }, (_, index) =>
      new Date(Date.parse(from) + (index + 1) * 86_400_000).toISOString().slice(0, 10),
    )
    assert.deepEqual(
      days.map((day) => day.slice(0, 10)),
      dates,
    )
    assert.equal(dates.at(-1), until)
    const late = days.filter((day) => !day.endsWith('T00:00:00'))
    assert.deepEqual(late, timeZone === 'America/Santiago' ? ['2027-09-05T01:00:00'] : [])
  }
})

test("local times are by the server's zone data, in the campaign's zone and in the reader's own", async () => {
  const page = await stage.open(owner, { path: `/campaigns/${campaign.id}/leads`, zone: 'America/Winnipeg' })
  const { status } = await page.request
    .post(`/panel/api/campaigns/${campaign.id}/leads`, { data: { email: 'lead@example.com' } })
    .then((answer) => ({ status: answer.status() }))
  assert.equal(status, 200)
  await page.reload()
  // 17:00 in UTC: a browser whose data are older says 11:00.
  const time = page.getByRole('row').getByText('Fri, 15 Jan 2027, 12:00 GMT-5', { exact: true })
  await time.hover()
  const own = page.getByRole('tooltip').getByText('Your time: Fri, 15 Jan 2027, 12:00:00 GMT-5')
  await own.waitFor()
  await own.hover()
  await page.waitForTimeout(300)
  assert.ok(await own.isVisible(), 'it stays under the pointer')
  assertUntroubled(page)
})

longTest(
  'the list says when a campaign ends, and a calendar what is today, by the day of its own zone, wherever the reader is',
  async () => {
    const page = await stage.open(owner, { path: '/campaigns', zone: 'Pacific/Kiritimati' })
    // In the reader's zone it is 16 January by then.
    await page.getByRole('cell', { name: '15 Jan 2027' }).waitFor()
    // There it is the 30th already.
    await page.clock.setFixedTime('2026-11-29T12:00Z')
    await page.goto(`/campaigns/${campaign.id}/rules`)
    const field = page.locator('.preview .mantine-TextInput-root').first()
    await field.getByRole('button', { name: 'Calendar' }).click()
    const today = page.getByRole('dialog', { name: 'Calendar' }).locator('[data-today][data-highlight-today]')
    assert.equal(await today.getAttribute('aria-label'), '29 November 2026')
  },
)

longTest('a browser that does not know its time zone makes campaigns in UTC, by which it counts', async () => {
  const page = await stage.open(owner)
  await page.addInitScript(() => {
    const { resolvedOptions } = Intl.DateTimeFormat.prototype
    // What Chromium says if the computer's setting is no zone that it has.
    Intl.DateTimeFormat.prototype.resolvedOptions = function () {
      return { ...resolvedOptions.call(this), timeZone: 'Etc/Unknown' }
    }
  })
  await page.goto('/campaigns')
  await page.getByRole('button', { name: 'New campaign' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Anywhere')
  await page.getByRole('button', { name: 'Create draft' }).click()
  await page.getByRole('heading', { name: 'Anywhere' }).waitFor()
  const path = new URL(page.url()).pathname
  const kept = await page.request.get(`/panel/api${path.match(/^\/campaigns\/[^/]+/)}`)
  assert.equal((await kept.json()).settings.timeZone, 'UTC')
  assertUntroubled(page)
})

longTest("a campaign has its results in a zone that only the server's data have", async () => {
  const page = await stage.open(owner)
  const settings = JSON.parse(campaignFile({ timeZone: 'Europe/Atlantis', mechanism }))
  const made = await (await page.request.post('/panel/api/campaigns', { data: { settings } })).json()
  await page.goto(`/campaigns/${made.settings.id}`)
  await page.getByText('Nobody signed up in these days.').waitFor()
  await page.getByText('Days of the campaign’s time zone, Europe/Atlantis.').waitFor()
  assertUntroubled(page)
})

longTest("a zone that only the server's data have can be chosen", async () => {
  const page = await stage.open(owner, { path: `/campaigns/${campaign.id}/rules` })
  await page.getByRole('combobox', { name: 'Time zone' }).fill('atlantis')
  await page.getByRole('option', { name: 'Europe/Atlantis' }).click()
  await page
    .getByText(/12:00 GMT\+1:30/)
    .first()
    .waitFor()
  assertUntroubled(page)
})

test('clock changes of a zone that nobody knows are refused, and so is a decade that is none', async () => {
  const send = await panelSession(stage.place, stage.server, owner.accountId)
  const ask = (query: string) => send('GET', `/clock-changes?${query}`)
  const { status, body } = await ask('timeZone=Europe%2FLemuria&decade=2020')
  assert.deepEqual([status, body.code, body.faults[0].path], [422, 'INVALID', 'timeZone'])
  assert.equal((await ask('timeZone=Europe%2FWarsaw&decade=2021')).status, 422)
  const warsaw = await ask('timeZone=Europe%2FWarsaw&decade=2020')
  assert.equal(warsaw.body.changes.length, 41)
})
