// openapi, migrate, and the program as npm starts it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { amount } from '../support/faults.ts'
import { compileCache, type Installation, installation, withoutTables } from '../support/lastcall.ts'
import { assertRefused, prepared, root } from '../support/prepared.ts'
import { rowsOf } from '../support/rows.ts'
import { databasesCreated } from '../support/test-database.ts'

const publicUrl = 'https://example.com/offers/x'
const environment = ({ databaseUrl }: Installation) => ({
  ...{ PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', NODE_COMPILE_CACHE: compileCache },
  DATABASE_URL: databaseUrl,
})

/** A server as npm starts it, with a shell between them, which ends with the test at the latest. */
async function startByNpm(t: TestContext, place: Installation) {
  await databasesCreated()
  const args = ['--prefix', root, 'run', '-s', 'start', '--', '--port', '0', '--public-url', publicUrl]
  const child = spawn('npm', args, { env: environment(place), stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  t.after(() => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL')
    } catch {} // all of them have ended
  })
  const [line] = await once(child.stdout, 'data')
  const address = /^Lastcall listening on (\S+)/.exec(String(line))?.[1]
  assert.ok(address, String(line))
  return { child, address }
}

test('maintenance', { concurrency: 2, timeout: 400_000 }, async (t) => {
  const origin = await prepared(t)
  const campaign = ['--campaign', String(origin.campaignId)]
  const tests: Promise<void>[] = []
  const check = (name: string, body: (t: TestContext) => Promise<void>) => {
    const one = t.test(name, body)
    tests.push(one)
    return one
  }
  const started = startByNpm(t, origin.copy(t))

  const described = check('openapi with an absolute address, and live with a relative one', async (t) => {
    const place = origin.copy(t)
    const server = 'https://offers.example.com/base/api/public/v1'
    const printed = await place.json(['openapi', '--server', server])
    assert.equal(printed.openapi.slice(0, 4), '3.1.')
    assert.equal(printed.info.version, '1.0.0')
    assert.deepEqual(
      printed.servers.map(({ url }: any) => url),
      [server],
    )
    const { address } = await started
    const live: any = await (await fetch(`${address}/api/public/v1/openapi.json`)).json()
    assert.deepEqual(
      live.servers.map(({ url }: any) => url),
      ['/offers/x/api/public/v1'],
    )
    assert.deepEqual({ ...printed, servers: [] }, { ...live, servers: [] })
  })

  const links = check('links begin with the public address, and the descriptions name its path', async () => {
    const { address } = await started
    const answer = await fetch(`${address}/api/public/v1/campaigns/${origin.campaignId}/leads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${origin.key}`, 'content-type': 'application/json' },
      body: '{"email":"a@example.com"}',
    })
    const { offerLinks, mailTimerUrl } = (await answer.json()) as any
    assert.ok(mailTimerUrl.startsWith(`${publicUrl}/timer/en/`), mailTimerUrl)
    assert.ok(offerLinks[0].url.startsWith(`${publicUrl}/go/${offerLinks[0].pageId}/`), offerLinks[0].url)
    for (const path of ['/api/events/v1', '/api/conversions/v1']) {
      const described = (await (await fetch(`${address}${path}/openapi.json`)).json()) as { servers: object[] }
      assert.deepEqual(described.servers, [{ url: `/offers/x${path}` }])
    }
  })

  check('openapi needs no database', async (t) => {
    const place = installation(t, withoutTables)
    await place.json(['openapi', '--server', 'http://localhost:8080/api/public/v1'])
    assert.deepEqual(readdirSync(place.folder), [])
  })

  check('migrate makes a database, and again changes nothing', async (t) => {
    const place = installation(t, withoutTables)
    assert.equal(typeof (await place.json(['migrate'])), 'object')
    const before = await rowsOf(place)
    assert.equal(typeof (await place.json(['migrate'])), 'object')
    assert.deepEqual(await rowsOf(place), before)
    assert.deepEqual(await place.json(['account', 'list']), [])
  })

  check('an empty database, which may be meant for others, gets tables only from some commands', async (t) => {
    const place = installation(t, withoutTables)
    if (place.databaseUrl.startsWith('file:')) writeFileSync(place.databasePath, '')
    for (const args of [
      ['account', 'list'],
      ['campaign', 'export', '1'],
    ])
      assertRefused(
        await place.runShared(args),
        'the database of DATABASE_URL is empty: serve, migrate or account create',
        [2],
      )
    assertRefused(await place.runShared(['distribute']), 'distribute: ', [2])
    const { applied } = await place.json(['migrate'])
    assert.ok(applied > 0, 'there were tables')
    assert.deepEqual(await place.json(['account', 'list']), [])
  })

  check('several commands at once on a database that is not there yet', async (t) => {
    const place = installation(t, withoutTables)
    const names = Array.from({ length: amount(3, 8) }, (_, n) => `Account ${n}`)
    const made = await Promise.all(names.map((name) => place.run(['account', 'create', '--name', name])))
    for (const { code, stderr } of made) assert.equal(code, 0, stderr)
    const listed = await place.json<any[]>(['account', 'list'])
    assert.deepEqual(listed.map(({ name }) => name).sort(), names)
    assert.equal(new Set(listed.map(({ id }) => id)).size, names.length)
  })

  check('as npm starts it, from a folder of the caller', async (t) => {
    const place = origin.copy(t)
    writeFileSync(join(place.folder, 'emails.csv'), 'email\nnpm@example.com\n')
    await databasesCreated()
    const npm = async (...args: string[]) => {
      const child = spawn('npm', ['--prefix', root, 'run', '-s', 'lastcall', '--', ...args], {
        cwd: place.folder,
        env: environment(place),
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let stdout = ''
      child.stdout.setEncoding('utf8').on('data', (text) => {
        stdout += text
      })
      const [code] = await once(child, 'close')
      return { code, stdout }
    }
    const made = await npm('lead', 'import', ...campaign, 'emails.csv')
    assert.equal(made.code, 0)
    assert.deepEqual(JSON.parse(made.stdout), { created: 1, existing: 0, refused: [] })
    assert.equal((await npm('lead', 'show', ...campaign, '--email', 'no@example.com')).code, 2)
  })

  check('a server that npm has started ends with a SIGTERM to npm, whose shell does not pass it on', async () => {
    const { child } = await started
    await Promise.all([described, links])
    child.kill('SIGTERM')
    // The server holds it open.
    const isClosed = once(child.stdout.resume(), 'close').then(() => true)
    assert.ok(await Promise.race([isClosed, sleep(10_000, false)]))
  })

  check('a reader of the output that goes away', async (t) => {
    const place = origin.copy(t)
    const emails = Array.from({ length: 4_000 }, (_, n) => `lead-${n}@example.com`)
    writeFileSync(join(place.folder, 'emails.csv'), `email\n${emails.join('\n')}\n`)
    await place.json(['lead', 'import', ...campaign, 'emails.csv'])
    const main = join(root, 'src', 'main.ts')
    const child = spawn(
      'sh',
      ['-c', `"$0" "$1" lead list ${campaign.join(' ')} | head -c 100`, process.execPath, main],
      {
        env: environment(place),
      },
    )
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text
    })
    await once(child, 'close')
    assert.doesNotMatch(stderr, /\bat .*\.ts:\d|node:internal/, stderr)
  })

  await Promise.all(tests)
})
