// Leads whose writing is asked for in one turn of the event loop share a statement; nobody must notice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCampaign } from '../../src/core/campaign.ts'
import { begin, setByHand } from '../../src/core/mechanism/attempt.ts'
import type { Campaign, Decision, Lead } from '../../src/store/model.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { emptyDatabases } from '../support/empty-databases.ts'

const options = { lockWaitMs: 1_000, patienceMs: 5_000, poolSize: 2, isServer: false }
const emails = [
  'ada@example.com',
  '"a\\"b, {c}"@example.com',
  "o'neil@example.com",
  'NULL',
  'Ada@example.com',
  '~@example.com',
]
const instants = [1_795_000_000, 1_795_000_001, 1_795_100_000]

const twoDays = { kind: 'after', period: 'P2D' }
const none = { kind: 'none' }

async function makeCampaign(store: Store, deadline: object = twoDays): Promise<Campaign> {
  const mechanism = { startsOn: 'registration', deadline }
  const checked = checkCampaign({ name: 'Autumn course', timeZone: 'Europe/Warsaw', mechanism })
  if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
  const account = await store.configuration.createAccount('Owner')
  return store.configuration.applyCampaign(account.id, checked.campaign)
}

/** Leads that differ in everything, and leads that have the same attempt but not the same registration. */
function decisionsOn({ schedule }: Campaign): (number: number) => Decision {
  const same = begin(schedule, instants[0] as number)
  return (number) => {
    // Those before and behind the border between two campaigns are alike.
    if (number % 2 === 0) return { registeredAt: instants[number === 0 ? 1 : 0] as number, attempt: same }
    const registeredAt = instants[number % instants.length] as number
    const attempt = begin(schedule, registeredAt)
    return { registeredAt, attempt: number % 3 === 0 ? setByHand(attempt, number, registeredAt) : attempt }
  }
}

for (const [engine, place] of Object.entries(emptyDatabases)) {
  test(`leads written together are stored each as decided, under an id of its own: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const made = await Promise.all(
      [twoDays, twoDays, none, none].map((deadline) => makeCampaign(store, deadline)),
    )
    // On SQLite each of them made the others stale.
    const campaigns = await Promise.all(
      made.map(({ id }) => store.configuration.findCampaign(id) as Promise<Campaign>),
    )
    const [withRule, , without] = campaigns as [Campaign, Campaign, Campaign]
    const decisions = [decisionsOn(withRule), decisionsOn(without)]
    const asked = campaigns.flatMap((campaign, place) =>
      emails.map((email, number) => {
        const decisionOf = decisions[Math.floor(place / 2)] as (number: number) => Decision
        return { campaign, email, decision: decisionOf(number) }
      }),
    )
    const written = await Promise.all(
      asked.map(({ campaign, email, decision }) => store.leads.write(campaign, email, () => decision, true)),
    )
    const leads = written.map((write) => {
      assert.ok(write !== 'stale' && write.created)
      return write.lead
    })
    assert.equal(new Set(leads.map(({ ref }) => ref)).size, asked.length)
    for (const [index, { campaign, email, decision }] of asked.entries()) {
      const found = (await store.leads.find(campaign, email)) as Lead
      assert.deepEqual(found, leads[index])
      assert.deepEqual([found.registeredAt, found.attempt], [decision.registeredAt, decision.attempt])
    }
  })

  test(`of those who write one email together the first makes the lead, all get it: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const campaign = await makeCampaign(store)
    const written = await Promise.all(
      instants.map((at) =>
        store.leads.write(
          campaign,
          'ada@example.com',
          (lead) =>
            lead === undefined ? { registeredAt: at, attempt: begin(campaign.schedule, at) } : undefined,
          true,
        ),
      ),
    )
    const leads = written.map((write) => write !== 'stale' && write.lead)
    assert.deepEqual(
      written.map((write) => write !== 'stale' && write.created),
      [true, false, false],
    )
    for (const lead of leads) assert.deepEqual(lead, { ...leads[0], registeredAt: instants[0] })
  })

  test(`a campaign that was changed meanwhile is stale for its own leads alone: ${engine}`, async (t) => {
    const store = await openStore(await place(t), options)
    t.after(() => store.close())
    const campaigns = await Promise.all([1, 2].map(() => makeCampaign(store)))
    const [other, changed] = campaigns as [Campaign, Campaign]
    await store.configuration.updateAccount(changed.accountId, { rateLimit: 7 })
    const fresh = (await store.configuration.findCampaign(other.id)) as Campaign
    const written = await Promise.all(
      [changed, fresh, changed, fresh].map((campaign, number) =>
        store.leads.write(campaign, emails[number] as string, () => decisionsOn(campaign)(number), true),
      ),
    )
    assert.deepEqual(
      written.map((write) => (write === 'stale' ? write : write.created)),
      ['stale', true, 'stale', true],
    )
    assert.equal(await store.leads.find(changed, emails[0] as string), undefined)
  })
}
