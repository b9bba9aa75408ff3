// A server beside a command that writes much: it looks for the lock every ten milliseconds, and waits inside no statement.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readSetting } from '../../src/config.ts'
import { checkEndpoint, noticeKinds, wantedKinds } from '../../src/core/events.ts'
import { openStore } from '../../src/store/open.ts'
import { tester } from '../support/actor.ts'
import { longTest } from '../support/faults.ts'
import { type Installation, installation, owner } from '../support/lastcall.ts'

const imported = 300
const givenUp = 100_000

test('while orders are imported a program that looks for the lock every ten milliseconds gets it within a few looks', async (t) => {
  const place = installation(t)
  const { campaignId } = await owner(place)
  const emails = Array.from({ length: imported }, (_, n) => `buyer-${n}@example.com`)
  writeFileSync(join(place.folder, 'leads.csv'), `email\n${emails.join('\n')}\n`)
  writeFileSync(
    join(place.folder, 'orders.csv'),
    `orderId,email\n${emails.map((email, n) => `order-${n},${email}\n`).join('')}`,
  )
  const into = ['import', '--campaign', String(campaignId)]
  await place.json(['lead', ...into, 'leads.csv'])
  const { result, most } = await beside(t, place, ['conversion', ...into, 'orders.csv'])
  assert.equal(result.created, imported)
  assert.ok(most > 0 && most < 25, `${most} looks in vain`)
})

longTest('the same while many events that were given up are resent', async (t) => {
  const place = installation(t)
  const { accountId, campaignId } = await owner(place)
  const checked = checkEndpoint(
    { name: 'shop', url: 'https://example.com/', kinds: wantedKinds, leadTimes: ['PT1H'] },
    () => undefined,
  )
  assert.ok('settings' in checked)
  const { id } = await place.arrange((store) => store.events.createEndpoint(accountId, checked.settings, tester))
  const database = new DatabaseSync(place.databasePath)
  const kind = noticeKinds.indexOf('campaign.ended')
  database.exec(`WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${givenUp})
    INSERT INTO failed_deliveries (account_id, endpoint_id, due_at, lead_id, kind, detail, tries, refused, last_at)
    SELECT ${accountId}, ${id}, n, -${campaignId}, ${kind}, 0, 10, 10, 1 FROM n`)
  database.close()
  const since = ['--account', String(accountId), '--since', '1970-01-01T00:00:00Z']
  const { result, most } = await beside(t, place, ['webhook', 'resend', String(id), ...since])
  assert.equal(result.resent, givenUp)
  assert.ok(most > 0 && most < 25, `${most} looks in vain`)
})

test('writes that begin together have a turn of the event loop each, so that others are answered between them', async (t) => {
  const store = await openStore(readSetting('database', { 'database-url': installation(t).databaseUrl }), {
    ...{ lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false },
  })
  t.after(() => store.close())
  const { id } = await store.configuration.createAccount('Owner', tester)
  let turn = 0
  let isOver = false
  const count = () => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  count()
  const names = Array.from({ length: 50 }, (_, n) => `name ${n}`)
  const turns = await Promise.all(
    names.map((name) => store.configuration.updateAccount(id, { name }, tester).then(() => turn)),
  )
  isOver = true
  assert.equal(new Set(turns).size, names.length)
})

/** `most`: how often in a row the lock was not to be had while the command ran. */
async function beside(t: TestContext, place: Installation, command: string[]): Promise<{ result: any; most: number }> {
  const database = new DatabaseSync(place.databasePath)
  t.after(() => database.close())
  let isOver = false
  const running = place.run(command).finally(() => {
    isOver = true
  })
  let [inVain, most] = [0, 0]
  while (!isOver) {
    await sleep(10)
    try {
      database.exec('BEGIN IMMEDIATE; ROLLBACK')
      inVain = 0
    } catch {
      inVain += 1
      most = Math.max(most, inVain)
    }
  }
  const { stdout, stderr } = await running
  assert.equal(stderr, '')
  return { result: JSON.parse(stdout), most }
}
