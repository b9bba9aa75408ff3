// Newer zone data than Node's: from a folder that TZDIR names, or the system's own.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { chooseZoneData } from '../../src/cli/zone-data.ts'
import { zoneData, zoneName, zoneOf } from '../../src/core/mechanism/zone.ts'
import { newDatabase } from '../support/citus.ts'
import { isFull } from '../support/faults.ts'
import { arrangeIn, installation } from '../support/lastcall.ts'
import { assertRefused, comesTrue, sharedCommand } from '../support/prepared.ts'
import { postgresUrl } from '../support/shared-postgres.ts'
import { winnipegOf2027, writeZones } from '../support/zone-files.ts'

function zonesFolder(t: TestContext, version?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-zones-'))
  t.after(() => rmSync(folder, { recursive: true }))
  // Systems have `Factory` for a clock whose zone nobody has set.
  return writeZones(folder, { 'America/Winnipeg': winnipegOf2027, Factory: { before: 0 } }, version)
}

const story = JSON.stringify({
  campaign: {
    timeZone: 'America/Winnipeg',
    mechanism: { startsOn: 'registration', deadline: { kind: 'daysAt', days: 1, time: '12:00' } },
  },
  events: [{ do: 'register', at: '2027-01-14T12:00:00-05:00' }],
})

test('the folder of TZDIR decides: what simulate answers, and what --version says', async (t) => {
  const deadline = async (env: Record<string, string>) => {
    const { code, stdout, stderr } = await sharedCommand(['simulate'], { env, input: story })
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)[0].deadline
  }
  assert.equal(await deadline({ TZDIR: zonesFolder(t) }), '2027-01-15T17:00:00Z')
  const said = async (env: Record<string, string>) =>
    JSON.parse((await sharedCommand(['--version'], { env })).stdout).zoneData
  assert.deepEqual(await said({ TZDIR: zonesFolder(t, '2099a') }), { version: '2099a', source: 'TZDIR' })
  const unnamed = await said({ TZDIR: zonesFolder(t) })
  assert.match(unnamed.version, /^unnamed-[0-9a-f]{8}$/)
})

test('a TZDIR without zone files, or with a broken one, stops the start', async (t) => {
  const env = (TZDIR: string) => ({ env: { TZDIR } })
  const empty = zonesFolder(t)
  for (const name of ['America', 'Factory']) rmSync(join(empty, name), { recursive: true })
  for (const folder of ['', '/nowhere', empty]) {
    assertRefused(
      await sharedCommand(['simulate'], { ...env(folder), input: story }),
      'TZDIR: must be a folder of TZif files',
    )
  }
  const broken = zonesFolder(t)
  for (const left of ['TZif2', '']) {
    writeFileSync(join(broken, 'America', 'Chicago'), left)
    assertRefused(await sharedCommand(['--version'], env(broken)), /TZDIR: .* America\/Chicago ends too early/)
  }
})

test("the system's data count where they are newer than Node's, and Node's where they are not", (t) => {
  t.after(() => chooseZoneData(null, '/nowhere'))
  const warned = t.mock.method(console, 'error', () => {})
  const chosen = (folder: string) => {
    chooseZoneData(null, folder)
    return zoneData().source
  }
  assert.equal(chosen(zonesFolder(t, '2099a')), 'system')
  assert.equal(zoneData().version, '2099a')
  assert.ok(!zoneData().names.includes('Factory'))
  assert.equal(zoneName('Factory'), undefined)
  assert.equal(
    zoneOf('America/Winnipeg').toInstant(Date.UTC(2027, 0, 15, 12) / 1_000),
    Date.UTC(2027, 0, 15, 17) / 1_000,
  )
  const macos = zonesFolder(t)
  writeFileSync(join(macos, '+VERSION'), '2099b\n')
  assert.equal(chosen(macos), 'system')
  assert.equal(zoneData().version, '2099b')
  for (const folder of ['/nowhere', zonesFolder(t), zonesFolder(t, '2001a'), zonesFolder(t, process.versions.tz)]) {
    assert.equal(chosen(folder), 'node')
    assert.equal(zoneData().version, process.versions.tz)
  }
  assert.equal(warned.mock.callCount(), 0)
  // What cannot be used does not stop a server that did without it.
  const broken = zonesFolder(t, '2099a')
  writeFileSync(join(broken, 'America', 'Chicago'), 'TZif2')
  assert.equal(chosen(broken), 'node')
  assert.match(String(warned.mock.calls[0]?.arguments[0]), /are not used: America\/Chicago ends too early/)
})

test('/metrics has the version, and nodes of one installation that differ are said in the log', async (t) => {
  const env = { DATABASE_URL: await newDatabase(await postgresUrl()) }
  const place = installation(t)
  const TZDIR = zonesFolder(t, '2099a')
  const [older, newer] = [await place.serve([], env), await place.serve([], { ...env, TZDIR })]
  const metrics = await (await fetch(`${newer.origin}/metrics`)).text()
  assert.match(metrics, /^lastcall_zone_data_info\{version="2099a",source="TZDIR"\} 1$/m)
  const differs = /zone data differ: here 2099a, on other nodes [^;]+; leads may get different deadlines/
  assert.ok(await comesTrue(5_000, () => differs.test(newer.output())), newer.output())
  await older.stop()
  // Two of a kind have nothing to say.
  t.after(() => chooseZoneData(null, '/nowhere'))
  const differing = async (folder: string | null) => {
    chooseZoneData(folder, '/nowhere')
    return arrangeIn(env.DATABASE_URL, (store) => store.otherZoneData())
  }
  assert.deepEqual(await differing(null), ['2099a'])
  // PostgreSQL may list the stopped server's connections for a moment longer.
  assert.ok(await comesTrue(5_000, async () => (await differing(TZDIR)).length === 0))
  if (!isFull) return
  const same = await place.serve([], { ...env, TZDIR })
  assert.ok(await comesTrue(5_000, () => same.output().includes('no user yet')))
  assert.doesNotMatch(same.output(), /zone data differ/)
})
