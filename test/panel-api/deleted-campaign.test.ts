// A campaign that is deleted is gone at once; its leads, and what was counted of them, a moment later, bit by bit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openConfigCache } from '../../src/campaigns/config-cache.ts'
import { removeDeletedCampaigns } from '../../src/campaigns/deleted.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import { buildLeads } from '../../src/leads/leads.ts'
import type { Store } from '../../src/store/store.ts'
import { tester } from '../support/actor.ts'
import { eventually } from '../support/api.ts'
import { campaignFile } from '../support/lastcall.ts'
import { panelSession, plainServer } from '../support/panel-session.ts'
import { rowsIn } from '../support/rows.ts'

const all = { prefix: '', afterEmail: '', limit: 1_000 }

/** A campaign with some leads, of whom one has clicked and seen the page. */
async function campaignWith(store: Store, accountId: number, count: number) {
  const checked = checkCampaign(JSON.parse(campaignFile()))
  assert.ok('campaign' in checked)
  const campaign = await store.configuration.applyCampaign(accountId, checked.campaign, tester)
  const { id: campaignId } = campaign
  const leads = buildLeads(store, openConfigCache(store), () => {})
  const register = (n: number) => leads.register({ accountId, campaignId }, `lead-${n}@example.com`, 1_000)
  const made = await Promise.all(Array.from({ length: count }, (_, n) => register(n)))
  const { lead } = made[0] as { lead: { id: number } }
  const click = { accountId, campaignId, day: 20_000, pageId: null, leadId: lead.id, kind: 'click' } as const
  const once = { fetcher: 'person', total: 1, lastAt: 1_000 } as const
  const visit = { ...click, kind: 'visit', pageId: campaign.pages[0]?.id ?? null } as const
  await store.counts.add([click, visit].map((what) => ({ ...what, ...once })))
  const left = async () => ({
    leads: (await store.leads.list(campaign, all)).length,
    counts: (await store.counts.ofLead(campaign, lead.id)).length,
  })
  return { campaignId, left }
}

test('a deleted campaign is unknown at once, and its leads are removed while others keep theirs', async () => {
  const { place, server } = await plainServer()
  const { id: accountId } = await place.arrange((store) => store.configuration.createAccount('Owner', tester))
  const ask = await panelSession(place, server, accountId)
  await place.arrange(async (store) => {
    // More than two steps remove.
    const deleted = await campaignWith(store, accountId, 450)
    const kept = await campaignWith(store, accountId, 10)
    assert.equal((await ask('DELETE', `/campaigns/${deleted.campaignId}`)).status, 200)
    assert.equal((await ask('GET', `/campaigns/${deleted.campaignId}`)).status, 404)
    await eventually(20, store.configuration.deletedCampaigns, ({ length }) => length === 0)
    assert.deepEqual(await deleted.left(), { leads: 0, counts: 0 })
    assert.deepEqual(await kept.left(), { leads: 10, counts: 2 })
  })
  assert.equal((await rowsIn(place, 'page_sightings')).length, 1)
})

test('one deleted campaign that cannot be removed stops none of the others', async () => {
  const removed: number[] = []
  const configuration = {
    deletedCampaigns: async () => [1, 2].map((id) => ({ id, accountId: 1 })),
    async removeDeleted({ id }: { id: number }) {
      if (id === 1) throw new Error('somebody has locked one of its leads')
      removed.push(id)
      return null
    },
  }
  const stop = removeDeletedCampaigns({ configuration })
  await eventually(20, async () => removed.includes(2), Boolean)
  stop()
})
