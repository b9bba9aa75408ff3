// Whatever the service finds wrong with settings, the panel says it in both languages.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { faultInWords, faultWords } from '../../panel/src/screens/campaigns/fault-words.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import { urlFault } from '../../src/events/egress.ts'

const root = join(import.meta.dirname, '..', '..')
const sources = [
  ...['fault', 'campaign', 'timer-style', 'mechanism/shape', 'mechanism/conflicts', 'mechanism/settings'].map(
    (name) => `src/core/${name}.ts`,
  ),
]

/** The messages in the code, with something in place of what is filled in. */
function messagesIn(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8').replace(/^ *(?:\/\/|\*|\/\*).*$/gm, '')
  const literal = /'((?:must|is|an?|cannot)\b[^'\n]*)'|`((?:must|is|an?|cannot)\b[^`]*)`/g
  return [...text.matchAll(literal)].flatMap(([whole, plain, template]) => {
    const message = plain ?? template ?? ''
    const isWanted = /^an? /.test(message)
    // Of `refuse` and of `text`, which puts "must be" before what it wants.
    if (isWanted && !new RegExp(`(?:text|wanted)[^;]{0,40}${escaped(whole)}`).test(text)) return []
    return [`${isWanted ? 'must be ' : ''}${filled(message)}`]
  })
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const samples: Record<string, string> = {
  'quotedList(names)': '"day" or "week"',
  "names.join(', ')": 'a, b',
  wanted: '',
  kind: 'fixed',
}

function filled(template: string): string {
  return template.replace(/\$\{([^}]+)\}/g, (_, name) => samples[name] ?? '7')
}

test('every message in the code of the checks has English and Polish words', () => {
  const found = sources.flatMap(messagesIn)
  // Put together of parts: `wanted` stands for a text that is among the others.
  const whole = found.filter(
    (message) => !/^must be ?$|^must be a whole number $|^must make a picture of at most 7 pixels$/.test(message),
  )
  assert.ok(whole.length >= 25, `${whole.length} messages found`)
  const numbers = ['of 1 or more', 'from 0 to 9', 'from 1 to 9, or null'].map(
    (which) => `must be a whole number ${which}`,
  )
  for (const message of [...whole, ...numbers]) {
    for (const language of ['en', 'pl'] as const) {
      assert.match(faultInWords(language, message), /^[A-ZŁŚŻ].+\.$/s, `${language}: ${message}`)
    }
  }
})

const campaign = (mechanism: unknown, more: object = {}) => ({
  ...{ name: 'x', timeZone: 'Europe/Warsaw', mechanism },
  ...more,
})
const rules = (deadline: unknown, more: object = {}) => campaign({ startsOn: 'registration', deadline, ...more })
const allDays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const daysAt = { kind: 'daysAt', days: 1, time: '10:00' }
const next = (closes: object, more: object = {}) => rules({ kind: 'next', closes, ...more })
const fixed = { kind: 'fixed', at: '2026-10-10T10:00' }

const wrong: unknown[] = [
  {},
  7,
  { more: 1 },
  campaign('x', { name: '', timeZone: '+02:00', isDraft: 1, onExpiry: {}, pages: {}, mailTimer: 7 }),
  campaign({ startsOn: 'x', deadline: { kind: 'y' } }, { onExpiry: { action: 'REDIRECT', redirectUrl: 'ftp:x' } }),
  campaign({}, { pages: Array(101).fill({}), mailTimer: { background: 'red', width: 201, height: 1 } }),
  campaign(
    {},
    {
      pages: [
        { pageUrl: 'https://x.pl/?a=100%' },
        { pageUrl: 'https://x.pl/?a[]=1' },
        { pageUrl: 'https://x.pl/\u200b' },
      ],
    },
  ),
  campaign({}, { mailTimer: { width: 600, height: 200, pixelsPerPoint: 2 } }),
  campaign({}, { mailTimer: { units: ['seconds'], labelTexts: { days: '' } } }),
  campaign({}, { mailTimer: { preset: 'flat', background: 'transparent' } }),
  campaign({}, { mailTimer: { units: ['hours', 'minutes', 'seconds'], width: 400 } }),
  campaign({}, { mailTimer: { font: 'lato', labelTexts: { days: 'дні' } } }),
  campaign(
    {},
    {
      pages: [
        { id: 1, pageUrl: 'https://x.pl/' },
        { id: 1, pageUrl: 'https://x.pl/' },
      ],
    },
  ),
  rules({ kind: 'after', period: 'P0D' }, { endsAt: '2026-02-30T10:00', retry: { enabled: true } }),
  rules({ ...daysAt, days: '', time: '', skipWeekdays: allDays, skipDates: ['2026-02-30'] }),
  rules({ ...daysAt, days: 3_660, skipWeekdays: ['mon'] }),
  rules({ ...daysAt, skipDates: Array(367).fill('2026-01-01') }),
  rules(fixed, { startsOn: 'visit', reset: { enabled: true } }),
  rules({ kind: 'none' }, { startsOn: 'visit', reset: { enabled: true } }),
  rules({ ...fixed, opensAt: fixed.at }),
  { ...rules({ ...fixed, at: '9999-12-31T23:59' }), timeZone: 'America/New_York' },
  rules(
    { kind: 'after', period: 'P1D' },
    { retry: { enabled: true, after: 'P1D', max: 0 }, cycle: { enabled: true, pause: 'P1D' } },
  ),
  next({ every: 'week', on: [], time: '10:00' }),
  next({ every: 'week', on: ['mon', 'mon'], time: '10:00' }),
  next({ every: 'week', on: ['mon'], time: '10:00' }, { skipWeekdays: ['mon'] }),
  next(
    { every: 'month', on: [1], time: '10:00' },
    {
      skipDates: Array.from(
        { length: 132 },
        (_, month) => `${2026 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`,
      ),
    },
  ),
]

const own = 'https://offers.example.com'
const wrongWebhooks = ['https://hooks.example.com/a\u200b', 'https://user:secret@example.com/', own]

test('every fault of wrong campaigns and addresses of webhooks has words, and each pattern is needed by one of them', () => {
  const needed = new Set<RegExp>()
  const take = (message: string, path: string) => {
    assert.ok(faultInWords('pl', message, ''), `${path}: ${message}`)
    assert.notEqual(faultInWords('pl', message), faultInWords('en', message))
    const [pattern] = faultWords.find(([each]) => each.test(message)) ?? []
    needed.add(pattern as RegExp)
  }
  for (const one of wrong) {
    const result = checkCampaign(one)
    assert.ok('faults' in result, JSON.stringify(one))
    for (const { path, message } of result.faults) take(message, path)
  }
  for (const url of wrongWebhooks) take(urlFault(url, { ranges: [], names: [] }, own) ?? '', url)
  const fromTheStore = /while the campaign has leads, or visitors|leave id out/
  const idle = faultWords.map(([pattern]) => pattern).filter((pattern) => !needed.has(pattern))
  assert.deepEqual(
    idle.filter(({ source }) => !fromTheStore.test(source)),
    [],
  )
})
