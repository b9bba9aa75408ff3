// A copy of the database file, taken while it serves.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { amount } from '../support/faults.ts'
import { installation, owner, withoutTables } from '../support/lastcall.ts'
import { assertRefused, comesTrue, prepared, root, several, sharedCommand } from '../support/prepared.ts'
import { rowsOf } from '../support/rows.ts'

const filesNamed = (folder: string, name: string) => readdirSync(folder).filter((file) => file.startsWith(name))

test('backup', { concurrency: 3, timeout: 400_000 }, async (t) => {
  const origin = await prepared(t)
  const tests: Promise<void>[] = []
  const check = (name: string, body: (t: TestContext) => Promise<void>) => {
    tests.push(t.test(name, body))
  }

  // Of those who start it by hand.
  process.umask(0o022)
  check('a backup while it serves', async (t) => {
    // It makes all its files itself.
    const place = installation(t, withoutTables)
    const server = await place.serve(['--rate-limit', '1000000000'])
    const me = await owner(place)
    const register = async (email: string) => {
      const answer = await fetch(`${server.base}/campaigns/${me.campaignId}/leads`, {
        method: 'POST',
        headers: { authorization: `Bearer ${me.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
      })
      return { status: answer.status, body: (await answer.json()) as any }
    }
    const isKnown = async () => (await register('first@example.com')).status === 201
    assert.ok(await comesTrue(2_000, isKnown), 'a running server does not know a new campaign')
    const before = new Map<string, any>()
    for (let n = 0; n < 20; n++) before.set(`before-${n}@example.com`, (await register(`before-${n}@example.com`)).body)
    let stopping = false
    const load = several(8, Array.from({ length: 8 }), async () => {
      while (!stopping) {
        assert.equal((await register(`${Math.random()}@example.com`)).status, 201)
        await sleep(amount(5, 0))
      }
    })
    const copyFolder = join(place.folder, 'copies')
    mkdirSync(copyFolder)
    const env = { DATABASE_URL: place.databaseUrl, INIT_CWD: copyFolder }
    const made = await sharedCommand(['backup', 'copy.db'], { env })
    stopping = true
    await load
    assert.equal(made.code, 0, made.stderr)
    assert.equal(made.stderr, '')
    assert.equal(typeof JSON.parse(made.stdout), 'object')
    const copyPath = join(copyFolder, 'copy.db')
    const copy = new DatabaseSync(copyPath)
    assert.equal(copy.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
    copy.close()
    assert.ok(!readFileSync(copyPath).includes('registerLead'), 'the history is in the copy')

    await t.test('database, logs, locks, history and backups are 0600, whatever the umask of the caller', async () => {
      const names = () => readdirSync(place.folder, { recursive: true }).map(String).sort()
      assert.ok(await comesTrue(10_000, () => names().includes('lastcall-history.db-wal')))
      const made = ['lastcall.db-shm', 'lastcall.db-wal', 'lastcall.db-serve.lock', 'lastcall-history.db']
      for (const name of ['copies/copy.db', 'lastcall.db', ...made])
        assert.ok(names().includes(name), `${name} is not there`)
      const modes = names().map((name) => [name, statSync(join(place.folder, name))] as const)
      const open = modes.filter(([, file]) => file.isFile() && (file.mode & 0o777) !== 0o600)
      assert.deepEqual(open, [])
    })

    // The copy serves: the same leads, the same links, the same keys.
    const second = installation(t)
    writeFileSync(second.databasePath, readFileSync(copyPath))
    const other = await second.serve()
    for (const [email, { registeredAt, deadline, offerLinks }] of before) {
      const answer = await fetch(`${other.base}/campaigns/${me.campaignId}/leads/lookup`, {
        method: 'POST',
        headers: { authorization: `Bearer ${me.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
      })
      const found: any = await answer.json()
      assert.deepEqual([found.registeredAt, found.deadline], [registeredAt, deadline])
      assert.equal(new URL(found.offerLinks[0].url).pathname, new URL(offerLinks[0].url).pathname)
    }
  })

  check('a backup onto something that is there', async (t) => {
    const place = origin.copy(t)
    const before = await rowsOf(place)
    writeFileSync(join(place.folder, 'precious.txt'), 'precious')
    for (const file of ['lastcall.db', './lastcall.db', 'precious.txt', '.', 'nowhere/copy.db'])
      assertRefused(await place.runShared(['backup', file]), file)
    assert.equal(readFileSync(join(place.folder, 'precious.txt'), 'utf8'), 'precious')
    assert.deepEqual(await rowsOf(place), before)
  })

  check('a backup that is killed half-way leaves no file under its name', async (t) => {
    const place = origin.copy(t)
    const database = new DatabaseSync(place.databasePath)
    database.exec(`CREATE TABLE filler (of BLOB);
      WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 400)
      INSERT INTO filler SELECT zeroblob(100000) FROM counted`)
    database.close()
    const env = { ...process.env, DATABASE_URL: place.databaseUrl, INIT_CWD: place.folder }
    const child = spawn(process.execPath, [join(root, 'src', 'main.ts'), 'backup', 'copy.db'], { env, stdio: 'ignore' })
    const ended = once(child, 'exit')
    const isBegun = () => readdirSync(place.folder).some((name) => /^copy\.db.*-journal$/.test(name))
    while (child.exitCode === null && !isBegun()) await sleep(1)
    child.kill('SIGKILL')
    await ended
    const path = join(place.folder, 'copy.db')
    assert.ok(!existsSync(path) || statSync(path).size > 40_000_000)
  })

  check('a backup of a damaged database says that it is damaged, and leaves nothing', async (t) => {
    const place = origin.copy(t)
    const database = new DatabaseSync(place.databasePath)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'audit_entries'").get()?.rootpage
    const pageSize = database.prepare('PRAGMA page_size').get()?.page_size as number
    database.close()
    const bytes = readFileSync(place.databasePath)
    bytes.fill(0xff, ((root as number) - 1) * pageSize, (root as number) * pageSize)
    writeFileSync(place.databasePath, bytes)
    const made = await place.runShared(['backup', 'copy.db'])
    assertRefused(made, 'the database refused: database disk image is malformed', [1])
    assert.deepEqual(filesNamed(place.folder, 'copy.db'), [])
  })

  check('a backup of nothing makes nothing', async (t) => {
    const place = installation(t, withoutTables)
    assertRefused(await place.runShared(['backup', 'copy.db']), /database|DATABASE_URL/)
    assert.ok(!existsSync(join(place.folder, 'copy.db')) && !existsSync(place.databasePath))
  })

  await Promise.all(tests)
})
