// Leads by the beginning of their address, page by page, on both engines.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkCampaign } from '../../src/core/campaign.ts'
import { begin } from '../../src/core/mechanism/attempt.ts'
import { visitorName } from '../../src/core/visitor.ts'
import type { Campaign } from '../../src/store/model.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { emptyDatabases } from '../support/empty-databases.ts'

const options = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false }

const settings = {
  name: 'Autumn course',
  timeZone: 'Europe/Warsaw',
  mechanism: { startsOn: 'registration', deadline: { kind: 'after', period: 'PT48H' } },
}

async function makeCampaign(store: Store, accountId: number): Promise<Campaign> {
  const checked = checkCampaign(settings)
  if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
  return store.configuration.applyCampaign(accountId, checked.campaign)
}

async function add(store: Store, campaignId: number, names: string[]): Promise<void> {
  const campaign = (await store.configuration.findCampaign(campaignId)) as Campaign
  const decide = () => ({ registeredAt: 1, ruleId: campaign.ruleId, attempt: begin(campaign.terms, 1) })
  const written = await Promise.all(names.map((name) => store.leads.write(campaign, name, decide, undefined)))
  assert.ok(written.every((write) => typeof write !== 'string' && write.created))
}

/** Every character that may stand next to others in an order of bytes, and some that a locale sorts otherwise. */
const local = fc.string({ unit: fc.constantFrom(...'!"#+-09=AZ^_`az~'), minLength: 1, maxLength: 4 })

for (const [engine, place] of Object.entries(emptyDatabases)) {
  test(`a prefix finds what begins so and nothing else, in pages without gaps: ${engine}`, async (t) => {
    const at = await place(t)
    const first = await openStore(at, options)
    const { id: accountId } = await first.configuration.createAccount('Owner')
    const [campaign, other] = [await makeCampaign(first, accountId), await makeCampaign(first, accountId)]
    const emails = [...new Set(fc.sample(local, { numRuns: 300, seed: 5 }))].map((name) => `${name}@example.com`)
    const visitors = ['0', '7f', 'ff'].map((hex) => visitorName(hex.padEnd(32, 'e')))
    await add(first, campaign.id, [...emails.slice(0, 150), ...visitors])
    await add(first, other.id, ['zz@elsewhere.example', '!@elsewhere.example'])
    await first.close()
    const store = await openStore(at, options)
    t.after(() => store.close())
    const read = (await store.configuration.findCampaign(campaign.id)) as Campaign
    await add(store, campaign.id, emails.slice(150))
    const sorted = [...emails].sort()

    const prefixes = fc.oneof(
      fc.constant(''),
      local,
      fc.constantFrom(...emails),
      fc.nat({ max: 3 }).chain((cut) => fc.constantFrom(...emails).map((email) => email.slice(0, cut + 1))),
      fc.constantFrom(' ', ' 0', 'ż', 'zz@else', '\u{10ffff}'),
    )
    await fc.assert(
      fc.asyncProperty(prefixes, fc.integer({ min: 1, max: 400 }), async (prefix, limit) => {
        const found: string[] = []
        for (let afterEmail = ''; ; afterEmail = found.at(-1) as string) {
          const page = await store.leads.list(read, { prefix, afterEmail, limit })
          found.push(...page.map(({ email }) => email))
          assert.ok(page.length <= limit)
          if (page.length < limit) break
        }
        assert.deepEqual(
          found,
          sorted.filter((email) => email.startsWith(prefix)),
        )
      }),
      { numRuns: 60 },
    )
  })
}
