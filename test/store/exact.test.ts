// What many do at once to the same leads, or by links of one kind, over as many servers as the engine allows, comes out
// as if one did it after the other.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { removeWhole } from '../../src/campaigns/deleted.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import { checkEndpoint } from '../../src/core/events.ts'
import { registerAgain, setByHand } from '../../src/core/mechanism/attempt.ts'
import type { Campaign, Decide, Lead, LeadRefusal, LeadWrite } from '../../src/store/model.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { tester, testerAt } from '../support/actor.ts'
import { decisionOf } from '../support/decision.ts'
import { emptyDatabases } from '../support/empty-databases.ts'

const options = { lockWaitMs: 5_000, timeoutMs: 5_000, poolSize: 2, isServer: false }
const at = 1_795_000_000
const after = (period: string) => ({ startsOn: 'registration', deadline: { kind: 'after', period } })
const withoutDeadline = { startsOn: 'registration', deadline: { kind: 'none' } }

type Place = (typeof emptyDatabases)[string]

/** Two processes on one database, as far as the store can tell. */
async function twoStores(t: TestContext, place: Place): Promise<[Store, Store]> {
  const database = await place(t)
  const stores = [await openStore(database, options), await openStore(database, options)] as [Store, Store]
  t.after(() => Promise.all(stores.map((store) => store.close())))
  return stores
}

async function newCampaign(store: Store, mechanism: object = after('P2D')): Promise<Campaign> {
  const account = await store.configuration.createAccount('Owner', tester)
  return apply(store, account.id, mechanism)
}

async function apply(store: Store, accountId: number, mechanism: object, id?: number): Promise<Campaign> {
  const checked = checkCampaign({
    ...(id && { id }),
    name: 'Autumn course',
    timeZone: 'Europe/Warsaw',
    mechanism,
  })
  if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
  return store.configuration.applyCampaign(accountId, checked.campaign, tester)
}

const register =
  (registeredAt: number): Decide =>
  (campaign, lead) => {
    if (lead === undefined) return decisionOf(campaign, registeredAt)
    const attempt = registerAgain(campaign.terms, lead.attempt, registeredAt)
    return attempt === lead.attempt ? undefined : decisionOf(campaign, lead.registeredAt, { attempt })
  }

const extend =
  (deadlineAt: number): Decide =>
  (campaign, lead) => {
    if (lead === undefined) return 'LEAD_NOT_FOUND'
    const { registeredAt, ruleId, attempt } = lead
    return decisionOf(campaign, registeredAt, { ruleId, attempt: setByHand(campaign.terms, attempt, deadlineAt, at) })
  }

function leadOf(written: LeadWrite | LeadRefusal): Lead {
  if (typeof written === 'string') assert.fail(written)
  return written.lead
}

const times = <T>(count: number, make: (number: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

for (const [engine, place] of Object.entries(emptyDatabases)) {
  test(`of 50 who register one email at once one makes the lead, and all get it: ${engine}`, async (t) => {
    const stores = await twoStores(t, place)
    const campaign = await newCampaign(stores[0])
    for (let round = 0; round < 10; round += 1) {
      const written = await Promise.all(
        times(50, (n) => {
          const decide = register(at + n)
          return (stores[n % 2] as Store).leads.write(campaign, `${round}@example.com`, decide, true)
        }),
      )
      assert.equal(written.filter((one) => typeof one !== 'string' && one.before === undefined).length, 1)
      const leads = written.map(leadOf)
      for (const lead of leads) assert.deepEqual(lead, leads[0])
      assert.deepEqual(await stores[1].leads.find(campaign, `${round}@example.com`), leads[0])
    }
  })

  test(`a lead is changed by all who change it at once, one after the other: ${engine}`, async (t) => {
    const stores = await twoStores(t, place)
    const mechanism = { ...after('P2D'), reset: { enabled: true } }
    const campaign = await newCampaign(stores[0], mechanism)
    const emails = times(5, (n) => `${n}@example.com`)
    await Promise.all(
      times(200, (n) =>
        (stores[n % 2] as Store).leads.write(campaign, emails[n % 5] as string, register(at + n), true),
      ),
    )
    for (const email of emails) {
      assert.equal((await stores[0].leads.find(campaign, email))?.attempt.resets, 39)
    }
  })

  test(`settings that are changed while 50 register hold for every lead from then on: ${engine}`, async (t) => {
    const stores = await twoStores(t, place)
    const first = await newCampaign(stores[0])
    let saved = first
    for (let round = 0; round < 8; round += 1) {
      const before = saved
      const changing = apply(stores[1], first.accountId, after(`P${round + 3}D`), first.id)
      const under = times(50, (n) =>
        (stores[n % 2] as Store).leads.write(before, `${round}-${n}@example.com`, register(at), true),
      )
      saved = await changing
      // Asked with the settings as somebody remembers them.
      const later = times(4, (n) =>
        (stores[n % 2] as Store).leads.write(before, `${round}-later-${n}@example.com`, register(at), true),
      )
      for (const written of await Promise.all(under)) {
        assert.ok(typeof written !== 'string' && written.before === undefined)
        assert.ok([before.ruleId, saved.ruleId].includes(written.lead.ruleId))
        assert.equal(written.lead.ruleId, written.campaign.ruleId)
      }
      for (const written of await Promise.all(later)) {
        assert.ok(typeof written !== 'string')
        const { lead, campaign } = written
        assert.deepEqual([lead.ruleId, campaign.ruleId, campaign.version], [saved.ruleId, saved.ruleId, saved.version])
      }
    }
  })

  test(`either the kind of a deadline is changed, or a lead registers before, never both: ${engine}`, async (t) => {
    const stores = await twoStores(t, place)
    const outcomes = new Set<string>()
    for (let round = 0; round < 24; round += 1) {
      const campaign = await newCampaign(stores[0])
      // One of the leads sets off before the change, some or none.
      const register50 = () =>
        times(10, (n) => (stores[n % 2] as Store).leads.write(campaign, `${n}@example.com`, register(at), true))
      const early = round % 3 === 0 ? register50() : []
      // The first two rounds have no race, so that there is one of each outcome.
      if (round === 0) await Promise.all(early)
      const changing = apply(stores[1], campaign.accountId, withoutDeadline, campaign.id).then(
        () => 'changed',
        (error) => {
          assert.match(String(error), /cannot change from after to none/)
          return 'refused'
        },
      )
      if (round === 1) await changing
      else if (round % 3 === 1) await new Promise(setImmediate)
      const late = round % 3 === 0 ? [] : register50()
      const outcome = await changing
      outcomes.add(outcome)
      const leads = (await Promise.all([...early, ...late])).map(leadOf)
      for (const { attempt } of leads) assert.equal(attempt.rule === null, outcome === 'changed')
    }
    assert.deepEqual(outcomes, new Set(['refused', 'changed']))
  })

  test(`a campaign that is deleted while 50 register leaves nothing behind: ${engine}`, async (t) => {
    const stores = await twoStores(t, place)
    const { accountId } = await newCampaign(stores[0])
    for (let round = 0; round < 6; round += 1) {
      const campaign = await apply(stores[0], accountId, after('P2D'))
      const emails = times(50, (n) => `${n}@example.com`)
      const writing = emails.map((email, n) =>
        (stores[n % 2] as Store).leads.write(campaign, email, register(at), true),
      )
      for (let n = 0; n < round; n += 1) await new Promise(setImmediate)
      const deleted = await stores[1].configuration.deleteCampaign(campaign.id, tester)
      assert.ok(deleted)
      for (const written of await Promise.all(writing)) {
        assert.ok(written === 'CAMPAIGN_NOT_FOUND' || (typeof written !== 'string' && written.before === undefined))
      }
      await removeWhole(stores[1].configuration, deleted, async () => {})
      assert.deepEqual(await stores[0].leads.list(campaign, { prefix: '', afterEmail: '', limit: 100 }), [])
      for (const store of stores) {
        assert.equal(await store.leads.write(campaign, 'a@example.com', register(at), true), 'CAMPAIGN_NOT_FOUND')
      }
    }
  })

  test(`a lead that is erased while others write it is missing, or made again: ${engine}`, async (t) => {
    const stores = await twoStores(t, place)
    const campaign = await newCampaign(stores[0])
    for (let round = 0; round < 20; round += 1) {
      const email = `${round}@example.com`
      leadOf(await stores[0].leads.write(campaign, email, register(at), true))
      const extending = times(10, (n) => (stores[n % 2] as Store).leads.write(campaign, email, extend(at + n), false))
      const erased = stores[1].leads.erase([{ campaign, email }], tester)
      const again = stores[0].leads.write(campaign, email, register(at + 5), false)
      for (const written of await Promise.all(extending)) {
        assert.ok(
          written === 'LEAD_NOT_FOUND' || (typeof written !== 'string' && written.before !== undefined),
          String(written),
        )
      }
      assert.ok(await erased)
      const { registeredAt } = leadOf(await again)
      const found = await stores[1].leads.find(campaign, email)
      assert.equal(found?.registeredAt, registeredAt === at ? undefined : at + 5)
    }
  })

  test(`of a lead that several erase at once, an endpoint is told once: ${engine}`, async (t) => {
    const stores = await twoStores(t, place)
    const campaign = await newCampaign(stores[0])
    const checked = checkEndpoint({ name: 'crm', url: 'https://example.com/', kinds: ['lead.erased'] }, () => undefined)
    assert.ok('settings' in checked)
    const endpoint = await stores[0].events.createEndpoint(campaign.accountId, checked.settings, tester)
    // Where a sweep is under way, its row lets one erasure through at a time.
    await stores[0].events.lease('node')
    for (const sweep of await stores[0].events.sweeps('node')) await stores[0].events.writeStretch(sweep, [], null)
    for (let round = 0; round < 20; round += 1) {
      const email = `${round}@example.com`
      const { id } = leadOf(await stores[0].leads.write(campaign, email, register(at), true))
      const erasing = times(4, (n) => (stores[n % 2] as Store).leads.erase([{ campaign, email }], testerAt(at + n)))
      assert.deepEqual((await Promise.all(erasing)).sort(), [0, 0, 0, 1])
      const due = (await stores[0].events.due(endpoint, at + 100, 200)).filter(({ kind }) => kind === 'lead.erased')
      assert.equal(due.filter(({ leadId, detail }) => leadId === id && detail > 0).length, 1)
      assert.equal(due.length, round + 1)
    }
  })

  test(`a defect in one decision fails that one alone: ${engine}`, async (t) => {
    const [store] = await twoStores(t, place)
    const campaign = await newCampaign(store)
    const defect = () => {
      throw new Error('a defect')
    }
    const write = (name: string, decide: Decide, expectsNew: boolean) =>
      store.leads.write(campaign, `${name}@example.com`, decide, expectsNew)
    const fails = async (decide: Decide, failing: Decide, expectsNew: boolean) => {
      const writes = ['a', 'b', 'c'].map((name) => write(name, name === 'b' ? failing : decide, expectsNew))
      const written = await Promise.allSettled(writes)
      assert.deepEqual(
        written.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
    }
    await fails(register(at), defect, false)
    await fails(register(at), defect, true)
    await write('b', register(at), true)
    // Of a lead that is there, a decision is made before the transaction too.
    let asked = 0
    const change = extend(at + 999)
    await fails(change, (...of) => (asked++ === 0 ? change(...of) : defect()), false)
    assert.equal(asked, 2)
  })

  test(`if several set-up links are used at once, one of them makes a user: ${engine}`, async (t) => {
    const stores = await twoStores(t, place)
    const links = times(4, (n) => Buffer.alloc(32, n))
    const invited = { role: 'owner', email: null, endsAt: at } as const
    for (const tokenHash of links) await stores[0].access.createInvitation(null, { ...invited, tokenHash }, tester)
    const made = await Promise.all(
      links.map((tokenHash, n) => {
        const user = { email: `${n}@example.com`, passwordHash: '' }
        return (stores[n % 2] as Store).access.acceptInvitation(tokenHash, user, 'Owner', tester)
      }),
    )
    assert.equal(made.filter((user) => user !== undefined).length, 1)
    assert.equal((await stores[0].configuration.listAccounts()).length, 1)
  })
}
