// The database beneath the process: gone, replaced, locked, newer, broken, or in use by another server.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { amount, isFull, someOf } from '../../support/faults.ts'
import type { Installation, Server } from '../../support/lastcall.ts'
import { assertRefused, comesTrue, prepared, sharedCommand } from '../../support/prepared.ts'

test('the database', { concurrency: 6, timeout: 120_000 }, async (t) => {
  const origin = await prepared(t)
  const tests: Promise<void>[] = []
  const check = (name: string, body: (t: TestContext) => Promise<void>) => {
    tests.push(t.test(name, body))
  }

  type Told = { status: number; body: any; tookMs: number }
  async function post(server: Server, path: string, email: string): Promise<Told> {
    const startedAt = Date.now()
    const answer = await fetch(`${server.base}/campaigns/${origin.campaignId}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${origin.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    })
    return { status: answer.status, body: await answer.json(), tookMs: Date.now() - startedAt }
  }
  const register = (server: Server, email: string) => post(server, 'leads', email)
  const lookUp = (server: Server, email: string) => post(server, 'leads/lookup', email)
  const isReady = async (server: Server) => (await fetch(`${server.origin}/readyz`)).status === 200
  const emailsIn = async (place: Installation) =>
    JSON.stringify(await place.json(['lead', 'list', '--campaign', String(origin.campaignId)]))
  async function start(t: TestContext) {
    const place = origin.copy(t)
    const server = await place.serve(['--rate-limit', '1000000'])
    assert.equal((await register(server, 'first@example.com')).status, 201)
    return { place, server }
  }
  const filesOf = (place: Installation, name = 'lastcall.db') =>
    readdirSync(place.folder)
      .filter((file) => file === name || file === `${name}-wal` || file === `${name}-shm`)
      .map((file) => join(place.folder, file))

  // Gone or replaced.

  async function assertLost(name: string, place: Installation, server: Server, lose: (place: Installation) => void) {
    assert.ok(await isReady(server))
    lose(place)
    // From the loss on, an answered registration would be one that nobody finds again.
    const ghost = await register(server, 'ghost@example.com')
    assert.equal(ghost.status, 503, JSON.stringify(ghost.body))
    assert.equal(ghost.body.code, 'SERVICE_UNAVAILABLE')
    assert.ok(ghost.tookMs < 2_000)
    assert.ok(await comesTrue(3_000, async () => !(await isReady(server))), 'still ready')
    const says = /^(?!.*requestId).*the database cannot be used/m
    assert.ok(await comesTrue(3_000, async () => says.test(server.output())), 'the log does not say so')
    const looked = await lookUp(server, 'first@example.com')
    assert.equal(looked.status, 503)
    assert.equal((await register(server, 'ghost@example.com')).status, 503)
    assert.equal((await fetch(`${server.origin}/healthz`)).status, 200)
    assert.equal((await fetch(`${server.origin}/metrics`)).status, 200)
    if (/file is|folder/.test(name)) assert.ok(!existsSync(place.databasePath), 'a new file has appeared')
  }
  const lost = (name: string) => `${name}: not ready, 503, and nothing is written where nobody would find it`

  const losses: Record<string, (place: Installation) => void> = {
    'the file is deleted': ({ databasePath }) => rmSync(databasePath),
    'the file is deleted with all that goes with it': (place) => filesOf(place).forEach((file) => void rmSync(file)),
    'another is put in its place': ({ databasePath }) => {
      copyFileSync(databasePath, `${databasePath}.new`)
      renameSync(`${databasePath}.new`, databasePath)
    },
    'another database is put in its place, whole': (place) => {
      for (const file of filesOf(place)) rmSync(file)
      copyFileSync(origin.place.databasePath, place.databasePath)
    },
  }
  // To a server what is deleted is as what is moved away, which is looked at below, as is a log that is deleted.
  for (const [name, lose] of isFull ? Object.entries(losses) : [])
    check(lost(name), async (t) => {
      const { place, server } = await start(t)
      await assertLost(name, place, server, lose)
      assert.equal(await server.stop(), 0)
    })

  // One server after the other meets what it outlives: most of a check is the start of one.

  check('beside others', async (t) => {
    const { place, server } = await start(t)
    const away = ['the file is moved away', 'the folder is moved away', 'the folder cannot be looked at']
    for (const [n, name] of away.entries())
      await t.test(`${lost(name)}; it comes back, and all is well`, async (t) => {
        const from = n === 0 ? place.databasePath : place.folder
        const to = `${from}-moved`
        const isLoop = n === 2
        t.after(() => rmSync(to, { recursive: true, force: true }))
        await assertLost(name, place, server, () => {
          renameSync(from, to)
          // ELOOP: as on a disk or a share that fails, there is an error, and not nothing.
          if (isLoop) symlinkSync(from, from)
        })
        if (isLoop) unlinkSync(from)
        renameSync(to, from)
        assert.ok(await comesTrue(3_000, () => isReady(server)), 'never ready again')
        assert.equal((await register(server, `after-${n}@example.com`)).status, 201)
        const stored = await emailsIn(place)
        for (const email of ['first', `after-${n}`]) assert.ok(stored.includes(`${email}@example.com`))
        assert.ok(!stored.includes('ghost'))
      })
    await t.test('locked for three seconds: registrations 503, lookups go on, then all is well', async () => {
      const database = new DatabaseSync(place.databasePath)
      database.exec('BEGIN IMMEDIATE')
      const until = Date.now() + 3_000
      const registering = (async () => {
        let waves = 0
        for (; Date.now() < until - 1_300; waves++) {
          const wave = await Promise.all(
            Array.from({ length: 20 }, (_, n) => register(server, `locked-${waves}-${n}@example.com`)),
          )
          for (const { status, body, tookMs } of wave) {
            assert.equal(status, 503)
            assert.equal(body.code, 'SERVICE_UNAVAILABLE')
            assert.ok(tookMs < 1_600, `503 only after ${tookMs} ms`)
          }
        }
        assert.ok(waves > 0)
      })()
      const looking = (async () => {
        const times: number[] = []
        while (Date.now() < until - 100) {
          const { status, tookMs } = await lookUp(server, 'first@example.com')
          assert.equal(status, 200)
          times.push(tookMs)
          await sleep(amount(20, 0))
        }
        const median = times.sort((a, b) => a - b)[Math.floor(times.length / 2)] as number
        assert.ok(times.length > 10 && median < 200, `${times.length} lookups, the median took ${median} ms`)
        assert.ok((times.at(-1) ?? 0) < 1_000, `one took ${times.at(-1)} ms`)
      })()
      const listing = fetch(`${server.base}/campaigns`, { headers: { authorization: `Bearer ${origin.key}` } })
      assert.equal((await listing).status, 200)
      await Promise.all([registering, looking])
      await sleep(Math.max(0, until - Date.now()))
      database.exec('COMMIT')
      database.close()
      const again = await register(server, 'after@example.com')
      assert.equal(again.status, 201)
      assert.ok(again.tookMs < 1_000)
      assert.ok(await isReady(server))
    })
    await t.test('locked for a moment: the registration waits', async () => {
      const database = new DatabaseSync(place.databasePath)
      database.exec('BEGIN IMMEDIATE')
      const asked = register(server, 'patient@example.com')
      await sleep(250)
      database.exec('COMMIT')
      database.close()
      assert.equal((await asked).status, 201)
    })
    await t.test('`migrate` refuses beside a server', async () => {
      assertRefused(await place.runShared(['migrate']), 'a server, a migration or a copy is running on', [1])
      assert.equal((await register(server, 'beside@example.com')).status, 201)
    })
    await t.test('one whose database becomes newer stops, and says why', async () => {
      const ended = once(server.process, 'exit')
      const database = new DatabaseSync(place.databasePath)
      const version = database.prepare('PRAGMA user_version').get()?.user_version as number
      database.exec(`PRAGMA user_version = ${version + 1}`)
      const [code] = await Promise.race([ended, sleep(3_000, ['still running'])])
      assert.equal(code, 1)
      assert.match(server.output(), /newer/)
      database.exec(`PRAGMA user_version = ${version}`)
      database.close()
      assert.equal((await place.json(['migrate'])).applied, 0)
    })
  })

  check('started again', async (t) => {
    const { place, server } = await start(t)
    let next = server
    await t.test('one server at a time, and the command line beside it', async () => {
      const link = join(dirname(place.folder), `${basename(place.folder)}-link`)
      symlinkSync(place.folder, link)
      t.after(() => rmSync(link, { force: true }))
      const urls = [
        `file:${link}/lastcall.db`,
        place.databaseUrl,
        `file:${place.folder}/../${basename(place.folder)}/lastcall.db`,
      ]
      for (const url of someOf(urls, 1)) {
        const second = await sharedCommand(['serve', '--port', '0'], { env: { DATABASE_URL: url } })
        assertRefused(second, /server|serv|use|run/i)
      }
      assert.ok(await isReady(server))
      assert.equal((await register(server, 'beside@example.com')).status, 201)
      const accounts = await place.runShared(['account', 'list'])
      assert.equal(accounts.code, 0, accounts.stderr)
      assert.ok((await emailsIn(place)).includes('beside@example.com'))
      const made = await place.json(['key', 'create', '--account', String(origin.accountId), '--name', 'beside'])
      const asked = () => fetch(`${server.base}/campaigns`, { headers: { authorization: `Bearer ${made.key}` } })
      assert.ok(await comesTrue(1_000, async () => (await asked()).status === 200), 'a new key does not hold')
    })
    await t.test('two servers started at once: one serves', async () => {
      assert.equal(await server.stop(), 0)
      const started = await Promise.allSettled(Array.from({ length: amount(2, 3) }, () => place.serve()))
      const serving = started.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
      assert.equal(serving.length, 1)
      for (const start of started) {
        if (start.status === 'rejected') assert.match(String(start.reason), /exited [12]/)
      }
      next = serving[0] as Server
      assert.equal((await lookUp(next, 'beside@example.com')).status, 200)
    })
    await t.test('a start right after kill -9', async () => {
      next.process.kill('SIGKILL')
      next = await place.serve()
      assert.equal((await lookUp(next, 'first@example.com')).status, 200)
      assert.equal((await register(next, 'second@example.com')).status, 201)
    })
    await t.test(lost('the log beside it is deleted'), async () => {
      await assertLost('the log', place, next, ({ databasePath }) => rmSync(`${databasePath}-wal`))
      assert.equal(await next.stop(), 0)
    })
  })

  // Files that are not to be touched.

  type Unusable = [make: (path: string) => void, says: RegExp]
  const unusable: Record<string, Unusable> = {
    'of a newer version': [
      (path) => {
        const database = new DatabaseSync(path)
        const { user_version: version } = database.prepare('PRAGMA user_version').get() as {
          user_version: number
        }
        assert.ok(version > 0, 'the version is expected in PRAGMA user_version')
        database.exec(`PRAGMA user_version = ${version + 1}`)
        database.close()
      },
      /newer|version/i,
    ],
    'that is no database': [(path) => writeFileSync(path, 'Dear diary,\n'.repeat(1_000)), /database|SQLite/i],
    'of random bytes': [
      (path) => writeFileSync(path, Buffer.from(Array.from({ length: 8_192 }, (_, n) => (n * 7_919) % 251))),
      /database|SQLite/i,
    ],
    'whose first pages are overwritten': [
      (path) => {
        const file = openSync(path, 'r+')
        writeSync(file, Buffer.alloc(4_000, 0x5a), 0, 4_000, 100)
        closeSync(file)
      },
      /database|corrupt|malformed/i,
    ],
    'that is cut off': [(path) => truncateSync(path, 5_000), /database|corrupt|malformed/i],
  }
  const ofAnother: Unusable = [
    (path) => {
      rmSync(path)
      const database = new DatabaseSync(path)
      database.exec("CREATE TABLE diary (entry TEXT); INSERT INTO diary VALUES ('Dear diary')")
      database.close()
    },
    /not one of Lastcall/,
  ]
  const calls = [['serve', '--port', '0'], ['account', 'list'], ['account', 'create', '--name', 'x'], ['migrate']]
  // The last one meets `migrate`, also in the short form: it would make its tables in the file.
  const tried = [
    ...someOf(Object.entries(unusable), 3),
    ['that is the database of another program', ofAnother] as const,
  ]
  for (const [n, [name, [make, says]]] of tried.entries())
    check(`a file ${name} is refused, and left as it was`, async (t) => {
      const place = origin.copy(t)
      make(place.databasePath)
      const before = readFileSync(place.databasePath)
      const env = { DATABASE_URL: place.databaseUrl }
      // In the short form each kind of file meets another of them: they open it in the same way.
      for (const args of isFull ? calls : calls.slice(n, n + 1)) assertRefused(await sharedCommand(args, { env }), says)
      assert.ok(readFileSync(place.databasePath).equals(before), 'the file was changed')
    })

  await Promise.all(tests)
})
