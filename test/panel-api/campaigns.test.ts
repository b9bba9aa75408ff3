// Campaigns as the panel saves them, on both engines.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openConfigCache } from '../../src/campaigns/config-cache.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import { oneAtATime } from '../../src/http/one-at-a-time.ts'
import { openLimits } from '../../src/http/panel/rates-and-turns.ts'
import { routes } from '../../src/http/panel/routes.ts'
import { buildLeads } from '../../src/leads/leads.ts'
import type { Campaign } from '../../src/store/model.ts'
import { tester } from '../support/actor.ts'
import { amount, longTest } from '../support/faults.ts'
import { appliedCampaign, campaignFile } from '../support/lastcall.ts'
import { panelSession, plainServer } from '../support/panel-session.ts'

const { place, server } = await plainServer()
const { id: accountId } = await place.arrange((store) => store.configuration.createAccount('Owner', tester))
const ask = await panelSession(place, server, accountId)

async function makeCampaign(changes: Record<string, unknown> = {}) {
  const { status, body } = await ask('POST', '/campaigns', { settings: JSON.parse(campaignFile(changes)) })
  assert.equal(status, 200)
  return body
}

test('if two save what both have read, the second is told, and what the first saved stays', async () => {
  const { settings, revision } = await makeCampaign()
  for (let round = 0; round < amount(1, 2); round += 1) {
    const read = round === 0 ? revision : (await ask('GET', `/campaigns/${settings.id}`)).body.revision
    const names = [`Ada ${round}`, `Bob ${round}`]
    // A style that was never drawn: both wait for it between reading and writing.
    const mailTimer = { cornerRadius: 20 + round, width: 200, height: 50, pixelsPerPoint: 1 }
    const put = (name: string) =>
      ask('PUT', `/campaigns/${settings.id}`, { settings: { ...settings, name, mailTimer }, revision: read })
    const answers = await Promise.all(names.map(put))
    const said = answers.map(({ status, body }) => `${status} ${body.code ?? body.settings.name}`)
    const winner = names.find((name) => said.includes(`200 ${name}`))
    assert.deepEqual(said.toSorted(), [`200 ${winner}`, '409 CHANGED_MEANWHILE'])
    const standing = await ask('GET', `/campaigns/${settings.id}`)
    assert.equal(standing.body.settings.name, winner)
  }
})

test('what is posted is a new campaign, whatever id it has: nothing that somebody saved is replaced unseen', async () => {
  const { settings, revision } = await makeCampaign()
  const file = JSON.parse(campaignFile({ id: settings.id, name: 'Another one' }))
  const posted = await ask('POST', '/campaigns', { settings: file })
  assert.equal(posted.status, 200)
  assert.notEqual(posted.body.settings.id, settings.id)
  assert.equal((await ask('GET', `/campaigns/${settings.id}`)).body.revision, revision)
})

test('users of a suspended account read everything and change nothing', async () => {
  const { id } = await place.arrange((store) => store.configuration.createAccount('Suspended', tester))
  const theirs = await panelSession(place, server, id)
  await place.arrange((store) => store.configuration.updateAccount(id, { suspended: true }, tester))
  assert.equal((await theirs('GET', '/campaigns')).status, 200)
  const { status, body } = await theirs('POST', '/campaigns', { settings: JSON.parse(campaignFile()) })
  assert.deepEqual([status, body.code], [403, 'ACCOUNT_SUSPENDED'])
  assert.deepEqual((await theirs('GET', '/campaigns')).body.campaigns, [])
})

test('in the list a campaign ends on a day of its own zone, and what was counted on a later day is of today; of what people did only clicks and sign-ups are read', async () => {
  const timeZone = 'Pacific/Kiritimati'
  const deadline = { kind: 'fixed', at: '2099-12-31T01:00' }
  const { settings } = await makeCampaign({ timeZone, mechanism: { startsOn: 'registration', deadline } })
  // As where the clocks of the campaign were ahead when people came.
  const now = Math.floor(Date.now() / 1_000)
  const tomorrow = Math.floor((now + 14 * 3_600) / 86_400) + 1
  const of = { accountId, campaignId: settings.id as number, day: tomorrow, pageId: null, leadId: null, lastAt: now }
  await place.arrange((store) =>
    store.counts.add([
      { ...of, kind: 'registration', fetcher: 'person', total: 3 },
      { ...of, kind: 'click', fetcher: 'person', total: 2 },
      { ...of, kind: 'visit', fetcher: 'person', total: 7 },
      { ...of, kind: 'click', fetcher: 'scanner', total: 9 },
    ]),
  )
  const read = await place.arrange((store) => store.counts.byCampaign(accountId, tomorrow))
  const ofThis = read.filter(({ campaignId }) => campaignId === settings.id)
  assert.deepEqual(
    ofThis.map(({ kind, total }) => [kind, total]),
    [
      ['click', 2],
      ['registration', 3],
    ],
  )
  const { body } = await ask('GET', '/campaigns')
  const found = body.campaigns.find(({ id }: { id: number }) => id === settings.id)
  assert.deepEqual([found.endsOn, found.clicks, found.signUps.at(-1)], ['2099-12-31', 2, 3])
})

test('a day more that several give a lead at once is a day for each of them', async () => {
  const { settings } = await makeCampaign({ isDraft: false })
  const path = `/campaigns/${settings.id}/leads`
  const { ref } = (await ask('POST', path, { email: 'more@example.com' })).body
  const deadline = async () => (await ask('GET', `${path}/${ref}`)).body.deadline as number
  const before = await deadline()
  await Promise.all(Array.from({ length: 5 }, () => ask('PUT', `${path}/deadlines`, { refs: [ref], to: 'dayLater' })))
  // Or an hour less or more, where the clocks change meanwhile.
  assert.equal(Math.round(((await deadline()) - before) / 86_400), 5)
})

test('a lead that is erased while deadlines are set is left out, and the others are answered', async () => {
  const { settings } = await makeCampaign({ isDraft: false })
  const path = `/campaigns/${settings.id}/leads`
  const emails = Array.from({ length: 20 }, (_, n) => `lead-${n}@example.com`)
  await ask('POST', `${path}/import`, { emails })
  const found = await ask('POST', `${path}/search`, { prefix: '', state: null, afterEmail: '', limit: 50 })
  const refs = found.body.leads.map(({ ref }: { ref: string }) => ref)
  await place.arrange(async (store) => {
    const campaign = (await store.configuration.findCampaign(settings.id)) as Campaign
    const leads = buildLeads(store, openConfigCache(store), () => {})
    // Erased after they were found, and before the first is written.
    const setDeadline: typeof leads.setDeadline = async (of, email, ...rest) => {
      if (email === emails[7]) await store.leads.erase([{ campaign, email }], tester)
      return leads.setDeadline(of, email, ...rest)
    }
    const { run } = routes['PUT /campaigns/:campaignId/leads/deadlines']
    const parts = { store, leads: { ...leads, setDeadline }, limits: openLimits(oneAtATime()) }
    const asked = { campaign, parts, body: { refs, to: '2099-12-31T10:00' }, now: tester.at, by: tester }
    const answer = await run(asked as unknown as Parameters<typeof run>[0])
    assert.deepEqual(answer.leads.map(({ email }) => email).toSorted(), emails.toSpliced(7, 1).toSorted())
  })
})

test('no deadline can be set by hand that an answer could not write, not even by one more day', async () => {
  const { settings } = await makeCampaign({ timeZone: 'America/New_York' })
  const leads = `/campaigns/${settings.id}/leads`
  const { ref } = (await ask('POST', leads, { email: 'far@example.com' })).body
  const set = (to: string) => ask('PUT', `${leads}/deadlines`, { refs: [ref], to })
  const refused = await set('9999-12-31T19:00')
  assert.deepEqual(refused.body.faults, [{ path: 'to', message: 'must be in the years 0000 to 9999 in UTC' }])
  assert.equal((await set('9999-12-31T18:59')).status, 200)
  assert.equal((await set('dayLater')).status, 200)
  const { deadline } = (await ask('GET', `${leads}/${ref}`)).body
  assert.equal(new Date(deadline * 1_000).toISOString(), '9999-12-31T23:59:00.000Z')
})

longTest(
  'a webhook is offered the newest thousand campaigns of the account, and those that one has; the history names the newest',
  async () => {
    const checked = checkCampaign(JSON.parse(campaignFile()))
    assert.ok('campaign' in checked)
    const { settings } = await makeCampaign()
    const url = 'https://hooks.example.com/'
    const webhook = { name: 'Shop', kinds: ['lead.registered'], url, campaignIds: [settings.id] }
    assert.equal((await ask('POST', '/webhooks', webhook)).status, 200)
    await makeCampaign()
    const made = await place.arrange(async ({ configuration }) => {
      const ids: number[] = []
      for (let n = 0; n < 1_000; n += 1) {
        ids.push((await configuration.applyCampaign(accountId, checked.campaign, tester)).id)
      }
      return ids
    })
    const { campaigns, hasOlder } = (await ask('GET', '/webhooks')).body
    assert.deepEqual(idsOf(campaigns), [settings.id, ...made])
    assert.equal(hasOlder, true)
    assert.deepEqual(idsOf((await ask('GET', '/history/choices')).body.campaigns), made)
    // One more says that there are older ones.
    assert.equal(await rowsReadOf([settings.id, made[0] as number]), campaigns.length + 1)
  },
)

const idsOf = (campaigns: readonly { id: number }[]) => campaigns.map(({ id }) => id)

/** How many campaigns are read for the screen of webhooks, where one has these. */
const rowsReadOf = (campaignIds: readonly number[]) =>
  place.arrange(async (store) => {
    let count = 0
    const configuration = new Proxy(store.configuration, {
      get:
        (of, name) =>
        async (...args: unknown[]) => {
          const rows = await Reflect.get(of, name)(...args)
          count += rows.length
          return rows
        },
    })
    const endpoints = { isOn: true, of: () => ({ list: async () => [{ campaignIds }] }) }
    const asked = {
      parts: { endpoints, store: { configuration } },
      session: { account: { id: accountId }, user: { role: 'owner' } },
    }
    const { run } = routes['GET /webhooks']
    await run(asked as unknown as Parameters<typeof run>[0])
    return count
  })

test('the list of campaigns goes on behind its first thousand', async () => {
  const { id } = await place.arrange((store) => store.configuration.createAccount('Many', tester))
  await place.arrange(async (store) => {
    for (let n = 0; n < 1_001; n += 1) await appliedCampaign(store, id, campaignFile({ mailTimer: null }))
  })
  const many = await panelSession(place, server, id)
  const first = (await many('GET', '/campaigns')).body
  const rest = (await many('GET', `/campaigns?afterId=${first.nextAfterId}`)).body
  const ids = [...first.campaigns, ...rest.campaigns].map((one) => one.id)
  assert.deepEqual([first.campaigns.length, rest.campaigns.length, rest.nextAfterId], [1_000, 1, null])
  assert.equal(new Set(ids).size, 1_001)
})

test('of campaigns the newest are listed, or those of the account that are named, the older first', async () => {
  const { id } = await place.arrange((store) => store.configuration.createAccount('Stranger', tester))
  const theirs = await panelSession(place, server, id)
  const file = JSON.parse(campaignFile())
  const foreign = (await theirs('POST', '/campaigns', { settings: file })).body.settings.id
  const made: number[] = []
  for (let n = 0; n < 3; n += 1) made.push((await makeCampaign()).settings.id)
  const [first, second, third] = made as [number, number, number]
  await place.arrange(async ({ configuration }) => {
    assert.deepEqual(idsOf(await configuration.listNewestCampaigns(accountId, 2)), [second, third])
    const named = [third, first, foreign, 9_007_199_254_740_991]
    assert.deepEqual(idsOf(await configuration.listCampaignsById(accountId, named)), [first, third])
    // More than one statement asks for.
    const many = Array.from({ length: 250 }, (_, n) => third - n)
    const found = idsOf(await configuration.listCampaignsById(accountId, many))
    assert.deepEqual(found.slice(-3), made)
    assert.deepEqual(await configuration.listCampaignsById(accountId, []), [])
  })
})
