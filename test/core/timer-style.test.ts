import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCampaign } from '../../src/core/campaign.ts'
import type { Fault } from '../../src/core/fault.ts'
import { checkTimerStyle, defaultTimerStyle, fullTimerStyle } from '../../src/core/timer-style.ts'

const whole = {
  font: 'oswald',
  background: '#000000',
  box: '#123abc',
  digits: '#FFFFFF',
  labels: '#abcdef',
  showLabels: false,
  width: 400,
  height: 120,
  cornerRadius: 0,
  pixelsPerPoint: 2,
  preset: 'card',
  units: ['hours', 'minutes'],
  labelTexts: { hours: 'Std.', minutes: 'Хв' },
  uppercase: true,
  digitSize: 40,
  labelSize: null,
  gap: 0,
  whenOver: { show: 'text', text: 'Už je konec' },
} as const

function faultsOf(style: unknown): Fault[] {
  const faults: Fault[] = []
  checkTimerStyle(style, 'mailTimer', faults)
  return faults
}

test('a style is kept as it is given', () => {
  const faults: Fault[] = []
  for (const style of [{}, whole, { box: '#00ff00' }, { ...defaultTimerStyle }]) {
    assert.deepEqual(checkTimerStyle(style, '', faults), style)
  }
  assert.deepEqual(faults, [])
})

test('keys that are left out are as in the default style', () => {
  assert.deepEqual(fullTimerStyle({}), defaultTimerStyle)
  assert.deepEqual(fullTimerStyle({ width: 400, box: undefined }), { ...defaultTimerStyle, width: 400 })
})

test('a campaign takes a style, and names the path of its fault', () => {
  const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'P3D' } }
  const campaign = { name: 'Autumn', timeZone: 'Europe/Warsaw', mechanism }
  const taken = checkCampaign({ ...campaign, mailTimer: whole })
  assert.deepEqual('campaign' in taken && taken.campaign.mailTimer, whole)
  const refused = checkCampaign({ ...campaign, mailTimer: { width: 7 } })
  assert.deepEqual('faults' in refused && refused.faults.map(({ path }) => path), ['mailTimer.width'])
})

const refusals: [style: unknown, path: string, message: RegExp][] = [
  [[], 'mailTimer', /object/],
  [{ colour: '#000000' }, 'mailTimer.colour', /unknown; known here are preset, font, background/],
  [{ font: 'arial' }, 'mailTimer.font', /"inter" or "lato"/],
  [{ font: 'toString' }, 'mailTimer.font', /must be/],
  [{ background: 'white' }, 'mailTimer.background', /such as "#1f2937"/],
  [{ box: '#fff' }, 'mailTimer.box', /a colour/],
  [{ digits: '#12345g' }, 'mailTimer.digits', /a colour/],
  [{ labels: '#000000\n' }, 'mailTimer.labels', /a colour/],
  [{ labels: 0 }, 'mailTimer.labels', /a colour/],
  [{ showLabels: 'no' }, 'mailTimer.showLabels', /true or false/],
  [{ width: 196 }, 'mailTimer.width', /from 200 to 600/],
  [{ width: 604 }, 'mailTimer.width', /from 200 to 600/],
  [{ width: 303 }, 'mailTimer.width', /a multiple of 4, such as 300/],
  [{ width: '400' }, 'mailTimer.width', /whole number/],
  [{ height: 49 }, 'mailTimer.height', /from 50 to 200/],
  [{ height: 201 }, 'mailTimer.height', /from 50 to 200/],
  [{ height: 60.5 }, 'mailTimer.height', /whole number/],
  [{ cornerRadius: -1 }, 'mailTimer.cornerRadius', /from 0 to 40/],
  [{ cornerRadius: 41 }, 'mailTimer.cornerRadius', /from 0 to 40/],
  [{ pixelsPerPoint: 3 }, 'mailTimer.pixelsPerPoint', /from 1 to 2/],
  [{ font: null }, 'mailTimer.font', /must be/],
  [{ preset: 'round' }, 'mailTimer.preset', /"boxes" or "flat"/],
  [{ background: 'clear' }, 'mailTimer.background', /or "transparent"/],
  [{ background: 'transparent', preset: 'rings' }, 'mailTimer.background', /preset rings, .*boxes, flip, card/],
  [{ units: [] }, 'mailTimer.units', /neighbours among days, hours, minutes, seconds/],
  [{ units: ['seconds'] }, 'mailTimer.units', /not only seconds/],
  [{ units: ['days', 'minutes'] }, 'mailTimer.units', /neighbours/],
  [{ units: ['hours', 'days'] }, 'mailTimer.units', /in this order/],
  [{ units: ['days', 'weeks'] }, 'mailTimer.units[1]', /must be "days"/],
  [{ units: ['days', 'hours', 'minutes'], width: 400 }, 'mailTimer.width', /multiple of 12 .* such as 396$/],
  [{ units: ['days', 'hours', 'minutes'], width: 200 }, 'mailTimer.width', /multiple of 12 .* such as 204$/],
  [{ labelTexts: { days: ' ' } }, 'mailTimer.labelTexts.days', /1 to 20 characters/],
  [{ labelTexts: { hours: 'h'.repeat(21) } }, 'mailTimer.labelTexts.hours', /1 to 20 characters/],
  [{ labelTexts: { weeks: 'w' } }, 'mailTimer.labelTexts.weeks', /unknown/],
  [{ labelTexts: { minutes: '分' } }, 'mailTimer.labelTexts.minutes', /has "分", which the font inter lacks/],
  [{ font: 'lato', labelTexts: { days: 'Дні' } }, 'mailTimer.labelTexts.days', /has "Д", which the font lato lacks/],
  [{ font: 'lato', whenOver: { show: 'text', text: 'Kůň' } }, 'mailTimer.whenOver.text', /has "ů", which .* lato/],
  [{ labelTexts: { days: 'a\0' } }, 'mailTimer.labelTexts.days', /has "U\+0000", which/],
  [{ labelTexts: { days: 'day\u200b' } }, 'mailTimer.labelTexts.days', /has "U\+200B", which/],
  [{ whenOver: { show: 'text' } }, 'mailTimer.whenOver.text', /is missing/],
  [{ whenOver: { show: 'text', text: 'x'.repeat(61) } }, 'mailTimer.whenOver.text', /1 to 60/],
  [{ whenOver: { show: 'nothing', text: 'x' } }, 'mailTimer.whenOver.text', /unknown/],
  [{ whenOver: 'zeros' }, 'mailTimer.whenOver', /object/],
  [{ uppercase: 1 }, 'mailTimer.uppercase', /true or false/],
  [{ digitSize: 9 }, 'mailTimer.digitSize', /from 10 to 160/],
  [{ labelSize: 41 }, 'mailTimer.labelSize', /from 6 to 40/],
  [{ gap: 41 }, 'mailTimer.gap', /from 0 to 40/],
  [{ height: 141, pixelsPerPoint: 2 }, 'mailTimer', /336000 pixels.* is 338400$/],
]

test('words that were copied from a page may have no-break spaces, and letters in two pieces', () => {
  const words = 'Do\u00a0końca\u202f!'.normalize('NFD')
  assert.deepEqual(faultsOf({ labelTexts: { days: words }, whenOver: { show: 'text', text: words } }), [])
})

for (const [style, path, message] of refusals) {
  test(`refused: ${JSON.stringify(style)}`, () => {
    const [fault, ...others] = faultsOf(style)
    assert.deepEqual([fault?.path, others], [path, []])
    assert.match(fault?.message ?? '', message)
  })
}

test('every fault is named at once', () => {
  assert.deepEqual(
    faultsOf({ width: 1, box: 'red', x: 1 }).map(({ path }) => path),
    ['mailTimer.x', 'mailTimer.box', 'mailTimer.width'],
  )
})

test('the largest pictures allowed are taken', () => {
  for (const size of [
    { width: 600, height: 200 },
    { width: 600, height: 140, pixelsPerPoint: 2 },
  ]) {
    assert.deepEqual(faultsOf(size), [])
  }
})

test('new timers are drawn twice as sharp, unless that is more than a picture may have', () => {
  assert.equal(fullTimerStyle({}).pixelsPerPoint, 2)
  assert.equal(fullTimerStyle({ height: 200 }).pixelsPerPoint, 1)
  assert.deepEqual(faultsOf({ height: 200 }), [])
})

test('each preset has colours that are seen, where none are given', () => {
  assert.equal(fullTimerStyle({ preset: 'flat' }).digits, '#111827')
  assert.equal(fullTimerStyle({ preset: 'flat', digits: '#ff0000' }).digits, '#ff0000')
  assert.equal(fullTimerStyle({ background: 'transparent' }).labels, fullTimerStyle({ preset: 'card' }).labels)
})
