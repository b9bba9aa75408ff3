import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { zoneOf } from '../../src/core/mechanism/zone.ts'
import { formerNames, nodeZoneData } from '../../src/core/mechanism/zone-data.ts'
import { amount, someOf } from '../support/faults.ts'

const names = Intl.supportedValuesOf('timeZone')
const from = Date.UTC(1975, 0) / 1000
const until = Date.UTC(2125, 0) / 1000

function localByTemporal(name: string, at: number): number {
  const local = Temporal.Instant.fromEpochMilliseconds(at * 1000).toZonedDateTimeISO(name)
  return local.toPlainDateTime().toZonedDateTime('UTC').epochMilliseconds / 1000
}

function instantByTemporal(name: string, local: number): number {
  const wall = Temporal.Instant.fromEpochMilliseconds(local * 1000)
    .toZonedDateTimeISO('UTC')
    .toPlainDateTime()
  return wall.toZonedDateTime(name, { disambiguation: 'compatible' }).epochMilliseconds / 1000
}

test('zones are listed by their present names, each the same zone as the former one', () => {
  const listed = nodeZoneData('').names
  for (const [present, former] of Object.entries(formerNames)) {
    const zoneNamed = (name: string) => new Temporal.ZonedDateTime(0n, name)
    assert.ok(zoneNamed(present).equals(zoneNamed(former)), present)
    assert.deepEqual([listed.includes(present), listed.includes(former)], [true, false], present)
  }
})

test('local times are those of Temporal in every zone', () => {
  const second = fc.integer({ min: from, max: until })
  fc.assert(
    fc.property(fc.constantFrom(...names), second, (name, at) => {
      const zone = zoneOf(name)
      assert.equal(zone.toLocal(at), localByTemporal(name, at))
      assert.equal(zone.toInstant(at), instantByTemporal(name, at))
    }),
    { numRuns: amount(400, 5_000) },
  )
})

test('local times around every transition from 2007 to 2041 are those of Temporal', () => {
  for (const name of someOf(names, 40)) {
    const zone = zoneOf(name)
    let local = Temporal.Instant.from('2007-01-01T00:00:00Z').toZonedDateTimeISO(name)
    for (;;) {
      const transition = local.getTimeZoneTransition('next')
      if (transition === null || transition.year > 2041) break
      local = transition
      const at = local.epochMilliseconds / 1000
      for (const near of [-90_000, -3_600, -1, 0, 1, 1_799, 3_600, 90_000]) {
        const wall = localByTemporal(name, at + near)
        assert.equal(zone.toLocal(at + near), wall, `${name} ${local} ${near}`)
        for (const shift of [-3_600, 0, 3_600, 86_400]) {
          assert.equal(zone.toInstant(wall + shift), instantByTemporal(name, wall + shift), `${name} ${local} ${near}`)
        }
      }
    }
  }
})

test('local times are right even in more decades than are remembered', () => {
  const zone = zoneOf('America/New_York')
  for (let year = 1975; year < 2300; year += 1) zone.toLocal(Date.UTC(year, 6) / 1000)
  const july = Date.UTC(1999, 6) / 1000
  assert.equal(zone.toLocal(july), july - 4 * 3600)
})

test('the time zone of the machine does not matter', () => {
  const answers = (zone: string) => {
    const program = `
      import { readFileSync } from 'node:fs'
      import { simulate } from ${JSON.stringify(new URL('../../src/core/simulate.ts', import.meta.url).href)}
      const cases = readFileSync(new URL(${JSON.stringify(new URL('mechanism-cases.json', import.meta.url).href)}), 'utf8')
      console.log(new Date(0).getTimezoneOffset(), JSON.stringify(simulate(JSON.parse(cases))))`
    const env = { ...process.env, TZ: zone }
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      env,
      encoding: 'utf8',
    })
    assert.equal(child.status, 0, child.stderr)
    const [offset, answer] = child.stdout.split(' ')
    assert.match(answer ?? '', /^{"answers":/)
    return { offset, answer }
  }
  const utc = answers('UTC')
  for (const zone of someOf(['Pacific/Apia', 'America/St_Johns', 'Asia/Kathmandu'], 1)) {
    const there = answers(zone)
    assert.notEqual(there.offset, utc.offset)
    assert.equal(there.answer, utc.answer)
  }
})
