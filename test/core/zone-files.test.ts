// Zone files against Temporal: what is read of them has to be what the same data give there.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseTzString } from '../../src/core/mechanism/tz-string.ts'
import { readTzif } from '../../src/core/mechanism/tzif.ts'
import { clockChanges, nextClockChange, setZoneData, zoneName, zoneOf } from '../../src/core/mechanism/zone.ts'
import { filedZoneData, nodeZoneData, type SpanAt } from '../../src/core/mechanism/zone-data.ts'
import { someOf } from '../support/faults.ts'
import { winnipegOf2027, type ZoneFile, zoneFile } from '../support/zone-files.ts'

const node = nodeZoneData('of Node')
after(() => setZoneData(node))

/** Every rule with summer time that the IANA database has, as its files end. */
const footers = [
  ...['<+11>-11<+12>,M10.1.0,M4.1.0/3', 'ACST-9:30ACDT,M10.1.0,M4.1.0/3', 'AEST-10AEDT,M10.1.0,M4.1.0/3'],
  ...['<+1030>-10:30<+11>-11,M10.1.0,M4.1.0', 'IST-1GMT0,M10.5.0,M3.5.0/1', '<-03>3<-02>,M3.2.0,M11.1.0'],
  ...['AKST9AKDT,M3.2.0,M11.1.0', 'AST4ADT,M3.2.0,M11.1.0', 'CST6CDT,M3.2.0,M11.1.0', 'EST5EDT,M3.2.0,M11.1.0'],
  ...['HST10HDT,M3.2.0,M11.1.0', 'MST7MDT,M3.2.0,M11.1.0', 'NST3:30NDT,M3.2.0,M11.1.0', 'PST8PDT,M3.2.0,M11.1.0'],
  ...['CST5CDT,M3.2.0/0,M11.1.0/1', 'IST-2IDT,M3.4.4/26,M10.5.0', 'EET-2EEST,M3.4.4/50,M10.4.4/50'],
  ...['CET-1CEST,M3.5.0,M10.5.0/3', 'EET-2EEST,M3.5.0,M10.5.0/3', '<-02>2<-01>,M3.5.0/-1,M10.5.0/0'],
  ...['EET-2EEST,M3.5.0/0,M10.5.0/0', '<-01>1<+00>,M3.5.0/0,M10.5.0/1', '<+00>0<+02>-2,M3.5.0/1,M10.5.0/3'],
  ...['GMT0BST,M3.5.0/1,M10.5.0', 'EET-2EEST,M3.5.0/3,M10.5.0/4', 'EET-2EEST,M4.5.5/0,M10.5.4/24'],
  ...['<-06>6<-05>,M9.1.6/22,M4.1.6/22', '<-04>4<-03>,M9.1.6/24,M4.1.6/24', 'NZST-12NZDT,M9.5.0,M4.1.0/3'],
  ...['<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45'],
]

const second = (year: number) => Date.UTC(year, 0) / 1_000

/** The changes of a zone as Temporal tells them. */
function changesByTemporal(name: string, from: number, until: number): { at: number; offset: number }[] {
  const changes = []
  let local = Temporal.Instant.fromEpochMilliseconds(from * 1_000).toZonedDateTimeISO(name)
  for (;;) {
    const next = local.getTimeZoneTransition('next')
    if (next === null || next.epochMilliseconds >= until * 1_000) return changes
    changes.push({ at: next.epochMilliseconds / 1_000, offset: next.offsetNanoseconds / 1e9 })
    local = next
  }
}

const offsetByTemporal = (name: string, at: number) =>
  Temporal.Instant.fromEpochMilliseconds(at * 1_000).toZonedDateTimeISO(name).offsetNanoseconds / 1e9

const hasChange = (changes: { at: number; offset: number }[], one: { at: number; offset: number }) =>
  changes.some(({ at, offset }) => at === one.at && offset === one.offset)

/** A zone as a file: changes up to the year 2026, then a footer that gives what Temporal has in 2050. */
function fileOf(name: string): ZoneFile {
  const before = offsetByTemporal(name, second(2000))
  const later = changesByTemporal(name, second(2050), second(2051))
  const changes = changesByTemporal(name, second(2000), second(2027))
  const last = changes.at(-1)?.offset ?? before
  const footer = later.length === 0 ? fixedFooter(last) : footers.find((each) => fits(each, later))
  // Morocco's clocks follow the moon: no rule says that.
  const isRegular =
    footer !== undefined &&
    changesByTemporal(name, second(2027), second(2050)).every(
      (change) => footer.includes(',') && hasChange(parseTzString(footer).changesOf(yearOf(change.at)), change),
    )
  if (isRegular) return { before, changes, footer }
  return { before, changes: changesByTemporal(name, second(2000), second(2045)) }
}

const yearOf = (at: number) => new Date(at * 1_000).getUTCFullYear()
const fits = (footer: string, later: { at: number; offset: number }[]) =>
  later.every((change) => hasChange(parseTzString(footer).changesOf(2050), change))

function fixedFooter(offset: number): string {
  const minutes = Math.abs(offset) / 60
  return `<xxx>${offset > 0 ? '-' : ''}${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}

test('every zone, read from a file, is that of Temporal around each change from 2024 to 2038', () => {
  const made = new Map(node.names.map((name) => [name, fileOf(name)]))
  const withRule = [...made.values()].filter(({ footer }) => footer !== undefined)
  assert.ok(made.size > 400 && withRule.length >= made.size - 10, `${withRule.length} of ${made.size}`)
  const files = new Map([...made].map(([name, file]): [string, SpanAt] => [name, readTzif(zoneFile(file))]))
  setZoneData(filedZoneData({ version: 'made', source: 'TZDIR', files }, node))
  for (const name of someOf(node.names, 120)) {
    const zone = zoneOf(name)
    const changes = changesByTemporal(name, second(2024), second(2039))
    assert.deepEqual(clockChanges(name, second(2024), second(2039)).slice(1), changes, name)
    for (const { at } of [...changes, { at: second(2024) }, { at: second(2038) }]) {
      const next = changes.find((change) => change.at > at)?.at
      if (next !== undefined) assert.equal(nextClockChange(name, at), next, name)
      for (const near of [-90_000, -3_600, -1, 0, 1, 1_799, 3_600, 90_000]) {
        const wall = at + near + offsetByTemporal(name, at + near)
        assert.equal(zone.toLocal(at + near), wall, `${name} ${at} ${near}`)
        const plain = Temporal.Instant.fromEpochMilliseconds(wall * 1_000)
          .toZonedDateTimeISO('UTC')
          .toPlainDateTime()
        const { epochMilliseconds } = plain.toZonedDateTime(name, { disambiguation: 'compatible' })
        assert.equal(zone.toInstant(wall), epochMilliseconds / 1_000, `${name} ${at} ${near}`)
      }
    }
  }
})

const utc = (text: string) => Date.parse(`${text}Z`) / 1_000
const zoneFrom = (file: ZoneFile) => readTzif(zoneFile(file))

test('clocks that stay on summer time, which Node does not know yet', () => {
  const files = new Map([['America/Winnipeg', zoneFrom(winnipegOf2027)]])
  setZoneData(filedZoneData({ version: '2099a', source: 'TZDIR', files }, node))
  const noon = utc('2027-01-15T12:00')
  assert.equal(zoneOf('America/Winnipeg').toInstant(noon), utc('2027-01-15T17:00'))
  assert.equal(nextClockChange('America/Winnipeg', utc('2026-10-01T00:00')), null)
  // An old name that the folder lacks is the same zone; a zone that it lacks is Node's.
  assert.equal(zoneOf('Canada/Central').toInstant(noon), utc('2027-01-15T17:00'))
  assert.equal(zoneOf('America/Chicago').toInstant(noon), utc('2027-01-15T18:00'))
})

test('a zone that only the files have is known in any case of its letters', () => {
  const data = filedZoneData(
    { version: '2099a', source: 'TZDIR', files: new Map([['Europe/Atlantis', zoneFrom({ before: 5_400 })]]) },
    node,
  )
  setZoneData(data)
  assert.equal(zoneName('europe/atlantis'), 'Europe/Atlantis')
  assert.equal(zoneName('europe/warsaw'), 'Europe/Warsaw')
  assert.equal(zoneName('Europe/Lemuria'), undefined)
  assert.equal(zoneName('+02:00'), undefined)
  assert.equal(zoneOf('Europe/Atlantis').toLocal(0), 5_400)
  assert.deepEqual(data.names.slice(-1), ['Europe/Atlantis'])
  assert.throws(() => zoneOf('Europe/Lemuria'), RangeError)
})

test('files of every form', () => {
  const spring = utc('2026-03-29T01:00')
  // A change of the abbreviation alone is none.
  const idle = zoneFrom({
    before: 0,
    changes: [
      { at: 0, offset: 0 },
      { at: spring, offset: 3_600 },
    ],
  })
  assert.deepEqual(idle(100), { from: Number.NEGATIVE_INFINITY, until: spring, offset: 0 })
  // Nobody knows how it goes on: as it was.
  assert.deepEqual(idle(spring), { from: spring, until: Number.POSITIVE_INFINITY, offset: 3_600 })
  // Without a change the footer holds from the beginning.
  assert.equal(zoneFrom({ before: 0, footer: '<x-1>1' })(0).offset, -3_600)
  const year = zoneFrom({ before: 0, footer: 'CET-1CEST,M3.5.0,M10.5.0/3' })
  assert.deepEqual(year(spring), { from: spring, until: utc('2026-10-25T01:00'), offset: 7_200 })
  assert.deepEqual(year(spring - 1).until, spring)
  // Summer time all year long (RFC 9636, 3.3.1).
  const always = zoneFrom({
    before: 0,
    changes: [{ at: 0, offset: -14_400 }],
    footer: 'XXX3EDT4,0/0,J365/23',
    version: 3,
  })
  assert.deepEqual(always(utc('2030-01-01T03:00')), { from: 0, until: Number.POSITIVE_INFINITY, offset: -14_400 })
  // Days counted without February 29, and with it.
  const days = zoneFrom({ before: 0, footer: 'AAA0BBB,J60/0,300/0' })
  assert.equal(days(utc('2028-02-01T00:00')).until, utc('2028-03-01T00:00'))
  assert.equal(days(utc('2027-02-01T00:00')).until, utc('2027-03-01T00:00'))
  assert.equal(days(utc('2028-06-01T00:00')).until, utc('2028-10-26T23:00'))
})

test('a file that is broken, of version 1 or with leap seconds is refused, and said why', () => {
  const whole = zoneFile({ before: 0, changes: [{ at: 0, offset: 3_600 }], footer: 'CET-1' })
  for (let length = 0; length < whole.length; length += 1) {
    assert.throws(
      () => readTzif(whole.subarray(0, length)),
      /^RangeError: (?:ends too early|has no footer)/,
      `${length}`,
    )
  }
  assert.throws(() => readTzif(Buffer.alloc(100)), /is no TZif file/)
  assert.throws(() => zoneFrom({ before: 0, version: 1 }), /version 1/)
  assert.throws(() => zoneFrom({ before: 0, leapSeconds: 2 }), /leap seconds/)
  assert.throws(() => zoneFrom({ before: 90_000 }), /offset of a day/)
  for (const footer of ['CET', 'CET-1CEST', 'CET-1CEST,M3.5.0', 'CET-1CEST,M3.6.0,M10.5.0', 'C-1', 'CET-1\nCET-1']) {
    assert.throws(() => zoneFrom({ before: 0, footer }), /no TZ string/, footer)
  }
})
