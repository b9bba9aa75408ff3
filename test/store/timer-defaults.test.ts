// What a countdown image showed before new defaults came, it shows after the migration; and what is kept for it.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { checkCampaign } from '../../src/core/campaign.ts'
import { fullTimerStyle, type GivenTimerStyle } from '../../src/core/timer-style.ts'
import { migrationTo } from '../../src/store/migrations.ts'
import { type DatabaseLocation, openStore } from '../../src/store/open.ts'
import { tester } from '../support/actor.ts'
import { emptyDatabases } from '../support/empty-databases.ts'
import { ask } from '../support/postgres-databases.ts'

const options = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false }

const firstEdition: GivenTimerStyle = {
  ...({ font: 'inter', background: '#ffffff', box: '#111827', digits: '#ffffff', labels: '#4b5563' } as const),
  ...({ showLabels: true, width: 600, height: 140, cornerRadius: 10, pixelsPerPoint: 1 } as const),
}

/** As it ran on databases that had only what there was before it. */
async function migrate(at: DatabaseLocation): Promise<void> {
  const sql = migrationTo(7, at.engine)
  if (at.engine === 'postgres') {
    await ask(at.url, sql)
    return
  }
  const database = new DatabaseSync(at.path)
  database.exec(sql)
  database.close()
}

const styles: (GivenTimerStyle | null)[] = [
  {},
  { box: '#cc0000', width: 400 },
  { ...firstEdition, pixelsPerPoint: 2, labels: '#000000' },
  null,
]

for (const [engine, place] of Object.entries(emptyDatabases)) {
  test(`a stored style keeps the defaults of its day, and what it says itself: ${engine}`, async (t) => {
    const at = await place(t)
    const before = await openStore(at, options)
    const { id } = await before.configuration.createAccount('Owner', tester)
    const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'P2D' } }
    for (const mailTimer of styles) {
      const checked = checkCampaign({ name: 'Żółw "1"', timeZone: 'UTC', mechanism, mailTimer })
      assert.ok('campaign' in checked)
      await before.configuration.applyCampaign(id, checked.campaign, tester)
    }
    const read = (store: typeof before) =>
      Promise.all(styles.map((_, index) => store.configuration.findCampaign(index + 1)))
    const campaigns = await read(before)
    await before.close()

    await migrate(at)
    const store = await openStore(at, options)
    t.after(() => store.close())
    for (const [index, campaign] of (await read(store)).entries()) {
      const style = styles[index] ?? null
      const expected = style === null ? null : { ...firstEdition, ...style }
      assert.deepEqual(campaign?.mailTimer, expected)
      if (expected) assert.deepEqual(fullTimerStyle(expected).pixelsPerPoint, style?.pixelsPerPoint ?? 1)
      const plain = (one: object | undefined) => JSON.parse(JSON.stringify({ ...one, mailTimer: null }))
      assert.deepEqual(plain(campaign), plain(campaigns[index]))
    }

    // One that was broken is built again, and would be at each start.
    for (const template of [Buffer.from('broken'), Buffer.from('built again')]) {
      await store.templates.write('style', template, 1)
      assert.ok(template.equals((await store.templates.read('style')) as Uint8Array))
    }
  })
}
