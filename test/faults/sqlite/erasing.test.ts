// Somebody erases in the panel as fast as they can, on a large database, with a reader in the way: a good client of
// the API goes on as before.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { amount, isFull } from '../../support/faults.ts'
import { panelSession } from '../../support/panel-session.ts'
import { prepared } from '../../support/prepared.ts'

const leads = amount(2_000, 1_000_000)
const seconds = amount(1, 10)
/** As many as one account may erase in a minute. */
const mostErasures = 60
/** The p99 beside the attack: three times that without it, or this many milliseconds. */
const mostMs = 60

test('a good client beside erasures in the panel', { timeout: 900_000 }, async (t) => {
  const { place, campaignId, accountId, key } = await prepared(t)
  async function* csv() {
    yield 'email\n'
    for (let n = 0; n < leads; n += 1) yield `lead-${n}@example.com\n`
  }
  const importing = ['lead', 'import', '--campaign', String(campaignId), '-']
  const imported = isFull
    ? await place.run(importing, csv())
    : await place.runShared(importing, (await Array.fromAsync(csv())).join(''))
  assert.equal(imported.code, 0, imported.stderr)
  const server = await place.serve(['--rate-limit', '1000000'])
  const ask = await panelSession(place, server, accountId)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const wrong: number[] = []
  let registered = 0

  /** Looks leads up, and registers one for every four, over four connections, for some seconds and until `isEnough`. */
  async function goodClient(isEnough = () => true): Promise<number> {
    const times: number[] = []
    const endsAt = performance.now() + seconds * 1_000
    const one = async () => {
      for (let n = 0; performance.now() < endsAt || !isEnough(); n += 1) {
        const isNew = n % 4 === 0
        const email = isNew ? `new-${registered++}@example.com` : `lead-${leads - 1 - (n % 100)}@example.com`
        const url = `${server.base}/campaigns/${campaignId}/leads${isNew ? '' : '/lookup'}`
        const askedAt = performance.now()
        const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ email }) })
        await answer.arrayBuffer()
        times.push(performance.now() - askedAt)
        if (answer.status >= 500) wrong.push(answer.status)
        await sleep(5)
      }
    }
    await Promise.all([one(), one(), one(), one()])
    times.sort((a, b) => a - b)
    return times[Math.ceil(times.length * 0.99) - 1] as number
  }

  const search = { prefix: 'lead-1', state: null, afterEmail: '', limit: 500 }
  const found = await ask('POST', `/campaigns/${campaignId}/leads/search`, search)
  const refs: string[] = found.body.leads.map(({ ref }: { ref: string }) => ref)
  await goodClient()
  const alone = await goodClient()

  const statuses: Record<number, number> = {}
  let isOver = false
  const attacker = async () => {
    while (!isOver) {
      const { status } = await ask('POST', `/campaigns/${campaignId}/leads/erasure`, { refs: [refs.pop()] })
      statuses[status] = (statuses[status] ?? 0) + 1
      await sleep(5)
    }
  }
  for (const isRead of isFull ? [false, true] : [true]) {
    const what = isRead ? 'with a reader' : 'without a reader'
    const reader = new DatabaseSync(place.databasePath)
    t.after(() => reader.isOpen && reader.close())
    reader.exec('BEGIN')
    if (isRead) reader.prepare('SELECT count(*) FROM accounts').get()
    isOver = false
    const attack = Promise.all([attacker(), attacker(), attacker(), attacker()])
    const most = Math.max(mostMs, 3 * alone)
    const isAttacked = () => (statuses[200] ?? 0) >= mostErasures
    let beside = await goodClient(isAttacked)
    // Other tests may have had the processors; once more, as the file would be.
    if (beside > most) beside = await goodClient()
    isOver = true
    await attack
    reader.close()
    t.diagnostic(`${leads} leads, ${what}: p99 ${beside.toFixed(1)} ms, alone ${alone.toFixed(1)} ms`)
    assert.deepEqual(wrong, [], what)
    assert.ok(beside <= most, `${what}: p99 ${beside.toFixed(0)} ms, alone ${alone.toFixed(0)}`)
  }
  assert.ok((statuses[200] ?? 0) >= mostErasures, JSON.stringify(statuses))
})
