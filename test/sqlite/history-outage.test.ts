// A failing history costs entries, which are counted, and never an answer.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, assertStatus, call, eventually, leads, newEmail, send, unlimited } from '../support/api.ts'
import { someOf } from '../support/faults.ts'
import { type Installation, installation, type Owner, owner, type Server } from '../support/lastcall.ts'
import { assertRefused } from '../support/prepared.ts'

const historyPath = (place: Installation) => place.databasePath.replace(/\.db$/, '-history.db')

async function lost(server: Server): Promise<number> {
  const metrics = await send(server, 'GET', '/metrics', { outside: true })
  assertStatus(metrics, 200)
  const line = /^lastcall_history_lost_total(?:\{[^}]*\})? (\d+)/m.exec(String(metrics.raw))
  assert.ok(line, 'lastcall_history_lost_total is missing')
  return Number(line[1])
}

/** Lists and registrations, each answered as ever and without waiting for the history. */
async function askMany(server: Server, me: Owner, count: number): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let n = 0; n < count; n += 1) {
    const answer =
      n % 2
        ? await call(server, 'GET', '/campaigns', { key: me.key })
        : await call(server, 'POST', leads(me.campaignId), { key: me.key, body: { email: newEmail() } })
    assertStatus(answer, n % 2 ? 200 : 201)
    assert.ok(answer.receivedAt - answer.sentAt < 1000, `answered after ${answer.receivedAt - answer.sentAt} ms`)
    answers.push(answer)
  }
  return answers
}

async function stored(place: Installation, me: Owner, answers: Answer[]): Promise<number> {
  const ids = new Set(answers.map(({ headers }) => headers['x-request-id']))
  try {
    const database = new DatabaseSync(historyPath(place), { readOnly: true })
    const rows = database.prepare('SELECT request_id FROM request_history WHERE account_id = ?').all(me.accountId)
    database.close()
    return rows.filter(({ request_id }) => ids.has(String(request_id))).length
  } catch {
    return 0 // none can be read
  }
}

const spoilt: [string, (path: string) => void][] = [
  ['a folder in its place', (path) => mkdirSync(path)],
  ['no database in its file', (path) => writeFileSync(path, 'this is no database'.repeat(1000))],
]

async function startSpoilt(place: Installation, me: Owner, spoil: (path: string) => void) {
  for (const file of readdirSync(place.folder).filter((file) => /-history\.db/.test(file)))
    rmSync(join(place.folder, file), { recursive: true })
  spoil(historyPath(place))
  const listed = await place.runShared(['history', 'list', '--account', String(me.accountId)])
  assertRefused(listed, /the request history fails: (disk I.O error|file is not a database)/, [1])
  const server = await place.serve(unlimited)
  return { server, answers: await askMany(server, me, 20) }
}

// One server meets all of it, one after the other: most of a test is the start of a server.
test('the history fails', { timeout: 120_000 }, async (t) => {
  const place = installation(t)
  const me = await owner(place)
  let server = {} as Server
  let spoiltAnswers: Answer[] = []

  for (const [name, spoil] of someOf(spoilt, 1))
    await t.test(`${name} from the start: a command refuses to read it, and requests are answered`, async () => {
      if (server.process) await server.stop()
      const started = await startSpoilt(place, me, spoil)
      server = started.server
      spoiltAnswers = started.answers
    })

  await t.test(
    'what was in its place is taken away: nothing more is lost, and what was before is stored or counted',
    async () => {
      rmSync(historyPath(place), { recursive: true })
      const answers = await askMany(server, me, 2)
      await eventually(
        10,
        () => stored(place, me, answers),
        (count) => count === 2,
      )
      await eventually(
        10,
        async () => (await stored(place, me, spoiltAnswers)) + (await lost(server)),
        (sum) => sum === spoiltAnswers.length,
      )
    },
  )

  await t.test('its files removed: requests are answered, and what is not in the new one is counted', async () => {
    await sleep(1000)
    const lostBefore = await lost(server)
    const name = /-history\.db/
    for (const file of readdirSync(place.folder).filter((file) => name.test(file))) rmSync(join(place.folder, file))
    const answers = await askMany(server, me, 20)
    await eventually(
      8,
      async () => (await stored(place, me, answers)) + (await lost(server)) - lostBefore,
      (sum) => sum === answers.length,
    )
    assertStatus(await call(server, 'GET', '/campaigns', { key: me.key }), 200)
  })

  await t.test('its tables removed: the file is opened again, which makes them, and nothing is lost', async () => {
    await sleep(1000)
    // The server may be writing.
    const database = new DatabaseSync(historyPath(place), { timeout: 2_000 })
    database.exec('DROP TABLE request_history')
    database.close()
    const answers = await askMany(server, me, 20)
    await eventually(
      8,
      () => stored(place, me, answers),
      (count) => count === answers.length,
    )
  })
})
