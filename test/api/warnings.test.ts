// Warnings in every combination of what can be missing, in the order of part 2.7.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  applyCampaign,
  assertStatus,
  call,
  leads,
  lookups,
  newEmail,
  openShop,
  withinOneSecond,
} from '../support/api.ts'

const shop = openShop()

type Pages = 'pages' | 'ineligible' | 'none'
type Kind = { pages: Pages; timer: boolean; deadline: boolean }

const kinds: Kind[] = (['pages', 'ineligible', 'none'] as const).flatMap((pages) =>
  [true, false].flatMap((timer) => [true, false].map((deadline) => ({ pages, timer, deadline }))),
)

const fileOf = ({ pages, timer, deadline }: Kind, more: object = {}) => ({
  pages: pages === 'none' ? [] : [{ pageUrl: 'https://example.com/offer', eligible: pages === 'pages' }],
  mailTimer: timer ? {} : null,
  mechanism: {
    startsOn: 'registration',
    deadline: deadline ? { kind: 'after', period: 'P2D' } : { kind: 'none' },
  },
  ...more,
})

const nameOf = ({ pages, timer, deadline }: Kind) =>
  `${pages === 'pages' ? 'a page' : pages === 'none' ? 'no page' : 'an ineligible page'}, ${timer ? 'a' : 'no'} timer, ${deadline ? 'a' : 'no'} deadline`

const campaigns: { kind: Kind; id: number; email: string }[] = []

const post = async (path: string, email: string, status: number) => {
  const answer = await call(shop.server, 'POST', path, { key: shop.owner.key, body: { email } })
  assertStatus(answer, status)
  return answer.body
}

before(async () => {
  await shop.opened
  const made = await Promise.all(kinds.map((kind) => applyCampaign(shop, fileOf(kind))))
  for (const [at, kind] of kinds.entries()) campaigns.push({ kind, id: made[at].id, email: newEmail() })
  probe.id = (await applyCampaign(shop, { isDraft: false })).id
  await post(leads(probe.id), probeEmail, 201)
})

const probe = { id: 0, isDraft: false }
const probeEmail = 'probe@example.com'

/** Makes the change, and waits until the server knows of it and of all before it. */
async function tools(available: boolean): Promise<void> {
  const account = String(shop.owner.accountId)
  // What the server has not read yet it would read as it is, and know of nothing else.
  await post(lookups(probe.id), probeEmail, 200)
  await shop.place.json(['account', 'set', account, '--countdown-tools', String(available)])
  await latestIsKnown()
}

/** The server learns of changes in their order: a lookup that shows the last one has all of them. */
async function latestIsKnown(): Promise<void> {
  probe.isDraft = !probe.isDraft
  await applyCampaign(shop, probe)
  await withinOneSecond(
    () => call(shop.server, 'POST', lookups(probe.id), { key: shop.owner.key, body: { email: probeEmail } }),
    ({ body }) => body.warnings.includes('CAMPAIGN_NOT_PUBLISHED') === probe.isDraft,
  )
}

const noDeadline = ({ deadline }: Kind) => (deadline ? [] : ['NO_DEADLINE'])

function assertOffer(offer: any, warnings: string[], links: number, timer: boolean): void {
  assert.deepEqual(offer.warnings, warnings)
  assert.equal(offer.offerLinks.length, links)
  assert.equal(offer.mailTimerUrl !== null, timer)
  assert.equal(offer.deadline === null, warnings.includes('NO_DEADLINE'))
}

test('published, tools available', async (t) => {
  for (const { kind, id, email } of campaigns)
    await t.test(nameOf(kind), async () => {
      const warnings = [
        ...(kind.pages === 'pages' ? [] : ['NO_OFFER_PAGES']),
        ...(kind.timer ? [] : ['NO_MAIL_TIMER']),
        ...noDeadline(kind),
      ]
      const links = kind.pages === 'pages' ? 1 : 0
      assertOffer(await post(leads(id), email, 201), warnings, links, kind.timer)
      assertOffer(await post(leads(id), email, 200), warnings, links, kind.timer)
      assertOffer(await post(lookups(id), email, 200), warnings, links, kind.timer)
    })
})

test('published, tools unavailable: registration still takes place', async (t) => {
  await tools(false)
  for (const { kind, id, email } of campaigns)
    await t.test(nameOf(kind), async () => {
      const warnings = ['COUNTDOWN_TOOLS_UNAVAILABLE', ...noDeadline(kind)]
      assertOffer(await post(leads(id), newEmail(), 201), warnings, 0, false)
      assertOffer(await post(leads(id), email, 200), warnings, 0, false)
      assertOffer(await post(lookups(id), email, 200), warnings, 0, false)
    })
})

test('draft with a historical lead, tools unavailable or available', async (t) => {
  await Promise.all(campaigns.map(({ kind, id }) => applyCampaign(shop, fileOf(kind, { id, isDraft: true }))))
  for (const available of [false, true]) {
    await tools(available)
    for (const { kind, id, email } of campaigns)
      await t.test(`${nameOf(kind)}, tools ${available ? '' : 'un'}available`, async () => {
        const warnings = ['CAMPAIGN_NOT_PUBLISHED', ...noDeadline(kind)]
        assertOffer(await post(lookups(id), email, 200), warnings, 0, false)
      })
  }
})
