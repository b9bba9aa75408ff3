// Erasing in the panel: the row is overwritten when it is answered, and the server empties the log behind it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { tester } from '../support/actor.ts'
import { campaignFile, type Installation, type Server } from '../support/lastcall.ts'
import { panelSession } from '../support/panel-session.ts'
import { comesTrue, filesWith, prepared } from '../support/prepared.ts'

test('erasing in the panel', { timeout: 300_000 }, async (t) => {
  const origin = await prepared(t)
  const { place, accountId, campaignId } = origin
  const server = await place.serve(['--rate-limit', '1000000'])
  const { ino } = statSync(place.databasePath)
  /** How many locks on the file the server holds; only Linux says so. */
  const locks = () =>
    existsSync('/proc/locks')
      ? readFileSync('/proc/locks', 'utf8')
          .split('\n')
          .filter((line) => line.includes(` ${server.process.pid} `) && line.includes(`:${ino} `)).length
      : undefined
  // Before anything is erased: that is what might lose them.
  const locksAtFirst = locks()
  if (process.platform === 'linux') assert.ok(locksAtFirst, 'no lock of the server in /proc/locks')
  const ask = await panelSession(place, server, accountId)

  const register = (server: Server, email: string, campaign = campaignId) =>
    fetch(`${server.base}/campaigns/${campaign}/leads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${origin.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    }).then(({ status }) => status)

  const refOf = (place: Installation, email: string) =>
    place.arrange(async (store) => {
      const campaign = await store.configuration.findCampaign(campaignId)
      assert.ok(campaign)
      return (await store.leads.find(campaign, email))?.ref
    })

  const inLog = (place: Installation, email: string) => readFileSync(`${place.databasePath}-wal`).includes(email)

  await t.test('several leads of one person', async () => {
    const more = await place.json(['campaign', 'apply', '--account', String(accountId), '-'], campaignFile())
    const email = 'everywhere@example.com'
    await sleep(600) // a running server knows a new campaign
    for (const id of [campaignId, more.id]) assert.equal(await register(server, email, id), 201)
    const { status, body } = await ask('POST', '/person/erasure', { email })
    assert.deepEqual([status, body.campaignIds], [200, [campaignId, more.id]])
    assert.ok(await comesTrue(20_000, () => !inLog(place, email)))
    assert.deepEqual(filesWith(place.folder, email), [])
  })

  await t.test('SQLite keeps its lock on the file, without which any tool would delete a log in use', async () => {
    assert.equal(await register(server, 'gone@example.com'), 201)
    assert.equal((await ask('POST', '/person/erasure', { email: 'gone@example.com' })).status, 200)
    assert.ok(await comesTrue(20_000, () => !inLog(place, 'gone@example.com')))
    assert.equal(locks(), locksAtFirst)
    assert.equal(await register(server, 'stays@example.com'), 201)
  })

  await t.test('erasures are limited for each account', async () => {
    const erase = { email: 'nobody@example.com' }
    const other = await place.arrange((store) => store.configuration.createAccount('Other', tester))
    const askAsOther = await panelSession(place, server, other.id)
    const minute = () => Math.floor(Date.now() / 60_000)
    const from = minute()
    let answer = await askAsOther('POST', '/person/erasure', erase)
    let erasures = 0
    for (; erasures < 150 && answer.status === 200; erasures += 1)
      answer = await askAsOther('POST', '/person/erasure', erase)
    assert.deepEqual([answer.status, answer.body.code], [429, 'TOO_MANY_TRIES'])
    assert.ok(erasures === 60 || (minute() > from && erasures > 60 && erasures <= 120), String(erasures))
    assert.ok(answer.body.retryAfterSeconds >= 1)
    assert.equal((await ask('POST', '/person/erasure', erase)).status, 200)
  })

  await t.test('with somebody reading: it answers at once, registrations go on, the log follows', async () => {
    const emails = ['ada', 'bela', 'chen', 'dana'].map((name) => `${name}@example.com`)
    for (const email of emails) assert.equal(await register(server, email), 201)
    const refs = await Promise.all(emails.map((email) => refOf(place, email)))
    const reader = new DatabaseSync(place.databasePath)
    t.after(() => reader.isOpen && reader.close())
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM leads').get()
    const statuses: number[] = []
    const others = (async () => {
      for (let n = 0; n < 40; n += 1) {
        statuses.push(await register(server, `other-${n}@example.org`))
        await sleep(40)
      }
    })()
    for (const ref of refs) {
      const startedAt = performance.now()
      const { status } = await ask('POST', `/campaigns/${campaignId}/leads/erasure`, { refs: [ref] })
      assert.equal(status, 200)
      assert.ok(performance.now() - startedAt < 2_000, `${performance.now() - startedAt} ms`)
    }
    await others
    assert.deepEqual([...new Set(statuses)], [201])
    for (const email of emails) assert.ok(inLog(place, email), 'nothing is left to do')
    reader.exec('COMMIT')
    reader.close()
    assert.ok(await comesTrue(20_000, () => !emails.some((email) => inLog(place, email))), 'the log still has them')
    const isNowhere = () => emails.every((email) => filesWith(place.folder, email).length === 0)
    assert.ok(await comesTrue(2_000, isNowhere), 'another file has them')
  })

  await t.test('a server that was killed leaves it to the next one', async () => {
    const email = 'left@example.com'
    assert.equal(await register(server, email), 201)
    // Keeps the log from being emptied, and as it cannot write, leaves it there at its end.
    const reader = new DatabaseSync(place.databasePath, { readOnly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM leads').get()
    assert.equal((await ask('POST', '/person/erasure', { email })).status, 200)
    server.process.kill('SIGKILL')
    await once(server.process, 'exit')
    reader.close()
    assert.ok(inLog(place, email), 'nothing is left to do')
    const next = await place.serve()
    assert.ok(await comesTrue(20_000, () => filesWith(place.folder, email).length === 0))
    assert.equal(await next.stop(), 0)
    assert.deepEqual(filesWith(place.folder, email), [])
  })
})
