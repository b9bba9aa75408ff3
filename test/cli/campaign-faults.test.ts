// A campaign file with a fault: its path is named, nothing is written.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkCampaign } from '../../src/core/campaign.ts'
import { campaignFile, type Finished, owner } from '../support/lastcall.ts'
import { assertRefused, prepared, several } from '../support/prepared.ts'
import { rowsOf } from '../support/rows.ts'

type Steps = (string | number)[]
type Faulty = [path: Steps, change: Record<string, unknown>]

const after = { kind: 'after', period: 'PT48H' }
const daily = { every: 'day', time: '23:00' }
const mechanism = (change: Record<string, unknown>) => ({
  mechanism: { startsOn: 'registration', deadline: after, ...change },
})
const inDeadline = (name: string | Steps, deadline: Record<string, unknown>): Faulty => [
  ['mechanism', 'deadline', ...[name].flat()],
  mechanism({ deadline }),
]
const inMechanism = (name: string | Steps, change: Record<string, unknown>): Faulty => [
  ['mechanism', ...[name].flat()],
  mechanism(change),
]
const page = { pageUrl: 'https://example.com/offer', eligible: true }
const daysAt = (change: Record<string, unknown>) => ({ kind: 'daysAt', days: 3, time: '23:59', ...change })
const next = (change: Record<string, unknown>) => ({ kind: 'next', closes: daily, ...change })
const everyDay = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const manyDates = Array.from({ length: 367 }, (_, n) => new Date(Date.UTC(2027, 0, 1 + n)).toISOString().slice(0, 10))

const faulty: Faulty[] = [
  [['surprise'], { surprise: 1 }],
  [['name'], { name: undefined }],
  [['name'], { name: '' }],
  [['name'], { name: 7 }],
  [['isDraft'], { isDraft: 'false' }],
  [['isDraft'], { isDraft: null }],
  [['timeZone'], { timeZone: undefined }],
  [['timeZone'], { timeZone: 'Mars/Olympus' }],
  [['timeZone'], { timeZone: '+02:00' }],
  [['mechanism'], { mechanism: undefined }],
  [['mechanism'], { mechanism: [] }],
  [['id'], { id: '1' }],

  inMechanism('surprise', { surprise: true }),
  inMechanism('startsOn', { startsOn: undefined }),
  inMechanism('startsOn', { startsOn: 'click' }),
  inMechanism('deadline', { deadline: undefined }),
  inMechanism('endsAt', { endsAt: '2026-12-31' }),
  inMechanism('endsAt', { endsAt: '2026-02-30T10:00' }),
  inMechanism('endsAt', { endsAt: '2026-12-31T23:59Z' }),
  inMechanism(['reset', 'enabled'], { reset: {} }),
  inMechanism(['reset', 'max'], { reset: { enabled: true, max: 0 } }),
  inMechanism(['reset', 'max'], { reset: { enabled: false, max: 1.5 } }),
  inMechanism(['reset', 'after'], { reset: { enabled: true, after: 'P1D' } }),
  inMechanism(['retry', 'after'], { retry: { enabled: true } }),
  inMechanism(['retry', 'after'], { retry: { enabled: false, after: 'soon' } }),
  inMechanism(['retry', 'max'], { retry: { enabled: true, after: 'P1D', max: '2' } }),
  inMechanism(['cycle', 'pause'], { cycle: { enabled: true } }),
  inMechanism(['cycle', 'enabled'], { cycle: { enabled: 'yes', pause: 'P1D' } }),
  inMechanism(['cycle', 'pause'], { cycle: { enabled: true, pause: 'PT0M' } }),
  inMechanism(/* either of the two */ ['(retry|cycle)'], {
    retry: { enabled: true, after: 'P1D' },
    cycle: { enabled: true, pause: 'P1D' },
  }),

  inDeadline('kind', { kind: 'sometime' }),
  inDeadline('kind', {}),
  inDeadline('period', { kind: 'after' }),
  ...['2h', 'P0D', 'PT0M', 'PT30S', 'P3661D', 'PT87841H', 'P1DT1H', 'P1W', '-P1D', 'PT1.5H', 'PT'].map((period) =>
    inDeadline('period', { kind: 'after', period }),
  ),
  inDeadline('days', { kind: 'after', period: 'P1D', days: 1 }),
  inDeadline('days', daysAt({ days: -1 })),
  inDeadline('days', daysAt({ days: '3' })),
  inDeadline('time', daysAt({ time: '24:00' })),
  inDeadline('time', daysAt({ time: '9:00' })),
  inDeadline('time', daysAt({ time: '23:59:00' })),
  inDeadline(['skipWeekdays', 0], daysAt({ skipWeekdays: ['monday'] })),
  inDeadline('skipWeekdays', daysAt({ skipWeekdays: everyDay })),
  inDeadline(['skipDates', 0], daysAt({ skipDates: ['2026-02-29'] })),
  inDeadline('skipDates', daysAt({ skipDates: manyDates })),
  inDeadline('closes', { kind: 'next' }),
  inDeadline(['closes', 'every'], next({ closes: { every: 'year', time: '10:00' } })),
  inDeadline(['closes', 'on'], next({ closes: { every: 'week', on: [], time: '10:00' } })),
  inDeadline(['closes', 'on'], next({ closes: { every: 'week', on: ['fri', 'fri'], time: '10:00' } })),
  inDeadline(['closes', 'on', 0], next({ closes: { every: 'week', on: ['FRI'], time: '10:00' } })),
  inDeadline(['closes', 'on', 1], next({ closes: { every: 'month', on: [1, 32], time: '10:00' } })),
  inDeadline(['closes', 'on', 0], next({ closes: { every: 'month', on: [0], time: '10:00' } })),
  inDeadline(['closes', 'on'], next({ closes: { every: 'day', on: ['fri'], time: '10:00' } })),
  inDeadline(['closes', 'time'], next({ closes: { every: 'day' } })),
  inDeadline(['opens', 'time'], next({ opens: { every: 'day', time: '25:00' } })),
  inDeadline('minLead', next({ minLead: 'P0D' })),
  // No date is possible: Fridays only, and no Friday.
  [
    ['mechanism', 'deadline'],
    mechanism({
      deadline: next({ closes: { every: 'week', on: ['fri'], time: '09:00' }, skipWeekdays: ['fri'] }),
    }),
  ],
  inDeadline('at', { kind: 'fixed' }),
  inDeadline('at', { kind: 'fixed', at: '2026-12-31T25:00' }),
  inDeadline('opensAt', { kind: 'fixed', at: '2026-12-31T10:00', opensAt: '2026-12-31T10:00' }),
  inMechanism('startsOn', { startsOn: 'visit', deadline: { kind: 'none' } }),
  inMechanism('reset', { deadline: { kind: 'none' }, reset: { enabled: true } }),
  inMechanism('cycle', {
    deadline: { kind: 'fixed', at: '2026-12-31T10:00' },
    cycle: { enabled: true, pause: 'P1D' },
  }),

  [['anonymous', 'enabled'], { anonymous: {} }],
  [['anonymous', 'surprise'], { anonymous: { enabled: true, surprise: 1 } }],
  [['onExpiry', 'action'], { onExpiry: { action: 'hide' } }],
  [['onExpiry', 'redirectUrl'], { onExpiry: { action: 'REDIRECT' } }],
  [['onExpiry', 'redirectUrl'], { onExpiry: { action: 'REDIRECT', redirectUrl: 'example.com' } }],
  [['onExpiry', 'redirectUrl'], { onExpiry: { action: 'HIDE', redirectUrl: 'https://example.com' } }],
  [['pages'], { pages: {} }],
  [['pages', 0, 'pageUrl'], { pages: [{ eligible: true }] }],
  [['pages', 1, 'pageUrl'], { pages: [page, { ...page, pageUrl: '/offer' }] }],
  [['pages', 0, 'pageUrl'], { pages: [{ ...page, pageUrl: 'ftp://example.com' }] }],
  [['pages', 0, 'pageUrl'], { pages: [{ ...page, pageUrl: 'https://me:secret@example.com' }] }],
  [['pages', 0, 'pageUrl'], { pages: [{ ...page, pageUrl: `https://example.com/${'x'.repeat(2_030)}` }] }],
  [['pages', 0, 'pageUrl'], { pages: [{ ...page, pageUrl: 'javascript:alert(1)' }] }],
  [['pages', 0, 'proxyUrl'], { pages: [{ ...page, proxyUrl: '' }] }],
  [['pages', 0, 'eligible'], { pages: [{ ...page, eligible: 1 }] }],
  [['pages', 0, 'surprise'], { pages: [{ ...page, surprise: 1 }] }],
  [['mailTimer'], { mailTimer: true }],
  [['mailTimer', 'surprise'], { mailTimer: { surprise: 1 } }],
]

for (const [path, change] of faulty)
  test(`${path.join('.')} in ${JSON.stringify(change).slice(0, 100)}`, () => {
    // A property that is undefined is left out.
    const checked = checkCampaign(JSON.parse(campaignFile(change)))
    assert.ok('faults' in checked)
    assert.match(checked.faults.map((fault) => fault.path).join(), new RegExp(`^${path.join('\\W{1,3}')}\\b`))
  })

test('campaign files with faults, by the command', { timeout: 400_000 }, async (t) => {
  const { place, accountId, campaignId } = await prepared(t)
  const stranger = await owner(place)
  const taken = await place.json(['campaign', 'export', String(stranger.campaignId)])
  assert.equal((await place.json(['campaign', 'export', String(campaignId)])).pages[0].id, 1)
  const before = await rowsOf(place)
  const apply = (input: string, account = accountId) =>
    place.runShared(['campaign', 'apply', '--account', String(account), '-'], input)

  const inputs: [name: string, input: string, named: RegExp][] = [
    [
      'a fault deep inside',
      campaignFile(mechanism({ deadline: next({ minLead: 'P0D' }) })),
      /mechanism\.deadline\.minLead/,
    ],
    ['an unknown id', campaignFile({ id: 999 }), /\bid\b/],
    ['an unknown page', campaignFile({ pages: [{ ...page, id: 999 }] }), /pages\W{1,3}0\W{1,3}id/],
    ['a page of another campaign', campaignFile({ pages: [{ ...page, id: 1 }] }), /pages\W{1,3}0\W{1,3}id/],
    ['no JSON', '{"name":', /JSON/],
    ['nothing', '', /JSON/],
    ['an array', '[]', /object/i],
    ['a word', '"campaign"', /object/i],
    ['null', 'null', /object/i],
    ['the campaign of another account', JSON.stringify({ ...taken, name: 'Mine' }), /\bid\b/],
    [
      'the page of another account',
      campaignFile({ id: campaignId, pages: [{ ...page, id: taken.pages[0].id }] }),
      /pages\W{1,3}0\W{1,3}id/,
    ],
    [
      'a good page and one of another account, all or nothing',
      campaignFile({ name: 'Changed', id: campaignId, pages: [page, { ...page, id: taken.pages[0].id }] }),
      /pages\W{1,3}1\W{1,3}id/,
    ],
    [
      'the same page twice',
      campaignFile({
        id: campaignId,
        pages: [
          { ...page, id: 1 },
          { ...page, id: 1 },
        ],
      }),
      /pages\W{1,3}1\W{1,3}id/,
    ],
    ['a prototype', campaignFile().replace('{', '{"__proto__":{"isDraft":true},'), /__proto__/],
  ]
  const results = await several(4, inputs, ([, input]) => apply(input))
  for (const [n, [name, , named]] of inputs.entries())
    await t.test(name, () => assertRefused(results[n] as Finished, named, [2]))
  await t.test('nothing has changed', async () => assert.deepEqual(await rowsOf(place), before))

  await t.test('a refusal does not repeat the value, which may hold a password', async () => {
    const secret = 'hunter2'
    const address = `ftp://me:${secret}@example.com`
    const planted: [input: string, named: RegExp][] = [
      [campaignFile({ pages: [{ ...page, pageUrl: address }] }), /pages\[0\]\.pageUrl: must be an absolute/],
      [campaignFile({ [address]: address }), /\["…"\]: is unknown; known here are id, name,/],
      [campaignFile({ timeZone: address, mailTimer: address }), /mailTimer: .*timeZone: /],
      [`{"pageUrl": ${secret}}`, /must be JSON\n/],
      [`{"pageUrl":\n "${secret}" ${secret}}`, /must be JSON; see line 2 column \d+\n/],
    ]
    const results = await several(4, planted, ([input]) => apply(input))
    for (const [n, [input, named]] of planted.entries()) {
      const result = results[n] as Finished
      assertRefused(result, named, [2])
      assert.ok(!result.stderr.includes(secret), `${input}: ${result.stderr}`)
    }
    const misplaced = await place.runShared(['lead', 'show', '--campaign', '1', `${secret}@example.com`])
    assertRefused(misplaced, 'one argument too many', [2])
    assertRefused(await place.runShared([address, secret.repeat(2)]), 'no command', [2])
    assert.ok(!misplaced.stderr.includes(secret))
  })

  await t.test('a file is in UTF-8: with a byte order mark it is read, in another encoding refused', async () => {
    const file = campaignFile({ id: campaignId, name: 'Café' })
    const applyBytes = (bytes: Buffer) => {
      writeFileSync(join(place.folder, 'campaign.json'), bytes)
      return place.runShared(['campaign', 'apply', '--account', String(accountId), 'campaign.json'])
    }
    assertRefused(await applyBytes(Buffer.from(file, 'latin1')), 'campaign.json: must be in UTF-8', [2])
    const { stdout } = await applyBytes(Buffer.from(`\uFEFF${file}`))
    assert.equal(JSON.parse(stdout).name, 'Café')
  })

  await t.test('a campaign with leads keeps to its kind of deadline', async () => {
    writeFileSync(join(place.folder, 'emails.csv'), 'email\na@example.com\n')
    await place.json(['lead', 'import', '--campaign', String(campaignId), 'emails.csv'])
    const leads = await rowsOf(place)
    for (const deadline of [{ kind: 'fixed', at: '2030-12-31T10:00' }, { kind: 'none' }])
      assertRefused(
        await apply(campaignFile({ id: campaignId, ...mechanism({ deadline }) })),
        /mechanism\W{1,3}deadline/,
        [2],
      )
    assert.deepEqual(await rowsOf(place), leads)
    const changed = await apply(campaignFile({ id: campaignId, ...mechanism({ deadline: daysAt({}) }) }))
    assert.equal(changed.code, 0, changed.stderr)
  })
})
