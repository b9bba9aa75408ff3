// Campaigns that were stored before they had a language are in English.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveCampaign } from '../../src/campaigns/campaigns.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import type { Templates } from '../../src/countdown/templates.ts'
import { migrationTo } from '../../src/store/migrations.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { tester } from '../support/actor.ts'
import { emptyDatabases, runIn } from '../support/empty-databases.ts'

const options = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false }

const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'P2D' } }

const before = {
  sqlite: "UPDATE campaigns SET settings = json_remove(settings, '$.language')",
  postgres: "UPDATE campaigns SET settings = (settings::jsonb - 'language')::text",
}

test('the images of a campaign are built in its own language too, before it is saved', async () => {
  const checked = checkCampaign({ name: 'c', timeZone: 'UTC', language: 'uk', mechanism, mailTimer: {} })
  assert.ok('campaign' in checked)
  const done: string[] = []
  const templates = { get: async (_: object, language: string) => done.push(language) } as unknown as Templates
  const store = { configuration: { applyCampaign: async () => done.push('saved') } } as unknown as Store
  await saveCampaign({ store, templates }, 1, checked.campaign, () => tester)
  assert.deepEqual(done, ['en', 'pl', 'uk', 'saved'])
})

for (const [engine, place] of Object.entries(emptyDatabases)) {
  test(`a campaign of before gets the language en, and keeps all else: ${engine}`, async (t) => {
    const at = await place(t)
    const older = await openStore(at, options)
    const { id } = await older.configuration.createAccount('Owner', tester)
    const checked = checkCampaign({ name: 'Żółw "1"', timeZone: 'UTC', language: 'uk', mechanism, mailTimer: {} })
    assert.ok('campaign' in checked)
    const made = await older.configuration.applyCampaign(id, checked.campaign, tester)
    assert.equal(made.language, 'uk')
    await older.close()

    await runIn(at, before[at.engine])
    await runIn(at, migrationTo(10, at.engine))
    const store = await openStore(at, options)
    t.after(() => store.close())
    const plain = (one: object | undefined) => JSON.parse(JSON.stringify(one))
    const read = await store.configuration.findCampaign(made.id)
    assert.deepEqual(plain(read), { ...plain(made), language: 'en' })
  })
}
