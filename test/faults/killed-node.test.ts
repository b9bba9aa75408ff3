// kill -9 of a node at random moments under load: none answered is lost, none doubled, the same lead on retry.
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkEndpoint } from '../../src/core/events.ts'
import { tester } from '../support/actor.ts'
import { eventually, leads, newEmail, send } from '../support/api.ts'
import { amount, between, longTest, printSeed } from '../support/faults.ts'
import { campaignFile, type Installation, installation, owner, type Server } from '../support/lastcall.ts'
import { newLedger } from '../support/ledger.ts'
import { ask } from '../support/postgres-databases.ts'
import { openReceiver } from '../support/receiver.ts'
import { engine } from '../support/test-database.ts'

const kills = amount(1, 200)
const unlimited = ['--rate-limit', '1000000000']

test(`kill -9 of a node, ${kills === 1 ? 'once' : `${kills} times`}, loses and doubles nothing that was answered`, {
  timeout: 60_000 + kills * 5_000,
}, async (t) => {
  printSeed(t)
  const place = installation(t)
  const me = await owner(place)
  const deadline = { kind: 'after', period: 'PT48H' }
  const resetting = await place.json(
    ['campaign', 'apply', '--account', String(me.accountId), '-'],
    campaignFile({ mechanism: { startsOn: 'registration', deadline, reset: { enabled: true } } }),
  )
  const ledger = newLedger(place, me)
  const resets = newLedger(place, { ...me, campaignId: resetting.id })

  for (let round = 0; round < kills; round += 1) {
    const server = await place.serve(unlimited)
    await ledger.assertKept(server)
    let killed = false
    const isOver = () => killed
    // Leads that change with every registration share the transactions of new ones.
    const resetting = (async () => {
      while (!killed) {
        const told = await resets.post(server, 'leads', 'reset@example.com').catch((error) => {
          if (!killed) throw error
        })
        if (told !== undefined) assert.ok([200, 201].includes(told.status), String(told.status))
      }
    })()
    resetting.catch(() => {})
    const loading = ledger.load({ servers: [server], clients: amount(8, 24), isOver })
    loading.catch(() => {}) // looked at below, after the kill
    // Every second kill comes once it answers, which takes a busy machine longer than any of these pauses.
    const { length: before } = ledger.answered()
    if (round % 2 === 0)
      await eventually(
        20,
        async () => ledger.answered().length,
        (now) => now > before + 2,
      )
    await sleep(between(10, amount(600, 260)))
    killed = true
    server.process.kill('SIGKILL')
    await Promise.all([loading, resetting])
    assertIntact(place)
  }

  const server = await place.serve(unlimited)
  await ledger.assertKept(server, ledger.answered())
  assert.equal(await server.stop(), 0)
  assertIntact(place)
  await ledger.assertBook()
  const { length } = ledger.answered()
  assert.ok(length > kills, `only ${length} registrations were answered`)
  t.diagnostic(`${length} leads answered`)
})

// One process serves an embedded database.
if (engine === 'postgres') {
  longTest('endpoints of a node that is killed are told by another within 30 seconds', async (t) => {
    const place = installation(t)
    const { accountId, campaignId, key } = await owner(place)
    const receiver = await openReceiver(t)
    const checked = checkEndpoint(
      { name: 'all', url: `${receiver.origin}/all`, kinds: ['lead.registered'] },
      () => undefined,
    )
    assert.ok('settings' in checked)
    await place.arrange(({ events }) => events.createEndpoint(accountId, checked.settings, tester))
    const serve = () => place.serve([], { EGRESS_ALLOW: '127.0.0.1' })
    const register = (server: Server) =>
      send(server, 'POST', leads(campaignId), { key, body: { email: newEmail() } }).then(({ status }) =>
        assert.equal(status, 201),
      )
    const first = await serve()
    await register(first)
    await receiver.wait('/all', 1, 15)
    const other = await serve()
    const lease = 'SELECT lease_holder, lease_ends_at FROM endpoints'
    const [before] = await ask(place.databaseUrl, lease)
    // Just after it has said that it lives.
    await eventually(
      15,
      () => sleep(400).then(() => ask(place.databaseUrl, lease)),
      ([now]) => now.lease_ends_at !== before.lease_ends_at,
    )
    first.process.kill('SIGKILL')
    const killedAt = performance.now()
    await register(other)
    await receiver.wait('/all', 2, 45)
    const seconds = (performance.now() - killedAt) / 1_000
    t.diagnostic(`told by another after ${seconds.toFixed(1)} s`)
    assert.ok(seconds < 30)
    const [after] = await ask(place.databaseUrl, lease)
    assert.notEqual(after.lease_holder, before.lease_holder)
  })
}

/** The file, on a copy, so that it is the server that finds the files as the kill has left them. */
function assertIntact(place: Installation): void {
  if (engine !== 'sqlite') return
  const copy = copyOf(place.folder)
  try {
    const database = new DatabaseSync(join(copy, 'lastcall.db'))
    const rows = database.prepare('PRAGMA integrity_check').all()
    assert.deepEqual(
      rows.map((row) => row.integrity_check),
      ['ok'],
    )
    database.close()
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** What the server had started ends a moment after it, and takes files of its own away: then all is copied again. */
function copyOf(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'lastcall-killed-'))
  try {
    cpSync(folder, copy, { recursive: true })
    return copy
  } catch (error) {
    rmSync(copy, { recursive: true, force: true })
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return copyOf(folder)
  }
}
